"""Limits hold, Ctrl-C works, and what comes back is a real tree between true bounds.

The hard table is noise, where no bound helps: the full search would take hours. This is the only
file that looks at a clock. A limit may be overrun by a tenth of it or 0.2 s, whichever is more.
"""

from __future__ import annotations

import _thread
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import oracle
import pytest
from endless_sets import ENDLESS_SETS, assert_real_trees, noise_without_end
from strategies import noise, threshold_table

from splitsecond import (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    LimitWarning,
    MidpointBinarizer,
    OptimalTreeClassifier,
    QuantileBinarizer,
    RashomonImportance,
    SPLITClassifier,
    ThresholdGuessBinarizer,
    TreeFARMS,
)
from splitsecond._solving.exact import within_bound
from splitsecond._solving.solve import Solution, solve

pytestmark = pytest.mark.slow

Table = tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]

REGULARIZATION = 1e-5
# Estimators whose full search on the hard table takes minutes at least.
ENDLESS: dict[str, Callable[..., Any]] = {
    "optimal": lambda **limits: OptimalTreeClassifier(
        max_depth=7, regularization=REGULARIZATION, **limits
    ),
    "split": lambda **limits: SPLITClassifier(
        max_depth=7, regularization=REGULARIZATION, lookahead_depth=4, **limits
    ),
    "prefix": lambda **limits: SPLITClassifier(
        max_depth=7, regularization=REGULARIZATION, lookahead_depth=4, postprocess=False, **limits
    ),
    # Lookahead 1 is quick, and then the leaves of the prefix are filled, which is not.
    "fills": lambda **limits: SPLITClassifier(
        max_depth=7, regularization=REGULARIZATION, lookahead_depth=1, **limits
    ),
}
endless = pytest.mark.parametrize("kind", ENDLESS)
jobs = pytest.mark.parametrize("n_jobs", [1, 2])


@pytest.fixture(scope="module")
def hard() -> Table:
    # What is loaded on first use is no part of any limit.
    OptimalTreeClassifier(max_depth=1).fit(*noise(10, 2))
    return noise(20_000, 80)


def most(limit: float) -> float:
    return limit + max(0.1 * limit, 0.2)


def assert_real_tree(model: Any, X: Any, y: Any, max_depth: int) -> None:
    """Whatever stopped the search, the tree is whole and what is said of it is true."""
    errors = np.mean(model.predict(X) != y)
    expected = errors + REGULARIZATION * model.get_n_leaves()
    assert model.objective_ == pytest.approx(expected, abs=1e-12)
    assert 0 <= model.lower_bound_ <= model.objective_
    assert model.get_depth() <= max_depth
    counts = np.asarray(model.tree_.counts)
    assert counts[0].tolist() == np.bincount(y, minlength=counts.shape[1]).tolist()
    # Noise or not, a tree so far is no worse than no tree.
    lone_leaf = 1 - np.bincount(y).max() / len(y) + REGULARIZATION
    assert model.objective_ <= lone_leaf + 1e-12


# Time


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


# Binarizing is part of a fit


def raw_table(n_rows: int, n_columns: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(53)
    X = rng.normal(size=(n_rows, n_columns))
    LicketySPLITClassifier().fit(X[:50], X[:50, 0] > 0)
    return X, X[:, 0] + X[:, 1] > 0.3


BINARIZERS: dict[str, Any] = {
    "midpoint": MidpointBinarizer(),
    "quantile": QuantileBinarizer(n_quantiles=5000),
    "guess": ThresholdGuessBinarizer(n_estimators=1_000_000),
    # There is no end to the questions, which must then be told apart.
    "eliminate": ThresholdGuessBinarizer(n_estimators=2000, max_features=800, max_depth=6),
}
binarizers = pytest.mark.parametrize("binarizer", BINARIZERS)


@binarizers
@pytest.mark.parametrize("limit", [1e-6, 0.05, 0.5])
def test_binarizing_keeps_the_time_limit(binarizer: str, limit: float) -> None:
    X, y = raw_table(20_000, 10)
    model = LicketySPLITClassifier(
        binarizer=BINARIZERS[binarizer], regularization=REGULARIZATION, time_limit=limit
    )
    start = time.perf_counter()
    with pytest.warns(LimitWarning, match="Stopped at time_limit") as caught:
        model.fit(X, y)
    assert time.perf_counter() - start <= most(limit)
    assert len(caught) == 1
    assert model.status_ == "time_limit"
    assert_real_tree(model, X, y, max_depth=5)
    if limit == 0.5:  # the search had its share
        assert model.get_n_leaves() > 1


@binarizers
def test_ctrl_c_while_binarizing(binarizer: str) -> None:
    """The questions that there are by then make a tree."""
    X, y = raw_table(20_000, 200 if binarizer in ("midpoint", "quantile") else 10)
    model = LicketySPLITClassifier(
        binarizer=BINARIZERS[binarizer], regularization=REGULARIZATION, time_limit=20
    )
    assert interrupted_fit(model, (X, y), ctrl_c) <= 0.8
    assert model.status_ == "interrupted"
    assert_real_tree(model, X, y, max_depth=5)


def test_ctrl_c_while_a_binarizer_is_fitted_by_itself() -> None:
    """There is no tree to keep: it ends as any Python code does."""
    if sys.platform == "win32":
        pytest.skip("a signal sent by a thread ends the process there")
    X, y = raw_table(20_000, 10)
    timer = threading.Timer(0.4, ctrl_c)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            ThresholdGuessBinarizer(n_estimators=1_000_000).fit(X, y)
    finally:
        timer.join()


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


# Ctrl-C


def raise_here() -> None:
    signal.raise_signal(signal.SIGINT)


def kill_process() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def simulated() -> None:
    _thread.interrupt_main()


# Sent to its own process, the signal would end it on Windows.
ctrl_c = simulated if sys.platform == "win32" else kill_process


def interrupted_fit(model: Any, table: Table, send: Callable[[], None]) -> float:
    """Fit, press Ctrl-C after 0.4 s, and tell how long it took to react."""
    sent: list[float] = []

    def press() -> None:
        sent.append(time.perf_counter())
        send()

    timer = threading.Timer(0.4, press)
    timer.start()
    try:
        with pytest.warns(LimitWarning):
            model.fit(*table)
        ended = time.perf_counter()
    except KeyboardInterrupt:  # which would end the whole test run
        pytest.fail("KeyboardInterrupt escaped from fit")
    finally:
        timer.cancel()
        timer.join()
    assert sent, "the search ended by itself"
    return ended - sent[0]


@jobs
@endless
def test_interrupt(kind: str, n_jobs: int, hard: Table) -> None:
    # The time limit only saves the test run should the interrupt be ignored.
    model = ENDLESS[kind](n_jobs=n_jobs, time_limit=20)
    assert interrupted_fit(model, hard, ctrl_c) <= 0.2
    assert model.status_ == "interrupted"
    assert_real_tree(model, *hard, max_depth=7)


@pytest.mark.parametrize("send", [raise_here, kill_process, simulated])
def test_every_way_to_interrupt(send: Callable[[], None], hard: Table) -> None:
    if send is not simulated and sys.platform == "win32":
        pytest.skip("a signal sent by a thread ends the process there")
    model = ENDLESS["optimal"](time_limit=20)
    assert interrupted_fit(model, hard, send) <= 0.2
    assert model.status_ == "interrupted"


def test_ctrl_c_is_itself_again_after_a_fit(hard: Table) -> None:
    before = signal.getsignal(signal.SIGINT)
    interrupted_fit(ENDLESS["optimal"](time_limit=20), hard, ctrl_c)
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    # And the next fit does not remember it.
    X, y = threshold_table(54, 300, 8)
    assert OptimalTreeClassifier(max_depth=3).fit(X, y).status_ == "optimal"


def test_fit_in_another_thread(hard: Table) -> None:
    """Only the main thread may handle signals: elsewhere a fit must not even try."""
    results: list[Any] = []

    def work() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LimitWarning)
            results.append(ENDLESS["optimal"](time_limit=0.2).fit(*hard))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(timeout=20)
    assert not thread.is_alive()
    assert results[0].status_ == "time_limit"


def test_other_threads_run_during_a_fit(hard: Table) -> None:
    """The interpreter is not held: a counter in another thread goes on counting."""
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.01):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        with pytest.warns(LimitWarning):
            ENDLESS["optimal"](time_limit=0.5).fit(*hard)
    finally:
        done.set()
        thread.join()
    assert ticks >= 10


# Memory

MEASURE = """
import json, sys, warnings

import numpy as np

from splitsecond import LimitWarning, OptimalTreeClassifier, SPLITClassifier


def peak():
    # Not getrusage where this exists: a new process inherits the peak of the one that started it,
    # so that after a large parent everything would seem free.
    try:
        with open("/proc/self/status") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    except FileNotFoundError:
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


kind, limit, n_jobs, n_rows, n_columns = json.loads(sys.argv[1])
rng = np.random.default_rng(50)
# Made without a larger intermediate, which would have raised the peak already.
X = rng.integers(0, 2, size=(n_rows, n_columns), dtype=np.uint8)
y = rng.integers(0, 2, size=n_rows)
OptimalTreeClassifier(max_depth=2).fit(X[:50], y[:50])
options = {"max_depth": 7, "regularization": 1e-5, "n_jobs": n_jobs, "time_limit": 60}
if kind == "optimal":
    model = OptimalTreeClassifier(memory_limit=limit, **options)
else:
    model = SPLITClassifier(memory_limit=limit, lookahead_depth=5, **options)
before = peak()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model.fit(X, y)
print(json.dumps({
    "growth": peak() - before,
    "status": model.status_,
    "objective": model.objective_,
    "lower_bound": model.lower_bound_,
    "errors": float(np.mean(model.predict(X) != y)),
    "leaves": model.get_n_leaves(),
    "warnings": [str(w.message) for w in caught if w.category is LimitWarning],
}))
"""


def measured(kind: str, limit: int, n_jobs: int, n_rows: int, n_columns: int) -> dict[str, Any]:
    arguments = json.dumps([kind, limit, n_jobs, n_rows, n_columns])
    finished = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(MEASURE), arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    result: dict[str, Any] = json.loads(finished.stdout)
    return result


@pytest.mark.skipif(sys.platform == "win32", reason="the peak is not measured there")
@pytest.mark.parametrize(
    ("kind", "megabytes", "n_jobs"),
    [("optimal", 16, 1), ("optimal", 16, 2), ("optimal", 64, 1), ("split", 16, 1)],
)
def test_memory_limit(kind: str, megabytes: int, n_jobs: int) -> None:
    limit = megabytes * 2**20
    n_rows, n_columns = 20_000, 80
    result = measured(kind, limit, n_jobs, n_rows, n_columns)
    assert result["status"] == "memory_limit"
    assert len(result["warnings"]) == 1
    assert "memory_limit" in result["warnings"][0]
    # Beyond the limit itself: copies of the table while it is checked, and the interpreter.
    allowance = 4 * n_rows * n_columns + 8 * 2**20
    assert result["growth"] <= 1.1 * limit + allowance
    expected = result["errors"] + 1e-5 * result["leaves"]
    assert result["objective"] == pytest.approx(expected, abs=1e-12)
    assert 0 <= result["lower_bound"] <= result["objective"] <= 0.5 + 1e-5


def test_a_memory_limit_too_small_for_anything_still_gives_a_tree(hard: Table) -> None:
    model = ENDLESS["optimal"](memory_limit=2**20, time_limit=20)
    with pytest.warns(LimitWarning):
        model.fit(*hard)
    assert model.status_ == "memory_limit"
    assert_real_tree(model, *hard, max_depth=7)


@pytest.mark.parametrize("estimator", [OptimalTreeClassifier, SPLITClassifier])
def test_a_small_memory_limit_still_gives_the_greedy_tree(estimator: Any) -> None:
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (50_000, 20), dtype=np.uint8)
    y = table[:, 0] & table[:, 1]
    greedy = GreedyTreeClassifier(regularization=0.001).fit(table, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        model = estimator(regularization=0.001, memory_limit=400_000).fit(table, y)
    assert model.objective_ <= greedy.objective_


def test_objects_are_read_quickly_enough_for_a_deadline() -> None:
    table = np.random.default_rng(0).integers(0, 2, (50_000, 20)).astype(object)
    start = time.perf_counter()
    LicketySPLITClassifier(max_depth=1).fit(table, np.array(["a", "b"] * 25_000, dtype=object))
    assert time.perf_counter() - start < 2


# Rashomon sets. What was found has still to be counted, so they may overrun a limit a little more.

endless_sets = pytest.mark.parametrize("kind", ENDLESS_SETS)


@pytest.fixture(scope="module")
def hard_set() -> Table:
    return noise_without_end()


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


# This file


def test_no_other_file_looks_at_a_clock() -> None:
    """These tests run alone; others share the processors, and may take any time."""
    clocks = re.compile(r"perf_counter|monotonic\(|process_time|(?<!date)time\.time\(")
    files = [
        path for path in Path(__file__).parents[1].rglob("*.py") if path.name != Path(__file__).name
    ]
    found = [path.name for path in files if clocks.search(path.read_text(encoding="utf-8"))]
    assert files
    assert found == []


def test_the_search_for_the_best_tree_has_all_the_time(hard_set: Table) -> None:
    """Until it is known there is nothing to count, and no time has to be kept for that."""
    model = ENDLESS_SETS["exact"](time_limit=1)
    start = time.perf_counter()
    with pytest.warns(LimitWarning, match="before the best tree was known"):
        model.fit(*hard_set)
    assert 0.9 <= time.perf_counter() - start <= most_for_sets(1)


def test_a_bound_over_millions_of_leaves_takes_no_time() -> None:
    """It is asked for in the middle of a search, where no limit ends it."""
    start = time.perf_counter()
    for epsilon in (Fraction(0), Fraction(1, 3), Fraction(1, 7**9)):
        within_bound(
            Fraction(1, 3) + epsilon, Fraction(1, 10**12), 500_000, 2**25, max_loss=499_999
        )
    assert time.perf_counter() - start <= 0.2
