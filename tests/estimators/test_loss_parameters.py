"""`loss`, `costs`, `actions` and `min_samples_leaf`: what they take, and what they refuse."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from splitsecond import RESPLIT, LicketySPLITClassifier, OptimalTreeClassifier, TreeFARMS
from splitsecond._estimators.loss_parameters import LossParameters, min_leaf_rows
from splitsecond._solving.losses import BRIER, LOG_LOSS, ZERO_ONE, Costs

CLASSES = np.array(["bad", "good"])
X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
Y = CLASSES[np.where(np.arange(40) % 7 == 0, 1 - X[:, 0], X[:, 0])]
REFER = {
    "reject": {"bad": 0, "good": 1},
    "approve": {"good": 0, "bad": 5},
    "refer": {"bad": 0.3, "good": 0.3},
}


def costs_of(costs: Any, actions: Any = None, classes: Any = CLASSES) -> Costs:
    parameters = LossParameters("zero_one", costs, actions)
    parameters.check()
    found = parameters.of(classes)
    assert isinstance(found, Costs)
    return found


def test_names() -> None:
    for name, loss in (("zero_one", ZERO_ONE), ("brier", BRIER), ("log_loss", LOG_LOSS)):
        parameters = LossParameters(name, None, None)
        parameters.check()
        assert parameters.of(CLASSES) == loss
    LossParameters("costs", REFER, None).check()


def test_a_mapping_and_an_array_are_the_same() -> None:
    table = [[0, 1], [5, 0], [0.3, 0.3]]
    actions = ["reject", "approve", "refer"]
    expected = costs_of(REFER)
    assert expected.table[2] == (Fraction(3, 10), Fraction(3, 10))
    assert expected.actions == tuple(actions)
    for array in (table, np.array(table), np.array(table, dtype=np.float32), tuple(table)):
        for names in (actions, np.array(actions), tuple(actions), pd.Series(actions)):
            assert costs_of(array, names) == expected
    exact = [[0, 1], [np.int8(5), 0], [Decimal("0.3"), Fraction(3, 10)]]
    assert costs_of(exact, actions) == expected


def test_a_square_array_has_the_classes_for_actions() -> None:
    assert costs_of([[0, 1], [5, 0]]).actions == ("bad", "good")
    numbers = costs_of(np.eye(3), classes=np.array([1, 2, 3]))
    assert numbers.labels(np.array([1, 2, 3])).tolist() == [1, 2, 3]


def test_classes_of_any_kind() -> None:
    for classes in ([False, True], [0, 1], [1.5, 2.5], np.array(["a", "b"], dtype=object)):
        array = np.asarray(classes)
        named = {str(label): {other: i for i, other in enumerate(array)} for label in array}
        assert costs_of(named, classes=array).table == ((0, 1), (0, 1))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "gini"}, "loss='gini' must be one of 'zero_one', 'log_loss', 'brier'"),
        ({"loss": None}, "loss=None must be one of"),
        ({"loss": "costs"}, 'loss="costs" needs costs'),
        ({"loss": "brier", "costs": REFER}, "loss='brier' and costs were given"),
        ({"actions": ["a", "b"]}, "actions were given without costs"),
        ({"costs": REFER, "actions": ["a", "b", "c"]}, "costs is a mapping"),
        ({"costs": {}}, "costs is empty"),
        ({"costs": {"reject": 3}}, "costs of action 'reject' must be a mapping of classes"),
        ({"costs": {"reject": {"bad": 0}}}, "has no class 'good'"),
        ({"costs": {"r": {"bad": 0, "good": 1, "new": 2}}}, "the class 'new', which y does not"),
        ({"costs": {"r": {"bad": -1, "good": 1}}}, "action 'r' and class 'bad' must be a finite"),
        ({"costs": [[0, float("nan")], [1, 0]]}, "a finite number of at least 0, got nan"),
        ({"costs": [[0, float("inf")], [1, 0]]}, "a finite number of at least 0, got inf"),
        ({"costs": [[0, "much"], [1, 0]]}, "a finite number of at least 0, got 'much'"),
        ({"costs": [[0, True], [1, 0]]}, "a finite number of at least 0, got True"),
        ({"costs": [[0, 1], [1]]}, "must be a mapping of actions"),
        ({"costs": [0, 1]}, "must be a mapping of actions"),
        ({"costs": "high"}, "must be a mapping of actions"),
        ({"costs": [[]]}, "must be a mapping of actions"),
        ({"costs": pd.DataFrame(REFER)}, 'pass costs.to_dict\\("index"\\)'),
        ({"costs": np.ones((2, 3))}, "costs has 3 columns, but y has 2 classes: 'bad', 'good'"),
        ({"costs": np.ones((3, 2))}, "costs has 3 rows, .* name them with actions"),
        ({"costs": np.ones((3, 2)), "actions": ["a", "b"]}, "actions names 2 rows, but costs has"),
        ({"costs": np.ones((2, 2)), "actions": ["a", "a"]}, "must be different"),
        ({"costs": np.ones((2, 2)), "actions": "ab"}, "must be a list of names"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0 must be an integer of at least 1"),
        ({"min_samples_leaf": 1.5}, "min_samples_leaf=1.5 must be"),
        ({"min_samples_leaf": 0.0}, "min_samples_leaf=0.0 must be"),
        ({"min_samples_leaf": 1.0}, "min_samples_leaf=1.0 must be"),
        ({"min_samples_leaf": -0.1}, "min_samples_leaf=-0.1 must be"),
        ({"min_samples_leaf": "2"}, "min_samples_leaf='2' must be"),
        ({"min_samples_leaf": True}, "min_samples_leaf=True must be"),
        ({"lookahead_depth": 0}, "lookahead_depth=0 must be an integer of at least 1"),
    ],
)
def test_refusals(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LicketySPLITClassifier(**parameters).fit(X, Y)
    if "lookahead_depth" not in parameters:
        for estimator in (OptimalTreeClassifier, TreeFARMS, RESPLIT):
            with pytest.raises(ValueError, match=message):
                estimator(**parameters).fit(X, Y)


def test_costs_that_64_bits_do_not_hold_are_refused() -> None:
    for costs in ([[0, 1], [10**18, 0]], [[0, 1], [1e-17, 0]], [[0, Fraction(1, 3**40)], [1, 0]]):
        with pytest.raises(ValueError, match="Round the costs to fewer digits"):
            OptimalTreeClassifier(costs=costs).fit(X, Y)
    # What counts is how many units they are, not how large.
    huge = OptimalTreeClassifier(costs=[[0, 10**18], [10**18, 0]], regularization=10**16)
    assert huge.fit(X, Y).n_leaves_ == 2


@pytest.mark.parametrize(
    ("value", "n_rows", "expected"),
    [(1, 40, 1), (7, 40, 7), (np.int64(3), 5, 3), (0.1, 40, 4), (0.1, 41, 5), (0.29, 100, 29)],
)
def test_rows_of_a_leaf(value: Any, n_rows: int, expected: int) -> None:
    assert min_leaf_rows(value, n_rows) == expected
    if not isinstance(value, (int, np.integer)):
        for same in (Fraction(str(value)), Decimal(str(value)), np.float64(value)):
            assert min_leaf_rows(same, n_rows) == expected
