"""The parameters `loss`, `costs`, `actions` and `min_samples_leaf`: read, and checked."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._solving.exact import as_fraction
from splitsecond._solving.losses import NAMED, Costs, Loss
from splitsecond._support.checks import check_amount, check_choice, check_number, number_of
from splitsecond._support.messages import listed, shown

COSTS = "costs"
MAX_ROWS = 2**31 - 1  # that the core counts; there are never as many


@dataclass(frozen=True)
class LossParameters:
    """What the user gave, as far as it is known without the classes."""

    loss: str
    costs: Any
    actions: Any

    def check(self) -> None:
        """Refuse what is wrong whatever the classes are."""
        given = self.costs is not None
        if not given and self.actions is None and isinstance(self.loss, str) and self.loss in NAMED:
            return  # nearly always
        choices = [*NAMED, *([COSTS] if given else [])]
        if self.loss == COSTS and not given:
            raise ValueError('loss="costs" needs costs: a mapping of actions to classes to costs.')
        check_choice("loss", self.loss, choices)
        if given and self.loss not in ("zero_one", COSTS):
            raise ValueError(
                f"loss={self.loss!r} and costs were given: costs are a loss of their own. Leave "
                "one of them out."
            )
        if given:
            self._rows()
        elif self.actions is not None:
            raise ValueError("actions were given without costs: they name the rows of costs.")

    def of(self, classes: NDArray[Any]) -> Loss:
        """Return the loss, given the classes."""
        if self.costs is None:
            return NAMED[self.loss]
        known = classes.tolist()
        rows = self._rows()
        if isinstance(rows, dict):
            table = [_by_class(action, row, known) for action, row in rows.items()]
            return Costs(tuple(table), tuple(rows))
        n_actions, n_classes = len(rows), len(rows[0])
        if n_classes != len(known):
            raise ValueError(
                f"costs has {n_classes} columns, but y has {len(known)} classes: "
                f"{listed([shown(label) for label in known])}. Give a column for each, in this "
                "order."
            )
        actions = known if self.actions is None else _labels(self.actions)
        if len(actions) != n_actions:
            raise ValueError(
                f"costs has {n_actions} rows, which are more or fewer than the classes: name them "
                "with actions=[...]."
            )
        return Costs(tuple(map(tuple, rows)), tuple(actions))

    def _rows(self) -> dict[Any, dict[Any, Fraction]] | list[list[Fraction]]:
        """Return exact costs, by action and class or as a list of rows."""
        if isinstance(self.costs, Mapping):
            return self._mapping(self.costs)
        expected = "a mapping of actions to classes to costs, or an array [actions, classes]"
        if hasattr(self.costs, "to_dict"):
            raise ValueError(
                f"costs of type {type(self.costs).__name__} must be {expected}: with a row for "
                'each action and a column for each class, pass costs.to_dict("index").'
            )
        array = _objects(self.costs)
        if array is None or array.ndim != 2 or 0 in array.shape:
            raise ValueError(f"costs={shown(self.costs)} must be {expected}.")
        rows = [[_cost(cost, "A number in costs") for cost in row] for row in array]
        if self.actions is not None and len(_labels(self.actions)) != len(rows):
            raise ValueError(
                f"actions names {len(_labels(self.actions))} rows, but costs has {len(rows)}."
            )
        return rows

    def _mapping(self, costs: Mapping[Any, Any]) -> dict[Any, dict[Any, Fraction]]:
        if self.actions is not None:
            raise ValueError(
                "actions were given, but costs is a mapping, which names its actions: leave out "
                "actions."
            )
        if not costs:
            raise ValueError("costs is empty: name at least one action.")
        rows: dict[Any, dict[Any, Fraction]] = {}
        for action, row in costs.items():
            if not isinstance(row, Mapping):
                raise ValueError(
                    f"costs of action {shown(action)} must be a mapping of classes to costs, such "
                    f"as {{'good': 0, 'bad': 5}}, got {shown(row)}."
                )
            rows[_plain(action)] = {
                _plain(label): _cost(
                    cost, f"The cost of action {shown(action)} and class {shown(label)}"
                )
                for label, cost in row.items()
            }
        return rows


def check_min_samples_leaf(value: Any) -> None:
    """Refuse what is neither a number of rows nor a share of them."""
    _is_share(value)


def min_leaf_rows(value: Any, n_rows: int) -> int:
    """Return the minimum rows of a leaf, given those of positive weight."""
    if _is_share(value):
        return math.ceil(as_fraction(value) * n_rows)
    return min(int(value), MAX_ROWS)


def _is_share(value: Any) -> bool:
    if type(value) is int and value >= 1:  # nearly always: fits take less than a millisecond
        return False
    number = number_of(value)
    if not isinstance(value, Integral) and isinstance(number, Fraction) and 0 < number < 1:
        return True
    meaning = "rows in a leaf, or a share of all rows between 0 and 1"
    check_number("min_samples_leaf", value, Integral, meaning, minimum=1)
    return False


def _by_class(action: Any, row: dict[Any, Fraction], known: list[Any]) -> tuple[Fraction, ...]:
    """Return the costs of an action in the order of the classes."""
    missing = [label for label in known if label not in row]
    unknown = [label for label in row if label not in known]
    classes = listed([shown(label) for label in known])
    if missing:
        raise ValueError(
            f"costs of action {shown(action)} has no class {shown(missing[0])}: give a cost for "
            f"each class of y, which are {classes}."
        )
    if unknown:
        raise ValueError(
            f"costs of action {shown(action)} names the class {shown(unknown[0])}, which y does "
            f"not have; its classes are {classes}."
        )
    return tuple(row[label] for label in known)


def _cost(value: Any, what: str) -> Fraction:
    try:
        return check_amount("cost", value, "")
    except ValueError:
        raise ValueError(
            f"{what} must be a finite number of at least 0, got {shown(value)}."
        ) from None


def _labels(actions: Any) -> list[Any]:
    """Return the names of actions, which must be different."""
    if isinstance(actions, str) or not isinstance(actions, (Iterable, np.ndarray)):
        raise ValueError(f"actions={shown(actions)} must be a list of names, one for each row.")
    labels = [_plain(action) for action in actions]
    for label in labels:
        if not isinstance(label, Hashable):
            raise ValueError(f"actions={shown(actions)} must be names, such as text or numbers.")
    if len({repr(label) for label in labels}) < len(labels):
        raise ValueError(f"actions={shown(actions)} must be different from each other.")
    return labels


def _objects(costs: Any) -> NDArray[Any] | None:
    """Return an array of whatever numbers were given, as they are; None if it has no shape."""
    if isinstance(costs, np.ndarray):
        return costs
    try:
        return np.array(costs, dtype=object)
    except ValueError:  # rows of different lengths
        return None


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
