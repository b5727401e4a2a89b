"""What is counted of the training rows at the nodes of trees, besides what the core counts.

That is how many there are of each class, whatever their weights. The core counts weight. Where all
rows weigh the same, that tells their number; elsewhere the rows are followed down the tree. Rows of
weight 0 are as good as absent, here as in the search.

For numbers, it is the sums of their loss, as the data has them, and how many rows are in each bin
of a histogram.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from splitsecond._sets.graph_arrays import GraphArrays
from splitsecond._solving.number_losses import N_SUMS, OfNumbers
from splitsecond._support.names import public
from splitsecond._tables.binary import Table, leaf_of_rows
from splitsecond._tables.merged import Merged

if TYPE_CHECKING:
    from splitsecond._binarizers.base import Target

MAX_BINS = 12  # of the histogram of numbers at a node

Places = Any  # what is at a node: rows of a table, or nodes of a graph and how many rows


@public
class RowSource:
    """Tells the rows at nodes; this one, where every unit of the core's weights is a row."""

    def of_tree(
        self,
        feature: NDArray[np.int32],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        units: NDArray[np.int64] | None = None,
    ) -> NDArray[Any]:
        """Count rows by class at each node of a tree whose weights are given."""
        assert units is not None
        return units

    def of_graph(self, graph: GraphArrays) -> NDArray[Any] | None:
        """Count rows by class: all of them, then those on the yes-side of each edge of a graph.

        Not at its nodes: leaves of the same weight share one, though their rows may differ. None:
        weights tell.
        """
        return None

    def without_rows(self, graph: GraphArrays) -> RowSource:
        """Return what tells the same of the trees of a graph, and holds no training rows."""
        return self


class _Followed(RowSource):
    """Rows that are followed from the root on."""

    n_classes: int  # numbers at a node
    dtype: type = np.int64

    def start(self) -> Places:
        raise NotImplementedError

    def child(self, places: Places, feature: int, is_yes: bool) -> Places:
        raise NotImplementedError

    def counts(self, places: Places) -> NDArray[Any]:
        raise NotImplementedError

    def of_tree(
        self,
        feature: NDArray[np.int32],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        units: NDArray[np.int64] | None = None,
    ) -> NDArray[Any]:
        found: NDArray[Any] = np.zeros((len(feature), self.n_classes), dtype=self.dtype)
        waiting = [(0, self.start())]
        while waiting:
            node, places = waiting.pop()
            found[node] = self.counts(places)
            asked = int(feature[node])
            if asked >= 0:
                waiting.append((int(left[node]), self.child(places, asked, True)))
                waiting.append((int(right[node]), self.child(places, asked, False)))
        return found

    def of_graph(self, graph: GraphArrays) -> NDArray[Any] | None:
        n_edges = len(graph.edge_lists()[1])
        found: NDArray[Any] = np.zeros((1 + n_edges, self.n_classes), dtype=self.dtype)
        found[0] = self.counts(self.start())
        for e, places, feature in self._walk(graph):
            found[1 + e] = self.counts(self.child(places, feature, True))
        return found

    def without_rows(self, graph: GraphArrays) -> RowSource:
        row_counts = self.of_graph(graph)
        assert row_counts is not None
        bins = getattr(self, "bins", None)
        return RowsOfGraph(graph, row_counts, bins, None if bins is None else self.no_sums(graph))

    def no_sums(self, graph: GraphArrays) -> NDArray[np.float64]:
        """Return the sums of numbers on the no-side of each edge: as floats, no differences."""
        found = np.zeros((len(graph.edge_lists()[1]), N_SUMS))
        for e, places, feature in self._walk(graph):
            found[e] = self.counts(self.child(places, feature, False))[:N_SUMS]
        return found

    def _walk(self, graph: GraphArrays) -> Iterator[tuple[int, Places, int]]:
        """Go through the edges of a graph: number, what is at the node it leaves, and question."""
        begins, edges = graph.edge_lists()
        seen = {graph.root}
        # Rows of a node are found when its turn comes, or all of them would be held at once.
        waiting: list[tuple[int, Places, int, bool]] = []
        node, places = graph.root, self.start()
        while True:
            for e in range(begins[node], begins[node + 1]):
                feature, yes, no = edges[e].tolist()
                yield e, places, feature
                for below, is_yes in ((yes, True), (no, False)):
                    if below not in seen and begins[below] < begins[below + 1]:
                        seen.add(below)
                        waiting.append((below, places, feature, is_yes))
            if not waiting:
                return
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
    rows: NDArray[np.int64] | None = None  # that each of them stands for; None: one

    def start(self) -> Places:
        return self.present

    def child(self, places: Places, feature: int, is_yes: bool) -> Places:
        yes = self.table.column(feature)[places] == 1
        below: Places = places[yes if is_yes else ~yes]
        return below

    def counts(self, places: Places) -> NDArray[np.int64]:
        rows = None if self.rows is None else self.rows[places]
        return np.bincount(self.codes[places], rows, self.n_classes).astype(np.int64)


@public
@dataclass
class RowsOfNumbers(_Followed):
    """The training rows themselves with their numbers: N, S and Q, then the rows in each bin."""

    table: Table
    sums: list[NDArray[np.float64]]
    bin_of: NDArray[np.uint8]
    bins: NDArray[np.float64]  # edges
    present: NDArray[np.intp]  # rows of some weight
    rows: NDArray[np.int64] | None = None  # that each of them stands for; None: one

    dtype = np.float64

    @classmethod
    def of(
        cls,
        table: Table,
        loss: OfNumbers,
        numbers: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        merged: Merged | None = None,
    ) -> Self:
        """Return what tells the sums at nodes, given the numbers and weights of all rows."""
        present = np.arange(len(numbers)) if weights is None else np.flatnonzero(weights > 0)
        rows = None if merged is None else merged.rows
        bins = histogram_bins(numbers[present], None if rows is None else rows[present])
        inner = np.searchsorted(bins[1:-1], numbers, side="left")
        sums = loss.sums(numbers, weights)
        return cls(table, sums, inner.astype(np.uint8), bins + float(loss.offset), present, rows)

    @property
    def n_classes(self) -> int:  # type: ignore[override]
        """The numbers at a node."""
        return N_SUMS + len(self.bins) - 1

    def start(self) -> Places:
        return self.present

    def child(self, places: Places, feature: int, is_yes: bool) -> Places:
        yes = self.table.column(feature)[places] == 1
        below: Places = places[yes if is_yes else ~yes]
        return below

    def counts(self, places: Places) -> NDArray[np.float64]:
        # Added up one by one, as `of_tree` does: the same rows have the same sums, bit by bit.
        one = np.zeros(len(places), dtype=np.intp)
        sums = [np.bincount(one, weights=each[places], minlength=1)[0] for each in self.sums]
        rows = None if self.rows is None else self.rows[places]
        in_bins = np.bincount(self.bin_of[places], rows, len(self.bins) - 1)
        return np.concatenate([sums, in_bins])

    def of_tree(
        self,
        feature: NDArray[np.int32],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        units: NDArray[np.int64] | None = None,
    ) -> NDArray[Any]:
        """Return the numbers at each node: those of leaves, and their sums above."""
        n_nodes, n_bins = len(feature), len(self.bins) - 1
        leaves = leaf_of_rows(feature, left, right, self.table)
        found = np.zeros((n_nodes, self.n_classes))
        for place, values in enumerate(self.sums):
            found[:, place] = np.bincount(leaves, weights=values, minlength=n_nodes)
        cells = leaves[self.present] * n_bins + self.bin_of[self.present]
        rows = None if self.rows is None else self.rows[self.present]
        found[:, N_SUMS:] = np.bincount(cells, rows, n_nodes * n_bins).reshape(n_nodes, n_bins)
        return _added_up(found, feature, left, right)


def _added_up(
    found: NDArray[Any],
    feature: NDArray[np.int32],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
) -> NDArray[Any]:
    """Return what is at nodes, given what is at leaves."""
    for node in np.flatnonzero(feature >= 0)[::-1]:  # children come after their parent
        found[node] = found[left[node]] + found[right[node]]
    return found


def histogram_bins(
    numbers: NDArray[np.float64], rows: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Return the edges of a small histogram; its outer bins hold the 1 % at either end as well.

    Given how many rows have each number.
    """
    last = (len(numbers) if rows is None else int(rows.sum())) - 1
    ends = round(0.01 * last), last - round(0.01 * last)
    if rows is None:
        low, high = np.partition(numbers, ends)[list(ends)]
    else:
        order = np.argsort(numbers)
        places = np.searchsorted(np.cumsum(rows[order]), ends, side="right")
        low, high = numbers[order[places]]
    least, highest = float(numbers.min()), float(numbers.max())
    if least == highest:
        return np.array([least, highest])
    if low == high:
        low, high = least, highest
    share = np.linspace(0, 1, MAX_BINS + 1)
    edges: NDArray[np.float64] = low * (1 - share) + high * share  # a difference may be infinite
    edges[0], edges[-1] = least, highest
    distinct: NDArray[np.float64] = np.unique(edges)
    return distinct


@public
class RowsOfGraph(_Followed):
    """The rows of a graph as a file tells them: all, and those on the yes-side of each edge.

    Of numbers, there are the sums of the no-side as well, so that trees come back bit by bit.
    Filtered sets have graphs of their own, whose trees are also trees of this one. Several nodes
    may stand for the same rows.
    """

    def __init__(
        self,
        graph: GraphArrays,
        row_counts: NDArray[Any],
        bins: NDArray[np.float64] | None = None,
        no_sums: NDArray[np.float64] | None = None,
    ) -> None:
        self._root = graph.root
        self._begins, self._edges = graph.edge_lists()
        self._row_counts = row_counts
        self.n_classes = row_counts.shape[1]
        self.dtype = row_counts.dtype.type
        self.bins = bins  # of numbers
        self._no_sums = no_sums  # of numbers, by edge

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
        if is_yes:
            return below, on_yes
        on_no = counts - on_yes
        if self._no_sums is not None:
            on_no[:N_SUMS] = self._no_sums[taken[0]]
        return below, on_no

    def counts(self, places: Places) -> NDArray[Any]:
        counts: NDArray[Any] = places[1]
        return counts

    def of_tree(
        self,
        feature: NDArray[np.int32],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        units: NDArray[np.int64] | None = None,
    ) -> NDArray[Any]:
        found = super().of_tree(feature, left, right, units)
        return found if self.bins is None else _added_up(found, feature, left, right)

    def by_edge(self) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
        """Return what is known of all rows and of the yes-sides of edges; and of the no-sides."""
        return self._row_counts, self._no_sums


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


def row_source(table: Table, target: Target) -> RowSource:
    """Return what tells the rows at nodes, given what is known of all rows."""
    weights = target.weights
    if isinstance(target.loss, OfNumbers):
        assert target.numbers is not None
        return RowsOfNumbers.of(table, target.loss, target.numbers, weights, target.merged)
    codes, merged = np.asarray(target.codes), target.merged
    if merged is not None:
        if not merged.is_weighted:
            return RowSource()
        present = np.flatnonzero(merged.integers > 0)
        return RowsOfTable(table, codes, target.n_classes, present, merged.rows)
    if weights is None or weights.min() == weights.max():
        return RowSource()
    return RowsOfTable(table, codes, target.n_classes, np.flatnonzero(weights > 0))
