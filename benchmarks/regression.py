"""Compares regression trees: speed and objective against other packages, and held-out R^2.

    python benchmarks/regression.py --out benchmarks/results

Packages get the same 0/1 matrix, take turns on one thread, and are judged by the same objective.
Held-out predictions are of raw tables, split 75/25 with each seed. README.md in this folder says
how.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from functools import partial
from statistics import fmean
from typing import Any

import summary
from lib import arguments, data, environments, regression_predictors, report, resumable
from lib.regression_data import ORIGINS, Regression, load_table
from lib.report import TIMES, Column, Table, columns
from lib.timing import Task, interleave, over, write_ratio
from lib.tree_packages import Problem

TIMED = tuple(
    Regression(name, 50) for name in ("diabetes", "bike", "diamonds", "computers", "hedonic")
)
LICKETY = ("splitsecond LicketySPLIT, numbers", "licketysplit, numbers", "CART, numbers")
OPTIMAL = ("splitsecond optimal, numbers", "pystreed, numbers", "osrt, numbers")
REGULARIZATIONS = (0.001, 0.01)
LICKETY_DEPTHS, OPTIMAL_DEPTHS = (4, 5), (3, 4)
SEEDS = range(3)
SILENCE = 5.0  # seconds beyond its time limit before a fit that does not stop is killed

COLUMNS = columns(
    "data set = data | depth | lambda = regularization | method",
    *TIMES,
    Column("time / ours", write_ratio),
    "objective = objective .5f | leaves | status",
)
VERDICT_COLUMNS = columns(
    "against | depth | cells | lower = lower | equal | higher",
    "mean ratio of objectives = objectives .5f",
    "mean difference of objectives = difference +.6f",
    "least ratio of times = least x | median = median x",
)
HELDOUT_COLUMNS = columns(
    "data set = data | method | R^2 = r2 .3f | leaves = leaves .1f | seconds = seconds s"
)
MEAN_COLUMNS = columns("method | data sets = tables | R^2 = r2 .3f | leaves = leaves .1f")
EQUAL = 1e-9  # objectives closer than this are the same


def compare(
    source: Regression, problem: Problem, methods: Sequence[str], budget: float
) -> list[dict[str, Any]]:
    """Let methods take turns, and return a row for each."""
    patience = problem.time_limit + SILENCE
    tasks = [Task(method, source, problem, patience=patience) for method in methods]
    measurements = interleave(tasks, budget=budget, min_fits=1)
    first = measurements[0].median if measurements[0].finished else None
    return [{**each.to_row(), "time_over_ours": over(each.median, first)} for each in measurements]


def verdicts(rows: Sequence[report.Row]) -> list[dict[str, Any]]:
    """Compare ours with each other method, by depth."""
    cells: dict[tuple[Any, ...], dict[str, report.Row]] = {}
    for row in rows:
        cells.setdefault((row["data"], row["depth"], row["regularization"]), {})[row["method"]] = (
            row
        )
    found = []
    names = dict.fromkeys((row["method"], row["depth"]) for row in rows)
    for method, depth in names:
        own = next(name for name in (LICKETY[0], OPTIMAL[0]) if method in _group_of(name))
        if method == own:
            continue
        pairs = [
            (cell[own], cell[method])
            for key, cell in cells.items()
            if key[1] == depth and _has_result(cell.get(own)) and _has_result(cell.get(method))
        ]
        if not pairs:
            continue
        gains = [their["objective"] - our["objective"] for our, their in pairs]
        ratios = sorted(their["median"] / our["median"] for our, their in pairs)
        found.append(
            {
                "against": method.removesuffix(", numbers"),
                "depth": depth,
                "cells": len(pairs),
                "lower": sum(gain > EQUAL for gain in gains),
                "equal": sum(abs(gain) <= EQUAL for gain in gains),
                "higher": sum(gain < -EQUAL for gain in gains),
                "objectives": fmean(our["objective"] / their["objective"] for our, their in pairs),
                "difference": -fmean(gains),
                "least": ratios[0],
                "median": ratios[len(ratios) // 2],
            }
        )
    return found


def _group_of(own: str) -> tuple[str, ...]:
    return LICKETY if own == LICKETY[0] else OPTIMAL


def _has_result(row: report.Row | None) -> bool:
    return row is not None and row.get("objective") is not None and row.get("median") is not None


def predict(name: str, seeds: Sequence[int]) -> list[dict[str, Any]]:
    """Fit every method on each split of a table, and return its R^2 on the other rows."""
    from sklearn.model_selection import train_test_split

    X, y = load_table(name)
    rows: list[dict[str, Any]] = []
    for seed in seeds:
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=seed)
        sizes: dict[str, int | None] = {}
        for method, fit in regression_predictors.PREDICTORS.items():
            rows.append(_predicted(name, method, seed, fit, X_train, y_train, X_test, y_test))
            sizes[method] = rows[-1]["leaves"]
        own = next(iter(sizes.values()))
        assert own is not None
        small = partial(regression_predictors.small_cart, max_leaves=own)
        rows.append(
            _predicted(name, "CART, our size", seed, small, X_train, y_train, X_test, y_test)
        )
    return rows


def _predicted(
    name: str, method: str, seed: int, fit: Any, X: Any, y: Any, X_test: Any, y_test: Any
) -> dict[str, Any]:
    from sklearn.metrics import r2_score

    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, leaves = fit(X, y)
    seconds = time.perf_counter() - start
    score = float(r2_score(y_test, model.predict(X_test)))
    return {"data": name, "method": method, "seed": seed, "r2": score} | {
        "leaves": leaves,
        "seconds": seconds,
    }


def averages(rows: Sequence[report.Row], *keys: str) -> list[dict[str, Any]]:
    """Average over what is not among the keys."""
    groups: dict[tuple[Any, ...], list[report.Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    found = []
    for values, group in groups.items():
        leaves = [row["leaves"] for row in group]
        found.append(
            dict(zip(keys, values, strict=True))
            | {
                "r2": fmean(row["r2"] for row in group),
                "leaves": None if None in leaves else fmean(leaves),
                "seconds": fmean(row["seconds"] for row in group),
                "tables": len({row["data"] for row in group}),
            }
        )
    return found


def main() -> None:
    parser = arguments.parser(__doc__)
    arguments.add_choice(parser, "--part", ("speed", "heldout"))
    arguments.add_choice(parser, "--table", ORIGINS)
    arguments.add_limits(parser, budget=2.0, time_limit=8.0)
    arguments.add_output(parser)
    options = parser.parse_args()

    sources = [source for source in TIMED if source.name in options.table]
    cells = [
        (source, Problem(depth, penalty, options.time_limit), methods)
        for methods, depths in ((LICKETY, LICKETY_DEPTHS), (OPTIMAL, OPTIMAL_DEPTHS))
        for source in sources
        for depth in depths
        for penalty in REGULARIZATIONS
    ]
    cells = cells if "speed" in options.part else []
    tables = options.table if "heldout" in options.part else []
    absent = environments.absent({*LICKETY, *OPTIMAL})
    facts = data.describe(sources) | report.not_run(absent)
    timed: list[dict[str, Any]] = []
    predicted: list[dict[str, Any]] = []
    limits = {"budget": options.budget, "time_limit": options.time_limit}
    with resumable.Run("regression", len(cells) + len(tables), options, limits) as run:
        for source, problem, methods in cells:
            there = [method for method in methods if method not in absent]
            what = f"{source}, depth {problem.depth}, lambda {problem.regularization}: {there[0]}"
            work = partial(compare, source, problem, there, options.budget)
            timed += run.rows(what, work, methods=there)
        for name in tables:
            work = partial(predict, name, list(SEEDS))
            predicted += run.rows(f"held out: {name}", work, methods=list(LICKETY[:1]))
    if timed:
        shown = [
            Table(summary.REGRESSION_PAIRS, VERDICT_COLUMNS, verdicts(timed)),
            Table("Times and objectives", COLUMNS, timed),
        ]
        print(report.save(options.out, "regression", facts, shown))
    if predicted:
        shown = [
            Table(summary.REGRESSION_MEANS, MEAN_COLUMNS, averages(predicted, "method")),
            Table("By table", HELDOUT_COLUMNS, averages(predicted, "data", "method")),
        ]
        print(report.save(options.out, "regression_heldout", {}, shown))


if __name__ == "__main__":
    main()
