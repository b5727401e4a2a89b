"""Binarizers: from the user's columns to 0/1 columns, each a question about one of them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._binarizers.base import (
    CHOOSING_SHARE,
    Binarizer,
    Target,
    read_variables,
)
from splitsecond._support.checks import as_float, check_number, number_of
from splitsecond._support.messages import offered, shortened, shown
from splitsecond._support.names import public
from splitsecond._tables.cells import Cells
from splitsecond._tables.columns import Kind, RawTable, Variable
from splitsecond._tables.literals import OPERATORS, Literal, threshold_between

MAX_CATEGORIES = 255  # of a variable get a column each: the most frequent ones
MAX_QUANTILES = 1_000_000


@dataclass(frozen=True)
class _Places:
    """Where a variable is cut: after which distinct values, or which of them are asked for."""

    distinct: NDArray[Any]
    places: Sequence[int]
    asks_if_missing: bool

    def __len__(self) -> int:
        return len(self.places) + self.asks_if_missing

    def literals(self, j: int, variable: Variable) -> list[Literal]:
        literals = [self._literal(j, variable, place) for place in self.places]
        if self.asks_if_missing:
            literals.append(Literal(j, variable.name, "is missing"))
        return literals

    def _literal(self, j: int, variable: Variable, place: int) -> Literal:
        name, kind = variable.name, variable.kind
        if kind is Kind.BINARY:
            return Literal(j, name, "is 1")
        if kind is Kind.CATEGORY:
            return Literal(j, name, "==", variable.categories[place])
        low, high = self.distinct[place], self.distinct[place + 1]
        if kind is Kind.NUMBER:
            return Literal(j, name, "<=", threshold_between(float(low), float(high)))
        return Literal(j, name, "<=", variable.categories[low])


class _CutBinarizer(Binarizer):
    """A binarizer that cuts each variable by itself, between neighbouring values."""

    _max_categories: int | None = None

    def _cuts(self, shares: NDArray[np.float64]) -> Sequence[int]:
        """Choose after which of the distinct values to cut, given their shares of the weight."""
        raise NotImplementedError

    def _choose(self, table: RawTable, target: Target) -> tuple[list[Variable], list[Literal]]:
        limits, weights = target.limits, target.weights
        in_memory = limits.most_in_memory(table.n_rows, target.n_classes)
        most = min(in_memory, limits.most_in_time(table.n_rows))
        sizes: dict[int, int] = {}
        literals: list[Literal] = []

        def use(j: int, variable: Variable, cells: Cells) -> None:
            places = self._places(variable, variable.values(cells), weights)
            sizes[j] = len(places)
            if sum(sizes.values()) <= most:
                literals.extend(places.literals(j, variable))

        variables = read_variables(table, limits, use)
        needed = sum(sizes.values())
        if needed <= most:
            return variables, literals
        literals.clear()

        def use_some(j: int, n: int) -> None:
            values = variables[j].values(table.cells(j))
            literals.extend(
                self._places(variables[j], values, weights, most=n).literals(j, variables[j])
            )

        for j, n in _shared_out(sizes, int(most)).items():
            if not limits.completes(partial(use_some, j, n), until=CHOOSING_SHARE):
                break
        reason = "memory_limit" if in_memory == most else "time_limit"
        limits.keep(len(literals), needed, reason)
        return variables, literals

    def _places(
        self,
        variable: Variable,
        values: NDArray[Any],
        weights: NDArray[np.float64] | None,
        most: int | None = None,
    ) -> _Places:
        """Choose where to cut a variable, into at most so many questions."""
        kind = variable.kind
        known = ~np.isnan(values) if kind in (Kind.BINARY, Kind.NUMBER) else values >= 0
        distinct, places = np.unique(values[known], return_inverse=True)
        counted = np.ones(len(places)) if weights is None else weights[known]
        shares: NDArray[Any] = np.bincount(places.reshape(-1), counted, len(distinct))
        present = shares > 0
        distinct, shares = distinct[present], shares[present] / (shares.sum() or 1)
        asks_if_missing = variable.has_missing and most != 0
        most = None if most is None else most - asks_if_missing
        chosen: Sequence[int]
        if kind is Kind.BINARY:
            chosen = [0] * (len(distinct) == 2 and most != 0)
        elif kind is Kind.CATEGORY:
            limits = [n for n in (self._max_categories, most) if n is not None]
            chosen = asked_categories(
                distinct, shares, variable.has_missing, min(limits, default=None)
            )
        else:
            chosen = self._cuts(shares)
            if most is not None and len(chosen) > most:
                chosen = quantile_cuts(shares, most + 1)
        return _Places(distinct, chosen, asks_if_missing)


def quantile_cuts(shares: NDArray[np.float64], n_quantiles: int) -> list[int]:
    """Choose cuts between so many parts of about equal weight."""
    below = np.cumsum(shares)
    quantiles = np.arange(1, n_quantiles) / n_quantiles
    cuts = np.unique(np.searchsorted(below, quantiles - 1e-9))
    return [int(cut) for cut in cuts if cut < len(shares) - 1]


def _shared_out(sizes: dict[int, int], most: int) -> dict[int, int]:
    """Share questions out among variables: none gets more than it has, the others get the same."""
    shares: dict[int, int] = {}
    for i, j in enumerate(sorted(sizes, key=lambda j: sizes[j])):
        shares[j] = min(sizes[j], most // (len(sizes) - i))
        most -= shares[j]
    return {j: shares[j] for j in sizes}


@public
class MidpointBinarizer(_CutBinarizer):
    """Every split point of every column: trees lose nothing, but there are many columns.

    A number is cut between any two neighbouring values, an ordered category after each of its
    values, any other category compared with each; booleans stay as they are, and a column with
    missing values is also asked whether it is missing.

    In a fit whose limits do not allow for that many columns, as many are kept as fit: each source
    column gets the same number of them, at its quantiles (of a category, the most frequent values).
    The answers, the search's copy of them and a count of all their pairs may take half of
    `memory_limit`; that count may take 4 % of `time_limit`, by a rough estimate. A
    `LimitWarning` then says how many columns there would be, and ``status_`` which limit it was.

    Attributes
    ----------
    literals_ : list of Literal
        The question behind each 0/1 column: its source variable, operator and value.
    variables_ : list of Variable
        What each source column is.
    dropped_ : dict
        Columns that no question can be asked of, and why.
    n_features_in_, feature_names_in_
        Number and names of the source columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from splitsecond import MidpointBinarizer
    >>> X = pd.DataFrame({"age": [22, 31, None], "job": ["clerk", "cook", "nurse"]})
    >>> MidpointBinarizer().fit(X).get_feature_names_out().tolist()
    ['age <= 26', 'age is missing', 'job == "clerk"', 'job == "cook"', 'job == "nurse"']
    """

    @property
    def is_lossless(self) -> bool:
        """Whether trees could not be better with other questions: all split points are there."""
        return self._stopped is None

    def _cuts(self, shares: NDArray[np.float64]) -> Sequence[int]:
        return range(len(shares) - 1)


@public
class QuantileBinarizer(_CutBinarizer):
    """Thresholds at quantiles of each column.

    Parameters
    ----------
    n_quantiles : int, default=3
        Into how many parts of about equal weight each column of numbers (or ordered categories) is
        cut. Values are never torn apart, so a column of few values may get fewer. Of a category
        without order, the 255 most frequent values get a column each.

    Attributes
    ----------
    literals_, variables_, dropped_, n_features_in_, feature_names_in_
        As for `MidpointBinarizer`.

    Examples
    --------
    >>> import numpy as np
    >>> from splitsecond import QuantileBinarizer
    >>> X = np.arange(1, 10).reshape(-1, 1)
    >>> QuantileBinarizer(n_quantiles=3).fit(X).get_feature_names_out().tolist()
    ['x0 <= 3.5', 'x0 <= 6.5']
    """

    _max_categories = MAX_CATEGORIES

    def __init__(self, n_quantiles: int = 3) -> None:
        self.n_quantiles = n_quantiles

    def _check_parameters(self) -> None:
        meaning = "parts, such as 3; MidpointBinarizer cuts between all values"
        check_number(
            "n_quantiles", self.n_quantiles, Integral, meaning, minimum=2, maximum=MAX_QUANTILES
        )

    def _cuts(self, shares: NDArray[np.float64]) -> Sequence[int]:
        return quantile_cuts(shares, int(self.n_quantiles))  # those of numpy may overflow


@public
class FixedBinarizer(Binarizer):
    """Questions given by hand, such as those of a published binarization.

    Parameters
    ----------
    literals : sequence of str or of (column, operator, value)
        For instance ``"age <= 27.5"``, ``'job == "cook"'``, ``"income is missing"``, the name of a
        0/1 column, or ``("age", "<=", 27.5)``. The columns of the result are in this order.

    Attributes
    ----------
    literals_, variables_, dropped_, n_features_in_, feature_names_in_
        As for `MidpointBinarizer`.

    Examples
    --------
    >>> import pandas as pd
    >>> from splitsecond import FixedBinarizer
    >>> X = pd.DataFrame({"age": [22, 31, 58]})
    >>> FixedBinarizer(["age <= 25", "age <= 40"]).fit_transform(X).tolist()
    [[1, 1], [0, 1], [0, 0]]
    """

    def __init__(self, literals: Sequence[Any] = ()) -> None:
        self.literals = literals

    def _choose(self, table: RawTable, target: Target) -> tuple[list[Variable], list[Literal]]:
        limits = target.limits
        variables = read_variables(table, limits, keep_constant=True)
        if isinstance(self.literals, str):
            raise ValueError(
                f"literals={shown(self.literals)} must be a list: put brackets around it."
            )
        literals = []
        for given in self.literals:
            column, operator, value = _parse(given, variables)
            if variables[column].kind is Kind.UNREAD:
                continue
            variables[column] = _asked_of(variables[column], operator, value)
            literals.append(_checked(given, variables[column], column, operator, value))
        most = limits.most_in_memory(table.n_rows, target.n_classes)
        if len(literals) > most:
            limits.keep(int(most), len(literals), "memory_limit")
            del literals[int(most) :]
        return variables, literals


def asked_categories(
    places: NDArray[Any], shares: NDArray[np.float64], has_missing: bool, most: int | None
) -> list[int]:
    """Choose the categories to ask for: of two, one is enough; of many, the frequent ones."""
    if len(places) == 1 or (len(places) == 2 and not has_missing):
        return [int(place) for place in places[: len(places) - 1]]
    frequent = np.argsort(-shares, kind="stable")[:most]
    return [int(place) for place in places[np.sort(frequent)]]


def _parse(given: Any, variables: list[Variable]) -> tuple[int, str, Any]:
    """Read a literal that a user wrote: column, operator, value."""
    if isinstance(given, str):
        return _parse_text(given, variables)
    if not isinstance(given, (tuple, list)) or not 2 <= len(given) <= 3:
        raise ValueError(f"Literal {shown(given)} must be text, or (column, operator, value).")
    wanted, operator, value = [*given, None][:3]
    for column, variable in enumerate(variables):
        if wanted in (variable.label, variable.name):
            return column, operator, value
    names, hint = offered(wanted, [variable.label for variable in variables])
    raise ValueError(
        f"Literal {shown(given)}: X has no column {shown(wanted)}; there are {names}.{hint}"
    )


def _asked_of(variable: Variable, operator: str, value: Any) -> Variable:
    """Take into account that a question is asked: training rows need not show all there is."""
    kind, categories = variable.kind, variable.categories
    text = isinstance(value, str)
    if kind is Kind.EMPTY and operator != "is missing":
        kind = Kind.BINARY if operator == "is 1" else Kind.CATEGORY if text else Kind.NUMBER
    if kind is Kind.BINARY and operator == "<=":
        kind = Kind.NUMBER
    if kind is Kind.CATEGORY and operator == "==" and value not in categories and text:
        categories = tuple(sorted([*categories, value], key=lambda v: (isinstance(v, str), v)))
    return replace(variable, kind=kind, categories=categories)


def _checked(given: Any, variable: Variable, column: int, operator: str, value: Any) -> Literal:
    """Refuse a question that no value could ever answer with yes."""
    exact = number_of(value)
    as_number = math.nan if exact is None else as_float(exact)
    number = math.isfinite(as_number)
    wrong = {
        "is 1": None if variable.kind is Kind.BINARY else "it has other values than 0 and 1",
        "is missing": None,
        "<=": "the value is none of the ordered categories"
        if variable.kind is Kind.ORDERED and value not in variable.categories
        else "<= takes a number, in a column of numbers"
        if variable.kind is not Kind.ORDERED and (variable.categories or not number)
        else None,
        "==": "the value is none that the column can have"
        if (value not in variable.categories if variable.categories else not number)
        else None,
    }.get(operator, f"the operator must be one of {', '.join(OPERATORS)}")
    if wrong is not None:
        raise ValueError(f"Literal {shown(given)}: {wrong}.")
    if number and not variable.categories:
        value = as_number
    return Literal(column, variable.name, operator, value)


def _parse_text(text: str, variables: list[Variable]) -> tuple[int, str, Any]:
    # The longest name wins, for one may begin another.
    for column in sorted(range(len(variables)), key=lambda j: -len(variables[j].name)):
        name = variables[column].name
        if not text.startswith(name):
            continue
        rest = text[len(name) :].strip()
        if rest == "":
            return column, "is 1", None
        if rest == "is missing":
            return column, rest, None
        for operator in ("<=", "=="):
            if rest.startswith(operator):
                return column, operator, _parse_value(rest[len(operator) :].strip())
    names, hint = offered(text, [variable.name for variable in variables])
    raise ValueError(
        f"Cannot read the literal {shown(text)}: expected a column ({names}), then nothing, "
        f"'is missing', '<= value' or '== value'.{hint}"
    )


def _parse_value(text: str) -> Any:
    if text.startswith('"'):
        try:
            return json.loads(text)
        except ValueError:
            raise ValueError(
                f"Cannot read the value {shortened(text)} of a literal: check its quotes."
            ) from None
    try:
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    except ValueError:
        return text
