"""Labels of folds: what says which fold of one count table is which of another."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._support.messages import shown

Labels = tuple[Any, ...]


def plain_labels(labels: Iterable[Any]) -> Labels:
    """Return labels as a count table holds them: numbers, booleans, and text for all others."""
    return tuple(
        label if isinstance(label, (str, bool, int, float)) else str(label) for label in labels
    )


def kind_of(label: Any) -> str:
    """Return what a label is: labels of different kinds are never the same fold."""
    if isinstance(label, str):
        return "text"
    if isinstance(label, bool):
        return "booleans"
    return "numbers" if isinstance(label, Real) else type(label).__name__


def united(one: Labels | None, other: Labels | None) -> Labels:
    """Return the labels of the folds of two count tables, each once, in order."""
    if one is None or other is None:
        raise ValueError(
            "Count tables with folds add up by the folds' labels, and one of these does not say "
            "which fold is which: compress it again, or share out the rows of the sum "
            "(with_folds)."
        )
    if one == other:
        return one
    kinds = {kind_of(label): label for label in reversed((*one, *other))}  # the first of each
    if len(kinds) > 1:
        said = [f"{kind}, such as {shown(label)}" for kind, label in sorted(kinds.items())]
        raise ValueError(
            f"Count tables whose folds are labelled by {', and by '.join(said)}, do not add up: "
            "label the folds of both in the same way."
        )
    return tuple(sorted({*one, *other}))


def places_in(labels: Labels, own: Labels) -> NDArray[np.int32]:
    """Return the place of each of a table's own labels among those of two."""
    place = {label: i for i, label in enumerate(labels)}
    return np.array([place[label] for label in own], dtype=np.int32)
