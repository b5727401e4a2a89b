"""Rows are hashed by what they hold: the same from the core as by the definition."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from seeds import seeds

from splitsecond import _core

MULTIPLIER, MISSING = 0x9E3779B97F4A7C15, 0x7FF8000000000001
KINDS = ("f8", "f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")


def by_definition(hashed: int, value: float) -> int:
    """Take a number into a hash, one step after the other."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", float(value) + 0.0))
    hashed ^= MISSING if value != value else bits
    hashed = hashed * MULTIPLIER % 2**64
    return hashed ^ (hashed >> 32)


def numbers_of(kind: str, n: int, random: np.random.Generator) -> Any:
    values = random.integers(0, 100, n).astype(kind)
    if kind[0] == "f":
        values[random.random(n) < 0.3] = np.nan
        values[random.random(n) < 0.1] = -0.0
        values[random.random(n) < 0.1] = -np.pi
    return values


@pytest.mark.parametrize("seed", seeds(4))
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_all_types(kind: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    for n in (0, 1, 7, 8, 9, 300):
        values = numbers_of(kind, 2 * n, random)[::2]
        hashes = random.integers(0, 2**64, n, dtype=np.uint64)
        expected = [
            by_definition(*pair) for pair in zip(hashes.tolist(), values.tolist(), strict=True)
        ]
        low, high, has_missing, is_binary = _core.hash_numbers(hashes, values)
        assert hashes.tolist() == expected
        known = [value for value in values.tolist() if value == value]
        assert low == min(known, default=np.inf)
        assert high == max(known, default=-np.inf)
        assert has_missing == (len(known) < n)
        assert is_binary == all(value in (0, 1) for value in known)


def test_categories_by_their_keys() -> None:
    random = np.random.default_rng(0)
    keys = random.integers(0, 2**64, 5, dtype=np.uint64)
    codes = random.integers(-1, 5, 100).astype(np.int32)
    hashes = random.integers(0, 2**64, 100, dtype=np.uint64)
    bits = [MISSING if code < 0 else int(keys[code]) for code in codes]
    mixed = [(h ^ b) * MULTIPLIER % 2**64 for h, b in zip(hashes.tolist(), bits, strict=True)]
    _core.hash_codes(hashes, codes, keys)
    assert hashes.tolist() == [each ^ (each >> 32) for each in mixed]


def test_what_does_not_fit_is_refused() -> None:
    hashes = np.zeros(3, dtype=np.uint64)
    with pytest.raises(ValueError, match="every row must have a hash"):
        _core.hash_numbers(hashes, np.zeros(4))
    with pytest.raises(ValueError, match="every row must have a hash"):
        _core.hash_codes(hashes, np.zeros(2, dtype=np.int32), hashes)
    with pytest.raises(ValueError, match="a code has no key"):
        _core.hash_codes(hashes, np.array([0, 1, 3], dtype=np.int32), hashes)
