"""Whether a column tells the target as a copy of it does."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

ROUNDING = 1e-9  # of a correlation, or of the range of the target: no difference


def one_to_one(values: NDArray[Any], codes: NDArray[Any], n_classes: int | None = None) -> bool:
    """Whether rows have the same value just where they have the same class."""
    distinct, at, places = np.unique(values, return_index=True, return_inverse=True)
    if n_classes is None:
        n_classes = len(np.unique(codes))
    if len(distinct) != n_classes or len(set(codes[at].tolist())) != n_classes:
        return False
    return bool((codes[at][places.reshape(-1)] == codes).all())


def tell_classes(rows: NDArray[Any], codes: NDArray[Any]) -> NDArray[np.bool_]:
    """Say which 0/1 columns equal the codes of two classes, or are their complement."""
    same = rows == codes[:, None]
    found: NDArray[np.bool_] = same.all(axis=0) | ~same.any(axis=0)
    return found


def two_codes(numbers: NDArray[np.float64], places: NDArray[np.intp]) -> NDArray[Any] | None:
    """Return the codes of numbers of which there are two, as classes have them; None for others."""
    some = np.unique(numbers[places])
    if len(some) != 2:
        return None
    codes = numbers == some[1]
    return codes.astype(np.uint8) if (codes | (numbers == some[0])).all() else None


def tells_numbers(values: NDArray[Any], numbers: NDArray[np.float64], *, has_order: bool) -> bool:
    """Whether the values of a column tell the numbers of a target, in one of three ways.

    Values with an order may rise, or fall, with the target; or be it, shifted and scaled, up to
    rounding. Values without one may be names of numbers that there are few of. Where nearly every
    number is there once, each row has its own name for it, and that is no copy.
    """
    if has_order and (_rises(values, numbers) or _rises(-values, numbers)):
        return True
    if has_order and _is_linear(values, numbers):
        return True
    return len(np.unique(numbers)) <= len(numbers) / 2 and one_to_one(values, numbers)


def _rises(values: NDArray[Any], numbers: NDArray[np.float64]) -> bool:
    """Whether values are equal where the numbers are, and higher where those are."""
    order = np.argsort(values, kind="stable")
    x, y = values[order], numbers[order]
    return bool((y[1:] >= y[:-1]).all() and np.array_equal(x[1:] > x[:-1], y[1:] > y[:-1]))


def _is_linear(values: NDArray[Any], numbers: NDArray[np.float64]) -> bool:
    """Whether values are the numbers up to a shift, a scale and rounding.

    A correlation of 1 is not enough: a single row that is far from all others leads to it, too.
    """
    if not np.isfinite(values).all():  # some are missing
        return False
    x, y = _scaled(values), _scaled(numbers)
    deviation = float(np.sqrt((x @ x) * (y @ y)))
    if deviation == 0 or abs(x @ y) < (1 - ROUNDING) * deviation:
        return False
    ordered = y[np.argsort(x if x @ y > 0 else -x, kind="stable")]
    return bool((np.diff(ordered) >= -ROUNDING * np.ptp(y)).all())


def _scaled(numbers: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers about their mean, none of them too large or too small to be squared."""
    largest = float(np.abs(numbers).max()) or 1.0
    parts = numbers / largest
    parts = parts - parts.mean()
    spread = float(np.abs(parts).max()) or 1.0
    scaled: NDArray[np.float64] = parts / spread
    return scaled
