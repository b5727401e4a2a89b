"""Sample and class weights as the exact integers that the core counts with."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._support.checks import number_of
from splitsecond._support.messages import listed, shown
from splitsecond._tables.errors import TableError

# The core counts in 32-bit integers.
MAX_WEIGHT = 2**31 - 1
# Real weights without a common factor are rounded to this share of their total.
ROUNDED_TOTAL = 2**30
# Where it counts in 64-bit integers, whose sums become floats.
MAX_SUM = 2**53 - 1
ROUNDED_SUM = 2**52

FEW = 16  # so many different weights are worth a search for the best factor
_EXACT_ROWS = 2**26  # whose sums of half numbers are exact
FACTORS = [*(2**i for i in range(1, 17)), 10, 100, 1000, 10_000]


def check_sample_weight(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    """Return ``sample_weight`` as an array, or raise an error that says what is wrong with it."""
    if isinstance(sample_weight, np.ma.MaskedArray):
        raise ValueError("sample_weight is a masked array: fill the masked places first.")
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
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
        raise TableError(
            f"sample_weight must be finite and not negative, got {weights[row]}",
            ". Leave the row out or give it weight 0.",
            row=row,
        )
    if weights.max() > 1e300:
        raise ValueError(f"sample_weight is as large as {weights.max()}: scale the weights down.")
    if not weights.any():
        raise ValueError("sample_weight is zero for every row: give at least one row a weight.")
    return weights


def check_sums(weights: NDArray[np.float64]) -> None:
    """Refuse weights whose products with numbers floats would not hold."""
    if weights.max() < 1e-200:
        raise ValueError(
            f"sample_weight is at most {weights.max()}: scale the weights up, for example by "
            "dividing them by their mean."
        )


def row_weights(
    classes: NDArray[Any],
    codes: NDArray[Any],
    class_weight: Mapping[Any, float] | str | None,
    sample_weight: NDArray[np.float64] | None,
) -> NDArray[np.float64] | None:
    """Multiply class weights and sample weights; None when every row counts once."""
    if class_weight is None:
        return sample_weight
    totals = np.bincount(codes, weights=sample_weight, minlength=len(classes))
    shares = class_shares(classes, totals, class_weight)
    weights: NDArray[np.float64] = shares[codes]
    if sample_weight is not None:
        weights = weights * sample_weight
    if not weights.any():
        raise all_zero()
    return weights


def all_zero() -> ValueError:
    """Return the error for class weights that leave no row a weight."""
    return ValueError(
        "class_weight and sample_weight together are zero for every row: give at least one row "
        "a weight."
    )


def class_shares(
    classes: NDArray[Any], totals: NDArray[Any], class_weight: Mapping[Any, float] | str
) -> NDArray[np.float64]:
    """Return the weight of each class, given what its rows weigh together."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        present = totals > 0
        shares = np.zeros(len(classes))
        shares[present] = totals.sum() / (np.count_nonzero(present) * totals[present])
        return shares
    if isinstance(class_weight, Mapping):
        return _shares(classes, class_weight)
    to_dict = "class_weight.to_dict()"
    remedy = f": pass {to_dict}" if hasattr(class_weight, "to_dict") else ""
    raise ValueError(
        f"class_weight of type {type(class_weight).__name__} ({shown(class_weight)}) must be a "
        f"dict from classes to weights, 'balanced' or None{remedy}."
    )


def _shares(classes: NDArray[Any], class_weight: Mapping[Any, float]) -> NDArray[np.float64]:
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        raise ValueError(
            f"The classes, [{listed(list(map(shown, unknown)), 5)}], are not in class_weight's "
            f"data: y has {listed(list(map(shown, labels)))}."
        )
    for label, weight in class_weight.items():
        number = number_of(weight)
        if number is None or not 0 <= number < 1e300:
            raise ValueError(
                f"class_weight of {shown(label)} must be finite and not negative, got "
                f"{shown(weight)}."
            )
    return np.array([float(class_weight.get(label, 1)) for label in labels])


def as_integers(weights: NDArray[np.float64] | None) -> NDArray[np.int32] | None:
    """Scale weights to integers with a total below 2**31.

    Whole weights are exact; a total of 2**31 or more (without a common factor) is an error. Exact
    too are weights that become whole, with a total below 2**31, when multiplied by a power of two
    up to 2**16 or a power of ten up to 10**4. Up to 16 different weights get the
    common factor that changes them least: none at all where one makes them whole. Others are
    rounded to the nearest multiple of their total / 2**30; none becomes 0.
    """
    if weights is None:
        return None
    whole = _whole(weights)
    if whole is None:
        whole = _nearest(weights / weights.max(), weights)
    integers = whole.astype(np.int32)
    divisor = common_divisor(integers)
    return integers // divisor if divisor > 1 else integers


def as_large_integers(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Scale weights to integers with a total below 2**53.

    As `as_integers`, but what would be rounded there has a total of 2**52 here.
    """
    whole = _whole(weights, MAX_SUM)
    if whole is None:
        shares = weights / weights.max()
        whole = _nearest(shares, weights)
        if not are_proportional(whole, shares):
            whole = rounded(shares, _total(weights), ROUNDED_SUM)
    integers = whole.astype(np.int64)
    return integers // common_divisor(integers)


def are_proportional(whole: NDArray[np.float64], weights: NDArray[np.float64]) -> bool:
    """Whether whole numbers are weights times one factor."""
    with np.errstate(over="ignore"):
        factors = whole[weights > 0] / weights[weights > 0]
    return bool(factors.max() <= factors.min() * (1 + 1e-12))


def _whole(weights: NDArray[np.float64], max_total: int = MAX_WEIGHT) -> NDArray[np.float64] | None:
    """Return the weights times a factor that makes them whole, or None if none is known."""
    if weights.max() > 2**53:  # not every whole number up to there is a float
        return None
    sample = weights[:: max(1, len(weights) // 1000)]
    for factor in (1, *FACTORS):
        if is_whole(sample * factor) and is_whole(weights * factor):
            scaled = np.rint(weights * factor)
            if scaled.max() > 2**53:
                return None
            divisor = common_divisor(scaled.astype(np.int64))
            if scaled.sum() / divisor <= max_total:
                return np.asarray(scaled / divisor)
            if factor > 1 or max_total > MAX_WEIGHT:
                return None
            raise too_heavy(float(weights.sum()))
    return None


def too_heavy(total: float) -> ValueError:
    """Return the error for whole weights that add up to more than can be counted."""
    return ValueError(
        f"The weights are whole numbers that add up to {total:.0f}: to count them exactly, less "
        "than 2**31 is possible. Divide them, for example by their mean: they are then rounded to "
        "2**-30 of their total."
    )


def common_divisor(integers: NDArray[Any]) -> int:
    """Return the greatest common divisor; a few of them mostly tell that it is 1."""
    few = int(np.gcd.reduce(integers[:1000]))
    return few if few == 1 else int(np.gcd.reduce(integers))


def is_whole(values: NDArray[np.float64]) -> bool:
    """Whether all numbers of at least 0 are whole, but for what floats are off by."""
    return bool(np.all(np.abs(values - np.rint(values)) <= 1e-12 * values))


def _nearest(shares: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights, given also as shares of the largest, as whole numbers that are near them."""
    sample = shares[:: max(1, len(shares) // 1000)]
    if len(np.unique(sample)) <= FEW:
        kinds, kind_of = np.unique(shares, return_inverse=True)
        if len(kinds) <= FEW:
            multiples: NDArray[np.float64] = best_multiples(kinds, np.bincount(kind_of))[kind_of]
            return multiples
    return rounded(shares, _total(weights))


def _total(weights: NDArray[np.float64]) -> float:
    """Return the sum of weights in the largest of them, whatever their order."""
    return float(exact_sum(weights) / Fraction(float(weights.max())))


def exact_sum(values: NDArray[np.float64]) -> Fraction:
    """Return the sum of numbers of at least 0, exactly, so that their order does not matter."""
    total = Fraction(0)
    for begin in range(0, len(values), _EXACT_ROWS):
        mantissas, exponents = np.frexp(values[begin : begin + _EXACT_ROWS])
        whole = (mantissas * 2.0**53).astype(np.int64)
        lowest = int(exponents.min())
        places = exponents - lowest
        # Sums of halves of the bits, by exponent: whole numbers below 2**53.
        high = np.bincount(places, whole >> 26)
        low = np.bincount(places, whole & ((1 << 26) - 1))
        for place in np.flatnonzero((high > 0) | (low > 0)).tolist():
            number = (int(high[place]) << 26) + int(low[place])
            total += number * Fraction(2) ** (lowest + place - 53)
    return total


def rounded(
    weights: NDArray[np.float64], total: float, to: int = ROUNDED_TOTAL
) -> NDArray[np.float64]:
    """Round weights to their total's part of a whole number; none becomes 0."""
    nearest: NDArray[np.float64] = np.rint(weights * (to / total))
    return np.maximum(nearest, weights > 0)


def best_multiples(kinds: NDArray[np.float64], rows: NDArray[Any]) -> NDArray[np.float64]:
    """Return whole numbers nearly in the proportion of ``kinds``, each of so many rows."""
    positive = kinds > 0
    units = np.where(positive, kinds / kinds[positive].min(), 0)
    most = min(100_000, int(MAX_WEIGHT / (units @ rows)) - 1)
    if most < 1:
        return rounded(kinds, kinds @ rows)
    exact = np.outer(np.arange(1, most + 1), units[positive])
    change = np.abs(np.rint(exact) / exact - 1).max(axis=1)
    # The smallest factor among those that change least, up to rounding in this very line.
    best = 1 + int(np.argmax(change <= change.min() + 1e-13))
    multiples: NDArray[np.float64] = np.rint(best * units)
    return multiples
