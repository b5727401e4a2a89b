"""What leaves cost and predict, for one leaf and for many."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss

from splitsecond._solving.losses import BRIER, LOG_LOSS, NAMED, ZERO_ONE, Costs, Loss

REFER = Costs(
    ((Fraction(0), Fraction(5)), (Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(1, 2))),
    ("no", "yes", "refer"),
)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64])
def test_zero_one(dtype: type) -> None:
    weights = np.random.default_rng(0).integers(0, 4, (200, 3)).astype(dtype)
    for row in weights:
        wrong = [sum(row) - row[each] for each in range(3)]  # if this class is predicted
        assert ZERO_ONE.loss(row) == min(wrong)
        assert ZERO_ONE.prediction(row) == wrong.index(min(wrong))
        assert ZERO_ONE.correct(row) + ZERO_ONE.loss(row) == row.sum()
    assert ZERO_ONE.loss(weights).tolist() == [ZERO_ONE.loss(row) for row in weights]
    assert ZERO_ONE.prediction(weights).tolist() == [ZERO_ONE.prediction(row) for row in weights]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64])
def test_costs(dtype: type) -> None:
    weights = np.random.default_rng(1).integers(0, 6, (200, 2)).astype(dtype)
    for row in weights:
        exact = [sum(c * int(w) for c, w in zip(costs, row, strict=True)) for costs in REFER.table]
        assert REFER.loss(row) == min(exact)
        assert REFER.prediction(row) == exact.index(min(exact))  # of several, the first
        if row.sum():
            assert REFER.relative(row[None], row) == Fraction(min(exact)) / int(row.sum())
    assert REFER.prediction(weights).tolist() == [REFER.prediction(row) for row in weights]


def test_costs_are_whole_numbers_of_the_largest_unit() -> None:
    assert REFER.unit == Fraction(1, 2)
    assert REFER.integers.tolist() == [[0, 10], [2, 0], [1, 1]]
    thousands = Costs(((Fraction(0), Fraction(4000)), (Fraction(6000), Fraction(0))), (0, 1))
    assert thousands.unit == 2000
    assert thousands.integers.tolist() == [[0, 2], [3, 0]]
    free = Costs(((Fraction(0), Fraction(0)),), ("only",))
    assert free.loss(np.array([3, 4])) == 0


def test_ties_of_weights_that_are_no_whole_numbers_go_to_the_first_action() -> None:
    costs = Costs(((Fraction(0), Fraction(3)), (Fraction(1), Fraction(0))), (0, 1))
    whole = np.array([[3, 1], [9, 3], [30, 10], [2, 1], [4, 1]])
    for factor in (0.1, 0.3, 1 / 3, 1.1, 1e-9):
        assert costs.prediction(whole * factor).tolist() == [0, 0, 0, 1, 0]


def test_costs_of_huge_weights_do_not_overflow() -> None:
    costs = Costs(((Fraction(0), Fraction(10**9)), (Fraction(1), Fraction(0))), (0, 1))
    weights = np.array([[1e12, 1e12], [1e200, 1e190], [1e200, 1e200]])
    assert costs.prediction(weights).tolist() == [1, 0, 1]
    assert costs.loss(weights) == pytest.approx([1e12, 1e199, 1e200])


def test_labels_are_actions() -> None:
    classes = np.array(["no", "yes"])
    assert REFER.labels(classes).tolist() == ["no", "yes", "refer"]
    assert ZERO_ONE.labels(classes) is classes
    swapped = Costs(((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))), (1, 0))
    assert swapped.labels(np.array([0, 1], dtype=np.int8)).dtype == np.int8
    mixed = Costs(((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))), (1, "refer"))
    assert mixed.labels(np.array([0, 1])).tolist() == [1, "refer"]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_shares_lose_what_scikit_learn_says(n_classes: int) -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        weights = rng.integers(1, 20, n_classes)
        codes = np.repeat(np.arange(n_classes), weights)
        shares = np.tile(weights / weights.sum(), (len(codes), 1))
        # Of two classes, scikit-learn counts one.
        halves = 2 if n_classes == 2 else 1
        told = shares[:, 1] if n_classes == 2 else shares
        labels = list(range(n_classes))
        squared = brier_score_loss(codes, told, **({} if halves == 2 else {"labels": labels}))
        assert BRIER.loss(weights) / weights.sum() == pytest.approx(halves * squared)
        likely = log_loss(codes, shares, labels=labels)
        assert LOG_LOSS.loss(weights) / weights.sum() == pytest.approx(likely)


@pytest.mark.parametrize("loss", [ZERO_ONE, BRIER, LOG_LOSS, REFER])
def test_a_leaf_loses_what_its_rows_lose(loss: Any) -> None:
    weights = np.random.default_rng(3).integers(1, 9, (40, 2))
    unit = float(loss.unit) if loss is REFER else 1.0
    rows = (loss.row_losses(weights) * weights).sum(axis=1) * unit
    assert loss.loss(weights) == pytest.approx(rows)


@pytest.mark.parametrize("loss", [BRIER, LOG_LOSS])
def test_losses_of_rare_classes_are_precise(loss: Loss) -> None:
    few, many = 3, 2**31 - 4
    share = few / (few + many)
    exact = {
        "brier": 2 * few * many / (few + many),
        # The first terms of the series of - ln(1 - share).
        "log_loss": -few * np.log(share) + many * (share + share**2 / 2),
    }
    assert loss.loss(np.array([few, many])) == pytest.approx(exact[loss.name], rel=1e-14)


@pytest.mark.parametrize("loss", [BRIER, LOG_LOSS])
def test_shares_are_relative_to_the_root(loss: Loss) -> None:
    leaves = np.array([[3, 1], [0, 4]])
    whole = leaves.sum(axis=0)
    expected = loss.loss(leaves).sum() / loss.loss(whole)
    assert float(loss.relative(leaves, whole)) == pytest.approx(expected)
    pure = np.array([[5, 0]])
    assert loss.relative(pure, pure[0]) == 0
    assert loss.loss(np.zeros(2)) == 0


@pytest.mark.parametrize("loss", [*NAMED.values(), REFER])
def test_losses_are_values(loss: Loss) -> None:
    for same in (pickle.loads(pickle.dumps(loss)), copy.deepcopy(loss)):
        assert same == loss
    assert [other == loss for other in [*NAMED.values(), REFER]].count(True) == 1
