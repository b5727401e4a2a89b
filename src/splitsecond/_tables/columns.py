"""Reading raw tables column by column: numbers, 0/1, categories, ordered categories, and blanks.

What a column is gets decided once, when a binarizer is fitted (`Variable.of`). New tables are read
by that decision (`Variable.values`), whatever library or dtype they come in.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import StrEnum
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from splitsecond._support.messages import date_text, infinity_text, shown
from splitsecond._tables.binary import (
    as_array,
    check_shape,
    names_of,
    open_frame,
    pick_labels,
    refuse_complex,
    values_of,
)

BLANK, UNKNOWN = -1, -2  # codes of categories
# Old narwhals has no Time (times of day then come as objects, which are refused too).
TEMPORAL = tuple(getattr(nw, n) for n in ("Date", "Datetime", "Duration", "Time") if hasattr(nw, n))


class Kind(StrEnum):
    """What a column is."""

    EMPTY = "all missing"
    CONSTANT = "constant"  # one value in every row
    UNREAD = "not read in time"  # at a limit of the fit
    BINARY = "binary"  # 0 and 1, or False and True
    NUMBER = "number"
    CATEGORY = "category"
    ORDERED = "ordered"  # categories with an order


@dataclass(frozen=True)
class Cells:
    """A column as it was found: numbers, or codes of keys."""

    label: Any
    numbers: NDArray[np.float64] | None  # NaN where blank
    codes: NDArray[np.int32] | None = None  # into keys, or BLANK
    keys: Sequence[Any] = ()
    order: Sequence[Any] | None = None  # all categories of an ordered column

    def is_blank(self) -> NDArray[np.bool_]:
        """Where there is no value."""
        if self.numbers is not None:
            blank: NDArray[np.bool_] = np.isnan(self.numbers)
        else:
            assert self.codes is not None
            blank = self.codes == BLANK
        return blank


@dataclass(frozen=True)
class Variable:
    """A source variable: what a column of the user's table is."""

    label: Any
    name: str
    kind: Kind
    categories: tuple[Any, ...] = ()  # known ones: in order, or sorted
    has_blanks: bool = False  # in training
    is_constant: bool = False  # in training, though it was taken over as a 0/1 column

    @classmethod
    def of(cls, cells: Cells, name: str, *, keep_constant: bool = False) -> Variable:
        """Decide what a column is; with `keep_constant`, one of a single value by that value."""
        blank = cells.is_blank()
        has_blanks = bool(blank.any())
        categories: Sequence[Any] = ()
        if cells.numbers is not None:
            known = cells.numbers[~blank] if has_blanks else cells.numbers
            n_distinct = 0 if known.size == 0 else 1 if (known == known[0]).all() else 2
            binary = n_distinct > 0 and bool(((known == 0) | (known == 1)).all())
            kind = Kind.BINARY if binary else Kind.NUMBER
        else:
            n_distinct = len(cells.keys)
            kind = Kind.CATEGORY if cells.order is None else Kind.ORDERED
            categories = _sorted(cells.keys) if cells.order is None else cells.order
        if n_distinct == 0:
            return cls(cells.label, name, Kind.EMPTY, has_blanks=has_blanks)
        if n_distinct == 1 and not has_blanks and not keep_constant:
            return cls(cells.label, name, Kind.CONSTANT)
        return cls(cells.label, name, kind, tuple(categories), has_blanks)

    @property
    def dropped(self) -> str | None:
        """Say why there is nothing to ask about it, if so."""
        if self.is_constant:
            return str(Kind.CONSTANT)
        nothing = (Kind.CONSTANT, Kind.EMPTY, Kind.UNREAD)
        return str(self.kind) if self.kind in nothing else None

    def place(self, value: Any) -> int:
        """Return the code of a category, UNKNOWN if there is none."""
        try:
            return self.categories.index(value)
        except ValueError:
            return UNKNOWN

    def values(self, cells: Cells) -> NDArray[Any]:
        """Read a column as this variable: numbers with NaN for blanks, or codes of categories."""
        if self.kind is Kind.NUMBER:
            return self._numbers(cells)
        if self.kind is Kind.BINARY:
            numbers = self._numbers(cells)
            wrong = ~((numbers == 0) | (numbers == 1) | np.isnan(numbers))
            if wrong.any():
                row = int(np.argmax(wrong))
                raise ValueError(
                    f"Column {shown(self.label)} had only the values 0 and 1 in training and has "
                    f"{int(wrong.sum())} others now: {_short(numbers[row])} in row {row}. If it is "
                    "a number, fit on rows that show so."
                )
            return numbers
        return self._codes(cells)

    def _numbers(self, cells: Cells) -> NDArray[np.float64]:
        if cells.numbers is not None:
            return cells.numbers
        assert cells.codes is not None
        if any(isinstance(key, str) for key in cells.keys):
            first = next(i for i, key in enumerate(cells.keys) if isinstance(key, str))
            row = int(np.argmax(cells.codes == first))
            raise ValueError(
                f"Column {shown(self.label)} had numbers in training and has text now: "
                f"{shown(cells.keys[first])} in row {row}. Convert it to numbers first."
            )
        return np.array([*map(_float, cells.keys), np.nan])[cells.codes]

    def _codes(self, cells: Cells) -> NDArray[np.int32]:
        keys, codes = cells.keys, cells.codes
        if cells.numbers is not None:
            distinct, inverse = np.unique(cells.numbers, return_inverse=True, equal_nan=True)
            keys, codes = distinct.tolist(), inverse.astype(np.int32).reshape(-1)
        assert codes is not None
        known = [key for key in keys if not _is_nan(key)]
        if known and not _kinds(known) & _kinds(self.categories):
            had, has = (
                ("text", "numbers") if _kinds(self.categories) == {str} else ("numbers", "text")
            )
            raise ValueError(
                f"Column {shown(self.label)} had {had} in training, such as "
                f"{shown(self.categories[0])}, and has {has} now, such as {shown(known[0])}. "
                "Give it in the form it was trained with."
            )
        place_of = {value: place for place, value in enumerate(self.categories)}
        places = [BLANK if _is_nan(key) else place_of.get(key, UNKNOWN) for key in keys]
        return np.array([*places, BLANK], dtype=np.int32)[codes]


class RawTable:
    """A table of any kind, opened; its columns are read one at a time."""

    def __init__(self, X: Any, labels: list[Any] | None = None) -> None:
        self._frame = open_frame(X)
        self.labels: list[Any] | None = None
        if self._frame is not None:
            self.labels = pick_labels(self._frame, labels)
            self.n_rows, self.n_columns = len(self._frame), len(self.labels)
        else:
            self._array: Any = (
                X.tocsc() if hasattr(X, "tocsc") and hasattr(X, "nnz") else as_array(X)
            )
            refuse_complex(self._array)
            self.n_rows, self.n_columns = self._array.shape
        check_shape(self.n_rows, self.n_columns)
        self._read: dict[int, Cells] = {}  # columns that took long to read

    @property
    def names(self) -> list[str] | None:
        """Column names, if all labels are."""
        return names_of(self.labels)

    def label(self, j: int) -> Any:
        """Return what an error calls column j."""
        return j if self.labels is None else self.labels[j]

    def name(self, j: int) -> str:
        """Return what rules call column j."""
        return f"x{j}" if self.labels is None else str(self.labels[j])

    def cells(self, j: int) -> Cells:
        """Read column j."""
        if j in self._read:
            return self._read[j]
        cells = self._cells(j)
        if cells.numbers is None:
            self._read[j] = cells
        return cells

    def flags(self, j: int) -> NDArray[np.uint8] | None:
        """Return a column that is held as bytes as it is, without copying; None for others."""
        if self._frame is not None:
            array = values_of(self._frame.get_column(self.label(j)))
        elif hasattr(self._array, "tocsc"):
            return None
        else:
            array = self._array[:, j]
        if array.dtype.itemsize > 1 or array.dtype.kind not in "bui":
            return None
        flags: NDArray[np.uint8] = array.view(np.uint8)
        return flags

    def is_integer(self, j: int) -> bool:
        """Whether column j is held as integers; whole floats are not."""
        if self._frame is not None:
            return self._frame.get_column(self.label(j)).dtype.is_integer()
        return bool(self._array.dtype.kind in "ui")

    def rows(self, places: NDArray[np.intp]) -> RawTable:
        """Return some rows of the table."""
        if self._frame is not None:
            return RawTable(self._frame[places.tolist(), :].to_native(), self.labels)
        return RawTable(self._array[places])

    def _cells(self, j: int) -> Cells:
        label = self.label(j)
        if self._frame is not None:
            return _read_series(self._frame.get_column(label), label)
        if hasattr(self._array, "tocsc"):
            return _read_values(self._array[:, [j]].toarray()[:, 0], label)
        return _read_values(self._array[:, j], label)


def _read_series(series: nw.Series[Any], label: Any) -> Cells:
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
        array = np.array([np.nan if is_blank(v) else float(v) for v in array.tolist()])
    return _read_values(array, label)


def _read_categories(series: nw.Series[Any], label: Any) -> Cells:
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "codes"):
        # By number, since pandas writes one and the same interval in two ways.
        used, codes = np.unique(native.cat.codes.to_numpy(), return_inverse=True)
        keys = [plain_category(native.cat.categories[place]) for place in used if place >= 0]
        codes = codes.reshape(-1) - (len(used) - len(keys))  # blanks, which come first, are -1
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


def _read_values(array: NDArray[Any], label: Any) -> Cells:
    kind = array.dtype.kind
    if kind in "buif":
        with np.errstate(over="ignore"):  # beyond all 64-bit floats: infinity, which is refused
            numbers = np.ascontiguousarray(array, dtype=np.float64)
        if kind == "f":
            _refuse_infinity(numbers, label)
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
        if is_blank(value):
            places[value] = BLANK
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
        numbers = np.array([*map(_float, cells.keys), np.nan])[cells.codes]
        _refuse_infinity(numbers, cells.label)
        return Cells(cells.label, numbers)
    if len(texts) < len(cells.keys):
        where = rows(texts)
        listed = ", ".join(str(row) for row in where[:3]) + (", ..." if len(where) > 3 else "")
        raise ValueError(
            f"Column {shown(cells.label)} mixes numbers and text: {len(where)} values such as "
            f"{shown(cells.keys[texts[0]])} are not numbers (rows {listed}). Convert it to "
            "numbers, or make every value text (a category)."
        )
    return cells


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _kinds(values: Iterable[Any]) -> set[type]:
    return {str if isinstance(value, str) else float for value in values}


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def is_blank(value: Any) -> bool:
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
    return _float(value)


def plain_category(value: Any) -> Any:
    """Return a category as JSON can hold it: intervals and the like as text."""
    value = _plain(value)
    return value if isinstance(value, (str, int, float)) else str(value)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond all floats
        return float("inf") if value > 0 else float("-inf")


def _sorted(keys: Sequence[Any]) -> list[Any]:
    return sorted(keys, key=lambda key: (isinstance(key, str), key))


def _short(number: float) -> str:
    return str(float(number)).removesuffix(".0")


def _refuse_infinity(numbers: NDArray[np.float64], label: Any) -> None:
    infinite = np.isinf(numbers)
    if infinite.any():
        remedy = "Replace them by numbers or by missing values (NaN)."
        where = f"row {int(np.argmax(infinite))}"
        raise ValueError(infinity_text(label, int(infinite.sum()), where, remedy))


def _is_a_date(label: Any, dtype: Any) -> ValueError:
    remedy = (
        f"Turn it into numbers first, for example the year (X[{shown(label)}].dt.year) or the days "
        f"since a date ((X[{shown(label)}] - start).dt.days)."
    )
    return ValueError(date_text(label, dtype, remedy))


def _is_nothing_known(label: Any, value: Any, row: int) -> TypeError:
    return TypeError(
        f"Column {shown(label)} has a value of type {type(value).__name__} in row {row}: "
        f"{shown(value)}. "
        "Every argument must be a string, a truth value or a number."
    )
