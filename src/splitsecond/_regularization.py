"""Choosing lambda: every tree that an estimator finds over a range of it, cross-validated."""

from __future__ import annotations

import math
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
from splitsecond._path import FINISHED, PathEntry, RegularizationPath
from splitsecond._pathfits import Clock, Fit, Fits
from splitsecond._rashomon import RashomonClassifier
from splitsecond._tree import leaf_of_rows
from splitsecond._weights import check_sample_weight


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
    time_limit: float | None = None,
) -> RegularizationPath:
    """Find all trees that an estimator gives over a range of lambda.

    The table is read and binarized once. Lambdas are tried between two that give different trees,
    until these are next to each other; between two that give the same tree, none is. For
    `OptimalTreeClassifier` nothing is missed, and the ends of the intervals are exact.

    Ctrl-C ends it with what was found until then, as it does a fit: see ``status_``.

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
    time_limit : float, optional
        Seconds for everything. Large lambdas come first, which are fast, and half of the time is
        left to cross-validation. Folds that are done by then count, if there are two.

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
    if time_limit is not None:
        check_number("time_limit", time_limit, Real, "seconds, or None", least=0)
    clock = Clock(time_limit)
    search_share = 1.0 if cv is None else 0.5
    fits = Fits(model, X, y, sample_weight, clock.at(search_share))
    folds = [] if cv is None else _folds(cv, fits)
    high = None if largest is None else as_fraction(largest)
    points, status = _points(
        fits, as_fraction(smallest), high, float(tolerance), clock.at(search_share / 2)
    )
    entries, status = _entries(points, fits, status)
    losses: list[list[float]] = []
    if folds and status != "interrupted":
        losses, stopped = _fold_losses(
            entries, fits, X, sample_weight, folds=folds, deadline=clock.at(1.0)
        )
        status = stopped if status == "complete" else status
    path = RegularizationPath(_cross_validated(entries, losses), status)
    _warn_if_stopped(path, time_limit, f"{len(losses)} of {len(folds)} folds" if folds else "")
    return path


def _warn_if_stopped(path: RegularizationPath, time_limit: float | None, folds: str) -> None:
    partial = [entry for entry in path if entry.status not in FINISHED]
    if path.status_ in ("time_limit", "interrupted"):
        is_late = path.status_ == "time_limit"
        what = f"Stopped at time_limit={time_limit} s" if is_late else "Interrupted"
        checked = f", cross-validated by {folds}" if folds else ""
        trees = f"{len(path)} {'tree' if len(path) == 1 else 'trees'}"
        text = f"{what} with {trees} of the path{checked}; others may be missing."
    elif partial:
        text = (
            f"Fits of {len(partial)} of the {len(path)} trees of the path were stopped by a "
            "limit, and better trees may be missing."
        )
    else:
        return
    remedy = "Give more time or memory, or a larger smallest lambda."
    warnings.warn(f"{text} {remedy}", LimitWarning, stacklevel=3)


def _reason(stop: BaseException) -> str:
    return "interrupted" if isinstance(stop, KeyboardInterrupt) else "time_limit"


@dataclass(frozen=True)
class _Point:
    """A lambda, and what is best there."""

    price: Fraction
    fit: Fit
    is_tie: bool = False  # two trees are: this is where one follows the other


# ---- the search ----------------------------------------------------------------------------------


def _points(
    fits: Fits, low: Fraction, high: Fraction | None, tolerance: float, patience: float
) -> tuple[list[_Point], str]:
    """Try lambdas until neighbours have the same tree, and say why if that was not the end of it.

    The first one takes longest: what it has by the end of `patience` is taken.
    """
    first = _Point(low, fits.attempt(low, patience))
    status = "time_limit" if first.fit.is_cut_at(patience) else "complete"
    points = [first]
    try:
        if first.fit.model.status_ == "interrupted":
            raise KeyboardInterrupt
        # No split can save more than a lone leaf loses.
        _try_between(
            fits, first, first.fit.loss_of_leaf if high is None else high, tolerance, points
        )
    except (TimeoutError, KeyboardInterrupt) as stop:
        status = _reason(stop)
    # Where two trees meet, the one of small lambda comes first: it has more leaves.
    return sorted(points, key=lambda point: (point.price, -point.fit.leaves)), status


def _try_between(
    fits: Fits, first: _Point, high: Fraction, tolerance: float, points: list[_Point]
) -> None:
    """Add the points above the first until neighbours have the same tree, or are close."""
    if high <= first.price:
        return
    last = _Point(high, fits.at(high))
    points.append(last)
    waiting = [(first, last)]
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


def _crossing(below: _Point, above: _Point) -> Fraction | None:
    """Return the lambda at which two optimal trees cost the same; None if they are not optimal."""
    one, other = below.fit, above.fit
    if not (one.is_optimal and other.is_optimal) or one.leaves <= other.leaves:
        return None
    return (other.loss - one.loss) / (one.leaves - other.leaves)


def _cost(fit: Fit, price: Fraction) -> Fraction:
    return fit.loss + price * fit.leaves


def _between(low: float, high: float) -> float:
    """Return a short decimal near the middle of two numbers, by their ratio."""
    middle, margin = math.sqrt(low * high), (high / low) ** 0.25
    for digits in range(1, 17):
        short = float(f"{middle:.{digits}g}")
        if middle / margin <= short <= middle * margin:
            return short
    return middle


def _entries(points: list[_Point], fits: Fits, status: str) -> tuple[list[PathEntry], str]:
    """Put neighbouring points of the same tree together, and give each a lambda that reads well."""
    groups: list[list[_Point]] = []
    for point in points:
        if groups and groups[-1][-1].fit.is_like(point.fit):
            groups[-1].append(point)
        else:
            groups.append([point])
    entries = []
    for group in groups:
        again = None
        if status != "interrupted":
            try:
                again = _Point(price := _short(group), fits.at(price))
            except TimeoutError:
                pass  # nothing is missing: the lambda is one with more digits
            except KeyboardInterrupt:
                status = "interrupted"
        entries.append(_entry(group, again))
    return entries, status


def _short(group: list[_Point]) -> Fraction:
    """Return a lambda that is not at the edge, where other rows would give another tree."""
    low, high = float(group[0].price), float(group[-1].price)
    is_leaf = group[0].fit.leaves == 1
    return as_fraction(_between(high, 2 * high) if is_leaf else _between(low, high))


def _entry(group: list[_Point], again: _Point | None) -> PathEntry:
    low, high = float(group[0].price), float(group[-1].price)
    tried = [point for point in group if not point.is_tie]
    middle = math.sqrt(low * high)
    nearest = min(tried, key=lambda point: abs(math.log(float(point.price) / middle)))
    chosen = nearest if again is None or not again.fit.is_like(nearest.fit) else again
    fit, model = chosen.fit, chosen.fit.model
    statuses = [point.fit.model.status_ for point in tried]
    model.regularization = float(chosen.price)
    return PathEntry(
        regularization=float(chosen.price),
        low=low,
        high=math.inf if fit.leaves == 1 else high,
        loss=float(fit.loss),
        n_leaves=fit.leaves,
        depth=model.depth_,
        objective=model.objective_,
        seconds=fit.seconds,
        status=next((each for each in statuses if each not in FINISHED), model.status_),
        model=model,
    )


# ---- cross-validation ----------------------------------------------------------------------------

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]  # the rows to learn from, and to be scored on


def _folds(cv: Any, fits: Fits) -> list[Fold]:
    codes = fits.target.codes
    assert codes is not None
    folds = list(check_cv(cv, codes, classifier=True).split(np.zeros(len(codes)), codes))
    if len(folds) < 2:
        raise ValueError(f"cv={cv!r:.60} gives {len(folds)} fold: at least 2 are needed.")
    return folds


def _fold_losses(
    entries: list[PathEntry],
    fits: Fits,
    X: Any,
    sample_weight: Any,
    *,
    folds: list[Fold],
    deadline: float,
) -> tuple[list[list[float]], str]:
    """Return the losses on each fold of fits with the lambdas of the entries to its other rows."""
    labels = fits.estimator.classes_[fits.target.codes]
    weights = fits.target.weights
    counted = np.ones(len(labels)) if weights is None else weights
    given = None if sample_weight is None else check_sample_weight(sample_weight, len(labels))
    losses: list[list[float]] = []
    try:
        for train, test in folds:
            own = None if given is None else given[train]
            inside = Fits(fits.estimator, _rows(X, train), labels[train], own, deadline)
            table = inside.estimator._answers(_rows(X, test))
            fold = []
            for entry in entries:
                tree = inside.at(as_fraction(entry.regularization)).model.tree_
                leaves = leaf_of_rows(tree.feature, tree.left, tree.right, table)
                wrong = tree.classes[tree.prediction[leaves]] != labels[test]
                fold.append(float(counted[test][wrong].sum() / counted[test].sum()))
            losses.append(fold)
    except (TimeoutError, KeyboardInterrupt) as stop:
        return losses, _reason(stop)
    return losses, "complete"


def _cross_validated(entries: list[PathEntry], losses: list[list[float]]) -> list[PathEntry]:
    """Add to each entry its mean loss over the folds, if there are enough."""
    if len(losses) < 2:
        return entries
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
