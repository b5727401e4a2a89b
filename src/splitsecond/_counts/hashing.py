"""Hashes of rows: of what they hold, whatever the types and the order of the partitions.

A number is its 64 bits as a float, a category what its key is; missing values are all alike.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._tables.cells import Cells

# An odd constant of good generators (splitmix64).
MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
Hashes = NDArray[np.uint64]


def first_hashes(n_rows: int, seed: int) -> Hashes:
    """Return what the hashes of rows begin with."""
    return np.full(n_rows, _seeded(seed), dtype=np.uint64)


def add_codes(hashes: Hashes, cells: Cells) -> None:
    """Take a column of categories into account."""
    keys = np.array([_key_bits(key) for key in cells.keys], dtype=np.uint64)
    _core.hash_codes(hashes, np.ascontiguousarray(cells.codes, np.int32), keys)


def finished(hashes: Hashes) -> Hashes:
    """Return the hashes of rows, all of whose columns were taken into account."""
    mixed = hashes * MULTIPLIER
    return mixed ^ (mixed >> np.uint64(29))


@lru_cache(maxsize=1 << 16)
def _key_bits(key: Any) -> int:
    text = key if isinstance(key, str) else repr(float(key) + 0.0)
    kind = b"t" if isinstance(key, str) else b"n"
    digest = hashlib.blake2b(kind + text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _seeded(seed: int) -> int:
    return int.from_bytes(hashlib.blake2b(str(seed).encode(), digest_size=8).digest(), "little")
