"""A rough estimate of what a fit costs: by trial on some rows, or by rule of thumb."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pyarrow as pa

from splitsecond._cli.data import Data
from splitsecond._cli.options import Algorithm
from splitsecond._cli.output import progress

TRIAL_ROWS = 2_000
TRIAL_SECONDS = 2.0  # maximum for an algorithm
TRIED = (Algorithm.LICKETY, Algorithm.SPLIT, Algorithm.OPTIMAL)

# Of raw tables with 10^5 to 10^7 values (benchmarks/results/raw.md), on one machine:
# guessing thresholds looks at 100,000 rows at most, and the rest at all of them.
GUESSED_ROWS = 100_000
SECONDS_PER_GUESSED_VALUE = 4e-7
SECONDS_PER_VALUE = 2e-8
MEMORY_OF_TABLE = 3  # times


def estimates(
    table: pa.Table, data: Data | None, *, regularization: Any, max_depth: int
) -> dict[str, Any]:
    """Estimate time and memory of fits; with labels, by fitting on some of the rows."""
    n_rows, n_columns = table.num_rows, table.num_columns
    cost: dict[str, Any] = {"memory_bytes": MEMORY_OF_TABLE * 8 * n_rows * n_columns}
    if data is None:
        guessed = SECONDS_PER_GUESSED_VALUE * min(n_rows, GUESSED_ROWS) * n_columns
        seconds = guessed + SECONDS_PER_VALUE * n_rows * n_columns
        fits = [{"algorithm": "lickety", "seconds": seconds, "at_least": False}]
        return {"basis": "by rule of thumb, perhaps a factor of five off", "fits": fits, **cost}
    from splitsecond._cli.estimators import LIMITS, TREES, fit_or_interrupt

    trial, scale = data, 1.0
    if n_rows > TRIAL_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(n_rows, TRIAL_ROWS, replace=False))
        trial, scale = data.take(rows), n_rows / TRIAL_ROWS
    fits = []
    with progress("trial fits", len(TRIED)) as listener, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a trial that reaches its limit is told as "over"
        models = [
            TREES[data.task][algorithm](
                regularization=regularization, max_depth=max_depth, time_limit=TRIAL_SECONDS
            )
            for algorithm in TRIED
        ]
        fit_or_interrupt(models[0], trial)  # the first fit of a process takes longer
        for i, (algorithm, model) in enumerate(zip(TRIED, models, strict=True)):
            fit_or_interrupt(model, trial)
            fits.append(
                {
                    "algorithm": str(algorithm),
                    "seconds": scale * model.statistics_["seconds"],
                    "at_least": model.status_ in LIMITS,
                    "columns": len(model.binarizer_.literals_),
                    "columns_handled": model.columns_handled,
                }
            )
            listener(i + 1)
    basis = (
        f"fitted on {len(trial):,} of the rows and multiplied, at depth {max_depth}"
        if scale > 1
        else f"fitted just now, at depth {max_depth}"
    )
    return {"basis": f"{basis}, lambda {regularization}, one thread", "fits": fits, **cost}
