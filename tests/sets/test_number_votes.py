"""What all trees of a set of regression trees predict together is what listing them gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from number_sets import random_number_set
from seeds import seeds

from splitsecond import RESPLITRegressor, TreeFARMS, TreeFARMSRegressor

LOSSES = ["squared_error", "poisson"]
N_SETS = 40


def check_votes(rng: np.random.Generator, X: Any, y: Any, trees: Any) -> None:
    rows = (rng.random((30, X.shape[1])) < 0.5).astype(np.uint8)
    listed = np.array([tree.predict(rows) for tree in trees]).T
    assert trees.predict(rows).tolist() == listed.tolist()
    size = max(1e-300, float(np.max(y) - np.min(y)))
    # Numbers far from 0 have fewer digits left, in predictions and in means of these.
    allowed = 1e-9 * size + 1e-14 * float(np.abs(y).max())
    np.testing.assert_allclose(trees.vote(rows), listed.mean(axis=1), rtol=0, atol=allowed)
    variance = listed.var(axis=1)
    np.testing.assert_allclose(trees.multiplicity(rows), variance, rtol=1e-9, atol=allowed * size)
    ends = np.column_stack([listed.min(axis=1), listed.max(axis=1)])
    np.testing.assert_allclose(trees.prediction_range(rows), ends, rtol=0, atol=allowed)
    summary, variance = trees.multiplicity_summary(rows), trees.multiplicity(rows)
    assert [summary[each] for each in ("mean", "std", "max")] == [
        variance.mean(),
        variance.std(),
        variance.max(),
    ]
    differs = (ends[:, 1] - ends[:, 0] > 10 * allowed).mean()
    assert summary["disputed"] >= differs
    order = trees.disputed(rows)
    assert sorted(order.tolist()) == list(range(30))
    assert (np.diff(trees.multiplicity(rows)[order]) <= 0).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_votes_are_those_of_all_trees(loss: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(N_SETS):
        X, y, trees, _ = random_number_set(rng, loss)
        check_votes(rng, X, y, trees)


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(10))
def test_votes_of_many_sets(loss: str, seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    for _ in range(100):
        X, y, trees, _ = random_number_set(rng, loss, max_trees=2000)
        check_votes(rng, X, y, trees)


def test_by_hand() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 4)
    y = np.array([1.0, 2.0, 5.0, 8.0] * 4)
    trees = TreeFARMSRegressor(regularization=0.01, epsilon=2, max_depth=1).fit(X, y).trees_
    assert [tree.n_leaves for tree in trees] == [2, 2, 1]
    # x0 says 1.5 and 6.5, x1 says 3 and 5, the leaf says 4.
    assert trees.predict([[0, 0], [1, 1]]).tolist() == [[1.5, 3, 4], [6.5, 5, 4]]
    np.testing.assert_allclose(trees.vote([[0, 0], [1, 1]]), [8.5 / 3, 15.5 / 3])
    np.testing.assert_allclose(
        trees.multiplicity([[0, 0], [1, 1]]), [np.var([1.5, 3, 4]), np.var([6.5, 5, 4])]
    )
    assert trees.prediction_range([[0, 0], [1, 1]]).tolist() == [[1.5, 4], [4, 6.5]]
    assert trees.predict([[0, 0]], [1]).tolist() == [[3]]
    assert trees.filter(root="x0").vote([[0, 0]]).tolist() == [1.5]
    assert trees.filter(root="x0").multiplicity([[0, 0]]).tolist() == [0]


def test_trees_that_agree_have_no_variance() -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (60, 4))
    y = 0.1 + rng.normal(size=60)
    trees = TreeFARMSRegressor(regularization=0.02, epsilon=0.1, max_depth=3).fit(X, y).trees_
    best = trees.within(0)
    rows = np.unique(X, axis=0)
    agree = best.predict(rows)
    one = (agree == agree[:, :1]).all(axis=1)
    assert one.any()
    assert (best.multiplicity(rows)[one] == 0).all()


def test_more_trees_than_can_be_listed() -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (300, 24))
    y = X @ rng.random(24) + 1e5
    model = RESPLITRegressor(
        regularization=0.0001, epsilon=0.9, max_depth=4, lookahead_depth=1, binarizer=None
    )
    trees = model.fit(X, y).trees_
    assert trees.n_trees > 10**7
    drawn = np.array([tree.predict(X[:20]) for tree in trees.sample(2000, random_state=0)])
    mean, variance = trees.vote(X[:20]), trees.multiplicity(X[:20])
    ends = trees.prediction_range(X[:20])
    error = np.sqrt(variance / len(drawn))
    assert (np.abs(drawn.mean(axis=0) - mean) < 5 * error + 1e-9).all()
    np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=0.3)
    assert (ends[:, 0] <= drawn.min(axis=0) + 1e-6).all()
    assert (drawn.max(axis=0) <= ends[:, 1] + 1e-6).all()


@pytest.mark.parametrize("scale", [1e-5, 1e300])
def test_numbers_of_any_size(scale: float) -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 4)
    y = np.array([1.0, 2.0, 5.0, 8.0] * 4)
    options = {"regularization": 0.01, "epsilon": 2, "max_depth": 1}
    plain = TreeFARMSRegressor(**options).fit(X, y).trees_
    scaled = TreeFARMSRegressor(**options).fit(X, y * scale).trees_
    np.testing.assert_allclose(scaled.vote(X), plain.vote(X) * scale)
    np.testing.assert_allclose(scaled.predict(X), plain.predict(X) * scale)
    assert scaled.disputed(X).shape == (16,)
    with np.errstate(over="ignore"):
        expected = plain.multiplicity(X) * scale * scale
    np.testing.assert_allclose(scaled.multiplicity(X), expected)


def test_integers_that_floats_do_not_hold() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 4)
    y = 2**60 + np.array([1, 2, 5, 8] * 4) * 2**10
    trees = TreeFARMSRegressor(regularization=0.01, epsilon=2, max_depth=1).fit(X, y).trees_
    np.testing.assert_allclose(trees.vote(X), trees.predict(X).mean(axis=1), rtol=1e-15)


def test_what_is_refused() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 4)
    trees = TreeFARMSRegressor(regularization=0.01, epsilon=1).fit(X, X[:, 0]).trees_
    empty = trees.filter(max_leaves=0)
    with pytest.raises(ValueError, match="There is no tree to vote"):
        empty.vote(X)
    classes = TreeFARMS(regularization=0.01, epsilon=1).fit(X, X[:, 0]).trees_
    with pytest.raises(ValueError, match=r"prediction_range is for trees that predict numbers"):
        classes.prediction_range(X)
