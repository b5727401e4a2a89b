"""Scores on held-out rows, and lambda chosen by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import PathEntry, RegularizationPath, Tree, regularization_path
from splitsecond._cli.counted import Counted
from splitsecond._cli.data import Data
from splitsecond._cli.number_scores import number_headline, number_scores, number_scores_text
from splitsecond._cli.options import FOLDS, Task
from splitsecond._cli.output import write, write_table
from splitsecond._cli.row_places import rows_of_data
from splitsecond._cli.values import AUTO

MAX_SHOWN = 12  # classes of a confusion matrix that is printed
# Scores whose standard deviation over folds is told, and what they are called.
SPREADS = {"expected_cost": "expected cost", "accuracy": "accuracy", "r2": "R^2", "d2": "D^2"}
# What they are called as a list, of one for each fold or tree.
ONE_EACH = {
    "expected_cost": "expected_costs",
    "accuracy": "accuracies",
    "r2": "r2_values",
    "d2": "d2_values",
}

Rows = NDArray[np.intp]


def hold_out(data: Data, test_size: float, seed: int) -> tuple[Data, Data]:
    """Hold out a share of the rows, with the classes in proportion where there are enough."""
    if not 0 < test_size < 1:
        raise ValueError(f"--test-size {test_size} must be between 0 and 1: a share of the rows.")
    from sklearn.model_selection import train_test_split  # which takes long to import

    rows = np.arange(len(data))
    enough = False
    if data.task is Task.CLASSIFICATION:
        _, counts = np.unique(data.y, return_counts=True)
        n_test = int(np.ceil(test_size * len(data)))
        enough = counts.min() >= 2 and min(n_test, len(data) - n_test) >= len(counts)
    train, test = train_test_split(
        rows, test_size=test_size, random_state=seed, stratify=data.y if enough else None
    )
    learned = data.take(train)
    if len(np.unique(learned.y)) < 2:
        what = "class" if data.task is Task.CLASSIFICATION else "number"
        raise ValueError(
            f"With --test-size {test_size}, the {len(train)} training rows have one {what}."
        )
    return learned, data.take(test)


def folds(data: Data, n: int, seed: int) -> list[tuple[Rows, Rows]]:
    """Divide the rows, with the classes in proportion where there are enough."""
    from sklearn.model_selection import KFold, StratifiedKFold

    if not 2 <= n <= len(data):
        raise ValueError(f"--cv {n} must be from 2 to the number of rows, {len(data):,}.")
    kind = KFold
    if data.task is Task.CLASSIFICATION:
        _, counts = np.unique(data.y, return_counts=True)
        kind = StratifiedKFold if counts.min() >= n else KFold
    parts: list[tuple[Rows, Rows]] = list(
        kind(n, shuffle=True, random_state=seed).split(np.zeros(len(data)), data.y)
    )
    return parts


def scores(
    model: Any, data: Data, baseline: Any, classes: NDArray[Any] | None = None
) -> dict[str, Any]:
    """Score a model or a tree; the baseline always predicts the same, as `baseline_of` training.

    Classes that the model does not know have probability 0. What these rows say nothing about is
    not a number: all of it where they have no weight, the AUC where they are of one class. With
    costs, the baseline always takes the action that was cheapest in training; actions that are no
    classes are never right, and have no accuracy.
    """
    if data.task is Task.REGRESSION:
        return {**number_scores(model, data, baseline)}
    tree: Tree = model if isinstance(model, Tree) else model.tree_
    if classes is None:
        classes = np.union1d(tree.classes, data.y)
    with rows_of_data(data):
        leaves = model.apply(data.X)
    truth = np.searchsorted(classes, data.y)
    said = tree.prediction[leaves]
    found: dict[str, Any] = {}
    if _has_costs(tree):
        found["expected_cost"] = _mean_cost(tree, said, data)
        always = np.full(len(data), tree.prediction[0])
        found["baseline_cost"] = _mean_cost(tree, always, data)
    if set(tree.labels.tolist()) <= set(classes.tolist()):
        found |= _scores_of_classes(tree.labels[said] == data.y, data, baseline)
    shares = np.zeros((len(data), len(classes)))
    shares[:, np.searchsorted(classes, tree.classes)] = tree.shares()[leaves]
    off = ((shares - np.eye(len(classes))[truth]) ** 2).sum(axis=1)
    of_truth = np.maximum(shares[np.arange(len(data)), truth], np.finfo(float).eps)
    return {
        **found,
        "auc": _auc(truth, shares, data.weights),
        "log_loss": _mean(-np.log(of_truth), data.weights),
        # Of two classes, one is enough.
        "brier_score": _mean(off / 2 if len(classes) == 2 else off, data.weights),
        "confusion": _confusion(tree, truth, said, classes, data.weights),
    }


def _has_costs(tree: Tree) -> bool:
    """Whether a tree was fitted for costs of actions."""
    return tree.loss.name == "costs"


def _scores_of_classes(right: NDArray[np.bool_], data: Data, majority: Any) -> dict[str, float]:
    recalls = []
    for label in dict.fromkeys(data.y.tolist()):
        of_class = data.y == label
        recalls.append(_mean(right[of_class], data.weights, of_class))
    return {
        "accuracy": _mean(right, data.weights),
        "balanced_accuracy": _mean_of_numbers(recalls),
        "baseline": _mean(data.y == majority, data.weights),
    }


def _mean_cost(tree: Tree, said: NDArray[np.int64], data: Data) -> float:
    """Return what a row costs on average; it is undefined if one has a class without costs."""
    if not set(data.y.tolist()) <= set(tree.classes.tolist()):
        return float("nan")
    loss: Any = tree.loss
    costs = np.array([[float(cost) for cost in row] for row in loss.table])
    return _mean(costs[said, np.searchsorted(tree.classes, data.y)], data.weights)


def _confusion(
    tree: Tree, truth: Rows, said: Rows, classes: NDArray[Any], weights: NDArray[Any] | None
) -> dict[str, Any]:
    """Return the rows of each class by what is said of them: the classes, or the actions."""
    is_costs = _has_costs(tree)
    column = np.arange(len(tree.labels)) if is_costs else np.searchsorted(classes, tree.labels)
    n_columns = len(tree.labels) if is_costs else len(classes)
    matrix = np.zeros((len(classes), n_columns), dtype=int if weights is None else float)
    np.add.at(matrix, (truth, column[said]), 1 if weights is None else weights)
    actions = {"actions": tree.labels.tolist()} if is_costs else {}
    return {"classes": classes.tolist(), **actions, "matrix": matrix.tolist()}


def headline(tree: Tree, data: Data) -> tuple[str, float]:
    """Return the score that a tree is compared with others by, and its name.

    It is the accuracy, or the expected cost of a tree that was fitted for costs; of numbers, the
    share of their loss that is explained.
    """
    if data.task is Task.REGRESSION:
        return number_headline(tree, data)
    with rows_of_data(data):
        said = tree.prediction[tree.apply(data.X)]
    if _has_costs(tree):
        return "cost", _mean_cost(tree, said, data)
    return "accuracy", _mean(tree.labels[said] == data.y, data.weights)


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
    if "confusion" not in found:
        write(f"{about}: {number_scores_text(found)}")
        return
    shown = {
        name: "undefined" if np.isnan(value) else f"{value:.3f}"
        for name, value in found.items()
        if isinstance(value, float)
    }
    parts = []
    if "expected_cost" in shown:
        parts.append(
            f"expected cost {shown['expected_cost']} (always the same action: "
            f"{shown['baseline_cost']})"
        )
    if "accuracy" in shown:
        parts += [
            f"accuracy {shown['accuracy']} (majority-class baseline: {shown['baseline']})",
            f"balanced accuracy {shown['balanced_accuracy']}",
        ]
    for name, what in SPREADS.items():
        if f"{name}_standard_deviation" in shown:
            spread = shown[f"{name}_standard_deviation"]
            parts.append(f"standard deviation of the {what} {spread}")
    write(
        f"{about}: {', '.join(parts)}\nAUC {shown['auc']}, log-loss {shown['log_loss']}, "
        f"Brier score {shown['brier_score']}"
    )
    _write_confusion(found["confusion"])


def _write_confusion(confusion: dict[str, Any]) -> None:
    names = [str(label) for label in confusion["classes"]]
    if len(names) > MAX_SHOWN:
        write(f"(the confusion matrix of {len(names)} classes is in the result with --json)")
        return
    said = [f"predicted {name}" for name in names]
    if "actions" in confusion:
        said = [f"action {name}" for name in confusion["actions"]]
    rows = [
        [name, *(f"{number:,.6g}" for number in row)]
        for name, row in zip(names, confusion["matrix"], strict=True)
    ]
    write_table(rows, ("true class", *said), "|".join(said))


def _mean(values: NDArray[Any], weights: NDArray[Any] | None, rows: Any = slice(None)) -> float:
    own = None if weights is None else weights[rows]
    if own is not None and not own.any():  # rows without weight say nothing
        return float("nan")
    return float(np.average(values, weights=own))


def _mean_of_numbers(values: list[float]) -> float:
    """Return the mean of those that are numbers, if any is."""
    numbers = [value for value in values if not np.isnan(value)]
    return float(np.mean(numbers)) if numbers else float("nan")


def baseline_of(data: Data) -> Any:
    """Return what is best predicted for all rows: the majority class, or the mean."""
    if data.task is Task.REGRESSION:
        return _mean(data.y, data.weights)
    return majority_class(data)


def majority_class(data: Data) -> Any:
    """Return the class of the largest weight."""
    classes, codes = np.unique(data.y, return_inverse=True)
    return classes[np.argmax(np.bincount(codes, weights=data.weights))]


def cross_validated(
    fit: Callable[[Data], Any], data: Data, n: int, seed: int, done: Callable[[int], object]
) -> dict[str, Any]:
    """Score whatever `fit` does, on each fold in turn."""
    classes = np.unique(data.y) if data.task is Task.CLASSIFICATION else None
    found = []
    for i, (train, test) in enumerate(folds(data, n, seed)):
        learned = data.take(train)
        found.append(scores(fit(learned), data.take(test), baseline_of(learned), classes))
        done(i + 1)
    means: dict[str, Any] = {
        name: _mean_of_numbers([each[name] for each in found])
        for name in found[0]
        if name != "confusion"
    }
    spreads = {
        f"{name}_standard_deviation": float(np.std([each[name] for each in found], ddof=1))
        for name in SPREADS
        if name in means
    }
    by_fold = {
        plural: [each[name] for each in found] for name, plural in ONE_EACH.items() if name in means
    }
    scored = {"folds": n, **means, **spreads, **by_fold}
    if "confusion" in found[0]:
        matrix = np.sum([each["confusion"]["matrix"] for each in found], axis=0)
        scored["confusion"] = {**found[0]["confusion"], "matrix": matrix.tolist()}
    return scored


def find_path(
    model: Any, data: Data, n_folds: int, seed: int, **options: Any
) -> RegularizationPath:
    """Find the trees for all lambdas, with their losses by cross-validation if there are folds."""
    if isinstance(data, Counted):
        data = data.with_folds(n_folds, seed) if n_folds else data
        parts: Any = "folds" if n_folds else None
    else:
        parts = folds(data, n_folds, seed) if n_folds else None
    with rows_of_data(data):
        path = regularization_path(
            **data.given,
            estimator=model,
            cv=parts,
            time_limit=model.time_limit,
            **options,
        )
    if path.status_ == "interrupted":
        raise KeyboardInterrupt
    return path


def choose_regularization(
    model: Any, data: Data, seed: int, rule: str, scoring: str | None = None
) -> tuple[PathEntry, RegularizationPath]:
    """Choose a tree of the path by its cross-validated loss or score; return the path, too."""
    path = find_path(model, data, min(FOLDS, len(data)), seed, scoring=scoring)
    if path[0].cv_standard_error is None:
        raise ValueError(
            f"--time-limit {model.time_limit:g} is too short to choose lambda by "
            "cross-validation: give more time, or a number as --regularization."
        )
    return path.best_ if rule == AUTO else path.one_standard_error_, path


def best_of(path: RegularizationPath) -> dict[str, float]:
    """Return the lambdas of the trees that a path marks."""
    best = "least_cv_loss" if path.scoring_ is None else "highest_cv_score"
    return {
        best: path.best_.regularization,
        "within_one_standard_error": path.one_standard_error_.regularization,
    }
