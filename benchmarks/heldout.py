"""Compares predictions on new rows: our trees by each loss, CART, FIGS, EBM, boosting, regression.

    python benchmarks/heldout.py --out benchmarks/results

Every table is split 75/25 with each seed. All settings are chosen by cross-validation on the
training rows, by the same score for every method; binarizing, one-hot columns and filled gaps are
learnt inside. Our trees are chosen twice: freely, and among those of about CART's size.
README.md in this folder says what is tried and how to read the tables.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from lib import (
    arguments,
    cart_predictors,
    environments,
    heldout_data,
    other_predictors,
    own_predictors,
    report,
    resumable,
)
from lib.heldout_worker import PREDICTORS, SCORES
from lib.report import Table, columns
from lib.timing import worker_environment

METHODS = tuple(PREDICTORS)
# Ours as it is meant to be used for probabilities: the loss is a setting like others.
CHOSEN = "splitsecond, loss by CV"
LOSSES = ("splitsecond log_loss", "splitsecond brier")
REFERENCE = "CART"
# A second choice of ours is held to so many times CART's leaves of that split. It seldom needs all,
# and so has fewer on average.
SIZE = 1.2
CAPPED = ", CART's size"  # ends the name of a method
FOLDS = 5
# One split of few rows says little: methods that are close are compared on more. Seeds 5 to 24
# were used to decide how settings are chosen, and are not reported.
FEW_ROWS, MORE_SEEDS = 2_000, range(25, 40)
MAX_SEEDS = {  # of methods that take long, or are not close
    "splitsecond zero_one": 3,
    "imodels FIGS": 3,
    "HistGradientBoosting": 3,
    "interpret EBM": 3,
}
MEASURES = ("accuracy", "auc", "log_loss", "brier", "leaves", "fit_seconds", "choosing_seconds")
LOWER_IS_BETTER = {"log_loss", "brier", "leaves"}
# What the result of every method depends on, beside its package and the lines below.
PROTOCOL = ("heldout_data", "heldout_worker", "predictors")
DEPENDS_ON = (
    (own_predictors.PREDICTORS, ("choosing", "cart_predictors", "own_predictors"), ("src", "core")),
    (cart_predictors.PREDICTORS, ("choosing", "cart_predictors"), ()),
    (("interpret EBM",), ("other_predictors",), ()),  # has nothing to choose
    (other_predictors.PREDICTORS, ("choosing", "other_predictors"), ()),
)

ALL_COLUMNS = columns(
    "data set = data | method | seeds | accuracy = accuracy .3f | AUC = auc .3f",
    "log-loss = log_loss .3f | Brier = brier .4f | leaves = leaves .1f",
    "fit = fit_seconds s | choosing = choosing_seconds s | status",
)
MEAN_COLUMNS = columns(
    "method | data sets = tables | accuracy = accuracy .3f | AUC = auc .3f",
    "log-loss = log_loss .3f | Brier = brier .4f | leaves = leaves .1f",
    "fit = fit_seconds s | choosing = choosing_seconds s",
)
AGAINST_COLUMNS = columns(
    "method | measure | better | worse | mean difference = mean +.4f",
    "largest loss = worst +.4f | on = worst_on",
)


def measure(
    name: str,
    method: str,
    *,
    seeds: Sequence[int],
    max_leaves: Sequence[float | None],
    scoring: str,
    time_limit: float,
) -> list[dict[str, Any]]:
    """Fit and judge one method on all splits of one table, in a process of its own.

    `max_leaves` has a number for each seed, or none where no choice of that size is wanted.
    """
    request = {"method": method, "seeds": seeds, "max_leaves": max_leaves}
    request |= {"scoring": scoring, "folds": FOLDS}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        heldout_data.load(name).save(folder / "table.npz")
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        python = environments.python_of(environments.package_of(method))
        try:
            done = subprocess.run(
                [python, "-m", "lib.heldout_worker", place],
                env=worker_environment(),
                cwd=place,
                capture_output=True,
                text=True,
                timeout=time_limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return [_without_result(name, method, f"over {time_limit:.0f} s")]
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            return [_without_result(name, method, reason)]
        rows = json.loads((folder / "rows.json").read_text(encoding="utf-8"))
    return [
        {"data": name, "method": method + (CAPPED if row.pop("capped") else ""), **row}
        | {"status": "complete"}
        for row in rows
    ]


def _without_result(name: str, method: str, status: str) -> dict[str, Any]:
    return {"data": name, "method": method, "status": status, **dict.fromkeys(("seed", *MEASURES))}


def choose_loss(rows: Iterable[report.Row]) -> list[report.Row]:
    """Return, for each table and seed, the row of the loss that cross-validation prefers."""
    best: dict[tuple[str, str, int], report.Row] = {}
    spent: dict[tuple[str, str, int], float] = {}
    for row in rows:
        method = row["method"].removesuffix(CAPPED)
        if method not in LOSSES or row["auc"] is None:
            continue
        key = CHOSEN + row["method"].removeprefix(method), row["data"], row["seed"]
        spent[key] = spent.get(key, 0.0) + row["choosing_seconds"]
        if key not in best or row["cv_score"] > best[key]["cv_score"]:
            best[key] = row
    return [{**row, "method": key[0], "choosing_seconds": spent[key]} for key, row in best.items()]


def mean_row(rows: Sequence[report.Row]) -> dict[str, Any]:
    """Average the measures of rows; one that some of them lack is missing."""
    found: dict[str, Any] = {}
    for key in MEASURES:
        values = [row[key] for row in rows]
        found[key] = None if None in values else fmean(values)
    return found


def by_table(rows: Sequence[report.Row]) -> list[dict[str, Any]]:
    """Average over seeds, for each table and method."""
    groups: dict[tuple[str, str], list[report.Row]] = {}
    for row in rows:
        groups.setdefault((row["data"], row["method"]), []).append(row)
    return [
        {"data": data, "method": method, "status": group[0]["status"], **mean_row(group)}
        | {"seeds": sum(row["auc"] is not None for row in group)}
        for (data, method), group in groups.items()
    ]


def over_tables(averages: Sequence[report.Row]) -> list[dict[str, Any]]:
    """Average over tables, for each method; methods without a result everywhere say of how many."""
    groups: dict[str, list[report.Row]] = {}
    for row in averages:
        if row["auc"] is not None:
            groups.setdefault(row["method"], []).append(row)
    return [
        {"method": method, "tables": len(group), **mean_row(group)}
        for method, group in groups.items()
    ]


def against(rows: Sequence[report.Row], reference: str = REFERENCE) -> list[dict[str, Any]]:
    """Compare each method with a reference table by table; differences are better if positive.

    Only splits that both have count.
    """
    base = {(row["data"], row["seed"]): row for row in rows if row["method"] == reference}
    found = []
    for method in dict.fromkeys(row["method"] for row in rows if row["method"] != reference):
        pairs = [
            (row, base[row["data"], row["seed"]])
            for row in rows
            if row["method"] == method and (row["data"], row["seed"]) in base
        ]
        for key in ("auc", "accuracy", "log_loss", "brier", "leaves"):
            gains = _gains(pairs, key)
            if not gains:
                continue
            worst = min(gains, key=lambda data: gains[data])
            found.append(
                {
                    "method": method,
                    "measure": key.replace("_", "-"),
                    "better": sum(gain > 0 for gain in gains.values()),
                    "worse": sum(gain < 0 for gain in gains.values()),
                    "mean": fmean(gains.values()),
                    "worst": gains[worst],
                    "worst_on": worst,
                }
            )
    return found


def _gains(pairs: Sequence[tuple[report.Row, report.Row]], key: str) -> dict[str, float]:
    """Return, for each table, by how much the first of two rows is better on average."""
    sign = -1 if key in LOWER_IS_BETTER else 1
    gains: dict[str, list[float]] = {}
    for row, other in pairs:
        if row[key] is not None and other[key] is not None:
            gains.setdefault(row["data"], []).append(sign * (row[key] - other[key]))
    return {data: fmean(each) for data, each in gains.items()}


def shown_methods() -> list[str]:
    """List the methods as they are shown: ours of CART's size first, then each as it is."""
    both = [name for each in (CHOSEN, *LOSSES) for name in (each + CAPPED, each)]
    return [*both[:2], METHODS[0], *both[2:], *(name for name in METHODS[1:] if name not in both)]


def tables_of(rows: Sequence[report.Row]) -> list[Table]:
    """Make the tables: means over tables, ours and the others against CART, means over seeds."""
    order = {name: number for number, name in enumerate(shown_methods())}
    rows = sorted([*rows, *choose_loss(rows)], key=lambda row: order[row["method"]])
    averages = by_table(rows)
    tables = list(dict.fromkeys(row["data"] for row in averages))
    averages.sort(key=lambda row: tables.index(row["data"]))
    means = sorted(over_tables(averages), key=lambda row: order[row["method"]])
    return [
        Table("Mean over data sets", MEAN_COLUMNS, means),
        Table(f"Against {REFERENCE}, data set by data set", AGAINST_COLUMNS, against(rows)),
        Table("Mean over seeds", ALL_COLUMNS, averages),
    ]


def seeds_of(method: str, name: str, count: int) -> list[int]:
    """Return the seeds that a table is split with."""
    few = len(heldout_data.load(name).y) < FEW_ROWS
    return [*range(count), *(MORE_SEEDS if few else ())][: MAX_SEEDS.get(method)]


def limits_of(method: str, seeds: Sequence[int], rows: Sequence[report.Row]) -> list[int | None]:
    """Return how many leaves a tree may have on each split, for methods held to CART's size."""
    found = {row["seed"]: int(SIZE * row["leaves"]) for row in rows if row["method"] == REFERENCE}
    return [found.get(seed) if method in LOSSES else None for seed in seeds]


def depends_on(method: str) -> tuple[str, ...]:
    """Return the files and folders that the result of a method depends on."""
    files, folders = next((more, far) for group, more, far in DEPENDS_ON if method in group)
    return (*(f"benchmarks/lib/{name}.py" for name in (*PROTOCOL, *files)), *folders)


def main() -> None:
    parser = arguments.parser(__doc__)
    arguments.add_choice(parser, "--data-set", heldout_data.ORIGINS)
    arguments.add_choice(parser, "--method", METHODS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument(
        "--scoring", choices=SCORES, default="roc_auc", help="what settings are chosen by"
    )
    parser.add_argument(
        "--time-limit", type=float, default=3600.0, help="seconds for a method on a table"
    )
    arguments.add_output(parser)
    options = parser.parse_args()

    absent = environments.absent(options.method)
    present = [method for method in options.method if method not in absent]
    present.sort(key=lambda method: method != REFERENCE)  # others are held to its size
    asked = {"scoring": options.scoring, "time_limit": options.time_limit}
    facts = {name: heldout_data.load(name).describe() for name in options.data_set}
    facts |= report.not_run(absent)
    facts["times"] = "indicative only: methods do not take turns, and the machine had other work"
    rows: list[dict[str, Any]] = []
    with resumable.Run("heldout", len(present) * len(options.data_set), options, asked) as run:
        for method in present:
            for name in options.data_set:
                seeds = seeds_of(method, name, options.seeds)
                of_table = [row for row in rows if row["data"] == name]
                own = {"seeds": seeds, "max_leaves": limits_of(method, seeds, of_table)}
                rows += run.rows(
                    f"{method}: {name}",
                    partial(measure, name, method, **own, **asked),
                    depends_on=depends_on(method),
                    **own,
                )
                text = report.save(options.out, "heldout", facts, tables_of(rows))
                report.save_rows(options.out / "heldout_splits.csv", rows)
    print(text)


if __name__ == "__main__":
    main()
