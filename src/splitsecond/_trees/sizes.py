"""What nodes say about their training rows: how many, of which class, and what share of the weight.

Trees of numbers have words of their own: see `number_texts`.

Rows and weights are never mixed. Where the number of rows of each class is not known, as in
weighted models of old files, everything is weight and says so.

A tree that decides (zero_one) says the share of the class it predicts: 83%. Others say the
probability of a class by its name: p(ill) 0.171. With two classes that is the second one at every
node, so that leaves can be ranked; with more it is the majority class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._trees.intervals import (
    METHODS,
    Limits,
    chosen_method,
    share_intervals,
    shown_level,
)

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree


class TreeTexts(ABC):
    """Words and numbers for the nodes of a tree; intervals beside them where there is a level."""

    def __init__(self, tree: Tree, level: Any = "auto", method: str = "auto") -> None:
        self.tree = tree
        self.method = chosen_method(tree.loss, method)
        self.level = shown_level(tree, level)
        self.limits = None if self.level is None else tree.intervals(self.level, self.method)

    def note(self) -> str | None:
        """Say what the intervals are, if there are any."""
        if self.level is None:
            return None
        return f"[low, high]: {100 * self.level:g}% interval ({METHODS[self.method]})"

    @abstractmethod
    def label(self, node: int) -> str:
        """Say what a leaf predicts."""

    @abstractmethod
    def leaf(self, node: int) -> str:
        """Say what is known of a leaf, on one line."""

    @abstractmethod
    def below(self, node: int) -> str:
        """Say what is known of a leaf, on a line or more."""

    @abstractmethod
    def about(self, node: int, leaf: int) -> str:
        """Say what is known of a node, in the terms of a leaf that it leads to, or is."""


class NodeTexts(TreeTexts):
    """What is said of classes."""

    def __init__(self, tree: Tree, level: Any = "auto", method: str = "auto") -> None:
        super().__init__(tree, level, method)
        self.is_decision = tree.loss.name == "zero_one"

    def label(self, node: int) -> str:
        """Return the class or action."""
        return str(self.tree.labels[self.tree.prediction[node]])

    def subject(self, node: int) -> int:
        """Return the class whose share a node says."""
        tree = self.tree
        if self.is_decision:
            return int(tree.prediction[node])
        return 1 if len(tree.classes) == 2 else int(np.argmax(tree.counts[node]))

    def limits_of(self, node: int, of: int) -> NDArray[np.float64] | None:
        """Return the interval of a class at a node, if intervals are shown."""
        return None if self.limits is None else self.limits[node, of]

    def limits_of_counts(self, counts: NDArray[np.int64]) -> Limits | None:
        """Return the intervals of other rows, given how many there are of each class."""
        return None if self.level is None else share_intervals(counts, self.level, self.method)

    def leaf(self, node: int) -> str:
        """Say the share of a class in a leaf, with the numbers it is made of."""
        tree, of = self.tree, self.subject(node)
        share = self._share(node, of, padded=True)
        if tree.row_counts is None:
            inside, whole = tree.counts[node, of], tree.counts[node].sum()
            return f"{share}  (weight {weight_text(inside)}/{weight_text(whole)})"
        rows, all_rows = tree.row_counts[node, of], tree.row_counts[node].sum()
        text = f"{share}  ({rows:,}/{all_rows:,})"
        return f"{text}, {self._weighted_share(node, of)}" if tree.is_weighted else text

    def below(self, node: int) -> str:
        """Say the share of a class in a leaf, on a line or more."""
        tree, of = self.tree, self.subject(node)
        between = " of " if self.is_decision else "\n"
        text = f"{self._share(node, of)}{between}{size_text(tree, node)}"
        is_both = tree.is_weighted and tree.row_counts is not None
        return f"{text}\n{self._weighted_share(node, of)}" if is_both else text

    def share_of(self, node: int, of: int) -> str:
        """Say the share of any class at any node, by the name of the class."""
        tree = self.tree
        name = f"{tree.classes[of]} " if self.is_decision else ""
        text = f"{name}{self._share(node, of)}"
        is_both = tree.is_weighted and tree.row_counts is not None
        return f"{text}, {self._weighted_share(node, of)}" if is_both else text

    def about(self, node: int, leaf: int) -> str:
        """Say the share of the class that a leaf is about."""
        return self.share_of(node, self.subject(leaf))

    def _share(self, node: int, of: int, *, padded: bool = False) -> str:
        """Write the share of rows and its interval; that of weight, where only weight is known."""
        tree = self.tree
        counts = tree.row_counts
        if counts is None:
            return self._weighted_share(node, of)
        share, limits = counts[node, of] / counts[node].sum(), self.limits_of(node, of)
        if not self.is_decision:
            name = f"p({tree.classes[of]})".ljust(self._longest_name if padded else 0)
            return f"{name} {probability(share)}{interval(limits, probability)}"
        beside = interval(limits, "{:.0%}".format)
        if not padded:
            return f"{share:.0%}{beside}"
        return f"{share:4.0%}{beside.ljust(len(' [100%, 100%]') if beside else 0)}"

    def _weighted_share(self, node: int, of: int) -> str:
        share = weighted_share(self.tree, node, of)
        if self.is_decision:
            return f"weighted share {share:.0%}"
        name = f"p({self.tree.classes[of]}) " if self.tree.row_counts is None else "share "
        return f"weighted {name}{probability(share)}"

    @cached_property
    def _longest_name(self) -> int:
        leaves = np.flatnonzero(self.tree.feature < 0).tolist()
        return max(len(f"p({self.tree.classes[self.subject(leaf)]})") for leaf in leaves)


def size_text(tree: Tree, node: int) -> str:
    """Say how many rows are at a node."""
    if tree.row_counts is None:
        return f"weight {weight_text(tree.counts[node].sum())}"
    return rows_text(int(tree.n_rows[node]))


def rows_text(n_rows: int) -> str:
    """Write a number of rows."""
    return "no rows" if n_rows == 0 else "1 row" if n_rows == 1 else f"{n_rows:,} rows"


def weighted_share(tree: Tree, node: int, of: int) -> float:
    """Return the share of a class in the training weight at a node."""
    return float(tree.counts[node, of] / tree.counts[node].sum())


def probability(share: float) -> str:
    """Write a probability; one that is not 0 or 1 never reads so."""
    text = f"{share:.3f}"
    if text == "0.000" and share > 0:
        return "<0.001"
    return ">0.999" if text == "1.000" and share < 1 else text


def interval(limits: NDArray[np.float64] | None, written: Any) -> str:
    """Write the limits of a share, to stand after it; nothing if there are none."""
    return "" if limits is None else f" [{written(limits[0])}, {written(limits[1])}]"


def weight_text(weight: float) -> str:
    """Write a weight."""
    return f"{weight:,.0f}" if weight == round(weight) else f"{weight:,.4g}"
