"""Tables and estimators for the tests of reliance and RID."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from strategies import threshold_table

from splitsecond import RESPLIT, RashomonImportance


def mixed(seed: int, n_rows: int) -> pd.DataFrame:
    """Several thresholds for one variable, categories, blanks, and a column of 0 and 1."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 26, n_rows).astype(float),
            "job": rng.choice(["cook", "clerk", "nurse"], n_rows),
            "flag": rng.integers(0, 2, n_rows),
            "pay": rng.integers(0, 4, n_rows).astype(float),
        }
    )
    frame.loc[rng.random(n_rows) < 0.3, "pay"] = np.nan
    frame.loc[rng.random(n_rows) < 0.2, "job"] = None
    return frame


def noisy(seed: int, n_rows: int, n_columns: int) -> tuple[Any, Any]:
    """Random 0/1 columns, classes that depend on three of them, and one label in five wrong."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, n_columns)).astype(np.uint8)
    return X, ((X[:, 0] & X[:, 1]) | X[:, 2]) ^ (rng.random(n_rows) < 0.2)


def ratio(permuted: Fraction, loss: Fraction) -> float:
    if permuted == loss:
        return 1.0
    return float("inf") if loss == 0 else float(permuted / loss)


def small(**options: Any) -> RESPLIT:
    return RESPLIT(**{"max_depth": 3, "regularization": 0.02, "epsilon": 0.02, **options})


def everything(rid: RashomonImportance) -> list[Any]:
    frame = rid.to_frame()
    columns = [frame[name].tolist() for name in frame.columns]
    parts = [part.tolist() for name in rid.variables_ for part in rid.distribution(name)]
    return [rid.n_trees_, rid.status_, columns, parts]


def drawn(**options: Any) -> RashomonImportance:
    """Sets larger than `max_trees`, so that trees are drawn as well as rows."""
    X, y = threshold_table(10, 150, 7)
    estimator = small(regularization=0.01, epsilon=0.04)
    defaults = {"n_bootstraps": 5, "max_trees": 20, "random_state": 4}
    return RashomonImportance(estimator, **{**defaults, **options}).fit(X, y)
