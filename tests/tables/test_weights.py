"""Weights of rows and classes become integers, and lose nothing that matters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from splitsecond import GreedyTreeClassifier, OptimalTreeClassifier
from splitsecond._tables.weights import as_integers, as_large_integers


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
        GreedyTreeClassifier(class_weight={1: bad}).fit([[0], [1]], [0, 1])


def test_large_integers_are_as_near_as_floats() -> None:
    rng = np.random.default_rng(6)
    for weights in (rng.random(1000), rng.random(50) ** 20, np.array([0.0, 0.1, np.pi])):
        integers = as_large_integers(weights)
        assert integers.sum() < 2**53
        assert integers / integers.sum() == pytest.approx(weights / weights.sum(), abs=2.0**-51)
        assert ((integers > 0) == (weights > 0)).all()
    for weights, expected in (
        ([2.0**40, 2.0**40 + 1], [2**40, 2**40 + 1]),  # more than 32 bits can hold
        ([1 / 3, 2 / 3, 1], [1, 2, 3]),
        ([0.1, 0.25, 0], [2, 5, 0]),
        ([6, 4], [3, 2]),
        ([2.0**53, 2.0**53], [1, 1]),
    ):
        assert as_large_integers(np.array(weights)).tolist() == expected
