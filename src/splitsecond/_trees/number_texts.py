"""What nodes of trees of numbers say: their mean, its interval, and how many rows there are.

A mean has four significant digits, more where the means of a tree lie close together (three of half
the distance between the lowest and the highest), and all that come before the point. Its limits
have two digits of half the width of the interval, and no more than the mean.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._solving.number_losses import OfNumbers
from splitsecond._tables.literals import value_text
from splitsecond._trees.intervals import value_intervals
from splitsecond._trees.sizes import NodeTexts, TreeTexts, size_text, weight_text

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree

DIGITS = 4
MAX_DIGITS = 16
WHOLE = 16  # digits of numbers that are written without an exponent


class NumberTexts(TreeTexts):
    """What is said of means, or of rates."""

    def __init__(self, tree: Tree, level: Any = "auto", method: str = "auto") -> None:
        super().__init__(tree, level, method)
        assert isinstance(tree.loss, OfNumbers)
        self.loss = tree.loss
        is_rate = tree.loss.name == "poisson"
        self.word = "rate" if is_rate else "mean"
        self.weight_word = "exposure" if is_rate else "weight"
        self.score_word = "D^2" if is_rate else "R^2"

    def label(self, node: int) -> str:
        """Return the mean."""
        return self.value(float(self.tree.labels[node]))

    def leaf(self, node: int) -> str:
        """Say the interval and the rows of a leaf, in columns."""
        size = size_text(self.tree, node)
        size = " " * (self._widest_count - _count_width(size)) + size
        text = f"{self._interval_at(node):<{self._widest_interval}}{size}{self.weight(node)}"
        return text.rstrip()

    def below(self, node: int) -> str:
        """Say the interval and the rows of a leaf, on two lines."""
        lines = [
            self._interval_at(node).strip(),
            f"{size_text(self.tree, node)}{self.weight(node)}",
        ]
        return "\n".join(line for line in lines if line)

    def about(self, node: int, leaf: int) -> str:
        """Say the mean of a node, with its interval."""
        interval = self._interval_at(node).rstrip()
        return f"{self.word} {self.label(node)}{' ' if interval else ''}{interval}"

    def weight(self, node: int) -> str:
        """Say the weight of a node, to stand after its rows; nothing where rows tell it."""
        if not self._has_weights:
            return ""
        return f", {self.weight_word} {weight_text(float(self.tree.counts[node, 0]))}"

    def value(self, value: float) -> str:
        """Write a mean of this tree, or a number to compare with it."""
        return rounded(value, self._place(value))

    def interval(self, value: float, limits: NDArray[np.float64] | None) -> str:
        """Write the limits of a mean; nothing where none are known."""
        if limits is None or np.isinf(limits).all():
            return ""
        low, high = limits.tolist()
        half, place = high / 2 - low / 2, self._place(value)  # the whole may not fit a float
        if 0 < half < math.inf:
            place = max(place, exponent(half) - 1)
        return f"[{rounded(low, place)}, {rounded(high, place)}]"

    def limits_of_sums(
        self, loss: OfNumbers, sums: NDArray[np.float64], rows: NDArray[np.int64]
    ) -> NDArray[np.float64] | None:
        """Return the intervals of other rows, given their sums."""
        if self.level is None:
            return None
        return value_intervals(loss, sums, rows, self.level, self.method)

    def _place(self, value: float) -> int:
        """Return the power of ten that a mean is rounded to."""
        own = exponent(value)
        place = min(own - (DIGITS - 1), self._spread - 2)
        if own < WHOLE:
            place = min(place, 0)
        return max(place, own - (MAX_DIGITS - 1))

    def _interval_at(self, node: int) -> str:
        if self.limits is None:
            return ""
        return self.interval(float(self.tree.labels[node]), self.limits[node])

    @cached_property
    def _spread(self) -> int:
        """The power of ten of half the distance between the lowest and the highest mean."""
        means = self.tree.labels
        low, high = float(means.min()), float(means.max())
        return exponent(high / 2 - low / 2) if high > low else WHOLE

    @cached_property
    def _has_weights(self) -> bool:
        """Whether weights say what rows do not; exposures do wherever they are not 1."""
        if self.word == "mean":
            return self.tree.is_weighted
        return not np.allclose(self.tree.counts[:, 0], self.tree.n_rows, rtol=1e-9, atol=0)

    @cached_property
    def _widest_count(self) -> int:
        return max(_count_width(size_text(self.tree, leaf)) for leaf in self._leaves)

    @cached_property
    def _widest_interval(self) -> int:
        """The longest interval, and the room after it."""
        widest = max(len(self._interval_at(leaf)) for leaf in self._leaves)
        return widest + 2 if widest else 0

    @cached_property
    def _leaves(self) -> list[int]:
        leaves: list[int] = np.flatnonzero(self.tree.feature < 0).tolist()
        return leaves


def texts_of(tree: Tree, level: Any = "auto", method: str = "auto") -> NodeTexts | NumberTexts:
    """Return what is said of the nodes of a tree, of classes or of numbers."""
    return (NumberTexts if tree.loss.is_of_numbers else NodeTexts)(tree, level, method)


def _count_width(size: str) -> int:
    """Return how long the number is that a number of rows begins with."""
    return size.index(" ")


def exponent(value: float) -> int:
    """Return the power of ten that a number begins with; that of 1 for 0."""
    return math.floor(math.log10(abs(value))) if value else 0


def rounded(value: float, place: int) -> str:
    """Write a number as a multiple of a power of ten."""
    try:
        return value_text(round(value, -place))
    except OverflowError:  # infinite, or it would be if rounded up
        return value_text(value)
