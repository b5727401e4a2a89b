"""Rashomon sets as scikit-learn classifiers: all near-optimal trees, exactly or by RESPLIT."""

from __future__ import annotations

import copy
import warnings
from fractions import Fraction
from numbers import Integral
from typing import Any

from splitsecond import _core
from splitsecond._binarizers.base import Target
from splitsecond._estimators.base import (
    LimitWarning,
    ProgressFunction,
    TreeClassifier,
    progress_of,
)
from splitsecond._sets.tree_set import Scale, TreeSet
from splitsecond._solving.exact import as_fraction, within_bound
from splitsecond._solving.solve import Problem, Solution, checked, run_options, statistics_of
from splitsecond._support.checks import check_amount, check_choice, check_flag, check_number
from splitsecond._tables.binary import Table
from splitsecond._trees.row_counts import row_source

KINDS = ("additive", "multiplicative", "absolute")


class RashomonClassifier(TreeClassifier):
    """What RESPLIT and TreeFARMS share. `predict` and the like are those of the best tree."""

    _most_columns = 500

    trees_: TreeSet

    def __init__(
        self,
        *,
        regularization: float | Fraction = 0.01,
        epsilon: float | Fraction = 0.01,
        epsilon_kind: str = "additive",
        max_depth: int = 5,
        keep_trivial: bool = False,
        class_weight: Any = None,
        binarizer: Any = "auto",
        time_limit: float | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        verbose: int | ProgressFunction = 0,
    ) -> None:
        super().__init__(
            regularization=regularization,
            max_depth=max_depth,
            class_weight=class_weight,
            binarizer=binarizer,
            time_limit=time_limit,
            memory_limit=memory_limit,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.epsilon = epsilon
        self.epsilon_kind = epsilon_kind
        self.keep_trivial = keep_trivial

    def __str__(self) -> str:
        if not hasattr(self, "trees_"):
            return repr(self)
        return f"{self.trees_!r}\nthe best of them:\n{super().__str__()}"

    # ---- steps of fit --------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("epsilon_kind", self.epsilon_kind, KINDS)
        self._check_epsilon(self.epsilon)
        check_flag("keep_trivial", self.keep_trivial)

    @staticmethod
    def _check_epsilon(value: Any) -> None:
        check_amount("epsilon", value, "how much worse than the best a tree may be, such as 0.01")

    def _bound_of(self, reference: Fraction, epsilon: Any) -> Fraction:
        """Return the highest objective of the set, given that of the reference tree."""
        self._check_epsilon(epsilon)
        amount = as_fraction(epsilon)
        if self.epsilon_kind == "additive":
            return reference + amount
        if self.epsilon_kind == "multiplicative":
            return reference * (1 + amount)
        return amount

    def _lookahead(self, depth: int) -> int | None:
        """Return the depth of the prefixes; None: all trees are wanted."""
        raise NotImplementedError

    def _solve(self, table: Table, target: Target) -> Solution:
        assert target.codes is not None
        problem = Problem.of(
            table,
            target.codes,
            target.n_classes,
            target.weights,
            regularization=self.regularization,
            max_depth=int(self.max_depth),
        )

        def bound(errors: int, leaves: int) -> int:
            highest = self._bound_of(problem.objective(errors, leaves), self.epsilon)
            return within_bound(highest, problem.price, problem.weight, problem.most_leaves)[2]

        request = _core.SetRequest(
            problem.core_objective(),
            max_depth=problem.depth,
            lookahead=self._lookahead(problem.depth),
            keep_trivial=bool(self.keep_trivial),
            exact_last_split=bool(getattr(self, "exact_last_split", False)),
            bound=bound,
            run=run_options(
                table,
                time_limit=target.time_left(),
                memory_limit=self.memory_limit,
                n_jobs=self.n_jobs,
                progress=progress_of(self.verbose),
            ),
            speed=_core.Speed(),
        )
        found = checked(table, _core.find_set(table.core(), problem.core_target(), request))
        unit = 1.0
        if target.weights is not None:
            unit = float(target.weights.sum()) / problem.weight
        reference = problem.objective(found.loss, found.leaves)
        scale = Scale(
            price=problem.price,
            weight=problem.weight,
            unit=unit,
            error_price=problem.error_price,
            leaf_price=problem.leaf_price,
            most_leaves=problem.most_leaves,
            reference=reference,
        )
        self.trees_ = TreeSet(
            self,
            found.graph,
            scale,
            self._bound_of(reference, self.epsilon),
            row_source(table, target.codes, target.n_classes, target.weights),
            stopped=None if found.status == "complete" else "part" if found.proved else "unproved",
        )
        return self._best(table, found, scale, problem)

    def _best(
        self, table: Table, found: _core.FoundSet, scale: Scale, problem: Problem
    ) -> Solution:
        """Return the best tree of the set as a solution of its own."""
        if not self.trees_:
            raise ValueError(
                f"No tree has an objective of at most {self.trees_.bound:.4f}: the best has "
                f"{float(scale.reference):.4f}. Raise epsilon={self.epsilon}."
            )
        best = self.trees_[0]
        status = found.status
        exact = status == "complete" and self._lookahead(problem.depth) is None
        return Solution(
            feature=best.feature,
            left=best.left,
            right=best.right,
            counts=best.units,
            errors=best.errors,
            leaves=best.n_leaves,
            weight=scale.weight,
            objective=best.exact_objective,
            lower_bound=best.exact_objective if exact else min(best.exact_objective, scale.price),
            status=status,
            statistics={
                **statistics_of(table, found),
                "nodes": found.graph.n_nodes,
                "edges": found.graph.n_edges,
            },
        )

    def _keep(self, table: Table, target: Target, solution: Solution) -> None:
        super()._keep(table, target, solution)
        reader = copy.copy(self)  # fitting again must not change this set
        del reader.trees_
        self.trees_._estimator = reader

    def _warn_if_stopped(self, note: str = "") -> None:
        if self.status_ == "complete":
            return
        why = {
            "time_limit": f"Stopped at time_limit={self.time_limit} s",
            "memory_limit": "Stopped because the memory is used up"
            if self.memory_limit is None
            else f"Stopped at memory_limit={self.memory_limit} bytes",
            "interrupted": "Interrupted",
        }[self.status_]
        what = {
            None: f"with the whole set for fewer questions: {self.trees_!r}.",
            "part": f"with a part of the set: {self.trees_!r}. Every tree in it belongs to it, but "
            "others may be missing.",
            "unproved": f"before the best tree was known: {self.trees_!r}. Better trees may be "
            "missing.",
        }[self.trees_._stopped]
        noted = f" ({note})" if note else ""
        warnings.warn(
            f"{why}{noted} {what} Try a smaller epsilon or max_depth, a larger regularization, or "
            "a higher limit.",
            LimitWarning,
            stacklevel=5,
        )


class TreeFARMS(RashomonClassifier):
    """Every tree of depth `max_depth` whose objective is within `epsilon` of the optimum.

    Parameters
    ----------
    regularization, max_depth, class_weight, binarizer, time_limit, memory_limit, n_jobs, verbose
        As for `LicketySPLITClassifier`.
    epsilon : float or Fraction, default=0.01
        How much worse than the reference a tree may be.
    epsilon_kind : "additive", "multiplicative" or "absolute", default="additive"
        Whether the bound is reference + epsilon, reference x (1 + epsilon), or epsilon itself.
    keep_trivial : bool, default=False
        Whether to keep splits between two leaves of the same class, which say no more than a leaf.

    Attributes
    ----------
    trees_ : TreeSet
        The set, best first.
    tree_, objective_, n_leaves_, depth_
        Of the best tree.
    classes_, n_features_in_, feature_names_in_, binarizer_, lower_bound_, status_, statistics_
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

    def _lookahead(self, depth: int) -> int | None:
        return None


class RESPLIT(RashomonClassifier):
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

    def __init__(
        self,
        *,
        regularization: float | Fraction = 0.01,
        epsilon: float | Fraction = 0.01,
        epsilon_kind: str = "additive",
        max_depth: int = 5,
        lookahead_depth: int = 3,
        keep_trivial: bool = False,
        exact_last_split: bool = False,
        class_weight: Any = None,
        binarizer: Any = "auto",
        time_limit: float | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        verbose: int | ProgressFunction = 0,
    ) -> None:
        super().__init__(
            regularization=regularization,
            epsilon=epsilon,
            epsilon_kind=epsilon_kind,
            max_depth=max_depth,
            keep_trivial=keep_trivial,
            class_weight=class_weight,
            binarizer=binarizer,
            time_limit=time_limit,
            memory_limit=memory_limit,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.lookahead_depth = lookahead_depth
        self.exact_last_split = exact_last_split

    def _check_parameters(self) -> None:
        super()._check_parameters()
        meaning = "the depth of the prefixes"
        check_number("lookahead_depth", self.lookahead_depth, Integral, meaning, least=0)
        check_flag("exact_last_split", self.exact_last_split)

    def _lookahead(self, depth: int) -> int | None:
        return min(int(self.lookahead_depth), depth)
