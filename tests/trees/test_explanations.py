"""`Tree.explain`: the path of a row, and the nearest leaf that predicts otherwise."""

from __future__ import annotations

import dataclasses
import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from exported import fitted
from hypothesis import given, settings
from saved_models import REFER, people, unseen
from seeds import examples

from splitsecond import (
    Explanation,
    FixedBinarizer,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    Tree,
    TreeFARMS,
)

OPTIONS: list[dict[str, Any]] = [
    {},
    {"loss": "brier"},
    {"loss": "log_loss", "class_weight": "balanced"},
    {"costs": REFER},
]


def loans() -> tuple[pd.DataFrame, list[str]]:
    X = pd.DataFrame(
        {
            "income": [31000.0, 45000.0, 20000.0, 52000.0, 38000.0, 90000.0] * 10,
            "job": ["clerk", "smith", "clerk", "clerk", "smith", "baker"] * 10,
        }
    )
    return X, ["bad", "good", "bad", "good", "good", "good"] * 10


def test_in_words() -> None:
    tree = LicketySPLITClassifier(regularization=0.001).fit(*loans()).tree_
    said = tree.explain({"income": 31_000, "job": "clerk"})
    assert str(said) == "\n".join(
        [
            "income <= 34000 ?  yes (31000)  60 rows  bad 33%",
            "-> bad                          20 rows  bad 100% [88%, 100%]",
            "The nearest leaf that predicts otherwise says good (40 rows, good 100% [94%, 100%]):",
            "- income would have to be above 34000 (is 31000)",
            "[low, high]: 95% interval (Jeffreys)",
        ]
    )
    assert said.prediction == "bad"
    assert said.steps[0] == {
        "question": "income <= 34000",
        "answer": "yes",
        "variable": "income",
        "value": 31000.0,
        "rows": 60,
        "counts": {"bad": 20, "good": 40},
        "shares": {"bad": 20 / 60, "good": 40 / 60},
    }
    assert said.nearest is not None
    assert said.nearest["then"] == "good"
    assert said.nearest["changes"] == [
        {
            "variable": "income",
            "value": 31000.0,
            "required": "above 34000",
            "questions": {"income <= 34000": "no"},
        }
    ]
    assert "95%" not in str(tree.explain({"income": 31_000, "job": "clerk"}, level=None))
    assert (
        tree.explain([31_000, "clerk"], level=0.5, method="wilson").leaf["intervals"]
        == (tree.rules(level=0.5, method="wilson")[0]["intervals"])
    )


@pytest.mark.parametrize(
    ("questions", "row", "required"),
    [
        (["age <= 40"], 50, "at most 40 (is 50)"),
        (["age <= 40"], 30, "above 40 or missing (is 30)"),
        (["age <= 20", "age <= 40"], 10, "above 20 and at most 40 (is 10)"),
        (["age == 30"], 50, "30 (is 50)"),
        (["age == 30"], 30, "other than 30 or missing (is 30)"),
        (["age == 30", "age == 50"], 30, "other than 30 or 50 or missing (is 30)"),
    ],
    ids=str,
)
def test_what_is_required_in_words(questions: list[str], row: float, required: str) -> None:
    X = pd.DataFrame({"age": [10.0, 30.0, 50.0, None] * 10})
    first = {"age <= 20": [0, 1, 0, 0], "age == 30": [0, 1, 1 if len(questions) > 1 else 0, 0]}
    y = first.get(questions[0], [1, 1, 0, 0]) * 10
    options: dict[str, Any] = {"regularization": 0, "binarizer": FixedBinarizer(questions)}
    tree = OptimalTreeClassifier(**options).fit(X, y).tree_
    assert f"- age would have to be {required}" in str(tree.explain([row]))


def test_a_flag_and_what_is_not_missing() -> None:
    X = pd.DataFrame({"member": [0, 1] * 20, "age": [None, None, 3.0, 4.0] * 10})
    tree = GreedyTreeClassifier(regularization=0).fit(X, X["member"]).tree_
    assert "- member would have to be 1 (is 0)" in str(tree.explain([0, None]))
    assert "- member would have to be 0 (is 1)" in str(tree.explain([True, None]))
    y = X["age"].isna()
    tree = GreedyTreeClassifier(regularization=0).fit(X[["age"]], y).tree_
    assert "- age would have to be missing (is 3)" in str(tree.explain([3.0]))
    assert "- age would have to be not missing (is missing)" in str(tree.explain([None]))


def test_no_leaf_predicts_otherwise() -> None:
    X, y = loans()
    leaf = LicketySPLITClassifier(max_depth=0).fit(X, y).tree_.explain(X.iloc[0])
    assert leaf.nearest is None
    assert leaf.steps == []
    assert str(leaf).startswith("-> good    60 rows  good 67% [54%, 78%]\nNo leaf predicts other")
    # Leaves that say different shares may predict the same.
    y = ["good" if i % 3 or income > 40_000 else "bad" for i, income in enumerate(X["income"])]
    tree = LicketySPLITClassifier(loss="log_loss", max_depth=1).fit(X[["job"]], y).tree_
    assert tree.n_leaves == 2
    assert set(tree.predict(X)) == {"good"}
    assert tree.explain(X.iloc[0]).nearest is None


def test_a_leaf_that_nothing_reaches_is_no_answer() -> None:
    tree = LicketySPLITClassifier(regularization=0).fit(*loans()).tree_
    j = int(tree.feature[0])
    never = dataclasses.replace(  # no to "income <= 34000", then yes to it
        tree,
        feature=np.array([j, -1, j, -1, -1], dtype=np.int32),
        left=np.array([1, -1, 3, -1, -1], dtype=np.int32),
        right=np.array([2, -1, 4, -1, -1], dtype=np.int32),
        counts=np.array([[9.0, 9], [8, 1], [1, 8], [0, 4], [5, 4]]),
        n_rows=np.array([18, 9, 9, 4, 9]),
        row_counts=None,
    )
    assert never.labels[never.prediction[3]] == "good"
    assert never.explain({"income": 1, "job": "clerk"}).nearest is None


# ---- brute force


def value_sets(tree: Tree) -> dict[int, list[Any]]:
    """For each column, values that answer its questions in every way that values can."""
    found: dict[int, list[Any]] = {}
    for column, variable in tree.variables.items():
        own = [each for each in tree.literals.values() if each.column == column]
        if variable.categories:
            unknown = "?" if isinstance(variable.categories[0], str) else -12345
            found[column] = [*variable.categories, unknown, None]
            continue
        cuts = [float(each.value) for each in own if isinstance(each.value, (int, float))]
        above = [float(np.nextafter(cut, np.inf)) for cut in cuts]
        numbers = [0.0, 1.0] if str(variable.kind) == "binary" else [-1e300, *cuts, *above, 1e300]
        found[column] = [*numbers, None]
    return found


def check_row(tree: Tree, row: dict[Any, Any]) -> None:
    said = tree.explain(row)
    names = {column: variable.label for column, variable in tree.variables.items()}
    table = pd.DataFrame({label: pd.Series([row[label]], dtype=object) for label in names.values()})
    leaf = int(tree.apply(table)[0]) if names else 0
    assert said.leaf == next(rule for rule in tree.rules() if rule["leaf"] == leaf)
    assert said.prediction == said.leaf["then"]
    assert [each["rows"] for each in said.steps] == sorted(
        (each["rows"] for each in said.steps), reverse=True
    )
    # Which columns, and which answers, are the fewest to change?
    places = {rule["leaf"]: i for i, rule in enumerate(tree.rules())}
    answers = dict(zip(tree.questions, tree.answers(table)[0].tolist(), strict=True))
    best: Any = None
    for rule in tree.rules():
        if rule["then"] == said.prediction or any("never" in c for c in rule["conditions"]):
            continue
        path = path_to(tree, rule["leaf"])
        other = {(question, is_yes) for _, question, is_yes in path if answers[question] != is_yes}
        columns = {c for c, question, is_yes in path if answers[question] != is_yes}
        key = (len(columns), len(other), places[rule["leaf"]])
        best = min(best, (key, rule["leaf"]), key=lambda e: e[0]) if best else (key, rule["leaf"])
    if best is None:
        assert said.nearest is None
        return
    assert said.nearest is not None
    assert said.nearest["leaf"] == best[1]
    assert len(said.nearest["changes"]) == best[0][0]
    assert sum(len(each["questions"]) for each in said.nearest["changes"]) == best[0][1]
    check_reachable(tree, row, said)


def path_to(tree: Tree, leaf: int) -> list[tuple[int, str, int]]:
    path, node = [], leaf
    while node:
        parent = int(np.flatnonzero((tree.left == node) | (tree.right == node))[0])
        literal = tree.literals[int(tree.feature[parent])]
        path.append((literal.column, str(literal), int(tree.left[parent] == node)))
        node = parent
    return path


def check_reachable(tree: Tree, row: dict[Any, Any], said: Explanation) -> None:
    """Some values of the variables named, and of no others, lead to the leaf named."""
    assert said.nearest is not None
    changed = {each["variable"] for each in said.nearest["changes"]}
    rows = [dict(row)]
    for column, values in value_sets(tree).items():
        label = tree.variables[column].label
        if tree.variables[column].name in changed:
            rows = [{**each, label: value} for each in rows for value in values][:20_000]
    tables = {label: pd.Series([each[label] for each in rows], dtype=object) for label in row}
    assert said.nearest["leaf"] in tree.apply(pd.DataFrame(tables))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_nearest_leaves_against_all_leaves(options: dict[str, Any]) -> None:
    X, y = people()
    for depth in (1, 3, 5):
        tree = LicketySPLITClassifier(max_depth=depth, regularization=0.001, **options)
        for table in (X.iloc[:25], unseen()):
            fit = tree.fit(X, y).tree_
            for row in table.astype(object).to_dict("records"):
                check_row(fit, row)


@settings(max_examples=examples(100))
@given(fitted())
def test_any_table(drawn: Any) -> None:
    model, _, rows = drawn
    tree, table = model.tree_, rows.pandas()
    leaves = tree.apply(table)
    for i in range(min(len(table), 5)):
        said = tree.explain(table.iloc[[i]])
        assert said.leaf["leaf"] == leaves[i]
        assert str(said)


# ---- rows of all kinds


def test_rows_of_all_kinds() -> None:
    X, y = loans()
    tree = LicketySPLITClassifier().fit(X, y).tree_
    expected = str(tree.explain({"income": 31000.0, "job": "clerk", "more": 3}))
    for row in (
        X.iloc[0],
        X.iloc[[0]],
        pl.from_pandas(X)[0],
        pa.table(X[:1]),
        [31000, "clerk"],
        (31000.0, "clerk"),
        np.array([31000, "clerk"], dtype=object),
        [[31000, "clerk"]],
        {"job": "clerk", "income": np.float32(31000)},
        X.iloc[[0]][["job", "income"]],
    ):
        assert str(tree.explain(row)) == expected
    tree = LicketySPLITClassifier().fit(X[["income"]].to_numpy(), y).tree_
    assert str(tree.explain(pl.Series([31000.0]))) == str(tree.explain([31000]))
    assert str(tree.explain(np.array([31000.0]))) == str(tree.explain({"x0": 31000}))
    assert str(tree.explain([None])) == str(tree.explain([float("nan")]))
    assert "no (missing)" in str(tree.explain([None]))


def test_unknown_categories_are_shown_as_they_are() -> None:
    X, _ = loans()
    tree = LicketySPLITClassifier().fit(X[["job"]], np.array(X["job"] == "clerk")).tree_
    assert '(is "pilot")' in str(tree.explain(["pilot"]))


@pytest.mark.parametrize(
    ("row", "error", "message"),
    [
        (5, TypeError, "row=5 must be a row: a mapping, a sequence or a table of one row"),
        ("clerk", TypeError, "row='clerk' must be a row"),
        (None, TypeError, "row=None must be a row"),
        (loans()[0], ValueError, "One row was expected, got 60"),
        (loans()[0][:0], ValueError, "One row was expected, got 0"),
        ({"job": "clerk"}, ValueError, "The row lacks a value for 'income': None is a missing"),
        ([31000], ValueError, "The row has 1 value, but the tree was learnt from 2 columns: give"),
        ([1, "x", 3], ValueError, "The row has 3 values, but the tree was learnt from 2 columns"),
        ({"income": float("inf"), "job": "x"}, ValueError, "The row has inf for 'income': give a"),
        ([np.float32("-inf"), "x"], ValueError, "The row has -inf for 'income': give a finite"),
        ({"income": [3], "job": "x"}, ValueError, r"The row has \[3\] for 'income': give a single"),
        ({"income": "much", "job": "x"}, ValueError, "'income' had numbers in training"),
    ],
    ids=str,
)
def test_errors(row: Any, error: Any, message: str) -> None:
    tree = LicketySPLITClassifier().fit(*loans()).tree_
    with pytest.raises(error, match=message):
        tree.explain(row)
    with pytest.raises(ValueError, match="level=95 must be a number between 0 and 1"):
        tree.explain([1, "clerk"], level=95)
    with pytest.raises(ValueError, match="method='exact' must be one of"):
        tree.explain([1, "clerk"], method="exact")


def test_weights_and_old_files() -> None:
    X, y = loans()
    tree = LicketySPLITClassifier(class_weight={"bad": 3}).fit(X, y).tree_
    assert "bad 33%, weighted share 60%" in str(tree.explain(X.iloc[0]))
    old = dataclasses.replace(tree, row_counts=None)
    said = old.explain(X.iloc[0])
    assert "weight 100  bad weighted share 60%" in str(said)
    assert said.steps[0]["counts"] is None
    assert said.leaf["intervals"] is None


def test_an_explanation_is_plain_values() -> None:
    X, y = people()
    for options in OPTIONS:
        said = LicketySPLITClassifier(**options).fit(X, y).tree_.explain(X.iloc[3])
        assert json.loads(json.dumps(said.to_dict()))["prediction"] == said.prediction
        assert str(pickle.loads(pickle.dumps(said))) == str(said)
        assert repr(said) == str(said) == said.text
        assert "<pre" in said._repr_html_()
    trees = TreeFARMS(max_depth=2).fit(X, y).trees_
    assert "-> " in str(trees[0].explain(X.iloc[0]))
