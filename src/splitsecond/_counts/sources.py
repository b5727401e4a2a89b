"""Opening what is to be compressed: anything that can be read twice, in Arrow batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from splitsecond._counts.batches import is_text
from splitsecond._counts.dask_frames import DaskEngine, is_dask, schema_of_dask
from splitsecond._counts.engine import Engine, LocalEngine, Progress
from splitsecond._counts.files import dataset_of
from splitsecond._counts.queries import (
    batches_of_duckdb,
    batches_of_polars,
    is_duckdb,
    lazy_polars,
    schema_of_duckdb,
    schema_of_polars,
)
from splitsecond._counts.spark_frames import SparkEngine, is_spark, schema_of_spark
from splitsecond._support.messages import shown

Batches = Callable[[Sequence[str]], Iterable[pa.RecordBatch]]

READ_AHEAD = 2  # batches and files, besides those that threads work on


@dataclass(frozen=True)
class Source:
    """A table, opened: its columns, and who reads it."""

    schema: pa.Schema
    engine: Callable[[int, Progress | None], Engine]  # given threads, and who is told of progress
    batches: Batches | None = None  # of some columns; None: a cluster has them


def open_source(source: Any) -> Source:
    """Open a table of any kind."""
    if isinstance(source, (str, os.PathLike)) or (
        isinstance(source, Sequence) and source and all(map(_is_path, source))
    ):
        paths = [source] if isinstance(source, (str, os.PathLike)) else list(source)
        return _of_dataset(dataset_of([Path(path) for path in paths]))
    if isinstance(source, ds.Dataset):
        return _of_dataset(source)
    if isinstance(source, (pa.RecordBatchReader, ds.Scanner)):
        raise _only_once(source)
    table = _table_of(source)
    if table is not None:
        return _of_table(table)
    other = _of_query(source) or _of_cluster(source)
    if other is not None:
        return other
    if hasattr(source, "__arrow_c_stream__"):
        return _of_arrow_stream(source)
    raise ValueError(
        f"source={shown(source)} of type {type(source).__name__} cannot be read: give paths of "
        "Parquet or CSV files, a pyarrow dataset or table, a DuckDB relation, or a data frame of "
        "pandas, polars, Dask or Spark."
    )


def _of_query(source: Any) -> Source | None:
    if is_duckdb(source):
        return _of_batches(schema_of_duckdb(source), partial(batches_of_duckdb, source))
    frame = lazy_polars(source)
    if frame is not None:
        return _of_batches(schema_of_polars(frame), partial(batches_of_polars, frame))
    return None


def _of_cluster(source: Any) -> Source | None:
    if is_dask(source):
        return Source(schema_of_dask(source), lambda _, progress: DaskEngine(source, progress))
    if is_spark(source):
        return Source(schema_of_spark(source), lambda *_: SparkEngine(source))
    return None


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def _table_of(source: Any) -> pa.Table | None:
    """Return tables that are in memory as Arrow's."""
    if isinstance(source, pa.Table):
        return source
    if isinstance(source, pa.RecordBatch):
        return pa.Table.from_batches([source])
    if type(source).__module__.split(".")[0] == "pandas" and hasattr(source, "dtypes"):
        try:
            return pa.Table.from_pandas(source, preserve_index=False)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise ValueError(f"The data frame cannot be read: {error!s:.300}") from error
    return None


def _of_dataset(dataset: ds.Dataset) -> Source:
    def batches(columns: Sequence[str]) -> Iterable[pa.RecordBatch]:
        scanner = dataset.scanner(
            columns=list(columns),
            batch_readahead=READ_AHEAD,
            fragment_readahead=READ_AHEAD,
            use_threads=True,
            cache_metadata=False,
        )
        return scanner.to_batches()

    is_parquet = isinstance(getattr(dataset, "format", None), ds.ParquetFileFormat)
    n_rows = dataset.count_rows() if is_parquet else 0
    return _of_batches(dataset.schema, batches, n_rows)


def _of_table(table: pa.Table) -> Source:
    def batches(columns: Sequence[str]) -> Iterable[pa.RecordBatch]:
        return table.select(list(columns)).to_batches()

    return _of_batches(table.schema, batches, table.num_rows)


def _of_arrow_stream(source: Any) -> Source:
    def reader() -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_stream(source)

    try:
        schema = _without_views(reader().schema)
        reader()
    except (pa.ArrowException, ValueError, RuntimeError) as error:
        raise _only_once(source) from error

    def batches(columns: Sequence[str]) -> Iterable[pa.RecordBatch]:
        asked = pa.schema([schema.field(name) for name in columns])
        for batch in reader():
            yield batch.select(list(columns)).cast(asked)

    return _of_batches(schema, batches)


def _without_views(schema: pa.Schema) -> pa.Schema:
    """Return a schema whose text pyarrow can take rows of."""
    return pa.schema(
        [field.with_type(pa.string()) if is_text(field.type) else field for field in schema]
    )


def _of_batches(schema: pa.Schema, batches: Batches, n_rows: int = 0) -> Source:
    """Return a table that threads of this process read; `n_rows` 0: how many is not known."""
    _check_names(schema)

    def engine(n_threads: int, progress: Progress | None) -> Engine:
        return LocalEngine(batches, n_rows=n_rows, n_threads=n_threads, progress=progress)

    return Source(schema, engine, batches)


def _check_names(schema: pa.Schema) -> None:
    twice = next((name for name in schema.names if schema.names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"The table has several columns named {shown(twice)}: rename them.")


def _only_once(source: Any) -> ValueError:
    return ValueError(
        f"source of type {type(source).__name__} can be read only once, and compress reads it "
        "twice: give the table, files or dataset that it comes from."
    )
