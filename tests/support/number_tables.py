"""Tables with numbers to predict, and trees of them: of every estimator, loss and size."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from splitsecond import (
    GreedyTreeRegressor,
    LicketySPLITRegressor,
    OptimalTreeRegressor,
    RESPLITRegressor,
    SPLITRegressor,
    Tree,
    TreeFARMSRegressor,
)

REGRESSORS: tuple[Any, ...] = (
    GreedyTreeRegressor,
    LicketySPLITRegressor,
    SPLITRegressor,
    OptimalTreeRegressor,
    TreeFARMSRegressor,
    RESPLITRegressor,
)
LOSSES = ("squared_error", "poisson")


@cache
def houses() -> tuple[pd.DataFrame, Any, Any]:
    """Every kind of column, prices that they tell in part, and weights of which some are 0."""
    random = np.random.default_rng(3)
    n = 240
    size = random.integers(30, 200, n).astype(float)
    place = random.choice(["city", "village", 'on the "hill"'], n)
    X = pd.DataFrame(
        {
            "size": np.where(random.random(n) < 0.1, np.nan, size),
            "place": pd.Series(place).mask(random.random(n) < 0.1).astype(object),
            "age": random.integers(0, 100, n),
            "garden": random.random(n) < 0.5,
        }
    )
    price = size * np.where(place == "city", 4, 2) + 60 * X["garden"] + random.normal(0, 40, n)
    return X, np.maximum(price, 0).round(1).to_numpy(), random.choice([0.0, 0.5, 1.0, 2.5], n)


@cache
def new_houses() -> pd.DataFrame:
    """Rows with missing values and categories that there were not in training."""
    X = houses()[0].iloc[:60].copy()
    X.loc[X.index[::7], "size"] = np.nan
    X.loc[X.index[::5], "place"] = "unseen"
    X.loc[X.index[::11], "place"] = None
    return X


def regressor(estimator: Any = LicketySPLITRegressor, **parameters: Any) -> Any:
    given = {"max_depth": 2, "regularization": 0.02, "binarizer": "quantile", **parameters}
    if estimator in (TreeFARMSRegressor, RESPLITRegressor):
        given = {"epsilon": 0.02, **given}
    return estimator(**given)


def tree_of(
    estimator: Any = LicketySPLITRegressor, *, weighted: bool = False, **parameters: Any
) -> Tree:
    """Fit the houses; of a set, a tree that is not the best one if there is another."""
    X, y, weights = houses()
    model = regressor(estimator, **parameters).fit(X, y, weights if weighted else None)
    trees = getattr(model, "trees_", None)
    tree: Tree = model.tree_ if trees is None else trees[min(3, trees.n_trees - 1)]
    assert tree.n_leaves > 1
    return tree


# Numbers that are hard to show: huge, tiny, all alike, a single one, signed, and whole.
SIDES = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
HARD: dict[str, Any] = {
    "huge": (SIDES, np.where(SIDES[:, 0], 1e300, 3e299) + 1e298 * np.arange(20)),
    "widest": (SIDES, np.where(SIDES[:, 0], 1.7e308, -1.7e308)),
    "tiny": (SIDES, np.where(SIDES[:, 0], 1e-300, 3e-300) + 1e-301 * np.arange(20)),
    "least": (SIDES, np.where(SIDES[:, 0], 5e-324, 0.0)),
    "constant": (SIDES, np.full(20, 2.5)),
    "zero": (SIDES, np.zeros(20)),
    "one row": (SIDES[:1], np.array([7.25])),
    "two rows": (SIDES[[0, 3]], np.array([7.25, 1.0])),
    "negative": (SIDES, -1.5 - SIDES[:, 0] - 0.01 * np.arange(20)),
    "integers": (SIDES, SIDES[:, 0] * 10 + np.arange(20)),
    "large integers": (SIDES, 2**60 + SIDES[:, 0] * 1000 + np.arange(20)),
    "close": (SIDES, 1998.0 + SIDES[:, 0] / 1024 + np.arange(20) / 65536),
    "skewed": (SIDES, np.where(np.arange(20) == 3, 1e9, SIDES[:, 0] + 0.001 * np.arange(20))),
}
POISSON_TOO = {
    *("huge", "tiny", "constant", "zero", "one row", "two rows", "integers", "close", "skewed")
}
HARD_CASES = [
    (name, loss)
    for name in HARD
    for loss in LOSSES
    if loss == "squared_error" or name in POISSON_TOO
]


def hard_tree(name: str, loss: str, estimator: Any = LicketySPLITRegressor) -> Tree:
    """Fit hard numbers."""
    X, y = HARD[name]
    tree: Tree = regressor(estimator, loss=loss, binarizer="auto").fit(X, y).tree_
    return tree
