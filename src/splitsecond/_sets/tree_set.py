"""A set of trees that is never listed: counted, indexed, sampled, filtered and asked as a whole."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._estimators.base import LimitWarning
from splitsecond._estimators.input_reader import InputReader
from splitsecond._sets.choosing import (
    call_text,
    check_condition,
    mark_features,
    min_rows,
    min_units,
    names_in,
)
from splitsecond._sets.graph_arrays import GraphArrays, arrays_of, graph_of
from splitsecond._sets.looking_up import place_of
from splitsecond._sets.monotone import monotone_condition
from splitsecond._sets.numbering import MAX_LISTED, Numbering
from splitsecond._sets.page import SetPage
from splitsecond._sets.record import REASONS, STOPPED, FitRecord
from splitsecond._sets.scale import Scale
from splitsecond._sets.set_contents import SetContents
from splitsecond._sets.set_predictions import SetPredictions
from splitsecond._sets.timbertrek import to_timbertrek
from splitsecond._support.checks import check_number
from splitsecond._support.messages import counted_trees, shown, shown_number
from splitsecond._support.names import public
from splitsecond._support.warning import warn
from splitsecond._trees.row_counts import RowSource
from splitsecond._trees.set_tree import SetTree, TreeSource
from splitsecond._trees.tree import Tree

if TYPE_CHECKING:
    from splitsecond._estimators.sets import RashomonEstimator
    from splitsecond._sets.decisions.record import DecisionRecord


@public
class TreeSet(SetContents, SetPredictions, SetPage, Sequence[Tree]):
    """All trees of a Rashomon set, best first; they come into being one by one when asked for.

    Trees are in order of their objective; among equals, fewer leaves come first, and so on in a
    fixed order.

    For losses other than "zero_one" and costs, objectives are compared with the loss of each leaf
    rounded to whole units (`unit`): the set, its bound, order and histogram are exact for these. A
    tree's own ``objective`` is not rounded.

    Attributes
    ----------
    n_trees : int
        How many there are, exactly, however many.
    min_objective : float
        The objective of the best.
    bound : float
        The objective that none of them exceeds, as the search counts it (see `unit`).
    unit : float
        What the loss of each leaf is rounded to, as a part of the objective: 2**-16, and 0 for
        "zero_one" and costs, which are exact.
    is_partial : bool
        Whether a limit or Ctrl-C ended the search for them, so that others may be missing.
    status : str
        "complete", "partial", or "partial (the best tree is not known)".
    history : list of tuple
        The estimator that found the set and the filters applied since, in order, each with the
        number of trees then left. It is saved with the set.
    """

    def __init__(
        self,
        graph: _core.Graph,
        scale: Scale,
        bound: Fraction,
        *,
        classes: NDArray[Any],
        reader: InputReader,
        rows: RowSource | None,
        record: FitRecord,
    ) -> None:
        self._graph = graph
        self._scale = scale
        self._bound = bound
        self._classes = classes
        self._reader = reader
        self._rows = rows  # tells how many rows there are at a node; None: only weights are known
        self._record = record
        self._numbering = Numbering(graph)
        self._source = TreeSource(graph, scale, rows, classes=classes, reader=reader)

    # ---- how many, and how good ------------------------------------------------------------------

    @cached_property
    def n_trees(self) -> int:
        """The exact number of trees."""
        return self._numbering.n_trees

    @property
    def bound(self) -> float:
        """The objective that no tree of the set exceeds."""
        return float(self._bound)

    @property
    def unit(self) -> float:
        """What losses of leaves are rounded to, as a part of the objective; 0: they are exact."""
        units = self._scale.units
        return 0.0 if units.loss.is_exact else float(1 / units.whole)

    @property
    def is_partial(self) -> bool:
        """Whether trees may be missing, since the search for them was stopped."""
        return self._record.stopped is not None

    @property
    def status(self) -> str:
        """Whether the set is "complete" or "partial", and if so whether the best tree is known."""
        stopped = self._record.stopped
        return "complete" if stopped is None else STOPPED[stopped]

    @property
    def min_objective(self) -> float:
        """The objective of the best tree; NaN if there is none."""
        return next(iter(self.objective_histogram()), float("nan"))

    @property
    def history(self) -> list[tuple[str, int]]:
        """What found the set and what narrowed it since, in order, with the trees then left."""
        steps = [self._record.estimator.__name__, *(step for step, _ in self._record.history)]
        return list(zip(steps, [*(n for _, n in self._record.history), self.n_trees], strict=True))

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
        objectives = f"objective {self.min_objective:.4f} to {self.bound:.4f}"
        return f"<TreeSet: {', '.join([counted_trees(self.n_trees), objectives, *self._notes()])}>"

    def _notes(self) -> list[str]:
        """Say that the set is partial, if it is: wherever it is shown."""
        return [self.status] if self.is_partial else []

    def _warn_if_partial(self) -> None:
        stopped = self._record.stopped
        if stopped is None:
            return
        found = counted_trees(self.n_trees)
        warn(
            f"The set is partial: {REASONS[stopped]}. The result is about the {found} found, "
            "not about all good trees. Fit again with higher limits or a smaller problem.",
            LimitWarning,
        )

    # ---- trees -----------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        n_trees = self.n_trees
        if isinstance(index, slice):
            places = range(*index.indices(n_trees))  # both know numbers of any size
            if places[MAX_LISTED : MAX_LISTED + 1]:
                raise ValueError(
                    f"The slice holds more than {MAX_LISTED:,} trees: iterate over the set, or "
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
        return SetTree.of(self._source, self._numbering.nodes_at(place % n_trees))

    def __iter__(self) -> Iterator[Tree]:
        return self._listed(range(self.n_trees))

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the number of a tree in this set, without listing it; ValueError if it is none.

        The tree may come from elsewhere: a filtered or a larger set, a file, another fit. It is
        looked up by its questions, its shape and what its leaves say.
        """
        place = place_of(self, value)
        if place is None or place not in range(*slice(start, stop).indices(self.n_trees)):
            raise ValueError(f"{shown(value)} is not in {self!r}.")
        return place

    def count(self, value: Any) -> int:
        """Return 1 if a tree is in this set, and 0 if not: no tree is there twice."""
        return int(value in self)

    def __contains__(self, value: object) -> bool:
        return place_of(self, value) is not None

    def sample(self, n: int, random_state: Any = None) -> list[Tree]:
        """Draw trees, each with the same probability, with replacement."""
        nodes = self._numbering.nodes_of(self._numbering.draw(n, random_state))
        return [SetTree.of(self._source, each) for each in nodes]

    def _listed(self, places: range) -> Iterator[Tree]:
        for nodes in self._numbering.nodes_in(places):
            yield SetTree.of(self._source, nodes)

    # ---- smaller sets ----------------------------------------------------------------------------

    def within(self, epsilon: float) -> TreeSet:
        """Return the set for a smaller epsilon, without fitting again.

        It is what a fit with that epsilon would give. For RESPLIT that may be less than all trees
        of this set within the smaller bound, which is on prefixes whose leaves are not yet filled.
        """
        bound = self._scale.bound(epsilon)
        if bound > self._bound:
            raise ValueError(
                f"epsilon={epsilon} gives the bound {float(bound):.4f}, above this set's "
                f"{self.bound:.4f}: fit again with a larger epsilon."
            )
        narrowed = self._narrowed(budget=max(-1, self._scale.cost(bound)), bound=bound)
        return self._after(f"within({shown(epsilon)})", narrowed)

    def filter(
        self,
        *,
        uses: Any = (),
        avoids: Any = (),
        root: Any = (),
        monotone: Mapping[str, int | str] | None = None,
        max_leaves: int | None = None,
        max_depth: int | None = None,
        min_leaf_rows: float | None = None,
        min_leaf_weight: float | None = None,
    ) -> TreeSet:
        """Return the trees that meet all conditions, as a set of the same kind.

        Parameters
        ----------
        uses, avoids : str or list of str, optional
            Source variables (``"age"``) or questions (``"age <= 40"``) that each tree must ask
            about, every one of them; or must not.
        root : str or list of str, optional
            Variables or questions, one of which each tree must ask about first. A single leaf
            asks nothing.
        monotone : dict of str to int or str, optional
            Columns with 1 or "increasing", -1 or "decreasing": raising the column never turns a
            prediction of the second class into one of the first (decreasing: the other way round);
            0 is for any. See the notes.
        max_leaves, max_depth : int, optional
            Size of the trees.
        min_leaf_rows : int or float, optional
            Training rows in the smallest leaf, whatever their weights; those of weight 0 played no
            part and do not count.
        min_leaf_weight : int or float, optional
            Training weight in the smallest leaf.

        Notes
        -----
        `monotone` is for two classes, and for columns of numbers, ordered categories or 0 and 1.
        Trees pass if at every split on an increasing column the side of the lower values is a leaf
        that predicts the first class, or the side of the higher values a leaf that predicts the
        second one. That is sufficient, but not necessary: trees that fail may be monotone, too. It
        says nothing of probabilities. It is about two known values: a missing one answers no, which
        puts it with the higher values at ``"income <= 40"`` and with the 0 of a 0/1 column, and
        ``"income is missing"`` may be asked anywhere.
        """
        uses, avoids, root = names_in(uses), names_in(avoids), names_in(root)
        step = call_text(
            "filter",
            uses=uses,
            avoids=avoids,
            root=root,
            monotone=monotone,
            max_leaves=max_leaves,
            max_depth=max_depth,
            min_leaf_rows=min_leaf_rows,
            min_leaf_weight=min_leaf_weight,
        )
        narrowed = self._narrowed(
            avoid=mark_features(self._reader, avoids),
            root=mark_features(self._reader, root),
            **monotone_condition(self._reader, monotone, self._classes, self._source.labels),
            max_leaves=check_condition("max_leaves", max_leaves, Integral),
            max_depth=check_condition("max_depth", max_depth, Integral),
            min_weight=min_units(min_leaf_weight, self._scale.unit),
            **min_rows(min_leaf_rows, self._rows, self._graph),
        )
        for wanted in uses:
            narrowed = narrowed._narrowed(uses=mark_features(self._reader, wanted))
        return self._after(step, narrowed)

    def _after(self, step: str | None, narrowed: TreeSet) -> TreeSet:
        """Let a set that comes of this one remember how."""
        if step is not None:
            narrowed._record = self._record.then(step, self.n_trees)
        return narrowed

    def _narrowed(self, *, bound: Fraction | None = None, **conditions: Any) -> TreeSet:
        graph = self._graph.filtered(**conditions)
        if graph is None:
            raise KeyboardInterrupt
        return self._of_graph(graph, bound)

    def _of_graph(self, graph: _core.Graph, bound: Fraction | None = None) -> TreeSet:
        """Return some of the trees as a set."""
        return TreeSet(
            graph,
            self._scale,
            self._bound if bound is None else bound,
            classes=self._classes,
            reader=self._reader,
            rows=self._rows,
            record=self._record,
        )

    # ---- the choice of one ---------------------------------------------------------------------

    def record(
        self,
        tree: Tree | int,
        X: Any = None,
        y: Any = None,
        *,
        groups: Any = None,
        costs: Any = None,
        sample_weight: Any = None,
        positive: Any = None,
        X_train: Any = None,
        y_train: Any = None,
        chosen_by: str | None = None,
        reason: str | None = None,
        title: str | None = None,
        data_name: str | None = None,
        date: Any = None,
        max_disputed: int = 10,
        columns: str | Sequence[str] = (),
        max_trees: int = 10_000,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> DecisionRecord:
        """Record the choice of a tree: what was searched, how it compares, who chose and why.

        The record is a document, to be printed or saved as HTML or Markdown. Given the same set,
        tables and date, it is the same letter by letter.

        Parameters
        ----------
        tree : Tree or int
            The chosen tree, or its number in the set.
        X, y : table and array-like, optional
            Rows and their classes or numbers, such as held-out ones, that the set is evaluated on.
            With X alone, only disputed rows are shown.
        groups, costs, sample_weight, positive, max_trees, time_limit, memory_limit
            As for `evaluate`.
        X_train, y_train : table and array-like, optional
            The training rows, whose fingerprints are recorded, and which are compared with the
            numbers of rows in the leaves. The set does not keep them.
        chosen_by, reason : str, optional
            Who chose, and why.
        title, data_name : str, optional
            Of the document, and of the data.
        date : date or str, optional
            By default today.
        max_disputed : int, default=10
            Rows to list on which the trees disagree most.
        columns : str or list of str
            Columns of X to show of these rows; by default only their number, since what is in a
            row may be about a person.

        Returns
        -------
        DecisionRecord

        Examples
        --------
        >>> import numpy as np
        >>> from splitsecond import TreeFARMS
        >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
        >>> y = X[:, 0] | X[:, 1]
        >>> trees = TreeFARMS(regularization=0.05, epsilon=0.1, max_depth=2).fit(X, y).trees_
        >>> trees.record(0, X, y, chosen_by="the model board", date="2026-01-31")
        <DecisionRecord: tree 0 of 2 trees, 2026-01-31>
        """
        from splitsecond._sets.decisions.choice import Words
        from splitsecond._sets.decisions.record import record_of

        texts = {"chosen_by": chosen_by, "reason": reason, "title": title, "data_name": data_name}
        words = Words.of(date, **texts)
        self._warn_if_partial()
        return record_of(
            self,
            tree,
            X,
            y,
            X_train=X_train,
            y_train=y_train,
            words=words,
            max_disputed=max_disputed,
            columns=columns,
            groups=groups,
            costs=costs,
            sample_weight=sample_weight,
            positive=positive,
            max_trees=max_trees,
            time_limit=time_limit,
            memory_limit=memory_limit,
        )

    # ---- leaving ------------------------------------------------------------------------------

    def to_timbertrek(self, max_trees: int = 1000) -> dict[str, Any]:
        """Return the best trees as ``timbertrek.visualize`` takes them, for two classes."""
        meaning = "trees to show, such as 1000"
        max_trees = check_number("max_trees", max_trees, Integral, meaning, minimum=1)
        return to_timbertrek(self[:max_trees])

    def to_classifier(self, index: int = 0) -> RashomonEstimator:
        """Return the fitted classifier that found the set, to predict with one of the trees.

        It has this set as its `trees_` and the chosen tree as its `tree_`; `save`, pipelines and
        scikit-learn's tools take it. Fitted again, as in a cross-validation, it searches for a set
        again and predicts with the best tree: `Tree.to_classifier` keeps the chosen one, without
        its set.

        Parameters
        ----------
        index : int, default=0
            Which tree; the best by default.
        """
        if self._scale.units.loss.is_of_numbers:
            raise ValueError("The trees predict numbers, and not classes: use to_regressor.")
        return self._estimator(index)

    def to_regressor(self, index: int = 0) -> RashomonEstimator:
        """Return the fitted regressor that found the set, to predict with one of the trees.

        It is to a set of trees that predict numbers what `to_classifier` is to one of classes.

        Parameters
        ----------
        index : int, default=0
            Which tree; the best by default.
        """
        if not self._scale.units.loss.is_of_numbers:
            raise ValueError("The trees predict classes, and not numbers: use to_classifier.")
        return self._estimator(index)

    def _estimator(self, index: int) -> RashomonEstimator:
        """Return the fitted estimator that found the set, to predict with one of the trees."""
        return self._record.estimator._of_set(self, self[operator.index(index)])

    def __reduce__(self) -> Any:
        graph = arrays_of(self._graph)
        # The numbers of rows, not the rows of training themselves.
        rows = None if self._rows is None else self._rows.without_rows(graph)
        others = {"classes": self._classes, "reader": self._reader, "record": self._record}
        return _of_arrays, (graph, self._scale, self._bound, {**others, "rows": rows})


@public
def _of_arrays(
    arrays: GraphArrays, scale: Scale, bound: Fraction, others: dict[str, Any]
) -> TreeSet:
    return TreeSet(graph_of(arrays), scale, bound, **others)
