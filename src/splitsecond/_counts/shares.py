"""Parts of the rows of a count table: folds, and bootstrap samples.

Rows of one entry are alike in all that a fit sees, so that it does not matter which of them are in
which fold: numbers of them are shared out.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from splitsecond._counts.count_table import CountTable

MAX_DEALT = 10**9  # rows that numpy deals one by one


def with_folds(counts: CountTable, n_folds: int, seed: int) -> CountTable:
    """Share the rows out to folds of equal size, class by class, by chance."""
    random = np.random.default_rng(seed)
    shares = np.zeros((counts.n_entries, n_folds), dtype=np.int64)
    n_classes = 1 if counts.is_of_numbers else len(counts.classes)
    begun = 0  # rows of the classes before: the folds take turns
    for code in range(n_classes):
        places = np.arange(counts.n_entries)
        if not counts.is_of_numbers:
            places = np.flatnonzero(counts.codes == code)
        rows = counts.rows[places]
        end = begun + int(rows.sum())
        sizes = [
            _turns(end, fold, n_folds) - _turns(begun, fold, n_folds) for fold in range(n_folds)
        ]
        shares[places] = _dealt(random, rows, sizes)
        begun = end
    places, folds = np.nonzero(shares)
    return parts_of(counts, places, shares[places, folds], folds.astype(np.int32))


def _turns(rows: int, fold: int, n_folds: int) -> int:
    """Return how many of the first rows a fold gets if they go to all in turn."""
    return (rows - fold + n_folds - 1) // n_folds


def _dealt(
    random: np.random.Generator, rows: NDArray[np.int64], sizes: list[int]
) -> NDArray[np.int64]:
    """Deal rows to folds as if they were shuffled: [entries, folds]."""
    if sum(sizes) >= MAX_DEALT:  # then all folds are of about the same size anyway
        return random.multinomial(rows, np.full(len(sizes), 1 / len(sizes)))
    dealt, left = [], rows
    for size in sizes[:-1]:
        dealt.append(random.multivariate_hypergeometric(left, size, method="marginals"))
        left = left - dealt[-1]
    return np.stack([*dealt, left], axis=1)


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
        fold_labels=None if folds is None else tuple(range(int(folds.max()) + 1)),
    )
