"""Reading a table of 0/1 columns, and telling whether it is one.

Nothing is ever cast to 0/1. A value that is neither is refused with its column, its row and itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._support.messages import shortened, shown
from splitsecond._tables.binary import DenseTable, SparseTable, Table
from splitsecond._tables.columns import RawTable
from splitsecond._tables.errors import NotBinaryError
from splitsecond._tables.opening import Opened, open_table, refuse_complex, values_of

FIRST_ROWS = 64  # that tell what a table is: nearly all that are not 0/1 show it there
LARGE = 10_000  # rows of a data frame whose first ones are looked at before any column is read
COMPLEX = (complex, np.complexfloating)


def read_table(X: Any, *, labels: list[Any] | None = None) -> Table:
    """Read a table of 0/1 values, without copying where possible.

    With ``labels``, the columns of a data frame are taken by their labels, in that order.
    """
    table = as_binary(X if isinstance(X, Opened) else open_table(X, labels))
    if isinstance(table, NotBinaryError):
        raise table
    return table


def classify(opened: Opened, *, whole: bool) -> Table | RawTable:
    """Return 0/1 columns as such, any other table as a raw one.

    Unless the ``whole`` table is to be looked at, the first rows decide. The core looks at every
    value when it packs the table: if it meets another one, the table is to be read as a raw one.
    """
    is_large = opened.frame is not None and opened.n_rows >= LARGE
    first = opened.head(FIRST_ROWS) if is_large else opened  # reading all may copy it
    table = as_binary(first, glance=True)
    if is_large and isinstance(table, Table):
        table = as_binary(opened)
    if isinstance(table, NotBinaryError) or (whole and table.non_binary() is not None):
        return RawTable(opened)
    return table


def as_binary(opened: Opened, *, glance: bool = False) -> Table | NotBinaryError:
    """Read a table as 0/1 columns; what is no number shows, but numbers are not looked at.

    With a ``glance``, those of the first rows are, and reading ends at a column that is not 0/1.
    """
    if opened.is_sparse:
        return _read_sparse(opened.array)
    blocks: list[NDArray[Any]] = []
    for block in _blocks(opened):
        if isinstance(block, NotBinaryError):
            return block
        if glance and not _begins_binary(block):
            return NotBinaryError("The first rows have values that are neither 0 nor 1.")
        blocks.append(block)
    return DenseTable(opened.n_rows, opened.n_columns, opened.labels, blocks)


def _begins_binary(block: NDArray[Any]) -> bool:
    first = block[:FIRST_ROWS]
    return _core.Table.dense([first], len(first)).find_non_binary() is None


def _blocks(opened: Opened) -> Iterator[NDArray[Any] | NotBinaryError]:
    if opened.frame is None:
        yield _numeric(opened.array, None)
    elif opened.labels == list(opened.frame.columns) and _is_one_array(opened.given):
        yield _plain(opened.given.to_numpy())
    else:
        for label in opened.labels or ():
            yield _series(opened.frame.get_column(label), label)


def _is_one_array(X: Any) -> bool:
    """Whether X is a pandas frame of one numpy dtype, which is kept as a single array."""
    dtypes = getattr(X, "dtypes", None)
    if dtypes is None or not hasattr(dtypes, "nunique") or dtypes.nunique() != 1:
        return False
    dtype = dtypes.iloc[0]
    return isinstance(dtype, np.dtype) and dtype.kind in "buif" and dtype.itemsize <= 8


def _series(series: nw.Series[Any], label: Any) -> NDArray[Any] | NotBinaryError:
    missing = series.is_null()
    if missing.any():
        row = int(missing.to_numpy().argmax())
        return NotBinaryError(
            f"Column {shown(label)} has {int(missing.sum())} missing values, the first",
            ". Every value must be 0, 1, False or True. Fill in or drop missing values (NaN) "
            "first.",
            row=row,
            column=label,
        )
    array = values_of(series)
    text = series.dtype in (nw.Categorical, nw.Enum, nw.String)
    if text or array.ndim != 1 or array.dtype.kind not in "buifO":
        example = f", such as {shown(array[0])}" if array.size else ""
        return NotBinaryError(
            f"Column {shown(label)} has values of type {shortened(str(series.dtype))}{example}. "
            "Every value must be 0, 1, False or True; nothing is cast. "
            "Turn it into 0/1 columns first, or fit with binarizer='auto'.",
            column=label,
        )
    return _numeric(array, label)


def _numeric(array: NDArray[Any], label: Any) -> NDArray[Any] | NotBinaryError:
    if array.dtype.kind in "buif" and array.dtype.itemsize <= 8:
        return _plain(array)
    refuse_complex(array, label)
    return _flags(array, label)


def _flags(array: NDArray[Any], label: Any) -> NDArray[np.uint8] | NotBinaryError:
    """Compare what numpy has no short number for (objects, text, long floats) with 0 and 1."""
    try:
        zero, one = array == 0, array == 1
        binary = np.asarray(zero | one, dtype=bool)
        if array.dtype.kind == "O":
            kinds = set(map(type, array.ravel().tolist()))
            if any(issubclass(kind, COMPLEX) for kind in kinds):  # 1 + 0j equals 1
                binary = np.zeros(array.shape, dtype=bool)
    except (TypeError, ValueError):  # a value that does not compare, such as a missing one
        zero = one = binary = np.zeros(array.shape, dtype=bool)
    if array.size == 0 or (binary.shape == array.shape and binary.all()):
        return np.asarray(one, dtype=np.uint8).reshape(array.shape)
    index, value = next(
        (index, value) for index, value in np.ndenumerate(array) if not _is_flag(value)
    )
    column = label if label is not None else index[-1] if len(index) > 1 else 0
    return NotBinaryError(
        f"Column {shown(column)} has the value {shown(value)} of type {type(value).__name__}",
        ". Every value must be 0, 1, False or True; nothing is cast. Turn columns of text into 0/1 "
        "columns first, for example with `x == value`; fill in or drop missing values (NaN).",
        row=int(index[0]),
        column=column,
    )


def _is_flag(value: Any) -> bool:
    try:
        return bool(value in (0, 1)) and not isinstance(value, COMPLEX)
    except (TypeError, ValueError):
        return False


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind == "b":
        return array.view(np.uint8)
    if array.dtype == np.float16:
        return array.astype(np.float32)
    if not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    if any(step % array.itemsize for step in array.strides) or not array.flags.aligned:
        return array.copy()
    return array


def _read_sparse(X: Any) -> Table | NotBinaryError:
    rows = X.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    bad = (rows.data != 0) & (rows.data != 1)
    if bad.any():
        place = int(np.argmax(bad))
        column = int(rows.indices[place])
        return NotBinaryError(
            f"Column {column} has a value that is not 0 or 1: {rows.data[place]}",
            ". Every value must be 0, 1, False or True; nothing is cast.",
            row=int(np.searchsorted(rows.indptr, place, side="right") - 1),
            column=column,
        )
    if not rows.data.all():  # zeros that are stored
        rows = rows.copy()
        rows.eliminate_zeros()
    ones = rows.indices.astype(np.int32)
    n_rows, n_columns = rows.shape
    return SparseTable(n_rows, n_columns, None, rows.indptr.astype(np.int64), ones)
