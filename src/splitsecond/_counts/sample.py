"""A sample of the different rows of a table that does not depend on how the table is divided.

What:    the k different rows of lowest hash, each with how many rows are like it. It is a function
         of the rows and the seed alone; with no more than k different rows it is the whole table.
Exact:   a row among the k lowest in the end was among them all along, so that none of its
         repetitions was missed.
Cost:    a hash of each row, and memory for some 2 k rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from splitsecond._support.column_types import joined
from splitsecond._support.messages import shown
from splitsecond._tables.errors import TableError

ALL = np.uint64(2**64 - 1)


class RowSample:
    """The rows of lowest hash among those seen until now."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.hashes: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)  # ascending
        self.counts: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.rows: pa.Table | None = None
        self._limit = ALL  # hashes above are not among the lowest
        self._waiting: list[tuple[NDArray[np.uint64], NDArray[np.int64], pa.Table]] = []
        self._n_waiting = 0

    def add(self, hashes: NDArray[np.uint64], batch: pa.RecordBatch) -> None:
        """Take a batch into account."""
        low = np.flatnonzero(hashes <= self._limit) if self._limit < ALL else np.arange(len(hashes))
        if not len(low):
            return
        distinct, first, counts = np.unique(hashes[low], return_index=True, return_counts=True)
        self._add(distinct, counts, low[first], batch)

    def combine(self, others: Sequence[Self]) -> None:
        """Take the samples of other rows into account."""
        for other in others:
            other.settle()
            if other.rows is not None:
                self._add(other.hashes, other.counts, np.arange(len(other.hashes)), other.rows)
        self.settle()

    def settle(self) -> None:
        """Keep the lowest alone, in the order of their hashes."""
        if not self._waiting:
            return
        parts = self._waiting
        if self.rows is not None:
            parts = [(self.hashes, self.counts, self.rows), *parts]
        hashes = np.concatenate([part[0] for part in parts])
        counts = np.concatenate([part[1] for part in parts])
        self.hashes, first, group = np.unique(hashes, return_index=True, return_inverse=True)
        self.counts = np.bincount(group.reshape(-1), counts, len(first)).astype(np.int64)
        self.hashes, self.counts = self.hashes[: self.size], self.counts[: self.size]
        rows = _together([part[2] for part in parts])
        self.rows = rows.take(pa.array(first[: self.size])).combine_chunks()
        if len(self.hashes) == self.size:
            self._limit = self.hashes[-1]
        self._waiting, self._n_waiting = [], 0

    def _add(
        self,
        hashes: NDArray[np.uint64],
        counts: NDArray[np.int64],
        places: NDArray[np.intp],
        source: pa.RecordBatch | pa.Table,
    ) -> None:
        """Add different rows; those that are known are counted, the others wait for their turn."""
        at = np.searchsorted(self.hashes, hashes)
        is_known = at < len(self.hashes)
        is_known[is_known] = self.hashes[at[is_known]] == hashes[is_known]
        self.counts[at[is_known]] += counts[is_known]
        new = np.flatnonzero(~is_known & (hashes <= self._limit))
        if not len(new):
            return
        rows = _plain(source.take(pa.array(places[new])))
        self._waiting.append((hashes[new], counts[new], rows))
        self._n_waiting += len(new)
        if self._n_waiting > max(self.size, 1000):
            self.settle()

    def __getstate__(self) -> dict[str, object]:
        self.settle()
        return vars(self)


def _together(parts: Sequence[pa.Table]) -> pa.Table:
    """Put rows below each other; partitions of a cluster may have types that mean the same."""
    schema = parts[0].schema
    for part in parts[1:]:
        if part.schema != schema:
            types = map(common_type, schema.names, schema.types, part.schema.types)
            schema = pa.schema(zip(schema.names, types, strict=True))
    return pa.concat_tables([part.cast(schema, safe=False) for part in parts])


def common_type(name: str, one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """Return a type for two parts of a column."""
    common = joined(one, other)
    if common is None:
        raise TableError(
            f"Column {shown(name)} is {one} in one part of the table and {other} in another: "
            "convert it to one type.",
            column=name,
        )
    return common


def _plain(rows: pa.RecordBatch | pa.Table) -> pa.Table:
    """Return rows with text in place of codes: those of other partitions have other codes."""
    table = pa.Table.from_batches([rows]) if isinstance(rows, pa.RecordBatch) else rows
    for place, column in enumerate(table.columns):
        if pa.types.is_dictionary(column.type):
            plain = column.cast(column.type.value_type)
            table = table.set_column(place, table.field(place).name, plain)
    return table
