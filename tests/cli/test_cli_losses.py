"""Losses, costs and scorers on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cli_files import N_ROWS, columns, result, run, write_csv
from sklearn import metrics

import splitsecond
from splitsecond import load
from splitsecond._cli import scoring

COSTS = {
    "approve": {"no": 5, "yes": 0},
    "reject": {"no": 0, "yes": 1},
    "refer": {"no": 0.25, "yes": 0.25},
}
TARGET = ("--target", "outcome")


def table() -> tuple[pa.Table, Any]:
    X = columns()
    y = np.array(X.pop("outcome"))
    return pa.table(X), y


@pytest.fixture
def costs_file(tmp_path: Path) -> Path:
    path = tmp_path / "costs.json"
    path.write_text(json.dumps(COSTS), encoding="utf-8")
    return path


@pytest.mark.parametrize("loss", ["zero_one", "log_loss", "brier"])
@pytest.mark.parametrize("algorithm", ["lickety", "split", "optimal", "greedy"])
def test_every_loss_and_algorithm(people: Path, loss: str, algorithm: str) -> None:
    options = ("--loss", loss, "--min-samples-leaf", 15, "--algorithm", algorithm)
    found = result("fit", people, *TARGET, "--max-depth", 3, *options)
    assert found["loss"] == found["parameters"]["loss"] == loss
    assert found["parameters"]["min_samples_leaf"] == 15
    estimators = {
        "lickety": splitsecond.LicketySPLITClassifier,
        "split": splitsecond.SPLITClassifier,
        "optimal": splitsecond.OptimalTreeClassifier,
        "greedy": splitsecond.GreedyTreeClassifier,
    }
    expected = estimators[algorithm](max_depth=3, loss=loss, min_samples_leaf=15)
    assert found["tree"] == expected.fit(*table()).tree_.to_dict()


def test_a_share_of_the_rows(people: Path) -> None:
    found = result("fit", people, *TARGET, "--loss", "brier", "--min-samples-leaf", 0.2)
    assert found["parameters"]["min_samples_leaf"] == 0.2

    def leaves(node: dict[str, Any]) -> list[int]:
        if "question" not in node:
            return [node["rows"]]
        return leaves(node["yes"]) + leaves(node["no"])

    assert min(leaves(found["tree"]["root"])) >= 0.2 * N_ROWS


def test_lookahead_of_lickety(people: Path) -> None:
    found = result("fit", people, *TARGET, "--lookahead-depth", 2)
    assert found["parameters"]["lookahead_depth"] == 2


@pytest.mark.parametrize("inline", [True, False])
def test_costs(people: Path, costs_file: Path, tmp_path: Path, inline: bool) -> None:
    given = json.dumps(COSTS) if inline else costs_file
    out = tmp_path / "model.json"
    args = ("fit", people, *TARGET, "--costs", given, "--test-size", 0.25, "--cv", 3)
    found = result(*args, "--out", out)
    assert found["loss"] == "costs"
    assert found["tree"]["actions"] == list(COSTS)
    model = load(out)
    leaves = model.n_leaves_ * model.regularization
    assert found["training_loss"] == pytest.approx(found["objective"] - leaves)
    X, y = table()
    held_out = scoring.hold_out(scoring.Data(X, y), 0.25, 0)[1]
    cost = model.expected_cost(held_out.X, held_out.y)
    assert found["held_out"]["expected_cost"] == pytest.approx(cost)
    assert found["held_out"]["baseline_cost"] == pytest.approx(0.25)
    assert "accuracy" not in found["held_out"]
    confusion = found["held_out"]["confusion"]
    assert confusion["actions"] == list(COSTS)
    assert confusion["classes"] == ["no", "yes"]
    assert np.sum(confusion["matrix"]) == N_ROWS / 4
    folds = found["cross_validation"]
    assert folds["expected_cost"] == pytest.approx(np.mean(folds["expected_costs"]))
    text = run(*args).stdout
    assert f"on 60 held-out rows: expected cost {cost:.3f} (always the same action: 0.250)" in text
    assert "standard deviation of the expected cost" in text
    assert "true class   action approve   action reject   action refer" in text
    assert "accuracy" not in text.split("held-out rows")[1]


def test_costs_whose_actions_are_the_classes(people: Path) -> None:
    costs = {"yes": {"no": 3, "yes": 0}, "no": {"no": 0, "yes": 1}}
    found = result("fit", people, *TARGET, "--costs", json.dumps(costs), "--test-size", 0.25)[
        "held_out"
    ]
    (a, b), (c, d) = found["confusion"]["matrix"]
    assert found["confusion"]["actions"] == ["yes", "no"]
    assert found["accuracy"] == pytest.approx((b + c) / 60)
    assert found["expected_cost"] == pytest.approx((3 * a + d) / 60)


def test_costs_of_classes_that_are_numbers(tmp_path: Path) -> None:
    x = list(range(40))
    y = [int(value >= 20) for value in x]
    file = write_csv(tmp_path / "table.csv", {"x": x, "y": y})
    costs = {"1": {"0": 1, "1": 0}, "0": {"0.0": 0, "1": 2}, "ask": {"0": 0.9, "1": 0.9}}
    out = tmp_path / "model.json"
    found = result("fit", file, "--target", "y", "--costs", json.dumps(costs), "--out", out)
    assert found["tree"]["actions"] == [1, 0, "ask"]
    assert run("predict", out, file).stdout.split() == ["prediction", *map(str, y)]


def test_costs_for_sets_and_paths(people: Path, costs_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "set.json"
    options = (*TARGET, "--costs", costs_file, "--max-depth", 3)
    args = ("rashomon", people, *options, "--epsilon", 0.02, "--test-size", 0.25)
    found = result(*args, "--out", out)
    best = found["held_out"]
    assert best["expected_costs"][0] == pytest.approx(best["expected_cost"])
    assert f"held-out cost {best['expected_cost']:.3f}" in run(*args).stdout
    rows = result("predict", out, people, "--vote", "--proba", "--leaf")
    names = [*(f"vote({action})" for action in COSTS), "p(no)", "p(yes)", "leaf", "prediction"]
    assert set(rows[0]) == set(names)
    tree = load(out).tree_
    X, _ = table()
    assert [row["leaf"] for row in rows] == tree.apply(X).tolist()
    assert [row["prediction"] for row in rows] == tree.predict(X).tolist()
    some = ("--max-leaves", 20, "--out", tmp_path / "some.json")
    best = result("rashomon", people, *options, *some)
    text = run("show", tmp_path / "some.json").stdout
    assert f"training mean cost {best['training_loss']:.4g} · objective" in text
    path = result("path", people, *options)
    assert path["path"][-1]["loss"] == pytest.approx(0.25)
    assert path["path"][-1]["cv_loss"] == pytest.approx(0.25)
    assert "cv cost (s.e.)" in run("path", people, *options).stdout
    done = run("importance", people, *options, "--bootstraps", 1)
    assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize("loss", ["log_loss", "brier"])
def test_probabilities_for_sets(people: Path, loss: str) -> None:
    options = (*TARGET, "--loss", loss, "--max-depth", 2, "--min-samples-leaf", 10)
    found = result("rashomon", people, *options, "--regularization", 0.05, "--epsilon", 0.1)
    assert found["loss"] == loss
    assert found["n_trees"] >= 1
    done = run("importance", people, *options, "--regularization", 0.05, "--bootstraps", 1)
    assert done.exit_code == 0, done.stderr


def test_a_class_with_costs_that_a_fold_lacks(tmp_path: Path) -> None:
    y = ["rare"] + ["a", "b"] * 20
    file = write_csv(tmp_path / "table.csv", {"x": range(41), "z": [0, 1] * 20 + [1], "y": y})
    row = {"rare": 3, "a": 1, "b": 2}
    costs = json.dumps({name: {**row, name: 0} for name in row})
    for options in (("--cv", 3), ("--regularization", "auto"), ("--test-size", 0.5)):
        done = run("fit", file, "--target", "y", "--costs", costs, *options)
        assert done.exit_code == 0, done.stderr


@pytest.mark.slow
def test_scoring(people: Path, tmp_path: Path) -> None:
    args = ("path", people, *TARGET, "--max-depth", 3, "--scoring", "roc_auc")
    X, y = table()
    model = splitsecond.LicketySPLITClassifier(max_depth=3, n_jobs=1)
    expected = scoring.find_path(model, scoring.Data(X, y), 5, 0, scoring="roc_auc")
    assert run(*args).stdout == f"{expected}\n"
    found = result(*args)
    assert found["scoring"] == "roc_auc"
    assert found["highest_cv_score"] == expected.best_.regularization
    assert [row["cv_score"] for row in found["path"]] == [each.cv_score for each in expected]
    assert "cv_loss" not in found["path"][0]
    assert "least_cv_loss" not in found
    out = tmp_path / "model.json"
    fit = ("fit", people, *TARGET, "--max-depth", 3, "--scoring", "roc_auc", "--regularization")
    chosen = result(*fit, "auto", "--cv", 2, "--out", out)["choice"]
    assert chosen["regularization"] == expected.best_.regularization
    assert chosen["scoring"] == "roc_auc"
    assert load(out).regularization == expected.best_.regularization
    text = run(*fit, "auto").stdout
    assert "trees of a path for the maximum roc_auc" in text
    text = run(*fit, "1se").stdout
    assert "one standard error of the maximum roc_auc" in text


@pytest.mark.parametrize("name", ["f1", "average_precision", "neg_brier_score", "neg_log_loss"])
def test_scorers_of_classes_that_are_text(people: Path, name: str) -> None:
    found = result("path", people, *TARGET, "--loss", "brier", "--scoring", name, "--cv", 3)
    scores = [row["cv_score"] for row in found["path"]]
    assert len(scores) > 2
    assert max(scores) > scores[-1]


def test_scores_of_probabilities(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    args = ("fit", people, *TARGET, "--loss", "log_loss", "--test-size", 0.25)
    found = result(*args, "--out", out)["held_out"]
    X, y = table()
    held_out = scoring.hold_out(scoring.Data(X, y), 0.25, 0)[1]
    shares = load(out).predict_proba(held_out.X)
    assert found["auc"] == pytest.approx(metrics.roc_auc_score(held_out.y, shares[:, 1]))
    assert found["log_loss"] == pytest.approx(metrics.log_loss(held_out.y, shares))
    assert "expected_cost" not in found


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["zero_one", "log_loss"])
def test_levels_of_intervals(people: Path, tmp_path: Path, loss: str) -> None:
    out = tmp_path / "model.json"
    run("fit", people, *TARGET, "--loss", loss, "--max-depth", 2, "--out", out)
    model = load(out)
    tree = model.tree_
    assert run("show", out).stdout == f"{model}\n"
    assert run("show", out, "--level", 0.5).stdout.endswith(f"{tree.to_text(level=0.5)}\n")
    assert "[" not in run("show", out, "--level", "none").stdout
    assert result("show", out, "--level", 0.5)["tree"] == tree.to_dict(level=0.5)
    for to in ("text", "dot", "svg"):
        drawn = getattr(tree, f"to_{to}")(level=0.5)
        assert run("export", out, "--to", to, "--level", 0.5).stdout.strip() == drawn.strip()
    picture = tmp_path / "tree.png"
    assert run("export", out, "--to", "png", "--level", 0.5, "--out", picture).exit_code == 0
    rules = run("show", out, "--rules").stdout
    assert ("p(yes) " in rules) == ("[" in rules) == (loss != "zero_one")
    assert "[" in run("show", out, "--rules", "--level", 0.9).stdout


def test_rules_of_actions(people: Path, costs_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    run("fit", people, *TARGET, "--costs", costs_file, "--out", out)
    rules = result("show", out, "--rules")["rules"]
    assert {rule["then"] for rule in rules} <= set(COSTS)
    assert all(rule["share"] is None for rule in rules)
    text = run("show", out, "--rules").stdout
    first = f"-> {rules[0]['then']}  ({rules[0]['rows']} rows, p(yes) "
    assert f"{first}{rules[0]['shares']['yes']:.3f} [" in text


@pytest.mark.parametrize("to", ["sql", "python"])
def test_exports_that_return_probabilities(people_model: Path, to: str) -> None:
    tree = load(people_model).tree_
    written = getattr(tree, f"to_{to}")
    args = ("export", people_model, "--to", to, "--output")
    for more, options in (
        (("probability",), {"output": "probability"}),
        (("probability", "--of", "no"), {"output": "probability", "of": "no"}),
        (("leaf",), {"output": "leaf"}),
        (("class",), {}),
    ):
        assert run(*args, *more).stdout.strip() == written(**options).strip()


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--scoring", "roc_auc"], "--scoring roc_auc is for choosing lambda"),
        (["--regularization", "auto", "--scoring", "rocauc"], "Did you mean 'roc_auc'?"),
        (["--min-samples-leaf", 0], "min_samples_leaf=0 must be"),
        (["--min-samples-leaf", 1.5], "min_samples_leaf=1.5 must be"),
        (["--loss", "brier", "--costs", json.dumps(COSTS)], "costs are a loss of their own"),
        (["--costs", '{"a": {"no": 1, "yess": 2}}'], "Did you mean 'yes'?"),
        (["--costs", '{"a": {"no": 1}}'], "no cost of the action 'a' for the class 'yes'"),
        (["--costs", '{"a": {"no": 1, "yes": -2}}'], "must be a finite number of at least 0"),
        (["--costs", '{"a": {"no": 1, "yes": "2"}}'], "must be a finite number of at least 0"),
    ],
)
def test_what_is_refused(people: Path, args: list[Any], expected: str) -> None:
    done = run("fit", people, *TARGET, *args)
    assert done.exit_code == 1
    assert done.stdout == ""
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--loss", "logloss"], "--loss"),
        (["--min-samples-leaf", "many"], "neither a number of rows"),
        (["--costs", "no-such-file.json"], "neither JSON nor a file"),
        (["--costs", "{"], "not JSON"),
        (["--costs", "[[0, 1]]"], "no JSON object"),
        (["--costs", "{}"], "no JSON object"),
        (["--costs", '{"a": 3}'], "no costs by class for the action 'a'"),
        (["--costs", '{"a": {"no": 1, "no": 2, "yes": 0}}'], "'no' occurs twice"),
    ],
)
def test_wrong_usage(
    people: Path, args: list[Any], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    done = run("fit", people, *TARGET, *args)
    assert done.exit_code == 2
    assert expected in done.stderr
    assert "Traceback" not in done.stderr


def test_options_without_meaning_for_a_form(people: Path, people_model: Path) -> None:
    for args, expected in (
        (("export", people_model, "--to", "svg", "--output", "leaf"), "only for sql, python"),
        (("export", people_model, "--to", "sklearn", "--level", 0.9), "--level has no meaning"),
        (("export", people_model, "--to", "sql", "--of", "no"), "of='no' is the class of a prob"),
        (
            ("export", people_model, "--to", "sql", "--output", "probability", "--of", "noo"),
            "--of names the class 'noo', which the tree does not have",
        ),
        (("path", people, *TARGET, "--scoring", "f1", "--cv", 0), "needs cross-validation"),
        (("show", people_model, "--level", 2), "level=2"),
    ):
        done = run(*args)
        assert done.exit_code == 1
        assert expected in done.stderr


def test_filters_by_rows_and_by_weight(tmp_path: Path) -> None:
    rows = {**columns(), "times": [3] * N_ROWS}
    file = write_csv(tmp_path / "weighted.csv", rows)
    args = ("rashomon", file, *TARGET, "--weight", "times", "--max-depth", 2, "--epsilon", 0.05)
    by_rows = result(*args, "--min-leaf-rows", 30)
    by_weight = result(*args, "--min-leaf-weight", 90)
    assert by_rows["n_trees"] == by_weight["n_trees"] < by_rows["n_trees_before_filter"]
