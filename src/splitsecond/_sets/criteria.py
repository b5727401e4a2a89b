"""Additive criteria of trees on given rows: a sum over leaves, so exact over a whole set.

A *metric* says what a row of each class counts for in a leaf, and over which rows that is averaged:
all of them, or those of some class. A *criterion* is a metric on a group of rows, or the difference
of two groups. Its value for a tree is a sum over leaves and rows of whole numbers (prices), divided
by one common denominator: exact, and rounded once. Trees that predict numbers have metrics of their
own (number_criteria.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from splitsecond._importance.reliance import row_losses
from splitsecond._solving.losses import Loss

EXACT = 2**53  # whole numbers below it are floats
# What is left of a difference of two sums that are the same, as a share of them.
CANCELLED = 1e-14


@dataclass(frozen=True)
class Leaves:
    """Leaves of some trees: what each says, and the rows that are evaluated in it."""

    labels: NDArray[np.int64]  # what a leaf predicts
    # Training weight of each class in it, in the core's units; or `TreeSource.facts` of numbers.
    counts: NDArray[Any]
    weights: NDArray[np.float64]  # [leaves, channels] of the rows that are evaluated
    begins: NDArray[np.int64]  # the first leaf of each tree

    @property
    def tree_of(self) -> NDArray[np.int64]:
        """The tree that each leaf is of."""
        is_first = np.zeros(len(self.labels), dtype=np.int64)
        is_first[self.begins[1:]] = 1
        return np.cumsum(is_first)

    def sums(self, of_leaves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up by tree."""
        summed: NDArray[np.float64] = np.add.reduceat(of_leaves, self.begins)
        return summed


# ---- what a row counts for in a leaf -----------------------------------------------------------


class RowPrices:
    """What rows count for in leaves."""

    by: str  # "label" or "node"

    def of(self, labels: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return what rows of each class count for in leaves: [leaves, classes].

        For numbers, [leaves, sums, kinds].
        """
        raise NotImplementedError

    def least(self, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return prices by channel that no leaf is below, whatever rows it has."""
        return np.ascontiguousarray(prices.min(axis=0))


@dataclass(frozen=True)
class ByLabel(RowPrices):
    """It depends on what the leaf predicts: whole numbers by label and class."""

    table: NDArray[np.int64]
    by: str = field(default="label", init=False)

    def of(self, labels: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return what rows of each class count for in leaves."""
        values: NDArray[np.float64] = self.table[labels].astype(np.float64)
        return values

    @property
    def largest(self) -> int:
        """The largest of the numbers."""
        return int(np.abs(self.table).max(initial=0))


@dataclass(frozen=True)
class ByShares(RowPrices):
    """It depends on the class shares that the leaf says, as for log-loss and the Brier score."""

    loss: Loss
    row_weight: float  # of a training row, on average, in the core's units
    by: str = field(default="node", init=False)

    def of(self, labels: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return what rows of each class count for in leaves."""
        losses = row_losses(self.loss, counts, self.row_weight)
        assert losses is not None  # which it is for errors alone
        return losses.reshape(counts.shape)


class AnyMetric(Protocol):
    """What a criterion has to know of its metric."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def values(self) -> RowPrices:
        """What rows count for in leaves."""

    @property
    def greater_is_better(self) -> bool:
        """Whether more is better."""


@dataclass(frozen=True)
class Metric:
    """What rows count for, and the rows over which that is averaged."""

    name: str
    values: RowPrices
    # Classes whose rows make an average; of several averages, the mean of those that have rows.
    parts: tuple[NDArray[np.bool_], ...]
    unit: Fraction = Fraction(1)
    greater_is_better: bool = False

    def coefficients(self, totals: NDArray[np.int64]) -> list[list[Fraction]] | None:
        """Return what a weight of 1 in a cell and class adds; None: there are no rows for it.

        Given are the weights of the rows by cell and class.
        """
        weights = [int(totals[:, part].sum()) for part in self.parts]
        some = [(part, weight) for part, weight in zip(self.parts, weights, strict=True) if weight]
        if not some:
            return None
        of_class = [Fraction(0)] * totals.shape[1]
        for part, weight in some:
            for place in np.flatnonzero(part):
                of_class[place] += Fraction(1, weight * len(some))
        return [of_class] * len(totals)


# ---- criteria ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Criterion:
    """An additive criterion: prices, and what their sum is multiplied by."""

    name: str
    metric: AnyMetric
    multipliers: NDArray[np.float64] | None  # [cells, classes]; None: it is not defined
    scale: Fraction
    is_whole: bool  # sums are whole numbers, all of which are floats
    is_difference: bool = False
    constant: float = 0.0  # that sums begin with
    at_least: float = -math.inf  # what is below it is so by rounding

    @property
    def greater_is_better(self) -> bool:
        """Whether the best tree has the maximum; a difference has no better end."""
        return self.metric.greater_is_better and not self.is_difference

    @property
    def by(self) -> str:
        """Whether prices are by "label" or by "node"."""
        return self.metric.values.by

    @property
    def is_defined(self) -> bool:
        """Whether there are rows that it is about."""
        return self.multipliers is not None

    def prices(self, labels: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return what a weight of 1 in each channel costs in leaves."""
        assert self.multipliers is not None
        values = self.metric.values.of(labels, counts)
        prices = values[..., None, :] * self.multipliers
        return np.ascontiguousarray(prices.reshape(len(values), -1))

    def raw_of(self, leaves: Leaves) -> NDArray[np.float64]:
        """Return the sums of trees, not yet scaled."""
        prices = self.prices(leaves.labels, leaves.counts)
        return leaves.sums((prices * leaves.weights).sum(axis=1))

    def of_leaves(self, leaves: Leaves) -> NDArray[np.float64]:
        """Return the values of trees."""
        if not self.is_defined:
            return np.full(len(leaves.begins), np.nan)
        raw = self.raw_of(leaves)
        numerator, denominator = self.scale.as_integer_ratio()
        if self.is_whole and max(np.abs(raw).max() * numerator, denominator) < EXACT:
            return raw * numerator / denominator + 0.0  # rounded once, as by `value`
        return np.array([self.value(each) for each in raw.tolist()])

    def value(self, raw: float) -> float:
        """Return the value of a sum."""
        if not math.isfinite(raw):
            return raw
        exact = Fraction(raw) + Fraction(self.constant)
        if abs(exact) < CANCELLED * abs(self.constant):
            exact = Fraction(0)
        # A sum without the sign of zero, which would be printed.
        return max(_rounded(exact * self.scale), self.at_least) + 0.0

    def highest_raw(self, bound: float, *, negated: bool = False) -> float:
        """Return the highest sum whose value is at most a bound, as floats compare.

        ``negated``: of sums and values with their signs turned.
        """
        if not math.isfinite(bound):
            return bound
        exact = Fraction(bound) / self.scale
        if not self.is_whole:  # sums in another order differ in the last digits
            begun = -self.constant if negated else self.constant
            size = abs(self.constant) if self.constant else 1 / _rounded(self.scale)
            slack = 1e-9 * max(abs(_rounded(exact)), 1e-3 * size)
            return _rounded(exact - Fraction(begun)) + slack
        whole = math.floor(exact)
        return float(whole + 1 if self.value(whole + 1) <= bound else whole)


def _rounded(number: Fraction) -> float:
    """Return a float; infinite if it is beyond them."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def overall(metric: Metric, totals: NDArray[np.int64]) -> Criterion:
    """Return a metric of all rows."""
    return _criterion(metric.name, metric, metric.coefficients(totals), totals)


def of_group(
    name: str, metric: Metric, totals: NDArray[np.int64], cells: NDArray[np.bool_]
) -> Criterion:
    """Return a metric of the rows of some cells."""
    return _criterion(name, metric, _within(metric, totals, cells), totals)


def difference(
    name: str,
    metric: Metric,
    totals: NDArray[np.int64],
    first: NDArray[np.bool_],
    second: NDArray[np.bool_],
) -> Criterion:
    """Return a metric of the rows of some cells minus that of others."""
    a, b = _within(metric, totals, first), _within(metric, totals, second)
    both = None
    if a is not None and b is not None:
        both = [
            [x - y for x, y in zip(one, other, strict=True)]
            for one, other in zip(a, b, strict=True)
        ]
    return _criterion(name, metric, both, totals, is_difference=True)


def _within(
    metric: Metric, totals: NDArray[np.int64], cells: NDArray[np.bool_]
) -> list[list[Fraction]] | None:
    own = metric.coefficients(totals[cells])
    if own is None:
        return None
    nothing = [Fraction(0)] * totals.shape[1]
    return [own[0] if inside else nothing for inside in cells.tolist()]


def _criterion(
    name: str,
    metric: Metric,
    coefficients: Sequence[Sequence[Fraction]] | None,
    totals: NDArray[np.int64],
    *,
    is_difference: bool = False,
) -> Criterion:
    if coefficients is None:
        return Criterion(name, metric, None, Fraction(1), True, is_difference)
    flat = [each for row in coefficients for each in row]
    common = math.lcm(*(each.denominator for each in flat))
    numerators = [int(each * common) for each in flat]
    shape = (len(coefficients), -1)
    values = metric.values
    if isinstance(values, ByLabel):
        weights = totals.reshape(-1).tolist()
        largest = sum(abs(n) * w for n, w in zip(numerators, weights, strict=True))
        if largest * values.largest < EXACT:
            whole = np.array(numerators, dtype=np.float64).reshape(shape)
            return Criterion(name, metric, whole, metric.unit / common, True, is_difference)
    floats = np.array([float(each) for each in flat]).reshape(shape)
    return Criterion(name, metric, floats, metric.unit, False, is_difference)
