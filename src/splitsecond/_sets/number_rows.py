"""Numbers of rows that a set is evaluated on, in the whole numbers that the core adds up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from splitsecond._solving.number_losses import OfNumbers, Poisson
from splitsecond._tables.numbers import read_numbers

SUM_BITS = 52  # of the sum over all rows, so that floats hold it
ROW_BITS = 40  # of a row: what is rounded is far less than what floats lose in a sum
MAX_APART = 1e100  # in the loss's numbers: squares of larger ones are not to be added up


@dataclass(frozen=True)
class NumberRows:
    """Numbers above the least of them, in the units of the loss.

    What rows lose in a leaf that says v is made of four sums over them: of their weights and of
    weight times number, both of all rows, and of the rows below v.
    """

    above: NDArray[np.float64]  # the numbers
    least: float  # what they are above, in the loss's numbers
    sums: NDArray[np.int64]  # weight times number, in steps
    step: float
    distinct: NDArray[np.float64]  # numbers, in order
    order: NDArray[np.int32]  # the place of each row's number among these
    kinds: NDArray[np.int32]  # 1 for rows of events, in a Poisson loss; otherwise 0
    n_kinds: int

    @classmethod
    def read(cls, loss: OfNumbers, y: Any, n_rows: int, weights: NDArray[np.int64] | None) -> Self:
        """Read what users give for rows whose weights are whole numbers."""
        given = read_numbers(y, n_rows, loss=loss.name)
        numbers = given.values + (float(given.offset) - loss.offset)
        with np.errstate(over="ignore"):
            own = loss.sums(numbers, None)[1]
        if not (np.abs(own) < MAX_APART).all():
            raise ValueError(
                "y holds numbers that are so far from those of the training rows that their "
                "losses cannot be added up: evaluate on rows of the same target."
            )
        is_poisson = isinstance(loss, Poisson)
        least = 0.0 if is_poisson else float(own.min())
        above = own - least
        terms = above if weights is None else above * weights
        step = _step(terms)
        distinct, order = np.unique(above, return_inverse=True)
        kinds = above > 0 if is_poisson else np.zeros(n_rows, dtype=bool)
        return cls(
            above=above,
            least=least,
            sums=np.rint(terms / step).astype(np.int64),
            step=step,
            distinct=distinct,
            order=order.reshape(-1).astype(np.int32),
            kinds=kinds.astype(np.int32),
            n_kinds=2 if is_poisson else 1,
        )

    def ranks(self, means: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return how many of the distinct numbers are below what leaves say."""
        places = np.searchsorted(self.distinct, means - self.least, side="left")
        return places.astype(np.int32)


def _step(terms: NDArray[np.float64]) -> float:
    """Return a power of two: terms of few digits are whole multiples of it."""
    least = max(float(terms.max()) * 2.0**-ROW_BITS, float(terms.sum()) * 2.0**-SUM_BITS)
    return 2.0 ** math.ceil(math.log2(least)) if least > 0 else 1.0
