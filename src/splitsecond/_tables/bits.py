"""Numbers and columns as the core takes them."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._tables.binary import DenseTable, Table


@dataclass(frozen=True)
class PackedTable(Table):
    """Columns of bits, 64 rows a word."""

    words: list[NDArray[np.uint64]]

    def column(self, j: int) -> NDArray[np.uint8]:
        return _unpacked(self.words[j], self.n_rows)

    def differs(self) -> NDArray[np.uint8]:
        """Return 1 for each row that is not like the one before it; the first is not."""
        found = np.zeros(-(-self.n_rows // 64), dtype=np.uint64)
        for words in self.words:
            before = words << np.uint64(1)  # each bit is the one of the row before
            before[1:] |= words[:-1] >> np.uint64(63)
            found |= words ^ before
        found[:1] |= np.uint64(1)
        return _unpacked(found, self.n_rows)

    @property
    def held_bytes(self) -> int:
        return sum(column.nbytes for column in self.words)

    def constant(self) -> list[int]:
        return [j for j in range(self.n_columns) if len(np.unique(self.column(j))) == 1]

    def in_rows(self) -> DenseTable:
        rows = np.empty((self.n_rows, self.n_columns), dtype=np.uint8)
        for j in range(self.n_columns):
            rows[:, j] = self.column(j)
        return DenseTable(self.n_rows, self.n_columns, self.labels, [rows])

    def core(self) -> _core.Table:
        return _core.Table.packed(self.words, self.n_rows)


def pack_columns(table: Table, asked: Container[int], n_columns: int) -> list[NDArray[np.uint64]]:
    """Return the columns asked for as bits, 64 rows a word, and empty arrays for the others."""
    nothing = np.zeros(0, dtype=np.uint64)
    return [pack_bits(table.column(j)) if j in asked else nothing for j in range(n_columns)]


def _unpacked(words: NDArray[np.uint64], n_rows: int) -> NDArray[np.uint8]:
    bits = words.astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(bits, count=n_rows, bitorder="little")


def pack_bits(answers: NDArray[np.generic]) -> NDArray[np.uint64]:
    """Return a 0/1 column as bits, 64 rows a word."""
    packed = np.packbits(np.asarray(answers == 1), bitorder="little")
    padded = np.zeros(-(-len(packed) // 8) * 8, dtype=np.uint8)
    padded[: len(packed)] = packed
    return padded.view("<u8").astype(np.uint64)


def number_of(digits: Iterable[int]) -> int:
    """Return the number with these digits of 64 bits, the lowest first."""
    return sum(int(digit) << (64 * i) for i, digit in enumerate(digits))
