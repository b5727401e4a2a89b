"""The commands show, predict and export."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cli_files import columns, result, run, write_csv

import splitsecond
from splitsecond import load
from splitsecond._cli.exports import sklearn_source


def test_show(people_model: Path, model_set: Path) -> None:
    assert run("show", people_model).stdout == f"{load(people_model)}\n"
    assert result("show", people_model)["tree"] == load(people_model).tree_.to_dict()
    rules = run("show", people_model, "--rules").stdout.splitlines()
    assert len(rules) == load(people_model).n_leaves_
    assert rules[0].startswith("age <= ")
    assert len(result("show", people_model, "--rules")["rules"]) == len(rules)
    trees = load(model_set).trees_
    assert str(trees[1]) in run("show", model_set, "--tree", 1).stdout
    assert result("show", model_set)["n_trees"] == trees.n_trees


def test_rules_of_a_weighted_model(tmp_path: Path) -> None:
    X = pd.DataFrame({"flag": [0, 1] * 20})
    y = ["no"] * 30 + ["yes"] * 10
    model = splitsecond.LicketySPLITClassifier(class_weight={"yes": 9}, max_depth=0).fit(X, y)
    splitsecond.save(model, tmp_path / "model.json")
    said = run("show", tmp_path / "model.json", "--rules").stdout
    assert said == "always -> yes  (40 rows, 25%, weighted share 75%)\n"


def test_show_a_part_of_a_set(model_set: Path, tmp_path: Path) -> None:
    part = load(model_set).trees_.filter(uses="income")
    splitsecond.save(part, tmp_path / "part.json")
    found = result("show", tmp_path / "part.json")
    assert found["n_trees"] == part.n_trees
    assert found["objective"] == part.min_objective
    assert found["tree"] == part[0].to_dict()


def test_predict_writes_csv(people_model: Path, people: Path, tmp_path: Path) -> None:
    text = run("predict", people_model, people, "--proba", "--keep", "age").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    X = columns()
    loaded = load(people_model)
    assert [row["prediction"] for row in rows] == loaded.predict(pa.table(X)).tolist()
    assert [int(row["age"]) for row in rows] == X["age"]
    shares = loaded.predict_proba(pa.table(X))
    assert [float(row["p(yes)"]) for row in rows] == shares[:, 1].tolist()
    out = tmp_path / "out.csv"
    done = run("predict", people_model, people, "--proba", "--keep", "age", "--out", out)
    assert (done.stdout, out.read_text(encoding="utf-8")) == ("", text)
    as_json = result("predict", people_model, people)
    assert [row["prediction"] for row in as_json] == [row["prediction"] for row in rows]


def test_predict_by_vote(model_set: Path, people: Path) -> None:
    found = result("predict", model_set, people, "--vote")
    shares = load(model_set).trees_.vote(pa.table(columns()))
    assert [row["vote(no)"] for row in found] == shares[:, 0].tolist()


def test_predict_with_a_tree_of_a_set(model_set: Path, people: Path) -> None:
    trees = load(model_set).trees_
    table = pa.table(columns())
    predictions = [tree.predict(table).tolist() for tree in trees]
    number = next(i for i, each in enumerate(predictions) if each != predictions[0])
    found = result("predict", model_set, people, "--tree", number, "--proba", "--vote")
    assert [row["prediction"] for row in found] == predictions[number]
    shares = trees[number].shares()[trees[number].apply(table)]
    assert [row["p(yes)"] for row in found] == shares[:, 1].tolist()
    votes = trees.vote(table)
    assert [row["vote(no)"] for row in found] == votes[:, 0].tolist()
    done = run("predict", model_set, people, "--tree", 10**6)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "There is no tree 1000000" in done.stderr


def test_predict_reads_text_as_training_did(tmp_path: Path) -> None:
    train = {"code": ["07", "x", "8"] * 10, "y": ["a", "b", "b"] * 10}
    path, out = write_csv(tmp_path / "train.csv", train), tmp_path / "model.json"
    assert run("fit", path, "--target", "y", "--out", out).exit_code == 0
    new = write_csv(tmp_path / "new.csv", {"code": ["07", "8", None], "more": [1, 2, 3]})
    assert run("predict", out, new).stdout == "prediction\na\nb\nb\n"
    blank = write_csv(tmp_path / "blank.csv", {"code": [None, None], "more": [1, 2]})
    assert run("predict", out, blank).stdout == "prediction\nb\nb\n"


@pytest.mark.parametrize("to", ["json", "text", "dot", "svg", "sql", "python", "sklearn"])
def test_export(people_model: Path, tmp_path: Path, to: str) -> None:
    tree = load(people_model).tree_
    if to == "json":
        expected = tree.to_json(indent=1)
    elif to == "sklearn":
        expected = sklearn_source(tree)
    else:
        expected = getattr(tree, f"to_{to}")()
    assert run("export", people_model, "--to", to).stdout == expected.removesuffix("\n") + "\n"
    assert result("export", people_model, "--to", to) == {"format": to, "content": expected}
    out = tmp_path / "out"
    assert run("export", people_model, "--to", to, "--out", out).stdout == ""
    assert out.read_text(encoding="utf-8") == expected


def test_export_a_picture(people_model: Path, tmp_path: Path) -> None:
    out = tmp_path / "tree.png"
    assert run("export", people_model, "--to", "png", "--out", out).exit_code == 0
    assert out.read_bytes().startswith(b"\x89PNG")
    for more in ((), ("--json",)):
        done = run("export", people_model, "--to", "png", *more)
        assert done.exit_code == 1
        assert "--out" in done.stderr


def test_export_a_tree_of_a_set(model_set: Path) -> None:
    tree = load(model_set).trees_[2]
    assert run("export", model_set, "--to", "sql", "--tree", 2).stdout == f"{tree.to_sql()}\n"


@pytest.mark.parametrize("words", [True, False])
def test_the_exported_classifier_predicts_the_same(words: bool) -> None:
    """It needs scikit-learn alone, and reads columns, or answers where a question needs words."""
    X = {name: values for name, values in columns().items() if words or name != "job"}
    y = np.array(X.pop("outcome"))
    table = pa.table(X)
    tree = splitsecond.LicketySPLITClassifier(regularization=0.005).fit(table, y).tree_
    source = sklearn_source(tree)
    assert "splitsecond" not in source
    scope: dict[str, Any] = {}
    exec(source, scope)
    rebuilt = scope["model"]
    if words:
        inputs = tree.answers(table)
        assert 'job == "cook"' in source
    else:
        cells = [[np.nan if v is None else v for v in X[n]] for n in rebuilt.feature_names_in_]
        inputs = pd.DataFrame(dict(zip(rebuilt.feature_names_in_, cells, strict=True)))
    assert rebuilt.predict(inputs).tolist() == tree.predict(table).tolist()
    assert rebuilt.get_n_leaves() == tree.n_leaves


def test_names_stay_within_the_comments_of_exported_source() -> None:
    name = "a\nraise SystemExit #"
    X = pa.table({name: ["x", "y"] * 5})
    tree = splitsecond.LicketySPLITClassifier().fit(X, ["p", "q"] * 5).tree_
    scope: dict[str, Any] = {}
    exec(sklearn_source(tree), scope)
    assert scope["model"].get_n_leaves() == 2
