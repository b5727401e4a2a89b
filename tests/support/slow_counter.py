"""Counts for the core by plain numpy: the definition of a backend (src/bindings/counters.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core


class SlowCounter:
    """Counts rows that stand in a matrix of bytes."""

    def __init__(self, table: _core.PackedRows) -> None:
        shifts = np.arange(64, dtype=np.uint64)
        bits = (table.words[:, None, :] >> shifts[None, :, None]) & np.uint64(1)
        self.n_words = len(table.words)
        self.cells: NDArray[np.int64] = bits.reshape(-1, table.words.shape[1])[
            :, : table.n_columns
        ].astype(np.int64)
        # What each row counts in each channel; those that are not there, nothing.
        self.weights = np.zeros((len(self.cells), table.n_channels), dtype=np.int64)
        for channel, weight, begin, end in table.runs:
            self.weights[64 * begin : 64 * end, channel] = weight
        self.weights *= self.cells[:, -1:]
        self.asked = 0

    def rows(self, path: NDArray[np.int32]) -> NDArray[np.bool_]:
        rows: NDArray[np.bool_] = np.ones(len(self.cells), dtype=bool)
        for literal in path:
            if literal >= 0:
                rows &= self.cells[:, literal >> 1] == (literal & 1)
        return rows

    def count(self, paths: NDArray[np.int32]) -> NDArray[np.int32]:
        assert paths.dtype == np.int32
        assert paths.ndim == 2
        self.asked += len(paths)
        shape = (len(paths), self.weights.shape[1], self.cells.shape[1])
        counts = np.zeros(shape, dtype=np.int32)
        for i, path in enumerate(paths):
            rows = self.rows(path)
            counts[i] = self.weights[rows].T @ self.cells[rows]
        return counts

    def below(self, path: NDArray[np.int32]) -> SlowCounter:
        rows = self.rows(path)
        below = object.__new__(SlowCounter)
        below.__dict__.update(
            self.__dict__, cells=self.cells[rows], weights=self.weights[rows], asked=0
        )
        return below


def failing(error: BaseException, after: int) -> Any:
    """A backend that fails once so many paths were counted."""

    class Failing(SlowCounter):
        def count(self, paths: NDArray[np.int32]) -> NDArray[np.int32]:
            if self.asked >= after:
                raise error
            return super().count(paths)

    return Failing
