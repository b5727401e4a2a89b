"""Opening what is to be compressed: anything that can be read twice, in Arrow batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa
import pyarrow.dataset as ds

from splitsecond._counts.changes import changed
from splitsecond._counts.count_table import CountTable
from splitsecond._counts.dask_frames import DaskSource, is_dask
from splitsecond._counts.engine import Engine, LocalEngine, Progress
from splitsecond._counts.queries import (
    batches_of_duckdb,
    batches_of_polars,
    is_duckdb,
    is_lazy_polars,
    schema_of_duckdb,
    schema_of_polars,
)
from splitsecond._counts.spark_frames import SparkSource, is_spark
from splitsecond._support.column_types import without_views
from splitsecond._support.messages import shown
from splitsecond._support.parquet_files import refuse_count_table
from splitsecond._support.table_files import dataset_of, refuse_same_names

READ_AHEAD = 2  # batches and files, besides those that threads work on


@runtime_checkable
class Source(Protocol):
    """A table, opened: its columns, and who reads it."""

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""

    def engine(self, n_threads: int, progress: Progress | None) -> Engine:
        """Return who reads it, given threads, and who is told of the progress."""


@dataclass(frozen=True)
class LocalSource:
    """A table that is read here, in batches of some of its columns."""

    schema: pa.Schema
    batches: Callable[[Sequence[str]], Iterable[pa.RecordBatch]]
    n_rows: int = 0  # 0: it is not known

    def engine(self, n_threads: int, progress: Progress | None) -> Engine:
        """Return threads that read it."""
        return LocalEngine(self.batches, n_rows=self.n_rows, n_threads=n_threads, progress=progress)


def open_source(source: Any) -> Source:
    """Open a table of any kind."""
    if isinstance(source, (str, os.PathLike)) or (
        isinstance(source, Sequence) and source and all(map(_is_path, source))
    ):
        paths = [source] if isinstance(source, (str, os.PathLike)) else list(source)
        return _of_dataset(dataset_of([Path(path) for path in paths]))
    if isinstance(source, CountTable):
        raise ValueError("source is a count table already: fit it as it is, or add it to others.")
    if isinstance(source, ds.Dataset):
        return _of_dataset(source)
    if isinstance(source, (pa.RecordBatchReader, ds.Scanner)):
        raise _only_once(source)
    table = _table_of(source)
    if table is not None:
        return _local(
            table.schema, lambda columns: table.select(list(columns)).to_batches(), table.num_rows
        )
    other = _of_query(source) or _of_cluster(source)
    if other is not None:
        return other
    if isinstance(source, Source):
        return source
    if hasattr(source, "__arrow_c_stream__"):
        return _of_arrow_stream(source)
    raise ValueError(
        f"source={shown(source)} of type {type(source).__name__} cannot be read: give paths of "
        "Parquet or CSV files, a pyarrow dataset or table, a DuckDB relation, or a data frame of "
        "pandas, polars, Dask or Spark."
    )


def _of_query(source: Any) -> Source | None:
    if is_duckdb(source):
        return _local(schema_of_duckdb(source), partial(batches_of_duckdb, source))
    if is_lazy_polars(source):
        return _local(schema_of_polars(source), partial(batches_of_polars, source))
    return None


def _of_cluster(source: Any) -> Source | None:
    if is_dask(source):
        return DaskSource(source)
    return SparkSource(source) if is_spark(source) else None


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
        try:
            yield from scanner.to_batches()
        except (pa.ArrowException, OSError) as error:
            raise _cannot_be_read(dataset, columns, error) from error

    is_parquet = isinstance(getattr(dataset, "format", None), ds.ParquetFileFormat)
    try:
        n_rows = dataset.count_rows() if is_parquet else 0
    except (pa.ArrowException, OSError) as error:
        raise _cannot_be_read(dataset, dataset.schema.names, error) from error
    return _local(dataset.schema, batches, n_rows)


def _cannot_be_read(
    dataset: ds.Dataset, columns: Sequence[str], error: BaseException
) -> ValueError:
    """Return an error that names the file: each is tried again."""
    for fragment in dataset.get_fragments():
        try:
            scanner = fragment.scanner(schema=dataset.schema, columns=list(columns))
            for _ in scanner.to_batches():
                pass
        except (pa.ArrowException, OSError) as own:
            path = getattr(fragment, "path", "A part of the dataset")
            if isinstance(own, FileNotFoundError):
                return changed(f"{path} is no longer there")
            return ValueError(f"{path} cannot be read: {own!s:.300}")
    return ValueError(f"The files cannot be read: {error!s:.300}")


def _of_arrow_stream(source: Any) -> Source:
    def reader() -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_stream(source)

    try:
        schema = reader().schema
        reader()
    except (pa.ArrowException, ValueError, RuntimeError) as error:
        raise _only_once(source) from error
    return _local(schema, lambda columns: (batch.select(list(columns)) for batch in reader()))


def _local(
    schema: pa.Schema, batches: Callable[[Sequence[str]], Iterable[pa.RecordBatch]], n_rows: int = 0
) -> LocalSource:
    """Return a table of rows; what is none is refused."""
    refuse_count_table(schema, "The table")
    refuse_same_names(schema, "The table")
    plain = pa.schema([field.with_type(without_views(field.type)) for field in schema])
    return LocalSource(plain, lambda columns: map(_without_views, batches(columns)), n_rows=n_rows)


def _without_views(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return text in the form that all of Arrow's functions take."""
    arrays = list(batch.columns)
    for i, array in enumerate(arrays):
        kind = without_views(array.type)
        if kind == array.type:
            continue
        if pa.types.is_dictionary(kind):
            keys = array.dictionary.cast(kind.value_type)
            arrays[i] = pa.DictionaryArray.from_arrays(array.indices, keys, ordered=kind.ordered)
        else:
            arrays[i] = array.cast(kind)
    return pa.RecordBatch.from_arrays(arrays, batch.schema.names)


def _only_once(source: Any) -> ValueError:
    return ValueError(
        f"source of type {type(source).__name__} can be read only once, and compress reads it "
        "twice: give the table, files or dataset that it comes from."
    )
