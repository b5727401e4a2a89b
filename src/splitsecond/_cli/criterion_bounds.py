"""Conditions on what trees do on the rows of a table, and the trees that meet them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

import splitsecond
from splitsecond._cli import options as o
from splitsecond._cli.output import say
from splitsecond._cli.values import bound_of

if TYPE_CHECKING:
    from splitsecond import SetEvaluation, Tree, TreeSet

AT_MOST, AT_LEAST = "--at-most", "--at-least"


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Which values of criteria are wanted, and where the trees that have them go."""

    PANEL: ClassVar[str] = "Trees"  # of the help

    at_most: Annotated[
        list[Any],  # pairs of a criterion and a number
        o.several(
            "NAME=NUMBER",
            "Keep only trees with at most this value of a criterion, such as error=0.3",
            parser=bound_of,
        ),
    ]
    at_least: Annotated[
        list[Any],
        o.several(
            "NAME=NUMBER",
            "Keep only trees with at least this value of a criterion, such as accuracy=0.7",
            parser=bound_of,
        ),
    ]
    out_set: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File to save the trees that meet the conditions to, as a set."
        ),
    ] = None

    def by_criterion(self) -> dict[str, dict[str, Any]]:
        """Return the bounds of each criterion; there is one of a kind."""
        found: dict[str, dict[str, Any]] = {}
        for option, given in ((AT_MOST, self.at_most), (AT_LEAST, self.at_least)):
            for name, value in given:
                bounds = found.setdefault(name, {})
                key = option.removeprefix("--").replace("-", "_")
                if key in bounds:
                    raise ValueError(f"{option} gives a bound for {name!r} twice.")
                bounds[key] = value
        return found


@dataclass(frozen=True)
class Kept:
    """The trees that meet conditions: counted, as a set; or only those that were found."""

    trees: TreeSet  # that meet all conditions by which trees can be counted
    evaluation: SetEvaluation
    others: dict[str, dict[str, Any]]  # conditions for which trees must be looked at
    found: list[Tree]  # that meet those, too, best first
    is_stopped: bool  # a limit was met


def keep(
    trees: TreeSet,
    evaluate: Callable[[TreeSet], SetEvaluation],
    bounds: Bounds,
) -> Kept:
    """Return the trees that meet the conditions; there must be some."""
    evaluation = evaluate(trees)
    others: dict[str, dict[str, Any]] = {}
    is_stopped = False
    for name, given in bounds.by_criterion().items():
        if not evaluation.is_additive(name):
            others[name] = given
            continue
        try:
            part = evaluation.filter(name, **given)
        except RuntimeError:  # they do not fit the limits
            others[name] = given
            is_stopped = True
            continue
        if not part:
            raise _no_tree(evaluation, name, given)
        trees = part
        with warnings.catch_warnings():  # that the set is partial was said before
            warnings.simplefilter("ignore", splitsecond.LimitWarning)
            evaluation = evaluate(trees)
    if others and bounds.out_set is not None:
        conditions = " and ".join(map(condition_text, others.items()))
        raise ValueError(
            f"The trees with {conditions} can be listed, but not be counted, so that there is no "
            "set for --out-set: leave it out, and save one of the listed trees with choose."
        )
    return Kept(trees, evaluation, others, _looked_up(trees, evaluation, others), is_stopped)


def _looked_up(
    trees: TreeSet, evaluation: SetEvaluation, others: dict[str, dict[str, Any]]
) -> list[Tree]:
    """Return the best trees that meet conditions for which they must be looked at."""
    kept: dict[int, Tree] | None = None
    for name, given in others.items():
        found = {trees.index(tree): tree for tree in evaluation.find(name, **given)}
        kept = found if kept is None else {i: kept[i] for i in found if i in kept}
    return [] if kept is None else list(kept.values())


def save_kept(kept: Kept, out: Path | None) -> None:
    """Save the trees as a set."""
    if out is not None:
        splitsecond.save(kept.trees, out)
        say(f"wrote {out}")


def _no_tree(evaluation: SetEvaluation, name: str, given: dict[str, Any]) -> ValueError:
    found = evaluation.range(name)
    ends = f"{found.minimum:.4g} to {found.maximum:.4g}"
    return ValueError(f"No tree has {condition_text((name, given))}: on these rows, it is {ends}.")


def condition_text(condition: tuple[str, dict[str, Any]]) -> str:
    """Write a condition, such as "f1 at least 0.5"."""
    name, given = condition
    bounds = [f"{key.replace('_', ' ')} {value:.15g}" for key, value in given.items()]
    return f"{name} {' and '.join(bounds)}"
