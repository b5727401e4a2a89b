"""Rashomon sets as scikit-learn estimators: all near-optimal trees, exactly or by RESPLIT."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._binarizers.base import Target
from splitsecond._estimators.base import (
    LimitWarning,
    TreeEstimator,
    progress_of,
    status_of_fit,
)
from splitsecond._estimators.classifiers import TreeClassifier
from splitsecond._estimators.limits_text import stopped_text
from splitsecond._estimators.parameters import with_parameters
from splitsecond._estimators.regressors import TreeRegressor
from splitsecond._sets.numbering import Numbering
from splitsecond._sets.record import FitRecord
from splitsecond._sets.scale import EPSILON_KINDS, Scale, bound_of, check_epsilon
from splitsecond._sets.tree_set import TreeSet
from splitsecond._solving.solve import Problem, Solution, refusal, run_options, statistics_of
from splitsecond._solving.units import SET_BITS
from splitsecond._support.checks import check_choice, check_flag, check_number
from splitsecond._support.names import public
from splitsecond._support.warning import warn
from splitsecond._tables.binary import Table, keep_columns
from splitsecond._tables.errors import NotBinaryError
from splitsecond._trees.row_counts import RowsOfNumbers, row_source
from splitsecond._trees.tree import NO_CLASSES, Tree


@dataclass(frozen=True)
class SetSolution(Solution):
    """A set of trees as the core found it; what a `Solution` has is that of its best tree."""

    graph: _core.Graph
    scale: Scale
    bound: Fraction
    proved: bool  # whether the objective that the bound was taken from is that of the best tree
    integers: NDArray[np.int32] | None  # the weights of the rows, as the core counts them


class FittedSet:
    """What a fit sets, besides what that of a single tree does."""

    trees_: TreeSet


@with_parameters
class RashomonEstimator(FittedSet, TreeEstimator):
    """What RESPLIT and TreeFARMS share. `predict` and the like are those of the best tree."""

    _max_columns = 500

    epsilon: float | Fraction = 0.01
    epsilon_kind: str = "additive"
    keep_trivial: bool = False

    def __str__(self) -> str:
        if not hasattr(self, "trees_"):
            return repr(self)
        return f"{self.trees_!r}\nthe best of them:\n{super().__str__()}"

    # ---- steps of fit --------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("epsilon_kind", self.epsilon_kind, EPSILON_KINDS)
        check_epsilon(self.epsilon)
        check_flag("keep_trivial", self.keep_trivial)

    def _lookahead(self, depth: int) -> int | None:
        """Return the depth of the prefixes; None: all trees are wanted."""
        raise NotImplementedError

    def _solve(self, table: Table, target: Target) -> SetSolution | NotBinaryError:
        run = run_options(
            table,
            time_limit=target.time_left(),
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
            progress=progress_of(self.verbose),
        )
        problem = Problem.of(
            table,
            target.codes,
            target.n_classes,
            target.weights,
            regularization=self.regularization,
            max_depth=int(self.max_depth),
            loss=target.loss,
            numbers=target.numbers,
            unit_bits=SET_BITS,
            run=run,
            merged=target.merged,
        )

        def bound(loss: int, leaves: int) -> int:
            reference = problem.counted(loss, leaves)
            highest = bound_of(reference, self.epsilon, self.epsilon_kind)
            return problem.units.highest_cost(highest, problem.price, problem.max_leaves)

        request = _core.SetRequest(
            problem.core_objective(),
            max_depth=problem.depth,
            lookahead=self._lookahead(problem.depth),
            keep_trivial=bool(self.keep_trivial),
            exact_last_split=bool(getattr(self, "exact_last_split", False)),
            bound=bound,
            min_leaf_rows=self._min_leaf_rows(table, target),
            run=run,
            speed=_core.Speed(),
        )
        found = _core.find_set(problem.rows.table.core(), problem.rows.target, request)
        refused = refusal(table, found)
        if refused is not None:
            return refused
        scale = Scale(
            price=problem.price,
            units=problem.units,
            weight=problem.rows.weight,
            unit=problem.rows.weight_unit,
            loss_price=problem.loss_price,
            leaf_price=problem.leaf_price,
            max_leaves=problem.max_leaves,
            reference=problem.counted(found.loss, found.leaves),
            epsilon_kind=self.epsilon_kind,
        )
        return self._solution(table, target, found, scale, problem)

    def _solution(
        self, table: Table, target: Target, found: _core.FoundSet, scale: Scale, problem: Problem
    ) -> SetSolution:
        """Return the set that was found, with its best tree."""
        bound, graph = scale.bound(self.epsilon), found.graph
        numbering = Numbering(graph)
        if numbering.n_trees == 0 or scale.reference > bound:
            best = "the best has" if found.proved else "the best found within the limits has"
            raise ValueError(
                f"No tree has an objective of at most {float(bound):.4f}: {best} "
                f"{float(scale.reference):.4f}. Raise epsilon={self.epsilon}."
            )
        feature, left, right, node = numbering.nodes_at(0)
        counts = graph.counts().reshape(-1, graph.n_classes)[node].astype(np.int64)
        is_leaf = feature < 0
        lost = problem.units.count(counts[is_leaf])
        n_leaves = int(is_leaf.sum())
        counted = objective = problem.counted(lost, n_leaves)
        rows = row_source(table, target)
        if isinstance(rows, RowsOfNumbers):  # as the data has them, not as the core rounds them
            counts = rows.of_tree(feature, left, right)
        if not problem.units.loss.is_exact:
            objective = problem.reached(counts[is_leaf], counts[0])
        is_exact = found.status == "complete" and self._lookahead(problem.depth) is None
        rounding = problem.max_rounding(objective)
        return SetSolution(
            feature=feature,
            left=left,
            right=right,
            counts=counts,
            errors=lost,
            leaves=n_leaves,
            weight=scale.weight,
            units=problem.units,
            objective=objective,
            # Weights may be rounded for the search, and not for the objective.
            lower_bound=min(
                objective, max(counted - rounding, scale.price) if is_exact else scale.price
            ),
            status=found.status,
            statistics={
                **statistics_of(table, found),
                "rounding": 2 * float(rounding),
                "nodes": graph.n_nodes,
                "edges": graph.n_edges,
            },
            graph=graph,
            scale=scale,
            bound=bound,
            proved=found.proved,
            integers=problem.rows.integers,
            rows=rows,
        )

    def _keep(self, table: Table, target: Target, solution: Solution) -> None:
        assert isinstance(solution, SetSolution)
        complete = solution.status == "complete"
        self.trees_ = TreeSet(
            solution.graph,
            solution.scale,
            solution.bound,
            classes=getattr(self, "classes_", NO_CLASSES),
            reader=self._reader(),
            rows=solution.rows,
            record=FitRecord(
                estimator=type(self),
                parameters={
                    **self.get_params(deep=False),
                    # A function belongs to the fit, not to the set.
                    "verbose": 0 if callable(self.verbose) else self.verbose,
                },
                weighted=target.is_weighted,
                lower_bound=float(solution.lower_bound),
                status=status_of_fit(solution, target),
                statistics=solution.statistics,
                stopped=None if complete else "part" if solution.proved else "unproved",
            ),
        )
        super()._keep(table, target, solution)

    @classmethod
    def _of_set(cls, trees: TreeSet, tree: Tree | None) -> Self:
        """Return the estimator that a set came from, to predict with one of its trees.

        Without a tree, as an empty set has none, it is only good for being saved with the set.
        """
        record, reader = trees._record, trees._reader
        model = cls(**record.parameters)
        keep_columns(model, reader.labels, reader.n_columns)
        model.binarizer_, model._loss = reader.binarizer, trees._scale.units.loss
        if isinstance(model, TreeClassifier):
            model.classes_ = trees._classes
            model.actions_ = model._loss.labels(trees._classes)
        model._weighted = record.weighted
        model.lower_bound_, model.status_ = record.lower_bound, record.status
        model.statistics_ = record.statistics
        model.trees_ = trees
        if tree is not None:
            model._take(tree)
        return model

    def _warn_if_stopped(self, note: str = "") -> None:
        why = stopped_text(
            self.status_, time_limit=self.time_limit, memory_limit=self.memory_limit, note=note
        )
        if why is None:
            return
        what = {
            None: f"with the whole set for fewer questions: {self.trees_!r}.",
            "part": f"with a part of the set: {self.trees_!r}. Every tree in it belongs to it, but "
            "others may be missing.",
            "unproved": f"before the best tree was known: {self.trees_!r}. Better trees may be "
            "missing.",
        }[self.trees_._record.stopped]
        warn(
            f"{why} {what} Try a smaller epsilon or max_depth, a larger regularization, or "
            "a higher limit.",
            LimitWarning,
        )


@with_parameters
class _Resplit(RashomonEstimator):
    """Good prefixes, filled with all trees no worse than greedy."""

    lookahead_depth: int = 3

    def _check_parameters(self) -> None:
        super()._check_parameters()
        meaning = "the depth of the prefixes"
        check_number("lookahead_depth", self.lookahead_depth, Integral, meaning, minimum=0)

    def _lookahead(self, depth: int) -> int | None:
        return min(int(self.lookahead_depth), depth)


class _TreeFarms(RashomonEstimator):
    """All trees within the bound."""

    def _lookahead(self, depth: int) -> int | None:
        return None


@public
@with_parameters
class TreeFARMS(TreeClassifier, _TreeFarms):
    """Every tree of depth `max_depth` whose objective is within `epsilon` of the optimum.

    Parameters
    ----------
    regularization, max_depth, min_samples_leaf, loss, costs, actions, class_weight, binarizer, \
    time_limit, memory_limit, n_jobs, verbose
        As for `LicketySPLITClassifier`. With "log_loss" and "brier", leaves' losses are rounded to
        2**-16 of that of a single leaf, and the set is exact for the rounded objective (see
        `TreeSet`).
    epsilon : float or Fraction, default=0.01
        How much worse than the reference a tree may be.
    epsilon_kind : "additive", "multiplicative" or "absolute", default="additive"
        Whether the bound is reference + epsilon, reference x (1 + epsilon), or epsilon itself.
    keep_trivial : bool, default=False
        Whether to keep splits between two leaves that say no more than one: that predict the same,
        or for "log_loss" and "brier" together have its loss.

    Attributes
    ----------
    trees_ : TreeSet
        The set, best first.
    tree_, objective_, n_leaves_, depth_
        Of the best tree.
    classes_, actions_, n_features_in_, feature_names_in_, feature_importances_, binarizer_, \
    lower_bound_, status_, statistics_
        As for `LicketySPLITClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from splitsecond import TreeFARMS
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> model = TreeFARMS(regularization=0.05, epsilon=0.1, max_depth=2).fit(X, X[:, 0] | X[:, 1])
    >>> model.trees_
    <TreeSet: 2 trees, objective 0.1500 to 0.2500>
    """


@public
@with_parameters
class RESPLIT(TreeClassifier, _Resplit):
    """A Rashomon set by lookahead: good prefixes, filled with all trees no worse than greedy.

    The reference that `epsilon` is added to is the best tree that is greedy below
    `lookahead_depth`. Other parameters and all attributes are those of `TreeFARMS`.

    Parameters
    ----------
    lookahead_depth : int, default=3
        Depth of the prefixes.
    exact_last_split : bool, default=False
        As for `LicketySPLITClassifier`.
    """

    exact_last_split: bool = False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_flag("exact_last_split", self.exact_last_split)


@public
@with_parameters
class TreeFARMSRegressor(TreeRegressor, _TreeFarms):
    """Every regression tree of depth `max_depth` within `epsilon` of the optimum.

    Leaves' losses are rounded to 2**-16 of that of a single leaf, and the set is exact for the
    rounded objective (see `TreeSet`).

    Parameters
    ----------
    regularization, max_depth, min_samples_leaf, loss, binarizer, time_limit, memory_limit, n_jobs,\
    verbose
        As for `LicketySPLITRegressor`.
    epsilon, epsilon_kind
        As for `TreeFARMS`.
    keep_trivial : bool, default=False
        Whether to keep splits between two leaves that have the same mean.

    Attributes
    ----------
    trees_ : TreeSet
        The set, best first.
    tree_, objective_, n_leaves_, depth_
        Of the best tree.
    n_features_in_, feature_names_in_, feature_importances_, binarizer_, lower_bound_, status_, \
    statistics_
        As for `LicketySPLITClassifier`.
    """


@public
@with_parameters
class RESPLITRegressor(TreeRegressor, _Resplit):
    """A Rashomon set of regression trees by lookahead; see `RESPLIT`.

    Parameters
    ----------
    lookahead_depth : int, default=3
        Depth of the prefixes.
    regularization, epsilon, epsilon_kind, max_depth, min_samples_leaf, keep_trivial, loss, \
    binarizer, time_limit, memory_limit, n_jobs, verbose
        As for `TreeFARMSRegressor`, whose attributes it has, too.
    """
