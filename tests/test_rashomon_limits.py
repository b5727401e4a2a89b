"""Limits hold for Rashomon sets too, and what comes back is a part of the set.

The table is noise and epsilon is beyond everything: the set is all trees, and its graph alone would
not fit into any machine. A limit may be overrun a little more than by a search for one tree: what
was found has still to be counted.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from rashomon_oracle import RashomonOracle, is_trivial, shape_of

from splitsecond import RESPLIT, LimitWarning, TreeFARMS

Table = tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]

REGULARIZATION = 0.001
ENDLESS: dict[str, Callable[..., Any]] = {
    "exact": lambda **limits: TreeFARMS(
        regularization=REGULARIZATION, epsilon=100, max_depth=7, **limits
    ),
    "resplit": lambda **limits: RESPLIT(
        regularization=REGULARIZATION, epsilon=100, max_depth=7, lookahead_depth=4, **limits
    ),
}
endless = pytest.mark.parametrize("kind", ENDLESS)
jobs = pytest.mark.parametrize("n_jobs", [1, 2])


@pytest.fixture(scope="module")
def hard() -> Table:
    rng = np.random.default_rng(90)
    X = rng.integers(0, 2, (2000, 40)).astype(np.uint8)
    TreeFARMS(max_depth=1).fit(
        X, X[:, 0] & X[:, 1]
    )  # what is loaded on first use is no part of any limit
    return X, rng.integers(0, 2, 2000)


def most(limit: float) -> float:
    return 1.5 * limit + 0.5


def assert_real_trees(model: Any, X: Any, y: Any) -> None:
    """Each is whole, and what is said of it is true."""
    trees = model.trees_
    assert trees.n_trees >= 1
    assert sum(trees.objective_histogram().values()) == trees.n_trees
    places = {0, trees.n_trees - 1, trees.n_trees // 2}
    for tree in [*(trees[place] for place in places), *trees.sample(20, random_state=0)]:
        errors = np.mean(_predicted(tree, X) != y)
        assert tree.objective == pytest.approx(errors + REGULARIZATION * tree.n_leaves, abs=1e-12)
        assert tree.depth <= model.max_depth
        assert trees.min_objective <= tree.objective <= trees.bound
        assert tree.counts[0].tolist() == np.bincount(y).tolist()
        assert not is_trivial(shape_of(tree))
    assert model.objective_ == trees.min_objective
    assert trees.vote(X[:3]).sum(axis=1) == pytest.approx(1)
    again = pickle.loads(pickle.dumps(trees))
    assert again.objective_histogram() == trees.objective_histogram()


def _predicted(tree: Any, X: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
    node = np.zeros(len(X), dtype=int)
    for _ in range(tree.depth):
        feature = tree.feature[node]
        yes = X[np.arange(len(X)), np.maximum(feature, 0)] == 1
        down = np.where(yes, tree.left[node], tree.right[node])
        node = np.where(feature < 0, node, down)
    predicted: npt.NDArray[Any] = tree.prediction[node]
    return predicted


@jobs
@endless
def test_time_limit(kind: str, n_jobs: int, hard: Table) -> None:
    model = ENDLESS[kind](time_limit=0.5, n_jobs=n_jobs)
    start = time.perf_counter()
    with pytest.warns(
        LimitWarning, match="with a part of the set|before the best tree was known"
    ) as caught:
        model.fit(*hard)
    assert time.perf_counter() - start <= most(0.5)
    assert model.status_ == "time_limit"
    assert [warning.filename for warning in caught] == [__file__]  # the user's line
    assert_real_trees(model, *hard)


@endless
@pytest.mark.parametrize("limit", [1e-9, 1e-4, 0.005, 0.05])
def test_a_time_limit_too_short_for_anything(kind: str, limit: float, hard: Table) -> None:
    model = ENDLESS[kind](time_limit=limit)
    start = time.perf_counter()
    with pytest.warns(LimitWarning):
        model.fit(*hard)
    assert time.perf_counter() - start <= most(limit)
    assert model.status_ == "time_limit"
    assert_real_trees(model, *hard)


@jobs
@endless
@pytest.mark.parametrize("limit", [1, 1000, 300_000, 3_000_000])
def test_memory_limit(kind: str, limit: int, n_jobs: int, hard: Table) -> None:
    model = ENDLESS[kind](memory_limit=limit, n_jobs=n_jobs, time_limit=20)
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


@jobs
@endless
def test_ctrl_c(kind: str, n_jobs: int, hard: Table) -> None:
    if sys.platform == "win32":
        pytest.skip("a signal sent by a thread ends the process there")
    model = ENDLESS[kind](time_limit=20, n_jobs=n_jobs)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    start = time.perf_counter()
    timer.start()
    try:
        with pytest.warns(LimitWarning, match="Interrupted"):
            model.fit(*hard)
    finally:
        timer.join()
    assert time.perf_counter() - start <= 2
    assert model.status_ == "interrupted"
    assert_real_trees(model, *hard)


@pytest.mark.parametrize("ask", ["filter", "vote"])
def test_ctrl_c_in_a_query(ask: str) -> None:
    """A query has no part to give back: it ends as any Python code does."""
    if sys.platform == "win32":
        pytest.skip("a signal sent by a thread ends the process there")
    rng = np.random.default_rng(93)
    X = rng.integers(0, 2, (400, 30)).astype(np.uint8)
    trees = TreeFARMS(epsilon=100, max_depth=3).fit(X, rng.integers(0, 2, 400)).trees_

    def forever() -> None:
        until = time.perf_counter() + 20
        while time.perf_counter() < until:
            if ask == "filter":
                trees.filter(uses=["x0", "x1", "x2"])
            else:
                trees.vote(X)

    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    start = time.perf_counter()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            forever()
    finally:
        timer.join()
    assert time.perf_counter() - start <= 2
    assert trees.n_trees == sum(trees.objective_histogram().values())
