"""Scores on rows that a model has not seen, and a price of a leaf chosen by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import RegularizationPath, regularization_path
from splitsecond._cli.tables import Data

FOLDS = 5  # with which "auto" chooses the price of a leaf

Rows = NDArray[np.intp]


def split(data: Data, test_size: float, seed: int) -> tuple[Data, Data]:
    """Set a share of the rows aside, with the classes in proportion where there are enough."""
    if not 0 < test_size < 1:
        raise ValueError(f"--test-size {test_size} must be between 0 and 1: a share of the rows.")
    from sklearn.model_selection import train_test_split  # which takes long to import

    rows = np.arange(len(data))
    _, counts = np.unique(data.y, return_counts=True)
    n_test = int(np.ceil(test_size * len(data)))
    enough = counts.min() >= 2 and min(n_test, len(data) - n_test) >= len(counts)
    train, test = train_test_split(
        rows, test_size=test_size, random_state=seed, stratify=data.y if enough else None
    )
    learned = data.take(train)
    if len(np.unique(learned.y)) < 2:
        raise ValueError(
            f"With --test-size {test_size}, the {len(train)} rows to learn from have one class."
        )
    return learned, data.take(test)


def folds(data: Data, n: int, seed: int) -> list[tuple[Rows, Rows]]:
    """Divide the rows, with the classes in proportion where there are enough."""
    from sklearn.model_selection import KFold, StratifiedKFold

    if not 2 <= n <= len(data):
        raise ValueError(f"--cv {n} must be from 2 to the number of rows, {len(data):,}.")
    _, counts = np.unique(data.y, return_counts=True)
    kind = StratifiedKFold if counts.min() >= n else KFold
    parts: list[tuple[Rows, Rows]] = list(
        kind(n, shuffle=True, random_state=seed).split(np.zeros(len(data)), data.y)
    )
    return parts


def scores(model: Any, data: Data, commonest: Any) -> dict[str, float]:
    """Score a model, and what always says the commonest class of training, for comparison."""
    right = model.predict(data.X) == data.y
    recalls = []
    for label in dict.fromkeys(data.y.tolist()):
        of_class = data.y == label
        recalls.append(_mean(right[of_class], data.weights, of_class))
    return {
        "accuracy": _mean(right, data.weights),
        "balanced_accuracy": float(np.nanmean(recalls)),
        "baseline": _mean(data.y == commonest, data.weights),
    }


def _mean(values: NDArray[Any], weights: NDArray[Any] | None, rows: Any = slice(None)) -> float:
    own = None if weights is None else weights[rows]
    if own is not None and not own.any():  # rows without weight say nothing
        return float("nan")
    return float(np.average(values, weights=own))


def commonest(data: Data) -> Any:
    """Return the class of most weight."""
    classes, codes = np.unique(data.y, return_inverse=True)
    return classes[np.argmax(np.bincount(codes, weights=data.weights))]


def cross_validated(
    fit: Callable[[Data], Any], data: Data, n: int, seed: int, done: Callable[[int], object]
) -> dict[str, Any]:
    """Score whatever `fit` does, on each fold in turn."""
    found = []
    for i, (train, test) in enumerate(folds(data, n, seed)):
        learned = data.take(train)
        found.append(scores(fit(learned), data.take(test), commonest(learned)))
        done(i + 1)
    means: dict[str, Any] = {
        name: float(np.mean([each[name] for each in found])) for name in found[0]
    }
    spread = float(np.std([each["accuracy"] for each in found], ddof=1))
    return {
        "folds": n,
        **means,
        "accuracy_standard_deviation": spread,
        "accuracies": [each["accuracy"] for each in found],
    }


def choose_regularization(model: Any, data: Data, seed: int) -> RegularizationPath:
    """Find the trees for all prices of a leaf, with their cross-validated losses."""
    path = regularization_path(
        data.X,
        data.y,
        estimator=model,
        cv=folds(data, min(FOLDS, len(data)), seed),
        sample_weight=data.weights,
        time_limit=model.time_limit,
    )
    if path.status_ == "interrupted":
        raise KeyboardInterrupt
    if path[0].cv_loss is None:
        raise ValueError(
            f"--time-limit {model.time_limit:g} is too short to choose the price of a leaf by "
            "cross-validation: give more time, or a number as --regularization."
        )
    return path
