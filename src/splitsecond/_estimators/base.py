"""What all tree classifiers share: a scikit-learn estimator over one solver."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import partial, update_wrapper
from numbers import Integral
from types import FunctionType
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from splitsecond._binarizers.base import Binarizer, Target
from splitsecond._binarizers.cuts import MidpointBinarizer, QuantileBinarizer
from splitsecond._binarizers.guessing import ThresholdGuessBinarizer
from splitsecond._binarizers.limits import BinarizingLimits
from splitsecond._solving.solve import Solution, n_threads, solve, whole_bytes
from splitsecond._support.checks import check_amount, check_limit, check_number, check_verbose
from splitsecond._support.messages import SaysFitFirst, listed
from splitsecond._tables.binary import NotBinaryError, Table, keep_columns, looks_binary, read_table
from splitsecond._tables.columns import Kind, RawTable, Variable
from splitsecond._tables.data_checks import (
    findings,
    warn_of_classes,
    warn_of_columns,
    warn_of_leaf,
    warn_of_width,
)
from splitsecond._tables.labels import encode_labels, refuse_column_name
from splitsecond._tables.literals import Literal
from splitsecond._tables.weights import check_sample_weight, row_weights
from splitsecond._trees.pictures.notebook import ShowsItsTree
from splitsecond._trees.row_counts import row_source
from splitsecond._trees.tree import Tree, leaf_of_rows

Result = TypeVar("Result")
ProgressFunction = Callable[[int, int, float], object]  # steps done, steps in all, seconds

# What names of binarizers stand for. "auto" leaves a table of 0/1 columns as it is.
SCHEMES: dict[str, Callable[[], Binarizer]] = {
    "auto": partial(ThresholdGuessBinarizer, keep_binary=True),
    "guess": ThresholdGuessBinarizer,
    "quantile": QuantileBinarizer,
    "midpoint": MidpointBinarizer,
}

MOST_COLUMNS = 5_000  # for a search whose time grows with the square of their number

# How a fit can end, and how that reads.
STATUSES = {
    "optimal": "complete",
    "complete": "complete",
    "time_limit": "stopped at the time limit",
    "memory_limit": "stopped at the memory limit",
    "interrupted": "interrupted",
}


class LimitWarning(UserWarning):
    """A fit was stopped by a limit or by Ctrl-C and returned the best tree found until then."""


class TreeClassifier(SaysFitFirst, ShowsItsTree, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What the classifiers share; each adds its parameters and names its algorithm."""

    _algorithm: ClassVar[str]
    # What to try when a limit was hit, besides a higher one.
    _cheaper: ClassVar[str] = "a smaller max_depth or a larger regularization"
    # 0/1 columns from which on a search of more than two levels takes minutes; None: none.
    _most_columns: ClassVar[int | None] = MOST_COLUMNS

    # Set by fit.
    classes_: NDArray[Any]
    n_features_in_: int
    binarizer_: Binarizer | None
    tree_: Tree
    objective_: float
    lower_bound_: float
    status_: str
    n_leaves_: int
    depth_: int
    statistics_: dict[str, Any]
    _labels_in: list[Any] | None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.partition(".")[0] != __name__.partition(".")[0]:
            return  # users' classes are left as they wrote them
        inherited = cls.__init__
        if "__init__" not in vars(cls) and isinstance(inherited, FunctionType):
            # The same under its own name: an error about a parameter names the class called.
            own = FunctionType(
                inherited.__code__,
                inherited.__globals__,
                argdefs=inherited.__defaults__,
                closure=inherited.__closure__,
            )
            update_wrapper(own, inherited)
            own.__kwdefaults__ = inherited.__kwdefaults__
            own.__qualname__ = f"{cls.__qualname__}.__init__"
            cls.__init__ = own  # type: ignore[method-assign]

    def __init__(
        self,
        *,
        regularization: float | Fraction = 0.01,
        max_depth: int = 5,
        class_weight: Any = None,
        binarizer: Any = "auto",
        time_limit: float | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        verbose: int | ProgressFunction = 0,
    ) -> None:
        self.regularization = regularization
        self.max_depth = max_depth
        self.class_weight = class_weight
        self.binarizer = binarizer
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a tree.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Columns of any kind: numbers, truth values, text, categories, with or without blanks
            (see `binarizer`).
        y : array-like of shape (n_samples,)
            Class labels of any kind and number; with a single class the tree is a lone leaf. More
            than 100 different numbers with fewer than 50 rows each on average are refused as a
            quantity; as text they are classes.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative weights. Whole numbers count exactly; see the user guide for others.

        Returns
        -------
        self
        """
        start = time.perf_counter()
        self._check_parameters()
        seconds = self._seconds()
        deadline = None if seconds is None else start + seconds
        begun = start

        def search(table: Table, target: Target) -> Solution:
            nonlocal begun
            begun = time.perf_counter()
            return self._solve(table, target)

        table, target, solution = self._open(X, y, sample_weight, deadline, search, keeps_tree=True)
        self._keep(table, target, solution)
        self.statistics_["binarization_seconds"] = begun - start
        self.statistics_["search_seconds"] = self.statistics_["seconds"]
        self.statistics_["seconds"] = time.perf_counter() - start
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row: the heaviest one in its leaf."""
        leaves = self.apply(X)
        predicted: NDArray[Any] = self.classes_[self.tree_.prediction[leaves]]
        return predicted

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict class probabilities: the shares of training weight in each row's leaf."""
        leaves = self.apply(X)
        shares: NDArray[np.float64] = self.tree_.shares()[leaves]
        return shares

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the index of the leaf (a node of ``tree_``) that each row ends in."""
        check_is_fitted(self)
        tree = self.tree_
        return leaf_of_rows(tree.feature, tree.left, tree.right, self._answers(X))

    def get_depth(self) -> int:
        """Return the number of questions on the longest path of the tree."""
        check_is_fitted(self)
        return self.depth_

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree."""
        check_is_fitted(self)
        return self.n_leaves_

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
        tree = self.tree_
        if self.objective_ <= self.lower_bound_:
            bound = f"proved optimal{self._scope()}"
        else:
            bound = "near-optimal, not proved"
            if self._has_telling_bound():
                bound += f" (lower bound {self.lower_bound_:.4f})"
        ended = STATUSES[self.status_]
        weighted = "weighted " if self._weighted else ""
        leaves = f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}"
        return "\n".join(
            [
                f"{type(self).__name__}: {leaves}, depth {tree.depth}, {tree.n_rows[0]:,} rows",
                f"{weighted}training accuracy {tree.training_accuracy:.3f} · "
                f"objective {self.objective_:.4f} · {bound} · "
                f"{ended} in {self._times()}",
                *self._notes(),
                tree.to_text(),
            ]
        )

    # ---- what subclasses add -------------------------------------------------------------------

    def _solver_options(self) -> dict[str, Any]:
        return {}

    # ---- steps of fit --------------------------------------------------------------------------

    def _open(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        deadline: float | None,
        use: Callable[[Table, Target], Result],
        *,
        keeps_tree: bool = False,
    ) -> tuple[Table, Target, Result]:
        """Read and binarize what the user gave, and use it; then keep what it was.

        `use` may find that a table is not 0/1, though it looked so: then it is called again. With
        `keeps_tree`, Ctrl-C ends binarizing with the questions that there are.
        """
        refuse_column_name(X, y)
        source = self._read(X)
        classes, codes = encode_labels(y, source.n_rows)
        if sample_weight is not None:
            sample_weight = check_sample_weight(sample_weight, source.n_rows)
        weights = row_weights(classes, codes, self.class_weight, sample_weight)
        limits = BinarizingLimits.of_fit(
            deadline,
            whole_bytes(self.memory_limit),
            n_threads=n_threads(self.n_jobs),
            keeps_tree=keeps_tree,
        )
        target = Target(codes, len(classes), weights, deadline, self.n_jobs, limits)
        warn_of_classes(target.n_classes, source.n_rows, stacklevel=3)
        try:
            table, result = self._use(source, target, use)
        except NotBinaryError:
            if not self._is_auto():
                raise
            source = RawTable(X)
            table, result = self._use(source, target, use)
        keep_columns(self, source.labels, source.n_columns)
        self.classes_ = classes
        if limits.stopped is not None and not keeps_tree:  # or else the fit says so
            warnings.warn(
                f"Binarizing was stopped at a limit ({limits.note}). Try a higher limit, or a "
                "binarizer with fewer questions.",
                LimitWarning,
                stacklevel=3,
            )
        return table, target, result

    def _is_auto(self) -> bool:
        return isinstance(self.binarizer, str) and self.binarizer == "auto"

    def _read(self, X: Any) -> Table | RawTable:
        """Open the table: as 0/1 columns if it must be or looks so, otherwise as it is."""
        if self.binarizer is None:
            return read_table(X)
        if self._is_auto() and looks_binary(X):
            try:
                return read_table(X)
            except NotBinaryError:
                pass
        return RawTable(X)

    def _binarize(self, source: Table | RawTable, target: Target) -> tuple[Binarizer | None, Table]:
        """Return the table of 0/1 columns, and the binarizer that made it."""
        if self.binarizer is None:
            assert isinstance(source, Table)
            return None, source
        binarizer = self._make_binarizer()
        if isinstance(source, RawTable):
            return binarizer, binarizer.fit_answers(source, target)
        return binarizer.fit_binary(source), source

    def _columns_handled(self) -> int | None:
        """Return with how many 0/1 columns the search can be expected to finish; None: any."""
        is_deep = int(self.max_depth) > 2 or self._most_columns is None
        return self._most_columns if is_deep else MOST_COLUMNS

    def _use(
        self,
        source: Table | RawTable,
        target: Target,
        use: Callable[[Table, Target], Result],
    ) -> tuple[Table, Result]:
        """Binarize a table and use it, with warnings of what looks like a mistake."""
        self.binarizer_, table = self._binarize(source, target)
        variables = None if self.binarizer_ is None else self.binarizer_.variables_
        is_raw = isinstance(source, RawTable)
        if is_raw:
            warn_of_columns(findings(source, variables, target.codes, target.n_classes), 4)
        if self.time_limit is None:
            warn_of_width(table.n_columns, self._columns_handled(), stacklevel=4)
        result = use(table, target)
        if not is_raw:  # only now known to be 0/1
            warn_of_columns(findings(source, variables, target.codes, target.n_classes), 4)
        return table, result

    def _solve(self, table: Table, target: Target) -> Solution:
        return solve(
            table,
            target.codes,
            n_classes=target.n_classes,
            weights=target.weights,
            regularization=self.regularization,
            algorithm=self._algorithm,
            max_depth=int(self.max_depth),
            time_limit=target.time_left(),
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
            progress=progress_of(self.verbose),
            **self._solver_options(),
        )

    def _make_binarizer(self) -> Binarizer:
        if isinstance(self.binarizer, str):
            return SCHEMES[self.binarizer]()
        made: Binarizer = clone(self.binarizer)
        return made

    def _answers(self, X: Any) -> Table:
        """Open a table to be asked the questions of the tree."""
        if self.binarizer_ is not None:
            table = self.binarizer_.literal_table(X)
        else:
            table = read_table(X, labels=self._labels_in)
            if table.n_columns != self.n_features_in_:
                raise ValueError(
                    f"X has {table.n_columns} features, but {type(self).__name__} is expecting "
                    f"{self.n_features_in_} features as input: give the columns it was fitted with."
                )
        self._compare_names(table)
        table.check_binary()
        return table

    def _check_parameters(self) -> None:
        check_amount(
            "regularization",
            self.regularization,
            "the price of a leaf as a share of the rows, such as 0.01",
        )
        meaning = "the most questions on a path, such as 5"
        check_number("max_depth", self.max_depth, Integral, meaning, least=0)
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
                "transformers before the classifier in a Pipeline."
            )
        n_threads(self.n_jobs)

    def _seconds(self) -> float | None:
        return check_limit("time_limit", self.time_limit, "seconds")

    def _keep(self, table: Table, target: Target, solution: Solution) -> None:
        weights = target.weights
        self._weighted = weights is not None
        counts = solution.counts.astype(np.float64)
        if weights is not None:
            counts *= weights.sum() / solution.weight  # back to the user's units
        shape = {part: getattr(solution, part) for part in ("feature", "left", "right")}
        rows = row_source(table, target.codes, target.n_classes, weights)
        row_counts = rows.of_tree(**shape, units=solution.counts)
        self._take(
            Tree(
                **shape,
                counts=counts,
                n_rows=row_counts.sum(axis=1),
                row_counts=row_counts,
                classes=self.classes_,
                objective=float(solution.objective),
                **self._questions(solution.feature.tolist()),
            )
        )
        self.lower_bound_ = float(solution.lower_bound)
        self.status_ = solution.status
        self.statistics_ = solution.statistics
        limits = target.limits
        # After Ctrl-C, it is no limit of the user's that ends the search.
        ended = solution.status in ("optimal", "complete") or limits.stopped == "interrupted"
        if limits.stopped is not None and ended:
            self.status_ = limits.stopped
        self._warn_if_stopped(limits.note)
        # With weights for the classes, how rare they are was thought of.
        if (
            STATUSES[self.status_] == "complete"
            and int(self.max_depth) > 0
            and self.class_weight is None
        ):
            warn_of_leaf(self.tree_, self.regularization, stacklevel=3)

    def _take(self, tree: Tree) -> None:
        """Make a tree the one to predict with."""
        self.tree_, self.objective_ = tree, tree.objective
        self.n_leaves_, self.depth_ = tree.n_leaves, tree.depth

    def _has_telling_bound(self) -> bool:
        """Whether the lower bound says more than that a tree that splits has two leaves."""
        return self.lower_bound_ > 2 * float(self.regularization) * (1 + 1e-9)

    def _times(self) -> str:
        """Say how long the fit took, and how much of it was the search."""
        search = self.statistics_.get("search_seconds")
        of_search = "" if search is None else f" (search {_duration(search)})"
        return _duration(self.statistics_["seconds"]) + of_search

    def _scope(self) -> str:
        """Say among which trees this one was searched, unless among all."""
        binarizer = self.binarizer_
        if binarizer is None or binarizer.is_lossless:
            return ""
        asked = len(binarizer.literals_)
        return f" for {asked} {'question' if asked == 1 else 'questions'}"

    def _notes(self) -> list[str]:
        dropped = {} if self.binarizer_ is None else self.binarizer_.dropped_
        if not dropped:
            return []
        return [f"left out: {listed([f'{name} ({why})' for name, why in dropped.items()], 5)}"]

    def _questions(self, feature: list[int]) -> dict[str, Any]:
        """Return what a tree that asks of these columns must know about them."""
        used = sorted({j for j in feature if j >= 0})
        if self.binarizer_ is None:
            labels = self._labels_in
            names = {j: f"x{j}" if labels is None else str(labels[j]) for j in used}
            return {
                "literals": {j: Literal(j, name, "is 1") for j, name in names.items()},
                "variables": {
                    j: Variable(j if labels is None else labels[j], name, Kind.BINARY)
                    for j, name in names.items()
                },
                "n_columns": self.n_features_in_,
            }
        variables = self.binarizer_.variables_
        literals = {j: self.binarizer_.literals_[j] for j in used}
        return {
            "literals": literals,
            "variables": {each.column: variables[each.column] for each in literals.values()},
            "n_columns": self.n_features_in_,
            "with_blanks": frozenset(v.name for v in variables if v.has_blanks),
        }

    def _literals(self) -> list[Literal]:
        """Return the questions that the 0/1 columns stand for."""
        if self.binarizer_ is not None:
            return self.binarizer_.literals_
        return list(self._questions(list(range(self.n_features_in_)))["literals"].values())

    def _column_names(self) -> list[str]:
        """Return what the user's columns are called, also those without questions."""
        if self.binarizer_ is not None:
            return [variable.name for variable in self.binarizer_.variables_]
        return [literal.name for literal in self._literals()]

    def _warn_if_stopped(self, note: str = "") -> None:
        reasons = {
            "time_limit": (f"Stopped at time_limit={self.time_limit} s", "time_limit"),
            "memory_limit": (
                "Stopped because the machine's memory is used up"
                if self.memory_limit is None
                else f"Stopped at memory_limit={self.memory_limit} bytes",
                "memory_limit",
            ),
            "interrupted": ("Interrupted", ""),
        }
        if self.status_ not in reasons:
            return
        what, limit = reasons[self.status_]
        higher = f"a higher {limit}, or " if limit else ""
        noted = f" ({note})" if note else ""
        bound = ""
        if self._has_telling_bound():
            scope = " that asks these questions" if note else ""
            bound = (
                f", and no tree of depth {self.max_depth}{scope} is below {self.lower_bound_:.4f}"
            )
        warnings.warn(
            f"{what}{noted} with a valid tree: objective {self.objective_:.4f}{bound}. "
            f"Try {higher}{self._cheaper}.",
            LimitWarning,
            stacklevel=4,
        )

    def _compare_names(self, table: Table) -> None:
        fitted = getattr(self, "feature_names_in_", None)
        if fitted is None and table.names is not None:
            warnings.warn(
                f"X has feature names, but {type(self).__name__} was fitted without feature names",
                UserWarning,
                stacklevel=4,
            )
        elif fitted is not None and table.names is None:
            warnings.warn(
                f"X does not have valid feature names, but {type(self).__name__} was fitted with "
                "feature names",
                UserWarning,
                stacklevel=4,
            )


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


def _duration(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
