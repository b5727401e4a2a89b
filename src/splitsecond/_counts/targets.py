"""The target of a count table: what the first pass finds out about it, and what it is then."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from splitsecond._counts.batches import places_of
from splitsecond._counts.changes import changed
from splitsecond._counts.facts import Distinct
from splitsecond._counts.sample import common_type
from splitsecond._support.checks import is_quantity
from splitsecond._support.column_types import is_numeric
from splitsecond._support.messages import shown
from splitsecond._tables.class_checks import refuse_quantity
from splitsecond._tables.errors import TableError
from splitsecond._tables.labels import encode_labels

MAX_LABELS = 1_000_000
MAX_NUMBERS = 20_000_000
TASKS = ("auto", "classification", "regression")


@dataclass
class TargetFacts:
    """The different labels or numbers that occur."""

    name: str
    kind: pa.DataType | None = None
    labels: Distinct = field(default_factory=lambda: Distinct(MAX_LABELS))
    numbers: NDArray[Any] | None = None  # of a numeric column, ascending

    def add(self, column: pa.Array) -> None:
        """Take a part of the column into account."""
        self.kind = column.type
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
            self.kind = column.type
        self._refuse_missing(column)
        if _is_quantity(column.type):
            self._add_numbers(np.unique(column.to_numpy(zero_copy_only=False)))
        else:
            self.labels.add(set(column.unique().to_pylist()))

    def combine(self, other: Self) -> None:
        """Take other rows into account."""
        if self.kind is None or other.kind is None:
            self.kind = self.kind or other.kind
        else:
            self.kind = common_type(self.name, self.kind, other.kind)
        self.labels.combine(other.labels)
        if other.numbers is not None:
            self._add_numbers(other.numbers)

    def is_of_numbers(self, task: str, n_rows: int) -> bool:
        """Whether the target is numbers: as asked for, or as it looks."""
        if task == "regression" and self.numbers is None:
            raise ValueError(
                f"The target {shown(self.name)} holds {self.kind}: a regression needs numbers."
            )
        if task != "auto" or self.numbers is None:
            return task == "regression"
        is_whole = _are_whole(self.numbers)
        return not is_whole or is_quantity(len(self.numbers), n_rows)

    def classes(self, n_rows: int) -> NDArray[Any]:
        """Return the class labels as a table in memory would have them."""
        if self.labels.too_many:
            raise ValueError(
                f"The target {shown(self.name)} has more than {MAX_LABELS:,} different labels: "
                "it cannot be predicted."
            )
        if self.numbers is not None and _are_whole(self.numbers):
            refuse_quantity(self.numbers, n_rows)
            return self.numbers
        values = self.labels.values if self.numbers is None else self.numbers
        column = pa.chunked_array([pa.array(list(values), type=self.kind)])
        return encode_labels(column, len(values))[0]

    def _add_numbers(self, numbers: NDArray[Any]) -> None:
        if self.numbers is not None:
            numbers = np.unique(np.concatenate([self.numbers, numbers]))
        if len(numbers) > MAX_NUMBERS:
            raise ValueError(
                f"The target {shown(self.name)} has more than {MAX_NUMBERS:,} different numbers: "
                "round it first, to a step that does not matter."
            )
        self.numbers = numbers

    def _refuse_missing(self, column: pa.Array) -> None:
        missing, infinite = column.null_count, 0
        if pa.types.is_floating(column.type):
            missing = pc.sum(pc.is_null(column, nan_is_null=True)).as_py() or 0
            infinite = pc.sum(pc.is_inf(column)).as_py() or 0
        if missing or infinite:
            what = "missing" if missing else "infinite"
            raise TableError(
                f"The target {shown(self.name)} has {what} values ({missing or infinite:,} in one "
                "part of the table): leave those rows out.",
                column=self.name,
            )


@dataclass(frozen=True)
class Codes:
    """Numbers of labels, for the second pass."""

    labels: NDArray[Any]

    def of(self, column: pa.Array) -> NDArray[np.int64]:
        """Return the number of each row's label."""
        if _is_quantity(column.type):
            values = column.to_numpy(zero_copy_only=False)
            codes: NDArray[np.int64] = np.minimum(
                np.searchsorted(self.labels, values), len(self.labels) - 1
            )
            found = codes if (self.labels[codes] == values).all() else None
        else:
            found = places_of(column, self.labels.tolist())
        if found is None:
            raise changed("a label is new")
        return found


def _is_quantity(kind: pa.DataType) -> bool:
    """Whether values of a type are numbers that numpy holds as they are."""
    return is_numeric(kind) and not pa.types.is_boolean(kind) and not pa.types.is_decimal(kind)


def _are_whole(numbers: NDArray[Any]) -> bool:
    return numbers.dtype.kind != "f" or bool((numbers == np.rint(numbers)).all())
