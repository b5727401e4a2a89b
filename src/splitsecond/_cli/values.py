"""Reading the values of options; what cannot be read is wrong usage."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import typer

AUTO, ONE_STANDARD_ERROR = "auto", "1se"  # words for lambda
WEIGHTINGS = ("none", "balanced")  # words for class weights
SIGNS = {"+": 1, "-": -1}  # directions of monotone columns
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}


def regularization_of(text: str) -> float | Fraction:
    """Read lambda: a decimal or a fraction."""
    try:
        return Fraction(text) if "/" in text else float(text)
    except (ValueError, ZeroDivisionError):
        raise typer.BadParameter(
            f"{text!r} is not a number, such as 0.01 or 1/300.", param_hint="--regularization"
        ) from None


def regularization_or_rule(text: str) -> float | Fraction | str:
    """Read lambda, or by which rule it is to be chosen."""
    return text if text in (AUTO, ONE_STANDARD_ERROR) else regularization_of(text)


def class_weight_of(text: str) -> str | tuple[str, float]:
    """Read the weight of a class, such as bad=5; or a word for all classes."""
    if text in WEIGHTINGS:
        return text
    label, _, number = text.rpartition("=")
    try:
        weight = float(number)
    except ValueError:
        weight = math.nan
    if not label or not 0 <= weight < math.inf:
        raise typer.BadParameter(
            f"{text!r} is neither none, balanced nor a class and its weight, such as bad=5.",
            param_hint="--class-weight",
        )
    return label, int(weight) if weight.is_integer() else weight


def costs_of(text: str) -> dict[str, dict[str, Any]]:
    """Read costs by action and class: JSON, or the name of a file with it."""

    def refused(why: str) -> typer.BadParameter:
        example = '{"approve": {"bad": 5, "good": 0}, "reject": {"bad": 0, "good": 1}}'
        return typer.BadParameter(
            f"{why} Give the costs of each action for each class, such as {example}, or a file "
            "with them.",
            param_hint="--costs",
        )

    is_file = not text.lstrip().startswith(("{", "["))
    try:
        content = Path(text).read_text(encoding="utf-8") if is_file else text
    except OSError as error:
        raise refused(f"{text!r} is neither JSON nor a file ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise refused(f"{text!r} is no text in UTF-8.") from None
    what = f"The file {text!r}" if is_file else "It"
    try:
        costs = json.loads(content, object_pairs_hook=_once)
    except ValueError as error:
        raise refused(f"{what} is not JSON as expected: {error}.") from None
    if not isinstance(costs, dict) or not costs:
        raise refused(f"{what} is no JSON object with a name for each action.")
    for action, row in costs.items():
        if not isinstance(row, dict):
            raise refused(f"{what} has no costs by class for the action {action!r}.")
    return costs


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; of two equal names, one would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for i, (name, _) in enumerate(pairs) if name in dict(pairs[:i]))
        raise ValueError(f"{twice!r} occurs twice")
    return found


def monotone_of(text: str) -> tuple[str, int]:
    """Read a column and its direction, such as income=+."""
    name, _, sign = text.rpartition("=")
    if not name or sign not in SIGNS:
        raise typer.BadParameter(
            f"{text!r} is no column with a direction, such as income=+ or debts=-.",
            param_hint="--monotone",
        )
    return name, SIGNS[sign]


def bound_of(text: str) -> tuple[str, float]:
    """Read a criterion and a bound, such as error=0.3; names have signs of equality, too."""
    name, _, number = text.rpartition("=")
    try:
        bound = float(number)
    except ValueError:
        bound = math.nan
    if not name or math.isnan(bound):
        raise typer.BadParameter(
            f"{text!r} is no criterion with a number, such as error=0.3 or "
            "'selection_rate[sex=F - M]=0.05'."
        )
    return name, bound


def level_of(text: str) -> dict[str, float | None]:
    """Read the level of intervals as an argument of what draws trees; none: without intervals."""
    try:
        level = None if text == "none" else float(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is neither a level, such as 0.95, nor none.", param_hint="--level"
        ) from None
    return {"level": level}


def rows_or_share(text: str) -> float:
    """Read a number of rows, or a share of them."""
    try:
        return int(text) if text.strip().lstrip("+-").isdigit() else float(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is neither a number of rows, such as 20, nor a share of them, such as 0.01.",
            param_hint="--min-samples-leaf",
        ) from None


def bytes_of(text: str) -> int:
    """Read an amount of memory, such as 500MB or 2GiB."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([kmg]i?)?b?", text.strip().lower())
    if found is None:
        raise typer.BadParameter(
            f"{text!r} is not an amount of memory, such as 500MB or 2GB.",
            param_hint="--memory-limit",
        )
    return int(float(found[1]) * UNITS[found[2] or ""])
