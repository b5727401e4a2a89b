"""Scores of trees that predict numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import Tree
from splitsecond._cli.data import Data
from splitsecond._cli.options import Loss
from splitsecond._cli.row_places import rows_of_data

# What share of the loss is explained, by the loss; and what that is called.
EXPLAINED = {str(Loss.SQUARED_ERROR): "r2", str(Loss.POISSON): "d2"}
TITLES = {"r2": "R^2", "d2": "D^2", "rmse": "RMSE", "mean_deviance": "mean Poisson deviance"}
NO_SPLIT = {"rmse": "baseline_rmse", "mean_deviance": "baseline_deviance"}


def number_scores(model: Any, data: Data, mean: float) -> dict[str, float]:
    """Score a model or a tree; the baseline always predicts the mean of the training rows.

    Rows without weight say nothing: their scores are not numbers.
    """
    tree: Tree = model if isinstance(model, Tree) else model.tree_
    with rows_of_data(data):
        predicted, always = model.predict(data.X), np.full(len(data), mean)
    lost, without = (_mean_loss(tree, values, data) for values in (predicted, always))
    name = "mean_deviance" if tree.loss.name == Loss.POISSON else "rmse"
    return {**_explained(model, tree, data), name: lost, NO_SPLIT[name]: without}


def number_headline(tree: Tree, data: Data) -> tuple[str, float]:
    """Return the score that a tree is compared with others by, and its name."""
    ((name, value),) = _explained(tree, tree, data).items()
    return TITLES[name], value


def training_scores(tree: Tree) -> dict[str, float]:
    """Return what share of the loss a tree explains of the training rows."""
    return {f"training_{EXPLAINED[tree.loss.name]}": tree.training_score}


def training_text(tree: Tree) -> str:
    """Say how well a tree fits the training rows."""
    is_poisson = tree.loss.name == Loss.POISSON
    lost = tree.training_loss if is_poisson else tree.training_loss**0.5
    name = "mean deviance" if is_poisson else "root mean squared error"
    return f"{TITLES[EXPLAINED[tree.loss.name]]} {tree.training_score:.3f} · {name} {lost:.4g}"


def number_scores_text(found: dict[str, Any]) -> str:
    """Say scores in a line."""
    parts = []
    for name, value in found.items():
        if name in EXPLAINED.values():
            parts.append(f"{TITLES[name]} {_shown(value, '.3f')}")
        elif name in NO_SPLIT:
            baseline = _shown(found[NO_SPLIT[name]], ".4g")
            parts.append(f"{TITLES[name]} {_shown(value, '.4g')} (always the mean: {baseline})")
        elif name.endswith("_standard_deviation"):
            title = TITLES[name.removesuffix("_standard_deviation")]
            parts.append(f"standard deviation of the {title} {_shown(value, '.3f')}")
    return ", ".join(parts)


def _explained(model: Any, tree: Tree, data: Data) -> dict[str, float]:
    share = float("nan")
    if _has_weight(data):
        with rows_of_data(data):
            share = model.score(data.X, data.y, data.weights)
    return {EXPLAINED[tree.loss.name]: share}


def _mean_loss(tree: Tree, values: NDArray[np.float64], data: Data) -> float:
    """Return the root of the mean squared error, or the mean deviance."""
    if not _has_weight(data):
        return float("nan")
    numbers = np.asarray(data.y, dtype=np.float64)
    unit = float(np.abs(numbers).max()) or 1.0  # squares of very large numbers overflow
    loss: Any = tree.loss
    lost = loss.row_deviances(numbers / unit, values / unit)
    mean = float(np.average(lost, weights=data.weights))
    return unit * (mean if loss.name == Loss.POISSON else mean**0.5)


def _has_weight(data: Data) -> bool:
    return data.weights is None or bool(data.weights.any())


def _shown(value: float, form: str) -> str:
    return "undefined" if np.isnan(value) else f"{value:{form}}"
