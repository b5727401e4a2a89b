"""What thresholds are guessed for: the classes or the numbers of the rows that are used."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._binarizers.binning import Binned
from splitsecond._solving.losses import ZERO_ONE, Loss
from splitsecond._tables.numbers import POISSON

Weights = NDArray[np.float64] | None


class Guessed(ABC):
    """A target as boosting and elimination see it."""

    weights: Weights
    n_outputs: int  # that a linear fit predicts

    @property
    @abstractmethod
    def is_constant(self) -> bool:
        """Whether there is nothing to guess."""

    @abstractmethod
    def boost(self, columns: list[Binned], **options: Any) -> _core.Questions:
        """Return the questions that boosted trees ask."""

    @abstractmethod
    def outputs(self, rows: slice, dtype: Any) -> NDArray[Any]:
        """Return what a linear fit predicts for some rows, [row, output]."""

    @abstractmethod
    def total(self, sums: NDArray[np.float64]) -> float:
        """Return the weight of all rows, given the weighted sums of the outputs."""

    @abstractmethod
    def losses(
        self, means: NDArray[np.float64], yes: NDArray[np.float64], everything: NDArray[np.float64]
    ) -> Any:
        """Return what the two leaves of each question lose.

        Given the share of the weight that answers yes, the mean outputs summed over that share,
        [question, output], and those of all rows.
        """


@dataclass(frozen=True)
class GuessedClasses(Guessed):
    """Classes: an output for each says whether a row is of it."""

    codes: NDArray[np.int32]
    n_outputs: int
    weights: Weights
    loss: Loss

    @property
    def is_constant(self) -> bool:
        """Whether there is one class only."""
        return self.n_outputs < 2

    def boost(self, columns: list[Binned], **options: Any) -> _core.Questions:
        """Boost the logistic loss."""
        core = [column.core() for column in columns]
        return _core.guess(core, self.codes, self.n_outputs, self.weights, **options)

    def outputs(self, rows: slice, dtype: Any) -> NDArray[Any]:
        """Return 1 for the class of a row."""
        classes: NDArray[Any] = np.eye(self.n_outputs, dtype=dtype)[self.codes[rows]]
        return classes

    def total(self, sums: NDArray[np.float64]) -> float:
        """Return the weight of all classes."""
        return float(sums.sum())

    def losses(
        self, means: NDArray[np.float64], yes: NDArray[np.float64], everything: NDArray[np.float64]
    ) -> Any:
        """Return them given the shares of the classes."""
        no = everything - yes
        if self.loss == ZERO_ONE:
            return 1 - ZERO_ONE.correct(yes) - ZERO_ONE.correct(no)
        # A share that should be 0 is a difference of two sums, which may be a little less.
        return self.loss.loss(np.maximum(yes, 0)) + self.loss.loss(np.maximum(no, 0))


class GuessedNumbers(Guessed):
    """Numbers, standardized, so that neither their scale nor their offset matters."""

    n_outputs = 1

    def __init__(self, numbers: NDArray[np.float64], weights: Weights, loss: str) -> None:
        self.weights = weights
        self.loss = loss
        standardize = _relative_rates if loss == POISSON else _standardized
        self.values = standardize(numbers, weights)

    @property
    def is_constant(self) -> bool:
        """Whether there is one number only."""
        return bool(self.values.min() == self.values.max())

    def boost(self, columns: list[Binned], **options: Any) -> _core.Questions:
        """Boost the loss."""
        core = [column.core() for column in columns]
        return _core.guess_numbers(core, self.values, self.loss, self.weights, **options)

    def outputs(self, rows: slice, dtype: Any) -> NDArray[Any]:
        """Return the numbers, in 64 bits whatever the answers have."""
        return self.values[rows, None]

    def total(self, sums: NDArray[np.float64]) -> float:
        """Return the weight of all rows."""
        return float(len(self.values) if self.weights is None else self.weights.sum())

    def losses(
        self, means: NDArray[np.float64], yes: NDArray[np.float64], everything: NDArray[np.float64]
    ) -> Any:
        """Return them less what depends on the rows alone."""
        leaf = _poisson_loss if self.loss == POISSON else _squared_loss
        return leaf(means, yes[:, 0]) + leaf(1 - means, everything[0] - yes[:, 0])


def _squared_loss(n: NDArray[np.float64], s: NDArray[np.float64]) -> NDArray[np.float64]:
    return -np.divide(s**2, n, out=np.zeros_like(s), where=n > 0)


def _poisson_loss(n: NDArray[np.float64], s: NDArray[np.float64]) -> NDArray[np.float64]:
    some = (n > 0) & (s > 0)
    rate = np.divide(s, n, out=np.ones_like(s), where=some)
    return np.where(some, -s * np.log(rate), 0)


def _standardized(numbers: NDArray[np.float64], weights: Weights) -> NDArray[np.float64]:
    """Return numbers with a mean of 0 and a spread of 1/2 to 1.

    They depend on the differences of the given ones alone, and are scaled by powers of two: where
    a constant is added without rounding, or y is scaled so, they stay the same bit for bit.
    """
    scaled = _within_one(numbers)
    above = scaled - scaled.min()
    shares = _shares(len(numbers), weights)
    centred = above - shares @ above
    if not above.any():
        return np.zeros_like(above)
    spread = np.sqrt(shares @ centred**2)
    standardized: NDArray[np.float64] = np.ldexp(centred, -np.frexp(spread)[1])
    return standardized


def _relative_rates(rates: NDArray[np.float64], exposures: Weights) -> NDArray[np.float64]:
    """Return rates as multiples of their mean; zeros where they all are."""
    scaled = _within_one(rates)
    mean = float(_shares(len(rates), exposures) @ scaled)
    return scaled / mean if mean > 0 else np.zeros_like(scaled)


def _within_one(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers times the power of two that makes the largest one half to one."""
    scaled: NDArray[np.float64] = np.ldexp(numbers, -np.frexp(np.abs(numbers).max())[1])
    return scaled


def _shares(n_rows: int, weights: Weights) -> NDArray[np.float64]:
    if weights is None:
        return np.full(n_rows, 1 / n_rows)
    relative = weights / weights.max()  # the sum of weights may be infinite
    shares: NDArray[np.float64] = relative / relative.sum()
    return shares
