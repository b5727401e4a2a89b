"""The reliance of a single tree of numbers against brute force.

The oracle gives each row the values of every other row for the variable, which is the mean over all
permutations; where there are few rows, all permutations are made.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importance_helpers import mixed
from seeds import examples
from sklearn.tree import DecisionTreeRegressor
from strategies import problems

from splitsecond import (
    GreedyTreeRegressor,
    LicketySPLITRegressor,
    OptimalTreeRegressor,
    TreeFARMSRegressor,
    reliance,
)

LOSSES = ["squared_error", "poisson"]


def said(model: Any, X: Any) -> Any:
    """What a model says; a leaf without events counts half a row of the mean rate as well."""
    tree, leaves = model.tree_, model.apply(X)
    values = tree.labels[leaves].copy()
    if model.loss == "poisson":
        weight = tree.counts[:, 0]
        half = weight[0] / tree.n_rows[0] / 2
        rare = tree.labels[0] * half / (weight[leaves] + half)
        values = np.where(values == 0, rare, values)
    return values


def row_losses(model: Any, X: Any, y: Any) -> Any:
    values = said(model, X)
    if model.loss == "squared_error":
        return (y - values) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(y > 0, y * np.log(y / values), 0)
    return 2 * (logs - y + values)


def crossed_loss(model: Any, X: pd.DataFrame, y: Any, weights: Any, variable: str) -> float:
    """The mean loss of each row with the value of every other."""
    n = len(X)
    crossed = X.loc[np.repeat(np.arange(n), n)].reset_index(drop=True)
    crossed[variable] = np.tile(X[variable].to_numpy(), n)
    lost = row_losses(model, crossed, np.repeat(y, n))
    return float(np.average(lost, weights=np.outer(weights, weights).ravel()))


def numbers(X: pd.DataFrame, seed: int, loss: str) -> Any:
    rng = np.random.default_rng([seed, 3])
    signal = 2.0 * (X["age"] > 22) + (X["job"] == "cook") + X["pay"].fillna(1)
    if loss == "poisson":
        return rng.poisson(0.5 * signal.to_numpy()) * rng.choice([1.0, 0.5], len(X))
    return np.round(signal.to_numpy() + rng.normal(size=len(X)), 2) - 5


@pytest.mark.parametrize("kind", ["subtractive", "ratio"])
@pytest.mark.parametrize("loss", LOSSES)
def test_reliance_is_the_mean_over_permutations(loss: str, kind: str) -> None:
    used = without_events = 0
    for seed in range(8):
        rng = np.random.default_rng([seed, 2])
        X = mixed(seed, 30)
        y = numbers(X, seed, loss)
        weights = rng.integers(0, 4, 30) * 0.25 if seed % 2 else None
        model = OptimalTreeRegressor(
            max_depth=3, regularization=0.01, binarizer="midpoint", loss=loss
        ).fit(X, y, weights)
        leaves = model.tree_.labels[model.tree_.feature < 0]
        without_events += loss == "poisson" and bool((leaves == 0).any())
        own = np.ones(30) if weights is None else weights
        found = reliance(model, X, y, weights, kind)
        lost = float(np.average(row_losses(model, X, y), weights=own))
        asked = {literal.name for literal in model.tree_.literals.values()}
        assert set(found) == asked
        for variable, value in found.items():
            permuted = crossed_loss(model, X, y, own, variable)
            expected = permuted - lost if kind == "subtractive" else permuted / lost
            assert value == pytest.approx(expected, rel=1e-9, abs=1e-12)
            used += 1
    assert used > 12
    assert without_events or loss == "squared_error"


@pytest.mark.parametrize("loss", LOSSES)
def test_reliance_on_few_rows_is_the_mean_over_all_of_their_permutations(loss: str) -> None:
    X = mixed(1, 60)
    y = numbers(X, 1, loss)
    model = LicketySPLITRegressor(max_depth=3, regularization=0.01, loss=loss).fit(X, y)
    few, target = X[:5], y[:5]
    lost = row_losses(model, few, target).mean()
    found = reliance(model, few, target)
    assert found
    for variable, value in found.items():
        losses = []
        for order in itertools.permutations(range(5)):
            permuted = few.copy()
            permuted[variable] = few[variable].iloc[list(order)].to_numpy()
            losses.append(row_losses(model, permuted, target).mean())
        assert value == pytest.approx(np.mean(losses) - lost, abs=1e-12)


@settings(max_examples=examples(60))
@given(problems(max_rows=20, max_columns=4, max_depth=3), st.sampled_from(LOSSES), st.data())
def test_reliance_of_any_tree(problem: Any, loss: str, data: Any) -> None:
    n = len(problem.X)
    y = np.array(data.draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))) / 4
    model = GreedyTreeRegressor(
        regularization=0.001, max_depth=problem.max_depth, binarizer=None, loss=loss
    ).fit(problem.X, y, problem.weights)
    found = reliance(model, problem.X, y, problem.weights)
    X = pd.DataFrame(problem.X, columns=[f"x{j}" for j in range(problem.X.shape[1])])
    model = GreedyTreeRegressor(**model.get_params()).fit(X, y, problem.weights)
    own = np.ones(n) if problem.weights is None else problem.weights
    lost = float(np.average(row_losses(model, X, y), weights=own))
    for variable, value in found.items():
        expected = crossed_loss(model, X, y, own, variable) - lost
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_weights_are_repeated_rows(loss: str) -> None:
    X = mixed(4, 40)
    y = numbers(X, 4, loss)
    model = LicketySPLITRegressor(regularization=0.01, max_depth=4, loss=loss).fit(X, y)
    weights = np.arange(40) % 4
    repeated = np.repeat(np.arange(40), weights)
    again = reliance(model, X.iloc[repeated].reset_index(drop=True), y[repeated])
    assert again
    for unit in (1, 7, 0.1, 1e-200, 1e200):
        assert reliance(model, X, y, weights * unit) == pytest.approx(again, rel=1e-9)


@pytest.mark.parametrize("kind", ["subtractive", "ratio"])
def test_numbers_on_any_scale(kind: str) -> None:
    X = mixed(2, 80)
    y = numbers(X, 2, "squared_error")
    estimator = LicketySPLITRegressor(regularization=0.01, max_depth=3)
    expected = reliance(estimator.fit(X, y), X, y, kind=kind)
    assert len(expected) > 1
    for factor in (2.0**20, 2.0**-400, -1.0, 1e-3, 2.0**400):
        found = reliance(estimator.fit(X, y * factor), X, y * factor, kind=kind)
        unit = factor**2 if kind == "subtractive" else 1
        assert list(found) == list(expected)
        for name, value in found.items():
            assert value == pytest.approx(expected[name] * unit, rel=1e-7, abs=0)
    shifted = reliance(estimator.fit(X, y + 1000), X, y + 1000, kind=kind)
    assert shifted == pytest.approx(expected, rel=1e-9)
    huge = np.rint(y * 100).astype(np.int64)
    expected = reliance(estimator.fit(X, huge), X, huge, kind=kind)
    huge += 2**60
    assert reliance(estimator.fit(X, huge), X, huge, kind=kind) == pytest.approx(expected, rel=1e-9)


def test_squares_beyond_floats_are_infinite() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    y = (X[:, 0] + 0.1 * np.arange(20) % 0.3) * 1e300
    model = LicketySPLITRegressor(max_depth=1).fit(X, y)
    assert reliance(model, X, y) == {"x0": math.inf}
    assert 1 < reliance(model, X, y, kind="ratio")["x0"] < math.inf
    same = np.zeros((4, 2), dtype=int)
    assert reliance(model, same, y[:4]) == {"x0": 0.0}


@pytest.mark.parametrize("loss", LOSSES)
def test_ratio_of_a_tree_without_errors_is_infinite(loss: str) -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    for low, high in ((0.1, 0.7), (1, 3), (1e5 / 3, 1e5 / 7), (0, 0.3)):
        y = np.where(X[:, 0] == 1, high, low)
        model = LicketySPLITRegressor(loss=loss).fit(X, y)
        assert model.n_leaves_ == 2
        if loss == "squared_error" or low > 0:
            assert reliance(model, X, y, kind="ratio") == {"x0": math.inf}
            expected = (high - low) ** 2 / 2
            if loss == "poisson":
                expected = (high - low) * (math.log(high) - math.log(low)) / 2
            assert reliance(model, X, y) == {"x0": pytest.approx(expected)}
        same = np.zeros((4, 2), dtype=int)  # permuting changes nothing
        assert reliance(model, same, np.full(4, high), kind="ratio") == {"x0": 1.0}


def test_reliance_of_a_lone_leaf_is_empty() -> None:
    X = np.array([[0], [1]] * 5)
    assert reliance(LicketySPLITRegressor(max_depth=0).fit(X, X[:, 0]), X, X[:, 0]) == {}


@pytest.mark.parametrize("kind", ["subtractive", "ratio"])
@pytest.mark.parametrize("loss", LOSSES)
def test_reliance_of_a_tree_is_that_of_its_regressor(loss: str, kind: str) -> None:
    X = mixed(0, 200)
    y = numbers(X, 0, loss)
    weights = np.arange(len(X)) % 3 + 1
    for model in (
        LicketySPLITRegressor(loss=loss).fit(X, y),
        OptimalTreeRegressor(max_depth=2, loss=loss).fit(X, y, weights),
    ):
        expected = reliance(model, X, y, weights, kind)
        assert reliance(model.tree_, X, y, weights, kind) == expected
        assert reliance(model.tree_.to_regressor(), X, y, weights, kind) == expected
        names = list(dict.fromkeys(literal.name for literal in model.tree_.literals.values()))
        assert reliance(model.tree_, X[names], y, weights, kind) == expected


def test_reliance_of_the_trees_of_a_set() -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (80, 4))
    y = X[:, 0] + 0.5 * X[:, 1] + rng.normal(0, 0.5, 80)
    trees = TreeFARMSRegressor(max_depth=2, epsilon=0.2, binarizer=None).fit(X, y).trees_
    some = list(trees[:20])
    assert len(some) > 5
    for tree in some:
        again = reliance(tree.to_regressor(), X, y)
        assert reliance(tree, X, y) == again


def test_reliance_refuses_what_it_cannot_measure() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    y = X[:, 0] + 0.5 * X[:, 1]
    model = LicketySPLITRegressor(loss="poisson").fit(X, y)
    with pytest.raises(ValueError, match="y is negative"):
        reliance(model, X, -y)
    with pytest.raises(ValueError, match="contains NaN"):
        reliance(model, X, np.where(y > 1, np.nan, y))
    with pytest.raises(ValueError, match="y holds text"):
        reliance(model, X, ["spam"] * 20)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        reliance(model, X, y[:-1])
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        reliance(model, X, y, sample_weight=np.zeros(20))
    with pytest.raises(ValueError, match="must be a tree classifier of splitsecond, a regressor"):
        reliance(DecisionTreeRegressor().fit(X, y), X, y)  # type: ignore[arg-type]
