"""Reading one raw column: numbers, or codes of the different values there are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from splitsecond._support.messages import date_text, infinity_text, shown
from splitsecond._tables.errors import CellTypeError, TableError
from splitsecond._tables.opening import refuse_complex, values_of

MISSING, UNKNOWN = -1, -2  # codes of categories
# Old narwhals has no Time (times of day then come as objects, which are refused too).
TEMPORAL = tuple(getattr(nw, n) for n in ("Date", "Datetime", "Duration", "Time") if hasattr(nw, n))


@dataclass(frozen=True)
class Cells:
    """A column as it was found: numbers, or codes of keys."""

    label: Any
    numbers: NDArray[np.float64] | None  # NaN where missing
    codes: NDArray[np.int32] | None = None  # into keys, or MISSING
    keys: Sequence[Any] = ()
    order: Sequence[Any] | None = None  # all categories of an ordered column

    def is_missing(self) -> NDArray[np.bool_]:
        """Where there is no value."""
        if self.numbers is not None:
            missing: NDArray[np.bool_] = np.isnan(self.numbers)
        else:
            assert self.codes is not None
            missing = self.codes == MISSING
        return missing

    def value(self, row: int) -> Any:
        """Return the number or the key in a row; None if there is no value."""
        if self.is_missing()[row]:
            return None
        if self.numbers is not None:
            return self.numbers[row].item()
        assert self.codes is not None
        return self.keys[self.codes[row]]


def read_series(series: nw.Series[Any], label: Any) -> Cells:
    """Read a column of a data frame."""
    dtype = series.dtype
    if isinstance(dtype, TEMPORAL):
        raise _is_a_date(label, dtype)
    if isinstance(dtype, (nw.Categorical, nw.Enum)):
        return _read_categories(series, label)
    if isinstance(dtype, nw.String):
        return _as_numbers(_factorize(series.to_list(), label))
    array = values_of(series)
    if array.ndim != 1:
        raise _is_nothing_known(label, series.to_list()[0], 0)
    if dtype == nw.Decimal or (array.dtype.kind == "O" and dtype.is_numeric()):
        array = np.array([np.nan if is_missing(v) else float(v) for v in array.tolist()])
    return read_values(array, label)


def _read_categories(series: nw.Series[Any], label: Any) -> Cells:
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "codes"):
        # By number, since pandas writes one and the same interval in two ways.
        used, codes = np.unique(native.cat.codes.to_numpy(), return_inverse=True)
        keys = [plain_category(native.cat.categories[place]) for place in used if place >= 0]
        codes = codes.reshape(-1) - (len(used) - len(keys))  # missing ones, the first, are -1
        return Cells(label, None, codes.astype(np.int32), keys, _declared_order(series))
    cells = _factorize(series.to_list(), label)
    keys = [plain_category(key) for key in cells.keys]
    return Cells(label, None, cells.codes, keys, _declared_order(series))


def _declared_order(series: nw.Series[Any]) -> list[Any] | None:
    """Return all categories of an ordered dtype, None for one without order."""
    native = series.to_native()
    dtype: Any = getattr(native, "dtype", None)
    if hasattr(dtype, "ordered"):  # pandas
        return [plain_category(value) for value in dtype.categories] if dtype.ordered else None
    if isinstance(series.dtype, nw.Enum):  # polars
        return list(native.dtype.categories)
    arrow = getattr(native, "type", None)
    if getattr(arrow, "ordered", False):  # pyarrow
        return native.combine_chunks().dictionary.to_pylist() if native.num_chunks else []
    return None


def read_values(array: NDArray[Any], label: Any) -> Cells:
    """Read a column of an array."""
    kind = array.dtype.kind
    if kind in "buif":
        with np.errstate(over="ignore"):  # beyond all 64-bit floats: infinity, which is refused
            numbers = np.ascontiguousarray(array, dtype=np.float64)
        if kind == "f":
            refuse_infinity(numbers, label)
        return Cells(label, numbers)
    if kind in "Mm":
        raise _is_a_date(label, array.dtype)
    refuse_complex(array, label)
    if kind not in "OUT":
        raise _is_nothing_known(label, array[0], 0)
    return _as_numbers(_factorize(array.tolist(), label))


def _factorize(values: list[Any], label: Any) -> Cells:
    try:
        distinct = dict.fromkeys(values)
    except TypeError:
        row = next(i for i, value in enumerate(values) if not _is_hashable(value))
        raise _is_nothing_known(label, values[row], row) from None
    keys: list[Any] = []
    places: dict[Any, int] = {}
    for value in distinct:
        if is_missing(value):
            places[value] = MISSING
        else:
            places[value] = len(keys)
            keys.append(_plain(value))
    codes = np.fromiter(map(places.__getitem__, values), dtype=np.int32, count=len(values))
    return Cells(label, None, codes, keys)


def _as_numbers(cells: Cells) -> Cells:
    """Settle what a column of Python objects holds: numbers, or text."""
    codes = cells.codes
    assert codes is not None

    def rows(places: Iterable[int]) -> NDArray[np.intp]:
        return np.flatnonzero(np.isin(codes, list(places)))

    texts = [i for i, key in enumerate(cells.keys) if isinstance(key, str)]
    others = [i for i, key in enumerate(cells.keys) if not isinstance(key, (str, int, float))]
    for i in others:
        key = cells.keys[i]
        if isinstance(key, (date, time, timedelta)):
            raise _is_a_date(cells.label, type(key).__name__)
        raise _is_nothing_known(cells.label, key, int(rows([i])[0]))
    if not texts:
        numbers = np.array([*map(as_float, cells.keys), np.nan])[cells.codes]
        refuse_infinity(numbers, cells.label)
        return Cells(cells.label, numbers)
    if len(texts) < len(cells.keys):
        where = rows(texts)
        listed = ", ".join(str(row) for row in where[:3]) + (", ..." if len(where) > 3 else "")
        label, value = shown(cells.label), shown(cells.keys[texts[0]])
        several = f"{len(where):,} values such as {value} are not numbers (rows {listed})"
        said = several if len(where) > 1 else f"1 value, {value}, is not a number (row {listed})"
        raise TableError(
            f"Column {label} mixes numbers and text: {said}. Convert it to numbers, for example by "
            f'pd.to_numeric(X[{label}], errors="coerce"), or make every value text (a category).',
            row=int(where[0]),
            column=cells.label,
        )
    return cells


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def is_missing(value: Any) -> bool:
    """None, NaN, and pandas' NA and NaT; pandas itself is not needed to tell."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating, Decimal)) and math.isnan(value)


def _plain(value: Any) -> Any:
    """Return numbers of every kind as Python's own, and the rest as it is."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (str, int, float)) or not isinstance(value, (Decimal, Real)):
        return value
    return as_float(value)


def plain_category(value: Any) -> Any:
    """Return a category as JSON can hold it: intervals and the like as text."""
    value = _plain(value)
    return value if isinstance(value, (str, int, float)) else str(value)


def as_float(value: Any) -> float:
    """Return a number as a float, infinite where it is too large for one."""
    try:
        return float(value)
    except OverflowError:  # an integer beyond all floats
        return float("inf") if value > 0 else float("-inf")


def refuse_infinity(numbers: NDArray[np.float64], label: Any) -> None:
    """Refuse a column that contains infinity."""
    infinite = np.isinf(numbers)
    if infinite.any():
        raise TableError(
            infinity_text(label, int(infinite.sum())),
            ". Replace them by numbers or by missing values (NaN).",
            row=int(np.argmax(infinite)),
            column=label,
        )


def _is_a_date(label: Any, dtype: Any) -> TableError:
    remedy = (
        f"Turn it into numbers first, for example the year (X[{shown(label)}].dt.year) or the days "
        f"since a date ((X[{shown(label)}] - start).dt.days)."
    )
    return TableError(date_text(label, dtype, remedy), column=label)


def _is_nothing_known(label: Any, value: Any, row: int) -> CellTypeError:
    return CellTypeError(
        f"Column {shown(label)} has a value of type {type(value).__name__}",
        f": {shown(value)}. Every argument must be a string, a boolean or a number.",
        row=row,
        column=label,
    )
