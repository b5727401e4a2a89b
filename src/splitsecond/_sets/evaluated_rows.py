"""The rows that a set is evaluated on, read and checked; and what single trees do on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._estimators.loss_parameters import LossParameters
from splitsecond._sets.catalogue import Subject, check_positive
from splitsecond._sets.criteria import Leaves
from splitsecond._sets.row_groups import Cells, read_groups
from splitsecond._solving.losses import Costs, Loss
from splitsecond._support.messages import listed, shown
from splitsecond._tables.binary import Table, leaf_of_rows
from splitsecond._tables.bits import pack_columns
from splitsecond._tables.labels import codes_of
from splitsecond._tables.weights import as_large_integers, check_sample_weight
from splitsecond._trees.set_tree import TreeSource
from splitsecond._trees.tree import Tree

if TYPE_CHECKING:
    from splitsecond._sets.tree_set import TreeSet


@dataclass(frozen=True)
class EvaluatedRows:
    """Answers to the questions of a set, classes, groups and weights of some rows."""

    table: Table
    codes: NDArray[np.int32]  # the class of each row
    n_classes: int
    cells: Cells
    weights: NDArray[np.int64] | None  # whole numbers

    @classmethod
    def read(cls, trees: TreeSet, X: Any, y: Any, groups: Any, sample_weight: Any) -> EvaluatedRows:
        """Read what users give; see `TreeSet.evaluate`."""
        table = trees._reader.read(X)
        codes = codes_of(y, trees._classes, table.n_rows)
        weights = None
        if sample_weight is not None:
            weights = as_large_integers(check_sample_weight(sample_weight, table.n_rows))
        cells = read_groups(groups, X, table.n_rows)
        return cls(table, codes, len(trees._classes), cells, weights)

    @property
    def n_rows(self) -> int:
        """How many there are."""
        return self.table.n_rows

    @property
    def channels(self) -> NDArray[np.int32]:
        """What each row counts for: its cell and its class."""
        return (self.cells.codes * self.n_classes + self.codes).astype(np.int32)

    @property
    def n_channels(self) -> int:
        """How many of these there are."""
        return self.cells.n_cells * self.n_classes

    def totals(self) -> NDArray[np.int64]:
        """Return the weight of all rows by cell and class."""
        summed = np.zeros(self.n_channels, dtype=np.int64)
        np.add.at(summed, self.channels, 1 if self.weights is None else self.weights)
        return summed.reshape(-1, self.n_classes)

    def walk(self, graph: _core.Graph, n_features: int, run: _core.RunOptions) -> _core.SetRows:
        """Let the core find which rows come to which nodes of a set."""
        columns = pack_columns(self.table, set(graph.features()), n_features)
        return _core.SetRows(
            graph, columns, self.n_rows, self.channels, self.n_channels, self.weights, run
        )

    def leaves_of(self, trees: Sequence[Tree], source: TreeSource) -> Leaves:
        """Return the leaves of given trees, and the rows in them."""
        labels, counts, weights, begins = [], [], [], [0]
        own = self.channels
        for tree in trees:
            check_tree(tree, source)
            reached = leaf_of_rows(tree.feature, tree.left, tree.right, self.table)
            places = reached * self.n_channels + own
            size = len(tree.feature) * self.n_channels
            summed = np.bincount(places, self.weights, size).reshape(-1, self.n_channels)
            is_leaf = tree.feature < 0
            labels.append(tree.prediction[is_leaf])
            counts.append(np.rint(tree.counts[is_leaf] / source.scale.unit))
            weights.append(summed[is_leaf].astype(np.float64))
            begins.append(begins[-1] + int(np.count_nonzero(is_leaf)))
        return Leaves(
            np.concatenate(labels),
            np.concatenate(counts),
            np.concatenate(weights),
            np.array(begins[:-1], dtype=np.int64),
        )


def check_tree(tree: Any, source: TreeSource) -> None:
    """Refuse what is no tree of a set: its questions are those of another fit."""
    if not isinstance(tree, Tree):
        raise TypeError(f"Trees are evaluated, got {type(tree).__name__}: give trees of the set.")
    known = source.reader.literals
    is_known = all(j < len(known) and known[j] == each for j, each in tree.literals.items())
    if not is_known or tree.classes.tolist() != source.classes.tolist() or tree.loss != source.loss:
        raise ValueError("The tree is of another fit than the set: give trees of the set.")


def leaves_in(
    nodes: NDArray[np.int32],
    ends: NDArray[np.int64],
    weights: NDArray[np.int64],
    source: TreeSource,
) -> Leaves:
    """Return the leaves of trees as the core lists them, with the rows at all their nodes."""
    is_leaf = nodes[0] < 0
    counts = source.units[nodes[3][is_leaf]].astype(np.int64)
    before = np.concatenate([[0], np.cumsum(is_leaf)])
    begins = before[np.concatenate([[0], ends[:-1]])].astype(np.int64)
    of_leaves = weights.reshape(len(is_leaf), -1)[is_leaf].astype(np.float64)
    return Leaves(source.loss.prediction(counts), counts, of_leaves, begins)


def _costs_by_label(
    costs: Any, loss: Loss, labels: list[Any], classes: NDArray[Any]
) -> Costs | None:
    """Return costs in the order of what a set's leaves say; those it was fitted for by default."""
    if costs is None:
        return loss if isinstance(loss, Costs) else None
    actions = None if isinstance(costs, Mapping) else labels
    given = LossParameters("zero_one", costs, actions)
    given.check()
    found = given.of(classes)
    assert isinstance(found, Costs)
    missing = [label for label in labels if label not in found.actions]
    if missing:
        raise ValueError(
            f"costs has no action {shown(missing[0])}, which trees of the set say: give the costs "
            f"of {listed([shown(label) for label in labels])}."
        )
    rows = dict(zip(found.actions, found.table, strict=True))
    return Costs(tuple(rows[label] for label in labels), tuple(labels))


def subject_of(trees: TreeSet, rows: EvaluatedRows, costs: Any, positive: Any) -> Subject:
    """Return what criteria are about."""
    source = trees._source
    labels, classes = source.labels.tolist(), source.classes.tolist()
    return Subject(
        labels=labels,
        classes=classes,
        totals=rows.totals(),
        cells=rows.cells,
        costs=_costs_by_label(costs, source.loss, labels, source.classes),
        positive=check_positive(positive, labels, classes),
        row_weight=source.scale.weight / int(trees[0].n_rows[0]),
    )
