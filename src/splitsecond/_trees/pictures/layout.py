"""A tree as a picture: where everything goes. Drawn as SVG by `svg`, by matplotlib in `figures`.

The root is on the left and leaves are on the right, yes above no, so that text is horizontal and a
large tree is long rather than wide. One that would be wider than a page is folded: see `placing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from splitsecond._trees.number_texts import NumberTexts
from splitsecond._trees.pictures.colours import (
    BOX,
    GREY,
    INK,
    LINE,
    PAPER,
    colour_of,
    ink_on,
    mixed,
)
from splitsecond._trees.pictures.histograms import (
    histogram_shapes,
    said_of_histograms,
    scale_colours,
    scale_shapes,
)
from splitsecond._trees.pictures.nodes import (
    BAR,
    HISTOGRAM,
    LEADING,
    PAD,
    SIZE,
    SMALL,
    SMALL_LEADING,
    TINY,
    Detail,
    Node,
    node_of,
)
from splitsecond._trees.pictures.number_nodes import number_node
from splitsecond._trees.pictures.overlay import Overlay
from splitsecond._trees.pictures.placing import GAP, PAGE, Folding, place
from splitsecond._trees.pictures.shapes import Box, Curve, Group, Picture, Shape, Text
from splitsecond._trees.pictures.text_metrics import on_one_line, shortened, width_of
from splitsecond._trees.sizes import NodeTexts, size_text

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree

THICKEST, THINNEST = 14.0, 1.2  # an edge
SEAM = 1.0  # between the parts of a bar
INDENT = 22.0  # of an edge to the node below
LIGHT = 0.85  # share of white in the colour of a leaf
MAX_LISTED = 14  # classes in the legend

Said = NodeTexts | NumberTexts


def picture_of(
    said: Said, overlay: Overlay | None, path: Sequence[int], page: float = PAGE
) -> Picture:
    """Lay out a tree, with new rows or one row's path if there are any; on a page of some width."""
    tree = said.tree
    names = _Names.of(said)
    nodes = [
        number_node(said, node, overlay)
        if isinstance(said, NumberTexts)
        else node_of(said, node, names.classes, names.labels, overlay)
        for node in range(len(tree.feature))
    ]
    folding = place(tree, nodes, page)
    width = max(node.x + node.width for node in nodes)
    legend, below = _legend(said, names, overlay, max(width, 460.0))
    height = max(node.y + node.height / 2 for node in nodes)
    for group in legend:
        width = max([width, *(_right(shape) for shape in group.shapes)])
    for node in nodes:
        node.y += below
    rows: NDArray[Any] = tree.n_rows if overlay is None else overlay.n_rows
    groups = [*legend, *_edges(tree, nodes, rows, set(path), folding)]
    # Histograms are as wide as the narrowest leaf, so that their axes are the same to the eye.
    room = min(node.width for node in nodes if node.is_leaf) - 2 * PAD
    for i, node in enumerate(nodes):
        own = names.label_colours[int(tree.prediction[i])]
        groups.append(_drawn(node, own, names.colours, room, is_marked=i in path))
    leaves = f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}"
    kind = "Regression" if tree.loss.is_of_numbers else "Decision"
    title = f"{kind} tree: {leaves}, depth {tree.depth}, {size_text(tree, 0)}"
    return Picture(width + GAP, height + below + GAP, title, groups)


@dataclass(frozen=True)
class _Names:
    """Classes, which bars are made of, and labels, which leaves say; each with its colour."""

    classes: list[str]
    colours: list[str]
    labels: list[str]
    label_colours: list[str]
    further: list[int]  # labels that are no classes

    @classmethod
    def of(cls, said: Said) -> Self:
        """Give an action that is a class the colour of the class, and others one of their own."""
        tree = said.tree
        if isinstance(said, NumberTexts):
            return cls([], [], [], scale_colours(tree), [])
        classes, labels = tree.classes.tolist(), tree.labels.tolist()
        place = {label: i for i, label in enumerate(classes)}
        further = [i for i, label in enumerate(labels) if label not in place]
        place |= {labels[i]: len(classes) + k for k, i in enumerate(further)}
        return cls(
            [on_one_line(str(label)) for label in classes],
            [colour_of(i) for i in range(len(classes))],
            [on_one_line(str(label)) for label in labels],
            [colour_of(place[label]) for label in labels],
            further,
        )


# ---- the legend ----------------------------------------------------------------------------------


def _legend(
    said: Said, names: _Names, overlay: Overlay | None, room: float
) -> tuple[list[Group], float]:
    """Return what colours and lines stand for, and how far down that reaches."""
    y = GAP
    group = Group()
    if isinstance(said, NumberTexts):
        group.shapes += scale_shapes(said, GAP, y)
    else:
        y = _add_entries(group, _entries(said.tree, names), room)
    y += LEADING
    for note in _notes(said, names, overlay):
        group.shapes.append(Text(GAP, y + 9, note, SMALL, GREY))
        y += LEADING
    return [group], y + 2


def _add_entries(group: Group, entries: list[tuple[Box, str]], room: float) -> float:
    """List colours with their names, and return how far down the last line is."""
    x, y = GAP, GAP
    for swatch, name in entries:
        label = shortened(name, 300, SMALL)
        wide = 10 + 5 + width_of(label, SMALL) + 14
        if x > GAP and x + wide > room:
            x, y = GAP, y + LEADING
        group.shapes.append(replace(swatch, x=x, y=y))
        group.shapes.append(Text(x + 15, y + 9, label, SMALL))
        x += wide
    return y


def _notes(said: Said, names: _Names, overlay: Overlay | None) -> list[str]:
    """Say what is beside shares and means, and what is new."""
    notes, note = [], said.note()
    is_of_numbers = isinstance(said, NumberTexts)
    if isinstance(said, NumberTexts):
        notes.append(said_of_histograms(said))
    if note is not None:
        on_bars = ", the line on a bar" if len(names.classes) == 2 else ""
        on_bars = ", the line below a histogram" if is_of_numbers else on_bars
        notes.append(note.replace(":", f"{on_bars}:", 1))
    if overlay is not None:
        drawn = " and histogram" if is_of_numbers else " and bar"
        drawn = "" if overlay.counts is None else drawn
        score = ""
        if isinstance(said, NumberTexts) and overlay.score is not None:
            score = f" ({said.score_word} {overlay.score:.3f})"
        notes.append(
            f"upper line{drawn}: training; lower line{drawn}, width of edges: new rows{score}"
        )
    return notes


def _entries(tree: Tree, names: _Names) -> list[tuple[Box, str]]:
    """List the classes as they are in bars, then further actions as they are in leaves."""
    order = np.argsort(-tree.counts[0], kind="stable")[:MAX_LISTED]
    entries = [
        (Box(0, 0, 10, 10, names.colours[i]), names.classes[i]) for i in sorted(order.tolist())
    ]
    if len(names.classes) > MAX_LISTED:
        entries.append((Box(0, 0, 10, 10, PAPER), f"and {len(names.classes) - MAX_LISTED} more"))
    for i in names.further[:MAX_LISTED]:
        own = names.label_colours[i]
        entries.append((Box(0, 0, 10, 10, mixed(own, LIGHT), own, 1.0, 3), names.labels[i]))
    if len(names.further) > MAX_LISTED:
        entries.append((Box(0, 0, 10, 10, PAPER), f"and {len(names.further) - MAX_LISTED} more"))
    return entries


def _right(shape: Any) -> float:
    if isinstance(shape, Text):
        return shape.x + width_of(shape.text, shape.size, bold=shape.bold)
    return float(shape.x + shape.width)


# ---- what is drawn -------------------------------------------------------------------------------


def _edges(
    tree: Tree, nodes: list[Node], rows: NDArray[np.int64], path: set[int], folding: Folding
) -> list[Group]:
    lines, words = Group(), Group()
    whole = max(int(rows[0]), 1)
    for i, node in enumerate(nodes):
        if tree.feature[i] < 0:
            continue
        children = [(int(tree.left[i]), "yes"), (int(tree.right[i]), "no")]
        widths = [max(THICKEST * float(rows[child]) / whole, THINNEST) for child, _ in children]
        on_right = [w for (j, _), w in zip(children, widths, strict=True) if j != folding[i]]
        start = node.y - sum(on_right) / 2
        for (child, answer), width in zip(children, widths, strict=True):
            on_path = i in path and child in path
            word = Text(0, 0, answer, SMALL, INK, on_path)
            if child == folding[i]:
                edge, word = _edge_down(node, nodes[child], width, word)
            else:
                edge, word = _edge_right(node, nodes[child], start + width / 2, width, word)
                start += width
            lines.shapes.append(replace(edge, colour=INK) if on_path else edge)
            words.shapes.append(word)
    return [lines, words]


def _edge_right(
    node: Node, child: Node, start: float, width: float, word: Text
) -> tuple[Curve, Text]:
    ends = child.x - width_of(word.text, word.size, bold=word.bold) - 7
    line = Curve(node.x + node.width, start, ends, child.y, width, LINE)
    return line, replace(word, x=ends + 3, y=child.y + 3.7)


def _edge_down(node: Node, child: Node, width: float, word: Text) -> tuple[Curve, Text]:
    x, top, bottom = node.x + INDENT, node.y + node.height / 2, child.y - child.height / 2
    line = Curve(x, top, x, bottom, width, LINE)
    return line, replace(word, x=x + width / 2 + 4, y=(top + bottom) / 2 + 3.7)


def _drawn(node: Node, own: str, colours: list[str], narrow: float, *, is_marked: bool) -> Group:
    """Draw a node; bars have the colours of classes, and histograms the own one, and less room."""
    y = node.y - node.height / 2
    group = Group(node.title)
    fill, stroke = (mixed(own, LIGHT), own) if node.is_leaf else (BOX, "#8c8c8c")
    thick = 1.0
    if is_marked:
        stroke, thick = INK, 2.4
    group.shapes.append(
        Box(node.x, y, node.width, node.height, fill, stroke, thick, 9 if node.is_leaf else 2)
    )
    left, y = node.x + PAD, y + PAD - 3
    for line in node.lines:
        y += LEADING
        group.shapes.append(Text(left, y - 3, line, SIZE, INK, node.is_leaf))
    if node.beside:
        beside = left + width_of(node.lines[0], SIZE, bold=True) + 8
        group.shapes.append(Text(beside, y - 3, node.beside, SMALL, GREY))
    for detail in node.details:
        if detail.line:
            y += SMALL_LEADING
            group.shapes.append(Text(left, y - 3, detail.line, SMALL, GREY))
        if detail.shares is not None:
            room = node.width - 2 * PAD
            group.shapes += _bar(left, y + 2, room, detail, colours)
            if detail.limits is not None:
                group.shapes.append(_whisker(left, y + 2, room, detail.limits))
            y += BAR + 3
        if detail.histogram is not None:
            group.shapes += histogram_shapes(left, y, narrow, detail.histogram, own)
            y += HISTOGRAM
    return group


def _bar(x: float, y: float, width: float, detail: Detail, colours: list[str]) -> list[Shape]:
    """Draw class shares side by side, and how many rows they are where there is room."""
    assert detail.shares is not None
    ends = (x + width * np.concatenate([[0.0], np.cumsum(detail.shares)])).tolist()
    parts = [i for i in range(len(colours)) if ends[i + 1] > ends[i]]
    shapes: list[Shape] = []
    for i in parts:
        begin, end = ends[i], ends[i + 1]
        between = SEAM if i != parts[-1] and end - begin > 2 * SEAM else 0.0
        shapes.append(Box(begin, y, end - begin - between, BAR, colours[i]))
    if detail.rows is None:
        return shapes
    taken = None
    if detail.limits is not None:
        low, high = detail.limits.tolist()
        taken = x + width * low - 3, x + width * high + 3
    for i in parts:
        number = f"{detail.rows[i]:,}"
        wide = width_of(number, TINY)
        begin, end = ends[i] + 3, ends[i + 1] - 3
        # At the ends of the bar, away from the line of an interval.
        at = begin if i == parts[0] else end - wide if i == parts[-1] else (begin + end - wide) / 2
        is_free = taken is None or at + wide <= taken[0] or at >= taken[1]
        if wide <= end - begin and is_free:
            shapes.append(Text(at, y + BAR / 2 + 0.36 * TINY, number, TINY, ink_on(colours[i])))
    return shapes


def _whisker(x: float, y: float, width: float, limits: NDArray[np.float64]) -> Box:
    """Draw an interval of the share on the left of a bar."""
    low, high = limits.tolist()
    return Box(x + width * low, y + BAR / 2 - 0.9, width * (high - low), 1.8, INK)
