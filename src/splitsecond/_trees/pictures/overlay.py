"""New rows in a tree: how many come to each node, and which nodes one of them goes through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._tables.labels import codes_of
from splitsecond._trees.conditions import table_of_row

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree


@dataclass(frozen=True)
class Overlay:
    """New rows at each node; their classes, if they are known."""

    n_rows: NDArray[np.int64]
    counts: NDArray[np.int64] | None


def overlay_of(tree: Tree, X: Any, y: Any) -> Overlay | None:
    """Count new rows, if there are any."""
    if X is None:
        if y is not None:
            raise ValueError("y was given without X: give the rows that it belongs to.")
        return None
    leaves, n_nodes, n_classes = tree.apply(X), len(tree.feature), len(tree.classes)
    codes = np.zeros(len(leaves), dtype=int)
    if y is not None:
        codes = codes_of(y, tree.classes, len(leaves))
    cells = np.bincount(leaves * n_classes + codes, minlength=n_nodes * n_classes)
    counts = cells.reshape(n_nodes, n_classes)
    for node in reversed(range(n_nodes)):
        if tree.feature[node] >= 0:
            counts[node] = counts[tree.left[node]] + counts[tree.right[node]]
    return Overlay(counts.sum(axis=1), None if y is None else counts)


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
