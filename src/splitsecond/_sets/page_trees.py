"""The trees on the page of a set, as flat arrays of small integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._tables.binary import Table
from splitsecond._tables.labels import codes_of
from splitsecond._trees.tree import Tree

Path = frozenset[tuple[int, bool]]  # answers to questions, whatever their order


class RowsByPath:
    """Rows that trees are looked at with; what is known of those at a node, once for each path."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._columns: dict[int, NDArray[np.bool_]] = {}
        self._known: dict[Path, tuple[Any, ...]] = {}

    @property
    def n_rows(self) -> int:
        """How many there are."""
        return self._table.n_rows

    def counts(self, tree: Tree) -> list[tuple[Any, ...]]:
        """Return what is known of the rows at each node of a tree."""
        found = []
        for way in _ways(tree):
            path: Path = frozenset(way)
            if path not in self._known:
                self._known[path] = self._of(self._rows_at(way))
            found.append(self._known[path])
        return found

    def _of(self, here: NDArray[np.bool_]) -> tuple[Any, ...]:
        """Return what is known of some rows."""
        raise NotImplementedError

    def _rows_at(self, way: list[tuple[int, bool]]) -> NDArray[np.bool_]:
        here = np.ones(self.n_rows, dtype=np.bool_)
        for question, is_yes in way:
            answers = self._column(question)
            here &= answers if is_yes else ~answers
        return here

    def _column(self, question: int) -> NDArray[np.bool_]:
        if question not in self._columns:
            self._columns[question] = self._table.column(question) == 1
        return self._columns[question]


class HeldOutRows(RowsByPath):
    """Rows and how many there are, by class where these are known."""

    def __init__(self, table: Table, y: Any, classes: NDArray[Any]) -> None:
        super().__init__(table)
        self.by_class = y is not None
        self._n_classes = len(classes) if self.by_class else 1
        n_rows = table.n_rows
        self._codes = np.zeros(n_rows, dtype=np.intp)
        if self.by_class:
            self._codes = np.asarray(codes_of(y, classes, n_rows), dtype=np.intp)

    def _of(self, here: NDArray[np.bool_]) -> tuple[Any, ...]:
        counts = np.bincount(self._codes[here], minlength=self._n_classes)
        return tuple(counts.tolist())


def _ways(tree: Tree) -> list[list[tuple[int, bool]]]:
    """Return the questions and answers that lead to each node."""
    ways: list[list[tuple[int, bool]]] = [[] for _ in tree.feature]
    features, left, right = tree.feature.tolist(), tree.left.tolist(), tree.right.tolist()
    for node, question in enumerate(features):  # children come after their parents
        if question >= 0:
            ways[left[node]] = [*ways[node], (question, True)]
            ways[right[node]] = [*ways[node], (question, False)]
    return ways


def trees_data(
    trees: Sequence[Tree], numbers: dict[int, int], held_out: RowsByPath | None
) -> dict[str, Any]:
    """Return trees in preorder, yes before no: a question or -1 at each node, and its facts.

    Facts that many nodes have in common, of one tree or of several, are listed once.
    """
    questions: list[int] = []
    places: list[int] = []
    facts: dict[tuple[Any, ...], int] = {}
    weighted = any(tree.is_weighted for tree in trees)
    for tree in trees:
        order, asked = preorder(tree), tree.feature.tolist()
        weights, prediction = _whole(tree.counts), tree.prediction.tolist()
        rows = None if tree.row_counts is None else tree.row_counts.tolist()
        held = None if held_out is None else held_out.counts(tree)
        for node in order:
            questions.append(numbers[asked[node]] if asked[node] >= 0 else -1)
            fact = (
                prediction[node],
                None if rows is None else tuple(rows[node]),
                tuple(weights[node]) if weighted else None,
                None if held is None else held[node],
            )
            places.append(facts.setdefault(fact, len(facts)))
    return {
        "questions": questions,
        "facts": places,
        "says": [fact[0] for fact in facts],
        "rows": column_of(facts, 1),
        "weights": column_of(facts, 2),
        "held_out": column_of(facts, 3),
    }


def column_of(facts: dict[tuple[Any, ...], int], part: int) -> list[int | float] | None:
    """Return a part of all facts, one after the other; None where it is not known."""
    cells = [fact[part] for fact in facts]
    return None if None in cells else [number for cell in cells for number in cell]


def _whole(counts: NDArray[np.float64]) -> list[list[int | float]]:
    return [[int(x) if x == int(x) else float(f"{x:.6g}") for x in row] for row in counts.tolist()]


def preorder(tree: Tree) -> list[int]:
    """Return the nodes of a tree from the root on, yes before no."""
    left, right = tree.left.tolist(), tree.right.tolist()
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if left[node] >= 0:
            waiting += [right[node], left[node]]
    return order
