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
    """A table as the core reads it; `DenseTable` or `SparseTable`."""

    n_rows: int
    n_columns: int
    names: list[str] | None

    def column(self, j: int) -> NDArray[Any]:
        """One column as an array that compares with 0 and 1."""
        raise NotImplementedError

    def check_binary(self) -> None:
        """Raise an error that names the cell if any value is neither 0 nor 1."""

    def solve(self, *args: Any) -> dict[str, Any]:
        """Hand the table to the core, followed by the arguments."""
        raise NotImplementedError


@dataclass(frozen=True)
class DenseTable(Table):
    """Blocks of columns side by side: arrays of one or two dimensions."""

    blocks: list[NDArray[Any]]

    def column(self, j: int) -> NDArray[Any]:
        for block in self.blocks:
            width = 1 if block.ndim == 1 else block.shape[1]
            if j < width:
                return block if block.ndim == 1 else block[:, j]
            j -= width
        raise IndexError(j)

    def check_binary(self) -> None:
        cell = _core.find_non_binary(self.blocks, self.n_rows)
        if cell is not None:
            row, column = cell
            raise self._not_binary(row, column)

    def solve(self, *args: Any) -> dict[str, Any]:
        found: dict[str, Any] = _core.solve(self.blocks, *args)
        if "not_binary" in found:
            raise self._not_binary(*found["not_binary"])
        return found

    def _not_binary(self, row: int, column: int) -> ValueError:
        values = self.column(column)
        value = values[row]
        others = int(np.count_nonzero((values != 0) & (values != 1)))
        name = f"Column {self.names[column]!r}" if self.names else f"Column {column}"
        if others > 1:
            seen = f"{others} values that are neither 0 nor 1"
        else:
            seen = "a value that is not 0 or 1"
        if np.isnan(value):
            remedy = "Fill in or drop missing values (NaN) first."
        else:
            remedy = "Turn it into 0/1 columns first, for example with `x <= threshold`."
        return ValueError(
            f"{name} has {seen}: {value!s} in row {row}. "
            f"Every value must be 0, 1, False or True; nothing is cast. {remedy}"
        )


@dataclass(frozen=True)
class SparseTable(Table):
    """The columns of the ones in row ``i`` are ``ones[row_begin[i]:row_begin[i + 1]]``."""

    row_begin: NDArray[np.int64]
    ones: NDArray[np.int32]

    def column(self, j: int) -> NDArray[Any]:
        places = np.flatnonzero(self.ones == j)
        values = np.zeros(self.n_rows, dtype=np.uint8)
        values[np.searchsorted(self.row_begin, places, side="right") - 1] = 1
        return values

    def solve(self, *args: Any) -> dict[str, Any]:
        return _core.solve_sparse(self.row_begin, self.ones, self.n_columns, *args)


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
    n_rows, n_columns = array.shape
    return _checked(DenseTable(n_rows, n_columns, None, [_numeric(array, None)]))


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
    if wanted == present and _is_one_array(X):
        array = X.to_numpy()
        return _checked(DenseTable(array.shape[0], array.shape[1], labels, [_plain(array)]))
    blocks = [_series(frame.get_column(name), name) for name in wanted]
    return _checked(DenseTable(len(frame), len(wanted), labels, blocks))


def _is_one_array(X: Any) -> bool:
    """Whether X is a pandas frame of one numpy dtype, which is kept as a single array."""
    dtypes = getattr(X, "dtypes", None)
    if dtypes is None or not hasattr(dtypes, "nunique") or dtypes.nunique() != 1:
        return False
    return isinstance(dtypes.iloc[0], np.dtype) and dtypes.iloc[0].kind in "buif"


def _series(series: nw.Series[Any], name: str) -> NDArray[Any]:
    if not (series.dtype.is_numeric() or series.dtype in (nw.Boolean, nw.Object)):
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
        raise ValueError(
            "Complex data not supported: every value of X must be 0, 1, False or True."
        )
    if array.dtype.kind == "O":
        return _objects(array, name)
    if array.dtype.kind == "f":  # longer than 64 bits: compare before rounding
        return np.where(array == 0, 0.0, np.where(array == 1, 1.0, 2.0 + 0.0 * array.astype(float)))
    example = f", such as {array.flat[0]!r}" if array.size else ""
    raise ValueError(
        f"X has dtype {array.dtype}{example}: every value must be 0, 1, False or True. "
        "Turn columns of text into 0/1 columns first, for example with `x == value`."
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
                f"{index[0]}: every value must be 0, 1, False or True, not text or blank."
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
            f"Column {rows.indices[place]} has a value that is not 0 or 1: {rows.data[place]} in "
            f"row {row}. Every value must be 0, 1, False or True; nothing is cast."
        )
    if not rows.data.all():  # zeros that are stored
        rows = rows.copy()
        rows.eliminate_zeros()
    ones = rows.indices.astype(np.int32)
    return _checked(SparseTable(n_rows, n_columns, None, rows.indptr.astype(np.int64), ones))


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
