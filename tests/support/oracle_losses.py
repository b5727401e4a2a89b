"""What a leaf loses, says and is split by, for every loss: the definitions, in exact arithmetic.

Nothing of the package is imported here. Each class is a loss of one problem and is given the class
weights of all of its rows. Losses are counted in whole units, of which `whole` make up an objective
of 1. For `zero_one` and `costs` units are exact. For `brier` and `log_loss` a leaf's loss is
rounded to the nearest unit. Here it is known exactly or to 50 digits, but a solver rounds a double:
`doubtful` is set where the loss is so close to the middle of two units that a double may fall on
the other side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

Weights: TypeAlias = "Sequence[int]"

# Entropies that differ by a billionth of a bit, and sums of losses by a billionth of the root's
# loss, are a tie, which the lower feature index wins.
TIE = 10**9
# Doubles may disagree about what is a tie where a difference is so close to that.
TIE_DOUBT = 10**4
# How far a double may be from a loss, as a share of the largest of the numbers it is made of.
DOUBLE = Fraction(1, 10**15)

PRECISE = Context(prec=50)


def exact(value: float | int | Fraction) -> Fraction:
    """The number a person means: a float is the decimal it prints as, so 0.1 is 1/10."""
    return Fraction(repr(float(value))) if isinstance(value, float) else Fraction(value)


class LeafLoss:
    """What all losses share: a choice among values that may be nearly equal."""

    whole: int
    says_shares = False  # otherwise two leaves with one label say the same
    doubtful = False
    off = 0  # units that doubles may be off by in a leaf

    def units(self, weights: Weights) -> int:
        raise NotImplementedError

    def share(self, weights: Weights) -> Fraction:
        """The loss as a part of an objective, not rounded."""
        return Fraction(self.units(weights), self.whole)

    def label(self, weights: Weights) -> int:
        """The heaviest class, of several the first."""
        return list(weights).index(max(weights))

    def after(self, yes: Weights, no: Weights) -> Any:
        """What greedy minimizes."""
        raise NotImplementedError

    def tie(self) -> Any:
        """The width of a tie of two such values."""
        return 1 / TIE

    def first_of_least(self, values: list[Any]) -> int:
        """The position of the first value that ties with the least."""
        limit = min(values) + self.tie()
        doubt = self.tie() / TIE_DOUBT
        self.doubtful |= any(abs(value - limit) < doubt for value in values)
        return next(i for i, value in enumerate(values) if value <= limit)


class ZeroOne(LeafLoss):
    """The weight of all classes but the heaviest; greedy looks at entropies."""

    def __init__(self, root: Weights) -> None:
        self.whole = sum(root)

    def units(self, weights: Weights) -> int:
        return sum(weights) - max(weights)

    def after(self, yes: Weights, no: Weights) -> float:
        whole = sum(yes) + sum(no)
        return sum(sum(side) / whole * entropy(side) for side in (yes, no))


class Costs(LeafLoss):
    """The cost of the cheapest action; greedy looks at entropies of weights times stakes."""

    def __init__(self, root: Weights, costs: Any) -> None:
        prices = [[exact(plain(cost)) for cost in action] for action in costs]
        unit = math.lcm(*(cost.denominator for action in prices for cost in action))
        self.costs = [[int(cost * unit) for cost in action] for action in prices]
        self.whole = sum(root) * unit
        stakes = [max(column) - min(column) for column in zip(*self.costs, strict=True)]
        self.stakes = [stake / max(*stakes, 1) for stake in stakes]

    def by_action(self, weights: Weights) -> list[int]:
        return [sum(map(int.__mul__, action, weights)) for action in self.costs]

    def units(self, weights: Weights) -> int:
        return min(self.by_action(weights))

    def label(self, weights: Weights) -> int:
        cost = self.by_action(weights)
        return cost.index(min(cost))

    def after(self, yes: Weights, no: Weights) -> float:
        sides = [[s * w for s, w in zip(self.stakes, side, strict=True)] for side in (yes, no)]
        whole = sum(map(sum, sides))
        return sum(sum(side) / whole * entropy(side) for side in sides) if whole > 0 else 0.0


class Rounded(LeafLoss):
    """Losses that are their own criterion, in units of a power of two of the root's loss."""

    says_shares = True

    def __init__(self, root: Weights, unit_bits: int) -> None:
        self.whole = 2**unit_bits
        self.root: Any = self.loss(root)

    def loss(self, weights: Weights) -> Any:
        raise NotImplementedError

    def largest(self, weights: Weights) -> Any:
        """The largest number that the loss may be a difference of."""
        return self.loss(weights)

    def share(self, weights: Weights) -> Fraction:
        return Fraction(self.loss(weights) / self.root) if self.root else Fraction(0)

    def units(self, weights: Weights) -> int:
        units = self.share(weights) * self.whole
        nearest = round(units)
        if self.root:
            error = Fraction(self.largest(weights) / self.root) * self.whole * DOUBLE
            if Fraction(1, 2) - abs(units - nearest) < error:
                self.doubtful = True
                self.off = max(self.off, math.ceil(error))
        return nearest

    def after(self, yes: Weights, no: Weights) -> Any:
        return self.loss(yes) + self.loss(no)

    def tie(self) -> Any:
        return self.root / TIE


class Brier(Rounded):
    """N - sum of W_c^2 / N: the sum over rows of (1 - p)^2 and the squares of the other shares."""

    def loss(self, weights: Weights) -> Fraction:
        whole = sum(weights)
        return whole - Fraction(sum(weight * weight for weight in weights), whole)


class LogLoss(Rounded):
    """- sum of W_c ln(W_c / N), to 50 digits."""

    def loss(self, weights: Weights) -> Decimal:
        return _log_loss(tuple(weight for weight in weights if weight))

    def largest(self, weights: Weights) -> Decimal:
        return sum(weights) * _logarithm(sum(weights)) if len(weights) > 1 else Decimal(0)


@lru_cache(maxsize=100_000)
def _log_loss(weights: tuple[int, ...]) -> Decimal:
    if len(weights) < 2:
        return Decimal(0)
    logarithm = _logarithm(sum(weights))
    surprise = Decimal(0)
    for weight in weights:
        share = PRECISE.subtract(logarithm, _logarithm(weight))
        surprise = PRECISE.add(surprise, PRECISE.multiply(Decimal(weight), share))
    return surprise


@lru_cache(maxsize=100_000)
def _logarithm(number: int) -> Decimal:
    return PRECISE.ln(Decimal(number))


def entropy(counts: Sequence[float]) -> float:
    """Bits needed to name the class of a row drawn by weight."""
    whole = sum(counts)
    return -sum(count / whole * math.log2(count / whole) for count in counts if count)


def leaf_loss(name: str, root: Weights, *, costs: Any = None, unit_bits: int = 40) -> LeafLoss:
    """The loss of that name, for a problem whose rows have these class weights."""
    if name == "costs":
        return Costs(root, costs)
    if name == "zero_one":
        return ZeroOne(root)
    return {"brier": Brier, "log_loss": LogLoss}[name](root, unit_bits)


def plain(number: Any) -> float | int | Fraction:
    """A numpy scalar as the Python number it holds."""
    unpacked: float | int | Fraction = number.item() if hasattr(number, "item") else number
    return unpacked
