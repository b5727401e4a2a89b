"""Compares the Rashomon Importance Distribution with other packages': time, and the means.

    python benchmarks/rid_peers.py --out benchmarks/results

The data sets and settings of `rashomon.py` at lambda .02; 10 bootstraps, one thread. Each package
draws its own bootstraps, so the means agree roughly: their correlation with ours is told. Times are
held against ours at the same settings: exact sets against exact sets, and the others' default,
a lookahead of 1, against RESPLIT with that lookahead. RESPLIT with the paper's 3 stands beside.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import data
import environments
import numpy as np
import report
import runs
from measure import Task, interleave, over, write_ratio
from rashomon import DATA_SETS, EPSILON, OURS, first_fit
from report import Column, Table, column
from rid_packages import BOOTSTRAPS, RID_METHODS
from set_packages import SetProblem

REGULARIZATION = 0.02
EXACT = "splitsecond RID, exact"
COLUMNS = (
    column("data set", "data"),
    column("method", "method"),
    column("median", "median", report.seconds),
    column("fits", "fits"),
    Column("time / ours, same settings", write_ratio),
    column("peak memory", "peak_bytes", report.megabytes),
    column("correlation with ours", "correlation", "{:.4f}".format),
    column("status", "status"),
)


def compare(
    name: str, methods: Sequence[str], *, depth: int, budget: float, time_limit: float
) -> list[dict[str, Any]]:
    """Run methods on one data set and return a row for each."""
    problem = SetProblem(depth, REGULARIZATION, time_limit, epsilon=EPSILON)
    our_set = first_fit(Task(OURS, name, problem)).found["histogram"]
    problem = replace(problem, reference=min(our_set))
    tasks = [Task(method, name, problem, patience=time_limit) for method in methods]
    measured = {m.task.method: m for m in interleave(tasks, budget=budget, min_fits=1)}
    rows = []
    for method, measurement in measured.items():
        ours = measured["splitsecond RID, " + method.partition("RID, ")[2]]
        theirs = time_limit if measurement.status.startswith("killed") else measurement.median
        means = [each.found.get("means", []) for each in (measured[EXACT], measurement)]
        rows.append(
            {
                **measurement.to_row(),
                "bootstraps": BOOTSTRAPS,
                "time_over_ours": over(theirs, ours.median),
                "correlation": float(np.corrcoef(means)[0, 1]) if all(means) else None,
            }
        )
    for row in rows:
        del row["leaves"], row["objective"]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data-set", nargs="+", choices=DATA_SETS, default=DATA_SETS)
    parser.add_argument("--depth", type=int, default=5)
    parser.add_argument("--budget", type=float, default=3.0, help="seconds a method is repeated")
    parser.add_argument("--time-limit", type=float, default=300.0, help="seconds for one fit")
    runs.add_options(parser)
    arguments = parser.parse_args()
    absent = environments.absent(RID_METHODS)
    methods = [method for method in RID_METHODS if method not in absent]
    facts = {
        "limits": f"{arguments.time_limit:.0f} s for a fit",
        **data.describe(arguments.data_set),
        "not run, since not installed": "; ".join(absent) or "none",
    }
    asked = {
        "depth": arguments.depth,
        "budget": arguments.budget,
        "time_limit": arguments.time_limit,
    }
    rows: list[dict[str, Any]] = []
    table = Table(f"RID, lambda {REGULARIZATION}, epsilon {EPSILON}", COLUMNS, rows)
    settings = {**asked, "methods": methods}
    with runs.Run("rid_peers", len(arguments.data_set), arguments, settings) as run:
        for name in arguments.data_set:
            rows += run.rows(name, partial(compare, name, methods, **asked))
            text = report.save(arguments.out, "rid_peers", facts, [table])
    print(text)


if __name__ == "__main__":
    main()
