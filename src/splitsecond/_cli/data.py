"""What a model is fitted on: the columns, classes and weights of a table, checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from splitsecond._cli.sources import Source
from splitsecond._support.messages import date_text, infinity_text


@dataclass(frozen=True)
class Data:
    """Columns, classes and weights of some rows, and where these are in a file."""

    X: pa.Table
    y: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    source: Source | None = None
    rows_in_source: int = 0
    places: NDArray[np.intp] | None = None  # of the rows in the source; None: they are all of them

    def __len__(self) -> int:
        return len(self.y)

    def take(self, rows: NDArray[np.intp]) -> Data:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        places = rows if self.places is None else self.places[rows]
        return replace(self, X=self.X.take(rows), y=self.y[rows], weights=weights, places=places)


def read_data(source: Source, target: str, weight: str | None) -> Data:
    """Read a table and set its target and weights apart; what cannot be learned from is refused."""
    table = source.read()
    for name in (target, *([] if weight is None else [weight])):
        source.check_column(table, name)
    if weight == target:
        raise ValueError(f"--weight {weight!r} is the target: name another column.")
    y = labels_of(source, table, target)
    X = table.drop_columns([target] if weight is None else [target, weight])
    if X.num_columns == 0:
        raise only_a_target(source.name, target)
    for name in X.column_names:
        check_column(source, X[name], name)
    if not any(_varies(X[name]) for name in X.column_names):
        raise nothing_to_ask(source.name)
    weights = None if weight is None else weights_of(source, table, weight)
    return Data(X, y, weights, source, len(y))


def decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values of a column, also of one that is stored as codes of categories."""
    kind = column.type
    return column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column


def labels_of(
    source: Source, table: pa.Table, name: str, *, may_be_one: bool = False
) -> NDArray[Any]:
    """Return class labels; refuse a column that has none for some rows, or only one to learn."""
    column = decoded(table[name])
    kind = column.type
    if pa.types.is_temporal(kind) or pa.types.is_nested(kind):
        raise ValueError(f"The target {name!r} holds {kind}: classes are text or numbers.")
    is_missing = pc.is_null(column, nan_is_null=True)
    n_missing = pc.sum(is_missing).as_py()
    if n_missing == len(column):
        raise ValueError(f"The target {name!r} is missing in every row.")
    if n_missing:
        row = source.row(pc.index(is_missing, True).as_py(), len(column))
        raise ValueError(
            f"The target {name!r} is missing in {n_missing:,} of {len(column):,} rows, the first "
            f"of them {row}: remove those rows, or fill them in."
        )
    labels: NDArray[Any] = column.to_numpy()
    if labels.dtype.kind == "f" and (labels != np.rint(labels)).any():
        example = labels[labels != np.rint(labels)][0]
        raise ValueError(
            f"The target {name!r} holds numbers such as {example}, a quantity and not classes: "
            "make classes of it first, for example by a threshold."
        )
    if not may_be_one and len(pc.unique(column)) == 1:
        raise ValueError(
            f"The target {name!r} is {labels[0]!r} in every row ({len(labels):,}): there is "
            "nothing to tell apart."
        )
    return labels


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
