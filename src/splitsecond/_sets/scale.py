"""Objectives of a set of trees: exact, and in the whole numbers that the core compares."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from splitsecond._solving.exact import as_fraction
from splitsecond._solving.units import Units
from splitsecond._support.checks import check_amount
from splitsecond._support.names import public

EPSILON_KINDS = ("additive", "multiplicative", "absolute")


def check_epsilon(value: Any) -> None:
    """Refuse what is not an amount."""
    check_amount("epsilon", value, "how much worse than the best a tree may be, such as 0.01")


def bound_of(reference: Fraction, epsilon: Any, kind: str) -> Fraction:
    """Return the highest objective of a set, given that of the reference tree."""
    check_epsilon(epsilon)
    amount = as_fraction(epsilon)
    if kind == "additive":
        return reference + amount
    if kind == "multiplicative":
        # Of rounded losses, the best may be a unit below 0; it is still within its own bound.
        return reference + amount * max(reference, Fraction(0))
    return amount


@public
@dataclass(frozen=True)
class Scale:
    """How the core's whole numbers relate to objectives, and epsilons to bounds."""

    price: Fraction  # lambda
    units: Units  # of losses
    weight: int  # of all rows, in the core's units
    unit: float  # one of the core's units in the user's weights
    loss_price: int
    leaf_price: int
    max_leaves: int  # that the prices were chosen for
    reference: Fraction  # the objective that the bound was taken from
    epsilon_kind: str

    def objective(self, cost: int, leaves: int) -> Fraction:
        """Return the objective of a tree of that cost; that of rounded losses, if they are."""
        loss = (cost - self.leaf_price * leaves) // self.loss_price
        return self.units.objective(loss, leaves, self.price)

    def cost(self, objective: Fraction) -> int:
        """Return the highest cost of a tree within an objective."""
        return self.units.highest_cost(objective, self.price, self.max_leaves)

    def bound(self, epsilon: Any) -> Fraction:
        """Return the highest objective of the set for an epsilon."""
        return bound_of(self.reference, epsilon, self.epsilon_kind)
