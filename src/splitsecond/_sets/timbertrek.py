"""A set of trees as TimberTrek, a viewer of Rashomon sets, reads it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from splitsecond._support.messages import listed, shown
from splitsecond._tables.literals import Literal, value_text
from splitsecond._trees.tree import Tree


def to_timbertrek(trees: Iterable[Tree]) -> dict[str, Any]:
    """Return the dictionary that ``timbertrek.visualize`` takes; for two classes.

    Trees without a split, which TimberTrek has no place for, are left out.
    """
    rules: dict[str, Any] = {"f": "root", "c": []}
    tree_map: dict[str, Any] = {}
    literals: dict[int, Literal] = {}
    for tree in trees:
        if tree.loss.is_of_numbers:
            raise ValueError(
                "TimberTrek shows trees for two classes; these predict numbers. to_html() makes a "
                "page of any set."
            )
        if len(tree.classes) != 2:
            raise ValueError(
                f"TimberTrek shows trees for two classes; these have {len(tree.classes)}."
            )
        if not set(tree.labels.tolist()) <= set(tree.classes.tolist()):
            raise ValueError(
                "TimberTrek shows trees that predict one of two classes; these have actions that "
                f"are none: {listed([shown(label) for label in tree.labels.tolist()])}."
            )
        if tree.feature[0] < 0:
            continue
        number = len(tree_map) + 1
        literals.update(tree.literals)
        right = tree.training_accuracy
        tree_map[str(number)] = [_nested(tree, 0), round(tree.objective, 5), round(right, 5)]
        _add_paths(tree, number, rules)
    features = {str(j): _described(literals[j]) for j in sorted(literals)}
    return {"trie": rules, "featureMap": features, "treeMap": tree_map}


def _nested(tree: Tree, node: int) -> dict[str, Any]:
    """Return a node with its rows; a leaf also with those it gets right, the yes-child first."""
    rows = int(tree.n_rows[node])
    if tree.feature[node] < 0:
        chosen = tree.classes.tolist().index(tree.labels[tree.prediction[node]])
        counts = tree.counts if tree.row_counts is None else tree.row_counts
        return {"f": ["+" if chosen else "-", rows, round(float(counts[node, chosen]))]}
    children = [_nested(tree, int(side[node])) for side in (tree.left, tree.right)]
    return {"f": [str(tree.feature[node]), rows, -1], "c": children}


def _add_paths(tree: Tree, number: int, rules: dict[str, Any]) -> None:
    """Enter a tree's paths, as sequences of features, into the tree of all paths."""
    waiting = [(0, rules)]
    while waiting:
        node, above = waiting.pop()
        if tree.feature[node] < 0:
            if not any(child["f"] == "_" and child["t"] == number for child in above["c"]):
                above["c"].append({"f": "_", "t": number})
            continue
        feature = str(tree.feature[node])
        below = next((child for child in above["c"] if child["f"] == feature), None)
        if below is None:
            below = {"f": feature, "c": []}
            above["c"].append(below)
        waiting += [(int(tree.right[node]), below), (int(tree.left[node]), below)]


def _described(literal: Literal) -> list[str]:
    """Return name, condition and short name of a feature."""
    if literal.operator == "is 1":
        return [literal.name, "", literal.name]
    if literal.operator == "is missing":
        return [literal.name, "is missing", literal.name]
    return [literal.name, f"{literal.operator} {value_text(literal.value)}", literal.name]
