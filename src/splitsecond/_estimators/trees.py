"""The four algorithms for one tree, as classifiers and as regressors."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from splitsecond._estimators.base import TreeEstimator
from splitsecond._estimators.classifiers import TreeClassifier
from splitsecond._estimators.devices import OnDevices
from splitsecond._estimators.parameters import with_parameters
from splitsecond._estimators.regressors import TreeRegressor
from splitsecond._support.checks import check_choice, check_flag, check_number
from splitsecond._support.names import public

COMPLETIONS = ("greedy", "lickety")


class _Greedy(OnDevices):
    """Splits that are best by themselves."""

    _algorithm = "greedy"
    _max_columns = None


@with_parameters
class _Lickety(OnDevices):
    """Splits whose greedy completions are best."""

    _algorithm = "lickety"

    lookahead_depth: int = 1
    completion: str = "greedy"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        meaning = "levels of splits that are compared, such as 1 or 2"
        check_number("lookahead_depth", self.lookahead_depth, Integral, meaning, minimum=1)
        check_choice("completion", self.completion, COMPLETIONS)

    def _solver_options(self) -> dict[str, Any]:
        return {
            **super()._solver_options(),
            "lookahead_depth": self.lookahead_depth,
            "completion": self.completion,
        }

    def _needs_cpu(self) -> str | None:
        if self.lookahead_depth > 1:
            return f"lookahead_depth={self.lookahead_depth}"
        return None if self.completion == "greedy" else f'completion="{self.completion}"'


@with_parameters
class _Split(TreeEstimator):
    """Optimal for the first levels, given greedy completions below."""

    _algorithm = "split"
    _max_columns = 1_000

    lookahead_depth: int | None = None
    postprocess: bool = True

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_flag("postprocess", self.postprocess)
        if self.lookahead_depth is None:
            return
        meaning = "levels searched exhaustively"
        check_number("lookahead_depth", self.lookahead_depth, Integral, meaning, minimum=0)
        if self.lookahead_depth > self.max_depth:
            raise ValueError(
                f"lookahead_depth={self.lookahead_depth} must not exceed "
                f"max_depth={self.max_depth}."
            )

    def _solver_options(self) -> dict[str, Any]:
        return {
            **super()._solver_options(),
            "lookahead_depth": self.lookahead_depth,
            "postprocess": bool(self.postprocess),
        }


class _Optimal(TreeEstimator):
    """The best of all."""

    _algorithm = "optimal"
    _max_columns = 500


@with_parameters
class _GreedyBelow(TreeClassifier):
    """A classifier whose trees, or the trees it compares, are greedy in their lower levels."""

    exact_last_split: bool = True

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_flag("exact_last_split", self.exact_last_split)

    def _solver_options(self) -> dict[str, Any]:
        return {**super()._solver_options(), "exact_last_split": bool(self.exact_last_split)}


@public
@with_parameters
class LicketySPLITClassifier(_GreedyBelow, _Lickety):
    """Near-optimal trees in milliseconds: each split is the one whose greedy completion is best.

    Parameters
    ----------
    regularization : float or Fraction, default=0.01
        lambda, the penalty per leaf: as a share of the training weight for "zero_one" (with
        `costs`, a cost per row), of the loss of a single leaf for "log_loss" and "brier". A float
        counts as the decimal it prints as, a Fraction exactly.
    max_depth : int, default=5
        The maximum number of questions on a path.
    min_samples_leaf : int or float, default=1
        The minimum number of training rows in a leaf; a float between 0 and 1 is a share of all
        rows, rounded up. Rows count, not their weights, and those of weight 0 do not. A tree of a
        single leaf is always allowed.
    lookahead_depth : int, default=1
        Levels of splits that are compared by their completions before the first is taken, and again
        at every level below. 1 is the paper's algorithm; 2 is slower and often better.
    completion : "greedy" or "lickety", default="greedy"
        What a split is judged by, if `lookahead_depth` is above 1: the greedy tree below the
        levels that are compared, or the tree that LicketySPLIT with one level less makes. The
        latter takes about twice as long, and more lookahead then never gives a worse tree.
    exact_last_split : bool, default=True
        Let greedy completions choose their last split by errors instead of information gain.
        Mostly a better tree, and no slower. False is the paper's definition. With "log_loss" and
        "brier" it changes nothing: greedy splits are chosen by the loss itself.
    loss : "zero_one", "log_loss" or "brier", default="zero_one"
        What a tree is fitted for: to decide ("zero_one", misclassified rows), or to tell
        probabilities, by which to rank and price: "log_loss" (the log-likelihood of the leaves'
        class shares) and "brier" (their squared error). Losses of the last two are relative to
        that of a single leaf.
    costs : mapping or array-like, optional
        What each action costs for each class: a mapping ``{action: {class: cost}}``, or an array
        with a row for each action and a column for each class, in the order of ``classes_``. A
        leaf then says the action that costs least, which need not be a class ("refer"), and the
        objective is the mean cost of a row plus lambda times the leaves. Numbers count exactly.
    actions : list, optional
        Names of the rows of `costs` if it is an array; by default the classes.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    binarizer : "auto", "guess", "quantile", "midpoint", a binarizer, or None, default="auto"
        How columns become yes/no questions. "auto" takes 0/1 columns as they are and guesses
        thresholds for the rest (`ThresholdGuessBinarizer`); "guess" lets 0/1 columns compete too,
        "quantile" and "midpoint" stand for `QuantileBinarizer` and `MidpointBinarizer`. With None,
        everything but 0/1 is refused.
    time_limit : float, optional
        Seconds for the whole fit. The best tree until then is kept.
    memory_limit : int, optional
        Bytes that the search may use, the packed data included.
    n_jobs : int, optional
        Threads; -1 uses all processors. The result does not depend on it.
    device : "cpu", "gpu" or "auto", default="cpu"
        Where the rows are counted; the tree is the same, bit for bit. "gpu" needs JAX (the extra
        ``gpu``) and takes seconds to compile at first; "auto" takes it, where there is one, for
        tables so large that it pays. Not with `lookahead_depth` above 1 or "lickety" completions.
    verbose : int or callable, default=0
        Above 0, a line a second tells on standard error how far a long search has come. A function
        is called instead while the search runs, with the first splits done, how many there are, and
        the seconds so far; it ends the search by raising KeyboardInterrupt, as Ctrl-C does.

    Attributes
    ----------
    classes_ : ndarray
        The class labels.
    actions_ : ndarray
        What `predict` returns: the classes, or the actions of `costs`.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, if `X` was a data frame with names.
    binarizer_ : binarizer or None
        The fitted binarizer, whose ``literals_`` are the questions a tree could ask.
    tree_ : Tree
        The fitted tree.
    feature_importances_ : ndarray, a number for each column seen in `fit`
        The share of each column in what the splits lower the training loss by.
    objective_ : float
        Training loss (misclassified share, mean cost, or share of the loss of a single leaf) plus
        ``regularization`` times the number of leaves.
    lower_bound_ : float
        Proved: no tree of depth `max_depth` has a lower objective.
    status_ : str
        "optimal" (proved), "complete", "time_limit", "memory_limit" or "interrupted".
    n_leaves_, depth_ : int
        Size of the tree.
    statistics_ : dict
        Work done: subproblems, cache hits, peak bytes, and seconds: in all, before the search
        (``binarization_seconds``: reading and binarizing) and in the search (``search_seconds``).
        ``on_gpu`` is 1 if a GPU counted the rows.
        ``rounding`` is by how much a tree that is proved optimal may miss the lowest objective: 0,
        or some 1e-11 with "log_loss" and "brier", whose searches compare losses that are rounded
        to 2**-40 of that of a single leaf.

    Examples
    --------
    >>> import numpy as np
    >>> from splitsecond import LicketySPLITClassifier
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> y = np.where(X[:, 0] == X[:, 1], "same", "different")
    >>> print(LicketySPLITClassifier(regularization=0.01).fit(X, y).tree_)
    x0 ?                     20 rows
    |- yes  x1 ?             10 rows
    |  |- yes  -> same       100%  (5/5)
    |  |- no   -> different  100%  (5/5)
    |- no   x1 ?             10 rows
       |- yes  -> different  100%  (5/5)
       |- no   -> same       100%  (5/5)
    """


@public
@with_parameters
class GreedyTreeClassifier(_GreedyBelow, _Greedy):
    """The greedy baseline: splits of highest information gain, pruned bottom up by the objective.

    Parameters and attributes are those of `LicketySPLITClassifier`, without `lookahead_depth` and
    `completion`. With "log_loss" and "brier", splits are those of the lowest loss.
    """


@public
@with_parameters
class OptimalTreeClassifier(TreeClassifier, _Optimal):
    """The tree of lowest objective among all of depth `max_depth`, with proof.

    A fit that ends by itself has ``status_ == "optimal"`` and ``lower_bound_ == objective_``; with
    "log_loss" and "brier", up to ``statistics_["rounding"]``. One that is stopped keeps the best
    tree found and the bound proved until then.

    Parameters and attributes are those of `LicketySPLITClassifier`, without `lookahead_depth`,
    `completion` and `exact_last_split`.
    """

    _cheaper = "a smaller max_depth, a larger regularization, or SPLITClassifier"


@public
@with_parameters
class SPLITClassifier(_GreedyBelow, _Split):
    """Near-optimal trees by lookahead: optimal for the first levels given greedy completions below.

    Parameters
    ----------
    regularization, max_depth, min_samples_leaf, exact_last_split, loss, costs, actions, \
    class_weight, binarizer, time_limit, memory_limit, n_jobs, verbose
        As for `LicketySPLITClassifier`.
    lookahead_depth : int, optional
        Levels of splits that are searched exhaustively, from 0 to `max_depth`; either end is the
        optimal search (0 without `postprocess`: the greedy tree). Default:
        ``max(1, (max_depth - 1) // 2)``, for which the search is cheapest.
    postprocess : bool, default=True
        Replace what hangs below each leaf of the searched prefix by the optimal tree there.
    """

    _cheaper = "a smaller lookahead_depth or max_depth, or LicketySPLITClassifier"


@public
@with_parameters
class LicketySPLITRegressor(TreeRegressor, _Lickety):
    """Near-optimal regression trees in milliseconds; a leaf says the mean of its rows.

    Each split is the one whose greedy completion is best. Inside the search, numbers stand on a
    grid: exactly where they have few digits, otherwise so finely that no tree's loss changes by
    more than 1e-6 of that of a single leaf. Weights without a common unit are rounded to 2**-29 of
    their total. ``statistics_["rounding"]`` has what both can change; for such weights on thousands
    of different rows, that is mostly four standard deviations of a random walk and no proof. Values
    and losses of the tree are those of the data as given.

    Parameters
    ----------
    regularization : float or Fraction, default=0.01
        lambda, the penalty per leaf, as a share of the loss of a single leaf: a leaf more has to
        explain so much of the variance (with "poisson", of the deviance).
    max_depth, min_samples_leaf, lookahead_depth, completion, binarizer, time_limit, \
    memory_limit, n_jobs, device, verbose
        As for `LicketySPLITClassifier`.
    loss : "squared_error" or "poisson", default="squared_error"
        What a tree is fitted for: the mean, or the rate of events ("poisson", the deviance of
        counts). For rates, pass y = events / exposure, and the exposure as ``sample_weight``.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree.
    objective_ : float
        Training loss, as a share of that of a single leaf, plus ``regularization`` times the
        number of leaves: 1 - R^2 + lambda * leaves.
    n_features_in_, feature_names_in_, binarizer_, feature_importances_, lower_bound_, status_, \
    n_leaves_, depth_, statistics_
        As for `LicketySPLITClassifier`.

    Examples
    --------
    >>> import pandas as pd
    >>> from splitsecond import LicketySPLITRegressor
    >>> X = pd.DataFrame({"rooms": [2, 3, 4, 5] * 5, "lift": [0, 1, 1, 0] * 5})
    >>> model = LicketySPLITRegressor().fit(X, 100 * X["rooms"] + 30 * X["lift"])
    >>> model.predict(pd.DataFrame({"rooms": [3], "lift": [1]}))
    array([330.])
    """


@public
@with_parameters
class GreedyTreeRegressor(TreeRegressor, _Greedy):
    """The greedy baseline: splits of the lowest loss, pruned bottom up by the objective.

    Parameters and attributes are those of `LicketySPLITRegressor`, without `lookahead_depth` and
    `completion`.
    """


@public
@with_parameters
class OptimalTreeRegressor(TreeRegressor, _Optimal):
    """The regression tree of lowest objective among all of depth `max_depth`, with proof.

    A fit that ends by itself has ``status_ == "optimal"``, and ``lower_bound_ == objective_`` up to
    ``statistics_["rounding"]``. One that is stopped keeps the best tree found and the bound proved
    until then.

    Parameters and attributes are those of `LicketySPLITRegressor`, without `lookahead_depth` and
    `completion`.
    """

    _cheaper = "a smaller max_depth, a larger regularization, or SPLITRegressor"


@public
@with_parameters
class SPLITRegressor(TreeRegressor, _Split):
    """Near-optimal regression trees by lookahead: optimal first levels, greedy completions below.

    Parameters
    ----------
    regularization, max_depth, min_samples_leaf, loss, binarizer, time_limit, memory_limit, n_jobs,\
    verbose
        As for `LicketySPLITRegressor`, whose attributes it has, too.
    lookahead_depth, postprocess
        As for `SPLITClassifier`.
    """

    _cheaper = "a smaller lookahead_depth or max_depth, or LicketySPLITRegressor"
