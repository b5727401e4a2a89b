"""Limits hold for Rashomon sets too, and what comes back is a part of the set.

Those that look at a clock are in test_limits.py.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from endless_sets import ENDLESS_SETS, Table, assert_real_trees, noise_without_end
from rashomon_oracle import RashomonOracle, shape_of

from splitsecond import RESPLIT, LimitWarning, TreeFARMS

endless = pytest.mark.parametrize("kind", ENDLESS_SETS)
jobs = pytest.mark.parametrize("n_jobs", [1, 2])


@pytest.fixture(scope="module")
def hard() -> Table:
    return noise_without_end()


@jobs
@endless
@pytest.mark.parametrize("limit", [1, 1000, 300_000, 3_000_000])
def test_memory_limit(kind: str, limit: int, n_jobs: int, hard: Table) -> None:
    model = ENDLESS_SETS[kind](memory_limit=limit, n_jobs=n_jobs, time_limit=20)
    with pytest.warns(LimitWarning):
        model.fit(*hard)
    assert model.status_ == "memory_limit"
    assert model.statistics_["peak_bytes"] <= limit
    assert_real_trees(model, *hard)


def test_every_tree_of_a_part_is_in_the_set() -> None:
    """Wherever the search is stopped, no tree is made up, and the best found is not lost."""
    rng = np.random.default_rng(91)
    stopped = 0
    for _ in range(30):
        X = rng.integers(0, 2, (30, 4)).astype(np.uint8)
        y = rng.integers(0, 2, 30)
        brute = RashomonOracle(X, y, n_classes=2, regularization=0.01)
        expected = {
            TreeFARMS: brute.exact_set(3, 0.1),
            RESPLIT: brute.resplit(3, 2, 0.1),
        }
        for kind, known in expected.items():
            options: dict[str, Any] = {"lookahead_depth": 2} if kind is RESPLIT else {}
            for limit in (8000, 12_000, 16_000, 20_000, 30_000, 45_000, 70_000):
                model = kind(
                    regularization=0.01,
                    epsilon=0.1,
                    max_depth=3,
                    memory_limit=limit,
                    n_jobs=1,
                    **options,
                )
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", LimitWarning)
                    trees = model.fit(X, y).trees_
                shapes = [shape_of(tree) for tree in trees]
                assert len(set(shapes)) == len(shapes)
                if model.status_ == "complete":
                    assert set(shapes) == set(known)
                else:
                    stopped += 1
                    # Stopped before the best tree is known, all there is is the best so far.
                    assert len(shapes) == 1 or set(shapes) <= set(known)
                    assert trees.min_objective == pytest.approx(trees.bound - 0.1)
    assert stopped > 20


def test_limits_that_are_never_reached() -> None:
    rng = np.random.default_rng(92)
    X = rng.integers(0, 2, (100, 6))
    y = rng.integers(0, 2, 100)
    for kind in (TreeFARMS, RESPLIT):
        free = kind(max_depth=3).fit(X, y)
        limited = kind(max_depth=3, time_limit=60, memory_limit=10**9).fit(X, y)
        assert limited.status_ == free.status_ == "complete"
        assert limited.trees_.n_trees == free.trees_.n_trees
