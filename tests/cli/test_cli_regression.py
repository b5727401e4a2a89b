"""Trees of numbers on the command line: what a target is taken for, fits, scores, saved models."""

from __future__ import annotations

import json
import sqlite3
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cli_files import columns, result, run, write_csv, write_parquet
from sklearn import metrics

import splitsecond
from splitsecond import load
from splitsecond._cli import scoring
from splitsecond._cli.data import Data
from splitsecond._cli.options import Task

N = 240
PRICE = ("--target", "price")
NUMBERS_SAID = "different numbers: regression (--task classification to treat them as classes)"
CLASSES_SAID = "different numbers: classification (--task regression to predict them as numbers)"


def homes() -> dict[str, Any]:
    """A column of every kind, a price that a small tree tells, and counts by exposure."""
    random = np.random.default_rng(3)
    table = {name: values for name, values in columns().items() if name != "outcome"}
    age = np.array(table["age"])
    table["price"] = (10 * (age > 40) + 3 * random.random(N)).round(3).tolist()
    table["years"] = random.uniform(0.5, 2, N).round(2).tolist()
    table["claims"] = random.poisson(np.where(age > 40, 3, 0.4)).tolist()
    return table


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "homes.csv", homes())


def table(target: str = "price", *, without: tuple[str, ...] = ()) -> tuple[pa.Table, Any]:
    """The rows as estimators take them."""
    X = homes()
    y = np.array(X.pop(target))
    return pa.table({name: values for name, values in X.items() if name not in without}), y


def said(*args: Any) -> str:
    """What a command that works says on standard error."""
    done = run(*args)
    assert done.exit_code == 0, done.stderr
    return str(done.stderr)


def refused(*args: Any) -> str:
    done = run(*args)
    assert done.exit_code == 1, done.stdout
    assert done.stdout == ""
    return str(done.stderr)


# What the target is


def one_column(tmp_path: Path, values: list[Any]) -> Path:
    X = {"x": list(range(len(values))), "z": [i % 3 for i in range(len(values))]}
    return write_csv(tmp_path / "table.csv", {**X, "y": values})


@pytest.mark.parametrize(
    ("values", "task", "message"),
    [
        (["a", "b"] * 60, "Classifier", ""),
        (["true", "false"] * 60, "Classifier", ""),
        ([0, 1] * 60, "Classifier", ""),
        ([7.0, 3.0] * 60, "Classifier", ""),
        ([1, 2, 3] * 40, "Classifier", f"y has 3 {CLASSES_SAID}"),
        ([1.0, 2.0, 3.0] * 40, "Classifier", f"y has 3 {CLASSES_SAID}"),
        (list(range(100)) * 2, "Classifier", f"y has 100 {CLASSES_SAID}"),
        (list(range(101)) * 2, "Regressor", f"y has 101 {NUMBERS_SAID}"),
        ([0.5, 1.5] * 60, "Regressor", f"y has 2 {NUMBERS_SAID}"),
        ([i / 7 for i in range(120)], "Regressor", f"y has 120 {NUMBERS_SAID}"),
    ],
)
def test_the_task_is_guessed_aloud(
    tmp_path: Path, values: list[Any], task: str, message: str
) -> None:
    path = one_column(tmp_path, values)
    done = run("fit", path, "--target", "y", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["model"] == f"LicketySPLIT{task}"
    told = [line for line in done.stderr.splitlines() if "(--task" in line]
    assert told == ([f"splitsecond: {message}"] if message else [])


@pytest.mark.parametrize("command", ["fit", "path", "rashomon", "importance", "doctor"])
def test_a_task_that_is_given_is_not_guessed(tmp_path: Path, command: str) -> None:
    path = one_column(tmp_path, [1, 2, 3, 4] * 30)
    options = {"importance": ("--bootstraps", 1), "path": ("--cv", 0)}.get(command, ())
    args = (command, path, "--target", "y", *options)
    assert CLASSES_SAID in said(*args)
    for task in Task:
        assert "(--task" not in said(*args, "--task", task)


def test_whole_numbers_as_numbers(tmp_path: Path) -> None:
    path = one_column(tmp_path, [0, 1] * 60)
    assert result("fit", path, "--target", "y", "--task", "regression")["loss"] == "squared_error"
    for loss in ("squared_error", "poisson"):  # which says what is wanted
        args = ("fit", path, "--target", "y", "--loss", loss)
        assert result(*args)["model"] == "LicketySPLITRegressor"
        assert "(--task" not in said(*args)


@pytest.mark.parametrize("values", [[1.5, 2.25, 1.5], [f"{i:03}" for i in range(102)]])
def test_a_quantity_as_classes(tmp_path: Path, values: list[Any]) -> None:
    """Each number is a name, as it is written in the file."""
    path = one_column(tmp_path, values * 20)
    out = tmp_path / "model.json"
    args = ("fit", path, "--target", "y", "--task", "classification", "--out", out)
    found = result(*args, "--regularization", 0)
    assert found["classes"] == sorted({str(value) for value in values})
    given = ("fit", "-", *args[2:], "--regularization", 0, "--json", "--force")
    piped = run(*given, given=path.read_bytes())
    assert json.loads(piped.stdout)["classes"] == found["classes"]


def test_booleans_and_decimals_as_numbers(tmp_path: Path) -> None:
    path = one_column(tmp_path, ["true", "false"] * 60)
    found = result("fit", path, "--target", "y", "--task", "regression", "--max-depth", 0)
    assert found["tree"]["root"]["mean"] == 0.5
    prices = {"x": list(range(120)), "y": [Decimal(i) / 4 for i in range(120)]}
    path = write_parquet(tmp_path / "table.parquet", prices)
    done = run("fit", path, "--target", "y", "--max-depth", 0, "--json")
    assert "y has 120 different numbers: regression" in done.stderr
    assert json.loads(done.stdout)["tree"]["root"]["mean"] == pytest.approx(119 / 8)


def test_categories_of_numbers_are_classes(tmp_path: Path) -> None:
    path = one_column(tmp_path, [1.5, 2.5] * 60)
    done = run("fit", path, "--target", "y", "--category", "y", "--json")
    assert json.loads(done.stdout)["classes"] == ["1.5", "2.5"]
    assert "(--task" not in done.stderr


# What has no meaning


@pytest.mark.parametrize(
    "option",
    [
        ("--costs", '{"a": {"b": 1}}'),
        ("--class-weight", "balanced"),
        ("--class-weight", "12.5=3"),
        ("--loss", "log_loss"),
        ("--loss", "zero_one"),
        ("--exact-last-split",),
        ("--entropy-last-split",),
    ],
)
@pytest.mark.parametrize("command", ["fit", "path", "rashomon", "importance"])
def test_options_for_classes(file: Path, command: str, option: tuple[str, ...]) -> None:
    name = " ".join(option) if option[0] == "--loss" else option[0]
    args = (command, file, *PRICE, *option)
    text = refused(*args, "--task", "regression")
    assert f"{name} is for classes, and --task regression for numbers: leave one of them" in text
    text = refused(*args)
    assert "price has 236 different numbers, a quantity, and" in text
    assert f"{name} is for classes: give --task classification to treat the numbers" in text
    if option[0] != "--loss":
        text = refused(*args, "--loss", "poisson")
        assert f"{name} is for classes, and --loss poisson for numbers" in text


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_losses_of_numbers_for_classes(people: Path, file: Path, loss: str) -> None:
    text = refused("fit", file, *PRICE, "--task", "classification", "--loss", loss)
    assert f"--loss {loss} is for numbers, and --task classification for classes" in text
    text = refused("fit", people, "--target", "outcome", "--loss", loss)
    assert "The target 'outcome' holds string, such as" in text
    assert "regression is for numbers" in text


def test_targets_that_are_no_numbers(tmp_path: Path) -> None:
    def refusal(values: list[Any], *options: Any) -> str:
        path = one_column(tmp_path, values)
        return refused("fit", path, "--target", "y", "--task", "regression", *options)

    assert "is inf: targets are finite numbers" in refusal([1.5] * 9 + ["inf"])
    assert "data row 10 (line 11 of the file)" in refusal([1.5] * 9 + ["inf"])
    assert "is missing in 1 of 10 rows" in refusal([1.5] * 9 + [None])
    assert "is 1.5 in every row" in refusal([1.5] * 9)
    assert "holds string, such as 'a': regression is for numbers" in refusal(["a", "b"])
    negative = refusal([1.5, -2.0, 3.0], "--loss", "poisson")
    assert "in data row 2 (line 3 of the file) is -2.0: with --loss poisson, targets" in negative


# Fits and scores


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
@pytest.mark.parametrize("algorithm", ["lickety", "split", "optimal", "greedy"])
def test_every_loss_and_algorithm(file: Path, loss: str, algorithm: str) -> None:
    options = ("--loss", loss, "--min-samples-leaf", 15, "--algorithm", algorithm)
    found = result("fit", file, *PRICE, "--max-depth", 2, *options)
    assert found["loss"] == found["parameters"]["loss"] == loss
    estimators = {
        "lickety": splitsecond.LicketySPLITRegressor,
        "split": splitsecond.SPLITRegressor,
        "optimal": splitsecond.OptimalTreeRegressor,
        "greedy": splitsecond.GreedyTreeRegressor,
    }
    X, y = table()
    model = estimators[algorithm](max_depth=2, loss=loss, min_samples_leaf=15).fit(X, y)
    assert found["tree"] == json.loads(model.tree_.to_json())
    share = {"squared_error": "training_r2", "poisson": "training_d2"}[loss]
    assert found[share] == pytest.approx(model.score(X, y))
    assert not {"classes", "training_accuracy"} & set(found)


def test_exposures(file: Path) -> None:
    args = ("--target", "claims", "--loss", "poisson", "--weight", "years", "--drop", "price")
    found = result("fit", file, *args, "--test-size", 0.25, "--max-depth", 2)
    X, y = table("claims", without=("price", "years"))
    data = Data(X, y, np.array(homes()["years"]), task=Task.REGRESSION)
    train, test = scoring.hold_out(data, 0.25, 0)
    model = splitsecond.LicketySPLITRegressor(loss="poisson", max_depth=2)
    model.fit(train.X, train.y, train.weights)
    assert found["tree"] == json.loads(model.tree_.to_json())
    predicted, always = model.predict(test.X), np.average(train.y, weights=train.weights)
    scored = found["held_out"]
    assert scored["d2"] == pytest.approx(
        metrics.d2_tweedie_score(test.y, predicted, sample_weight=test.weights, power=1)
    )
    for name, each in (
        ("mean_deviance", predicted),
        ("baseline_deviance", np.full(len(test), always)),
    ):
        deviance = metrics.mean_poisson_deviance(test.y, each, sample_weight=test.weights)
        assert scored[name] == pytest.approx(deviance)
    assert set(scored) == {"rows", "d2", "mean_deviance", "baseline_deviance"}


def test_scores_of_held_out_rows_and_folds(file: Path) -> None:
    args = ("fit", file, *PRICE, "--max-depth", 2, "--test-size", 0.25, "--cv", 3)
    found = result(*args)
    X, y = table()
    train, test = scoring.hold_out(Data(X, y, task=Task.REGRESSION), 0.25, 0)
    model = splitsecond.LicketySPLITRegressor(max_depth=2).fit(train.X, train.y)
    scored = found["held_out"]
    predicted = model.predict(test.X)
    assert scored["rows"] == 60
    assert scored["r2"] == pytest.approx(metrics.r2_score(test.y, predicted))
    assert scored["rmse"] == pytest.approx(metrics.root_mean_squared_error(test.y, predicted))
    always = np.full(60, train.y.mean())
    assert scored["baseline_rmse"] == pytest.approx(metrics.root_mean_squared_error(test.y, always))
    folds = found["cross_validation"]
    assert folds["folds"] == len(folds["r2_values"]) == 3
    assert folds["r2"] == pytest.approx(np.mean(folds["r2_values"]))
    assert folds["r2_standard_deviation"] == pytest.approx(np.std(folds["r2_values"], ddof=1))
    assert "confusion" not in folds
    text = run(*args).stdout
    assert (
        f"on 60 held-out rows: R^2 {scored['r2']:.3f}, RMSE {scored['rmse']:.4g} (always the mean: "
        f"{scored['baseline_rmse']:.4g})\n"
    ) in text
    assert f"3-fold cross-validation: R^2 {folds['r2']:.3f}, RMSE {folds['rmse']:.4g} (" in text
    assert f"standard deviation of the R^2 {folds['r2_standard_deviation']:.3f}" in text


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_scores_of_extreme_numbers(tmp_path: Path, scale: float) -> None:
    X = homes()
    X["price"] = [value * scale for value in X["price"]]
    path = write_csv(tmp_path / "table.csv", X)
    usual = result("fit", write_csv(tmp_path / "usual.csv", homes()), *PRICE, "--test-size", 0.25)
    found = result("fit", path, *PRICE, "--test-size", 0.25)["held_out"]
    assert found["r2"] == pytest.approx(usual["held_out"]["r2"], abs=1e-6)
    assert found["rmse"] == pytest.approx(usual["held_out"]["rmse"] * scale)


def test_rows_without_weight_have_no_scores() -> None:
    X, y = table()
    model = splitsecond.LicketySPLITRegressor(max_depth=2).fit(X, y)
    data = Data(X, y, np.zeros(N), task=Task.REGRESSION)
    found = scoring.scores(model, data, 5.0)
    assert all(np.isnan(value) for value in found.values())


def test_held_out_rows_of_one_number(tmp_path: Path) -> None:
    path = one_column(tmp_path, [1.5, *[2.5] * 9])
    text = refused("fit", path, "--target", "y", "--test-size", 0.9)
    assert "training rows have one number" in text


# Saved models


@pytest.fixture
def model(file: Path, tmp_path: Path) -> Path:
    out = tmp_path / "model.json"
    assert run("fit", file, *PRICE, "--max-depth", 2, "--out", out).exit_code == 0
    return out


def test_show(model: Path) -> None:
    tree = load(model).tree_
    text = run("show", model).stdout
    assert text.startswith("LicketySPLITRegressor: ")
    assert f"training R^2 {tree.training_score:.3f} · root mean squared error" in text
    assert tree.to_text() in text
    assert tree.to_text(level=0.5) in run("show", model, "--level", 0.5).stdout
    found = result("show", model)
    assert found["training_r2"] == tree.training_score
    assert found["tree"] == json.loads(tree.to_json())


def test_rules(model: Path) -> None:
    tree = load(model).tree_
    lines = run("show", model, "--rules").stdout.splitlines()
    assert len(lines) == tree.n_leaves
    for line, rule in zip(lines, tree.rules(), strict=True):
        value = line.split(" -> ")[1].split()[0]
        assert float(value) == pytest.approx(rule["mean"], rel=1e-3)
        low, high = rule["interval"]
        assert line.endswith(f"({rule['rows']} rows [{low:.4g}, {high:.4g}])")
    assert "[" not in run("show", model, "--rules", "--level", "none").stdout
    found = result("show", model, "--rules")["rules"]
    assert [each["then"] for each in found] == [each["mean"] for each in tree.rules()]


def test_predict(model: Path, file: Path, tmp_path: Path) -> None:
    X, _ = table()
    expected = load(model).predict(X)
    lines = run("predict", model, file, "--leaf", "--keep", "age").stdout.split()
    assert lines[0] == "age,prediction,leaf"
    assert [float(line.split(",")[1]) for line in lines[1:]] == expected.tolist()
    rows = result("predict", model, file)
    assert [row["prediction"] for row in rows] == expected.tolist()
    assert "--proba is for classes, and the model predicts numbers" in refused(
        "predict", model, file, "--proba"
    )
    assert "needs a set of trees" in refused("predict", model, file, "--vote")


def test_a_tree_alone(model: Path, file: Path, tmp_path: Path) -> None:
    """Trees and fixed trees are saved without a fit."""
    tree, out = load(model).tree_, tmp_path / "tree.json"
    splitsecond.save(tree, out)
    text = run("show", out).stdout
    assert f"training R^2 {tree.training_score:.3f}" in text
    assert text.endswith(f"{tree.to_text()}\n")
    assert run("predict", out, file).stdout == run("predict", model, file).stdout
    fixed = tmp_path / "fixed.json"
    splitsecond.save(tree.to_regressor(), fixed)
    assert run("show", fixed).stdout == text
    assert run("predict", fixed, file).stdout == run("predict", out, file).stdout


def test_export(model: Path, file: Path) -> None:
    tree = load(model).tree_
    assert run("export", model, "--to", "text").stdout == f"{tree.to_text()}\n"
    assert run("export", model, "--to", "dot").stdout == f"{tree.to_dot()}\n"
    assert run("export", model, "--to", "svg").stdout.startswith("<svg")
    assert result("export", model, "--to", "sql")["content"] == tree.to_sql()
    assert run("export", model, "--to", "sql", "--output", "value").stdout == f"{tree.to_sql()}\n"
    leaf = run("export", model, "--to", "python", "--output", "leaf").stdout
    assert leaf.rstrip() == tree.to_python(output="leaf").rstrip()
    for option in (("--output", "class"), ("--output", "probability"), ("--of", "yes")):
        text = refused("export", model, "--to", "python", *option)
        assert "is for classes, and the model predicts numbers: leave it out" in text


def test_exported_predictors(model: Path, file: Path) -> None:
    X, _ = table()
    expected = load(model).predict(X)
    scope: dict[str, Any] = {}
    exec(run("export", model, "--to", "python").stdout, scope)
    assert [scope["predict"](row) for row in X.to_pylist()] == expected.tolist()
    database = sqlite3.connect(":memory:")
    X.to_pandas().to_sql("homes", database)
    expression = run("export", model, "--to", "sql").stdout
    found = [value for (value,) in database.execute(f"SELECT {expression} FROM homes")]
    assert found == expected.tolist()


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_exported_source_for_sklearn(file: Path, tmp_path: Path, loss: str) -> None:
    out = tmp_path / "model.json"
    run("fit", file, *PRICE, "--drop", "job", "--loss", loss, "--max-depth", 2, "--out", out)
    scope: dict[str, Any] = {}
    exec(run("export", out, "--to", "sklearn").stdout, scope)
    rebuilt, own = scope["model"], load(out)
    X, _ = table(without=("job",))
    some = X.to_pandas()[list(rebuilt.feature_names_in_)]
    assert type(rebuilt).__name__ == "DecisionTreeRegressor"
    assert np.array_equal(rebuilt.predict(some), own.predict(X))
    assert rebuilt.get_n_leaves() == own.n_leaves_


def test_a_class_has_no_value(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    run("fit", people, "--target", "outcome", "--out", out)
    text = refused("export", out, "--to", "sql", "--output", "value")
    assert "--output value is for numbers, and the model predicts classes" in text


# Other commands


def test_doctor(file: Path, tmp_path: Path) -> None:
    done = run("doctor", file, *PRICE)
    assert done.exit_code == 0
    assert "price has 236 different numbers: regression" in done.stderr
    prices = np.array(homes()["price"])
    about = f"{prices.min():.4g} to {prices.max():.4g}, median {np.median(prices):.4g}"
    assert f"target price: 236 different numbers, {about}\n" in done.stdout
    assert "lickety: about" in done.stdout
    found = result("doctor", file, *PRICE)["target"]
    assert found == {
        "name": "price",
        "task": "regression",
        "rows": N,
        "minimum": prices.min(),
        "median": np.median(prices),
        "maximum": prices.max(),
        "n_distinct": 236,
        "zeros": 0.0,
    }
    claims = result("doctor", file, "--target", "claims", "--task", "regression")["target"]
    assert claims["zeros"] == np.mean(np.array(homes()["claims"]) == 0)
    assert result("doctor", file, "--target", "claims")["target"]["task"] == "classification"


def test_doctor_finds_the_target(tmp_path: Path) -> None:
    X = homes()
    path = write_csv(tmp_path / "t.csv", {**X, "cents": [100 * each for each in X["price"]]})
    found = {each["name"]: each["note"] for each in result("doctor", path, *PRICE)["columns"]}
    assert found["cents"] == "the target itself? then --drop 'cents'"
    text = run("fit", path, *PRICE).stderr
    assert "note: column 'cents' goes one to one with the target, as a copy of it does" in text
    assert "leave it out with --drop 'cents'" in text


def test_doctor_of_an_unusable_target(tmp_path: Path) -> None:
    path = one_column(tmp_path, ["a", "b"] * 30)
    done = run("doctor", path, "--target", "y", "--task", "regression")
    assert done.exit_code == 1
    assert "problem: The target 'y' holds string, such as 'a'" in done.stdout


def test_bench() -> None:
    args = ("bench", "--data", "diabetes", "--repeats", 1, "--max-depth", 2)
    found = result(*args)["results"]
    objectives = {each["method"]: each["objective"] for each in found}
    ours = [value for method, value in objectives.items() if "CART" not in method]
    assert objectives["optimal"] <= min(ours) + 1e-9
    assert all(0 < each["r2"] < 1 and "accuracy" not in each for each in found)
    assert "held-out R^2" in run(*args).stdout
    both = run(*args, "--data", "iris").stdout
    assert "held-out accuracy or R^2" in both
