"""The condition that raising a column never turns a positive prediction into a negative one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from splitsecond._estimators.input_reader import InputReader
from splitsecond._support.messages import listed, offered, shown
from splitsecond._tables.columns import Kind
from splitsecond._tables.literals import Literal

DIRECTIONS = {1: 1, "increasing": 1, -1: -1, "decreasing": -1, 0: 0}


def monotone_condition(
    reader: InputReader, monotone: Any, classes: NDArray[Any], labels: NDArray[Any]
) -> dict[str, Any]:
    """Return the condition as the core takes it: by 0/1 column, and which labels are positive."""
    if monotone is None:
        return {}
    if not isinstance(monotone, Mapping):
        raise ValueError(
            f"monotone={shown(monotone)} must be a dict of columns and directions, such as "
            "{'income': 1, 'debts': -1}."
        )
    rises = [0] * len(reader.literals)
    for name, given in monotone.items():
        direction = _direction(name, given)
        if name not in reader.column_names:
            raise _no_such_column(name, reader)
        if direction == 0:  # whatever the column is
            continue
        for j, literal in enumerate(reader.literals):
            if literal.name == name:
                rises[j] = direction * _rise(literal, reader.variable(literal.column).kind)
    if not any(rises):
        return {}
    return {"rises": rises, "positive": _positive(classes, labels)}


def _direction(name: Any, given: Any) -> int:
    try:
        return DIRECTIONS[given]
    except (KeyError, TypeError):
        raise ValueError(
            f"monotone: the direction of {shown(name)} is {shown(given)}; it must be 1 or "
            "'increasing', -1 or 'decreasing', or 0 for any."
        ) from None


def _rise(literal: Literal, kind: Kind) -> int:
    """Return 1 if those who say yes have the higher values, -1 if the lower ones."""
    if literal.operator == "<=":
        return -1
    if literal.operator == "is 1":
        return 1
    if literal.operator == "is missing":  # known values give the same answer
        return 0
    if kind is Kind.BINARY:
        return 1 if literal.value == 1 else -1
    name = shown(literal.name)
    if kind is Kind.CATEGORY:
        raise ValueError(
            f"monotone: the categories of {name} have no order, so they cannot be raised. Give a "
            "column of numbers, of ordered categories or of 0 and 1."
        )
    raise ValueError(
        f"monotone: the question {shown(str(literal))} divides {name} into values that are neither "
        "the lower nor the higher ones. Fit with questions like 'x <= 1' alone."
    )


def _positive(classes: NDArray[Any], labels: NDArray[Any]) -> list[bool]:
    """Tell which labels are positive: the second of two classes."""
    if len(classes) == 0:
        raise ValueError(
            "monotone is for two classes, a negative and a positive one; the trees of this set "
            "predict numbers. Look for monotone ones in a sample of the set: compare "
            "trees.predict(X, indices) for rows that differ in the column alone."
        )
    if len(classes) != 2:
        names = listed([shown(each) for each in classes.tolist()])
        raise ValueError(
            f"monotone is for two classes, a negative and a positive one; this set has "
            f"{len(classes)}: {names}."
        )
    said = labels.tolist()
    actions = [shown(label) for label in said if label not in classes.tolist()]
    if actions:
        raise ValueError(
            "monotone is for trees that say classes; the actions of these costs are none: "
            f"{listed(actions)}."
        )
    return [label == classes.tolist()[1] for label in said]


def _no_such_column(name: Any, reader: InputReader) -> ValueError:
    asked = [literal.name for literal in reader.literals if str(literal) == name]
    if asked:
        return ValueError(
            f"monotone: {shown(name)} is a question; give the column that it is about, "
            f"{shown(asked[0])}."
        )
    names, hint = offered(name, sorted(reader.column_names))
    return ValueError(f"monotone: there is no column {shown(name)}; columns are {names}.{hint}")
