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

Places = NDArray[Any]  # what is at a node: rows of a table, or nodes of a graph


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
        """Count rows by class at each node of a set's graph; None: they are its weights."""
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
        n_nodes = len(begins) - 1
        found = np.zeros((n_nodes, self.n_classes), dtype=np.int64)
        seen = np.zeros(n_nodes, dtype=bool)
        # Rows of a node are found when its turn comes, or all of them would be held at once.
        waiting: list[tuple[int, Places, int, bool]] = []
        node, places = graph.root, self.start()
        seen[node] = True
        while True:
            found[node] = self.counts(places)
            for feature, yes, no in edges[begins[node] : begins[node + 1]].tolist():
                for below, is_yes in ((yes, True), (no, False)):
                    if not seen[below]:
                        seen[below] = True
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
    """The rows at each node of a graph, as a file tells them.

    Filtered sets have graphs of their own, whose trees are also trees of this one. Several nodes
    may stand for the same rows.
    """

    def __init__(self, graph: GraphArrays, row_counts: NDArray[np.int64]) -> None:
        self._root = graph.root
        self._begins, self._edges = graph.edge_lists()
        self._row_counts = row_counts
        self.n_classes = row_counts.shape[1]

    def start(self) -> Places:
        return np.array([self._root])

    def child(self, places: Places, feature: int, is_yes: bool) -> Places:
        below = [
            edges[edges[:, 0] == feature, 1 if is_yes else 2]
            for edges in (self._edges[self._begins[p] : self._begins[p + 1]] for p in places)
        ]
        return np.unique(np.concatenate(below))

    def counts(self, places: Places) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = self._row_counts[places[0]]
        return counts


def row_source(
    table: Table, codes: Any, n_classes: int, weights: NDArray[np.float64] | None
) -> RowSource:
    """Return what tells the rows at nodes, given the weights of all rows."""
    if weights is None or weights.min() == weights.max():
        return RowSource()
    return RowsOfTable(table, np.asarray(codes), n_classes, np.flatnonzero(weights > 0))
