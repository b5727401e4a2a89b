"""Every algorithm gives the very tree of its definition, for every loss and size of leaves.

Each problem is solved with other switches, SIMD paths and threads. Where doubles may round a loss
to another unit than its true value (`Oracle.doubtful`), another tree is let pass if such problems
are few, for it is as good up to some units.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Oracle, Tree
from oracle_losses import exact, plain
from seeds import examples, seeds
from set_questions import random_question
from solver import random_speed, solution_of
from strategies import (
    LOSSES,
    Problem,
    noisy_problem,
    problems,
    problems_with_losses,
    random_problem,
    with_loss,
)

from splitsecond import (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
)
from splitsecond._solving.solve import ALGORITHMS, Solution

Question = tuple[str, dict[str, Any], tuple[int, Tree]]


def questions(known: Oracle, depth: int) -> Iterator[Question]:
    """Every algorithm with its options, and the cost and tree that it means."""
    rows = known.everything
    yield "greedy", {}, known.greedy(rows, depth)
    yield "optimal", {}, known.optimal(rows, depth)
    for lookahead in range(depth + 1):
        options: dict[str, Any] = {"lookahead_depth": lookahead}
        value = known.value(rows, depth, lookahead)
        yield "split", {**options, "postprocess": False}, value
        yield "split", options, known.split(rows, depth, lookahead)
        if lookahead > 0:
            yield "lickety", options, known.lickety(rows, depth, lookahead)
            completed = known.completed_lickety(rows, depth, lookahead)
            yield "lickety", {**options, "completion": "lickety"}, completed


def disagreements(problem: Problem, rng: np.random.Generator) -> int:
    """Solve by every algorithm; return how many trees differ where rounding may be the reason."""
    exact_last_split = bool(rng.random() < 0.3)
    known = Oracle(
        problem.X, problem.codes, **problem.definition, exact_last_split=exact_last_split
    )
    depth = problem.max_depth
    expected = list(questions(known, depth))
    n_different = 0
    for algorithm, options, (cost, tree) in expected:
        # The optimum has no greedy part.
        own = {} if algorithm == "optimal" else {"exact_last_split": exact_last_split}
        solution = solution_of(problem, algorithm, **options, **own, **random_speed(rng))
        found = oracle.nested(solution.feature, solution.left, solution.right)
        assert_is_what_it_says(problem, known, solution, found)
        same = found == tree and counted(known, solution) == cost
        assert same or known.doubtful, (problem, algorithm, options, found, tree)
        n_different += found != tree
        if algorithm == "optimal":
            assert solution.status == "optimal"
            units = known.cost(found, known.everything) - cost
            assert units <= known.loss.off * 2 ** (depth + 1) * known.regularization.denominator
    return n_different


def counted(known: Oracle, solution: Solution) -> Fraction:
    """The cost that a solution says it has, in the oracle's units."""
    objective = solution.units.objective(solution.errors, solution.leaves, known.regularization)
    return objective * known.loss.whole * known.regularization.denominator


def assert_is_what_it_says(
    problem: Problem, known: Oracle, solution: Solution, found: Tree
) -> None:
    real = oracle.tree_objective(
        solution.feature,
        solution.left,
        solution.right,
        problem.X,
        problem.codes,
        **problem.definition,
    )
    if known.loss.says_shares:
        assert float(solution.objective) == pytest.approx(float(real), rel=1e-12)
        # Each leaf is rounded once, and doubles may round to another unit.
        units = abs(counted(known, solution) - known.cost(found, known.everything))
        assert units <= known.loss.off * solution.leaves * known.regularization.denominator
    else:
        assert solution.objective == real
        assert solution.objective == known.objective(known.cost(found, known.everything))
    assert solution.leaves == oracle.leaves_of(found)
    assert oracle.depth_of(found) <= problem.max_depth
    assert solution.lower_bound <= solution.objective
    optimal = known.objective(known.optimal(known.everything, problem.max_depth)[0])
    assert solution.lower_bound <= optimal + Fraction(1, 10**12)


def with_a_tie(problem: Problem, rng: np.random.Generator) -> Problem:
    """The penalty at which some split costs exactly what it saves: the leaf must win."""
    known = Oracle(problem.X, problem.codes, **{**problem.definition, "regularization": 0})
    splits = known.splits(known.everything)
    if not splits:
        return problem
    _, yes, no = splits[int(rng.integers(len(splits)))]
    saved = known.leaf(known.everything) - known.leaf(yes) - known.leaf(no)
    return dataclasses.replace(problem, regularization=Fraction(max(0, saved), known.loss.whole))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(20, 1))
def test_random_problems(loss: str, seed: int) -> None:
    rng = np.random.default_rng([70, seed])
    n_different = n_trees = 0
    for _ in range(100):
        hard = rng.random() < 0.3
        problem = noisy_problem(rng) if hard else random_problem(rng, max_rows=30, max_columns=6)
        problem = with_loss(rng, problem, loss)
        if rng.random() < 0.15:
            problem = with_a_tie(problem, rng)
        n_different += disagreements(problem, rng)
        n_trees += 4 * problem.max_depth + 4
    assert n_different <= n_trees / 100


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(4, 0))
def test_wider_problems(loss: str, seed: int) -> None:
    """More rows than a machine word has bits, and enough columns for greedy to go astray."""
    rng = np.random.default_rng([71, seed])
    n_different = 0
    for _ in range(15):
        problem = random_problem(rng, max_rows=150, max_columns=7)
        n_different += disagreements(with_loss(rng, problem, loss), rng)
    assert n_different <= 1


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(3, 1))
def test_rare_classes(loss: str, seed: int) -> None:
    """Differences of large numbers are what little there is to lose."""
    rng = np.random.default_rng([75, seed])
    n_different = 0
    for _ in range(20):
        problem = with_loss(rng, noisy_problem(rng), loss)
        heavy = rng.integers(10**5, 10**7, size=len(problem.X))
        light = rng.integers(1, 4, size=len(problem.X))
        weights = np.where(problem.codes == 0, heavy, light)
        n_different += disagreements(dataclasses.replace(problem, weights=weights), rng)
    assert n_different <= 1


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(problem=problems_with_losses(max_rows=20, max_columns=5))
def test_problems_that_shrink(problem: Problem) -> None:
    disagreements(problem, np.random.default_rng(72))


@pytest.mark.parametrize("loss", LOSSES)
def test_greedy_takes_splits_that_are_nearly_as_good_for_equal(loss: str) -> None:
    """The last row is on the better side of the second column, but hardly counts."""
    X = np.array([[1, 1], [1, 1], [0, 0], [0, 0], [0, 1]], dtype=np.uint8)
    codes = np.array([1, 0, 1, 0, 1])
    costs = [[0, 1], [1, 0]] if loss == "costs" else None
    chosen = []
    for last in (0, 1, 1000):
        weights = np.array([*(10**6 * np.array([540, 360, 360, 540])), last])
        problem = Problem(X, codes, 2, weights, 0.01, 1, loss, costs)
        known = Oracle(X, codes, **problem.definition)
        assert not disagreements(problem, np.random.default_rng(0))
        chosen.append(known.greedy_feature(known.everything))
    assert chosen == [0, 0, 1]


@given(
    problem=problems(max_rows=30, max_classes=2),
    missed=st.integers(1, 9),
    alarm=st.integers(1, 9),
)
def test_costs_of_two_mistakes_are_class_weights(problem: Problem, missed: int, alarm: int) -> None:
    """The same trees from every algorithm, at the lambda that this rescales to."""
    costs = [[0, missed], [alarm, 0]]
    own = np.ones(len(problem.X), dtype=int) if problem.weights is None else problem.weights
    weights = own * np.where(problem.codes == 1, missed, alarm)
    ratio = Fraction(int(weights.sum()), int(own.sum()))
    price = exact(problem.regularization)
    priced = dataclasses.replace(problem, n_classes=2, loss="costs", costs=costs)
    weighted = dataclasses.replace(
        problem, n_classes=2, weights=weights, regularization=price / ratio
    )
    for algorithm in ALGORITHMS:
        one, other = solution_of(priced, algorithm), solution_of(weighted, algorithm)
        assert one.feature.tolist() == other.feature.tolist()
        assert one.left.tolist() == other.left.tolist()
        assert one.objective == other.objective * ratio


@pytest.mark.filterwarnings("ignore::splitsecond.SingleLeafWarning")
@pytest.mark.parametrize("loss", LOSSES)
def test_estimators(loss: str) -> None:
    """What users call gives the same trees, from parameters that read otherwise."""
    rng = np.random.default_rng(73)
    for _ in range(25):
        problem, _ = random_question(rng, max_rows=40, max_columns=6, max_depth=3)
        problem = with_loss(rng, problem, loss)
        last: dict[str, Any] = {"exact_last_split": bool(rng.random() < 0.5)}
        known = Oracle(problem.X, problem.codes, **problem.definition, **last)
        rows, depth = known.everything, problem.max_depth
        options = estimator_options(problem, rng)
        ahead = {"lookahead_depth": 2, **last}
        completed = {**ahead, "completion": "lickety"}
        for kind, own, (cost, tree) in (
            (GreedyTreeClassifier, last, known.greedy(rows, depth)),
            (LicketySPLITClassifier, last, known.lickety(rows, depth)),
            (LicketySPLITClassifier, ahead, known.lickety(rows, depth, 2)),
            (LicketySPLITClassifier, completed, known.completed_lickety(rows, depth, 2)),
            (SPLITClassifier, {"lookahead_depth": 1, **last}, known.split(rows, depth, 1)),
            (OptimalTreeClassifier, {}, known.optimal(rows, depth)),
        ):
            if own.get("lookahead_depth", 0) > problem.max_depth:
                continue
            model = kind(**options, **own)
            model.fit(problem.X, problem.codes, sample_weight=problem.weights)
            found = model.tree_
            assert oracle.nested(found.feature, found.left, found.right) == tree or known.doubtful
            assert model.objective_ == pytest.approx(float(known.objective(cost)), abs=1e-10)


def estimator_options(problem: Problem, rng: np.random.Generator) -> dict[str, Any]:
    options: dict[str, Any] = {
        "regularization": problem.regularization,
        "max_depth": problem.max_depth,
        "min_samples_leaf": problem.min_samples_leaf,
    }
    if problem.costs is None:
        return {**options, "loss": problem.loss}
    if rng.random() < 0.5:
        return {**options, "costs": problem.costs, "actions": list(range(len(problem.costs)))}
    mapping = {
        f"action {i}": dict(enumerate(plain(cost) for cost in action))
        for i, action in enumerate(problem.costs)
    }
    return {**options, "costs": mapping}
