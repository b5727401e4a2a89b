"""Small histograms of the numbers at nodes, all on the same axis, and the colours of their means.

Bins are drawn equally wide. The outermost hold the 1 % of the training rows at either end, however
far away these are, so that a few of them do not take all the room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from splitsecond._solving.number_losses import power_of_two
from splitsecond._trees.number_texts import NumberTexts
from splitsecond._trees.pictures.colours import GREY, INK, on_scale
from splitsecond._trees.pictures.nodes import HISTOGRAM, SMALL, Histogram
from splitsecond._trees.pictures.shapes import Box, Shape, Text
from splitsecond._trees.pictures.text_metrics import width_of

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree

ABOVE, BELOW = 4.0, 7.0  # room above the bars, and below them for an interval
SEAM = 1.0  # between bars
MARK = 1.4  # the line of the mean
LOWEST = 1.0  # bar: of a row among very many
SWATCHES, SWATCH = 9, 10.0  # of the scale of colours


def histogram_of(
    bins: NDArray[np.float64],
    rows: NDArray[np.int64],
    mean: float,
    limits: NDArray[np.float64] | None,
) -> Histogram:
    """Return what is drawn of the rows in each bin, their mean and its limits."""
    ends = None
    if limits is not None and not np.isinf(limits).all():
        ends = on_axis(bins, float(limits[0])), on_axis(bins, float(limits[1]))
    return Histogram(rows / max(int(rows.max()), 1), on_axis(bins, mean), ends)


def on_axis(bins: NDArray[np.float64], value: float) -> float:
    """Return where a number is on the axis of the bins, from 0 to 1; outside of it, at its end."""
    if bins[0] == bins[-1]:
        return 0.5
    unit = power_of_two(float(np.abs(bins).max()))  # differences are then within floats
    value = float(np.clip(value, bins[0], bins[-1]))
    return float(np.interp(value / unit, bins / unit, np.linspace(0, 1, len(bins))))


def said_of_histograms(said: NumberTexts) -> str:
    """Say what the histograms show."""
    bins = said.tree.bins
    assert bins is not None
    ends = f"from {said.value(float(bins[0]))} to {said.value(float(bins[-1]))}"
    return f"histogram: training rows by their number, {ends}; vertical line: the {said.word}"


def histogram_shapes(
    x: float, y: float, width: float, drawn: Histogram, colour: str
) -> list[Shape]:
    """Draw bars on a line, a mark at the mean, and a line below for its interval."""
    top, bottom = y + ABOVE, y + HISTOGRAM - BELOW
    wide = width / len(drawn.heights)
    seam = SEAM if len(drawn.heights) > 1 else 0.0
    shapes: list[Shape] = [Box(x, bottom, width, 0.8, GREY)]
    for i, height in enumerate(drawn.heights.tolist()):
        if height > 0:
            high = max(height * (bottom - top), LOWEST)
            shapes.append(Box(x + i * wide, bottom - high, wide - seam, high, colour))
    at = x + drawn.mean * (width - MARK)
    shapes.append(Box(at, top - 2, MARK, bottom - top + 2, INK))
    if drawn.limits is not None:
        low, high = (x + share * (width - MARK) for share in drawn.limits)
        shapes.append(Box(low, bottom + 2.6, high - low + MARK, 1.8, INK))
    return shapes


def scale_colours(tree: Tree) -> list[str]:
    """Return the colour of each node: by its mean, from the lowest to the highest of the leaves."""
    means = np.asarray(tree.labels, dtype=np.float64) / 2  # a difference is then within floats
    low, high = means[tree.feature < 0].min(), means[tree.feature < 0].max()
    if low == high:
        return [on_scale(0.5)] * len(means)
    shares = np.clip((means - low) / (high - low), 0, 1)
    return [on_scale(share) for share in shares.tolist()]


def scale_shapes(said: NumberTexts, x: float, y: float) -> list[Shape]:
    """Draw the scale of colours, with the means of the leaves that are at its ends."""
    means = said.tree.labels[said.tree.feature < 0]
    ends = [said.value(float(means.min())), said.value(float(means.max()))]
    shares = [0.5] if means.min() == means.max() else np.linspace(0, 1, SWATCHES).tolist()
    words = f"{said.word} of a leaf: {ends[0]}"
    shapes: list[Shape] = [Text(x, y + 9, words, SMALL)]
    x += width_of(words, SMALL) + 5
    for share in shares:
        shapes.append(Box(x, y, SWATCH, SWATCH, on_scale(share)))
        x += SWATCH
    return [*shapes, Text(x + 5, y + 9, ends[1], SMALL)] if len(shares) > 1 else shapes
