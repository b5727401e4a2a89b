"""Random sets of regression trees, small enough to list them."""

from __future__ import annotations

from typing import Any

import numpy as np

from splitsecond import RESPLITRegressor, TreeFARMSRegressor


def random_numbers(rng: np.random.Generator, n_rows: int, loss: str) -> Any:
    """Numbers of few digits or of many, of any size; or counts and rates."""
    kind = int(rng.integers(4))
    if loss == "poisson":
        counts = rng.poisson(rng.choice([0.3, 2.0]), n_rows).astype(float)
        return counts if kind < 2 else counts * rng.random(n_rows) * 10.0 ** rng.integers(-5, 6)
    if kind == 0:
        return rng.integers(-3, 9, n_rows).astype(float)
    if kind == 1:
        return np.round(rng.normal(50, 20, n_rows), 1)
    centre, scale = rng.choice([0.0, 1e3, -1e6]), 10.0 ** rng.integers(-3, 7)
    return centre + scale * rng.normal(size=n_rows)


def random_number_set(
    rng: np.random.Generator, loss: str, max_trees: int = 250
) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Rows, their numbers, a set of some trees for them, and what it was fitted with."""
    while True:
        n_rows, n_columns = int(rng.integers(4, 40)), int(rng.integers(2, 6))
        X = (rng.random((n_rows, n_columns)) < rng.choice([0.3, 0.5])).astype(np.uint8)
        y = random_numbers(rng, n_rows, loss)
        weights = rng.integers(1, 5, n_rows) / 2 if rng.random() < 0.4 else None
        options: dict[str, Any] = {
            "loss": loss,
            "regularization": float(rng.choice([0.01, 0.05, 0.1])),
            "epsilon": float(rng.choice([0.02, 0.1, 0.3])),
            "max_depth": int(rng.integers(1, 4)),
            "keep_trivial": bool(rng.random() < 0.3),
            "min_samples_leaf": int(rng.choice([1, 1, 3])),
        }
        kind: Any = TreeFARMSRegressor
        if rng.random() < 0.4:
            kind = RESPLITRegressor
            options["lookahead_depth"] = int(rng.integers(0, 3))
        trees = kind(**options).fit(X, y, sample_weight=weights).trees_
        if trees.n_trees <= max_trees and (trees.n_trees > 1 or rng.random() < 0.1):
            return X, y, trees, {**options, "sample_weight": weights}
