"""Tables of 0/1 columns as the core reads them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._support.messages import shortened, shown
from splitsecond._tables.errors import NotBinaryError


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
    else:
        vars(estimator).pop("feature_names_in_", None)
    estimator._labels_in = labels
    estimator.n_features_in_ = n_columns


def check_width(model: str, expected: int, n_columns: int) -> None:
    """Refuse a table that has not as many columns as the one a model was fitted on."""
    if n_columns != expected:
        raise ValueError(
            f"X has {n_columns} features, but {model} is expecting {expected} features as input: "
            "give the columns it was fitted with."
        )


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

    def non_binary(self) -> tuple[int, int] | None:
        """Return a cell (row, column) that is neither 0 nor 1; None: there is none."""
        return None

    def check_binary(self) -> None:
        """Raise an error that names the cell if any value is neither 0 nor 1."""
        cell = self.non_binary()
        if cell is not None:
            raise self.not_binary(*cell)

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

    def non_binary(self) -> tuple[int, int] | None:
        return self.core().find_non_binary()

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
        label = self.labels[column] if self.labels else column
        if others > 1:
            seen = f"{others} values that are neither 0 nor 1"
        else:
            seen = "a value that is not 0 or 1"
        if np.isnan(value):
            remedy = "Fill in or drop missing values (NaN) first."
        else:
            remedy = "Turn it into 0/1 columns first, or fit with binarizer='auto'."
        return NotBinaryError(
            f"Column {shown(label)} has {seen}: {shortened(str(value))}",
            f". Every value must be 0, 1, False or True; nothing is cast. {remedy}",
            row=row,
            column=label,
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


def leaf_of_rows(
    feature: NDArray[np.int32], left: NDArray[np.int32], right: NDArray[np.int32], table: Table
) -> NDArray[np.int64]:
    """Return the leaf of a flat tree that each row of a table ends in."""
    leaf = np.zeros(table.n_rows, dtype=np.int64)
    waiting = [(0, np.arange(table.n_rows))]
    while waiting:
        node, rows = waiting.pop()
        if feature[node] < 0 or rows.size == 0:
            leaf[rows] = node
            continue
        yes = table.column(feature[node])[rows] == 1
        waiting.append((int(left[node]), rows[yes]))
        waiting.append((int(right[node]), rows[~yes]))
    return leaf
