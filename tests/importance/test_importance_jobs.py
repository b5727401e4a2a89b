"""RID as a job: the same however its work is shared, and an end to it at any time."""

from __future__ import annotations

import _thread
import itertools
import re
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt
import pytest
from importance_helpers import drawn, everything, noisy, small
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from strategies import threshold_table

from splitsecond import LimitWarning, RashomonImportance, TreeFARMS
from splitsecond._importance import rid as rid_module
from splitsecond._tables.binary import DenseTable

GUIDE = Path(__file__).parents[2] / "docs" / "importance.md"


# The same for everyone


@pytest.fixture(scope="module")
def alone() -> list[Any]:
    rid = drawn()
    assert max(rid.n_trees_) > 20
    return everything(rid)


def test_same_seed_same_answer_on_threads(alone: list[Any]) -> None:
    assert everything(drawn(n_jobs=1)) == alone
    assert everything(drawn(n_jobs=2)) == alone
    assert everything(drawn(n_jobs=-1)) == alone
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert everything(drawn()) == alone


@pytest.mark.slow
def test_same_seed_same_answer_in_processes(alone: list[Any]) -> None:
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert everything(drawn()) == alone


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_backend_that_gives_all_at_once(alone: list[Any]) -> None:
    with joblib.parallel_config(backend="multiprocessing", n_jobs=2):
        assert everything(drawn()) == alone


@pytest.mark.slow
@pytest.mark.parametrize("processes", [False, True])
def test_same_seed_same_answer_on_dask(alone: list[Any], processes: bool) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1 + (not processes),
            threads_per_worker=1,
            processes=processes,
            dashboard_address=None,
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        assert everything(drawn()) == alone


@pytest.mark.filterwarnings("ignore:Port .* is already in use")  # of the dashboard
def test_the_guide_shows_a_cluster_that_works(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    shared: dict[str, Any] = {}
    for block in blocks:
        exec(block, shared)
    assert len(blocks) >= 2
    assert "LocalCluster" in blocks[-1] or "Client" in blocks[-1]
    assert shared["on_cluster"].mean_.tolist() == shared["rid"].mean_.tolist()
    assert "variable" in capsys.readouterr().out


def test_other_seeds_give_other_answers(alone: list[Any]) -> None:
    assert everything(drawn(random_state=5)) != alone
    assert everything(drawn(random_state=np.random.RandomState(4))) == alone
    assert everything(drawn(random_state=None)) != everything(drawn(random_state=None))


def test_more_bootstraps_begin_with_the_same() -> None:
    assert drawn(n_bootstraps=3).n_trees_ == drawn().n_trees_[:3]


def test_a_long_limit_changes_nothing(alone: list[Any]) -> None:
    assert everything(drawn(time_limit=1000)) == alone


# What is prepared once


def test_the_table_is_made_ready_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for each bootstrap: neither its rows, nor a column that several of them ask about."""
    calls: Counter[Any] = Counter()
    in_rows, column = DenseTable.in_rows, DenseTable.column

    def counted_rows(self: Any) -> Any:
        calls["rows"] += 1
        return in_rows(self)

    def counted_column(self: Any, j: int) -> Any:
        calls[j] += 1
        return column(self, j)

    monkeypatch.setattr(DenseTable, "in_rows", counted_rows)
    monkeypatch.setattr(DenseTable, "column", counted_column)
    X, y = threshold_table(12, 50, 4)
    RashomonImportance(small(), n_bootstraps=6, random_state=0).fit(X, y)
    first = dict(calls)
    assert first["rows"] == 1
    calls.clear()
    RashomonImportance(small(), n_bootstraps=12, random_state=0).fit(X, y)
    assert calls["rows"] == 1
    assert max(calls.values()) <= 1 + max(first.values())  # a column may be asked about later


# Drawing trees


def test_drawing_is_right_on_average_and_says_how_far_off() -> None:
    X, y = noisy(11, 200, 8)
    estimator = TreeFARMS(max_depth=3, regularization=0.005, epsilon=0.06)
    scores = []
    for seed in range(8):
        exact = RashomonImportance(
            estimator, n_bootstraps=2, random_state=seed, max_trees=10**6
        ).fit(X, y)
        assert min(exact.n_trees_) > 60
        assert (exact.standard_error_ == 0).all()
        some = RashomonImportance(estimator, n_bootstraps=2, random_state=seed, max_trees=60).fit(
            X, y
        )
        assert some.n_trees_ == exact.n_trees_
        difference = some.mean_ - exact.mean_
        told = some.standard_error_ > 1e-12
        assert (np.abs(difference[told]) < 4.5 * some.standard_error_[told]).all()
        scores += (difference[told] / some.standard_error_[told]).tolist()
        # Where no draw differs from another, nothing is told: the trees that do must be rare.
        assert (np.abs(difference[~told]) < 0.01).all()
    assert len(scores) > 30
    assert 0.6 < np.sqrt(np.mean(np.square(scores))) < 1.4


def test_sets_of_exactly_so_many_trees_are_used_whole() -> None:
    rid = drawn(n_bootstraps=1, max_trees=10**6)
    whole = drawn(n_bootstraps=1, max_trees=rid.n_trees_[0])
    assert everything(whole) == everything(rid)
    less = drawn(n_bootstraps=1, max_trees=rid.n_trees_[0] - 1)
    assert less.standard_error_.any()


def test_a_single_draw_has_no_known_error() -> None:
    rid = drawn(max_trees=1)
    assert np.isnan(rid.standard_error_).any()
    assert not np.isnan(rid.mean_).any()


# Limits and interrupts

QUICK = {"max_depth": 2, "regularization": 0.05, "epsilon": 0.01}
ENDLESS = {"max_depth": 9, "regularization": 0.0001, "epsilon": 0.05}


@pytest.fixture(scope="module")
def hard() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    rng = np.random.default_rng(50)
    return rng.integers(0, 2, (2000, 60)).astype(np.uint8), rng.integers(2, size=2000)


@pytest.fixture
def endless_from(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let some bootstraps be quick and the others take forever, and say when those begin."""

    def change(first: int, then: Callable[[], object] = lambda: None) -> None:
        real, begun = rid_module.bootstrap, itertools.count()

        def bootstrap(estimator: Any, *arguments: Any, **options: Any) -> Any:
            if (number := next(begun)) >= first:
                estimator = clone(estimator).set_params(**ENDLESS)
                if number == first:
                    then()
            return real(estimator, *arguments, **options)

        monkeypatch.setattr(rid_module, "bootstrap", bootstrap)

    return change


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_time_limit_keeps_what_is_done(hard: Any, endless_from: Any, n_jobs: int) -> None:
    quick = RashomonImportance(TreeFARMS(**QUICK), n_bootstraps=6, random_state=0).fit(*hard)
    endless_from(4)
    rid = RashomonImportance(
        TreeFARMS(**QUICK), n_bootstraps=6, random_state=0, time_limit=1.5, n_jobs=n_jobs
    )
    with pytest.warns(LimitWarning, match=r"4 of 6 bootstraps are done.*time_limit"):
        rid.fit(*hard)
    assert rid.status_ == "time_limit"
    assert rid.n_trees_ == quick.n_trees_[:4]
    assert rid.mean_.shape == (60,)


@pytest.mark.parametrize("limit", [0, 1e-9])
def test_no_time_at_all_is_an_error(hard: Any, limit: float) -> None:
    rid = RashomonImportance(TreeFARMS(**QUICK), time_limit=limit)
    with pytest.raises(RuntimeError, match="No bootstrap was done within time_limit="):
        rid.fit(*hard)
    with pytest.raises(NotFittedError):
        rid.to_frame()


def test_a_set_that_is_cut_short_by_the_job_does_not_count(hard: Any) -> None:
    rid = RashomonImportance(TreeFARMS(**ENDLESS), n_bootstraps=3, time_limit=0.4, n_jobs=2)
    with pytest.raises(RuntimeError, match="No bootstrap was done"):
        rid.fit(*hard)


def test_a_failed_fit_leaves_the_last_one(hard: Any) -> None:
    X, y = threshold_table(18, 60, 4)
    rid = RashomonImportance(TreeFARMS(**QUICK), n_bootstraps=2, random_state=0).fit(X, y)
    before = everything(rid)
    with pytest.raises(RuntimeError):
        rid.set_params(time_limit=0).fit(*hard)
    assert everything(rid) == before


def test_limits_of_the_estimator_hold_in_each_bootstrap(hard: Any) -> None:
    estimator = TreeFARMS(**ENDLESS, time_limit=0.2)
    rid = RashomonImportance(estimator, n_bootstraps=2, max_trees=100, time_limit=20)
    with pytest.warns(LimitWarning, match=r"2 of 2 bootstraps are done.*partial"):
        rid.fit(*hard)
    assert rid.status_ == "partial"
    assert len(rid.n_trees_) == 2


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_memory_is_shared_by_the_bootstraps_at_work(
    hard: Any, monkeypatch: pytest.MonkeyPatch, n_jobs: int
) -> None:
    peaks = []
    solve = TreeFARMS._solve

    def watched(self: Any, *rows: Any) -> Any:
        solution = solve(self, *rows)
        peaks.append(solution.statistics["peak_bytes"])
        return solution

    monkeypatch.setattr(TreeFARMS, "_solve", watched)
    limit = 2_000_000
    rid = RashomonImportance(
        TreeFARMS(**ENDLESS, time_limit=20),
        n_bootstraps=3,
        max_trees=100,
        memory_limit=limit,
        n_jobs=n_jobs,
    )
    with pytest.warns(LimitWarning, match=r"3 of 3 bootstraps are done.*partial"):
        rid.fit(*hard)
    assert rid.status_ == "partial"
    assert max(peaks) <= limit / n_jobs
    monkeypatch.undo()
    enough = RashomonImportance(TreeFARMS(**QUICK), n_bootstraps=2, memory_limit=1e9)
    X, y = threshold_table(18, 60, 4)
    assert enough.fit(X, y).status_ == "complete"


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_keeps_what_is_done(hard: Any, endless_from: Any, n_jobs: int) -> None:
    """Ctrl-C while a set is being found ends the job at once, the other threads too."""
    endless_from(4, threading.Timer(0.5, _thread.interrupt_main).start)
    rid = RashomonImportance(TreeFARMS(**QUICK), n_bootstraps=50, random_state=0, n_jobs=n_jobs)
    with pytest.warns(LimitWarning, match=r"4 of 50 bootstraps are done.*interrupted"):
        rid.fit(*hard)
    assert rid.status_ == "interrupted"
    assert len(rid.n_trees_) == 4
    assert len(rid.to_frame()) == 60


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_before_anything_is_done(hard: Any, endless_from: Any, n_jobs: int) -> None:
    endless_from(0, threading.Timer(0.3, _thread.interrupt_main).start)
    rid = RashomonImportance(TreeFARMS(**QUICK), n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        rid.fit(*hard)


def test_the_threads_of_an_interrupted_job_end_with_it(hard: Any, endless_from: Any) -> None:
    """Python aborts if it ends while threads are in the core."""
    all_running: list[Any] = []
    make = rid_module.RunningBootstraps
    endless_from(2, threading.Timer(0.3, _thread.interrupt_main).start)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            rid_module,
            "RunningBootstraps",
            lambda: all_running.append(make()) or all_running[-1],
        )
        with pytest.warns(LimitWarning):
            RashomonImportance(TreeFARMS(**QUICK), n_bootstraps=9, n_jobs=2).fit(*hard)
    assert all_running[0].active == set()


def test_an_error_in_a_bootstrap_is_raised() -> None:
    X, y = threshold_table(12, 50, 4)
    estimator = TreeFARMS(epsilon=0.0001, epsilon_kind="absolute")
    for n_jobs in (1, 2):
        with pytest.raises(ValueError, match="No tree has an objective of at most"):
            RashomonImportance(estimator, n_jobs=n_jobs).fit(X, y)


def test_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = threshold_table(16, 60, 4)
    RashomonImportance(small(), n_bootstraps=2, verbose=10, n_jobs=2).fit(X, y)
    shown = capsys.readouterr()
    assert "2 out of   2" in shown.out + shown.err


def test_a_function_is_told_of_the_bootstraps(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = threshold_table(16, 60, 4)
    told: list[Any] = []
    rid = RashomonImportance(small(), n_bootstraps=3, verbose=lambda *args: told.append(args))
    rid.fit(X, y)
    assert [(done, whole) for done, whole, _ in told] == [(1, 3), (2, 3), (3, 3)]
    assert all(seconds >= 0 for _, _, seconds in told)
    assert capsys.readouterr() == ("", "")


def test_progress_of_a_long_search_is_shown(hard: Any, capsys: pytest.CaptureFixture[str]) -> None:
    estimator = TreeFARMS(**ENDLESS, time_limit=2, verbose=1)
    with pytest.warns(LimitWarning):
        RashomonImportance(estimator, n_bootstraps=1, max_trees=10).fit(*hard)
    assert "first splits" in capsys.readouterr().err


def test_warnings_point_at_the_call(hard: Any) -> None:
    rid = RashomonImportance(TreeFARMS(**ENDLESS, time_limit=0.1), n_bootstraps=1, max_trees=10)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rid.fit(*hard)
    assert [Path(warning.filename).name for warning in caught] == [Path(__file__).name]
