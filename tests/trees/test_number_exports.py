"""Exports of trees of numbers predict what the model predicts, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from exported import duckdb_of, fitted_numbers, installed, python_of, readable_in_sqlite, sqlite_of
from hostile import Frame
from hypothesis import assume, given
from number_tables import (
    HARD,
    HARD_CASES,
    LOSSES,
    REGRESSORS,
    hard_tree,
    houses,
    new_houses,
    regressor,
    tree_of,
)
from sklearn.tree import DecisionTreeRegressor, export_text, plot_tree

from splitsecond import FixedBinarizer, LicketySPLITRegressor, OptimalTreeRegressor

every_loss = pytest.mark.parametrize("loss", LOSSES)
TYPES = {"size": "DOUBLE", "place": "VARCHAR", "age": "INTEGER", "garden": "BOOLEAN"}


@pytest.fixture(scope="module")
def database() -> Any:
    with pytest.importorskip("duckdb").connect() as connection:
        yield connection


def cells_of(X: pd.DataFrame) -> list[list[Any]]:
    cells: list[list[Any]] = X.astype(object).where(X.notna(), None).to_numpy().tolist()
    return cells


def close(expected: list[float]) -> Any:
    """SQLite may miss the last of 17 digits."""
    return pytest.approx(expected, rel=1e-15, abs=0)


@pytest.mark.parametrize("weighted", [False, True])
@every_loss
@pytest.mark.parametrize("estimator", REGRESSORS)
def test_every_export(estimator: Any, loss: str, weighted: bool, database: Any) -> None:
    tree = tree_of(estimator, loss=loss, weighted=weighted)
    X = pd.concat([houses()[0], new_houses()])
    expected, leaves = tree.predict(X).tolist(), tree.apply(X).tolist()
    rows, cells = X.to_dict("records"), cells_of(X)
    for output, values in (("auto", expected), ("value", expected), ("leaf", leaves)):
        assert [python_of(tree, output=output)(row) for row in rows] == values
        sql = tree.to_sql(output=output)
        assert sqlite_of(sql, list(X.columns), cells) == close(values)
        assert duckdb_of(sql, TYPES, cells, database) == values
    assert tree.to_sql() == tree.to_sql(output="value")
    assert tree.to_python() == tree.to_python(output="value")
    same = tree.to_sklearn(questions=True)
    assert isinstance(same, DecisionTreeRegressor)
    assert same.predict(tree.answers(X)).tolist() == expected
    assert same.apply(tree.answers(X)).tolist() == leaves
    assert "Predict" in tree.to_python().splitlines()[1]


@pytest.mark.filterwarnings("ignore::splitsecond.DataWarning")
@pytest.mark.parametrize(("name", "loss"), HARD_CASES)
def test_numbers_that_are_hard_to_write(name: str, loss: str, database: Any) -> None:
    X, _ = HARD[name]
    tree = hard_tree(name, loss)
    expected = tree.predict(X).tolist()
    found = [python_of(tree)(row) for row in X.tolist()]
    assert found == expected
    assert set(map(type, found)) == {float}
    columns = {"x0": "INTEGER", "x1": "INTEGER"}
    assert duckdb_of(tree.to_sql(), columns, X.tolist(), database) == expected
    in_sqlite = sqlite_of(tree.to_sql(), list(columns), X.tolist())
    assert in_sqlite == close(expected)
    assert set(map(type, in_sqlite)) == {float}  # means of integers, too
    assert tree.to_sklearn().predict(X).tolist() == expected


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::splitsecond.DataWarning")
@given(fitted_numbers())
def test_any_table(problem: tuple[Any, Frame, Frame]) -> None:
    model, frame, rows = problem
    tree = model.tree_
    expected = model.predict(rows.pandas()).tolist()
    assert tree.predict(rows.pandas()).tolist() == expected
    names = [column.label for column in frame.columns]
    predict = python_of(tree)
    assert [predict(dict(zip(names, row, strict=True))) for row in rows.rows()] == expected
    answers = tree.answers(rows.pandas())
    answers = answers if tree.questions else np.zeros((len(rows.y), 1))
    assert tree.to_sklearn(questions=True).predict(answers).tolist() == expected
    assume(readable_in_sqlite(tree))
    cells = [[float(v) if type(v) is int else v for v in row] for row in rows.rows()]
    assert sqlite_of(tree.to_sql(), names, cells) == close(expected)


@pytest.mark.parametrize(
    "text", ["it's", 'say "no"', "a;--", "back\\slash", "two\nlines", "日本 🙂"]
)
@every_loss
def test_hostile_names_and_values(loss: str, text: str, database: Any) -> None:
    X = pd.DataFrame({text: [text, "other", None, "new"] * 5, "n": range(20)})
    y = np.where(X[text] == text, 2.0, 1.0) + X["n"] / 16
    binarizer = FixedBinarizer([(text, "==", text), (text, "is missing"), ("n", "<=", 3)])
    given: Any = {"regularization": 0.001, "binarizer": binarizer, "loss": loss}
    tree = OptimalTreeRegressor(**given).fit(X, y).tree_
    expected = tree.predict(X).tolist()
    assert len(set(expected)) > 2
    assert [python_of(tree)(row) for row in X.to_dict("records")] == expected
    types = {text: "VARCHAR", "n": "INTEGER"}
    assert duckdb_of(tree.to_sql(), types, cells_of(X), database) == expected
    assert sqlite_of(tree.to_sql(), list(X.columns), cells_of(X)) == close(expected)
    assert tree.to_dot().count("->") == 2 * tree.n_leaves - 2


@pytest.mark.parametrize("write", ["to_sql", "to_python"])
def test_what_cannot_be_returned(write: str) -> None:
    tree = tree_of()
    for output in ("class", "probability"):
        with pytest.raises(
            ValueError,
            match=f"output='{output}', but the tree predicts numbers: give output='value'",
        ):
            getattr(tree, write)(output=output)
    with pytest.raises(ValueError, match="of=3 is a class, but the tree predicts numbers: leave"):
        getattr(tree, write)(of=3)


# scikit-learn's own trees


@pytest.mark.parametrize("weighted", [False, True])
@every_loss
def test_scikit_learn_has_the_same_nodes(loss: str, weighted: bool) -> None:
    """One split, which scikit-learn finds as well: all that its tree says is the same."""
    X, y, weights = houses()
    table = X[["garden"]].to_numpy(float)
    weights = weights if weighted else None
    tree = regressor(loss=loss, max_depth=1, regularization=1e-6).fit(table, y, weights).tree_
    same = tree.to_sklearn()
    theirs = DecisionTreeRegressor(criterion=loss, max_depth=1).fit(table, y, weights)
    assert same.criterion == loss
    assert same.tree_.node_count == theirs.tree_.node_count == 3
    order = [0, same.tree_.children_left[0], same.tree_.children_right[0]]
    for name in ("value", "impurity", "weighted_n_node_samples", "threshold"):
        ours = getattr(same.tree_, name)[order].ravel()
        assert ours == pytest.approx(getattr(theirs.tree_, name).ravel()), name
    if not weighted:  # rows of no weight are rows to scikit-learn
        rows = same.tree_.n_node_samples[order]
        assert rows.tolist() == theirs.tree_.n_node_samples.tolist()
    assert same.feature_importances_ == pytest.approx(theirs.feature_importances_)
    assert same.score(table, y, weights) == pytest.approx(theirs.score(table, y, weights))


@every_loss
def test_scikit_learn_on_columns(loss: str) -> None:
    X, y, _ = houses()
    X = X[["size", "age", "garden"]]
    given: Any = {"binarizer": "midpoint", "regularization": 0.003, "loss": loss}
    model = LicketySPLITRegressor(max_depth=4, **given).fit(X, y)
    same = model.tree_.to_sklearn()
    cuts = [literal.value for literal in model.tree_.literals.values() if literal.value]
    rows = pd.concat(
        [X, *(X.head(20).assign(**{name: cut}) for cut in cuts for name in ("size", "age"))]
    )
    rows["garden"] = rows["garden"].astype(float).mask(np.arange(len(rows)) % 7 == 0)
    assert same.predict(rows[same.feature_names_in_]).tolist() == model.predict(rows).tolist()
    assert same.get_n_leaves() == model.n_leaves_ > 3
    assert same.get_depth() == model.depth_
    text = export_text(same, feature_names=list(same.feature_names_in_))
    assert text.count("value:") == model.n_leaves_
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure, ax = pyplot.subplots()
    drawn = plot_tree(same, ax=ax)
    assert sum("samples" in box.get_text() for box in drawn) == len(model.tree_.feature)
    pyplot.close(figure)


@pytest.mark.exports
@pytest.mark.filterwarnings("ignore")
@every_loss
def test_shap_explains_it(loss: str) -> None:
    shap = installed("shap")
    X, y, _ = houses()
    X = X[["size", "age", "garden"]].fillna({"size": 0}).astype(float)
    model = regressor(loss=loss, max_depth=3, regularization=0.005).fit(X, y)
    same = model.tree_.to_sklearn()
    explainer = shap.TreeExplainer(same)
    values = explainer.shap_values(X[same.feature_names_in_].to_numpy())
    whole = explainer.expected_value + values.sum(axis=1)
    assert whole == pytest.approx(model.predict(X), rel=1e-6)


@pytest.mark.exports
@pytest.mark.filterwarnings("ignore")
@every_loss
def test_onnx_runs_it(loss: str) -> None:
    skl2onnx, onnxruntime = installed("skl2onnx"), installed("onnxruntime")
    X, y, _ = houses()
    X = X[["size", "age", "garden"]].fillna({"size": 0}).astype(float)
    model = regressor(loss=loss, max_depth=3, regularization=0.005).fit(X, y)
    same = model.tree_.to_sklearn()
    rows = X[same.feature_names_in_].to_numpy(np.float32)
    onnx = skl2onnx.to_onnx(same, rows[:1])
    session = onnxruntime.InferenceSession(onnx.SerializeToString())
    found = session.run(None, {session.get_inputs()[0].name: rows})[0]
    assert found[:, 0] == pytest.approx(model.predict(X), rel=1e-6)  # of 32 bits
