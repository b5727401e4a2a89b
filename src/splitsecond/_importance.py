"""Variable importance over all good models: RID, and the reliance of a single model."""

from __future__ import annotations

import copy
import time
import warnings
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from splitsecond import _core
from splitsecond._binarizers import Target, check_number
from splitsecond._classifiers import LimitWarning, _TreeClassifier
from splitsecond._columns import RawTable
from splitsecond._input import NotBinaryError, Table
from splitsecond._labels import encode_labels
from splitsecond._literals import Literal
from splitsecond._rashomon import RESPLIT, _RashomonClassifier
from splitsecond._treeset import _NOTHING, TreeSet, _bits, _digits
from splitsecond._weights import as_integers, check_sample_weight, row_weights

KINDS = ("subtractive", "ratio")


def reliance(
    model: _TreeClassifier, X: Any, y: Any, sample_weight: Any = None, kind: str = "subtractive"
) -> dict[str, float]:
    """Return how much a fitted tree relies on each source variable.

    That is the loss with the variable permuted among the rows, minus the loss (or divided by it,
    with ``kind="ratio"``): the exact mean over all permutations, all questions about a variable
    together. Variables that the tree does not ask about are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from splitsecond import LicketySPLITClassifier, reliance
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> reliance(LicketySPLITClassifier().fit(X, X[:, 0]), X, X[:, 0])
    {'x0': 0.5}
    """
    _check_kind(kind)
    check_is_fitted(model, "tree_")
    table = model._answers(X)
    codes = _codes_of(y, model.classes_, table.n_rows)
    weights = None
    if sample_weight is not None:
        weights = as_integers(check_sample_weight(sample_weight, table.n_rows))
    tree = model.tree_
    literals = model._literals()
    names, variable_of = _variables(literals)
    asked = {int(j) for j in tree.feature if j >= 0}
    columns = [_bits(table.column(j)) if j in asked else _NOTHING for j in range(len(literals))]
    rows = _core.Reliance(columns, variable_of, codes, len(model.classes_), weights)
    labels = np.ascontiguousarray(tree.prediction, dtype=np.int32)
    permuted, errors, weight = rows.of_tree(tree.feature, tree.left, tree.right, labels)
    values = _values(permuted[None, :], np.array([errors]), weight, kind)[0]
    return {
        name: float(value)
        for name, value, known in zip(names, values, permuted >= 0, strict=True)
        if known
    }


class RashomonImportance(BaseEstimator):  # type: ignore[misc]
    """The Rashomon Importance Distribution: reliance over all good trees of many bootstraps.

    For each bootstrap sample a Rashomon set is found; for each of its trees, the reliance on each
    source variable (all its questions together) on that sample, in exact expectation over all
    permutations. Each bootstrap is a distribution, uniform over its trees; RID is their mean, every
    bootstrap counting alike.

    Parameters
    ----------
    estimator : RESPLIT or TreeFARMS, default=RESPLIT()
        Finds the sets. Its binarizer is fitted once, on all rows.
    n_bootstraps : int, default=10
        Bootstrap samples.
    kind : "subtractive" or "ratio", default="subtractive"
        Loss with the variable permuted minus, or divided by, the loss.
    max_trees : int, default=10_000
        Sets of up to so many trees are used whole; of larger ones, so many trees are drawn, each
        with the same chance, and `standard_error_` says what that may cost.
    time_limit : float, optional
        Seconds for the whole job. Bootstraps that are done by then count.
    random_state : int, RandomState instance or None, default=None
        Draws the bootstraps. The result does not depend on `n_jobs`.
    n_jobs : int, optional
        Bootstraps at a time, through joblib and whatever backend it is given.
    verbose : int, default=0
        Passed on to joblib.

    Attributes
    ----------
    variables_ : list of str
        The source variables.
    mean_, median_ : ndarray
        Of the distribution of each variable.
    usage_ : ndarray
        Mean share of the trees that ask about each variable.
    standard_error_ : ndarray
        Of `mean_`, from drawing trees; zero where all trees were used.
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
        source = estimator._read(X)
        classes, codes = encode_labels(y, source.n_rows)
        if sample_weight is not None:
            sample_weight = check_sample_weight(sample_weight, source.n_rows)
        weights = row_weights(classes, codes, estimator.class_weight, sample_weight)
        target = Target(codes, len(classes), weights)
        try:
            estimator.binarizer_, table = estimator._binarize(source, target)
            table.check_binary()
        except NotBinaryError:
            if not estimator._is_auto():
                raise
            source = RawTable(X)
            estimator.binarizer_, table = estimator._binarize(source, target)
        estimator._labels_in, estimator.n_features_in_ = source.labels, source.n_columns
        estimator.classes_ = classes
        literals = estimator._literals()
        self.variables_, variable_of = _variables(literals)

        seeds = check_random_state(self.random_state).randint(
            np.iinfo(np.int32).max, size=int(self.n_bootstraps)
        )
        deadline = None if self.time_limit is None else start + float(self.time_limit)
        jobs = (
            delayed(_bootstrap)(
                estimator,
                table,
                target,
                variable_of,
                seed=int(seed),
                max_trees=int(self.max_trees),
                deadline=deadline,
            )
            for seed in seeds
        )
        # The work is done outside Python: threads share the table. A cluster's backend may differ.
        run = Parallel(
            n_jobs=self.n_jobs, verbose=self.verbose, prefer="threads", return_as="generator"
        )
        self._collect(run(jobs))
        return self

    def _check_parameters(self) -> _RashomonClassifier:
        check_number("n_bootstraps", self.n_bootstraps, Integral, "such as 10", least=1)
        check_number("max_trees", self.max_trees, Integral, "such as 10000", least=1)
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, Real, "seconds, or None", least=0)
        _check_kind(self.kind)
        estimator = RESPLIT() if self.estimator is None else clone(self.estimator)
        if not isinstance(estimator, _RashomonClassifier):
            raise ValueError(
                f"estimator={self.estimator!r:.80} must be a RESPLIT or TreeFARMS: these find sets."
            )
        estimator._check_parameters()
        return estimator

    def _collect(self, results: Any) -> None:
        """Gather the bootstraps as they come, and keep what there is when they stop coming."""
        self.status_ = "complete"
        self._reliances: list[NDArray[np.float64]] = []
        self._used: list[NDArray[np.float64]] = []
        self.n_trees_: list[int] = []
        try:
            for result in results:
                if result is None:
                    self.status_ = "time_limit"
                    continue
                permuted, errors, weight, n_trees, status = result
                if status != "complete" and self.status_ == "complete":
                    self.status_ = "partial"
                self.n_trees_.append(n_trees)
                self._reliances.append(_values(permuted, errors, weight, self.kind))
                self._used.append((permuted >= 0).mean(axis=0))
        except KeyboardInterrupt:
            self.status_ = "interrupted"
        if not self._reliances:
            raise RuntimeError(
                f"No bootstrap was done ({self.status_}): give more time, or a smaller problem."
            )
        if self.status_ != "complete":
            warnings.warn(
                f"{len(self._reliances)} of {self.n_bootstraps} bootstraps are done, some perhaps "
                f"with a part of their set ({self.status_}): the distribution is made of those.",
                LimitWarning,
                stacklevel=3,
            )
        self.mean_ = np.mean([each.mean(axis=0) for each in self._reliances], axis=0)
        self.median_ = self.quantiles([0.5])[0]
        self.usage_ = np.mean(self._used, axis=0)
        drawn = [
            each.var(axis=0, ddof=1) / len(each) if n_trees > len(each) > 1 else 0 * each[0]
            for each, n_trees in zip(self._reliances, self.n_trees_, strict=True)
        ]
        self.standard_error_ = np.sqrt(np.sum(drawn, axis=0)) / len(drawn)

    # ---- the distribution ------------------------------------------------------------------------

    def distribution(self, variable: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the values that occur for a variable, increasing, and their weights."""
        check_is_fitted(self, "mean_")
        if variable not in self.variables_:
            known = ", ".join(map(repr, self.variables_[:8]))
            raise ValueError(f"There is no variable {variable!r}; there are {known}, ...")
        return _distribution(self._reliances, self.variables_.index(variable))

    def cdf(self, variable: str, x: Any) -> Any:
        """Return the share of the distribution at or below `x`."""
        values, weights = self.distribution(variable)
        below = np.concatenate([[0.0], np.cumsum(weights)])
        shares = np.minimum(below[np.searchsorted(values, x, side="right")], 1.0)
        return float(shares) if np.ndim(x) == 0 else shares

    def quantiles(self, q: Any) -> NDArray[np.float64]:
        """Return quantiles: a row for each `q`, a column for each variable."""
        wanted = np.atleast_1d(np.asarray(q, dtype=np.float64))
        if ((wanted < 0) | (wanted > 1)).any():
            raise ValueError(f"Quantiles must be between 0 and 1, got {q!r}.")
        out = np.empty((len(wanted), len(self.variables_)))
        for j in range(len(self.variables_)):
            values, weights = _distribution(self._reliances, j)
            places = np.searchsorted(np.cumsum(weights), wanted - 1e-12)
            out[:, j] = values[np.minimum(places, len(values) - 1)]
        return out

    def box(self) -> dict[str, NDArray[np.float64]]:
        """Return the parts of a box plot: quartiles, and whiskers of at most 1.5 times the box."""
        low, middle, high = self.quantiles([0.25, 0.5, 0.75])
        reach = 1.5 * (high - low)
        whiskers = np.empty((2, len(self.variables_)))
        for j in range(len(self.variables_)):
            values, _ = _distribution(self._reliances, j)
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

    def plot(self, kind: str = "box", *, ax: Any = None, most: int = 20) -> Any:
        """Draw the distributions with matplotlib, the most important variables first.

        Parameters
        ----------
        kind : "box" or "cdf", default="box"
            Box and whiskers, or cumulative distributions.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        most : int, default=20
            Variables to show.

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
        shown = np.argsort(-self.mean_, kind="stable")[:most]
        if ax is None:
            height = 1.2 + 0.32 * len(shown) if kind == "box" else 4.2
            ax = pyplot.subplots(figsize=(7, height), layout="constrained")[1]
        meaning = "minus the loss" if self.kind == "subtractive" else "divided by the loss"
        label = f"reliance: loss with the variable permuted, {meaning}"
        if kind == "box":
            self._draw_boxes(ax, shown)
            ax.set_xlabel(label)
        else:
            for j in shown[:8]:
                values, weights = _distribution(self._reliances, int(j))
                ax.step(values, np.cumsum(weights), where="post", label=self.variables_[j])
            ax.set_xlabel(label)
            ax.set_ylabel("share of good trees")
            ax.legend(frameon=False)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        return ax

    def _draw_boxes(self, ax: Any, shown: NDArray[np.intp]) -> None:
        box = self.box()
        stats = [
            {
                "label": self.variables_[j],
                "med": box["median"][j],
                "q1": box["quartile_1"][j],
                "q3": box["quartile_3"][j],
                "whislo": box["low"][j],
                "whishi": box["high"][j],
                "mean": self.mean_[j],
            }
            for j in shown[::-1]
        ]
        ax.bxp(
            stats,
            orientation="horizontal",
            showfliers=False,
            showmeans=True,
            patch_artist=True,
            boxprops={"facecolor": "#9ecae1", "edgecolor": "#3182bd"},
            medianprops={"color": "#08306b"},
            meanprops={"marker": "D", "markerfacecolor": "#e6550d", "markeredgecolor": "none"},
        )
        ax.axvline(0 if self.kind == "subtractive" else 1, color="0.6", linewidth=0.8, zorder=0)


def _distribution(
    reliances: list[NDArray[np.float64]], j: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    values = np.concatenate([each[:, j] for each in reliances])
    sizes = [len(each) for each in reliances]
    weights = np.repeat([1 / size / len(sizes) for size in sizes], sizes)
    order = np.argsort(values, kind="stable")
    return values[order], weights[order]


def _bootstrap(
    estimator: _RashomonClassifier,
    table: Table,
    target: Target,
    variable_of: list[int],
    *,
    seed: int,
    max_trees: int,
    deadline: float | None,
) -> Any:
    """Find the set of one bootstrap sample, and the reliances of its trees."""
    # By the clock on the wall: it may run in another process.
    if deadline is not None and time.time() >= deadline:
        return None
    random = np.random.RandomState(seed)
    counts = np.bincount(random.randint(0, table.n_rows, table.n_rows), minlength=table.n_rows)
    weights = counts.astype(np.float64)
    if target.weights is not None:
        weights *= target.weights
    ends = None if deadline is None else time.perf_counter() + deadline - time.time()
    own = Target(target.codes, target.n_classes, weights, ends)
    estimator = copy.copy(estimator)  # threads share the original
    status = estimator._solve(table, own).status
    trees: TreeSet = estimator.trees_
    asked = set(trees._graph.features())
    columns = [_bits(table.column(j)) if j in asked else _NOTHING for j in range(len(variable_of))]
    assert target.codes is not None
    codes = np.ascontiguousarray(target.codes, dtype=np.int32)
    rows = _core.Reliance(columns, variable_of, codes, target.n_classes, as_integers(weights))
    numbers = None
    if trees.n_trees > max_trees:
        numbers = [_digits(place) for place in trees._draw(max_trees, random)]
    permuted, errors, weight, stopped = rows.of_set(trees._graph, numbers, max_trees)
    if stopped:
        raise KeyboardInterrupt
    n_variables = max(variable_of, default=-1) + 1
    return permuted.reshape(len(errors), n_variables), errors, weight, trees.n_trees, status


def _values(
    permuted: NDArray[np.int64], errors: NDArray[np.int64], weight: int, kind: str
) -> NDArray[np.float64]:
    """Turn counts into reliances, exactly up to the last rounding."""
    losses = errors[:, None].astype(np.float64) * weight
    unused = permuted < 0
    after = np.where(unused, losses, permuted.astype(np.float64))
    if kind == "subtractive":
        return (after - losses) / float(weight) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = after / losses
    return np.where(after == losses, 1.0, ratio)


def _variables(literals: list[Literal]) -> tuple[list[str], list[int]]:
    """Return the source variables, and the one that each question is about."""
    names = list(dict.fromkeys(literal.name for literal in literals))
    place = {name: j for j, name in enumerate(names)}
    return names, [place[literal.name] for literal in literals]


def _codes_of(y: Any, classes: NDArray[Any], n_rows: int) -> NDArray[np.int32]:
    """Return the class numbers of labels; -1 has no place here."""
    given, codes = encode_labels(y, n_rows)
    place = {label: j for j, label in enumerate(classes.tolist())}
    unknown = [label for label in given.tolist() if label not in place]
    if unknown:
        raise ValueError(f"y has the label {unknown[0]!r}, which the model does not know.")
    numbers = np.array([place[label] for label in given.tolist()], dtype=np.int32)
    return np.ascontiguousarray(numbers[codes])


def _check_kind(kind: Any) -> None:
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r} must be one of {', '.join(map(repr, KINDS))}.")
