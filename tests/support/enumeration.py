"""A second brute force, to check the oracle by: every tree, one by one.

It shares nothing with the oracle: rows are lists, trees are written out one by one, every row is
sent down every tree, losses are sums over rows, and entropies come from another formula.
"""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any

from oracle import Tree
from oracle_losses import exact, plain
from strategies import Problem

Rows = list[int]
Split = tuple[Rows, Rows]


class Enumeration:
    """Every tree, one by one, on problems small enough for that."""

    def __init__(self, problem: Problem, unit_bits: int = 40) -> None:
        self.units = 2**unit_bits
        given = [1] * len(problem.X) if problem.weights is None else problem.weights.tolist()
        self.weight = [Fraction(weight) for weight in given]
        self.X = problem.X.tolist()
        self.codes = problem.codes.tolist()
        self.price = exact(problem.regularization)
        self.rows = [i for i, weight in enumerate(self.weight) if weight]
        self.total = sum(self.weight)
        self._lost: dict[tuple[int, ...], Fraction] = {}
        self.loss = problem.loss
        self.few = problem.min_samples_leaf
        costs = [] if problem.costs is None else problem.costs
        self.costs = [[exact(plain(cost)) for cost in action] for action in costs]

    def trees(self, depth: int) -> list[Tree]:
        if depth == 0:
            return [None]
        below = self.trees(depth - 1)
        features = range(len(self.X[0]))
        return [None, *itertools.product(features, below, below)]

    def ends(self, tree: Tree, rows: Rows, level: int = 0) -> list[tuple[int, Rows]]:
        """The (level, rows) of every leaf."""
        if tree is None:
            return [(level, rows)]
        feature, yes, no = tree
        return [
            *self.ends(yes, [i for i in rows if self.X[i][feature]], level + 1),
            *self.ends(no, [i for i in rows if not self.X[i][feature]], level + 1),
        ]

    def by_class(self, rows: Rows) -> dict[int, Fraction]:
        counts: dict[int, Fraction] = {}
        for i in rows:
            counts[self.codes[i]] = counts.get(self.codes[i], Fraction(0)) + self.weight[i]
        return counts

    def lost(self, rows: Rows) -> Fraction:
        """What rows lose in one leaf; remembered, for many trees have the same leaves."""
        key = tuple(rows)
        if key not in self._lost:
            self._lost[key] = self._row_by_row(rows)
        return self._lost[key]

    def _row_by_row(self, rows: Rows) -> Fraction:
        counts = self.by_class(rows)
        whole = sum(counts.values(), Fraction(0))
        if self.loss == "zero_one":
            return whole - max(counts.values())
        if self.loss == "costs":
            return min(
                sum((self.weight[i] * action[self.codes[i]] for i in rows), Fraction(0))
                for action in self.costs
            )
        lost = Fraction(0)
        for i in rows:
            shares = {code: count / whole for code, count in counts.items()}
            own = shares.pop(self.codes[i])
            if self.loss == "brier":
                each = (1 - own) ** 2 + sum((share**2 for share in shares.values()), Fraction(0))
            else:
                each = -logarithm(own)
            lost += self.weight[i] * each
        return lost

    def leaf(self, rows: Rows) -> Fraction:
        lost = self.lost(rows)
        if self.loss in ("zero_one", "costs"):
            return lost / self.total + self.price
        root = self.lost(self.rows)
        return Fraction(round(lost / root * self.units) if root else 0, self.units) + self.price

    def fits(self, tree: Tree, rows: Rows) -> bool:
        return tree is None or all(len(end) >= self.few for _, end in self.ends(tree, rows))

    def splits(self, rows: Rows) -> list[Split]:
        found = []
        for feature in range(len(self.X[0])):
            yes = [i for i in rows if self.X[i][feature]]
            no = [i for i in rows if not self.X[i][feature]]
            if len(yes) >= self.few and len(no) >= self.few:
                found.append((yes, no))
        return found

    def optimal(self, rows: Rows, depth: int) -> Fraction:
        return min(
            sum((self.leaf(end) for _, end in self.ends(tree, rows)), Fraction(0))
            for tree in self.trees(depth)
            if self.fits(tree, rows)
        )

    def surprise(self, rows: Rows) -> float:
        """Weight times entropy in bits, from logarithms of weights instead of shares."""
        counts = [float(count * self.stake(code)) for code, count in self.by_class(rows).items()]
        counts = [count for count in counts if count > 0]
        whole = sum(counts)
        return math.fsum(
            [whole * math.log2(whole or 1), *(-count * math.log2(count) for count in counts)]
        )

    def stake(self, code: int) -> Fraction:
        """What is at stake for a class; the largest stake is 1."""
        if self.loss != "costs":
            return Fraction(1)
        stakes = [max(of_class) - min(of_class) for of_class in zip(*self.costs, strict=True)]
        return stakes[code] / (max(stakes) or 1)

    def greedy_split(self, rows: Rows) -> Split | None:
        """The first of the splits that are about as good as the best."""
        splits = self.splits(rows)
        after: list[Any]
        if self.loss in ("zero_one", "costs"):
            after = [self.surprise(yes) + self.surprise(no) for yes, no in splits]
            width = 1e-9 * float(sum(self.weight[i] * self.stake(self.codes[i]) for i in rows))
        else:
            after = [self.lost(yes) + self.lost(no) for yes, no in splits]
            width = float(self.lost(self.rows) / 10**9)
        return next(
            (
                split
                for split, value in zip(splits, after, strict=True)
                if value - min(after) <= width
            ),
            None,
        )

    def greedy(self, rows: Rows, depth: int) -> Fraction:
        split = self.greedy_split(rows) if depth else None
        if split is None:
            return self.leaf(rows)
        both = sum((self.greedy(side, depth - 1) for side in split), Fraction(0))
        return min(self.leaf(rows), both)

    def completed(self, prefix: Tree, depth: int, lookahead: int, rows: Rows) -> Fraction | None:
        """The prefix with greedy trees at the horizon; None where a side has too few rows."""
        if not self.fits(prefix, rows):
            return None
        return sum(
            (
                self.greedy(end, depth - lookahead) if level == lookahead else self.leaf(end)
                for level, end in self.ends(prefix, rows)
            ),
            Fraction(0),
        )

    def best_prefix(self, depth: int, lookahead: int, rows: Rows) -> tuple[Fraction, Tree]:
        """The least objective, and of the prefixes that reach it the first in the tie order.

        Read from the root, leaf before split and low feature before high: that is the order of the
        features in preorder when a leaf counts as -1.
        """
        scored = [
            (objective, preorder(prefix), prefix)
            for prefix in self.trees(lookahead)
            if (objective := self.completed(prefix, depth, lookahead, rows)) is not None
        ]
        objective, _, prefix = min(scored, key=lambda item: item[:2])
        return objective, prefix

    def split(self, depth: int, lookahead: int) -> Fraction:
        _, prefix = self.best_prefix(depth, lookahead, self.rows)
        ends = self.ends(prefix, self.rows)
        return sum((self.optimal(rows, depth - level) for level, rows in ends), Fraction(0))

    def lickety(self, rows: Rows, depth: int, lookahead: int) -> Fraction:
        prefix = self.best_prefix(depth, min(depth, lookahead), rows)[1] if depth else None
        if prefix is None:
            return self.leaf(rows)
        feature = prefix[0]
        yes = [i for i in rows if self.X[i][feature]]
        no = [i for i in rows if not self.X[i][feature]]
        return self.lickety(yes, depth - 1, lookahead) + self.lickety(no, depth - 1, lookahead)

    def completed_lickety(self, rows: Rows, depth: int, lookahead: int) -> Fraction:
        """LicketySPLIT, splits judged by its own trees of one level of lookahead less."""
        if lookahead == 0 or depth == 0:
            return self.greedy(rows, depth)
        if lookahead >= depth:
            return self.optimal(rows, depth)
        values = [
            self.completed_lickety(yes, depth - 1, lookahead - 1)
            + self.completed_lickety(no, depth - 1, lookahead - 1)
            for yes, no in self.splits(rows)
        ]
        if min(values, default=self.leaf(rows)) >= self.leaf(rows):
            return self.leaf(rows)
        first = self.splits(rows)[values.index(min(values))]
        below = [self.completed_lickety(side, depth - 1, lookahead) for side in first]
        return min(self.leaf(rows), sum(below, Fraction(0)))

    # Sets

    def objective(self, tree: Tree, rows: Rows) -> Fraction:
        return sum((self.leaf(end) for _, end in self.ends(tree, rows)), Fraction(0))

    def is_trivial(self, tree: Tree, rows: Rows) -> bool:
        """Whether some split between two leaves says no more than a leaf."""
        if tree is None:
            return False
        feature, yes, no = tree
        sides = [[i for i in rows if self.X[i][feature] == value] for value in (1, 0)]
        if yes is None and no is None:
            if self.loss in ("zero_one", "costs"):
                return self.label(sides[0]) == self.label(sides[1])
            shares = [
                {code: weight / sum(found.values()) for code, weight in found.items() if weight}
                for found in map(self.by_class, sides)
            ]
            return shares[0] == shares[1]
        return self.is_trivial(yes, sides[0]) or self.is_trivial(no, sides[1])

    def label(self, rows: Rows) -> int:
        """What a leaf says: the first class or action that loses least."""
        lost = []
        if self.loss == "costs":
            for action in self.costs:
                lost.append(sum(self.weight[i] * action[self.codes[i]] for i in rows))
        else:
            for code in range(max(self.codes) + 1):
                lost.append(sum(self.weight[i] for i in rows if self.codes[i] != code))
        return lost.index(min(lost))

    def all_within(self, depth: int, bound: Fraction, rows: Rows) -> list[Tree]:
        trees = [tree for tree in self.trees(depth) if self.fits(tree, rows)]
        return [tree for tree in trees if self.objective(tree, rows) <= bound]

    def resplit(self, depth: int, lookahead: int, bound: Fraction) -> set[Tree]:
        """All trees that fill the leaves of a good prefix with trees no worse than greedy's."""
        found: set[Tree] = set()
        for prefix in self.trees(lookahead):
            value = self.completed(prefix, depth, lookahead, self.rows)
            if value is None or value > bound:
                continue
            choices = [
                self.all_within(depth - level, self.greedy(rows, depth - level), rows)
                for level, rows in self.ends(prefix, self.rows)
            ]
            for fills in itertools.product(*choices):
                found.add(filled(prefix, list(fills)))
        return found


def filled(prefix: Tree, fills: list[Tree]) -> Tree:
    """The prefix with these trees in place of its leaves; takes them from the list."""
    if prefix is None:
        return fills.pop(0)
    yes = filled(prefix[1], fills)
    return prefix[0], yes, filled(prefix[2], fills)


@lru_cache(maxsize=10_000)
def logarithm(number: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec = 40
        return Fraction((Decimal(number.numerator) / Decimal(number.denominator)).ln())


def preorder(tree: Tree) -> tuple[int, ...]:
    return (-1,) if tree is None else (tree[0], *preorder(tree[1]), *preorder(tree[2]))
