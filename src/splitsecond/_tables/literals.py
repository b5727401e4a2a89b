"""Literals: the yes/no questions that 0/1 columns ask of the user's columns."""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from splitsecond._support.names import public
from splitsecond._tables.columns import Kind, Variable

OPERATORS = ("is 1", "<=", "==", "is missing")
COMPARISONS = ("<=", "==")  # those that have a value


@public
class Literal(NamedTuple):
    """A question about one source variable: a row answers yes or no.

    A missing value answers no to every question but "is missing"; so does a category that was not
    there in training. ``str(literal)`` is the question in words.

    Attributes
    ----------
    column : int
        Of the source variable in the user's table.
    name : str
        Of that variable.
    operator : str
        "is 1", "<=", "==" or "is missing".
    value : number, str or None
        What "<=" and "==" compare with.
    """

    column: int
    name: str
    operator: str  # one of OPERATORS
    value: Any = None

    def __str__(self) -> str:
        if self.operator == "is 1":
            return self.name
        if self.operator == "is missing":
            return f"{self.name} is missing"
        return f"{self.name} {self.operator} {value_text(self.value)}"

    def negation(self, with_missing: bool = False) -> str:
        """Return the answer no in words; ``with_missing``: whether missing values give it, too."""
        if self.operator == "is missing":
            return f"{self.name} is not missing"
        if self.operator == "is 1":
            text = f"not {self.name}"
        else:
            opposite = {"<=": ">", "==": "!="}[self.operator]
            text = f"{self.name} {opposite} {value_text(self.value)}"
        return f"{text} or missing" if with_missing else text

    def answers(self, variable: Variable, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Answer for each of the values that `Variable.values` read."""
        yes: NDArray[np.bool_]
        if variable.kind in (Kind.BINARY, Kind.NUMBER):
            if self.operator == "is missing":
                yes = np.isnan(values)
            elif self.operator == "is 1":
                yes = values == 1
            elif self.operator == "==":
                yes = values == self.value
            else:
                yes = values <= self.value  # false for NaN
            return yes
        if self.operator == "is missing":
            yes = values == -1
        else:
            place = variable.place(self.value)  # below 0 if there is no such category
            equal = self.operator == "=="
            yes = (values >= 0) & (values == place if equal else values <= place)
        return yes


def value_text(value: Any) -> str:
    """Write a threshold or a category as rules show it."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return str(value)


def threshold_between(low: float, high: float) -> float:
    """Return a threshold ``t`` with ``low <= t < high`` that reads well.

    It is the decimal of fewest digits in the middle half of the gap, the nearest to the middle.
    """
    middle = low / 2 + high / 2
    margin = high / 4 - low / 4
    for digits in range(1, 17):
        short = float(f"{middle:.{digits}g}")
        if abs(short - middle) <= margin and low <= short < high:
            return short + 0.0  # never -0.0
    if low <= middle < high and math.isfinite(middle):
        return middle
    return low
