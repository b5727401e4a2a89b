"""Count tables without rare patterns, and without what occurred in those alone.

What a table holds besides its entries could tell of rows that were dropped: classes, numbers,
labels of folds, categories, and questions that set these rows apart from all others. What no entry
needs is left out, as long as the questions that are left mean the same for all rows, also new ones.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from splitsecond._binarizers.cuts import FixedBinarizer
from splitsecond._counts.count_table import CountTable
from splitsecond._tables.cells import UNKNOWN
from splitsecond._tables.columns import Kind, Variable
from splitsecond._tables.literals import COMPARISONS, Literal


def without_rare(counts: CountTable, min_count: int, *, keep_questions: bool) -> CountTable:
    """Return a table of the patterns that so many rows have."""
    pattern = counts.numbers_of_patterns()
    of_pattern = np.bincount(pattern, counts.rows)
    kept = np.flatnonzero(of_pattern[pattern] >= min_count)
    if not len(kept):
        raise ValueError(f"No pattern of answers has min_count={min_count} rows.")
    dropped = int(counts.rows.sum()) - int(counts.rows[kept].sum())
    left = replace(
        counts.take(kept),
        n_rows=counts.n_rows - dropped,
        n_dropped=counts.n_dropped + dropped,
    )
    # Questions that a user wrote were not learned from rows.
    is_given = keep_questions or isinstance(counts.binarizer, FixedBinarizer)
    return _with_used_questions(_with_used_labels(left), is_given=is_given)


def _with_used_labels(counts: CountTable) -> CountTable:
    """Leave out classes, numbers and folds that no entry has."""
    used, codes = np.unique(counts.codes, return_inverse=True)
    changes: dict[str, Any] = {"codes": codes.reshape(-1).astype(np.int32)}
    if counts.numbers is None:
        changes["classes"] = counts.classes[used]
    else:
        changes["numbers"] = counts.numbers[used]
    if counts.folds is not None:
        used, folds = np.unique(counts.folds, return_inverse=True)
        changes["folds"] = folds.reshape(-1).astype(np.int32)
        if counts.fold_labels is not None:
            changes["fold_labels"] = tuple(counts.fold_labels[fold] for fold in used.tolist())
    return replace(counts, **changes)


def _with_used_questions(counts: CountTable, *, is_given: bool) -> CountTable:
    """Leave out questions that all entries answer alike, and what variables then need not know."""
    literals, given = counts.literals, counts.binarizer
    alike = set(counts.answers().constant())
    # A question whether a 0/1 column is 1 names nothing but the column.
    asked = [
        j
        for j, literal in enumerate(literals)
        if is_given or j not in alike or literal.operator == "is 1"
    ]
    constant = {literals[j].column for j in alike if literals[j].operator == "is 1"}
    before, after = _by_column(literals), _by_column([literals[j] for j in asked])
    variables = [
        _with_used_values(
            variable, before.get(column, []), after.get(column, []), column in constant
        )
        for column, variable in enumerate(given.variables_)
    ]
    if len(asked) == len(literals) and variables == given.variables_:
        return counts
    binarizer = copy.copy(given)
    binarizer.literals_ = [literals[j] for j in asked]
    binarizer.variables_ = variables
    return replace(counts, binarizer=binarizer, words=[counts.words[j] for j in asked])


def _by_column(literals: Sequence[Literal]) -> dict[int, list[Literal]]:
    columns: dict[int, list[Literal]] = {}
    for literal in literals:
        columns.setdefault(literal.column, []).append(literal)
    return columns


def _with_used_values(
    variable: Variable, before: list[Literal], asked: list[Literal], is_constant: bool
) -> Variable:
    """Return what has to be known of a variable to answer the questions about it."""
    # Whether values are missing is known from a question, or else said in rules.
    is_known = _asks_if_missing(before) and not _asks_if_missing(asked)
    variable = replace(variable, has_missing=variable.has_missing and bool(asked) and not is_known)
    if is_constant and not variable.has_missing:
        return replace(variable, is_constant=True)
    if variable.kind not in (Kind.CATEGORY, Kind.ORDERED):
        return variable
    places = [variable.place(each.value) for each in asked if each.operator in COMPARISONS]
    if max(places, default=UNKNOWN) < 0:
        return replace(variable, kind=Kind.UNASKED, categories=())
    # A category that is not known answers no, as those do that are not asked about: all but those
    # below another one in an order.
    needed = {*places} if variable.kind is Kind.CATEGORY else range(max(places) + 1)
    categories = variable.categories
    return replace(
        variable, categories=tuple(c for place, c in enumerate(categories) if place in needed)
    )


def _asks_if_missing(literals: list[Literal]) -> bool:
    return any(literal.operator == "is missing" for literal in literals)
