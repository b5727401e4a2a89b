"""Who checks the checker: the oracle against cases done by hand and against naming every tree."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import oracle
import pytest
from enumeration import Enumeration
from oracle import Oracle
from oracle_losses import exact
from seeds import seeds
from strategies import LOSSES, Problem, random_problem, with_loss


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(10, 1))
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
            completed = known.objective(known.completed_lickety(rows, depth, lookahead)[0])
            assert completed == named.completed_lickety(named.rows, depth, lookahead)


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
