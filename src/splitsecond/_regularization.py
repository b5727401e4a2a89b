"""Choosing lambda: every tree that an estimator finds over a range of it, cross-validated."""

from __future__ import annotations

import copy
import math
import time
import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv

from splitsecond._checks import check_number
from splitsecond._classifier_base import LimitWarning, TreeClassifier
from splitsecond._classifiers import LicketySPLITClassifier
from splitsecond._exact import as_fraction
from splitsecond._input import as_array, open_frame
from splitsecond._path import PathEntry, RegularizationPath
from splitsecond._rashomon import RashomonClassifier
from splitsecond._tree import leaf_of_rows
from splitsecond._weights import check_sample_weight

FINISHED = ("complete", "optimal")


def regularization_path(
    X: Any,
    y: Any,
    *,
    estimator: TreeClassifier | None = None,
    smallest: float = 0.001,
    largest: float | None = None,
    tolerance: float = 0.01,
    cv: Any = None,
    sample_weight: Any = None,
) -> RegularizationPath:
    """Find all trees that an estimator gives over a range of lambda.

    The table is read and binarized once. Lambdas are tried between two that give different trees,
    until these are next to each other; between two that give the same tree, none is. For
    `OptimalTreeClassifier` nothing is missed, and the ends of the intervals are exact.

    Parameters
    ----------
    X, y, sample_weight
        As for the estimator's `fit`.
    estimator : a tree classifier of splitsecond, default=LicketySPLITClassifier()
        Its `regularization` does not matter. Limits are for each fit.
    smallest, largest : float
        The range of lambda. By default it ends where a lone leaf is best.
    tolerance : float, default=0.01
        How far apart lambdas that are tried may be at most, relatively, where the tree changes.
    cv : int, splitter or iterable, optional
        How to cross-validate, as scikit-learn understands it, such as 5. Binarizing is part of it.

    Returns
    -------
    RegularizationPath

    Examples
    --------
    >>> import numpy as np
    >>> from splitsecond import regularization_path
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> path = regularization_path(X, X[:, 0] & X[:, 1], cv=5)
    >>> print(path)
       lambda  leaves    loss  cv loss (s.e.)
         0.01       3  0.0000  0.0000 (0.0000)  best 1-SE
          0.4       1  0.2500  0.2500 (0.0000)
    >>> path.one_standard_error_.model.predict([[1, 1], [0, 1]]).tolist()
    [1, 0]
    """
    model = LicketySPLITClassifier() if estimator is None else clone(estimator)
    if not isinstance(model, TreeClassifier) or isinstance(model, RashomonClassifier):
        raise ValueError(
            f"estimator={estimator!r:.80} must be a tree classifier of splitsecond that finds one "
            "tree, such as LicketySPLITClassifier()."
        )
    check_number("smallest", smallest, Real, "the least lambda, such as 0.001", least=1e-9)
    if largest is not None:
        check_number("largest", largest, Real, "the greatest lambda", least=smallest)
    check_number("tolerance", tolerance, Real, "such as 0.01", least=1e-6, most=1)
    fits = _Fits(model, X, y, sample_weight)
    high = None if largest is None else as_fraction(largest)
    entries = _entries(fits, _points(fits, as_fraction(smallest), high, float(tolerance)))
    if cv is not None:
        entries = _cross_validated(entries, fits, X, sample_weight, cv)
    stopped = [entry for entry in entries if entry.status not in FINISHED]
    if stopped:
        warnings.warn(
            f"Fits of {len(stopped)} of the {len(entries)} trees of the path were stopped by a "
            "limit, and better trees may be missing. Give more time or memory, or a larger "
            "smallest lambda.",
            LimitWarning,
            stacklevel=2,
        )
    return RegularizationPath(entries)


@dataclass(frozen=True)
class _Fit:
    """A fitted model, and its cost in exact numbers."""

    model: TreeClassifier
    loss: Fraction
    loss_of_leaf: Fraction  # of a tree without splits
    leaves: int
    seconds: float
    is_optimal: bool

    def is_like(self, other: _Fit) -> bool:
        """Whether two fits found the same tree; of optimal ones, trees that cost the same."""
        if self.is_optimal and other.is_optimal:
            return (self.loss, self.leaves) == (other.loss, other.leaves)
        mine, others = self.model.tree_, other.model.tree_
        return all(
            np.array_equal(getattr(mine, part), getattr(others, part))
            for part in ("feature", "left", "right")
        )


@dataclass(frozen=True)
class _Point:
    """A lambda, and what is best there."""

    price: Fraction
    fit: _Fit
    is_tie: bool = False  # two trees are: this is where one follows the other


class _Fits:
    """Fits of one table for many lambdas; reading and binarizing are done once."""

    def __init__(self, estimator: TreeClassifier, X: Any, y: Any, sample_weight: Any) -> None:
        self.estimator: TreeClassifier = clone(estimator)
        self.estimator._check_parameters()
        self.table, self.target, _ = self.estimator._open(
            X, y, sample_weight, None, lambda table, _: table.check_binary()
        )

    def at(self, price: Fraction) -> _Fit:
        """Fit with a lambda."""
        start = time.perf_counter()
        model = copy.copy(self.estimator)
        model.regularization = price
        limit = model.time_limit
        deadline = None if limit is None else start + float(limit)
        solution = model._solve(self.table, replace(self.target, deadline=deadline))
        if solution.status == "interrupted":
            raise KeyboardInterrupt
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LimitWarning)  # told once, for the whole path
            model._keep(self.table, self.target, solution)
        return _Fit(
            model,
            loss=Fraction(solution.errors, solution.weight),
            loss_of_leaf=1 - Fraction(int(solution.counts[0].max()), solution.weight),
            leaves=solution.leaves,
            seconds=time.perf_counter() - start,
            is_optimal=solution.status == "optimal",
        )


# ---- the search ----------------------------------------------------------------------------------


def _points(fits: _Fits, low: Fraction, high: Fraction | None, tolerance: float) -> list[_Point]:
    """Try lambdas until neighbours have the same tree, or are next to each other."""
    first = _Point(low, fits.at(low))
    if high is None:  # no split can save more
        high = first.fit.loss_of_leaf
    if high <= low:
        return [first]
    last = _Point(high, fits.at(high))
    points, waiting = [first, last], [(first, last)]
    while waiting:
        below, above = waiting.pop()
        if below.fit.is_like(above.fit):
            continue
        price = _crossing(below, above)
        if price is None:
            if above.price <= below.price * (1 + Fraction(tolerance)):
                continue
            price = as_fraction(_between(float(below.price), float(above.price)))
            found = _Point(price, fits.at(price))
        else:
            is_end = price in (below.price, above.price)
            found = below if is_end else _Point(price, fits.at(price))
            if found.fit.is_optimal and _cost(found.fit, price) == _cost(below.fit, price):
                # No tree is better where both cost the same: the one follows the other there.
                points += [_Point(price, below.fit, True), _Point(price, above.fit, True)]
                continue
        points.append(found)
        waiting += [(below, found), (found, above)]
    # Where two trees meet, the one of small lambda comes first: it has more leaves.
    return sorted(points, key=lambda point: (point.price, -point.fit.leaves))


def _crossing(below: _Point, above: _Point) -> Fraction | None:
    """Return the lambda at which two optimal trees cost the same; None if they are not optimal."""
    one, other = below.fit, above.fit
    if not (one.is_optimal and other.is_optimal) or one.leaves <= other.leaves:
        return None
    return (other.loss - one.loss) / (one.leaves - other.leaves)


def _cost(fit: _Fit, price: Fraction) -> Fraction:
    return fit.loss + price * fit.leaves


def _between(low: float, high: float) -> float:
    """Return a short decimal near the middle of two numbers, by their ratio."""
    middle, margin = math.sqrt(low * high), (high / low) ** 0.25
    for digits in range(1, 17):
        short = float(f"{middle:.{digits}g}")
        if middle / margin <= short <= middle * margin:
            return short
    return middle


def _entries(fits: _Fits, points: list[_Point]) -> list[PathEntry]:
    """Put neighbouring points of the same tree together."""
    groups: list[list[_Point]] = []
    for point in points:
        if groups and groups[-1][-1].fit.is_like(point.fit):
            groups[-1].append(point)
        else:
            groups.append([point])
    return [_entry(fits, group) for group in groups]


def _entry(fits: _Fits, group: list[_Point]) -> PathEntry:
    low, high = float(group[0].price), float(group[-1].price)
    tried = [point for point in group if not point.is_tie]
    is_leaf = tried[0].fit.leaves == 1
    # One that reads well and is not at the edge, where other rows would give another tree.
    short = as_fraction(_between(high, 2 * high) if is_leaf else _between(low, high))
    again = fits.at(short)
    middle = math.sqrt(low * high)
    nearest = min(tried, key=lambda point: abs(math.log(float(point.price) / middle)))
    chosen = _Point(short, again) if again.is_like(nearest.fit) else nearest
    fit, model = chosen.fit, chosen.fit.model
    statuses = [point.fit.model.status_ for point in tried]
    model.regularization = float(chosen.price)
    return PathEntry(
        regularization=float(chosen.price),
        low=low,
        high=math.inf if is_leaf else high,
        loss=float(fit.loss),
        n_leaves=fit.leaves,
        depth=model.depth_,
        objective=model.objective_,
        seconds=fit.seconds,
        status=next((each for each in statuses if each not in FINISHED), model.status_),
        model=model,
    )


# ---- cross-validation ----------------------------------------------------------------------------


def _cross_validated(
    entries: list[PathEntry], fits: _Fits, X: Any, sample_weight: Any, cv: Any
) -> list[PathEntry]:
    """Add to each entry the loss of fits with its lambda on rows that they have not seen."""
    labels = fits.estimator.classes_[fits.target.codes]
    weights = fits.target.weights
    counted = np.ones(len(labels)) if weights is None else weights
    given = None if sample_weight is None else check_sample_weight(sample_weight, len(labels))
    losses = []
    for train, test in check_cv(cv, labels, classifier=True).split(np.zeros(len(labels)), labels):
        own = None if given is None else given[train]
        inside = _Fits(fits.estimator, _rows(X, train), labels[train], own)
        table = inside.estimator._answers(_rows(X, test))
        fold = []
        for entry in entries:
            tree = inside.at(as_fraction(entry.regularization)).model.tree_
            leaves = leaf_of_rows(tree.feature, tree.left, tree.right, table)
            wrong = tree.classes[tree.prediction[leaves]] != labels[test]
            fold.append(float(counted[test][wrong].sum() / counted[test].sum()))
        losses.append(fold)
    if len(losses) < 2:
        raise ValueError(f"cv={cv!r:.60} gives {len(losses)} fold: at least 2 are needed.")
    means = np.mean(losses, axis=0)
    errors = np.std(losses, axis=0, ddof=1) / math.sqrt(len(losses))
    return [
        replace(entry, cv_loss=float(mean), cv_standard_error=float(error))
        for entry, mean, error in zip(entries, means, errors, strict=True)
    ]


def _rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of a table of any kind."""
    frame = open_frame(X)
    if frame is not None:
        return frame[rows.tolist(), :].to_native()
    return X.tocsr()[rows] if hasattr(X, "tocsr") else as_array(X)[rows]
