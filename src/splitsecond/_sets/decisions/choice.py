"""A chosen tree and all that its record is about."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._sets.evaluation import SetEvaluation
from splitsecond._support.messages import shown
from splitsecond._tables.opening import open_frame
from splitsecond._trees.number_texts import NumberTexts, texts_of
from splitsecond._trees.pictures.overlay import Overlay, overlay_of
from splitsecond._trees.sizes import NodeTexts
from splitsecond._trees.tree import Tree

if TYPE_CHECKING:
    from splitsecond._sets.tree_set import TreeSet

LEVEL = 0.95  # of intervals


@dataclass(frozen=True)
class Words:
    """What the user says of a decision; None: nothing."""

    chosen_by: str | None
    reason: str | None
    title: str | None
    data_name: str | None
    date: str

    @classmethod
    def of(cls, date: Any, **texts: Any) -> Words:
        """Check what was given; without a date, it is today."""
        for name, text in texts.items():
            if text is not None and not isinstance(text, str):
                raise TypeError(f"{name}={shown(text)} must be text or None.")
        if date is None:
            date = datetime.date.today()
        if isinstance(date, datetime.date):
            date = date.isoformat()
        if not isinstance(date, str) or not date.strip():
            raise TypeError(
                f"date={shown(date)} must be a date or text, such as '2026-01-31', or None for "
                "today."
            )
        return cls(date=date, **texts)


@dataclass(frozen=True)
class Choice:
    """A tree of a set, with the rows that the set is looked at with."""

    trees: TreeSet
    number: int
    tree: Tree
    words: Words
    X: Any
    y: Any
    groups: Any
    sample_weight: Any
    evaluation: SetEvaluation | None
    X_train: Any
    y_train: Any
    max_disputed: int
    columns: Sequence[str]  # of disputed rows, to show

    @cached_property
    def said(self) -> NodeTexts | NumberTexts:
        """What is said of leaves, with intervals where rows are known."""
        return texts_of(self.tree, None if self.tree.row_counts is None else LEVEL)

    @property
    def target(self) -> str:
        """What y holds."""
        return "numbers" if self.tree.loss.is_of_numbers else "classes"

    @cached_property
    def held_out(self) -> Overlay | None:
        """The given rows at each node."""
        weights = self.sample_weight if self.tree.loss.is_of_numbers else None
        return overlay_of(self.tree, self.X, self.y, weights)

    def tables(self) -> list[tuple[str, Any]]:
        """Return the data that were given, each with its name."""
        groups = None if _are_names(self.groups, self.y) else self.groups
        given = [
            ("Rows (X)", self.X),
            (f"Their {self.target} (y)", self.y),
            ("Their groups", groups),
            ("Their weights", self.sample_weight),
            ("Training rows (X_train)", self.X_train),
            (f"Their {self.target} (y_train)", self.y_train),
        ]
        return [(name, table) for name, table in given if table is not None]

    @cached_property
    def votes(self) -> NDArray[np.float64]:
        """The share of all trees that predict each label, for each row; of classes."""
        return self.trees.vote(self.X)

    def shown_columns(self, rows: Sequence[int]) -> list[list[str]]:
        """Return the values of the columns that are to be shown of some rows."""
        if not self.columns:
            return [[] for _ in rows]
        frame = open_frame(self.X)
        assert frame is not None
        values = [frame.get_column(name).to_list() for name in self.columns]
        return [[str(column[row]) for column in values] for row in rows]


def _are_names(groups: Any, y: Any) -> bool:
    """Whether groups names columns of X, rather than being values of its own."""
    if isinstance(groups, (list, tuple)):
        return len(groups) != len(y) and all(isinstance(name, str) for name in groups)
    return isinstance(groups, str)


def check_columns(columns: Any, X: Any) -> list[str]:
    """Return the names of columns that are to be shown; refuse those that are not there."""
    names = [columns] if isinstance(columns, str) else list(columns)
    frame = None if X is None or not names else open_frame(X)
    if names and frame is None:
        raise ValueError("columns names columns of X, which is no data frame.")
    for name in names:
        if frame is not None and name not in frame.columns:
            raise ValueError(f"columns={shown(name)} is not a column of X.")
    return names


def find_tree(trees: TreeSet, tree: Any) -> int:
    """Return the number of the chosen tree, which is given as such or by its number."""
    if isinstance(tree, Tree):
        return trees.index(tree)
    if isinstance(tree, slice):
        raise TypeError(f"tree={shown(tree)} must be one tree of the set, or its number.")
    trees[tree]  # says what is wrong with the number
    return int(tree) % trees.n_trees
