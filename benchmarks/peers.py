"""Compares splitsecond with other packages: one thread, the same matrix, fit against fit.

    python benchmarks/peers.py --out benchmarks/results

README.md in this folder says what is compared and how to read the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from lib import arguments, data, environments, report, resumable
from lib.data import Numbers
from lib.problems import TREE_SETS, Comparison
from lib.report import TIMES, Column, Table, columns
from lib.timing import Task, interleave, over, write_ratio
from lib.tree_packages import Problem

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
# At these penalties optimal trees are far less deep than this (imodels knows no depth); others take
# both of us minutes.
DEEP = 10
DEEP_REGULARIZATIONS = {"compas_split": (0.02, 0.01), "bike_praxis": (0.02, 0.01), "adult": (0.02,)}
# Without a penalty per leaf (pydl8.5 knows none).
FREE_DEPTHS = {"compas_split": (3, 4), "bike_praxis": (3, 4), "heloc": (3,), "adult": (3,)}
# Raw numbers (pycontree), and depths.
RAW_DEPTHS = {"compas": (3, 4), "hypothyroid": (2, 3), "bank": (2,), "heloc": (2,)}

COLUMNS = columns(
    "data set = data | depth | lambda = regularization | method",
    *TIMES,
    Column("time / ours", write_ratio),
    "peak memory = peak_bytes MB | objective = objective .4f | leaves | status",
)


def licketysplit(data_sets: Sequence[str]) -> Iterator[Comparison]:
    methods = (
        "splitsecond LicketySPLIT",
        "tree-praxis, lookahead 1",
        "licketysplit, lookahead 1",
        "licketysplit, lookahead 1, search alone",
        "official LicketySPLIT",
        "CART, folded",
        "splitsecond LicketySPLIT, exact last split",
        "splitsecond greedy",
    )
    for data_set in data_sets:
        yield Comparison(data_set, 4, 0.001, methods)
        for regularization in REGULARIZATIONS:
            yield Comparison(data_set, 5, regularization, methods)


def split(data_sets: Sequence[str]) -> Iterator[Comparison]:
    methods = (
        "splitsecond SPLIT, lookahead 2",
        "tree-praxis, lookahead 2",
        "licketysplit, lookahead 2, search alone",
        "official SPLIT, lookahead 2",
    )
    for data_set in data_sets:
        for regularization in REGULARIZATIONS:
            yield Comparison(data_set, 5, regularization, methods)


def optimal(data_sets: Sequence[str], *, gosdt_everywhere: bool = False) -> Iterator[Comparison]:
    for data_set in data_sets:
        for depth in OPTIMAL_DEPTHS.get(data_set, ()):
            methods = ["splitsecond optimal", "pystreed"]
            if gosdt_everywhere or (data_set, depth) == ("compas_split", 4):
                methods.append("gosdt")
            yield Comparison(data_set, depth, 0.001, methods)


def deep(data_sets: Sequence[str]) -> Iterator[Comparison]:
    methods = ("splitsecond optimal", "imodels FastSmallTree")
    for data_set in data_sets:
        for regularization in DEEP_REGULARIZATIONS.get(data_set, ()):
            yield Comparison(data_set, DEEP, regularization, methods)


def free(data_sets: Sequence[str]) -> Iterator[Comparison]:
    methods = ("splitsecond optimal", "pystreed", "pydl8.5")
    for data_set in data_sets:
        for depth in FREE_DEPTHS.get(data_set, ()):
            yield Comparison(data_set, depth, 0.0, methods)


def raw(_: Sequence[str]) -> Iterator[Comparison]:
    methods = ("splitsecond optimal, raw", "pycontree", "CART, folded")
    for data_set, depths in RAW_DEPTHS.items():
        for depth in depths:
            yield Comparison(Numbers(data_set), depth, 0.001, methods)


GROUPS: dict[str, tuple[str, Callable[[Sequence[str]], Iterator[Comparison]]]] = {
    "licketysplit": ("LicketySPLIT", licketysplit),
    "split": ("SPLIT, lookahead 2", split),
    "optimal": ("Optimal trees", optimal),
    "deep": ("Optimal trees of any depth", deep),
    "free": ("Most accurate trees, no price of a leaf", free),
    "raw": ("Optimal trees on raw numbers", raw),
}


def compare(
    comparison: Comparison, methods: Sequence[str], *, budget: float, time_limit: float
) -> list[dict[str, Any]]:
    """Run one comparison and return a row for each method."""
    tasks = []
    for method in methods:
        limit = min(time_limit, GOSDT_TIME_LIMIT) if method == "gosdt" else time_limit
        problem = Problem(comparison.depth, comparison.regularization, limit)
        tasks.append(Task(method, comparison.source, problem))
    measurements = interleave(tasks, budget=budget)
    ours = measurements[0].median if measurements[0].finished else None
    rows = []
    for measurement in measurements:
        rows.append({**measurement.to_row(), "time_over_ours": over(measurement.median, ours)})
    return rows


def main() -> None:
    parser = arguments.parser(__doc__)
    arguments.add_choice(parser, "--data-set", data.NAMES, TREE_SETS)
    arguments.add_choice(parser, "--group", GROUPS)
    arguments.add_limits(parser, budget=10.0, time_limit=300.0)
    parser.add_argument(
        "--gosdt-everywhere", action="store_true", help="run gosdt on more than its quickest case"
    )
    arguments.add_output(parser)
    options = parser.parse_args()

    limits = {"budget": options.budget, "time_limit": options.time_limit}
    plan = {group: list(GROUPS[group][1](options.data_set)) for group in options.group}
    if options.gosdt_everywhere and "optimal" in plan:
        plan["optimal"] = list(optimal(options.data_set, gosdt_everywhere=True))
    asked = [comparison for group in plan.values() for comparison in group]
    absent = environments.absent(method for each in asked for method in each.methods)
    facts = data.describe(dict.fromkeys(comparison.source for comparison in asked))
    facts |= report.not_run(absent)
    tables: list[Table] = []
    with resumable.Run("peers", len(asked), options, limits) as run:
        for group, comparisons in plan.items():
            rows: list[dict[str, Any]] = []
            heading = GROUPS[group][0]
            tables.append(Table(heading, COLUMNS, rows))
            for comparison in comparisons:
                present = [method for method in comparison.methods if method not in absent]
                measure = partial(compare, comparison, present, **limits)
                rows += run.rows(f"{heading}: {comparison}", measure, methods=present)
                text = report.save(options.out, "peers", facts, tables)
    print(text)


if __name__ == "__main__":
    main()
