"""Figures in one style: a panel for each data set, colours that all can tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

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
    titles: Sequence[str], rows: int = 1, width: float = 2.6, height: float = 2.5, share: str = ""
) -> tuple[Any, Any]:
    """Return a figure and its axes, `rows` of them for each title."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams.update({"svg.hashsalt": "splitsecond", "font.size": 8, "axes.titlesize": 9})
    across = min(len(titles), 5) if rows == 1 else len(titles)
    down = rows if rows > 1 else -(-len(titles) // across)
    figure = Figure(figsize=(width * across, height * down), layout="constrained")
    axes = figure.subplots(down, across, squeeze=False, sharex=share == "x")
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(alpha=0.25)
    for axis in axes.flat[len(titles) :] if rows == 1 else ():
        axis.set_visible(False)
    for axis, title in zip(axes.flat, titles, strict=False):
        axis.set_title(title)
    return figure, axes


def each(axes: Any, titles: Sequence[str]) -> Iterator[tuple[Any, str]]:
    """Yield each data set's panel of a single row of panels."""
    return zip(axes.flat, titles, strict=False)


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
