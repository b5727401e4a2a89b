"""Columns as boosting sees them: a small number for each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._binarizers.cuts import MAX_CATEGORIES, asked_categories
from splitsecond._tables.columns import Kind, Variable
from splitsecond._tables.literals import Literal, threshold_between


@dataclass(frozen=True)
class Binned:
    """A variable as boosting sees it: a small number for each row."""

    column: int
    variable: Variable
    bins: NDArray[np.uint16]
    cuts: Any  # categories; or the lowest and the highest value of each bin
    n_values: int
    n_bins: int
    has_missing: bool

    @property
    def is_ordered(self) -> bool:
        """Whether its questions compare by order."""
        return self.variable.kind in (Kind.NUMBER, Kind.ORDERED)

    def core(self) -> _core.BinnedColumn:
        """Return the column as the core takes it."""
        return _core.BinnedColumn(
            self.bins,
            n_bins=self.n_bins,
            n_values=self.n_values,
            first=1 if self.variable.kind is Kind.BINARY else 0,
            ordered=self.is_ordered,
            ask_if_missing=self.has_missing,
        )

    def literal(self, bin_: int) -> Literal:
        """Return the question that the core calls by a bin."""
        if bin_ >= self.n_values:
            return Literal(self.column, self.variable.name, "is missing")
        if self.variable.kind is Kind.BINARY:
            return Literal(self.column, self.variable.name, "is 1")
        if self.variable.kind is Kind.CATEGORY:
            return Literal(self.column, self.variable.name, "==", self.cuts[bin_])
        lowest, highest = self.cuts
        low, high = float(highest[bin_]), float(lowest[bin_ + 1])
        ordered = self.variable.kind is Kind.ORDERED
        value = self.variable.categories[int(low)] if ordered else threshold_between(low, high)
        return Literal(self.column, self.variable.name, "<=", value)

    def answers(self, bin_: int, rows: slice) -> NDArray[np.bool_]:
        """Answer that question."""
        bins = self.bins[rows]
        yes: NDArray[np.bool_]
        yes = bins <= bin_ if self.is_ordered and bin_ < self.n_values else bins == bin_
        return yes


def bin_column(
    j: int,
    variable: Variable,
    values: NDArray[Any],
    weights: NDArray[np.float64] | None,
    max_bins: int,
) -> Binned:
    """Give the values of a column their bins."""
    if variable.kind is Kind.BINARY:
        missing = np.isnan(values)
        has_missing = bool(missing.any())
        bins = np.where(missing, 2, values).astype(np.uint16)
        return Binned(j, variable, bins, [], 2, 2 + has_missing, has_missing)
    if variable.kind is Kind.CATEGORY:
        counted = values >= 0
        n = len(variable.categories)
        shares: NDArray[Any] = np.bincount(
            values[counted], None if weights is None else weights[counted], n
        )
        asked = asked_categories(np.arange(n), shares, True, MAX_CATEGORIES)
        has_others, has_missing = len(asked) < n, not counted.all()
        bin_of = np.full(n + 1, len(asked), dtype=np.uint16)  # other categories
        bin_of[asked] = np.arange(len(asked))
        bin_of[n] = len(asked) + has_others  # missing values, which are -1
        cuts = [variable.categories[place] for place in asked]
        n_bins = len(asked) + has_others + has_missing
        return Binned(j, variable, bin_of[values], cuts, len(asked), n_bins, has_missing)
    numbers = values if variable.kind is Kind.NUMBER else np.where(values < 0, np.nan, values)
    bins, lowest, highest, has_missing = _core.bin(numbers, weights, max_bins)
    n = len(lowest)
    return Binned(j, variable, bins, (lowest, highest), n, n + has_missing, has_missing)
