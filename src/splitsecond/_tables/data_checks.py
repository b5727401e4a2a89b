"""What a table is likely to be by mistake: found before a fit, and told as a warning.

Columns are judged by a sample of the rows; only what looks wrong there is looked at in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._support.messages import listed, shown
from splitsecond._support.names import public
from splitsecond._support.warning import warn
from splitsecond._tables.binary import DenseTable, Table
from splitsecond._tables.cells import Cells
from splitsecond._tables.columns import Kind, RawTable, Variable
from splitsecond._tables.target_copies import one_to_one, tell_classes, tells_numbers, two_codes
from splitsecond._tables.text_checks import TextNumbers, are_dates, numbers_in

MIN_ROWS = 50  # in fewer, columns are alike by chance
SAMPLE = 500  # rows
SMALL_SAMPLE = 64  # of a 0/1 array, whose fit may take less than a millisecond
GLANCE = 16  # rows, before a sample


@public
class DataWarning(UserWarning):
    """The table or the target looks like something that a tree should not learn from as it is.

    Warned of are a column that goes one to one with the target, copies of columns, text that looks
    like dates, identifiers or numbers, perhaps with a few words, row numbers, a target with
    very many classes, more 0/1 columns than the search handles without a time limit, and a tree of
    a single leaf although targets differ (`SingleLeafWarning`). The fit goes on.

    Attributes
    ----------
    columns : sequence
        What was found about columns: each has a ``label``, a ``kind`` ("target", "copy", "date",
        "identifier", "row_number", "words" or "numbers"), the ``suspicion`` in words, a ``detail``
        such as the column that it copies, and the ``words`` among numbers. Empty if the warning is
        about something else.
    """

    columns: Sequence[Finding] = ()


@public
class SingleLeafWarning(DataWarning):
    """A tree that was fitted to decide, or for numbers, is a single leaf, although targets differ.

    No split saves errors, or squared error or deviance, worth lambda. A tree that is fitted for
    probabilities, with ``loss="log_loss"``, also separates rows of the same majority class but
    different shares.
    """


@public
class ColumnWarning(DataWarning):
    """The part of `DataWarning` that is about columns of the user's table."""

    def __init__(self, text: str, found: Sequence[Finding] = ()) -> None:
        super().__init__(text)
        self.columns = found


@public
class Suspicion(Enum):
    """What a column may be: as said of one, as said of several, and what to do.

    The last names the ``first`` of the columns, ``all`` of them and, of text, its ``numbers``.
    """

    TARGET = (
        "tells the classes apart one to one, as the target itself does",
        "tell the classes apart one to one, as the target itself does",
        "Leave out what is not known before the class is.",
    )
    TARGET_NUMBER = (
        "goes one to one with the target, as a copy of it does",
        "go one to one with the target, as copies of it do",
        "Leave out what is not known before the target is.",
    )
    COPY = (
        "is a copy of another",
        "are copies of others",
        "Leave out all but one of those that are equal.",
    )
    DATE = (
        "looks like dates, as text",
        "look like dates, as text",
        "Turn them into numbers first, for example "
        "X[{first}] = pd.to_datetime(X[{first}]).dt.year.",
    )
    IDENTIFIER = (
        "looks like an identifier",
        "look like identifiers",
        "Nearly every row has a value of its own, which says nothing about new rows: leave out "
        "identifiers, X.drop(columns={all}).",
    )
    ROW_NUMBER = (
        "looks like a row number",
        "look like row numbers",
        "An id says nothing about new rows: leave it out, X.drop(columns={all}).",
    )
    WORDS = (
        "is text, but holds numbers except for a few values",
        "are text, but hold numbers except for a few values",
        "Correct them; or, if they stand for missing values, make numbers of the column: "
        'X[{first}] = pd.to_numeric({numbers}, errors="coerce").',
    )
    NUMBERS = (
        "is text that holds numbers",
        "are text that holds numbers",
        "Convert to numbers: X[{first}] = pd.to_numeric({numbers}). Text is asked about value by "
        "value; if that is meant, make a categorical column of it.",
    )


@public
@dataclass(frozen=True)
class Finding:
    """A column that is under suspicion."""

    column: int
    label: Any
    what: Suspicion
    detail: str = ""  # what it copies, or what is no number
    numbers: TextNumbers | None = None  # that the column holds as text

    @property
    def words(self) -> Sequence[str]:
        """Values that are no numbers, among those that are."""
        return () if self.numbers is None else self.numbers.words

    @property
    def kind(self) -> str:
        """What it may be, in one word."""
        return "target" if self.what is Suspicion.TARGET_NUMBER else self.what.name.lower()

    @property
    def suspicion(self) -> str:
        """What is said of the column."""
        return str(self.what.value[0])


# ---- the table -----------------------------------------------------------------------------------


def warn_of_columns(found: Sequence[Finding]) -> None:
    """Warn of columns, those of one kind together."""
    for each in column_warnings(found):
        warn(each)


def column_warnings(found: Sequence[Finding]) -> Iterator[DataWarning]:
    """Return what is to be said of columns, of those of one kind together."""
    for what in Suspicion:
        some = [each for each in found if each.what is what]
        if some:
            names = listed([f"{shown(each.label)}{each.detail}" for each in some], 5)
            one, several, remedy = what.value
            said = f"Column {names} {one}" if len(some) == 1 else f"Columns {names} {several}"
            yield ColumnWarning(f"{said}. {remedy.format(**_marks(some))}", some)


def _marks(some: Sequence[Finding]) -> dict[str, str]:
    """Return what a remedy calls columns."""
    separators = {each.label: each.numbers.separator for each in some if each.numbers is not None}
    # What removes a separator does no harm to the columns that have none.
    label = next((label for label, mark in separators.items() if mark), some[0].label)
    mark, first = separators.get(label), shown(label)
    without = f".str.replace({mark!r}, '')" if mark else ""
    every = first if len(some) == 1 else f"[{first}, ...]"
    return {"first": first, "all": every, "numbers": f"X[{first}]{without}"}


def warn_of_width(n_columns: int, most: int | None) -> None:
    """Warn of more 0/1 columns than a search can be expected to finish with."""
    if most is not None and n_columns > most:
        warn(
            f"There are {n_columns:,} 0/1 columns, and this search may take very long with more "
            f"than {most:,}. Give a time_limit, a coarser binarizer (such as the default, 'auto'), "
            "or fewer columns.",
            DataWarning,
        )


def findings(
    source: Table | RawTable,
    variables: Sequence[Variable] | None,
    codes: NDArray[Any] | None,
    n_classes: int,
    numbers: NDArray[np.float64] | None = None,
) -> list[Finding]:
    """Look for suspicious columns of a table, given what they are and the target of its rows."""
    n_rows = source.n_rows
    if n_rows < MIN_ROWS:
        return []
    size = SAMPLE if isinstance(source, RawTable) or source.labels is not None else SMALL_SAMPLE
    places = np.arange(0, n_rows, max(1, n_rows // size))
    has_names = source.labels is not None  # others are made by programs, which may repeat columns
    found: list[Finding] = []
    columns: _Columns
    if isinstance(source, RawTable):
        assert variables is not None
        found += _texts(source, variables, n_rows)
        columns = _RawColumns(source, variables)
        sample = columns.sample(places)
        if has_names:
            found += _row_numbers(columns, sample)
    elif isinstance(source, DenseTable):
        columns = _FlagColumns(source)
        if numbers is not None:
            codes, n_classes = two_codes(numbers, places), 2
        if n_classes != 2:  # a column of two values cannot tell more classes apart
            codes = None
        if codes is None and not has_names:
            return []
        sample = columns.sample(places, None if has_names else codes)
    else:
        return []  # a sparse table: columns are many, and come from a program
    if codes is not None and n_classes > 1:
        telling = _telling_classes(columns, sample, codes, codes[places], n_classes)
    elif numbers is not None and isinstance(columns, _RawColumns):
        telling = _telling_numbers(columns, sample, numbers, numbers[places])
    else:
        telling = iter(())
    what = Suspicion.TARGET if numbers is None else Suspicion.TARGET_NUMBER
    found += [Finding(j, columns.label(j), what) for j in telling]
    if has_names:
        found += _copies(columns, sample)
    return found


def _texts(table: RawTable, variables: Sequence[Variable], n_rows: int) -> Iterator[Finding]:
    for j, variable in enumerate(variables):
        values = variable.categories
        if variable.kind is not Kind.CATEGORY or not isinstance(values[0], str):
            continue
        texts = [*map(str, values)]
        numbers = None if table.is_declared(j) else numbers_in(texts)
        if numbers is not None and numbers.words:
            detail = f" ({listed([*map(shown, numbers.words)], 3)})"
            yield Finding(j, variable.label, Suspicion.WORDS, detail, numbers)
        elif numbers is not None:
            yield Finding(j, variable.label, Suspicion.NUMBERS, numbers=numbers)
        elif are_dates(texts):
            yield Finding(j, variable.label, Suspicion.DATE)
        elif len(texts) > max(20, n_rows / 2):
            yield Finding(j, variable.label, Suspicion.IDENTIFIER)


class _Columns:
    """Columns as numbers that are equal where the values are, and what they are called."""

    def label(self, j: int) -> Any:
        raise NotImplementedError

    def sample(self, places: NDArray[np.intp]) -> dict[int, NDArray[Any]]:
        """Return some rows of every column that more than one value is in."""
        raise NotImplementedError

    def whole(self, j: int) -> NDArray[Any]:
        raise NotImplementedError


@dataclass(frozen=True)
class _FlagColumns(_Columns):
    table: DenseTable

    def label(self, j: int) -> Any:
        return j if self.table.labels is None else self.table.labels[j]

    def sample(
        self, places: NDArray[np.intp], codes: NDArray[Any] | None = None
    ) -> dict[int, NDArray[Any]]:
        """With the codes of two classes, only of those that may be one to one with them."""
        if codes is not None:
            few = places[:: max(1, len(places) // GLANCE)]  # which mostly refute all columns
            if not tell_classes(self._rows(few), codes[few]).any():
                return {}
        rows = self._rows(places)
        wanted = (rows != rows[0]).any(axis=0)
        if codes is not None:
            wanted &= tell_classes(rows, codes[places])
        return {int(j): rows[:, j] for j in np.flatnonzero(wanted)}

    def _rows(self, places: NDArray[np.intp]) -> NDArray[Any]:
        parts = [block[places].reshape(len(places), -1) for block in self.table.blocks]
        return parts[0] if len(parts) == 1 else np.hstack(parts)

    def whole(self, j: int) -> NDArray[Any]:
        return self.table.column(j)


@dataclass(frozen=True)
class _RawColumns(_Columns):
    table: RawTable
    variables: Sequence[Variable]

    def label(self, j: int) -> Any:
        return self.table.label(j)

    def sample(self, places: NDArray[np.intp]) -> dict[int, NDArray[Any]]:
        read: dict[int, NDArray[Any]] = {}
        others: RawTable | None = None  # those rows, for columns that would take long to read whole
        for j, variable in enumerate(self.variables):
            if variable.dropped is not None:
                continue
            if self.table.keeps(j):
                read[j] = self.whole(j)[places]
            else:
                others = others or self.table.rows(places)
                read[j] = self._numbers(j, others.cells(j))
        return {j: values for j, values in read.items() if (values != values[0]).any()}

    def whole(self, j: int) -> NDArray[Any]:
        return self._numbers(j, self.table.cells(j))

    def _numbers(self, j: int, cells: Cells) -> NDArray[Any]:
        values = self.variables[j].values(cells)
        return np.nan_to_num(values, nan=np.inf) if values.dtype.kind == "f" else values


def _telling_classes(
    columns: _Columns,
    sample: dict[int, NDArray[Any]],
    codes: NDArray[Any],
    some: NDArray[Any],
    n_classes: int,
) -> Iterator[int]:
    for j, values in sample.items():
        if len(set(values[:GLANCE].tolist())) > n_classes:
            continue
        if one_to_one(values, some) and one_to_one(columns.whole(j), codes, n_classes):
            yield j


def _telling_numbers(
    columns: _RawColumns,
    sample: dict[int, NDArray[Any]],
    numbers: NDArray[np.float64],
    some: NDArray[np.float64],
) -> Iterator[int]:
    for j, values in sample.items():
        has_order = columns.variables[j].kind is not Kind.CATEGORY
        # Of a sample, names of numbers that there are few of may each be there once.
        may_tell = one_to_one(values, some) or tells_numbers(values, some, has_order=has_order)
        if may_tell and tells_numbers(columns.whole(j), numbers, has_order=has_order):
            yield j


def _copies(columns: _Columns, sample: dict[int, NDArray[Any]]) -> Iterator[Finding]:
    alike: dict[Any, list[int]] = {}
    for j, values in sample.items():
        alike.setdefault(_signature(columns, j, values), []).append(j)
    for group in alike.values():
        first = group[0]
        for j in group[1:]:
            if np.array_equal(columns.whole(first), columns.whole(j)):
                label = shown(columns.label(first))
                yield Finding(j, columns.label(j), Suspicion.COPY, f" (of {label})")


def _signature(columns: _Columns, j: int, values: NDArray[Any]) -> Any:
    """Return what columns that are equal have in common."""
    categories = columns.variables[j].categories if isinstance(columns, _RawColumns) else ()
    return categories, np.asarray(values, dtype=np.float64).tobytes()


def _row_numbers(columns: _RawColumns, sample: dict[int, NDArray[Any]]) -> Iterator[Finding]:
    for j, values in sample.items():
        some = values[:GLANCE].tolist()
        if columns.variables[j].kind is not Kind.NUMBER or len(set(some)) < len(some):
            continue
        if not columns.table.is_integer(j):
            continue
        if len(np.unique(values)) < len(values):
            continue
        whole = columns.whole(j)
        if is_row_number(whole):
            detail = f" (no value twice, {whole.min():.0f} to {whole.max():.0f})"
            yield Finding(j, columns.label(j), Suspicion.ROW_NUMBER, detail)


def is_row_number(values: NDArray[Any]) -> bool:
    """Whether a column of integers has most numbers of a range, none of them twice."""
    low, n = values.min(), len(values)
    if not n - 1 <= values.max() - low < 2 * n:
        return False
    return int(np.bincount((values - low).astype(np.intp)).max()) == 1
