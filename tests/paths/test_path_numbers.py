"""Paths of trees of numbers."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import examples
from sklearn import metrics
from sklearn.model_selection import KFold, LeaveOneOut, cross_val_score
from strategies import problems

from splitsecond import (
    GreedyTreeRegressor,
    LicketySPLITRegressor,
    OptimalTreeRegressor,
    RegularizationPath,
    RESPLITRegressor,
    SPLITRegressor,
    regularization_path,
)
from splitsecond._solving import solve

LOSSES = ["squared_error", "poisson"]
REGRESSORS = [
    GreedyTreeRegressor,
    LicketySPLITRegressor,
    SPLITRegressor,
    OptimalTreeRegressor,
]
FOLDS = KFold(4, shuffle=True, random_state=0)
SCORERS = (
    *("r2", "neg_mean_squared_error", "neg_mean_absolute_error", "neg_root_mean_squared_error"),
    *("d2_absolute_error_score", "neg_median_absolute_error", "explained_variance"),
    "neg_mean_poisson_deviance",
)


def table(n: int = 240, seed: int = 1) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 4)).round(2), columns=list("abcd"))
    mean = np.exp(0.5 * (X["a"] > 0) + 0.4 * X["b"])
    return X, rng.poisson(mean).astype(float)


def binary(n: int = 240) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (n, 6))
    return X, (2 * X[:, 0] + X[:, 1] * X[:, 2] + rng.gamma(2, 0.5, n)).round(3)


def mean_loss(loss: str, y: Any, predicted: Any, weights: Any = None) -> float:
    of = metrics.mean_squared_error if loss == "squared_error" else metrics.mean_poisson_deviance
    return float(of(y, predicted, sample_weight=weights))


def made(X: Any, y: Any, **options: Any) -> RegularizationPath:
    asked = {"estimator": LicketySPLITRegressor(max_depth=3), "smallest": 0.01, "cv": FOLDS}
    return regularization_path(X, y, **{**asked, **options})


def scores_of(path: RegularizationPath) -> list[float]:
    return [entry.cv_score for entry in path if entry.cv_score is not None]


def losses_of(path: RegularizationPath) -> list[float]:
    return [entry.cv_loss for entry in path if entry.cv_loss is not None]


# The trees


@settings(max_examples=examples(40))
@given(problems(max_rows=20, max_columns=4, max_depth=3), st.sampled_from(LOSSES), st.data())
def test_optimal_paths_are_exact(problem: Any, loss: str, data: Any) -> None:
    n = len(problem.X)
    y = np.array(data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))) / 4
    options = {"loss": loss, "max_depth": problem.max_depth, "binarizer": None}
    path = regularization_path(
        problem.X,
        y,
        estimator=OptimalTreeRegressor(**options),
        smallest=0.01,
        sample_weight=problem.weights,
    )
    assert path[-1].n_leaves == 1
    for one, other in itertools.pairwise(path):
        assert one.high == other.low
        assert one.loss < other.loss
        assert one.n_leaves > other.n_leaves
        crossing = (other.loss - one.loss) / (one.n_leaves - other.n_leaves)
        assert one.high == pytest.approx(crossing, abs=1e-9)
    for entry in path:
        for price in (entry.low, (entry.low + min(entry.high, 3)) / 2, min(entry.high, 3)):
            model = OptimalTreeRegressor(regularization=price, **options)
            best = model.fit(problem.X, y, problem.weights).objective_
            assert entry.loss + price * entry.n_leaves == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("regressor", REGRESSORS)
def test_every_entry_is_a_fitted_model(regressor: Any, loss: str) -> None:
    X, y = binary()
    options = {"loss": loss, "max_depth": 3, "min_samples_leaf": 12}
    path = regularization_path(X, y, estimator=regressor(**options), smallest=0.002)
    assert len(path) > 3
    assert path[0].low == 0.002
    assert path[-1].high == math.inf
    whole = mean_loss(loss, y, np.full(len(y), y.mean()))
    for entry in path:
        model = entry.model
        again = regressor(**options, regularization=entry.regularization).fit(X, y)
        assert entry.objective == model.objective_ <= again.objective_ + 1e-12
        assert entry.objective == pytest.approx(entry.loss + entry.regularization * entry.n_leaves)
        assert entry.loss == pytest.approx(mean_loss(loss, y, model.predict(X)) / whole)
        assert entry.loss == pytest.approx(1 - model.score(X, y))
        assert model.lower_bound_ <= model.objective_
        assert entry.tree.n_rows[entry.tree.feature < 0].min() >= 12
        assert str(model).startswith(regressor.__name__)
        if regressor is OptimalTreeRegressor:
            assert entry.status == "optimal"


def test_raw_columns() -> None:
    X, y = table()
    path = made(X, y, cv=None)
    assert [entry.n_leaves for entry in path] == sorted(
        (entry.n_leaves for entry in path), reverse=True
    )
    for entry in path:
        again = LicketySPLITRegressor(max_depth=3, regularization=entry.regularization).fit(X, y)
        assert entry.objective <= again.objective_ + 1e-12
    assert not hasattr(path[0].model, "classes_")


@pytest.mark.parametrize("loss", LOSSES)
def test_rows_are_counted_once(loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = binary()
    counted = []
    encode = solve.encode

    def told(*given: Any, **options: Any) -> Any:
        counted.append(given)
        return encode(*given, **options)

    monkeypatch.setattr(solve, "encode", told)
    estimator = LicketySPLITRegressor(max_depth=3, loss=loss)
    path = regularization_path(X, y, estimator=estimator, smallest=0.002)
    assert len(path) > 3
    assert len(counted) == 1
    regularization_path(X, y, estimator=estimator, smallest=0.002, cv=FOLDS)
    assert len(counted) == 1 + 1 + 4
    # A fit by itself counts its own.
    for weights in (None, np.arange(240) % 3):
        estimator.fit(X, y, weights)
    assert len(counted) == 8


def test_numbers_on_any_scale() -> None:
    X, y = binary()
    expected = made(X, y)
    assert len(expected) > 3
    for given_y in (y * 1e200, y * 1e-300, y * -8.0, y + 512, y * 1e5 + 1e7):
        path = made(X, given_y)
        assert [entry.n_leaves for entry in path] == [entry.n_leaves for entry in expected]
        for one, other in zip(path, expected, strict=True):
            assert one.loss == pytest.approx(other.loss, abs=1e-9)
            assert one.cv_loss == pytest.approx(other.cv_loss, abs=1e-9)
        assert path.best_.n_leaves == expected.best_.n_leaves
        assert path.one_standard_error_.n_leaves == expected.one_standard_error_.n_leaves


def test_integers_that_floats_do_not_hold() -> None:
    X, y = binary()
    small = np.rint(10 * y).astype(np.int64)
    expected, path = made(X, small), made(X, small + 2**60)
    assert losses_of(path) == pytest.approx(losses_of(expected), abs=1e-12)
    assert str(path) == str(expected)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_constant_target(loss: str) -> None:
    X, _ = binary()
    for value in (0.0, 3.0):
        path = made(X, np.full(240, value), estimator=LicketySPLITRegressor(loss=loss))
        assert len(path) == 1
        assert (path[0].loss, path[0].cv_loss, path[0].n_leaves) == (0, 0, 1)
        assert path.best_ is path.one_standard_error_ is path[0]


# Held-out rows


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_held_out_rows_are_judged_by_the_loss(loss: str, weighted: bool) -> None:
    X, y = binary()
    weights = 0.5 + np.arange(240) % 3 if weighted else np.ones(240)
    estimator = LicketySPLITRegressor(loss=loss, max_depth=3)
    path = regularization_path(
        X,
        y,
        estimator=estimator,
        smallest=0.01,
        cv=FOLDS,
        sample_weight=weights if weighted else None,
    )
    lone = mean_loss(loss, y, np.full(240, np.average(y, weights=weights)), weights)
    for entry in path:
        losses = []
        for train, test in FOLDS.split(X):
            model = estimator.set_params(regularization=entry.regularization)
            model.fit(X[train], y[train], weights[train])
            losses.append(mean_loss(loss, y[test], model.predict(X[test]), weights[test]) / lone)
        assert entry.cv_loss == pytest.approx(np.mean(losses))
        assert entry.cv_standard_error == pytest.approx(np.std(losses, ddof=1) / 2)
    best = min(losses_of(path))
    assert path.best_.cv_loss == best
    limit = best + (path.best_.cv_standard_error or 0)
    assert path.one_standard_error_ is [e for e in path if (e.cv_loss or 0) <= limit][-1]
    assert len(losses_of(path)) == len(path)


def test_events_are_never_impossible() -> None:
    """A leaf without events counts half a row of the mean rate as well."""
    X = np.repeat([[0], [1]], 20, axis=0)
    y = np.where(X[:, 0] == 1, 2.0, 0.0)
    y[[0, 25]] = [4, 0]
    folds = [(np.setdiff1d(np.arange(40), rows), np.array(rows)) for rows in ([0, 1], [20, 21])]
    estimator = LicketySPLITRegressor(loss="poisson", binarizer=None)
    path = regularization_path(X, y, estimator=estimator, cv=folds, smallest=0.01, largest=0.01)
    assert path[0].n_leaves == 2
    mean = y.mean()
    lone = metrics.mean_poisson_deviance(y, np.full(40, mean))
    rare = mean * 0.5 / 18.5
    first = np.mean([2 * (4 * math.log(4 / rare) - 4 + rare), 2 * rare])
    second = metrics.mean_poisson_deviance([2, 2], [36 / 18 - 2 / 18] * 2)
    assert path[0].cv_loss == pytest.approx((first + second) / 2 / lone)
    # Also where the rows to learn from have none at all.
    y = np.where(np.arange(40) == 3, 1.0, 0.0)
    path = regularization_path(X, y, estimator=estimator, cv=4, smallest=0.5)
    assert np.isfinite(losses_of(path)).all()


def test_folds_are_not_stratified() -> None:
    X, y = table()
    by_number = made(X, y, cv=4)
    assert losses_of(by_number) == losses_of(made(X, y, cv=KFold(4)))
    assert losses_of(by_number) == losses_of(made(X, pd.Series(y), cv=list(KFold(4).split(X))))
    assert losses_of(by_number) != losses_of(made(X, y))
    alone = made(X[:30], y[:30], cv=LeaveOneOut(), smallest=0.1)
    assert np.isfinite(losses_of(alone)).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_weights_are_repeated_rows(loss: str) -> None:
    X, y = table(160)
    y += 0.25  # no leaf is without events, where the weight of a row on average counts
    times = 1 + np.arange(160) % 3
    folds = list(FOLDS.split(X, y))
    rows = np.repeat(np.arange(160), times)
    repeated = [tuple(np.flatnonzero(np.isin(rows, part)) for part in fold) for fold in folds]
    estimator = LicketySPLITRegressor(binarizer="midpoint", max_depth=2, loss=loss)
    for scoring in (None, "r2"):
        options = {"estimator": estimator, "smallest": 0.02, "scoring": scoring}
        weighted = made(X, y, **options, cv=folds, sample_weight=times)
        expected = made(X.iloc[rows], y[rows], **options, cv=repeated)
        assert [e._cv_mean() for e in weighted] == pytest.approx([e._cv_mean() for e in expected])
        assert [e.loss for e in weighted] == pytest.approx([e.loss for e in expected])


# Scorers of scikit-learn


@pytest.mark.parametrize("name", SCORERS)
def test_scores_are_those_of_scikit_learn(name: str) -> None:
    X, y = table()
    y = y + 0.25  # no mean is 0
    path = made(X, y, scoring=name)
    assert len(path) > 2
    assert path.scoring_ == name
    expected = [
        cross_val_score(
            LicketySPLITRegressor(max_depth=3, regularization=entry.regularization),
            X,
            y,
            cv=FOLDS,
            scoring=name,
        )
        for entry in path
    ]
    assert scores_of(path) == pytest.approx([each.mean() for each in expected])
    errors = [each.std(ddof=1) / 2 for each in expected]
    assert [entry.cv_standard_error for entry in path] == pytest.approx(errors)
    assert all(entry.cv_loss is None for entry in path)
    assert path.best_.cv_score == max(scores_of(path))


def test_functions_score_models() -> None:
    X, y = table()

    def r2(model: Any, X: Any, y: Any) -> float:
        assert isinstance(model, LicketySPLITRegressor)
        assert list(X.columns) == list("abcd")
        return float(model.score(X, y))

    assert scores_of(made(X, y, scoring=r2)) == pytest.approx(scores_of(made(X, y, scoring="r2")))
    scorer = metrics.make_scorer(metrics.mean_pinball_loss, alpha=0.9, greater_is_better=False)
    assert made(X, y, scoring=scorer).scoring_ == "mean_pinball_loss"
    leaves = made(X, y, scoring=lambda model, *_: -model.n_leaves_)
    assert leaves.best_.n_leaves == 1
    # Predictions are those of the numbers as they were given.
    large = (10 * y).astype(np.int64) + 2**60
    lowest = made(X, large, scoring=lambda model, X, y: float(model.predict(X).min() - y.min()))
    assert max(map(abs, scores_of(lowest))) < 1e3
    assert len(lowest) == len(made(X, large))


def test_what_has_no_score() -> None:
    X, y = table()
    poisson = LicketySPLITRegressor(loss="poisson")
    with pytest.raises(ValueError, match=r"A leaf predicts 0, as it has no events: use a larger"):
        made(X, y, estimator=poisson, smallest=0.001, scoring="neg_mean_poisson_deviance")
    with pytest.raises(ValueError, match=r"For numbers there are 'r2', 'neg_mean_squared_error'"):
        made(X, y, scoring="accuracy")
    with pytest.raises(ValueError, match="is not the name of a scorer"):
        made(X, y, scoring="r3")
    with pytest.raises(ValueError, match="scikit-learn, such as 'r2'"):
        made(X, y, scoring=3)
    with pytest.raises(ValueError, match="fewer than two held-out rows: use fewer folds"):
        made(X[:20], y[:20], scoring="r2", cv=LeaveOneOut())
    with pytest.raises(ValueError, match="takes no sample_weight"):
        made(X, y, scoring="neg_max_error", sample_weight=np.ones(240))


def test_scorers_of_classes_are_refused_for_numbers() -> None:
    X, y = table()
    for name in (
        "roc_auc",
        "neg_log_loss",
        "average_precision",
        "top_k_accuracy",
        "neg_brier_score",
    ):
        with pytest.raises(ValueError, match=r"for classes, and the model.*numbers there are 'r2'"):
            made(X, y, scoring=name)
    scorer = metrics.make_scorer(metrics.roc_auc_score, response_method="predict_proba")
    with pytest.raises(ValueError, match="it is for classes, and the model predicts numbers"):
        made(X, y, scoring=scorer)
    with pytest.raises(ValueError, match="It is for numbers; for classes there are 'accuracy'"):
        regularization_path(X, np.array(["a", "b", "c"] * 80), cv=FOLDS, scoring="r2")


def test_scores_that_are_infinitely_bad_are_never_the_best() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    # A leaf without events makes one on held-out rows impossible: D^2 is minus infinity there.
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.integers(0, 2, (200, 6)))
    y = rng.poisson(0.2 + 0.8 * X[0])
    options = {"estimator": LicketySPLITRegressor(loss="poisson"), "smallest": 0.001, "cv": 4}
    path = regularization_path(X, y, scoring=lambda model, *rows: model.score(*rows), **options)
    scores = scores_of(path)
    assert min(scores) == -math.inf
    assert path.best_.cv_score == max(scores) > -math.inf
    assert math.isfinite(path.one_standard_error_.cv_score)
    assert all(math.isinf(entry.cv_standard_error) == math.isinf(entry.cv_score) for entry in path)
    assert "-inf (inf)" in str(path)
    path.plot().figure.canvas.draw()
    pyplot.close("all")
    path = regularization_path(X, y, scoring=lambda *_: -math.inf, **options)
    assert path.best_.n_leaves == path.one_standard_error_.n_leaves == path[-1].n_leaves
    path.plot().figure.canvas.draw()
    pyplot.close("all")
    with pytest.raises(ValueError, match="it is infinite, and no score is higher"):
        regularization_path(X, y, scoring=lambda *_: math.inf, **options)


def test_numbers_need_an_estimator_for_them() -> None:
    X, y = table()
    for target in (y + X["a"], np.arange(240)):
        with pytest.raises(ValueError, match=r"pass estimator=LicketySPLITRegressor\(\)"):
            regularization_path(X, target)
    with pytest.raises(ValueError, match="must be a tree classifier or regressor of splitsecond"):
        regularization_path(X, y, estimator=RESPLITRegressor())
    with pytest.raises(ValueError, match="y is negative"):
        regularization_path(X, -y, estimator=LicketySPLITRegressor(loss="poisson"))


# Texts and pictures


@pytest.mark.parametrize(
    ("loss", "axis"),
    [
        ("squared_error", "squared error, as a share of a single leaf's"),
        ("poisson", "Poisson deviance, as a share of a single leaf's"),
    ],
)
def test_texts_and_pictures(loss: str, axis: str) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    X, y = table()
    path = made(X, 1e6 * y, estimator=LicketySPLITRegressor(loss=loss, max_depth=3))
    header, *lines = str(path).splitlines()[: len(path) + 1]
    assert header.endswith("rel. loss  cv rel. loss (s.e.)")
    place = header.index("cv ")
    assert all(line[place - 2 : place] == "  " and line[place] != " " for line in lines)
    assert str(path).count("best") == str(path).count("1-SE") == 1
    frame = path.to_frame()
    assert frame["cv_loss"].tolist() == losses_of(path)
    ax = path.plot()
    assert ax.get_ylabel() == axis
    assert ax.lines[0].get_ydata().tolist() == [entry.loss for entry in path]
    ax.figure.canvas.draw()
    scored = made(X, y, scoring="r2").plot()
    assert scored.figure.axes[1].get_ylabel() == "r2"
    scored.figure.canvas.draw()
    pyplot.close("all")
