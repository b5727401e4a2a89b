"""Reading raw tables column by column: numbers, 0/1, categories, also ordered, missing values.

What a column is gets decided once, when a binarizer is fitted (`Variable.of`). New tables are read
by that decision (`Variable.values`), whatever library or dtype they come in.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from splitsecond._support.messages import shown
from splitsecond._support.names import public
from splitsecond._tables.binary import names_of
from splitsecond._tables.cells import MISSING, UNKNOWN, Cells, as_float, read_series, read_values
from splitsecond._tables.errors import TableError
from splitsecond._tables.opening import Opened, open_table, values_of
from splitsecond._tables.text_checks import is_number

KEPT_BYTES = 2**24  # of numbers that a raw table keeps as it has read them


@public
class Kind(StrEnum):
    """What a column is."""

    EMPTY = "all missing"
    CONSTANT = "constant"  # one value in every row
    UNREAD = "not read in time"  # at a limit of the fit
    UNASKED = "values not asked about"  # of a count table, which then does not tell them
    BINARY = "binary"  # 0 and 1, or False and True
    NUMBER = "number"
    CATEGORY = "category"
    ORDERED = "ordered"  # categories with an order


@public
@dataclass(frozen=True)
class Variable:
    """A source variable: what a column of the user's table is."""

    label: Any
    name: str
    kind: Kind
    categories: tuple[Any, ...] = ()  # known ones: in order, or sorted
    has_missing: bool = False  # in training
    is_constant: bool = False  # in training, though it was taken over as a 0/1 column

    @classmethod
    def of(cls, cells: Cells, name: str, *, keep_constant: bool = False) -> Variable:
        """Decide what a column is; with `keep_constant`, one of a single value by that value."""
        missing = cells.is_missing()
        has_missing = bool(missing.any())
        categories: Sequence[Any] = ()
        if cells.numbers is not None:
            known = cells.numbers[~missing] if has_missing else cells.numbers
            n_distinct = 0 if known.size == 0 else 1 if (known == known[0]).all() else 2
            binary = n_distinct > 0 and bool(((known == 0) | (known == 1)).all())
            kind = Kind.BINARY if binary else Kind.NUMBER
        else:
            n_distinct = len(cells.keys)
            kind = Kind.CATEGORY if cells.order is None else Kind.ORDERED
            categories = in_order(cells.keys) if cells.order is None else cells.order
        return cls.decided(
            cells.label,
            name,
            kind,
            categories,
            n_distinct=n_distinct,
            has_missing=has_missing,
            keep_constant=keep_constant,
        )

    @classmethod
    def decided(
        cls,
        label: Any,
        name: str,
        kind: Kind,
        categories: Sequence[Any],
        *,
        n_distinct: int,
        has_missing: bool,
        keep_constant: bool,
    ) -> Variable:
        """Return what a column is, given its kind and how many values there are: 0, 1 or more."""
        if n_distinct == 0:
            return cls(label, name, Kind.EMPTY, has_missing=has_missing)
        if n_distinct == 1 and not has_missing and not keep_constant:
            return cls(label, name, Kind.CONSTANT)
        return cls(label, name, kind, tuple(categories), has_missing)

    @property
    def dropped(self) -> str | None:
        """Say why there is nothing to ask about it, if so."""
        if self.is_constant:
            return str(Kind.CONSTANT)
        nothing = (Kind.CONSTANT, Kind.EMPTY, Kind.UNREAD, Kind.UNASKED)
        return str(self.kind) if self.kind in nothing else None

    @property
    def is_unknown(self) -> bool:
        """Whether no value of it is known, so that any is a new one."""
        return self.kind in (Kind.EMPTY, Kind.UNASKED)

    def place(self, value: Any) -> int:
        """Return the code of a category, UNKNOWN if there is none."""
        try:
            return self.categories.index(value)
        except ValueError:
            return UNKNOWN

    def values(self, cells: Cells) -> NDArray[Any]:
        """Read a column as this variable: numbers (NaN: missing), or codes of categories."""
        if self.kind is Kind.NUMBER:
            return self._numbers(cells)
        if self.kind is Kind.BINARY:
            numbers = self._numbers(cells)
            wrong = ~((numbers == 0) | (numbers == 1) | np.isnan(numbers))
            if wrong.any():
                row, n_wrong = int(np.argmax(wrong)), int(wrong.sum())
                raise TableError(
                    f"Column {shown(self.label)} had only the values 0 and 1 in training and has "
                    f"{n_wrong:,} {'other' if n_wrong == 1 else 'others'} now: "
                    f"{_short(numbers[row])}",
                    ". If it is a number, fit on rows that show so.",
                    row=row,
                    column=self.label,
                )
            return numbers
        return self._codes(cells)

    def _numbers(self, cells: Cells) -> NDArray[np.float64]:
        if cells.numbers is not None:
            return cells.numbers
        assert cells.codes is not None
        texts = [i for i, key in enumerate(cells.keys) if isinstance(key, str)]
        if texts:
            raise self._is_text(cells, texts)
        return np.array([*map(as_float, cells.keys), np.nan])[cells.codes]

    def _is_text(self, cells: Cells, texts: Sequence[int]) -> TableError:
        """Return the error for text where numbers were; it names what is none, if anything is."""
        assert cells.codes is not None
        label = shown(self.label)
        words = [i for i in texts if not is_number(cells.keys[i])]
        row = int(np.argmax(np.isin(cells.codes, words or texts)))
        value = shown(cells.value(row))
        said = f"Column {label} had numbers in training and has text now"
        if not words:
            said = f"{said}, although it holds numbers: {value}"
            remedy = f". Convert it to numbers: X[{label}] = pd.to_numeric(X[{label}])."
        else:
            said = f"{said}: {value} is not a number"
            remedy = (
                ". Correct it and convert the column to numbers; "
                f'pd.to_numeric(X[{label}], errors="coerce") makes it a missing value.'
            )
        return TableError(said, remedy, row=row, column=self.label)

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
            raise TableError(
                f"Column {shown(self.label)} had {had} in training, such as "
                f"{shown(self.categories[0])}, and has {has} now, such as {shown(known[0])}. "
                "Give it in the form it was trained with.",
                column=self.label,
            )
        place_of = {value: place for place, value in enumerate(self.categories)}
        places = [MISSING if _is_nan(key) else place_of.get(key, UNKNOWN) for key in keys]
        return np.array([*places, MISSING], dtype=np.int32)[codes]


class RawTable:
    """A table of any kind, opened; its columns are read one at a time."""

    def __init__(self, X: Any, labels: list[Any] | None = None) -> None:
        opened = X if isinstance(X, Opened) else open_table(X, labels)
        self._frame, self.labels = opened.frame, opened.labels
        self.n_rows, self.n_columns = opened.n_rows, opened.n_columns
        self._array: Any = opened.array.tocsc() if opened.is_sparse else opened.array
        self._read: dict[int, Cells] = {}  # columns that will not be read again
        self._read_bytes = 0  # of the numbers among them

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

    def variable(self, j: int, *, keep_constant: bool = False) -> Variable:
        """Decide what column j is; see `Variable.of`."""
        return Variable.of(self.cells(j), self.name(j), keep_constant=keep_constant)

    def cells(self, j: int) -> Cells:
        """Read column j."""
        if j in self._read:
            return self._read[j]
        cells = self._cells(j)
        n_bytes = 0 if cells.numbers is None else cells.numbers.nbytes
        # Text takes long to read. Numbers do not, and those of a large table would fill the memory.
        if self._read_bytes + n_bytes <= KEPT_BYTES or n_bytes == 0:
            self._read[j] = cells
            self._read_bytes += n_bytes
        return cells

    def keeps(self, j: int) -> bool:
        """Whether column j was read and is kept, so that reading it again takes no time."""
        return j in self._read

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

    def is_declared(self, j: int) -> bool:
        """Whether the user's table says that column j holds categories."""
        if self._frame is None:
            return False
        return isinstance(self._frame.get_column(self.label(j)).dtype, (nw.Categorical, nw.Enum))

    def rows(self, places: NDArray[np.intp]) -> RawTable:
        """Return some rows of the table."""
        if self._frame is not None:
            return RawTable(self._frame[places.tolist(), :].to_native(), self.labels)
        return RawTable(self._array[places])

    def _cells(self, j: int) -> Cells:
        label = self.label(j)
        if self._frame is not None:
            return read_series(self._frame.get_column(label), label)
        if hasattr(self._array, "tocsc"):
            return read_values(self._array[:, [j]].toarray()[:, 0], label)
        return read_values(self._array[:, j], label)


def _kinds(values: Iterable[Any]) -> set[type]:
    return {str if isinstance(value, str) else float for value in values}


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def in_order(keys: Iterable[Any]) -> list[Any]:
    """Return categories in the order that they have if they have none of their own."""
    return sorted(keys, key=lambda key: (isinstance(key, str), key))


def _short(number: float) -> str:
    return str(float(number)).removesuffix(".0")
