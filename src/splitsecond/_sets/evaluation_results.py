"""What an evaluation of a set answers: ranges of criteria, and points of a frontier."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from splitsecond._estimators.base import LimitWarning
from splitsecond._support.checks import number_of
from splitsecond._support.messages import aligned, shown
from splitsecond._support.warning import warn
from splitsecond._trees.tree import Tree

ENDS = ("minimum", "maximum")


@dataclass(frozen=True)
class CriterionRange:
    """What a criterion is over a set.

    Attributes
    ----------
    name : str
        The criterion.
    kind : str
        "exact": of all trees of the set; of a partial set, those are the trees that its search
        found. "bounds": a limit was met, and no tree is below `minimum` or above `maximum`.
        "found": of the `n_looked_at` best trees, which were looked at one by one. "undefined":
        there are no rows that it is about.
    minimum, maximum, mean : float
        As `kind` says; the mean is NaN where it is not known.
    found_minimum, found_maximum : float
        The minimum and maximum of trees that are known: `minimum_tree` and `maximum_tree`.
    minimum_tree, maximum_tree : Tree or None
        Trees that attain them; among equals, one with the minimum objective.
    n_looked_at : int
        Trees that were looked at; 0 if all are covered exactly.
    tree_0 : float
        The value of the first tree of the set, which has the minimum objective.
    is_of_numbers : bool
        Whether the trees predict numbers.
    """

    name: str
    kind: str
    minimum: float = math.nan
    maximum: float = math.nan
    mean: float = math.nan
    found_minimum: float = math.nan
    found_maximum: float = math.nan
    minimum_tree: Tree | None = None
    maximum_tree: Tree | None = None
    n_looked_at: int = 0
    tree_0: float = math.nan
    is_of_numbers: bool = False  # of any size, so that digits are counted from the first

    def shown(self, value: float) -> str:
        """Write a value of the criterion."""
        if math.isnan(value):
            return "-"
        return f"{value:.4g}" if self.is_of_numbers else f"{value:.4f}"

    @property
    def is_exact(self) -> bool:
        """Whether it is proved to be of all trees of the set; a partial set is what was found."""
        return self.kind == "exact"

    @property
    def note(self) -> str:
        """How far it can be trusted, in words; nothing if it is exact."""
        n = self.n_looked_at
        looked = "of the only tree looked at" if n == 1 else f"among the {n:,} trees looked at"
        if self.kind == "bounds":
            return f"bounds; {self.found_minimum:.4g} to {self.found_maximum:.4g} {looked}"
        if self.kind == "found":
            return looked
        return "no rows" if self.kind == "undefined" else ""

    def __repr__(self) -> str:
        parts = [f"{self.minimum:.4g} to {self.maximum:.4g}, mean {self.mean:.4g}", self.note]
        return f"<{self.name}: {', '.join(filter(None, parts))}>"


class FrontierPoint(NamedTuple):
    """A tree that no other beats in both the training objective and a criterion."""

    objective: float
    value: float
    tree: Tree | None  # None: a limit was met, and the value is a bound


def table_lines(ranges: Sequence[CriterionRange]) -> list[str]:
    """Write ranges as a table."""
    if not ranges:
        return []
    rows = [["criterion", "minimum", "mean", "maximum", "tree 0", ""]]
    for each in ranges:
        numbers = (each.minimum, each.mean, each.maximum, each.tree_0)
        rows.append([each.name, *map(each.shown, numbers), each.note])
    return aligned(rows, left=(0, len(rows[0]) - 1))


def condition_of(at_most: Any, at_least: Any) -> tuple[float | None, float | None]:
    """Return the conditions of a filter, of which there must be one: at least, at most."""
    if at_most is None and at_least is None:
        raise ValueError("Give at_most or at_least, such as at_most=0.2.")
    found: list[float | None] = []
    for name, value in (("at_least", at_least), ("at_most", at_most)):
        number = None if value is None else number_of(value)
        if value is not None and (number is None or math.isnan(number)):
            raise ValueError(f"{name}={shown(value)} must be a number, such as 0.2.")
        found.append(None if number is None else float(number))
    return found[0], found[1]


def undefined(name: str) -> ValueError:
    """Return the error for a criterion without a value."""
    return ValueError(f"{shown(name)} is not defined: there are no rows that it is about.")


def warn_of_bounds(name: str) -> None:
    """Warn that a limit was met."""
    warn(
        f"Stopped at a limit: what is said of {shown(name)} over the whole set are bounds, which "
        "no tree is beyond. Try a higher time_limit or memory_limit, fewer rows, or a smaller set.",
        LimitWarning,
    )
