"""Columns of Arrow batches, read as those of tables in memory are, but without Python's objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from splitsecond._support.column_types import is_numeric, is_text
from splitsecond._tables.cells import (
    MISSING,
    Cells,
    as_float,
    plain_category,
    read_series,
    refuse_infinity,
)


def cells_of(column: pa.Array, label: Any) -> Cells:
    """Read a column: numbers, or codes of the different values in it."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _categories(column, label, ordered=bool(kind.ordered))
    if is_text(kind):
        cells = _categories(column.dictionary_encode(), label, ordered=False)
        # As in memory: a column without any text is one without values.
        return cells if cells.keys else Cells(label, np.full(len(column), np.nan))
    if pa.types.is_null(kind):
        return Cells(label, np.full(len(column), np.nan))
    numbers = numbers_of(column)
    if numbers is None:  # dates, lists and the like: refused there
        return read_series(nw.from_native(pa.chunked_array([column]), series_only=True), label)
    if not pa.types.is_integer(kind) and not pa.types.is_boolean(kind):
        refuse_infinity(numbers, label)
    return Cells(label, numbers)


def numbers_of(column: pa.Array) -> NDArray[np.float64] | None:
    """Return a column of numbers as floats, NaN where missing; None if it is of another type."""
    kind = column.type
    if not is_numeric(kind):
        return None
    if pa.types.is_decimal(kind):  # as Python rounds them
        encoded = column.dictionary_encode()
        keys = [as_float(value) for value in encoded.dictionary.to_pylist()]
        decimals: NDArray[np.float64] = np.array([*keys, np.nan])[_codes(encoded)]
        return decimals
    if pa.types.is_boolean(kind):
        column = column.cast(pa.uint8())
    return np.ascontiguousarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)


def plain_numbers(column: pa.Array) -> NDArray[Any] | None:
    """Return a column of numbers as it is held, NaN where missing; None for other columns."""
    kind = column.type
    if not is_numeric(kind) or pa.types.is_decimal(kind):
        return None
    if pa.types.is_boolean(kind):
        column = column.cast(pa.uint8())
    elif pa.types.is_float16(kind):
        column = column.cast(pa.float32())
    numbers: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return numbers


def places_of(column: pa.Array, labels: Sequence[Any]) -> NDArray[np.int64] | None:
    """Return the place of each row's value among some labels; None if one is not there."""
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    place = {label: i for i, label in enumerate(labels)}
    known = [place.get(label, -1) for label in encoded.dictionary.to_pylist()]
    places: NDArray[np.int64] = np.array([*known, -1], dtype=np.int64)[_codes(encoded)]
    return None if (places < 0).any() else places


def _categories(column: pa.DictionaryArray, label: Any, *, ordered: bool) -> Cells:
    """Read codes, and the keys that occur; several codes may stand for one key."""
    given = column.dictionary.to_pylist()
    codes = _codes(column)
    used = np.zeros(len(given) + 1, dtype=bool)
    used[codes] = True
    places: dict[Any, int] = {}
    new = np.full(len(given) + 1, MISSING, dtype=np.int32)
    for old in np.flatnonzero(used[:-1]).tolist():
        if given[old] is not None:
            new[old] = places.setdefault(plain_category(given[old]), len(places))
    order = [plain_category(key) for key in given if key is not None] if ordered else None
    return Cells(label, None, new[codes], list(places), order)


def _codes(column: pa.DictionaryArray) -> NDArray[np.int64]:
    """Return places in the dictionary, -1 where missing."""
    indices = column.indices
    if indices.null_count:
        indices = (
            indices.fill_null(-1)
            if pa.types.is_signed_integer(indices.type)
            else (indices.cast(pa.int64()).fill_null(-1))
        )
    codes: NDArray[np.int64] = indices.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return codes
