"""Paths of trees that are fitted for probabilities and costs."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import examples
from sklearn import metrics
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, cross_val_score
from strategies import problems, threshold_table

from splitsecond import (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
    regularization_path,
)

COSTS = np.array([[0, 2, 1, 3], [1, 0, 2.5, 1], [0.4, 0.5, 0.25, 0.75]])  # of up to four classes
FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)


def options_of(loss: str, n_classes: int) -> dict[str, Any]:
    if loss != "costs":
        return {"loss": loss}
    actions = ["none", "some", "all"]
    return {"costs": COSTS[:, :n_classes], "actions": actions}


def table(n: int = 240) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (n, 6))
    chance = 0.1 + 0.4 * X[:, 0] + 0.25 * X[:, 1] * X[:, 2]
    return X, (rng.random(n) < chance).astype(int)


@settings(max_examples=examples(40))
@given(
    problems(max_rows=20, max_columns=4, max_depth=3),
    st.sampled_from(["brier", "log_loss", "costs"]),
)
def test_optimal_paths_are_exact(problem: Any, loss: str) -> None:
    n_classes = len(np.unique(problem.codes))
    if n_classes > 4:
        return
    options = {
        **options_of(loss, n_classes),
        "max_depth": problem.max_depth,
        "binarizer": None,
    }
    path = regularization_path(
        problem.X,
        problem.codes,
        estimator=OptimalTreeClassifier(**options),
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
            model = OptimalTreeClassifier(regularization=price, **options)
            best = model.fit(problem.X, problem.codes, problem.weights).objective_
            assert entry.loss + price * entry.n_leaves == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("loss", ["brier", "log_loss", "costs"])
@pytest.mark.parametrize(
    "classifier",
    [GreedyTreeClassifier, LicketySPLITClassifier, SPLITClassifier, OptimalTreeClassifier],
)
def test_every_entry_is_a_fitted_model(classifier: Any, loss: str) -> None:
    X, y = table()
    options = {**options_of(loss, 2), "max_depth": 3, "min_samples_leaf": 12}
    path = regularization_path(X, y, estimator=classifier(**options), smallest=0.004)
    assert len(path) > 2
    for entry in path:
        model = entry.model
        again = classifier(**options, regularization=entry.regularization).fit(X, y)
        assert entry.objective == model.objective_ <= again.objective_ + 1e-12
        assert entry.objective == pytest.approx(entry.loss + entry.regularization * entry.n_leaves)
        assert entry.tree.loss.name == loss
        assert entry.tree.n_rows[entry.tree.feature < 0].min() >= 12
        if loss == "costs":
            assert entry.loss == pytest.approx(model.expected_cost(X, y))
            continue
        mean = metrics.log_loss if loss == "log_loss" else metrics.brier_score_loss
        lone = np.full(len(y), y.mean())
        whole = mean(y, lone)
        assert entry.loss == pytest.approx(mean(y, model.predict_proba(X)[:, 1]) / whole)


def test_held_out_rows_are_judged_by_the_loss() -> None:
    X, y = table()
    for loss, scoring, times in (("log_loss", "neg_log_loss", 1), ("brier", "neg_brier_score", 2)):
        estimator = LicketySPLITClassifier(loss=loss, max_depth=3, min_samples_leaf=20)
        path = regularization_path(X, y, estimator=estimator, smallest=0.01, cv=FOLDS)
        for entry in path:
            model = estimator.set_params(regularization=entry.regularization)
            scores = cross_val_score(model, X, y, cv=FOLDS, scoring=scoring)
            # Both classes count, of which scikit-learn takes one.
            assert entry.cv_loss == pytest.approx(-times * scores.mean())
        by_score = regularization_path(
            X, y, estimator=estimator, smallest=0.01, cv=FOLDS, scoring=scoring
        )
        assert path.best_.regularization == by_score.best_.regularization


def test_held_out_rows_cost_what_their_actions_cost() -> None:
    X, y = table()
    estimator = LicketySPLITClassifier(**options_of("costs", 2), max_depth=3)
    path = regularization_path(X, y, estimator=estimator, smallest=0.01, cv=FOLDS)
    for entry in path:
        costs = []
        for train, test in FOLDS.split(X, y):
            model = estimator.set_params(regularization=entry.regularization)
            costs.append(model.fit(X[train], y[train]).expected_cost(X[test], y[test]))
        assert entry.cv_loss == pytest.approx(np.mean(costs))
    assert "  cost  cv cost (s.e.)" in str(path)
    scored = regularization_path(
        X, y, estimator=estimator, smallest=0.01, cv=FOLDS, scoring="roc_auc"
    )
    assert scored.best_.cv_score is not None


def test_a_share_of_nothing_is_not_infinite() -> None:
    X = np.repeat([[0], [1]], 20, axis=0)
    y = np.repeat([0, 1], 20)
    y[[3, 30]] = [1, 0]
    folds = [(np.setdiff1d(np.arange(40), rows), np.array(rows)) for rows in ([3, 4], [30, 31])]
    estimator = LicketySPLITClassifier(loss="log_loss")
    path = regularization_path(X, y, estimator=estimator, cv=folds, smallest=0.1, largest=0.1)
    assert path[0].n_leaves == 2
    # A leaf without a row of the class, of two held-out rows one.
    assert path[0].cv_loss == pytest.approx(-np.log(np.finfo(float).eps) / 2, rel=0.01)


@pytest.mark.parametrize("loss", ["zero_one", "brier", "log_loss", "costs"])
def test_a_class_may_be_missing_from_a_fold(loss: str) -> None:
    X, y = threshold_table(2, 30, 4)
    labels = np.array(["a", "b", "rare"])[np.where(np.arange(30) == 4, 2, y)]
    options = options_of(loss, 3)
    if loss == "costs":
        costs = [[Fraction(str(cost)) for cost in row[:3]] for row in COSTS.tolist()]
        names = options.pop("actions")
        options["costs"] = {
            name: dict(zip(["a", "b", "rare"], row, strict=True))
            for name, row in zip(names, costs, strict=True)
        }
    estimator = LicketySPLITClassifier(**options, class_weight={"rare": 2, "a": 1, "b": 1})
    path = regularization_path(X, labels, estimator=estimator, smallest=0.05, cv=LeaveOneOut())
    assert all(entry.cv_loss is not None and np.isfinite(entry.cv_loss) for entry in path)
    assert estimator.class_weight == {"rare": 2, "a": 1, "b": 1}


@pytest.mark.parametrize(
    ("loss", "columns", "axis"),
    [
        ("log_loss", "rel. loss  cv log-loss (s.e.)", "log-loss of a row"),
        ("brier", "rel. loss  cv Brier (s.e.)", "Brier score of a row"),
        ("costs", "  cost  cv cost (s.e.)", "mean cost of a row"),
    ],
)
def test_texts_and_pictures_name_the_loss(loss: str, columns: str, axis: str) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    X, y = table()
    estimator = LicketySPLITClassifier(**options_of(loss, 2), max_depth=3)
    path = regularization_path(X, y, estimator=estimator, smallest=0.01, cv=FOLDS)
    header, *lines = str(path).splitlines()[: len(path) + 1]
    assert header.endswith(columns)
    place = header.index("cv ")
    assert all(line[place - 2 : place] == "  " and line[place] != " " for line in lines)
    ax = path.plot()
    assert ax.get_ylabel() == axis
    training = ax.lines[0].get_ydata()
    assert training[-1] == pytest.approx(path[-1].cv_loss, rel=0.05)  # of a single leaf
    ax.figure.canvas.draw()
    pyplot.close("all")
