"""The commands, on tables that are as they should be."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import os
import re
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cli_files import N_ROWS, columns, run, write_csv, write_parquet
from sklearn import metrics

import splitsecond
from splitsecond import load
from splitsecond._cli import output, scoring
from splitsecond._cli.app import app
from splitsecond._cli.exports import sklearn_source


@pytest.fixture(scope="module")
def model_set(people: Path) -> Path:
    path = people.with_name("set.json")
    args = ("--target", "outcome", "--max-depth", 3, "--epsilon", 0.03, "--regularization", 0.02)
    assert run("rashomon", people, *args, "--out", path).exit_code == 0
    return path


def result(*args: Any) -> Any:
    """Run a command with --json and read what it prints."""
    done = run(*args, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


# ---- fit -----------------------------------------------------------------------------------------


def test_fit_prints_the_model_and_saves_the_same(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    done = run("fit", people, "--target", "outcome", "--out", out)
    assert done.exit_code == 0
    assert done.stdout == f"{load(out)}\n"
    assert done.stderr == f"splitsecond: wrote {out}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]


def test_csv_and_parquet_give_the_same_tree(people: Path, tmp_path: Path) -> None:
    other = write_parquet(tmp_path / "people.parquet", columns())
    by_format = [result("fit", path, "--target", "outcome") for path in (people, other)]
    assert by_format[0]["tree"] == by_format[1]["tree"]


def with_name(content: bytes) -> bytes:
    """Compress as gzip does that stores the name of the file."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="people.csv", mode="wb", fileobj=buffer) as file:
        file.write(content)
    return buffer.getvalue()


COMPRESSIONS = {
    "gzip without a name": gzip.compress,
    "gzip with a name": with_name,
    "two gzip files joined": lambda c: gzip.compress(c[:99]) + gzip.compress(c[99:]),
    "bzip2": bz2.compress,
    "Zstandard": lambda c: pa.compress(c, "zstd", asbytes=True),
    "none": bytes,
}


@pytest.mark.parametrize("name", ["people.csv.gz", "people"])
@pytest.mark.parametrize("how", COMPRESSIONS)
def test_compressed_tables_whatever_their_names(
    people: Path, tmp_path: Path, how: str, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(COMPRESSIONS[how](people.read_bytes()))
    tree = result("fit", path, "--target", "outcome")["tree"]
    assert tree == result("fit", people, "--target", "outcome")["tree"]


def test_a_table_that_duckdb_compressed(people: Path, tmp_path: Path) -> None:
    path = tmp_path / "people.csv.gz"
    table = f"FROM read_csv('{people}', all_varchar = true)"  # as text, which it leaves as it is
    duckdb.sql(f"COPY ({table}) TO '{path}' (FORMAT csv, COMPRESSION gzip)")
    tree = result("fit", path, "--target", "outcome")["tree"]
    assert tree == result("fit", people, "--target", "outcome")["tree"]


@pytest.mark.parametrize("kind", ["csv", "gzip", "parquet"])
def test_tables_from_pipes(people: Path, tmp_path: Path, kind: str) -> None:
    expected = result("fit", people, "--target", "outcome")["tree"]
    content = people.read_bytes()
    if kind == "gzip":
        content = gzip.compress(content)
    elif kind == "parquet":
        content = write_parquet(tmp_path / "people.parquet", columns()).read_bytes()
    args = ("fit", "-", "--target", "outcome", "--json")
    done = run(*args, given=content)
    assert json.loads(done.stdout)["tree"] == expected
    if hasattr(os, "mkfifo"):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=[content])
        writer.start()
        assert result("fit", pipe, "--target", "outcome")["tree"] == expected
        writer.join()


def test_lines_of_a_piped_table_are_counted() -> None:
    done = run("fit", "-", "--target", "y", given=b"a,y\n1,x\n2,\n")
    assert "them data row 2 (line 3 of the file)" in done.stderr
    done = run("fit", "-", "--target", "z", given=b"a,y\n1,x\n2,\n")
    assert done.stderr.startswith("splitsecond: error: standard input has no column 'z'.")


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


def test_how_columns_are_read(tmp_path: Path) -> None:
    target = ["a", "b"] * 20
    codes = [7 if label == "a" else (3, 11)[i % 4 == 1] for i, label in enumerate(target)]
    path = write_csv(tmp_path / "table.tsv", {"code": codes, "y": target, "id": range(40)}, "\t")
    tree = result("fit", path, "--target", "y", "--drop", "id", "--category", "code")["tree"]
    assert tree["root"]["question"] == 'code == "7"'
    other = write_csv(tmp_path / "table.csv", {"x": ["?", 1] * 20, "y": target}, ";")
    tree = result("fit", other, "--target", "y", "--separator", ";", "--blank", "?")["tree"]
    assert tree["root"]["operator"] == "is 1"  # a category would be compared with text


def test_a_row_number_is_noted(tmp_path: Path) -> None:
    table = {"id": np.arange(7, 7 + N_ROWS), **columns()}
    file = write_csv(tmp_path / "numbered.csv", table)
    fitted = run("fit", file, "--target", "outcome")
    assert "'id' looks like a row number" in fitted.stderr
    assert "--drop 'id'" in fitted.stderr
    assert "row number" not in run("fit", file, "--target", "outcome", "--drop", "id").stderr


def test_an_identifier_is_noted(tmp_path: Path) -> None:
    names = [f"person {i // 2 if i < 20 else i}" for i in range(N_ROWS)]
    readings = ["?" if i == 3 else i * 1.5 for i in range(N_ROWS)]
    table = {"who": names, "reading": readings, **columns()}
    file = write_csv(tmp_path / "named.csv", table)
    for path in (
        file,
        write_parquet(tmp_path / "named.parquet", {**table, "reading": names[::-1]}),
    ):
        fitted = run("fit", path, "--target", "outcome")
        assert "'who' looks like an identifier" in fitted.stderr
        assert "--drop 'who'" in fitted.stderr
        assert "an identifier? then --drop 'who'" in run("doctor", path).stdout
    said = run("fit", file, "--target", "outcome").stderr
    assert "'reading' looks like" not in said
    assert "'reading' ('?') is text, but holds numbers" in said
    assert "--blank" in said
    assert "numbers but for '?'" in run("doctor", file).stdout
    assert "identifier" not in run("fit", file, "--target", "outcome", "--drop", "who").stderr


def test_other_encodings(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes("größe,y\n1,ja\n2,nein\n1,ja\n2,nein\n".encode("latin-1"))
    found = result("fit", path, "--target", "y", "--encoding", "latin-1")
    assert found["tree"]["root"]["variable"] == "größe"


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
        f"one standard error of the least loss, which is at {choice['least_cv_loss']:.4g}" in text
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


# ---- scores --------------------------------------------------------------------------------------


def scored(y: Any, weights: Any = None, **options: Any) -> tuple[dict[str, Any], Any, scoring.Data]:
    """Scores on the second half of some rows of a model that is fitted to the first."""
    y = np.asarray(y)
    random = np.random.default_rng(1)
    X = pa.table({f"x{j}": random.normal(size=len(y)) + (y == y[0]) for j in range(3)})
    data = scoring.Data(X, y, weights)
    train, test = (data.take(part) for part in np.array_split(np.arange(len(y)), 2))
    model = splitsecond.LicketySPLITClassifier(**options).fit(train.X, train.y)
    return scoring.scores(model, test, scoring.majority_class(train)), model, test


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_scikit_learn(n_classes: int, weighted: bool) -> None:
    random = np.random.default_rng(0)
    y = random.choice(["a", "b", "c"][:n_classes], 300)
    weights = random.integers(0, 4, 300).astype(float) if weighted else None
    found, model, test = scored(y, weights)
    proba, predicted = model.predict_proba(test.X), model.predict(test.X)
    own = {"sample_weight": test.weights}
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(test.y, predicted, **own))
    positive = proba[:, 1] if n_classes == 2 else proba
    auc = metrics.roc_auc_score(test.y, positive, multi_class="ovr", **own)
    assert found["auc"] == pytest.approx(auc)
    assert found["log_loss"] == pytest.approx(metrics.log_loss(test.y, proba, **own))
    counted = np.ones(len(test)) if test.weights is None else test.weights
    off = ((proba - (test.y[:, None] == model.classes_)) ** 2).sum(axis=1)
    brier = np.average(off, weights=counted) / (2 if n_classes == 2 else 1)
    assert found["brier_score"] == pytest.approx(brier)
    if n_classes == 2:
        by_name = metrics.brier_score_loss(test.y, positive, pos_label="b", **own)
        assert found["brier_score"] == pytest.approx(by_name)
    assert found["confusion"]["classes"] == sorted(set(y))
    matrix = metrics.confusion_matrix(test.y, predicted, **own)
    assert found["confusion"]["matrix"] == matrix.tolist()


def test_scores_where_classes_are_missing() -> None:
    y = ["a", "b"] * 50
    lone, _, _ = scored([*y, *["b"] * 100])  # of one class
    assert np.isnan(lone["auc"])
    assert lone["confusion"]["matrix"][0] == [0, 0]
    assert lone["log_loss"] >= 0
    new, model, test = scored([*y, *["a", "b", "c", "c"] * 25])  # one that training lacks
    assert new["confusion"]["classes"] == ["a", "b", "c"]
    shares = np.column_stack([model.predict_proba(test.X), np.zeros(len(test))])
    others = [
        metrics.roc_auc_score(test.y == name, share)
        for name, share in zip("abc", shares.T, strict=True)
    ]
    assert new["auc"] == pytest.approx(np.mean(others))
    assert new["log_loss"] > 0.5 * -np.log(np.finfo(float).eps)
    fewer, _, _ = scored(["a", "b", "c", "c"] * 25 + y)  # one that the scored rows lack
    assert 0 <= fewer["auc"] <= 1
    assert fewer["confusion"]["matrix"][2] == [0, 0, 0]
    nothing, _, _ = scored(y * 2, np.repeat([1.0, 0.0], 100))  # rows without weight
    for name in ("accuracy", "balanced_accuracy", "auc", "log_loss", "brier_score"):
        assert np.isnan(nothing[name])
    scoring.write_scores("on nothing", nothing)


def test_scores_are_printed(people: Path) -> None:
    args = ("fit", people, "--target", "outcome", "--test-size", 0.25, "--cv", 3)
    found = result(*args)
    text = run(*args).stdout
    for each, rows in ((found["held_out"], 60), (found["cross_validation"], N_ROWS * 3 // 4)):
        line = f"AUC {each['auc']:.3f}, log-loss {each['log_loss']:.3f}, "
        assert f"{line}Brier score {each['brier_score']:.3f}\n" in text
        (a, b), (c, d) = each["confusion"]["matrix"]
        assert a + b + c + d == rows
        assert re.search(rf"^no +{a} +{b}\nyes +{c} +{d}$", text, re.MULTILINE)
    assert "true class   predicted no   predicted yes\n" in text


def test_a_large_confusion_matrix_is_not_printed(tmp_path: Path) -> None:
    table = {"x": [i // 10 for i in range(200)], "y": [f"class {i // 10}" for i in range(200)]}
    path = write_csv(tmp_path / "table.csv", table)
    text = run("fit", path, "--target", "y", "--test-size", 0.5).stdout
    assert "the confusion matrix of 20 classes is in the result with --json" in text


# ---- path ----------------------------------------------------------------------------------------


def test_path(people: Path, tmp_path: Path) -> None:
    args = ("path", people, "--target", "outcome", "--max-depth", 3, "--algorithm", "optimal")
    X = columns()
    y = np.array(X.pop("outcome"))
    data = scoring.Data(pa.table(X), y)
    model = splitsecond.OptimalTreeClassifier(max_depth=3, n_jobs=1)
    expected = scoring.find_path(model, data, 5, 0)
    assert run(*args).stdout == f"{expected}\n"
    found = result(*args)
    assert found["status"] == "complete"
    assert found["least_cv_loss"] == expected.best_.regularization
    assert found["within_one_standard_error"] == expected.one_standard_error_.regularization
    names = ("regularization", "low", "n_leaves", "loss", "cv_loss")
    for entry, row in zip(expected, found["path"], strict=True):
        assert [row[name] for name in names] == [getattr(entry, name) for name in names]
    out = tmp_path / "path.csv"
    assert run(*args, "--out", out).stdout == ""
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    assert [float(row["cv_loss"]) for row in rows] == [entry.cv_loss for entry in expected]
    short = result(*args, "--cv", 0, "--smallest", 0.02, "--largest", 0.1)
    assert "least_cv_loss" not in short
    assert all(row["low"] >= 0.02 and row["cv_loss"] is None for row in short["path"])


def test_a_path_that_is_cut_short(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*args: Any, **options: Any) -> splitsecond.RegularizationPath:
        assert options["time_limit"] == 30
        return splitsecond.RegularizationPath(
            regularization_path(*args, **options)[:], "time_limit"
        )

    regularization_path = scoring.regularization_path
    monkeypatch.setattr(scoring, "regularization_path", stopped)
    done = run("path", people, "--target", "outcome", "--time-limit", 30)
    assert done.exit_code == 3
    assert done.stdout.endswith("incomplete: time_limit\n")


# ---- show, predict, export -----------------------------------------------------------------------


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


# ---- sets ----------------------------------------------------------------------------------------


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
    assert [tree["objective"] for tree in page["trees"]] == [tree.objective for tree in part[:200]]
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


# ---- doctor --------------------------------------------------------------------------------------


def test_doctor_names_the_kind_of_every_column(tmp_path: Path) -> None:
    kinds = {
        **{name: values for name, values in columns().items() if name != "code"},
        "size": pa.DictionaryArray.from_arrays(
            pa.array([i % 3 for i in range(N_ROWS)], pa.int8()), ["S", "M", "L"], ordered=True
        ),
        "number_or_not": [str(i % 9) if i % 5 else "?" for i in range(N_ROWS)],
        "row": list(range(N_ROWS)),
        "name": [f"person {i}" for i in range(N_ROWS)],
    }
    path = write_parquet(tmp_path / "table.parquet", kinds)
    found = result("doctor", path, "--target", "outcome")
    assert {each["name"]: each["kind"] for each in found["columns"]} == {
        "age": "number",
        "income": "number",
        "job": "category",
        "member": "0/1",
        "same": "constant",
        "nothing": "all missing",
        "size": "ordered",
        "number_or_not": "category",
        "row": "number",
        "name": "category",
    }
    notes = {each["name"]: each["note"] for each in found["columns"]}
    assert "--blank '?'" in notes["number_or_not"]
    assert "--drop 'row'" in notes["row"]
    assert "--drop 'name'" in notes["name"]
    blanks = {each["name"]: each["blank"] for each in found["columns"]}
    assert (blanks["income"], blanks["nothing"], blanks["age"]) == (15, N_ROWS, 0)
    assert {each["algorithm"] for each in found["estimate"]["fits"]} == {
        "lickety",
        "split",
        "optimal",
    }


def test_doctor_says_what_is_an_estimate(people: Path) -> None:
    for more in ((), ("--target", "outcome")):
        text = run("doctor", people, *more).stdout
        assert "ESTIMATE, not a promise" in text
        assert "memory: up to about" in text


def test_doctor_finds_what_fit_would_refuse(tmp_path: Path) -> None:
    days = [f"2020-01-{1 + i % 28:02}" for i in range(N_ROWS)]
    path = write_csv(tmp_path / "table.csv", {**columns(), "day": days, "far": ["inf", 1] * 120})
    done = run("doctor", path, "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    refused = [each["name"] for each in found["columns"] if each["kind"] == "refused"]
    assert refused == ["day", "far"]
    assert "--drop 'day'" in found["problems"][0]
    assert run("fit", path, "--target", "outcome").exit_code == 1
    drops = ("--drop", "day", "--drop", "far")
    assert run("doctor", path, *drops).exit_code == 0
    assert run("fit", path, "--target", "outcome", *drops).exit_code == 0


# ---- data of its own -----------------------------------------------------------------------------


def test_bench_compares_with_cart() -> None:
    found = result("bench", "--data", "iris", "--data", "wine", "--repeats", 1, "--max-depth", 3)
    methods = ["lickety", "split", "optimal", "greedy", "CART (scikit-learn)"]
    assert [each["method"] for each in found["results"]] == methods * 2
    for begin in (0, 5):
        objectives = {each["method"]: each["objective"] for each in found["results"][begin:][:5]}
        assert objectives["optimal"] <= objectives["lickety"] <= objectives["greedy"] + 0.02
    assert all(0.5 < each["accuracy"] <= 1 for each in found["results"])
    assert "CART (scikit-learn)" in run("bench", "--data", "iris", "--repeats", 1).stdout


# ---- bars ----------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    """Takes what is written, and says that someone is watching."""

    def isatty(self) -> bool:
        return True


def test_bars_are_shown_on_a_terminal_only(
    people: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fit = partial(app, ["fit", str(people), "--target", "outcome", "--cv", "3"])
    fit(standalone_mode=False)
    silent = capsys.readouterr()
    monkeypatch.setattr("sys.stderr", Terminal())
    fit(standalone_mode=False)
    assert isinstance(sys.stderr, Terminal)
    assert "cross-validating" in sys.stderr.getvalue()
    assert "fitting" in sys.stderr.getvalue()
    assert silent.err == ""
    assert capsys.readouterr().out.count("\n") == silent.out.count("\n")
