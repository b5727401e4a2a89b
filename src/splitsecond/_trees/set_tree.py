"""A tree out of a set of trees, most of which is worked out only when somebody looks."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._solving.exact import objective_of
from splitsecond._solving.losses import ZERO_ONE
from splitsecond._support.names import public
from splitsecond._tables.columns import Variable
from splitsecond._tables.literals import Literal
from splitsecond._trees.tree import Tree

if TYPE_CHECKING:
    from splitsecond._sets.tree_set import TreeSet


class TreeOfSet(Tree):
    """The same as a `Tree`; its counts and questions are looked up in the set when asked for."""

    _set: TreeSet
    _parts: NDArray[np.int32]  # rows: feature, left, right, and the node of the set's graph

    def __init__(self, trees: TreeSet, parts: NDArray[np.int32]) -> None:
        here = self.__dict__  # a Tree does not change
        here["_set"] = trees
        here["_parts"] = parts

    def _row(self, part: int) -> NDArray[np.int32]:
        row: NDArray[np.int32] = self._parts[part]
        return row

    @cached_property
    def feature(self) -> NDArray[np.int32]:
        """Column of the 0/1 table that each node asks; -1 for a leaf."""
        return self._row(0)

    @cached_property
    def left(self) -> NDArray[np.int32]:
        """Where each node's yes-child is."""
        return self._row(1)

    @cached_property
    def right(self) -> NDArray[np.int32]:
        """Where each node's no-child is."""
        return self._row(2)

    @cached_property
    def units(self) -> NDArray[np.int64]:
        """Training weight of each class at each node, in the core's units."""
        units: NDArray[np.int64] = self._set._counts[self._row(3)].astype(np.int64)
        return units

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """Training weight of each class at each node."""
        counts: NDArray[Any] = self.units * self._set._scale.unit
        return counts

    @cached_property
    def row_counts(self) -> NDArray[np.int64] | None:
        """Training rows of each class at each node; None if the set does not tell."""
        rows = self._set._rows
        if rows is None:
            return None
        counts: NDArray[np.int64] = rows.of_tree(self.feature, self.left, self.right, self.units)
        return counts

    @cached_property
    def n_rows(self) -> NDArray[np.int64]:
        """Training rows at each node; if the set does not tell, their weight."""
        known = self.row_counts
        rows: NDArray[Any] = (self.counts if known is None else known).sum(axis=1)
        whole: NDArray[np.int64] = np.rint(rows).astype(np.int64)
        return whole

    @property
    def errors(self) -> int:
        """Training weight that is predicted wrong, in the core's units."""
        leaves = self.units[self.feature < 0]
        return int(ZERO_ONE.loss(leaves).sum())

    @property
    def exact_objective(self) -> Fraction:
        """Training error plus lambda times the number of leaves."""
        scale = self._set._scale
        return objective_of(self.errors, self.n_leaves, scale.weight, scale.price)

    @cached_property
    def objective(self) -> float:
        """Training error plus ``regularization`` times the number of leaves."""
        return float(self.exact_objective)

    @cached_property
    def prediction(self) -> NDArray[np.int64]:
        """Place of the predicted class at each node; ties go to the first."""
        return ZERO_ONE.prediction(self.units)

    @property
    def classes(self) -> NDArray[Any]:
        """The class labels."""
        classes: NDArray[Any] = self._set._estimator.classes_
        return classes

    @cached_property
    def _asked(self) -> dict[str, Any]:
        return self._set._estimator._questions(self.feature.tolist())

    @property
    def literals(self) -> dict[int, Literal]:
        """The questions asked, by their column among the 0/1 columns."""
        literals: dict[int, Literal] = self._asked["literals"]
        return literals

    @property
    def variables(self) -> dict[int, Variable]:
        """What the questions are about, by their column in the user's table."""
        variables: dict[int, Variable] = self._asked["variables"]
        return variables

    @property
    def n_columns(self) -> int:
        """Columns of the user's table."""
        return int(self._asked["n_columns"])

    @property
    def with_blanks(self) -> frozenset[str]:
        """Names of the variables that had blanks in training."""
        return frozenset(self._asked.get("with_blanks", ()))

    def __reduce__(self) -> Any:
        # Leaves the set behind.
        parts = {field.name: getattr(self, field.name) for field in fields(Tree) if field.init}
        return _alone, (parts,)


@public
def _alone(parts: dict[str, Any]) -> Tree:
    return Tree(**parts)
