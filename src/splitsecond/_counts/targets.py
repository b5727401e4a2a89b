"""The target of a count table: what the first pass finds out about it, and what it is then."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from splitsecond._counts.batches import is_numeric
from splitsecond._counts.facts import Distinct
from splitsecond._support.checks import is_quantity
from splitsecond._support.messages import shown
from splitsecond._tables.class_checks import refuse_quantity
from splitsecond._tables.errors import TableError
from splitsecond._tables.labels import encode_labels

MAX_LABELS = 1_000_000
TASKS = ("auto", "classification", "regression")


@dataclass
class TargetFacts:
    """The different labels that occur."""

    name: str
    kind: pa.DataType | None = None
    labels: Distinct = field(default_factory=lambda: Distinct(MAX_LABELS))

    def add(self, column: pa.Array) -> None:
        """Take a part of the column into account."""
        missing = column.null_count
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if pa.types.is_floating(column.type):
            missing = pc.sum(pc.is_null(column, nan_is_null=True)).as_py() or 0
        if missing:
            raise TableError(
                f"The target {shown(self.name)} has missing values ({missing:,} in one part of "
                "the table): leave those rows out.",
                column=self.name,
            )
        self.kind = column.type
        if not self.labels.too_many:
            self.labels.add(set(column.unique().to_pylist()))

    def combine(self, other: Self) -> None:
        """Take other rows into account."""
        self.kind = self.kind if other.kind is None else other.kind
        self.labels.combine(other.labels)

    def is_of_numbers(self, task: str, n_rows: int) -> bool:
        """Whether the target is numbers: as asked for, or as it looks."""
        kind = self.kind
        assert kind is not None
        if task != "auto":
            return task == "regression"
        if not is_numeric(kind) or pa.types.is_boolean(kind):
            return False
        if self.labels.too_many:
            return True
        is_whole = all(float(value).is_integer() for value in self.labels.values)
        return not is_whole or is_quantity(len(self.labels.values), n_rows)

    def classes(self, n_rows: int) -> NDArray[Any]:
        """Return the class labels as a table in memory would have them."""
        if self.labels.too_many:
            raise ValueError(
                f"The target {shown(self.name)} has more than {MAX_LABELS:,} different labels: "
                "it cannot be predicted."
            )
        values = pa.array(list(self.labels.values), type=self.kind)
        labels = values.to_numpy(zero_copy_only=False)
        if labels.dtype.kind in "biuf" and (labels.dtype.kind != "f" or _are_whole(labels)):
            classes = np.unique(labels)
            refuse_quantity(classes, n_rows)
            return classes
        return encode_labels(pa.chunked_array([values]), len(values))[0]


@dataclass(frozen=True)
class ClassCodes:
    """Numbers of classes, for the second pass."""

    place: dict[Any, int]

    @classmethod
    def of(cls, classes: NDArray[Any]) -> Self:
        """Return their numbers, in their order."""
        return cls({label: code for code, label in enumerate(classes.tolist())})

    def codes(self, column: pa.Array) -> NDArray[np.int64]:
        """Return the number of each row's class."""
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        places = [self.place.get(label, -1) for label in encoded.dictionary.to_pylist()]
        codes = np.array(places, dtype=np.int64)[encoded.indices.to_numpy(zero_copy_only=False)]
        if len(codes) and codes.min() < 0:
            raise ValueError("The table has changed while it was read: a label is new.")
        return codes


def _are_whole(labels: NDArray[Any]) -> bool:
    return bool((labels == np.rint(labels)).all())
