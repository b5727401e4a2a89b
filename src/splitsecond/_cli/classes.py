"""Options that name classes: class weights and costs, by the classes of a target."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import typer

from splitsecond._cli.data import Data
from splitsecond._support.messages import likely, listed, shown

Costs = dict[Any, dict[Any, Any]]  # what an action costs for each class


def class_weight_for(given: Sequence[Any], data: Data) -> dict[Any, float] | str | None:
    """Return class weights as estimators take them, by the classes of the target."""
    words = {each for each in given if isinstance(each, str)}
    pairs = [each for each in given if not isinstance(each, str)]
    if len(words) > 1 or (words and pairs):
        raise typer.BadParameter(
            "Give either one word or weights of classes, such as bad=5.",
            param_hint="--class-weight",
        )
    if not pairs:
        return "balanced" if "balanced" in words else None
    classes = np.unique(data.y).tolist()
    weights: dict[Any, float] = {}
    for text, weight in pairs:
        label = class_named(text, classes, "--class-weight")
        if label in weights:
            raise ValueError(f"--class-weight gives two weights for the class {label!r}.")
        weights[label] = weight
    return weights


def costs_for(given: Costs | None, data: Data) -> Costs | None:
    """Return costs as estimators take them, by the classes of the target."""
    return None if given is None else costs_named(given, np.unique(data.y).tolist())


def costs_named(given: Costs, classes: Sequence[Any]) -> Costs:
    """Return costs by actions and classes: JSON has the names of both as text."""
    costs: Costs = {}
    for text, row in given.items():
        action = class_written(text, classes)
        action = text if action is None else action
        if action in costs:
            raise ValueError(f"--costs gives the costs of the action {action!r} twice.")
        own: dict[Any, Any] = {}
        for name, cost in row.items():
            label = class_named(name, classes, "--costs")
            if label in own:
                raise ValueError(
                    f"--costs gives two costs of the action {text!r} for the class {label!r}."
                )
            own[label] = cost
        missing = [label for label in classes if label not in own]
        if missing:
            raise ValueError(
                f"--costs has no cost of the action {text!r} for the class {missing[0]!r}: give "
                "one for each class of the target."
            )
        costs[action] = own
    return costs


def only_present(model: Any, data: Data) -> None:
    """Leave classes that some rows lack out of a model's class weights and costs."""
    present = set(np.unique(data.y).tolist())

    def kept(by_class: dict[Any, Any]) -> dict[Any, Any]:
        return {label: number for label, number in by_class.items() if label in present}

    if isinstance(model.class_weight, dict):
        model.class_weight = kept(model.class_weight)
    if model.costs is not None:
        model.costs = {action: kept(row) for action, row in model.costs.items()}


def class_named(text: str, classes: Sequence[Any], option: str, of: str = "target") -> Any:
    """Return the class that is written so; refuse what is none."""
    label = class_written(text, classes)
    if label is None:
        alike = likely(text, classes)
        hint = f" Did you mean {shown(alike[0])}?" if alike else ""
        raise ValueError(
            f"{option} names the class {text!r}, which the {of} does not have: its classes are "
            f"{listed([repr(label) for label in classes])}.{hint}"
        )
    return label


def class_written(text: str, classes: Sequence[Any]) -> Any:
    """Return the class that is written so, if there is one: true is True, and 1.0 is 1."""
    for label in classes:
        if text == str(label) or (isinstance(label, bool) and text.lower() == str(label).lower()):
            return label
    with suppress(ValueError):
        number = float(text)
        for label in classes:
            if not isinstance(label, (str, bool)) and number == label:
                return label
    return None
