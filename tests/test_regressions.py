"""One test for each bug that was found, named after it."""

from __future__ import annotations

import math
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from splitsecond import (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    LimitWarning,
    OptimalTreeClassifier,
    SPLITClassifier,
)
from splitsecond._solving.solve import solve
from splitsecond._tables.weights import as_integers

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=np.uint8)
Y = X[:, 0]


def test_light_rows_beside_a_heavy_one_keep_their_weight() -> None:
    light = np.append(np.zeros(2000), 1)
    weights = np.append(np.full(2000, 0.7) + np.linspace(0, 1e-7, 2000), 1000.51)
    model = OptimalTreeClassifier(regularization=0.01).fit(
        light.reshape(-1, 1), light, sample_weight=weights
    )
    assert model.n_leaves_ == 2
    assert model.objective_ == 0.02


def test_no_positive_weight_becomes_zero() -> None:
    weights = np.random.default_rng(0).lognormal(0, 3, 1000)
    integers = as_integers(weights)
    assert integers is not None
    assert integers.min() >= 1
    assert np.allclose(integers / integers.sum(), weights / weights.sum(), atol=1e-8)


def test_products_of_tenths_are_whole() -> None:
    assert np.array_equal(as_integers(np.array([0.1 * 3, 0.1 * 7, 0.2])), [3, 7, 2])


@pytest.mark.parametrize("counts", [(7, 11, 13), (90_001, 10_000), (3, 3, 500)])
def test_balanced_classes_weigh_the_same(counts: tuple[int, ...]) -> None:
    y = np.repeat(np.arange(len(counts)), counts)
    model = GreedyTreeClassifier(class_weight="balanced").fit(np.zeros((len(y), 1)), y)
    assert np.allclose(model.tree_.counts[0], len(y) / len(counts), rtol=1e-12)


def test_balanced_with_a_class_of_weight_zero() -> None:
    x, y = np.array([[0], [0], [1], [1], [0]]), [0, 0, 0, 1, 1]
    model = GreedyTreeClassifier(class_weight="balanced").fit(x, y, sample_weight=[1, 1, 1, 0, 0])
    assert model.n_leaves_ == 1


def test_whole_weights_are_exact_or_refused() -> None:
    weights = np.array([2.0**31 - 2, 1.0])
    assert np.array_equal(as_integers(weights), weights)
    assert np.array_equal(as_integers(np.array([3e12, 6e12])), [1, 2])
    with pytest.raises(ValueError, match=r"2\*\*31"):
        as_integers(np.array([2.0**31 - 1, 1.0]))


def test_weights_that_multiply_to_zero() -> None:
    with pytest.raises(ValueError, match="together are zero"):
        GreedyTreeClassifier(class_weight={0: 1, 1: 0}).fit(
            [[0], [1]], [0, 1], sample_weight=[0, 1]
        )


@pytest.mark.parametrize("weights", [[1e299, 0.5], [1e-310, 1.3e-310], [1e299, 1e299]])
def test_extreme_weights(weights: list[float]) -> None:
    assert GreedyTreeClassifier().fit([[0], [1]], [0, 1], sample_weight=weights).n_leaves_ >= 1


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf, "heavy"])
def test_a_bad_class_weight_is_named(bad: Any) -> None:
    with pytest.raises(ValueError, match="class_weight of 1"):
        GreedyTreeClassifier(class_weight={1: bad}).fit(X, Y)


@pytest.mark.parametrize("estimator", [OptimalTreeClassifier, SPLITClassifier])
def test_a_small_memory_limit_still_gives_the_greedy_tree(estimator: Any) -> None:
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (50_000, 20), dtype=np.uint8)
    y = table[:, 0] & table[:, 1]
    greedy = GreedyTreeClassifier(regularization=0.001).fit(table, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        model = estimator(regularization=0.001, memory_limit=400_000).fit(table, y)
    assert model.objective_ <= greedy.objective_


@pytest.mark.parametrize("limits", [{"memory_limit": 1}, {"time_limit": 1e-9}])
def test_values_are_refused_even_when_a_limit_strikes_first(limits: dict[str, float]) -> None:
    model = LicketySPLITClassifier(binarizer=None, **limits)
    with pytest.raises(ValueError, match=r"neither 0 nor 1|not 0 or 1"):
        model.fit(np.linspace(0, 1, 5000).reshape(-1, 1), np.ones(5000))


def test_integer_column_names_and_mixed_dtypes() -> None:
    frame = pd.DataFrame(X)
    frame[1] = frame[1].astype(bool)
    model = GreedyTreeClassifier().fit(frame, Y)
    assert not hasattr(model, "feature_names_in_")
    assert np.array_equal(model.predict(frame[[1, 0]]), Y)


def test_repeated_column_names_are_named() -> None:
    frame = pd.DataFrame(X, columns=["a", "a"])
    with pytest.raises(ValueError, match="several columns named 'a'"):
        GreedyTreeClassifier().fit(frame, Y)


@pytest.mark.parametrize("value", [1 + 2j, np.longdouble(1) + np.finfo(np.longdouble).eps, 10**400])
def test_objects_are_never_cast(value: Any) -> None:
    table = X.astype(object)
    table[3, 1] = value
    with pytest.raises(ValueError, match="row 3"):
        GreedyTreeClassifier(binarizer=None).fit(table, Y)


def test_masked_arrays_are_refused() -> None:
    masked = np.ma.masked_array(X, mask=X == 1)
    for arguments in ((masked, Y), (X, masked[:, 0]), (X, Y, masked[:, 0])):
        with pytest.raises(ValueError, match="masked"):
            GreedyTreeClassifier().fit(*arguments)


def test_unaligned_arrays() -> None:
    rows = np.zeros(20, [("a", "u1"), ("b", "f4", (2,))])
    rows["b"] = X
    assert GreedyTreeClassifier().fit(rows["b"], Y).score(rows["b"], Y) == 1


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_depth": 10**30},
        {"memory_limit": 10**30},
        {"memory_limit": math.inf},
        {"time_limit": math.inf},
        {"n_jobs": 10**6},
        {"regularization": Decimal("0.01")},
    ],
)
def test_large_parameters(parameters: dict[str, Any]) -> None:
    assert SPLITClassifier(**parameters).fit(X, Y).n_leaves_ <= 2


@pytest.mark.parametrize(
    "parameters",
    [
        {"regularization": 10**400},
        {"memory_limit": True},
        {"postprocess": "no"},
        {"n_jobs": 0},
        {"max_depth": 2.5},
    ],
)
def test_odd_parameters(parameters: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(parameters))):
        SPLITClassifier(**parameters).fit(X, Y)


def test_a_float_of_any_length_is_the_decimal_it_prints_as() -> None:
    for regularization in (0.01, np.float32(0.01), np.float64(0.01), Decimal("0.01")):
        solution = solve(X, Y, n_classes=2, regularization=regularization, algorithm="greedy")
        assert solution.objective == Fraction(1, 50)


@pytest.mark.parametrize("labels", [[True, False], [1, 0], ["1", "0"], [1.0, 0.0]])
def test_labels_held_as_objects(labels: list[Any]) -> None:
    y = np.array(labels * 10, dtype=object)
    assert sorted(GreedyTreeClassifier().fit(X, y).classes_.tolist()) == sorted(labels)


def test_labels_that_cannot_be_ordered() -> None:
    with pytest.raises(ValueError, match="cannot be ordered"):
        GreedyTreeClassifier().fit(X, np.array([1, "a"] * 10, dtype=object))


def test_dates_are_no_labels() -> None:
    with pytest.raises(ValueError, match="Unknown label type"):
        GreedyTreeClassifier().fit(X, np.array(["2020-01-01", "NaT"] * 10, dtype="datetime64[D]"))


def test_a_deep_tree_can_be_printed() -> None:
    table = np.eye(2400, dtype=np.uint8)  # a split takes one row off
    model = GreedyTreeClassifier(regularization=0, max_depth=10**9).fit(table, np.arange(2400) % 2)
    assert model.depth_ > 1000
    assert len(model.tree_.rules()) == model.n_leaves_
    assert str(model).count("\n") >= 2 * model.n_leaves_
    assert model.tree_.to_dict()["n_leaves"] == model.n_leaves_


def test_a_closed_gap_reads_optimal() -> None:
    text = str(LicketySPLITClassifier(regularization=0.5).fit(X, Y))
    assert "proved optimal" in text


def test_weights_that_sum_to_the_rows_still_read_weighted() -> None:
    weights = np.tile([1.5, 0.5], 10)
    assert "weighted training accuracy" in str(
        GreedyTreeClassifier().fit(X, Y, sample_weight=weights)
    )


def test_the_default_lookahead_counts_usable_levels() -> None:
    table = np.random.default_rng(0).integers(0, 2, (200, 4))
    y = table[:, 0] ^ table[:, 1] ^ (np.arange(200) % 7 == 0)
    wide, narrow = (SPLITClassifier(max_depth=depth).fit(table, y) for depth in (20, 4))
    assert wide.objective_ == narrow.objective_
    assert wide.statistics_["completions"] == narrow.statistics_["completions"]


def test_estimators_are_not_each_other() -> None:
    assert not isinstance(OptimalTreeClassifier(), LicketySPLITClassifier)
