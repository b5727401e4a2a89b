"""Ctrl-C ends a fit with what there is, and other threads go on."""

from __future__ import annotations

import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from endless_fits import (
    BINARIZERS,
    ENDLESS,
    REGULARIZATION,
    Table,
    assert_real_tree,
    binarizers,
    endless,
    jobs,
    raw_table,
)
from interrupting import ctrl_c, kill_process, raise_here, simulated
from strategies import threshold_table

from splitsecond import (
    LicketySPLITClassifier,
    LimitWarning,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    ThresholdGuessBinarizer,
    TreeFARMSRegressor,
)

pytestmark = pytest.mark.slow


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


@jobs
@pytest.mark.parametrize("kind", [OptimalTreeRegressor, TreeFARMSRegressor])
def test_interrupted_regression(kind: Any, n_jobs: int) -> None:
    random = np.random.default_rng(0)
    table = random.integers(0, 2, (4000, 60)), random.normal(size=4000)
    model = kind(max_depth=8, regularization=0.0, n_jobs=n_jobs, time_limit=20)
    assert interrupted_fit(model, table, ctrl_c) <= 0.2
    assert model.status_ == "interrupted"
    assert np.isfinite(model.predict(table[0])).all()
    assert model.lower_bound_ <= model.objective_


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
