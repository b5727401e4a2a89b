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
    """Return a figure and its axes, `rows` by data sets; at most five data sets stand in a row."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams.update({"svg.hashsalt": "splitsecond", "font.size": 8, "axes.titlesize": 9})
    across = min(len(titles), 5)
    blocks = -(-len(titles) // across)
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


def logarithmic(axis: Any, *which: str) -> None:
    """Make axes logarithmic, with plain numbers at 1, 3, 10, 30 and so on."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for name in which:
        getattr(axis, f"set_{name}scale")("log")
        of = getattr(axis, f"{name}axis")
        of.set_major_locator(LogLocator(subs=(1, 3)))
        of.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        of.set_minor_formatter(NullFormatter())
