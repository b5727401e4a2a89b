"""Compares Rashomon sets with those of other packages: time, memory, and which trees are in them.

    python benchmarks/rashomon.py --out benchmarks/results

README.md in this folder says what is compared and how to read the tables.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import data
import environments
import report
import runs
from measure import Measurement, Task, interleave, over, write_ratio
from report import Column, Table, column
from set_packages import SET_METHODS, SetProblem

DATA_SETS = (
    "compas_split",
    "bike_praxis",
    "netherlands_split_aggressive",
    "heloc_resplit",
    "spambase_resplit",
)
REGULARIZATIONS = (0.02, 0.01)
EPSILON = 0.01
OURS = "splitsecond TreeFARMS"
OURS_WITH_TRIVIAL = "splitsecond TreeFARMS, trivial kept"
# Methods that leave trivial extensions out; the sets of all others hold them.
WITHOUT_TRIVIAL = (OURS, "splitsecond RESPLIT, lookahead 3")


def _write_count(count: int) -> str:
    return f"{count:,}" if count < 10**9 else f"{count:.3g}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


COLUMNS = (
    column("data set", "data"),
    column("depth", "depth"),
    column("lambda", "regularization"),
    column("method", "method"),
    column("median", "median", report.seconds),
    Column("quartiles", report.spread),
    column("fits", "fits"),
    Column("time / ours", write_ratio),
    column("peak memory", "peak_bytes", report.megabytes),
    column("trees", "trees", _write_count),
    column("best objective", "objective", report.decimals(4)),
    column("set", "set"),
    column("precision", "precision", _percent),
    column("with slack", "precision_slack", _percent),
    column("recall", "recall", _percent),
    column("status", "status"),
)


@dataclass(frozen=True)
class Comparison:
    """One set, asked of every method."""

    data_set: str
    depth: int
    regularization: float

    def __str__(self) -> str:
        return f"{self.data_set}, depth {self.depth}, lambda {self.regularization}"


def plan(data_sets: Sequence[str], depth: int) -> Iterator[Comparison]:
    for data_set in data_sets:
        if data_set == "bike_praxis" and depth > 4:
            yield Comparison(data_set, 4, REGULARIZATIONS[0])
        for regularization in REGULARIZATIONS:
            yield Comparison(data_set, depth, regularization)


def compare(
    comparison: Comparison,
    methods: Sequence[str],
    *,
    budget: float,
    time_limit: float,
    times_ours: float,
    memory_limit: int,
) -> list[dict[str, Any]]:
    """Run one comparison and return a row for each method."""
    problem = SetProblem(comparison.depth, comparison.regularization, time_limit, epsilon=EPSILON)
    first = [
        first_fit(Task(method, comparison.data_set, problem, memory_limit=memory_limit))
        for method in (OURS, OURS_WITH_TRIVIAL)
    ]
    true_sets = [each.found["histogram"] if each.finished else {} for each in first]
    if true_sets[0]:
        problem = replace(problem, reference=min(true_sets[0]))
    patience = max(time_limit, times_ours * (first[0].median or 0))
    tasks = [
        Task(
            method,
            comparison.data_set,
            problem,
            patience=None if method.startswith("splitsecond") else patience,
            memory_limit=memory_limit,
        )
        for method in methods
    ]
    measurements = interleave(tasks, budget=budget, min_fits=1)
    n_rows = len(data.load(comparison.data_set)[1])
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


def first_fit(task: Task) -> Measurement:
    """Fit once, or twice if that is fast."""
    (measurement,) = interleave([task], budget=0, min_fits=1)
    return measurement


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
    row["trees"] = trees = sum(found.values())
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
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data-set", nargs="+", choices=DATA_SETS, default=DATA_SETS)
    parser.add_argument("--method", nargs="+", choices=SET_METHODS, default=list(SET_METHODS))
    parser.add_argument("--depth", type=int, default=5)
    parser.add_argument("--budget", type=float, default=10.0, help="seconds a method is repeated")
    parser.add_argument("--time-limit", type=float, default=600.0, help="seconds for one fit")
    parser.add_argument(
        "--times-ours",
        type=float,
        default=0.0,
        help="stop others no sooner than after so many times our time",
    )
    parser.add_argument("--memory-limit", type=float, default=12.0, help="gigabytes for a method")
    runs.add_options(parser)
    arguments = parser.parse_args()
    # Ours comes first: the others are divided by it.
    asked = list(dict.fromkeys([OURS, *arguments.method]))
    absent = environments.absent(asked)
    methods = [method for method in asked if method not in absent]
    limits = {
        "budget": arguments.budget,
        "time_limit": arguments.time_limit,
        "times_ours": arguments.times_ours,
        "memory_limit": int(arguments.memory_limit * 1e9),
    }
    facts = {
        "limits": f"{arguments.time_limit:.0f} s for a fit, or {arguments.times_ours:g} times ours "
        f"if that is longer, {arguments.memory_limit:g} GB of address space for a method",
        **data.describe(arguments.data_set),
        "not run, since not installed": "; ".join(absent) or "none",
    }
    comparisons = list(plan(arguments.data_set, arguments.depth))
    rows: list[dict[str, Any]] = []
    table = Table(f"Rashomon sets, epsilon {EPSILON}", COLUMNS, rows)
    with runs.Run("rashomon", len(comparisons), arguments, {**limits, "methods": methods}) as run:
        for comparison in comparisons:
            rows += run.rows(str(comparison), partial(compare, comparison, methods, **limits))
            text = report.save(arguments.out, "rashomon", facts, [table])
    print(text)


if __name__ == "__main__":
    main()
