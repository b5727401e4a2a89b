"""Variable importance over all good models: RID."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from splitsecond._counts.count_table import CountTable
from splitsecond._estimators.base import LimitWarning, ProgressFunction
from splitsecond._estimators.sets import RESPLIT, RashomonEstimator
from splitsecond._importance.bootstraps import (
    Deadline,
    RunningBootstraps,
    Sample,
    TrainingRows,
    bootstrap,
    counter_after,
)
from splitsecond._importance.distribution import ImportanceDistribution
from splitsecond._importance.plots import draw_importance
from splitsecond._importance.reliance import KINDS, source_variables
from splitsecond._solving.solve import MAX_THREADS, n_threads, whole_bytes
from splitsecond._support.checks import (
    check_choice,
    check_limit,
    check_number,
    check_random,
    check_verbose,
)
from splitsecond._support.messages import SaysFitFirst, shown
from splitsecond._support.names import public
from splitsecond._support.warning import warn
from splitsecond._tables.class_checks import offering_a_regressor

MAX_BOOTSTRAPS = 1_000_000
MAX_TREES = 2**62  # of any set: ranges of more have no length


@public
class RashomonImportance(SaysFitFirst, ImportanceDistribution, BaseEstimator):  # type: ignore[misc]
    """The Rashomon Importance Distribution: reliance over all good trees of many bootstraps.

    For each bootstrap sample a Rashomon set is found; for each of its trees, the reliance on each
    source variable (all its questions together) on that sample, in exact expectation over all
    permutations. Each bootstrap is a distribution, uniform over its trees; RID is their mean, every
    bootstrap counting alike.

    Parameters
    ----------
    estimator : RESPLIT, TreeFARMS, or the same for numbers, default=RESPLIT()
        Finds the sets; for numbers, `RESPLITRegressor` or `TreeFARMSRegressor` do. Its binarizer is
        fitted once, on all rows, and balanced class weights are those of all rows. Reliance is
        measured in the loss that it fits (see `reliance`). Its `min_samples_leaf` counts a row
        once, however often it was drawn.
    n_bootstraps : int, default=10
        Bootstrap samples.
    kind : "subtractive" or "ratio", default="subtractive"
        Loss with the variable permuted minus, or divided by, the loss.
    max_trees : int, default=10_000
        Sets of up to so many trees are used whole; of larger ones, so many trees are drawn, each
        with the same probability, and `standard_error_` says what that may cost.
    time_limit : float, optional
        Seconds for the whole job. Bootstraps that are done by then count; one that is cut short
        does not.
    memory_limit : int, optional
        Bytes for the sets of the whole job: bootstraps that run at the same time get equal shares.
        A set that does not fit is used as far as it was found.
    random_state : int, RandomState instance or None, default=None
        Draws the bootstraps. The result does not depend on `n_jobs`.
    n_jobs : int, optional
        Bootstraps at a time, through joblib and whatever backend it is given.
    verbose : int or callable, default=0
        Passed on to joblib. A function is called instead after each bootstrap, with how many are
        done, how many there are, and the seconds so far.

    Attributes
    ----------
    variables_ : list of str
        The source variables, all of them: one that no question is asked about has no importance.
    mean_, median_ : ndarray
        Of the distribution of each variable.
    usage_ : ndarray
        Mean share of the trees that ask about each variable.
    standard_error_ : ndarray
        Of `mean_`, from drawing trees; zero where all trees were used, NaN where the draws do not
        tell (a single one, or infinite ratios).
    n_trees_ : list of int
        Trees in the set of each bootstrap, exactly.
    status_ : str
        "complete", "time_limit" or "interrupted" if bootstraps are missing, "partial" if a set is
        incomplete because of `memory_limit` or the estimator's own limits.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_bootstraps: int = 10,
        kind: str = "subtractive",
        max_trees: int = 10_000,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int | ProgressFunction = 0,
    ) -> None:
        self.estimator = estimator
        self.n_bootstraps = n_bootstraps
        self.kind = kind
        self.max_trees = max_trees
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the sets and the reliances.

        Parameters
        ----------
        X, y, sample_weight
            As for the estimator: a `CountTable` in place of rows, too, from whose entries rows are
            drawn.

        Returns
        -------
        self
        """
        start = time.perf_counter()
        deadline = Deadline.after(self._seconds())
        estimator = self._check_parameters()
        with offering_a_regressor("RESPLITRegressor", by_default=self.estimator is None):
            table, target = estimator._prepare(
                X, y, sample_weight, counter_after(deadline.seconds_left())
            )
        variables, variable_of = source_variables(estimator)
        rows = TrainingRows(
            table,
            target,
            variable_of,
            X if isinstance(X, CountTable) else None,
            getattr(estimator, "class_weight", None),
        )
        seeds = check_random(self.random_state).randint(
            np.iinfo(np.int32).max, size=int(self.n_bootstraps)
        )
        running = RunningBootstraps()
        jobs = (
            delayed(bootstrap)(
                estimator,
                rows,
                seed=int(seed),
                max_trees=min(int(self.max_trees), MAX_TREES),
                deadline=deadline,
                running=running,
            )
            for seed in seeds
        )
        # The work is done outside Python: threads share the table. A cluster's backend may differ.
        options = {
            "n_jobs": self._n_jobs(),
            "verbose": check_verbose(self.verbose),
            "prefer": "threads",
        }
        try:
            run = Parallel(**options, return_as="generator")
        except ValueError:  # a backend that has to finish them all
            run = Parallel(**options)
        samples = self._gather(run, jobs, running, start)
        self.variables_ = variables
        self._sum_up(samples)
        return self

    def plot(self, kind: str = "box", *, ax: Any = None, max_variables: int | None = None) -> Any:
        """Draw the distributions with matplotlib, the most important variables first.

        Parameters
        ----------
        kind : "box" or "cdf", default="box"
            Box and whiskers, or cumulative distributions.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        max_variables : int, optional
            Variables to show, by default 20 boxes or 8 curves.

        Returns
        -------
        matplotlib axes
        """
        check_is_fitted(self, "mean_")
        return draw_importance(self, kind, ax, max_variables)

    # ---- steps of fit --------------------------------------------------------------------------

    def _check_parameters(self) -> RashomonEstimator:
        meaning = "such as 10"
        n_bootstraps = check_number(
            "n_bootstraps", self.n_bootstraps, Integral, meaning, minimum=1, maximum=MAX_BOOTSTRAPS
        )
        check_number("max_trees", self.max_trees, Integral, "such as 10000", minimum=1)
        self._seconds()
        memory_limit = check_limit("memory_limit", self.memory_limit, "bytes")
        n_threads(self.n_jobs)
        check_verbose(self.verbose)
        check_choice("kind", self.kind, KINDS)
        given = RESPLIT() if self.estimator is None else self.estimator
        if not isinstance(given, RashomonEstimator):
            raise ValueError(
                f"estimator={shown(given)} must be a RESPLIT or TreeFARMS, or for numbers a "
                "RESPLITRegressor or TreeFARMSRegressor: these find sets."
            )
        estimator: RashomonEstimator = clone(given)
        estimator._check_parameters()
        if memory_limit is not None:
            at_once = min(effective_n_jobs(self._n_jobs()), n_bootstraps)
            own = check_limit("memory_limit", estimator.memory_limit, "bytes")
            share = memory_limit / at_once
            estimator.memory_limit = whole_bytes(share if own is None else min(own, share))
        return estimator

    def _seconds(self) -> float | None:
        if self.time_limit is None:
            return None
        meaning = "seconds, or None"
        seconds: float = check_number("time_limit", self.time_limit, Real, meaning, minimum=0)
        return seconds

    def _n_jobs(self) -> int | None:
        """Return `n_jobs` as joblib takes it, which reads it with whatever backend it is given."""
        return (
            None if self.n_jobs is None else max(-MAX_THREADS, min(int(self.n_jobs), MAX_THREADS))
        )

    def _gather(
        self, run: Parallel, jobs: Any, running: RunningBootstraps, start: float
    ) -> list[Sample]:
        """Take the bootstraps as they come, and keep what there is when they stop coming."""
        status, samples = "complete", []
        try:
            for sample in run(jobs):
                if sample is None:
                    status = "time_limit"
                    continue
                if sample.status != "complete" and status == "complete":
                    status = "partial"
                samples.append(sample)
                if callable(self.verbose):
                    seconds = time.perf_counter() - start
                    self.verbose(len(samples), int(self.n_bootstraps), seconds)
        except KeyboardInterrupt:
            if not samples:
                raise
            status = "interrupted"
        finally:
            running.cancel()
        if not samples:
            raise RuntimeError(
                f"No bootstrap was done within time_limit={self.time_limit} s: give more time, or "
                "a smaller problem."
            )
        if status != "complete":
            warn(
                f"{len(samples)} of {self.n_bootstraps} bootstraps are done, some perhaps "
                f"with a part of their set ({status}): the distribution is made of those.",
                LimitWarning,
            )
        self.status_ = status
        return samples
