"""Checks of parameters, and their messages: what was given and what is expected."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from splitsecond._messages import shown


def check_flag(name: str, value: Any) -> None:
    """Refuse a parameter that is not True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={shown(value)} must be True or False.")


def check_choice(name: str, value: Any, choices: Iterable[str]) -> None:
    """Refuse a parameter that is none of some words."""
    if value not in choices:
        raise ValueError(f"{name}={shown(value)} must be one of {', '.join(map(repr, choices))}.")


def check_number(
    name: str,
    value: Any,
    kind: type,
    meaning: str,
    *,
    least: float | None = None,
    most: float | None = None,
) -> None:
    """Refuse a parameter that is no number of that kind, or outside its range."""
    wrong = isinstance(value, bool) or not isinstance(value, kind)
    if wrong or not (least is None or value >= least) or not (most is None or value <= most):
        what = "an integer" if kind is Integral else "a number"
        at_least = "" if least is None else f" of at least {least}"
        at_most = "" if most is None else f" and at most {most}"
        raise ValueError(f"{name}={shown(value)} must be {what}{at_least}{at_most}: {meaning}.")


def check_random(random_state: Any) -> np.random.RandomState:
    """Return the generator that a parameter stands for, as scikit-learn understands it."""
    try:
        made: np.random.RandomState = check_random_state(random_state)
    except ValueError:
        raise ValueError(
            f"random_state={shown(random_state)} cannot be used to seed: give an integer, a "
            "RandomState or None."
        ) from None
    return made


def check_amount(name: str, value: Any, meaning: str) -> None:
    """Refuse a parameter that is no number of at least 0, which may be of any exact kind."""
    number = isinstance(value, (Real, Decimal)) and not isinstance(value, bool)
    if isinstance(value, np.floating):
        value = float(value)  # short floats have no 1e300 to compare with
    if not number or not 0 <= value <= 1e300:
        raise ValueError(f"{name}={value!r:.40} must be a number of at least 0: {meaning}.")
