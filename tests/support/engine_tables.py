"""A table that every engine reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from splitsecond import CountTable, compress

TARGET, WEIGHT = "outcome", "times"
SAMPLE = 400  # fewer than the rows, so that the sample matters


def mixed_frame(seed: int, n_rows: int = 1500) -> pd.DataFrame:
    """Columns of every kind, with missing values, weights and a target that a small tree tells."""
    random = np.random.default_rng(seed)
    age = random.integers(18, 80, n_rows)
    income = random.normal(3e4, 9e3, n_rows).astype(np.float32)
    income[random.random(n_rows) < 0.05] = np.nan
    job = random.choice(["cook", "clerk", "Schmied ü", None], n_rows)
    yes = ((age > 40) & (job != "cook")) ^ (random.random(n_rows) < 0.1)
    return pd.DataFrame(
        {
            "age": age,
            "income": income,
            "ratio": np.where(random.random(n_rows) < 0.1, np.nan, random.random(n_rows)),
            "job": pd.Series(job, dtype="str"),
            "group": pd.Categorical(random.choice(["a", "b", "c"], n_rows), ["c", "b", "a", "z"]),
            "member": random.random(n_rows) < 0.3,
            WEIGHT: random.integers(0, 4, n_rows),
            TARGET: np.where(yes, "yes", "no"),
        }
    )


def compressed(source: Any, **options: Any) -> CountTable:
    """Compress with a sample of some of the rows, by their weights."""
    return compress(source, TARGET, **{"weight": WEIGHT, "sample": SAMPLE, **options})
