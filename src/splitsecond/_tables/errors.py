"""Errors about a table, which know the cell that they are about."""

from __future__ import annotations

from typing import Any

from splitsecond._support.names import public


@public
class TableError(ValueError):
    """A table, its classes or its weights cannot be used.

    The message is what comes before the row, "in row 5", and what comes after it; or it is whole.

    Attributes
    ----------
    row : int or None
        Position of the row, from 0, if the error is about one.
    column : label, int or None
        Label of the column, or its position in a table without labels.
    """

    def __init__(
        self, before: str, after: str | None = None, *, row: int | None = None, column: Any = None
    ) -> None:
        self._before, self._after = before, after
        self.row, self.column = row, column
        super().__init__(self.text(f"row {row}"))

    def text(self, row: str) -> str:
        """Return the message with other words for the row."""
        return self._before if self._after is None else f"{self._before} in {row}{self._after}"


@public
class NotBinaryError(TableError):
    """A value of a table that should be 0/1 is something else."""


@public
class CellTypeError(TableError, TypeError):
    """A value is of a type that no column can have."""


@public
class MissingColumnsError(TableError):
    """A data frame lacks columns that the model was fitted with.

    Attributes
    ----------
    labels : list
        Those of the columns.
    """

    def __init__(self, text: str, labels: list[Any]) -> None:
        super().__init__(text)
        self.labels = labels
