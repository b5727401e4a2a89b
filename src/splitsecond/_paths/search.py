"""Choosing lambda: every tree that an estimator finds over a range of it, cross-validated."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Real
from typing import Any

from sklearn.base import clone

from splitsecond._counts.count_table import CountTable
from splitsecond._estimators.base import LimitWarning, TreeEstimator
from splitsecond._estimators.sets import RashomonEstimator
from splitsecond._estimators.trees import LicketySPLITClassifier
from splitsecond._paths.counted import CountedValidation
from splitsecond._paths.envelope import Gap, Point, crossing, envelope
from splitsecond._paths.fits import Clock, Fits
from splitsecond._paths.path import FINISHED, PathEntry, RegularizationPath
from splitsecond._paths.validation import Validation
from splitsecond._solving.exact import as_fraction
from splitsecond._support.checks import check_number
from splitsecond._support.messages import shown
from splitsecond._support.names import public
from splitsecond._support.warning import warn
from splitsecond._tables.class_checks import offering_a_regressor

HIGHEST = 1_000_000  # lambda; from 1 on, all are alike


@public
def regularization_path(
    X: Any,
    y: Any = None,
    *,
    estimator: TreeEstimator | None = None,
    smallest: float = 0.001,
    largest: float | None = None,
    tolerance: float = 0.01,
    cv: Any = None,
    scoring: Any = None,
    sample_weight: Any = None,
    time_limit: float | None = None,
) -> RegularizationPath:
    """Find all trees that an estimator gives over a range of lambda.

    The table is read and binarized once. Lambdas are tried between two that give different trees,
    until these are next to each other; between two that give the same tree, none is. A tree that
    is found for one lambda is known for all, and listed where no other that is known costs less:
    as lambda rises, leaves fall and losses rise. For `OptimalTreeClassifier` and
    `OptimalTreeRegressor` nothing is missed.

    Ctrl-C ends it with what was found until then, as it does a fit: see ``status_``.

    Parameters
    ----------
    X, y, sample_weight
        As for the estimator's `fit`: a `CountTable` in place of rows, too.
    estimator : a tree classifier or regressor, default=LicketySPLITClassifier()
        One that finds one tree. Its `regularization` does not matter. Limits are for each fit.
    smallest, largest : float
        The range of lambda. By default it ends where a single leaf is best.
    tolerance : float, default=0.01
        How far apart lambdas that are tried may be at most, relatively, where the tree changes.
    cv : int, splitter or iterable, optional
        How to cross-validate, as scikit-learn understands it, such as 5. Binarizing is part of it.
        A count table is cross-validated by its folds (``cv="folds"``), or by as many as are asked
        for (`CountTable.with_folds`), with the questions that it has.
    scoring : str or callable, optional
        By what trees are compared on held-out rows, as scikit-learn understands it, such as
        "roc_auc", "neg_log_loss" or, for numbers, "r2": the higher, the better. By default, by the
        loss they are fitted for. The positive class is the one scikit-learn takes; of two classes
        neither of which is 1, such as text, the second. Rows count by `sample_weight`, but not by
        weights of classes.
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
    given = LicketySPLITClassifier() if estimator is None else estimator
    if not isinstance(given, TreeEstimator) or isinstance(given, RashomonEstimator):
        raise ValueError(
            f"estimator={shown(estimator)} must be a tree classifier or regressor of splitsecond "
            "that finds one tree, such as LicketySPLITClassifier() or LicketySPLITRegressor()."
        )
    model = clone(given)
    meaning = "the least lambda, such as 0.001"
    check_number("smallest", smallest, Real, meaning, minimum=1e-9, maximum=HIGHEST)
    if largest is not None:
        meaning = "the greatest lambda, or None to end where a single leaf is best"
        check_number("largest", largest, Real, meaning, minimum=smallest, maximum=HIGHEST)
    tolerance = check_number("tolerance", tolerance, Real, "such as 0.01", minimum=1e-6, maximum=1)
    if time_limit is not None:
        time_limit = check_number("time_limit", time_limit, Real, "seconds, or None", minimum=0)
    if scoring is not None and cv is None:
        raise ValueError(
            f"scoring={shown(scoring)} is for cross-validation: give cv, too, such as cv=5."
        )
    clock = Clock(time_limit)
    search_share = 1.0 if cv is None else 0.5
    with offering_a_regressor("LicketySPLITRegressor", by_default=estimator is None):
        fits = Fits(model, X, y, sample_weight, clock.at(search_share))
    validation: Validation | CountedValidation | None = None
    if cv is not None and isinstance(X, CountTable):
        validation = CountedValidation.of(cv, scoring, fits, X)
    elif cv is not None:
        validation = Validation.of(cv, scoring, fits, X, sample_weight)
    high = None if largest is None else as_fraction(largest)
    points, gaps, status = _points(
        fits, as_fraction(smallest), high, tolerance, clock.at(search_share / 2)
    )
    entries, status = _entries(points, gaps, fits, status)
    if validation is None:
        path, done = RegularizationPath(entries, status), ""
    else:
        path, done = _cross_validated(validation, entries, status, clock.at(1.0))
    _warn_if_stopped(path, time_limit, done)
    return path


def _cross_validated(
    validation: Validation | CountedValidation,
    entries: list[PathEntry],
    status: str,
    deadline: float,
) -> tuple[RegularizationPath, str]:
    """Return the path with what its entries lose or score on held-out rows, by how many folds."""
    values: list[list[float]] = []
    if status != "interrupted":
        values, stop = validation.values(entries, deadline)
        if stop is not None and status == "complete":
            status = _reason(stop)
    scorer = validation.scorer
    path = RegularizationPath(
        validation.added_to(entries, values), status, None if scorer is None else scorer.name
    )
    return path, f"{len(values)} of {validation.n_folds} folds"


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
    warn(f"{text} {remedy}", LimitWarning)


def _reason(stop: BaseException) -> str:
    return "interrupted" if isinstance(stop, KeyboardInterrupt) else "time_limit"


# ---- the search ----------------------------------------------------------------------------------


def _points(
    fits: Fits, low: Fraction, high: Fraction | None, tolerance: float, patience: float
) -> tuple[list[Point], list[Gap], str]:
    """Try lambdas until neighbours have the same tree, or are close.

    The first one takes longest: what it has by the end of `patience` is taken. Returns also the
    neighbours between which it was left off, and why.
    """
    first = Point.of(low, fits.attempt(low, patience))
    status = "time_limit" if first.best.is_cut_at(patience) else "complete"
    points, gaps = [first], []
    # No split can save more than a single leaf loses.
    high = first.best.loss_of_leaf if high is None else high
    try:
        if first.best.model.status_ == "interrupted":
            raise KeyboardInterrupt
        if high > low:
            points.append(Point.of(high, fits.at(high)))
            gaps.append((first, points[-1]))
        while gaps:
            found = _divide(fits, *gaps[-1], tolerance)
            below, above = gaps.pop()
            if found is not None:
                points.append(found)
                gaps += [(below, found), (found, above)]
    except (TimeoutError, KeyboardInterrupt) as stop:
        status = _reason(stop)
    return points, gaps, status


def _divide(fits: Fits, below: Point, above: Point, tolerance: float) -> Point | None:
    """Try a lambda between two, unless there is nothing to be found."""
    one, other = below.best, above.best
    if one.is_like(other):
        return None
    if one.is_optimal and other.is_optimal and one.leaves > other.leaves:
        price = crossing(one, other)
        if price in (below.price, above.price):
            return None
        found = Point.of(price, fits.at(price))
        # No tree is better where both cost the same: the one follows the other there.
        is_end = found.best.is_optimal and found.best.cost(price) >= one.cost(price)
        return None if is_end else found
    if above.price <= below.price * (1 + Fraction(tolerance)):
        return None
    price = as_fraction(_between(float(below.price), float(above.price)))
    return Point.of(price, fits.at(price))


def _between(low: float, high: float) -> float:
    """Return a short decimal near the middle of two numbers, by their ratio."""
    middle, margin = math.sqrt(low * high), (high / low) ** 0.25
    for digits in range(1, 17):
        short = float(f"{middle:.{digits}g}")
        if middle / margin <= short <= middle * margin:
            return short
    return middle


def _entries(
    points: list[Point], gaps: list[Gap], fits: Fits, status: str
) -> tuple[list[PathEntry], str]:
    """List the best tree for each lambda, and give each a lambda that reads well."""
    tried = list(points)
    try:
        for group in envelope(points, gaps) if status != "interrupted" else []:
            price = _short(group)
            tried.append(Point.of(price, fits.at(price), reads_well=True))
    except TimeoutError:
        pass  # nothing is missing: lambdas are ones with more digits
    except KeyboardInterrupt:
        status = "interrupted"
    return [_entry(group, tried) for group in envelope(tried, gaps)], status


def _short(group: list[Point]) -> Fraction:
    """Return a lambda that is not at the edge, where other rows would give another tree."""
    low, high = float(group[0].price), float(group[-1].price)
    is_leaf = group[0].best.leaves == 1
    return as_fraction(_between(high, 2 * high) if is_leaf else _between(low, high))


def _entry(group: list[Point], tried: list[Point]) -> PathEntry:
    low, high = float(group[0].price), float(group[-1].price)
    best, middle = group[0].best, math.sqrt(low * high)

    def rank(point: Point) -> tuple[bool, bool, float]:
        distance = abs(math.log(float(point.price) / middle))
        return point.best is not point.own, not point.reads_well, distance

    # A tree may be best for lambdas none of which was tried.
    inside = [point for point in group if point.own is not None]
    chosen = min(inside or tried, key=rank)
    price = chosen.price if inside else _short(group)
    fit = chosen.own
    assert fit is not None
    model = fit.model_with(best, chosen.price, price)
    model.regularization = float(price)
    # A fit for a shorter lambda that was not taken says nothing about the tree.
    said = [point for point in inside if point is chosen or not point.reads_well]
    statuses = [point.own.model.status_ for point in said if point.own is not None]
    return PathEntry(
        regularization=float(price),
        low=low,
        high=math.inf if best.leaves == 1 else high,
        loss=float(best.reported_loss),
        n_leaves=best.leaves,
        depth=model.depth_,
        objective=model.objective_,
        seconds=fit.seconds,
        status=next((each for each in statuses if each not in FINISHED), model.status_),
        model=model,
    )
