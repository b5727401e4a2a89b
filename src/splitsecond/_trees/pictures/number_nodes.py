"""What the nodes of a picture say where a tree predicts numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splitsecond._trees.number_texts import NumberTexts
from splitsecond._trees.pictures.histograms import histogram_of
from splitsecond._trees.pictures.nodes import Detail, Node, question_lines, sized
from splitsecond._trees.pictures.overlay import Overlay
from splitsecond._trees.sizes import rows_text, size_text


def number_node(said: NumberTexts, node: int, overlay: Overlay | None) -> Node:
    """Return a node: its question or mean, its rows, and in a leaf a histogram."""
    tree = said.tree
    is_leaf = bool(tree.feature[node] < 0)
    rows = f"{size_text(tree, node)}{said.weight(node)}"
    title = [f"training: {rows}, {said.about(node, node)}", *_listed(said, node)]
    new = None if overlay is None else _new(said, node, overlay)
    if new is not None:
        title.append(new.line)
    added = [] if new is None else [new]
    if not is_leaf:
        literal = tree.literals[int(tree.feature[node])]
        details = [Detail(f"{rows} · {said.word} {said.label(node)}"), *added]
        text = "\n".join([f"{literal} ?", *title])
        return sized(Node(question_lines(literal), "", details, False, text))
    limits = None if said.limits is None else said.limits[node]
    value = float(tree.labels[node])
    drawn = None
    if tree.row_counts is not None and tree.bins is not None:
        drawn = histogram_of(tree.bins, tree.row_counts[node], value, limits)
    details = [Detail(rows, histogram=drawn), *added]
    text = "\n".join([said.label(node), *title])
    return sized(Node([said.label(node)], said.interval(value, limits), details, True, text))


def _new(said: NumberTexts, node: int, overlay: Overlay) -> Detail:
    """Say the same of new rows."""
    tree, size = said.tree, rows_text(int(overlay.n_rows[node]))
    if overlay.sums is None or overlay.n_rows[node] == 0:
        return Detail(f"new: {size}")
    assert overlay.counts is not None
    assert overlay.loss is not None
    one: NDArray[np.float64] = overlay.sums[[node]]
    mean = float(overlay.loss.value(one)[0])
    line = f"new: {size} · {said.word} {said.value(mean)}"
    if tree.feature[node] >= 0:
        return Detail(line)
    found = said.limits_of_sums(overlay.loss, one, overlay.n_rows[[node]])
    limits = None if found is None else found[0]
    interval = said.interval(mean, limits)
    line = f"{line} {interval}" if interval else line
    if tree.bins is None:
        return Detail(line)
    return Detail(line, histogram=histogram_of(tree.bins, overlay.counts[node], mean, limits))


def _listed(said: NumberTexts, node: int) -> list[str]:
    """List the rows in each bin."""
    tree = said.tree
    if tree.bins is None or tree.row_counts is None:
        return []
    edges = [said.value(float(edge)) for edge in tree.bins]
    return [
        f"{low} to {high}: {rows_text(rows)}"
        for low, high, rows in zip(edges, edges[1:], tree.row_counts[node].tolist(), strict=False)
    ]
