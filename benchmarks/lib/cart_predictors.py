"""CART, as `predictors` has models: the reference that small trees are compared with."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib.predictors import Predictor, Settings, numbers

MAX_DEPTH = 5
MAX_ALPHAS = 30
MIN_ROWS = (20, 1)  # in a leaf


class Cart(Predictor):
    """scikit-learn's CART on one-hot categories, pruned by cost-complexity.

    Missing numbers go where the split likes them best, as it has it.
    """

    def __init__(self, max_depth: int | None = MAX_DEPTH) -> None:
        self._depth = max_depth

    def settings(self, X: Any, y: NDArray[np.int64]) -> list[Settings]:
        found = []
        columns = numbers(X).fit_transform(X)
        for criterion in ("gini", "entropy"):
            for rows in MIN_ROWS:
                tree = self._tree({"criterion": criterion, "min_samples_leaf": rows})
                alphas = tree.cost_complexity_pruning_path(columns, y).ccp_alphas
                found += [
                    {"criterion": criterion, "min_samples_leaf": rows, "ccp_alpha": alpha}
                    for alpha in _between(alphas)
                ]
        return found

    def _tree(self, setting: Settings) -> Any:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(max_depth=self._depth, random_state=0, **setting)

    def fit(self, X: Any, y: NDArray[np.int64], setting: Settings) -> Any:
        from sklearn.pipeline import make_pipeline

        return make_pipeline(numbers(X), self._tree(setting)).fit(X, y)

    def fit_all(
        self, X: Any, y: NDArray[np.int64], settings: Sequence[Settings]
    ) -> Iterator[tuple[Any, Any]]:
        read = numbers(X).fit(X)
        columns = read.transform(X)
        grown: dict[tuple[str, int], Any] = {}
        for setting in settings:
            key = setting["criterion"], setting["min_samples_leaf"]
            if key not in grown:
                grown[key] = self._tree({**setting, "ccp_alpha": 0.0}).fit(columns, y)
            tree = copy.deepcopy(grown[key]).set_params(**setting)
            tree._prune_tree()  # as `fit` does at its end
            yield tree, read.transform

    def leaves(self, model: Any) -> int:
        return int((model[-1] if hasattr(model, "steps") else model).get_n_leaves())


def _between(alphas: NDArray[np.float64]) -> list[float]:
    """Return penalties between those where the tree changes, from large to small, not too many."""
    alphas = np.unique(np.maximum(alphas, 0.0))
    middle = np.sqrt(alphas[:-1] * alphas[1:])
    if len(middle) > MAX_ALPHAS:
        middle = middle[np.linspace(0, len(middle) - 1, MAX_ALPHAS).round().astype(int)]
    return [float(each) for each in middle[::-1]] or [0.0]


PREDICTORS: dict[str, Callable[[], Predictor]] = {
    "CART": Cart,
    "CART, any depth": partial(Cart, None),
}
