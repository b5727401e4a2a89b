"""Who checks the checker: the oracle against cases done by hand and against naming every tree.

The enumeration below shares nothing with the oracle: rows are lists, trees are written out one by
one, every row is sent down every tree, losses are sums over rows, and entropies come from another
formula.
"""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import pytest
from oracle import Oracle, Tree
from oracle_losses import exact
from seeds import seeds
from strategies import LOSSES, Problem, random_problem, with_loss

Rows = list[int]
Split = tuple[Rows, Rows]

UNITS = 2**40


class Enumeration:
    """Every tree, one by one, on problems small enough for that."""

    def __init__(self, problem: Problem) -> None:
        given = [1] * len(problem.X) if problem.weights is None else problem.weights.tolist()
        self.weight = [Fraction(weight) for weight in given]
        self.X = problem.X.tolist()
        self.codes = problem.codes.tolist()
        self.price = exact(problem.regularization)
        self.rows = [i for i, weight in enumerate(self.weight) if weight]
        self.total = sum(self.weight)
        self.loss = problem.loss
        self.few = problem.min_samples_leaf
        given = [] if problem.costs is None else problem.costs
        self.costs = [
            [exact(getattr(cost, "item", lambda cost=cost: cost)()) for cost in action]
            for action in given
        ]

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
        """What rows lose in one leaf, row by row."""
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
        return Fraction(round(lost / root * UNITS) if root else 0, UNITS) + self.price

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


def logarithm(number: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec = 40
        return Fraction((Decimal(number.numerator) / Decimal(number.denominator)).ln())


def preorder(tree: Tree) -> tuple[int, ...]:
    return (-1,) if tree is None else (tree[0], *preorder(tree[1]), *preorder(tree[2]))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(10))
def test_equals_the_enumeration_of_every_tree(seed: int, loss: str) -> None:
    rng = np.random.default_rng([2, seed])
    for _ in range(20):
        problem = random_problem(rng, max_rows=14, max_columns=3, max_depth=2)
        compare_with_enumeration(problem)
        compare_with_enumeration(with_loss(rng, problem, loss))


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(4))
def test_equals_the_enumeration_of_every_deep_tree(seed: int, loss: str) -> None:
    rng = np.random.default_rng([3, seed])
    for _ in range(12):
        problem = random_problem(rng, max_rows=12, max_columns=2, max_depth=3)
        compare_with_enumeration(with_loss(rng, problem, loss))


def compare_with_enumeration(problem: Problem) -> None:
    known = Oracle(problem.X, problem.codes, **problem.definition)
    named = Enumeration(problem)
    rows, depth = known.everything, problem.max_depth
    assert known.objective(known.optimal(rows, depth)[0]) == named.optimal(named.rows, depth)
    for lookahead in range(depth + 1):
        value, _ = named.best_prefix(depth, lookahead, named.rows)
        assert known.objective(known.value(rows, depth, lookahead)[0]) == value
        split = known.objective(known.split(rows, depth, lookahead)[0])
        assert split == named.split(depth, lookahead)
        if lookahead > 0:
            lickety = known.objective(known.lickety(rows, depth, lookahead)[0])
            assert lickety == named.lickety(named.rows, depth, lookahead)


def cube(n_columns: int) -> list[list[int]]:
    return [list(row) for row in itertools.product([0, 1], repeat=n_columns)]


def test_a_parity_of_two_columns_by_hand() -> None:
    X = cube(2)
    problem = Oracle(X, [a ^ b for a, b in X], n_classes=2, regularization=0.01)
    # One split leaves half of each side wrong and costs a leaf more.
    assert problem.optimal(problem.everything, 1) == problem.greedy(problem.everything, 1)
    assert problem.objective(problem.greedy(problem.everything, 1)[0]) == Fraction(51, 100)
    # Greedy splits at no gain at all, on the first column, and is rewarded one level deeper.
    cost, tree = problem.greedy(problem.everything, 2)
    assert problem.objective(cost) == Fraction(4, 100)
    assert tree == (0, (1, None, None), (1, None, None))


def test_a_parity_behind_a_useless_column_by_hand() -> None:
    X = cube(4)
    problem = Oracle(X, [b ^ c ^ d for _, b, c, d in X], n_classes=2, regularization=0.01)
    rows = problem.everything
    lone_leaf, solved = Fraction(51, 100), Fraction(8, 100)
    # Every gain is zero, so greedy wastes its first split on column 0, and with one level of
    # lookahead it wastes the second: nothing beats the leaf.
    assert problem.objective(problem.greedy(rows, 3)[0]) == lone_leaf
    assert problem.objective(problem.value(rows, 3, 1)[0]) == lone_leaf
    assert problem.objective(problem.lickety(rows, 3)[0]) == lone_leaf
    # Two levels leave greedy a single column to find, which it does.
    assert problem.objective(problem.value(rows, 3, 2)[0]) == solved
    assert problem.objective(problem.optimal(rows, 3)[0]) == solved
    # The prefix with one level is a leaf at depth 0; SPLIT fills it with all three levels.
    cost, tree = problem.split(rows, 3, 1)
    assert problem.objective(cost) == solved
    assert oracle.leaves_of(tree) == 8
    assert oracle.depth_of(tree) == 3


def test_three_classes_with_weights_by_hand() -> None:
    X = [[1, 0], [1, 0], [0, 1], [0, 0], [0, 0]]
    problem = Oracle(
        X, [0, 1, 2, 1, 0], n_classes=3, weights=[3, 1, 4, 2, 0], regularization=Fraction(1, 3)
    )
    # Weights per class 3, 3, 4 of 10: the last row counts for nothing.
    assert problem.total == 10
    assert problem.objective(problem.leaf(problem.everything)) == Fraction(6, 10) + Fraction(1, 3)
    # Column 0 leaves 1 + 2 wrong, column 1 leaves 3; both cost one leaf more, and so the leaf wins.
    assert problem.optimal(problem.everything, 1)[1] is None
    free = Oracle(X, [0, 1, 2, 1, 0], n_classes=3, weights=[3, 1, 4, 2, 0], regularization=0)
    assert free.optimal(free.everything, 1) == (3, (0, None, None))
    assert free.objective(3) == Fraction(3, 10)


def test_a_flat_tree_by_hand() -> None:
    # Root asks column 1; yes is node 1, a leaf; no is node 2, which asks column 0.
    tree = ([1, -1, 0, -1, -1], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1])
    X = [[0, 1], [1, 1], [1, 0], [0, 0]]
    assert oracle.nested(*tree) == (1, None, (0, None, None))
    assert oracle.route(*tree, [1, 0]) == [0, 2, 3]
    counts = oracle.node_counts(*tree, X, [0, 1, 1, 0], n_classes=2, weights=[1, 2, 3, 4])
    assert counts == [[5, 5], [1, 2], [4, 3], [0, 3], [4, 0]]
    objective = oracle.tree_objective(
        *tree, X, [0, 1, 1, 0], n_classes=2, weights=[1, 2, 3, 4], regularization=0.1
    )
    assert objective == Fraction(1, 10) + 3 * Fraction(1, 10)


def test_floats_mean_the_decimal_they_print_as() -> None:
    assert exact(0.1) == Fraction(1, 10)
    assert exact(1e-9) == Fraction(1, 10**9)
    assert exact(Fraction(1, 3)) == Fraction(1, 3)
