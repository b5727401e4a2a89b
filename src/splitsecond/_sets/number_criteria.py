"""Additive criteria of trees that predict numbers, and what they are called.

What rows lose in a leaf depends on the number that it says and four sums over its rows (see
`NumberRows`): so a price for each of these, by leaf. What does not depend on the tree, such as the
sum of squares of the numbers, is a constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splitsecond._sets.catalogue import Catalogue
from splitsecond._sets.criteria import Criterion, RowPrices
from splitsecond._sets.number_rows import NumberRows
from splitsecond._sets.row_groups import Cells
from splitsecond._solving.number_losses import OfNumbers, Poisson

# The sums that prices are of: weight, weight times number, and both of rows below what a leaf says.
N_BLOCKS = 4


@dataclass(frozen=True)
class NumberSubject:
    """What is evaluated: the loss that trees were fitted for, and the rows."""

    loss: OfNumbers
    numbers: NumberRows
    weights: NDArray[np.float64]  # of the rows
    channels: NDArray[np.int32]  # the cell and kind of each row
    totals: NDArray[np.int64]  # [cells, kinds] weights of the rows
    cells: Cells
    row_weight: float  # of a training row, on average, in the core's units
    mean: float  # of all training rows, in the loss's numbers

    def summed(self, of_rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up by cell and kind, each row times its weight."""
        flat: NDArray[np.float64] = np.zeros(self.totals.size)
        np.add.at(flat, self.channels, self.weights * of_rows)
        return flat.reshape(self.totals.shape)


@dataclass(frozen=True, eq=False)
class NumberMetric(RowPrices):
    """What rows lose, and whether it is a share of what they lose about their own mean."""

    name: str
    subject: NumberSubject
    unit: Fraction  # what 1 is for numbers as they were given
    greater_is_better: bool = False
    is_share: bool = False  # of what is explained
    is_loss: bool = True  # never negative
    by: str = field(default="node", init=False)

    @property
    def values(self) -> NumberMetric:
        """What rows count for in a leaf, as other metrics have it."""
        return self

    @cached_property
    def constants(self) -> NDArray[np.float64]:
        """What is added whatever the tree, by cell and kind."""
        return np.zeros(self.subject.totals.shape)

    def _said(self, facts: NDArray[np.float64]) -> NDArray[np.float64]:
        said: NDArray[np.float64] = facts[:, 0] - self.subject.numbers.origin
        return said

    def _prices(
        self,
        weight: NDArray[np.float64],
        number: NDArray[np.float64] | float = 0.0,
        weight_below: NDArray[np.float64] | float = 0.0,
        number_below: NDArray[np.float64] | float = 0.0,
    ) -> NDArray[np.float64]:
        """Put prices together, for rows of all kinds; those of numbers are for numbers of 1."""
        numbers = self.subject.numbers
        prices = np.zeros((len(weight), N_BLOCKS, len(numbers.signs)))
        for place, block in ((0, weight), (2, weight_below)):
            prices[:, place, :] = np.reshape(block, (-1, 1))
        for place, block in ((1, number), (3, number_below)):
            prices[:, place, :] = np.reshape(block, (-1, 1)) * (numbers.step * numbers.signs)
        return prices

    # ---- criteria ------------------------------------------------------------------------------

    def on(self, name: str, cells: NDArray[np.bool_] | None) -> Criterion:
        """Return the mean over the rows of some cells, or of all."""
        totals = self.subject.totals
        inside = np.ones(len(totals), dtype=bool) if cells is None else cells
        whole = self._whole(inside) if self.is_share else float(totals[inside].sum())
        if not whole > 0:
            return Criterion(name, self, None, Fraction(1), False)
        factor = -1 / whole if self.is_share else 1 / whole
        return Criterion(
            name,
            self,
            np.where(inside[:, None], factor, np.zeros(totals.shape)),
            Fraction(1) if self.is_share else self.unit,
            is_whole=False,
            constant=factor * float(self.constants[inside].sum()) + (1 if self.is_share else 0),
            at_least=0.0 if self.is_loss and not self.is_share else -np.inf,
        )

    def difference(
        self, name: str, first: NDArray[np.bool_], second: NDArray[np.bool_]
    ) -> Criterion:
        """Return the mean over the rows of some cells minus that of others."""
        a, b = self.on(name, first), self.on(name, second)
        if a.multipliers is None or b.multipliers is None:
            return Criterion(name, self, None, Fraction(1), False, True)
        both = a.multipliers - b.multipliers
        constant = a.constant - b.constant
        return Criterion(name, self, both, a.scale, False, True, constant=constant)

    def _whole(self, cells: NDArray[np.bool_]) -> float:
        """Return what the rows of some cells lose about their own mean."""
        subject = self.subject
        n_kinds = subject.totals.shape[1]
        rows = cells[subject.channels // n_kinds] & (subject.weights > 0)
        numbers, weights = subject.numbers.apart[rows], subject.weights[rows]
        if len(numbers) == 0 or numbers.min() == numbers.max():
            return 0.0
        mean = np.full(len(numbers), np.average(numbers, weights=weights))
        return float(weights @ subject.loss.row_deviances(numbers, mean))


class SquaredErrors(NumberMetric):
    """Squared distance of a row from what the leaf says."""

    def of(self, labels: NDArray[np.int64], facts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return v^2 for the weight and -2 v for weight times number."""
        said = self._said(facts)
        return self._prices(said**2, -2 * said)

    @cached_property
    def constants(self) -> NDArray[np.float64]:
        """The squares of the numbers."""
        return self.subject.summed(self.subject.numbers.apart**2)


class AbsoluteErrors(NumberMetric):
    """Distance of a row from what the leaf says."""

    def of(self, labels: NDArray[np.int64], facts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return prices for y - v, and for twice v - y of the rows below v."""
        said = self._said(facts)
        return self._prices(-said, 1.0, 2 * said, -2.0)

    def least(self, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 0, or minus more than any distance: which rows are below a leaf is not known."""
        weight, number, _, _ = np.moveaxis(prices.reshape(len(prices), N_BLOCKS, -1), 1, 0)
        signs = self.subject.numbers.signs
        is_negative = number[0] * np.resize(signs, number.shape[1]) < 0
        bounds = np.zeros((N_BLOCKS, prices.shape[1] // N_BLOCKS))
        bounds[0] = np.where(is_negative, -np.abs(weight).max(axis=0), 0)
        bounds[1] = np.where(is_negative, -np.abs(number[0]), 0)
        return bounds.reshape(-1)


class Biases(NumberMetric):
    """What a leaf says minus the number of a row."""

    def of(self, labels: NDArray[np.int64], facts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return v for the weight."""
        return self._prices(self._said(facts))

    @cached_property
    def constants(self) -> NDArray[np.float64]:
        """Minus the numbers."""
        return -self.subject.summed(self.subject.numbers.apart)


class Deviances(NumberMetric):
    """Poisson deviance of a row from the rate of the leaf.

    In a leaf of rate 0, a single event would make it infinite. There, rows of events lose as if
    half an average training row were in the leaf, as for the log-loss of a class without rows.
    """

    def of(self, labels: NDArray[np.int64], facts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 2 (v - c) for the weight and -2 ln(v / c) for the events, about the mean rate c.

        Rows without events lose 2 v.
        """
        subject, mean = self.subject, self._mean
        rate = np.maximum(facts[:, 0], 0)
        half = 0.5 * mean / (facts[:, 1] / subject.row_weight + 0.5)
        of_events = np.where(rate > 0, rate, half)
        prices = np.zeros((len(rate), N_BLOCKS, 2))
        prices[:, 0, 0] = 2 * rate
        prices[:, 0, 1] = 2 * (of_events - mean)
        prices[:, 1, 1] = -2 * subject.numbers.step * _log_ratio(of_events, mean)
        return prices

    @cached_property
    def constants(self) -> NDArray[np.float64]:
        """What rows with events lose where leaves say the mean rate."""
        y = self.subject.numbers.apart
        lost = self.subject.loss.row_deviances(y, np.full(len(y), self._mean))
        return self.subject.summed(np.where(y > 0, lost, 0))

    @property
    def _mean(self) -> float:
        if self.subject.mean > 0:
            return self.subject.mean
        # No training row has an event: then those of the rows at hand, if any has one.
        subject = self.subject
        return float(np.average(subject.numbers.apart, weights=subject.weights)) or 1.0


def _log_ratio(rates: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Return ln(rate / mean), with all its digits also where they are nearly equal."""
    apart = (rates - mean) / mean
    near = np.abs(apart) < 0.5
    return np.where(near, np.log1p(np.where(near, apart, 0)), np.log(rates / mean))


class NumberCatalogue(Catalogue):
    """The criteria of trees that predict numbers."""

    def __init__(self, subject: NumberSubject) -> None:
        super().__init__(subject, _metrics(subject))

    def _average(
        self, name: str, metric: NumberMetric, cells: NDArray[np.bool_] | None
    ) -> Criterion:
        return metric.on(name, cells)

    def _difference(
        self, name: str, metric: NumberMetric, a: NDArray[np.bool_], b: NDArray[np.bool_]
    ) -> Criterion:
        return metric.difference(name, a, b)


def _metrics(subject: NumberSubject) -> Iterator[NumberMetric]:
    scale = Fraction(subject.loss.scale)
    if isinstance(subject.loss, Poisson):
        yield Deviances("poisson_deviance", subject, scale)
        yield Deviances("d2", subject, Fraction(1), greater_is_better=True, is_share=True)
    yield SquaredErrors("squared_error", subject, scale**2)
    if not isinstance(subject.loss, Poisson):
        yield SquaredErrors("r2", subject, Fraction(1), greater_is_better=True, is_share=True)
    yield AbsoluteErrors("absolute_error", subject, scale)
    yield Biases("bias", subject, scale, is_loss=False)
