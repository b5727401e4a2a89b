"""What trees of numbers say: in print, as rules and data, in explanations; and what not."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import math
import pickle
import re
import warnings
from typing import Any

import numpy as np
import pytest
from number_tables import (
    HARD,
    HARD_CASES,
    LOSSES,
    REGRESSORS,
    SIDES,
    hard_tree,
    houses,
    new_houses,
    regressor,
    tree_of,
)
from sklearn.metrics import (
    d2_tweedie_score,
    mean_poisson_deviance,
    r2_score,
    root_mean_squared_error,
)

from splitsecond import (
    FixedBinarizer,
    LicketySPLITClassifier,
    LicketySPLITRegressor,
    OptimalTreeRegressor,
    Tree,
    TreeFARMSRegressor,
)
from splitsecond._trees.number_texts import NumberTexts, rounded

every_loss = pytest.mark.parametrize("loss", LOSSES)
every_weight = pytest.mark.parametrize("weighted", [False, True])


def leaves_of(tree: Tree) -> list[int]:
    found: list[int] = np.flatnonzero(tree.feature < 0).tolist()
    return found


def forms(tree: Tree, X: Any, y: Any) -> list[Any]:
    """Return the tree in every form."""
    row = X.iloc[0] if hasattr(X, "iloc") else X[0]
    return [
        *(str(tree), repr(tree), tree.to_text(level=None), tree.to_text(level=0.5), tree.to_dot()),
        *(tree.rules(), tree.to_dict(), json.loads(tree.to_json()), str(tree.explain(row))),
        *(tree.explain(row, level=None).to_dict(), tree.to_sql(), tree.to_python()),
        *(tree.to_svg(), tree.to_svg(X=X, y=y, path=row), tree._repr_html_()),
        *(tree.feature_importances.tolist(), tree.training_score, tree.training_loss),
        *(tree.to_sklearn().get_depth(), tree.to_sklearn(questions=True).get_n_leaves()),
    ]


@every_weight
@every_loss
@pytest.mark.parametrize("estimator", REGRESSORS)
def test_every_form_of_every_tree(estimator: Any, loss: str, weighted: bool) -> None:
    X, y, _ = houses()
    tree = tree_of(estimator, loss=loss, weighted=weighted)
    assert tree.is_weighted == weighted
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        written = forms(tree, X, y)
    copies = [pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), dataclasses.replace(tree)]
    for each in copies:
        assert each == tree
        assert hash(each) == hash(tree)
        assert each.predict(X).tolist() == tree.predict(X).tolist()
        assert forms(each, X, y) == written
    other = tree_of(estimator, loss=loss, weighted=not weighted)
    assert other != tree
    assert "nan" not in tree.to_text() + tree.to_svg()
    assert repr(tree).startswith(f"<Tree: {tree.n_leaves} leaves, depth 2, objective 0.")
    assert tree.feature_importances.sum() == pytest.approx(1)


@pytest.mark.filterwarnings("ignore::splitsecond.DataWarning")
@pytest.mark.parametrize("estimator", [LicketySPLITRegressor, TreeFARMSRegressor])
@pytest.mark.parametrize(("name", "loss"), HARD_CASES)
def test_numbers_that_are_hard_to_show(name: str, loss: str, estimator: Any) -> None:
    X, y = HARD[name]
    tree = hard_tree(name, loss, estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        written = forms(tree, X, y)
    assert not any(re.search(r"\bnan\b", text) for text in map(str, written) if "def " not in text)
    json.loads(tree.to_json(), parse_constant=pytest.fail)
    assert pickle.loads(pickle.dumps(tree)) == tree
    # What is written is the value, to four digits or more.
    for node in leaves_of(tree):
        text, value = NumberTexts(tree).label(node), float(tree.labels[node])
        assert float(text) == pytest.approx(value, rel=5.1e-4)
        assert re.search(rf"-> {re.escape(text)}( |$)", tree.to_text(), re.MULTILINE)
    texts = [NumberTexts(tree).label(node) for node in leaves_of(tree)]
    assert len(set(texts)) == len({float(tree.labels[node]) for node in leaves_of(tree)})


@every_weight
@every_loss
def test_what_a_leaf_says(loss: str, weighted: bool) -> None:
    X, y, weights = houses()
    tree = tree_of(loss=loss, weighted=weighted)
    lines = [line for line in str(tree).splitlines() if "->" in line]
    said = NumberTexts(tree)
    assert len(lines) == tree.n_leaves
    for line, rule in zip(lines, tree.rules(), strict=True):
        found = re.search(r"-> (\S+) +(\[.*\]) +(\d+) rows(, (\w+) (.*))?$", line)
        assert found
        leaf = rule["leaf"]
        own = (tree.apply(X) == leaf) & ((weights > 0) | (not weighted))
        mean = np.average(y[own], weights=weights[own] if weighted else None)
        assert rule["then"] == rule["mean"] == pytest.approx(mean, rel=1e-12)
        assert float(found[1]) == pytest.approx(mean, rel=5e-4)
        assert found[2] == said.interval(mean, tree.intervals()[leaf])
        assert int(found[3]) == rule["rows"] == own.sum()
        assert (found[5] is not None) == weighted
        if weighted:
            assert found[5] == {"squared_error": "weight", "poisson": "exposure"}[loss]
            assert float(found[6]) == pytest.approx(weights[own].sum(), rel=5e-4)
            assert rule["weight"] == pytest.approx(weights[own].sum())
    names = {"squared_error": "Student's t", "poisson": "Garwood"}
    assert str(tree).splitlines()[-1] == f"[low, high]: 95% interval ({names[loss]})"


def test_exactly() -> None:
    X = np.array([[0], [1]] * 4 + [[2]])
    y = [10, 20, 12, 22, 11, 21, 9, 23, 400]
    binarizer = FixedBinarizer(["x0 <= 1", "x0 <= 0"])
    tree = OptimalTreeRegressor(regularization=1e-6, binarizer=binarizer).fit(X, y).tree_
    assert tree.to_text() == "\n".join(
        [
            "x0 <= 1 ?           9 rows",
            "|- yes  x0 <= 0 ?   8 rows",
            "|  |- yes  -> 10.5  [8.4, 12.6]   4 rows",
            "|  |- no   -> 21.5  [19.4, 23.6]  4 rows",
            "|- no   -> 400                    1 row",
            "[low, high]: 95% interval (Student's t)",
        ]
    )
    assert tree.to_text(level=None) == "\n".join(
        [
            "x0 <= 1 ?           9 rows",
            "|- yes  x0 <= 0 ?   8 rows",
            "|  |- yes  -> 10.5  4 rows",
            "|  |- no   -> 21.5  4 rows",
            "|- no   -> 400      1 row",
        ]
    )
    assert '"10.5\\n[8.4, 12.6]\\n4 rows"' in tree.to_dot()
    assert '"400\\n1 row"' in tree.to_dot()
    assert str(tree.explain([1])) == "\n".join(
        [
            "x0 <= 1 ?  yes (1)  9 rows  mean 58.67",
            "x0 <= 0 ?  no (1)   8 rows  mean 16",
            "-> 21.5             4 rows  mean 21.5 [19.4, 23.6]",
            "The nearest leaf that predicts otherwise says 10.5 (4 rows, mean 10.5 [8.4, 12.6]):",
            "- x0 would have to be at most 0 (is 1)",
            "[low, high]: 95% interval (Student's t)",
        ]
    )


def test_digits_of_means() -> None:
    tree = tree_of()

    def texts(*values: float) -> list[str]:
        said = NumberTexts(dataclasses.replace(tree))
        object.__setattr__(said.tree, "labels", np.array(values))
        return [said.value(value) for value in values]

    assert texts(187.3456, 12.3456) == ["187.3", "12.35"]
    assert texts(52341.7, 0.123456) == ["52342", "0.1235"]
    assert texts(12345678.9, 1.5e15) == ["12345679", "1500000000000000"]
    assert texts(1.23456e200, 0.0) == ["1.235e+200", "0"]
    assert texts(1998.31, 1998.64) == ["1998.31", "1998.64"]  # four digits would be the same
    assert texts(-0.00012345678, 0.1) == ["-0.0001235", "0.1"]
    assert texts(5.0) == ["5"]
    assert rounded(math.inf, 0) == "inf"
    assert rounded(1.7976931348623157e308, 305) == "1.7976931348623157e+308"


def test_digits_of_limits() -> None:
    said = NumberTexts(tree_of())

    def text(value: float, low: float, high: float) -> str:
        return said.interval(value, np.array([low, high]))

    assert text(187.34, 170.81, 203.87) == "[171, 204]"
    assert text(187.34, 187.31, 187.37) == "[187.3, 187.4]"  # no more digits than the mean
    assert text(52341.7, 51234.5, 53456.7) == "[51200, 53500]"
    assert text(5.0, 5.0, 5.0) == "[5, 5]"
    assert text(5.0, -math.inf, math.inf) == ""
    assert text(0.0, 0.0, math.inf) == "[0, inf]"
    assert said.interval(5.0, None) == ""


@every_weight
@every_loss
def test_the_head_of_a_model(loss: str, weighted: bool) -> None:
    X, y, weights = houses()
    weights = weights if weighted else None
    model = regressor(loss=loss).fit(X, y, weights)
    head = str(model).splitlines()[1]
    assert model.tree_.training_score == pytest.approx(model.score(X, y, weights))
    predicted = model.predict(X)
    if loss == "poisson":
        deviance = mean_poisson_deviance(y, predicted, sample_weight=weights)
        share = d2_tweedie_score(y, predicted, power=1, sample_weight=weights)
        expected = f"training D^2 {share:.3f} · mean deviance {deviance:.4g} · objective "
    else:
        error = root_mean_squared_error(y, predicted, sample_weight=weights)
        share = r2_score(y, predicted, sample_weight=weights)
        expected = f"training R^2 {share:.3f} · root mean squared error {error:.4g} · objective "
    assert head.startswith(f"weighted {expected}" if weighted else expected)


def test_errors_beyond_floats() -> None:
    X, y = HARD["huge"]
    model = regressor(binarizer="auto").fit(X, y)
    error = root_mean_squared_error(y / 1e300, model.predict(X) / 1e300)
    assert f"root mean squared error {error * 1e300:.4g} " in str(model)
    share = r2_score(y / 1e300, model.predict(X) / 1e300)
    assert model.score(X, y) == pytest.approx(share)
    assert model.tree_.training_score == pytest.approx(share)
    X, y = HARD["tiny"]
    model = regressor(binarizer="auto").fit(X, y)
    assert model.score(X, y) == pytest.approx(r2_score(y * 1e300, model.predict(X) * 1e300))
    assert 0 < model.score(X, y) < 1
    X, y = HARD["large integers"]
    model = regressor(binarizer="auto").fit(X, y)
    assert model.score(X, y) == pytest.approx(model.tree_.training_score, abs=1e-3)


def test_scores_of_training_rows_of_classes() -> None:
    X, y = [[0], [1]] * 20, [0, 1] * 18 + [1, 0] * 2
    tree = LicketySPLITClassifier().fit(X, y).tree_
    assert tree.training_score == tree.training_accuracy == tree.score(X, y) == 0.9
    costs = {"reject": {0: 0, 1: 5}, "refer": {0: 1, 1: 1}}
    tree = LicketySPLITClassifier(costs=costs).fit(X, y).tree_
    assert tree.training_score == pytest.approx(tree.score(X, y))
    assert tree.training_score < 0


@pytest.mark.parametrize("estimator", [LicketySPLITRegressor, TreeFARMSRegressor])
def test_what_is_of_classes(estimator: Any) -> None:
    X, y, _ = houses()
    tree = tree_of(estimator)
    said = "is of trees that predict classes, and this one predicts numbers: use"
    assert not hasattr(tree, "training_accuracy")
    with pytest.raises(AttributeError, match=f"training_accuracy {said} training_score"):
        _ = tree.training_accuracy
    with pytest.raises(AttributeError, match="has no attribute 'no_such_name'"):
        _ = tree.no_such_name  # type: ignore[attr-defined]
    assert dict(inspect.getmembers(tree))["n_leaves"] == tree.n_leaves
    with pytest.raises(ValueError, match=f"predict_proba {said} predict"):
        tree.predict_proba(X)
    with pytest.raises(ValueError, match=f"shares {said} labels"):
        tree.shares()
    with pytest.raises(ValueError, match=f"expected_cost {said} score"):
        tree.expected_cost(X, y)


@every_weight
@every_loss
def test_data_forms(loss: str, weighted: bool) -> None:
    tree = tree_of(loss=loss, weighted=weighted)
    nested = tree.to_dict()
    assert json.loads(tree.to_json(), parse_constant=pytest.fail) == nested
    assert nested["loss"] == loss
    assert "classes" not in nested
    assert nested["bins"] == tree.bins.tolist()  # type: ignore[union-attr]
    method = {"squared_error": "student", "poisson": "garwood"}[loss]
    assert nested["interval"] == {"level": 0.95, "method": method}
    waiting, found = [nested["root"]], 0
    rules = {rule["leaf"]: rule for rule in tree.rules()}
    while waiting:
        node = waiting.pop()
        found += 1
        if "leaf" not in node:
            assert node["rows"] == node["yes"]["rows"] + node["no"]["rows"]
            assert node["weight"] == pytest.approx(node["yes"]["weight"] + node["no"]["weight"])
            waiting += [node["yes"], node["no"]]
            continue
        rule, leaf = rules[node["leaf"]], node["leaf"]
        assert node["prediction"] == node["mean"] == rule["then"] == tree.labels[leaf]
        for key in ("rows", "weight", "mean", "loss", "histogram", "interval"):
            assert node[key] == rule[key]
        assert node["interval"] == tree.intervals()[leaf].tolist()
        assert sum(node["histogram"]) == node["rows"] == tree.n_rows[leaf]
    assert found == len(tree.feature)
    losses = [rule["loss"] * rule["weight"] for rule in rules.values()]
    assert sum(losses) / nested["root"]["weight"] == pytest.approx(tree.training_loss)
    without = tree.to_dict(level=None)
    assert "interval" not in without
    assert "interval" not in without["root"]
    assert tree.rules(level=None)[0]["interval"] is None


def test_limits_that_are_infinite_are_none_in_data() -> None:
    tree = hard_tree("one row", "squared_error")
    assert tree.rules()[0]["interval"] == [None, None]
    assert tree.to_dict()["root"]["interval"] == [None, None]
    assert tree.intervals().tolist() == [[-math.inf, math.inf]]


@every_weight
@every_loss
@pytest.mark.parametrize("estimator", REGRESSORS)
def test_explanations(estimator: Any, loss: str, weighted: bool) -> None:
    tree = tree_of(estimator, loss=loss, weighted=weighted)
    rules = {rule["leaf"]: rule for rule in tree.rules()}
    rows = new_houses()
    word = {"squared_error": "mean", "poisson": "rate"}[loss]
    for i, leaf in enumerate(tree.apply(rows).tolist()):
        said = tree.explain(rows.iloc[i])
        assert said.prediction == tree.labels[leaf]
        assert said.leaf == rules[leaf]
        assert said.steps[0]["mean"] == tree.labels[0]
        assert said.steps[0]["rows"] == tree.n_rows[0]
        assert said.nearest is not None
        assert said.nearest["then"] == rules[said.nearest["leaf"]]["then"] != said.prediction
        assert said.nearest["changes"]
        assert str(said).count(f"  {word} ") == len(said.steps) + 1
        json.dumps(said.to_dict(), allow_nan=False)


def test_a_leaf_with_the_same_mean_predicts_no_other() -> None:
    binarizer = FixedBinarizer(["x0", "x1"])
    y = np.select([SIDES[:, 0] == 0, SIDES[:, 1] == 0], [1.0, 3.0], 5.0)
    tree = OptimalTreeRegressor(regularization=1e-6, binarizer=binarizer).fit(SIDES, y).tree_
    assert tree.n_leaves == 3
    own = int(tree.apply([[1, 1]])[0])
    counts = tree.counts.copy()
    counts[int(tree.apply([[1, 0]])[0])] = counts[own]
    same = dataclasses.replace(tree, counts=counts)
    nearest = same.explain([1, 1]).nearest
    assert nearest is not None
    assert nearest["then"] == 1.0


def test_no_leaf_predicts_otherwise() -> None:
    said = hard_tree("constant", "squared_error").explain([0, 0])
    assert said.nearest is None
    assert str(said).splitlines() == [
        "-> 2.5    20 rows  mean 2.5 [2.5, 2.5]",
        "No leaf predicts otherwise.",
        "[low, high]: 95% interval (Student's t)",
    ]


def test_trees_that_are_not_numbers_compare_as_before() -> None:
    tree = tree_of()
    assert tree == dataclasses.replace(tree, objective=tree.objective)
    assert tree != dataclasses.replace(tree, objective=0.5)
    unknown = dataclasses.replace(tree, counts=tree.counts * math.nan)
    assert unknown == dataclasses.replace(tree, counts=tree.counts * math.nan)
    assert unknown != tree
