"""The paper's tables of single trees: by lambda, by number of leaves, against CART, not sparse."""

from __future__ import annotations

from typing import Any

import printed
import sweep
from jobs import Job, Settings
from lib import data
from lib.report import Column, Table, columns
from pieces import (
    TIMES,
    Piece,
    Rows,
    Shown,
    against,
    mean,
    ours,
    paper_interval,
    pick,
    stopped,
    tell,
    times,
    values,
)

from splitsecond import datasets

ALL = tuple(data.PAPER_SETS)
WHY = {
    "adult": "adult: with our thresholds the optimum itself is lower than the paper's, so the "
    "difference is in the columns or in the rows, not in the search. The paper says that it leaves "
    "rows with missing values out and resamples classes, but counts all 32,561 rows.",
    "netherlands": "netherlands: 11,000 of the paper's 20,000 rows are public in raw form.",
    "covertype": "covertype, lambda .001: thresholds differ. Ours come from boosting on 100,000 "
    "sampled rows and are the 40 of highest gain; the optimum over them is lower as well. At .006 "
    "and .011 the tree is one split on Elevation, and splits of the rows vary by more than the "
    "paper's ± .0001.",
    "bike": "bike, lambda .001: the optimum over our 98 columns is lower than over the paper's.",
    "heloc": "heloc: optimal trees have the same objective as ours there, so what differs is the "
    "split of the rows or the thresholds.",
    "spambase": "spambase: a test part has 921 rows, so that a loss of .001 is one row; the paper "
    "has one row less in all (4,600).",
}
LOSS_WHY = {
    "netherlands": WHY["netherlands"],
    "spambase": WHY["spambase"],
    "covertype": "covertype: other thresholds, see tab_lambda; the paper's trees of 7 to 10 leaves "
    "are hardly better than its trees of 3 to 6.",
    "hypothyroid": "hypothyroid: a test part has 529 rows, so that a loss of .002 is one row.",
}
COMPARED = columns(ours(), paper_interval(), "verdict")
SIZES = "Each split's best test loss among its trees of that size counts, as in the paper."


def _depth_5(settings: Settings) -> list[Job]:
    return sweep.jobs(settings, ALL, 5)


def show_lambda(fits: Rows) -> Shown:
    rows = []
    for penalty, by_set in printed.OBJECTIVES.items():
        for name, by_algorithm in by_set.items():
            for algorithm, ((middle, width), (time, _)) in by_algorithm.items():
                of = pick(fits, data=name, algorithm=algorithm, **{"lambda": penalty})
                if of:
                    rows.append(
                        {
                            "lambda": penalty,
                            "data": name,
                            "columns": of[0]["columns"],
                            "algorithm": algorithm,
                            **against(values(of, "objective"), middle - width, middle + width),
                            **times(values(of, "seconds"), time),
                            "stopped": stopped(of),
                        }
                    )
    shown = columns(
        "lambda | data set = data | columns | algorithm",
        ours(),
        Column("paper", _mean_and_width),
        "verdict",
        *TIMES,
        "stopped",
    )
    notes = [
        "Training objective, that is error + lambda x leaves, and time of the fit on "
        "yes/no columns.",
        "GOSDT is our OptimalTreeClassifier, Greedy our GreedyTreeClassifier (pruned by lambda; "
        "the paper's is CART, which knows no lambda: a likely reason for ours being lower).",
        *tell([row for row in rows if row["algorithm"] != "Greedy"], WHY),
    ]
    return Shown([Table("Training objective by lambda", shown, rows)], notes)


def _mean_and_width(row: Any) -> str:
    middle = (row["paper_low"] + row["paper_high"]) / 2
    return f"{middle:.4f} ± {row['paper_high'] - middle:.4f}"


def _best_of_size(fits: Rows, low: int, high: int) -> Rows:
    """Return each split's fit of minimum test loss among those of a size."""
    best: dict[int, dict[str, Any]] = {}
    for fit in fits:
        cheap = fit["lambda"] is not None and fit["lambda"] < 0.001
        if low <= fit["leaves"] <= high and (low == 15 or not cheap):
            before = best.get(fit["split"])
            if before is None or fit["test_loss"] < before["test_loss"]:
                best[fit["split"]] = fit
    return list(best.values())


def _leaf_rows(fits: Rows, sizes: dict[Any, Any], *, timed: bool) -> Rows:
    rows = []
    for (low, high), by_set in sizes.items():
        for name, by_algorithm in by_set.items():
            for algorithm, cell in by_algorithm.items():
                time, loss = cell if timed else (None, cell)
                of = _best_of_size(pick(fits, data=name, algorithm=algorithm), low, high)
                if not of:
                    continue
                row = {
                    "leaves": f"{low}-{high}",
                    "data": name,
                    "algorithm": algorithm,
                    "splits": len(of),
                    "mean_leaves": mean(of, "leaves"),
                    **against(values(of, "test_loss"), *loss),
                }
                if timed:
                    binarize = 0 if algorithm == "CART" else 1
                    row |= times(
                        [fit["seconds"] + binarize * fit["binarize_seconds"] for fit in of],
                        sum(time) / 2,
                    )
                rows.append(row)
    return rows


LEAF_COLUMNS = columns(
    "leaves | data set = data | algorithm | splits | mean leaves = mean_leaves .1f", *COMPARED
)


def show_leaves(fits: Rows) -> Shown:
    rows = _leaf_rows(fits, printed.LEAVES, timed=True)
    trees = [row for row in rows if row["algorithm"] != "CART"]
    notes = [
        "Test loss; times include binarization, CART's do not need any.",
        SIZES,
        *tell(trees, LOSS_WHY),
        *_beaten(rows, ("LicketySPLIT", "SPLIT"), "CART"),
    ]
    return Shown([Table("Test loss by number of leaves", [*LEAF_COLUMNS, *TIMES], rows)], notes)


def show_cart(fits: Rows) -> Shown:
    rows = _leaf_rows(fits, printed.CART, timed=False)
    notes = [
        "CART on raw columns (the paper's 'cont features') and on our yes/no columns.",
        SIZES,
        *tell(rows, {}),
        "`min_samples_leaf` has 24 values here, from 0.05 % to 30 % of the rows; the paper "
        "does not "
        "print its own, so that differences may come from the grid.",
    ]
    return Shown([Table("CART, test loss by number of leaves", LEAF_COLUMNS, rows)], notes)


def _beaten(rows: Rows, mine: tuple[str, ...], other: str) -> list[str]:
    """Name the cells where another method has the lower mean."""
    lost = []
    for row in pick(rows, algorithm=other):
        same = [r for r in rows if (r["leaves"], r["data"]) == (row["leaves"], row["data"])]
        best = min((r["mean"] for r in same if r["algorithm"] in mine), default=None)
        if best is not None and row["mean"] < best:
            lost.append(f"{row['data']} with {row['leaves']} leaves")
    if not lost:
        return [f"{other} has the lower mean in no cell."]
    return [f"{other} has the lower mean test loss on {', '.join(lost)}."]


def show_non_sparse(fits: Rows) -> Shown:
    rows = []
    for name, (leaves, time, loss) in printed.CHEAP.items():
        for algorithm in ("LicketySPLIT", "SPLIT"):
            of = pick(fits, data=name, algorithm=algorithm, **{"lambda": 1e-5})
            if of:
                rows.append(
                    {
                        "data": name,
                        "algorithm": algorithm,
                        "mean_leaves": mean(of, "leaves"),
                        "paper_leaves": f"[{leaves[0]:.1f}, {leaves[1]:.1f}]",
                        **against(values(of, "test_loss"), *loss),
                        **times(
                            [fit["seconds"] + fit["binarize_seconds"] for fit in of], sum(time) / 2
                        ),
                    }
                )
    shown = columns(
        "data set = data | algorithm | leaves = mean_leaves .1f | paper = paper_leaves",
        *COMPARED,
        *TIMES,
    )
    notes = [
        "lambda = 1e-5: test loss, leaves and time, binarization included. The paper's figures are "
        "those of LicketySPLIT.",
        "At that penalty a split that saves a single row is worth having (up to 100,000 rows), "
        "so that "
        "trees grow towards the 32 leaves that depth 5 allows. Why the paper's are smaller "
        "is not known.",
        *tell(rows, LOSS_WHY),
    ]
    return Shown([Table("Trees that are not sparse", shown, rows)], notes)


def show_best(fits: Rows) -> Shown:
    rows = []
    for name, (time, loss, leaves) in printed.BEST.items():
        by_penalty: dict[float, Rows] = {}
        for fit in pick(fits, data=name, algorithm="LicketySPLIT"):
            if fit["lambda"] >= 0.001:
                by_penalty.setdefault(fit["lambda"], []).append(fit)
        if not by_penalty:
            continue
        penalty, best = min(by_penalty.items(), key=lambda item: mean(item[1], "test_loss"))
        rows.append(
            {
                "data": name,
                "lambda": penalty,
                "mean_leaves": mean(best, "leaves"),
                "paper_leaves": leaves[0],
                **against(values(best, "test_loss"), loss[1], loss[2]),
                **times(values(best, "seconds"), time[0]),
            }
        )
    shown = columns(
        "data set = data | lambda | leaves = mean_leaves .1f | paper = paper_leaves .1f",
        *COMPARED,
        *TIMES,
    )
    notes = [
        "LicketySPLIT at the lambda of minimum mean test loss. Blossom's side of the table is not "
        "ours to make: the program is not part of this benchmark.",
        *tell(rows, LOSS_WHY),
    ]
    return Shown([Table("LicketySPLIT at its best lambda", shown, rows)], notes)


def show_datasets(fits: Rows) -> Shown:
    rows = []
    for name, paper_columns in data.PAPER_SETS.items():
        known = datasets.describe(name)
        of = pick(fits, data=name)
        rows.append(
            {
                "data": name,
                "rows": known.n_rows,
                "raw": len(known.columns),
                "columns": of[0]["columns"] if of else None,
                "paper_columns": paper_columns,
                "licence": known.licence,
                "sha256": known.sha256[:12],
            }
        )
    shown = columns(
        "data set = data | rows = rows , | raw columns = raw | yes/no columns = columns",
        "paper = paper_columns | licence | sha256",
    )
    notes = [
        "The paper counts the label as a column, here it is left out. Netherlands has 11,000 of "
        "the paper's 20,000 rows, Spambase one row more, HIV is not public. Fewer yes/no columns "
        "than the paper's: boosted stumps ask for no more (COMPAS, Hypothyroid)."
    ]
    return Shown([Table("Data sets", shown, rows)], notes)


def show_headline(fits: Rows) -> Shown:
    names = {"Greedy": "greedy", "LicketySPLIT": "LicketySPLIT", "GOSDT": "optimal"}
    rows = []
    for algorithm, title in names.items():
        of = pick(fits, data="bike", algorithm=algorithm, **{"lambda": 0.001})
        rows.append(
            {
                "method": title,
                **{key: mean(of, key) for key in ("test_loss", "leaves", "objective", "seconds")},
            }
        )
    shown = columns(
        "tree = method | test loss = test_loss .4f | leaves = leaves .1f",
        "training objective = objective .4f | time = seconds s",
    )
    notes = [
        "Bike, lambda .001, depth 5: a greedy tree, ours, and the optimal one. The "
        "paper's figure is "
        "a drawing of the three trees; its numbers for the same lambda are in tab_lambda."
    ]
    return Shown([Table("Three trees for Bike", shown, rows)], notes)


PIECES = (
    Piece(
        "fig_headline",
        "Three trees on Bike (fig:headline_figure)",
        lambda settings: sweep.jobs(settings, ("bike",), 5),
        show_headline,
    ),
    Piece(
        "tab_datasets",
        "Characteristics of the datasets (tab:datasets_split)",
        _depth_5,
        show_datasets,
    ),
    Piece(
        "tab_lambda",
        "Results for lambda = .001, .006, .011 (tab:1, tab:2, tab:3)",
        _depth_5,
        show_lambda,
    ),
    Piece(
        "tab_leaves",
        "Results by number of leaves (tab:4, tab:5, tab:5.5, tab:6)",
        _depth_5,
        show_leaves,
    ),
    Piece("tab_non_sparse", "Non-sparse trees (tab:7)", _depth_5, show_non_sparse),
    Piece(
        "tab_cart",
        "CART with binary and with continuous features (tab:7.5, tab:8, tab:9)",
        _depth_5,
        show_cart,
    ),
    Piece(
        "tab_best_lickety",
        "LicketySPLIT's side of the comparison with Blossom (tab:blossom_vs_lickety)",
        _depth_5,
        show_best,
    ),
)
