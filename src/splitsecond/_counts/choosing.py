"""Between the passes: what the columns are, and the questions, chosen from the sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import clone

from splitsecond._binarizers.base import Binarizer, Target
from splitsecond._binarizers.limits import BinarizingLimits
from splitsecond._counts.batches import numbers_of
from splitsecond._counts.facts import ColumnFacts
from splitsecond._counts.roles import Roles
from splitsecond._counts.sketch import Sketch
from splitsecond._counts.targets import Codes
from splitsecond._estimators.base import LimitWarning
from splitsecond._estimators.limits_text import stopped_text
from splitsecond._estimators.training import AUTO, SCHEMES
from splitsecond._solving.number_losses import Poisson, SquaredError
from splitsecond._support.warning import warn
from splitsecond._tables.binary import DenseTable
from splitsecond._tables.columns import RawTable, Variable
from splitsecond._tables.numbers import POISSON, read_numbers


class SampleTable(RawTable):
    """The sampled rows of a table; what its columns are, all its rows have decided."""

    def __init__(self, rows: pa.Table, facts: Sequence[ColumnFacts]) -> None:
        super().__init__(rows)
        self._facts = facts

    def variable(self, j: int, *, keep_constant: bool = False) -> Variable:
        """Return what column j is."""
        return self._facts[j].variable(self.name(j), keep_constant=keep_constant)


def choose_questions(
    scheme: Any,
    sketch: Sketch,
    roles: Roles,
    labels: NDArray[Any],
    *,
    is_of_numbers: bool,
    memory_limit: int | None,
    n_jobs: int | None,
) -> Binarizer:
    """Fit a binarizer to the sample, with what is known of all rows."""
    facts = sketch.columns
    if isinstance(scheme, str) and scheme == AUTO and all(map(_is_binary, facts)):
        return SCHEMES[AUTO]().fit_binary(_extremes(facts, roles))
    binarizer: Binarizer = SCHEMES[scheme]() if isinstance(scheme, str) else clone(scheme)
    rows = sketch.sample.rows
    assert rows is not None
    weights = sketch.sample.counts.astype(np.float64)
    if roles.weight is not None:
        own = numbers_of(rows[roles.weight].combine_chunks())
        assert own is not None
        weights *= own
    column = rows[roles.target].combine_chunks()
    if is_of_numbers:
        loss = Poisson() if getattr(scheme, "loss", None) == POISSON else SquaredError()
        numbers = read_numbers(column.to_numpy(zero_copy_only=False), len(column), loss="").values
        parts: dict[str, Any] = {"numbers": numbers, "loss": loss}
    else:
        codes = Codes(labels).of(column).astype(np.int32)
        parts = {"codes": codes, "n_classes": len(labels)}
    target = Target(
        # As in memory, where rows without weights have none.
        weights=None if (weights == 1).all() else weights,
        n_jobs=n_jobs,
        limits=BinarizingLimits.of_fit(None, memory_limit),
        **parts,
    )
    binarizer.fit_raw(SampleTable(rows.select(roles.features), facts), target)
    _tell_of_limit(binarizer, target.limits)
    return binarizer


def _tell_of_limit(binarizer: Binarizer, limits: BinarizingLimits) -> None:
    """Warn if fewer questions were kept than there are, as a fit does."""
    if limits.stopped is None:
        return
    binarizer._stopped = limits.stopped
    why = stopped_text(
        limits.stopped, time_limit=None, memory_limit=limits.memory_limit, note=limits.note
    )
    warn(f"{why}. Try a higher {limits.stopped}, or ask about fewer columns.", LimitWarning)


def _is_binary(facts: ColumnFacts) -> bool:
    return (
        not facts.is_category
        and facts.is_binary
        and not facts.has_missing
        and facts.lowest <= facts.highest
    )


def _extremes(facts: Sequence[ColumnFacts], roles: Roles) -> DenseTable:
    """Return a table of 0/1 columns whose two rows show which of them are constant."""
    ends = np.array([[each.lowest for each in facts], [each.highest for each in facts]])
    return DenseTable(2, len(facts), list(roles.features), [ends.astype(np.uint8)])
