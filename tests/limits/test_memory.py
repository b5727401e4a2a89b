"""Searches keep memory limits, measured in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import warnings
from typing import Any

import numpy as np
import pytest
from endless_fits import ENDLESS, Table, assert_real_tree

from splitsecond import GreedyTreeClassifier, LimitWarning, OptimalTreeClassifier, SPLITClassifier

pytestmark = pytest.mark.slow


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
