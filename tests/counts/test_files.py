"""Folders as writers leave them: every file of a table is counted once, with the same types."""

from __future__ import annotations

import itertools
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from counted import StreamOf, check_same_counts, random_table
from pyarrow import parquet
from seeds import seeds

import splitsecond as ss

DICTIONARIES = [pa.dictionary(index, pa.string()) for index in (pa.int8(), pa.int16(), pa.int32())]


@pytest.fixture
def frame() -> Any:
    return random_table(np.random.RandomState(0)).drop(columns=["kind", "size"])


def write(rows: Any, path: Path) -> Path:
    table = rows
    if isinstance(rows, pd.DataFrame):
        table = pa.Table.from_pandas(rows, preserve_index=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(table, path)
    return path


def test_hidden_and_temporary_files_are_not_the_tables(frame: Any, tmp_path: Path) -> None:
    write(frame[:200], tmp_path / "a.parquet")
    write(frame[200:], tmp_path / "more" / "b.parquet")
    for name in ("_temporary/0/c.parquet", ".staging/c.parquet", "more/_c.parquet", ".c.parquet"):
        write(frame, tmp_path / name)
    for name in ("_SUCCESS", ".a.parquet.crc", "_metadata", "._SUCCESS.crc"):
        (tmp_path / name).write_bytes(b"")
    expected = ss.compress(frame, "y")
    for source in (tmp_path, tmp_path / "**", tmp_path / "**/*.parquet", tmp_path / "*"):
        check_same_counts(expected, ss.compress(source, "y"))
    assert ss.compress(tmp_path / "more" / "_c.parquet", "y").n_rows == 300  # asked for
    assert ss.compress(tmp_path / "more" / "_*.parquet", "y").n_rows == 300
    with pytest.raises(FileNotFoundError, match="No file matches"):
        ss.compress(tmp_path / "_temporary/?.csv", "y")


def test_a_folder_may_be_named_as_a_file(frame: Any, tmp_path: Path) -> None:
    whole = tmp_path / "x.parquet"
    write(frame[:100], whole / "part-0.snappy.parquet")
    write(frame[100:], whole / "part-1.snappy.parquet")
    (whole / "_SUCCESS").touch()
    expected = ss.compress(frame, "y")
    for source in (whole, tmp_path, tmp_path / "*.parquet"):
        check_same_counts(expected, ss.compress(source, "y"))


def test_a_file_that_is_named_twice_is_counted_once(
    frame: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "data"
    one = write(frame[:100], folder / "a.parquet")
    write(frame[100:], folder / "b" / "c.parquet")
    expected = ss.compress(frame, "y")
    for source in (
        folder / "**",
        folder / "**" / "*",
        [folder, one],
        [one, folder],
        [folder, folder / "*.parquet", str(folder / "b")],
        [folder, folder / "b" / ".." / "a.parquet"],
    ):
        check_same_counts(expected, ss.compress(source, "y"))
    monkeypatch.chdir(tmp_path)
    check_same_counts(expected, ss.compress(["data", one.absolute()], "y"))


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_add_no_rows(frame: Any, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    one = write(frame[:100], folder / "a.parquet")
    write(frame[100:], tmp_path / "elsewhere" / "c.parquet")
    (folder / "b").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (folder / "b" / "up").symlink_to(folder, target_is_directory=True)
    (folder / "latest.parquet").symlink_to(one)
    check_same_counts(ss.compress(frame, "y"), ss.compress(folder, "y"))


def in_partitions(frame: Any, folder: Path, names: list[str]) -> Path:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    parquet.write_to_dataset(table, folder, partition_cols=names)
    return folder


def test_folders_of_values_are_columns(frame: Any, tmp_path: Path) -> None:
    random = np.random.RandomState(1)
    frame["year"] = np.where(frame["y"] == "yes", 2024, 2023) + random.randint(0, 2, len(frame))
    frame["place"] = random.choice(["Zürich/West", "a=b", "c"], len(frame))
    folder = in_partitions(frame, tmp_path / "data", ["year", "place"])
    options: dict[str, Any] = {"columns": ["number", "year", "place"], "binarizer": "midpoint"}
    expected = ss.compress(frame, "y", **options)
    assert {"year", "place"} <= {each.name for each in expected.literals}
    files = sorted(folder.rglob("*.parquet"))
    sources = (
        folder,
        folder / "**/*.parquet",
        files,
        files[::-1],
        ds.dataset(folder, partitioning="hive"),
    )
    for source in sources:
        check_same_counts(expected, ss.compress(source, "y", **options))
    model = ss.LicketySPLITClassifier().fit(expected)
    found = ss.predict_batches(model, folder, keep=["year"]).read_pandas()
    assert found["year"].value_counts().to_dict() == frame["year"].value_counts().to_dict()


def test_values_of_folders_are_whole_numbers_if_all_are(frame: Any, tmp_path: Path) -> None:
    def kinds(source: Any) -> dict[str, str]:
        found = ss.compress(source, "y", columns=["code"], binarizer="midpoint").binarizer
        return {each.name: str(each.kind) for each in found.variables_}

    folder = tmp_path / "data"
    for place, value in enumerate(("01", "2", "-3", "__HIVE_DEFAULT_PARTITION__")):
        write(frame[place::4], folder / f"code={value}" / "x.parquet")
    files = sorted(folder.rglob("*.parquet"))
    for order in itertools.permutations(files):
        assert kinds(order) == {"code": str(ss.Kind.NUMBER)}
    assert kinds([*files, write(frame, folder / "code=x" / "x.parquet")]) == {"code": "category"}
    assert kinds([*files[::-1], folder]) == {"code": "category"}


def test_a_column_of_the_file_goes_before_that_of_its_folder(frame: Any, tmp_path: Path) -> None:
    both = frame.assign(year=2020 + np.arange(len(frame)) % 3)
    for year, rows in both.groupby("year"):
        kept = rows if year == 2020 else rows.drop(columns="year")
        write(kept, tmp_path / f"year={year}" / "x.parquet")
    check_same_counts(ss.compress(both, "y"), ss.compress(tmp_path, "y"))
    write(frame, tmp_path / "other.parquet")
    with pytest.raises(ValueError, match=r"other\.parquet has no column 'year', which"):
        ss.compress(tmp_path, "y")


def test_csv_files_in_folders_of_values(frame: Any, tmp_path: Path) -> None:
    rows = frame[["count", "y"]].assign(place=np.where(frame["flag"], "x", "z"))
    for place, part in rows.groupby("place"):
        (tmp_path / f"place={place}").mkdir()
        part.drop(columns="place").to_csv(tmp_path / f"place={place}" / "a.csv", index=False)
    check_same_counts(ss.compress(rows, "y"), ss.compress(tmp_path, "y"))


TEXTS = [pa.string(), pa.large_string(), pa.string_view(), *DICTIONARIES]
DECIMALS = [pa.decimal128(5, 2), pa.decimal128(30, 10), pa.decimal256(50, 3), pa.decimal128(4, 1)]
ORDERS = list(itertools.permutations([*DECIMALS[:2], pa.int32()]))


@pytest.mark.parametrize("column", ["text", "y"])
@pytest.mark.parametrize("first", TEXTS, ids=str)
def test_text_of_any_type_is_the_same(first: Any, column: str, frame: Any, tmp_path: Path) -> None:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    place = table.column_names.index(column)
    kinds = [first, *(kind for kind in TEXTS if kind != first)]
    for i, kind in enumerate(kinds):
        part = table.slice(i * 40, 40 if i < len(kinds) - 1 else None)
        values = as_text(part[column].combine_chunks(), kind)
        write(part.set_column(place, column, values), tmp_path / f"{i}.parquet")
    counts = ss.compress(tmp_path, "y")
    check_same_counts(ss.compress(frame, "y"), counts)
    model = ss.LicketySPLITClassifier(regularization=0.001).fit(counts)
    found = ss.predict_batches(model, tmp_path, keep=["text"]).read_all()
    assert found["text"].to_pylist() == table["text"].to_pylist()
    for kind in TEXTS:
        values = as_text(table[column].combine_chunks(), kind)
        one = table.set_column(place, column, values)
        check_same_counts(counts, ss.compress(one, "y"))
        check_same_counts(counts, ss.compress(StreamOf(one), "y"))


def as_text(column: Any, kind: Any) -> Any:
    text = column.cast(pa.string())
    return (text.dictionary_encode() if pa.types.is_dictionary(kind) else text).cast(kind)


@pytest.mark.parametrize("types", ORDERS, ids=str)
def test_decimals_of_any_precision_are_the_same(types: Any, frame: Any, tmp_path: Path) -> None:
    frame = frame.assign(price=np.random.RandomState(2).randint(0, 9, 300))
    options = {"weight": "price", "columns": ["number", "price2"]}
    expected = ss.compress(frame.assign(price2=frame["price"]), "y", **options)
    for i, kind in enumerate(types):
        table = pa.Table.from_pandas(frame[i * 100 : i * 100 + 100], preserve_index=False)
        values = pa.array([Decimal(value) for value in table["price"].to_pylist()]).cast(kind)
        table = table.set_column(table.column_names.index("price"), "price", values)
        write(table.append_column("price2", values), tmp_path / f"{i}.parquet")
    check_same_counts(expected, ss.compress(tmp_path, "y", **options))


@pytest.mark.parametrize("kind", [pa.string(), DICTIONARIES[0]], ids=str)
@pytest.mark.parametrize("number", [pa.int64(), pa.float32(), DECIMALS[1]], ids=str)
def test_numbers_and_text_are_not_the_same(kind: Any, number: Any, tmp_path: Path) -> None:
    text = as_text(pa.array(["1", "2", "3"]), kind)
    columns = {"empty": pa.nulls(3), "texts": text, "numbers": pa.array([1, 2, 3]).cast(number)}
    for name, values in columns.items():
        write(pa.table({"x": values, "y": ["a", "b", "a"]}), tmp_path / f"{name}.parquet")
    files = [tmp_path / f"{name}.parquet" for name in columns]
    for one, other, third in itertools.permutations(files):
        message = r"Column 'x' is .* in .*(texts|numbers)\.parquet and .* in .*(texts|numbers)\."
        with pytest.raises(ValueError, match=message):
            ss.compress([one, other, third], "y")


def test_ordered_categories_are_not_plain_text(frame: Any, tmp_path: Path) -> None:
    size = pd.Categorical(np.where(frame["flag"], "s", "l"), ["s", "m", "l"], ordered=True)
    write(frame.assign(size=size), tmp_path / "a.parquet")
    write(frame.assign(size=size.astype(str)), tmp_path / "b.parquet")
    with pytest.raises(ValueError, match=r"Column 'size' is .*string in .*b\.parquet and dict"):
        ss.compress(tmp_path, "y")


def test_two_columns_of_one_name(frame: Any, tmp_path: Path) -> None:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    good = write(table, tmp_path / "a.parquet")
    bad = write(table.append_column("flag", table["count"]), tmp_path / "b.parquet")
    for source in ([good, bad], [bad, good], bad, tmp_path):
        with pytest.raises(ValueError, match=r"b\.parquet has several columns named 'flag'"):
            ss.compress(source, "y")


def test_two_columns_of_one_name_in_csv(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("x,x,y\n1,2,3\n")
    with pytest.raises(ValueError, match=r"b\.csv has several columns named 'x'.* rename them"):
        ss.compress(tmp_path, "y")


@pytest.mark.parametrize("name", ["b.parquet", "b.csv"])
def test_empty_files(name: str, frame: Any, tmp_path: Path) -> None:
    write(frame, tmp_path / "a.parquet")
    (tmp_path / name).touch()
    for source in (tmp_path / name, tmp_path):
        with pytest.raises(ValueError, match=rf"{name} is empty \(0 bytes\): write it again"):
            ss.compress(source, "y")


@pytest.mark.parametrize("seed", seeds(40))
def test_damaged_files(seed: int, frame: Any, tmp_path: Path) -> None:
    """Whatever is wrong, the error names the file."""
    random = np.random.RandomState(seed)
    write(frame, tmp_path / "a.parquet")
    bad = write(frame, tmp_path / "b.parquet")
    content = np.frombuffer(bad.read_bytes(), dtype=np.uint8).copy()
    bad.write_bytes(content[: random.randint(1, len(content))].tobytes())
    with pytest.raises(ValueError, match=r"b\.parquet .*[Ww]rite it again, or leave it out"):
        ss.compress(tmp_path, "y")
    start = int(random.choice([0, random.randint(len(content)), len(content) - 200]))
    content[start : start + 100] = random.randint(0, 256, len(content[start : start + 100]))
    bad.write_bytes(content.tobytes())
    message = error_of(tmp_path)
    assert message is None or "b.parquet" in message  # values may have changed to others


def error_of(source: Any) -> str | None:
    try:
        ss.compress(source, "y")
    except ValueError as error:
        return str(error)
    return None


def test_a_file_that_is_gone_in_the_second_pass(frame: Any, tmp_path: Path) -> None:
    write(frame[:200], tmp_path / "a.parquet")
    second = write(frame[200:], tmp_path / "b.parquet")

    def remove(done: int, n_rows: int, _: float) -> None:
        if done == n_rows:
            second.unlink(missing_ok=True)

    with pytest.raises(ValueError, match=r"changed while it was read: .*b\.parquet is no longer"):
        ss.compress(tmp_path, "y", progress=remove)


def test_count_tables_are_not_rows(frame: Any, tmp_path: Path) -> None:
    counts = ss.compress(frame, "y")
    counts.save(tmp_path / "counts.parquet")
    sources = [
        tmp_path,
        tmp_path / "counts.parquet",
        [write(frame, tmp_path / "a.parquet"), tmp_path / "counts.parquet"],
        parquet.read_table(tmp_path / "counts.parquet"),
        ds.dataset(tmp_path / "counts.parquet"),
    ]
    for source in sources:
        with pytest.raises(ValueError, match=r"is a count table.*CountTable\.load"):
            ss.compress(source, "y")
    with pytest.raises(ValueError, match="a count table already"):
        ss.compress(counts, "y")
