"""Trees of numbers on the page of a set: what nodes say, their rows, and held-out rows there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._sets.page_trees import RowsByPath, column_of, preorder
from splitsecond._solving.number_losses import OfNumbers, power_of_two
from splitsecond._tables.binary import Table
from splitsecond._tables.numbers import read_numbers
from splitsecond._trees.number_texts import DIGITS, exponent, rounded
from splitsecond._trees.tree import Tree


class HeldOutNumbers(RowsByPath):
    """Rows, how many there are at a node, and the mean of their numbers where these are known."""

    def __init__(self, table: Table, y: Any, loss: OfNumbers) -> None:
        super().__init__(table)
        self._numbers: NDArray[np.float64] | None = None
        if y is not None:
            read = read_numbers(y, table.n_rows, loss=loss.name)
            self._numbers = read.values + read.offset

    def _of(self, here: NDArray[np.bool_]) -> tuple[Any, ...]:
        n_rows = int(np.count_nonzero(here))
        if self._numbers is None or n_rows == 0:
            return n_rows, None
        numbers = self._numbers[here]
        unit = power_of_two(float(np.abs(numbers).max()))  # in which their sum does not overflow
        return n_rows, _shortened(unit * float(np.mean(numbers / unit)))


def number_labels(trees: Sequence[Tree]) -> list[float]:
    """Return the numbers that nodes of some trees say, in order."""
    return sorted({value for tree in trees for value in tree.labels.tolist()})


def number_text(value: float) -> str:
    """Write a mean with four digits, or all before the point."""
    return rounded(value, min(exponent(value) - (DIGITS - 1), 0))


def number_trees_data(
    trees: Sequence[Tree],
    numbers: dict[int, int],
    held_out: RowsByPath | None,
    labels: list[float],
) -> dict[str, Any]:
    """Return trees as `trees_data` does; rows, weights and held-out rows are one number each."""
    questions: list[int] = []
    places: list[int] = []
    facts: dict[tuple[Any, ...], int] = {}
    number_of = {label: place for place, label in enumerate(labels)}
    weighted = any(tree.is_weighted for tree in trees)
    for tree in trees:
        asked, said, rows = tree.feature.tolist(), tree.labels.tolist(), tree.n_rows.tolist()
        weights = tree.counts[:, 0].tolist()
        held = None if held_out is None else held_out.counts(tree)
        for node in preorder(tree):
            questions.append(numbers[asked[node]] if asked[node] >= 0 else -1)
            fact = (
                number_of[said[node]],
                (rows[node],),
                (_shortened(weights[node]),) if weighted else None,
                None if held is None else held[node][:1],
                None if held is None else held[node][1:],
            )
            places.append(facts.setdefault(fact, len(facts)))
    return {
        "questions": questions,
        "facts": places,
        "says": [fact[0] for fact in facts],
        "rows": column_of(facts, 1),
        "weights": column_of(facts, 2),
        "held_out": column_of(facts, 3),
        "held_out_means": column_of(facts, 4),
    }


def _shortened(number: float) -> int | float:
    return int(number) if number == int(number) and abs(number) < 2**53 else float(f"{number:.6g}")
