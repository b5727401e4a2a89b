"""The command fit, on tables that are as they should be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cli_files import N_ROWS, columns, result, run, write_csv, write_parquet

import splitsecond
from splitsecond import load
from splitsecond._cli import scoring


def test_fit_prints_the_model_and_saves_the_same(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    done = run("fit", people, "--target", "outcome", "--out", out)
    assert done.exit_code == 0
    assert done.stdout == f"{load(out)}\n"
    assert done.stderr == f"splitsecond: wrote {out}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]


def test_a_file_gives_the_tree_that_the_library_finds(people: Path) -> None:
    X = columns()
    y = X.pop("outcome")
    expected = splitsecond.LicketySPLITClassifier().fit(pa.table(X), np.array(y))
    assert result("fit", people, "--target", "outcome")["tree"] == expected.tree_.to_dict()


@pytest.mark.parametrize(
    ("algorithm", "options", "name"),
    [
        ("lickety", ["--exact-last-split"], "LicketySPLITClassifier"),
        ("split", ["--lookahead-depth", 2, "--no-postprocess"], "SPLITClassifier"),
        ("optimal", ["--class-weight", "balanced"], "OptimalTreeClassifier"),
        ("greedy", ["--binarizer", "quantile"], "GreedyTreeClassifier"),
    ],
)
def test_every_algorithm(people: Path, algorithm: str, options: list[Any], name: str) -> None:
    shared = ("--max-depth", 3, "--regularization", "1/50", "--jobs", 2, "--memory-limit", "1GB")
    found = result(
        "fit", people, "--target", "outcome", "--algorithm", algorithm, *shared, *options
    )
    assert found["model"] == name
    parameters = found["parameters"]
    assert parameters["regularization"] == "1/50"
    assert (parameters["max_depth"], parameters["n_jobs"]) == (3, 2)
    assert parameters["memory_limit"] == 10**9
    if algorithm == "split":
        assert (parameters["lookahead_depth"], parameters["postprocess"]) == (2, False)
    assert found["depth"] <= 3


def test_scores_on_rows_not_seen(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    args = ("fit", people, "--target", "outcome", "--regularization", "auto")
    found = result(*args, "--test-size", 0.25, "--cv", 3, "--out", out)
    assert found["held_out"]["rows"] == N_ROWS / 4
    assert found["rows"] == N_ROWS * 3 / 4  # the tree has not seen the others
    assert found["held_out"]["accuracy"] > found["held_out"]["baseline"]
    assert len(found["cross_validation"]["accuracies"]) == 3
    chosen = found["choice"]["regularization"]
    assert chosen == load(out).regularization
    losses = {each["regularization"]: each["cv_loss"] for each in found["choice"]["path"]}
    assert losses[chosen] == min(losses.values())
    assert found["choice"]["within_one_standard_error"] >= chosen
    text = run(*args, "--test-size", 0.25, "--cv", 3).stdout
    assert f"chosen by cross-validation among the {len(losses)} trees of a path" in text
    assert "on 60 held-out rows: accuracy" in text
    assert "3-fold cross-validation: accuracy" in text


def test_the_tree_of_a_chosen_price_is_the_one_of_the_path(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = []

    def kept(*args: Any, **options: Any) -> splitsecond.RegularizationPath:
        paths.append(regularization_path(*args, **options))
        return paths[-1]

    regularization_path = scoring.regularization_path
    monkeypatch.setattr(scoring, "regularization_path", kept)
    out = tmp_path / "model.json"
    done = run("fit", people, "--target", "outcome", "--regularization", "auto", "--out", out)
    best = paths[0].best_
    assert done.stdout.startswith(f"{best.model}\nregularization {best.regularization:.4g} chosen")
    simplest = paths[0].one_standard_error_.regularization
    is_another = simplest != best.regularization
    assert (f"; {simplest:.4g} is for the smallest tree of the path" in done.stdout) == is_another
    assert str(load(out)) == str(best.model)


def test_weights_count_as_repeated_rows(tmp_path: Path) -> None:
    rows = columns()
    weights = [1 + i % 3 for i in range(N_ROWS)]
    weighted = write_csv(tmp_path / "weighted.csv", {**rows, "times": weights})
    repeated = write_csv(
        tmp_path / "repeated.csv",
        {
            name: [v for v, times in zip(values, weights, strict=True) for _ in range(times)]
            for name, values in rows.items()
        },
    )
    options = ("--target", "outcome", "--binarizer", "midpoint", "--max-depth", 2)
    found = result("fit", weighted, *options, "--weight", "times")
    expected = result("fit", repeated, *options)
    assert found["objective"] == pytest.approx(expected["objective"])
    assert found["rows"] == N_ROWS


def test_a_limit_is_exit_code_3_with_a_valid_tree(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    X = {f"x{j}": random.integers(0, 2, 3000) for j in range(60)}
    path = write_parquet(tmp_path / "table.parquet", {**X, "y": random.integers(0, 2, 3000)})
    out = tmp_path / "model.json"
    options = ("--algorithm", "optimal", "--regularization", 0, "--max-depth", 8)
    limit = ("--time-limit", 0.3)
    done = run("fit", path, "--target", "y", *options, *limit, "--out", out, "--json")
    assert done.exit_code == 3
    assert json.loads(done.stdout)["status"] == load(out).status_ == "time_limit"
    assert "Stopped at time_limit=0.3 s" in done.stderr


@pytest.mark.parametrize(
    ("status", "code"), [("complete", 0), ("time_limit", 3), ("interrupted", 130)]
)
def test_choosing_a_price_may_be_stopped(
    people: Path, monkeypatch: pytest.MonkeyPatch, status: str, code: int
) -> None:
    def stopped(*args: Any, **options: Any) -> splitsecond.RegularizationPath:
        assert options["time_limit"] == 30
        return splitsecond.RegularizationPath(regularization_path(*args, **options)[:], status)

    regularization_path = scoring.regularization_path
    monkeypatch.setattr(scoring, "regularization_path", stopped)
    options = ("--regularization", "auto", "--time-limit", 30, "--json")
    done = run("fit", people, "--target", "outcome", *options)
    assert done.exit_code == code
    if code != 130:
        assert json.loads(done.stdout)["choice"]["status"] == status


def test_the_smallest_tree_within_one_standard_error(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    X = random.normal(size=(N_ROWS, 4)).round(2)
    y = np.where(X @ [2, 1.5, 1, 0.5] + random.normal(size=N_ROWS) > 0, "yes", "no")
    table = {**{f"x{j}": X[:, j] for j in range(4)}, "outcome": y}
    file = write_csv(tmp_path / "table.csv", table)
    args = ("fit", file, "--target", "outcome", "--max-depth", 4)
    auto = result(*args, "--regularization", "auto")
    out = tmp_path / "model.json"
    one = result(*args, "--regularization", "1se", "--cv", 2, "--out", out)
    choice = one["choice"]
    assert choice["path"] == auto["choice"]["path"]
    assert choice["least_cv_loss"] == auto["choice"]["regularization"]
    assert choice["regularization"] == auto["choice"]["within_one_standard_error"]
    assert choice["regularization"] > choice["least_cv_loss"]
    assert one["leaves"] < auto["leaves"]
    assert load(out).regularization == choice["regularization"]
    text = run(*args, "--regularization", "1se").stdout
    assert (
        f"one standard error of the minimum loss, which is at {choice['least_cv_loss']:.4g}" in text
    )


@pytest.mark.parametrize(
    ("labels", "given", "expected"),
    [
        (("bad", "good"), ["bad=5"], {"bad": 5}),
        (("a=b", "c"), ["a=b=0.5", "c=2"], {"a=b": 0.5, "c": 2}),
        ((1, 2), ["1=3"], {1: 3}),
        ((1, 2), ["2.0=3"], {2: 3}),
        (("true", "false"), ["True=4"], {True: 4}),
        (("a", "b"), ["balanced"], "balanced"),
        (("a", "b"), ["none"], None),
    ],
)
def test_class_weights(
    tmp_path: Path, labels: tuple[Any, Any], given: list[str], expected: Any
) -> None:
    random = np.random.default_rng(0)
    x = random.integers(0, 30, 90)
    y = [
        labels[int(value + noise > 20)]
        for value, noise in zip(x, random.normal(0, 5, 90), strict=True)
    ]
    table = write_csv(tmp_path / "table.csv", {"x": x, "y": y})
    out = tmp_path / "model.json"
    words = [word for each in given for word in ("--class-weight", each)]
    found = result("fit", table, "--target", "y", *words, "--out", out)
    assert load(out).class_weight == expected
    classes = np.array(y, dtype=object if isinstance(labels[0], str) else None)
    if labels[0] == "true":
        classes = classes == "true"
    direct = splitsecond.LicketySPLITClassifier(class_weight=expected)
    direct.fit(pa.table({"x": x}), classes)
    assert found["objective"] == direct.objective_
    for command in ("path", "rashomon", "importance"):
        more = ("--bootstraps", 1) if command == "importance" else ()
        assert run(command, table, "--target", "y", *words, *more).exit_code == 0


def test_a_weight_of_a_class_that_a_fold_lacks(tmp_path: Path) -> None:
    y = ["rare"] + ["a", "b"] * 20
    table = write_csv(tmp_path / "table.csv", {"x": range(41), "z": [0, 1] * 20 + [1], "y": y})
    done = run("fit", table, "--target", "y", "--class-weight", "rare=3", "--cv", 3)
    assert done.exit_code == 0, done.stderr
