"""What all trees of a set together say of rows: votes, and how far they disagree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._tables.binary import Table
from splitsecond._tables.bits import number_of, pack_columns


def vote_shares(
    graph: _core.Graph, table: Table, n_features: int, n_trees: int
) -> NDArray[np.float64]:
    """Return the share of the trees that predict each label, for each row of a table."""
    if n_trees == 0:
        raise ValueError("There is no tree to vote: the set is empty.")
    asked = set(graph.features())
    votes = graph.vote(pack_columns(table, asked, n_features), table.n_rows)
    if votes is None:
        raise KeyboardInterrupt
    digits = votes.reshape(table.n_rows, graph.n_labels, -1)
    if digits.shape[2] == 1 and n_trees < 2**53:
        shares: NDArray[np.float64] = digits[:, :, 0] / float(n_trees)
        return shares
    whole = [[number_of(cell) / n_trees for cell in row] for row in digits.tolist()]
    return np.array(whole)


def prediction_variance(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return half the probability that two trees disagree, given the shares of their votes."""
    ordered = np.sort(shares, axis=1)  # so that the same shares give the same sum
    variance: NDArray[np.float64] = (1 - (ordered**2).sum(axis=1)) / 2
    return np.maximum(variance, 0)


def disagreement(shares: NDArray[np.float64]) -> dict[str, float]:
    """Sum up over rows how much the trees disagree."""
    variance = prediction_variance(shares)
    return {
        "mean": float(variance.mean()),
        "std": float(variance.std()),
        "max": float(variance.max()),
        "disputed": float(np.mean((shares > 0).sum(axis=1) > 1)),
    }
