"""Conditions on the trees of a set, as the core takes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np

from splitsecond import _core
from splitsecond._estimators.input_reader import InputReader
from splitsecond._sets.graph_arrays import arrays_of
from splitsecond._solving.exact import as_fraction
from splitsecond._solving.number_losses import N_SUMS
from splitsecond._support.checks import check_number
from splitsecond._support.messages import listed, offered, shown
from splitsecond._trees.row_counts import RowSource

SIGNS = ("<=", "==", "is missing")  # of questions, after the name
MAX_SHOWN = 400  # characters of a condition in the history of a set
MAX_CONDITION = 2**60  # beyond all leaves, levels and weights


def names_in(named: Any) -> list[Any]:
    """Return a list of names, or a single one as such a list; None is none."""
    if named is None:
        return []
    return list(named) if isinstance(named, Iterable) and not isinstance(named, str) else [named]


def call_text(function: str, /, **given: Any) -> str | None:
    """Write the call that narrows a set, without what says nothing; None: nothing was said."""
    said = {key: _plain(value) for key, value in given.items()}
    parts = [f"{key}={shown(value, MAX_SHOWN)}" for key, value in said.items() if value is not None]
    return f"{function}({', '.join(parts)})" if parts else None


def _plain(value: Any) -> Any:
    """Return a condition as it would be typed; None: it says nothing."""
    if isinstance(value, Mapping):
        return dict(value) or None
    if isinstance(value, str) or not isinstance(value, Iterable):
        return value
    items = [item.item() if isinstance(item, np.generic) else item for item in value]
    return items if len(items) > 1 else items[0] if items else None


def mark_features(reader: InputReader, named: Any) -> list[bool]:
    """Mark the 0/1 columns that ask about some variables, or are some questions; empty: no name.

    One more flag than columns: names without a question must not look like no names.
    """
    names = names_in(named)
    if not names:
        return []
    literals = reader.literals
    marked = [False] * (len(literals) + 1)
    for name in names:
        found = [j for j, literal in enumerate(literals) if name in (literal.name, str(literal))]
        if not found and name not in reader.column_names:  # a column may have no questions
            raise _no_such_question(name, reader)
        for j in found:
            marked[j] = True
    return marked


def check_condition(name: str, value: Any, kind: Any) -> Any:
    """Return a limit of a filter as the core takes it, or say what is wrong with it."""
    if value is None:
        return None
    return min(check_number(name, value, kind, "or None for any", minimum=0), MAX_CONDITION)


def min_units(min_leaf_weight: Any, unit: float) -> int | None:
    """Return the minimum weight of a leaf in the core's units."""
    weight = check_condition("min_leaf_weight", min_leaf_weight, Real)
    if weight is None:
        return None
    # Units are rounded: three rows of weight 0.1 must do for 0.3.
    units = as_fraction(weight) / Fraction(unit)
    return min(math.ceil(units * (1 - Fraction(1, 10**12))), MAX_CONDITION)


def min_rows(min_leaf_rows: Any, rows: RowSource | None, graph: _core.Graph) -> dict[str, Any]:
    """Return the condition on the rows of a leaf, and what tells the core how many there are."""
    least = check_condition("min_leaf_rows", min_leaf_rows, Real)
    if least is None:
        return {}
    if rows is None:
        raise ValueError(
            "This set comes from an old file, which tells only the weights of rows: filter by "
            "min_leaf_weight, or fit the set again."
        )
    counts = rows.of_graph(arrays_of(graph))
    if counts is None:
        return {"min_rows": math.ceil(least)}
    if graph.objective.sums is not None:  # of numbers: after sums, rows by bin
        counts = counts[:, N_SUMS:]
    yes_rows = np.ascontiguousarray(counts.sum(axis=1), dtype=np.int64)
    return {"min_rows": math.ceil(least), "yes_rows": yes_rows}


def _no_such_question(name: Any, reader: InputReader) -> ValueError:
    columns = reader.column_names
    begun = [each for each in columns for sign in SIGNS if str(name).startswith(f"{each} {sign}")]
    if begun:  # a question that is not among those of its variable
        variable = max(begun, key=len)
        asked = [str(literal) for literal in reader.literals if literal.name == variable]
        names = listed([shown(question) for question in asked]) or "none"
        return ValueError(
            f"There is no variable or question {shown(name)}; questions about {shown(variable)} "
            f"are {names}."
        )
    names, hint = offered(name, sorted(columns))
    return ValueError(
        f"There is no variable or question {shown(name)}; variables are {names}.{hint}"
    )
