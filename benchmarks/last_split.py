"""Shows what `exact_last_split` does to training objectives and to errors on new rows.

    python benchmarks/last_split.py --out benchmarks/results

The tables and splits are those of heldout.py, the loss is 0-1. Nothing is timed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import Any

from lib import arguments, heldout_data, report, resumable
from lib.heldout_worker import frame_of
from lib.report import Table, columns

REGULARIZATIONS = (0.001, 0.005, 0.01)
DEPTHS = (4, 5)
CLASSES = {
    "GreedyTree": "GreedyTreeClassifier",
    "LicketySPLIT": "LicketySPLITClassifier",
    "SPLIT": "SPLITClassifier",
}
DEPENDS_ON = ("benchmarks/lib/heldout_data.py", "benchmarks/last_split.py", "src", "core")

SUMMARY_COLUMNS = columns(
    "method | depth | lambda = regularization",
    "objective = objective .4f | exact = exact_objective .4f",
    "lower | higher | held-out loss = error .4f | exact = exact_error .4f",
    "better | worse | leaves = leaves .1f | exact = exact_leaves .1f",
)


def measure(name: str, seeds: int) -> Iterator[dict[str, Any]]:
    """Fit every method with and without on all splits of a table; it is binarized once a split."""
    import splitsecond

    table = heldout_data.load(name)
    X = frame_of(table)
    for seed in range(seeds):
        train, test = heldout_data.split(table.y, seed)
        binarizer = splitsecond.ThresholdGuessBinarizer(n_jobs=1).fit(X.iloc[train], table.y[train])
        inside, outside = (binarizer.transform(X.iloc[rows]) for rows in (train, test))
        for method, class_name in CLASSES.items():
            for depth in DEPTHS:
                for penalty in REGULARIZATIONS:
                    row = {"data": name, "seed": seed, "method": method}
                    row |= {"depth": depth, "regularization": penalty}
                    for exact, prefix in ((False, ""), (True, "exact_")):
                        model = getattr(splitsecond, class_name)(
                            regularization=penalty,
                            max_depth=depth,
                            exact_last_split=exact,
                            n_jobs=1,
                            binarizer=None,
                        ).fit(inside, table.y[train])
                        row[f"{prefix}objective"] = model.objective_
                        row[f"{prefix}error"] = 1 - model.score(outside, table.y[test])
                        row[f"{prefix}leaves"] = model.n_leaves_
                    yield row


def summarize(rows: Sequence[report.Row], *keys: str) -> list[dict[str, Any]]:
    """Average rows that agree in some keys, and count where the exact last split is better.

    Wins are counted by the mean over seeds of a table; equal means are no win.
    """
    groups: dict[tuple[Any, ...], list[report.Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    found = []
    for group, members in groups.items():
        summary = {"depth": "all", "regularization": "all"}
        summary |= dict(zip(keys, group, strict=True))
        for key in ("objective", "error", "leaves"):
            for name in (key, f"exact_{key}"):
                summary[name] = fmean(row[name] for row in members)
        for key, fewer, more in (("objective", "lower", "higher"), ("error", "better", "worse")):
            gains = _gains(members, key)
            summary[fewer] = sum(gain > 1e-12 for gain in gains)
            summary[more] = sum(gain < -1e-12 for gain in gains)
        found.append(summary)
    return found


def _gains(rows: Sequence[report.Row], key: str) -> list[float]:
    """Return by how much the exact last split is lower, for each table and problem."""
    cells: dict[tuple[Any, ...], list[float]] = {}
    for row in rows:
        cell = row["data"], row["depth"], row["regularization"]
        cells.setdefault(cell, []).append(row[key] - row[f"exact_{key}"])
    return [fmean(cell) for cell in cells.values()]


def main() -> None:
    parser = arguments.parser(__doc__)
    arguments.add_choice(parser, "--data-set", heldout_data.ORIGINS)
    parser.add_argument("--seeds", type=int, default=5)
    arguments.add_output(parser)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    facts = {name: heldout_data.load(name).describe() for name in options.data_set}
    rows: list[dict[str, Any]] = []
    asked = {"seeds": options.seeds}
    with resumable.Run("last_split", len(options.data_set), options, asked) as run:
        for name in options.data_set:
            rows += run.rows(name, partial(measure, name, options.seeds), depends_on=DEPENDS_ON)
            tables = [
                Table("All problems", SUMMARY_COLUMNS, summarize(rows, "method")),
                Table(
                    "By depth and lambda",
                    SUMMARY_COLUMNS,
                    summarize(rows, "method", "depth", "regularization"),
                ),
            ]
            text = report.save(options.out, "last_split", facts, tables)
            report.save_rows(options.out / "last_split_fits.csv", rows)
    print(text)


if __name__ == "__main__":
    main()
