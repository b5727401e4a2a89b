"""Sets hold exactly the trees that brute force finds, for every loss and size of leaves.

Losses that are no whole numbers are rounded to 2**-16 of the root's: sets are exact for that.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import pytest
from rashomon_oracle import RashomonOracle, Shape, leaves_of, shape_of
from seeds import seeds
from set_questions import random_question
from strategies import LOSSES, Problem, with_loss

from splitsecond import RESPLIT, TreeFARMS


def fitted(problem: Problem, *, lookahead: int | None, **options: Any) -> Any:
    kind: Any = TreeFARMS
    if lookahead is not None:
        kind = RESPLIT
        options["lookahead_depth"] = lookahead
    if problem.costs is not None:
        options.update(costs=problem.costs, actions=list(range(len(problem.costs))))
    else:
        options["loss"] = problem.loss
    model = kind(
        regularization=problem.regularization,
        max_depth=problem.max_depth,
        min_samples_leaf=problem.min_samples_leaf,
        **options,
    )
    return model.fit(problem.X, problem.codes, sample_weight=problem.weights)


def assert_agrees(
    problem: Problem, options: dict[str, Any], *, lookahead: int | None, n_jobs: int
) -> bool:
    """Return whether the trees agree; where rounding may be the reason, they need not."""
    own = dict(options)
    brute = RashomonOracle(
        problem.X,
        problem.codes,
        **problem.definition,
        exact_last_split=own.pop("exact_last_split", False),
    )
    arguments = (own["epsilon"], own["epsilon_kind"], own["keep_trivial"])
    if lookahead is None:
        expected = brute.exact_set(problem.max_depth, *arguments)
    else:
        levels = min(lookahead, problem.max_depth)
        expected = brute.resplit(problem.max_depth, levels, *arguments)
    if not expected:
        assert options["epsilon_kind"] == "absolute"
        with pytest.raises(ValueError, match="Raise epsilon="):
            fitted(problem, lookahead=lookahead, n_jobs=n_jobs, **options)
        return True
    model = fitted(problem, lookahead=lookahead, n_jobs=n_jobs, **options)
    assert model.status_ == "complete"
    shapes = [shape_of(tree) for tree in model.trees_]
    if brute.doubtful and set(shapes) != set(expected):
        return False
    assert model.trees_.n_trees == len(shapes) == len(expected)
    assert set(shapes) == set(expected)
    assert_in_order(problem, model, shapes, expected)
    return True


def assert_in_order(
    problem: Problem, model: Any, shapes: list[Shape], expected: dict[Shape, Fraction]
) -> None:
    """Best first, each with its objective: that of the rounded losses, or the real one."""
    order = [(expected[shape], leaves_of(shape)) for shape in shapes]
    assert order == sorted(order)
    assert shape_of(model.tree_) == shapes[0]
    assert model.trees_.min_objective == pytest.approx(float(order[0][0]), abs=1e-12)
    for tree, (rounded, leaves) in zip(model.trees_, order, strict=True):
        real = oracle.tree_objective(
            tree.feature, tree.left, tree.right, problem.X, problem.codes, **problem.definition
        )
        assert tree.objective == pytest.approx(float(real), rel=1e-12)
        assert float(real) == pytest.approx(float(rounded), abs=leaves / 2**17)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(20, 1))
def test_all_trees(loss: str, seed: int) -> None:
    rng = np.random.default_rng([80, seed])
    different = 0
    for _ in range(50):
        problem, options = random_question(rng, max_rows=30)
        problem = with_loss(rng, problem, loss)
        n_jobs = int(rng.integers(1, 3))
        different += not assert_agrees(problem, options, lookahead=None, n_jobs=n_jobs)
    assert different == 0


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(20, 1))
def test_resplit(loss: str, seed: int) -> None:
    rng = np.random.default_rng([81, seed])
    different = 0
    for _ in range(50):
        problem, options = random_question(rng, max_rows=30)
        problem = with_loss(rng, problem, loss)
        options["exact_last_split"] = bool(rng.random() < 0.2)
        lookahead = int(rng.integers(problem.max_depth + 2))
        n_jobs = int(rng.integers(1, 3))
        different += not assert_agrees(problem, options, lookahead=lookahead, n_jobs=n_jobs)
    assert different == 0
