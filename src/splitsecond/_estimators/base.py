"""What all estimators of trees share: a scikit-learn estimator over one solver."""

from __future__ import annotations

import sys
import time
from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from numbers import Integral
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator

from splitsecond._binarizers.base import Binarizer, Target
from splitsecond._counts.count_table import CountTable
from splitsecond._estimators.counted import read_counts
from splitsecond._estimators.fitted import Fitted
from splitsecond._estimators.limits_text import stopped_text
from splitsecond._estimators.loss_parameters import check_min_samples_leaf, min_leaf_rows
from splitsecond._estimators.parameters import with_parameters
from splitsecond._estimators.reports import limit_text, summary_text
from splitsecond._estimators.training import (
    SCHEMES,
    Binarized,
    ReadTarget,
    Training,
    binarize,
    read,
    warn_of_mistakes,
)
from splitsecond._solving.solve import Request, Reused, Solution, find_tree, n_threads, whole_bytes
from splitsecond._support.checks import check_amount, check_limit, check_number, check_verbose
from splitsecond._support.messages import SaysFitFirst
from splitsecond._support.names import public
from splitsecond._support.warning import warn
from splitsecond._tables.binary import Table, keep_columns
from splitsecond._tables.data_checks import warn_of_width
from splitsecond._tables.errors import NotBinaryError
from splitsecond._trees.pictures.notebook import ShowsItsTree
from splitsecond._trees.tree import Tree

ProgressFunction = Callable[[int, int, float], object]  # steps done, steps in all, seconds

MAX_COLUMNS = 5_000  # for a search whose time grows with the square of their number

# How a fit can end, and how that reads.
STATUSES = {
    "optimal": "complete",
    "complete": "complete",
    "time_limit": "stopped at the time limit",
    "memory_limit": "stopped at the memory limit",
    "interrupted": "interrupted",
}


@public
class LimitWarning(UserWarning):
    """A fit was stopped by a limit or by Ctrl-C and returned the best tree found until then."""


@with_parameters
class TreeEstimator(Fitted, SaysFitFirst, ShowsItsTree, BaseEstimator):  # type: ignore[misc]
    """What the estimators share; each adds its parameters and names its algorithm."""

    _algorithm: ClassVar[str]
    # What to try when a limit was hit, besides a higher one.
    _cheaper: ClassVar[str] = "a smaller max_depth or a larger regularization"
    # 0/1 columns from which on a search of more than two levels takes minutes; None: none.
    _max_columns: ClassVar[int | None] = MAX_COLUMNS
    regularization: float | Fraction = 0.01
    max_depth: int = 5
    min_samples_leaf: float = 1
    binarizer: Any = "auto"
    time_limit: float | None = None
    memory_limit: int | None = None
    n_jobs: int | None = None
    verbose: int | ProgressFunction = 0

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        start = time.perf_counter()
        self._check_parameters()
        seconds = self._seconds()
        deadline = None if seconds is None else start + seconds
        training = self._read(X, y, sample_weight, deadline, whole=False, keeps_tree=True)
        binarized = self._binarize(training)
        begun = time.perf_counter()
        solution = self._solve(binarized.table, training.target)
        if isinstance(solution, NotBinaryError):  # a value in a row that reading did not look at
            training = training.not_binary(solution)
            binarized = self._binarize(training)
            begun = time.perf_counter()
            solution = self._solve(binarized.table, training.target)
            assert isinstance(solution, Solution)
        if not training.is_sure:  # before the search nobody knew that it was 0/1
            warn_of_mistakes(training, binarized)
        self._keep_questions(training, binarized)
        self._keep(binarized.table, training.target, solution)
        self.statistics_["binarization_seconds"] = begun - start
        self.statistics_["search_seconds"] = self.statistics_["seconds"]
        self.statistics_["seconds"] = time.perf_counter() - start
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        raw = self.binarizer is not None
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = raw
        tags.input_tags.categorical = raw
        tags.input_tags.string = raw
        return tags

    def __str__(self) -> str:
        if not hasattr(self, "tree_"):
            return repr(self)
        return summary_text(self, STATUSES[self.status_])

    @property
    def columns_handled(self) -> int | None:
        """With how many 0/1 columns the search can be expected to finish; None: with any number.

        With more of them, `fit` warns if there is no `time_limit`.
        """
        is_deep = int(self.max_depth) > 2 or self._max_columns is None
        return self._max_columns if is_deep else MAX_COLUMNS

    # ---- what subclasses add -------------------------------------------------------------------

    def _solver_options(self) -> dict[str, Any]:
        return {}

    @abstractmethod
    def _read_target(self, y: Any, n_rows: int, sample_weight: Any) -> ReadTarget:
        """Read what is to be predicted."""

    @abstractmethod
    def _read_counted(self, counts: CountTable) -> ReadTarget:
        """Read what is to be predicted off a count table."""

    @abstractmethod
    def _check_loss(self) -> None:
        """Refuse a loss that there is not."""

    @abstractmethod
    def _tree_of(self, table: Table, target: Target, solution: Solution) -> Tree:
        """Return the tree that was found, in the user's units."""

    @abstractmethod
    def _warn_of_leaf(self) -> None:
        """Warn of a single leaf, where there was room for more."""

    # ---- steps of fit --------------------------------------------------------------------------

    def _prepare(
        self, X: Any, y: Any, sample_weight: Any, deadline: float | None
    ) -> tuple[Table, Target]:
        """Do the steps of fit that come before the search, for many searches of one table."""
        training = self._read(X, y, sample_weight, deadline, whole=True, keeps_tree=False)
        binarized = self._binarize(training)
        self._keep_questions(training, binarized)
        limits = training.target.limits
        if limits.stopped is not None:
            noted = f" ({limits.note})" if limits.note else ""
            warn(
                f"Binarizing was stopped at a limit{noted}. Try a higher limit, or a binarizer "
                "with fewer questions.",
                LimitWarning,
            )
        return binarized.table, training.target

    def _read(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        deadline: float | None,
        *,
        whole: bool,
        keeps_tree: bool,
    ) -> Training:
        if isinstance(X, CountTable):
            return self._read_counts(X, y, sample_weight, deadline, keeps_tree=keeps_tree)
        return read(
            X,
            y,
            sample_weight,
            read_target=self._read_target,
            binarizer=self.binarizer,
            whole=whole,
            deadline=deadline,
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
            keeps_tree=keeps_tree,
        )

    def _read_counts(
        self, counts: CountTable, y: Any, sample_weight: Any, deadline: float | None, **options: Any
    ) -> Training:
        """Read a count table in place of rows."""
        return read_counts(
            counts,
            y,
            sample_weight,
            read_target=self._read_counted,
            binarizer=self.binarizer,
            deadline=deadline,
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
            **options,
        )

    def _binarize(self, training: Training) -> Binarized:
        """Binarize a table, with warnings of what looks like a mistake."""
        binarized = binarize(training, self.binarizer)
        if training.is_sure:
            warn_of_mistakes(training, binarized)
        if training.target.limits.deadline is None:
            warn_of_width(binarized.table.n_columns, self.columns_handled)
        return binarized

    def _keep_questions(self, training: Training, binarized: Binarized) -> None:
        """Keep what the table was, and what is asked about it."""
        self.binarizer_ = binarized.binarizer
        self._loss = training.target.loss
        keep_columns(self, training.labels, training.n_columns)

    def _solve(self, table: Table, target: Target) -> Solution | NotBinaryError:
        """Find a tree; or the error for a value that is neither 0 nor 1."""
        return find_tree(self._request(table, target))

    def _request(self, table: Table, target: Target) -> Request:
        return Request(
            table,
            target.codes,
            n_classes=target.n_classes,
            weights=target.weights,
            numbers=target.numbers,
            merged=target.merged,
            regularization=self.regularization,
            loss=target.loss,
            algorithm=self._algorithm,
            max_depth=int(self.max_depth),
            min_leaf_rows=self._min_leaf_rows(table, target),
            time_limit=target.time_left(),
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
            progress=progress_of(self.verbose),
            reused=target.reused or Reused(),
            **self._solver_options(),
        )

    def _min_leaf_rows(self, table: Table, target: Target) -> int:
        """Return the minimum rows of a leaf; those of weight 0 are as good as absent."""
        return min_leaf_rows(self.min_samples_leaf, target.n_present(table.n_rows))

    def _check_parameters(self) -> None:
        check_amount(
            "regularization",
            self.regularization,
            "lambda, the penalty per leaf, such as 0.01; regularization_path(X, y, cv=5) finds one",
        )
        meaning = "the maximum number of questions on a path, such as 5"
        check_number("max_depth", self.max_depth, Integral, meaning, minimum=0)
        check_min_samples_leaf(self.min_samples_leaf)
        self._check_loss()
        self._seconds()
        whole_bytes(self.memory_limit)
        check_verbose(self.verbose)
        scheme = self.binarizer
        if not (
            scheme is None
            or isinstance(scheme, Binarizer)
            or (isinstance(scheme, str) and scheme in SCHEMES)
        ):
            raise ValueError(
                f"binarizer={scheme!r:.80} must be one of {', '.join(map(repr, SCHEMES))}, a "
                "binarizer of splitsecond, or None for tables that are 0/1 already. Put other "
                "transformers before the estimator in a Pipeline."
            )
        n_threads(self.n_jobs)

    def _seconds(self) -> float | None:
        return check_limit("time_limit", self.time_limit, "seconds")

    def _keep(self, table: Table, target: Target, solution: Solution) -> None:
        self._weighted = target.is_weighted
        self._take(self._tree_of(table, target, solution))
        self.lower_bound_ = float(solution.lower_bound)
        self.status_ = status_of_fit(solution, target)
        self.statistics_ = solution.statistics
        self._warn_if_stopped(target.limits.note)
        if self.n_leaves_ == 1 and STATUSES[self.status_] == "complete":
            # Unless the user left room for nothing else.
            may_split = int(self.max_depth) > 0 and table.n_columns > 0
            enough_rows = 2 * self._min_leaf_rows(table, target) <= self.tree_.n_rows[0]
            if may_split and enough_rows:
                self._warn_of_leaf()

    def _warn_if_stopped(self, note: str = "") -> None:
        why = stopped_text(
            self.status_, time_limit=self.time_limit, memory_limit=self.memory_limit, note=note
        )
        if why is not None:
            warn(limit_text(self, why, has_note=bool(note)), LimitWarning)


def progress_of(verbose: Any) -> ProgressFunction | None:
    """Return whom a search tells how far it is, given a parameter `verbose` that was checked."""
    if callable(verbose):
        told: ProgressFunction = verbose
        return told
    return Progress() if verbose else None


class Progress:
    """Writes a line a second to standard error."""

    def __init__(self) -> None:
        self._next = 1.0

    def __call__(self, done: int, steps: int, seconds: float) -> None:
        if seconds >= self._next:
            self._next = seconds + 1
            print(f"splitsecond: {done} of {steps} first splits, {seconds:.0f} s", file=sys.stderr)


def status_of_fit(solution: Solution, target: Target) -> str:
    """Return how a fit ended: its search, or binarizing before it."""
    stopped = target.limits.stopped
    # After Ctrl-C, it is no limit of the user's that ends the search.
    ended = solution.status in ("optimal", "complete") or stopped == "interrupted"
    return stopped if stopped is not None and ended else solution.status
