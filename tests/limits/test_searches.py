"""Searches keep time limits, and what comes back is a real tree between true bounds.

A limit may be overrun by a tenth of it or 0.2 s, whichever is more.
"""

from __future__ import annotations

import time
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import pytest
from endless_fits import ENDLESS, REGULARIZATION, Table, assert_real_tree, endless, jobs, most
from strategies import noise, threshold_table

from splitsecond import (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    LimitWarning,
    OptimalTreeClassifier,
)
from splitsecond._solving.exact import within_bound
from splitsecond._solving.solve import Solution, solve

pytestmark = pytest.mark.slow


@jobs
@pytest.mark.parametrize("limit", [0.1, 0.5])
@endless
def test_time_limit(kind: str, limit: float, n_jobs: int, hard: Table) -> None:
    model = ENDLESS[kind](time_limit=limit, n_jobs=n_jobs)
    start = time.perf_counter()
    with pytest.warns(LimitWarning) as caught:
        model.fit(*hard)
    elapsed = time.perf_counter() - start
    assert elapsed <= most(limit)
    # Nothing finished early: the limit was really hit.
    assert elapsed >= 0.9 * limit
    assert model.status_ == "time_limit"
    assert_real_tree(model, *hard, max_depth=7)
    assert [warning.filename for warning in caught] == [__file__]  # the user's line


@endless
def test_a_stopped_search_is_no_worse_than_greedy(kind: str, hard: Table) -> None:
    """Greedy needs milliseconds here: a search that was given more has no excuse."""
    greedy = GreedyTreeClassifier(max_depth=7, regularization=REGULARIZATION).fit(*hard)
    with pytest.warns(LimitWarning):
        model = ENDLESS[kind](time_limit=0.3).fit(*hard)
    assert model.objective_ <= greedy.objective_


def test_a_longer_time_limit(hard: Table) -> None:
    """Where a tenth of the limit is more than 0.2 s, and memory has had time to fill."""
    model = ENDLESS["optimal"](time_limit=3)
    start = time.perf_counter()
    with pytest.warns(LimitWarning):
        model.fit(*hard)
    assert time.perf_counter() - start <= most(3)
    assert model.status_ == "time_limit"
    assert_real_tree(model, *hard, max_depth=7)


@jobs
@pytest.mark.parametrize("limit", [1e-6, 1e-3, 0.02])
def test_a_time_limit_too_short_for_anything(limit: float, n_jobs: int, hard: Table) -> None:
    model = ENDLESS["optimal"](time_limit=limit, n_jobs=n_jobs)
    start = time.perf_counter()
    with pytest.warns(LimitWarning):
        model.fit(*hard)
    assert time.perf_counter() - start <= most(limit)
    assert model.status_ == "time_limit"
    assert_real_tree(model, *hard, max_depth=7)


@pytest.mark.parametrize("classifier", [GreedyTreeClassifier, LicketySPLITClassifier])
@pytest.mark.parametrize("limit", [1e-6, 1e-3, 0.05])
def test_quick_algorithms_keep_time_limits_too(classifier: Any, limit: float, hard: Table) -> None:
    """They may finish in time: then nothing is said, and otherwise what stopped them is."""
    model = classifier(max_depth=7, regularization=REGULARIZATION, time_limit=limit)
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(*hard)
    assert time.perf_counter() - start <= most(limit)
    assert model.status_ in ("complete", "time_limit")
    assert [w.category for w in caught] == [LimitWarning] * (model.status_ == "time_limit")
    assert_real_tree(model, *hard, max_depth=7)


def test_the_warning_says_what_happened_and_what_to_try(hard: Table) -> None:
    with pytest.warns(LimitWarning) as caught:
        ENDLESS["optimal"](time_limit=0.1).fit(*hard)
    text = str(caught[0].message)
    assert "time_limit" in text
    assert "0.1" in text
    assert "max_depth" in text
    # It points at the caller's line, not into the package.
    assert caught[0].filename == __file__


def test_a_stopped_model_prints_why(hard: Table) -> None:
    with pytest.warns(LimitWarning):
        model = ENDLESS["optimal"](time_limit=0.1).fit(*hard)
    text = str(model)
    assert "time" in text.lower()
    assert "not proved" in text


def test_a_generous_limit_changes_nothing() -> None:
    X, y = threshold_table(51, 800, 12)
    free = OptimalTreeClassifier(max_depth=3, regularization=0.001).fit(X, y)
    limited = OptimalTreeClassifier(
        max_depth=3, regularization=0.001, time_limit=600, memory_limit=4 * 2**30
    ).fit(X, y)
    assert limited.status_ == free.status_ == "optimal"
    assert limited.tree_.feature.tolist() == free.tree_.feature.tolist()


def test_a_limit_does_not_outlive_its_fit(hard: Table) -> None:
    model = ENDLESS["optimal"](time_limit=0.05)
    with pytest.warns(LimitWarning):
        model.fit(*hard)
    X, y = threshold_table(52, 300, 8)
    model.set_params(time_limit=None, max_depth=3).fit(X, y)
    assert model.status_ == "optimal"
    assert model.lower_bound_ == model.objective_


# Bounds under limits: the truth lies between them


def limited(X: Any, y: Any, **options: Any) -> Solution:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        return solve(X, y, n_classes=int(y.max()) + 1, regularization=REGULARIZATION, **options)


def assert_solution_is_real(solution: Solution, X: Any, y: Any) -> None:
    objective = oracle.tree_objective(
        solution.feature,
        solution.left,
        solution.right,
        X.tolist(),
        y.tolist(),
        n_classes=int(y.max()) + 1,
        regularization=REGULARIZATION,
    )
    assert solution.objective == objective


# Searches of milliseconds, so that the limits fall before, within and after them.
MEDIUM: list[dict[str, Any]] = [
    {"algorithm": "optimal", "max_depth": 4},
    {"algorithm": "split", "max_depth": 5, "lookahead_depth": 2},
    {"algorithm": "split", "max_depth": 5, "lookahead_depth": 2, "postprocess": False},
    {"algorithm": "lickety", "max_depth": 6},
    {"algorithm": "greedy", "max_depth": 6},
]
medium = pytest.mark.parametrize("options", MEDIUM, ids=lambda o: "-".join(map(str, o.values())))


def assert_bracketed(found: Solution, finished: Solution, stopped: str) -> None:
    """The certified bound is below what the whole search finds.

    For the optimal tree the objective is also above it; the other algorithms are heuristics, and
    stopping one of them early can, by luck, leave a better tree than it would have ended with.
    """
    assert found.lower_bound <= finished.objective
    assert 0 <= found.lower_bound <= found.objective
    if finished.status == "optimal":
        assert found.objective >= finished.objective
    assert found.status in (stopped, finished.status)
    if found.status == finished.status:
        assert found.objective == finished.objective


@jobs
@medium
def test_bounds_bracket_the_truth_under_time_limits(options: dict[str, Any], n_jobs: int) -> None:
    X, y = noise(2000, 50, n_classes=3)
    finished = limited(X, y, **options)
    for limit in np.geomspace(1e-5, 0.3, 12).tolist():
        found = limited(X, y, time_limit=limit, n_jobs=n_jobs, **options)
        assert_bracketed(found, finished, "time_limit")
        assert_solution_is_real(found, X, y)


@jobs
@medium
def test_bounds_bracket_the_truth_under_memory_limits(options: dict[str, Any], n_jobs: int) -> None:
    X, y = noise(2000, 50, n_classes=3)
    finished = limited(X, y, **options)
    for limit in np.geomspace(2**14, 2**22, 9).astype(int).tolist():
        found = limited(X, y, memory_limit=limit, n_jobs=n_jobs, **options)
        assert_bracketed(found, finished, "memory_limit")
        assert_solution_is_real(found, X, y)


def test_the_bound_of_a_stopped_search_is_worth_something() -> None:
    """Equivalent points prove most of the error at once: the bound must say so from the start."""
    rng = np.random.default_rng(53)
    patterns = rng.integers(0, 2, size=(40, 30)).astype(np.uint8)
    X = np.repeat(patterns, 50, axis=0)
    y = rng.integers(0, 2, size=len(X))
    _, group = np.unique(X, axis=0, return_inverse=True)
    ones = np.bincount(group.ravel(), weights=y)
    size = np.bincount(group.ravel())
    unavoidable = Fraction(int(np.minimum(ones, size - ones).sum()), len(X))
    found = limited(X, y, algorithm="optimal", max_depth=8, time_limit=0.02)
    assert found.lower_bound >= unavoidable


def test_a_bound_over_millions_of_leaves_takes_no_time() -> None:
    """It is asked for in the middle of a search, where no limit ends it."""
    start = time.perf_counter()
    for epsilon in (Fraction(0), Fraction(1, 3), Fraction(1, 7**9)):
        within_bound(
            Fraction(1, 3) + epsilon, Fraction(1, 10**12), 500_000, 2**25, max_loss=499_999
        )
    assert time.perf_counter() - start <= 0.2
