"""Which tree comes back when several are equally good: always the same one, and a nameable one.

A leaf before a split, then the lowest feature. Only here are shapes of trees compared.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import oracle
import pytest
from oracle import Oracle, Tree
from strategies import random_problem

from splitsecond._solving.solve import solve

ALGORITHMS = ("greedy", "optimal", "split", "lickety")


def shape(
    X: npt.NDArray[Any],
    codes: npt.NDArray[Any],
    algorithm: str,
    *,
    max_depth: int,
    regularization: Fraction | float = 0.01,
    n_classes: int = 2,
    **options: Any,
) -> Tree:
    solution = solve(
        X,
        codes,
        algorithm=algorithm,
        max_depth=max_depth,
        regularization=regularization,
        n_classes=n_classes,
        **options,
    )
    return oracle.nested(solution.feature, solution.left, solution.right)


def cube(n_columns: int) -> npt.NDArray[np.uint8]:
    return np.array(list(itertools.product([0, 1], repeat=n_columns)), dtype=np.uint8)


@pytest.mark.parametrize(("max_rows", "max_columns"), [(16, 5), (40, 6)])
@pytest.mark.parametrize("seed", range(10))
def test_the_very_trees_of_the_definitions(seed: int, max_rows: int, max_columns: int) -> None:
    """Few rows and prices of exactly one row: ties are everywhere."""
    rng = np.random.default_rng([7, seed])
    for _ in range(60):
        problem = random_problem(rng, max_rows=max_rows, max_columns=max_columns)
        known = Oracle(problem.X, problem.codes, **problem.data)
        rows, depth = known.everything, problem.max_depth

        def found(
            algorithm: str, problem: Any = problem, depth: int = depth, **options: Any
        ) -> Tree:
            data = problem.data
            return shape(problem.X, problem.codes, algorithm, max_depth=depth, **data, **options)

        assert found("greedy") == known.greedy(rows, depth)[1]
        assert found("optimal") == known.optimal(rows, depth)[1]
        assert found("lickety") == known.lickety(rows, depth)[1]
        for lookahead in range(depth + 1):
            value = found("split", lookahead_depth=lookahead, postprocess=False)
            assert value == known.value(rows, depth, lookahead)[1]
            split = found("split", lookahead_depth=lookahead)
            assert split == known.split(rows, depth, lookahead)[1]


@pytest.mark.parametrize("cache", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_ties_deep_in_a_prefix(seed: int, cache: bool) -> None:
    """The order of the search and what it remembers may decide which equal split is met first, but
    not which is returned. Rare: it takes several levels of lookahead and a completion below them.
    """
    rng = np.random.default_rng([17, seed])
    for _ in range(100):
        problem = random_problem(rng, max_rows=60, max_columns=8)
        known = Oracle(problem.X, problem.codes, **problem.data)
        for lookahead in (2, 3):
            tree = shape(
                problem.X,
                problem.codes,
                "split",
                max_depth=4,
                lookahead_depth=lookahead,
                postprocess=False,
                cache=cache,
                **problem.data,
            )
            assert tree == known.value(known.everything, 4, lookahead)[1]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_of_equal_columns_the_first(algorithm: str) -> None:
    column = np.array([1, 1, 1, 0, 0, 0], dtype=np.uint8)
    X = np.stack([np.zeros_like(column), column, column, 1 - column], axis=1)
    assert shape(X, column, algorithm, max_depth=2) == (1, None, None)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_of_complementary_columns_the_first(algorithm: str) -> None:
    column = np.array([1, 1, 1, 0, 0, 0], dtype=np.uint8)
    X = np.stack([1 - column, column], axis=1)
    assert shape(X, column, algorithm, max_depth=2) == (0, None, None)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("regularization", [0.0, 0.25, 1.0])
def test_a_leaf_before_a_split_of_equal_objective(algorithm: str, regularization: float) -> None:
    # At 1/4 the split of column 0 saves exactly what its second leaf costs; at 0 nothing is saved.
    X = np.array([[1], [0], [0], [0]], dtype=np.uint8)
    codes = np.array([1, 0, 0, 0]) if regularization else np.array([0, 0, 0, 0])
    tree = shape(X, codes, algorithm, max_depth=3, regularization=regularization)
    assert tree is None


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_pure_node_stays_a_leaf_even_when_leaves_are_free(algorithm: str) -> None:
    X = cube(3)
    tree = shape(X, X[:, 0], algorithm, max_depth=3, regularization=0)
    assert tree == (0, None, None)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_of_equal_splits_the_lowest_feature_at_every_level(algorithm: str) -> None:
    # A parity is symmetric in its columns: any order of questions is as good as any other.
    X = cube(2)
    tree = shape(X, X[:, 0] ^ X[:, 1], algorithm, max_depth=2)
    assert tree == (0, (1, None, None), (1, None, None))


def test_equal_gains_are_a_tie_in_spite_of_rounding() -> None:
    """Different columns of the same gain, whose floating-point entropies differ in the last bits.

    Three classes of twelve rows; each column picks 7, 3 and 5 rows of them in some order, or leaves
    out as many. The gain is the same number, but the sums are taken in another order.
    """
    rng = np.random.default_rng(9)
    codes = np.repeat([0, 1, 2], 12)
    columns = []
    for picked in itertools.permutations([7, 3, 5]):
        column = np.concatenate([rng.permutation(12) < count for count in picked])
        columns += [column, ~column[::-1]]
    assert len({column.tobytes() for column in columns}) == 12
    for _ in range(50):
        X = np.stack([columns[i] for i in rng.permutation(12)], axis=1).astype(np.uint8)
        tree = shape(X, codes, "greedy", max_depth=1, n_classes=3, regularization=0)
        assert tree == (0, None, None)


def test_a_gain_that_is_really_higher_is_taken() -> None:
    # One row more on the right side: far more than 1e-9 bits.
    codes = np.array([1] * 50 + [0] * 50)
    worse = np.array([1] * 39 + [0] * 61, dtype=np.uint8)
    better = np.array([1] * 40 + [0] * 60, dtype=np.uint8)
    X = np.stack([worse, better], axis=1)
    assert shape(X, codes, "greedy", max_depth=1) == (1, None, None)


def test_greedy_ignores_columns_that_divide_only_rows_without_weight() -> None:
    # Column 0 divides the rows only by the last one, which counts for nothing.
    X = np.array([[0, 1], [0, 1], [0, 0], [0, 0], [1, 0]], dtype=np.uint8)
    codes = np.array([1, 1, 0, 0, 1])
    tree = shape(X, codes, "greedy", max_depth=2, weights=np.array([1, 1, 1, 1, 0]))
    assert tree == (1, None, None)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_same_tree_every_time(algorithm: str) -> None:
    rng = np.random.default_rng(8)
    X = (rng.random((500, 12)) < 0.5).astype(np.uint8)
    codes = rng.integers(3, size=500)
    trees = [
        shape(X, codes, algorithm, max_depth=3, n_classes=3, regularization=0.002, n_jobs=jobs)
        for jobs in (1, 1, 2, 2, 4, 4)
    ]
    assert trees.count(trees[0]) == len(trees)
