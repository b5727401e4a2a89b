"""The whole numbers that the core counts losses in, and how they relate to objectives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._solving.exact import leaf_price, within_bound
from splitsecond._solving.losses import ZERO_ONE, Costs, Loss
from splitsecond._solving.number_losses import OfNumbers
from splitsecond._support.names import public

TREE_BITS = 40  # losses that are real numbers are counted in 2**-40 of the root's,
SET_BITS = 16  # and in sets in 2**-16 of it: histograms of costs stay short
COST_BITS = 60  # of the cost of a tree, so that sums and differences of two are within 64


@public
@dataclass(frozen=True)
class Channels:
    """How numbers stand in the channels that the core counts (encoding.py)."""

    limb_bits: int
    offset: float  # what one of the second channel is worth
    magnitude: float  # of what losses are differences of
    max_rate: float
    centre: float  # a mean that others are measured from, in ones of S
    grid: float  # what one of S is worth, in the loss's numbers (about its centre, in its scale)
    shift: float  # what was added to these
    bias: int  # by how many units the core counts more than a tree loses
    resolution: float  # by how much the grid may change the loss of a tree, as a part of the root's

    def core_parts(self) -> dict[str, float]:
        """Return what the core has to know of them, the arguments of `_core.Sums`."""
        return {
            "limb": 2.0**self.limb_bits,
            "offset": self.offset,
            "magnitude": self.magnitude,
            "max_rate": self.max_rate,
            "centre": self.centre,
        }

    def means(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return the means of leaves by their channels, in the loss's numbers."""
        sums = np.zeros(counts.shape[:-1])
        for limb in range(counts.shape[-1] - 1, 1, -1):
            sums = sums * 2.0**self.limb_bits + counts[..., limb]
        means: NDArray[np.float64] = sums / np.maximum(counts[..., 0], 1) * self.grid - self.shift
        return means


@public
@dataclass(frozen=True)
class Units:
    """Losses in whole numbers: exact for zero_one and costs, rounded for the others."""

    loss: Loss
    whole: Fraction  # as many units as add 1 to the objective
    max_loss: int  # no tree loses more
    bits: int = 0  # of rounded losses: the root loses 2**bits
    scale: float = 1.0  # units in a loss of 1, if they are rounded
    leaf_rounding: float = 0.5  # by how many units a leaf's loss may be off, if they are rounded
    channels: Channels | None = None  # of numbers

    @classmethod
    def of_errors(cls, weight: int) -> Units:
        """Return the units of misclassified weight; no tree gets every row wrong."""
        return cls(ZERO_ONE, Fraction(weight), weight - 1)

    @classmethod
    def of(cls, loss: Loss, totals: NDArray[np.int64], *, bits: int, max_leaves: int) -> Units:
        """Return the units for all rows, given the weight of each class in whole numbers."""
        weight = int(totals.sum())
        if isinstance(loss, Costs):
            return cls(loss, weight / loss.unit, min(_sums(loss, totals)))
        if loss.is_exact:
            return cls.of_errors(weight)
        bits = min(bits, COST_BITS - 1 - max_leaves.bit_length())
        root = float(loss.loss(totals))
        scale = 2.0**bits / root if root > 0 else 1.0
        # Each leaf is rounded, if only by half a unit: many leaves may lose more than the root.
        units = cls(loss, Fraction(2**bits), 2**bits + max_leaves, bits, scale)
        return replace(units, leaf_rounding=units.core_objective(1, 0).leaf_rounding(weight))

    def prices(self, regularization: Fraction, max_leaves: int) -> tuple[int, int]:
        """Return what the core takes for a unit of loss and for a leaf."""
        prices = leaf_price(regularization, self.whole, max_leaves, max_loss=self.max_loss)
        if isinstance(self.loss, Costs):
            self._refuse_overflow(self.loss, prices[0])
        return prices

    def _refuse_overflow(self, loss: Costs, loss_price: int) -> None:
        # As an action may cost more than the leaf's own, all of them have to fit.
        weight = self.whole * loss.unit
        if loss_price * weight * int(loss.integers.max()) >= 2**COST_BITS:
            raise ValueError(
                f"The costs are whole numbers up to {int(loss.integers.max())} times their unit, "
                f"{float(loss.unit):.3g}: together with the weight of the rows that is more than "
                "64 bits hold. Round the costs to fewer digits."
            )

    def core_objective(self, loss_price: int, leaf_price: int) -> _core.Objective:
        """Return the objective as the core takes it."""
        parts = self.core_parts()
        sums = None if parts["sums"] is None else _core.Sums(**parts["sums"])
        return _core.Objective(loss_price, leaf_price, **{**parts, "sums": sums})

    def core_parts(self) -> dict[str, Any]:
        """Return what the core has to know of the loss, besides the prices: plain values."""
        costs = None
        if isinstance(self.loss, Costs):
            costs = np.ascontiguousarray(self.loss.integers, dtype=np.int64)
        return {
            "loss": self.loss.name,
            "scale": self.scale,
            "unit_bits": self.bits,
            "costs": costs,
            "sums": None if self.channels is None else self.channels.core_parts(),
        }

    @property
    def bias(self) -> int:
        """By how many units the core counts more than a tree loses."""
        return 0 if self.channels is None else self.channels.bias

    def values(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return what leaves say by the core's channels of numbers: to within the grid's ones."""
        assert self.channels is not None
        assert isinstance(self.loss, OfNumbers)
        means = self.channels.means(counts)
        return self.loss.value(np.stack([np.ones_like(means), means], axis=-1))

    def count(self, leaves: NDArray[Any]) -> int:
        """Return the loss of a tree in units, given the weights of its leaves."""
        if isinstance(self.loss, Costs):
            return int(self.loss.action_units(leaves).min(axis=-1).sum())
        if self.channels is not None:
            counts = np.ascontiguousarray(leaves, dtype=np.int32)
            return int(self.core_objective(1, 0).leaf_losses(counts).sum())
        losses = self.loss.loss(leaves)
        return int((losses if self.loss.is_exact else np.rint(losses * self.scale)).sum())

    def objective(self, loss: int, leaves: int, price: Fraction) -> Fraction:
        """Return the objective of a tree, given its loss in units and lambda."""
        lost = loss - self.bias
        return Fraction(lost * self.whole.denominator, self.whole.numerator) + price * leaves

    def highest_cost(self, objective: Fraction, price: Fraction, max_leaves: int) -> int:
        """Return the highest cost of a tree within an objective, as the core counts it."""
        limits = {"max_loss": self.max_loss}
        counted = objective + self.bias / self.whole
        return within_bound(counted, price, self.whole, max_leaves, **limits)[2]

    def rounding(self, leaves: int) -> Fraction:
        """Return by how much the objective of a tree of so many leaves may be rounded."""
        if self.loss.is_exact:
            return Fraction(0)
        # The bias is the loss of a leaf, too.
        n_rounded = leaves if self.channels is None else leaves + 1
        rounded = n_rounded * Fraction(self.leaf_rounding) / self.whole
        return rounded if self.channels is None else rounded + Fraction(self.channels.resolution)


def _sums(loss: Costs, totals: NDArray[np.int64]) -> list[int]:
    """Return what each action costs for all rows, in numbers of any size."""
    weights = [int(weight) for weight in totals]
    return [
        sum(int(cost) * weight for cost, weight in zip(row, weights, strict=True))
        for row in loss.integers.tolist()
    ]
