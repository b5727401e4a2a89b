"""What a leaf costs and what it says, given the training weight of each class in it.

The core has the same rules (core/losses); here they are for what it has found. Losses of zero_one
and costs are exact; those of brier and log_loss are floats, which searches compare in whole units
of the root's loss (`Problem`). Losses of numbers are in number_losses.py.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from splitsecond._support.names import public

Weights = NDArray[Any]  # of each class, on the last axis; for numbers, the sums of their loss

# Sums of floats that differ by less, as a share of the weights they are made of, are a tie.
ROUNDING = 1e-12


class Loss(ABC):
    """A loss of leaves; weights may be those of many leaves at once."""

    name: ClassVar[str]
    title: ClassVar[str]  # in prose
    is_exact: ClassVar[bool]  # losses are exact numbers; otherwise they are shares of the root's
    is_of_numbers: ClassVar[bool] = False  # leaves say a number of their own, not a label

    @abstractmethod
    def loss(self, weights: Weights) -> Any:
        """Return what leaves lose, in weight times the loss of a row."""

    def total(self, weights: Weights) -> Any:
        """Return the weight of all rows in leaves."""
        return weights.sum(axis=-1)

    def row_losses(self, weights: Weights) -> NDArray[Any]:
        """Return what a row of weight 1 loses in such leaves, by its class (the last axis)."""
        raise NotImplementedError

    def said(self, weights: Weights, classes: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return labels, and the number of the label that each leaf says."""
        return self.labels(classes), self.prediction(weights)

    def prediction(self, weights: Weights) -> NDArray[np.int64]:
        """Return the number of the label that leaves predict: the majority class, the first."""
        chosen: NDArray[np.int64] = np.argmax(weights, axis=-1)
        return chosen

    def labels(self, classes: NDArray[Any]) -> NDArray[Any]:
        """Return what numbers of predictions stand for."""
        return classes

    @abstractmethod
    def relative(self, leaves: Weights, whole: Weights) -> Fraction:
        """Return the loss of a tree as its objective counts it, given its leaves and the root.

        That is loss / W for exact losses (weights must be whole numbers), otherwise loss /
        loss(root), of which no less than nothing is left where the root loses nothing.
        """


class Relative(Loss):
    """Losses are real numbers, relative to that of the root."""

    is_exact = False

    def relative(self, leaves: Weights, whole: Weights) -> Fraction:
        """Return the part of the root's loss that is left."""
        root = float(self.loss(whole))
        if root == 0:
            return Fraction(0)
        return Fraction(math.fsum(np.atleast_1d(self.loss(leaves)).tolist()) / root)


@public
@dataclass(frozen=True)
class ZeroOne(Loss):
    """Misclassified weight: a leaf predicts the majority class, of several the first."""

    name = "zero_one"
    title = "error"
    is_exact = True

    def correct(self, weights: Weights) -> Any:
        """Return the weight of the majority class."""
        return weights.max(axis=-1)

    def loss(self, weights: Weights) -> Any:
        """Return the weight of all other classes."""
        return weights.sum(axis=-1) - self.correct(weights)

    def row_losses(self, weights: Weights) -> NDArray[Any]:
        """Return 0 for the majority class and 1 for the others."""
        classes = np.arange(weights.shape[-1])
        wrong: NDArray[Any] = classes != self.prediction(weights)[..., None]
        return wrong.astype(np.int64)

    def relative(self, leaves: Weights, whole: Weights) -> Fraction:
        """Return the share of the weight that is misclassified."""
        return Fraction(int(self.loss(leaves).sum()), int(whole.sum()))


@public
@dataclass(frozen=True)
class Costs(Loss):
    """Costs of actions: a leaf says the action that costs least there, of several the first.

    Attributes
    ----------
    table : tuple of tuple of Fraction
        For each action, what a row of each class costs.
    actions : tuple
        The actions' labels.
    """

    name = "costs"
    title = "mean cost"
    is_exact = True
    table: tuple[tuple[Fraction, ...], ...]
    actions: tuple[Any, ...]

    @cached_property
    def unit(self) -> Fraction:
        """The largest number that all costs are multiples of."""
        costs = [cost for row in self.table for cost in row if cost]
        if not costs:
            return Fraction(1)
        numerator = math.gcd(*(cost.numerator for cost in costs))
        return Fraction(numerator, math.lcm(*(cost.denominator for cost in costs)))

    @cached_property
    def integers(self) -> NDArray[Any]:
        """Costs in that unit, [actions, classes]; Python's integers where 64 bits are too few."""
        whole = [[int(cost / self.unit) for cost in row] for row in self.table]
        largest = max(max(row) for row in whole)
        return np.array(whole, dtype=np.int64 if largest < 2**62 else object)

    def action_units(self, weights: Weights) -> NDArray[Any]:
        """Return what each action costs in leaves (the last axis), in units of `unit`."""
        # Exact where weights are whole numbers; in 64 bits, as all that a fit counts is.
        largest = float(np.max(weights, initial=0)) * weights.shape[-1] * int(self.integers.max())
        exact = _whole(weights) if largest < 2**62 else weights
        with np.errstate(over="ignore"):  # a file may hold weights near the largest float
            costs: NDArray[Any] = exact @ self.integers.T
        return costs

    def loss(self, weights: Weights) -> Any:
        """Return the cost of the cheapest action."""
        return self.action_units(weights).min(axis=-1) * float(self.unit)

    def row_losses(self, weights: Weights) -> NDArray[Any]:
        """Return what the action that a leaf says costs for each class, in units of `unit`."""
        costs: NDArray[Any] = self.integers[self.prediction(weights)]
        return costs

    def prediction(self, weights: Weights) -> NDArray[np.int64]:
        """Return the number of the cheapest action."""
        costs = self.action_units(weights)
        least = costs.min(axis=-1, keepdims=True)
        if costs.dtype.kind == "f":  # weights that are no whole numbers, whose products are rounded
            least = least * (1 + ROUNDING)
        chosen: NDArray[np.int64] = np.argmax(costs <= least, axis=-1)
        return chosen

    def labels(self, classes: NDArray[Any]) -> NDArray[Any]:
        """Return the actions, in the type of the classes where they all are classes."""
        known = classes.tolist()
        if all(action in known for action in self.actions):
            same: NDArray[Any] = classes[[known.index(action) for action in self.actions]]
            return same
        if all(isinstance(action, str) for action in self.actions):
            return np.array(self.actions)
        out = np.empty(len(self.actions), dtype=object)
        for place, action in enumerate(self.actions):  # which may be a tuple
            out[place] = action
        return out

    def relative(self, leaves: Weights, whole: Weights) -> Fraction:
        """Return the cost of a row, on average."""
        units = self.action_units(leaves).min(axis=-1).sum()
        return Fraction(int(units), int(whole.sum())) * self.unit


@public
@dataclass(frozen=True)
class Brier(Relative):
    """Squared error of the shares that a leaf says, summed over classes (the Gini index)."""

    name = "brier"
    title = "Brier score"

    def loss(self, weights: Weights) -> Any:
        """Return N - sum of W_c^2 / N, of terms that are not negative."""
        whole = np.asarray(weights, dtype=np.float64)
        total = whole.sum(axis=-1, keepdims=True)
        others = (total - whole) / np.where(total > 0, total, 1)
        return (whole * others).sum(axis=-1)

    def row_losses(self, weights: Weights) -> NDArray[Any]:
        """Return the squared distance of the shares from the class."""
        shares = _shares(weights)
        squares: NDArray[Any] = (shares**2).sum(axis=-1, keepdims=True)
        return squares - 2 * shares + 1


@public
@dataclass(frozen=True)
class LogLoss(Relative):
    """Negative log-likelihood of the shares that a leaf says, in natural logarithms (entropy)."""

    name = "log_loss"
    title = "log-loss"

    def loss(self, weights: Weights) -> Any:
        """Return - sum of W_c ln(W_c / N)."""
        whole = np.asarray(weights, dtype=np.float64)
        return (whole * np.where(whole > 0, self.row_losses(whole), 0)).sum(axis=-1)

    def row_losses(self, weights: Weights) -> NDArray[Any]:
        """Return - ln of the shares; infinite for a class that is not there."""
        whole = np.asarray(weights, dtype=np.float64)
        total = whole.sum(axis=-1, keepdims=True)
        others = (total - whole) / np.where(total > 0, total, 1)
        with np.errstate(divide="ignore"):
            # Precise both for shares near 0 and near 1.
            far = -np.log(np.where(total > 0, whole / np.where(total > 0, total, 1), 1))
            near = -np.log1p(-np.minimum(others, 0.5))
        return np.where(others < 0.5, near, far)


ZERO_ONE = ZeroOne()
BRIER = Brier()
LOG_LOSS = LogLoss()
NAMED: dict[str, Loss] = {loss.name: loss for loss in (ZERO_ONE, LOG_LOSS, BRIER)}


def _whole(weights: Weights) -> Weights:
    """Return floats that are whole numbers as integers, so that sums of products are exact."""
    if weights.dtype.kind != "f":
        return weights
    is_whole = bool((weights == np.rint(weights)).all())
    return weights.astype(np.int64) if is_whole else weights


def _shares(weights: Weights) -> NDArray[np.float64]:
    whole = np.asarray(weights, dtype=np.float64)
    total = whole.sum(axis=-1, keepdims=True)
    shares: NDArray[np.float64] = whole / np.where(total > 0, total, 1)
    return shares
