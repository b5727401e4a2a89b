"""Compares LicketySPLIT that looks one or two levels ahead with the authors' own package.

    python benchmarks/lookahead_peers.py --out benchmarks/results

Both get the same matrix, take turns on one thread, and are judged by the same objective. Of
licketysplit, `fit` and the search inside alone are timed. README.md in this folder says how.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from lib import arguments, data, environments, report, resumable
from lib.problems import Comparison
from lib.report import TIMES, Column, Table, columns
from lib.timing import Task, interleave, over, write_ratio
from lib.tree_packages import Problem

DATA_SETS = ("compas_split", "bike_praxis", "heloc_60", "adult_60")
DEPTHS = (4, 5)
REGULARIZATIONS = (0.001, 0.01)
LEVELS = (1, 2)
SUFFIXES = {  # of our own, by lookahead
    1: ("", ", exact last split"),
    2: ("", ", exact last split", ", own completions"),
}
EQUAL = 1e-9  # objectives closer than this are the same

COLUMNS = columns(
    "data set = data | depth | lambda = regularization | method",
    *TIMES,
    Column("time / ours", write_ratio),
    "objective = objective .5f | leaves | status",
)
VERDICT_COLUMNS = columns(
    "lookahead | ours | lambda = regularization | cells | no higher = no_higher | lower",
    "least ratio of times = least_ratio x | median = median_ratio x",
    "least, search alone = least_search x",
)


def ours(levels: int, suffix: str) -> str:
    return f"splitsecond LicketySPLIT, lookahead {levels}{suffix}"


def theirs(levels: int) -> str:
    return f"licketysplit, lookahead {levels}"


def comparisons(data_sets: Sequence[str], levels: int) -> Iterator[Comparison]:
    own = [ours(levels, suffix) for suffix in SUFFIXES[levels]]
    methods = (*own, theirs(levels), f"{theirs(levels)}, search alone")
    for data_set in data_sets:
        for depth in DEPTHS:
            for regularization in REGULARIZATIONS:
                yield Comparison(data_set, depth, regularization, methods)


def compare(
    comparison: Comparison, methods: Sequence[str], *, budget: float, time_limit: float
) -> list[dict[str, Any]]:
    """Run one comparison and return a row for each method."""
    problem = Problem(comparison.depth, comparison.regularization, time_limit)
    tasks = [Task(method, comparison.source, problem) for method in methods]
    measurements = interleave(tasks, budget=budget)
    first = measurements[0].median if measurements[0].finished else None
    return [{**each.to_row(), "time_over_ours": over(each.median, first)} for each in measurements]


def verdicts(rows: Sequence[report.Row]) -> list[dict[str, Any]]:
    """Count the cells where our objective is no higher, and find the least ratio of times."""
    cells: dict[tuple[Any, ...], dict[str, report.Row]] = {}
    for row in rows:
        cell = row["data"], row["depth"], row["regularization"]
        cells.setdefault(cell, {})[row["method"]] = row
    found = []
    for levels in LEVELS:
        for suffix in SUFFIXES[levels]:
            for penalty in REGULARIZATIONS:
                names = ours(levels, suffix), theirs(levels), f"{theirs(levels)}, search alone"
                triples = [
                    [cell[name] for name in names]
                    for key, cell in cells.items()
                    if key[2] == penalty and all(_has_result(cell.get(name)) for name in names)
                ]
                if triples:
                    shown = f"lookahead {levels}{suffix}"
                    head = {"lookahead": levels, "ours": shown, "regularization": penalty}
                    found.append({**head, **_verdict(triples)})
    return found


def _has_result(row: report.Row | None) -> bool:
    return row is not None and row["objective"] is not None and row["median"] is not None


def _verdict(triples: Sequence[Sequence[report.Row]]) -> dict[str, Any]:
    gains = [their["objective"] - our["objective"] for our, their, _ in triples]
    ratios = sorted(their["median"] / our["median"] for our, their, _ in triples)
    return {
        "cells": len(triples),
        "no_higher": sum(gain >= -EQUAL for gain in gains),
        "lower": sum(gain > EQUAL for gain in gains),
        "least_ratio": ratios[0],
        "median_ratio": ratios[len(ratios) // 2],
        "least_search": min(search["median"] / our["median"] for our, _, search in triples),
    }


def main() -> None:
    parser = arguments.parser(__doc__)
    arguments.add_choice(parser, "--data-set", DATA_SETS)
    parser.add_argument("--lookahead", type=int, nargs="+", choices=LEVELS, default=list(LEVELS))
    arguments.add_limits(parser, budget=5.0, time_limit=300.0)
    arguments.add_output(parser)
    options = parser.parse_args()

    limits = {"budget": options.budget, "time_limit": options.time_limit}
    plan = {levels: list(comparisons(options.data_set, levels)) for levels in options.lookahead}
    absent = environments.absent(map(theirs, options.lookahead))
    facts = data.describe(options.data_set) | report.not_run(absent)
    rows: dict[int, list[dict[str, Any]]] = {levels: [] for levels in plan}
    with resumable.Run("lookahead_peers", sum(map(len, plan.values())), options, limits) as run:
        for levels, asked in plan.items():
            for comparison in asked:
                package = environments.package_of
                methods = [
                    method
                    for method in comparison.methods
                    if package(method) is None or theirs(levels) not in absent
                ]
                rows[levels] += run.rows(
                    f"lookahead {levels}: {comparison}",
                    partial(compare, comparison, methods, **limits),
                    methods=methods,
                )
                measured = [row for group in rows.values() for row in group]
                tables = [Table("Ours against licketysplit", VERDICT_COLUMNS, verdicts(measured))]
                tables += [Table(f"Lookahead {k}", COLUMNS, group) for k, group in rows.items()]
                text = report.save(options.out, "lookahead_peers", facts, tables)
    print(text)


if __name__ == "__main__":
    main()
