"""What the rows of a count table's entries weigh, and what that is for a fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._counts.weighing import integers_of_kinds
from splitsecond._support.names import public
from splitsecond._tables.merged import Merged
from splitsecond._tables.weights import MAX_WEIGHT, all_zero, class_shares, rounded


@public
@dataclass(frozen=True)
class EntryWeights:
    """Weights of entries: of one row, where there are few kinds; otherwise of all, in integers."""

    each: NDArray[np.float64] | None = None  # of a row of each entry, or
    units: NDArray[np.int64] | None = None  # of all rows of each entry
    unit: float = 1.0  # one of these, in the user's weights
    is_whole: bool = False  # units are exact, not rounded

    def of_rows(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what the rows of each entry weigh, in the user's weights."""
        if self.each is not None:
            total: NDArray[np.float64] = self.each * rows
            return total
        assert self.units is not None
        return np.asarray(self.units * self.unit, dtype=np.float64)

    def take(self, places: Any) -> EntryWeights:
        """Return the weights of some entries."""
        return replace(
            self,
            each=None if self.each is None else self.each[places],
            units=None if self.units is None else self.units[places],
        )

    def shared(self, rows: NDArray[np.int64]) -> EntryWeights:
        """Return the weights of single rows, of which any number may be taken."""
        if self.each is not None:
            return self
        assert self.units is not None
        # Which of the rows they are is not known: they weigh what all do on average.
        return EntryWeights(each=self.units * self.unit / np.maximum(rows, 1))


def merged_rows(
    rows: NDArray[np.int64],
    weights: EntryWeights | None,
    n_rows: int,
    *,
    codes: NDArray[np.int32],
    classes: NDArray[Any] | None,
    class_weight: Mapping[Any, float] | str | None = None,
) -> Merged:
    """Return what entries count as in a fit, by `as_integers` of all their rows.

    For numbers there are no classes, and it is `as_large_integers`.
    """
    total = rows.astype(np.float64) if weights is None else weights.of_rows(rows)
    shares = None
    if class_weight is not None:
        assert classes is not None
        of_class = np.bincount(codes, total, len(classes))
        shares = class_shares(classes, of_class, class_weight)[codes]
        total = total * shares
        if not total.any():
            raise all_zero()
    _check_countable(int(rows.sum()), "rows")
    integers = _integers(rows, weights, shares, n_rows, large=classes is None)
    if classes is not None:
        _check_countable(int(integers.sum()), "rows, as they are weighed")
    is_weighted = weights is not None or shares is not None
    present = np.where(integers > 0, rows, 0)
    return Merged(present, integers, n_rows, float(total.sum()), is_weighted)


def _check_countable(count: int, what: str) -> None:
    """Refuse what the core's integers of 32 bits would not hold."""
    if count > MAX_WEIGHT:
        raise ValueError(
            f"The count table holds {count:,} {what}: at most {MAX_WEIGHT:,} can be counted. "
            "Compress a part of them."
        )


def _integers(
    rows: NDArray[np.int64],
    weights: EntryWeights | None,
    shares: NDArray[np.float64] | None,
    n_rows: int,
    *,
    large: bool,
) -> NDArray[np.int64]:
    if weights is not None and weights.units is not None:
        return weights.units if shares is None else _multiplied(weights, shares)
    if weights is None and shares is None:
        return rows
    each = np.ones(len(rows)) if weights is None or weights.each is None else weights.each
    each = each if shares is None else each * shares
    is_less = int(rows.sum()) < n_rows
    return integers_of_kinds(each, rows, with_zero=is_less, large=large) * rows


def _multiplied(weights: EntryWeights, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Multiply integers by class weights: exactly, where the weights and these are whole."""
    units = weights.units
    assert units is not None
    if weights.is_whole:
        one = shares * weights.unit
        each = integers_of_kinds(one, units, with_zero=False, large=False)
        exact = each * units
        if int(exact.sum()) <= MAX_WEIGHT and _is_proportional(each, one):
            return exact
    products = units * shares
    highest = float(products.max())
    return rounded(products / highest, float((products / highest).sum())).astype(np.int64)


def _is_proportional(whole: NDArray[np.int64], wanted: NDArray[np.float64]) -> bool:
    present = wanted > 0
    factors = whole[present] / wanted[present]
    return bool(factors.max() <= factors.min() * (1 + 1e-12))
