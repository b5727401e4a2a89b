"""The command choose, and what reads the model that it writes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from cli_files import columns, result, run

import splitsecond
from splitsecond import Tree, load


@pytest.fixture(scope="module")
def chosen(model_set: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("chosen") / "model.json"
    done = run("choose", model_set, "--tree", 3, "--out", path)
    assert done.exit_code == 0, done.stderr
    return path


def test_choose(model_set: Path, chosen: Path, tmp_path: Path) -> None:
    trees = load(model_set).trees_
    tree = load(chosen)
    assert isinstance(tree, Tree)
    assert tree == trees[3]
    done = run("choose", model_set, "--tree", 3, "--out", tmp_path / "model.json")
    assert done.stdout.startswith(f"tree 3 of {trees!r}\n{tree.n_leaves} leaves, depth ")
    assert done.stdout.endswith(f"{tree}\n")
    assert done.stderr == f"splitsecond: wrote {tmp_path / 'model.json'}\n"
    found = result("choose", model_set, "--tree", 3)
    assert found["tree_number"] == 3
    assert found["n_trees"] == found["n_trees_before_filter"] == trees.n_trees
    assert found["tree"] == tree.to_dict()
    assert found["objective"] == tree.objective
    assert result("choose", model_set)["tree"] == trees[0].to_dict()  # the best


def test_choose_among_trees_that_meet_conditions(model_set: Path, tmp_path: Path) -> None:
    trees = load(model_set).trees_
    some = trees.filter(uses="income")
    assert 1 < some.n_trees < trees.n_trees
    path = tmp_path / "model.json"
    found = result("choose", model_set, "--uses", "income", "--tree", 1, "--out", path)
    assert load(path) == some[1]
    assert found["n_trees"] == some.n_trees
    assert found["n_trees_before_filter"] == trees.n_trees
    done = run("choose", model_set, "--uses", "income", "--max-leaves", 1)
    assert done.exit_code == 1
    assert "meets all of the conditions --uses 'income', --max-leaves 1" in done.stderr


def test_a_part_of_a_set(model_set: Path, tmp_path: Path) -> None:
    part = load(model_set).trees_.filter(uses="income")
    splitsecond.save(part, tmp_path / "part.json")
    assert result("choose", tmp_path / "part.json", "--tree", 1)["tree"] == part[1].to_dict()


def test_show_a_chosen_tree(chosen: Path, model_set: Path) -> None:
    tree = load(chosen)
    shown = run("show", chosen).stdout
    assert shown.startswith(f"{tree.n_leaves} leaves, depth {tree.depth}, 240 rows\ntraining accu")
    assert shown.endswith(f"\n{tree}\n")
    found = result("show", chosen)
    assert found["tree"] == tree.to_dict()
    assert found["leaves"] == tree.n_leaves
    assert "n_trees" not in found
    rules = run("show", chosen, "--rules").stdout
    assert rules == run("show", model_set, "--tree", 3, "--rules").stdout


def test_predict_with_a_chosen_tree(chosen: Path, model_set: Path, people: Path) -> None:
    tree, X = load(chosen), pa.table(columns())
    said = run("predict", chosen, people, "--proba", "--leaf").stdout
    rows = list(csv.DictReader(io.StringIO(said)))
    assert [row["prediction"] for row in rows] == tree.predict(X).tolist()
    assert [float(row["p(yes)"]) for row in rows] == tree.predict_proba(X)[:, 1].tolist()
    assert [int(row["leaf"]) for row in rows] == tree.apply(X).tolist()
    assert said == run("predict", model_set, people, "--tree", 3, "--proba", "--leaf").stdout


def test_predict_with_each_tree_of_a_set(model_set: Path, people: Path) -> None:
    trees, X = load(model_set).trees_, pa.table(columns())
    for number in (0, 1, trees.n_trees - 1):
        rows = result("predict", model_set, people, "--tree", number)
        assert [row["prediction"] for row in rows] == trees[number].predict(X).tolist()


@pytest.mark.parametrize("form", ["json", "text", "dot", "svg", "sql", "python"])
def test_export_a_chosen_tree(chosen: Path, model_set: Path, form: str) -> None:
    written = run("export", chosen, "--to", form)
    assert written.exit_code == 0
    assert written.stdout == run("export", model_set, "--tree", 3, "--to", form).stdout


def test_a_classifier_made_of_a_tree(chosen: Path, people: Path, tmp_path: Path) -> None:
    path = tmp_path / "fixed.json"
    splitsecond.save(load(chosen).to_classifier(), path)
    for command in (("show",), ("export", "--to", "sql"), ("predict", people)):
        name, *rest = command
        assert run(name, path, *rest).stdout == run(name, chosen, *rest).stdout


def test_text_that_looks_like_numbers(tmp_path: Path) -> None:
    """Columns that were text in training are read as text, as for other models."""
    X = {"code": ["007", "07", "7"] * 20, "kind": ["a", "b", "b"] * 20}
    trees = splitsecond.TreeFARMS(max_depth=1).fit(pa.table({"code": X["code"]}), X["kind"]).trees_
    splitsecond.save(trees[0], tmp_path / "tree.json")
    (tmp_path / "new.csv").write_text("code\n007\n7\n", encoding="utf-8")
    found = result("predict", tmp_path / "tree.json", tmp_path / "new.csv")
    assert [row["prediction"] for row in found] == ["a", "b"]


REFUSALS: list[tuple[tuple[Any, ...], str]] = [
    (("choose", "SET", "--tree", "100000000"), "There is no tree 100000000: the set holds "),
    (
        ("predict", "SET", "PEOPLE", "--tree", "100000000"),
        "--tree counts them from 0, the best, to",
    ),
    (("choose", "TREE"), "choose needs a set of trees, as rashomon --out writes it; "),
    (("show", "TREE", "--tree", "2"), "holds a single tree (Tree), for show, predict and export."),
    (("explore", "TREE"), "explore needs a set of trees"),
    (("choose", "MODEL"), "holds a single tree (LicketySPLITClassifier), for show, predict and"),
    (("choose", "PEOPLE"), "It looks like a table"),
    (("choose", "SET", "--out", "SET"), "is the file that is read: name another."),
    (("choose", "SET", "--out", "TREE"), "exists already: give --force to replace it."),
]


@pytest.mark.parametrize(("words", "message"), REFUSALS, ids=lambda each: str(each)[:60])
def test_refusals(
    words: tuple[Any, ...],
    message: str,
    model_set: Path,
    chosen: Path,
    people: Path,
    people_model: Path,
) -> None:
    files = {"SET": model_set, "TREE": chosen, "PEOPLE": people, "MODEL": people_model}
    before = chosen.read_bytes()
    done = run(*(files.get(word, word) for word in words))
    assert done.exit_code == 1
    assert message in done.stderr
    assert chosen.read_bytes() == before


def test_how_many_trees_there_are_is_said(model_set: Path) -> None:
    n_trees = load(model_set).trees_.n_trees
    done = run("choose", model_set, "--tree", n_trees)
    assert done.stderr == (
        f"splitsecond: error: There is no tree {n_trees}: the set holds {n_trees}. --tree counts "
        f"them from 0, the best, to {n_trees - 1}.\n"
    )
    assert json.loads(run("choose", model_set, "--tree", n_trees - 1, "--json").stdout)
