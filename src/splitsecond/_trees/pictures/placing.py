"""Where the nodes of a picture go: in columns from left to right, every subtree in its own band.

A tree that is too wide for a page is folded: where one child is a leaf, or needs fewer columns than
the other, the other stands below its parent, in the same column. A chain of questions then runs
down the page, with its leaves beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from splitsecond._trees.pictures.nodes import Node
from splitsecond._trees.pictures.text_metrics import total

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree

GAP, BETWEEN = 8.0, 70.0  # BETWEEN: columns, for the edges
DOWN = 20.0  # room for an edge to a child below
PAGE = 1300.0  # what is wider is folded
NOWHERE = -1

Folding = NDArray[np.intp]  # the child below each node, or NOWHERE: both are on its right


def place(tree: Tree, nodes: Sequence[Node], page: float = PAGE) -> Folding:
    """Give each node its place, and return how the tree was folded to fit a page, if it was."""
    best = min(
        _foldings(tree),
        key=lambda below: max(page, _width(nodes, _columns(tree, below))),  # the first that fits
    )
    columns = _columns(tree, best)
    left = GAP
    for column, widest in enumerate(_widths(nodes, columns)):
        for i in np.flatnonzero(columns == column).tolist():
            nodes[i].x, nodes[i].width = left, widest
        left += widest + BETWEEN
    _place_rows(tree, nodes, best)
    return best


def _foldings(tree: Tree) -> Iterator[Folding]:
    """Return ways to draw a tree, from wide to narrow."""
    n = len(tree.feature)
    yield np.full(n, NOWHERE)
    chain, narrow = np.full(n, NOWHERE), np.full(n, NOWHERE)
    needs = np.ones(n, dtype=int)  # columns, of the narrowest
    for i in reversed(range(n)):
        if tree.feature[i] < 0:
            continue
        children = sorted((int(tree.left[i]), int(tree.right[i])), key=lambda j: needs[j])
        inner = [j for j in children if tree.feature[j] >= 0]
        if len(inner) == 1:
            chain[i] = inner[0]
        is_even = needs[children[0]] == needs[children[1]]
        needs[i] = needs[children[1]] + is_even
        if not is_even:
            narrow[i] = children[1]
    yield chain
    yield narrow


def _columns(tree: Tree, below: Folding) -> NDArray[np.intp]:
    columns = np.zeros(len(below), dtype=np.intp)
    for i in range(len(below)):
        for child in (tree.left[i], tree.right[i]):
            if child >= 0:
                columns[child] = columns[i] + (child != below[i])
    return columns


def _widths(nodes: Sequence[Node], columns: NDArray[np.intp]) -> list[float]:
    widths = [0.0] * (int(columns.max()) + 1)
    for node, column in zip(nodes, columns.tolist(), strict=True):
        widths[column] = max(widths[column], node.width)
    return widths


def _width(nodes: Sequence[Node], columns: NDArray[np.intp]) -> float:
    widths = _widths(nodes, columns)
    return total(widths) + BETWEEN * (len(widths) - 1) + 2 * GAP


def _place_rows(tree: Tree, nodes: Sequence[Node], below: Folding) -> None:
    """Give each node its height on the page."""
    n = len(nodes)
    own = [node.height + GAP for node in nodes]
    beside = list(own)  # of a node and what is on its right
    band = list(own)  # of a node and all that follows
    for i in reversed(range(n)):
        right = _on_the_right(tree, below, i)
        beside[i] = max(own[i], sum(band[child] for child in right))
        band[i] = beside[i]
        if below[i] != NOWHERE:
            band[i] += DOWN + band[below[i]]
    top = np.full(n, GAP / 2)
    for i in range(n):
        right = _on_the_right(tree, below, i)
        start = top[i] + (beside[i] - sum(band[child] for child in right)) / 2
        for child in right:
            top[child] = start
            start += band[child]
        if below[i] != NOWHERE:
            top[below[i]] = top[i] + beside[i] + DOWN
    for i in reversed(range(n)):
        right = _on_the_right(tree, below, i)
        middle = top[i] + beside[i] / 2
        if right:
            middle = sum(nodes[child].y for child in right) / len(right)
        room = own[i] / 2
        nodes[i].y = float(np.clip(middle, top[i] + room, top[i] + beside[i] - room))


def _on_the_right(tree: Tree, below: Folding, i: int) -> list[int]:
    """Return the children of a node that are on its right, from top to bottom."""
    if tree.feature[i] < 0:
        return []
    return [j for j in (int(tree.left[i]), int(tree.right[i])) if j != below[i]]
