"""Data frames of Spark: `mapInArrow` on each partition, then partial results as rows.

Spark may run a task twice, and may lose rows that it moves if what they hold is not the same the
second time. So partial results carry the numbers of the partitions they are made of; one that is
there twice, or not at all, is an error and never a wrong count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from splitsecond._counts.cluster import FAN_IN, Packed, groups_of
from splitsecond._counts.engine import Combine, Partial, Progress, Work

SCHEMA = pa.schema(
    [("slot", pa.int32()), ("parts", pa.list_(pa.int32())), ("partial", pa.binary())]
)
IN_SPARK = "slot int, parts array<int>, partial binary"
Step = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


class SparkEngine:
    """Reads on the executors of the session that the data frame belongs to."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def reduce(
        self, columns: Sequence[str], work: Work[Partial], combine: Combine[Partial]
    ) -> Partial:
        """Return the combined results of all partitions."""
        packed = Packed(work, combine)
        frame = self._frame.select(*(f"`{name.replace('`', '``')}`" for name in columns))
        n_parts = n = frame.rdd.getNumPartitions()
        rows = frame.mapInArrow(_first(packed, groups_of(n)), IN_SPARK)
        while n > FAN_IN:
            n = groups_of(n)
            rows = rows.repartition(n, "slot").mapInArrow(_next(packed, groups_of(n)), IN_SPARK)
        found = _collected(rows)
        parts = sorted(part for row in found for part in row["parts"])
        if parts != list(range(n_parts)):
            raise RuntimeError(
                f"Spark returned the counts of {len(parts):,} partitions, and there are "
                f"{n_parts:,}, each to be counted once: run it again."
            )
        return packed.result([bytes(row["partial"]) for row in found])


def is_spark(source: Any) -> bool:
    """Whether this is a data frame of Spark."""
    return type(source).__module__.startswith("pyspark.sql") and hasattr(source, "mapInArrow")


@dataclass(frozen=True)
class SparkSource:
    """A data frame of Spark."""

    frame: Any

    @property
    def schema(self) -> pa.Schema:
        """The columns as Arrow has them."""
        from pyspark.sql.pandas.types import to_arrow_schema

        schema: pa.Schema = to_arrow_schema(self.frame.schema)
        return schema

    def engine(self, n_threads: int, progress: Progress | None) -> SparkEngine:
        """Return the executors; Spark shows its own progress."""
        return SparkEngine(self.frame)


def _first(packed: Packed[Any], n_slots: int) -> Step:
    def step(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        number = TaskContext.get().partitionId()
        yield _row(number % n_slots, [number], packed.of(batches))

    return step


def _next(packed: Packed[Any], n_slots: int) -> Step:
    def step(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = [row for batch in batches for row in batch.to_pylist()]
        if rows:
            parts = [part for row in rows for part in row["parts"]]
            combined = packed.combine([row["partial"] for row in rows])
            yield _row(rows[0]["slot"] % n_slots, parts, combined)

    return step


def _row(slot: int, parts: list[int], partial: bytes) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(
        [{"slot": slot, "parts": parts, "partial": partial}], schema=SCHEMA
    )


def _collected(rows: Any) -> list[Any]:
    from pyspark.errors import PythonException

    try:
        return list(rows.collect())
    except PythonException as error:
        if "No module named 'splitsecond'" in str(error):
            raise ImportError(
                "The executors of Spark have no splitsecond: install the same version in the "
                "Python that PYSPARK_PYTHON names there."
            ) from error
        raise
