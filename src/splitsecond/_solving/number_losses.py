"""Losses of numbers: a leaf says the mean of its rows, or their rate.

What a leaf loses depends on three sums over its rows, which add up as the weights of classes do:
their weight N; S, weight times number; and Q, what the rows would need if each were a leaf of its
own. Numbers are taken about a `centre` and in units of a `scale`, so that sums neither overflow nor
cancel.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from splitsecond._solving.losses import Relative, Weights
from splitsecond._support.names import public

N_SUMS = 3
# What is left of a difference of two sums that are the same, as a share of them.
CANCELLED = 1e-14
# What rates lose, as a share of their events, that differ by no more than floats are off by.
SAME_RATES = 1e-24
OVERFLOW = 0.25  # times numbers whose differences are too large for a float
HIGHEST_POWER = 2.0**1023  # of two


@dataclass(frozen=True)
class OfNumbers(Relative):
    """What losses of numbers share."""

    is_of_numbers = True
    degree: ClassVar[int]  # of losses in numbers: twice the numbers lose 2**degree times as much

    centre: float = 0.0
    scale: float = 1.0  # a power of two
    offset: int | float = 0  # that was taken off integers which floats do not hold

    @classmethod
    @abstractmethod
    def fitted(
        cls,
        numbers: NDArray[np.float64],
        offset: int | float = 0,
        weights: NDArray[np.float64] | None = None,
    ) -> Self:
        """Return the loss with the centre and scale that suit some numbers, less an offset."""

    def sums(
        self, numbers: NDArray[np.float64], weights: NDArray[np.float64] | None
    ) -> list[NDArray[np.float64]]:
        """Return N, S and Q of single rows; nothing of those without weight."""
        if weights is not None and not weights.all():
            # Their numbers may be out of all proportion to the others, or impossible among them.
            numbers = np.where(weights > 0, numbers, self.centre)
        return self._sums(numbers, np.ones(len(numbers)) if weights is None else weights)

    @abstractmethod
    def _sums(
        self, numbers: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> list[NDArray[np.float64]]:
        """Return N, S and Q of single rows."""

    @abstractmethod
    def value(self, sums: Weights) -> NDArray[np.float64]:
        """Return what leaves say: the mean of their rows."""

    @property
    def loss_unit(self) -> float:
        """What a loss of 1 is for numbers as they were given; infinite beyond floats."""
        with np.errstate(over="ignore", under="ignore"):
            return float(np.float64(self.scale) ** self.degree)

    def unit_in(self, other: OfNumbers) -> float:
        """Return what a loss of 1 is for another loss of the same kind, which is never infinite."""
        with np.errstate(under="ignore"):
            return float(np.float64(self.scale / other.scale) ** self.degree)

    @abstractmethod
    def row_deviances(
        self, numbers: NDArray[np.float64], values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return what rows of weight 1 lose where leaves say these values, as the data has it."""

    def half_row(self, whole: Weights, row_weight: float) -> tuple[float, float]:
        """Return weight and S of what counts as well in a leaf that would make a row impossible.

        Given are the sums of all rows, and the weight of one.
        """
        return 0.0, 0.0

    def means(self, sums: Weights, half_row: tuple[float, float]) -> NDArray[np.float64]:
        """Return what leaves say, about the centre and in the scale; no row is impossible there."""
        means: NDArray[np.float64] = sums[..., 1] / np.where(sums[..., 0] > 0, sums[..., 0], 1)
        return means

    def total(self, weights: Weights) -> Any:
        """Return the weight of all rows in leaves."""
        return weights[..., 0]

    def said(self, weights: Weights, classes: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the value of each leaf, and that it is its own."""
        return self.value(weights), self.prediction(weights)

    def prediction(self, weights: Weights) -> NDArray[np.int64]:
        """Return the number of each leaf: its value is its own."""
        return np.arange(len(weights), dtype=np.int64)


@public
@dataclass(frozen=True)
class SquaredError(OfNumbers):
    """Squared distance from the mean of the leaf."""

    name = "squared_error"
    title = "squared error"
    degree = 2

    @classmethod
    def fitted(
        cls,
        numbers: NDArray[np.float64],
        offset: int | float = 0,
        weights: NDArray[np.float64] | None = None,
    ) -> Self:
        """Return the loss about the number that is nearest to the mean.

        Q is then at most twice the loss of all rows in one leaf, so that no digits are lost.
        """
        least = float(numbers.min())
        part = 1.0 if math.isfinite(float(numbers.max()) - least) else OVERFLOW
        # Above the least, so that a constant added to all of them changes nothing; and one of the
        # numbers themselves, so that differences of whole numbers are whole.
        above = numbers * part - least * part
        highest = float(above.max())
        unit = power_of_two(highest)  # in which sums do not overflow
        shares = None if weights is None else weights / weights.max()
        mean = unit * float(np.average(above / unit, weights=shares))
        nearest = int(np.argmin(np.abs(above - mean)))
        spread = max(highest - float(above[nearest]), float(above[nearest]))
        scale = min(power_of_two(spread) / part, HIGHEST_POWER)
        return cls(float(numbers[nearest]), scale, offset)

    def _sums(
        self, numbers: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> list[NDArray[np.float64]]:
        """Return N, S and Q = w y^2 of single rows."""
        apart = self._apart(numbers)
        return [weights, weights * apart, weights * apart**2]

    def loss(self, weights: Weights) -> Any:
        """Return Q - S^2 / N."""
        n, s, q = weights[..., 0], weights[..., 1], weights[..., 2]
        left = q - s * (s / np.where(n > 0, n, 1))
        return np.where(left > CANCELLED * q, left, 0.0)

    def value(self, sums: Weights) -> NDArray[np.float64]:
        """Return the mean."""
        n = np.where(sums[..., 0] > 0, sums[..., 0], 1)
        apart = sums[..., 1] / n
        with np.errstate(over="ignore"):
            mean: NDArray[np.float64] = self.centre + self.scale * apart
        if not np.isfinite(mean).all():  # too far from the centre for a float, though it is one
            mean = (self.centre * OVERFLOW + self.scale * OVERFLOW * apart) / OVERFLOW
        return mean + float(self.offset) if self.offset else mean

    def row_deviances(
        self, numbers: NDArray[np.float64], values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return squared distances."""
        with np.errstate(over="ignore"):
            distances: NDArray[np.float64] = (numbers - values) ** 2
        return distances

    def _apart(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return numbers about the centre; their difference may be too large for a float."""
        with np.errstate(over="ignore"):
            apart = numbers - self.centre
        if np.isfinite(apart).all():
            return apart / self.scale
        parts: NDArray[np.float64] = numbers / self.scale - self.centre / self.scale
        return parts


@public
@dataclass(frozen=True)
class Poisson(OfNumbers):
    """Poisson deviance from the rate of the leaf; weights are exposures, numbers events for 1."""

    name = "poisson"
    title = "Poisson deviance"
    degree = 1

    @classmethod
    def fitted(
        cls,
        numbers: NDArray[np.float64],
        offset: int | float = 0,
        weights: NDArray[np.float64] | None = None,
    ) -> Self:
        """Return the loss in units of about the largest rate, with the mean rate as its centre.

        Rates are not taken about it, but what single rows need is: so much more than with the mean
        rate that little cancels where rates are nearly equal.
        """
        scale = power_of_two(float(np.max(numbers)))
        shares = None if weights is None else weights / weights.max()
        return cls(scale * float(np.average(numbers / scale, weights=shares)), scale, offset)

    def _sums(
        self, numbers: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> list[NDArray[np.float64]]:
        """Return N, S and Q = 2 w (y ln(y / centre) - y + centre) of single rows."""
        rates = numbers / self.scale
        return [weights, weights * rates, weights * self._deviances(rates)]

    def loss(self, weights: Weights) -> Any:
        """Return Q less what the leaf's rate needs from the centre."""
        n, s, q = weights[..., 0], weights[..., 1], weights[..., 2]
        left = q - n * self._deviances(s / np.where(n > 0, n, 1))
        return np.where(left > np.maximum(CANCELLED * q, SAME_RATES * s), left, 0.0)

    def _deviances(self, rates: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return deviances of rates, in the scale, from the centre."""
        return self.row_deviances(rates, np.full(np.shape(rates), self.centre / self.scale))

    def value(self, sums: Weights) -> NDArray[np.float64]:
        """Return the rate."""
        n = np.where(sums[..., 0] > 0, sums[..., 0], 1)
        rate: NDArray[np.float64] = self.scale * (sums[..., 1] / n)
        return rate

    def half_row(self, whole: Weights, row_weight: float) -> tuple[float, float]:
        """Return half a row of the rate of all rows."""
        return row_weight / 2, row_weight / 2 * float(whole[1] / whole[0])

    def means(self, sums: Weights, half_row: tuple[float, float]) -> NDArray[np.float64]:
        """Return rates in the scale; a leaf without events has those of half a row."""
        weight, events = half_row
        rare = events / np.where(sums[..., 0] + weight > 0, sums[..., 0] + weight, 1)
        return np.where(sums[..., 1] > 0, super().means(sums, half_row), rare)

    def row_deviances(
        self, numbers: NDArray[np.float64], values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return 2 (y ln(y / rate) - y + rate); infinite for an event where the rate is 0."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            apart = (values - numbers) / numbers
            near = numbers * (apart - np.log1p(apart))  # where the difference would cancel
            far = numbers * np.log(numbers / values) - numbers + values
        halves = np.where(numbers > 0, np.where(np.abs(apart) < 0.5, near, far), values)
        deviances: NDArray[np.float64] = np.maximum(2 * halves, 0)
        return deviances


NUMBER_LOSSES: dict[str, type[OfNumbers]] = {loss.name: loss for loss in (SquaredError, Poisson)}


def power_of_two(size: float) -> float:
    """Return the lowest power of two that is no less than a size; 1 for 0."""
    if size <= 0 or not math.isfinite(size):
        return 1.0
    mantissa, exponent = math.frexp(size)
    exponent = exponent - 1 if mantissa == 0.5 else exponent
    return math.ldexp(1.0, min(exponent, 1023))
