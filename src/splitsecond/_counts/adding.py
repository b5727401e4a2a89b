"""Adding up count tables: rows of one pattern, class and fold become one entry again."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._binarizers.base import Binarizer
from splitsecond._counts.count_table import CountTable
from splitsecond._counts.counting import Keys
from splitsecond._counts.entry_weights import EntryWeights
from splitsecond._counts.folds import Labels, places_in, united
from splitsecond._support.messages import listed, shown
from splitsecond._tables.labels import encode_labels
from splitsecond._tables.weights import ROUNDED_SUM, ROUNDED_TOTAL


def add(one: CountTable, other: CountTable) -> CountTable:
    """Return a table of the rows of both."""
    _check_alike(one, other)
    labels = _labels_of(one, other)
    each, values = _kinds(one, other)
    keys = Keys(len(labels), len(values))
    fold_labels = None if one.folds is None else united(one.fold_labels, other.fold_labels)
    units = _units(one, other) if each is None else None
    summed = _core.PatternCounts(len(one.words), 1 if units is None else 2)
    keys.check(0 if fold_labels is None else len(fold_labels))
    for i, table in enumerate((one, other)):
        own = np.searchsorted(labels, _own_labels(table))[table.codes]
        kinds = 0 if each is None else np.searchsorted(values, each[i])
        key = keys.of(own, kinds, _folds_of(table, fold_labels))
        sums = [table.rows] if units is None else [table.rows, units[0][i]]
        summed.add(table.words, table.n_entries, key, sums)
    found = summed.result()
    codes, kinds_of, folds = keys.parts(found.keys)
    weights = None
    if units is not None:
        weights = EntryWeights(units=np.array(found.sums[1]), unit=units[1], is_whole=units[2])
    elif one.weights is not None:
        weights = EntryWeights(each=values[kinds_of])
    return replace(
        one,
        binarizer=_binarizer_of(one, other),
        classes=labels[:0] if one.is_of_numbers else labels,
        numbers=labels if one.is_of_numbers else None,
        words=[np.array(column) for column in found.columns],
        rows=np.array(found.sums[0]),
        codes=codes,
        n_rows=one.n_rows + other.n_rows,
        n_dropped=one.n_dropped + other.n_dropped,
        weights=weights,
        folds=None if one.folds is None else folds,
        fold_labels=fold_labels,
    )


def _check_alike(one: CountTable, other: CountTable) -> None:
    if one.literals != other.literals:
        differ = [str(each) for each in {*one.literals} ^ {*other.literals}]
        raise ValueError(
            f"Count tables add up if they answer the same questions; these differ in "
            f"{listed(sorted(differ)) or 'their order'}. Make the second with "
            "compress(..., binarizer=first.binarizer)."
        )
    for what, a, b in (
        ("target", one.target, other.target),
        ("kind of target", one.is_of_numbers, other.is_of_numbers),
        ("use of weights", one.weights is None, other.weights is None),
        ("use of folds", one.folds is None, other.folds is None),
    ):
        if a != b:
            raise ValueError(f"Count tables of a different {what} do not add up: {a} and {b}.")


def _folds_of(table: CountTable, labels: Labels | None) -> Any:
    """Return the fold of each entry, by its place among the labels of both tables."""
    if labels is None:
        return 0
    assert table.fold_labels is not None
    return places_in(labels, table.fold_labels)[table.folds]


def _binarizer_of(one: CountTable, other: CountTable) -> Binarizer:
    """Return the first one's, with what is known of the columns of both."""
    variables = list(one.binarizer.variables_)
    asked = {literal.column for literal in one.literals}  # the columns that both have
    for column in asked:
        a, b = variables[column], other.binarizer.variables_[column]
        has_missing = a.has_missing or b.has_missing
        is_constant = a.is_constant and b.is_constant
        variables[column] = replace(a, has_missing=has_missing, is_constant=is_constant)
    if variables == one.binarizer.variables_:
        return one.binarizer
    binarizer = copy.copy(one.binarizer)
    binarizer.variables_ = variables
    return binarizer


def _own_labels(table: CountTable) -> NDArray[Any]:
    return table.classes if table.numbers is None else table.numbers


def _labels_of(one: CountTable, other: CountTable) -> NDArray[Any]:
    a, b = _own_labels(one), _own_labels(other)
    if a.dtype == b.dtype and a.tolist() == b.tolist():
        return a
    if a.dtype.kind in "biuf" and b.dtype.kind in "biuf":
        return np.unique(np.concatenate([a, b]))
    try:
        return encode_labels(np.array([*a, *b], dtype=object), len(a) + len(b))[0]
    except ValueError as error:
        raise ValueError(
            f"Count tables of classes such as {shown(a[0])} and {shown(b[0])} do not add up: "
            f"{error}"
        ) from error


def _kinds(
    one: CountTable, other: CountTable
) -> tuple[tuple[NDArray[np.float64], NDArray[np.float64]] | None, NDArray[np.float64]]:
    """Return the weights of single rows, and the different ones; None: there are only sums."""
    a, b = one.weights, other.weights
    if a is None or b is None or a.each is None or b.each is None:
        is_one = a is None or b is None
        nothing = (np.ones(one.n_entries), np.ones(other.n_entries))
        return (nothing if is_one else None), np.ones(1)
    return (a.each, b.each), np.unique(np.concatenate([a.each, b.each]))


def _units(one: CountTable, other: CountTable) -> tuple[Sequence[NDArray[np.int64]], float, bool]:
    """Return weights of both in integers of one unit, and whether they are exact."""
    a, b = one.weights, other.weights
    assert a is not None
    assert b is not None
    if a.units is not None and b.units is not None and a.is_whole and b.is_whole:
        unit = min(a.unit, b.unit)
        factors = [a.unit / unit, b.unit / unit]
        if all(factor == round(factor) for factor in factors):
            return [a.units * round(factors[0]), b.units * round(factors[1])], unit, True
    totals = [one.row_weights(), other.row_weights()]
    to = ROUNDED_SUM if one.is_of_numbers else ROUNDED_TOTAL
    unit = float(sum(each.sum() for each in totals)) / to
    rounded = [np.maximum(np.rint(each / unit), each > 0).astype(np.int64) for each in totals]
    return rounded, unit, False
