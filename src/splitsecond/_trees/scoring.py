"""How well a tree does on given rows: what trees and estimators mean by a score."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._solving.losses import Costs
from splitsecond._solving.number_losses import OfNumbers, power_of_two
from splitsecond._tables.labels import codes_of
from splitsecond._tables.numbers import read_numbers
from splitsecond._tables.weights import check_sample_weight

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree


def score_of(tree: Tree, leaves: NDArray[np.int64], y: Any, sample_weight: Any, who: str) -> float:
    """Return the accuracy, given the leaf of each row; see `Tree.score`."""
    if isinstance(tree.loss, OfNumbers):
        return _explained(tree.loss, tree.counts[leaves], y, sample_weight)
    if not _says_classes(tree):
        return -expected_cost_of(tree, leaves, y, sample_weight, who)
    from sklearn.metrics import accuracy_score  # takes long to import

    predicted = tree.labels[tree.prediction[leaves]]
    return float(accuracy_score(y, predicted, sample_weight=sample_weight))


def training_score_of(tree: Tree) -> float:
    """Return the score of the training rows; see `Tree.training_score`."""
    if tree.loss.is_of_numbers:
        losses = tree.loss.loss(tree.counts)
        lost, whole = float(np.sum(losses[tree.feature < 0])), float(losses[0])
        return 1 - lost / whole if whole > 0 else 1.0
    return training_accuracy_of(tree) if _says_classes(tree) else -tree.training_loss


def training_accuracy_of(tree: Tree) -> float:
    """Return the share of the training weight that is predicted right."""
    leaves = np.flatnonzero(tree.feature < 0)
    known = {label: place for place, label in enumerate(tree.classes.tolist())}
    of_label = np.array([known.get(label, -1) for label in tree.labels.tolist()])
    said = of_label[tree.prediction[leaves]]
    correct = np.where(said >= 0, tree.counts[leaves, said], 0)
    return float(correct.sum() / tree.counts[0].sum())


def _says_classes(tree: Tree) -> bool:
    """Whether all that the tree may say is a class."""
    return set(tree.labels.tolist()) <= set(tree.classes.tolist())


def _explained(loss: OfNumbers, sums: NDArray[np.float64], y: Any, sample_weight: Any) -> float:
    """Return what share of the loss about the mean of y is explained: R^2, or D^2.

    Sums are those of each row's leaf.
    """
    read = read_numbers(y, len(sums), loss=loss.name)
    # Without the offset of integers that floats do not hold, nor do they hold the predictions.
    predicted = replace(loss, offset=0).value(sums) + float(loss.offset - read.offset)
    numbers, weights = read.values, None
    # The share does not depend on the units, and squares of very large or small numbers do.
    if sample_weight is not None:
        given = check_sample_weight(sample_weight, len(predicted))
        present = given > 0  # what the others lose may be infinite
        numbers, predicted, given = numbers[present], predicted[present], given[present]
        weights = given / power_of_two(float(given.max()))
    unit = power_of_two(max(float(np.abs(each).max()) for each in (numbers, predicted)))
    numbers, predicted = numbers / unit, predicted / unit
    mean = np.full(len(numbers), np.average(numbers, weights=weights))
    lost = float(np.average(loss.row_deviances(numbers, predicted), weights=weights))
    whole = float(np.average(loss.row_deviances(numbers, mean), weights=weights))
    if whole == 0:
        return 1.0 if lost == 0 else 0.0  # as scikit-learn has it
    return 1 - lost / whole


def expected_cost_of(
    tree: Tree, leaves: NDArray[np.int64], y: Any, sample_weight: Any, who: str
) -> float:
    """Return the mean cost of a row, given the leaf of each; ``who`` is what an error calls it."""
    loss = tree.loss
    if not isinstance(loss, Costs):
        raise ValueError(
            f"{who} was fitted without costs: fit it with costs=, a mapping of actions to classes "
            "to costs."
        )
    codes = codes_of(y, tree.classes, len(leaves))
    weights = None
    if sample_weight is not None:
        weights = check_sample_weight(sample_weight, len(leaves))
    costs = loss.integers[tree.prediction[leaves], codes]
    return float(np.average(costs.astype(np.float64), weights=weights)) * float(loss.unit)
