"""Confidence intervals of class shares, from numbers of rows.

Weighted shares have no binomial interval, so weights play no part here: each class is counted
against all others.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._support.checks import as_float, check_choice, number_of
from splitsecond._support.messages import shown

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree

AUTO_LEVEL = 0.95
METHODS = {"jeffreys": "Jeffreys", "wilson": "Wilson"}

Limits = NDArray[np.float64]  # last axis: lower and upper limit


def check_level(level: Any) -> float:
    """Return a confidence level; refuse what is none."""
    number = number_of(level)
    if not isinstance(number, Fraction) or not 0 < number < 1:
        raise ValueError(
            f"level={shown(level)} must be a number between 0 and 1, such as 0.95: the confidence "
            "level of intervals."
        )
    return as_float(number)


def share_intervals(counts: NDArray[np.int64], level: Any, method: str) -> Limits:
    """Return the limits of each class share, given numbers of rows with classes on the last axis.

    Without a row nothing is known, and the limits are 0 and 1.
    """
    tail = (1 - check_level(level)) / 2
    check_choice("method", method, METHODS)
    rows = np.broadcast_to(counts.sum(axis=-1, keepdims=True), counts.shape)
    of = _jeffreys if method == "jeffreys" else _wilson
    low, high = of(counts.astype(np.float64), rows.astype(np.float64), tail)
    # Where a share is 0 or 1, so is the limit on that side: quantiles are only close to it.
    low = np.where(counts == 0, 0.0, low)
    high = np.where(counts == rows, 1.0, high)
    return np.stack([low, high], axis=-1)


def _jeffreys(
    inside: NDArray[np.float64], rows: NDArray[np.float64], tail: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return quantiles of the share, given the rows and Jeffreys' prior, Beta(1/2, 1/2)."""
    from scipy.special import betaincinv

    a, b = inside + 0.5, rows - inside + 0.5
    return betaincinv(a, b, tail), betaincinv(a, b, 1 - tail)


def _wilson(
    inside: NDArray[np.float64], rows: NDArray[np.float64], tail: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the shares that a score test does not reject."""
    from scipy.special import ndtri

    z = -float(ndtri(tail))
    whole = rows + z * z
    middle = (inside + z * z / 2) / whole
    # inside * (rows - inside) / rows, which is 0 without a row.
    spread = inside * (rows - inside) / np.maximum(rows, 1)
    half = z / whole * np.sqrt(spread + z * z / 4)
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)


def shown_level(tree: Tree, level: Any, method: str) -> float | None:
    """Return the level of the intervals that prints and pictures show; None: they show none.

    "auto" is for leaves that are read as probabilities: all but those of zero_one, which decide.
    """
    check_choice("method", method, METHODS)
    if isinstance(level, str) and level == "auto":
        is_read = tree.loss.name != "zero_one" and tree.row_counts is not None
        return AUTO_LEVEL if is_read else None
    return None if level is None else check_level(level)


def known_intervals(tree: Tree, level: Any, method: str) -> Limits | None:
    """Return what data forms hold: intervals, where a level is given and rows are known."""
    check_choice("method", method, METHODS)
    if level is None:
        return None
    level = check_level(level)
    return None if tree.row_counts is None else tree.intervals(level, method)


def row_counts_of(tree: Tree) -> NDArray[np.int64]:
    """Return the training rows of each class at each node, which intervals are made of."""
    if tree.row_counts is None:
        raise ValueError(
            "This weighted tree is from an old file, which does not tell how many rows of each "
            "class there are: intervals cannot be made of weights. Fit the model again, or give "
            "rows and their classes: intervals(X=X, y=y)."
        )
    return tree.row_counts
