"""How many training rows of each class are at the nodes of trees, whatever their weights.

The core counts weight. Where all rows weigh the same, that tells their number; elsewhere the rows
are followed down the tree. Rows of weight 0 are as good as absent, here as in the search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._sets.graph_arrays import GraphArrays
from splitsecond._support.names import public
from splitsecond._tables.binary import Table

Places = Any  # what is at a node: rows of a table, or nodes of a graph and how many rows


@public
class RowSource:
    """Tells the rows at nodes; this one, where every unit of the core's weights is a row."""

    def of_tree(
        self,
        feature: NDArray[np.int32],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        units: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Count rows by class at each node of a tree whose weights are given."""
        return units

    def of_graph(self, graph: GraphArrays) -> NDArray[np.int64] | None:
        """Count rows by class: all of them, then those on the yes-side of each edge of a graph.

        Not at its nodes: leaves of the same weight share one, though their rows may differ. None:
        weights tell.
        """
        return None


class _Followed(RowSource):
    """Rows that are followed from the root on."""

    n_classes: int

    def start(self) -> Places:
        raise NotImplementedError

    def child(self, places: Places, feature: int, is_yes: bool) -> Places:
        raise NotImplementedError

    def counts(self, places: Places) -> NDArray[np.int64]:
        raise NotImplementedError

    def of_tree(
        self,
        feature: NDArray[np.int32],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        units: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        found = np.zeros((len(feature), self.n_classes), dtype=np.int64)
        waiting = [(0, self.start())]
        while waiting:
            node, places = waiting.pop()
            found[node] = self.counts(places)
            asked = int(feature[node])
            if asked >= 0:
                waiting.append((int(left[node]), self.child(places, asked, True)))
                waiting.append((int(right[node]), self.child(places, asked, False)))
        return found

    def of_graph(self, graph: GraphArrays) -> NDArray[np.int64] | None:
        begins, edges = graph.edge_lists()
        found = np.zeros((1 + len(edges), self.n_classes), dtype=np.int64)
        found[0] = self.counts(self.start())
        seen = {graph.root}
        # Rows of a node are found when its turn comes, or all of them would be held at once.
        waiting: list[tuple[int, Places, int, bool]] = []
        node, places = graph.root, self.start()
        while True:
            for e in range(begins[node], begins[node + 1]):
                feature, yes, no = edges[e].tolist()
                found[1 + e] = self.counts(self.child(places, feature, True))
                for below, is_yes in ((yes, True), (no, False)):
                    if below not in seen and begins[below] < begins[below + 1]:
                        seen.add(below)
                        waiting.append((below, places, feature, is_yes))
            if not waiting:
                return found
            node, above, feature, is_yes = waiting.pop()
            places = self.child(above, feature, is_yes)


@public
@dataclass
class RowsOfTable(_Followed):
    """The training rows themselves, while they are at hand."""

    table: Table
    codes: NDArray[Any]
    n_classes: int
    present: NDArray[np.intp]  # rows of some weight

    def start(self) -> Places:
        return self.present

    def child(self, places: Places, feature: int, is_yes: bool) -> Places:
        yes = self.table.column(feature)[places] == 1
        below: Places = places[yes if is_yes else ~yes]
        return below

    def counts(self, places: Places) -> NDArray[np.int64]:
        return np.bincount(self.codes[places], minlength=self.n_classes).astype(np.int64)


@public
class RowsOfGraph(_Followed):
    """The rows of a graph as a file tells them: all, and those on the yes-side of each edge.

    Filtered sets have graphs of their own, whose trees are also trees of this one. Several nodes
    may stand for the same rows.
    """

    def __init__(self, graph: GraphArrays, row_counts: NDArray[np.int64]) -> None:
        self._root = graph.root
        self._begins, self._edges = graph.edge_lists()
        self._row_counts = row_counts
        self.n_classes = row_counts.shape[1]

    def start(self) -> Places:
        return [self._root], self._row_counts[0]

    def child(self, places: Places, feature: int, is_yes: bool) -> Places:
        nodes, counts = places
        taken = [
            e
            for node in nodes
            for e in range(self._begins[node], self._begins[node + 1])
            if self._edges[e, 0] == feature
        ]
        below = sorted({int(self._edges[e, 1 if is_yes else 2]) for e in taken})
        on_yes = self._row_counts[1 + taken[0]]
        return below, on_yes if is_yes else counts - on_yes

    def counts(self, places: Places) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = places[1]
        return counts


def row_counts_of_weights(graph: GraphArrays) -> NDArray[np.int64]:
    """Return what `RowSource.of_graph` does, where every unit of weight is a row."""
    weights = graph.counts.reshape(-1, graph.n_classes).astype(np.int64)
    _, edges = graph.edge_lists()
    counts: NDArray[np.int64] = weights[np.concatenate([[graph.root], edges[:, 1]])]
    return counts


def rows_fit(graph: GraphArrays, row_counts: NDArray[np.int64]) -> bool:
    """Whether there are rows on both sides of each edge just where there is weight."""
    weights = graph.counts.reshape(-1, graph.n_classes)
    begins, edges = graph.edge_lists()
    rows = {graph.root: row_counts[0]}
    waiting = [graph.root]
    if ((row_counts[0] > 0) != (weights[graph.root] > 0)).any():
        return False
    while waiting:
        node = waiting.pop()
        for e in range(begins[node], begins[node + 1]):
            _, yes, no = edges[e].tolist()
            for below, counts in ((yes, row_counts[1 + e]), (no, rows[node] - row_counts[1 + e])):
                if (counts < 0).any() or ((counts > 0) != (weights[below] > 0)).any():
                    return False
                if below not in rows and begins[below] < begins[below + 1]:
                    rows[below] = counts
                    waiting.append(below)
    return True


def row_source(
    table: Table, codes: Any, n_classes: int, weights: NDArray[np.float64] | None
) -> RowSource:
    """Return what tells the rows at nodes, given the weights of all rows."""
    if weights is None or weights.min() == weights.max():
        return RowSource()
    return RowsOfTable(table, np.asarray(codes), n_classes, np.flatnonzero(weights > 0))
