"""Reading the user's table: numpy, pandas, polars, pyarrow or scipy sparse, 0/1 values only.

Nothing is ever cast to 0/1. A value that is neither is refused with its column, its row and itself.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._support.messages import folded, listed, shortened, shown

LARGE = 10_000  # rows
COMPLEX = (complex, np.complexfloating)
_NAN = object()  # the label NaN
# Integers that numpy has no dtype for; old narwhals does not know them either.
WIDE = tuple(getattr(nw, name) for name in ("Int128", "UInt128") if hasattr(nw, name))


class NotBinaryError(ValueError):
    """A value of a table that should be 0/1 is something else."""


def names_of(labels: list[Any] | None) -> list[str] | None:
    """Return labels as names; as in scikit-learn, those that are not all strings are none."""
    if labels is None or not all(isinstance(label, str) for label in labels):
        return None
    return labels


def keep_columns(estimator: Any, labels: list[Any] | None, n_columns: int) -> None:
    """Let a fitted estimator know the columns it was given."""
    names = names_of(labels)
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    estimator._labels_in = labels
    estimator.n_features_in_ = n_columns


@dataclass(frozen=True)
class Table:
    """A table as the core reads it; `DenseTable` or `SparseTable`."""

    n_rows: int
    n_columns: int
    labels: list[Any] | None  # of the data frame's columns, of any type

    @property
    def names(self) -> list[str] | None:
        """Column names, if all labels are."""
        return names_of(self.labels)

    def column(self, j: int) -> NDArray[Any]:
        """One column as an array that compares with 0 and 1."""
        raise NotImplementedError

    def check_binary(self) -> None:
        """Raise an error that names the cell if any value is neither 0 nor 1."""

    def constant(self) -> list[int]:
        """Return the columns whose values are all the same."""
        raise NotImplementedError

    @property
    def held_bytes(self) -> int:
        """The memory of what was made for the fit, besides what the user gave."""
        return 0

    def in_rows(self) -> Table:
        """Return a checked table as the core reads it fastest, to be solved many times."""
        return self

    def core(self) -> _core.Table:
        """Return the table as the core reads it."""
        raise NotImplementedError

    def not_binary(self, row: int, column: int) -> NotBinaryError:
        """Return an error that names a cell which is neither 0 nor 1."""
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
        cell = self.core().find_non_binary()
        if cell is not None:
            raise self.not_binary(*cell)

    def constant(self) -> list[int]:
        same = [(block[:256] == block[:1]).all(axis=0).ravel() for block in self.blocks]
        maybe = np.flatnonzero(np.concatenate(same)).tolist()
        return [j for j in maybe if (self.column(j) == self.column(j)[0]).all()]

    def in_rows(self) -> DenseTable:
        rows = np.empty((self.n_rows, self.n_columns), dtype=np.uint8)
        done = 0
        for block in self.blocks:
            columns = block.reshape(self.n_rows, -1)
            rows[:, done : done + columns.shape[1]] = columns
            done += columns.shape[1]
        return replace(self, blocks=[rows])

    def core(self) -> _core.Table:
        return _core.Table.dense(self.blocks, self.n_rows)

    def not_binary(self, row: int, column: int) -> NotBinaryError:
        values = self.column(column)
        value = values[row]
        others = int(np.count_nonzero((values != 0) & (values != 1)))
        name = f"Column {shown(self.labels[column])}" if self.labels else f"Column {column}"
        if others > 1:
            seen = f"{others} values that are neither 0 nor 1"
        else:
            seen = "a value that is not 0 or 1"
        if np.isnan(value):
            remedy = "Fill in or drop missing values (NaN) first."
        else:
            remedy = "Turn it into 0/1 columns first, or fit with binarizer='auto'."
        return NotBinaryError(
            f"{name} has {seen}: {shortened(str(value))} in row {row}. "
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

    def constant(self) -> list[int]:
        counts = np.bincount(self.ones, minlength=self.n_columns)
        return np.flatnonzero((counts == 0) | (counts == self.n_rows)).tolist()

    def core(self) -> _core.Table:
        return _core.Table.sparse(self.row_begin, self.ones, self.n_columns)


def read_table(X: Any, *, labels: list[Any] | None = None) -> Table:
    """Read a table of 0/1 values, without copying where possible.

    With ``labels``, the columns of a data frame are taken by their labels, in that order.
    """
    frame = open_frame(X)
    if frame is not None:
        return _read_frame(frame, X, labels)
    if hasattr(X, "tocsr") and hasattr(X, "nnz"):
        return _read_sparse(X)
    array = as_array(X)
    n_rows, n_columns = array.shape
    check_shape(n_rows, n_columns)
    return DenseTable(n_rows, n_columns, None, [_numeric(array, None)])


def looks_binary(X: Any) -> bool:
    """Whether the first rows of a large data frame are 0/1: reading all of it may copy it."""
    frame = open_frame(X)
    if frame is None or len(frame) < LARGE:
        return True
    try:
        read_table(frame.head(100).to_native()).check_binary()
    except NotBinaryError:
        return False
    return True


def open_frame(X: Any) -> nw.DataFrame[Any] | None:
    """Return a data frame of any library as narwhals has it, None if X is none."""
    if isinstance(X, np.ndarray) or (hasattr(X, "tocsr") and hasattr(X, "nnz")):
        return None
    if nw.dependencies.is_polars_lazyframe(X):
        raise ValueError("X is a lazy frame: collect it first, with X.collect().")
    arrow = nw.dependencies.get_pyarrow()
    if arrow is not None and isinstance(X, arrow.RecordBatch):
        X = arrow.Table.from_batches([X])
    twice = _repeated(getattr(X, "column_names", None) or getattr(X, "columns", ()))
    if twice is not None:
        raise ValueError(f"X has several columns named {shown(twice)}: rename them.")
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise ValueError("X is a lazy frame: collect it first, with X.collect().")
    return frame if isinstance(frame, nw.DataFrame) else None


def pick_labels(frame: nw.DataFrame[Any], labels: list[Any] | None) -> list[Any]:
    """Return the labels of the columns to read: all, or the ones asked for if they are there."""
    present = list(frame.columns)
    if labels is None:
        return present
    known = set(map(label_key, present))
    missing = [label for label in labels if label_key(label) not in known]
    if missing:
        matched = set(map(label_key, labels))
        alike = {folded(label): label for label in present if label_key(label) not in matched}
        meant = [
            f"{shown(alike[folded(label)])} for {shown(label)}"
            for label in missing
            if folded(label) in alike
        ]
        hint = f" Did you mean {listed(meant, 2)}? Rename what X has." if meant else ""
        raise ValueError(
            f"X lacks {'columns' if len(missing) > 1 else 'column'} "
            f"{listed([shown(label) for label in missing], 5)} "
            f"that the model was fitted with.{hint}"
        )
    return labels


def label_key(label: Any) -> Any:
    """Return what labels that stand for the same column have in common: NaN equals no NaN."""
    if isinstance(label, float) and math.isnan(label):
        return _NAN
    return tuple(map(label_key, label)) if isinstance(label, tuple) else label


def as_array(X: Any) -> NDArray[Any]:
    """Return whatever is neither a data frame nor sparse as an array of two dimensions."""
    if isinstance(X, np.ma.MaskedArray):
        raise ValueError("X is a masked array: fill or drop the masked values first.")
    _refuse_other_kinds(X)
    try:
        array = np.asarray(X)
        if array.dtype.kind in "US" and not hasattr(X, "dtype"):  # rows of numbers and text
            array = np.array(X, dtype=object)
    except ValueError as error:
        raise ValueError(f"X must be a table with one length for all rows: {error}") from error
    if array.ndim != 2:
        remedy = "X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row"
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead: X has shape {array.shape}. "
            f"Reshape your data, with {remedy}."
        )
    return array


def _refuse_other_kinds(X: Any) -> None:
    """Refuse what is no table, but easily made one, with the line that does so."""
    if isinstance(X, (str, bytes)):
        raise ValueError(f"X={shown(X)} is text: read the file first, such as by pd.read_csv(X).")
    if isinstance(X, Mapping):
        what, remedy = (
            "dict",
            "pd.DataFrame([X]) if it is one row, pd.DataFrame(X) if it has columns",
        )
    elif isinstance(X, Sequence) and len(X) and all(isinstance(row, Mapping) for row in X):
        what, remedy = "list of dicts", "pd.DataFrame(X)"
    elif isinstance(nw.from_native(X, series_only=True, pass_through=True), nw.Series):
        what, remedy = "Series", "X.to_frame() if it is one column"
        if nw.dependencies.is_pandas_series(X):
            remedy += ", X.to_frame().T if it is one row"
    else:
        return
    raise ValueError(
        f"Expected 2D array, got a {what} instead: X must be a table. Make a data frame of it, "
        f"with {remedy}."
    )


def check_shape(n_rows: int, n_columns: int) -> None:
    """Refuse a table without rows or columns."""
    for count, what, where in ((n_rows, "sample", "rows"), (n_columns, "feature", "columns")):
        if count == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape=({n_rows}, {n_columns})) while a "
                f"minimum of 1 is required: X has no {where}."
            )


def _repeated(labels: Any) -> Any:
    """Return a label that stands twice, or None. Lazy frames would have to be run to tell."""
    try:
        labels = list(labels)
        counted = Counter(map(label_key, labels))
    except TypeError:
        return None
    return next((label for label in labels if counted[label_key(label)] > 1), None)


def _read_frame(frame: nw.DataFrame[Any], X: Any, labels: list[Any] | None) -> Table:
    wanted = pick_labels(frame, labels)
    check_shape(len(frame), len(wanted))
    if wanted == list(frame.columns) and _is_one_array(X):
        blocks = [_plain(X.to_numpy())]
    else:
        blocks = [_series(frame.get_column(label), label) for label in wanted]
    return DenseTable(len(frame), len(wanted), wanted, blocks)


def _is_one_array(X: Any) -> bool:
    """Whether X is a pandas frame of one numpy dtype, which is kept as a single array."""
    dtypes = getattr(X, "dtypes", None)
    if dtypes is None or not hasattr(dtypes, "nunique") or dtypes.nunique() != 1:
        return False
    dtype = dtypes.iloc[0]
    return isinstance(dtype, np.dtype) and dtype.kind in "buif" and dtype.itemsize <= 8


def values_of(series: nw.Series[Any]) -> NDArray[Any]:
    """Return a column as numpy has it; integers of 128 bits as floats, as all others end up."""
    return (series.cast(nw.Float64) if series.dtype in WIDE else series).to_numpy()


def _series(series: nw.Series[Any], label: Any) -> NDArray[Any]:
    missing = series.is_null()
    if missing.any():
        row = int(missing.to_numpy().argmax())
        raise NotBinaryError(
            f"Column {shown(label)} has {int(missing.sum())} missing values, the first in row "
            f"{row}. Every value must be 0, 1, False or True. Fill in or drop missing values (NaN) "
            "first."
        )
    array = values_of(series)
    text = series.dtype in (nw.Categorical, nw.Enum, nw.String)
    if text or array.ndim != 1 or array.dtype.kind not in "buifO":
        example = f", such as {shown(array[0])}" if array.size else ""
        raise NotBinaryError(
            f"Column {shown(label)} has values of type {shortened(str(series.dtype))}{example}. "
            "Every value must be 0, 1, False or True; nothing is cast. "
            "Turn it into 0/1 columns first, or fit with binarizer='auto'."
        )
    return _numeric(array, label)


def _numeric(array: NDArray[Any], label: Any) -> NDArray[Any]:
    if array.dtype.kind in "buif" and array.dtype.itemsize <= 8:
        return _plain(array)
    refuse_complex(array, label)
    return _flags(array, label)


def refuse_complex(array: Any, label: Any = None) -> None:
    """Refuse an array or sparse table of complex numbers, also if they all equal 0 or 1."""
    if array.dtype.kind == "c":
        where = "X" if label is None else f"column {shown(label)}"
        raise ValueError(
            f"Complex data not supported: {where} holds complex numbers. Turn them into real ones, "
            "for example with X.real or abs(X)."
        )


def _flags(array: NDArray[Any], label: Any) -> NDArray[np.uint8]:
    """Compare what numpy has no short number for (objects, text, long floats) with 0 and 1."""
    try:
        zero, one = array == 0, array == 1
        binary = np.asarray(zero | one, dtype=bool)
        if array.dtype.kind == "O":
            kinds = set(map(type, array.ravel().tolist()))
            if any(issubclass(kind, COMPLEX) for kind in kinds):  # 1 + 0j equals 1
                binary = np.zeros(array.shape, dtype=bool)
    except (TypeError, ValueError):  # a value that does not compare, such as a blank
        zero = one = binary = np.zeros(array.shape, dtype=bool)
    if array.size == 0 or (binary.shape == array.shape and binary.all()):
        return np.asarray(one, dtype=np.uint8).reshape(array.shape)
    index, value = next(
        (index, value) for index, value in np.ndenumerate(array) if not _is_flag(value)
    )
    column = label if label is not None else index[-1] if len(index) > 1 else 0
    raise NotBinaryError(
        f"Column {shown(column)} has the value {shown(value)} of type {type(value).__name__} in "
        f"row {index[0]}. Every value must be 0, 1, False or True; nothing is cast. Turn columns "
        "of text into 0/1 columns first, for example with `x == value`; fill in or drop missing "
        "values (NaN)."
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


def _read_sparse(X: Any) -> Table:
    refuse_complex(X)
    rows = X.tocsr()
    if len(rows.shape) != 2:
        raise ValueError(f"Expected a 2D sparse table, got shape {rows.shape}: reshape it.")
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    n_rows, n_columns = rows.shape
    check_shape(n_rows, n_columns)
    bad = (rows.data != 0) & (rows.data != 1)
    if bad.any():
        place = int(np.argmax(bad))
        row = int(np.searchsorted(rows.indptr, place, side="right") - 1)
        raise NotBinaryError(
            f"Column {rows.indices[place]} has a value that is not 0 or 1: {rows.data[place]} in "
            f"row {row}. Every value must be 0, 1, False or True; nothing is cast."
        )
    if not rows.data.all():  # zeros that are stored
        rows = rows.copy()
        rows.eliminate_zeros()
    ones = rows.indices.astype(np.int32)
    return SparseTable(n_rows, n_columns, None, rows.indptr.astype(np.int64), ones)
