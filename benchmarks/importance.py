"""The paper's table of RID with and without RESPLIT, its precision, and predictive multiplicity.

    python benchmarks/importance.py --out benchmarks/results

Raw frames are binarized by threshold guessing to the paper's number of columns; lambda .02,
epsilon .01, depth 5, lookahead 3, 10 bootstraps. Times are of RashomonImportance.fit on the 0/1
columns (the paper's are of finding the sets alone, on another machine); the correlation is of the
variables' mean reliance with RESPLIT's sets and with all trees. Precision is the share of RESPLIT's
trees (on all rows) that are in the exact set, recall the share of the exact set that it finds.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import data
import numpy as np
import report
from report import Table, column


@dataclass(frozen=True)
class Printed:
    """What the paper says of a data set."""

    columns: int  # less the label
    full: float  # seconds
    resplit: float
    correlation: float
    precision: float
    variance: str  # mean over rows of the variance of predictions, all trees and RESPLIT
    variance_resplit: str


PAPER = {
    "compas": Printed(38, 152, 18, 1.0, 1.0, "0.2389 ± 0.0138", "0.2407 ± 0.0149"),
    "spambase": Printed(77, 2659, 154, 0.930, 0.597, "0.2359 ± 0.0055", "0.2284 ± 0.0037"),
    "netherlands": Printed(51, 4255, 216, 0.932, 0.911, "0.2017 ± 0.0190", "0.2187 ± 0.0122"),
    "heloc": Printed(46, 5564, 337, 0.979, 0.974, "0.2419 ± 0.0081", "0.2419 ± 0.0081"),
    "bike": Printed(98, 14330, 194, 0.999, 0.974, "0.2464 ± 0.0023", "0.2458 ± 0.0024"),
}
SETTINGS: dict[str, Any] = {"regularization": 0.02, "epsilon": 0.01, "max_depth": 5}
LISTED = 200_000  # trees of a set that are listed to find those in both


def measure(name: str, bootstraps: int, threads: int) -> dict[str, Any]:
    from splitsecond import (
        RESPLIT,
        FixedBinarizer,
        RashomonImportance,
        ThresholdGuessBinarizer,
        TreeFARMS,
    )

    printed = PAPER[name]
    X, y = data.load_raw(name)
    guess = ThresholdGuessBinarizer(max_features=printed.columns, n_jobs=threads).fit(X, y)
    fixed = FixedBinarizer([(lit.name, lit.operator, lit.value) for lit in guess.literals_])
    row: dict[str, Any] = {"data": name, "columns": len(guess.literals_)}
    means, sets = {}, {}
    for key, estimator in (
        ("resplit", RESPLIT(**SETTINGS, lookahead_depth=3, binarizer=fixed)),
        ("full", TreeFARMS(**SETTINGS, binarizer=fixed)),
    ):
        rid = RashomonImportance(estimator, n_bootstraps=bootstraps, random_state=0, n_jobs=threads)
        start = time.perf_counter()
        rid.fit(X, y)
        row[f"{key}_seconds"] = time.perf_counter() - start
        row[f"{key}_trees"] = int(np.median(rid.n_trees_))
        means[key] = rid.mean_
        sets[key] = estimator.fit(X, y).trees_
        summary = sets[key].multiplicity(X)
        row[f"{key}_variance"] = f"{summary.mean():.4f} ± {summary.std():.4f}"
    row["correlation"] = float(np.corrcoef(means["resplit"], means["full"])[0, 1])
    row |= overlap(sets["resplit"], sets["full"])
    row |= {
        "paper_resplit": printed.resplit,
        "paper_full": printed.full,
        "paper_correlation": printed.correlation,
        "paper_precision": printed.precision,
        "paper_variance": printed.variance,
        "paper_variance_resplit": printed.variance_resplit,
        "speedup_resplit": printed.resplit / row["resplit_seconds"],
        "speedup_full": printed.full / row["full_seconds"],
    }
    return row


def overlap(resplit: Any, full: Any) -> dict[str, Any]:
    """Return precision and recall of RESPLIT's set against the exact one."""
    out: dict[str, Any] = {"resplit_set": resplit.n_trees, "full_set": full.n_trees}
    if max(resplit.n_trees, full.n_trees) > LISTED:
        return {**out, "precision": None, "recall": None}

    def shape(tree: Any) -> tuple[Any, ...]:
        return tuple(tree.feature.tolist()), tuple(tree.left.tolist()), tuple(tree.prediction)

    found, exact = {shape(tree) for tree in resplit}, {shape(tree) for tree in full}
    both = len(found & exact)
    return {**out, "precision": both / len(found), "recall": both / len(exact)}


def tables(rows: list[dict[str, Any]]) -> list[Table]:
    number = "{:.3f}".format
    return [
        Table(
            "RID, 10 bootstraps",
            [
                column("data set", "data"),
                column("0/1 columns", "columns"),
                column("RESPLIT", "resplit_seconds", report.seconds),
                column("paper", "paper_resplit", report.seconds),
                column("paper / ours", "speedup_resplit", report.ratio),
                column("all trees", "full_seconds", report.seconds),
                column("paper", "paper_full", report.seconds),
                column("paper / ours", "speedup_full", report.ratio),
                column("correlation", "correlation", number),
                column("paper", "paper_correlation", number),
                column("trees, RESPLIT", "resplit_trees"),
                column("trees, all", "full_trees"),
            ],
            rows,
        ),
        Table(
            "RESPLIT's set against the exact one, all rows",
            [
                column("data set", "data"),
                column("trees, RESPLIT", "resplit_set"),
                column("trees, all", "full_set"),
                column("precision", "precision", number),
                column("paper", "paper_precision", number),
                column("recall", "recall", number),
            ],
            rows,
        ),
        Table(
            "Predictive multiplicity: variance of the predictions, mean and spread over rows",
            [
                column("data set", "data"),
                column("all trees", "full_variance"),
                column("paper", "paper_variance"),
                column("RESPLIT", "resplit_variance"),
                column("paper", "paper_variance_resplit"),
            ],
            rows,
        ),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", default=list(PAPER), choices=PAPER)
    parser.add_argument("--bootstraps", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("build/benchmarks"))
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    rows: list[dict[str, Any]] = []
    text = ""
    for name in chosen.data:
        rows.append(measure(name, chosen.bootstraps, chosen.threads))
        facts = {"threads": str(chosen.threads), "bootstraps": str(chosen.bootstraps)}
        text = report.save(chosen.out, "importance", facts, tables(rows))
    print(text)


if __name__ == "__main__":
    main()
