"""The paper's figures of single trees: loss, leaves and time of every algorithm."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import sweep
from drawing import COLOURS, label_of, legend, logarithmic, panels, scatter
from jobs import Job, Settings
from lib import data
from lib.report import Table, column, ratio, seconds
from pieces import Piece, Rows, Shown, half, pick

ALL = tuple(data.PAPER_SETS)
MOST_LEAVES = 10  # of the sparse trees that the frontier's tables compare


def _depth(settings: Settings, *, depth: int) -> list[Job]:
    return sweep.jobs(settings, ALL, depth)


def mean_points(fits: Rows) -> Rows:
    """Average over the splits on which all algorithms were run at all their settings.

    CART's settings count by their order.
    """
    groups: dict[tuple[Any, ...], Rows] = {}
    seen: dict[tuple[Any, ...], int] = {}
    for fit in pick(fits, all_settings=True):
        setting = fit["lambda"]
        if setting is None:
            place = (fit["data"], fit["algorithm"], fit["split"])
            setting = seen[place] = seen.get(place, -1) + 1
        elif setting < 0.001:
            continue
        groups.setdefault((fit["data"], fit["algorithm"], setting), []).append(fit)
    rows = []
    for (name, algorithm, _), of in groups.items():
        price = of[0]["lambda"]
        row = {"data": name, "algorithm": algorithm, "lambda": price, "splits": len(of)}
        for key in ("train_loss", "test_loss", "leaves", "seconds"):
            row[key] = float(np.mean([fit[key] for fit in of]))
        row["test_error"] = half([fit["test_loss"] for fit in of]) / 1.96
        if price is not None:
            row["objective"] = row["train_loss"] + price * row["leaves"]
            row["test_objective"] = row["test_loss"] + price * row["leaves"]
        rows.append(row)
    return rows


def _sets(points: Rows) -> list[str]:
    return list(dict.fromkeys(point["data"] for point in points))


def show_gosdt(fits: Rows) -> Shown:
    points = [
        point
        for point in mean_points(fits)
        if point["algorithm"] in sweep.ALGORITHMS and point["lambda"] in _common_prices(fits)
    ]
    names = _sets(points)
    figures = {}
    for ending, key, label in (
        ("", "test_objective", "test loss + lambda x leaves"),
        ("_train", "objective", "training loss + lambda x leaves"),
    ):
        figure, axes = panels(names)
        for axis, name in zip(axes[0], names, strict=True):
            for algorithm in sweep.ALGORITHMS:
                scatter(axis, pick(points, data=name, algorithm=algorithm), key, "seconds")
            logarithmic(axis, "y")
            axis.set_xlabel(label)
        axes[0, 0].set_ylabel("seconds")
        legend(figure, axes)
        figures[ending] = figure
    rows = []
    for name in names:
        of = {a: pick(points, data=name, algorithm=a) for a in sweep.ALGORITHMS}
        least = min(point["lambda"] for point in of["GOSDT"])
        at = {a: pick(of[a], **{"lambda": least})[0] for a in of}
        rows.append(
            {
                "data": name,
                "lambda": least,
                **{f"{a}_seconds": at[a]["seconds"] for a in of},
                "gosdt_over_split": at["GOSDT"]["seconds"] / at["SPLIT"]["seconds"],
                "gosdt_over_lickety": at["GOSDT"]["seconds"] / at["LicketySPLIT"]["seconds"],
                **{f"{a}_excess": _excess(of[a], of["GOSDT"]) for a in ("SPLIT", "LicketySPLIT")},
            }
        )
    columns = [
        column("data set", "data"),
        column("lambda", "lambda"),
        column("optimal", "GOSDT_seconds", seconds),
        column("SPLIT", "SPLIT_seconds", seconds),
        column("LicketySPLIT", "LicketySPLIT_seconds", seconds),
        column("optimal / SPLIT", "gosdt_over_split", ratio),
        column("optimal / LicketySPLIT", "gosdt_over_lickety", ratio),
        column("SPLIT's worst excess", "SPLIT_excess", "{:+.4f}".format),
        column("LicketySPLIT's", "LicketySPLIT_excess", "{:+.4f}".format),
    ]
    optimal = pick(fits, algorithm="GOSDT")
    stopped = sum(fit["status"] == "time_limit" for fit in optimal)
    notes = [
        "Worst excess: the most by which the regularized test loss exceeds the optimal "
        "tree's, over "
        "all lambdas. The size of a point is its number of leaves.",
        "The paper's text: on Bike, GOSDT takes about 1000 s (its limit is 1200 s), SPLIT about "
        "10 s, LicketySPLIT about one; for very sparse trees all take about a second, and ours may "
        "be slower than GOSDT.",
        f"Here {stopped} of {len(optimal)} optimal searches were stopped by the time limit.",
    ]
    return Shown([Table("Time and regularized test loss", columns, rows)], notes, figures, points)


def _common_prices(fits: Rows) -> set[float]:
    """Return the prices at which optimal trees were found."""
    return {fit["lambda"] for fit in fits if fit["algorithm"] == "GOSDT"}


def _excess(of: Rows, optimal: Rows) -> float:
    best = {point["lambda"]: point["test_objective"] for point in optimal}
    return max(
        point["test_objective"] - best[point["lambda"]] for point in of if point["lambda"] in best
    )


def show_frontier(fits: Rows) -> Shown:
    points = [point for point in mean_points(fits) if point["algorithm"] != "CART, binary"]
    names = _sets(points)
    algorithms = list(dict.fromkeys(point["algorithm"] for point in points))
    figure, axes = panels(names, rows=2, width=2.2)
    for column_of_axes, name in zip(axes.T, names, strict=True):
        for axis, key in zip(column_of_axes, ("leaves", "seconds"), strict=True):
            for algorithm in algorithms:
                of = pick(points, data=name, algorithm=algorithm)
                if key == "seconds":  # the paper's red box
                    of = [point for point in of if point["leaves"] <= MOST_LEAVES]
                drawn = axis.errorbar(
                    [point[key] for point in of],
                    [point["test_loss"] for point in of],
                    [point["test_error"] for point in of],
                    fmt="o",
                    markersize=3,
                    elinewidth=0.5,
                    alpha=0.7,
                    color=COLOURS[algorithm],
                    label=label_of(algorithm),
                )
                for part in drawn.get_children():
                    part.set_rasterized(True)
        column_of_axes[0].set_xlabel("leaves")
        logarithmic(column_of_axes[1], "x")
        column_of_axes[1].set_xlabel(f"seconds (at most {MOST_LEAVES} leaves)")
    for axis in axes[:, 0]:
        axis.set_ylabel("test loss")
    legend(figure, axes)
    rows = []
    for name in names:
        for algorithm in algorithms:
            of = [
                p
                for p in pick(points, data=name, algorithm=algorithm)
                if p["leaves"] <= MOST_LEAVES
            ]
            if of:
                best = min(of, key=lambda point: point["test_loss"])
                rows.append({key: best[key] for key in ("data", "algorithm", "lambda", "splits")})
                rows[-1] |= {
                    key: best[key] for key in ("test_loss", "test_error", "leaves", "seconds")
                }
    columns = [
        column("data set", "data"),
        column("algorithm", "algorithm", label_of),
        column("lambda", "lambda"),
        column("test loss", "test_loss", "{:.4f}".format),
        column("standard error", "test_error", "{:.4f}".format),
        column("leaves", "leaves", "{:.1f}".format),
        column("time", "seconds", seconds),
    ]
    notes = [
        "The table has each algorithm's setting of least mean test loss with at most "
        f"{MOST_LEAVES} "
        "leaves. Times are of the fit, without binarization. The bars are standard errors.",
        *_frontier_notes(rows, names),
        "The paper's other competitors (MurTree, TSDT, MAPTree, top-k) are not part of this "
        "benchmark; `benchmarks/peers.py` compares with the packages that can be installed.",
    ]
    return Shown([Table("Sparse trees", columns, rows)], notes, {"": figure}, points)


def _frontier_notes(rows: Rows, names: list[str]) -> list[str]:
    """Say where one of the paper's algorithms is not at the front, among those here."""
    lost = []
    for name in names:
        best = min(pick(rows, data=name), key=lambda row: row["test_loss"])
        if best["algorithm"] not in ("SPLIT", "LicketySPLIT"):
            lost.append(f"{name} ({label_of(best['algorithm'])}, {best['test_loss']:.4f})")
    text = (
        "SPLIT and LicketySPLIT 'consistently lie on the bottom left' in the paper; here one of "
        "them has the least test loss of all "
    )
    return [text + (f"on all sets but {', '.join(lost)}." if lost else "on every set.")]


def show_tradeoff(fits: Rows) -> Shown:
    points = [point for point in mean_points(fits) if point["algorithm"] != "CART, binary"]
    names = _sets(points)
    algorithms = list(dict.fromkeys(point["algorithm"] for point in points))
    figure, axes = panels(names, rows=2, width=2.2)
    for column_of_axes, name in zip(axes.T, names, strict=True):
        for axis, key in zip(column_of_axes, ("train_loss", "test_loss"), strict=True):
            for algorithm in algorithms:
                scatter(axis, pick(points, data=name, algorithm=algorithm), "seconds", key)
            logarithmic(axis, "x")
        column_of_axes[1].set_xlabel("seconds")
    axes[0, 0].set_ylabel("training loss")
    axes[1, 0].set_ylabel("test loss")
    legend(figure, axes)
    rows = []
    for least, most in ((2, 4), (5, 8), (9, 32)):
        for name in names:
            row: dict[str, Any] = {"leaves": f"{least}-{most}", "data": name}
            for algorithm in ("LicketySPLIT", "SPLIT", "GOSDT", "CART"):
                of = [
                    point
                    for point in pick(points, data=name, algorithm=algorithm)
                    if least - 0.5 <= point["leaves"] < most + 0.5
                ]
                best = min(of, key=lambda point: point["train_loss"], default=None)
                row[algorithm] = (
                    f"{best['train_loss']:.4f} / {best['test_loss']:.4f}" if best else None
                )
            rows.append(row)
    columns = [
        column("leaves", "leaves"),
        column("data set", "data"),
        *(column(label_of(a), a) for a in ("LicketySPLIT", "SPLIT", "GOSDT", "CART")),
    ]
    notes = [
        "Training / test loss of the setting with the least training loss among those of a size. "
        "The size of a point in the figure is its number of leaves.",
        "The paper: SPLIT and LicketySPLIT are far faster than optimal trees, with test "
        "losses close "
        "to theirs. How close is in the table: each cell takes the best of a range of sizes, "
        "so that "
        "larger trees count for more where a range is wide.",
    ]
    return Shown([Table("Loss by size", columns, rows)], notes, {"": figure}, points)


def show_membership(fits: Rows) -> Shown:
    """Find the least epsilon with which a tree is in the Rashomon set, that is its gap."""
    by_place: dict[tuple[str, int, float], dict[str, float]] = {}
    for fit in fits:
        if fit["objective"] is not None and fit["status"] != "time_limit":
            place = (fit["data"], fit["split"], fit["lambda"])
            by_place.setdefault(place, {})[fit["algorithm"]] = fit["objective"]
    gaps: dict[tuple[str, float, str], list[float]] = {}
    for (name, _, price), found in by_place.items():
        for algorithm in ("SPLIT", "LicketySPLIT") if "GOSDT" in found else ():
            gap = found[algorithm] - found["GOSDT"]
            gaps.setdefault((name, price, algorithm), []).append(gap)
    points = [
        {"data": name, "lambda": price, "algorithm": algorithm, "epsilon": float(np.mean(of))}
        for (name, price, algorithm), of in sorted(gaps.items())
    ]
    names = [name for name in ALL if pick(points, data=name)]
    figure, axes = panels(names)
    for axis, name in zip(axes[0], names, strict=True):
        lines = {a: pick(points, data=name, algorithm=a) for a in ("SPLIT", "LicketySPLIT")}
        top = 1.1 * max(0.002, *(point["epsilon"] for of in lines.values() for point in of))
        prices = [point["lambda"] for point in lines["SPLIT"]]
        low, high = ([point["epsilon"] for point in lines[a]] for a in lines)
        axis.fill_between(
            prices, low, np.maximum(low, high), color="#f0e442", alpha=0.5, linewidth=0
        )
        axis.fill_between(
            prices, np.maximum(low, high), top, color="#e69f00", alpha=0.35, linewidth=0
        )
        for algorithm, values in zip(lines, (low, high), strict=True):
            axis.plot(prices, values, "o-", ms=2, color=COLOURS[algorithm], label=algorithm)
        axis.set_ylim(0, top)
        axis.set_xlabel("lambda")
    axes[0, 0].set_ylabel("least epsilon")
    legend(figure, axes)
    rows = [
        {
            "data": name,
            **{
                f"{a}_{what}": float(
                    of([p["epsilon"] for p in pick(points, data=name, algorithm=a)])
                )
                for a in ("SPLIT", "LicketySPLIT")
                for what, of in (("mean", np.mean), ("max", np.max))
            },
        }
        for name in names
    ]
    four = "{:.5f}".format
    columns = [
        column("data set", "data"),
        column("SPLIT, mean", "SPLIT_mean", four),
        column("largest", "SPLIT_max", four),
        column("LicketySPLIT, mean", "LicketySPLIT_mean", four),
        column("largest", "LicketySPLIT_max", four),
    ]
    far = [
        f"{name} (up to lambda {max(prices):g})"
        for name in names
        if (
            prices := [
                point["lambda"]
                for point in pick(points, data=name, algorithm="LicketySPLIT")
                if point["epsilon"] > 1e-3
            ]
        )
    ]
    notes = [
        "The least epsilon with which a tree is in the Rashomon set is its gap to the "
        "optimum; mean "
        "over splits, and mean and largest over lambda. Yellow: SPLIT alone is in the set; orange: "
        "both are.",
        "The paper: 'even for epsilon as small as 10^-3' LicketySPLIT is in the set. Here "
        + (f"its mean gap is larger on {', '.join(far)}." if far else "it is at every lambda."),
    ]
    return Shown([Table("Least epsilon", columns, rows)], notes, {"": figure}, points)


PIECES = (
    Piece(
        "fig_gosdt_vs_lookahead",
        "Regularized test and training loss against time (fig:gosdt_vs_lookahead, "
        "fig:split_vs_gosdt)",
        partial(_depth, depth=5),
        show_gosdt,
    ),
    Piece(
        "fig_frontier_depth_5",
        "Frontier of test loss, sparsity and time, depth 5 (fig:split_comparisons, "
        "fig:comparisons_2)",
        partial(_depth, depth=5),
        show_frontier,
    ),
    Piece(
        "fig_frontier_depth_4",
        "The same, depth 4 (fig:split_comparisons_appendix_depth_4)",
        partial(_depth, depth=4),
        show_frontier,
    ),
    Piece(
        "fig_frontier_depth_6",
        "The same, depth 6 (fig:split_comparisons_appendix_depth_6)",
        partial(_depth, depth=6),
        show_frontier,
    ),
    Piece(
        "fig_loss_runtime_tradeoff",
        "Training and test loss against time (fig:train_loss_runtime_tradeoff, "
        "fig:test_loss_runtime_tradeoff)",
        partial(_depth, depth=5),
        show_tradeoff,
    ),
    Piece(
        "fig_lookahead_in_rset",
        "Are SPLIT trees in the Rashomon set? (fig:lookahead_in_rset)",
        partial(_depth, depth=5),
        show_membership,
    ),
)
