"""Questions about a set on given rows keep limits, and Ctrl-C ends them."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

from splitsecond import LimitWarning, TreeFARMS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def hard_evaluation() -> tuple[Any, Any, Any]:
    """A set with so many states that walking it with rows takes minutes."""
    rng = np.random.default_rng(94)
    X = rng.integers(0, 2, (6000, 34)).astype(np.uint8)
    y = rng.integers(0, 2, 6000)
    trees = TreeFARMS(epsilon=100, max_depth=4).fit(X[:1000], y[:1000]).trees_
    trees.evaluate(X[:5], y[:5]).to_frame(trees[0])  # loads what is loaded on first use
    return trees, X, y


@pytest.mark.parametrize("limit", [1e-9, 0.05, 0.5])
def test_time_limit_of_a_range(limit: float, hard_evaluation: Any) -> None:
    trees, X, y = hard_evaluation
    evaluation = trees.evaluate(X, y, groups=X[:, 0], time_limit=limit)
    start = time.perf_counter()
    with pytest.warns(LimitWarning, match="Stopped at a limit"):
        found = evaluation.range("log_loss[group=0 - 1]")
    assert time.perf_counter() - start <= 1.5 * limit + 0.5
    assert found.kind == "bounds"
    assert found.minimum <= found.found_minimum <= found.found_maximum <= found.maximum


def test_time_limit_of_looking_at_trees(hard_evaluation: Any) -> None:
    trees, X, y = hard_evaluation
    evaluation = trees.evaluate(X, y, max_trees=10**6, time_limit=0.3)
    start = time.perf_counter()
    found = evaluation.range("roc_auc")
    assert time.perf_counter() - start <= 1.5
    assert 0 < found.n_looked_at < 10**6


@pytest.mark.parametrize("ask", ["range", "frontier", "filter", "look"])
def test_ctrl_c_in_a_question(ask: str, hard_evaluation: Any) -> None:
    if sys.platform == "win32":
        pytest.skip("a signal sent by a thread ends the process there")
    trees, X, y = hard_evaluation
    evaluation = trees.evaluate(X, y, max_trees=10**6)

    def question() -> None:
        if ask == "range":
            evaluation.range("error")
        elif ask == "frontier":
            evaluation.frontier("error")
        elif ask == "filter":
            evaluation.filter("log_loss", at_most=0.69)
        else:
            evaluation.range("roc_auc")

    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    start = time.perf_counter()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            question()
    finally:
        timer.join()
    assert time.perf_counter() - start <= 2
    assert evaluation.to_frame(trees[0])["error"][0] > 0  # it can be asked again
