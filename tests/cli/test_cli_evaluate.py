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

from splitsecond import load
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


WRONG = {
    "group": (("--group", "jobs"), "has no column 'jobs'. Did you mean 'job'?"),
    "positive": (("--positive", "maybe"), "--positive names the class 'maybe'"),
    "criterion": (("--criterion", "eror"), "There is no criterion 'eror'"),
    "costs": (("--costs", '{"yes": {"yes": 1, "no": 2}}'), "costs has no action 'no'"),
    "weight": (("--weight", "job"), "The weights 'job' are not numbers"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_options(people: Path, model_set: Path, kind: str) -> None:
    options, text = WRONG[kind]
    done = run("evaluate", model_set, people, "--target", "outcome", *options)
    assert (done.exit_code, done.stdout) == (1, "")
    assert text in done.stderr


def test_a_single_tree_is_no_set(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    assert run("fit", people, "--target", "outcome", "--out", out).exit_code == 0
    done = run("evaluate", out, people, "--target", "outcome")
    assert done.exit_code == 1
    assert "evaluate needs a set of trees" in done.stderr


def test_bounds_have_an_exit_code(people: Path, model_set: Path) -> None:
    args = ("evaluate", model_set, people, "--target", "outcome", "--criterion", "error")
    done = run(*args, "--time-limit", 1e-9)
    assert done.exit_code == 3
    assert "bounds; " in done.stdout
    assert "note: Stopped at a limit" in done.stderr


def test_held_out_ranges_of_a_set(people: Path, tmp_path: Path) -> None:
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
