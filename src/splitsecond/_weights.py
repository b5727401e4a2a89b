"""Sample and class weights as the exact integers that the core counts with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight

# The core counts in 32-bit integers.
MOST_WEIGHT = 2**31 - 1
# Real weights that no small factor makes whole are rounded to this many steps of the largest.
RESOLUTION = 2**16 - 1

_FACTORS = [*(2**i for i in range(1, 17)), 10, 100, 1000, 10_000]


def check_sample_weight(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    """Return ``sample_weight`` as an array, or raise an error that says what is wrong with it."""
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must be numbers, got {sample_weight!r:.80}.") from error
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}, but X has {n_rows} rows: give each a weight."
        )
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"sample_weight must be finite and not negative, got {weights[row]} in row {row}. "
            "Leave the row out or give it weight 0."
        )
    if not weights.any():
        raise ValueError("sample_weight is zero for every row: give at least one row a weight.")
    return weights


def row_weights(
    classes: NDArray[Any],
    codes: NDArray[Any],
    class_weight: Mapping[Any, float] | str | None,
    sample_weight: NDArray[np.float64] | None,
) -> NDArray[np.float64] | None:
    """Multiply class weights and sample weights; None when every row counts once."""
    if class_weight is None:
        return sample_weight
    if isinstance(class_weight, str) and class_weight != "balanced":
        raise ValueError(f"class_weight={class_weight!r} must be a dict, 'balanced' or None.")
    if isinstance(class_weight, str):
        counts = np.bincount(codes, weights=sample_weight, minlength=len(classes))
        # Proportional to 1/count, and whole for two classes: count 1 : count 0.
        with np.errstate(divide="ignore"):
            shares = counts.sum() / counts if len(classes) != 2 else counts[::-1].astype(float)
        shares[counts == 0] = 0
    else:
        shares = compute_class_weight(class_weight, classes=classes, y=classes)
        check_sample_weight(shares, len(classes))
    weights: NDArray[np.float64] = shares.astype(np.float64)[codes]
    return weights if sample_weight is None else weights * sample_weight


def as_integers(weights: NDArray[np.float64] | None) -> NDArray[np.int32] | None:
    """Scale weights to integers with a total below 2**31.

    Exact when the weights are whole numbers, or become whole when multiplied by a power of two up
    to 2**16, by a power of ten up to 10**4, or when divided by the smallest of them. Otherwise each
    is rounded to the nearest multiple of 1/65535 of the largest; and if the total is then still too
    large, down to a multiple of 1/(2**31 - 1) of it.
    """
    if weights is None:
        return None
    whole = _whole(weights)
    if whole is None:
        whole = np.rint(weights * (RESOLUTION / weights.max()))
    if whole.sum() > MOST_WEIGHT:
        # Round down, so that the total cannot exceed the limit.
        whole = np.floor(weights * (MOST_WEIGHT / weights.sum()))
    integers = whole.astype(np.int64)
    divisor = math.gcd(*np.unique(integers).tolist())
    return (integers // max(divisor, 1)).astype(np.int32)


def _whole(weights: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the weights times a factor that makes them whole, or None if none is known."""
    if np.all(weights == np.rint(weights)):
        # Too large a total may be due to a common factor.
        divisor = math.gcd(*(int(w) for w in np.unique(weights)))
        return np.asarray(weights / divisor)
    ratios = weights / weights[weights > 0].min()
    if ratios.max() <= RESOLUTION and np.allclose(ratios, np.rint(ratios), rtol=1e-12, atol=1e-12):
        return np.asarray(np.rint(ratios))
    for factor in _FACTORS:
        scaled = np.asarray(weights * factor)
        if np.all(scaled == np.rint(scaled)) and scaled.max() <= MOST_WEIGHT:
            return scaled
    return None
