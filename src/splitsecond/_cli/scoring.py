"""Scores on held-out rows, and lambda chosen by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import PathEntry, RegularizationPath, Tree, regularization_path
from splitsecond._cli.data import Data
from splitsecond._cli.options import AUTO, FOLDS
from splitsecond._cli.output import write, write_table
from splitsecond._cli.row_places import rows_of_data

MAX_SHOWN = 12  # classes of a confusion matrix that is printed

Rows = NDArray[np.intp]


def hold_out(data: Data, test_size: float, seed: int) -> tuple[Data, Data]:
    """Hold out a share of the rows, with the classes in proportion where there are enough."""
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
            f"With --test-size {test_size}, the {len(train)} training rows have one class."
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


def scores(
    model: Any, data: Data, majority: Any, classes: NDArray[Any] | None = None
) -> dict[str, Any]:
    """Score a model or a tree; the baseline always predicts the majority class of training.

    Classes that the model does not know have probability 0. What these rows say nothing about is
    not a number: all of it where they have no weight, the AUC where they are of one class.
    """
    known = model.classes if isinstance(model, Tree) else model.classes_
    if classes is None:
        classes = np.union1d(known, data.y)
    with rows_of_data(data):
        predicted, probabilities = model.predict(data.X), model.predict_proba(data.X)
    right = predicted == data.y
    recalls = []
    for label in dict.fromkeys(data.y.tolist()):
        of_class = data.y == label
        recalls.append(_mean(right[of_class], data.weights, of_class))
    truth = np.searchsorted(classes, data.y)
    shares = np.zeros((len(data), len(classes)))
    shares[:, np.searchsorted(classes, known)] = probabilities
    off = ((shares - np.eye(len(classes))[truth]) ** 2).sum(axis=1)
    matrix = np.zeros((len(classes), len(classes)), dtype=int if data.weights is None else float)
    times = 1 if data.weights is None else data.weights
    np.add.at(matrix, (truth, np.searchsorted(classes, predicted)), times)
    of_truth = np.maximum(shares[np.arange(len(data)), truth], np.finfo(float).eps)
    return {
        "accuracy": _mean(right, data.weights),
        "balanced_accuracy": _mean_of_numbers(recalls),
        "baseline": _mean(data.y == majority, data.weights),
        "auc": _auc(truth, shares, data.weights),
        "log_loss": _mean(-np.log(of_truth), data.weights),
        # Of two classes, one is enough.
        "brier_score": _mean(off / 2 if len(classes) == 2 else off, data.weights),
        "confusion": {"classes": classes.tolist(), "matrix": matrix.tolist()},
    }


def accuracy(model: Any, data: Data) -> float:
    """Return the share of the rows, by weight, that a model or a tree is right about."""
    with rows_of_data(data):
        predicted = model.predict(data.X)
    return _mean(predicted == data.y, data.weights)


def _auc(truth: Rows, shares: NDArray[np.float64], weights: NDArray[Any] | None) -> float:
    """Return the area under the ROC curve: of the second class, or the mean of each of more.

    Of more than two, those count that some rows have and others have not.
    """
    from sklearn.metrics import roc_auc_score

    if weights is not None:
        counted = weights > 0
        truth, shares, weights = truth[counted], shares[counted], weights[counted]
    n_classes = shares.shape[1]
    present = np.bincount(truth, minlength=n_classes) > 0
    if np.count_nonzero(present) < 2:
        return float("nan")
    asked = [1] if n_classes == 2 else np.flatnonzero(present)
    return float(
        np.mean([roc_auc_score(truth == j, shares[:, j], sample_weight=weights) for j in asked])
    )


def write_scores(about: str, found: dict[str, Any]) -> None:
    """Write scores, and which classes are taken for which."""
    shown = {
        name: "undefined" if np.isnan(value) else f"{value:.3f}"
        for name, value in found.items()
        if isinstance(value, float)
    }
    text = (
        f"{about}: accuracy {shown['accuracy']} (majority-class baseline: {shown['baseline']}), "
        f"balanced accuracy {shown['balanced_accuracy']}"
    )
    if "accuracy_standard_deviation" in shown:
        text += f", standard deviation of the accuracy {shown['accuracy_standard_deviation']}"
    write(
        f"{text}\nAUC {shown['auc']}, log-loss {shown['log_loss']}, "
        f"Brier score {shown['brier_score']}"
    )
    names = [str(label) for label in found["confusion"]["classes"]]
    if len(names) > MAX_SHOWN:
        write(f"(the confusion matrix of {len(names)} classes is in the result with --json)")
        return
    header = ("true class", *(f"predicted {name}" for name in names))
    rows = [
        [name, *(f"{number:,.6g}" for number in row)]
        for name, row in zip(names, found["confusion"]["matrix"], strict=True)
    ]
    write_table(rows, header, "|".join(header[1:]))


def _mean(values: NDArray[Any], weights: NDArray[Any] | None, rows: Any = slice(None)) -> float:
    own = None if weights is None else weights[rows]
    if own is not None and not own.any():  # rows without weight say nothing
        return float("nan")
    return float(np.average(values, weights=own))


def _mean_of_numbers(values: list[float]) -> float:
    """Return the mean of those that are numbers, if any is."""
    numbers = [value for value in values if not np.isnan(value)]
    return float(np.mean(numbers)) if numbers else float("nan")


def majority_class(data: Data) -> Any:
    """Return the class of the largest weight."""
    classes, codes = np.unique(data.y, return_inverse=True)
    return classes[np.argmax(np.bincount(codes, weights=data.weights))]


def cross_validated(
    fit: Callable[[Data], Any], data: Data, n: int, seed: int, done: Callable[[int], object]
) -> dict[str, Any]:
    """Score whatever `fit` does, on each fold in turn."""
    classes = np.unique(data.y)
    found = []
    for i, (train, test) in enumerate(folds(data, n, seed)):
        learned = data.take(train)
        found.append(scores(fit(learned), data.take(test), majority_class(learned), classes))
        done(i + 1)
    means: dict[str, Any] = {
        name: _mean_of_numbers([each[name] for each in found])
        for name in found[0]
        if name != "confusion"
    }
    matrix = np.sum([each["confusion"]["matrix"] for each in found], axis=0)
    spread = float(np.std([each["accuracy"] for each in found], ddof=1))
    return {
        "folds": n,
        **means,
        "accuracy_standard_deviation": spread,
        "accuracies": [each["accuracy"] for each in found],
        "confusion": {"classes": classes.tolist(), "matrix": matrix.tolist()},
    }


def find_path(
    model: Any, data: Data, n_folds: int, seed: int, **options: Any
) -> RegularizationPath:
    """Find the trees for all lambdas, with their losses by cross-validation if there are folds."""
    parts = folds(data, n_folds, seed) if n_folds else None
    with rows_of_data(data):
        path = regularization_path(
            data.X,
            data.y,
            estimator=model,
            cv=parts,
            sample_weight=data.weights,
            time_limit=model.time_limit,
            **options,
        )
    if path.status_ == "interrupted":
        raise KeyboardInterrupt
    return path


def choose_regularization(
    model: Any, data: Data, seed: int, rule: str
) -> tuple[PathEntry, RegularizationPath]:
    """Choose a tree of the path by its cross-validated loss; return the path, too."""
    path = find_path(model, data, min(FOLDS, len(data)), seed)
    if path[0].cv_loss is None:
        raise ValueError(
            f"--time-limit {model.time_limit:g} is too short to choose lambda by "
            "cross-validation: give more time, or a number as --regularization."
        )
    return path.best_ if rule == AUTO else path.one_standard_error_, path
