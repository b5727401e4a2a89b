"""What the nodes of a picture say, and the room that takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from splitsecond._tables.literals import value_text
from splitsecond._trees.pictures.overlay import Overlay
from splitsecond._trees.pictures.text_metrics import on_one_line, shortened, width_of, wrapped
from splitsecond._trees.sizes import (
    NodeTexts,
    interval,
    probability,
    rows_text,
    size_text,
    weighted_share,
)

SIZE, SMALL, TINY = 12.0, 10.5, 8.5  # of letters
LEADING, SMALL_LEADING = 15.0, 13.5  # from line to line
PAD, BAR = 7.0, 11.0
HISTOGRAM = 34.0
WIDEST = 215.0  # a box


class Histogram(NamedTuple):
    """Rows by bin, and where their mean and its limits are on the axis, from 0 to 1."""

    heights: NDArray[np.float64]  # the highest is 1
    mean: float
    limits: tuple[float, float] | None = None


class Detail(NamedTuple):
    """A line of a node, and a bar of class shares or a histogram below it."""

    line: str
    shares: NDArray[np.float64] | None = None
    limits: NDArray[np.float64] | None = None  # of the first class, on a bar of two
    rows: NDArray[np.int64] | None = None  # of each class; None: only their weight is known
    histogram: Histogram | None = None


@dataclass
class Node:
    """What a node says, and the room it takes."""

    lines: list[str]
    beside: str  # on the only line, after it
    details: list[Detail]
    is_leaf: bool
    title: str
    width: float = 0.0
    height: float = 0.0
    x: float = 0.0
    y: float = 0.0  # of its middle


def node_of(
    said: NodeTexts, node: int, classes: list[str], labels: list[str], overlay: Overlay | None
) -> Node:
    """Return a node; classes and labels are those of the tree, on one line each."""
    tree = said.tree
    is_leaf = bool(tree.feature[node] < 0)
    details = _training(said, node, classes)
    title = [f"training: {details[0].line}", *_listed(said, node, classes)]
    title += [detail.line for detail in details[1:]]
    if overlay is not None:
        details.append(_new(said, node, classes, overlay))
        title.append(details[-1].line)
    if not is_leaf:
        literal = tree.literals[int(tree.feature[node])]
        title.insert(0, f"{literal} ?")
        return sized(Node(question_lines(literal), "", details, False, "\n".join(title)))
    label = labels[tree.prediction[node]]
    title.insert(0, label)
    lines, beside = wrapped(label, WIDEST - 2 * PAD, SIZE, bold=True), ""
    first = details[0]
    if len(lines) == 1 and (len(details) == 1 or first.shares is None):
        taken = width_of(lines[0], SIZE, bold=True) + 8 + width_of(first.line, SMALL)
        if taken <= WIDEST - 2 * PAD:
            beside, details[0] = first.line, first._replace(line="")
    return sized(Node(lines, beside, details, True, "\n".join(title)))


def _training(said: NodeTexts, node: int, classes: list[str]) -> list[Detail]:
    """Say how many training rows there are, and how many are of the class the node is about."""
    tree, of = said.tree, said.subject(node)
    counts = tree.counts if tree.row_counts is None else tree.row_counts
    rows = None if tree.row_counts is None else tree.row_counts[node]
    shares = counts[node] / counts[node].sum()
    size = size_text(tree, node) if tree.row_counts is None else rows_text(int(tree.n_rows[node]))
    is_leaf = bool(tree.feature[node] < 0)
    limits = said.limits_of(node, of) if is_leaf else None
    share = _share(said, shares[of], limits, None if is_leaf else classes[of])
    on_bar = None if limits is None or len(classes) != 2 else said.limits_of(node, 0)
    if not is_leaf:
        details = [Detail(f"{size} · {share}", shares, None, rows)]
    elif said.is_decision:
        details = [Detail(f"{share} of {size}", shares, on_bar, rows)]
    else:
        named = _share(said, shares[of], limits, classes[of])
        details = [Detail(size), Detail(named, shares, on_bar, rows)]
    if tree.is_weighted and tree.row_counts is not None:
        share = _share(said, weighted_share(tree, node, of), None, None)
        line = f"weighted share {share}"
        details.append(Detail(line, tree.counts[node] / tree.counts[node].sum()))
    return details


def _new(said: NodeTexts, node: int, classes: list[str], overlay: Overlay) -> Detail:
    """Say the same of new rows."""
    of, is_leaf = said.subject(node), bool(said.tree.feature[node] < 0)
    size = rows_text(int(overlay.n_rows[node]))
    if overlay.counts is None or overlay.n_rows[node] == 0:
        return Detail(f"new: {size}")
    counts = overlay.counts[node]
    shares = counts / counts.sum()
    limits = said.limits_of_counts(counts) if is_leaf else None
    own, on_bar = (None, None) if limits is None else (limits[of], limits[0])
    name = None if is_leaf and said.is_decision else classes[of]
    share = _share(said, shares[of], own, name)
    line = f"new: {share} of {size}" if name is None else f"new: {size} · {share}"
    return Detail(line, shares, on_bar if len(classes) == 2 else None, counts)


def _listed(said: NodeTexts, node: int, classes: list[str]) -> list[str]:
    """List the share of every class."""
    tree = said.tree
    counts = tree.counts if tree.row_counts is None else tree.row_counts
    shares = counts[node] / counts[node].sum()
    return [
        f"{label}: {_share(said, share, said.limits_of(node, i), None)}"
        for i, (label, share) in enumerate(zip(classes, shares, strict=True))
    ]


def _share(
    said: NodeTexts, share: float, limits: NDArray[np.float64] | None, name: str | None
) -> str:
    """Write a share as the tree does, with its interval and the name of its class."""
    written = percent if said.is_decision else probability
    text = f"{written(share)}{interval(limits, written)}"
    if name is None:
        return text
    name = shortened(name, 110, SMALL)
    return f"{text} {name}" if said.is_decision else f"p({name}) {text}"


def percent(share: float) -> str:
    """Write a share; one that is not all or nothing never reads so."""
    return "<1%" if 0 < share < 0.005 else ">99%" if 0.995 < share < 1 else f"{share:.0%}"


def question_lines(literal: Any) -> list[str]:
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


def sized(node: Node) -> Node:
    """Give a node the room that it takes."""
    widths = [width_of(line, SIZE, bold=node.is_leaf) for line in node.lines]
    if node.beside:
        widths[0] += 8 + width_of(node.beside, SMALL)
    widths += [width_of(detail.line, SMALL) for detail in node.details]
    node.width = max(80.0, *widths) + 2 * PAD
    node.height = 2 * PAD + LEADING * len(node.lines) - 3
    for detail in node.details:
        node.height += SMALL_LEADING * bool(detail.line) + (BAR + 3) * (detail.shares is not None)
        node.height += HISTOGRAM * (detail.histogram is not None)
    return node
