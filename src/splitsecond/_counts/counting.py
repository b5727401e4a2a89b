"""The second pass: answers to the questions, and how many rows have each pattern of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._counts.batches import cells_of, places_of
from splitsecond._counts.changes import changed
from splitsecond._counts.roles import Roles
from splitsecond._counts.sketch import weights_of
from splitsecond._counts.targets import Codes
from splitsecond._counts.weighing import CHECKSUMS, Scaling, checksum_of
from splitsecond._tables.bits import pack_bits
from splitsecond._tables.cells import MISSING, UNKNOWN, Cells
from splitsecond._tables.columns import Kind, Variable
from splitsecond._tables.literals import Literal

Words = NDArray[np.uint64]
MAX_KEYS = 2**31 - 1  # that the core tells apart


@dataclass(frozen=True)
class Keys:
    """The number of what must not be mixed besides the answers: class, kind of weight, fold."""

    n_classes: int
    n_kinds: int

    def check(self, n_folds: int) -> None:
        """Refuse more numbers than there are; without folds there is one."""
        if max(n_folds, 1) * self.n_kinds * self.n_classes > MAX_KEYS:
            raise ValueError(
                f"There are too many classes and folds to be counted together: {self.n_classes:,} "
                f"classes or numbers, {self.n_kinds:,} weights and {n_folds:,} folds. Round the "
                "numbers or the weights, or take fewer folds."
            )

    def of(self, codes: Any, kinds: Any, folds: Any) -> NDArray[np.int32]:
        """Return the number of each row's class, kind and fold."""
        return np.ascontiguousarray(
            (folds * self.n_kinds + kinds) * self.n_classes + codes, np.int32
        )

    def parts(self, keys: NDArray[np.int32]) -> tuple[NDArray[np.int32], ...]:
        """Return classes, kinds and folds."""
        rest, codes = np.divmod(keys, self.n_classes)
        folds, kinds = np.divmod(rest, self.n_kinds)
        return codes.astype(np.int32), kinds, folds.astype(np.int32)


class Counted:
    """Some rows by pattern and key."""

    def __init__(self, n_columns: int, n_sums: int, memory_limit: int | None = None) -> None:
        self.patterns = _core.PatternCounts(n_columns, n_sums, memory_limit=memory_limit)
        self.memory_limit = memory_limit  # of the patterns, in whichever process they are
        self.n_rows = 0
        self.checksum = 0  # of the weights; see `checksum_of`

    def add(
        self, answers: list[Words], n_rows: int, keys: NDArray[np.int32], sums: list[Any]
    ) -> None:
        """Count a block of rows; those of a negative key are left out."""
        with self._within_memory():
            self.patterns.add(answers, n_rows, keys, sums)
        self.n_rows += n_rows

    def merge(self, other: Counted) -> None:
        """Count the rows of another part."""
        with self._within_memory():
            self.patterns.merge(other.patterns)
        self.n_rows += other.n_rows
        self.checksum = (self.checksum + other.checksum) % CHECKSUMS

    def result(self) -> _core.Patterns:
        """Return the entries, in an order that does not depend on that of the blocks."""
        with self._within_memory():
            return self.patterns.result()

    def __getstate__(self) -> dict[str, Any]:
        found = self.result()
        entries = [np.array(column) for column in found.columns], np.array(found.keys)
        return {
            "n_rows": self.n_rows,
            "checksum": self.checksum,
            "memory_limit": self.memory_limit,
            "entries": entries,
            "sums": [np.array(each) for each in found.sums],
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        (columns, keys), sums = state["entries"], state["sums"]
        Counted.__init__(self, len(columns), len(sums), state["memory_limit"])
        self.add(columns, len(keys), keys, sums)
        self.n_rows, self.checksum = state["n_rows"], state["checksum"]

    @contextmanager
    def _within_memory(self) -> Iterator[None]:
        """Say how many patterns there were, and what to do, where memory does not suffice."""
        try:
            yield
        except MemoryError as error:
            limit = self.memory_limit
            allowed = "there is" if limit is None else f"memory_limit={limit:,} bytes allows"
            raise MemoryError(
                f"The patterns of answers take more memory than {allowed}; "
                f"{self.patterns.n_entries:,} had been found until then. Ask fewer questions, for "
                "example with a QuantileBinarizer or fewer columns, or allow more memory."
            ) from error


@dataclass(frozen=True)
class Counting:
    """Counts the rows of some batches."""

    roles: Roles
    variables: tuple[Variable, ...]
    literals: tuple[Literal, ...]
    labels: Codes
    keys: Keys
    scaling: Scaling | None
    fold_labels: tuple[Any, ...] = ()
    memory_limit: int | None = None  # of the patterns

    @property
    def columns(self) -> list[str]:
        """The columns to be read."""
        asked = {literal.column for literal in self.literals}
        features = [name for j, name in enumerate(self.roles.features) if j in asked]
        return [*features, *self.roles.others]

    @property
    def _sums_units(self) -> bool:
        return self.scaling is not None and self.scaling.kinds is None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Counted:
        """Count all rows."""
        n_sums = 1 + self._sums_units
        found = Counted(len(self.literals), n_sums, self.memory_limit)
        for batch in batches:
            if len(batch):
                self._add(found, batch)
        return found

    def _add(self, found: Counted, batch: pa.RecordBatch) -> None:
        roles = self.roles
        codes = self.labels.of(batch.column(roles.target))
        kinds: Any = 0
        sums: list[Any] = [None]
        absent = None
        if roles.weight is not None:
            assert self.scaling is not None
            weights = weights_of(batch.column(roles.weight), roles.weight)
            absent = weights == 0
            found.checksum = (found.checksum + checksum_of(weights)) % CHECKSUMS
            if self._sums_units:
                sums.append(self.scaling.integers(weights))
            else:
                kinds = self.scaling.kind_of(weights)
        keys = self.keys.of(codes, kinds, self._folds(batch))
        if absent is not None:
            keys[absent] = -1
        found.add(self.answers(batch), len(batch), keys, sums)

    def _folds(self, batch: pa.RecordBatch) -> Any:
        if self.roles.fold is None:
            return 0
        places = places_of(batch.column(self.roles.fold), self.fold_labels)
        if places is None:
            raise changed("a fold is new")
        return places

    def answers(self, batch: pa.RecordBatch) -> list[Words]:
        """Return the answers to all questions as bits of the rows."""
        answers: list[Words] = [np.zeros(0, dtype=np.uint64)] * len(self.literals)
        for column, asked in self._by_column.items():
            name, variable = self.roles.features[column], self.variables[column]
            cells = cells_of(batch.column(name), name)
            literals = [self.literals[j] for j in asked]
            for j, words in zip(asked, _answers(variable, cells, literals), strict=True):
                answers[j] = words
        return answers

    @cached_property
    def _by_column(self) -> dict[int, list[int]]:
        """The questions about each column."""
        asked: dict[int, list[int]] = {}
        for j, literal in enumerate(self.literals):
            asked.setdefault(literal.column, []).append(j)
        return asked


def _answers(variable: Variable, cells: Cells, literals: Sequence[Literal]) -> Iterable[Words]:
    """Answer questions about one column, as `Literal.answers` does for a `LiteralTable`."""
    if variable.is_unknown:
        values = np.where(cells.is_missing(), MISSING, UNKNOWN)
    else:
        values = variable.values(cells)
    if len({literal.operator for literal in literals}) == 1 and literals[0].operator == "<=":
        if variable.kind in (Kind.NUMBER, Kind.BINARY):
            thresholds = np.array([each.value for each in literals], dtype=np.float64)
            return list(_core.answer_numbers(values, thresholds))
    elif variable.kind is Kind.CATEGORY and all(each.operator == "==" for each in literals):
        places = np.arange(len(variable.categories))
        yes = np.stack([each.answers(variable, places) for each in literals]).astype(np.uint8)
        return list(_core.answer_codes(values, yes))
    return [pack_bits(literal.answers(variable, values)) for literal in literals]


def combine_counted(parts: Sequence[Counted]) -> Counted:
    """Return the counts of all parts."""
    first, *others = parts
    for other in others:
        first.merge(other)
    return first
