"""A tree as nested dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from splitsecond._trees.intervals import Limits, chosen_method, known_intervals
from splitsecond._trees.number_data import number_parts
from splitsecond._trees.rules import plain_label

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree


def to_dict(tree: Tree, level: Any, method: str) -> dict[str, Any]:
    """Nest the nodes; see `Tree.to_dict`."""
    limits = known_intervals(tree, level, method)
    is_of_numbers = tree.loss.is_of_numbers
    nodes = number_parts(tree, limits) if is_of_numbers else _classes(tree, limits)
    for node, out in enumerate(nodes):
        if tree.feature[node] < 0:
            out["prediction"] = plain_label(tree.labels[tree.prediction[node]])
            out["leaf"] = node
        else:
            literal = tree.literals[int(tree.feature[node])]
            out["question"] = str(literal)
            out["variable"] = literal.name
            out["operator"] = literal.operator
            if literal.value is not None:
                out["value"] = literal.value
            out["yes"] = nodes[tree.left[node]]
            out["no"] = nodes[tree.right[node]]
    whole: dict[str, Any] = {
        **_scale(tree),
        "loss": tree.loss.name,
        "objective": tree.objective,
        "n_leaves": tree.n_leaves,
        "depth": tree.depth,
        "root": nodes[0],
    }
    if tree.loss.name == "costs":
        whole["actions"] = [plain_label(label) for label in tree.labels]
    if limits is not None:
        whole["interval"] = {"level": float(level), "method": chosen_method(tree.loss, method)}
    return whole


def _scale(tree: Tree) -> dict[str, Any]:
    """Return what the counts at nodes are of: classes, or bins of a histogram."""
    if tree.loss.is_of_numbers:
        return {"bins": None if tree.bins is None else tree.bins.tolist()}
    return {"classes": [plain_label(label) for label in tree.classes]}


def _classes(tree: Tree, limits: Limits | None) -> list[dict[str, Any]]:
    """Return what is counted at each node."""
    nodes: list[dict[str, Any]] = [
        {"rows": int(rows), "counts": counts.tolist(), "shares": shares.tolist()}
        for rows, counts, shares in zip(tree.n_rows, tree.counts, tree.shares(), strict=True)
    ]
    if tree.row_counts is not None:
        for out, row_counts in zip(nodes, tree.row_counts, strict=True):
            out["row_counts"] = row_counts.tolist()
    if limits is not None:
        for out, own in zip(nodes, limits, strict=True):
            out["intervals"] = own.tolist()
    return nodes
