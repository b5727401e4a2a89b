"""Exact arithmetic for the objective: loss / whole + lambda * leaves.

Losses are whole numbers of a unit; the whole is as many of them as add 1 to the objective (the
weight of all rows for misclassified weight).
"""

from __future__ import annotations

import operator
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Integral, Rational, Real


def as_fraction(value: float | Real | Decimal) -> Fraction:
    """Return the number the caller meant, exactly.

    A float stands for the shortest decimal that prints as it, so that ``0.01`` is one hundredth:
    with 100 rows a leaf then costs exactly one error, and a split that saves one is a tie.
    """
    if type(value) is float:
        return _of_decimal(repr(value))
    if isinstance(value, Integral):
        return Fraction(operator.index(value))  # numpy's own would overflow in what follows
    if isinstance(value, Rational):
        return Fraction(operator.index(value.numerator), operator.index(value.denominator))
    if isinstance(value, Decimal):
        return Fraction(value)
    # A numpy float prints its own shortest decimal; repr would add its type.
    return _of_decimal(str(value))


@lru_cache(maxsize=256)  # parameters are read several times a fit, and reading takes microseconds
def _of_decimal(text: str) -> Fraction:
    return Fraction(text)


def leaf_price(
    regularization: Fraction, whole: Fraction | int, max_leaves: int, *, max_loss: int
) -> tuple[int, int]:
    """Return integers ``(loss, leaf)`` that order all trees as the exact objective does.

    Two trees compare by the sign of ``de + m * dl`` with ``m = regularization * whole``, integers
    ``de`` and ``dl``, and ``|dl| <= max_leaves``. That sign changes only where ``m`` crosses a
    fraction of denominator at most ``max_leaves``. So ``m`` may be replaced by any number between
    the same two neighbours among these fractions: by itself if it is one, otherwise by their
    mediant, whose numerator and denominator are small. Sums of such costs are exact in 64 bits.
    """
    # From more than any tree can lose on, no split can ever pay: the rest of the range is alike.
    m = min(regularization * whole, Fraction(max_loss + 1))
    n, d = m.numerator, m.denominator
    if d > max_leaves:
        low_n, low_d = n // d, 1
        high_n, high_d = low_n + 1, 1
        while low_d + high_d <= max_leaves:  # Stern-Brocot, several steps of one side at a time
            above_low = n * low_d - low_n * d  # how far m is from each end, in units that compare
            below_high = high_n * d - n * high_d
            if above_low > below_high:  # the mediant is below m
                steps = min(above_low // below_high, (max_leaves - low_d) // high_d)
                low_n, low_d = low_n + steps * high_n, low_d + steps * high_d
            else:
                steps = min(below_high // above_low, (max_leaves - high_d) // low_d)
                high_n, high_d = high_n + steps * low_n, high_d + steps * low_d
        n, d = low_n + high_n, low_d + high_d
    return d, n


def within_bound(
    objective: Fraction,
    regularization: Fraction,
    whole: Fraction | int,
    max_leaves: int,
    *,
    max_loss: int,
) -> tuple[int, int, int]:
    """Return the prices of `leaf_price`, and the highest cost of a tree within an objective.

    Trees are ordered by cost as by objective, so that one number tells those within a bound. No
    tree loses more than `max_loss`; to allow for it could let in one with another leaf.
    """
    error, leaf = leaf_price(regularization, whole, max_leaves, max_loss=max_loss)
    # Losses are (objective - regularization * leaves) * whole, in whole numbers.
    unit = objective.denominator * regularization.denominator * whole.denominator
    left = objective.numerator * regularization.denominator * whole.numerator
    price = regularization.numerator * objective.denominator * whole.numerator
    if price == 0:  # more leaves change nothing
        return error, leaf, -1 if left < 0 else error * min(max_loss, left // unit) + leaf
    max_leaves = min(max_leaves, left // price)
    # Up to so many leaves all losses that there can be are within the bound.
    free = min(max_leaves, (left - unit * max_loss) // price)
    highest = -1 if free < 1 else error * max_loss + leaf * free
    first = max(1, free + 1)
    if first <= max_leaves:
        steps = max_leaves - first + 1
        rest = highest_of(steps, leaf, error, -price, left - price * first, m=unit)
        highest = max(highest, leaf * first + rest)
    return error, leaf, highest


def highest_of(n: int, a: int, b: int, c: int, d: int, *, m: int) -> int:
    """Return the maximum of ``a * x + b * ((c * x + d) // m)`` over ``0 <= x < n``.

    As in Euclid's algorithm, `c` and `m` change places with remainders: there may be millions of
    `x`. Of those with the same quotient, only the first or the last can be best; the quotients are
    the `x` of the next step.
    """
    quotient, c = divmod(c, m)
    a += b * quotient
    quotient, d = divmod(d, m)
    offset = b * quotient
    last = (c * (n - 1) + d) // m
    highest = offset + max(0, a * (n - 1) + b * last)
    if last > 0 and a < 0 < b:  # the first
        highest = max(highest, offset + b + highest_of(last, b, a, m, m - d + c - 1, m=c))
    elif last > 0 and b < 0 < a:  # the last
        highest = max(highest, offset + highest_of(last, b, a, m, m - d - 1, m=c))
    return highest
