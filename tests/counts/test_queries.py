"""DuckDB relations and frames of polars give the count table that the rows in memory give."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from counted import check_same_counts
from engine_tables import compressed, mixed_frame
from pyarrow import parquet
from seeds import seeds


@pytest.mark.parametrize("seed", seeds(6))
def test_a_query_counts_as_the_rows_do(seed: int) -> None:
    frame = mixed_frame(seed)
    counts = compressed(frame)
    shuffled = frame.sample(frac=1, random_state=seed)
    with duckdb.connect() as connection:
        connection.register("rows", shuffled)
        check_same_counts(counts, compressed(connection.sql("select * from rows")))
        some = connection.sql("select * from rows where age >= 18 order by income")
        check_same_counts(counts, compressed(some, n_jobs=2))
    for polars in (pl.from_pandas(shuffled), pl.from_pandas(shuffled).lazy()):
        check_same_counts(counts, compressed(polars))
        check_same_counts(counts, compressed(polars, n_jobs=2))


def test_a_lazy_frame_of_files_is_read_in_batches(tmp_path: Path) -> None:
    frame = mixed_frame(1)
    for start in range(0, len(frame), 500):
        part = pa.Table.from_pandas(frame[start : start + 500], preserve_index=False)
        parquet.write_table(part, tmp_path / f"{start}.parquet")
    counts = compressed(frame)
    check_same_counts(counts, compressed(pl.scan_parquet(tmp_path / "*.parquet")))
    with duckdb.connect() as connection:
        check_same_counts(
            counts, compressed(connection.sql(f"select * from '{tmp_path}/*.parquet'"))
        )
    check_same_counts(counts, compressed(tmp_path))


def test_names_of_columns_may_be_anything() -> None:
    names = {"age": 'a "b" `c`', "job": "select", "ratio": "x, y"}
    frame = mixed_frame(2).rename(columns=names)
    counts = compressed(frame)
    with duckdb.connect() as connection:
        connection.register("rows", frame)
        check_same_counts(counts, compressed(connection.sql("select * from rows")))
    check_same_counts(counts, compressed(pl.from_pandas(frame).lazy()))


def test_categories_that_no_row_has_are_no_categories() -> None:
    frame = mixed_frame(3)
    used = compressed(frame.assign(group=frame["group"].astype("str")))
    found = compressed(pl.from_pandas(frame).filter(pl.col("age") >= 0).lazy())
    assert [str(each) for each in found.literals] == [str(each) for each in used.literals]
    (variable,) = (each for each in found.binarizer.variables_ if each.name == "group")
    assert variable.categories == ("a", "b", "c")


def test_a_query_that_changes_between_the_passes_is_refused() -> None:
    with duckdb.connect() as connection:
        connection.register("rows", mixed_frame(4))
        changing = connection.sql("select * from rows where random() < 0.5")
        with pytest.raises(ValueError, match="changed while it was read"):
            compressed(changing)
