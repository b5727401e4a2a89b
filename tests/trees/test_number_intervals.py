"""Intervals of means and rates: their limits, what they cover, and what weights do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from number_tables import LOSSES, REGRESSORS, houses, tree_of
from scipy import stats

from splitsecond import LicketySPLITClassifier
from splitsecond._solving.number_losses import OfNumbers, Poisson, SquaredError
from splitsecond._trees.intervals import value_intervals

every_loss = pytest.mark.parametrize("loss", LOSSES)
levels = st.floats(0.5, 0.9999)


def limits(loss: OfNumbers, numbers: Any, weights: Any = None, level: Any = 0.95) -> Any:
    numbers = np.asarray(numbers, dtype=float)
    weights = None if weights is None else np.asarray(weights, dtype=float)
    sums = np.array([[each.sum() for each in loss.sums(numbers, weights)]])
    return value_intervals(loss, sums, np.array([len(numbers)]), level, "auto")[0]


@given(st.lists(st.integers(-999, 999), min_size=2, max_size=30), levels)
def test_means_have_those_of_a_t_test(numbers: list[int], level: float) -> None:
    low, high = limits(SquaredError.fitted(np.array(numbers, dtype=float)), numbers, level=level)
    mean, error = np.mean(numbers), stats.sem(numbers)
    if error == 0:
        assert low == high == mean
        return
    expected = stats.t.interval(level, len(numbers) - 1, mean, error)
    assert [low, high] == pytest.approx(expected, rel=1e-7, abs=1e-9)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20), levels, st.data())
def test_rates_have_garwoods(counts: list[int], level: float, data: Any) -> None:
    size = len(counts)
    exposure = np.array(data.draw(st.lists(st.floats(0.1, 9), min_size=size, max_size=size)))
    rates = np.array(counts) / exposure
    low, high = limits(Poisson.fitted(rates), rates, exposure, level)
    events, whole, tail = sum(counts), exposure.sum(), (1 - level) / 2
    lowest = stats.chi2.ppf(tail, 2 * events) / 2 / whole if events else 0
    assert low == pytest.approx(lowest, rel=1e-7)
    assert high == pytest.approx(stats.chi2.ppf(1 - tail, 2 * events + 2) / 2 / whole, rel=1e-7)


def test_known_values() -> None:
    loss = SquaredError()
    # By hand: mean 12, variance of the sample 10, t = 2.776 for 4 degrees of freedom.
    assert limits(loss, [8, 10, 12, 14, 16]) == pytest.approx([8.074, 15.926], abs=5e-4)
    # From tables of the limits of a Poisson mean.
    assert limits(Poisson(), [5]) == pytest.approx([1.623, 11.668], abs=5e-4)
    assert limits(Poisson(), [0]) == pytest.approx([0, 3.689], abs=5e-4)
    assert limits(Poisson(), [0, 5], [1, 2]) == pytest.approx([4.795 / 3, 18.390 / 3], abs=5e-4)


def test_what_one_row_tells() -> None:
    assert limits(SquaredError(), [7]).tolist() == [-math.inf, math.inf]
    nothing = np.zeros((1, 3))
    for loss, expected in ((SquaredError(), -math.inf), (Poisson(), 0.0)):
        found = value_intervals(loss, nothing, np.array([0]), 0.95, "auto")
        assert found.tolist() == [[expected, math.inf]]


@pytest.mark.parametrize("size", [1e-300, 1e-10, 1.0, 1e10, 1e300])
def test_units_play_no_part_for_means(size: float) -> None:
    numbers = np.array([1.0, 2.0, 4.0, 8.0])
    found = limits(SquaredError.fitted(numbers * size), numbers * size)
    assert found == pytest.approx(limits(SquaredError(), numbers) * size, rel=1e-12)


def test_weights_count_beside_others_and_no_further() -> None:
    numbers, weights = [1.0, 2.0, 5.0, 9.0], np.array([1.0, 3.0, 2.0, 0.5])
    found = limits(SquaredError(), numbers, weights)
    assert limits(SquaredError(), numbers, 10 * weights) == pytest.approx(found)
    mean = np.average(numbers, weights=weights)
    variance = np.average((numbers - mean) ** 2, weights=weights)
    half = stats.t.ppf(0.975, 3) * math.sqrt(variance / 3)
    assert found == pytest.approx([mean - half, mean + half])
    # Ten times the exposure is ten times the events.
    found = limits(Poisson(), numbers, weights)
    narrow = limits(Poisson(), numbers, 10 * weights)
    assert narrow[1] - narrow[0] < (found[1] - found[0]) / 2


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_coverage(level: float) -> None:
    random = np.random.default_rng(0)
    drawn = random.normal(3, 2, (4000, 6))
    found = np.array([limits(SquaredError(), each, level=level) for each in drawn])
    covered = ((found[:, 0] <= 3) & (found[:, 1] >= 3)).mean()
    assert covered == pytest.approx(level, abs=0.025)
    counts = random.poisson(4.0, 4000)[:, None]
    found = np.array([limits(Poisson(), each, level=level) for each in counts])
    covered = ((found[:, 0] <= 4) & (found[:, 1] >= 4)).mean()
    assert covered >= level - 0.02  # exact limits cover that much at least


# Trees


@pytest.mark.parametrize("weighted", [False, True])
@every_loss
@pytest.mark.parametrize("estimator", REGRESSORS)
def test_every_node_of_a_tree(estimator: Any, loss: str, weighted: bool) -> None:
    X, y, weights = houses()
    tree = tree_of(estimator, loss=loss, weighted=weighted)
    found = tree.intervals()
    assert found.shape == (len(tree.feature), 2)
    weights = weights if weighted else np.ones(len(y))
    leaves = tree.apply(X)
    for leaf in np.flatnonzero(tree.feature < 0):
        own = (leaves == leaf) & (weights > 0)
        assert found[leaf] == pytest.approx(limits(tree.loss, y[own], weights[own]), rel=1e-9)
    root = limits(tree.loss, y[weights > 0], weights[weights > 0])
    assert found[0] == pytest.approx(root, rel=1e-9)
    assert (found[:, 0] < tree.labels).all()
    assert (tree.labels < found[:, 1]).all()
    method = {"squared_error": "student", "poisson": "garwood"}[loss]
    assert np.array_equal(tree.intervals(0.95, method), found)
    assert (tree.intervals(0.5)[:, 0] > found[:, 0]).all()


@pytest.mark.parametrize("weighted", [False, True])
@every_loss
def test_held_out_rows(loss: str, weighted: bool) -> None:
    X, y, weights = houses()
    tree = tree_of(loss=loss, weighted=weighted)
    given: Any = {"sample_weight": weights} if weighted else {}
    assert tree.intervals(X=X, y=y, **given) == pytest.approx(tree.intervals(), rel=1e-9)
    few = np.flatnonzero(tree.apply(X) == tree.apply(X.iloc[[0]])[0])[:7]
    given = {"sample_weight": np.full(7, 2.0)} if weighted else {}
    found = tree.intervals(0.9, X=X.iloc[few], y=y[few], **given)
    expected = limits(tree.loss, y[few], np.full(7, 2.0) if weighted else None, 0.9)
    assert found[0] == pytest.approx(expected)
    empty = np.setdiff1d(np.flatnonzero(tree.feature < 0), tree.apply(X.iloc[few]))
    least = 0.0 if loss == "poisson" else -math.inf
    assert (found[empty] == [least, math.inf]).all()
    if loss == "squared_error":  # numbers unlike those of training
        far = tree.intervals(X=X, y=y * 1e200)
        assert far[0] == pytest.approx(limits(SquaredError(), y) * 1e200)


def test_what_is_refused() -> None:
    X, y, weights = houses()
    tree = tree_of()
    with pytest.raises(ValueError, match="X was given without y: give the numbers of its rows"):
        tree.intervals(X=X)
    with pytest.raises(ValueError, match="y was given without X"):
        tree.intervals(y=y)
    with pytest.raises(ValueError, match="sample_weight was given without X"):
        tree.intervals(sample_weight=weights)
    with pytest.raises(ValueError, match="y holds text"):
        tree.intervals(X=X, y=["a"] * len(X))
    with pytest.raises(ValueError, match="y is negative"):
        tree_of(loss="poisson").intervals(X=X, y=-1 - y)
    for method in ("jeffreys", "garwood", "wald"):
        expected = f"method='{method}' must be one of 'auto', 'student'"
        for write in (tree.intervals, tree.rules, tree.to_dict, tree.to_text, tree.to_svg):
            with pytest.raises(ValueError, match=expected):
                write(method=method)
    with pytest.raises(ValueError, match="method='student' must be one of 'auto', 'garwood'"):
        tree_of(loss="poisson").intervals(method="student")
    for level in (0, 1, 95, "95%", None):
        with pytest.raises(ValueError, match="must be a number between 0 and 1"):
            tree.intervals(level)  # type: ignore[arg-type]
    classes = LicketySPLITClassifier().fit(X, y > 300).tree_
    with pytest.raises(ValueError, match="rows of classes are counted, whatever they weigh: leave"):
        classes.intervals(X=X, y=y > 300, sample_weight=weights)
