"""Compresses a large made-up table in Parquet, and boosts trees on the same files.

    python benchmarks/large.py --folder /scratch/large --out benchmarks/results

20 columns of numbers, booleans and categories, and a target of two classes; files that are not in
the folder yet are made first (62 bytes a row). Each method runs in a process of its own, after the
files have been read once, so that they come from the system's cache where it is large enough.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import metadata
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from lib import arguments, large_data, large_methods, report, resumable
from lib.report import Table, columns
from lib.timing import over

COLUMNS = columns(
    "rows = shown_rows | method | time = seconds s | time / scan = over_scan x | "
    "rows a second = rate .3g | peak memory = peak MB | patterns | questions = columns | leaves | "
    "held-out accuracy = accuracy .4f | held-out AUC = auc .4f",
)
KEYS = (
    *("method", "seconds", "peak", "patterns", "columns", "leaves", "accuracy", "auc"),
    *("over_scan", "rate"),
)


def measure(
    folder: Path, n_rows: int, method: str, threads: int, runs: int
) -> list[dict[str, Any]]:
    """Run a method some times; return its rows with the median time and the highest peak."""
    files, held_out = large_data.make(folder, n_rows)
    large_methods.scan(files, held_out, threads)  # brings the files to the cache
    done = []
    for _ in range(runs):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            run = large_methods.METHODS[method]
            done.append(pool.submit(run, files, held_out, threads).result())
    return [
        {
            **rows[0],
            "seconds": float(np.median([row["seconds"] for row in rows])),
            "peak": max(row["peak"] for row in rows),
        }
        for rows in zip(*done, strict=True)
    ]


def beside_the_scan(n_rows: int, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of one table with ratios to its scan, if that was measured."""
    of_scan = next((row["seconds"] for row in rows if row["method"] == large_methods.SCAN), None)
    return [
        dict.fromkeys(KEYS)
        | row
        | {
            "shown_rows": f"{n_rows:,}",
            "over_scan": over(row["seconds"], of_scan),
            "rate": n_rows / row["seconds"],
        }
        for row in rows
    ]


def main() -> None:
    parser = arguments.parser(__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000_000])
    parser.add_argument(
        "--folder",
        type=Path,
        default=os.environ.get("SPLITSECOND_LARGE"),
        help="where the table is, or is made (by default the variable SPLITSECOND_LARGE)",
    )
    arguments.add_choice(parser, "--methods", large_methods.METHODS)
    parser.add_argument(
        "--boosting-rows", type=int, default=10_000_000, help="most rows that boosting is given"
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--runs", type=int, default=3)
    arguments.add_output(parser)
    options = parser.parse_args()
    if options.folder is None:
        parser.error("--folder: say where the table is to be made")
    folder = Path(options.folder)
    warnings.simplefilter("ignore")
    asked = {"threads": options.threads, "runs": options.runs}
    planned = [
        (n, method)
        for n in options.rows
        for method in options.methods
        if n <= options.boosting_rows or method not in large_methods.BOOSTING
    ]
    found: dict[int, list[dict[str, Any]]] = {}
    text = ""
    with resumable.Run("large", len(planned), options, asked) as run:
        for n, method in planned:
            rows = run.rows(f"{n:,} rows, {method}", partial(measure, folder, n, method, **asked))
            found.setdefault(n, []).extend(rows)
            shown = [row for size, parts in found.items() for row in beside_the_scan(size, parts)]
            text = report.save(
                options.out, "large", facts(options), [Table("Large tables", COLUMNS, shown)]
            )
    print(text)


def facts(options: Any) -> dict[str, str]:
    return {
        "threads": str(options.threads),
        "runs": f"{options.runs}; median time, highest peak",
        "trees": f"LicketySPLIT, depth {large_methods.DEPTH}, lambda "
        f"{large_methods.REGULARIZATION}",
        "boosting": ", ".join(f"{each} {version(each)}" for each in ("xgboost-cpu", "lightgbm")),
    }


def version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    main()
