"""What a column of text may hold instead of categories: dates, or numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from splitsecond._support.names import public

FEW_WORDS = 3  # values that keep a column of text from being numbers
ONE_IN = 10  # of many values may do so, too
MANY_NUMBERS = 10  # as text; up to so many may be codes
SOME = 40  # values that are taken for all of a column

_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2}([T ]\d.*)?)?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](\d{2}|\d{4})( \d.*)?"
    rf"|(\d{{1,2}}[- ])?({_MONTHS})[a-z]*[-., ]+(\d{{1,2}},? )?\d{{2,4}}( \d.*)?",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"\s*[+-]?\d{1,3}([,' \u00a0\u202f])\d{3}(\1\d{3})*(\.\d+)?\s*")
_CODE = re.compile(r"\s*0\d")  # no number is written so


@public
@dataclass(frozen=True)
class TextNumbers:
    """Numbers that are held as text."""

    words: tuple[str, ...] = ()  # values among them that are none
    separator: str = ""  # of thousands


def are_dates(values: Sequence[str]) -> bool:
    """Whether text looks like dates, by some of the different values."""
    some = values[:: max(1, len(values) // SOME)][:SOME]
    return len(some) > 2 and all(_DATE.fullmatch(text.strip()) for text in some)


def numbers_in(values: Sequence[str]) -> TextNumbers | None:
    """Return what is to be said of the different values of a column if they are numbers, as text.

    A few words among them may stand for missing values. Numbers without any are a mistake only if
    they are many, and none is written as a code such as "007".
    """
    separator = ""
    most = max(FEW_WORDS, len(values) // ONE_IN)
    words = words_among_numbers(values, most)
    grouped = next(filter(None, map(_GROUPED.fullmatch, words)), None)
    if grouped is not None:
        separator = grouped[1]
        words = words_among_numbers(values, most, separator)
    if words and not len(words) <= most < len(values) - len(words):
        return None
    if 0 < len(words) <= FEW_WORDS:
        return TextNumbers(tuple(words), separator)
    is_codes = len(values) <= MANY_NUMBERS or any(map(_CODE.match, values))
    return None if is_codes else TextNumbers(tuple(words), separator)


def words_among_numbers(values: Iterable[str], most: int, separator: str = "") -> list[str]:
    """Return the words that keep text from being numbers, or one more than are looked for."""
    return list(islice((text for text in values if not is_number(text, separator)), most + 1))


def is_number(text: str, separator: str = "") -> bool:
    """Whether text is a number, perhaps with a separator of thousands."""
    try:
        float(text)
    except ValueError:
        grouped = _GROUPED.fullmatch(text) if separator else None
        return grouped is not None and grouped[1] == separator
    return True
