"""A set of trees that is never listed: counted, indexed, sampled, filtered and asked as a whole."""

from __future__ import annotations

import itertools
import math
import operator
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._estimators.base import LimitWarning
from splitsecond._sets.explorer import explorer_data, explorer_page
from splitsecond._sets.graph_arrays import arrays_of, graph_of
from splitsecond._sets.timbertrek import to_timbertrek
from splitsecond._solving.exact import as_fraction, objective_of, within_bound
from splitsecond._support.checks import check_choice, check_number, check_random
from splitsecond._support.messages import listed, offered, shown, shown_number
from splitsecond._tables.binary import Table
from splitsecond._tables.bits import number_of, pack_columns
from splitsecond._tables.literals import Literal
from splitsecond._trees.pictures.figures import MOST_BARS, plot_objectives, plot_usage
from splitsecond._trees.row_counts import RowsOfGraph, RowSource
from splitsecond._trees.set_tree import TreeOfSet
from splitsecond._trees.tree import Tree, leaf_of_rows

if TYPE_CHECKING:
    from splitsecond._estimators.sets import RashomonClassifier

CHUNK = 256  # trees fetched at once while iterating
SIGNS = ("<=", "==", "is missing")  # of questions, after the name
MOST = 2**60  # beyond all leaves, levels and weights
MOST_LISTED = 1_000_000  # trees that a slice or `predict` will make

# How a search for a set can be stopped, and how the set is then shown; and why it is partial.
STOPPED = {"unproved": "partial (the best tree is not known)", "part": "partial"}
REASONS = {
    "unproved": "its search was stopped before the best tree was known, and it holds the best so "
    "far",
    "part": "its search was stopped, and trees may be missing",
}


@dataclass(frozen=True)
class Scale:
    """How the core's whole numbers relate to objectives."""

    price: Fraction  # lambda
    weight: int  # of all rows, in the core's units
    unit: float  # one of the core's units in the user's weights
    error_price: int
    leaf_price: int
    most_leaves: int
    reference: Fraction  # the objective that the bound was taken from

    def objective(self, cost: int, leaves: int) -> Fraction:
        """Return the objective of a tree of that cost."""
        errors = (cost - self.leaf_price * leaves) // self.error_price
        return objective_of(errors, leaves, self.weight, self.price)

    def cost(self, objective: Fraction) -> int:
        """Return the highest cost of a tree within an objective."""
        return within_bound(objective, self.price, self.weight, self.most_leaves)[2]


class TreeSet(Sequence[Tree]):
    """All trees of a Rashomon set, best first; they come into being one by one when asked for.

    Trees are in order of their objective; among equals, fewer leaves come first, and so on in a
    fixed order.

    Attributes
    ----------
    n_trees : int
        How many there are, exactly, however many.
    min_objective : float
        The objective of the best.
    bound : float
        The objective that none of them exceeds.
    is_partial : bool
        Whether a limit or Ctrl-C ended the search for them, so that others may be missing.
    status : str
        "complete", "partial", or "partial (the best tree is not known)".
    """

    _stopped: str | None = None  # one of STOPPED, if the set is partial

    def __init__(
        self,
        estimator: RashomonClassifier,
        graph: _core.Graph,
        scale: Scale,
        bound: Fraction,
        rows: RowSource | None,
        *,
        stopped: str | None = None,
    ) -> None:
        self._estimator = estimator  # reads tables, and knows classes and questions
        self._graph = graph
        self._scale = scale
        self._bound = bound
        self._rows = rows  # tells how many rows there are at a node; None: only weights are known
        self._stopped = stopped

    # ---- how many, and how good ------------------------------------------------------------------

    @cached_property
    def n_trees(self) -> int:
        """The exact number of trees."""
        return number_of(self._graph.n_trees())

    @property
    def bound(self) -> float:
        """The objective that no tree of the set exceeds."""
        return float(self._bound)

    @property
    def is_partial(self) -> bool:
        """Whether trees may be missing, since the search for them was stopped."""
        return self._stopped is not None

    @property
    def status(self) -> str:
        """Whether the set is "complete" or "partial", and if so whether the best tree is known."""
        return "complete" if self._stopped is None else STOPPED[self._stopped]

    @property
    def min_objective(self) -> float:
        """The objective of the best tree; NaN if there is none."""
        return next(iter(self.objective_histogram()), float("nan"))

    def objective_histogram(self) -> dict[float, int]:
        """Return the number of trees for each objective, in increasing order."""
        counted: dict[Fraction, int] = {}
        for cost, leaves, digits in self._graph.histogram():
            objective = self._scale.objective(cost, leaves)
            counted[objective] = counted.get(objective, 0) + number_of(digits)
        rounded: dict[float, int] = {}  # different objectives may be the same float
        for objective in sorted(counted):
            rounded[float(objective)] = rounded.get(float(objective), 0) + counted[objective]
        return rounded

    def objective_bins(self, max_bins: int = 12) -> list[tuple[float, float, int]]:
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
        max_bins = check_number("max_bins", max_bins, Integral, "ranges, such as 12", least=1)
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

    def __len__(self) -> int:
        n_trees = self.n_trees
        if n_trees > sys.maxsize:
            raise OverflowError(
                f"This set holds {shown_number(n_trees)} trees, more than len() can say: use "
                "n_trees; iterate, filter or sample it."
            )
        return n_trees

    def __bool__(self) -> bool:
        return self.n_trees > 0

    def __repr__(self) -> str:
        n_trees = self.n_trees
        shown = f"{shown_number(n_trees)} {'tree' if n_trees == 1 else 'trees'}"
        objectives = f"objective {self.min_objective:.4f} to {self.bound:.4f}"
        return f"<TreeSet: {', '.join([shown, objectives, *self._notes()])}>"

    def _notes(self) -> list[str]:
        """Say that the set is partial, if it is: wherever it is shown."""
        return [self.status] if self.is_partial else []

    def _warn_if_partial(self) -> None:
        if self._stopped is None:
            return
        n_trees = self.n_trees
        found = f"{shown_number(n_trees)} {'tree' if n_trees == 1 else 'trees'}"
        warnings.warn(
            f"The set is partial: {REASONS[self._stopped]}. The result is about the {found} found, "
            "not about all good trees. Fit again with higher limits or a smaller problem.",
            LimitWarning,
            stacklevel=3,
        )

    # ---- trees -----------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        n_trees = self.n_trees
        if isinstance(index, slice):
            places = range(*index.indices(n_trees))  # both know numbers of any size
            if places[MOST_LISTED : MOST_LISTED + 1]:
                raise ValueError(
                    f"The slice holds more than {MOST_LISTED:,} trees: iterate over the set, or "
                    "sample it."
                )
            return list(self._listed(places))
        try:
            place = operator.index(index)
        except TypeError:
            raise TypeError(
                f"Trees are numbered by integers or slices, got {type(index).__name__}."
            ) from None
        if not -n_trees <= place < n_trees:
            raise IndexError(
                f"There is no tree {shown(place)}: the set holds {shown_number(n_trees)}."
            )
        return TreeOfSet(self, self._graph.tree(self._words(place % n_trees)))

    def __iter__(self) -> Iterator[Tree]:
        return self._listed(range(self.n_trees))

    def sample(self, n: int, random_state: Any = None) -> list[Tree]:
        """Draw trees, each with the same chance, with replacement."""
        numbers = self._draw(n, random_state)
        return [
            tree
            for begin in range(0, len(numbers), CHUNK)
            for tree in self._fetch(numbers[begin : begin + CHUNK])
        ]

    def _draw(self, n: int, random_state: Any) -> NDArray[np.uint64]:
        """Draw numbers of trees, in the words that the core takes."""
        n_trees = self.n_trees
        if n_trees == 0:
            raise ValueError("There is no tree to draw: the set is empty.")
        n = check_number("n", n, Integral, "trees to draw", least=0, most=MOST_LISTED)
        random = check_random(random_state)
        end = self._numbers([n_trees])[0]
        top = (n_trees.bit_length() - 1) // 64  # words above it are zero
        unused = np.uint64(64 * (top + 1) - n_trees.bit_length())
        drawn = np.zeros((0, len(end)), dtype=np.uint64)
        while len(drawn) < n:
            more = np.zeros((2 * (n - len(drawn)), len(end)), dtype=np.uint64)
            for word in range(top + 1):
                more[:, word] = random.randint(0, 2**64, size=len(more), dtype=np.uint64)
            more[:, top] >>= unused
            inside = np.zeros(len(more), dtype=bool)
            for word in range(top + 1):  # from the least: what a higher word says goes before
                inside = (more[:, word] < end[word]) | ((more[:, word] == end[word]) & inside)
            drawn = np.concatenate([drawn, more[inside]])  # or else some would come more often
        return drawn[:n]

    def _numbers(self, places: Iterable[int]) -> NDArray[np.uint64]:
        """Return numbers of any size in the words that the core takes."""
        rows = [self._words(place) for place in places]
        return np.array(rows, dtype=np.uint64).reshape(-1, self._n_words)

    def _words(self, place: int) -> tuple[int, ...]:
        if self._n_words == 1:
            return (place,)
        return tuple(place >> 64 * word & 2**64 - 1 for word in range(self._n_words))

    @cached_property
    def _n_words(self) -> int:
        return int(self._graph.digits)

    def _listed(self, places: range) -> Iterator[Tree]:
        begin = 0
        while some := places[begin : begin + CHUNK]:  # a range may be longer than len() can say
            yield from self._fetch(self._numbers(some))
            begin += CHUNK

    def _fetch(self, numbers: NDArray[np.uint64]) -> list[Tree]:
        parts, ends = self._graph.trees(numbers)
        begins = [0, *ends.tolist()]
        return [TreeOfSet(self, parts[:, a:b]) for a, b in itertools.pairwise(begins)]

    @cached_property
    def _counts(self) -> NDArray[Any]:
        """Training weight of each class at each node of the graph, in the core's units."""
        counts: NDArray[Any] = self._graph.counts().reshape(-1, self._graph.n_classes)
        return counts

    # ---- smaller sets ----------------------------------------------------------------------------

    def within(self, epsilon: float) -> TreeSet:
        """Return the set for a smaller epsilon, without fitting again.

        It is what a fit with that epsilon would give. For RESPLIT that may be less than all trees
        of this set within the smaller bound, which is on prefixes whose leaves are not yet filled.
        """
        bound = self._estimator._bound_of(self._scale.reference, epsilon)
        if bound > self._bound:
            raise ValueError(
                f"epsilon={epsilon} gives the bound {float(bound):.4f}, above this set's "
                f"{self.bound:.4f}: fit again with a larger epsilon."
            )
        return self._narrowed(budget=max(-1, self._scale.cost(bound)), bound=bound)

    def filter(
        self,
        *,
        uses: Any = (),
        avoids: Any = (),
        max_leaves: int | None = None,
        max_depth: int | None = None,
        min_leaf_rows: float | None = None,
    ) -> TreeSet:
        """Return the trees that meet all conditions, as a set of the same kind.

        Parameters
        ----------
        uses, avoids : str or list of str
            Source variables (``"age"``) or questions (``"age <= 40"``) that each tree must ask
            about, every one of them; or must not.
        max_leaves, max_depth : int, optional
            Size of the trees.
        min_leaf_rows : int or float, optional
            Training rows (their weight, if they were weighted) in the smallest leaf.
        """
        min_weight = _at_least_0("min_leaf_rows", min_leaf_rows, Real)
        if min_weight is not None:
            # Units are rounded: three rows of weight 0.1 must do for 0.3.
            least = as_fraction(min_weight) / Fraction(self._scale.unit)
            min_weight = min(math.ceil(least * (1 - Fraction(1, 10**12))), MOST)
        narrowed = self._narrowed(
            avoid=self._columns(avoids),
            max_leaves=_at_least_0("max_leaves", max_leaves, Integral),
            max_depth=_at_least_0("max_depth", max_depth, Integral),
            min_weight=min_weight,
        )
        for wanted in _names(uses):
            narrowed = narrowed._narrowed(uses=self._columns(wanted))
        return narrowed

    def _narrowed(self, *, bound: Fraction | None = None, **conditions: Any) -> TreeSet:
        graph = self._graph.filtered(**conditions)
        if graph is None:
            raise KeyboardInterrupt
        return TreeSet(
            self._estimator,
            graph,
            self._scale,
            self._bound if bound is None else bound,
            rows=self._rows,
            stopped=self._stopped,
        )

    def _columns(self, named: Any) -> list[bool]:
        """Mark the 0/1 columns that ask about some variables, or are some questions."""
        names = _names(named)
        if not names:
            return []
        literals = self._estimator._literals()
        columns = self._estimator._column_names()
        marked = [False] * len(literals)
        for name in names:
            found = [
                j for j, literal in enumerate(literals) if name in (literal.name, str(literal))
            ]
            if not found and name not in columns:  # of a column there may be no questions
                raise _no_such_question(name, columns, literals)
            for j in found:
                marked[j] = True
        return marked

    # ---- what is in it ---------------------------------------------------------------------------

    def feature_usage(self, by: str = "variable") -> dict[str, int]:
        """Return how many trees ask about each variable (or each question, with ``by="question"``).

        Those that no tree asks about are left out; the most used come first.
        """
        self._warn_if_partial()
        return self._usage(by)

    def _usage(self, by: str = "variable") -> dict[str, int]:
        check_choice("by", by, ("variable", "question"))
        literals = self._estimator._literals()
        asked = [literals[j] for j in self._graph.features()]
        names = [literal.name if by == "variable" else str(literal) for literal in asked]
        everything = self.n_trees
        usage = {
            name: everything - self.filter(avoids=name).n_trees for name in dict.fromkeys(names)
        }
        used = {name: count for name, count in usage.items() if count > 0}
        return dict(sorted(used.items(), key=lambda item: -item[1]))

    def plot_objectives(self, ax: Any = None) -> Any:
        """Draw with matplotlib how many trees there are for each objective; returns the axes."""
        return plot_objectives(self.objective_bins(MOST_BARS), self.bound, ax)

    def plot_usage(self, ax: Any = None, *, by: str = "variable", most: int = 20) -> Any:
        """Draw with matplotlib the share of trees that ask about each variable; returns the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        by : "variable" or "question", default="variable"
            As for `feature_usage`.
        most : int, default=20
            Variables to show.
        """
        most = check_number("most", most, Integral, "variables to show", least=1)
        self._warn_if_partial()
        usage = list(self._usage(by).items())[:most]
        return plot_usage({name: count / self.n_trees for name, count in usage}, by, ax)

    # ---- prediction ------------------------------------------------------------------------------

    def predict(self, X: Any, indices: Any = None) -> NDArray[Any]:
        """Predict with single trees.

        Parameters
        ----------
        X : table
            As for `fit`.
        indices : sequence of int or slice, optional
            Which trees; all of them by default.

        Returns
        -------
        ndarray of shape (n_samples, number of trees)
        """
        table = self._estimator._answers(X)
        if indices is None:
            indices = slice(None)
        trees = self[indices] if isinstance(indices, slice) else [self[i] for i in indices]
        out = np.empty((table.n_rows, len(trees)), dtype=np.int64)
        for i, tree in enumerate(trees):
            leaves = leaf_of_rows(tree.feature, tree.left, tree.right, table)
            out[:, i] = tree.prediction[leaves]
        predicted: NDArray[Any] = self._estimator.classes_[out]
        return predicted

    def vote(self, X: Any) -> NDArray[np.float64]:
        """Return the share of all trees that predict each class, for each row.

        Shares are exact (rounded once, at the end), and no tree is ever made.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            A column for each class, in the order of the estimator's ``classes_``, which is that of
            every tree's ``classes``.
        """
        table = self._estimator._answers(X)
        self._warn_if_partial()
        return self._shares(table)

    def _shares(self, table: Table) -> NDArray[np.float64]:
        n_trees = self.n_trees
        if n_trees == 0:
            raise ValueError("There is no tree to vote: the set is empty.")
        asked = set(self._graph.features())
        n_columns = len(self._estimator._literals())
        votes = self._graph.vote(pack_columns(table, asked, n_columns), table.n_rows)
        if votes is None:
            raise KeyboardInterrupt
        digits = votes.reshape(table.n_rows, len(self._estimator.classes_), -1)
        if digits.shape[2] == 1:
            shares: NDArray[np.float64] = digits[:, :, 0] / float(n_trees)
            if n_trees < 2**53:
                return shares
        whole = [[number_of(cell) / n_trees for cell in row] for row in digits.tolist()]
        return np.array(whole)

    def multiplicity(self, X: Any) -> NDArray[np.float64]:
        """Return the variance of the predictions over all trees, for each row.

        With two classes and a share p for one of them it is p (1 - p), at most 1/4; with more, half
        the chance that two trees drawn from the set disagree.
        """
        table = self._estimator._answers(X)
        self._warn_if_partial()
        return _variance(self._shares(table))

    def multiplicity_summary(self, X: Any) -> dict[str, float]:
        """Sum up over the rows how much the trees disagree.

        Returns
        -------
        dict
            The mean, standard deviation ("std") and maximum ("max") of `multiplicity`, and the
            share of rows on which any two trees disagree ("disputed").
        """
        table = self._estimator._answers(X)
        self._warn_if_partial()
        shares = self._shares(table)
        variance = _variance(shares)
        return {
            "mean": float(variance.mean()),
            "std": float(variance.std()),
            "max": float(variance.max()),
            "disputed": float(np.mean((shares > 0).sum(axis=1) > 1)),
        }

    def disputed(self, X: Any) -> NDArray[np.intp]:
        """Return the rows' numbers, those that the trees disagree on most first."""
        table = self._estimator._answers(X)
        self._warn_if_partial()
        return np.argsort(-_variance(self._shares(table)), kind="stable")

    # ---- leaving ------------------------------------------------------------------------------

    def to_html(self, max_trees: int = 200) -> str:
        """Return a page on which to look through the best trees: filtered, and one by one.

        It needs nothing else, and holds no training rows. Open it in any browser.

        Parameters
        ----------
        max_trees : int, default=200
            Trees on the page; each takes some 10 kB.
        """
        return explorer_page(self.to_explorer(max_trees))

    def to_explorer(self, max_trees: int = 200) -> dict[str, Any]:
        """Return what the page of `to_html` shows, as plain values for a page of your own.

        Parameters
        ----------
        max_trees : int, default=200
            Trees to describe, the best ones.

        Returns
        -------
        dict
            ``about`` (a sentence), ``least`` (the objective of the best), ``measure`` (what
            accuracies are), ``variables`` (names), and ``trees``, a dict for each: ``number``,
            ``objective``, ``accuracy``, ``leaves``, ``depth``, ``asks`` (places among the
            variables) and ``svg``.
        """
        meaning = "trees to show, such as 200"
        max_trees = check_number("max_trees", max_trees, Integral, meaning, least=1)
        trees, n_trees = self[:max_trees], self.n_trees
        some = "All" if len(trees) == n_trees else f"The best {len(trees):,} of"
        about = f"{some} {shown_number(n_trees)} {'tree' if n_trees == 1 else 'trees'}"
        about = f"{about} with an objective of at most {self.bound:.4f}"
        return explorer_data(trees, "; ".join([about, *self._notes()]))

    def to_timbertrek(self, max_trees: int = 1000) -> dict[str, Any]:
        """Return the best trees as ``timbertrek.visualize`` takes them, for two classes."""
        meaning = "trees to show, such as 1000"
        max_trees = check_number("max_trees", max_trees, Integral, meaning, least=1)
        return to_timbertrek(self[:max_trees])

    def __getstate__(self) -> dict[str, Any]:
        derived = ("n_trees", "_counts", "_n_words")
        kept = {name: value for name, value in vars(self).items() if name not in derived}
        graph = arrays_of(self._graph)
        row_counts = None if self._rows is None else self._rows.of_graph(graph)
        # The numbers of rows, not the rows of training themselves.
        rows = self._rows if row_counts is None else RowsOfGraph(graph, row_counts)
        return {**kept, "_graph": graph, "_rows": rows}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({**state, "_graph": graph_of(state["_graph"])})


def _variance(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    ordered = np.sort(shares, axis=1)  # so that the same shares give the same sum
    variance: NDArray[np.float64] = (1 - (ordered**2).sum(axis=1)) / 2
    return np.maximum(variance, 0)


def _no_such_question(name: Any, columns: list[str], literals: list[Literal]) -> ValueError:
    begun = [each for each in columns for sign in SIGNS if str(name).startswith(f"{each} {sign}")]
    if begun:  # a question that is not among those of its variable
        variable = max(begun, key=len)
        asked = [str(literal) for literal in literals if literal.name == variable]
        names = listed([shown(question) for question in asked]) or "none"
        return ValueError(
            f"There is no variable or question {shown(name)}; questions about {shown(variable)} "
            f"are {names}."
        )
    names, hint = offered(name, sorted(columns))
    return ValueError(
        f"There is no variable or question {shown(name)}; variables are {names}.{hint}"
    )


def _names(named: Any) -> list[Any]:
    return list(named) if isinstance(named, Iterable) and not isinstance(named, str) else [named]


def _at_least_0(name: str, value: Any, kind: Any) -> Any:
    """Return a condition of a filter as the core takes it, or say what is wrong with it."""
    if value is None:
        return None
    return min(check_number(name, value, kind, "or None for any", least=0), MOST)
