"""What the first pass finds out about columns: facts of partitions, which combine in any order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from splitsecond._support.messages import shown
from splitsecond._tables.cells import Cells
from splitsecond._tables.columns import Kind, Variable, in_order
from splitsecond._tables.errors import TableError

MAX_CATEGORIES = 1_000_000  # of a column: more are names of rows, and fill the memory


@dataclass
class ColumnFacts:
    """What is known of a column: all that decides what it is (`Variable.of`)."""

    label: Any
    has_missing: bool = False
    lowest: float = math.inf  # of numbers
    highest: float = -math.inf
    is_binary: bool = True  # as far as numbers have been seen
    keys: set[Any] = field(default_factory=set)  # categories
    order: tuple[Any, ...] | None = None  # of ordered ones: all that are declared
    is_category: bool = False

    def add_numbers(
        self, lowest: float, highest: float, has_missing: bool, is_binary: bool
    ) -> None:
        """Take a part of the column that holds numbers into account."""
        self.has_missing |= has_missing
        self.lowest, self.highest = min(self.lowest, lowest), max(self.highest, highest)
        self.is_binary &= is_binary

    def add_categories(self, cells: Cells) -> None:
        """Take a part of the column that holds categories into account."""
        assert cells.codes is not None
        self.is_category = True
        self.has_missing |= bool((cells.codes < 0).any())
        self._add_keys(set(cells.keys), None if cells.order is None else tuple(cells.order))

    def combine(self, other: Self) -> None:
        """Take what is known of other rows into account."""
        self.has_missing |= other.has_missing
        self.lowest = min(self.lowest, other.lowest)
        self.highest = max(self.highest, other.highest)
        self.is_binary &= other.is_binary
        self.is_category |= other.is_category
        self._add_keys(other.keys, other.order)

    def variable(self, name: str, *, keep_constant: bool) -> Variable:
        """Decide what the column is."""
        if self.is_category:
            if self.lowest <= self.highest:
                raise TableError(
                    f"Column {shown(self.label)} has numbers in some rows and categories in "
                    "others: convert it to one of them.",
                    column=self.label,
                )
            kind = Kind.CATEGORY if self.order is None else Kind.ORDERED
            categories = in_order(self.keys) if self.order is None else self.order
            n_distinct = len(self.keys)
        else:
            categories = ()
            n_distinct = 0 if self.lowest > self.highest else 1 + (self.lowest < self.highest)
            kind = Kind.BINARY if n_distinct and self.is_binary else Kind.NUMBER
        return Variable.decided(
            self.label,
            name,
            kind,
            categories,
            n_distinct=n_distinct,
            has_missing=self.has_missing,
            keep_constant=keep_constant,
        )

    def _add_keys(self, keys: set[Any], order: Sequence[Any] | None) -> None:
        self.keys |= keys
        if len(self.keys) > MAX_CATEGORIES:
            raise TableError(
                f"Column {shown(self.label)} has more than {MAX_CATEGORIES:,} different "
                f"categories, such as {shown(next(iter(keys)))}: leave it out, with "
                f"ignore=[{shown(self.label)}].",
                column=self.label,
            )
        if order is not None:
            self.order = _common_order(self.label, self.order, tuple(order))


def _common_order(
    label: Any, one: tuple[Any, ...] | None, other: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Return the order that two parts of a column have: one may declare fewer categories."""
    if one is None or one == other:
        return other
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    place = {key: i for i, key in enumerate(longer)}
    places = [place.get(key, -1) for key in shorter]
    if -1 in places or places != sorted(places):
        raise TableError(
            f"Column {shown(label)} has ordered categories in different orders: "
            f"{shown(list(one))} and {shown(list(other))}.",
            column=label,
        )
    return longer


@dataclass
class Distinct:
    """The different labels of a column, or that there are too many of them to be kept."""

    most: int
    values: set[Any] = field(default_factory=set)
    too_many: bool = False

    def add(self, values: set[Any]) -> None:
        """Take some into account."""
        if not self.too_many:
            self.values |= values
            self.too_many = len(self.values) > self.most
            if self.too_many:
                self.values = set()

    def combine(self, other: Self) -> None:
        """Take those of other rows into account."""
        self.too_many |= other.too_many
        self.add(set() if self.too_many else other.values)
        if self.too_many:
            self.values = set()
