"""What the trees of a set have in common: objectives, variables, shapes, and pictures of these."""

from __future__ import annotations

from fractions import Fraction
from numbers import Integral
from typing import Any

from splitsecond._sets.groups import TreeGroups, find_groups
from splitsecond._support.checks import check_choice, check_number
from splitsecond._tables.bits import number_of
from splitsecond._trees.pictures.figures import MAX_BARS, plot_objectives, plot_usage


class SetContents:
    """Methods of `TreeSet` that describe all of its trees; ``self`` is a `TreeSet`."""

    def objective_histogram(self: Any) -> dict[float, int]:
        """Return the number of trees for each objective, in increasing order."""
        counted: dict[Fraction, int] = {}
        for cost, leaves, digits in self._graph.histogram():
            objective = self._scale.objective(cost, leaves)
            counted[objective] = counted.get(objective, 0) + number_of(digits)
        rounded: dict[float, int] = {}  # different objectives may be the same float
        for objective in sorted(counted):
            rounded[float(objective)] = rounded.get(float(objective), 0) + counted[objective]
        return rounded

    def objective_bins(self: Any, max_bins: int = 12) -> list[tuple[float, float, int]]:
        """Return the number of trees in ranges of objectives of the same length.

        Parameters
        ----------
        max_bins : int, default=12
            Ranges; there are no more than different objectives.

        Returns
        -------
        list of tuple
            Where each range begins and ends, and its trees.
        """
        max_bins = check_number("max_bins", max_bins, Integral, "ranges, such as 12", minimum=1)
        histogram = self.objective_histogram()
        if not histogram:
            return []
        low, high = min(histogram), max(histogram)
        n_bins = min(max_bins, len(histogram))
        counts = [0] * n_bins  # whole numbers of any size
        for objective, n in histogram.items():
            place = int((objective - low) / (high - low) * n_bins) if high > low else 0
            counts[min(place, n_bins - 1)] += n
        step = (high - low) / n_bins
        return [(low + i * step, low + (i + 1) * step, count) for i, count in enumerate(counts)]

    def feature_usage(self: Any, by: str = "variable") -> dict[str, int]:
        """Return how many trees ask about each variable (or each question, with ``by="question"``).

        Those that no tree asks about are left out; the most used come first.
        """
        self._warn_if_partial()
        usage: dict[str, int] = self._usage(by)
        return usage

    def _usage(self: Any, by: str = "variable") -> dict[str, int]:
        check_choice("by", by, ("variable", "question"))
        literals = self._reader.literals
        asked = [literals[j] for j in self._graph.features()]
        names = [literal.name if by == "variable" else str(literal) for literal in asked]
        everything = self.n_trees
        usage = {
            name: everything - self.filter(avoids=name).n_trees for name in dict.fromkeys(names)
        }
        used = {name: count for name, count in usage.items() if count > 0}
        return dict(sorted(used.items(), key=lambda item: -item[1]))

    def groups(
        self: Any,
        X: Any = None,
        *,
        max_groups: int = 100,
        max_trees: int = 100_000,
        time_limit: float | None = None,
    ) -> TreeGroups:
        """Return the trees in groups that ask about the same variables in the same shape.

        Thresholds and categories make no difference. The set is walked through from the best tree
        on, and every tree that is the first of its kind makes a group; how many trees a group has
        is then counted exactly, without listing them.

        Parameters
        ----------
        X : table, optional
            Rows, to count in each group the trees that differ in what they predict for them.
        max_groups : int, default=100
            Groups to find.
        max_trees : int, default=100_000
            Trees to walk through; and in each group, to compare on the rows of `X`.
        time_limit : float, optional
            In seconds; the groups found until then are returned.

        Returns
        -------
        TreeGroups
            A sequence of `TreeGroup`, each with its ``trees``, another `TreeSet`. It says whether
            all trees are in it.
        """
        self._warn_if_partial()
        return find_groups(self, X, max_groups, max_trees, time_limit)

    def plot_objectives(self: Any, ax: Any = None) -> Any:
        """Draw with matplotlib how many trees there are for each objective; returns the axes."""
        return plot_objectives(self.objective_bins(MAX_BARS), self.bound, ax)

    def plot_usage(
        self: Any, ax: Any = None, *, by: str = "variable", max_variables: int = 20
    ) -> Any:
        """Draw with matplotlib the share of trees that ask about each variable; returns the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        by : "variable" or "question", default="variable"
            As for `feature_usage`.
        max_variables : int, default=20
            Variables to show.
        """
        meaning = "variables to show, such as 20"
        max_variables = check_number("max_variables", max_variables, Integral, meaning, minimum=1)
        self._warn_if_partial()
        usage = list(self._usage(by).items())[:max_variables]
        return plot_usage({name: count / self.n_trees for name, count in usage}, by, ax)
