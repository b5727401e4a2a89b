"""Searches for Rashomon sets that do not end by themselves, and what must hold for their results.

The table is noise and epsilon is beyond everything: the set is all trees, and its graph alone would
not fit into any machine.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from rashomon_oracle import Shape, shape_of

from splitsecond import RESPLIT, LimitWarning, TreeFARMS

Table = tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]

REGULARIZATION = 0.001
ENDLESS_SETS: dict[str, Callable[..., Any]] = {
    "exact": lambda **limits: TreeFARMS(
        regularization=REGULARIZATION, epsilon=100, max_depth=7, **limits
    ),
    "resplit": lambda **limits: RESPLIT(
        regularization=REGULARIZATION, epsilon=100, max_depth=7, lookahead_depth=4, **limits
    ),
}


def is_trivial(shape: Shape) -> bool:
    """Whether some split of it is between two leaves of the same label."""
    if isinstance(shape, int):
        return False
    _, yes, no = shape
    return (isinstance(yes, int) and yes == no) or is_trivial(yes) or is_trivial(no)


def noise_without_end() -> Table:
    rng = np.random.default_rng(90)
    X = rng.integers(0, 2, (2000, 40)).astype(np.uint8)
    # What is loaded on first use is no part of any limit.
    TreeFARMS(max_depth=1).fit(X, X[:, 0] & X[:, 1])
    return X, rng.integers(0, 2, 2000)


def assert_real_trees(model: Any, X: Any, y: Any) -> None:
    """Each is whole, and what is said of it is true."""
    trees = model.trees_
    assert trees.n_trees >= 1
    assert sum(trees.objective_histogram().values()) == trees.n_trees
    places = {0, trees.n_trees - 1, trees.n_trees // 2}
    for tree in [*(trees[place] for place in places), *trees.sample(20, random_state=0)]:
        errors = np.mean(_predicted(tree, X) != y)
        assert tree.objective == pytest.approx(errors + REGULARIZATION * tree.n_leaves, abs=1e-12)
        assert tree.depth <= model.max_depth
        assert trees.min_objective <= tree.objective <= trees.bound
        assert tree.counts[0].tolist() == np.bincount(y).tolist()
        assert not is_trivial(shape_of(tree))
    assert model.objective_ == trees.min_objective
    with pytest.warns(LimitWarning, match="The set is partial"):
        assert trees.vote(X[:3]).sum(axis=1) == pytest.approx(1)
    again = pickle.loads(pickle.dumps(trees))
    assert again.objective_histogram() == trees.objective_histogram()


def _predicted(tree: Any, X: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
    node = np.zeros(len(X), dtype=int)
    for _ in range(tree.depth):
        feature = tree.feature[node]
        yes = X[np.arange(len(X)), np.maximum(feature, 0)] == 1
        down = np.where(yes, tree.left[node], tree.right[node])
        node = np.where(feature < 0, node, down)
    predicted: npt.NDArray[Any] = tree.prediction[node]
    return predicted
