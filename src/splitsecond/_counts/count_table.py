"""A count table: each pattern of answers that occurs, once, with the rows that have it.

No tree can tell rows apart that give the same answers to all questions, so that their number, and
the sum of their weights, is all that a search needs of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._binarizers.base import Binarizer
from splitsecond._support.names import public
from splitsecond._tables.bits import PackedTable


@public
@dataclass(frozen=True, eq=False)
class CountTable:
    """Rows of a table by the pattern of their answers; `compress` makes it of tables of any size.

    An *entry* is a pattern of answers together with a class (and a fold, if there are folds). Every
    estimator, set and path takes a count table in place of ``(X, y)``.
    """

    binarizer: Binarizer  # fitted: its `literals_` are the questions
    target: str  # name of the column that is to be predicted
    classes: NDArray[Any]  # labels; empty for numbers
    words: list[NDArray[np.uint64]]  # answers to each question: bits of the entries, 64 a word
    rows: NDArray[np.int64]  # of each entry, those of some weight
    codes: NDArray[np.int32]  # class of each entry
    weights: NDArray[np.float64] | None = None  # of each entry, all its rows; None: 1 a row
    folds: NDArray[np.int32] | None = None  # of each entry, from 0

    @property
    def n_entries(self) -> int:
        """Number of entries: patterns, once for each class and fold that they occur with."""
        return len(self.rows)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.rows.sum())

    def answers(self) -> PackedTable:
        """Return the entries as a table of 0/1 columns."""
        labels = self.binarizer._labels_in
        return PackedTable(self.n_entries, len(self.words), labels, self.words)
