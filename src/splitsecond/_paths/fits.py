"""Fits of one table with many prices of a leaf, within one time limit."""

from __future__ import annotations

import copy
import math
import time
import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from sklearn.base import clone

from splitsecond._estimators.base import LimitWarning, TreeEstimator
from splitsecond._solving.solve import Reused, Solution
from splitsecond._tables.data_checks import DataWarning


class Clock:
    """When parts of the time that the whole path has are over."""

    def __init__(self, time_limit: float | None) -> None:
        self._start, self._seconds = time.perf_counter(), time_limit

    def at(self, share: float) -> float:
        """Return when a share of the time is over, by time.perf_counter()."""
        return math.inf if self._seconds is None else self._start + share * self._seconds


def _is_over(deadline: float) -> bool:
    return time.perf_counter() >= deadline


@dataclass(frozen=True)
class Fit:
    """A fitted model, and its cost in exact numbers.

    Trees are compared by the loss as the search counts it, so that one that was proved optimal is.
    What is reported is not rounded to its units.
    """

    model: TreeEstimator
    loss: Fraction  # as the search counts it
    reported_loss: Fraction
    loss_of_leaf: Fraction  # of a tree without splits
    leaves: int
    seconds: float
    is_optimal: bool

    @property
    def value(self) -> tuple[Fraction, int]:
        """What tells it from trees that cost something else."""
        return self.loss, self.leaves

    def cost(self, price: Fraction) -> Fraction:
        """Return the objective with a lambda."""
        return self.loss + price * self.leaves

    def objective(self, price: Fraction) -> float:
        """Return the objective with a lambda, as it is reported."""
        return float(self.reported_loss + price * self.leaves)

    def model_with(self, best: Fit, own: Fraction, price: Fraction) -> TreeEstimator:
        """Return the model of this fit, whose lambda is `own`, with the best tree for a lambda.

        Bounds are those of this fit: no tree costs less with a higher lambda, or saves more than
        its share with a lower one.
        """
        if price == own and best.value == self.value:
            return self.model
        model = copy.copy(self.model)
        model._take(replace(best.model.tree_, objective=best.objective(price)))
        bound = model.lower_bound_ * min(1.0, float(price / own))
        model.lower_bound_ = min(bound, model.objective_)
        if model.status_ == "optimal":  # which was proved for its own lambda
            model.status_ = "complete"
        return model

    def is_cut_at(self, deadline: float) -> bool:
        """Whether it was the end of this time that stopped it."""
        return self.model.status_ == "time_limit" and _is_over(deadline)

    def is_like(self, other: Fit) -> bool:
        """Whether two fits found the same tree; of optimal ones, trees that cost the same."""
        if self.is_optimal and other.is_optimal:
            return self.value == other.value
        mine, others = self.model.tree_, other.model.tree_
        return all(
            np.array_equal(getattr(mine, part), getattr(others, part))
            for part in ("feature", "left", "right")
        )


class Fits:
    """Fits of one table for many lambdas; reading and binarizing are done once."""

    def __init__(
        self, estimator: TreeEstimator, X: Any, y: Any, sample_weight: Any, deadline: float
    ) -> None:
        self.deadline = deadline
        self.estimator: TreeEstimator = clone(estimator)
        self.estimator._check_parameters()
        table, target = self.estimator._prepare(X, y, sample_weight, deadline)
        self.target = replace(target, reused=Reused())
        self.table = table.in_rows()

    def at(self, price: Fraction) -> Fit:
        """Fit with a lambda; raise TimeoutError or KeyboardInterrupt if it cannot be finished."""
        if _is_over(self.deadline):
            raise TimeoutError
        fit = self.attempt(price, self.deadline)
        if fit.model.status_ == "interrupted":
            raise KeyboardInterrupt
        if fit.is_cut_at(self.deadline):
            raise TimeoutError
        return fit

    def attempt(self, price: Fraction, deadline: float) -> Fit:
        """Fit with a lambda as far as time allows."""
        start = time.perf_counter()
        model = copy.copy(self.estimator)
        model.regularization = price
        seconds = model._seconds()
        if seconds is not None:
            deadline = min(deadline, start + seconds)
        solution = model._solve(self.table, replace(self.target, deadline=deadline))
        assert isinstance(solution, Solution)  # the table was checked
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LimitWarning)  # told once, for the whole path
            warnings.simplefilter("ignore", DataWarning)  # a path ends with a single leaf
            model._keep(self.table, self.target, solution)
        return Fit(
            model,
            loss=solution.units.objective(solution.errors, 0, Fraction(0)),
            reported_loss=solution.loss,
            loss_of_leaf=solution.loss_of_leaf,
            leaves=solution.leaves,
            seconds=time.perf_counter() - start,
            is_optimal=solution.status == "optimal",
        )
