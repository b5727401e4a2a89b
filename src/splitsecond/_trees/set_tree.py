"""A tree out of a set of trees: its parts are worked out when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._estimators.input_reader import InputReader
from splitsecond._sets.scale import Scale
from splitsecond._solving.number_losses import N_SUMS, OfNumbers
from splitsecond._trees.row_counts import RowSource
from splitsecond._trees.tree import Tree


class TreeSource:
    """What the parts of a set's trees are worked out from; all its trees share it."""

    def __init__(
        self,
        graph: _core.Graph,
        scale: Scale,
        rows: RowSource | None,
        *,
        classes: NDArray[Any],
        reader: InputReader,
    ) -> None:
        self._graph = graph
        self.scale = scale
        self.rows = rows  # None: only weights are known
        self.classes = classes
        self.reader = reader
        self.loss = scale.units.loss

    @cached_property
    def labels(self) -> NDArray[Any]:
        """What numbers of predictions stand for."""
        return self.loss.labels(self.classes)

    @cached_property
    def units(self) -> NDArray[np.int32]:
        """Training weight of each class at each node of the graph, in the core's units."""
        return self._graph.counts().reshape(-1, self._graph.n_classes)

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """What a leaf at each node of the graph says, in the loss's own numbers.

        As the search counts numbers: to within its grid. Trees have them as the data has them.
        """
        channels = self.scale.units.channels
        assert channels is not None
        return np.ascontiguousarray(channels.means(self.units))

    @cached_property
    def facts(self) -> NDArray[Any]:
        """What a leaf at each node says and weighs, in the core's units.

        Class by class; or for numbers, its mean and its weight.
        """
        if self.loss.is_of_numbers:
            return np.column_stack([self.means, self.units[:, 0]])
        return self.units.astype(np.int64)


class SetTree(Tree):
    """A `Tree` that works out a field when it is first asked for, and keeps it.

    Hundreds of thousands of trees a second are drawn and listed, and of most of them little is
    asked. A field that is not there yet is one that Python does not find: `__getattr__` adds it.
    Copies and pickles are trees with all their fields, which know nothing of the set; so is what
    `dataclasses.replace` makes.
    """

    _source: TreeSource
    _nodes: NDArray[np.int32]  # rows: feature, left, right, and the node of the set's graph

    def __new__(cls, *args: Any, **fields: Any) -> Any:
        """Make a tree of given fields, which is none of a set: see `of` for those."""
        return Tree(*args, **fields)

    @classmethod
    def of(cls, source: TreeSource, nodes: NDArray[np.int32]) -> Self:
        """Return a tree without any of its fields."""
        tree = object.__new__(cls)
        known = tree.__dict__  # a Tree does not change
        known["_source"] = source
        known["_nodes"] = nodes
        return tree

    def __getattr__(self, name: str) -> Any:
        work_out = _PARTS.get(name)
        if work_out is None:
            # It is not there at all, or it is a property that raised an error, which this repeats.
            return object.__getattribute__(self, name)
        value = self.__dict__[name] = work_out(self)
        return value

    def __reduce__(self) -> Any:
        return Tree, tuple(getattr(self, field.name) for field in fields(Tree) if field.init)


def _units(tree: SetTree) -> NDArray[np.int64]:
    """Training weight of each class at each node, in the core's units."""
    units: NDArray[np.int64] = tree._source.units[tree._nodes[3]].astype(np.int64)
    return units


def _sums(tree: SetTree) -> NDArray[np.float64]:
    """Return what is known of numbers at each node: the sums of their loss, and rows by bin."""
    rows = tree._source.rows
    assert rows is not None
    sums: NDArray[np.float64] = rows.of_tree(tree.feature, tree.left, tree.right)
    return sums


def _counts(tree: SetTree) -> NDArray[np.float64]:
    if tree.loss.is_of_numbers:
        sums: NDArray[np.float64] = tree._sums[:, :N_SUMS]
        return sums
    weights: NDArray[np.float64] = tree._units * tree._source.scale.unit
    return weights


def _row_counts(tree: SetTree) -> NDArray[np.int64] | None:
    if tree.loss.is_of_numbers:
        in_bins: NDArray[np.int64] = tree._sums[:, N_SUMS:].astype(np.int64)
        return in_bins
    rows = tree._source.rows
    if rows is None:
        return None
    counts: NDArray[np.int64] = rows.of_tree(tree.feature, tree.left, tree.right, tree._units)
    return counts


def _n_rows(tree: SetTree) -> NDArray[np.int64]:
    known = tree.row_counts
    rows: NDArray[Any] = (tree.counts if known is None else known).sum(axis=1)
    whole: NDArray[np.int64] = np.rint(rows).astype(np.int64)
    return whole


def _objective(tree: SetTree) -> float:
    counts, scale = tree.counts if tree.loss.is_of_numbers else tree._units, tree._source.scale
    leaves = counts[tree.feature < 0]
    if tree.loss.is_exact:
        return float(scale.units.objective(scale.units.count(leaves), len(leaves), scale.price))
    return float(tree.loss.relative(leaves, counts[0]) + scale.price * len(leaves))


def _labels(tree: SetTree) -> NDArray[Any]:
    if isinstance(tree.loss, OfNumbers):
        return tree.loss.value(tree.counts)
    return tree._source.labels


def _asked(tree: SetTree) -> dict[str, Any]:
    return tree._source.reader.parts_of_tree(tree.feature.tolist())


_PARTS: dict[str, Callable[[SetTree], Any]] = {
    "feature": lambda tree: tree._nodes[0],
    "left": lambda tree: tree._nodes[1],
    "right": lambda tree: tree._nodes[2],
    "counts": _counts,
    "n_rows": _n_rows,
    "row_counts": _row_counts,
    "loss": lambda tree: tree._source.loss,
    "labels": _labels,
    "bins": lambda tree: getattr(tree._source.rows, "bins", None),
    "prediction": lambda tree: tree._source.loss.prediction(tree._units),
    "objective": _objective,
    "classes": lambda tree: tree._source.classes,
    "literals": lambda tree: tree._asked["literals"],
    "variables": lambda tree: tree._asked["variables"],
    "n_columns": lambda tree: tree._asked["n_columns"],
    "with_missing": lambda tree: tree._asked["with_missing"],
    # Not fields of a tree, but what several of them are made from.
    "_units": _units,
    "_sums": _sums,
    "_asked": _asked,
}
