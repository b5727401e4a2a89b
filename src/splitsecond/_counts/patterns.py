"""Counting rows by the pattern of their answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass
class Patterns:
    columns: list[NDArray[np.uint64]]
    keys: NDArray[np.int32]
    sums: list[NDArray[np.int64]]


class PatternCounts:
    """Stand-in for the core's."""

    def __init__(self, n_columns: int, n_sums: int) -> None:
        self.n_columns, self.n_sums = n_columns, n_sums
        self._sums: dict[bytes, list[int]] = {}

    @property
    def n_entries(self) -> int:
        return len(self._sums)

    @property
    def n_bytes(self) -> int:
        return 200 * len(self._sums)

    def add(
        self,
        words: Sequence[NDArray[np.uint64]],
        n_rows: int,
        keys: NDArray[np.int32],
        sums: Sequence[NDArray[np.int64] | None],
    ) -> None:
        bits = np.zeros((n_rows, self.n_columns), dtype=np.uint8)
        for j, column in enumerate(words):
            bits[:, j] = np.unpackbits(column.view(np.uint8), count=n_rows, bitorder="little")
        packed = np.packbits(bits, axis=1) if self.n_columns else np.zeros((n_rows, 0), np.uint8)
        whole = np.concatenate(
            [packed, keys.astype(">i4").view(np.uint8).reshape(n_rows, 4)], axis=1
        )
        present = np.flatnonzero(keys >= 0)
        if not len(present):
            return
        distinct, inverse = np.unique(whole[present], axis=0, return_inverse=True)
        inverse = inverse.reshape(-1)
        parts = []
        for each in sums:
            values = np.ones(n_rows, dtype=np.int64) if each is None else each
            total = np.zeros(len(distinct), dtype=np.int64)
            np.add.at(total, inverse, values[present])
            parts.append(total)
        for i, row in enumerate(distinct):
            own = self._sums.setdefault(row.tobytes(), [0] * self.n_sums)
            for s in range(self.n_sums):
                own[s] += int(parts[s][i])

    def merge(self, other: PatternCounts) -> None:
        for key, sums in other._sums.items():
            own = self._sums.setdefault(key, [0] * self.n_sums)
            for s in range(self.n_sums):
                own[s] += sums[s]

    def result(self) -> Patterns:
        from splitsecond._tables.bits import pack_bits

        ordered = sorted(self._sums)
        n = len(ordered)
        raw = np.frombuffer(b"".join(ordered), dtype=np.uint8).reshape(n, -1)
        bits = np.unpackbits(raw[:, :-4], axis=1)[:, : self.n_columns]
        keys = np.ascontiguousarray(raw[:, -4:]).view(">i4").reshape(-1).astype(np.int32)
        sums = np.array([self._sums[key] for key in ordered], dtype=np.int64).reshape(
            n, self.n_sums
        )
        words = [pack_bits(bits[:, j]) for j in range(self.n_columns)]
        return Patterns(words, keys, list(np.ascontiguousarray(sums.T)))
