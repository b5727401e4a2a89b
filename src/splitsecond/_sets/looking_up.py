"""Which tree of a set a given tree is, by its questions and what its leaves say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._tables.literals import Literal
from splitsecond._trees.tree import Tree

if TYPE_CHECKING:
    from splitsecond._sets.tree_set import TreeSet

Arrays = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]


def place_of(trees: TreeSet, tree: object) -> int | None:
    """Return the number of a tree in a set; None if it is not there."""
    known = _arrays_in(tree, trees._reader.columns_of) if isinstance(tree, Tree) else None
    place = None if known is None else trees._numbering.place_of(*known[0])
    if known is None or place is None:
        return None
    own: Tree = trees[place]  # in preorder
    said = own.labels[own.prediction[own.feature < 0]].tolist()
    return place if said == known[1] else None


def _arrays_in(tree: Tree, places: Mapping[Literal, int]) -> tuple[Arrays, list[Any]] | None:
    """Return a tree in terms of other questions: its arrays in preorder, and what leaves say.

    None if it asks something else.
    """
    feature: list[int] = []
    left: list[int] = []
    right: list[int] = []
    said: list[Any] = []
    labels = tree.labels.tolist()
    waiting = [(0, -1)]  # nodes, and those of the new tree that they are on the no-side of
    while waiting:
        node, above = waiting.pop()
        here = len(feature)
        if above >= 0:
            right[above] = here
        asked = int(tree.feature[node])
        question = places.get(tree.literals[asked], -1) if asked >= 0 else -1
        if question < 0 <= asked:
            return None
        feature.append(question)
        left.append(here + 1 if asked >= 0 else -1)
        right.append(-1)
        if asked < 0:
            said.append(labels[tree.prediction[node]])
        else:
            waiting += [(int(tree.right[node]), here), (int(tree.left[node]), -1)]
    a, b, c = (np.array(part, dtype=np.int32) for part in (feature, left, right))
    return (a, b, c), said
