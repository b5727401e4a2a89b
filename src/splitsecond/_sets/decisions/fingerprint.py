"""The fingerprint of a table: the same for the same values, whatever holds them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from splitsecond._support.names import public
from splitsecond._tables.opening import as_array, open_frame

MAX_EXACT = 2**53  # whole floats below it are written as integers


@public
def fingerprint(X: Any) -> str:
    """Return the SHA-256 of a table's names and values, in hexadecimal digits.

    It is the same for pandas, polars, pyarrow and numpy, and for integers that are stored as
    floats. The order of rows and columns counts; the index of a pandas frame does not.

    Parameters
    ----------
    X : data frame, series, sparse matrix, array-like or dict of columns
        The table, or a single column such as y, which is taken for a table of one column.

    Notes
    -----
    What is hashed is a text in UTF-8, of which each line ends with a line feed (LF). The first line
    is the number of rows, a space, and the number of columns. Then come the columns from left to
    right, each as its name and its values from top to bottom, a line for each, written as JSON: a
    text in quotes, without escapes but those that JSON requires; true and false; a number as the
    shortest decimal that is the same 64-bit float (Python's ``repr``), but a whole one below 2**53
    without a point or exponent; a missing value (None, NaN, NaT, NA) as null. What JSON has no form
    for is text. Columns without a name are called by their position, from 0.

    Examples
    --------
    >>> import pandas as pd
    >>> from splitsecond import fingerprint
    >>> fingerprint(pd.DataFrame({"age": [18.0, None], "job": ["cook", "clerk"]}))[:16]
    '97e509b5ce8ac0ce'
    """
    names, columns, n_rows = _opened(X)
    digest = hashlib.sha256(f"{n_rows} {len(names)}\n".encode())
    for name, column in zip(names, columns, strict=True):
        lines = [_text(name), *(_cell(value) for value in column)]
        digest.update(("\n".join(lines) + "\n").encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def _opened(X: Any) -> tuple[list[str], Iterator[list[Any]], int]:
    """Return the names and the columns of a table, and how many rows it has."""
    if isinstance(X, Mapping):
        columns = [_values(column) for column in X.values()]
        return [str(name) for name in X], iter(columns), max(map(len, columns), default=0)
    if hasattr(X, "to_frame") and getattr(X, "ndim", 1) == 1:  # a series of pandas or polars
        X = X.to_frame()
    elif hasattr(X, "combine_chunks") and not hasattr(X, "column_names"):  # a column of pyarrow
        X = np.array(X.to_pylist(), dtype=object)
    frame = open_frame(X)
    if frame is not None:
        names = [str(name) for name in frame.columns]
        return names, (frame.get_column(name).to_list() for name in frame.columns), len(frame)
    if hasattr(X, "tocsc"):
        sparse = X.tocsc()
        dense = (sparse[:, [j]].toarray().ravel().tolist() for j in range(sparse.shape[1]))
        return [str(j) for j in range(sparse.shape[1])], dense, sparse.shape[0]
    given = X if isinstance(X, np.ndarray) else list(X)
    is_column = getattr(given, "ndim", 0) == 1 or not any(map(_is_row, given))
    array = np.array(given, dtype=object).reshape(-1, 1) if is_column else as_array(given)
    return [str(j) for j in range(array.shape[1])], iter(array.T.tolist()), len(array)


def _values(column: Any) -> list[Any]:
    return column.to_list() if hasattr(column, "to_list") else list(column)


def _is_row(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray))


def _cell(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return "null"
        return str(int(value)) if value.is_integer() and abs(value) < MAX_EXACT else repr(value)
    return _text(value)


def _text(value: Any) -> str:
    return json.dumps(str(value), ensure_ascii=False)
