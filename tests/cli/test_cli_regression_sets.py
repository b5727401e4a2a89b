"""Sets and paths of trees of numbers on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cli_files import result, run, write_csv
from sklearn import metrics

import splitsecond
from splitsecond import load
from splitsecond._cli import scoring
from splitsecond._cli.data import Data
from splitsecond._cli.options import Task

N = 240
ARGS = ("--target", "price", "--max-depth", 2, "--epsilon", 0.05)


def homes() -> dict[str, Any]:
    random = np.random.default_rng(3)
    rooms, size = random.integers(1, 7, N), random.uniform(30, 150, N).round(1)
    town = random.choice(["north", "south"], N)
    price = 20 * rooms + size + 30 * (town == "south") + random.normal(0, 20, N)
    return {
        "rooms": rooms.tolist(),
        "size": size.tolist(),
        "town": town.tolist(),
        "price": price.round(2).tolist(),
    }


def table() -> tuple[pa.Table, Any]:
    X = homes()
    y = np.array(X.pop("price"))
    return pa.table(X), y


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "homes.csv", homes())


@pytest.fixture
def saved(file: Path, tmp_path: Path) -> Path:
    out = tmp_path / "set.json"
    assert run("rashomon", file, *ARGS, "--out", out).exit_code == 0
    return out


def refused(*args: Any) -> str:
    done = run(*args)
    assert done.exit_code == 1, done.stdout
    return str(done.stderr)


@pytest.mark.parametrize("method", ["resplit", "treefarms"])
@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_rashomon(file: Path, method: str, loss: str) -> None:
    done = run("rashomon", file, *ARGS, "--method", method, "--loss", loss, "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    estimators = {
        "resplit": splitsecond.RESPLITRegressor,
        "treefarms": splitsecond.TreeFARMSRegressor,
    }
    model = estimators[method](max_depth=2, epsilon=0.05, loss=loss).fit(*table())
    assert found["model"] == type(model).__name__
    assert found["n_trees"] == model.trees_.n_trees > 1
    assert found["best"] == [json.loads(tree.to_json()) for tree in model.trees_[:3]]
    assert "(--task" not in done.stderr  # the loss says it


def test_held_out_rows(file: Path) -> None:
    args = ("rashomon", file, *ARGS, "--test-size", 0.25, "--top", 2)
    done = run(*args)
    assert "price has 238 different numbers: regression" in done.stderr
    found = result(*args)["held_out"]
    X, y = table()
    train, test = scoring.hold_out(Data(X, y, task=Task.REGRESSION), 0.25, 0)
    trees = splitsecond.RESPLITRegressor(max_depth=2, epsilon=0.05).fit(train.X, train.y).trees_
    r2 = [metrics.r2_score(test.y, tree.predict(test.X)) for tree in trees[:2]]
    assert found["r2_values"] == pytest.approx(r2)
    assert found["r2"] == pytest.approx(r2[0])
    criteria = {each["criterion"]: each for each in found["criteria"]}
    assert set(criteria) == {"squared_error", "r2", "absolute_error"}
    assert criteria["r2"]["tree_0"] == pytest.approx(r2[0])
    for i, value in enumerate(r2):
        assert f"tree {i}: objective {trees[i].objective:.4f}, " in done.stdout
        assert f"held-out R^2 {value:.3f}" in done.stdout
    assert f"the best tree on 60 held-out rows: R^2 {r2[0]:.3f}, RMSE " in done.stdout
    assert "all trees on 60 held-out rows:" in done.stdout


def test_saved_sets(saved: Path, file: Path, tmp_path: Path) -> None:
    trees = load(saved).trees_
    text = run("show", saved).stdout
    assert text.startswith(repr(trees))
    assert trees[1].to_text() in run("show", saved, "--tree", 1).stdout
    assert f"training R^2 {trees[1].training_score:.3f}" in run("choose", saved, "--tree", 1).stdout
    out = tmp_path / "chosen.json"
    found = result("choose", saved, "--tree", 1, "--out", out)
    assert found["training_r2"] == pytest.approx(trees[1].training_score)
    X, _ = table()
    rows = result("predict", out, file)
    assert [row["prediction"] for row in rows] == pytest.approx(trees[1].predict(X).tolist())
    some = run("rashomon", file, *ARGS, "--avoid", "town", "--out", tmp_path / "some.json")
    assert some.exit_code == 0
    assert "R^2" in run("show", tmp_path / "some.json").stdout  # only a set


def test_votes(saved: Path, file: Path) -> None:
    X, _ = table()
    trees = load(saved).trees_
    each = trees.predict(X)
    rows = result("predict", saved, file, "--vote")
    assert list(rows[0]) == ["prediction", "vote(mean)", "vote(minimum)", "vote(maximum)"]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    assert columns["prediction"] == pytest.approx(each[:, 0].tolist())
    assert columns["vote(mean)"] == pytest.approx(each.mean(axis=1).tolist(), rel=1e-6)
    assert columns["vote(minimum)"] == pytest.approx(each.min(axis=1).tolist(), rel=1e-6)
    assert columns["vote(maximum)"] == pytest.approx(each.max(axis=1).tolist(), rel=1e-6)


def test_evaluate(saved: Path, file: Path, tmp_path: Path) -> None:
    args = ("evaluate", saved, file, "--target", "price", "--group", "town")
    found = {each["criterion"]: each for each in result(*args)["criteria"]}
    X, y = table()
    trees = load(saved).trees_
    r2 = [metrics.r2_score(y, tree.predict(X)) for tree in trees]
    assert found["r2"]["tree_0"] == pytest.approx(r2[0])
    assert found["r2"]["maximum"] == pytest.approx(max(r2))
    assert "squared_error[town=north - south]" in found
    assert "r2" in run(*args).stdout
    out = tmp_path / "some.json"
    middle = float(np.median(r2))
    kept = result(*args, "--at-least", f"r2={middle}", "--out-set", out)
    assert kept["n_trees"] == sum(value >= middle for value in r2)
    for option in (("--costs", '{"a": {"b": 1}}'), ("--positive", "yes")):
        text = refused(*args, *option)
        assert f"{option[0]} is for classes, and the model predicts numbers" in text
    words = write_csv(tmp_path / "words.csv", {**homes(), "price": ["a", "b"] * (N // 2)})
    text = refused("evaluate", saved, words, "--target", "price")
    assert "The target 'price' holds string, such as 'a': regression is for numbers" in text


def test_large_and_small_values_are_shown(tmp_path: Path) -> None:
    X = homes()
    X["price"] = [value * 1e-9 for value in X["price"]]
    file, out = write_csv(tmp_path / "small.csv", X), tmp_path / "set.json"
    run("rashomon", file, *ARGS, "--out", out)
    y = np.array(X["price"])
    lost = np.mean((y - load(out).tree_.predict(table()[0])) ** 2)
    text = run("evaluate", out, file, "--target", "price", "--criterion", "squared_error").stdout
    assert f"{lost:.4g}" in text


def test_record_groups_and_explore(saved: Path, file: Path, tmp_path: Path) -> None:
    text = run("record", saved, "--test", file, "--target", "price", "--tree", 1).stdout
    assert "r2" in text
    text = refused("record", saved, "--test", file, "--target", "price", "--positive", "yes")
    assert "--positive is for classes, and the model predicts numbers" in text
    groups = result("groups", saved, file)
    assert sum(each["n_trees"] for each in groups["groups"]) == load(saved).trees_.n_trees
    page = tmp_path / "page.html"
    done = run("explore", saved, file, "--target", "price", "--out", page)
    assert done.exit_code == 0, done.stderr
    assert page.read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")


def test_path(file: Path) -> None:
    args = ("path", file, "--target", "price", "--max-depth", 2, "--cv", 3)
    done = run(*args)
    assert done.exit_code == 0, done.stderr
    assert "price has 238 different numbers: regression" in done.stderr
    assert "rel. loss" in done.stdout
    found = result(*args)
    assert found["model"] == "LicketySPLITRegressor"
    assert found["path"][-1]["n_leaves"] == 1
    scored = result(*args, "--scoring", "r2")
    assert scored["scoring"] == "r2"
    assert max(each["cv_score"] for each in scored["path"]) > 0.5


def test_lambda_by_cross_validation(file: Path) -> None:
    args = ("fit", file, "--target", "price", "--max-depth", 2, "--regularization", "auto")
    found = result(*args, "--scoring", "neg_mean_absolute_error", "--cv", 3)
    assert found["choice"]["scoring"] == "neg_mean_absolute_error"
    assert len(found["cross_validation"]["r2_values"]) == 3
    assert "chosen by cross-validation among the" in run(*args).stdout


def test_importance(file: Path) -> None:
    args = ("importance", file, *ARGS, "--bootstraps", 2)
    found = result(*args)
    rid = splitsecond.RashomonImportance(
        splitsecond.RESPLITRegressor(max_depth=2, epsilon=0.05), n_bootstraps=2, random_state=0
    ).fit(*table())
    means = {each["variable"]: each["mean"] for each in found["variables"]}
    expected = dict(zip(rid.variables_, rid.mean_.tolist(), strict=True))
    assert means == pytest.approx(expected)
    assert "rooms" in run(*args).stdout
