"""Compares the Rashomon Importance Distribution with other packages': time, and the means.

    python benchmarks/rid_peers.py --out benchmarks/results

The data sets and settings of `rashomon.py` at lambda .02; 10 bootstraps, one thread. Each package
draws its own bootstraps, so the means agree roughly: their correlation with ours is told.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import data
import numpy as np
import report
from measure import Task, interleave, write_ratio
from rashomon import DATA_SETS, EPSILON, OURS, first_fit
from report import Column, Table, column
from rid_packages import BOOTSTRAPS, RID_METHODS
from set_packages import SetProblem

REGULARIZATION = 0.02
EXACT, RESPLIT = "splitsecond RID, TreeFARMS", "splitsecond RID, RESPLIT"
COLUMNS = (
    column("data set", "data"),
    column("method", "method"),
    column("median", "median", report.seconds),
    column("fits", "fits"),
    Column("time / ours of its kind", write_ratio),
    column("peak memory", "peak_bytes", report.megabytes),
    column("correlation with ours", "correlation", "{:.4f}".format),
    column("status", "status"),
)


def compare(name: str, *, depth: int, budget: float, time_limit: float) -> list[dict[str, Any]]:
    """Run all methods on one data set and return a row for each."""
    problem = SetProblem(depth, REGULARIZATION, time_limit, epsilon=EPSILON)
    problem = replace(problem, reference=min(first_fit(Task(OURS, name, problem))))
    tasks = [Task(method, name, problem, patience=time_limit) for method in RID_METHODS]
    measured = {m.task.method: m for m in interleave(tasks, budget=budget, min_fits=1)}
    rows = []
    for method, measurement in measured.items():
        ours = measured[EXACT if method.endswith(("exact", "TreeFARMS")) else RESPLIT]
        theirs = time_limit if measurement.status.startswith("killed") else measurement.median
        means = [measured[EXACT].found.get("means"), measurement.found.get("means")]
        told = all(part is not None for part in means)
        rows.append(
            {
                **measurement.to_row(),
                "bootstraps": BOOTSTRAPS,
                "peak_bytes": measurement.peak_bytes,
                "time_over_ours": None if None in (ours.median, theirs) else theirs / ours.median,
                "correlation": float(np.corrcoef(means)[0, 1]) if told else None,
            }
        )
    for row in rows:
        del row["leaves"], row["objective"]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data-set", nargs="+", choices=DATA_SETS, default=DATA_SETS)
    parser.add_argument("--depth", type=int, default=5)
    parser.add_argument("--out", type=Path, required=True, help="folder for the results")
    parser.add_argument("--budget", type=float, default=3.0, help="seconds a method is repeated")
    parser.add_argument("--time-limit", type=float, default=300.0, help="seconds for one fit")
    arguments = parser.parse_args()
    facts = {"limits": f"{arguments.time_limit:.0f} s for a fit"}
    for name in arguments.data_set:  # also fills the cache before the clock runs
        X, y = data.load(name)
        facts[name] = f"{X.shape[0]} x {X.shape[1]}, checksum {data.checksum(X, y)}"
    rows: list[dict[str, Any]] = []
    table = Table(f"RID, lambda {REGULARIZATION}, epsilon {EPSILON}", COLUMNS, rows)
    for name in arguments.data_set:
        report.progress(name)
        rows += compare(
            name,
            depth=arguments.depth,
            budget=arguments.budget,
            time_limit=arguments.time_limit,
        )
        text = report.save(arguments.out, "rid_peers", facts, [table])
    print(text)


if __name__ == "__main__":
    main()
