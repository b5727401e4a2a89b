"""The first pass: what the columns and the target are, what weights add up to, and a sample."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._counts.batches import cells_of, numbers_of, plain_numbers
from splitsecond._counts.facts import ColumnFacts, Distinct
from splitsecond._counts.hashing import Hashes, add_codes, finished, first_hashes
from splitsecond._counts.roles import Roles
from splitsecond._counts.sample import RowSample
from splitsecond._counts.targets import TargetFacts
from splitsecond._counts.weighing import WeightFacts
from splitsecond._support.messages import shown
from splitsecond._tables.cells import is_missing
from splitsecond._tables.errors import TableError

MAX_FOLDS = 10_000


@dataclass
class Sketch:
    """What is known of some rows of a table."""

    columns: list[ColumnFacts]
    target: TargetFacts
    sample: RowSample
    weights: WeightFacts | None = None
    folds: Distinct = field(default_factory=lambda: Distinct(MAX_FOLDS))
    n_rows: int = 0


@dataclass(frozen=True)
class Sketching:
    """Finds out what is known of the rows of some batches."""

    roles: Roles
    sample_size: int  # 0: columns need not be looked at, since the questions are known
    seed: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Sketch:
        """Look at all rows."""
        roles = self.roles
        found = Sketch(
            [ColumnFacts(name) for name in roles.features],
            TargetFacts(roles.target),
            RowSample(self.sample_size),
            None if roles.weight is None else WeightFacts(),
        )
        for batch in batches:
            if len(batch):
                self._add(found, batch)
        return found

    @property
    def columns(self) -> list[str]:
        """The columns to be read."""
        return self.roles.used if self.sample_size else self.roles.others

    def _add(self, found: Sketch, batch: pa.RecordBatch) -> None:
        roles = self.roles
        found.n_rows += len(batch)
        found.target.add(batch.column(roles.target))
        if roles.weight is not None:
            assert found.weights is not None
            found.weights.add(weights_of(batch.column(roles.weight), roles.weight))
        if roles.fold is not None:
            found.folds.add(_fold_labels(batch.column(roles.fold), roles.fold))
        if not self.sample_size:
            return
        hashes = first_hashes(len(batch), self.seed)
        for name, facts in zip(roles.features, found.columns, strict=True):
            _look_at(batch.column(name), facts, hashes)
        for name in roles.others:
            _look_at(batch.column(name), ColumnFacts(name), hashes)
        found.sample.add(finished(hashes), batch.select(roles.used))


def _look_at(column: pa.Array, facts: ColumnFacts, hashes: Hashes) -> None:
    """Take a column into account, and into the hashes of the rows."""
    numbers = plain_numbers(column)
    if numbers is not None:
        found = _core.hash_numbers(hashes, numbers)
        if not any(map(math.isinf, found[:2])):
            facts.add_numbers(*found)
            return
    cells = cells_of(column, facts.label)  # refuses infinite numbers
    if cells.numbers is None:
        add_codes(hashes, cells)
        facts.add_categories(cells)
    elif numbers is None:
        facts.add_numbers(*_core.hash_numbers(hashes, cells.numbers))
    else:  # no value at all
        facts.add_numbers(*found)


def combine_sketches(sketches: Sequence[Sketch]) -> Sketch:
    """Return what is known of the rows of all sketches."""
    first, *others = sketches
    for other in others:
        for own, more in zip(first.columns, other.columns, strict=True):
            own.combine(more)
        first.target.combine(other.target)
        if first.weights is not None and other.weights is not None:
            first.weights.combine(other.weights)
        first.folds.combine(other.folds)
        first.n_rows += other.n_rows
    first.sample.combine([other.sample for other in others])
    return first


def weights_of(column: pa.Array, name: str) -> NDArray[np.float64]:
    """Return weights, all of them usable."""
    weights = numbers_of(column)
    if weights is None:
        raise TableError(
            f"The weight column {shown(name)} holds {column.type}: it must be numbers.", column=name
        )
    bad = ~np.isfinite(weights) | (weights < 0) | (weights > 1e300)
    if bad.any():
        raise TableError(
            f"Weights in column {shown(name)} must be finite and not negative, got "
            f"{weights[int(np.argmax(bad))]}. Leave the row out or give it weight 0.",
            column=name,
        )
    return weights


def _fold_labels(column: pa.Array, name: str) -> set[object]:
    labels = set(column.unique().to_pylist())
    if any(map(is_missing, labels)):
        raise TableError(f"The fold column {shown(name)} has missing values.", column=name)
    return labels
