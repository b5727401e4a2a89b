"""Compares the Rashomon Importance Distribution with other packages': time, and the means.

    python benchmarks/rid_peers.py --out benchmarks/results

The data sets and settings of `rashomon.py` at lambda .02; 10 bootstraps, one thread. Each package
draws its own bootstraps, so the means agree roughly: their correlation with ours is shown. Times
are compared with ours at the same settings: exact sets with exact sets, and the others' default, a
lookahead of 1, with RESPLIT with that lookahead. RESPLIT with the paper's 3 stands beside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from lib import arguments, data, environments, report, resumable
from lib.problems import EPSILON, EXACT_SET, RASHOMON_SETS
from lib.report import Column, Table, columns
from lib.rid_packages import BOOTSTRAPS, RID_METHODS
from lib.set_packages import SetProblem
from lib.timing import Task, first_fit, interleave, over, write_ratio

REGULARIZATION = 0.02
EXACT = "splitsecond RID, exact"
COLUMNS = columns(
    "data set = data | method | median = median s | fits",
    Column("time / ours, same settings", write_ratio),
    "peak memory = peak_bytes MB | correlation with ours = correlation .4f | status",
)


def compare(
    name: str, methods: Sequence[str], *, depth: int, budget: float, time_limit: float
) -> list[dict[str, Any]]:
    """Run methods on one data set and return a row for each."""
    problem = SetProblem(depth, REGULARIZATION, time_limit, epsilon=EPSILON)
    our_set = first_fit(Task(EXACT_SET, name, problem)).found["histogram"]
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
    parser = arguments.parser(__doc__)
    arguments.add_choice(parser, "--data-set", RASHOMON_SETS)
    parser.add_argument("--depth", type=int, default=5)
    arguments.add_limits(parser, budget=3.0, time_limit=300.0)
    arguments.add_output(parser)
    options = parser.parse_args()
    absent = environments.absent(RID_METHODS)
    methods = [method for method in RID_METHODS if method not in absent]
    asked = {"depth": options.depth, "budget": options.budget, "time_limit": options.time_limit}
    facts = {
        "limits": f"{options.time_limit:.0f} s for a fit",
        **data.describe(options.data_set),
        **report.not_run(absent),
    }
    resumable.run_table(
        "rid_peers",
        options,
        {**asked, "methods": methods},
        facts,
        Table(f"RID, lambda {REGULARIZATION}, epsilon {EPSILON}", COLUMNS),
        {name: partial(compare, name, methods, **asked) for name in options.data_set},
    )


if __name__ == "__main__":
    main()
