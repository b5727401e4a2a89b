"""How a fitted model reads tables: what it was fitted on, and the questions it can ask of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from splitsecond._binarizers.base import Binarizer
from splitsecond._support.names import public
from splitsecond._support.warning import warn
from splitsecond._tables.binary import Table, check_width, names_of
from splitsecond._tables.columns import Kind, Variable
from splitsecond._tables.literals import Literal
from splitsecond._tables.reading import read_table


@public
@dataclass(frozen=True)
class InputReader:
    """Reads users' tables as the 0/1 columns that a model was fitted on."""

    model: str  # the name of its class, for messages
    binarizer: Binarizer | None  # fitted; None: tables are 0/1 already
    labels: list[Any] | None  # of the data frame's columns
    n_columns: int

    def read(self, X: Any) -> Table:
        """Open a table to be asked the questions; every value is checked."""
        if self.binarizer is not None:
            table = self.binarizer.literal_table(X)
        else:
            table = read_table(X, labels=self.labels)
            check_width(self.model, self.n_columns, table.n_columns)
            table.check_binary()
        fitted_with_names = names_of(self.labels) is not None
        if not fitted_with_names and table.names is not None:
            warn(
                f"X has feature names, but {self.model} was fitted without feature names",
                UserWarning,
            )
        elif fitted_with_names and table.names is None:
            warn(
                f"X does not have valid feature names, but {self.model} was fitted with feature "
                "names",
                UserWarning,
            )
        return table

    @cached_property
    def literals(self) -> list[Literal]:
        """The questions that the 0/1 columns stand for."""
        if self.binarizer is not None:
            return self.binarizer.literals_
        return [Literal(j, name, "is 1") for j, name in enumerate(self.column_names)]

    @cached_property
    def columns_of(self) -> dict[Literal, int]:
        """The 0/1 column of each question."""
        return {literal: place for place, literal in enumerate(self.literals)}

    @cached_property
    def column_names(self) -> list[str]:
        """What the user's columns are called, also those without questions."""
        if self.binarizer is not None:
            return [variable.name for variable in self.binarizer.variables_]
        if self.labels is None:
            return [f"x{j}" for j in range(self.n_columns)]
        return [str(label) for label in self.labels]

    def parts_of_tree(self, feature: Iterable[int]) -> dict[str, Any]:
        """Return what a `Tree` that asks of these 0/1 columns must know about them."""
        used = sorted({j for j in feature if j >= 0})
        literals = {j: self.literals[j] for j in used}
        columns = (literal.column for literal in literals.values())
        return {
            "literals": literals,
            "variables": {column: self.variable(column) for column in columns},
            "n_columns": self.n_columns,
            "with_missing": self._with_missing,
        }

    def variable(self, column: int) -> Variable:
        """Return what a column of the user's table is."""
        if self.binarizer is not None:
            return self.binarizer.variables_[column]
        label = column if self.labels is None else self.labels[column]
        return Variable(label, self.column_names[column], Kind.BINARY)

    @cached_property
    def _with_missing(self) -> frozenset[str]:
        """Names of the variables that had missing values in training."""
        variables = [] if self.binarizer is None else self.binarizer.variables_
        return frozenset(variable.name for variable in variables if variable.has_missing)
