"""Exports that return a class or an action, a probability, or the leaf."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from exported import duckdb_of, fitted, python_of, readable_in_sqlite, sqlite_of
from hostile import Frame
from hypothesis import assume, given

from splitsecond import RESPLIT, LicketySPLITClassifier, Tree
from splitsecond._solving.losses import BRIER, Costs

ACTIONS = ("approve", "reject", "refer")


def records(seed: int, n_classes: int) -> tuple[pd.DataFrame, Any]:
    """Rows with missing values of every kind of column, and classes that they tell in part."""
    rng = np.random.default_rng(seed)
    n = 300
    X = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(18, 80, n)),
            "job": pd.Series(rng.choice(["cook", "clerk"], n)).mask(rng.random(n) < 0.1),
            "flag": pd.Series(rng.random(n) < 0.5).astype(object).mask(rng.random(n) < 0.1),
        }
    ).astype({"job": object})
    told = (X["age"] > 45).astype(int) + (X["job"] == "cook")
    y = np.where(rng.random(n) < 0.25, rng.integers(0, n_classes, n), told % n_classes)
    return X, np.array(["low", "middle", "high"])[y]


def cells_of(X: pd.DataFrame) -> list[list[Any]]:
    return X.astype(object).where(X.notna(), None).to_numpy().tolist()


def tree_of(X: Any, y: Any, weights: Any = None, **parameters: Any) -> Tree:
    model = LicketySPLITClassifier(regularization=0.005, max_depth=3, **parameters)
    tree: Tree = model.fit(X, y, sample_weight=weights).tree_
    assert tree.n_leaves > 3
    return tree


def costs(*rows: tuple[Any, ...], actions: tuple[Any, ...] = ACTIONS) -> Costs:
    return Costs(tuple(tuple(map(Fraction, row)) for row in rows), actions)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_all_outputs(seed: int, n_classes: int, weighted: bool) -> None:
    X, y = records(seed, n_classes)
    weights = np.random.default_rng(seed).choice([0.0, 0.3, 2.0], len(y)) if weighted else None
    plain = tree_of(X, y, weights, class_weight={"low": 1.7} if weighted else None)
    assert plain.is_weighted == weighted
    table = [(0, 4, 1), (1, 0, 3), ("1/3", "1/3", "1/3")]
    trees = [plain, replace(plain, loss=BRIER)]
    trees.append(replace(plain, loss=costs(*(row[:n_classes] for row in table))))
    cells, names = cells_of(X), list(X.columns)
    rows = [dict(zip(names, row, strict=True)) for row in cells]
    for tree in trees:
        shares = tree.predict_proba(X)
        for i, label in enumerate(tree.classes):
            asked: Any = {"output": "probability", "of": label}
            assert [python_of(tree, **asked)(row) for row in rows] == shares[:, i].tolist()
            found = sqlite_of(tree.to_sql(**asked), names, cells)
            assert found == pytest.approx(shares[:, i], rel=1e-15)
            assert set(map(type, found)) == {float}
        leaves = tree.apply(X).tolist()
        assert [python_of(tree, output="leaf")(row) for row in rows] == leaves
        assert sqlite_of(tree.to_sql(output="leaf"), names, cells) == leaves
        said = tree.predict(X).tolist()
        assert [python_of(tree)(row) for row in rows] == said
        assert sqlite_of(tree.to_sql(), names, cells) == said
        assert tree.to_sql(output="class") == tree.to_sql()
        assert tree.to_python(output="class") == tree.to_python()
    assert set(said) <= set(ACTIONS)
    assert len(set(said)) > 1


@pytest.mark.slow
@given(fitted())
def test_any_table(problem: tuple[Any, Frame, Frame]) -> None:
    model, frame, rows = problem
    tree = model.tree_
    assume(readable_in_sqlite(tree))
    names = [column.label for column in frame.columns]
    of = tree.classes[-1]
    shares = model.predict_proba(rows.pandas())[:, -1].tolist()
    leaves = model.apply(rows.pandas()).tolist()
    given = [dict(zip(names, row, strict=True)) for row in rows.rows()]
    predict = python_of(tree, output="probability", of=of)
    assert [predict(row) for row in given] == shares
    predict = python_of(tree, output="leaf")
    assert [predict(row) for row in given] == leaves
    cells = [[float(v) if type(v) is int else v for v in row] for row in rows.rows()]
    found = sqlite_of(tree.to_sql(output="probability", of=of), names, cells)
    assert found == pytest.approx(shares, rel=1e-15)
    assert sqlite_of(tree.to_sql(output="leaf"), names, cells) == leaves


def test_the_second_class_of_two() -> None:
    X, y = records(0, 2)
    tree = tree_of(X, y)
    named = tree.to_sql(output="probability", of="middle")
    assert tree.to_sql(output="probability") == named != tree.to_sql(output="probability", of="low")
    source = tree.to_python("risk", output="probability")
    assert source == tree.to_python("risk", output="probability", of="middle")
    assert source.startswith('def risk(row=None, /, **columns):\n    """Predict the probability of')
    assert "    # The class is 'middle'.\n" in source


def test_shares_of_0_and_1_are_floats() -> None:
    """Integers would have means that some databases round."""
    X = np.array([[0], [1]] * 10)
    tree = LicketySPLITClassifier().fit(X, X[:, 0]).tree_
    expression = tree.to_sql(output="probability")
    assert sorted(sqlite_of(expression, ["x0"], [[0], [1]])) == [0.0, 1.0]
    assert "0.0e0" in expression
    assert "1.0e0" in expression
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as database:
        found = duckdb_of(expression, {"x0": "INTEGER"}, [[0], [1], [None]], database)
    assert found == [0.0, 1.0, 0.0]
    assert set(map(type, found)) == {float}


@pytest.mark.parametrize("write", [Tree.to_sql, Tree.to_python])
def test_what_cannot_be_returned(write: Any) -> None:
    two, three = tree_of(*records(0, 2)), tree_of(*records(0, 3))
    known = "'auto', 'class', 'probability', 'value', 'leaf'"
    with pytest.raises(ValueError, match=f"output='odds' must be one of {known}"):
        write(two, output="odds")
    with pytest.raises(ValueError, match="output='value', but the tree predicts classes: give out"):
        write(two, output="value")
    with pytest.raises(
        ValueError,
        match=r"needs the class that it is of: of=\.\.\.; the classes are 'high', 'low', 'middle'",
    ):
        write(three, output="probability")
    with pytest.raises(ValueError, match="of='lov' is no class of the tree: the classes are 'low'"):
        write(two, output="probability", of="lov")
    for output in ("class", "leaf"):
        with pytest.raises(ValueError, match="of='low' is the class of a probability: give output"):
            write(two, output=output, of="low")
    with pytest.raises(ValueError, match="of='refer' is no class"):
        write(replace(two, loss=costs((0, 5), (1, 0), (1, 1))), output="probability", of="refer")


@pytest.mark.parametrize("label", ['"""', "'''", "a\\", "two\nlines", "# \r x", "\u2028"])
def test_a_class_of_any_name(label: str) -> None:
    X = np.array([[0], [1]] * 10)
    tree = LicketySPLITClassifier().fit(X, np.where(X[:, 0], label, "no")).tree_
    predict = python_of(tree, output="probability", of=label)
    assert [predict(row) for row in ([0], [1])] == [0.0, 1.0]
    assert python_of(tree)([1]) == label


def test_a_class_that_is_a_number() -> None:
    X = np.array([[0], [1]] * 10)
    tree = LicketySPLITClassifier().fit(X, X[:, 0].astype(np.int8) * 7).tree_
    for of in (7, np.int64(7), 7.0):
        assert python_of(tree, output="probability", of=of)([1]) == 1.0


def test_a_lone_leaf() -> None:
    tree = LicketySPLITClassifier(max_depth=0).fit([[0], [1]] * 2, [0, 1, 1, 1]).tree_
    assert tree.to_sql(output="probability") == "0.75e0"
    assert tree.to_sql(output="leaf") == "0"
    assert python_of(tree, output="probability")([0]) == 0.75


def test_trees_of_sets() -> None:
    X, y = records(1, 2)
    cells, names = cells_of(X), list(X.columns)
    for tree in RESPLIT(regularization=0.02, max_depth=3).fit(X, y).trees_[:3]:
        found = sqlite_of(tree.to_sql(output="probability"), names, cells)
        assert found == pytest.approx(tree.predict_proba(X)[:, 1], rel=1e-15)


# Actions


def test_python_says_that_it_chooses() -> None:
    X, y = records(0, 2)
    tree = replace(tree_of(X, y), loss=costs((0, 5), (1, 0), ("1/2", "1/2")))
    assert '"""Choose an action: a tree of' in tree.to_python()
    assert '"""Return the leaf of a row: a tree of' in tree.to_python(output="leaf")


def test_actions_that_are_numbers() -> None:
    X, y = records(0, 2)
    tree = replace(tree_of(X, y), loss=costs((0, 5), (1, 0), actions=(100, -1)))
    said = tree.predict(X).tolist()
    assert set(said) == {100, -1}
    assert sqlite_of(tree.to_sql(), list(X.columns), cells_of(X)) == said


def test_scikit_learn_has_no_actions() -> None:
    X, y = records(0, 2)
    plain = tree_of(X, y)
    with pytest.raises(ValueError, match=r"says 'reject' in leaf \d+, where the majority class"):
        replace(plain, loss=costs((0, 3), (3, 0), (1, 1))).to_sklearn()
    # Classes chosen by costs may be in the minority, which scikit-learn cannot predict either.
    dear = replace(plain, loss=costs((0, 0), (100, 0), actions=("low", "middle")))
    with pytest.raises(ValueError, match=r"Use to_python\(\) or to_sql\(\), which write actions"):
        dear.to_sklearn()
    even = replace(plain, loss=costs((0, 1), (1, 0), actions=("low", "middle")))
    answers = even.answers(X)
    assert even.to_sklearn(questions=True).predict(answers).tolist() == even.predict(X).tolist()
    shares = replace(plain, loss=BRIER).to_sklearn(questions=True).predict_proba(answers)
    assert shares == pytest.approx(plain.predict_proba(X))
