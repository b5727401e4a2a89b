"""Hashes of rows: of what they hold, whatever the types and the order of the partitions.

A number is its 64 bits as a float, a category what its key is; missing values are all alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._tables.cells import Cells

# Odd constants of good generators (splitmix64), and what missing values count as.
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
LAST_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
MISSING_BITS = np.uint64(0x7FF8000000000001)


def hash_rows(columns: Sequence[Cells], n_rows: int, seed: int) -> NDArray[np.uint64]:
    """Return a hash of each row, given all its columns in their order."""
    hashes = np.full(n_rows, _seeded(seed), dtype=np.uint64)
    shifted = np.empty_like(hashes)
    for cells in columns:
        hashes ^= _bits(cells)
        hashes *= MULTIPLIER
        np.right_shift(hashes, np.uint64(32), out=shifted)
        hashes ^= shifted
    hashes *= LAST_MULTIPLIER
    np.right_shift(hashes, np.uint64(29), out=shifted)
    hashes ^= shifted
    return hashes


def _bits(cells: Cells) -> NDArray[np.uint64]:
    if cells.numbers is not None:
        bits = (cells.numbers + 0.0).view(np.uint64)  # -0.0 becomes 0.0
        missing = np.isnan(cells.numbers)
        if missing.any():
            bits[missing] = MISSING_BITS
        return bits
    assert cells.codes is not None
    of_keys = np.array([*map(_key_bits, cells.keys), MISSING_BITS], dtype=np.uint64)
    return of_keys[cells.codes]


@lru_cache(maxsize=1 << 16)
def _key_bits(key: Any) -> int:
    text = key if isinstance(key, str) else repr(float(key) + 0.0)
    kind = b"t" if isinstance(key, str) else b"n"
    digest = hashlib.blake2b(kind + text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _seeded(seed: int) -> int:
    return int.from_bytes(hashlib.blake2b(str(seed).encode(), digest_size=8).digest(), "little")
