"""The paper's figures of single trees: loss, leaves and time of every algorithm."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import sweep
from drawing import COLOURS, label_of, legend, logarithmic, panels, scatter
from jobs import Job, Settings
from lib import data
from lib.report import Table, column, columns
from pieces import Piece, Rows, Shown, data_sets, half, mean, pick, stopped, values

ALL = tuple(data.PAPER_SETS)
OURS = ("SPLIT", "LicketySPLIT")
COMPARED = ("LicketySPLIT", "SPLIT", "GOSDT", "CART")  # by size
MAX_LEAVES = 10  # of the sparse trees that the frontier's tables compare
FRONTIER = ["data", "algorithm", "lambda", "splits", "test_loss", "test_error", "leaves", "seconds"]

Draw: TypeAlias = Callable[[Any, str, str], None]  # axis, data set and key


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
        penalty = of[0]["lambda"]
        row = {"data": name, "algorithm": algorithm, "lambda": penalty, "splits": len(of)}
        for key in ("train_loss", "test_loss", "leaves", "seconds"):
            row[key] = mean(of, key)
        row["test_error"] = half(values(of, "test_loss")) / 1.96
        if penalty is not None:
            row["objective"] = row["train_loss"] + penalty * row["leaves"]
            row["test_objective"] = row["test_loss"] + penalty * row["leaves"]
        rows.append(row)
    return rows


def _grid(names: list[str], keys: tuple[str, ...], draw: Draw) -> tuple[Any, Any]:
    """Return a figure with a column for each data set and a row for each key, and its axes."""
    figure, axes = panels(names, rows=len(keys), width=2.2)
    for column_of_axes, name in zip(axes.T, names, strict=True):
        for axis, key in zip(column_of_axes, keys, strict=True):
            draw(axis, name, key)
    return figure, axes


def _scatters(points: Rows, key: str, label: str) -> Any:
    """Draw the time of every algorithm against a loss, a panel for each data set."""
    names = data_sets(points)
    figure, axes = panels(names)
    for axis, name in zip(axes[0], names, strict=True):
        for algorithm in sweep.ALGORITHMS:
            scatter(axis, pick(points, data=name, algorithm=algorithm), key, "seconds")
        logarithmic(axis, "y")
        axis.set_xlabel(label)
    axes[0, 0].set_ylabel("seconds")
    legend(figure, axes)
    return figure


def show_gosdt(fits: Rows) -> Shown:
    points = [
        point
        for point in mean_points(fits)
        if point["algorithm"] in sweep.ALGORITHMS and point["lambda"] in _common_penalties(fits)
    ]
    figures = {
        "": _scatters(points, "test_objective", "test loss + lambda x leaves"),
        "_train": _scatters(points, "objective", "training loss + lambda x leaves"),
    }
    rows = []
    for name in data_sets(points):
        of = {a: pick(points, data=name, algorithm=a) for a in sweep.ALGORITHMS}
        lowest = min(values(of["GOSDT"], "lambda"))
        taken = {a: pick(of[a], **{"lambda": lowest})[0]["seconds"] for a in of}
        rows.append(
            {
                "data": name,
                "lambda": lowest,
                **{f"{a}_seconds": taken[a] for a in of},
                "gosdt_over_split": taken["GOSDT"] / taken["SPLIT"],
                "gosdt_over_lickety": taken["GOSDT"] / taken["LicketySPLIT"],
                **{f"{a}_excess": _excess(of[a], of["GOSDT"]) for a in OURS},
            }
        )
    shown = columns(
        "data set = data | lambda | optimal = GOSDT_seconds s | SPLIT = SPLIT_seconds s",
        "LicketySPLIT = LicketySPLIT_seconds s | optimal / SPLIT = gosdt_over_split x",
        "optimal / LicketySPLIT = gosdt_over_lickety x",
        "SPLIT's worst excess = SPLIT_excess +.4f | LicketySPLIT's = LicketySPLIT_excess +.4f",
    )
    optimal = pick(fits, algorithm="GOSDT")
    notes = [
        "Worst excess: the maximum by which the regularized test loss exceeds the optimal tree's, "
        "over all lambdas. The size of a point is its number of leaves.",
        "The paper's text: on Bike, GOSDT takes about 1000 s (its limit is 1200 s), SPLIT about "
        "10 s, LicketySPLIT about one; for very sparse trees all take about a second, and ours may "
        "be slower than GOSDT.",
        f"Here {stopped(optimal)} of {len(optimal)} optimal searches were stopped by the time "
        "limit.",
    ]
    return Shown([Table("Time and regularized test loss", shown, rows)], notes, figures, points)


def _common_penalties(fits: Rows) -> set[float]:
    """Return the penalties at which optimal trees were found."""
    return {fit["lambda"] for fit in fits if fit["algorithm"] == "GOSDT"}


def _excess(of: Rows, optimal: Rows) -> float:
    best = {point["lambda"]: point["test_objective"] for point in optimal}
    return max(
        point["test_objective"] - best[point["lambda"]] for point in of if point["lambda"] in best
    )


def _unbinarized(fits: Rows) -> Rows:
    """Return mean points, without those of CART on yes/no columns."""
    return [point for point in mean_points(fits) if point["algorithm"] != "CART, binary"]


def _sparse(points: Rows) -> Rows:
    return [point for point in points if point["leaves"] <= MAX_LEAVES]


def _frontier(points: Rows) -> Any:
    """Draw test loss against leaves, and against time for sparse trees (the paper's red box)."""

    def draw(axis: Any, name: str, key: str) -> None:
        for algorithm in dict.fromkeys(values(points, "algorithm")):
            of = pick(points, data=name, algorithm=algorithm)
            of = _sparse(of) if key == "seconds" else of
            drawn = axis.errorbar(
                *(values(of, each) for each in (key, "test_loss", "test_error")),
                fmt="o",
                markersize=3,
                elinewidth=0.5,
                alpha=0.7,
                color=COLOURS[algorithm],
                label=label_of(algorithm),
            )
            for part in drawn.get_children():
                part.set_rasterized(True)

    figure, axes = _grid(data_sets(points), ("leaves", "seconds"), draw)
    for above, below in axes.T:
        above.set_xlabel("leaves")
        logarithmic(below, "x")
        below.set_xlabel(f"seconds (at most {MAX_LEAVES} leaves)")
    for axis in axes[:, 0]:
        axis.set_ylabel("test loss")
    legend(figure, axes)
    return figure


def show_frontier(fits: Rows) -> Shown:
    points = _unbinarized(fits)
    names = data_sets(points)
    rows = []
    for name in names:
        for algorithm in dict.fromkeys(values(points, "algorithm")):
            of = _sparse(pick(points, data=name, algorithm=algorithm))
            if of:
                best = min(of, key=lambda point: point["test_loss"])
                rows.append({key: best[key] for key in FRONTIER})
    shown = columns(
        "data set = data",
        column("algorithm", "algorithm", label_of),
        "lambda | test loss = test_loss .4f | standard error = test_error .4f",
        "leaves = leaves .1f | time = seconds s",
    )
    notes = [
        "The table has each algorithm's setting of minimum mean test loss with at most "
        f"{MAX_LEAVES} leaves. Times are of the fit, without binarization. The bars are standard "
        "errors.",
        *_frontier_notes(rows, names),
        "The paper's other competitors (MurTree, TSDT, MAPTree, top-k) are not part of this "
        "benchmark; `benchmarks/peers.py` compares with the packages that can be installed.",
    ]
    return Shown([Table("Sparse trees", shown, rows)], notes, {"": _frontier(points)}, points)


def _frontier_notes(rows: Rows, names: list[str]) -> list[str]:
    """Say where one of the paper's algorithms is not at the front, among those here."""
    lost = []
    for name in names:
        best = min(pick(rows, data=name), key=lambda row: row["test_loss"])
        if best["algorithm"] not in OURS:
            lost.append(f"{name} ({label_of(best['algorithm'])}, {best['test_loss']:.4f})")
    text = (
        "SPLIT and LicketySPLIT 'consistently lie on the bottom left' in the paper; here one of "
        "them has the minimum test loss of all "
    )
    return [text + (f"on all sets but {', '.join(lost)}." if lost else "on every set.")]


def _tradeoff(points: Rows) -> Any:
    """Draw training and test loss against time."""

    def draw(axis: Any, name: str, key: str) -> None:
        for algorithm in dict.fromkeys(values(points, "algorithm")):
            scatter(axis, pick(points, data=name, algorithm=algorithm), "seconds", key)
        logarithmic(axis, "x")

    figure, axes = _grid(data_sets(points), ("train_loss", "test_loss"), draw)
    for axis in axes[1]:
        axis.set_xlabel("seconds")
    for axis, label in zip(axes[:, 0], ("training loss", "test loss"), strict=True):
        axis.set_ylabel(label)
    legend(figure, axes)
    return figure


def show_tradeoff(fits: Rows) -> Shown:
    points = _unbinarized(fits)
    rows = []
    for low, high in ((2, 4), (5, 8), (9, 32)):
        for name in data_sets(points):
            row: dict[str, Any] = {"leaves": f"{low}-{high}", "data": name}
            for algorithm in COMPARED:
                of = [
                    point
                    for point in pick(points, data=name, algorithm=algorithm)
                    if low - 0.5 <= point["leaves"] < high + 0.5
                ]
                best = min(of, key=lambda point: point["train_loss"], default=None)
                row[algorithm] = (
                    f"{best['train_loss']:.4f} / {best['test_loss']:.4f}" if best else None
                )
            rows.append(row)
    shown = columns("leaves | data set = data", *(column(label_of(a), a) for a in COMPARED))
    notes = [
        "Training / test loss of the setting with the minimum training loss among those of a size. "
        "The size of a point in the figure is its number of leaves.",
        "The paper: SPLIT and LicketySPLIT are far faster than optimal trees, with test losses "
        "close to theirs. How close is in the table: each cell takes the best of a range of sizes, "
        "so that larger trees count for more where a range is wide.",
    ]
    return Shown([Table("Loss by size", shown, rows)], notes, {"": _tradeoff(points)}, points)


def _gaps(fits: Rows) -> Rows:
    """Return the mean gap of our trees to the optimum, where it is known, by set and lambda."""
    by_place: dict[tuple[str, int, float], dict[str, float]] = {}
    for fit in fits:
        if fit["objective"] is not None and fit["status"] != "time_limit":
            place = (fit["data"], fit["split"], fit["lambda"])
            by_place.setdefault(place, {})[fit["algorithm"]] = fit["objective"]
    gaps: dict[tuple[str, float, str], list[float]] = {}
    for (name, _, penalty), found in by_place.items():
        for algorithm in OURS if "GOSDT" in found else ():
            gap = found[algorithm] - found["GOSDT"]
            gaps.setdefault((name, penalty, algorithm), []).append(gap)
    return [
        {"data": name, "lambda": penalty, "algorithm": algorithm, "epsilon": float(np.mean(of))}
        for (name, penalty, algorithm), of in sorted(gaps.items())
    ]


def _membership(points: Rows, names: list[str]) -> Any:
    """Draw the gaps, and colour the epsilons with which one or both trees are in the set."""
    figure, axes = panels(names)
    for axis, name in zip(axes[0], names, strict=True):
        lines = {a: pick(points, data=name, algorithm=a) for a in OURS}
        top = 1.1 * max(0.002, *(point["epsilon"] for of in lines.values() for point in of))
        penalties = values(lines["SPLIT"], "lambda")
        low, high = (values(lines[a], "epsilon") for a in lines)
        both = np.maximum(low, high)
        axis.fill_between(penalties, low, both, color="#f0e442", alpha=0.5, linewidth=0)
        axis.fill_between(penalties, both, top, color="#e69f00", alpha=0.35, linewidth=0)
        for algorithm, gaps in zip(lines, (low, high), strict=True):
            axis.plot(penalties, gaps, "o-", ms=2, color=COLOURS[algorithm], label=algorithm)
        axis.set_ylim(0, top)
        axis.set_xlabel("lambda")
    axes[0, 0].set_ylabel("least epsilon")
    legend(figure, axes)
    return figure


def show_membership(fits: Rows) -> Shown:
    """Find the minimum epsilon with which a tree is in the Rashomon set, that is its gap."""
    points = _gaps(fits)
    names = [name for name in ALL if pick(points, data=name)]
    rows, far = [], []
    for name in names:
        of = {a: pick(points, data=name, algorithm=a) for a in OURS}
        row: dict[str, Any] = {"data": name}
        for a in OURS:
            row[f"{a}_mean"] = mean(of[a], "epsilon")
            row[f"{a}_max"] = max(values(of[a], "epsilon"))
        rows.append(row)
        large = [point["lambda"] for point in of["LicketySPLIT"] if point["epsilon"] > 1e-3]
        if large:
            far.append(f"{name} (up to lambda {max(large):g})")
    shown = columns(
        "data set = data | SPLIT, mean = SPLIT_mean .5f | largest = SPLIT_max .5f",
        "LicketySPLIT, mean = LicketySPLIT_mean .5f | largest = LicketySPLIT_max .5f",
    )
    notes = [
        "The minimum epsilon with which a tree is in the Rashomon set is its gap to the optimum; "
        "mean over splits, and mean and largest over lambda. Yellow: SPLIT alone is in the set; "
        "orange: both are.",
        "The paper: 'even for epsilon as small as 10^-3' LicketySPLIT is in the set. Here "
        + (f"its mean gap is larger on {', '.join(far)}." if far else "it is at every lambda."),
    ]
    figures = {"": _membership(points, names)}
    return Shown([Table("Least epsilon", shown, rows)], notes, figures, points)


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
