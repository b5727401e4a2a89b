"""What the questions of a tree mean, and how a table or a single row answers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._binarizers.base import LiteralTable
from splitsecond._support.messages import shown
from splitsecond._tables.cells import is_missing, plain_category
from splitsecond._tables.columns import Kind, RawTable, Variable
from splitsecond._tables.literals import Literal

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree


@dataclass(frozen=True)
class Condition:
    """A question in the few forms that every other language has.

    Just one of them is set, or none: then the answer is always no. A missing value answers no,
    except to `missing`.
    """

    variable: Variable
    missing: bool = False
    at_most: float | None = None  # the value, as a 64-bit float, is no larger
    equals: float | None = None  # the value, as a 64-bit float, is the same
    among: tuple[Any, ...] = ()  # the value is one of these, text or numbers

    @property
    def is_number(self) -> bool:
        """Whether the column holds numbers, some of which may be NaN."""
        variable = self.variable
        if variable.categories:
            return not any(isinstance(value, str) for value in variable.categories)
        return variable.kind in (Kind.BINARY, Kind.NUMBER)


def condition_of(literal: Literal, variable: Variable) -> Condition:
    """Return what a question asks, as `Literal.answers` understands it."""
    if literal.operator == "is missing":
        return Condition(variable, missing=True)
    if variable.kind in (Kind.BINARY, Kind.NUMBER):
        value = 1 if literal.operator == "is 1" else literal.value
        if isinstance(value, str):
            return Condition(variable)
        if literal.operator == "<=":
            return Condition(variable, at_most=float(value))
        return Condition(variable, equals=float(value))
    place = variable.place(literal.value)  # below 0 if there is no such category
    first = place if literal.operator == "==" else 0
    return Condition(variable, among=variable.categories[first : place + 1] if place >= 0 else ())


def conditions(tree: Tree) -> dict[int, Condition]:
    """Return what the questions of a tree mean, by the number that its nodes have for them."""
    return {
        j: condition_of(literal, tree.variables[literal.column])
        for j, literal in tree.literals.items()
    }


def has_labels(tree: Tree) -> bool:
    """Whether the tree was learnt from a table whose columns have labels."""
    # Columns without one are called x0, x1, ...
    return all(variable.name == str(variable.label) for variable in tree.variables.values())


def asked_table(tree: Tree, X: Any) -> LiteralTable:
    """Open a table; column i holds the answers to the i-th of the questions, by their numbers."""
    asked = sorted(tree.variables)
    place = {column: column for column in asked}
    labels = None
    if asked and has_labels(tree):
        labels = [tree.variables[column].label for column in asked]
    raw = X if isinstance(X, RawTable) else RawTable(X, labels)
    if raw.labels is not None and labels is not None:
        place = {column: i for i, column in enumerate(asked)}
    elif asked and raw.n_columns != tree.n_columns:
        raise ValueError(
            f"X has {raw.n_columns} columns, but the tree was learnt from {tree.n_columns}: give "
            "the same columns, or a data frame that has them by name."
        )
    literals = [
        literal._replace(column=place[literal.column])
        for _, literal in sorted(tree.literals.items())
    ]
    variables: Any = {place[column]: tree.variables[column] for column in asked}
    table = LiteralTable(raw.n_rows, len(literals), raw.labels, raw, variables, literals)
    table.check_binary()
    return table


def asked_columns(tree: Tree) -> NDArray[np.int32]:
    """Return the column of `asked_table` that each node asks; -1 at a leaf."""
    place = {j: i for i, j in enumerate(sorted(tree.literals))}
    return np.array([place.get(j, -1) for j in tree.feature.tolist()], dtype=np.int32)


def table_of_row(tree: Tree, row: Any, parameter: str) -> Any:
    """Return one row, given as a mapping, a sequence or a table of one row, as a table."""
    if isinstance(row, Mapping) or (hasattr(row, "keys") and getattr(row, "ndim", 1) == 1):
        cells = np.full((1, tree.n_columns), None, dtype=object)
        for column, variable in tree.variables.items():
            key = variable.label if variable.label in row else variable.name
            if key not in row:
                raise ValueError(
                    f"The row lacks a value for {shown(variable.name)}: None is a missing value."
                )
            cells[0, column] = _cell(row[key], variable)
        return _with_finite(tree, cells)
    if np.ndim(row) == 1:
        if tree.variables and len(row) != tree.n_columns:
            values = "value" if len(row) == 1 else "values"
            raise ValueError(
                f"The row has {len(row)} {values}, but the tree was learnt from {tree.n_columns} "
                "columns: give a value for each, or a mapping with those that it asks about."
            )
        cells = np.empty((1, len(row)), dtype=object)
        cells[0, :] = list(row)
        return _with_finite(tree, cells)
    if np.ndim(row) == 0:
        raise TypeError(
            f"{parameter}={shown(row)} must be a row: a mapping, a sequence or a table of one row."
        )
    n_rows = row.shape[0] if hasattr(row, "shape") else len(row)
    if n_rows != 1:
        raise ValueError(f"One row was expected, got {n_rows}: choose one, such as X.iloc[[0]].")
    return row


def _with_finite(tree: Tree, cells: NDArray[Any]) -> NDArray[Any]:
    """Return a row; its columns have lost their names, so infinity is refused here."""
    for column, variable in tree.variables.items():
        value = cells[0, column]
        if isinstance(value, (float, np.floating)) and np.isinf(value):
            raise ValueError(
                f"The row has {value} for {shown(variable.name)}: give a finite number, or None if "
                "it is missing."
            )
    return cells


def _cell(value: Any, variable: Variable) -> Any:
    """Return a cell as its column would hold it: intervals and the like are text there."""
    if isinstance(value, (list, dict, set, np.ndarray)):
        raise ValueError(
            f"The row has {shown(value)} for {shown(variable.name)}: give a single value, such as "
            "a number or text."
        )
    if is_missing(value) or isinstance(value, (str, Real)) or not variable.categories:
        return value
    return plain_category(value)
