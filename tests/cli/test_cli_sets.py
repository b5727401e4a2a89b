"""The commands rashomon, importance, explore and groups."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cli_files import N_ROWS, columns, result, run, write_parquet

import splitsecond
from splitsecond import load
from splitsecond._cli import output, scoring


@pytest.mark.parametrize("method", ["resplit", "treefarms"])
def test_rashomon(people: Path, tmp_path: Path, method: str) -> None:
    out = tmp_path / "set.json"
    options = ("--target", "outcome", "--max-depth", 3, "--regularization", 0.02, "--top", 2)
    args = ("rashomon", people, *options, "--method", method, "--epsilon", 0.03)
    found = result(*args, "--out", out)
    trees = load(out).trees_
    assert found["n_trees"] == trees.n_trees > 2
    assert sum(each["trees"] for each in found["histogram"]) == trees.n_trees
    assert found["usage"] == trees.feature_usage()
    assert found["best"] == [tree.to_dict() for tree in trees[:2]]
    text = run(*args).stdout
    assert f": {trees.n_trees:,} trees, {N_ROWS} rows" in text
    assert str(trees[1]) in text
    assert "trees that ask about" in text


def test_a_partial_set_says_so(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    X = {f"x{j}": random.integers(0, 2, 2000) for j in range(40)}
    path = write_parquet(tmp_path / "table.parquet", {**X, "y": random.integers(0, 2, 2000)})
    out = tmp_path / "set.json"
    options = ("--max-depth", 7, "--regularization", 0.001, "--memory-limit", "300kB")
    args = ("rashomon", path, "--target", "y", "--method", "treefarms", *options)
    done = run(*args, "--out", out)
    assert done.exit_code == 3
    partial = "partial (the best tree is not known)"
    assert partial in done.stdout.splitlines()[1]
    assert json.loads(run(*args, "--json").stdout)["partial"] is True
    assert partial in run("show", out).stdout.splitlines()[0]
    voted = run("predict", out, path, "--vote")
    assert "note: The set is partial" in voted.stderr
    assert run("explore", out, "--out", tmp_path / "set.html").exit_code == 0
    assert partial in (tmp_path / "set.html").read_text(encoding="utf-8")


CONDITIONS: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "avoid": ({"avoids": ["income", "member"]}, ["--avoid", "income", "--avoid", "member"]),
    "uses": ({"uses": ["income", "job"]}, ["--uses", "income", "--uses", "job"]),
    "question": ({"uses": 'job == "clerk"'}, ["--uses", 'job == "clerk"']),
    "root": ({"root": ["job", "income"]}, ["--root", "job", "--root", "income"]),
    "monotone": (
        {"monotone": {"age": 1, "income": -1}},
        ["--monotone", "age=+", "--monotone", "income=-"],
    ),
    "max_leaves": ({"max_leaves": 3}, ["--max-leaves", 3]),
    "min_leaf_rows": ({"min_leaf_rows": 30}, ["--min-leaf-rows", 30]),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_trees_that_meet_conditions(
    people: Path, model_set: Path, tmp_path: Path, name: str
) -> None:
    conditions, options = CONDITIONS[name]
    trees = load(model_set).trees_
    part = trees.filter(**conditions)
    assert 0 < part.n_trees < trees.n_trees
    fit = ("--target", "outcome", "--max-depth", 3, "--epsilon", 0.03, "--regularization", 0.02)
    out = tmp_path / "part.json"
    args = ("rashomon", people, *fit, *options)
    found = result(*args, "--out", out)
    assert (found["n_trees"], found["n_trees_before_filter"]) == (part.n_trees, trees.n_trees)
    assert found["objective"] == found["min_objective"] == part.min_objective
    assert found["best"] == [tree.to_dict() for tree in part[:3]]
    assert load(out).n_trees == part.n_trees
    text = run(*args).stdout
    assert text.startswith(f"RESPLIT: {part.n_trees:,} of {trees.n_trees:,} trees, {N_ROWS} rows\n")
    page = result("explore", model_set, *options)
    assert page["trees"]["objective"] == [tree.objective for tree in part[:1000]]
    assert result("explore", out)["trees"] == page["trees"]


def test_conditions_that_no_tree_meets(people: Path, model_set: Path) -> None:
    fit = ("--target", "outcome", "--max-depth", 3, "--epsilon", 0.03, "--regularization", 0.02)
    for command in (("rashomon", people, *fit), ("explore", model_set)):
        done = run(*command, "--avoid", "age", "--max-leaves", 2)
        assert (done.exit_code, done.stdout) == (1, "")
        assert "all of the conditions --avoid 'age', --max-leaves 2. Leave one out" in done.stderr
        done = run(*command, "--uses", "agee")
        assert done.exit_code == 1
        assert "'agee'" in done.stderr


def test_directions_that_cannot_be_read(model_set: Path) -> None:
    for given in ("age", "age=up", "=+"):
        done = run("explore", model_set, "--monotone", given)
        assert done.exit_code == 2
        assert f"'{given}' is no column with a direction" in " ".join(done.stderr.split())
    done = run("explore", model_set, "--monotone", "age=+", "--monotone", "age=-")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "--monotone gives the direction of 'age' twice" in done.stderr
    done = run("explore", model_set, "--monotone", "job=+")
    assert "the categories of 'job' have no order" in done.stderr
    done = run("explore", model_set, "--monotone", "age=-", "--root", "age", "--max-leaves", 1)
    assert "--root 'age', --monotone 'age=-', --max-leaves 1" in done.stderr


def test_groups(people: Path, model_set: Path, tmp_path: Path) -> None:
    trees = load(model_set).trees_
    expected = trees.groups(pa.table(columns()), max_groups=1000)
    found = result("groups", model_set, people, "--top", 1000)
    assert found["n_trees"] == found["n_trees_of_set"] == trees.n_trees
    assert (found["complete"], found["status"]) == (True, "complete")
    for group, each in zip(found["groups"], expected, strict=True):
        assert group["skeleton"] == each.skeleton
        assert group["variables"] == list(each.variables)
        assert (group["n_trees"], group["number"]) == (each.n_trees, each.number)
        assert (group["n_functions"], group["n_functions_exact"]) == (each.n_functions, True)
    text = run("groups", model_set, "--top", 2).stdout
    assert text.startswith(f"2 groups of {sum(each.n_trees for each in expected[:2]):,} of ")
    assert expected[1].skeleton in text
    assert "functions" not in text
    assert "functions" in run("groups", model_set, people).stdout
    out = tmp_path / "groups.csv"
    assert run("groups", model_set, "--uses", "job", "--out", out).exit_code == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    asking = trees.filter(uses="job").groups(max_groups=20)
    assert [int(row["n_trees"]) for row in rows] == [each.n_trees for each in asking]
    assert all("job" in row["variables"] for row in rows)
    late = run("groups", model_set, "--time-limit", 1e-9)
    assert late.exit_code == 3
    assert late.stdout.startswith("0 groups of 0 of ")


def test_best_trees_of_groups_have_their_numbers_in_the_file(model_set: Path) -> None:
    trees = load(model_set).trees_
    asking = trees.filter(uses="income").groups(max_groups=5)
    assert asking[0].number == 0
    numbers = [trees.index(each.best) for each in asking]
    assert numbers[0] > 0
    found = result("groups", model_set, "--uses", "income", "--top", 5)["groups"]
    assert [each["number"] for each in found] == numbers
    lines = run("groups", model_set, "--uses", "income", "--top", 5).stdout.splitlines()
    assert [line.split()[3] for line in lines[4:]] == list(map(str, numbers))
    tree = result("show", model_set, "--tree", numbers[0])["tree"]
    assert tree == asking[0].best.to_dict()


def test_text_that_looks_like_numbers_in_columns_of_other_trees(tmp_path: Path) -> None:
    """A file of a set alone has no model, and its best tree does not ask about all columns."""
    random = np.random.default_rng(1)
    code = random.choice(["01", "02", "03"], 90)
    flag = random.integers(0, 2, 90)
    y = np.where(random.random(90) < 0.2, 1 - flag, flag)
    table = write_parquet(tmp_path / "t.parquet", {"code": code.tolist(), "flag": flag, "y": y})
    part = tmp_path / "part.json"
    fit = ("--target", "y", "--epsilon", 0.4, "--max-depth", 2, "--keep-trivial")
    fit = (*fit, "--binarizer", "midpoint", "--method", "treefarms")
    assert run("rashomon", table, *fit, "--max-leaves", 3, "--out", part).exit_code == 0
    text = tmp_path / "t.csv"
    lines = [f"{a},{b}" for a, b in zip(code, flag, strict=True)]
    text.write_text("\n".join(["code,flag", *lines]), encoding="utf-8")
    trees = load(part)
    assert {literal.name for literal in trees[0].literals.values()} == {"flag"}
    expected = trees.groups(pa.table({"code": code, "flag": flag}))
    found = result("groups", part, text)
    assert [g["n_functions"] for g in found["groups"]] == [g.n_functions for g in expected]
    assert any("code" in group["variables"] for group in found["groups"])
    assert run("predict", part, text, "--vote").exit_code == 0


def test_a_set_is_scored_on_held_out_rows(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "set.json"
    args = ("rashomon", people, "--target", "outcome", "--max-depth", 3, "--epsilon", 0.03)
    args = (*args, "--regularization", 0.02, "--test-size", 0.25, "--seed", 4, "--top", 4)
    found = result(*args, "--out", out)
    X = columns()
    data = scoring.Data(
        pa.table({n: v for n, v in X.items() if n != "outcome"}), np.array(X["outcome"])
    )
    train, test = scoring.hold_out(data, 0.25, 4)
    model = load(out)
    assert found["rows"] == len(train)
    assert found["held_out"]["rows"] == len(test)
    expected = json.loads(
        output.to_json(scoring.scores(model, test, scoring.majority_class(train)))
    )
    assert {name: found["held_out"][name] for name in expected} == expected
    accuracies = [np.mean(tree.predict(test.X) == test.y) for tree in model.trees_[:4]]
    assert found["held_out"]["accuracies"] == accuracies
    text = run(*args).stdout
    assert f"leaves, held-out accuracy {accuracies[1]:.3f}\n" in text
    assert "the best tree on 60 held-out rows: accuracy" in text


def test_importance(people: Path, tmp_path: Path) -> None:
    options = ("--max-depth", 3, "--regularization", 0.02, "--bootstraps", 2, "--seed", 1)
    args = ("importance", people, "--target", "outcome", *options)
    found = result(*args)
    means = [each["mean"] for each in found["variables"]]
    assert means == sorted(means, reverse=True)
    assert {each["variable"] for each in found["variables"][:2]} == {"age", "job"}
    assert len(found["n_trees"]) == 2
    out = tmp_path / "importance.csv"
    assert run(*args, "--out", out).exit_code == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    assert [float(row["mean"]) for row in rows] == means
    shown = run(*args).stdout
    assert shown.startswith("2 bootstraps with ")
    assert shown.splitlines()[0].endswith("; reliance, subtractive, exact for these bootstraps")
    assert " error " not in shown
    unused = [each["variable"] for each in found["variables"] if not each["usage"]]
    assert {"same", "nothing"} <= set(unused)
    assert shown.splitlines()[-1] == f"not used by any tree: {', '.join(unused)}"
    assert not any(line.startswith("same ") for line in shown.splitlines())
    drawn = run(*args, "--max-trees", 1).stdout
    assert " error " in drawn
    assert "not used by any tree drawn: " in drawn
    assert "exact" not in drawn


def test_importance_of_parts_of_sets_is_not_exact(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(self: Any, *args: Any) -> Any:
        samples = gather(self, *args)
        self.status_ = "time_limit"  # which stands for parts of sets, too
        return samples

    gather = splitsecond.RashomonImportance._gather
    monkeypatch.setattr(splitsecond.RashomonImportance, "_gather", late)
    args = ("--target", "outcome", "--max-depth", 2, "--bootstraps", 1)
    done = run("importance", people, *args)
    assert done.exit_code == 3
    assert done.stdout.splitlines()[0].endswith("; reliance, subtractive")


def test_importance_of_nothing(people: Path) -> None:
    shown = run("importance", people, "--target", "outcome", "--regularization", 0.9).stdout
    assert shown.splitlines()[0].startswith("10 bootstraps with 1, 1, ")
    assert shown.splitlines()[-1].startswith("not used by any tree: age, income, job")
    assert "mean" not in shown
