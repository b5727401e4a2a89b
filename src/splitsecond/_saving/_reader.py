"""JSON that may come from anywhere, checked as it is read."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any, TypeAlias

from numpy.typing import NDArray

Json: TypeAlias = Any


def parse(text: str) -> Json:
    """Read JSON, and nothing but JSON."""
    return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_repetition)


class DamagedError(Exception):
    """What is in a file is not what should be there."""


class Reader:
    """A JSON object whose parts are checked when they are taken."""

    def __init__(self, content: Json, where: str = "the file") -> None:
        if not isinstance(content, dict):
            raise DamagedError(f"{where} should be an object, is {content!r:.40}")
        self._content = content
        self._where = where

    def take(self, key: str, is_right: Callable[[Any], bool], what: str) -> Any:
        """Return a part if it is what it should be."""
        if key not in self._content:
            raise DamagedError(f"{self._where} has no {key!r}")
        value = self._content[key]
        if not is_right(value):
            raise DamagedError(f"{key!r} of {self._where} should be {what}, is {value!r:.40}")
        return value

    def part(self, key: str) -> Reader:
        return Reader(self.take(key, lambda v: isinstance(v, dict), "an object"), repr(key))

    def has(self, key: str) -> bool:
        """Whether a part is there and not null."""
        return self._content.get(key) is not None

    def items(self, key: str) -> list[Any]:
        items: list[Any] = self.take(key, lambda v: isinstance(v, list), "a list")
        return items

    def parts(self, key: str) -> list[Reader]:
        return [Reader(item, f"an entry of {key!r}") for item in self.items(key)]

    def values(self, key: str) -> list[Any]:
        return [value_in(item) for item in self.items(key)]

    def text(self, key: str, among: Any = None) -> str:
        what = "text" if among is None else f"one of {', '.join(map(repr, among))}"
        text: str = self.take(
            key, lambda v: isinstance(v, str) and (among is None or v in among), what
        )
        return text

    def flag(self, key: str, missing: bool | None = None) -> bool:
        if missing is not None and key not in self._content:
            return missing
        flag: bool = self.take(key, lambda v: isinstance(v, bool), "true or false")
        return flag

    def number(self, key: str) -> float:
        return float(self.take(key, is_number, "a number"))

    def finite(self, key: str) -> float:
        """Return any float but infinity; `number` is for those that are calculated with."""
        return float(self.take(key, is_finite, "a finite number"))

    def integer(self, key: str, minimum: int, below: int) -> int:
        number: int = self.take(
            key, lambda v: is_integer(v) and minimum <= v < below, f"{minimum} to {below - 1}"
        )
        return number

    def integers(self, key: str, minimum: int, below: int) -> list[int]:
        for item in self.items(key):
            if not is_integer(item) or not minimum <= item < below:
                raise DamagedError(f"{key!r} holds {item!r:.40}, not {minimum} to {below - 1}")
        return self.items(key)

    def fraction(self, key: str) -> Fraction:
        return fraction_in(self.text(key))

    def whole(self, key: str) -> int:
        """Return a whole number of any size, written as digits."""
        number = self.fraction(key)
        if number < 0 or number.denominator > 1:
            raise DamagedError(f"{key!r} of {self._where} should be a whole number, is {number}")
        return int(number)

    def pairs(self) -> Any:
        return self._content.items()


def check_rows(rows: NDArray[Any], weights: NDArray[Any]) -> None:
    """Refuse numbers of rows that cannot have these weights: none is 0 where the other is not."""
    if ((rows > 0) != (weights > 0)).any():
        raise DamagedError("'row_counts' do not fit 'counts'")


def value_in(value: Json) -> Any:
    """Return a label, a category or a number."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    reader = Reader(value, "a value")
    if reader.has("float"):
        return float(reader.text("float", among=("nan", "inf", "-inf")))
    if reader.has("tuple"):
        return tuple(reader.values("tuple"))
    return reader.fraction("fraction")


def fraction_in(text: Json) -> Fraction:
    """Return a fraction that is written as digits, with sign and denominator where needed."""
    # Fraction itself reads exponents too, which make numbers that fill the memory.
    if isinstance(text, str) and re.fullmatch(r"-?[0-9]+(/[0-9]+)?", text):
        with suppress(ValueError, ZeroDivisionError):
            return Fraction(text)
    raise DamagedError(f"{text!r:.40} is no fraction")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _no_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("an object has the same key twice")
    return content


def is_integer(value: Any) -> bool:
    """Whether a value is an integer, which true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a number that a float can hold."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e308


def is_finite(value: Any) -> bool:
    """Whether a value is a number that a float can hold, however large."""
    is_a_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_a_number and abs(value) <= sys.float_info.max
