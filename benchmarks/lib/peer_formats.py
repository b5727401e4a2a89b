"""Tables and trees in the shapes that other packages have them in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib.data import Labels, Matrix


def frame_and_series(X: Matrix, y: Labels) -> tuple[Any, Any]:
    """Return a data frame with named columns, and the labels as a series."""
    import pandas as pd

    names = [f"x{column}" for column in range(X.shape[1])]
    return pd.DataFrame(X, columns=names), pd.Series(y, name="y")


def node_leaves(node: Any) -> int:
    """Count the leaves of a tree of nodes, as gosdt and the paper's packages have them."""
    if not hasattr(node, "left_child"):
        return 1
    return node_leaves(node.left_child) + node_leaves(node.right_child)


def node_predictions(node: Any, X: NDArray[Any]) -> NDArray[Any]:
    """Return what such a tree says of every row; its classes must be 0 and 1."""
    if not hasattr(node, "left_child"):
        return np.full(len(X), int(node.prediction))
    has_feature = X[:, int(node.feature)] != 0
    predictions = np.empty(len(X), dtype=int)
    predictions[has_feature] = node_predictions(node.left_child, X[has_feature])
    predictions[~has_feature] = node_predictions(node.right_child, X[~has_feature])
    return predictions


def dict_leaves(node: Any) -> int:
    """Count the leaves of a tree of dictionaries, as pydl8.5 has them."""
    return dict_leaves(node["left"]) + dict_leaves(node["right"]) if "left" in node else 1


def prune(tree: Any, regularization: float) -> tuple[NDArray[np.intp], int]:
    """Prune every branch of a scikit-learn tree that costs no less than a leaf in its place.

    Returns, for every node, the node where a row that reached it ends after pruning, and the
    number of leaves left.
    """
    weight = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    leaf_cost = weight * (1 - tree.value[:, 0, :].max(axis=1)) + regularization
    cost = leaf_cost.copy()
    leaves = np.ones(tree.node_count, dtype=int)
    is_leaf = tree.children_left < 0
    for node in reversed(range(tree.node_count)):  # children have higher numbers than parents
        children = [tree.children_left[node], tree.children_right[node]]
        if is_leaf[node] or cost[children].sum() >= leaf_cost[node]:
            is_leaf[node] = True
        else:
            cost[node] = cost[children].sum()
            leaves[node] = leaves[children].sum()
    end = np.arange(tree.node_count)
    for node in range(tree.node_count):
        for child in (tree.children_left[node], tree.children_right[node]):
            if child >= 0 and (is_leaf[node] or end[node] != node):
                end[child] = end[node]
    return end, int(leaves[0])
