"""What a fit would make of a table, without a fit: its columns, problems and likely mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._support.checks import check_amount, check_choice
from splitsecond._support.frames import frame_of
from splitsecond._support.messages import listed, shortened
from splitsecond._support.names import public
from splitsecond._tables.cells import Cells
from splitsecond._tables.class_checks import many_classes, rare_classes, rare_text
from splitsecond._tables.columns import Kind, RawTable, Variable
from splitsecond._tables.data_checks import (
    MIN_ROWS,
    DataWarning,
    Finding,
    column_warnings,
    findings,
)
from splitsecond._tables.literals import value_text
from splitsecond._tables.number_checks import distribution, distribution_text

if TYPE_CHECKING:
    from splitsecond._tables.numbers import Numbers  # with scikit-learn

REFUSED = "refused"
CLASSIFICATION, REGRESSION = "classification", "regression"
MAX_WIDTH = 40  # characters of a value or a note in a table of text


@public
@dataclass(frozen=True)
class ColumnReport:
    """What a fit would make of one column; see `check_table`.

    Attributes
    ----------
    label : label or int
        Of the column, or its position in a table without labels.
    kind : str
        "number", "binary" (0/1), "category", "ordered" (categories with an order), "constant" or
        "all missing" (of which nothing is asked), or "refused".
    n_distinct : int or None
        Different values, missing ones not counted. None if the column is refused.
    n_missing : int or None
        Rows without a value. None if the column is refused.
    values : tuple
        Minimum and maximum of numbers, the categories in their order, or the value of a constant.
    findings : tuple
        What looks like a mistake: each has a ``kind`` ("target", "copy", "date", "identifier",
        "row_number", "words" or "numbers"), the ``suspicion`` in words, a ``detail`` such as the
        column that is copied, and the ``words`` among numbers.
    error : Exception or None
        Why the column is refused, with its ``row`` if it is about one (`TableError`).
    """

    label: Any
    kind: str
    n_distinct: int | None = None
    n_missing: int | None = None
    values: tuple[Any, ...] = ()
    findings: tuple[Finding, ...] = ()
    error: Exception | None = None

    @property
    def summary(self) -> str:
        """The values in short: a range, or some of the categories."""
        if self.kind == Kind.NUMBER:
            return " to ".join(map(value_text, self.values))
        if self.kind == Kind.ORDERED:
            return " < ".join(map(_text, self.values))
        return listed([_text(value) for value in self.values], 3)

    @property
    def note(self) -> str:
        """Why the column is refused, or what looks like a mistake; empty if nothing does."""
        if self.error is not None:
            return str(self.error)
        return "; ".join(f"{each.suspicion}{each.detail}" for each in self.findings)


@public
@dataclass(frozen=True, repr=False)
class TableReport:
    """What a fit would make of a table; `check_table` returns it. ``print`` shows it as a table.

    Attributes
    ----------
    n_rows : int
    columns : tuple of ColumnReport
    classes : dict or None
        The number of rows of each class. None if no classes were given or they cannot be used.
    problems : tuple of Exception
        What a fit would refuse: columns, in their order, and then the target.
    warnings : tuple of DataWarning
        What a fit would warn of, as far as that is known without one. Those about columns have
        ``columns``.
    numbers : dict or None
        Of a numeric target: its ``minimum``, ``median`` and ``maximum``, ``n_distinct``, the number
        of different ones, and ``zeros``, the share of rows with 0. None if there is none.
    """

    n_rows: int
    columns: tuple[ColumnReport, ...]
    classes: Mapping[Any, int] | None
    problems: tuple[Exception, ...]
    warnings: tuple[DataWarning, ...]
    numbers: Mapping[str, float] | None = None

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame ("pandas" or "polars"), a row for each column of the table."""
        names = ("kind", "n_distinct", "n_missing", "summary", "note")
        columns = {name: [getattr(each, name) for each in self.columns] for name in names}
        return frame_of({"column": [str(each.label) for each in self.columns], **columns}, library)

    @property
    def target_summary(self) -> str:
        """The target in short: the rows of each class, or how numbers are spread."""
        if self.numbers is not None:
            return distribution_text(self.numbers)
        if self.classes is None:
            return ""
        some = listed([f"{label} ({rows:,})" for label, rows in self.classes.items()])
        return f"{len(self.classes):,} classes: {some}"

    def __repr__(self) -> str:
        counts = {"row": self.n_rows, "column": len(self.columns)}
        counts |= {"problem": len(self.problems), "warning": len(self.warnings)}
        said = ", ".join(f"{n:,} {name}{'s' * (n != 1)}" for name, n in counts.items())
        return f"<TableReport: {said}>"

    def __str__(self) -> str:
        lines = [f"{self.n_rows:,} rows, {len(self.columns):,} columns", "", *self._table()]
        if self.target_summary:
            lines += ["", self.target_summary]
        lines += [f"problem: {each}" for each in self.problems]
        lines += [f"warning: {each}" for each in self.warnings]
        return "\n".join(lines)

    def _table(self) -> Iterator[str]:
        rows = [("column", "kind", "distinct", "missing", "values")]
        for each in self.columns:
            distinct, missing = (
                "" if n is None else f"{n:,}" for n in (each.n_distinct, each.n_missing)
            )
            label, summary = (
                shortened(" ".join(str(text).split()), MAX_WIDTH)  # in one line
                for text in (each.label, each.summary)
            )
            rows.append((label, each.kind, distinct, missing, summary))
        widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
        for row in rows:
            sides = zip(row, widths, "<<>><", strict=True)
            yield "  ".join(f"{cell:{side}{width}}" for cell, width, side in sides).rstrip()


@public
def check_table(
    X: Any,
    y: Any = None,
    *,
    regularization: float | Fraction = 0.01,
    task: str = CLASSIFICATION,
) -> TableReport:
    """Say what a fit would make of a table: what its columns are, and what looks wrong.

    Nothing is fitted. What a fit would raise or warn of is returned instead, all of it at once.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        The table, as for ``fit``. What is no table at all is refused at once.
    y : array-like of shape (n_samples,), optional
        Class labels, or numbers with ``task="regression"``. Without them, only the columns are
        looked at.
    regularization : float or Fraction
        Lambda of the fit, which decides whether a class is too rare for a leaf.
    task : {"classification", "regression"}
        Whether y is to be fitted by a classifier or by a regressor.

    Returns
    -------
    TableReport

    Examples
    --------
    >>> import pandas as pd
    >>> from splitsecond import check_table
    >>> X = pd.DataFrame({"age": [31, 58, 44, None], "job": ["smith", "clerk", "clerk", "smith"]})
    >>> X["hired"] = pd.to_datetime(["2020-01-01", "2021-05-01", "2019-03-01", "2022-07-01"])
    >>> report = check_table(X)
    >>> [column.kind for column in report.columns]
    ['number', 'category', 'refused']
    >>> report.problems[0].column
    'hired'
    """
    penalty = check_amount("regularization", regularization, "lambda, the penalty per leaf")
    check_choice("task", task, (CLASSIFICATION, REGRESSION))
    table = RawTable(X)
    columns, variables = zip(*(_column(table, j) for j in range(table.n_columns)), strict=True)
    problems = [each.error for each in columns if each.error is not None]
    classes, codes, numbers = None, None, None
    if y is not None:
        try:
            if task == REGRESSION:
                numbers = _numbers(X, y, table.n_rows)
            else:
                classes, codes = _encoded(X, y, table.n_rows)
        except (ValueError, TypeError) as error:
            problems.append(error.with_traceback(None))
    values = None if numbers is None else numbers.values
    found = findings(table, variables, codes, 0 if classes is None else len(classes), values)
    warnings: list[DataWarning] = list(column_warnings(found))
    counted = None
    if classes is not None and codes is not None:
        counts = np.bincount(codes, minlength=len(classes))
        warnings += _class_warnings(counts, penalty)
        counted = dict(zip(classes.tolist(), counts.tolist(), strict=True))
    return TableReport(
        table.n_rows,
        _with_findings(columns, found),
        counted,
        tuple(problems),
        tuple(warnings),
        None if numbers is None else distribution(numbers.values, numbers.offset),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else value_text(value)


def _encoded(X: Any, y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[Any]]:
    from splitsecond._tables.labels import encode_labels, refuse_column_name  # with scikit-learn

    refuse_column_name(X, y)
    return encode_labels(y, n_rows)


def _numbers(X: Any, y: Any, n_rows: int) -> Numbers:
    from splitsecond._tables.labels import refuse_column_name  # with scikit-learn
    from splitsecond._tables.numbers import read_numbers

    refuse_column_name(X, y)
    return read_numbers(y, n_rows, loss="squared_error")


def _class_warnings(counts: NDArray[Any], regularization: Any) -> Iterator[DataWarning]:
    n_rows = int(counts.sum())
    yield from many_classes(len(counts), n_rows)
    share = rare_classes(counts, regularization)
    if share is not None and n_rows >= MIN_ROWS:
        yield DataWarning(f"The tree may be a single leaf. {rare_text(share, regularization)}")


def _column(table: RawTable, j: int) -> tuple[ColumnReport, Variable]:
    """Read a column; one that is refused becomes a variable that nobody looks at."""
    label, name = table.label(j), table.name(j)
    try:
        cells = table.cells(j)
        variable = Variable.of(cells, name)
    except (ValueError, TypeError) as error:
        refused = ColumnReport(label, REFUSED, error=error.with_traceback(None))
        return refused, Variable(label, name, Kind.UNREAD)
    known = _known(cells)
    values = variable.categories
    if variable.kind is Kind.NUMBER:
        values = (float(known[0]), float(known[-1]))
    elif not values:
        values = tuple(known)
    missing = int(cells.is_missing().sum())
    return ColumnReport(label, str(variable.kind), len(known), missing, values), variable


def _known(cells: Cells) -> Sequence[Any]:
    """Return the different values of a column, numbers in ascending order."""
    if cells.numbers is None:
        return cells.keys
    distinct: NDArray[np.float64] = np.unique(cells.numbers)
    return list(distinct[~np.isnan(distinct)].tolist())


def _with_findings(
    columns: Sequence[ColumnReport], found: Sequence[Finding]
) -> tuple[ColumnReport, ...]:
    """Add to each column what was found about it."""
    of_column: dict[int, list[Finding]] = {}
    for each in found:
        of_column.setdefault(each.column, []).append(each)
    return tuple(
        replace(column, findings=tuple(of_column.get(j, ()))) for j, column in enumerate(columns)
    )
