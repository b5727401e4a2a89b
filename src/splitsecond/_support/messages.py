"""What messages quote of the user's data: never more than a reader can take in."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

MAX_CHARACTERS = 70  # of a value
MAX_OF_MESSAGE = 600  # characters
MAX_LISTED = 240  # characters of a list of names
A_SMALLER_ONE = "regularization_path(X, y, cv=5)"  # what finds a lambda


def shortened(text: str, most: int = MAX_CHARACTERS) -> str:
    """Return a text without its middle if it is long: names often differ at their ends."""
    if len(text) <= most:
        return text
    end = (most - 3) // 3
    return f"{text[: most - 3 - end]}...{text[-end:]}"


def shown(value: Any, most: int = MAX_CHARACTERS) -> str:
    """Return a value as Python writes it, shortened."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        value = shortened(value, 2 * most)  # escapes of millions of characters take long
    try:
        text = repr(value)
    except Exception:  # a value that cannot be written must not hide what is wrong with it
        text = f"<{type(value).__name__}>"
    return shortened(" ".join(text.split("\n")), most)


def shown_number(count: int) -> str:
    """Write a number in full, or roughly where that is long; a float may be too small for it."""
    return f"{count:,}" if count < 10**15 else f"about {Decimal(count):.3g}"


def share_text(share: float) -> str:
    """Write a share with one decimal, or with two digits where that would say too little."""
    text = f"{share:.1%}"
    return text if share == 0 or abs(share) >= 0.01 else f"{100 * share:.2g}%"


def counted_trees(n_trees: int) -> str:
    """Write a number of trees with its noun."""
    return f"{shown_number(n_trees)} {'tree' if n_trees == 1 else 'trees'}"


def aligned(rows: Sequence[Sequence[str]], left: Sequence[int] = ()) -> list[str]:
    """Write rows of cells as lines; columns are set to the right, except some."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def listed(names: Sequence[str], most: int = 8) -> str:
    """Return the first of some names, and how many more there are."""
    first: list[str] = []
    room = MAX_LISTED
    for name in names[:most]:
        text = shortened(name)
        room -= len(text) + 2
        if first and room < 0:
            break
        first.append(text)
    more = len(names) - len(first)
    return ", ".join(first) + (f" and {more} more" if more else "")


def folded(label: Any) -> str:
    """Return what labels have in common that differ by case and white space alone."""
    return "".join(str(label).split()).casefold()


def likely(name: Any, known: Iterable[Any]) -> list[Any]:
    """Return those of the names that were perhaps meant, the likeliest first."""
    known = list(known)
    wanted = folded(name)
    keys = [folded(each) for each in known]
    same = [each for each, key in zip(known, keys, strict=True) if key == wanted]
    inside = [
        each
        for each, key in zip(known, keys, strict=True)
        if wanted and key and (wanted in key or key in wanted)
    ]
    by_key = dict(zip(reversed(keys), reversed(known), strict=True))
    close = [by_key[key] for key in difflib.get_close_matches(wanted, by_key, n=3)]
    return list(dict.fromkeys([*same, *close, *inside]))


def offered(name: Any, known: Sequence[Any]) -> tuple[str, str]:
    """Return a list of the names there are, the likeliest first, and a question if one is likely.

    A name that is likely is never among those left off.
    """
    alike = likely(name, known)
    first = set(alike)
    hint = f" Did you mean {shown(alike[0])}?" if alike else ""
    ordered = [*alike, *(each for each in known if each not in first)]
    return listed([shown(each) for each in ordered]), hint


def infinity_text(label: Any, n_values: int) -> str:
    """Say that a column contains infinity; in which row first, and what to do, comes after it."""
    values = "value" if n_values == 1 else "values"
    return f"Column {shown(label)} contains infinity: {n_values:,} {values}, the first"


def date_text(label: Any, kind: Any, remedy: str) -> str:
    """Say that a column holds dates or times, of a type of whatever library."""
    return (
        f"Column {shown(label)} holds dates or times ({shortened(str(kind))}), which have no "
        f"thresholds that read well. {remedy}"
    )


class SaysFitFirst:
    """Lets an attribute that only `fit` sets say so, for as long as nothing was fitted."""

    if not TYPE_CHECKING:  # which would take every attribute for one that there is

        def __getattr__(self, name: str) -> Any:
            own = type(self).__name__
            is_result = name.endswith("_") and not name.startswith("_")
            if is_result and not any(each.endswith("_") for each in vars(self)):
                from sklearn.exceptions import NotFittedError  # takes long to import

                raise NotFittedError(
                    f"This {own} is not fitted yet, so it has no {shown(name)}: call fit first."
                )
            raise AttributeError(f"{own!r} object has no attribute {name!r}", name=name, obj=self)
