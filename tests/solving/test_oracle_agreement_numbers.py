"""Every regressor finds what its definition asks for, on thousands of problems.

Objectives are within 1e-9 of the root's loss of those that brute force finds in exact arithmetic.
The returned tree is sent every row again: it must have the objective, the means, the rows and the
size that were reported for it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pytest
from number_problems import LOSSES, NumbersProblem, random_numbers_problem
from oracle import depth_of, leaves_of, nested
from oracle_numbers import NumbersOracle, Range
from seeds import seeds

from splitsecond import (
    GreedyTreeRegressor,
    LicketySPLITRegressor,
    OptimalTreeRegressor,
    RESPLITRegressor,
    SPLITRegressor,
    TreeFARMSRegressor,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::splitsecond.SingleLeafWarning"),
    pytest.mark.filterwarnings("ignore::splitsecond.ColumnWarning"),  # of chance
]

CLOSE = 1e-9  # of the root's loss
EACH, MANY = 20, 75  # problems of a test

# An estimator, its parameters, what defines it, and how many levels that looks ahead.
Question: TypeAlias = tuple[Any, dict[str, Any], Callable[..., Range], tuple[int, ...]]


def fitted(kind: Any, problem: NumbersProblem, known: NumbersOracle, **options: Any) -> Any:
    """Fit, and check everything the model says about itself."""
    model = kind(**problem.parameters, **options)
    model.fit(problem.X, problem.y, sample_weight=problem.weights)
    tree = nested(model.tree_.feature, model.tree_.left, model.tree_.right)
    assert model.objective_ == pytest.approx(float(known.tree_objective(tree)), abs=CLOSE)
    assert model.n_leaves_ == leaves_of(tree)
    assert model.depth_ == depth_of(tree) <= problem.max_depth
    assert 0 <= model.lower_bound_ <= model.objective_
    assert model.status_ in ("optimal", "complete")
    assert_means(model, problem, known, tree)
    return model


def assert_means(model: Any, problem: NumbersProblem, known: NumbersOracle, tree: Any) -> None:
    """A leaf says the mean of its rows, in print and for new rows."""
    largest = max(1e-300, float(np.max(np.abs(problem.y))))
    ends = known.ends(tree)
    leaves = [node for node in preorder(model.tree_) if model.tree_.feature[node] < 0]
    for node, mask in zip(leaves, ends, strict=True):
        assert model.tree_.n_rows[node] == mask.bit_count()
        said = model.tree_.labels[model.tree_.prediction[node]]
        assert abs(said - float(known.mean(mask))) <= 1e-12 * largest
    answers = model.predict(problem.X)
    weights = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    mean = np.average(np.asarray(problem.y, dtype=float), weights=weights)
    assert np.average(answers, weights=weights) == pytest.approx(mean, abs=1e-11 * largest)


def preorder(tree: Any, node: int = 0) -> list[int]:
    if tree.feature[node] < 0:
        return [node]
    below = preorder(tree, int(tree.left[node])) + preorder(tree, int(tree.right[node]))
    return [node, *below]


def within(objective: float, known: NumbersOracle, expected: Range) -> bool:
    low, high = (float(known.objective(cost)) for cost in expected)
    return low - CLOSE - known_margin(known) <= objective <= high + CLOSE + known_margin(known)


def known_margin(known: NumbersOracle) -> float:
    """What the rounding of weights may change: nothing where they are counted exactly."""
    return max(0.0, float(known.objective(known.margin)) - CLOSE)


def questions(problem: NumbersProblem) -> list[Question]:
    """Estimators with their own parameters, and the costs that they may end with."""
    depth = problem.max_depth
    asked: list[Question] = [
        (GreedyTreeRegressor, {}, NumbersOracle.greedy, ()),
        (OptimalTreeRegressor, {}, NumbersOracle.optimal, ()),
    ]
    for ahead in (1, 2):
        levels: dict[str, Any] = {"lookahead_depth": ahead}
        asked.append((LicketySPLITRegressor, levels, NumbersOracle.lickety, (ahead,)))
        completed = {**levels, "completion": "lickety"}
        asked.append((LicketySPLITRegressor, completed, NumbersOracle.completed_lickety, (ahead,)))
    for ahead in range(depth + 1):
        levels = {"lookahead_depth": ahead}
        asked.append((SPLITRegressor, levels, NumbersOracle.split, (ahead,)))
        prefix = {**levels, "postprocess": False}
        asked.append((SPLITRegressor, prefix, NumbersOracle.value, (ahead,)))
    return asked


def assert_agrees(problem: NumbersProblem, asked: list[Question]) -> int:
    """Return how many estimators were asked."""
    known = NumbersOracle(problem.X, problem.y, **problem.definition)
    optimum = known.objective(known.optimal(known.everything, problem.max_depth)[0])
    for kind, options, definition, levels in asked:
        model = fitted(kind, problem, known, **options)
        expected = definition(known, known.everything, problem.max_depth, *levels)
        assert within(model.objective_, known, expected), (kind, options)
        assert_bound(model, known, optimum)
        if kind is OptimalTreeRegressor:
            assert model.status_ == "optimal"
            assert model.objective_ - model.lower_bound_ <= model.statistics_["rounding"]
    return len(asked) + assert_sets_begin_well(problem, known, optimum)


def assert_bound(model: Any, known: NumbersOracle, optimum: Fraction) -> None:
    """No tree is better than what was proved (for weights as they are counted)."""
    assert model.lower_bound_ <= float(optimum) + 1e-12 + known_margin(known)


def assert_sets_begin_well(problem: NumbersProblem, known: NumbersOracle, optimum: Fraction) -> int:
    """The best tree of a set is one of the best, up to how sets round."""
    if problem.max_depth > 3:
        return 0
    rows, depth = known.everything, problem.max_depth
    small = {"epsilon": 0.001}
    model = fitted(TreeFARMSRegressor, problem, known, **small)
    rounding = 2**depth * 2.0**-16 + CLOSE
    assert float(optimum) - CLOSE - known_margin(known) <= model.objective_
    assert model.objective_ <= float(optimum) + rounding + known_margin(known)
    assert_bound(model, known, optimum)
    ahead = min(depth, 1)
    model = fitted(RESPLITRegressor, problem, known, lookahead_depth=ahead, **small)
    _, high = known.value(rows, depth, ahead)
    assert float(optimum) - CLOSE - known_margin(known) <= model.objective_
    assert model.objective_ <= float(known.objective(high)) + rounding + known_margin(known)
    return 2


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(12, 1))
def test_random_problems(loss: str, seed: int) -> None:
    rng = np.random.default_rng([90, seed])
    problems = [random_numbers_problem(rng, loss) for _ in range(EACH)]
    asked = sum(assert_agrees(problem, questions(problem)) for problem in problems)
    assert asked >= 10 * EACH


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(12, 1))
def test_many_problems(loss: str, seed: int) -> None:
    """As many again and more, of which each is a question to one of the searches, and to sets."""
    rng = np.random.default_rng([94, seed])
    for _ in range(MANY):
        problem = random_numbers_problem(rng, loss)
        asked = questions(problem)
        assert_agrees(problem, [asked[int(rng.integers(len(asked)))]])
