"""The command evaluate, and held-out ranges of rashomon."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cli_files import columns, result, run, write_csv

from splitsecond import TreeSet, load
from splitsecond._cli import scoring

FIT = ("--target", "outcome", "--max-depth", 3, "--epsilon", 0.03, "--regularization", 0.02)
COSTS = {"yes": {"yes": 0, "no": 5}, "no": {"yes": 1, "no": 0}}


def expected(model_set: Path, **options: Any) -> Any:
    """The evaluation that the command is to print."""
    table = pa.table(columns())
    y = np.array(table["outcome"].to_pylist())
    trees = load(model_set).trees_
    return trees, trees.evaluate(table, y, **options)


def test_evaluate(people: Path, model_set: Path, tmp_path: Path) -> None:
    args = ("evaluate", model_set, people, "--target", "outcome", "--group", "job")
    found = result(*args)
    trees, evaluation = expected(model_set, groups={"job": columns()["job"]})
    assert (found["n_trees"], found["rows"], found["partial"]) == (trees.n_trees, 240, False)
    assert [each["criterion"] for each in found["criteria"]] == list(evaluation.criteria)
    frame = evaluation.to_frame(list(trees))
    for each in found["criteria"]:
        known = evaluation.range(each["criterion"])
        assert each["minimum"] == known.minimum
        assert each["maximum"] == known.maximum
        assert each["kind"] == known.kind
        values = frame[each["criterion"]]
        assert each["tree_0"] == pytest.approx(values[0])
        assert values[each["minimum_tree"]] == pytest.approx(known.minimum)
        assert values[each["maximum_tree"]] == pytest.approx(known.maximum)
    chosen = (*args, "--criterion", "error", "--criterion", "roc_auc")
    text = run(*chosen).stdout
    assert text.startswith(f"{trees!r}\non 240 rows\n")
    assert f"among the {trees.n_trees} trees looked at" in text
    assert "error[job=" not in text
    out = tmp_path / "criteria.csv"
    assert run(*chosen, "--out", out).exit_code == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    assert [row["criterion"] for row in rows] == ["error", "roc_auc"]
    assert float(rows[0]["minimum"]) == evaluation.range("error").minimum


def test_costs_weights_and_the_positive_class(people: Path, model_set: Path) -> None:
    args = ("evaluate", model_set, people, "--target", "outcome", "--costs", json.dumps(COSTS))
    found = result(*args, "--weight", "age", "--positive", "no", "--criterion", "cost")
    _, evaluation = expected(model_set, costs=COSTS, sample_weight=columns()["age"], positive="no")
    assert found["criteria"][0]["maximum"] == evaluation.range("cost").maximum
    rate = "false_negative_rate"
    found = result(*args, "--positive", "no", "--criterion", rate)
    other = result(*args, "--criterion", "false_positive_rate")
    assert found["criteria"][0]["mean"] == other["criteria"][0]["mean"]


def test_rows_of_one_class_and_others_than_those_of_training(
    model_set: Path, tmp_path: Path
) -> None:
    table = {name: values[:5] for name, values in columns().items()}
    path = write_csv(tmp_path / "few.csv", {**table, "outcome": ["yes"] * 5})
    args = ("evaluate", model_set, path, "--target", "outcome")
    found = {each["criterion"]: each for each in result(*args)["criteria"]}
    assert found["false_positive_rate"]["kind"] == "undefined"
    assert found["false_positive_rate"]["minimum"] is None
    assert found["error"]["kind"] == "exact"
    path = write_csv(tmp_path / "other.csv", {**table, "outcome": ["maybe"] * 5})
    done = run("evaluate", model_set, path, "--target", "outcome")
    assert done.exit_code == 1
    assert "y has the label 'maybe'" in done.stderr


GAP = "selection_rate[job=clerk - rest]"


def test_trees_that_meet_bounds(people: Path, model_set: Path, tmp_path: Path) -> None:
    out = tmp_path / "kept.json"
    args = ("evaluate", model_set, people, "--target", "outcome", "--group", "job")
    trees, evaluation = expected(model_set, groups={"job": columns()["job"]})
    values = evaluation.to_frame(list(trees))
    error, gap = float(values["error"].median()), float(values[GAP].median())
    options = ("--at-most", f"error={error!r}", "--at-least", f"{GAP}={gap!r}", "--max-leaves", 5)
    found = result(*args, *options, "--out-set", out)
    meets = (values["error"] <= error) & (values[GAP] >= gap) & (values["n_leaves"] <= 5)
    assert 0 < meets.sum() < trees.n_trees
    assert (found["n_trees"], found["n_trees_before_filter"]) == (meets.sum(), trees.n_trees)
    kept = load(out)
    assert [trees.index(tree) for tree in kept] == values.index[meets].tolist()
    assert "found" not in found
    for each in found["criteria"]:  # numbers are those of the file
        assert each["tree_0"] == pytest.approx(values[each["criterion"]][meets].iloc[0])
        tree = values.loc[each["minimum_tree"]]
        assert meets[each["minimum_tree"]]
        assert tree[each["criterion"]] == pytest.approx(each["minimum"])
    done = run(*args, *options, "--out-set", out)
    assert f"{out} exists already: give --force" in done.stderr
    both = ("--at-least", f"error={error!r}", "--at-most", f"error={error!r}")
    assert result(*args, *both)["n_trees"] == (values["error"] == error).sum()


def test_bounds_of_what_is_not_additive(people: Path, model_set: Path, tmp_path: Path) -> None:
    args = ("evaluate", model_set, people, "--target", "outcome", "--criterion", "error")
    trees, evaluation = expected(model_set)
    values = evaluation.to_frame(list(trees))
    f1, area = float(values["f1"].quantile(0.7)), float(values["roc_auc"].median())
    conditions = ("--at-least", f"f1={f1!r}", "--at-least", f"roc_auc={area!r}")
    meets = (values["f1"] >= f1) & (values["roc_auc"] >= area)
    assert 0 < meets.sum() < trees.n_trees
    found = result(*args, *conditions)
    assert [each["tree"] for each in found["found"]] == values.index[meets].tolist()
    assert found["found"][0]["f1"] == pytest.approx(values["f1"][meets].iloc[0])
    assert found["n_trees"] == trees.n_trees  # of which these are some
    text = run(*args, *conditions).stdout
    assert f"{meets.sum()} of the trees looked at have f1 at least {f1:.15g} and roc_auc" in text
    done = run(*args, *conditions, "--out-set", tmp_path / "kept.json")
    assert done.exit_code == 1
    assert "there is no set for --out-set" in done.stderr
    late = run(*args, "--at-most", "error=0.5", "--time-limit", 1e-9)  # too short to count them
    assert late.exit_code == 3
    assert "of the trees looked at have error at most 0.5" in late.stdout


def test_conditions_of_a_set_in_a_file(people: Path, model_set: Path) -> None:
    trees = load(model_set).trees_
    part = trees.filter(max_depth=2, root="age")
    assert 0 < part.n_trees < trees.n_trees
    options = ("--max-depth", 2, "--root", "age")
    data = (people, "--target", "outcome", "--criterion", "error")
    assert result("evaluate", model_set, *data, *options)["n_trees"] == part.n_trees
    assert result("choose", model_set, *options)["n_trees"] == part.n_trees
    assert result("groups", model_set, *options)["n_trees_of_set"] == part.n_trees
    assert len(result("explore", model_set, *options)["trees"]["objective"]) == part.n_trees
    done = run("choose", model_set, "--max-depth", 0)
    assert "all of the conditions --max-depth 0" in done.stderr


WRONG = {
    "group": (("--group", "jobs"), "has no column 'jobs'. Did you mean 'job'?"),
    "positive": (("--positive", "maybe"), "--positive names the class 'maybe'"),
    "criterion": (("--criterion", "eror"), "There is no criterion 'eror'"),
    "costs": (("--costs", '{"yes": {"yes": 1, "no": 2}}'), "costs has no action 'no'"),
    "no tree": (("--at-most", "error=0"), "No tree has error at most 0: on these rows, it is 0."),
    "twice": (("--at-most", "error=1", "--at-most", "error=2"), "a bound for 'error' twice"),
    "bound": (("--at-most", "eror=1"), "There is no criterion 'eror'"),
    "set": (("--out-set", "no/such/set.json"), "--out-set no/such/set.json: there is no folder"),
    "weight": (("--weight", "job"), "The weights 'job' are not numbers"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_options(people: Path, model_set: Path, kind: str) -> None:
    options, text = WRONG[kind]
    done = run("evaluate", model_set, people, "--target", "outcome", *options)
    assert (done.exit_code, done.stdout) == (1, "")
    assert text in done.stderr


def test_bounds_that_cannot_be_read(people: Path, model_set: Path) -> None:
    for given in ("error", "error=low", "=1", "error=nan"):
        done = run("evaluate", model_set, people, "--target", "outcome", "--at-least", given)
        assert done.exit_code == 2
        said = " ".join(done.stderr.split())
        assert f"'{given}' is no criterion with a number" in said
        assert "--at-least" in said


def test_a_single_tree_is_no_set(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    assert run("fit", people, "--target", "outcome", "--out", out).exit_code == 0
    done = run("evaluate", out, people, "--target", "outcome")
    assert done.exit_code == 1
    assert "evaluate needs a set of trees" in done.stderr


def test_bounds_have_an_exit_code(people: Path, model_set: Path) -> None:
    args = ("evaluate", model_set, people, "--target", "outcome", "--criterion", "error")
    done = run(*args, "--time-limit", 1e-9, "--max-trees", 2)
    assert done.exit_code == 3
    assert "bounds; " in done.stdout
    assert "note: Stopped at a limit" in done.stderr


def test_all_trees_looked_at_are_no_bounds(people: Path, model_set: Path) -> None:
    args = ("evaluate", model_set, people, "--target", "outcome", "--criterion", "error")
    done = run(*args, "--time-limit", 1e-9)
    assert (done.exit_code, done.stderr) == (0, "")
    found, known = (result(*args, *limit) for limit in (("--time-limit", 1e-9), ()))
    assert found["criteria"][0] == pytest.approx(known["criteria"][0])


def test_held_out_ranges_of_a_set(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "set.json"
    args = ("rashomon", people, *FIT, "--test-size", 0.25, "--seed", 4)
    found = result(*args, "--out", out)["held_out"]["criteria"]
    assert [each["criterion"] for each in found] == ["error", "brier_score", "log_loss"]
    table = columns()
    data = scoring.Data(
        pa.table({name: values for name, values in table.items() if name != "outcome"}),
        np.array(table["outcome"]),
    )
    _, test = scoring.hold_out(data, 0.25, 4)
    evaluation = load(out).trees_.evaluate(test.X, test.y)
    for each in found:
        known = evaluation.range(each["criterion"])
        assert (each["minimum"], each["maximum"]) == (known.minimum, known.maximum)
    text = run(*args).stdout
    assert "all trees on 60 held-out rows:" in text
    given = []
    evaluate = TreeSet.evaluate

    def noting(self: Any, *data: Any, **options: Any) -> Any:
        given.append(options["time_limit"])
        return evaluate(self, *data, **options)

    monkeypatch.setattr(TreeSet, "evaluate", noting)
    assert run(*args, "--time-limit", 60).exit_code == 0
    assert given == [15]  # for each of at most four losses
