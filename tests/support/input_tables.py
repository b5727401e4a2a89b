"""One table of 0/1 columns that comes as everything a table may come as, and a raw one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from strategies import threshold_table

from splitsecond import SPLITClassifier

# Long names that no message would contain by chance.
NAMES = ["income_high", "age_low", "is_tenant", "has_garden", "owns_boat", "was_late", "pays_cash"]

TABLE, LABELS = threshold_table(30, 300, len(NAMES))
CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=np.uint8)
FIRST = CORNERS[:, 0]
RAW = np.random.default_rng(3).normal(size=(300, 4)).round(2)


def fitted(X: Any, y: Any = LABELS, **parameters: Any) -> Any:
    return SPLITClassifier(max_depth=3, regularization=0.002, **parameters).fit(X, y)


def strictly_fitted(X: Any) -> Any:
    """Without a binarizer, only 0 and 1 will do."""
    return fitted(X, binarizer=None)


def seen(model: Any, X: Any) -> tuple[Any, ...]:
    """Tree and predictions: what must be the same whatever the table came as."""
    tree = model.tree_
    return (
        tree.feature.tolist(),
        tree.left.tolist(),
        np.asarray(tree.counts).tolist(),
        model.predict(X).tolist(),
        model.predict_proba(X).tolist(),
        model.apply(X).tolist(),
    )


def frame(dtype: Any = "int64") -> pd.DataFrame:
    return pd.DataFrame(TABLE, columns=NAMES).astype(dtype)
