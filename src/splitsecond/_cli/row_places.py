"""Errors about rows, in the words of the file: the library counts the rows it is given from 0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from splitsecond._cli.data import Data
from splitsecond._cli.sources import Source

# The row that an error names, or what it quotes: the user's own words, which are passed over.
ROW = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\bin row (\d+)""")


@contextmanager
def rows_of_file(source: Source, n_rows: int) -> Iterator[None]:
    """Let errors about a table X name its file, and a row as users count them."""
    try:
        yield
    except (ValueError, TypeError) as error:
        text = _with_place(str(error), source, n_rows) or str(error)
        raise ValueError(f"{source.name} as X: {text}") from None


@contextmanager
def rows_of_data(data: Data) -> Iterator[None]:
    """Let errors about a row of the data name its place in the file; others stay as they are."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if data.source is None:
            raise
        text = _with_place(str(error), data.source, data.rows_in_source, data.places)
        if text is None:
            raise
        raise ValueError(f"{data.source.name} as X: {text}") from None


def _with_place(
    text: str, source: Source, n_rows: int, places: NDArray[np.intp] | None = None
) -> str | None:
    """Return a message with the place of its row in the file; None if it names no row."""
    found = next((match for match in ROW.finditer(text) if match[1]), None)
    if found is None:
        return None
    row = int(found[1]) if places is None else int(places[int(found[1])])
    return f"{text[: found.start()]}in {source.row(row, n_rows)}{text[found.end() :]}"
