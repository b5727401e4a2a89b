"""The command doctor."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
from cli_files import N_ROWS, columns, result, run, write_csv, write_parquet


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
    assert "--missing '?'" in notes["number_or_not"]
    assert "--drop 'row'" in notes["row"]
    assert "--drop 'name'" in notes["name"]
    missing = {each["name"]: each["missing"] for each in found["columns"]}
    assert (missing["income"], missing["nothing"], missing["age"]) == (15, N_ROWS, 0)
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


def test_doctor_hints_at_too_many_classes(tmp_path: Path) -> None:
    names = [f"person {i % 150}" for i in range(N_ROWS)]
    path = write_csv(tmp_path / "table.csv", {**columns(), "outcome": names})
    assert "150 classes" in result("doctor", path, "--target", "outcome")["hints"][0]
    assert "150 classes" in run("fit", path, "--target", "outcome").stderr
