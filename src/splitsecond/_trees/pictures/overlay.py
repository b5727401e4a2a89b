"""New rows in a tree: how many come to each node, and which nodes one of them goes through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._solving.number_losses import N_SUMS, OfNumbers
from splitsecond._tables.labels import codes_of
from splitsecond._tables.numbers import read_numbers
from splitsecond._tables.weights import check_sample_weight
from splitsecond._trees.conditions import table_of_row
from splitsecond._trees.intervals import Limits, share_intervals, value_intervals
from splitsecond._trees.scoring import score_of

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree


@dataclass(frozen=True)
class Overlay:
    """New rows at each node; their classes, or bins of their numbers, if they are known."""

    n_rows: NDArray[np.int64]
    counts: NDArray[np.int64] | None
    sums: NDArray[np.float64] | None = None  # of numbers, by the loss
    loss: OfNumbers | None = None
    score: float | None = None

    def intervals(self, level: Any, method: str) -> Limits:
        """Return the intervals of class shares, or of means, at each node."""
        if self.sums is not None:
            assert self.loss is not None
            return value_intervals(self.loss, self.sums, self.n_rows, level, method)
        assert self.counts is not None
        return share_intervals(self.counts, level, method)


def overlay_of(tree: Tree, X: Any, y: Any, sample_weight: Any = None) -> Overlay | None:
    """Count new rows, if there are any."""
    if X is None:
        for name, given in (("y", y), ("sample_weight", sample_weight)):
            if given is not None:
                raise ValueError(f"{name} was given without X: give the rows that it belongs to.")
        return None
    if isinstance(tree.loss, OfNumbers):
        return _of_numbers(tree, tree.loss, tree.apply(X), y, sample_weight)
    if sample_weight is not None:
        raise ValueError(
            "sample_weight was given, but rows of classes are counted, whatever they weigh: leave "
            "it out."
        )
    leaves, n_nodes, n_classes = tree.apply(X), len(tree.feature), len(tree.classes)
    codes = np.zeros(len(leaves), dtype=int)
    if y is not None:
        codes = codes_of(y, tree.classes, len(leaves))
    cells = np.bincount(leaves * n_classes + codes, minlength=n_nodes * n_classes)
    counts = cells.reshape(n_nodes, n_classes)
    _add_up(tree, counts)
    return Overlay(counts.sum(axis=1), None if y is None else counts)


def _of_numbers(
    tree: Tree, loss: OfNumbers, leaves: NDArray[np.int64], y: Any, sample_weight: Any
) -> Overlay:
    """Count new rows by bins of their numbers, and sum what their means and losses are made of."""
    n_nodes = len(tree.feature)
    weights = None
    if sample_weight is not None:
        weights = check_sample_weight(sample_weight, len(leaves))
    present = np.arange(len(leaves)) if weights is None else np.flatnonzero(weights > 0)
    here = leaves[present]
    if y is None:
        n_rows = np.bincount(here, minlength=n_nodes)
        _add_up(tree, n_rows)
        return Overlay(n_rows, None)
    read = read_numbers(y, len(leaves), loss=loss.name)
    numbers = read.values[present]
    own = type(loss).fitted(numbers, read.offset) if len(numbers) else loss
    of_rows = own.sums(numbers, None if weights is None else weights[present])
    sums = np.zeros((n_nodes, N_SUMS))
    for i, each in enumerate(of_rows):
        sums[:, i] = np.bincount(here, each, minlength=n_nodes)
    assert tree.bins is not None
    n_bins = len(tree.bins) - 1
    bin_of = np.searchsorted(tree.bins[1:-1], numbers + read.offset, side="left")
    cells = np.bincount(here * n_bins + bin_of, minlength=n_nodes * n_bins)
    counts = cells.reshape(n_nodes, n_bins)
    _add_up(tree, sums)
    _add_up(tree, counts)
    score = score_of(tree, leaves, y, sample_weight, "The tree") if len(numbers) else None
    return Overlay(counts.sum(axis=1), counts, sums, own, score)


def _add_up(tree: Tree, counts: NDArray[Any]) -> None:
    """Give nodes that ask what their leaves have."""
    for node in reversed(range(len(tree.feature))):
        if tree.feature[node] >= 0:
            counts[node] = counts[tree.left[node]] + counts[tree.right[node]]


def nodes_of_row(tree: Tree, row: Any) -> list[int]:
    """Return the leaf of a row and the nodes on the way to it; none without a row."""
    if row is None:
        return []
    leaf = int(tree.apply(table_of_row(tree, row, "path"))[0])
    path = [leaf]
    for node in reversed(range(leaf)):
        if path[-1] in (tree.left[node], tree.right[node]):
            path.append(node)
    return path
