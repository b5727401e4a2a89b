"""Numbers and columns as the core takes them."""

from __future__ import annotations

from collections.abc import Container, Iterable

import numpy as np
from numpy.typing import NDArray

from splitsecond._input import Table


def pack_columns(table: Table, asked: Container[int], n_columns: int) -> list[NDArray[np.uint64]]:
    """Return the columns asked for as bits, 64 rows a word, and empty arrays for the others."""
    nothing = np.zeros(0, dtype=np.uint64)
    return [_bits(table.column(j)) if j in asked else nothing for j in range(n_columns)]


def _bits(answers: NDArray[np.generic]) -> NDArray[np.uint64]:
    packed = np.packbits(np.asarray(answers == 1), bitorder="little")
    padded = np.zeros(-(-len(packed) // 8) * 8, dtype=np.uint8)
    padded[: len(packed)] = packed
    return padded.view("<u8").astype(np.uint64)


def number_of(digits: Iterable[int]) -> int:
    """Return the number with these digits of 64 bits, the lowest first."""
    return sum(int(digit) << (64 * i) for i, digit in enumerate(digits))
