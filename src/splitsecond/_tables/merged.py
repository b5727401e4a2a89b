"""Rows of a table that stand for several rows which no tree can tell apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Merged:
    """How many rows each row of a table of answers stands for, and what they weigh."""

    rows: NDArray[np.int64]  # those of some weight
    integers: NDArray[np.int64]  # what they weigh together, as the core counts it
    n_rows: int  # in all, those without weight too
    weight: float  # of all rows, in the user's weights
    is_weighted: bool  # whether rows have weights of their own

    @property
    def n_present(self) -> int:
        """Rows of some weight."""
        return int(self.rows.sum())

    @property
    def counted_rows(self) -> NDArray[np.int32]:
        """The rows as the core takes them: without weight they count for nothing, but are some."""
        return np.maximum(self.rows, 1).astype(np.int32)
