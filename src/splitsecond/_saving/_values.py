"""Labels, categories and numbers to JSON; `_reader` has the way back."""

from __future__ import annotations

import math
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from splitsecond._saving._reader import Json


def value_out(value: Any) -> Json:
    """Return a label, a category or a number as JSON: what JSON has no word for gets a name."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, tuple):
        return {"tuple": [value_out(plain(part)) for part in value]}
    with suppress(TypeError, ValueError, OverflowError):
        return {"fraction": str(Fraction(value))}  # Decimal too
    raise TypeError(
        f"A value of type {type(value).__name__} cannot be saved: {value!r:.60}. Labels, column "
        "names and parameters must be strings, numbers or booleans."
    )


def plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
