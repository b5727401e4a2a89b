"""Criteria that are no sums over leaves: exact for any tree, but over a set only by looking."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splitsecond._sets.criteria import Criterion, Leaves

Values = NDArray[np.float64]  # of parts, [parts, trees]


@dataclass(frozen=True)
class Combined:
    """Made of additive criteria of the same tree, such as the F1 score or an absolute gap."""

    name: str
    parts: tuple[Criterion, ...]
    combine: Callable[[Values], NDArray[np.float64]]
    greater_is_better: bool = False

    def of_leaves(self, leaves: Leaves) -> NDArray[np.float64]:
        """Return the values of trees."""
        return self.combine(np.array([part.of_leaves(leaves) for part in self.parts]))


@dataclass(frozen=True)
class RocAuc:
    """The area under the ROC curve, where rows are ordered by the share of the positive class."""

    name: str
    positive: int  # the class
    greater_is_better: bool = True

    def of_leaves(self, leaves: Leaves) -> NDArray[np.float64]:
        """Return the values of trees."""
        n_leaves, n_classes = leaves.counts.shape
        by_class = leaves.weights.reshape(n_leaves, -1, n_classes).sum(axis=1)
        wanted = by_class[:, self.positive]
        others = by_class.sum(axis=1) - wanted
        shares = leaves.counts[:, self.positive] / leaves.counts.sum(axis=1)
        # Leaves of a tree in order of their shares; those of the same share are a tie.
        order = np.lexsort((shares, leaves.tree_of))
        tree, share = leaves.tree_of[order], shares[order]
        is_new = np.append(True, (tree[1:] != tree[:-1]) | (share[1:] != share[:-1]))
        tie = np.cumsum(is_new) - 1
        positive, negative = np.bincount(tie, wanted[order]), np.bincount(tie, others[order])
        of_tree = tree[is_new]
        before = np.cumsum(negative) - negative
        below = before - before[np.searchsorted(of_tree, of_tree)]  # of the same tree
        # The probability that a positive row has the larger share; a tie counts half.
        won = np.bincount(of_tree, positive * (below + negative / 2))
        pairs = leaves.sums(wanted) * leaves.sums(others)
        area: NDArray[np.float64] = won / np.where(pairs > 0, pairs, np.nan)
        return area


NonAdditive = Combined | RocAuc


def f1(values: Values) -> NDArray[np.float64]:
    """Return the F1 score, given the shares of true positives, false positives and negatives."""
    true, false_positive, false_negative = values
    whole = 2 * true + false_positive + false_negative
    score: NDArray[np.float64] = 2 * true / np.where(whole > 0, whole, np.nan)
    return score


def spread(values: Values) -> NDArray[np.float64]:
    """Return the maximum minus the minimum over groups; those without rows are left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no group has rows: it is not defined
        gap: NDArray[np.float64] = np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
    return gap


def larger_spread(values: Values) -> NDArray[np.float64]:
    """Return the larger one of two spreads, of which each has half of the parts."""
    both = np.array([spread(half) for half in np.split(values, 2)])
    larger: NDArray[np.float64] = both.max(axis=0)
    return larger
