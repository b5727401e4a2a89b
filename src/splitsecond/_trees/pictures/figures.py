"""Pictures by matplotlib, which is imported when one is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from splitsecond._support.install import install_line
from splitsecond._trees.pictures.colours import COLOURS
from splitsecond._trees.pictures.nodes import percent
from splitsecond._trees.pictures.shapes import Box, Curve, Picture, Shape
from splitsecond._trees.pictures.text_metrics import on_one_line, shortened, width_of

if TYPE_CHECKING:
    from splitsecond._paths.path import RegularizationPath


def pyplot() -> Any:
    """Return matplotlib's pyplot, or say how to install it."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(f"Plots need matplotlib: {install_line('plot')}.") from error
    return pyplot


def draw(picture: Picture, ax: Any = None) -> Any:
    """Draw a picture; in a new figure of its size, unless axes are given."""
    plots = pyplot()
    width, height = picture.width, picture.height
    if ax is None:
        figure = plots.figure(figsize=(width / 72, height / 72))
        ax = figure.add_axes((0, 0, 1, 1))
    ax.set_axis_off()
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    ax.set_aspect("equal")
    room = ax.get_window_extent()
    points = 72 / ax.figure.dpi * min(room.width / width, room.height / height)  # a unit of ours
    for level, group in enumerate(picture.groups):
        for shape in group.shapes:
            _add(ax, shape, points, level)
    return ax


def _add(ax: Any, shape: Shape, points: float, level: int) -> None:
    from matplotlib.patches import FancyBboxPatch, PathPatch
    from matplotlib.path import Path

    if isinstance(shape, Box):
        style = f"round,pad=0,rounding_size={shape.radius}" if shape.radius else "square,pad=0"
        corner, size = (shape.x, shape.y), (shape.width, shape.height)
        line: dict[str, Any] = {
            "edgecolor": shape.stroke or "none",
            "linewidth": shape.stroke_width * points,
        }
        ax.add_patch(
            FancyBboxPatch(
                corner, *size, boxstyle=style, facecolor=shape.fill, zorder=2 + level, **line
            )
        )
    elif isinstance(shape, Curve):
        middle = (shape.x0 + shape.x1) / 2
        places = [
            (shape.x0, shape.y0),
            (middle, shape.y0),
            (middle, shape.y1),
            (shape.x1, shape.y1),
        ]
        path = Path(places, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
        ax.add_patch(
            PathPatch(
                path,
                facecolor="none",
                edgecolor=shape.colour,
                linewidth=shape.width * points,
                capstyle="butt",
                zorder=2 + level,
            )
        )
    else:
        ax.text(
            shape.x,
            shape.y,
            shape.text,
            size=shape.size * points,
            color=shape.colour,
            weight="bold" if shape.bold else "normal",
            ha="left",
            va="baseline",
            zorder=2 + level,
            parse_math=False,  # a name may have dollar signs
        )


# ---- plots with axes -----------------------------------------------------------------------------

BLUE, ORANGE = COLOURS[:2]
MAX_BARS = 40
LARGEST = 10**300  # number that can be drawn


def plot_objectives(bins: Sequence[tuple[float, float, int]], bound: float, ax: Any = None) -> Any:
    """Draw how many trees of a set there are for each range of objectives."""
    ax = new_axes(ax, (7, 4))
    if not bins:
        raise ValueError("There is no tree to draw: the set is empty.")
    begins, ends, counts = zip(*bins, strict=True)
    width = ends[0] - begins[0]
    if width == 0:  # a single objective: a thin bar around it
        width = max(abs(begins[0]), 1.0) * 0.01
        begins = (begins[0] - width / 2,)
    whole = sum(counts)
    is_huge = whole > LARGEST
    heights = [count / whole if is_huge else float(count) for count in counts]
    ax.bar(begins, heights, width * 0.94, align="edge", color=BLUE)
    lowest = min(height for height in heights if height > 0)
    if max(heights) > 50 * lowest:
        ax.set_yscale("log")
        ax.set_ylim(bottom=lowest / 2)  # the lowest bar is to be seen, too
    elif not is_huge:
        ax.yaxis.get_major_locator().set_params(integer=True)
    ax.axvline(bound, color=ORANGE, linestyle="--", linewidth=1.2, label="bound of the set")
    ax.set_xlabel("objective: training loss + penalty of the leaves")
    ax.set_ylabel("share of the trees" if is_huge else "trees")
    ax.legend(frameon=False, loc="upper left")
    return plain_sides(ax)


def plot_usage(shares: dict[str, float], what: str, ax: Any = None) -> Any:
    """Draw the share of the trees of a set that ask about each variable."""
    names = short_names(shares)
    ax = new_axes(ax, (5 + longest(names), 1.2 + 0.3 * max(len(names), 1)))
    places = range(len(names))
    bars = ax.barh(places, list(shares.values()), color=BLUE, height=0.72)
    ax.bar_label(bars, [percent(share) for share in shares.values()], padding=3)
    ax.set_yticks(places, names, parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlim(0, 1.12)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    ax.set_xlabel(f"trees that ask about the {what}")
    return plain_sides(ax)


def plot_frontier(path: RegularizationPath, ax: Any = None) -> Any:
    """Draw the loss of the trees of a path against their leaves; a score has axes of its own."""
    ax = new_axes(ax, (7.5, 4.5))
    leaves = [entry.n_leaves for entry in path]
    loss_of = path[0].tree.loss
    decides = loss_of.name == "zero_one"
    is_plain = decides or loss_of.is_of_numbers  # as the objective counts it
    losses = [entry.loss if is_plain else entry.tree.training_loss for entry in path]
    shown = ax.plot(leaves, losses, "o-", color=BLUE, label="training")
    if path[0].cv_standard_error is not None:
        shown += _plot_validation(path, ax if path.scoring_ is None else _right_of(ax, path))
    # As many lambdas as there is room for.
    widest = max(width_of(_lambda(entry), 8) for entry in path)
    points = ax.get_window_extent().width * 72 / ax.figure.dpi
    apart = max(1, (max(leaves) - min(leaves)) * 1.3 * widest / points)
    last = -apart
    for entry, loss in sorted(zip(path, losses, strict=True), key=lambda pair: pair[0].n_leaves):
        if entry.n_leaves >= last + apart:
            below = {"xytext": (-3, -12), "textcoords": "offset points", "ha": "right"}
            ax.annotate(_lambda(entry), (entry.n_leaves, loss), size=8, color=BLUE, **below)
            last = entry.n_leaves
    ax.margins(x=0.06, y=0.12)
    ax.set_xlabel("leaves (below the line: λ that gives the tree)")
    of_what = ", as a share of a single leaf's" if is_plain else " of a row"
    ax.set_ylabel("loss: share of errors" if decides else f"{loss_of.title}{of_what}")
    ax.xaxis.get_major_locator().set_params(integer=True)
    # Between two lines of which one rises and one falls there is no room.
    above = {} if path.scoring_ is None else {"loc": "lower left", "bbox_to_anchor": (0, 1)}
    ax.legend(handles=shown, frameon=False, labelspacing=0.8, **above)
    return plain_sides(ax)


def _plot_validation(path: RegularizationPath, ax: Any) -> list[Any]:
    """Draw what the trees of a path lose or score on held-out rows, and mark the chosen ones."""
    leaves = [entry.n_leaves for entry in path]
    means = [entry._cv_mean() if math.isfinite(entry._cv_mean()) else math.nan for entry in path]
    errors = [
        0.0 if math.isnan(mean) else entry.cv_standard_error
        for mean, entry in zip(means, path, strict=True)
    ]
    style = {"color": ORANGE, "capsize": 3, "linewidth": 1.2}
    what = "cross-validated" if path.scoring_ is None else f"cross-validated {path.scoring_}"
    label = f"{what}, ± 1 s.e."
    shown = [ax.errorbar(leaves, means, errors, fmt="s--", label=label, **style)]
    best, simplest = path.best_, path.one_standard_error_
    first = "least" if path.scoring_ is None else "highest"
    names = [first, "simplest within 1 s.e."]
    if best is simplest:
        names = [f"{first}, and simplest within 1 s.e."]
    for entry, marker, name in zip((best, simplest), "oD", names, strict=False):
        ring = {"markerfacecolor": "none", "markeredgecolor": "#1a1a1a", "linestyle": "none"}
        at = [entry.n_leaves], [entry._cv_mean()]
        label = f"{name}: λ = {_lambda(entry)}"
        shown += ax.plot(*at, marker, markersize=13, label=label, **ring)
    return shown


def _right_of(ax: Any, path: RegularizationPath) -> Any:
    """Return axes for a score, which has other units than the loss."""
    right = ax.twinx()
    right.set_ylabel(path.scoring_, color=ORANGE, parse_math=False)
    right.margins(x=0.06, y=0.12)
    right.spines["top"].set_visible(False)
    return right


def _lambda(entry: Any) -> str:
    return f"{entry.regularization:.3g}"


def short_names(names: Iterable[str]) -> list[str]:
    """Return names that leave room for a drawing."""
    return [shortened(on_one_line(name), 300, 10) for name in names]


def longest(names: list[str]) -> float:
    """Return the length of the longest name in inches."""
    return max((width_of(name, 10) for name in names), default=0) / 72


def new_axes(ax: Any, size: tuple[float, float]) -> Any:
    """Return the axes given, or new ones."""
    return pyplot().subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def plain_sides(ax: Any) -> Any:
    """Leave out the sides of axes that have no numbers."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax
