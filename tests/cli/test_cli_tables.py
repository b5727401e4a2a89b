"""How the command line reads tables: formats, pipes, encodings, columns."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import os
import re
import threading
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from cli_files import N_ROWS, columns, result, run, write_csv, write_parquet


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


def test_how_columns_are_read(tmp_path: Path) -> None:
    target = ["a", "b"] * 20
    codes = [7 if label == "a" else (3, 11)[i % 4 == 1] for i, label in enumerate(target)]
    path = write_csv(tmp_path / "table.tsv", {"code": codes, "y": target, "id": range(40)}, "\t")
    tree = result("fit", path, "--target", "y", "--drop", "id", "--category", "code")["tree"]
    assert tree["root"]["question"] == 'code == "7"'
    other = write_csv(tmp_path / "table.csv", {"x": ["?", 1] * 20, "y": target}, ";")
    tree = result("fit", other, "--target", "y", "--separator", ";", "--missing", "?")["tree"]
    assert tree["root"]["operator"] == "is 1"  # a category would be compared with text


def test_a_row_number_is_noted(tmp_path: Path) -> None:
    table = {"id": np.arange(7, 7 + N_ROWS), **columns()}
    file = write_csv(tmp_path / "numbered.csv", table)
    fitted = run("fit", file, "--target", "outcome")
    assert "'id' (no value twice, 7 to 246) looks like a row number" in fitted.stderr
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
    assert (
        "warning: column 'reading' is used as a category, not as a number: 1 of its 240 values is "
        "not a number, '?' in data row 4 (line 5 of the file). To use numbers, correct that in the "
        "file, or give --missing '?' if it stands for missing values; if it is a category, give "
        "--category 'reading'."
    ) in said
    for option in (("--missing", "?"), ("--category", "reading")):
        again = run("fit", file, "--target", "outcome", *option).stderr
        assert "not as a number" not in again
    assert "numbers but for '?'" in run("doctor", file).stdout
    assert "identifier" not in run("fit", file, "--target", "outcome", "--drop", "who").stderr


def test_numbers_as_text_are_noted(tmp_path: Path) -> None:
    pay = [f"{1000 + 997 * i:,}" for i in range(N_ROWS)]
    table = {"pay": pay, "years": [str(i % 40) for i in range(N_ROWS)], **columns()}
    path = write_parquet(tmp_path / "text.parquet", table)
    noted = run("fit", path, "--target", "outcome").stderr
    assert (
        "warning: column 'pay' is used as a category, not as a number: it is text that holds "
        "numbers. To use numbers, write them without ','; if it is a category, give --category"
    ) in noted
    assert "column 'years' is used as a category, not as a number" in noted
    said = run("doctor", path).stdout
    assert "numbers as text? then write them without ','" in said
    assert "numbers as text? then store them as numbers" in said
    codes = ("--category", "pay", "--category", "years")
    assert "holds numbers" not in run("fit", path, "--target", "outcome", *codes).stderr
    as_text = result("fit", path, "--target", "outcome")["tree"]
    assert result("fit", path, "--target", "outcome", *codes)["tree"] == as_text


@pytest.mark.parametrize(
    "options", [["--test-size", 0.2], ["--cv", 3], ["--regularization", "1se"]]
)
def test_words_are_named_once_by_their_place_in_the_file(
    tmp_path: Path, options: list[Any]
) -> None:
    ages = ["thirty" if i in range(30, 36) else 20 + i % 40 for i in range(N_ROWS)]
    path = write_csv(tmp_path / "ages.csv", {**columns(), "age": ages})
    (said,) = [
        line
        for line in run("fit", path, "--target", "outcome", *options).stderr.splitlines()
        if "'age'" in line
    ]
    place = r"not numbers, the first 'thirty' in data row (\d+) \(line (\d+) of the file\)"
    found = re.search(rf"of its (192|240) values are {place}", said)
    assert found is not None
    assert ages[int(found[2]) - 1] == "thirty"
    assert int(found[3]) == int(found[2]) + 1


@pytest.mark.parametrize("name", ["[a]", "{a}", "[1]", "[ ]", "€", "a\x01b"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_names_that_begin_unusually(tmp_path: Path, name: str, encoding: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f"{name},y\n" + "1,ja\n2,nein\n" * 20, encoding=encoding)
    options = () if encoding.startswith("utf-8") else ("--encoding", encoding)
    found = result("fit", path, "--target", "y", *options)
    assert found["tree"]["root"]["variable"] == name


def test_other_encodings(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes("größe,y\n1,ja\n2,nein\n1,ja\n2,nein\n".encode("latin-1"))
    found = result("fit", path, "--target", "y", "--encoding", "latin-1")
    assert found["tree"]["root"]["variable"] == "größe"
