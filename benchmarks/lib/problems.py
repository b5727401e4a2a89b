"""The problems that several commands ask of every package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lib.data import Source

# Single trees.
TREE_SETS = ("compas_split", "bike_praxis", "covertype", "heloc", "adult")
# Rashomon sets.
RASHOMON_SETS = (
    "compas_split",
    "bike_praxis",
    "netherlands_split_aggressive",
    "heloc_resplit",
    "spambase_resplit",
)
RASHOMON_REGULARIZATIONS = (0.02, 0.01)
EPSILON = 0.01
EXACT_SET = "splitsecond TreeFARMS"  # the method that the others are compared with


@dataclass(frozen=True)
class Comparison:
    """One problem, and the methods that take turns on it; ours, the reference, comes first."""

    source: Source
    depth: int
    regularization: float
    methods: Sequence[str] = ()

    def __str__(self) -> str:
        return f"{self.source}, depth {self.depth}, lambda {self.regularization}"


def rashomon_sets(
    data_sets: Sequence[str], depth: int, methods: Sequence[str] = ()
) -> Iterator[Comparison]:
    """Yield the Rashomon sets that every package is asked for."""
    for data_set in data_sets:
        if data_set == "bike_praxis" and depth > 4:
            yield Comparison(data_set, 4, RASHOMON_REGULARIZATIONS[0], methods)
        for regularization in RASHOMON_REGULARIZATIONS:
            yield Comparison(data_set, depth, regularization, methods)
