"""The reliance of a single tree against brute force.

The oracle permutes: all permutations of a few rows are made, and predicted.
"""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from importance_helpers import mixed, noisy, ratio
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from strategies import threshold_table

from splitsecond import (
    FixedTreeClassifier,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    TreeFARMS,
    reliance,
)


def loss_permuted(model: Any, X: pd.DataFrame, y: Any, variable: str) -> Fraction:
    """The mean loss over all permutations of a variable: each is made, and predicted."""
    n_rows = len(X)
    permutations = list(itertools.permutations(range(n_rows)))
    together = pd.concat([X] * len(permutations), ignore_index=True)
    together[variable] = X[variable].iloc[list(itertools.chain(*permutations))].to_numpy()
    wrong = model.predict(together) != np.tile(np.asarray(y), len(permutations))
    return Fraction(int(wrong.sum()), len(wrong))


def brute_force(model: Any, X: pd.DataFrame, y: Any, kind: str) -> dict[str, float]:
    loss = Fraction(int(np.sum(model.predict(X) != np.asarray(y))), len(X))
    asked = {literal.name for literal in model.tree_.literals.values()}
    out = {}
    for variable in X.columns:
        if variable in asked:
            permuted = loss_permuted(model, X, y, variable)
            out[variable] = (
                float(permuted - loss) if kind == "subtractive" else ratio(permuted, loss)
            )
    return out


def row_losses(model: Any, X: Any, codes: Any) -> Any:
    """What each row loses by what the model says of it."""
    if model.costs is not None:
        return np.asarray(model.costs)[model.tree_.prediction[model.apply(X)], codes]
    shares = model.predict_proba(X)
    if model.loss == "brier":
        return (shares**2).sum(axis=1) - 2 * shares[np.arange(len(codes)), codes] + 1
    # A class that a leaf has never seen counts as half a row.
    rows = model.tree_.n_rows[model.apply(X)]
    unseen = 0.5 / (rows + 0.5)
    own = shares[np.arange(len(codes)), codes]
    return -np.log(np.where(own > 0, own, unseen))


@pytest.mark.parametrize("kind", ["subtractive", "ratio"])
@pytest.mark.parametrize(
    "asked",
    [
        {"loss": "brier"},
        {"loss": "log_loss"},
        {"costs": [[0, 5], [1, 0], [0.25, 0.5]], "actions": ["a", "b", "refer"]},
    ],
    ids=["brier", "log_loss", "costs"],
)
def test_reliance_in_other_losses(asked: Any, kind: str) -> None:
    """Each row with the values of every other for the variable: the mean over permutations."""
    used = 0
    for seed in range(6):
        rng = np.random.default_rng([seed, 2])
        X, codes = mixed(seed, 30), rng.integers(2, size=30)
        weights = rng.integers(1, 4, 30) if seed % 2 and asked.get("loss") != "log_loss" else None
        model = OptimalTreeClassifier(max_depth=2, regularization=0.01, binarizer="midpoint")
        model.set_params(**asked).fit(X, codes, weights)
        found = reliance(model, X, codes, weights, kind=kind)
        own = np.ones(30) if weights is None else weights
        loss = np.average(row_losses(model, X, codes), weights=own)
        for variable, value in found.items():
            crossed = X.loc[np.repeat(np.arange(30), 30)].reset_index(drop=True)
            crossed[variable] = np.tile(X[variable].to_numpy(), 30)
            lost = row_losses(model, crossed, np.repeat(codes, 30))
            permuted = np.average(lost, weights=np.outer(own, own).ravel())
            expected = permuted - loss if kind == "subtractive" else permuted / loss
            assert value == pytest.approx(expected, rel=1e-9, abs=1e-12)
            used += 1
    assert used > 6


@pytest.mark.parametrize("kind", ["subtractive", "ratio"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_reliance_is_the_mean_over_all_permutations(kind: str, n_classes: int) -> None:
    asked = 0
    for seed in range(12):
        rng = np.random.default_rng([seed, 1])
        X, y = mixed(seed, 40), rng.integers(n_classes, size=40)
        model = OptimalTreeClassifier(max_depth=3, regularization=0.01, binarizer="midpoint")
        model.fit(X, np.array(["no", "yes", "?"])[y])
        rows = rng.choice(40, size=rng.integers(1, 6), replace=False)
        few, labels = X.iloc[rows].reset_index(drop=True), np.array(["no", "yes", "?"])[y[rows]]
        expected = brute_force(model, few, labels, kind)
        assert reliance(model, few, labels, kind=kind) == pytest.approx(expected, abs=1e-14)
        asked += len(expected)
    assert asked > 20


def test_all_questions_about_a_variable_are_permuted_together() -> None:
    # One variable is asked twice on the way to the middle class: apart, its thresholds would be
    # answered in ways that no value can.
    X = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6], "z": [0, 1, 0, 1, 0, 1]})
    y = [0, 0, 1, 1, 0, 0]
    model = OptimalTreeClassifier(max_depth=2, regularization=0.01, binarizer="midpoint").fit(X, y)
    assert model.n_leaves_ == 3
    # A row keeps its class by chance: 4/6 * 4/6 + 2/6 * 2/6.
    assert reliance(model, X, y) == {"x": pytest.approx(16 / 36)}
    assert brute_force(model, X, y, "subtractive") == {"x": pytest.approx(16 / 36)}


@pytest.mark.parametrize("kind", ["subtractive", "ratio"])
def test_weights_are_repeated_rows(kind: str) -> None:
    for seed in range(8):
        rng = np.random.default_rng([seed, 2])
        X, y = mixed(seed, 30), rng.integers(3, size=30)
        model = LicketySPLITClassifier(regularization=0.01, max_depth=4).fit(X, y)
        weights = rng.integers(0, 4, 30)
        repeated = np.repeat(np.arange(30), weights)
        found = reliance(model, X, y, sample_weight=weights, kind=kind)
        again = X.iloc[repeated].reset_index(drop=True), y[repeated]
        assert found == reliance(model, *again, kind=kind)
        # Weights in any unit, whole or not.
        for unit in (7, 0.5, 0.1, 1 / 3):
            scaled = reliance(model, X, y, sample_weight=weights * unit, kind=kind)
            assert scaled == pytest.approx(found, abs=1e-8)
        five = repeated[:5]
        few = X.iloc[five].reset_index(drop=True), y[five]
        expected = brute_force(model, *few, kind)
        own = np.bincount(five, minlength=30)
        assert reliance(model, X, y, own, kind) == pytest.approx(expected, abs=1e-14)


def test_reliance_of_binary_tables_of_any_library() -> None:
    X, y = noisy(3, 200, 6)
    model = GreedyTreeClassifier(max_depth=3, regularization=0.001, binarizer=None).fit(X, y)
    expected = reliance(model, X, y)
    assert 1 < len(expected) <= 6
    assert all(re.fullmatch(r"x\d", name) for name in expected)
    assert reliance(model, scipy.sparse.csr_matrix(X), y) == expected
    assert reliance(model, X.astype(bool), y.tolist()) == expected


def test_reliance_of_a_lone_leaf_is_empty() -> None:
    X = np.array([[0], [1]] * 5)
    assert reliance(LicketySPLITClassifier(max_depth=0).fit(X, X[:, 0]), X, X[:, 0]) == {}


def test_ratio_of_a_tree_without_errors_is_infinite() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    model = LicketySPLITClassifier().fit(X, X[:, 0])
    assert reliance(model, X, X[:, 0], kind="ratio") == {"x0": float("inf")}
    same = np.zeros((4, 2), dtype=int)  # permuting changes nothing
    assert reliance(model, same, same[:, 0], kind="ratio") == {"x0": 1.0}


def test_reliance_of_rows_that_lack_a_class() -> None:
    X, y = threshold_table(4, 100, 5, n_classes=3)
    model = LicketySPLITClassifier(regularization=0.001).fit(X, y)
    some = y != 1
    assert reliance(model, X[some], y[some]) == reliance(model, X, y, sample_weight=some)


def test_reliance_refuses_what_it_cannot_measure() -> None:
    X, y = threshold_table(5, 60, 4)
    model = LicketySPLITClassifier().fit(X, y)
    with pytest.raises(ValueError, match="label 7, which the model does not know"):
        reliance(model, X, np.where(y == 1, 7, 0))
    with pytest.raises(ValueError, match="label 'spam'"):
        reliance(model, X, ["spam"] * 60)
    with pytest.raises(ValueError, match="kind='both' must be one of 'subtractive', 'ratio'"):
        reliance(model, X, y, kind="both")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        reliance(model, X, y[:-1])
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        reliance(model, X, y, sample_weight=np.zeros(60))
    with pytest.raises(ValueError, match="expecting 4 features"):
        reliance(model, X[:, :2], y)
    with pytest.raises(NotFittedError):
        reliance(LicketySPLITClassifier(), X, y)
    for stranger in (DecisionTreeClassifier().fit(X, y), "tree", None):
        with pytest.raises(ValueError, match="must be a tree classifier of splitsecond"):
            reliance(stranger, X, y)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["subtractive", "ratio"])
@pytest.mark.parametrize("options", [{}, {"loss": "brier"}, {"loss": "log_loss"}], ids=str)
def test_reliance_of_a_tree_is_that_of_its_classifier(options: Any, kind: str) -> None:
    X = mixed(0, 200)
    y = np.where((X["age"] > 22) ^ (X["job"] == "cook") ^ (np.arange(200) % 9 == 0), "a", "b")
    weights = np.arange(len(X)) % 3 + 1
    for model in (
        LicketySPLITClassifier(**options).fit(X, y),
        LicketySPLITClassifier(max_depth=0, **options).fit(X, y),
        OptimalTreeClassifier(max_depth=2, **options).fit(X, y, weights),
    ):
        expected = reliance(model, X, y, weights, kind)
        assert reliance(model.tree_, X, y, weights, kind) == expected
        assert reliance(model.tree_.to_classifier(), X, y, weights, kind) == expected
        asked = X[[literal.name for literal in model.tree_.literals.values()]]
        if len(asked.columns):  # others need not be there
            some = asked.loc[:, ~asked.columns.duplicated()]
            assert reliance(model.tree_, some, y, weights, kind) == expected


def test_reliance_of_the_trees_of_a_set() -> None:
    X, y = threshold_table(5, 80, 4)
    trees = TreeFARMS(max_depth=2, epsilon=0.05).fit(X, y).trees_
    for i, tree in enumerate(trees[:20]):
        assert reliance(tree, X, y) == reliance(trees.to_classifier(i), X, y)
    with pytest.raises(NotFittedError):
        reliance(FixedTreeClassifier(tree=trees[0]), X, y)
