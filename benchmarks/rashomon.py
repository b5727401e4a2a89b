"""Compares Rashomon sets with those of other packages: time, memory, and which trees are in them.

    python benchmarks/rashomon.py --out benchmarks/results

README.md in this folder says what is compared and how to read the tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from lib import arguments, data, environments, report, resumable
from lib.problems import EPSILON, EXACT_SET, RASHOMON_SETS, Comparison, rashomon_sets
from lib.report import TIMES, Column, Table, column, columns
from lib.set_packages import SET_METHODS, SetProblem
from lib.timing import Measurement, Task, first_fit, interleave, over, write_ratio

WITH_TRIVIAL = "splitsecond TreeFARMS, trivial kept"
# Methods that leave trivial extensions out; the sets of all others hold them.
WITHOUT_TRIVIAL = (EXACT_SET, "splitsecond RESPLIT, lookahead 3")


def _write_count(count: int) -> str:
    return f"{count:,}" if count < 10**9 else f"{count:.3g}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


COLUMNS = columns(
    "data set = data | depth | lambda = regularization | method",
    *TIMES,
    Column("time / ours", write_ratio),
    "peak memory = peak_bytes MB",
    column("trees", "trees", _write_count),
    "best objective = objective .4f | set",
    column("precision", "precision", _percent),
    column("with slack", "precision_slack", _percent),
    column("recall", "recall", _percent),
    "status",
)


def compare(
    comparison: Comparison,
    *,
    budget: float,
    time_limit: float,
    times_ours: float,
    memory_limit: int,
) -> list[dict[str, Any]]:
    """Run one comparison and return a row for each method."""
    problem = SetProblem(comparison.depth, comparison.regularization, time_limit, epsilon=EPSILON)
    first = [
        first_fit(Task(method, comparison.source, problem, memory_limit=memory_limit))
        for method in (EXACT_SET, WITH_TRIVIAL)
    ]
    true_sets = [each.found["histogram"] if each.finished else {} for each in first]
    if true_sets[0]:
        problem = replace(problem, reference=min(true_sets[0]))
    patience = max(time_limit, times_ours * (first[0].median or 0))
    tasks = [
        Task(
            method,
            comparison.source,
            problem,
            patience=None if method.startswith("splitsecond") else patience,
            memory_limit=memory_limit,
        )
        for method in comparison.methods
    ]
    measurements = interleave(tasks, budget=budget, min_fits=1)
    n_rows = len(data.load(comparison.source)[1])
    ours = measurements[0].median if measurements[0].finished else None
    rows = []
    for measurement in measurements:
        theirs = patience if measurement.status.startswith("killed") else measurement.median
        true_set = true_sets[measurement.task.method not in WITHOUT_TRIVIAL]
        rows.append(
            {
                **measurement.to_row(),
                "epsilon": EPSILON,
                "time_over_ours": over(theirs, ours),
                **judge(measurement, true_set, problem, n_rows),
            }
        )
    for row in rows:
        del row["leaves"]
    return rows


def judge(
    measurement: Measurement, true_set: Mapping[int, int], problem: SetProblem, n_rows: int
) -> dict[str, Any]:
    """Compare a set with the true one, our exact one under the same convention.

    No set holds a tree twice or one that is too deep, so a tree is in the true set if and only if
    its cost is within the bound: costs suffice.
    """
    found: Mapping[int, int] | None = measurement.found.get("histogram")
    row: dict[str, Any] = dict.fromkeys(("trees", "set", "precision", "precision_slack", "recall"))
    if found is None:
        return row
    row["trees"] = trees = measurement.found["trees"]
    if trees and true_set:
        slack = problem.slack(n_rows)
        bound = min(true_set) + slack
        inside, near = (
            sum(count for cost, count in found.items() if cost <= highest)
            for highest in (bound, bound + slack)
        )
        row["set"] = "same" if found == true_set else "differs"
        row["precision"] = inside / trees
        row["precision_slack"] = near / trees
        row["recall"] = inside / sum(true_set.values())
    return row


def main() -> None:
    parser = arguments.parser(__doc__)
    arguments.add_choice(parser, "--data-set", RASHOMON_SETS)
    arguments.add_choice(parser, "--method", SET_METHODS)
    parser.add_argument("--depth", type=int, default=5)
    arguments.add_limits(parser, budget=10.0, time_limit=600.0)
    parser.add_argument(
        "--times-ours",
        type=float,
        default=0.0,
        help="stop others no sooner than after so many times our time",
    )
    parser.add_argument("--memory-limit", type=float, default=12.0, help="gigabytes for a method")
    arguments.add_output(parser)
    options = parser.parse_args()
    # Ours comes first: the others are divided by it.
    asked = list(dict.fromkeys([EXACT_SET, *options.method]))
    absent = environments.absent(asked)
    methods = [method for method in asked if method not in absent]
    limits = {
        "budget": options.budget,
        "time_limit": options.time_limit,
        "times_ours": options.times_ours,
        "memory_limit": int(options.memory_limit * 1e9),
    }
    facts = {
        "limits": f"{options.time_limit:.0f} s for a fit, or {options.times_ours:g} times ours "
        f"if that is longer, {options.memory_limit:g} GB of address space for a method",
        **data.describe(options.data_set),
        **report.not_run(absent),
    }
    resumable.run_table(
        "rashomon",
        options,
        {**limits, "methods": methods},
        facts,
        Table(f"Rashomon sets, epsilon {EPSILON}", COLUMNS),
        {
            str(comparison): partial(compare, comparison, **limits)
            for comparison in rashomon_sets(options.data_set, options.depth, methods)
        },
    )


if __name__ == "__main__":
    main()
