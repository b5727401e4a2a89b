"""How well a tree does on given rows: what trees and classifiers mean by a score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._solving.losses import Costs
from splitsecond._tables.labels import codes_of
from splitsecond._tables.weights import check_sample_weight

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree


def score_of(tree: Tree, leaves: NDArray[np.int64], y: Any, sample_weight: Any, who: str) -> float:
    """Return the accuracy, given the leaf of each row; see `Tree.score`."""
    if not set(tree.labels.tolist()) <= set(tree.classes.tolist()):
        return -expected_cost_of(tree, leaves, y, sample_weight, who)
    from sklearn.metrics import accuracy_score  # takes long to import

    predicted = tree.labels[tree.prediction[leaves]]
    return float(accuracy_score(y, predicted, sample_weight=sample_weight))


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
