"""What a model is fitted on: the columns, target and weights of a table, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from splitsecond._cli.options import Task
from splitsecond._cli.sources import Source
from splitsecond._cli.targets import Asked, decoded, read_target
from splitsecond._support.messages import date_text, infinity_text, shown


@dataclass(frozen=True)
class Data:
    """Columns, classes or numbers, and weights of some rows, and where these are in a file."""

    X: pa.Table
    y: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    source: Source | None = None
    rows_in_source: int = 0
    places: NDArray[np.intp] | None = None  # of the rows in the source; None: they are all of them
    task: Task = Task.CLASSIFICATION

    def __len__(self) -> int:
        return len(self.y)

    @property
    def given(self) -> dict[str, Any]:
        """What a fit takes."""
        return {"X": self.X, "y": self.y, "sample_weight": self.weights}

    def not_numbers(self, name: str, words: Sequence[str]) -> str:
        """Say how many values of a column are words among numbers, and where the first is."""
        column = decoded(self.X[name])
        is_word = pc.is_in(column, value_set=pa.array(words, column.type))
        n_words, n_values = pc.sum(is_word).as_py(), len(column) - column.null_count
        first = pc.index(is_word, True).as_py()
        row = first if self.places is None else int(self.places[first])
        assert self.source is not None
        where = self.source.row(row, self.rows_in_source)
        value = shown(column[first].as_py())
        are = "is not a number," if n_words == 1 else "are not numbers, the first"
        return f"{n_words:,} of its {n_values:,} values {are} {value} in {where}"

    def take(self, rows: NDArray[np.intp]) -> Data:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        places = rows if self.places is None else self.places[rows]
        return replace(self, X=self.X.take(rows), y=self.y[rows], weights=weights, places=places)


def read_data(source: Source, target: str, weight: str | None, asked: Asked) -> Data:
    """Read a table and set its target and weights apart; what cannot be learned from is refused."""
    table = source.read()
    for name in (target, *([] if weight is None else [weight])):
        source.check_column(table, name)
    if weight == target:
        raise ValueError(f"--weight {weight!r} is the target: name another column.")
    read = read_target(source, table, target, asked)
    X = table.drop_columns([target] if weight is None else [target, weight])
    if X.num_columns == 0:
        raise only_a_target(source.name, target)
    for name in X.column_names:
        check_column(source, X[name], name)
    if not any(_varies(X[name]) for name in X.column_names):
        raise nothing_to_ask(source.name)
    weights = None if weight is None else weights_of(source, table, weight)
    return Data(X, read.values, weights, source, len(table), task=read.task)


def weights_of(source: Source, table: pa.Table, name: str) -> NDArray[np.float64]:
    """Return the weights of rows; refuse what is no weight."""
    column = table[name]
    try:
        weights: NDArray[np.float64] = column.cast(pa.float64()).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ValueError(f"The weights {name!r} are not numbers but {column.type}.") from error
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        raise ValueError(
            f"The weight {name!r} in {source.row(int(np.argmax(wrong)), len(column))} is "
            f"{weights[wrong][0]}: weights are numbers of at least 0, without missing values."
        )
    return weights


def check_column(source: Source, column: pa.ChunkedArray, name: str) -> None:
    """Refuse a column that no question can be asked about.

    Fits refuse it, too, but perhaps only after long work on other rows.
    """
    kind = column.type
    drop = f"leave the column out with --drop {name!r}"
    if kind in (pa.float32(), pa.float64()):
        is_infinite = pc.is_inf(column)
        n_infinite = pc.sum(is_infinite).as_py() or 0
        if n_infinite:
            row = source.row(pc.index(is_infinite, True).as_py(), len(column))
            remedy = f"Put numbers or missing values there, or {drop}."
            raise ValueError(f"{infinity_text(name, n_infinite)} in {row}. {remedy}")
    if pa.types.is_temporal(kind):
        remedy = f"Turn it into numbers, such as the year, or {drop}."
        raise ValueError(date_text(name, kind, remedy))
    if pa.types.is_nested(kind):
        raise ValueError(f"Column {name!r} holds {kind}, not single values: {drop}.")


def only_a_target(path: object, target: str | None) -> ValueError:
    """Return the error for a table without columns to learn from."""
    return ValueError(f"{path} has no column besides the target {target!r}.")


def nothing_to_ask(path: object) -> ValueError:
    """Return the error for a table whose columns are all constant or missing."""
    return ValueError(
        f"{path} has no column that tells any rows apart: all are constant or missing."
    )


def _varies(column: pa.ChunkedArray) -> bool:
    if pa.types.is_null(column.type):
        return False
    return bool(len(pc.unique(column)) > 1)
