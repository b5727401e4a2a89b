"""Who checks the checker: the oracle against cases done by hand and against naming every tree.

The enumeration below shares nothing with the oracle: rows are lists, trees are written out one by
one, every row is sent down every tree, and entropies come from another formula.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import oracle
import pytest
from oracle import Oracle, Tree
from seeds import seeds
from strategies import Problem, random_problem

Rows = list[int]


class Enumeration:
    """Every tree, one by one, on problems small enough for that."""

    def __init__(self, problem: Problem) -> None:
        given = [1] * len(problem.X) if problem.weights is None else problem.weights.tolist()
        self.weight = [Fraction(weight) for weight in given]
        self.X = problem.X.tolist()
        self.codes = problem.codes.tolist()
        self.price = oracle.exact(problem.regularization)
        self.rows = [i for i, weight in enumerate(self.weight) if weight]
        self.total = sum(self.weight)

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

    def leaf(self, rows: Rows) -> Fraction:
        counts = self.by_class(rows).values()
        return (sum(counts, Fraction(0)) - max(counts, default=Fraction(0))) / self.total + (
            self.price
        )

    def optimal(self, rows: Rows, depth: int) -> Fraction:
        return min(
            sum((self.leaf(end) for _, end in self.ends(tree, rows)), Fraction(0))
            for tree in self.trees(depth)
        )

    def surprise(self, rows: Rows) -> float:
        """Weight times entropy in bits, from logarithms of weights instead of shares."""
        counts = [float(count) for count in self.by_class(rows).values()]
        whole = sum(counts)
        return whole * math.log2(whole) - math.fsum(count * math.log2(count) for count in counts)

    def greedy(self, rows: Rows, depth: int) -> Fraction:
        whole = float(sum(self.weight[i] for i in rows))
        splits: list[tuple[float, Rows, Rows]] = []
        for feature in range(len(self.X[0])):
            yes = [i for i in rows if self.X[i][feature]]
            no = [i for i in rows if not self.X[i][feature]]
            if yes and no:
                splits.append(((self.surprise(yes) + self.surprise(no)) / whole, yes, no))
        if depth == 0 or not splits:
            return self.leaf(rows)
        least = min(after for after, _, _ in splits)
        best = next(split for split in splits if split[0] <= least + 1e-9)
        split = self.greedy(best[1], depth - 1) + self.greedy(best[2], depth - 1)
        return min(self.leaf(rows), split)

    def completed(self, prefix: Tree, depth: int, lookahead: int) -> Fraction | None:
        """The prefix with greedy trees at the horizon; None where a split leaves a side empty."""
        ends = self.ends(prefix, self.rows)
        if not all(rows for _, rows in ends):
            return None
        return sum(
            (
                self.greedy(rows, depth - lookahead) if level == lookahead else self.leaf(rows)
                for level, rows in ends
            ),
            Fraction(0),
        )

    def best_prefix(self, depth: int, lookahead: int) -> tuple[Fraction, Tree]:
        """The least objective, and of the prefixes that reach it the first in the tie order.

        Read from the root, leaf before split and low feature before high: that is the order of the
        features in preorder when a leaf counts as -1.
        """
        scored = [
            (objective, preorder(prefix), prefix)
            for prefix in self.trees(lookahead)
            if (objective := self.completed(prefix, depth, lookahead)) is not None
        ]
        objective, _, prefix = min(scored, key=lambda item: item[:2])
        return objective, prefix

    def split(self, depth: int, lookahead: int) -> Fraction:
        _, prefix = self.best_prefix(depth, lookahead)
        ends = self.ends(prefix, self.rows)
        return sum((self.optimal(rows, depth - level) for level, rows in ends), Fraction(0))

    def lickety(self, rows: Rows, depth: int) -> Fraction:
        best, sides = self.leaf(rows), None
        for feature in range(len(self.X[0])) if depth else ():
            yes = [i for i in rows if self.X[i][feature]]
            no = [i for i in rows if not self.X[i][feature]]
            if yes and no:
                value = self.greedy(yes, depth - 1) + self.greedy(no, depth - 1)
                if value < best:
                    best, sides = value, (yes, no)
        if sides is None:
            return best
        return self.lickety(sides[0], depth - 1) + self.lickety(sides[1], depth - 1)


def preorder(tree: Tree) -> tuple[int, ...]:
    return (-1,) if tree is None else (tree[0], *preorder(tree[1]), *preorder(tree[2]))


@pytest.mark.parametrize("seed", seeds(10))
def test_equals_the_enumeration_of_every_tree(seed: int) -> None:
    rng = np.random.default_rng([2, seed])
    for _ in range(40):
        problem = random_problem(rng, max_rows=14, max_columns=3, max_depth=2)
        compare_with_enumeration(problem)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_equals_the_enumeration_of_every_deep_tree(seed: int) -> None:
    rng = np.random.default_rng([3, seed])
    for _ in range(12):
        problem = random_problem(rng, max_rows=12, max_columns=2, max_depth=3)
        compare_with_enumeration(problem)


def compare_with_enumeration(problem: Problem) -> None:
    known = Oracle(problem.X, problem.codes, **problem.data)
    named = Enumeration(problem)
    rows, depth = known.everything, problem.max_depth
    assert known.objective(known.optimal(rows, depth)[0]) == named.optimal(named.rows, depth)
    assert known.objective(known.lickety(rows, depth)[0]) == named.lickety(named.rows, depth)
    for lookahead in range(depth + 1):
        value, _ = named.best_prefix(depth, lookahead)
        assert known.objective(known.value(rows, depth, lookahead)[0]) == value
        split = known.objective(known.split(rows, depth, lookahead)[0])
        assert split == named.split(depth, lookahead)


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
    assert oracle.exact(0.1) == Fraction(1, 10)
    assert oracle.exact(1e-9) == Fraction(1, 10**9)
    assert oracle.exact(Fraction(1, 3)) == Fraction(1, 3)
