"""Many files at once: they are compressed, and fits, paths and sets are those of the rows."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from cli_files import columns, result, run, write_csv, write_parquet
from pyarrow import csv, parquet

from splitsecond import CountTable, load
from splitsecond._cli import rows
from splitsecond._cli.data import read_data

UNIX = pytest.mark.skipif(sys.platform == "win32", reason="limits of files are of Unix")


@pytest.fixture
def table() -> dict[str, Any]:
    return columns()


@pytest.fixture
def folder(table: dict[str, Any], tmp_path: Path) -> Path:
    """Write the table in five Parquet files; without a column that one type cannot hold."""
    whole = pa.table(table)
    whole = whole.set_column(
        whole.column_names.index("nothing"), "nothing", whole["nothing"].cast(pa.string())
    )
    folder = tmp_path / "data"
    folder.mkdir()
    for start in range(0, whole.num_rows, 50):
        parquet.write_table(whole.slice(start, 50), folder / f"part-{start:03}.parquet")
    return folder


@pytest.fixture
def one(table: dict[str, Any], tmp_path: Path) -> Path:
    return write_parquet(tmp_path / "one.parquet", table)


def fitted(*args: Any) -> Any:
    found = result("fit", *args, "--target", "outcome", "--max-depth", 3)
    return {name: found[name] for name in ("tree", "objective", "rows", "training_accuracy")}


def test_many_files_give_the_tree_of_one(one: Path, folder: Path, tmp_path: Path) -> None:
    expected = fitted(one)
    assert expected["rows"] == 240
    counts = tmp_path / "counts.parquet"
    done = run("compress", folder, "--target", "outcome", "--out", counts)
    assert "240 rows" in done.stdout
    assert CountTable.load(counts).n_rows == 240
    for files in ([folder], [folder / "*.parquet"], sorted(folder.iterdir()), [counts]):
        assert fitted(*files) == expected


def test_csv_files_are_compressed_too(table: dict[str, Any], tmp_path: Path) -> None:
    for start in (0, 100):
        part = {
            name: values[start : start + (100 if start == 0 else 140)]
            for name, values in table.items()
        }
        write_csv(tmp_path / f"{start}.csv", part)
    whole = write_csv(tmp_path / "whole.tsv", table, separator="\t")
    expected = fitted(whole)
    assert fitted(tmp_path / "0.csv", tmp_path / "100.csv") == expected


def test_paths_sets_and_importances_take_folders(folder: Path, one: Path) -> None:
    target = ("--target", "outcome")
    few = (*target, "--max-depth", 2, "--regularization", 0.05)
    sets = [result("rashomon", files, *few) for files in (folder, one)]
    assert sets[0]["n_trees"] == sets[1]["n_trees"]
    assert sets[0]["best"] == sets[1]["best"]
    paths = [
        [entry | {"seconds": 0} for entry in result("path", files, *target, "--cv", 0)["path"]]
        for files in (folder, one)
    ]
    assert paths[0] == paths[1]
    scored = result("path", folder, *target, "--max-depth", 2, "--cv", 3)["path"]
    assert all(entry["cv_standard_error"] is not None for entry in scored)
    found = result("importance", folder, *few, "--bootstraps", 2)
    assert len(found["n_trees"]) == 2


def test_one_large_file_is_counted_too(
    table: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = write_parquet(tmp_path / "one.parquet", table)
    expected = fitted(one)
    reads: list[Any] = []
    monkeypatch.setattr(rows, "read_data", lambda *given: reads.append(given) or read_data(*given))
    monkeypatch.setattr(rows, "LARGE", 240 * len(table) + 1)
    assert (fitted(one), len(reads)) == (expected, 1)
    monkeypatch.setattr(rows, "LARGE", 240 * len(table))
    assert (fitted(one), len(reads)) == (expected, 1)
    target = ("--target", "outcome")
    for command in ("path", "rashomon"):
        assert run(command, one, *target, "--max-depth", 2).exit_code == 0
    assert len(reads) == 1
    for options in (  # that need the rows
        ["fit", "--test-size", 0.2],
        ["fit", "--cv", 3],
        ["fit", "--category", "code"],
        ["fit", "--regularization", "auto", "--scoring", "balanced_accuracy"],
        ["path", "--scoring", "balanced_accuracy"],
    ):
        command, *others = options
        done = run(command, one, *target, *others)
        assert done.exit_code == 0, done.stderr
    assert len(reads) == 6


def test_patterns_of_few_rows_can_be_left_out(folder: Path) -> None:
    options = ("compress", folder, "--target", "outcome", "--min-count")
    kept, all_of_them = result(*options, 4), result(*options, 1)
    assert kept["rows"] + kept["rows_left_out"] == all_of_them["rows"] == 240
    assert kept["patterns"] < all_of_them["patterns"]


def test_predictions_for_many_files_are_those_for_one(
    one: Path, folder: Path, tmp_path: Path
) -> None:
    model = tmp_path / "model.json"
    assert run("fit", one, "--target", "outcome", "--out", model).exit_code == 0
    expected = result("predict", model, one, "--proba", "--leaf", "--keep", "age")
    for name in ("found.parquet", "found.csv"):
        out = tmp_path / name
        done = run("predict", model, folder, "--proba", "--leaf", "--keep", "age", "--out", out)
        assert done.exit_code == 0, done.stderr
        read = parquet.read_table(out) if name.endswith("t") else csv.read_csv(out)
        assert read.to_pylist() == expected
    assert "give --out" in run("predict", model, folder).stderr
    for option in ("--vote", "--json"):
        refused = run("predict", model, folder, "--out", tmp_path / "no.csv", option)
        assert refused.exit_code == 1


def test_doctor_looks_at_folders(folder: Path, table: dict[str, Any]) -> None:
    found = result("doctor", folder, "--target", "outcome")
    assert {each["name"] for each in found["columns"]} == set(table) - {"outcome"}
    assert "240 rows of 5 of 5 files" in found["hints"][0]
    other = pa.table({**table, "age": [str(value) for value in table["age"]]})
    parquet.write_table(other, folder / "part-999.parquet")
    refused = run("doctor", folder)
    assert refused.exit_code == 1
    for word in ("age", "part-999.parquet", "string", "int64"):
        assert word in refused.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--test-size", 0.2], "--test-size is for a table in one file"),
        (["--cv", 3], "--cv is for a table in one file"),
        (["--regularization", "auto", "--scoring", "roc_auc"], "--scoring is for a table in one"),
        (["--separator", ";"], "--separator is for a table in one file"),
        (["--category", "code"], "--category is for a table in one file"),
        (["--binarizer", "none"], "--binarizer none is for a table of 0/1 columns"),
        (["--weight", "nope"], "nope"),
    ],
)
def test_options_of_one_file_are_refused(
    options: Sequence[Any], message: str, folder: Path
) -> None:
    done = run("fit", folder, "--target", "outcome", *options)
    assert done.exit_code == 1
    assert message in done.stderr


def test_a_count_table_has_its_own_target_and_weights(folder: Path, tmp_path: Path) -> None:
    counts = tmp_path / "counts.parquet"
    run("compress", folder, "--target", "outcome", "--weight", "member", "--out", counts)
    for options, message in (
        (["--target", "age"], "for the target 'outcome', not 'age'"),
        (["--target", "outcome", "--weight", "member"], "--weight has no meaning"),
        (["--target", "outcome", "--drop", "age"], "--drop has no meaning"),
        (["--target", "outcome", "--task", "regression"], "for classification"),
    ):
        done = run("fit", counts, *options)
        assert done.exit_code == 1
        assert message in done.stderr


def test_a_count_table_is_not_rows(folder: Path, one: Path, tmp_path: Path) -> None:
    counts, model = tmp_path / "counts.parquet", tmp_path / "model.json"
    run("compress", folder, "--target", "outcome", "--out", counts)
    run("fit", one, "--target", "outcome", "--out", model)
    trees = tmp_path / "trees.json"
    run("rashomon", one, "--target", "outcome", "--max-depth", 2, "--out", trees)
    for words in (
        ["compress", counts, "--target", "outcome"],
        ["fit", counts, one, "--target", "outcome"],
        ["predict", model, counts, "--out", tmp_path / "found.csv"],
        ["evaluate", trees, counts, "--target", "outcome"],
    ):
        done = run(*words)
        assert done.exit_code == 1
        for word in ("counts.parquet", "is a count table", "CountTable.load"):
            assert word in done.stderr, words


def test_a_damaged_file_is_named(folder: Path) -> None:
    damaged = folder / "part-100.parquet"
    content = damaged.read_bytes()
    damaged.write_bytes(content[: len(content) // 2])
    done = run("compress", folder, "--target", "outcome")
    assert done.exit_code == 1
    assert "part-100.parquet" in done.stderr
    shutil.rmtree(folder)
    assert "data" in run("compress", folder / "*.parquet", "--target", "outcome").stderr


@UNIX
@pytest.mark.slow
@pytest.mark.parametrize("command", ["compress", "predict", "predict.parquet"])
def test_nothing_is_left_when_the_disk_is_full(
    command: str, one: Path, folder: Path, tmp_path: Path
) -> None:
    model = tmp_path / "model.json"
    run("fit", one, "--target", "outcome", "--out", model)
    out = tmp_path / "results" / "out.parquet"
    out.parent.mkdir()
    out.write_bytes(b"before")
    words: list[Any] = ["compress", folder, "--target", "outcome", "--out", out]
    if command != "compress":
        name = "out.parquet" if command.endswith("t.parquet") else "out.csv"
        words = ["predict", model, folder, "--proba", "--out", out.with_name(name)]
    before = sorted(out.parent.iterdir())

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    done = subprocess.run(
        [sys.executable, "-m", "splitsecond", *map(str, words), "--force"],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "File too large" in done.stderr
    assert sorted(out.parent.iterdir()) == before
    assert out.read_bytes() == b"before"


def test_a_model_of_a_count_table_is_saved(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    assert run("fit", folder, "--target", "outcome", "--out", out).exit_code == 0
    assert load(out).tree_.n_rows[0] == 240
    assert json.loads(out.read_text())["format"]
