"""Variable importance over all good models: RID, and the reliance of a single model."""

from __future__ import annotations

import copy
import time
import warnings
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from splitsecond import _core
from splitsecond._binarizer_base import Target
from splitsecond._checks import check_choice, check_number
from splitsecond._classifier_base import LimitWarning, Progress, TreeClassifier
from splitsecond._input import Table
from splitsecond._labels import encode_labels
from splitsecond._packing import pack_columns
from splitsecond._rashomon import RESPLIT, RashomonClassifier
from splitsecond._treeset import TreeSet
from splitsecond._weights import as_integers, check_sample_weight

KINDS = ("subtractive", "ratio")
CHUNK = 250  # trees between two looks at the clock


def reliance(
    model: TreeClassifier, X: Any, y: Any, sample_weight: Any = None, kind: str = "subtractive"
) -> dict[str, float]:
    """Return how much a fitted tree relies on each source variable.

    That is the loss with the variable permuted among the rows, minus the loss (or divided by it,
    with ``kind="ratio"``): the exact mean over all permutations, all questions about a variable
    together. Variables that the tree does not ask about are left out. The ratio is infinite where a
    tree without errors makes some.

    Examples
    --------
    >>> import numpy as np
    >>> from splitsecond import LicketySPLITClassifier, reliance
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> reliance(LicketySPLITClassifier().fit(X, X[:, 0]), X, X[:, 0])
    {'x0': 0.5}
    """
    check_choice("kind", kind, KINDS)
    if not isinstance(model, TreeClassifier):
        raise ValueError(f"model={model!r:.80} must be a tree classifier of splitsecond.")
    check_is_fitted(model, "tree_")
    table = model._answers(X)
    codes = _codes_of(y, model.classes_, table.n_rows)
    weights = None
    if sample_weight is not None:
        weights = as_integers(check_sample_weight(sample_weight, table.n_rows))
    tree = model.tree_
    names, variable_of = _variables(model)
    asked = {int(j) for j in tree.feature if j >= 0}
    columns = pack_columns(table, asked, len(variable_of))
    rows = _core.Reliance(columns, variable_of, codes, len(model.classes_), weights)
    labels = np.ascontiguousarray(tree.prediction, dtype=np.int32)
    permuted, errors, weight = rows.of_tree(tree.feature, tree.left, tree.right, labels)
    values = _values(permuted[None, :], np.array([errors]), weight, kind)[0]
    return {names[j]: float(values[j]) for j in np.flatnonzero(permuted >= 0)}


class RashomonImportance(BaseEstimator):  # type: ignore[misc]
    """The Rashomon Importance Distribution: reliance over all good trees of many bootstraps.

    For each bootstrap sample a Rashomon set is found; for each of its trees, the reliance on each
    source variable (all its questions together) on that sample, in exact expectation over all
    permutations. Each bootstrap is a distribution, uniform over its trees; RID is their mean, every
    bootstrap counting alike.

    Parameters
    ----------
    estimator : RESPLIT or TreeFARMS, default=RESPLIT()
        Finds the sets. Its binarizer is fitted once, on all rows, and balanced class weights are
        those of all rows.
    n_bootstraps : int, default=10
        Bootstrap samples.
    kind : "subtractive" or "ratio", default="subtractive"
        Loss with the variable permuted minus, or divided by, the loss.
    max_trees : int, default=10_000
        Sets of up to so many trees are used whole; of larger ones, so many trees are drawn, each
        with the same chance, and `standard_error_` says what that may cost.
    time_limit : float, optional
        Seconds for the whole job. Bootstraps that are done by then count; one that is cut short
        does not.
    random_state : int, RandomState instance or None, default=None
        Draws the bootstraps. The result does not depend on `n_jobs`.
    n_jobs : int, optional
        Bootstraps at a time, through joblib and whatever backend it is given.
    verbose : int, default=0
        Passed on to joblib.

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
        incomplete because of the estimator's own limits.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_bootstraps: int = 10,
        kind: str = "subtractive",
        max_trees: int = 10_000,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_bootstraps = n_bootstraps
        self.kind = kind
        self.max_trees = max_trees
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the sets and the reliances.

        Parameters
        ----------
        X, y, sample_weight
            As for `RESPLIT`.

        Returns
        -------
        self
        """
        start = time.time()
        estimator = self._check_parameters()
        ends = None
        if self.time_limit is not None:
            ends = time.perf_counter() + start + float(self.time_limit) - time.time()
        table, target, _ = estimator._open(
            X, y, sample_weight, ends, lambda table, _: table.check_binary()
        )
        variables, variable_of = _variables(estimator)

        seeds = check_random_state(self.random_state).randint(
            np.iinfo(np.int32).max, size=int(self.n_bootstraps)
        )
        deadline = None if self.time_limit is None else start + float(self.time_limit)
        crew = _Crew()
        jobs = (
            delayed(_bootstrap)(
                estimator,
                table,
                target,
                variable_of,
                seed=int(seed),
                max_trees=int(self.max_trees),
                deadline=deadline,
                crew=crew,
            )
            for seed in seeds
        )
        # The work is done outside Python: threads share the table. A cluster's backend may differ.
        options = {"n_jobs": self.n_jobs, "verbose": self.verbose, "prefer": "threads"}
        try:
            run = Parallel(**options, return_as="generator")
        except ValueError:  # a backend that has to finish them all
            run = Parallel(**options)
        samples = self._gather(run, jobs, crew)
        self.variables_ = variables
        self._sum_up(samples)
        return self

    def _check_parameters(self) -> RashomonClassifier:
        check_number("n_bootstraps", self.n_bootstraps, Integral, "such as 10", least=1)
        check_number("max_trees", self.max_trees, Integral, "such as 10000", least=1)
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, Real, "seconds, or None", least=0)
        check_choice("kind", self.kind, KINDS)
        estimator = RESPLIT() if self.estimator is None else clone(self.estimator)
        if not isinstance(estimator, RashomonClassifier):
            raise ValueError(
                f"estimator={self.estimator!r:.80} must be a RESPLIT or TreeFARMS: these find sets."
            )
        estimator._check_parameters()
        return estimator

    def _gather(self, run: Parallel, jobs: Any, crew: _Crew) -> list[_Sample]:
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
        except KeyboardInterrupt:
            if not samples:
                raise
            status = "interrupted"
        finally:
            crew.dismiss()
        if not samples:
            raise RuntimeError(
                f"No bootstrap was done within time_limit={self.time_limit} s: give more time, or "
                "a smaller problem."
            )
        if status != "complete":
            warnings.warn(
                f"{len(samples)} of {self.n_bootstraps} bootstraps are done, some perhaps "
                f"with a part of their set ({status}): the distribution is made of those.",
                LimitWarning,
                stacklevel=3,
            )
        self.status_ = status
        return samples

    def _sum_up(self, samples: list[_Sample]) -> None:
        self.n_trees_ = [sample.n_trees for sample in samples]
        self._fitted_kind = self.kind
        self._reliances = [
            (sample.variables, _values(sample.permuted, sample.errors, sample.weight, self.kind))
            for sample in samples
        ]
        nothing = self._nothing()
        self.mean_ = self._average([each.mean(axis=0) for _, each in self._reliances], nothing)
        self.median_ = self.quantiles([0.5])[0]
        self.usage_ = self._average([(each.permuted >= 0).mean(axis=0) for each in samples], 0.0)
        variances = [
            _variance_of_mean(values, all_used=len(values) == sample.n_trees)
            for (_, values), sample in zip(self._reliances, samples, strict=True)
        ]
        self.standard_error_ = np.sqrt(self._average(variances, 0.0) / len(samples))

    def _average(self, parts: list[NDArray[np.float64]], others: float) -> NDArray[np.float64]:
        """Return the mean over bootstraps, with a value for the variables that one never asks."""
        out = np.full((len(parts), len(self.variables_)), others)
        for row, part, (variables, _) in zip(out, parts, self._reliances, strict=True):
            row[variables] = part
        mean: NDArray[np.float64] = out.mean(axis=0)
        return mean

    def _nothing(self) -> float:
        """Return the reliance on a variable that is not asked about."""
        return 0.0 if self._fitted_kind == "subtractive" else 1.0

    # ---- the distribution ------------------------------------------------------------------------

    def distribution(self, variable: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the values that occur for a variable, increasing, and their weights."""
        check_is_fitted(self, "_reliances")
        if variable not in self.variables_:
            known = ", ".join(map(repr, self.variables_[:8]))
            more = ", ..." if len(self.variables_) > 8 else ""
            raise ValueError(f"There is no variable {variable!r}; there are {known}{more}.")
        return self._distribution(self.variables_.index(variable))

    def _distribution(self, j: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        columns = [
            values[:, variables == j].ravel() if j in variables else np.array([self._nothing()])
            for variables, values in self._reliances
        ]
        shares = [np.full(len(column), 1 / len(column) / len(columns)) for column in columns]
        values, places = np.unique(np.concatenate(columns), return_inverse=True)
        weights: NDArray[Any] = np.bincount(places, np.concatenate(shares))
        return values, weights

    def cdf(self, variable: str, x: Any) -> Any:
        """Return the share of the distribution at or below `x`."""
        values, weights = self.distribution(variable)
        below = np.concatenate([[0.0], np.cumsum(weights)])
        shares = below[np.searchsorted(values, x, side="right")] / below[-1]
        return float(shares) if np.ndim(x) == 0 else shares

    def quantiles(self, q: Any) -> NDArray[np.float64]:
        """Return quantiles: a row for each `q`, a column for each variable.

        They are values that occur: the lowest with a share of at least `q` at or below it.
        """
        check_is_fitted(self, "_reliances")
        wanted = np.atleast_1d(np.asarray(q, dtype=np.float64))
        if not ((wanted >= 0) & (wanted <= 1)).all():
            raise ValueError(f"Quantiles must be between 0 and 1, got {q!r}.")
        out = np.empty((len(wanted), len(self.variables_)))
        for j in range(len(self.variables_)):
            values, weights = self._distribution(j)
            places = np.searchsorted(np.cumsum(weights), wanted - 1e-12)
            out[:, j] = values[np.minimum(places, len(values) - 1)]
        return out

    def box(self) -> dict[str, NDArray[np.float64]]:
        """Return the parts of a box plot: quartiles, and whiskers of at most 1.5 times the box."""
        low, middle, high = self.quantiles([0.25, 0.5, 0.75])
        reach = 1.5 * np.subtract(high, low, out=np.zeros_like(low), where=high > low)
        whiskers = np.empty((2, len(self.variables_)))
        for j in range(len(self.variables_)):
            values, _ = self._distribution(j)
            inside = values[(values >= low[j] - reach[j]) & (values <= high[j] + reach[j])]
            whiskers[:, j] = inside[0], inside[-1]
        return {
            "low": whiskers[0],
            "quartile_1": low,
            "median": middle,
            "quartile_3": high,
            "high": whiskers[1],
        }

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame, a row for each variable, the most important first."""
        check_is_fitted(self, "mean_")
        if library not in ("pandas", "polars"):
            raise ValueError(f"library={library!r} must be 'pandas' or 'polars'.")
        order = np.argsort(-self.mean_, kind="stable")
        columns: dict[str, Any] = {
            "variable": [self.variables_[j] for j in order],
            "mean": self.mean_[order],
            "standard_error": self.standard_error_[order],
            **{name: part[order] for name, part in self.box().items()},
            "usage": self.usage_[order],
        }
        try:
            module = __import__(library)
        except ImportError as error:
            raise ImportError(f"{library} is not installed: pip install {library}.") from error
        return module.DataFrame(columns)

    def plot(self, kind: str = "box", *, ax: Any = None, most: int | None = None) -> Any:
        """Draw the distributions with matplotlib, the most important variables first.

        Parameters
        ----------
        kind : "box" or "cdf", default="box"
            Box and whiskers, or cumulative distributions.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        most : int, optional
            Variables to show, by default 20 boxes or 8 curves.

        Returns
        -------
        matplotlib axes
        """
        check_is_fitted(self, "mean_")
        if kind not in ("box", "cdf"):
            raise ValueError(f"kind={kind!r} must be 'box' or 'cdf'.")
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise ImportError("Plots need matplotlib: pip install 'splitsecond[plot]'.") from error
        if most is None:
            most = 20 if kind == "box" else 8
        check_number("most", most, Integral, "variables to show", least=1)
        shown = np.argsort(-self.mean_, kind="stable")[:most]
        names = [_shortened(self.variables_[j]) for j in shown]
        is_new = ax is None
        if is_new:
            height = 1.4 + 0.32 * len(shown) if kind == "box" else max(4.2, 0.6 + 0.22 * len(shown))
            size = (max(7, 5.5 + 0.08 * max(map(len, names))), height)
            ax = pyplot.subplots(figsize=size, layout="constrained")[1]
        draw = self._draw_boxes if kind == "box" else self._draw_curves
        note = draw(ax, shown, names)
        meaning = "minus the loss" if self._fitted_kind == "subtractive" else "divided by the loss"
        if np.isinf(self.quantiles([1])[0, shown]).any():
            note += "\ninfinite values are not shown"
        ax.set_xlabel(f"reliance: loss with the variable permuted,\n{meaning}{note}")
        if kind == "cdf":
            outside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "borderaxespad": 0}
            ax.legend(frameon=False, **(outside if is_new else {}))
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        return ax

    def _draw_curves(self, ax: Any, shown: NDArray[np.intp], names: list[str]) -> str:
        curves = [self._distribution(int(j)) for j in shown]
        ends = np.concatenate([values[np.isfinite(values)] for values, _ in curves])
        low, high = (ends.min(), ends.max()) if len(ends) else (1.0, 1.0)
        margin = 0.03 * (high - low) or 0.01
        for i, ((values, weights), name) in enumerate(zip(curves, names, strict=True)):
            known = np.isfinite(values)
            shares = np.cumsum(weights)[known]
            ax.step(
                [low - margin, *values[known], high + margin],
                [0, *shares, shares[-1] if len(shares) else 0],
                where="post",
                label=name,
                linestyle=("-", "--", ":", "-.")[i // 10 % 4],  # there are ten colours
            )
        ax.set_xlim(low - margin, high + margin)
        ax.set_ylim(-0.03, 1.03)
        ax.set_ylabel("share of good trees")
        return ""

    def _draw_boxes(self, ax: Any, shown: NDArray[np.intp], names: list[str]) -> str:
        box = self.box()
        stats = [
            {
                "label": name,
                "med": box["median"][j],
                "q1": box["quartile_1"][j],
                "q3": box["quartile_3"][j],
                "whislo": box["low"][j],
                "whishi": box["high"][j],
                "mean": self.mean_[j],
            }
            for j, name in zip(shown[::-1], names[::-1], strict=True)
        ]
        ax.bxp(
            stats,
            orientation="horizontal",
            showfliers=False,
            showmeans=True,
            patch_artist=True,
            boxprops={"facecolor": "#9ecae1", "edgecolor": "#3182bd"},
            medianprops={"color": "#08306b"},
            meanprops={
                "marker": "D",
                "markersize": 4,
                "markerfacecolor": "#e6550d",
                "markeredgecolor": "none",
            },
        )
        ax.axvline(self._nothing(), color="0.6", linewidth=0.8, zorder=0)
        return " (line: median, diamond: mean)"


@dataclass(frozen=True)
class _Sample:
    """What a bootstrap comes to: the core's counts, a row for each tree."""

    variables: NDArray[np.intp]  # those that any of its trees may ask about: the columns
    permuted: NDArray[np.int64]  # weight * expected errors; -1 where a tree does not ask
    errors: NDArray[np.int64]
    weight: int
    n_trees: int
    status: str


@dataclass
class _Crew:
    """The bootstraps at work in this process. Of those in others it knows nothing."""

    at_work: set[int] = field(default_factory=set)  # their seeds
    dismissed: bool = False

    def dismiss(self) -> None:
        """End what is at work in other threads: Python must not end before them."""
        self.dismissed = True
        patience = time.perf_counter() + 1
        while self.at_work and time.perf_counter() < patience:
            time.sleep(0.002)


def _bootstrap(
    estimator: RashomonClassifier,
    table: Table,
    target: Target,
    variable_of: list[int],
    *,
    seed: int,
    max_trees: int,
    deadline: float | None,
    crew: _Crew,
) -> _Sample | None:
    """Find the set of one bootstrap sample and the reliances of its trees; None: out of time."""
    crew.at_work.add(seed)
    try:
        bootstrap = _Bootstrap(
            estimator=copy.copy(estimator),  # threads share the original
            table=table,
            target=target,
            random=np.random.RandomState(seed),
            deadline=deadline,
            crew=crew,
            progress=Progress() if estimator.verbose else None,
        )
        return bootstrap.sample(variable_of, max_trees)
    finally:
        crew.at_work.discard(seed)


@dataclass(frozen=True)
class _Bootstrap:
    """One bootstrap sample, and its set."""

    estimator: RashomonClassifier
    table: Table
    target: Target
    random: np.random.RandomState
    deadline: float | None  # by the clock on the wall: it may run in another process
    crew: _Crew
    progress: Progress | None

    def sample(self, variable_of: list[int], max_trees: int) -> _Sample | None:
        """Return the reliances of its trees, or None if the time is up."""
        weights = self._draw()
        status = self._solve(weights)
        if status is None:
            return None
        trees: TreeSet = self.estimator.trees_
        asked = set(trees._graph.features())
        variables = sorted({variable_of[j] for j in asked})
        place = {variable: i for i, variable in enumerate(variables)}
        rows = _core.Reliance(
            pack_columns(self.table, asked, len(variable_of)),
            [place.get(variable, 0) for variable in variable_of],
            np.ascontiguousarray(self.target.codes, dtype=np.int32),
            self.target.n_classes,
            as_integers(weights),
        )
        n_trees = trees.n_trees
        whole = n_trees <= max_trees
        permuted, errors = [], []
        everything = range(min(n_trees, max_trees))
        for begin in range(0, len(everything), CHUNK):
            some = everything[begin : begin + CHUNK]
            numbers = trees._numbers(some) if whole else trees._draw(len(some), self.random)
            of_trees, errors_of, weight, stopped = rows.of_set(trees._graph, numbers)
            if stopped:
                raise KeyboardInterrupt
            self._listen()
            if self._is_late():
                return None
            permuted.append(of_trees.reshape(len(numbers), -1)[:, : len(variables)])
            errors.append(errors_of)
        return _Sample(
            variables=np.array(variables, dtype=np.intp),
            permuted=np.concatenate(permuted),
            errors=np.concatenate(errors),
            weight=weight,
            n_trees=n_trees,
            status=status,
        )

    def _draw(self) -> NDArray[np.float64]:
        """Draw as many rows as there are; one of weight 0 is as good as absent."""
        weights, n_rows = self.target.weights, self.table.n_rows
        present = np.arange(n_rows) if weights is None else np.flatnonzero(weights)
        drawn = present[self.random.randint(0, len(present), len(present))]
        counts = np.bincount(drawn, minlength=n_rows).astype(np.float64)
        return counts if weights is None else counts * weights

    def _solve(self, weights: NDArray[np.float64]) -> str | None:
        """Find the set and return its status, or None if the time is up."""
        if self._is_late():
            return None
        limit = self.estimator.time_limit
        left = None if self.deadline is None else self.deadline - time.time()
        is_ours = left is not None and (limit is None or left < limit)
        seconds = left if is_ours else limit
        ends = None if seconds is None else time.perf_counter() + float(seconds)
        own = Target(self.target.codes, self.target.n_classes, weights, ends)
        self.estimator._listener = self._listen
        status = self.estimator._solve(self.table, own).status
        if status == "interrupted":
            raise KeyboardInterrupt
        return None if self._is_late() or (status == "time_limit" and is_ours) else status

    def _listen(self, *far: Any) -> None:
        """Hear how far the search is, and end it if need be."""
        if self.crew.dismissed:
            raise KeyboardInterrupt
        if self.progress is not None and far:
            self.progress(*far)

    def _is_late(self) -> bool:
        return self.deadline is not None and time.time() >= self.deadline


def _values(
    permuted: NDArray[np.int64], errors: NDArray[np.int64], weight: int, kind: str
) -> NDArray[np.float64]:
    """Turn counts into reliances, exactly up to the last rounding."""
    losses = errors[:, None] * weight  # below 2**62, as is what it becomes
    after = np.where(permuted < 0, losses, permuted)
    if kind == "subtractive":
        difference: NDArray[np.float64] = (after - losses) / float(weight) ** 2
        return difference
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = after / losses
    return np.where(after == losses, 1.0, ratio)


def _variance_of_mean(values: NDArray[np.float64], *, all_used: bool) -> NDArray[np.float64]:
    """Return the variance of the mean over drawn trees; NaN where they do not tell."""
    if all_used:
        return np.zeros(values.shape[1])
    if len(values) == 1:
        return np.full(values.shape[1], np.nan)
    with np.errstate(invalid="ignore"):  # infinite ratios
        variance: NDArray[np.float64] = values.var(axis=0, ddof=1) / len(values)
    return variance


def _variables(estimator: TreeClassifier) -> tuple[list[str], list[int]]:
    """Return the names of the source variables, and the one that each question is about."""
    literals = estimator._literals()
    binarizer = estimator.binarizer_
    known: Any = literals if binarizer is None else binarizer.variables_
    return [each.name for each in known], [literal.column for literal in literals]


def _shortened(name: str) -> str:
    """Leave room for the drawing."""
    return name if len(name) <= 48 else f"{name[:30].rstrip()} … {name[-15:].lstrip()}"


def _codes_of(y: Any, classes: NDArray[Any], n_rows: int) -> NDArray[np.int32]:
    """Return the class numbers of labels; -1 has no place here."""
    given, codes = encode_labels(y, n_rows)
    place = {label: j for j, label in enumerate(classes.tolist())}
    unknown = [label for label in given.tolist() if label not in place]
    if unknown:
        raise ValueError(f"y has the label {unknown[0]!r}, which the model does not know.")
    numbers = np.array([place[label] for label in given.tolist()], dtype=np.int32)
    return np.ascontiguousarray(numbers[codes])
