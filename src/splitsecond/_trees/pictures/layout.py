"""A tree as a picture: where everything goes. Drawn as SVG by `_svg`, by matplotlib in `_figures`.

The root is on the left and leaves are on the right, yes above no, so that text is horizontal and a
large tree is long rather than wide. Every subtree has a band of its own height: nothing overlaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._tables.literals import value_text
from splitsecond._trees.pictures.text_metrics import on_one_line, shortened, width_of, wrapped
from splitsecond._trees.sizes import size_text, weighted_share

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree

# Okabe and Ito's colours, which people with any kind of colour vision can tell apart.
COLOURS = (
    *("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#7F7F7F"),
)
INK, GREY, LINE, PAPER, BOX = "#1a1a1a", "#4d4d4d", "#b8b8b8", "#ffffff", "#f6f6f6"
SIZE, SMALL = 12.0, 10.5  # of letters
LEADING, SMALL_LEADING = 15.0, 13.5  # from line to line
PAD, BAR, GAP, BETWEEN = 7.0, 6.0, 8.0, 70.0  # BETWEEN: columns, for the edges
WIDEST = 215.0  # a box
THICKEST, THINNEST = 14.0, 1.2  # an edge
MOST_LISTED = 14  # classes in the legend


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str | None = None
    stroke_width: float = 1.0
    radius: float = 0.0


@dataclass(frozen=True)
class Curve:
    """A line that leaves and arrives level."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float
    colour: str


@dataclass(frozen=True)
class Text:
    """A line of text; y is that of its baseline."""

    x: float
    y: float
    text: str
    size: float = SIZE
    colour: str = INK
    bold: bool = False


@dataclass
class Group:
    """Shapes that belong together, and what they are in words."""

    title: str | None = None
    shapes: list[Box | Curve | Text] = field(default_factory=list)


@dataclass(frozen=True)
class Picture:
    """Shapes, later ones above earlier ones."""

    width: float
    height: float
    title: str
    groups: list[Group]


@dataclass(frozen=True)
class Overlay:
    """New rows at each node; their classes, if they are known."""

    n_rows: NDArray[np.int64]
    counts: NDArray[np.int64] | None


@dataclass
class _Node:
    """What a node says, and the room it takes."""

    lines: list[str]
    beside: str  # on the only line, after it
    details: list[tuple[str, NDArray[np.float64] | None]]  # a line, and class shares below it
    is_leaf: bool
    title: str
    width: float = 0.0
    height: float = 0.0
    x: float = 0.0
    y: float = 0.0  # of its middle


def picture_of(tree: Tree, overlay: Overlay | None, path: Sequence[int]) -> Picture:
    """Lay out a tree, with new rows or one row's path if there are any."""
    colours = [colour_of(i) for i in range(len(tree.classes))]
    labels = [on_one_line(str(label)) for label in tree.classes.tolist()]
    nodes = [_node(tree, node, labels, overlay) for node in range(len(tree.feature))]
    legend, below = _legend(tree, labels, colours, overlay, _place(tree, nodes))
    width = max(node.x + node.width for node in nodes)
    height = max(node.y + node.height / 2 for node in nodes)
    for group in legend:
        width = max([width, *(_right(shape) for shape in group.shapes)])
    for node in nodes:
        node.y += below
    rows: NDArray[Any] = tree.n_rows if overlay is None else overlay.n_rows
    groups = [*legend, *_edges(tree, nodes, rows, set(path))]
    groups += [_drawn(node, tree, i, colours, set(path)) for i, node in enumerate(nodes)]
    leaves = f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}"
    title = f"Decision tree: {leaves}, depth {tree.depth}, {size_text(tree, 0)}"
    return Picture(width + GAP, height + below + GAP, title, groups)


def colour_of(i: int) -> str:
    """Return the colour of the i-th class; after the eighth, the same again but darker."""
    return mixed(COLOURS[i % len(COLOURS)], 0.4 * min(i // len(COLOURS), 1), grey=0)


def mixed(colour: str, share: float, grey: int = 255) -> str:
    """Return a colour with a share of white in it, or of another grey."""
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(part + (grey - part) * share):02x}" for part in parts)


# ---- what nodes say ------------------------------------------------------------------------------


def _node(tree: Tree, node: int, labels: list[str], overlay: Overlay | None) -> _Node:
    chosen = int(tree.prediction[node])
    counts = tree.counts if tree.row_counts is None else tree.row_counts
    shares = counts[node] / counts[node].sum()
    is_leaf = bool(tree.feature[node] < 0)
    name = None if is_leaf else shortened(labels[chosen], 110, SMALL)
    said = _said(_size(tree, node), shares[chosen], name)
    details: list[tuple[str, Any]] = [(said, shares)]
    title = [f"training: {said}"]
    title += [f"{label}: {percent(share)}" for label, share in zip(labels, shares, strict=True)]
    if tree.is_weighted:
        details += _weighted(tree, node)
        title += [line for line, _ in details[1:]]
    if overlay is not None:
        new_shares = None
        if overlay.counts is not None and overlay.n_rows[node] > 0:
            new_shares = overlay.counts[node] / overlay.n_rows[node]
        share = None if new_shares is None else new_shares[chosen]
        details.append((f"new: {_said(_rows(int(overlay.n_rows[node])), share, name)}", new_shares))
        title.append(details[-1][0])
    if not is_leaf:
        literal = tree.literals[int(tree.feature[node])]
        title.insert(0, f"{literal} ?")
        return _sized(_Node(_question(literal), "", details, False, "\n".join(title)))
    title.insert(0, labels[chosen])
    lines, beside = wrapped(labels[chosen], WIDEST - 2 * PAD, SIZE, bold=True), ""
    if len(lines) == 1 and len(details) == 1:
        taken = width_of(lines[0], SIZE, bold=True) + 8 + width_of(said, SMALL)
        if taken <= WIDEST - 2 * PAD:
            beside, details = said, [("", shares)]
    return _sized(_Node(lines, beside, details, True, "\n".join(title)))


def _weighted(tree: Tree, node: int) -> list[tuple[str, Any]]:
    """Say what share of the weight is of the class predicted, if not said already."""
    if tree.row_counts is None:
        return []
    said = f"weighted share {percent(weighted_share(tree, node))}"
    return [(said, tree.counts[node] / tree.counts[node].sum())]


def _size(tree: Tree, node: int) -> str:
    return size_text(tree, node) if tree.row_counts is None else _rows(int(tree.n_rows[node]))


def _rows(n_rows: int) -> str:
    return "no rows" if n_rows == 0 else "1 row" if n_rows == 1 else f"{n_rows:,} rows"


def _said(rows: str, share: float | None, name: str | None) -> str:
    """Say how many rows there are, and how many of them are of the class predicted."""
    if share is None:
        return rows
    return f"{percent(share)} of {rows}" if name is None else f"{rows} · {percent(share)} {name}"


def _question(literal: Any) -> list[str]:
    """Break a question into lines; what the variable is compared with stays in one piece."""
    name = on_one_line(literal.name)
    room = WIDEST - 2 * PAD
    if literal.operator == "is 1":
        return wrapped(f"{name} ?", room, SIZE)
    if literal.operator == "is missing":
        tail = "is missing ?"
    else:
        tail = f"{literal.operator} {on_one_line(value_text(literal.value))} ?"
    ends = [tail]
    if width_of(tail, SIZE) > room:  # no number is as long
        ends = wrapped(tail, room, SIZE)
    lines = wrapped(name, room, SIZE)
    if width_of(f"{lines[-1]} {ends[0]}", SIZE) <= room:
        lines[-1:] = [f"{lines[-1]} {ends[0]}"]
        ends = ends[1:]
    return lines + ends


def percent(share: float) -> str:
    """Write a share; one that is not all or nothing never reads so."""
    return "<1%" if 0 < share < 0.005 else ">99%" if 0.995 < share < 1 else f"{share:.0%}"


def _sized(node: _Node) -> _Node:
    widths = [width_of(line, SIZE, bold=node.is_leaf) for line in node.lines]
    if node.beside:
        widths[0] += 8 + width_of(node.beside, SMALL)
    widths += [width_of(line, SMALL) for line, _ in node.details]
    node.width = max(80.0, *widths) + 2 * PAD
    node.height = 2 * PAD + LEADING * len(node.lines) - 3
    for line, shares in node.details:
        node.height += SMALL_LEADING * bool(line) + (BAR + 3) * (shares is not None)
    return node


# ---- where they go -------------------------------------------------------------------------------


def _place(tree: Tree, nodes: list[_Node]) -> float:
    """Give each node its place, and return the width that the legend may take."""
    n = len(nodes)
    depth = np.zeros(n, dtype=int)
    for i in range(n):
        for child in (tree.left[i], tree.right[i]):
            if child >= 0:
                depth[child] = depth[i] + 1
    left = GAP
    for level in range(int(depth.max()) + 1):
        here = [nodes[i] for i in np.flatnonzero(depth == level)]
        widest = max(node.width for node in here)
        for node in here:
            node.x, node.width = left, widest
        left += widest + BETWEEN
    band = [node.height + GAP for node in nodes]
    for i in reversed(range(n)):
        if tree.feature[i] >= 0:
            band[i] = max(band[i], band[tree.left[i]] + band[tree.right[i]])
    top = np.full(n, GAP / 2)
    for i in range(n):
        if tree.feature[i] >= 0:
            yes, no = int(tree.left[i]), int(tree.right[i])
            top[yes] = top[i] + (band[i] - band[yes] - band[no]) / 2
            top[no] = top[yes] + band[yes]
    for i in reversed(range(n)):
        room = (nodes[i].height + GAP) / 2
        nodes[i].y = float(top[i]) + band[i] / 2
        if tree.feature[i] >= 0:
            between = (nodes[tree.left[i]].y + nodes[tree.right[i]].y) / 2
            nodes[i].y = float(np.clip(between, top[i] + room, top[i] + band[i] - room))
    return max(left - BETWEEN, 460.0)


def _legend(
    tree: Tree, labels: list[str], colours: list[str], overlay: Overlay | None, room: float
) -> tuple[list[Group], float]:
    """Return the classes and their colours, and how far down they reach."""
    order = np.argsort(-tree.counts[0], kind="stable")[:MOST_LISTED]
    entries = [(colours[i], shortened(labels[i], 300, SMALL)) for i in (sorted(order.tolist()))]
    if len(labels) > MOST_LISTED:
        entries.append((PAPER, f"and {len(labels) - MOST_LISTED} more"))
    x, y, group = GAP, GAP, Group()
    for colour, label in entries:
        wide = 10 + 5 + width_of(label, SMALL) + 14
        if x > GAP and x + wide > room:
            x, y = GAP, y + LEADING
        group.shapes.append(Box(x, y, 10, 10, colour))
        group.shapes.append(Text(x + 15, y + 9, label, SMALL))
        x += wide
    y += LEADING
    if overlay is not None:
        bars = "" if overlay.counts is None else " and bar"
        note = f"upper line{bars}: training; lower line{bars}, width of edges: new rows"
        group.shapes.append(Text(GAP, y + 9, note, SMALL, GREY))
        y += LEADING
    return [group], y + 2


def _right(shape: Any) -> float:
    if isinstance(shape, Text):
        return shape.x + width_of(shape.text, shape.size, bold=shape.bold)
    return float(shape.x + shape.width)


# ---- what is drawn -------------------------------------------------------------------------------


def _edges(tree: Tree, nodes: list[_Node], rows: NDArray[np.int64], path: set[int]) -> list[Group]:
    lines, words = Group(), Group()
    whole = max(int(rows[0]), 1)
    for i, node in enumerate(nodes):
        if tree.feature[i] < 0:
            continue
        children = [(int(tree.left[i]), "yes"), (int(tree.right[i]), "no")]
        widths = [max(THICKEST * float(rows[child]) / whole, THINNEST) for child, _ in children]
        start = node.y - sum(widths) / 2
        for (child, answer), width in zip(children, widths, strict=True):
            at, right = nodes[child], node.x + node.width
            on_path = i in path and child in path
            wide = width_of(answer, SMALL, bold=on_path)
            ends = at.x - wide - 7
            lines.shapes.append(
                Curve(right, start + width / 2, ends, at.y, width, INK if on_path else LINE)
            )
            start += width
            words.shapes.append(Text(ends + 3, at.y + 3.7, answer, SMALL, INK, on_path))
    return [lines, words]


def _drawn(node: _Node, tree: Tree, i: int, colours: list[str], path: set[int]) -> Group:
    own = colours[int(tree.prediction[i])]
    y = node.y - node.height / 2
    group = Group(node.title)
    fill, stroke = (mixed(own, 0.85), own) if node.is_leaf else (BOX, "#8c8c8c")
    thick = 1.0
    if i in path:
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
    for line, shares in node.details:
        if line:
            y += SMALL_LEADING
            group.shapes.append(Text(left, y - 3, line, SMALL, GREY))
        if shares is not None:
            group.shapes += _bar(left, y + 2, node.width - 2 * PAD, shares, colours)
            y += BAR + 3
    return group


def _bar(
    x: float, y: float, width: float, shares: NDArray[np.float64], colours: list[str]
) -> list[Box]:
    """Draw class shares side by side."""
    ends = x + width * np.concatenate([[0.0], np.cumsum(shares)])
    return [
        Box(float(begin), y, float(end - begin), BAR, colour)
        for begin, end, colour in zip(ends[:-1], ends[1:], colours, strict=True)
        if end > begin
    ]
