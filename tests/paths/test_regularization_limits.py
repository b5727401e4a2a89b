"""Regularization paths that are stopped keep the trees found until then."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from strategies import noise, threshold_table

from splitsecond import (
    LicketySPLITClassifier,
    LimitWarning,
    OptimalTreeClassifier,
    RegularizationPath,
    regularization_path,
)
from splitsecond._paths.envelope import Point
from splitsecond._paths.fits import Fits
from splitsecond._paths.search import _entry
from splitsecond._tables.reading import read_table

X, y = threshold_table(3, 300, 15)
ENDLESS = OptimalTreeClassifier(max_depth=7)


def time_is_up(fits: Fits) -> None:
    fits.deadline = -math.inf


def ctrl_c(fits: Fits) -> None:
    raise KeyboardInterrupt


def on_fit(patch: pytest.MonkeyPatch, told: Callable[[Fits], None]) -> None:
    """Let something happen whenever a fit begins."""
    attempt = Fits.attempt

    def watched(self: Fits, *args: Any) -> Any:
        told(self)
        return attempt(self, *args)

    patch.setattr(Fits, "attempt", watched)


def stop_at(patch: pytest.MonkeyPatch, n: int, stop: Callable[[Fits], None]) -> None:
    """Let something happen when the fit number n (from 0) begins."""
    begun = itertools.count()
    on_fit(patch, lambda fits: stop(fits) if next(begun) == n else None)


def stopped_path(*args: Any, **options: Any) -> tuple[RegularizationPath, str]:
    """Return a path, and the one warning about it."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        path = regularization_path(*args, **options)
    told = [warning for warning in seen if issubclass(warning.category, LimitWarning)]
    assert len(told) == 1
    assert told[0].filename == __file__
    return path, str(told[0].message)


@pytest.mark.parametrize("estimator", [LicketySPLITClassifier(), OptimalTreeClassifier()])
@pytest.mark.parametrize("stop", [time_is_up, ctrl_c])
def test_what_was_found_is_kept(
    estimator: Any, stop: Callable[[Fits], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    estimator.set_params(max_depth=3)
    options: dict[str, Any] = {"estimator": estimator, "smallest": 0.005}
    whole = regularization_path(X, y, **options)
    assert whole.status_ == "complete"
    for n in (1, 2, 3):
        with monkeypatch.context() as patch:
            stop_at(patch, n, stop)
            path, told = stopped_path(X, y, **options)
        reason = "interrupted" if stop is ctrl_c else "time_limit"
        assert path.status_ == reason
        assert str(path).endswith(f"incomplete: {reason}")
        assert f"with {len(path)} tree" in told
        assert 1 <= len(path) <= n + 1
        assert path[0].low == 0.005
        for entry in path:
            again = estimator.set_params(regularization=entry.regularization).fit(X, y)
            assert again.tree_.to_text() == entry.tree.to_text()
            known = [each for each in whole if each.low <= entry.low <= each.high]
            assert entry.n_leaves in [each.n_leaves for each in known]


def test_lambdas_that_read_well_are_not_worth_waiting_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last fits look for those; no tree is missing without them."""
    options: dict[str, Any] = {"estimator": OptimalTreeClassifier(max_depth=3), "smallest": 0.005}
    begun: list[Fits] = []
    with monkeypatch.context() as patch:
        on_fit(patch, begun.append)
        whole = regularization_path(X, y, **options)
    leaves = [entry.n_leaves for entry in whole]
    with monkeypatch.context() as patch:
        stop_at(patch, len(begun) - 1, time_is_up)
        path = regularization_path(X, y, **options)
    assert path.status_ == "complete"
    assert [entry.n_leaves for entry in path] == leaves
    with monkeypatch.context() as patch:
        stop_at(patch, len(begun) - 1, ctrl_c)
        path, _ = stopped_path(X, y, **options)
    assert path.status_ == "interrupted"
    assert [entry.n_leaves for entry in path] == leaves


def test_a_limit_met_for_a_lambda_that_is_not_taken_does_not_count() -> None:
    low, high = Fraction(1, 100), Fraction(1, 10)
    fits = Fits(LicketySPLITClassifier(), X, y, None, math.inf)
    fit, stopped = fits.at(low), fits.at(high)
    stopped.model.status_ = "time_limit"
    short = Point(Fraction(3, 100), fit, stopped, reads_well=True)
    group = [Point.of(low, fit), short, Point.of(high, fit)]
    assert _entry(group, group).status == "complete"
    assert _entry([short], [short]).status == "time_limit"  # there is no other
    group[0] = replace(short, price=low, reads_well=False)
    assert _entry(group, group).status == "time_limit"


@pytest.mark.parametrize("stop", [time_is_up, ctrl_c])
@pytest.mark.parametrize("done", [1, 2, 4])
def test_folds_that_are_done_count(
    done: int, stop: Callable[[Fits], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"smallest": 0.02, "cv": 5}
    whole = regularization_path(X, y, **options)
    seen: list[Fits] = []

    def watch(fits: Fits) -> None:
        """Stop at the first fit of a fold; those of the whole table come before."""
        if fits not in seen:
            seen.append(fits)
            if len(seen) == done + 2:
                stop(fits)

    on_fit(monkeypatch, watch)
    path, told = stopped_path(X, y, **options)
    assert path.status_ == ("interrupted" if stop is ctrl_c else "time_limit")
    assert f"cross-validated by {done} of 5 folds" in told
    assert [entry.n_leaves for entry in path] == [entry.n_leaves for entry in whole]
    if done > 1:
        assert path.best_ in list(path)
        assert None not in [entry.cv_loss for entry in path]
        assert str(path) != str(whole)
        return
    assert "cv_loss" not in path.to_frame()
    for name in ("best_", "one_standard_error_"):
        with pytest.raises(AttributeError, match="before cross-validation had done two"):
            getattr(path, name)


@pytest.mark.parametrize("cv", [None, 3])
def test_a_time_limit_ends_what_would_be_endless(cv: int | None) -> None:
    hard = noise(20_000, 100)
    path, told = stopped_path(*hard, estimator=ENDLESS, smallest=1e-5, time_limit=0.4, cv=cv)
    assert path.status_ == "time_limit"
    assert told.startswith("Stopped at time_limit=0.4 s with")
    assert path[0].low == 1e-5
    assert path[0].status == "time_limit"
    assert path[0].model.score(*hard) == pytest.approx(1 - path[0].loss)
    assert [entry for entry in path if entry.status != "optimal"] == [path[0]]


def test_ctrl_c_within_the_first_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("splitsecond._estimators.base.Progress", lambda: pressed)
    estimator = OptimalTreeClassifier(max_depth=7, verbose=1)
    path, told = stopped_path(*noise(20_000, 100), estimator=estimator, smallest=1e-5, cv=3)
    assert path.status_ == path[0].status == "interrupted"
    assert len(path) == 1
    assert told.startswith("Interrupted with 1 tree of the path")


def test_a_generous_limit_changes_nothing() -> None:
    limited = regularization_path(X, y, smallest=0.01, cv=3, time_limit=600)
    free = regularization_path(X, y, smallest=0.01, cv=3)
    assert limited.status_ == free.status_ == "complete"
    assert str(limited) == str(free)


def test_limits_of_fits_make_a_path_partial() -> None:
    estimator = OptimalTreeClassifier(max_depth=4, memory_limit=100_000)
    path, told = stopped_path(*noise(3000, 30), estimator=estimator, smallest=0.005)
    assert path.status_ == "partial"
    assert told.startswith("Fits of")


@pytest.mark.parametrize("limit", [-1, "long", True])
def test_no_time_limit(limit: Any) -> None:
    with pytest.raises(ValueError, match="time_limit="):
        regularization_path(X, y, time_limit=limit)


@pytest.mark.parametrize("dtype", [bool, np.int64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_tables_in_rows_are_the_same(dtype: Any, order: Any) -> None:
    table = read_table(np.array(X, dtype=dtype, order=order))
    rows = table.in_rows()
    assert (rows.n_rows, rows.n_columns) == (table.n_rows, table.n_columns)
    for j in range(table.n_columns):
        assert (rows.column(j) == table.column(j)).all()
