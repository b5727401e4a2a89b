"""Brute force for trees of numbers: squared error and Poisson deviance, spelled out and slow.

Nothing of the package is imported here. Numbers and weights are fractions, rows are bits of a
Python integer, logarithms have 60 digits, and the loss of a leaf is counted in units of 2**-100 of
the root's, so that sums and comparisons are of integers.

A solver counts in far coarser units. Where two choices differ by less than it can tell (`margin`),
either may be its answer, and what follows may differ by more. So a value is a `Range`: the least
and the highest cost that a right solver may end with. Where nothing ties the two are the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from oracle import Tree, bits
from oracle_losses import exact, plain

UNITS = 2**100  # of the root's loss
TIE = UNITS // 10**9  # sums of losses that greedy takes as equal
PRECISE = Context(prec=60)

Range: TypeAlias = tuple[int, int]
Split: TypeAlias = tuple[int, int, int]  # feature, yes rows, no rows


class NumbersOracle:
    """One problem: 0/1 rows, numbers, weights, a loss and the price of a leaf.

    Rows of weight zero are left out at the start, as if they had never been given.
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
        margin: float = 2e-10,
    ) -> None:
        rows = [[int(value) for value in row] for row in X]
        given = [1] * len(rows) if weights is None else [plain(weight) for weight in weights]
        kept = [i for i, weight in enumerate(given) if weight > 0]
        self.min_samples_leaf = min_samples_leaf
        self.margin = int(Fraction(margin) * UNITS)
        self.everything = (1 << len(kept)) - 1
        self.column = [
            sum(1 << bit for bit, i in enumerate(kept) if rows[i][feature])
            for feature in range(len(rows[0]))
        ]
        self.rule: SquaredError | Poisson
        self.rule = {"squared_error": SquaredError, "poisson": Poisson}[loss](
            [Fraction(plain(y[i])) for i in kept], [Fraction(given[i]) for i in kept]
        )
        self.root = self.rule.loss(self.everything)
        self.price = exact(regularization)
        self._price = round(self.price * UNITS)
        self._leaf: dict[int, int] = {}
        self._splits: dict[int, list[Split]] = {}
        self._known: dict[tuple[Any, ...], Range] = {}

    # What a node is worth by itself

    def objective(self, cost: int) -> Fraction:
        return Fraction(cost, UNITS)

    def lost(self, mask: int) -> int:
        """The loss of a leaf in units; nothing where the root has nothing to lose."""
        known = self._leaf.get(mask)
        if known is None:
            known = round(self.rule.loss(mask) / self.root * UNITS) if self.root else 0
            self._leaf[mask] = known
        return known

    def leaf(self, mask: int) -> int:
        return self.lost(mask) + self._price

    def mean(self, mask: int) -> Fraction:
        weight, total = self.rule.sums(mask)
        return Fraction(total, weight)

    def splits(self, mask: int) -> list[Split]:
        """Every split with enough rows on both sides, features ascending."""
        known = self._splits.get(mask)
        if known is None:
            known = []
            for feature, column in enumerate(self.column):
                yes, no = mask & column, mask & ~column
                if min(yes.bit_count(), no.bit_count()) >= max(1, self.min_samples_leaf):
                    known.append((feature, yes, no))
            self._splits[mask] = known
        return known

    # Greedy

    def greedy_splits(self, mask: int) -> list[Split]:
        """The split of least loss, of those within a tie the first; those that it may be."""
        splits = self.splits(mask)
        after = [self.lost(yes) + self.lost(no) for _, yes, no in splits]
        found = []
        for split, value in zip(splits, after, strict=True):
            if value <= min(after) + TIE + self.margin:
                found.append(split)
            if value <= min(after) + TIE - self.margin:
                break
        return found

    def greedy(self, mask: int, depth: int) -> Range:
        key = ("greedy", mask, depth)
        if key not in self._known:
            leaf = self.leaf(mask)
            splits = self.greedy_splits(mask) if depth > 0 else []
            below = [
                both(self.greedy(yes, depth - 1), self.greedy(no, depth - 1))
                for _, yes, no in splits
            ]
            low, high = around(below) if below else (leaf, leaf)
            self._known[key] = min(leaf, low), min(leaf, high)
        return self._known[key]

    # V(rows, depth, lookahead) and what is made of it

    def value(self, mask: int, depth: int, lookahead: int) -> Range:
        """The best cost with `depth` levels left, `lookahead` of them searched exhaustively."""
        if depth == 0 or lookahead == 0:
            return self.greedy(mask, depth)
        key = ("value", mask, depth, lookahead)
        if key not in self._known:
            leaf = self.leaf(mask)
            below = self.judged(mask, depth, lookahead).values()
            self._known[key] = (
                min([leaf, *(low for low, _ in below)]),
                min([leaf, *(high for _, high in below)]),
            )
        return self._known[key]

    def judged(self, mask: int, depth: int, lookahead: int) -> dict[Split, Range]:
        """What each first split is worth by V."""
        return {
            split: both(*(self.value(side, depth - 1, lookahead - 1) for side in split[1:]))
            for split in self.splits(mask)
        }

    def chosen(self, mask: int, judged: dict[Split, Range]) -> tuple[bool, list[Split]]:
        """Whether a leaf may be the best, and the splits that may be."""
        leaf = self.leaf(mask)
        highest = min([leaf, *(high for _, high in judged.values())]) + self.margin
        return leaf <= highest, [split for split, (low, _) in judged.items() if low <= highest]

    def optimal(self, mask: int, depth: int) -> Range:
        return self.value(mask, depth, depth)

    def split(self, mask: int, depth: int, lookahead: int) -> Range:
        """SPLIT: the prefix that attains V, every leaf of it replaced by an optimal tree."""
        if depth == 0 or lookahead == 0:
            return self.optimal(mask, depth)
        key = ("split", mask, depth, lookahead)
        if key not in self._known:
            may_stop, splits = self.chosen(mask, self.judged(mask, depth, lookahead))
            found = [self.optimal(mask, depth)] if may_stop else []
            for _, *sides in splits:
                found.append(both(*(self.split(side, depth - 1, lookahead - 1) for side in sides)))
            self._known[key] = around(found)
        return self._known[key]

    def lickety(self, mask: int, depth: int, lookahead: int) -> Range:
        """LicketySPLIT: the first split of V(rows, depth, lookahead), then the same below it."""
        if depth == 0:
            return self.leaf(mask), self.leaf(mask)
        key = ("lickety", mask, depth, lookahead)
        if key not in self._known:
            levels = min(depth, lookahead)
            may_stop, splits = self.chosen(mask, self.judged(mask, depth, levels))
            found = [(self.leaf(mask), self.leaf(mask))] if may_stop else []
            for _, *sides in splits:
                found.append(both(*(self.lickety(side, depth - 1, lookahead) for side in sides)))
            self._known[key] = around(found)
        return self._known[key]

    def completed_lickety(self, mask: int, depth: int, lookahead: int) -> Range:
        """LicketySPLIT that judges splits by its own trees, of one level of lookahead less."""
        if depth == 0 or lookahead == 0:
            return self.greedy(mask, depth)
        key = ("completed", mask, depth, lookahead)
        if key not in self._known:
            less, leaf = min(lookahead, depth) - 1, self.leaf(mask)
            judged = {
                split: both(*(self.completed_lickety(side, depth - 1, less) for side in split[1:]))
                for split in self.splits(mask)
            }
            may_stop, splits = self.chosen(mask, judged)
            found = [(leaf, leaf)] if may_stop else []
            for _, *sides in splits:
                low, high = both(
                    *(self.completed_lickety(side, depth - 1, lookahead) for side in sides)
                )
                found.append((min(leaf, low), min(leaf, high)))
            self._known[key] = around(found)
        return self._known[key]

    def ends(self, tree: Tree, mask: int | None = None) -> list[int]:
        """The rows of each leaf of a tree, yes-sides first; its splits must be admissible."""
        mask = self.everything if mask is None else mask
        if tree is None:
            return [mask]
        feature, yes, no = tree
        assert feature in [chosen for chosen, _, _ in self.splits(mask)]
        column = self.column[feature]
        return self.ends(yes, mask & column) + self.ends(no, mask & ~column)

    def tree_objective(self, tree: Tree) -> Fraction:
        return self.objective(sum(self.leaf(mask) for mask in self.ends(tree)))


class SquaredError:
    """Squared distances from the mean: sum w y^2 - (sum w y)^2 / sum w, in whole numbers."""

    def __init__(self, numbers: list[Fraction], weights: list[Fraction]) -> None:
        steps = math.lcm(*(number.denominator for number in numbers))
        unit = math.lcm(*(weight.denominator for weight in weights))
        self.y = [int(number * steps) for number in numbers]
        self.w = [int(weight * unit) for weight in weights]
        self.steps, self.unit = steps, unit

    def sums(self, mask: int) -> tuple[Fraction, Fraction]:
        rows = list(bits(mask))
        total = sum(self.w[i] * self.y[i] for i in rows)
        return (
            Fraction(sum(self.w[i] for i in rows), self.unit),
            Fraction(total, self.unit * self.steps),
        )

    def loss(self, mask: int) -> Fraction:
        n = s = q = 0
        for i in bits(mask):
            weighted = self.w[i] * self.y[i]
            n, s, q = n + self.w[i], s + weighted, q + weighted * self.y[i]
        return Fraction(q * n - s * s, n * self.unit * self.steps**2)


class Poisson:
    """Deviances 2 (y ln(y / rate) - y + rate), weighted: at the leaf's own rate the rest is 0."""

    def __init__(self, numbers: list[Fraction], weights: list[Fraction]) -> None:
        self.w = weights
        self.s = [w * y for w, y in zip(weights, numbers, strict=True)]
        self.alone = [
            s * log(y) if y else Fraction(0) for s, y in zip(self.s, numbers, strict=True)
        ]

    def sums(self, mask: int) -> tuple[Fraction, Fraction]:
        rows = list(bits(mask))
        return (
            sum((self.w[i] for i in rows), Fraction(0)),
            sum((self.s[i] for i in rows), Fraction(0)),
        )

    def loss(self, mask: int) -> Fraction:
        n, s = self.sums(mask)
        alone = sum((self.alone[i] for i in bits(mask)), Fraction(0))
        lost = 2 * (alone - s * log(s / n)) if s else Fraction(0)
        return lost if lost > Fraction(1, 10**50) * s else Fraction(0)  # all rates are the same


@lru_cache(maxsize=100_000)
def log(number: Fraction) -> Fraction:
    """The natural logarithm, to 60 digits."""
    decimal = PRECISE.divide(Decimal(number.numerator), Decimal(number.denominator))
    return Fraction(PRECISE.ln(decimal))


def both(yes: Range, no: Range) -> Range:
    return yes[0] + no[0], yes[1] + no[1]


def around(ranges: Iterable[Range]) -> Range:
    low, high = zip(*ranges, strict=True)
    return min(low), max(high)
