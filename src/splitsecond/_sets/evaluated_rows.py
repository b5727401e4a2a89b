"""The rows that a set is evaluated on, read and checked; and what single trees do on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._counts.count_table import CountTable
from splitsecond._estimators.fitted import scored_against
from splitsecond._estimators.loss_parameters import LossParameters
from splitsecond._sets.catalogue import Catalogue, ClassCatalogue, Subject, check_positive
from splitsecond._sets.criteria import Leaves
from splitsecond._sets.number_criteria import NumberCatalogue, NumberSubject
from splitsecond._sets.number_rows import NumberRows
from splitsecond._sets.row_groups import Cells, read_groups
from splitsecond._solving.losses import Costs, Loss
from splitsecond._solving.number_losses import OfNumbers
from splitsecond._support.messages import listed, shown
from splitsecond._tables.binary import Table, leaf_of_rows
from splitsecond._tables.bits import pack_columns
from splitsecond._tables.labels import codes_of
from splitsecond._tables.weights import as_large_integers, check_sample_weight
from splitsecond._trees.set_tree import SetTree, TreeSource
from splitsecond._trees.tree import Tree

if TYPE_CHECKING:
    from splitsecond._sets.tree_set import TreeSet


@dataclass(frozen=True)
class EvaluatedRows:
    """Answers to the questions of a set, classes or numbers, groups and weights of some rows."""

    table: Table
    codes: NDArray[np.int32]  # the class of each row, or the kind of its number
    n_classes: int
    cells: Cells
    weights: NDArray[np.int64] | None  # whole numbers
    numbers: NumberRows | None = None
    counted: int | None = None  # rows of a count table, whose entries these are

    @classmethod
    def read(cls, trees: TreeSet, X: Any, y: Any, groups: Any, sample_weight: Any) -> EvaluatedRows:
        """Read what users give; see `TreeSet.evaluate`."""
        table, counted = _table_of(trees, X, groups), None
        if isinstance(X, CountTable):  # an entry is a row with the weight of all its rows
            counted = X.n_rows
        y, sample_weight = scored_against(X, y, sample_weight)
        loss, numbers = trees._source.loss, None
        if not isinstance(loss, OfNumbers):
            codes, n_classes = codes_of(y, trees._classes, table.n_rows), len(trees._classes)
        weights = None
        if sample_weight is not None:
            weights = as_large_integers(check_sample_weight(sample_weight, table.n_rows))
        if isinstance(loss, OfNumbers):
            numbers = NumberRows.read(loss, y, table.n_rows, weights)
            codes, n_classes = numbers.kinds, len(numbers.signs)
        cells = read_groups(groups, X, table.n_rows)
        return cls(table, codes, n_classes, cells, weights, numbers, counted)

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
        """How many of these there are; the core has four sums of each, if rows have numbers."""
        return self.cells.n_cells * self.n_classes

    def totals(self) -> NDArray[np.int64]:
        """Return the weight of all rows by cell and class."""
        summed = np.zeros(self.n_channels, dtype=np.int64)
        np.add.at(summed, self.channels, 1 if self.weights is None else self.weights)
        return summed.reshape(-1, self.n_classes)

    def walk(self, graph: _core.Graph, source: TreeSource, run: _core.RunOptions) -> _core.SetRows:
        """Let the core find which rows come to which nodes of a set."""
        columns = pack_columns(self.table, set(graph.features()), len(source.reader.literals))
        numbers: dict[str, Any] = {}
        if self.numbers is not None:
            numbers = {"sums": self.numbers.sums, "order": self.numbers.order}
            numbers["ranks"] = self.numbers.ranks(source.means)
        return _core.SetRows(
            graph,
            columns,
            self.n_rows,
            self.channels,
            self.n_channels,
            self.weights,
            run,
            **numbers,
        )

    def leaves_of(self, trees: Sequence[Tree], source: TreeSource) -> Leaves:
        """Return the leaves of given trees, and the rows in them."""
        labels, counts, weights, begins = [], [], [], [0]
        for tree in trees:
            check_tree(tree, source)
            facts = _facts_of(tree, source)
            is_leaf = tree.feature < 0
            labels.append(tree.prediction[is_leaf])
            counts.append(facts[is_leaf])
            weights.append(self._weights_in(tree, facts)[is_leaf].astype(np.float64))
            begins.append(begins[-1] + int(np.count_nonzero(is_leaf)))
        return Leaves(
            np.concatenate(labels),
            np.concatenate(counts),
            np.concatenate(weights),
            np.array(begins[:-1], dtype=np.int64),
        )

    def _weights_in(self, tree: Tree, facts: NDArray[Any]) -> NDArray[Any]:
        """Return the weight of each channel at the leaves of a tree: [nodes, channels]."""
        reached = leaf_of_rows(tree.feature, tree.left, tree.right, self.table)
        places = reached * self.n_channels + self.channels
        size = len(tree.feature) * self.n_channels

        def summed(of_rows: NDArray[Any] | None) -> NDArray[Any]:
            return np.bincount(places, of_rows, size).reshape(-1, self.n_channels)

        if self.numbers is None:
            return summed(self.weights)
        of_all = [np.ones(self.n_rows) if self.weights is None else self.weights]
        of_all.append(self.numbers.sums)
        is_below = self.numbers.order < self.numbers.ranks(facts[:, 0])[reached]
        return np.hstack([*map(summed, of_all), *(summed(each * is_below) for each in of_all)])


def _table_of(trees: TreeSet, X: Any, groups: Any) -> Table:
    if not isinstance(X, CountTable):
        return trees._reader.read(X)
    if groups is not None:
        raise ValueError(
            "groups are columns of rows, which a count table does not hold: evaluate on rows, or "
            "make a count table of each group."
        )
    return X.answers_to(trees._reader.literals, "the set")


def _facts_of(tree: Tree, source: TreeSource) -> NDArray[Any]:
    """Return what `TreeSource.facts` does, for the nodes of a tree."""
    loss = source.loss
    if not isinstance(loss, OfNumbers):
        return np.rint(tree.counts / source.scale.unit)
    if isinstance(tree, SetTree) and tree._source is source:  # to the last digit as in its set
        facts: NDArray[Any] = source.facts[tree._nodes[3]]
        return facts
    weights, sums = tree.counts[:, 0], tree.counts[:, 1]
    return np.column_stack([sums / np.where(weights > 0, weights, 1), weights / source.scale.unit])


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
    counts = source.facts[nodes[3][is_leaf]]
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


def catalogue_of(trees: TreeSet, rows: EvaluatedRows, costs: Any, positive: Any) -> Catalogue:
    """Return the criteria that there are."""
    source = trees._source
    row_weight = source.scale.weight / int(trees[0].n_rows[0])
    if rows.numbers is not None:
        return NumberCatalogue(_number_subject(trees, rows, row_weight, costs, positive))
    labels, classes = source.labels.tolist(), source.classes.tolist()
    subject = Subject(
        labels=labels,
        classes=classes,
        totals=rows.totals(),
        cells=rows.cells,
        costs=_costs_by_label(costs, source.loss, labels, source.classes),
        positive=check_positive(positive, labels, classes),
        row_weight=row_weight,
    )
    return ClassCatalogue(subject)


def _number_subject(
    trees: TreeSet, rows: EvaluatedRows, row_weight: float, costs: Any, positive: Any
) -> NumberSubject:
    for name, given in (("costs", costs), ("positive", positive)):
        if given is not None:
            raise ValueError(
                f"{name}={shown(given)} is for classes; the trees of this set predict numbers."
            )
    source = trees._source
    assert isinstance(source.loss, OfNumbers)
    assert rows.numbers is not None
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights.astype(np.float64)
    return NumberSubject(
        loss=source.loss,
        numbers=rows.numbers,
        weights=weights,
        channels=rows.channels,
        totals=rows.totals(),
        cells=rows.cells,
        row_weight=row_weight,
        mean=float(source.means[trees._graph.root]),
    )
