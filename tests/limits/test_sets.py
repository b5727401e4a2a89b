"""Rashomon sets, and importances, which are a job of many sets, keep limits.

What was found has still to be counted, so they may overrun a limit a little more.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest
from endless_fits import Table, jobs
from endless_sets import ENDLESS_SETS, assert_real_trees

from splitsecond import LimitWarning, RashomonImportance, TreeFARMS
from splitsecond._sets import limits

pytestmark = pytest.mark.slow


endless_sets = pytest.mark.parametrize("kind", ENDLESS_SETS)


def most_for_sets(limit: float) -> float:
    return 1.5 * limit + 0.5


@jobs
@endless_sets
def test_time_limit_of_sets(kind: str, n_jobs: int, hard_set: Table) -> None:
    model = ENDLESS_SETS[kind](time_limit=0.5, n_jobs=n_jobs)
    start = time.perf_counter()
    with pytest.warns(
        LimitWarning, match="with a part of the set|before the best tree was known"
    ) as caught:
        model.fit(*hard_set)
    assert time.perf_counter() - start <= most_for_sets(0.5)
    assert model.status_ == "time_limit"
    assert [warning.filename for warning in caught] == [__file__]  # the user's line
    assert_real_trees(model, *hard_set)


@endless_sets
@pytest.mark.parametrize("limit", [1e-9, 1e-4, 0.005, 0.05])
def test_a_time_limit_too_short_for_any_set(kind: str, limit: float, hard_set: Table) -> None:
    model = ENDLESS_SETS[kind](time_limit=limit)
    start = time.perf_counter()
    with pytest.warns(LimitWarning):
        model.fit(*hard_set)
    assert time.perf_counter() - start <= most_for_sets(limit)
    assert model.status_ == "time_limit"
    assert_real_trees(model, *hard_set)


@jobs
@endless_sets
def test_ctrl_c_while_a_set_is_found(kind: str, n_jobs: int, hard_set: Table) -> None:
    if sys.platform == "win32":
        pytest.skip("a signal sent by a thread ends the process there")
    model = ENDLESS_SETS[kind](time_limit=20, n_jobs=n_jobs)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    start = time.perf_counter()
    timer.start()
    try:
        with pytest.warns(LimitWarning, match="Interrupted"):
            model.fit(*hard_set)
    finally:
        timer.join()
    assert time.perf_counter() - start <= 2
    assert model.status_ == "interrupted"
    assert_real_trees(model, *hard_set)


@pytest.mark.parametrize("ask", ["filter", "vote"])
def test_ctrl_c_in_a_query_of_a_set(ask: str) -> None:
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


def test_the_search_for_the_best_tree_has_all_the_time(hard_set: Table) -> None:
    """Until it is known there is nothing to count, and no time has to be kept for that."""
    model = ENDLESS_SETS["exact"](time_limit=1)
    start = time.perf_counter()
    with pytest.warns(LimitWarning, match="before the best tree was known"):
        model.fit(*hard_set)
    assert 0.9 <= time.perf_counter() - start <= most_for_sets(1)


# Importances: a job of many sets


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_limits_hold_while_sets_of_bootstraps_are_found(n_jobs: int, hard_set: Table) -> None:
    estimator = TreeFARMS(max_depth=9, regularization=0.0001, epsilon=0.05)
    rid = RashomonImportance(estimator, n_bootstraps=3, n_jobs=n_jobs, time_limit=0.5)
    start = time.perf_counter()
    with pytest.raises(RuntimeError, match="No bootstrap was done"):
        rid.fit(*hard_set)
    assert time.perf_counter() - start < 1.5
    rid.set_params(time_limit=None)
    threading.Timer(0.5, _thread.interrupt_main).start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        rid.fit(*hard_set)
    assert time.perf_counter() - start < 1.5


def test_limits_hold_while_reliances_are_measured() -> None:
    """Sets may be found in no time, and have more trees than can be looked at."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (400, 16)).astype(np.uint8), rng.integers(0, 2, 400)
    estimator = TreeFARMS(max_depth=4, regularization=0.005, epsilon=0.05)
    rid = RashomonImportance(estimator, max_trees=10**6, time_limit=0.8, random_state=0)
    start = time.perf_counter()
    with pytest.raises(RuntimeError, match="No bootstrap was done"):
        rid.fit(X, y)
    assert time.perf_counter() - start < 1.8
    rid.set_params(time_limit=None)
    threading.Timer(0.8, _thread.interrupt_main).start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        rid.fit(X, y)
    assert time.perf_counter() - start < 1.8


def test_groups_end_at_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (60, 5)).astype(np.uint8)
    trees = TreeFARMS(epsilon=0.1, max_depth=3).fit(X, rng.integers(0, 2, 60)).trees_
    whole = len(trees.groups())
    monkeypatch.setattr(limits.time, "perf_counter", iter(range(10**6)).__next__)
    late = trees.groups(time_limit=5)
    assert late.status == "time_limit"
    assert 0 < len(late) < whole
