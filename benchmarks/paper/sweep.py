"""Trees of every algorithm over its penalty of a leaf: what most tables and figures are made of.

Variant is the seed of the split, option the depth. CART's sparsity is set by the minimum number of
rows in a leaf, as in the paper; it sees the raw columns (categories as 0/1) or the yes/no columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from fitting import Split, fitted, split
from jobs import Job, Settings, clock
from sklearn.tree import DecisionTreeClassifier

ALGORITHMS = ("LicketySPLIT", "SPLIT", "GOSDT")
PENALTIES = tuple(float(f"{penalty:.4f}") for penalty in np.linspace(0.001, 0.020, 39))
QUICK_PENALTIES = (0.001, 0.0025, 0.006, 0.011, 0.016)
PRINTED_PENALTIES = (0.001, 0.006, 0.011)  # those of the paper's tables
CHEAP_PENALTIES = (1e-5, 1e-4, 5e-4)  # for trees that are not sparse, depth 5 alone
LEAF_SHARES = tuple(float(f"{share:.5f}") for share in np.geomspace(0.0005, 0.3, 24))
OPTIMAL_SPLITS = 3  # splits on which GOSDT's problem is solved for all penalties


def jobs(settings: Settings, names: tuple[str, ...], depth: int) -> list[Job]:
    splits = settings.splits if depth == 5 else 1 if settings.quick else OPTIMAL_SPLITS
    return [
        Job("sweep", name, seed, depth) for name in settings.sets(names) for seed in range(splits)
    ]


def measure(job: Job, settings: Settings) -> list[dict[str, Any]]:
    of = split(job.data, job.variant, settings.threads)
    shared = {
        "data": job.data,
        "split": job.variant,
        "depth": job.option,
        "rows": len(of.y),
        "columns": of.X.shape[1],
        "binarize_seconds": of.binarize_seconds,
        "all_settings": has_all(job.variant, settings),
    }
    rows = [
        fitted(algorithm, penalty, job.option, of, settings)
        for algorithm, penalty in plan(job.variant, job.option, settings)
    ]
    rows += _cart(of, job.option, settings)
    return [{**shared, **row} for row in rows]


def plan(seed: int, depth: int, settings: Settings) -> list[tuple[str, float]]:
    """Return which algorithm is run at which penalty."""
    penalties = QUICK_PENALTIES if settings.quick else PENALTIES if depth == 5 else PENALTIES[::2]
    out = [(name, penalty) for penalty in penalties for name in ("LicketySPLIT", "SPLIT", "Greedy")]
    if depth == 5:
        out += [
            (name, penalty) for penalty in CHEAP_PENALTIES for name in ("LicketySPLIT", "SPLIT")
        ]
    if depth <= 5:  # beyond, the paper leaves it out as well
        optimal = penalties if has_all(seed, settings) else PRINTED_PENALTIES
        out += [("GOSDT", penalty) for penalty in optimal]
    return out


def has_all(seed: int, settings: Settings) -> bool:
    """Say whether optimal trees are found at all penalties, which takes most of the time."""
    return seed < (1 if settings.quick else OPTIMAL_SPLITS)


def _cart(of: Split, depth: int, settings: Settings) -> list[dict[str, Any]]:
    """Grow CART's trees on raw and on yes/no columns."""
    raw, raw_test = numeric(of.raw, of.raw_test)
    rows = []
    for name, X, X_test in (
        ("CART", raw, raw_test),
        ("CART, binary", of.X.astype(np.float32), of.X_test.astype(np.float32)),
    ):
        for share in LEAF_SHARES[:: 3 if settings.quick else 1]:
            minimum = max(1, int(share * len(of.y)))
            model = DecisionTreeClassifier(
                max_depth=depth, min_samples_leaf=minimum, random_state=0
            )
            seconds = clock(model, X, of.y)
            rows.append(
                {
                    "algorithm": name,
                    "lambda": None,
                    "objective": None,
                    "train_loss": 1 - model.score(X, of.y),
                    "test_loss": 1 - model.score(X_test, of.y_test),
                    "leaves": int(model.get_n_leaves()),
                    "seconds": seconds,
                    "status": "complete",
                }
            )
    return rows


def numeric(raw: Any, raw_test: Any) -> tuple[Any, Any]:
    """Return raw tables as numbers: a column for each category, what is missing as -1."""
    import pandas as pd

    both = pd.get_dummies(pd.concat([raw, raw_test]), dtype=np.float32).fillna(-1)
    values = both.to_numpy(np.float32)
    return values[: len(raw)], values[len(raw) :]
