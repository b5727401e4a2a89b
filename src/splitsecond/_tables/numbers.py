"""A numeric target of any kind as floats."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from splitsecond._support.checks import as_float, number_of
from splitsecond._support.messages import shown
from splitsecond._tables.errors import TableError
from splitsecond._tables.labels import array_of, check_length, refuse_no_target

POISSON = "poisson"
EXACT = 2**53  # integers up to here are floats
_OF_KIND = dict.fromkeys("UST", "text") | {
    "M": "dates",
    "m": "time differences",
    "c": "complex numbers",
}
_REMEDIES = {
    "text": "turn it into numbers, for example with pandas.to_numeric(y), or fit a classifier",
    "dates": "turn them into numbers, for example the days since the first, (y - y.min()).dt.days",
    "time differences": "turn them into numbers, for example with y.dt.total_seconds()",
    "complex numbers": "turn them into real ones, for example with y.real or abs(y)",
}


@dataclass(frozen=True)
class Numbers:
    """A numeric target: ``values + offset`` is y.

    The offset is 0 unless y holds integers beyond 2**53, which floats would round: then it is the
    smallest of them, so that differences are exact. The target of a Poisson loss has none, since
    its logarithm is modelled: a rate that large is rounded to the nearest float.
    """

    values: NDArray[np.float64]  # finite
    offset: int | float = 0


def read_numbers(y: Any, n_rows: int, *, loss: str) -> Numbers:
    """Return a numeric target, or raise an error that says what is wrong with it.

    For ``loss="poisson"`` no number may be negative: y is a count, or a rate, count / exposure,
    whose exposure is the sample weight.
    """
    given = _as_array(y)
    check_length(len(given), n_rows)
    may_shift = loss != POISSON
    read = _from_objects if given.dtype.kind == "O" else _from_array
    numbers = read(given, may_shift)
    if loss == POISSON:
        _refuse_negative(numbers.values)
    return numbers


def _as_array(y: Any) -> NDArray[Any]:
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iuf":
        return y  # nearly always: fits take a millisecond
    refuse_no_target(y, "numbers")
    series = nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        _refuse_missing(series.is_null().to_numpy())
        values = array_of(series)
    else:
        try:
            values = _of_sequence(y)
        except ValueError:
            raise ValueError(
                f"y={shown(y)} holds lists of different lengths: give one number for each row of X."
            ) from None
    if values.ndim == 2 and values.shape[1] != 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {values.shape}: give one number for "
            "each row of X, and fit a model for each target."
        )
    if values.dtype.kind not in "biufO":
        what = _OF_KIND.get(values.dtype.kind, f"values of dtype {values.dtype}")
        raise ValueError(_unusable(what))
    numbers: NDArray[Any] = column_or_1d(values, warn=True)
    return numbers


def _of_sequence(y: Any) -> NDArray[Any]:
    array: NDArray[Any] = np.asarray(y)
    # numpy makes floats of integers that no integer dtype holds together, such as -1 and 2**63.
    if isinstance(y, (list, tuple)) and array.dtype.kind == "f" and set(map(type, y)) == {int}:
        return np.array(y, dtype=object)
    return array


def _from_array(given: NDArray[Any], may_shift: bool) -> Numbers:
    kind = given.dtype.kind
    if may_shift and kind in "iu" and given.dtype.itemsize == 8:
        lowest = int(given.min())
        if max(int(given.max()), -lowest) > EXACT:
            # Modulo 2**64, where the difference of any two is exact.
            above = given.astype(np.uint64) - np.uint64(lowest % 2**64)
            return Numbers(above.astype(np.float64), lowest)
    with np.errstate(over="ignore"):  # of long doubles
        values = given.astype(np.float64)
    if kind == "f":
        _refuse_missing(np.isnan(values))
        _refuse_infinite(values, given)
    return Numbers(values)


def _from_objects(given: NDArray[Any], may_shift: bool) -> Numbers:
    """Read Python's objects: integers of any size, decimals and fractions among them."""
    objects = given.tolist()
    kinds = set(map(type, objects))
    if kinds == {float}:
        return _from_array(given.astype(np.float64), may_shift)
    numbers = [_number(each, row) for row, each in enumerate(objects)]
    values = np.array([as_float(number) for number in numbers])
    _refuse_missing(np.isnan(values))
    _refuse_infinite(values, given)
    is_exact = not any(issubclass(kind, (float, np.floating)) for kind in kinds)
    if may_shift and is_exact and np.abs(values).max() > EXACT:
        exact = [Fraction(number) for number in numbers]
        offset = math.floor(min(exact))
        return Numbers(np.array([float(number - offset) for number in exact]), offset)
    return Numbers(values)


def _number(value: Any, row: int) -> Fraction | float:
    """Return a number exactly, or NaN where it is missing."""
    if isinstance(value, (bool, np.bool_)):
        return Fraction(int(value))
    if type(value).__name__ in ("NoneType", "NAType", "NaTType"):
        return math.nan
    number = number_of(value)
    if number is not None:
        return number
    named = (
        ("text", (str, bytes)),
        ("complex numbers", (complex, np.complexfloating)),
        ("dates", (date, np.datetime64)),
        ("time differences", (timedelta, np.timedelta64)),
    )
    what = next((what for what, types in named if isinstance(value, types)), None)
    what = what or f"values of type {type(value).__name__}"
    raise TableError(_unusable(what, f", {shown(value)} in row {row},"), row=row)


def _unusable(what: str, where: str = "") -> str:
    prefix = "Complex data not supported: " if what == "complex numbers" else ""
    remedy = _REMEDIES.get(what, "give one number for each row of X")
    return f"{prefix}y holds {what}{where} where numbers are expected: {remedy}."


def _refuse_missing(missing: NDArray[Any]) -> None:
    count = int(np.count_nonzero(missing))
    if count:
        number = "a value is missing" if count == 1 else f"{count:,} values are missing, the first"
        rows = "the row" if count == 1 else "those rows"
        raise TableError(
            f"Input y contains NaN: {number}", f". Leave {rows} out.", row=int(np.argmax(missing))
        )


def _refuse_infinite(values: NDArray[np.float64], given: NDArray[Any]) -> None:
    bad = np.isinf(values)
    if bad.any():
        row = int(np.argmax(bad))
        raise TableError(
            f"Input y contains infinity or a value too large for a float, {shown(given[row])}",
            ". Leave the row out, or scale y.",
            row=row,
        )


def _refuse_negative(values: NDArray[np.float64]) -> None:
    bad = values < 0
    if bad.any():
        row = int(np.argmax(bad))
        raise TableError(
            f"y is negative, {shown(values[row])}",
            ": with loss='poisson' it is a count or a rate. Leave the row out, or use "
            "loss='squared_error'.",
            row=row,
        )
