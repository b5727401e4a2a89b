"""Compares splitsecond with other packages: one thread, the same matrix, fit against fit.

    python benchmarks/peers.py --out benchmarks/results

README.md in this folder says what is compared and how to read the tables.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import data
import report
from measure import Task, interleave, write_ratio
from packages import Problem
from report import Column, Table, column

DEFAULT_SETS = ("compas_split", "bike_praxis", "covertype", "heloc", "adult")
REGULARIZATIONS = (0.001, 0.006, 0.011)
# Depths at which optimal trees are asked for; pystreed cannot finish the others in minutes.
OPTIMAL_DEPTHS = {
    "compas_split": (4, 5),
    "bike_praxis": (4, 5),
    "heloc": (4,),
    "adult": (4,),
    "spambase": (4,),
}
GOSDT_TIME_LIMIT = 60.0


COLUMNS = (
    column("data set", "data"),
    column("depth", "depth"),
    column("lambda", "regularization"),
    column("method", "method"),
    column("median", "median", report.seconds),
    Column("quartiles", report.spread),
    column("fits", "fits"),
    Column("time / ours", write_ratio),
    column("objective", "objective", report.decimals(4)),
    column("leaves", "leaves"),
    column("status", "status"),
)


@dataclass(frozen=True)
class Comparison:
    """Methods that take turns on one problem; the first is the one the others are divided by."""

    data_set: str
    depth: int
    regularization: float
    methods: Sequence[str]

    def __str__(self) -> str:
        return f"{self.data_set}, depth {self.depth}, lambda {self.regularization}"


def licketysplit(data_sets: Sequence[str]) -> Iterator[Comparison]:
    methods = (
        "splitsecond LicketySPLIT",
        "tree-praxis, lookahead 1",
        "CART, folded",
        "splitsecond LicketySPLIT, exact last split",
        "splitsecond greedy",
    )
    for data_set in data_sets:
        yield Comparison(data_set, 4, 0.001, methods)
        for regularization in REGULARIZATIONS:
            yield Comparison(data_set, 5, regularization, methods)


def split(data_sets: Sequence[str]) -> Iterator[Comparison]:
    methods = ("splitsecond SPLIT, lookahead 2", "tree-praxis, lookahead 2")
    for data_set in data_sets:
        for regularization in REGULARIZATIONS:
            yield Comparison(data_set, 5, regularization, methods)


def optimal(data_sets: Sequence[str], *, gosdt_everywhere: bool) -> Iterator[Comparison]:
    for data_set in data_sets:
        for depth in OPTIMAL_DEPTHS.get(data_set, ()):
            methods = ["splitsecond optimal", "pystreed"]
            if gosdt_everywhere or (data_set, depth) == ("compas_split", 4):
                methods.append("gosdt")
            yield Comparison(data_set, depth, 0.001, methods)


HEADINGS = {
    "licketysplit": "LicketySPLIT",
    "split": "SPLIT, lookahead 2",
    "optimal": "Optimal trees",
}


def compare(comparison: Comparison, *, budget: float, time_limit: float) -> list[dict[str, Any]]:
    """Run one comparison and return a row for each method."""
    tasks = []
    for method in comparison.methods:
        limit = min(time_limit, GOSDT_TIME_LIMIT) if method == "gosdt" else time_limit
        problem = Problem(comparison.depth, comparison.regularization, limit)
        tasks.append(Task(method, comparison.data_set, problem))
    measurements = interleave(tasks, budget=budget)
    ours = measurements[0].median if measurements[0].finished else None
    rows = []
    for measurement in measurements:
        theirs = measurement.median
        ratio = None if ours is None or theirs is None else theirs / ours
        rows.append({**measurement.to_row(), "time_over_ours": ratio})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data-set", nargs="+", choices=data.NAMES, default=DEFAULT_SETS)
    parser.add_argument("--group", nargs="+", choices=HEADINGS, default=list(HEADINGS))
    parser.add_argument("--out", type=Path, required=True, help="folder for peers.csv, peers.md")
    parser.add_argument("--budget", type=float, default=10.0, help="seconds a method is repeated")
    parser.add_argument("--time-limit", type=float, default=300.0, help="seconds for one fit")
    parser.add_argument(
        "--gosdt-everywhere", action="store_true", help="run gosdt on more than its quickest case"
    )
    arguments = parser.parse_args()

    facts = {}
    for name in arguments.data_set:  # also fills the cache before the clock runs
        X, y = data.load(name)
        facts[name] = f"{X.shape[0]} x {X.shape[1]}, checksum {data.checksum(X, y)}"
    groups = {
        "licketysplit": licketysplit(arguments.data_set),
        "split": split(arguments.data_set),
        "optimal": optimal(arguments.data_set, gosdt_everywhere=arguments.gosdt_everywhere),
    }
    tables: list[Table] = []
    for group in arguments.group:
        rows: list[dict[str, Any]] = []
        tables.append(Table(HEADINGS[group], COLUMNS, rows))
        for comparison in groups[group]:
            report.progress(f"{HEADINGS[group]}: {comparison}")
            rows += compare(comparison, budget=arguments.budget, time_limit=arguments.time_limit)
            report.save(arguments.out, "peers", facts, tables)
    print(report.save(arguments.out, "peers", facts, tables))


if __name__ == "__main__":
    main()
