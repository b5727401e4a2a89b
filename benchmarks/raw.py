"""Times the way from a raw data frame to a tree: binarization and LicketySPLIT, depth 5.

    python benchmarks/raw.py --out benchmarks/results

Beside ours stands gosdt's ThresholdGuessBinarizer with the same number of boosted stumps (its fit
and transform; categories are made numeric for it beforehand), followed by the same LicketySPLIT,
and the paper's own times, which are for another machine. Each runs in a process of its own.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures import TimeoutError as TooLong
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from lib import arguments, data, resumable
from lib.report import Table, columns
from lib.timing import over, resident_peak
from paper import printed

REGULARIZATIONS = (0.001, 0.006, 0.011)
ROUNDS = 200
# Binarization, and binarization with LicketySPLIT, in the paper: lower ends of its 95 % intervals.
PAPER_SECONDS = {
    name: (printed.BINARIZATION[name][0], printed.LEAVES[3, 6][name]["LicketySPLIT"][0][0])
    for name in data.PAPER_SETS
}
COLUMNS = columns(
    "data set = data | rows x columns = shape | method",
    "binarize = binarize s | in all = total s | binarize / ours = binarize_over_ours x",
    "0/1 columns = columns",
    *(f"objective, {penalty} = objective_{penalty} .4f" for penalty in REGULARIZATIONS),
    "memory / frame = memory_over_frame .2f | status",
)


def ours(name: str, threads: int, fits: int) -> dict[str, Any]:
    """Fit a classifier on the frame as it is."""
    from splitsecond import LicketySPLITClassifier

    X, y = data.load_raw(name)
    model = LicketySPLITClassifier(regularization=REGULARIZATIONS[0], max_depth=5, n_jobs=threads)
    model.fit(X[:500], y[:500])  # loads what is loaded on first use
    frame_bytes = int(X.memory_usage(deep=True).sum())
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    before = resident_peak()
    totals, binarize = [], []
    for _ in range(fits):
        start = time.perf_counter()
        model.fit(X, y)
        totals.append(time.perf_counter() - start)
        binarize.append(totals[-1] - model.statistics_["search_seconds"])
    memory = resident_peak() - before
    B = model.binarizer_.transform(X)  # type: ignore[union-attr]
    return {
        "shape": f"{len(X):,} x {X.shape[1]}",
        "binarize": float(np.median(binarize)),
        "total": float(np.median(totals)),
        "columns": B.shape[1],
        "memory_over_frame": memory / frame_bytes,
        **_objectives(B, y),
    }


def gosdt(name: str, threads: int, fits: int) -> dict[str, Any]:
    """Binarize with gosdt, then fit the same classifier on its matrix."""
    import pandas as pd
    from gosdt import ThresholdGuessBinarizer

    from splitsecond import LicketySPLITClassifier

    X, y = data.load_raw(name)
    # It takes numbers alone: a column for each category, and what is missing as -1.
    X = pd.get_dummies(X, dummy_na=bool(X.isna().any(axis=None)), dtype=float).fillna(-1.0)
    start = time.perf_counter()
    binarizer = ThresholdGuessBinarizer(n_estimators=ROUNDS, max_depth=1, learning_rate=0.1)
    B = binarizer.fit_transform(X, y)
    binarize = time.perf_counter() - start
    B = np.ascontiguousarray(B, dtype=np.uint8)
    start = time.perf_counter()
    LicketySPLITClassifier(regularization=REGULARIZATIONS[0], max_depth=5, n_jobs=threads).fit(B, y)
    return {
        "shape": f"{len(X):,} x {X.shape[1]}",
        "binarize": binarize,
        "total": binarize + time.perf_counter() - start,
        "columns": B.shape[1],
        "memory_over_frame": None,
        **_objectives(B, y),
    }


def _objectives(B: Any, y: Any) -> dict[str, float]:
    from splitsecond import LicketySPLITClassifier

    return {
        f"objective_{penalty}": LicketySPLITClassifier(regularization=penalty, max_depth=5)
        .fit(B, y)
        .objective_
        for penalty in REGULARIZATIONS
    }


METHODS = {"splitsecond": ours, "gosdt's binarizer": gosdt}


def measure(name: str, method: str, threads: int, fits: int, time_limit: float) -> dict[str, Any]:
    row = dict.fromkeys(("shape", "binarize", "total", "columns", "memory_over_frame"))
    row |= {f"objective_{penalty}": None for penalty in REGULARIZATIONS}
    row |= {"data": name, "method": method, "status": "complete"}
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        try:
            row |= pool.submit(METHODS[method], name, threads, fits).result(timeout=time_limit)
        except TooLong:
            row["status"] = f"over {time_limit:.0f} s"
            for process in pool._processes.values():
                process.kill()
        except Exception as error:  # whatever a package raises is its result
            row["status"] = f"{type(error).__name__}: {error}"
    return row


def paper_row(name: str) -> dict[str, Any]:
    binarize, total = PAPER_SECONDS[name]
    return {
        "data": name,
        "method": "paper, other machine",
        "binarize": binarize,
        "total": total,
        "columns": data.PAPER_SETS[name],
        "status": "as printed",
    }


def compare(
    name: str, methods: Sequence[str], *, threads: int, fits: int, time_limit: float
) -> list[dict[str, Any]]:
    """Return a row for each method, and the paper's."""
    rows = [measure(name, method, threads, fits, time_limit) for method in methods]
    rows.append(paper_row(name))
    for row in rows:
        for key in rows[0]:
            row.setdefault(key, None)
        row["binarize_over_ours"] = over(row["binarize"], rows[0]["binarize"])
    return rows


def main() -> None:
    parser = arguments.parser(__doc__)
    arguments.add_choice(parser, "--data", data.PAPER_SETS)
    arguments.add_choice(parser, "--methods", METHODS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--fits", type=int, default=7)
    parser.add_argument("--time-limit", type=float, default=900.0)
    arguments.add_output(parser)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    limits = {"threads": options.threads, "fits": options.fits, "time_limit": options.time_limit}
    resumable.run_table(
        "raw",
        options,
        {**limits, "methods": options.methods},
        {"threads": str(options.threads), "boosted stumps": str(ROUNDS)},
        Table("Raw frame to tree", COLUMNS),
        {name: partial(compare, name, options.methods, **limits) for name in options.data},
    )


if __name__ == "__main__":
    main()
