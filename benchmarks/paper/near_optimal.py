"""How greedy near-optimal trees are, level by level: two properties of Rashomon sets.

Sets are exact (TreeFARMS), of depth 4, which the paper counts as 5 levels, on its second
binarization. Of sets with many trees, some are drawn, each with the same chance.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from drawing import legend, line, panels
from fitting import aggressive
from jobs import Job, Settings
from lib.report import Table, column, columns
from numpy.typing import NDArray
from pieces import Piece, Rows, Shown, data_sets, pick

from splitsecond import TreeFARMS

SETS = ("compas", "heloc", "adult", "bike", "netherlands", "covertype")
DEPTH = 4
PENALTIES = (0.005, 0.01, 0.015, 0.02, 0.03)
EPSILONS = (0.005, 0.01, 0.02, 0.03)
GAP_EPSILON = 0.025
LEVELS = tuple(f"level_{level}" for level in range(DEPTH))
TIE = 1e-9  # bits within which two splits are as greedy as each other

Path: TypeAlias = frozenset[tuple[int, bool]]  # columns, and the side taken


class Subproblems:
    """Rows by the questions that lead to them, and what greedy does with them."""

    def __init__(self, X: NDArray[np.uint8], y: NDArray[np.int64]) -> None:
        self.X = X.astype(bool)
        self.y = y.astype(bool)
        self.entropies = cache(self._entropies)
        self.pruned = cache(self._pruned)

    def rows(self, path: Path) -> NDArray[np.bool_]:
        chosen = np.ones(len(self.y), dtype=bool)
        for feature, side in path:
            chosen &= self.X[:, feature] == side
        return chosen

    def errors(self, path: Path) -> int:
        """Return the errors of a leaf."""
        of = self.y[self.rows(path)]
        return int(min(of.sum(), len(of) - of.sum()))

    def _entropies(self, path: Path) -> NDArray[np.float64]:
        """Return the entropy below each split, in bits times rows; infinite for no split."""
        rows = self.rows(path)
        X, y = self.X[rows], self.y[rows]
        yes, positive = X.sum(axis=0), X[y].sum(axis=0)
        no, negative = len(y) - yes, int(y.sum()) - positive
        bits = _bits(positive, yes) + _bits(negative, no)
        return np.where((yes == 0) | (no == 0), np.inf, bits)

    def is_greedy(self, path: Path, feature: int) -> bool:
        entropies = self.entropies(path)
        return bool(entropies[feature] <= entropies.min() + TIE * len(self.y))

    def _pruned(self, path: Path, depth: int) -> tuple[int, ...]:
        """Return the minimum errors of a pruned greedy tree with at most 1, 2, ... leaves."""
        leaf = self.errors(path)
        entropies = self.entropies(path)
        if depth == 0 or np.isinf(entropies.min()):
            return (leaf,)
        # Ties go to the first column, as everywhere.
        feature = int(np.flatnonzero(entropies <= entropies.min() + TIE * len(self.y))[0])
        left, right = (self.pruned(path | {(feature, side)}, depth - 1) for side in (True, False))
        best = [leaf] * (len(left) + len(right))
        for i, errors in enumerate(left):
            for j, others in enumerate(right):
                best[i + j + 1] = min(best[i + j + 1], errors + others)
        return tuple(np.minimum.accumulate(best).tolist())


def _bits(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    rest = whole - part
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [np.where(n > 0, n * np.log2(n / whole), 0.0) for n in (part, rest)]
    return -(terms[0] + terms[1])


def nodes(tree: Any) -> list[tuple[int, int, Path]]:
    """Return each node of a tree with its level and the questions that lead to it."""
    out: list[tuple[int, int, Path]] = [(0, 0, frozenset())]
    for node, level, path in out:  # grows as it is read
        if tree.feature[node] >= 0:
            feature = int(tree.feature[node])
            out.append((int(tree.left[node]), level + 1, path | {(feature, True)}))
            out.append((int(tree.right[node]), level + 1, path | {(feature, False)}))
    return out


def greedy_counts(trees: list[Any], of: Subproblems) -> NDArray[np.int64]:
    """Count splits, and greedy splits, at each level."""
    counts = np.zeros((DEPTH, 2), dtype=np.int64)
    for tree in trees:
        for node, level, path in nodes(tree):
            if tree.feature[node] >= 0:
                counts[level] += (1, of.is_greedy(path, int(tree.feature[node])))
    return counts


def gaps(tree: Any, of: Subproblems) -> list[float]:
    """Return the mean gap to an equally sparse greedy tree, of the subtrees at each level."""
    order = nodes(tree)
    size: dict[int, tuple[int, int, int]] = {}  # errors, leaves and depth of the subtree
    for node, _, path in reversed(order):
        if tree.feature[node] < 0:
            size[node] = (of.errors(path), 1, 0)
            continue
        left, right = size[int(tree.left[node])], size[int(tree.right[node])]
        size[node] = (left[0] + right[0], left[1] + right[1], 1 + max(left[2], right[2]))
    by_level: dict[int, list[float]] = {}
    for node, level, path in order:
        if tree.feature[node] >= 0:
            errors, leaves, depth = size[node]
            pruned = of.pruned(path, depth)
            greedy = pruned[min(leaves, len(pruned)) - 1]
            by_level.setdefault(level, []).append((greedy - errors) / int(of.rows(path).sum()))
    return [float(np.mean(by_level[level])) for level in sorted(by_level)]


def jobs(settings: Settings) -> list[Job]:
    return [Job("near_optimal", name) for name in settings.sets(SETS)]


def measure(job: Job, settings: Settings) -> list[dict[str, Any]]:
    X, y = aggressive(job.data)
    of = Subproblems(X, y)
    drawn = 50 if settings.quick else 500
    rows: list[dict[str, Any]] = []
    for penalty in PENALTIES:
        for epsilon in (*EPSILONS, GAP_EPSILON):
            model = TreeFARMS(
                regularization=penalty, epsilon=epsilon, max_depth=DEPTH, **settings.limits
            ).fit(X, y)
            trees = model.trees_
            few = trees.n_trees <= drawn
            chosen = list(trees) if few else trees.sample(drawn, random_state=0)
            rows.append(
                {
                    "data": job.data,
                    "lambda": penalty,
                    "epsilon": epsilon,
                    "n_trees": float(trees.n_trees),
                    "drawn": len(chosen),
                    "status": model.status_,
                    **(_decreasing if epsilon == GAP_EPSILON else _greedy_shares)(chosen, of),
                }
            )
    return rows


def _decreasing(trees: list[Any], of: Subproblems) -> dict[str, float]:
    """Return the share of trees with decreasing gaps, and of those with more than one level."""
    all_gaps = [gaps(tree, of) for tree in trees]
    decreasing = [all(a >= b for a, b in pairwise(g)) for g in all_gaps]
    return {
        "decreasing": float(np.mean(decreasing)),
        "deep": float(np.mean([len(g) > 1 for g in all_gaps])),
    }


def _greedy_shares(trees: list[Any], of: Subproblems) -> dict[str, float | None]:
    """Return the share of greedy splits at each level."""
    return {
        f"level_{level}": greedy / splits if splits else None
        for level, (splits, greedy) in enumerate(greedy_counts(trees, of).tolist())
    }


def _heatmaps(rows: Rows) -> Any:
    """Draw the share of greedy splits for each data set and level, by lambda and epsilon."""
    names = data_sets(rows)
    figure, axes = panels(names, rows=DEPTH, width=2.3, height=1.5)
    image = None
    for column_of_axes, name in zip(axes.T, names, strict=True):
        for axis, level in zip(column_of_axes, LEVELS, strict=True):
            shares = np.full((len(EPSILONS), len(PENALTIES)), np.nan)
            for row in pick(rows, data=name):
                place = EPSILONS.index(row["epsilon"]), PENALTIES.index(row["lambda"])
                shares[place] = np.nan if row[level] is None else row[level]
            axis.grid(visible=False)
            axis.set_facecolor("#cccccc")
            image = axis.imshow(
                shares, vmin=0, vmax=1, cmap="viridis", aspect="auto", origin="lower"
            )
            axis.set_xticks(range(len(PENALTIES)), [f"{p:g}" for p in PENALTIES], fontsize=6)
            axis.set_yticks(range(len(EPSILONS)), [f"{e:g}" for e in EPSILONS], fontsize=6)
        column_of_axes[-1].set_xlabel("lambda")
    for level, axis in enumerate(axes[:, 0]):
        axis.set_ylabel(f"level {level}\nepsilon")
    figure.colorbar(image, ax=list(axes.flat), shrink=0.5, label="share of splits that are greedy")
    return figure


def show_greedy(found: Rows) -> Shown:
    rows = [row for row in found if "level_0" in row]
    names = data_sets(rows)
    summary = []
    for name in names:
        of = pick(rows, data=name)
        means = {
            level: float(np.mean([row[level] for row in of if row[level] is not None] or [np.nan]))
            for level in LEVELS
        }
        summary.append({"data": name, **means})
    shown = columns(
        "data set = data",
        *(column(level.replace("_", " "), level, _share) for level in LEVELS),
    )
    rising = [row["data"] for row in summary if row["level_3"] > row["level_0"]]
    notes = [
        "Share of the splits at a level that have the highest information gain there, mean over "
        f"lambda ({_span(PENALTIES)}) and epsilon ({_span(EPSILONS)}); level 0 is the root. Grey: "
        "no tree has a split at that level. Ties count as greedy.",
        "The paper: 'as we approach the leaves, splits become increasingly greedy', most of all on "
        f"Netherlands, Covertype and COMPAS. Here the lowest level is greedier than the root on "
        f"{', '.join(rising) or 'no set'} of {', '.join(names)}.",
    ]
    table = Table("Greedy splits by level", shown, summary)
    return Shown([table], notes, {"": _heatmaps(rows)}, rows)


def _share(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.2f}"


def _span(of: tuple[float, ...]) -> str:
    return f"{of[0]:g} to {of[-1]:g}"


def show_gaps(found: Rows) -> Shown:
    rows = [row for row in found if "decreasing" in row]
    figure, axes = panels(["trees with decreasing gaps"], width=4.6, height=3.2)
    for name in data_sets(rows):
        of = [{**row, "percent": 100 * row["decreasing"]} for row in pick(rows, data=name)]
        line(axes[0, 0], of, "lambda", "percent", label=name)
    axes[0, 0].set_xlabel("lambda")
    axes[0, 0].set_ylabel("% of the Rashomon set")
    axes[0, 0].set_ylim(0, 105)
    legend(figure, axes)
    shown = columns(
        "data set = data | lambda | trees = n_trees .3g | drawn",
        "with more than one level = deep .0% | decreasing = decreasing .0%",
    )
    none = sorted({row["data"] for row in rows if row["decreasing"] == 0})
    notes = [
        "Share of the trees of the Rashomon set (epsilon .025) whose gap never grows from a level "
        "to the next below. The gap of a subtree: errors of the greedy tree of the same depth, "
        "pruned to as many leaves with the fewest errors, less its own, as a share of its rows; "
        "the mean over the subtrees with a split at a level. (The paper prunes by a lambda that "
        "gives as many leaves, which need not exist.)",
        "The paper: the sparser, the more often, and 'for all datasets there exist near-optimal "
        "trees with decreasing gaps even for low sparsity penalties'. "
        + (f"No such tree was drawn on {', '.join(none)} at some lambda." if none else "So here."),
    ]
    return Shown([Table("Decreasing optimality gaps", shown, rows)], notes, {"": figure}, rows)


PIECES = (
    Piece(
        "fig_greedy_heatmap_rset",
        "Share of greedy splits by level in Rashomon sets (fig:greedy_heatmap_rset)",
        jobs,
        show_greedy,
    ),
    Piece(
        "fig_decreasing_gaps",
        "Monotonically decreasing optimality gaps "
        "(fig:rset_monotonically_decreasing_optimality_gap)",
        jobs,
        show_gaps,
    ),
)
