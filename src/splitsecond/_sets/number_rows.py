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
FAR = 64  # typical distances from the median: rows below are counted apart
MAX_APART = 1e100  # in the loss's numbers: squares of larger ones are not to be added up


@dataclass(frozen=True)
class NumberRows:
    """Numbers about an origin, in the units of the loss.

    What rows lose in a leaf that says v is made of four sums over them: of their weights and of
    weight times number, both of all rows, and of the rows below v. Sums are at least 0: so rows
    above the origin and below it are of two kinds, and count by their distance from it.

    The origin is the least number, unless that is far from all others: what these lose would then
    be the small difference of large sums. For a Poisson loss it is 0, and rows without events are
    of a kind of their own.
    """

    apart: NDArray[np.float64]  # the numbers, less the origin
    origin: float  # in the loss's numbers
    sums: NDArray[np.int64]  # weight times distance from the origin, in steps
    step: float
    distinct: NDArray[np.float64]  # numbers, in order
    order: NDArray[np.int32]  # the place of each row's number among these
    kinds: NDArray[np.int32]
    signs: NDArray[np.float64]  # on which side of the origin each kind of rows is

    @classmethod
    def read(cls, loss: OfNumbers, y: Any, n_rows: int, weights: NDArray[np.int64] | None) -> Self:
        """Read what users give for rows whose weights are whole numbers."""
        given = read_numbers(y, n_rows, loss=loss.name)
        numbers = given.values + float(given.offset - loss.offset)
        with np.errstate(over="ignore"):
            own = loss.sums(numbers, None)[1]
        if not (np.abs(own) < MAX_APART).all():
            raise ValueError(
                "y holds numbers that are so far from those of the training rows that their "
                "losses cannot be added up: evaluate on rows of the same target."
            )
        if isinstance(loss, Poisson):
            origin, kinds, signs = 0.0, own > 0, [1.0, 1.0]
        else:
            origin = _origin(own)
            kinds = own < origin
            signs = [1.0, -1.0] if kinds.any() else [1.0]
        apart = own - origin
        terms: NDArray[np.float64] = np.abs(apart)
        if weights is not None:
            terms = terms * weights
        step = _step(terms)
        distinct, order = np.unique(own, return_inverse=True)
        return cls(
            apart=apart,
            origin=origin,
            sums=np.rint(terms / step).astype(np.int64),
            step=step,
            distinct=distinct,
            order=order.reshape(-1).astype(np.int32),
            kinds=kinds.astype(np.int32),
            signs=np.array(signs),
        )

    def ranks(self, means: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return how many of the distinct numbers are below what leaves say."""
        return np.searchsorted(self.distinct, means, side="left").astype(np.int32)


def _origin(numbers: NDArray[np.float64]) -> float:
    """Return the least number that is not far below all others."""
    middle = float(np.median(numbers))
    typical = float(np.median(np.abs(numbers - middle)))
    near: float = numbers[numbers >= middle - FAR * typical].min()
    return float(near)


def _step(terms: NDArray[np.float64]) -> float:
    """Return a power of two: terms of few digits are whole multiples of it."""
    least = float(terms.sum()) * 2.0**-SUM_BITS
    return 2.0 ** math.ceil(math.log2(least)) if least > 0 else 1.0
