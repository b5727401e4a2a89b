"""Opening the user's table: a data frame of any library, a sparse matrix or an array."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from splitsecond._support.messages import folded, listed, shown
from splitsecond._tables.errors import MissingColumnsError

_NAN = object()  # the label NaN
# Integers that numpy has no dtype for; old narwhals does not know them either.
WIDE = tuple(getattr(nw, name) for name in ("Int128", "UInt128") if hasattr(nw, name))


@dataclass(frozen=True)
class Opened:
    """The user's table, opened once, of which no value has been looked at."""

    given: Any
    n_rows: int
    n_columns: int
    frame: nw.DataFrame[Any] | None  # a data frame, with
    labels: list[Any] | None  # those of its columns that are wanted
    array: Any  # anything else: a sparse matrix, or an array of two dimensions

    @property
    def is_sparse(self) -> bool:
        """Whether it is a sparse matrix."""
        return self.frame is None and _is_sparse(self.array)

    def head(self, n_rows: int) -> Opened:
        """Return the first rows of a data frame."""
        assert self.frame is not None
        some = self.frame.head(n_rows)
        return replace(self, given=some.to_native(), n_rows=len(some), frame=some)


def open_table(X: Any, labels: list[Any] | None = None) -> Opened:
    """Open a table; with ``labels``, these columns of a data frame, in that order."""
    frame = open_frame(X)
    if frame is not None:
        wanted = pick_labels(frame, labels)
        opened = Opened(X, len(frame), len(wanted), frame, wanted, None)
    else:
        array = X if _is_sparse(X) else as_array(X)
        refuse_complex(array)
        if len(array.shape) != 2:
            raise ValueError(f"Expected a 2D sparse table, got shape {array.shape}: reshape it.")
        n_rows, n_columns = array.shape
        opened = Opened(X, n_rows, n_columns, None, None, array)
    check_shape(opened.n_rows, opened.n_columns)
    return opened


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def open_frame(X: Any) -> nw.DataFrame[Any] | None:
    """Return a data frame of any library as narwhals has it, None if X is none."""
    if isinstance(X, np.ndarray) or _is_sparse(X):
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
        raise MissingColumnsError(
            f"X lacks {'columns' if len(missing) > 1 else 'column'} "
            f"{listed([shown(label) for label in missing], 5)} "
            f"that the model was fitted with.{hint}",
            missing,
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
    if not isinstance(X, np.ndarray):
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


def values_of(series: nw.Series[Any]) -> NDArray[Any]:
    """Return a column as numpy has it; integers of 128 bits as floats, as all others end up."""
    return (series.cast(nw.Float64) if series.dtype in WIDE else series).to_numpy()


def refuse_complex(array: Any, label: Any = None) -> None:
    """Refuse an array or sparse table of complex numbers, also if they all equal 0 or 1."""
    if array.dtype.kind == "c":
        where = "X" if label is None else f"column {shown(label)}"
        raise ValueError(
            f"Complex data not supported: {where} holds complex numbers. Turn them into real ones, "
            "for example with X.real or abs(X)."
        )
