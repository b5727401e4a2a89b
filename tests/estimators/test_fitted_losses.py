"""Trees that are fitted for probabilities, for costs, and with leaves of many rows."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from splitsecond import (
    RESPLIT,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
    TreeFARMS,
)

TREES: tuple[Any, ...] = (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
)
ESTIMATORS: tuple[Any, ...] = (*TREES, TreeFARMS, RESPLIT)
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS)
RNG = np.random.default_rng(5)
X = RNG.integers(0, 2, (300, 6))
RISK = 0.05 + 0.3 * X[:, 0] + 0.25 * X[:, 1] * X[:, 2] + 0.2 * X[:, 3]
Y = np.where(RNG.random(300) < RISK, "ill", "well")
THREE = np.where(RNG.random(300) < 0.4 * X[:, 4], "other", Y)
WEIGHTS = RNG.integers(0, 4, 300) * 0.25
REFER = {
    "treat": {"ill": 0, "well": 1},
    "wait": {"ill": 4, "well": 0},
    "test": {"ill": 0.5, "well": 0.5},
}


def mean_loss(name: str, y: Any, shares: Any, classes: Any, weights: Any) -> float:
    """What scikit-learn says, summed over classes."""
    if name == "log_loss":
        return float(log_loss(y, shares, sample_weight=weights, labels=classes))
    parts = [
        brier_score_loss(y == label, shares[:, c], sample_weight=weights, pos_label=True)
        for c, label in enumerate(classes)
    ]
    return float(sum(parts))


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["rows", "weights"])
@pytest.mark.parametrize("y", [Y, THREE], ids=["two", "three"])
@pytest.mark.parametrize("loss", ["brier", "log_loss"])
@every_estimator
def test_the_objective_is_the_share_of_the_loss_that_is_left(
    estimator: Any, loss: str, y: Any, weights: Any
) -> None:
    model = estimator(loss=loss, regularization=0.02, max_depth=3).fit(X, y, weights)
    assert model.n_leaves_ > 1
    shares = model.predict_proba(X)
    prior = np.average(y[:, None] == model.classes_, axis=0, weights=weights)
    left = mean_loss(loss, y, shares, model.classes_, weights)
    whole = mean_loss(loss, y, np.tile(prior, (300, 1)), model.classes_, weights)
    assert model.objective_ == pytest.approx(left / whole + 0.02 * model.n_leaves_, rel=1e-9)
    assert model.predict(X).tolist() == model.classes_[shares.argmax(axis=1)].tolist()
    assert model.lower_bound_ <= model.objective_
    assert model.tree_.loss.name == loss
    assert 0 < model.statistics_["rounding"] < 1e-3


@pytest.mark.parametrize("loss", ["brier", "log_loss"])
def test_optimal_within_rounding(loss: str) -> None:
    best = OptimalTreeClassifier(loss=loss, max_depth=3, regularization=0.01).fit(X, Y)
    assert best.status_ == "optimal"
    assert best.statistics_["rounding"] < 1e-9
    assert best.objective_ - best.statistics_["rounding"] <= best.lower_bound_ < best.objective_
    assert "proved optimal" in str(best)
    near = [kind(loss=loss, max_depth=3, regularization=0.01).fit(X, Y) for kind in TREES]
    assert all(best.lower_bound_ <= model.objective_ for model in near)
    exact = OptimalTreeClassifier(max_depth=3).fit(X, Y)
    assert exact.statistics_["rounding"] == 0
    assert exact.lower_bound_ == exact.objective_


@pytest.mark.parametrize("loss", ["brier", "log_loss"])
def test_the_best_stump(loss: str) -> None:
    model = OptimalTreeClassifier(loss=loss, max_depth=1, regularization=0.001).fit(X, Y)
    values = []
    for j in range(6):
        shares = np.array([np.mean(Y[X[:, j] == v] == "ill") for v in (0, 1)])[X[:, j]]
        both = np.column_stack([shares, 1 - shares])
        values.append(mean_loss(loss, Y, both, ["ill", "well"], None))
    whole = np.full((300, 2), [np.mean(Y == "ill"), np.mean(Y == "well")])
    expected = min(values) / mean_loss(loss, Y, whole, ["ill", "well"], None) + 0.002
    assert model.objective_ == pytest.approx(expected)
    assert model.tree_.feature[0] == np.argmin(values)


@pytest.mark.parametrize("loss", ["brier", "log_loss"])
@every_estimator
def test_a_single_class_is_a_leaf(estimator: Any, loss: str) -> None:
    model = estimator(loss=loss, regularization=0.03).fit(X, np.ones(300))
    assert (model.n_leaves_, model.objective_) == (1, 0.03)
    assert model.lower_bound_ == 0.03


def test_rare_classes_do_not_make_a_single_leaf() -> None:
    """As in mammography: 2 % are positive, and can be told."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(4000, 4))
    y = rng.random(4000) < 1 / (1 + np.exp(6.5 - 2 * table[:, 0] - 1.5 * table[:, 1]))
    assert 0.01 < y.mean() < 0.05
    model = LicketySPLITClassifier(loss="log_loss").fit(table, y)
    assert model.n_leaves_ > 3
    assert roc_auc_score(y, model.predict_proba(table)[:, 1]) > 0.85


# Costs


@every_estimator
def test_actions(estimator: Any) -> None:
    model = estimator(costs=REFER, regularization=0.01, max_depth=3).fit(X, Y)
    assert model.actions_.tolist() == ["treat", "wait", "test"]
    assert model.classes_.tolist() == ["ill", "well"]
    said = model.predict(X)
    assert set(said.tolist()) <= set(REFER)
    assert said.tolist() == model.tree_.predict(X).tolist()
    assert model.predict_proba(X).shape == (300, 2)
    paid = np.mean([REFER[action][label] for action, label in zip(said, Y, strict=True)])
    assert model.expected_cost(X, Y) == pytest.approx(paid)
    assert model.score(X, Y) == -model.expected_cost(X, Y)
    assert model.objective_ == pytest.approx(paid + 0.01 * model.n_leaves_)
    weights = np.arange(300) % 3
    alone = model.expected_cost(X[weights > 0], Y[weights > 0], weights[weights > 0])
    assert model.expected_cost(X, Y, weights) == pytest.approx(alone)
    for leaf in np.flatnonzero(model.tree_.feature < 0):  # no other action costs less there
        ill, well = model.tree_.counts[leaf]
        by_action = [costs["ill"] * ill + costs["well"] * well for costs in REFER.values()]
        assert by_action[model.tree_.prediction[leaf]] == min(by_action)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["rows", "weights"])
@every_estimator
def test_costs_of_errors_are_class_weights(estimator: Any, weights: Any) -> None:
    """At the lambda that this rescales to."""
    counted = np.ones(300) if weights is None else weights
    plain = estimator(class_weight={"ill": 3, "well": 1}, regularization=0.02, max_depth=2)
    plain.fit(X, Y, weights)
    heavy = np.where(Y == "ill", 3, 1) * counted
    price = Fraction(2, 100) * Fraction(heavy.sum()) / Fraction(counted.sum())
    costs = {"ill": {"ill": 0, "well": 1}, "well": {"ill": 3, "well": 0}}
    model = estimator(costs=costs, regularization=price, max_depth=2)
    if hasattr(model, "epsilon"):
        model.epsilon = Fraction(1, 100) * Fraction(heavy.sum()) / Fraction(counted.sum())
    model.fit(X, Y, weights)
    ratio = heavy.sum() / counted.sum()
    assert model.objective_ == pytest.approx(plain.objective_ * ratio)
    if estimator is OptimalTreeClassifier:
        assert model.status_ == plain.status_ == "optimal"
    if estimator is TreeFARMS:
        assert model.trees_.n_trees == plain.trees_.n_trees
    assert model.score(X, Y) == pytest.approx(np.mean(model.predict(X) == Y))


def test_costs_are_exact() -> None:
    """Three thirds are one: the leaf that costs as much as two with lambda is kept."""
    third = Fraction(1, 3)
    table = np.array([[0]] * 3 + [[1]] * 3)
    y = np.array([0, 0, 0, 1, 1, 1])
    model = OptimalTreeClassifier(costs=[[0, third], [third, 0]], regularization=Fraction(1, 6))
    assert model.fit(table, y).n_leaves_ == 1
    model.set_params(regularization=Fraction(1, 6) - Fraction(1, 10**12))
    assert model.fit(table, y).n_leaves_ == 2
    assert model.status_ == "optimal"


def test_labels_of_actions_that_are_classes() -> None:
    codes = (Y == "ill").astype(np.int8)
    model = LicketySPLITClassifier(costs=[[0, 5], [1, 0]]).fit(X, codes)
    assert model.predict(X).dtype == np.int8
    assert set(model.predict(X).tolist()) == {0, 1}
    one = LicketySPLITClassifier(costs={"always": {0: 1, 1: 2}}).fit(X, codes)
    assert one.n_leaves_ == 1
    assert set(one.predict(X)) == {"always"}


def test_free_costs() -> None:
    model = OptimalTreeClassifier(costs=[[0, 0], [1, 0]], regularization=0).fit(X, Y)
    assert (model.n_leaves_, model.objective_) == (1, 0)


def test_expected_cost_needs_costs() -> None:
    model = LicketySPLITClassifier().fit(X, Y)
    with pytest.raises(ValueError, match="was fitted without costs: fit it with costs="):
        model.expected_cost(X, Y)
    priced = LicketySPLITClassifier(costs=REFER).fit(X, Y)
    with pytest.raises(ValueError, match="the label 'new', which the model does not know"):
        priced.expected_cost(X[:2], ["new", "ill"])
    with pytest.raises(NotFittedError):
        LicketySPLITClassifier(costs=REFER).expected_cost(X, Y)
    with pytest.raises(NotFittedError):
        LicketySPLITClassifier(costs=REFER).score(X, Y)


# Small leaves


@pytest.mark.parametrize("asked", [{}, {"loss": "log_loss"}, {"costs": REFER}], ids=str)
@pytest.mark.parametrize("least", [1, 20, 0.1, 75, 150, 151, 0.9])
@every_estimator
def test_leaves_have_enough_rows(estimator: Any, least: float, asked: Any) -> None:
    model = estimator(min_samples_leaf=least, regularization=0.001, max_depth=3, **asked)
    rows = least if least >= 1 else int(np.ceil(least * 300))
    tree = model.fit(X, Y).tree_
    if tree.n_leaves > 1:
        assert tree.n_rows[tree.feature < 0].min() >= rows
    assert tree.n_leaves > 1 or rows > 100
    assert rows <= 150 or tree.n_leaves == 1


def test_rows_count_and_not_weights() -> None:
    weights = np.where(np.arange(300) < 60, 0.0, 10.0 + np.arange(300) % 7)
    model = OptimalTreeClassifier(min_samples_leaf=0.25, regularization=0.001, max_depth=3)
    tree = model.fit(X, Y, weights).tree_
    assert tree.n_rows[tree.feature < 0].min() >= 60  # a quarter of those that have weight
    alone = model.fit(X[60:], Y[60:], weights[60:])
    assert (alone.tree_.feature == tree.feature).all()


@every_estimator
def test_more_rows_never_help(estimator: Any) -> None:
    optima = [
        OptimalTreeClassifier(min_samples_leaf=rows, max_depth=3).fit(X, Y).objective_
        for rows in (1, 10, 30, 60, 100)
    ]
    assert optima == sorted(optima)
    for rows, optimum in zip((1, 10, 30, 60, 100), optima, strict=True):
        found = estimator(min_samples_leaf=rows, max_depth=3).fit(X, Y).objective_
        assert found >= optimum - 1e-12


# LicketySPLIT with more lookahead


@pytest.mark.parametrize("asked", [{}, {"loss": "log_loss"}, {"costs": REFER}], ids=str)
def test_more_lookahead(asked: Any) -> None:
    shared = {"regularization": 0.003, "max_depth": 4, **asked}
    optimum = OptimalTreeClassifier(**shared).fit(X, Y).objective_
    for k in (1, 2, 3, 4, 9):
        model = LicketySPLITClassifier(lookahead_depth=k, **shared).fit(X, Y)
        prefix = SPLITClassifier(lookahead_depth=min(k, 4), postprocess=False, **shared)
        assert optimum - 1e-9 <= model.objective_ <= prefix.fit(X, Y).objective_ + 1e-9
        if k >= 4:
            assert model.objective_ == pytest.approx(optimum)
    default = LicketySPLITClassifier(**shared).fit(X, Y)
    assert default.tree_ == LicketySPLITClassifier(lookahead_depth=1, **shared).fit(X, Y).tree_


def test_lookahead_may_exceed_the_depth() -> None:
    for depth in (0, 1):
        LicketySPLITClassifier(max_depth=depth, lookahead_depth=5).fit(X, Y)


# Importances


@pytest.mark.parametrize(
    "asked", [{}, {"loss": "brier"}, {"loss": "log_loss"}, {"costs": REFER}], ids=str
)
@every_estimator
def test_importances(estimator: Any, asked: Any) -> None:
    model = estimator(regularization=0.005, max_depth=3, **asked).fit(X, Y)
    importances = model.feature_importances_
    tree = model.tree_
    assert importances.shape == (6,)
    assert importances.sum() == pytest.approx(1)
    assert (importances >= 0).all()
    losses = tree.loss.loss(tree.counts)
    used = {int(j) for j in tree.feature if j >= 0}
    for j in range(6):
        nodes = np.flatnonzero(tree.feature == j)
        saved = sum(
            losses[node] - losses[tree.left[node]] - losses[tree.right[node]] for node in nodes
        )
        whole = losses[0] - losses[tree.feature < 0].sum()
        assert importances[j] == pytest.approx(saved / whole, abs=1e-12)
        assert j in used or importances[j] == 0


def test_importances_are_of_the_users_columns() -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"noise": rng.normal(size=400), "x": rng.normal(size=400), "same": 1.0})
    y = (table["x"] > 0.5) ^ (table["x"] < -0.5)
    model = LicketySPLITClassifier().fit(table, y)
    assert model.feature_importances_.tolist() == [0, 1, 0]
    leaf = LicketySPLITClassifier(max_depth=0).fit(table, y)
    assert leaf.feature_importances_.tolist() == [0, 0, 0]
    with pytest.raises(NotFittedError):
        _ = LicketySPLITClassifier().feature_importances_


# Values


@pytest.mark.parametrize("asked", [{"loss": "brier"}, {"costs": REFER}], ids=str)
@every_estimator
def test_copies_are_the_same(estimator: Any, asked: Any) -> None:
    model = estimator(max_depth=2, **asked).fit(X, Y)
    for same in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert same.tree_ == model.tree_
        assert same.predict(X).tolist() == model.predict(X).tolist()
    again = clone(model).fit(X, Y)
    assert again.tree_ == model.tree_
