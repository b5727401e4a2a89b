"""Confidence intervals of what nodes say: of class shares, and of means and rates.

Those of class shares are made of numbers of rows. Weighted shares have no binomial interval, so
weights play no part there: each class is counted against all others.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._solving.losses import Loss
from splitsecond._solving.number_losses import OfNumbers
from splitsecond._support.checks import as_float, check_choice, number_of
from splitsecond._support.messages import shown

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree

AUTO_LEVEL = 0.95
METHODS = {
    "jeffreys": "Jeffreys",
    "wilson": "Wilson",
    "student": "Student's t",
    "garwood": "Garwood",
}
# What can be made of the sums of a loss; the first is the default.
OF_NUMBERS = {"squared_error": ("student",), "poisson": ("garwood",)}
OF_CLASSES = ("jeffreys", "wilson")

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


def chosen_method(loss: Loss, method: Any) -> str:
    """Return how intervals are made; "auto" is the first way that there is for a loss."""
    ways = OF_NUMBERS.get(loss.name, OF_CLASSES)
    check_choice("method", method, ("auto", *ways))
    return ways[0] if method == "auto" else str(method)


def share_intervals(counts: NDArray[np.int64], level: Any, method: str) -> Limits:
    """Return the limits of each class share, given numbers of rows with classes on the last axis.

    Without a row nothing is known, and the limits are 0 and 1.
    """
    tail = (1 - check_level(level)) / 2
    check_choice("method", method, OF_CLASSES)
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


def value_intervals(
    loss: OfNumbers, sums: NDArray[np.float64], rows: NDArray[np.int64], level: Any, method: str
) -> Limits:
    """Return the limits of means or rates, given the sums of a loss, and how many rows there are.

    Where nothing is known, they are infinite; a rate is never below 0.
    """
    tail = (1 - check_level(level)) / 2
    of = _student if chosen_method(loss, method) == "student" else _garwood
    return of(loss, sums, rows, tail)


def _student(
    loss: OfNumbers, sums: NDArray[np.float64], rows: NDArray[np.int64], tail: float
) -> Limits:
    """Return means that a t-test does not reject; the variance is that of the weight."""
    from scipy.special import stdtrit

    free = np.maximum(rows - 1, 1)
    variance = loss.loss(sums) / np.where(sums[..., 0] > 0, sums[..., 0], 1)
    with np.errstate(over="ignore"):
        half = loss.scale * (-stdtrit(free, tail) * np.sqrt(variance / free))
        mean = loss.value(sums)
        limits = np.stack([mean - half, mean + half], axis=-1)
    limits[rows < 2] = -np.inf, np.inf  # one row does not tell how far rows are apart
    return limits


def _garwood(
    loss: OfNumbers, sums: NDArray[np.float64], rows: NDArray[np.int64], tail: float
) -> Limits:
    """Return rates of which the events are in neither tail of a Poisson distribution."""
    from scipy.special import gammainccinv, gammaincinv

    exposure = sums[..., 0]
    known = np.where(exposure > 0, exposure, 1)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        events = loss.value(sums) * exposure
        low = np.where(events > 0, gammaincinv(events, tail), 0.0) / known
        high = gammainccinv(events + 1, tail) / known
    high = np.where((exposure > 0) & ~np.isnan(high), high, np.inf)
    return np.stack([np.nan_to_num(low, nan=0.0), high], axis=-1)


def shown_level(tree: Tree, level: Any) -> float | None:
    """Return the level of the intervals that prints and pictures show; None: they show none.

    "auto" is for leaves that are read as numbers: all but those of zero_one, which decide.
    """
    if isinstance(level, str) and level == "auto":
        is_read = tree.loss.name != "zero_one" and tree.row_counts is not None
        return AUTO_LEVEL if is_read else None
    return None if level is None else check_level(level)


def known_intervals(tree: Tree, level: Any, method: str) -> Limits | None:
    """Return what data forms hold: intervals, where a level is given and rows are known."""
    method = chosen_method(tree.loss, method)
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
