"""Errors about rows, in the words of the file: the library counts the rows it is given from 0."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

import splitsecond
from splitsecond._cli.data import Data
from splitsecond._cli.sources import Source


@contextmanager
def rows_of_file(source: Source, n_rows: int) -> Iterator[None]:
    """Let errors about a table X name its file, and a row as users count them."""
    try:
        yield
    except (ValueError, TypeError) as error:
        text = _with_place(error, source, n_rows) or str(error)
        raise ValueError(f"{source.name} as X: {text}") from None


@contextmanager
def rows_of_data(data: Data) -> Iterator[None]:
    """Let errors about a row of the data name its place in the file; others stay as they are."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if data.source is None:
            raise
        text = _with_place(error, data.source, data.rows_in_source, data.places)
        if text is None:
            raise
        raise ValueError(f"{data.source.name} as X: {text}") from None


def _with_place(
    error: Exception, source: Source, n_rows: int, places: NDArray[np.intp] | None = None
) -> str | None:
    """Return a message with the place of its row in the file; None if it names no row."""
    if not isinstance(error, splitsecond.TableError) or error.row is None:
        return None
    row = error.row if places is None else int(places[error.row])
    return error.text(source.row(row, n_rows))
