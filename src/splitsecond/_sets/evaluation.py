"""Second criteria over a whole set: its trees on given rows, by group, and against the objective.

What is additive is worked out by the core on the graph of the set, without listing trees. It is
worked out when it is asked for, and kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from splitsecond._estimators.base import LimitWarning
from splitsecond._sets.answers import Answers
from splitsecond._sets.choosing import call_text
from splitsecond._sets.criteria import Criterion, Leaves
from splitsecond._sets.evaluated_rows import EvaluatedRows, catalogue_of
from splitsecond._sets.evaluation_results import (
    ENDS,
    CriterionRange,
    FrontierPoint,
    condition_of,
    table_lines,
    undefined,
)
from splitsecond._sets.limits import Limits
from splitsecond._sets.set_walk import SetWalk
from splitsecond._solving.solve import whole_bytes
from splitsecond._support.checks import check_choice, check_limit, check_number
from splitsecond._support.frames import frame_of
from splitsecond._support.messages import counted_trees, shown
from splitsecond._support.names import public
from splitsecond._support.warning import warn
from splitsecond._trees.pictures.evaluations import plot_criterion_frontier, plot_criterion_ranges
from splitsecond._trees.tree import Tree

if TYPE_CHECKING:
    from splitsecond._sets.tree_set import TreeSet

MAX_TREES = 10_000  # that are looked at, by default
SHARE_OF_CORE = 0.8  # of the time; the rest is for looking at trees if that was not enough
OTHER_UNITS = ("cost", "log_loss")  # than shares of rows; of classes


@public
class SetEvaluation:
    """The trees of a set on given rows: error, costs, rates and gaps between groups.

    For trees that predict numbers: mean losses ("squared_error", "absolute_error", for a Poisson
    loss also "poisson_deviance"), the share of the loss that is explained ("r2"; "d2" for Poisson)
    and "bias", the mean of predicted minus actual numbers.

    Made by `TreeSet.evaluate`. *Additive* criteria are sums over the leaves of a tree: error,
    accuracy, cost, Brier score, log-loss, rates, all criteria of numbers, each also by group, and
    their signed differences between groups. For these, minimum, maximum, mean, the trees that
    attain them and the frontier against the training objective are exact over all trees, and no
    tree is listed.
    Others ("f1", "roc_auc", and the absolute gaps between groups that fairlearn has) are exact for
    any given tree; over the set, they are of the best trees, which are looked at one by one.

    Everything is worked out when it is asked for, and kept. Limits are those of each question.
    ``print`` shows the ranges of all criteria.

    Choosing a tree by its value on some rows makes that value too good: choose on validation rows,
    and report the value on test rows that played no part in the choice.

    Attributes
    ----------
    criteria : tuple of str
        Names: "error" is of all rows, "error[sex=F]" of a group, "error[sex=F - M]" the
        difference of two groups, "error[job=cook - rest]" that of a group and all other rows (for
        more than two groups). Differences of any two groups can be asked for.
        "demographic_parity_difference[sex]" is the largest absolute gap.
    n_rows : int
        How many rows the trees are evaluated on.
    """

    def __init__(
        self,
        trees: TreeSet,
        rows: EvaluatedRows,
        *,
        costs: Any = None,
        positive: Any = None,
        max_trees: int = MAX_TREES,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> None:
        if not trees:
            raise ValueError("There is no tree to evaluate: the set is empty.")
        meaning = "trees to look at, such as 10000"
        n_looked_at = check_number("max_trees", max_trees, Integral, meaning, minimum=1)
        seconds = check_limit("time_limit", time_limit, "seconds")
        self._limits = Limits(seconds, whole_bytes(memory_limit), SHARE_OF_CORE)
        self._options = {
            "costs": costs,
            "positive": positive,
            "max_trees": max_trees,
            "time_limit": time_limit,
            "memory_limit": memory_limit,
        }
        self._trees = trees
        self._rows = rows
        self._catalogue = catalogue_of(trees, rows, costs, positive)
        self._walk = SetWalk(trees, rows)
        self._answers = Answers(self._walk, n_looked_at)
        self._ranges: dict[str, CriterionRange] = {}

    @property
    def criteria(self) -> tuple[str, ...]:
        """The names of the criteria."""
        return self._catalogue.names

    @property
    def n_rows(self) -> int:
        """How many rows the trees are evaluated on."""
        rows = self._rows
        return rows.n_rows if rows.counted is None else rows.counted

    def is_additive(self, name: str) -> bool:
        """Tell whether a criterion is additive, so that it is exact over all trees."""
        return isinstance(self._catalogue.get(name), Criterion)

    # ---- over the set ----------------------------------------------------------------------------

    def range(self, name: str) -> CriterionRange:
        """Return the minimum, maximum and mean of a criterion over the set.

        Returns
        -------
        CriterionRange
            With ``minimum``, ``maximum`` and ``mean``, ``minimum_tree`` and ``maximum_tree``, which
            attain them, ``is_exact``, and ``tree_0``, the value of the first tree of the set. If a
            limit was met, ``kind`` is "bounds": no tree is outside of ``minimum`` and ``maximum``;
            ``found_minimum`` and ``found_maximum`` are of the ``n_looked_at`` best trees. For
            criteria that are not additive, ``kind`` is "found", and all is of these trees. Where
            there are no rows that the criterion is about, it is "undefined", and all is NaN.
        """
        criterion = self._catalogue.get(name)
        if name not in self._ranges:
            found = self._answers.range(criterion, self._limits.start())
            first = float(criterion.of_leaves(self._first_leaves)[0])
            of_numbers = self._rows.numbers is not None
            self._ranges[name] = replace(found, tree_0=first, is_of_numbers=of_numbers)
        return self._ranges[name]

    def best(self, name: str) -> Tree:
        """Return the tree with the best value: the minimum, or the maximum where more is better.

        More is better for accuracies, true rates, "f1" and "roc_auc". Selection rates and signed
        differences have no better end, and the tree is that of the minimum: see `range` for both
        ends, and `filter` for trees whose difference is near 0.
        """
        return self._end(name, better=True)

    def worst(self, name: str) -> Tree:
        """Return the tree with the worst value, the opposite of `best`."""
        return self._end(name, better=False)

    def frontier(self, name: str, end: str | None = None) -> list[FrontierPoint]:
        """Return the trees that no other tree beats in both objective and criterion.

        Parameters
        ----------
        name : str
            The criterion.
        end : "minimum" or "maximum", optional
            Whether low or high values are wanted; by default, what is better (see `best`).

        Returns
        -------
        list of tuple
            ``(objective, value, tree)`` in increasing order of the training objective, as the set
            counts it. Each has a better value than all trees with a lower objective, and the last
            one has the best of all. If a limit was met, values are bounds without trees, which a
            `LimitWarning` says. For a criterion that is not additive, they are of the trees looked
            at.
        """
        criterion = self._catalogue.get(name)
        if end is None:
            end = "maximum" if criterion.greater_is_better else "minimum"
        check_choice("end", end, ENDS)
        return self._answers.frontier(criterion, end, self._limits.start())

    def filter(self, name: str, *, at_most: Any = None, at_least: Any = None) -> TreeSet:
        """Return the trees whose value is at most, or at least, some number: all, and counted.

        For additive criteria. A gap between groups that is near 0 is ``at_least=-0.05,
        at_most=0.05`` of a signed difference.

        Returns
        -------
        TreeSet
            It can be filtered and evaluated again. `RuntimeError` if it does not fit the limits;
            `find` then lists some of the trees.
        """
        criterion = self._catalogue.get(name)
        low, high = condition_of(at_most, at_least)
        if not isinstance(criterion, Criterion):
            raise ValueError(
                f"{shown(name)} is not additive, so its trees cannot be counted without looking at "
                "each: evaluation.find(...) lists those among the best trees."
            )
        if not criterion.is_defined:
            raise undefined(name)
        found: TreeSet | None = self._trees
        clock = self._limits.start()
        if high is not None:
            found = self._walk.at_most(criterion, criterion.highest_raw(high), clock)
        if low is not None and found:
            walk = self._walk if high is None else SetWalk(found, self._rows)
            bound = criterion.highest_raw(-low, negated=True)
            found = walk.at_most(criterion, bound, clock, negated=True)
        if found is None:
            raise RuntimeError(
                f"The trees with {shown(name)} within this bound do not fit the limits: raise "
                "time_limit and memory_limit, or list some of them with evaluation.find(...)."
            )
        on_rows = f"evaluate({self.n_rows:,} rows).filter"
        step = call_text(on_rows, name=name, at_least=at_least, at_most=at_most)
        return self._trees._after(step, found)

    def find(
        self,
        name: str,
        *,
        at_most: Any = None,
        at_least: Any = None,
        max_trees: int | None = None,
    ) -> list[Tree]:
        """Return trees whose value is at most, or at least, some number, best objective first.

        Trees are looked at one by one, up to the ``max_trees`` of the evaluation and its time
        limit; a `LimitWarning` says if there are others.

        Parameters
        ----------
        name : str
            Any criterion, also one that is not additive.
        at_most, at_least : float, optional
            What is asked for.
        max_trees : int, optional
            How many are wanted.
        """
        criterion = self._catalogue.get(name)
        low, high = condition_of(at_most, at_least)
        if max_trees is not None:
            max_trees = check_number("max_trees", max_trees, Integral, "trees wanted", minimum=0)
        looked = self._answers.look(self._limits.start())
        values = criterion.of_leaves(looked.leaves)
        meets = ~np.isnan(values)
        if high is not None:
            meets &= values <= high
        if low is not None:
            meets &= values >= low
        places = np.flatnonzero(meets)[:max_trees]
        is_enough = max_trees is not None and len(places) == max_trees
        if len(values) < self._trees.n_trees and not is_enough:
            warn(
                f"Only the best {len(values):,} trees were looked at: others of the set may meet "
                "the condition. evaluation.filter counts them all, for additive criteria.",
                LimitWarning,
            )
        return [self._walk.tree(looked.nodes[place]) for place in places.tolist()]

    # ---- tables and pictures ---------------------------------------------------------------------

    def to_frame(
        self,
        trees: Tree | Iterable[Tree],
        names: str | Sequence[str] | None = None,
        library: str = "pandas",
    ) -> Any:
        """Return the criteria of given trees as a data frame, a row for each.

        Parameters
        ----------
        trees : Tree or list of Tree
            Trees of the set, such as ``trees[:100]``.
        names : str or list of str, optional
            Which criteria; all of them by default.
        library : "pandas" or "polars", default="pandas"
            Whose data frame.
        """
        given = [trees] if isinstance(trees, Tree) else list(trees)
        values = self._values_of(given, names)  # refuses what is no tree of the set
        columns: dict[str, Any] = {
            "objective": [float(tree.objective) for tree in given],
            "n_leaves": [tree.n_leaves for tree in given],
            **values,
        }
        return frame_of(columns, library)

    def _values_of(
        self, given: Sequence[Tree], names: str | Sequence[str] | None = None
    ) -> dict[str, Any]:
        """Return the value of each criterion, or of those named, for each of some trees."""
        leaves = self._rows.leaves_of(given, self._trees._source) if given else None
        return {
            name: [] if leaves is None else self._catalogue.get(name).of_leaves(leaves)
            for name in self._names(names)
        }

    def summary(self, names: str | Sequence[str] | None = None, library: str = "pandas") -> Any:
        """Return the ranges of criteria as a data frame, a row for each.

        Its columns are ``criterion``, ``minimum``, ``mean``, ``maximum``, ``tree_0`` (the value of
        the first tree of the set, which has the minimum objective) and ``kind`` (see `range`).

        Parameters
        ----------
        names : str or list of str, optional
            Which criteria; all of them by default.
        library : "pandas" or "polars", default="pandas"
            Whose data frame.
        """
        ranges = [self.range(name) for name in self._names(names)]
        columns: dict[str, Any] = {"criterion": [each.name for each in ranges]}
        for part in ("minimum", "mean", "maximum", "tree_0", "kind"):
            columns[part] = [getattr(each, part) for each in ranges]
        return frame_of(columns, library)

    def plot_frontier(self, name: str, ax: Any = None) -> Any:
        """Draw with matplotlib a criterion against the training objective; returns the axes.

        Shown are the lowest and the highest value that trees up to each objective have.
        """
        fronts = {end: self.frontier(name, end) for end in ENDS}
        return plot_criterion_frontier(name, fronts, self.range(name), ax)

    def plot_ranges(self, names: str | Sequence[str] | None = None, ax: Any = None) -> Any:
        """Draw with matplotlib the minimum, mean and maximum of criteria; returns the axes.

        Parameters
        ----------
        names : str or list of str, optional
            Which; by default all that are additive, except costs and log-loss, which have other
            units than the rest. For numbers, the mean loss that the trees were fitted for.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        """
        if names is None:
            names = [name for name in self.criteria if self._is_comparable(name)]
        return plot_criterion_ranges([self.range(name) for name in self._names(names)], ax)

    def __repr__(self) -> str:
        n_trees = self._trees.n_trees
        about = [
            counted_trees(n_trees),
            f"{self.n_rows:,} rows",
            f"{len(self.criteria)} criteria",
            *self._trees._notes(),
        ]
        known = [self._ranges[name] for name in self.criteria if name in self._ranges]
        return "\n".join([f"<SetEvaluation: {', '.join(about)}>", *table_lines(known)])

    def __str__(self) -> str:
        for name in self.criteria:
            self.range(name)
        return repr(self)

    def __getstate__(self) -> Any:
        # What the core has walked stays here; it is walked again when needed.
        return self._trees, self._rows, self._options

    def __setstate__(self, state: Any) -> None:
        trees, rows, options = state
        SetEvaluation.__init__(self, trees, rows, **options)

    # ---- how it is worked out --------------------------------------------------------------------

    def _exact_ends(self) -> dict[str, tuple[float, float]]:
        """Return minimum and maximum of the additive criteria, of as many as the time allows."""
        ends: dict[str, tuple[float, float]] = {}
        clock = self._limits.start()  # one for all
        for name in self.criteria:
            criterion = self._catalogue.get(name)
            if not isinstance(criterion, Criterion) or not criterion.is_defined:
                continue
            found = self._answers.exact_ends(criterion, clock)
            if found is None:
                break
            ends[name] = found
        return ends

    @cached_property
    def _first_leaves(self) -> Leaves:
        return self._rows.leaves_of(self._trees[:1], self._trees._source)

    def _names(self, names: str | Sequence[str] | None) -> Sequence[str]:
        """Return the criteria that are asked for: all, one or some."""
        if names is None:
            return self.criteria
        return [names] if isinstance(names, str) else names

    def _end(self, name: str, *, better: bool) -> Tree:
        found = self.range(name)
        if found.minimum_tree is None or found.maximum_tree is None:
            raise undefined(name)
        more = self._catalogue.get(name).greater_is_better
        return found.maximum_tree if more is better else found.minimum_tree

    def _is_comparable(self, name: str) -> bool:
        """Whether a criterion has the unit that most have, or for numbers, the first one's."""
        criterion = self._catalogue.get(name)
        if not isinstance(criterion, Criterion):
            return False
        if self._rows.numbers is not None:
            first = self._catalogue.get(self.criteria[0])
            return isinstance(first, Criterion) and criterion.metric is first.metric
        return criterion.metric.name not in OTHER_UNITS
