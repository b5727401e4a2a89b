"""Queries as tables: DuckDB relations and LazyFrames of polars, run once for each pass.

Only the columns that are asked for are computed, and a few batches are in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from splitsecond._counts.engine import MAX_ROWS


def is_duckdb(source: Any) -> bool:
    """Whether this is a relation of DuckDB."""
    return type(source).__name__ == "DuckDBPyRelation"


def schema_of_duckdb(relation: Any) -> pa.Schema:
    """Return the columns of a relation."""
    schema: pa.Schema = pa.RecordBatchReader.from_stream(relation.limit(0)).schema
    return schema


def batches_of_duckdb(relation: Any, columns: Sequence[str]) -> Iterable[pa.RecordBatch]:
    """Run the query."""
    asked = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
    chosen = relation.project(asked)
    reader = getattr(chosen, "to_arrow_reader", chosen.fetch_arrow_reader)  # the new name first
    batches: Iterable[pa.RecordBatch] = reader(MAX_ROWS)
    return batches


def is_lazy_polars(source: Any) -> bool:
    """Whether this is a LazyFrame of polars."""
    kind = type(source)
    return kind.__module__.split(".")[0] == "polars" and kind.__name__ == "LazyFrame"


def schema_of_polars(frame: Any) -> pa.Schema:
    """Return the columns of a LazyFrame."""
    if not hasattr(frame, "collect_batches"):
        raise ImportError("This polars cannot collect a LazyFrame in batches: install a newer one.")
    schema: pa.Schema = frame.collect_schema().to_frame().to_arrow().schema
    return schema


def batches_of_polars(frame: Any, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Run the query by polars' streaming engine."""
    batches = frame.select(list(columns)).collect_batches(
        chunk_size=MAX_ROWS, maintain_order=True, lazy=True, engine="streaming"
    )
    for batch in batches:
        yield from batch.to_arrow().to_batches(MAX_ROWS)
