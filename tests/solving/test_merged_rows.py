"""Merging equal rows changes the speed alone: trees, proofs and sets are the same, bit for bit.

The oracle's tests merge at random (`solver.random_speed`); here are tables so large that it is
decided while they are read, and sets.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from solver import asked
from strategies import LOSSES, Problem, random_costs, random_problem, threshold_table, with_loss

from splitsecond import RESPLIT, TreeFARMS, _core
from splitsecond._solving.solve import Solution, solve

FOUND = ("objective", "errors", "leaves", "lower_bound", "status", "feature", "left", "right")


def assert_same(one: Solution, other: Solution) -> None:
    for name in FOUND:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    np.testing.assert_array_equal(one.counts, other.counts)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weighted", [False, True])
def test_large_tables(loss: str, weighted: bool) -> None:
    seed = LOSSES.index(loss) + 10 * weighted
    rng = np.random.default_rng(seed)
    n_classes = 2 + seed % 2
    X, codes = threshold_table(seed, 110_000, 12, n_classes=n_classes)
    weights = rng.integers(0, 50, len(X)).astype(float) if weighted else None
    costs = random_costs(rng, n_classes) if loss == "costs" else None
    problem = Problem(X, codes, n_classes, weights, 0.002, 4, loss, costs)
    for min_rows in (1, 700):
        for algorithm in ("greedy", "lickety", "split", "optimal"):
            given = {**asked(problem), "min_leaf_rows": min_rows, "algorithm": algorithm}
            plain = solve(X, codes, merging="never", **given)
            for how in ("when_it_pays", "always"):
                assert_same(solve(X, codes, merging=how, n_jobs=2, **given), plain)


def test_merging_has_three_ways() -> None:
    with pytest.raises(ValueError, match="merging='often' is not one of"):
        _core.Speed(merging="often")


@pytest.mark.parametrize("kind", [RESPLIT, TreeFARMS])
@pytest.mark.parametrize("loss", ["zero_one", "log_loss"])
def test_sets(kind: Any, loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng([loss == "log_loss", kind is RESPLIT])
    speed = _core.Speed
    for _ in range(40):
        problem = with_loss(rng, random_problem(rng, max_rows=30, max_columns=5), loss)
        found = []
        for merging in ("never", "always"):
            monkeypatch.setattr(_core, "Speed", partial(speed, merging=merging))
            model = kind(
                regularization=max(0.01, float(problem.regularization)),
                max_depth=min(3, problem.max_depth),
                min_samples_leaf=problem.min_samples_leaf,
                loss=loss,
                epsilon=0.03,
            ).fit(problem.X, problem.codes, sample_weight=problem.weights)
            trees = model.trees_
            found.append((len(trees), model.status_, list(trees[:50])))
        assert found[0] == found[1]
