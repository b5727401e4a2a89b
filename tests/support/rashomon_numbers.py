"""Brute force for sets of trees of numbers, for the rounded objective that sets are exact for.

Nothing of the package is imported here. The loss of a leaf is counted in whole units of 2**-16 of
the root's. What is rounded is not the loss itself but one that differs from it by the same amount
for all trees, which is taken off again: `Offsets` has the rule (core/losses/sums.hpp).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from oracle import bits
from oracle_losses import exact, plain
from oracle_numbers import NumbersOracle, log
from rashomon_oracle import RashomonOracle, Shape

SET_UNITS = 2**16
MAX_OFFSET = 2**28
WORTH_ROUNDING = 4  # units: offsets of a larger size are of a whole number of them
SHARE = Fraction(1, 100)  # of the root's loss, by which offsets may be off together
ABOVE = Fraction(1, 10**12)  # so much offsets are rounded farther than to the next one
# How close to the middle of two units a loss may be for doubles to fall on either side.
MIDDLE = Fraction(1, 10**7)


def shape_of(tree: Any, node: int = 0) -> Shape:
    """The shape of a tree of the package; all leaves have the same label."""
    if tree.feature[node] < 0:
        return 0
    yes, no = int(tree.left[node]), int(tree.right[node])
    return int(tree.feature[node]), shape_of(tree, yes), shape_of(tree, no)


class NumbersSets(RashomonOracle):
    """All trees of one problem, and the sets that are made of them.

    Numbers have to be few enough digits to be counted exactly; for Poisson deviance, weight times
    number has to be whole.
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        loss: str,
        weights: Any = None,
        regularization: float | int | Fraction,
        min_samples_leaf: int = 1,
        margin: float = 0.0,
    ) -> None:
        given = [1] * len(X) if weights is None else [exact(plain(weight)) for weight in weights]
        numbers = [exact(plain(number)) for number in y]
        self.real = NumbersOracle(
            X,
            numbers,
            loss=loss,
            weights=given,
            regularization=regularization,
            min_samples_leaf=min_samples_leaf,
        )
        self.min_samples_leaf = min_samples_leaf
        self.exact_last_split = False
        self.everything, self._column = self.real.everything, self.real.column
        self._leaf, self._splits, self._best_gain = {}, {}, {}
        self._greedy, self._value, self._trees = {}, {}, {}
        self.regularization = exact(regularization)
        self._units = Offsets(X, numbers, given, loss, self.real)
        self._bias = self._units.of(self.everything) - (SET_UNITS if self.real.root else 0)
        self.is_doubtful = False

    @property
    def doubtful(self) -> bool:
        return self._units.doubtful or self.is_doubtful

    def objective(self, cost: int) -> Fraction:
        price = self.regularization
        return Fraction(cost, SET_UNITS * price.denominator) - Fraction(self._bias, SET_UNITS)

    def leaf(self, mask: int) -> int:
        if mask not in self._leaf:
            price = self.regularization
            units = self._units.of(mask)
            self._leaf[mask] = units * price.denominator + price.numerator * SET_UNITS
        return self._leaf[mask]

    def label(self, mask: int) -> int:
        return 0

    def greedy_feature(self, mask: int) -> int | None:
        splits = self.real.greedy_splits(mask)
        self.is_doubtful |= len({frozenset(split[1:]) for split in splits}) > 1
        return splits[0][0] if splits else None

    def is_trivial_split(self, yes: Shape, no: Shape, yes_rows: int, no_rows: int) -> bool:
        both_leaves = isinstance(yes, int) and isinstance(no, int)
        return both_leaves and self.real.mean(yes_rows) == self.real.mean(no_rows)


class Offsets:
    """What leaves lose in units, as sets round it.

    Rows with the same features are one, which counts by its mean. Its offset is what it would need
    by itself, in whole parts of a size, rounded up (Poisson: down): a leaf's loss is the sum of its
    offsets less S^2 / N, with numbers above the mean of all, rounded to a whole number of steps
    above the least (Poisson: 2 S ln(M N / S) less the offsets, M the highest rate of such a row).
    """

    def __init__(
        self, X: Any, numbers: list[Fraction], weights: list[Any], loss: str, real: NumbersOracle
    ) -> None:
        self.is_poisson, self.root, self.doubtful = loss == "poisson", real.root, False
        kept = [i for i, weight in enumerate(weights) if weight > 0]
        self.n = [Fraction(weights[i]) for i in kept]
        centre = Fraction(0)
        if not self.is_poisson:
            centre = self._centre([numbers[i] for i in kept])
        self.s = [weights[i] * (numbers[i] - centre) for i in kept]
        patterns = [tuple(int(value) for value in row) for row in X]
        groups: dict[tuple[int, ...], int] = {}
        for bit, i in enumerate(kept):
            groups[patterns[i]] = groups.get(patterns[i], 0) | 1 << bit
        sums = {mask: self._sums(mask) for mask in groups.values()}
        self.max_rate = max(s / n for n, s in sums.values())
        alone = {mask: self._explained(*both) for mask, both in sums.items()}
        n_groups = len(groups)
        size = max(SHARE * self.root / n_groups, sum(alone.values()) / (MAX_OFFSET - n_groups))
        unit = self.root / SET_UNITS
        if size > WORTH_ROUNDING * unit > 0:
            size = math.ceil(size / unit) * unit
        self.offset = {mask: self._rounded(value, size) for mask, value in alone.items()}

    def _centre(self, numbers: list[Fraction]) -> Fraction:
        least = min(numbers)
        above = [number - least for number in numbers]
        unit = math.lcm(*(number.denominator for number in above))
        step = Fraction(math.gcd(*(int(number * unit) for number in above)) or 1, unit)
        total = sum((n * number for n, number in zip(self.n, above, strict=True)), Fraction(0))
        return least + step * round(total / sum(self.n) / step)

    def _sums(self, mask: int) -> tuple[Fraction, Fraction]:
        rows = list(bits(mask))
        return (
            sum((self.n[i] for i in rows), Fraction(0)),
            sum((self.s[i] for i in rows), Fraction(0)),
        )

    def _explained(self, n: Fraction, s: Fraction) -> Fraction:
        if self.is_poisson:
            return 2 * s * log(self.max_rate * n / s) if s else Fraction(0)
        return s * s / n

    def _rounded(self, value: Fraction, size: Fraction) -> Fraction:
        if not self.root:
            return Fraction(0)
        parts = value / size
        if 0 < min(parts % 1, 1 - parts % 1) < 2 * ABOVE * (1 + parts):
            self.doubtful = True
        if self.is_poisson:
            return size * math.floor(parts * (1 - ABOVE))
        return size * math.ceil(parts * (1 + ABOVE))

    def of(self, mask: int) -> int:
        """Return the units of a leaf."""
        if not self.root:
            return 0
        offset = sum((part for rows, part in self.offset.items() if rows & mask), Fraction(0))
        explained = self._explained(*self._sums(mask))
        lost = explained - offset if self.is_poisson else offset - explained
        units = max(lost / self.root, Fraction(0)) * SET_UNITS
        if abs(units % 1 - Fraction(1, 2)) < MIDDLE:
            self.doubtful = True
        return round(units)
