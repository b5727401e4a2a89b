"""Plots of second criteria over a set of trees, with matplotlib."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from splitsecond._trees.pictures.figures import (
    BLUE,
    ORANGE,
    longest,
    new_axes,
    plain_sides,
    short_names,
)

if TYPE_CHECKING:
    from splitsecond._sets.evaluation_results import CriterionRange, FrontierPoint

GREY = "#999999"


def plot_criterion_frontier(
    name: str,
    fronts: Mapping[str, Sequence[FrontierPoint]],
    found: CriterionRange,
    ax: Any = None,
) -> Any:
    """Draw the lowest and highest values of a criterion by training objective."""
    points = [point for front in fronts.values() for point in front]
    if not points:
        raise ValueError(f"{name} is not defined: there are no rows that it is about.")
    ax = new_axes(ax, (7, 4))
    end = max(point.objective for point in points)
    what = {"exact": "", "bounds": " (bound)", "found": " found"}[found.kind]
    for (side, front), colour in zip(fronts.items(), (BLUE, ORANGE), strict=True):
        objectives = [*(point.objective for point in front), end]
        values = [*(point.value for point in front), front[-1].value]
        ax.step(objectives, values, where="post", color=colour, label=f"{side}{what}")
        ax.plot(objectives[:-1], values[:-1], "o", color=colour, markersize=4)
    if not math.isnan(found.mean):
        ax.axhline(found.mean, color=GREY, linestyle="--", linewidth=1, label="mean of the trees")
    ax.set_xlabel("training objective of at most")
    ax.set_ylabel(name, parse_math=False)
    ax.margins(x=0.03, y=0.1)
    ax.locator_params(axis="x", nbins=5)
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    return plain_sides(ax)


def plot_criterion_ranges(ranges: Sequence[CriterionRange], ax: Any = None) -> Any:
    """Draw the range of each criterion, its mean, and the tree with the minimum objective."""
    shown = [each for each in ranges if not math.isnan(each.minimum)]
    if not shown:
        raise ValueError("There is nothing to draw: no criterion was named that is defined.")
    marks = {"exact": "", "bounds": " (bounds)", "found": " (found)"}
    names = short_names(f"{each.name}{marks[each.kind]}" for each in shown)
    ax = new_axes(ax, (5 + longest(names), 1.2 + 0.28 * len(names)))
    places = range(len(names))
    widths = [each.maximum - each.minimum for each in shown]
    ax.barh(places, widths, left=[each.minimum for each in shown], color=BLUE, height=0.3)
    ends = [(each.minimum, each.maximum) for each in shown]
    for place, pair in enumerate(ends):  # a range of a single value is to be seen, too
        ax.plot(pair, [place, place], "|", color=BLUE, markersize=9)
    means = [each.mean for each in shown]
    ax.plot(means, places, "D", color="white", markeredgecolor=BLUE, markersize=5, label="mean")
    ax.plot(
        [each.tree_0 for each in shown],
        places,
        "o",
        color=ORANGE,
        markersize=5,
        label="tree of the minimum objective",
    )
    ax.set_yticks(places, names, parse_math=False)
    ax.use_sticky_edges = False  # a bar is not to end at the side
    ax.margins(x=0.05)
    ax.set_ylim(len(names) - 0.4, -0.6)
    if min(low for low, _ in ends) < 0:
        ax.axvline(0, color=GREY, linewidth=0.8, zorder=0)
    ax.set_xlabel("minimum to maximum over the trees of the set")
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return plain_sides(ax)
