"""Figures in one style: a panel for each data set, colours that all can tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

# Okabe and Ito's colours.
COLOURS = {
    "LicketySPLIT": "#d55e00",
    "SPLIT": "#0072b2",
    "GOSDT": "#009e73",
    "Greedy": "#999999",
    "CART": "#cc79a7",
    "CART, binary": "#e69f00",
}
NAMES = {"GOSDT": "optimal (GOSDT's problem)", "CART, binary": "CART, yes/no columns"}


def panels(
    titles: Sequence[str], rows: int = 1, width: float = 2.6, height: float = 2.5
) -> tuple[Any, Any]:
    """Return a figure and its axes, `rows` by data sets; at most six data sets stand in a row."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams.update(
        {
            "svg.hashsalt": "splitsecond",  # the same file for the same figure
            "svg.fonttype": "none",
            "font.size": 8,
            "axes.titlesize": 9,
        }
    )
    blocks = -(-len(titles) // 6)
    across = -(-len(titles) // blocks)
    figure = Figure(figsize=(width * across, height * rows * blocks), layout="constrained")
    grid = figure.subplots(rows * blocks, across, squeeze=False)
    axes = np.empty((rows, len(titles)), dtype=object)
    for axis in grid.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(alpha=0.25)
        axis.set_visible(False)
    for i, title in enumerate(titles):
        for row in range(rows):
            axes[row, i] = grid[i // across * rows + row, i % across]
            axes[row, i].set_visible(True)
        axes[0, i].set_title(title)
    return figure, axes


def legend(figure: Any, axes: Any, title: str = "") -> None:
    """Draw one legend below all panels, with every label once."""
    found: dict[str, Any] = {}
    for axis in axes.flat:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    if found:
        figure.legend(
            found.values(),
            found.keys(),
            loc="outside lower center",
            ncols=len(found),
            frameon=False,
            title=title or None,
        )


def label_of(algorithm: str) -> str:
    return NAMES.get(algorithm, algorithm)


def scatter(axis: Any, points: Sequence[Any], x: str, y: str) -> None:
    """Draw the points of one algorithm, larger ones for more leaves."""
    if not points:
        return
    axis.scatter(
        [point[x] for point in points],
        [point[y] for point in points],
        [5 + 3 * point["leaves"] for point in points],
        color=COLOURS[points[0]["algorithm"]],
        alpha=0.65,
        linewidths=0,
        rasterized=True,  # thousands of circles would make the file large
        label=label_of(points[0]["algorithm"]),
    )


def line(axis: Any, points: Sequence[Any], x: str, y: str, **style: Any) -> None:
    """Draw points that a line joins."""
    xs, ys = ([point[key] for point in points] for key in (x, y))
    axis.plot(xs, ys, "o-", **{"ms": 3, **style})


def logarithmic(axis: Any, *which: str) -> None:
    """Make axes logarithmic after drawing, with plain numbers at 1 and 10 and so on.

    Two decades or less get 3, 30 and so on as well.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for name in which:
        getattr(axis, f"set_{name}scale")("log")
        of = getattr(axis, f"{name}axis")
        low, high = getattr(axis, f"get_{name}lim")()
        of.set_major_locator(LogLocator(subs=(1, 3) if high <= 100 * low else (1,)))
        of.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        of.set_minor_formatter(NullFormatter())
