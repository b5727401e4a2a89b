"""Parts of the rows of a count table: folds, and bootstrap samples.

Rows of one entry are alike in all that a fit sees, so that it does not matter which of them are in
which fold: numbers of them are shared out.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from splitsecond._counts.count_table import CountTable


def with_folds(counts: CountTable, n_folds: int, seed: int) -> CountTable:
    """Share the rows out to folds of equal size, class by class, by chance."""
    random = np.random.RandomState(seed)
    order = random.permutation(counts.n_entries)
    if not counts.is_of_numbers:  # classes one after the other, so that each is shared out evenly
        order = order[np.argsort(counts.codes[order], kind="stable")]
    rows = counts.rows[order]
    begins = np.cumsum(rows) - rows
    fold = np.arange(n_folds)
    # Rows stand in a line, and go to the folds in turn.
    before = (begins[:, None] - fold + n_folds - 1) // n_folds
    after = (begins[:, None] + rows[:, None] - fold + n_folds - 1) // n_folds
    shares = np.empty((counts.n_entries, n_folds), dtype=np.int64)
    shares[order] = after - before
    places, folds = np.nonzero(shares)
    return parts_of(counts, places, shares[places, folds], folds.astype(np.int32))


def parts_of(
    counts: CountTable,
    places: NDArray[np.intp],
    rows: NDArray[np.int64],
    folds: NDArray[np.int32] | None,
) -> CountTable:
    """Return so many rows of each of some entries."""
    weights = counts.weights
    if weights is not None:
        weights = weights.shared(counts.rows).take(places)
    return replace(
        counts.take(places),
        rows=rows,
        n_rows=counts.n_rows if folds is not None else int(rows.sum()),
        weights=weights,
        folds=folds,
    )
