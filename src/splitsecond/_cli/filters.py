"""Conditions on the trees of a set, as options, and the trees that meet them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from splitsecond._cli import options as o
from splitsecond._cli.values import monotone_of
from splitsecond._support.messages import listed, shown_number

if TYPE_CHECKING:
    from splitsecond import TreeSet


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Which trees of a set are wanted."""

    PANEL: ClassVar[str] = "Trees"  # of the help

    @property
    def is_empty(self) -> bool:
        """Whether every tree is wanted."""
        return not any(
            getattr(self, each.name) not in (None, []) for each in dataclasses.fields(self)
        )

    uses: Annotated[
        list[str], o.several("NAME", "Keep only trees that use a variable or a question")
    ]
    avoid: Annotated[
        list[str], o.several("NAME", "Leave out trees that use a variable or a question")
    ]
    root: Annotated[
        list[str],
        o.several(
            "NAME",
            "Keep only trees whose first question is this one, or about this variable, for any of "
            "those given",
        ),
    ]
    monotone: Annotated[
        list[Any],  # pairs of a column and a direction
        o.several(
            "COL=SIGN",
            "Keep only trees in which raising a column never turns the second of two classes into "
            "the first (+), such as income=+, or the other way round (-), such as debts=-",
            parser=monotone_of,
        ),
    ]
    max_leaves: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Maximum leaves of a tree.")
    ] = None
    min_leaf_rows: Annotated[
        float | None,
        typer.Option(metavar="N", min=0, help="Minimum training rows in a leaf."),
    ] = None
    min_leaf_weight: Annotated[
        float | None,
        typer.Option(metavar="N", min=0, help="Minimum weight of the training rows in a leaf."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SetFilters(Filters):
    """Which trees of a set in a file are wanted; where trees are fitted, they have a depth."""

    max_depth: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Maximum depth of a tree.")
    ] = None


def meeting(trees: TreeSet, filters: Filters) -> TreeSet:
    """Return the trees of a set that meet all conditions; there must be some."""
    given = {each.name: getattr(filters, each.name) for each in dataclasses.fields(filters)}
    directions = _directions(given.pop("monotone"))
    found = trees.filter(avoids=given.pop("avoid"), monotone=directions, **given)
    if not found:
        n_trees = trees.n_trees
        which = "The only tree" if n_trees == 1 else f"None of the {shown_number(n_trees)} trees"
        verb = "does not meet" if n_trees == 1 else "meets"
        raise ValueError(
            f"{which} of the set {verb} all of the conditions "
            f"{listed([f'{name} {value}' for name, value in _conditions(filters)])}. Leave one "
            "out, or find a larger set with rashomon --epsilon."
        )
    return found


def _directions(given: list[tuple[str, int]]) -> dict[str, int]:
    """Return the direction of each column; there is one."""
    directions = dict(given)
    if len(directions) < len(given):
        twice = next(name for i, (name, _) in enumerate(given) if name in dict(given[:i]))
        raise ValueError(f"--monotone gives the direction of {twice!r} twice.")
    return directions


def _conditions(filters: Filters) -> list[tuple[str, Any]]:
    """Return the options that were given, each with its value."""
    given: list[tuple[str, Any]] = [("--uses", repr(name)) for name in filters.uses]
    given += [("--avoid", repr(name)) for name in filters.avoid]
    given += [("--root", repr(name)) for name in filters.root]
    signs = {1: "+", -1: "-"}
    given += [("--monotone", repr(f"{name}={signs[each]}")) for name, each in filters.monotone]
    limits = [
        each.name for each in dataclasses.fields(filters) if each.name[:4] in ("max_", "min_")
    ]
    known = [(name, getattr(filters, name)) for name in limits]
    return given + [
        (f"--{name.replace('_', '-')}", f"{limit:.15g}")
        for name, limit in known
        if limit is not None
    ]
