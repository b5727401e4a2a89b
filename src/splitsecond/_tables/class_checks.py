"""What a target is likely to be by mistake: a quantity, of too many classes, or too rare."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._solving.losses import ZERO_ONE
from splitsecond._support.checks import MAX_CLASSES, is_quantity
from splitsecond._support.messages import A_SMALLER_ONE, share_text, shown
from splitsecond._support.warning import warn
from splitsecond._tables.data_checks import MIN_ROWS, DataWarning, SingleLeafWarning

RARE = 10  # times lambda, as a share of the rows, and
RARE_SHARE = 0.1  # at most


def refuse_quantity(classes: NDArray[Any], n_rows: int) -> None:
    """Refuse numbers as classes that are too many to be classes."""
    if is_quantity(len(classes), n_rows):
        raise ValueError(
            f"Unknown label type: y holds {len(classes):,} different numbers in {n_rows:,} rows, "
            f"such as {shown(classes[0])} and {shown(classes[-1])}: a quantity, and not classes. "
            "Fit a regressor, such as LicketySPLITRegressor, or make classes of it, for example "
            "with y > y.mean(); if they are classes, pass them as text, with y.astype(str)."
        )


@contextmanager
def offering_a_regressor(name: str, *, by_default: bool) -> Iterator[None]:
    """Say which estimator is for a target of numbers, where classes were expected by default."""
    try:
        yield
    except ValueError as error:
        if not by_default or not str(error).startswith("Unknown label type"):
            raise
        raise ValueError(f"{error} For numbers, pass estimator={name}().") from error


def warn_of_classes(n_classes: int, n_rows: int) -> None:
    """Warn of a target with so many classes that a small tree cannot predict them all."""
    for each in many_classes(n_classes, n_rows):
        warn(each)


def many_classes(n_classes: int, n_rows: int) -> Iterator[DataWarning]:
    """Return what is to be said of the number of classes, if anything is."""
    if n_classes > MAX_CLASSES or (n_rows >= MIN_ROWS and n_classes > n_rows / 2):
        yield DataWarning(
            f"The target has {n_classes:,} classes in {n_rows:,} rows, and each class needs a leaf "
            "of its own. Join classes, or check that this is the target."
        )


def rare_classes(counts: NDArray[Any], regularization: Any) -> float | None:
    """Return the share of all classes but the largest, if it is too small for lambda; or None."""
    total = float(counts.sum())
    others = 1 - float(ZERO_ONE.correct(counts)) / total
    is_rare = 0 < others <= min(RARE_SHARE, RARE * float(regularization))
    return others if is_rare else None


def rare_text(share: float, regularization: Any) -> str:
    """Say what rare classes lead to, and what to do."""
    price = float(regularization)
    return (
        f"All classes but the largest have {share_text(share)} of the rows together, and a leaf "
        f"must be worth lambda, regularization={price:.3g} ({share_text(price)} of them). Try a "
        f"smaller regularization ({A_SMALLER_ONE} finds one), or class_weight='balanced'."
    )


def warn_of_leaf(tree: Any, regularization: Any) -> None:
    """Warn if a tree that decides is a single leaf, although there are other classes."""
    if tree.n_leaves > 1 or tree.loss != ZERO_ONE or np.count_nonzero(tree.counts[0]) < 2:
        return
    others = 1 - float(ZERO_ONE.correct(tree.counts[0]) / tree.counts[0].sum())
    label = shown(tree.classes[tree.prediction[0]])
    whole, are = ("weight", "is") if tree.is_weighted else ("rows", "are")
    price = float(regularization)
    smaller = f"a smaller regularization ({A_SMALLER_ONE} finds one); " if price > 0 else ""
    warn(
        f"The tree is a single leaf, which predicts {label} for every row, although "
        f"{share_text(others)} of the {whole} {are} of other classes: no split saves errors worth "
        f"lambda, regularization={price:.3g} ({share_text(price)} of the {whole} for each leaf). "
        f'Try {smaller}loss="log_loss" if probabilities or a ranking are wanted; or '
        "class_weight='balanced' if rare classes matter more.",
        SingleLeafWarning,
    )
