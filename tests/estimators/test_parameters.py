"""Parameters of estimators: declared once, with one default wherever they can be given."""

from __future__ import annotations

import dataclasses
import inspect
import re
from typing import Any

import pytest
from sklearn.base import clone

from splitsecond import (
    RESPLIT,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
    TreeFARMS,
)
from splitsecond._cli import options
from splitsecond._cli.fitting import fit

SHARED = (
    *("loss", "costs", "actions", "class_weight", "binarizer"),
    *("time_limit", "memory_limit", "n_jobs", "verbose"),
)
EXACT = ("regularization", "max_depth", "min_samples_leaf", *SHARED)
GREEDY = ("regularization", "max_depth", "min_samples_leaf", "exact_last_split", *SHARED)
SETS = ("regularization", "epsilon", "epsilon_kind", "max_depth", "min_samples_leaf")
SIGNATURES: dict[Any, tuple[str, ...]] = {
    GreedyTreeClassifier: (*GREEDY[:-1], "device", "verbose"),
    LicketySPLITClassifier: (
        *(*GREEDY[:3], "lookahead_depth", "completion"),
        *(*GREEDY[3:-1], "device", "verbose"),
    ),
    OptimalTreeClassifier: EXACT,
    SPLITClassifier: (
        "regularization",
        "max_depth",
        "min_samples_leaf",
        "lookahead_depth",
        "postprocess",
        "exact_last_split",
        *SHARED,
    ),
    TreeFARMS: (*SETS, "keep_trivial", *SHARED),
    RESPLIT: (*SETS, "lookahead_depth", "keep_trivial", "exact_last_split", *SHARED),
}
DEFAULTS: dict[str, Any] = {
    "regularization": 0.01,
    "epsilon": 0.01,
    "epsilon_kind": "additive",
    "max_depth": 5,
    "min_samples_leaf": 1,
    "lookahead_depth": None,
    "postprocess": True,
    "keep_trivial": False,
    "completion": "greedy",
    "exact_last_split": True,
    "loss": "zero_one",
    "costs": None,
    "actions": None,
    "class_weight": None,
    "binarizer": "auto",
    "time_limit": None,
    "memory_limit": None,
    "n_jobs": None,
    "device": "cpu",
    "verbose": 0,
}

every_estimator = pytest.mark.parametrize("estimator", SIGNATURES)


def defaults_of(estimator: Any) -> dict[str, Any]:
    own: dict[Any, dict[str, Any]] = {
        RESPLIT: {"lookahead_depth": 3, "exact_last_split": False},
        LicketySPLITClassifier: {"lookahead_depth": 1},
    }
    return DEFAULTS | own.get(estimator, {})


@every_estimator
def test_signatures(estimator: Any) -> None:
    for called in (estimator, estimator.__init__):
        found = dict(inspect.signature(called).parameters)
        found.pop("self", None)
        assert tuple(found) == SIGNATURES[estimator]
        assert {each.kind for each in found.values()} == {inspect.Parameter.KEYWORD_ONLY}
        for name, parameter in found.items():
            assert parameter.default == defaults_of(estimator)[name]
            assert parameter.annotation is not inspect.Parameter.empty


@every_estimator
def test_parameters_are_kept_as_given(estimator: Any) -> None:
    names = SIGNATURES[estimator]
    plain = estimator()
    assert plain.get_params() == {name: defaults_of(estimator)[name] for name in names}
    assert vars(plain).keys() == set(names)  # and nothing else, before a fit
    given = {name: object() for name in names}
    made = estimator(**given)
    assert all(getattr(made, name) is value for name, value in given.items())
    assert clone(estimator(max_depth=2)).max_depth == 2
    assert repr(estimator(max_depth=2)) == f"{estimator.__name__}(max_depth=2)"


@every_estimator
def test_others_are_refused_by_the_class_that_was_called(estimator: Any) -> None:
    name = estimator.__name__
    with pytest.raises(TypeError, match=re.escape(f"{name}.__init__() got an unexpected keyword")):
        estimator(criterion="gini")
    with pytest.raises(TypeError, match=re.escape(f"{name}.__init__() takes 1 positional")):
        estimator(0.01)


def test_classes_of_users() -> None:
    class Plain(LicketySPLITClassifier):
        note: str = "no parameter"

    class Own(SPLITClassifier):
        def __init__(self, *, max_depth: int = 3) -> None:
            super().__init__(max_depth=max_depth, lookahead_depth=1)

    assert Plain(max_depth=4).get_params() == LicketySPLITClassifier(max_depth=4).get_params()
    assert Plain().note == "no parameter"
    own = clone(Own(max_depth=2))
    assert own.get_params() == {"max_depth": 2}
    assert own.lookahead_depth == 1
    assert own.fit([[0], [1]] * 5, [0, 1] * 5).predict([[1]]) == [1]


def test_the_command_line_has_the_same_defaults() -> None:
    fields = [
        (each.name, each.default)
        for group in (options.Learning, options.Sets)
        for each in dataclasses.fields(group)
        if each.default is not dataclasses.MISSING
    ]
    fields += [(each.name, each.default) for each in inspect.signature(fit).parameters.values()]
    # Those of single trees and of sets differ, or of classes and of numbers: none is given.
    differ = {"exact_last_split", "completion", "loss"}
    compared = {name: default for name, default in fields if name in DEFAULTS.keys() - differ}
    assert {"regularization", "max_depth", "epsilon", "binarizer"} <= set(compared)
    for name, default in compared.items():  # of which regularization is read from text
        assert default is DEFAULTS[name] or str(default) == str(DEFAULTS[name]), name
