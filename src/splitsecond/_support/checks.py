"""Checks of parameters, and their messages: what was given and what is expected.

A number may come in any type: Python's, numpy's, a Decimal or a Fraction. The checks return it in
the type that calculations need, so that numpy's integers, which overflow, go no further.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._solving.exact import as_fraction
from splitsecond._support.messages import shown

LARGEST = 10**300  # of an amount: products of two stay within a float's range
MAX_CLASSES = 100  # that numbers may stand for
ROWS_OF_A_CLASS = 50  # on average; with fewer, so many numbers are a quantity
FAR = 5000  # digits; a Decimal farther from 1 than that would fill the memory as a fraction


def check_flag(name: str, value: Any) -> None:
    """Refuse a parameter that is not True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={shown(value)} must be True or False.")


def check_verbose(value: Any) -> int:
    """Return `verbose` as an integer; True and False will do. A function prints for itself: 0."""
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if callable(value):
        return 0
    if type(value) is int and value >= 0:
        return min(value, 100)
    meaning = "0 to be quiet, 1 to report progress, or a function to be told of it"
    level: float = check_number("verbose", value, Real, meaning, minimum=0)
    return math.ceil(min(level, 100))  # joblib knows no more


def is_quantity(n_distinct: int, n_rows: int) -> bool:
    """Whether numbers are too many, with too few rows each, to be classes."""
    return n_distinct > MAX_CLASSES and n_rows < ROWS_OF_A_CLASS * n_distinct


def check_choice(name: str, value: Any, choices: Iterable[str]) -> None:
    """Refuse a parameter that is none of some words."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={shown(value)} must be one of {', '.join(map(repr, choices))}.")


def number_of(value: Any) -> Fraction | float | None:
    """Return a number of any type: a fraction, an infinite float or NaN; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
        return None
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > FAR and value:
        return math.copysign(math.inf, value) if value.adjusted() > 0 else None
    try:
        return as_fraction(value)
    except (ValueError, OverflowError):  # not finite
        return float(str(value).replace("sNaN", "NaN"))


def as_float(number: Fraction | float) -> float:
    """Return a float, infinite where the number is too large for one."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def check_number(
    name: str,
    value: Any,
    kind: type,
    meaning: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
) -> Any:
    """Return an integer or a float; refuse what is no such number, or outside its range."""
    if type(value) is int and kind is Integral:  # nearly always: fits take less than a millisecond
        number: Any = value
    else:
        number = number_of(value)
    wrong = number is None or (kind is Integral and not isinstance(value, Integral))
    if wrong or not _is_within(number, minimum, maximum):
        what = "an integer" if kind is Integral else "a number"
        at_least = "" if minimum is None else f" of at least {minimum}"
        at_most = "" if maximum is None else f" and at most {maximum}"
        raise ValueError(f"{name}={shown(value)} must be {what}{at_least}{at_most}: {meaning}.")
    return operator.index(value) if kind is Integral else as_float(number)


def check_random(random_state: Any) -> np.random.RandomState:
    """Return the generator that a parameter stands for, as scikit-learn understands it."""
    from sklearn.utils import check_random_state

    try:
        made: np.random.RandomState = check_random_state(random_state)
    except ValueError:
        raise ValueError(
            f"random_state={shown(random_state)} cannot be used to seed: give an integer, a "
            "RandomState or None."
        ) from None
    return made


def _is_within(number: Any, minimum: float | None, maximum: float | None) -> bool:
    if type(number) is type(minimum) is int and maximum is None:
        return bool(number >= minimum)
    # A bound stands for its decimal: as a float, 0.01 is a little more than one hundredth.
    return (minimum is None or number >= as_fraction(minimum)) and (
        maximum is None or number <= as_fraction(maximum)
    )


def check_amount(name: str, value: Any, meaning: str) -> Fraction:
    """Return a number of at least 0, exactly."""
    number = number_of(value)
    if not isinstance(number, Fraction) or not 0 <= number <= LARGEST:
        raise ValueError(f"{name}={shown(value)} must be a number of at least 0: {meaning}.")
    return number


def check_limit(name: str, value: Any, unit: str) -> float | None:
    """Return a limit as a float, which may be infinite; None: there is none."""
    if value is None:
        return None
    number = number_of(value)
    if number is None or not number > 0:
        raise ValueError(f"{name}={shown(value)} must be a positive number of {unit} or None.")
    return as_float(number)


def floats(name: str, values: Any) -> NDArray[np.float64]:
    """Return numbers of any type and shape as an array of floats."""
    try:
        array: NDArray[Any] = np.asarray(values)
        if array.dtype.kind == "O":
            numbers = [number_of(value) for value in array.ravel().tolist()]
            if None in numbers:
                raise TypeError
            array = np.array([as_float(n) for n in numbers if n is not None]).reshape(array.shape)
        if array.dtype.kind not in "iuf":
            raise TypeError
    except (TypeError, ValueError):
        raise ValueError(f"{name}={shown(values)} must be a number, or numbers.") from None
    return array.astype(np.float64)
