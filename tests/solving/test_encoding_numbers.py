"""What is counted of numbers, and how far that is off: hostile numbers and weights.

A partition of the rows into leaves loses, by what is counted, what it really loses to within the
rounding that is reported, however the rows are merged.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from number_problems import LOSSES, HostileNumbers, hostile_numbers
from oracle import nested
from oracle_numbers import NumbersOracle
from seeds import seeds

from splitsecond import LicketySPLITRegressor, OptimalTreeRegressor, TreeFARMSRegressor
from splitsecond._solving.encoding import Encoded, encode
from splitsecond._solving.number_losses import NUMBER_LOSSES

pytestmark = [
    pytest.mark.filterwarnings("ignore::splitsecond.SingleLeafWarning"),
    pytest.mark.filterwarnings("ignore::splitsecond.ColumnWarning"),  # of chance
]

EACH = 100  # problems of a test


def encoded(problem: HostileNumbers, group: Any, bits: int) -> Encoded:
    present = slice(None) if problem.weights is None else problem.weights > 0
    weights = None if problem.weights is None else problem.weights[present]
    loss = NUMBER_LOSSES[problem.loss].fitted(problem.y[present], 0.0, weights)
    return encode(loss, problem.y, problem.weights, group, bits=bits, max_leaves=64)


def assert_counted(problem: HostileNumbers, rng: np.random.Generator) -> None:
    n_rows = len(problem.y)
    group = None
    if rng.random() < 0.5:
        group = rng.integers(max(1, n_rows // 3), size=n_rows)
        group = np.unique(group, return_inverse=True)[1].astype(np.int32)
    found = encoded(problem, group, int(rng.choice([16, 40])))
    assert found.channels.min() >= 0
    assert found.channels.sum(dtype=np.int64) < 2**31
    n_groups = found.channels.shape[1]
    leaf_of = rng.integers(int(rng.integers(1, 9)), size=n_groups)
    counts = [found.channels[:, leaf_of == leaf].sum(axis=1) for leaf in range(leaf_of.max() + 1)]
    leaves = np.array([each for each in counts if each[0] > 0])
    counted = found.units.objective(found.units.count(leaves), len(leaves), Fraction(0))
    # The same partition, of the rows as they are.
    row_leaf = leaf_of if group is None else leaf_of[group]
    real = real_loss(problem, row_leaf)
    if real is not None:
        rounding = found.units.rounding(len(leaves))
        assert abs(counted - real) <= rounding + Fraction(1, 10**11), (float(counted), float(real))


def real_loss(problem: HostileNumbers, leaf_of: Any) -> Fraction | None:
    """The part of the root's loss that is left; None: it has none that doubles could tell."""
    columns = np.array([leaf_of == leaf for leaf in range(leaf_of.max() + 1)]).T
    known = NumbersOracle(
        columns, problem.y, loss=problem.loss, weights=problem.weights, regularization=0
    )
    weight, total = known.rule.sums(known.everything)
    scale = total if problem.loss == "poisson" else weight * Fraction(np.ptp(problem.y)) ** 2
    if known.root <= scale / 10**10:
        return None
    masks = [mask for mask in known.column if mask]
    return known.objective(sum(known.lost(mask) for mask in masks))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(10, 1))
def test_partitions_lose_what_is_counted(loss: str, seed: int) -> None:
    rng = np.random.default_rng([98, seed])
    for _ in range(EACH):
        assert_counted(hostile_numbers(rng, loss), rng)


def real_weights(rng: np.random.Generator, kind: str, y: Any) -> Any:
    """Weights without a common unit."""
    if kind == "uniform":
        return rng.random(len(y))
    if kind == "few":
        return rng.choice([1.0, np.sqrt(2), np.pi], len(y))
    if kind == "heavy":
        return rng.lognormal(sigma=3, size=len(y))
    if kind == "far apart":
        return 10.0 ** rng.uniform(-12, 0, len(y))
    return 10.0 ** (-6 * np.abs(y))  # what is far from the others weighs nearly nothing


@pytest.mark.parametrize("kind", ["uniform", "few", "heavy", "far apart", "of the numbers"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(3, 1))
def test_what_rounded_weights_change_is_bounded(loss: str, kind: str, seed: int) -> None:
    rng = np.random.default_rng([97, seed])
    n_rows = int(rng.choice([50, 1000, 8000]))
    y = rng.normal(size=n_rows) if loss == "squared_error" else rng.poisson(0.5, n_rows) * 1.0
    weights = real_weights(rng, kind, y)
    found = encoded(HostileNumbers(y, weights, loss), None, 40)
    rule = NUMBER_LOSSES[loss].fitted(y, 0.0, weights)
    sums = np.array(rule.sums(y, weights))
    for _ in range(20):  # leaves of similar numbers, and of rows that weigh little
        near = y + rng.normal(size=n_rows) * rng.choice([1e-9, 0.1, 1])
        leaf_of = np.searchsorted(np.sort(rng.choice(near, int(rng.integers(1, 20)))), near)
        leaf_of = 2 * leaf_of + (weights < rng.choice(weights) * rng.choice([0.001, 1]))
        leaf_of = np.unique(leaf_of, return_inverse=True)[1]
        leaves, real = (
            np.array([np.bincount(leaf_of, each) for each in every]).T
            for every in (found.channels, sums)
        )
        counted = found.units.objective(found.units.count(leaves), len(leaves), Fraction(0))
        part = float(rule.loss(real).sum() / rule.loss(sums.sum(axis=1)))
        assert abs(float(counted) - part) <= float(found.units.rounding(len(leaves))) + 1e-11


@pytest.mark.parametrize(("n_rows", "most"), [(100, 1e-6), (1000, 4e-6), (8000, 1e-5)])
@pytest.mark.parametrize("loss", LOSSES)
def test_what_rounded_weights_change_is_little(loss: str, n_rows: int, most: float) -> None:
    rng = np.random.default_rng(6)
    X = rng.integers(0, 2, (n_rows, 12))
    y = X @ rng.random(12) + rng.normal(size=len(X))
    y = y if loss == "squared_error" else rng.poisson(np.exp(y / 3)) * 1.0
    model = LicketySPLITRegressor(loss=loss, regularization=0.02)
    model.fit(X, y, sample_weight=rng.random(len(X)))
    assert 0 < model.statistics_["rounding"] < most


def test_rows_that_weigh_less_than_a_millionth_are_not_counted_as_more() -> None:
    rng = np.random.default_rng(7)
    X = rng.integers(0, 2, (2000, 4))
    y = 100.0 * X[:, 0] * (rng.random(2000) < 0.5) + X[:, 1]
    weights = np.where(y >= 100, 1e-12, 1.0) * (1 + rng.random(2000) / 10)
    model = OptimalTreeRegressor(max_depth=1).fit(X, y, sample_weight=weights)
    assert model.tree_.feature[0] == 1
    assert model.statistics_["rounding"] < 1e-2


def test_rows_without_weight_may_have_impossible_numbers() -> None:
    # No other row has an event, so that a rate of 0 is the mean.
    problem = HostileNumbers(np.array([0.0, 0.0, 3.0]), np.array([1.0, 2.0, 0.0]), "poisson")
    found = encoded(problem, None, 40)
    assert found.channels.sum(axis=1).tolist()[:2] == [3, 0]


def test_decimals_far_from_zero_are_counted_in_steps_of_their_own() -> None:
    y = np.array([301.12, 297.41, 297.89, 303.5, 296.13, 296.66, 296.52, 293.76, 296.25, 300.01])
    found = encoded(HostileNumbers(y, None, "squared_error"), None, 40)
    channels = found.units.channels
    assert channels is not None
    assert channels.grid * 8 == pytest.approx(0.01, rel=1e-13)  # numbers are in units of 8
    assert found.channels[2].tolist() == np.rint((y - 293.76) * 100).tolist()


def assert_proved(problem: HostileNumbers, rng: np.random.Generator) -> None:
    X = (rng.random((len(problem.y), int(rng.integers(1, 5)))) < 0.5).astype(np.uint8)
    depth, price = int(rng.integers(0, 4)), float(rng.choice([0, 0.001, 0.01, 0.1]))
    known = NumbersOracle(
        X, problem.y, loss=problem.loss, weights=problem.weights, regularization=price
    )
    if real_loss(problem, np.zeros(len(problem.y), dtype=int)) is None:
        return
    optimum = float(known.objective(known.optimal(known.everything, depth)[0]))
    for kind in (OptimalTreeRegressor, TreeFARMSRegressor):
        model = kind(loss=problem.loss, max_depth=depth, regularization=price)
        model.fit(X, problem.y, sample_weight=problem.weights)
        tree = nested(model.tree_.feature, model.tree_.left, model.tree_.right)
        real = float(known.tree_objective(tree))
        rounding = model.statistics_["rounding"]
        close = 1e-9 if problem.loss == "squared_error" else 1e-6
        assert model.objective_ == pytest.approx(real, abs=close)
        assert model.lower_bound_ <= optimum + 1e-12
        assert real <= optimum + rounding + 1e-12


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(6, 1))
def test_bounds_hold_whatever_is_rounded(loss: str, seed: int) -> None:
    rng = np.random.default_rng([99, seed])
    for _ in range(EACH):
        assert_proved(hostile_numbers(rng, loss), rng)


def tree_of(X: Any, y: Any, **options: Any) -> Any:
    model = OptimalTreeRegressor(max_depth=3, **options).fit(X, y)
    assert model.status_ == "optimal"
    return model


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1e-9, 2.0**-40, 3.0, 1e12, 1e300])
@pytest.mark.parametrize("loss", LOSSES)
def test_trees_do_not_depend_on_the_scale(loss: str, scale: float) -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (60, 5))
    y = np.abs(X @ [1, 0.5, 0.25, 0.1, 0.7] + rng.normal(size=60) / 10)
    for numbers in (y, np.rint(y * 10)):
        model, scaled = tree_of(X, numbers, loss=loss), tree_of(X, numbers * scale, loss=loss)
        assert np.array_equal(model.tree_.feature, scaled.tree_.feature)
        assert scaled.objective_ == pytest.approx(model.objective_, abs=1e-12)
        assert scaled.statistics_["rounding"] < 1e-9


@pytest.mark.parametrize("offset", [-0.25, 1.0, 1e3, -1e6])
def test_trees_of_squared_error_do_not_depend_on_an_offset(offset: float) -> None:
    rng = np.random.default_rng(4)
    X = rng.integers(0, 2, (60, 5))
    y = X @ [1, 0.5, 0.25, 0.1, 0.7] + rng.normal(size=60) / 10
    for numbers in (y, np.rint(y * 10), np.rint(y * 100) / 100):
        model, moved = tree_of(X, numbers), tree_of(X, numbers + offset)
        assert np.array_equal(model.tree_.feature, moved.tree_.feature)
        assert moved.objective_ == pytest.approx(model.objective_, abs=1e-9)


def test_numbers_that_are_nearly_whole_are_told_apart() -> None:
    X = np.array([[0], [1]] * 10)
    y = 5 + 1e-10 * X[:, 0]
    model = OptimalTreeRegressor(max_depth=1).fit(X, y)
    assert model.n_leaves_ == 2
    assert model.objective_ == pytest.approx(0.02, abs=1e-4)


def test_one_number_far_below_many() -> None:
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (200_000, 18)).astype(np.uint8)
    y = X[:, 0] + rng.normal(size=len(X)) / 10
    y[0] = -1e6
    model = OptimalTreeRegressor(max_depth=1, regularization=0).fit(X, y)
    gains = [
        1
        - np.sum([np.var(y[X[:, j] == k]) * np.sum(X[:, j] == k) for k in (0, 1)])
        / (np.var(y) * len(y))
        for j in range(X.shape[1])
    ]
    assert model.objective_ == pytest.approx(1 - max(gains), abs=1e-9)
