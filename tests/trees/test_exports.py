"""Exports predict what the model predicts: on thresholds, blanks and unseen categories too."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from exported import HOSTILE, duckdb_of, fitted, installed, python_of, readable_in_sqlite, sqlite_of
from hostile import Frame
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, export_text, plot_tree

from splitsecond import (
    RESPLIT,
    DataWarning,
    FixedBinarizer,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    load,
    save,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
@given(fitted())
def test_python_source(problem: tuple[Any, Frame, Frame]) -> None:
    model, frame, rows = problem
    expected = model.predict(rows.pandas()).tolist()
    assert model.tree_.predict(rows.pandas()).tolist() == expected
    predict = python_of(model.tree_)
    names = [column.label for column in frame.columns]
    records = [dict(zip(names, row, strict=True)) for row in rows.rows()]
    assert [predict(record) for record in records] == expected
    assert [predict(**record) for record in records] == expected
    for blank in (np.nan, pd.NA, Decimal("nan")):
        blanked = [{k: blank if v is None else v for k, v in r.items()} for r in records]
        assert [predict(record) for record in blanked] == expected


@pytest.mark.slow
@given(fitted())
def test_sqlite(problem: tuple[Any, Frame, Frame]) -> None:
    model, frame, rows = problem
    assume(readable_in_sqlite(model.tree_))
    expected = model.predict(rows.pandas()).tolist()
    names = [column.label for column in frame.columns]
    # Integers beyond 64 bits have no place in SQLite.
    cells = [[float(v) if type(v) is int else v for v in row] for row in rows.rows()]
    assert sqlite_of(model.tree_.to_sql(), names, cells) == expected
    assert sqlite_of(model.tree_.to_sql(table="t"), names, cells) == expected


@pytest.fixture(scope="module")
def database() -> Any:
    with pytest.importorskip("duckdb").connect() as connection:
        yield connection


@pytest.mark.slow
@given(fitted(), st.sampled_from([None, float("nan")]))
def test_duckdb(database: Any, problem: tuple[Any, Frame, Frame], blank: Any) -> None:
    model, frame, rows = problem
    expected = model.predict(rows.pandas()).tolist()
    is_text = [
        any(isinstance(value, str) for value in [*column.known, *new.known])
        for column, new in zip(frame.columns, rows.columns, strict=True)
    ]
    names = [column.label or "no name" for column in frame.columns]
    types = ["VARCHAR" if text else "DOUBLE" for text in is_text]
    cells = [
        [
            v if text else blank if v is None else float(v)
            for v, text in zip(row, is_text, strict=True)
        ]
        for row in rows.rows()
    ]
    expression = model.tree_.to_sql(columns={"": '"no name"'})
    found = duckdb_of(expression, dict(zip(names, types, strict=True)), cells, database)
    assert found == expected


@pytest.mark.slow
@given(fitted())
def test_scikit_learn_on_answers(problem: tuple[Any, Frame, Frame]) -> None:
    model, _, rows = problem
    tree = model.tree_
    answers = tree.answers(rows.pandas())
    assert answers.shape == (len(rows.y), len(tree.questions))
    same = tree.to_sklearn(questions=True)
    if not tree.questions:
        answers = np.zeros((len(rows.y), 1))
    assert same.predict(answers).tolist() == model.predict(rows.pandas()).tolist()
    assert same.predict_proba(answers) == pytest.approx(model.predict_proba(rows.pandas()))


# The user's own columns, in scikit-learn's tree


def numbers(seed: int = 0, n: int = 300) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "unused": "text",
            "age": rng.integers(18, 80, n).astype(float),
            "income": np.where(rng.random(n) < 0.2, np.nan, rng.lognormal(3, 1, n).round(2)),
            "flag": rng.random(n) < 0.5,
        }
    )
    y = np.select([X.age > 45, X.flag ^ X.income.isna()], ["old", "odd"], "rest")
    return X, np.where(rng.random(n) < 0.1, "old", y)


@pytest.mark.parametrize("seed", range(8))
def test_scikit_learn_on_columns(seed: int) -> None:
    X, y = numbers(seed)
    model = LicketySPLITClassifier(regularization=0.001, binarizer="midpoint").fit(X, y)
    same = model.tree_.to_sklearn()
    assert isinstance(same, DecisionTreeClassifier)
    assert set(same.feature_names_in_) == {each.name for each in model.tree_.literals.values()}
    on_them = [literal.value for literal in model.tree_.literals.values() if literal.value]
    rows = pd.concat(
        [X, *(X.head(20).assign(**{name: cut}) for cut in on_them for name in ("age", "income"))]
    )
    rows["flag"] = rows["flag"].astype(float).mask(np.arange(len(rows)) % 7 == 0)
    assert len(on_them) > 3
    assert same.predict(rows[same.feature_names_in_]).tolist() == model.predict(rows).tolist()
    shares = model.predict_proba(rows)
    assert same.predict_proba(rows[same.feature_names_in_]) == pytest.approx(shares)
    assert same.get_n_leaves() == model.n_leaves_
    assert same.get_depth() == model.depth_
    assert same.tree_.n_node_samples.tolist() == model.tree_.n_rows.tolist()
    assert same.decision_path(rows[same.feature_names_in_]).shape[0] == len(rows)


def test_is_missing_in_scikit_learn() -> None:
    X = pd.DataFrame({"income": [1.0, np.nan, 2.0, np.nan, -3.0]})
    binarizer = FixedBinarizer(["income is missing", "income <= 1"])
    model = OptimalTreeClassifier(regularization=0, binarizer=binarizer).fit(X, list("abcba"))
    same = model.tree_.to_sklearn()
    rows = pd.DataFrame({"income": [np.nan, 0.0, 5.0, 3e38, -3e38, 1.0]})
    assert same.predict(rows).tolist() == model.predict(rows).tolist() == list("bacca" + "a")


def test_a_table_without_names_keeps_its_columns() -> None:
    X, y = numbers()
    table = X[["age", "income", "flag"]].to_numpy(float)
    tree = LicketySPLITClassifier(max_depth=1).fit(table, y).tree_
    same = tree.to_sklearn()
    assert same.n_features_in_ == 3
    assert not hasattr(same, "feature_names_in_")
    assert same.predict(table).tolist() == tree.predict(table).tolist()
    predict = python_of(tree)
    assert [predict(row) for row in table] == tree.predict(table).tolist()
    assert [predict(dict(enumerate(row))) for row in table] == tree.predict(table).tolist()
    names = ["x0", "x1", "x2"]
    assert sqlite_of(tree.to_sql(), names, table.tolist()) == tree.predict(table).tolist()
    with pytest.raises(ValueError, match="X has 2 columns, but the tree was learnt from 3"):
        tree.predict(table[:, :2])


def test_text_needs_answers() -> None:
    X = pd.DataFrame({"job": ["cook", "clerk"] * 10})
    tree = LicketySPLITClassifier().fit(X, X["job"] == "cook").tree_
    assert tree.questions == ['job == "clerk"']
    same = tree.to_sklearn()
    assert same.n_features_in_ == 1
    assert same.predict(tree.answers(X)).tolist() == (X["job"] == "cook").tolist()
    text = export_text(same, feature_names=tree.questions, class_names=["no", "yes"])
    assert 'job == "clerk" <= 0.50' in text
    with pytest.raises(ValueError, match="leave out questions=False"):
        tree.to_sklearn(questions=False)


def test_scikit_learn_draws_and_prints_it() -> None:
    X, y = numbers()
    pyplot = pytest.importorskip("matplotlib.pyplot")
    tree = LicketySPLITClassifier(regularization=0.005).fit(X, y).tree_
    same = tree.to_sklearn()
    names = list(same.feature_names_in_)
    text = export_text(same, feature_names=names, decimals=10)
    assert text.count("class:") == tree.n_leaves
    figure, ax = pyplot.subplots()
    drawn = plot_tree(same, feature_names=names, class_names=list(same.classes_), ax=ax)
    assert sum("samples" in box.get_text() for box in drawn) == len(tree.feature)
    pyplot.close(figure)


def test_a_package_that_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPLITSECOND_REQUIRE_EXPORTS", raising=False)
    with pytest.raises(pytest.skip.Exception):
        installed("no_such_package")
    monkeypatch.setenv("SPLITSECOND_REQUIRE_EXPORTS", "1")
    with pytest.raises(ImportError):
        installed("no_such_package")


@pytest.mark.exports
@pytest.mark.filterwarnings("ignore")
def test_shap_explains_it() -> None:
    shap = installed("shap")
    X, y = numbers()
    model = LicketySPLITClassifier(regularization=0.005).fit(X.fillna({"income": 0}), y)
    same = model.tree_.to_sklearn()
    rows = X.fillna({"income": 0})[same.feature_names_in_].astype(float).head(20)
    explainer = shap.TreeExplainer(same)
    values = explainer.shap_values(rows.to_numpy())
    whole = explainer.expected_value + values.sum(axis=1)
    assert whole == pytest.approx(model.predict_proba(X.fillna({"income": 0}).head(20)), abs=1e-6)


@pytest.mark.exports
@pytest.mark.filterwarnings("ignore")
def test_onnx_runs_it() -> None:
    skl2onnx, onnxruntime = installed("skl2onnx"), installed("onnxruntime")
    X, y = numbers()
    model = LicketySPLITClassifier(regularization=0.005, binarizer="midpoint").fit(X, y)
    same = model.tree_.to_sklearn()
    rows = X[same.feature_names_in_].to_numpy(np.float32)
    onnx = skl2onnx.to_onnx(same, rows[:1], options={"zipmap": False})
    session = onnxruntime.InferenceSession(onnx.SerializeToString())
    found = session.run(None, {session.get_inputs()[0].name: rows})[0]
    assert found.tolist() == model.predict(X).tolist()


# Names, labels and values that are likely to be misread


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_values_and_labels(text: str, database: Any) -> None:
    """As the name of a column, as a category and as a label, all at once."""
    X = pd.DataFrame({text: [text, "other", None, "new"] * 5, "n": range(20)})
    y = np.where(X[text] == text, text, "no")
    binarizer = FixedBinarizer([(text, "==", text), (text, "is missing"), ("n", "<=", 3)])
    model = OptimalTreeClassifier(regularization=0.001, binarizer=binarizer).fit(X, y)
    assert model.score(X, y) == 1
    assert model.n_leaves_ > 1
    predict = python_of(model.tree_)
    assert [predict(row) for row in X.to_dict("records")] == y.tolist()
    cells = [[None if pd.isna(v) else v, n] for v, n in X.to_numpy().tolist()]
    expression = model.tree_.to_sql()
    assert sqlite_of(expression, list(X.columns), cells) == y.tolist()
    types = {text: "VARCHAR", "n": "INTEGER"}
    assert duckdb_of(expression, types, cells, database) == y.tolist()
    assert model.tree_.to_dot().count("->") == 2 * model.n_leaves_ - 2


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1],
        [-5, 2**40],
        [False, True],
        [-1.0, 2.0],
        ["", "x"],
        np.array([1, 200], dtype=np.uint8),
        np.array([1.0, 3.0], dtype=np.float32),
        pd.Categorical(["b", "a"]),
    ],
    ids=str,
)
def test_labels_of_any_type(labels: Any, database: Any) -> None:
    X = np.array([[0], [1]] * 10)
    y = np.array([labels[0], labels[1]])[X[:, 0]]
    tree = LicketySPLITClassifier().fit(X, y).tree_
    expected = tree.predict(X).tolist()
    assert expected == y.tolist()
    predict = python_of(tree)
    found = [predict(row) for row in X.tolist()]
    assert found == expected
    assert set(map(type, found)) == set(map(type, expected))
    assert sqlite_of(tree.to_sql(), ["x0"], X.tolist()) == expected
    assert duckdb_of(tree.to_sql(), {"x0": "INTEGER"}, X.tolist(), database) == expected
    assert tree.to_sklearn().predict(X).tolist() == expected


def test_labels_without_a_word_are_text() -> None:
    X = np.array([[0], [1]] * 10)
    for labels in ([date(2020, 1, 1), date(2021, 1, 1)], [Decimal("1.5"), Decimal("2.5")]):
        objects = np.empty(2, dtype=object)
        objects[:] = labels
        tree = LicketySPLITClassifier().fit(X, objects[X[:, 0]]).tree_
        assert python_of(tree)([1]) == str(labels[1])
        assert sqlite_of(tree.to_sql(), ["x0"], [[1]]) == [str(labels[1])]


def test_ordered_categories_booleans_and_blanks(database: Any) -> None:
    sizes = ["S", "M", "L", None] * 10
    dtype = pd.CategoricalDtype(["S", "M", "L", "XL"], ordered=True)
    X = pd.DataFrame({"size": pd.Series(sizes, dtype=dtype), "flag": [True, False] * 20})
    y = np.where(X["size"].isin(["S", "M"]), "small", "large")
    model = OptimalTreeClassifier(regularization=0.001).fit(X, y)
    assert any(str(each) == 'size <= "M"' for each in model.tree_.literals.values())
    assert "\"size\" IN ('S', 'M')" in model.tree_.to_sql()
    rows = pd.DataFrame({"size": ["S", "M", "L", "XL", None, "XXL"], "flag": True})
    expected = model.predict(rows).tolist()
    assert expected == ["small", "small", "large", "large", "large", "large"]
    cells = rows.astype(object).where(rows.notna(), None).to_numpy().tolist()
    types = {"size": "VARCHAR", "flag": "BOOLEAN"}
    assert duckdb_of(model.tree_.to_sql(), types, cells, database) == expected
    assert [python_of(model.tree_)(row) for row in rows.to_dict("records")] == expected


@pytest.mark.parametrize("kind", ["BOOLEAN", "INTEGER", "DOUBLE"])
def test_truth_values_in_a_database(kind: str, database: Any) -> None:
    X = pd.DataFrame({"flag": [True, False] * 10})
    tree = LicketySPLITClassifier().fit(X, np.where(X["flag"], "on", "off")).tree_
    assert duckdb_of(tree.to_sql(), {"flag": kind}, [[1], [0], [None]], database) == [
        *("on", "off", "off")
    ]
    cast = tree.to_sql(columns={"flag": "CAST(flag AS INTEGER)"})
    assert "CAST(flag AS INTEGER) = 1" in cast
    assert duckdb_of(cast, {"flag": kind}, [[1], [0]], database) == ["on", "off"]


MAYBE = {
    "boolean": pd.array([True, False, None] * 20, dtype="boolean"),
    "object": pd.Series([True, False, None] * 20, dtype=object),
    "category": pd.Categorical([True, False, None] * 20),
    "float": [1.0, 0.0, np.nan] * 20,
}


@pytest.mark.parametrize("questions", ["midpoint", FixedBinarizer(["flag is missing"])], ids=str)
@pytest.mark.parametrize("kind", ["BOOLEAN", "INTEGER", "DOUBLE"])
@pytest.mark.parametrize("column", MAYBE)
def test_missing_truth_values_in_a_database(
    column: str, kind: str, questions: Any, database: Any
) -> None:
    X = pd.DataFrame({"flag": MAYBE[column]})
    y = [*["on", "off", "unknown"] * 19, "off", "unknown", "on"]  # nearly what the column says
    model = OptimalTreeClassifier(binarizer=questions, regularization=0.001).fit(X, y)
    expected = model.predict(X.iloc[:3]).tolist()
    tree = model.tree_
    assert any(each.operator == "is missing" for each in tree.literals.values()) or (
        column == "category" and questions == "midpoint"  # which asks for both values
    )
    for cells in ([[True], [False], [None]], [[1], [0], [None]]):
        assert duckdb_of(tree.to_sql(), {"flag": kind}, cells, database) == expected
        assert sqlite_of(tree.to_sql(), ["flag"], cells) == expected
    if kind == "DOUBLE" and column != "category":  # NaN is a missing value, too
        cells = [[1.0], [0.0], [float("nan")]]
        assert duckdb_of(tree.to_sql(), {"flag": kind}, cells, database) == expected


@pytest.mark.parametrize("threshold", [0.1, 16777217.0, 2.0**53, -(2.0**60), 1e300, 0.1 + 0.2])
@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT", "BIGINT"])
def test_numbers_of_every_width(threshold: float, kind: str, database: Any) -> None:
    """The database must not compare in fewer bits than the model, nor in more."""
    values: list[Any] = [threshold, np.nextafter(threshold, 1e308), np.nextafter(threshold, -1e308)]
    values = [float(value) for value in values]
    if kind == "BIGINT":
        values = [int(v) + d for v in values for d in (-1, 0, 1) if abs(v) < 2**62]
    if kind == "FLOAT":
        values = [float(np.float32(value)) for value in values if abs(value) < 3e38]
    X = pd.DataFrame({"x": [float(threshold), float(np.nextafter(threshold, 1e308))] * 5})
    binarizer = FixedBinarizer([("x", "<=", threshold)])
    model = LicketySPLITClassifier(binarizer=binarizer).fit(X, [0, 1] * 5)
    values = values or [0]  # none of these fits
    expected = model.predict(pd.DataFrame({"x": pd.Series(values, dtype=float)})).tolist()
    cells = [[value] for value in values]
    assert duckdb_of(model.tree_.to_sql(), {"x": kind}, cells, database) == expected
    assert sqlite_of(model.tree_.to_sql(), ["x"], cells) == expected
    assert [python_of(model.tree_)(x=value) for value in values] == expected


def test_sql_has_no_nul() -> None:
    X = pd.DataFrame({"a\0b": [0, 1] * 10})
    tree = LicketySPLITClassifier().fit(X, X["a\0b"]).tree_
    with pytest.raises(ValueError, match="NUL"):
        tree.to_sql()
    assert python_of(tree)({"a\0b": 1}) == 1


def test_a_lone_leaf() -> None:
    X = np.zeros((4, 2))
    tree = LicketySPLITClassifier().fit(X, ["it's"] * 4).tree_
    assert tree.to_sql() == "'it''s'"
    assert python_of(tree)([0, 0]) == "it's"
    assert tree.to_sklearn().predict(X).tolist() == ["it's"] * 4
    assert tree.questions == []


def test_python_source_says_what_is_wrong() -> None:
    X = pd.DataFrame({"age": [20.0, 30.0] * 10})
    tree = LicketySPLITClassifier().fit(X, [0, 1] * 10).tree_
    predict = python_of(tree)
    with pytest.raises(KeyError, match="age"):
        predict({})
    with pytest.raises(TypeError, match="expected a number, got '12k'"):
        predict(age="12k")
    for name in ("two words", "class", "", "1x", None):
        with pytest.raises(ValueError, match="a Python function can have"):
            tree.to_python(name)  # type: ignore[arg-type]
    assert tree.to_python("score").startswith("def score(")


def test_very_deep_trees() -> None:
    n = 150
    X = np.tril(np.ones((n, n), dtype=int))
    tree = GreedyTreeClassifier(regularization=0, max_depth=n).fit(X, np.arange(n) % 2).tree_
    assert tree.to_sql().count("CASE") == tree.n_leaves - 1
    if tree.depth > 90:
        with pytest.raises(ValueError, match="more than the 90 that Python can nest"):
            tree.to_python()
    assert tree.to_sklearn().predict(X).tolist() == tree.predict(X).tolist()


def test_trees_of_sets_and_files_can_be_exported_too(tmp_path: Path) -> None:
    X, y = numbers()
    model = RESPLIT(regularization=0.02, epsilon=0.01, max_depth=3).fit(X, y)
    for tree in model.trees_[:5]:
        predict = python_of(tree)
        expected = tree.predict(X).tolist()
        assert [predict(row) for row in X.to_dict("records")] == expected
    assert model.trees_[0].predict(X).tolist() == model.predict(X).tolist()
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.tree_.to_sql() == model.tree_.to_sql()
    with pytest.warns(DataWarning, match="'flag' tells the classes apart"):
        plain = LicketySPLITClassifier(binarizer=None).fit(X[["flag"]], X["flag"])
    save(plain, tmp_path / "plain.json")
    assert load(tmp_path / "plain.json").tree_.to_python() == plain.tree_.to_python()
