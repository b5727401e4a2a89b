"""What all trees of a set together say of rows: votes, and how far they disagree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._solving.number_losses import OfNumbers
from splitsecond._tables.binary import Table
from splitsecond._tables.bits import number_of, pack_columns
from splitsecond._trees.set_tree import TreeSource


def vote_shares(
    graph: _core.Graph, table: Table, n_features: int, n_trees: int
) -> NDArray[np.float64]:
    """Return the share of the trees that predict each label, for each row of a table."""
    votes = graph.vote(_columns(graph, table, n_features, n_trees), table.n_rows)
    if votes is None:
        raise KeyboardInterrupt
    digits = votes.reshape(table.n_rows, graph.n_labels, -1)
    if digits.shape[2] == 1 and n_trees < 2**53:
        shares: NDArray[np.float64] = digits[:, :, 0] / float(n_trees)
        return shares
    whole = [[number_of(cell) / n_trees for cell in row] for row in digits.tolist()]
    return np.array(whole)


def _columns(
    graph: _core.Graph, table: Table, n_features: int, n_trees: int
) -> list[NDArray[np.uint64]]:
    """Return the answers that trees ask for, if there is a tree."""
    if n_trees == 0:
        raise ValueError("There is no tree to vote: the set is empty.")
    return pack_columns(table, set(graph.features()), n_features)


@dataclass(frozen=True)
class NumberVotes:
    """The numbers that all trees predict for each row."""

    mean: NDArray[np.float64]
    variance: NDArray[np.float64]  # infinite or 0 where it is beyond floats
    spread: NDArray[np.float64]  # the variance in the loss's own numbers, which floats hold
    deviation: NDArray[np.float64]  # the root of the variance
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]

    def disagreement(self) -> dict[str, float]:
        """Sum up over rows how much the trees disagree."""
        return _summary(self.variance, self.minimum < self.maximum)


def number_votes(
    graph: _core.Graph, table: Table, n_features: int, n_trees: int, source: TreeSource
) -> NumberVotes:
    """Return mean and spread of what the trees predict, for each row of a table."""
    columns = _columns(graph, table, n_features, n_trees)
    votes = graph.vote_numbers(columns, table.n_rows, source.means)
    if votes is None:
        raise KeyboardInterrupt
    mean, variance, minimum, maximum = votes.reshape(table.n_rows, -1).T
    loss = source.loss
    assert isinstance(loss, OfNumbers)
    said = (loss.value(np.stack([np.ones_like(x), x], axis=-1)) for x in (mean, minimum, maximum))
    mean, minimum, maximum = said
    with np.errstate(over="ignore", under="ignore"):  # beyond floats, it is infinite or 0
        in_squares, deviation = variance * loss.scale * loss.scale, np.sqrt(variance) * loss.scale
    return NumberVotes(mean, in_squares, variance, deviation, minimum, maximum)


def prediction_variance(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return half the probability that two trees disagree, given the shares of their votes."""
    ordered = np.sort(shares, axis=1)  # so that the same shares give the same sum
    variance: NDArray[np.float64] = (1 - (ordered**2).sum(axis=1)) / 2
    return np.maximum(variance, 0)


def disagreement(shares: NDArray[np.float64]) -> dict[str, float]:
    """Sum up over rows how much the trees disagree."""
    return _summary(prediction_variance(shares), (shares > 0).sum(axis=1) > 1)


def _summary(variance: NDArray[np.float64], is_disputed: NDArray[np.bool_]) -> dict[str, float]:
    with np.errstate(over="ignore", invalid="ignore"):  # of variances beyond floats
        return {
            "mean": float(variance.mean()),
            "std": float(variance.std()),
            "max": float(variance.max()),
            "disputed": float(np.mean(is_disputed)),
        }
