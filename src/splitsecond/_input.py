"""Reading the user's table: numpy, pandas, polars, pyarrow or scipy sparse, 0/1 values only.

Nothing is ever cast to 0/1. A value that is neither is refused with its column, its row and itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from splitsecond import _core


@dataclass(frozen=True)
class Table:
    """A table as the core reads it: dense blocks side by side, or the places of the ones by row."""

    n_rows: int
    n_columns: int
    names: list[str] | None
    blocks: list[NDArray[Any]] | None = None
    row_begin: NDArray[np.int64] | None = None
    ones: NDArray[np.int32] | None = None

    def label(self, column: int) -> str:
        """Name a column in a message."""
        return f"Column {self.names[column]!r}" if self.names else f"Column {column}"

    def column(self, j: int) -> NDArray[Any]:
        """One column as an array that compares with 0 and 1."""
        if self.blocks is None:
            assert self.row_begin is not None
            assert self.ones is not None
            values = np.zeros(self.n_rows, dtype=np.uint8)
            rows = np.repeat(np.arange(self.n_rows), np.diff(self.row_begin))
            values[rows[self.ones == j]] = 1
            return values
        for block in self.blocks:
            if block.ndim == 1:
                if j == 0:
                    return block
                j -= 1
            elif j < block.shape[1]:
                column: NDArray[Any] = block[:, j]
                return column
            else:
                j -= block.shape[1]
        raise IndexError(j)

    def not_binary(self, row: int, column: int) -> ValueError:
        """Build the error for a cell that is neither 0 nor 1."""
        values = self.column(column)
        bad = ~((values == 0) | (values == 1))
        value = values[row]
        others = int(bad.sum())
        seen = f"{others} values that are neither 0 nor 1" if others > 1 else "a value that is not 0 or 1"
        if value != value:
            remedy = "Fill in or drop missing values first."
        else:
            remedy = "Turn it into 0/1 columns first, for example with `x <= threshold`."
        return ValueError(
            f"{self.label(column)} has {seen}: {value!s} in row {row}. "
            f"Every value must be 0, 1, False or True; nothing is cast. {remedy}"
        )


def read_table(X: Any, *, names: list[str] | None = None) -> Table:
    """Read ``X`` without copying where possible.

    With ``names``, the columns of a data frame are taken by name, in that order.
    """
    if isinstance(X, np.ndarray):
        return _read_array(X)
    if hasattr(X, "tocsr") and hasattr(X, "nnz"):
        return _read_sparse(X)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return _read_frame(frame, X, names)
    return _read_array(X)


def check_binary(table: Table) -> None:
    """Raise the error of `Table.not_binary` if any value is neither 0 nor 1."""
    if table.blocks is not None:
        cell = _core.find_non_binary(table.blocks, table.n_rows)
        if cell is not None:
            raise table.not_binary(*cell)


def _read_array(X: Any) -> Table:
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise ValueError(f"X must be a table with one length for all rows: {error}") from error
    if array.ndim != 2:
        remedy = "X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row"
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead: X has shape {array.shape}. "
            f"Reshape your data, with {remedy}."
        )
    return _checked(Table(array.shape[0], array.shape[1], None, [_numeric(array, None)]))


def _read_frame(frame: nw.DataFrame[Any], X: Any, names: list[str] | None) -> Table:
    present = [str(name) for name in frame.columns]
    twice = sorted({name for name in present if present.count(name) > 1})
    if twice:
        raise ValueError(f"X has several columns named {twice[0]!r}: rename them.")
    if names is not None:
        missing = [name for name in names if name not in present]
        if missing:
            listed = ", ".join(repr(name) for name in missing[:5])
            more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
            raise ValueError(
                f"X lacks {'columns' if len(missing) > 1 else 'column'} {listed}{more} "
                "that the model was fitted with."
            )
    wanted = present if names is None else names
    if all(isinstance(name, str) for name in frame.columns):
        labels: list[str] | None = wanted
    else:
        labels = None  # as scikit-learn: names that are not strings are no names
    # One block for a frame of one numpy dtype (pandas keeps it as a single array); else by column.
    dtypes = getattr(X, "dtypes", None)
    if (
        labels is None or wanted == present
    ) and hasattr(X, "to_numpy") and hasattr(dtypes, "nunique") and dtypes.nunique() == 1:
        if isinstance(dtypes.iloc[0], np.dtype) and dtypes.iloc[0].kind in "buif":
            array = X.to_numpy()
            return _checked(Table(array.shape[0], array.shape[1], labels, [_plain(array)]))
    blocks = [_series(frame.get_column(name), name) for name in wanted]
    return _checked(Table(len(frame), len(wanted), labels, blocks))


def _series(series: nw.Series[Any], name: str) -> NDArray[Any]:
    if not (series.dtype.is_numeric() or series.dtype == nw.Boolean or series.dtype == nw.Object):
        value = series.drop_nulls().head(1).to_list()
        example = f", such as {value[0]!r}" if value else ""
        raise ValueError(
            f"Column {name!r} has values of type {series.dtype}{example}. "
            "Every value must be 0, 1, False or True; nothing is cast. "
            "Turn it into 0/1 columns first, for example with `x == value`."
        )
    missing = series.is_null()
    if missing.any():
        row = int(missing.to_numpy().argmax())
        raise ValueError(
            f"Column {name!r} has {int(missing.sum())} missing values, the first in row {row}. "
            "Every value must be 0, 1, False or True. Fill in or drop missing values (NaN) first."
        )
    array = series.to_numpy()
    return _numeric(array, name)


def _numeric(array: NDArray[Any], name: str | None) -> NDArray[Any]:
    if array.dtype.kind in "buif" and array.dtype.itemsize <= 8:
        return _plain(array)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: every value of X must be 0, 1, False or True.")
    if array.dtype.kind == "O":
        return _objects(array, name)
    if array.dtype.kind == "f":  # longer than 64 bits: compare before rounding
        return np.where(array == 0, 0.0, np.where(array == 1, 1.0, 2.0 + 0.0 * array.astype(float)))
    raise ValueError(
        f"X has dtype {array.dtype}, such as {array.flat[0]!r}: every value must be 0, 1, False or True. "
        "Turn columns of text into 0/1 columns first, for example with `x == value`."
        if array.size
        else f"X has dtype {array.dtype}: every value must be 0, 1, False or True."
    )


def _objects(array: NDArray[Any], name: str | None) -> NDArray[Any]:
    """Read Python objects: True, False, 0 and 1 of any numeric type; anything else is an error."""
    out = np.empty(array.shape, dtype=np.float64)
    for index, value in np.ndenumerate(array):
        number = isinstance(value, (bool, int, float, np.number, np.bool_))
        if not number:
            column = repr(name) if name is not None else str(index[-1] if len(index) > 1 else 0)
            raise ValueError(
                f"Column {column} has the value {value!r} of type {type(value).__name__} in row "
                f"{index[0]}: every value must be 0, 1, False or True (numbers, not text or blanks)."
            )
        out[index] = value
    return out


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind == "b":
        return array.view(np.uint8)
    if array.dtype == np.float16:
        return array.astype(np.float32)
    if not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    return array


def _read_sparse(X: Any) -> Table:
    rows = X.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    n_rows, n_columns = rows.shape
    bad = ~((rows.data == 0) | (rows.data == 1))
    if bad.any():
        place = int(np.argmax(bad))
        row = int(np.searchsorted(rows.indptr, place, side="right") - 1)
        raise ValueError(
            f"Column {rows.indices[place]} has a value that is not 0 or 1: {rows.data[place]} in row "
            f"{row}. Every value must be 0, 1, False or True; nothing is cast."
        )
    if not rows.data.all():  # zeros that are stored
        rows = rows.copy()
        rows.eliminate_zeros()
    table = Table(
        n_rows,
        n_columns,
        None,
        row_begin=rows.indptr.astype(np.int64),
        ones=rows.indices.astype(np.int32),
    )
    return _checked(table)


def _checked(table: Table) -> Table:
    if table.n_rows == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape=(0, {table.n_columns})) while a minimum of 1 is "
            "required: X has no rows."
        )
    if table.n_columns == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape=({table.n_rows}, 0)) while a minimum of 1 is "
            "required: X has no columns."
        )
    return table
