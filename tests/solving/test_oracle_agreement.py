"""Every algorithm gives exactly the objective its definition gives, on thousands of problems.

Objectives are compared as fractions, without tolerance. The returned tree is sent every row again:
it must have the objective, the counts and the size that were reported for it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from oracle import Oracle
from seeds import examples, seeds
from strategies import Problem, problems, random_problem

from splitsecond._solving.solve import Solution, solve


def solved(problem: Problem, algorithm: str, **options: Any) -> Solution:
    """Solve, and check everything the answer says about itself."""
    solution = solve(
        problem.X,
        problem.codes,
        algorithm=algorithm,
        max_depth=problem.max_depth,
        **problem.data,
        **options,
    )
    tree = (solution.feature, solution.left, solution.right)
    shape = oracle.nested(*tree)
    assert solution.objective == oracle.tree_objective(
        *tree, problem.X, problem.codes, **problem.data
    )
    assert solution.leaves == oracle.leaves_of(shape)
    assert len(solution.feature) == 2 * solution.leaves - 1
    # A split has rows on both sides, even where leaves are free.
    assert (solution.counts.sum(axis=1) > 0).all()
    assert oracle.depth_of(shape) <= problem.max_depth
    assert 0 <= solution.lower_bound <= solution.objective
    assert solution.status in ("optimal", "complete")
    return solution


def assert_agrees(problem: Problem) -> None:
    known = Oracle(problem.X, problem.codes, **problem.data)
    rows, depth = known.everything, problem.max_depth

    exact = Oracle(problem.X, problem.codes, **problem.data, exact_last_split=True)
    greedy = solved(problem, "greedy", exact_last_split=True)
    assert greedy.objective == exact.objective(exact.greedy(rows, depth)[0])
    lickety = solved(problem, "lickety", exact_last_split=True)
    assert lickety.objective == exact.objective(exact.lickety(rows, depth)[0])
    for lookahead in range(depth):
        options = {"lookahead_depth": lookahead, "exact_last_split": True}
        value = solved(problem, "split", **options, postprocess=False)
        assert value.objective == exact.objective(exact.value(rows, depth, lookahead)[0])
        if lookahead == 0:
            continue
        lickety = solved(problem, "lickety", **options)
        assert lickety.objective == exact.objective(exact.lickety(rows, depth, lookahead)[0])
        completed = solved(problem, "lickety", **options, completion="lickety")
        tree_cost = exact.completed_lickety(rows, depth, lookahead)[0]
        assert completed.objective == exact.objective(tree_cost)

    greedy = solved(problem, "greedy")
    assert greedy.objective == known.objective(known.greedy(rows, depth)[0])

    optimal = solved(problem, "optimal")
    assert optimal.objective == known.objective(known.optimal(rows, depth)[0])
    assert optimal.lower_bound == optimal.objective
    assert optimal.status == "optimal"

    lickety = solved(problem, "lickety")
    assert lickety.objective == known.objective(known.lickety(rows, depth)[0])

    for lookahead in range(depth + 1):
        value = solved(problem, "split", lookahead_depth=lookahead, postprocess=False)
        assert value.objective == known.objective(known.value(rows, depth, lookahead)[0])
        split = solved(problem, "split", lookahead_depth=lookahead)
        assert split.objective == known.objective(known.split(rows, depth, lookahead)[0])


@pytest.mark.parametrize("seed", seeds(40, 1))
def test_random_problems(seed: int) -> None:
    rng = np.random.default_rng([1, seed])
    for _ in range(100):
        assert_agrees(random_problem(rng))


@pytest.mark.parametrize("seed", seeds(10, 1))
def test_wider_problems(seed: int) -> None:
    """More rows than a machine word has bits, and enough columns for greedy to go astray."""
    rng = np.random.default_rng([4, seed])
    for _ in range(20):
        assert_agrees(random_problem(rng, max_rows=150, max_columns=8))


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(problem=problems())
def test_problems_that_shrink(problem: Problem) -> None:
    assert_agrees(problem)


@pytest.mark.parametrize("algorithm", ["greedy", "optimal", "split", "lickety"])
def test_counts_of_every_node(algorithm: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(100):
        problem = random_problem(rng)
        options: dict[str, Any] = {}
        if algorithm == "split":
            options = {"lookahead_depth": min(1, problem.max_depth)}
        solution = solved(problem, algorithm, **options)
        counts = oracle.node_counts(
            solution.feature,
            solution.left,
            solution.right,
            problem.X,
            problem.codes,
            n_classes=problem.n_classes,
            weights=problem.weights,
        )
        # Weights may be counted in another unit (quarters, or all halved), but in one and the same.
        found = [[Fraction(count) for count in node] for node in solution.counts.tolist()]
        unit = sum(counts[0]) / sum(found[0])
        assert [[count * unit for count in node] for node in found] == counts
        ends = [counts[node] for node, feature in enumerate(solution.feature) if feature < 0]
        assert solution.errors * unit == sum(sum(end) - max(end) for end in ends)


@pytest.mark.parametrize("n_rows", [1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513])
def test_row_counts_around_the_width_of_a_register(n_rows: int) -> None:
    """The bits beyond the last row must never be counted, in any class or on either side."""
    rng = np.random.default_rng([6, n_rows])
    for density in (0.5, 1.0):
        X = (rng.random((n_rows, 4)) < density).astype(np.uint8)
        codes = (X[:, 0] ^ X[:, 1] ^ (rng.random(n_rows) < 0.2)).astype(np.int64)
        assert_agrees(Problem(X, codes, 2, None, 0.001, 3))
        assert_agrees(Problem(1 - X, codes, 3, None, 0.001, 3))


def test_prices_beyond_floating_point() -> None:
    """A hair decides between a leaf and a split: float arithmetic cannot tell these prices apart.

    The split removes one third of the errors, so it pays exactly while a leaf costs less than 1/3.
    """
    X = np.array([[1], [0], [0]], dtype=np.uint8)
    codes = np.array([1, 0, 0])
    hair = Fraction(1, 10**15)
    sizes = {}
    for price in (Fraction(1, 3) - hair, Fraction(1, 3), Fraction(1, 3) + hair):
        problem = Problem(X, codes, 2, None, price, 1)
        assert_agrees(problem)
        sizes[price] = solved(problem, "optimal").leaves
    assert list(sizes.values()) == [2, 1, 1]


def test_a_float_price_is_the_decimal_it_prints_as() -> None:
    X = np.array([[1], *[[0]] * 9], dtype=np.uint8)
    codes = np.array([1, *[0] * 9])
    # The split saves exactly 1/10: at the decimal 0.1 it is a tie, which the leaf wins, although
    # the binary number 0.1 is a little more than 1/10 and 0.09999999999999999 a little less.
    tied = solved(Problem(X, codes, 2, None, 0.1, 1), "optimal")
    assert (tied.objective, tied.leaves) == (Fraction(1, 5), 1)
    below = solved(Problem(X, codes, 2, None, 0.09999999999999999, 1), "optimal")
    assert below.leaves == 2
    assert below.objective == 2 * Fraction("0.09999999999999999")


def test_weights_that_differ_by_one_in_a_hundred_million() -> None:
    X = np.array([[1, 0], [0, 1], [0, 0], [0, 0]], dtype=np.uint8)
    codes = np.array([1, 1, 0, 0])
    weights = np.array([10**8, 10**8 + 1, 2 * 10**8, 2 * 10**8])
    problem = Problem(X, codes, 2, weights, Fraction(1, 100), 1)
    assert_agrees(problem)
    # Each column sets one wrong row right, and the second row is a little heavier.
    assert solved(problem, "optimal").feature[0] == 1
