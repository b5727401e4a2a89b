"""What nodes say about their training rows: how many, of which class, and what share of the weight.

Rows and weights are never mixed. Where the number of rows of each class is not known, as in
weighted models of old files, everything is weight and says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree


def size_text(tree: Tree, node: int) -> str:
    """Say how many rows are at a node."""
    if tree.row_counts is None:
        return f"weight {_number(tree.counts[node].sum())}"
    return f"{tree.n_rows[node]:,} rows"


def leaf_text(tree: Tree, node: int) -> str:
    """Say what share of a leaf is of its class, with the numbers it is made of."""
    chosen = int(tree.prediction[node])
    weighted = f"weighted share {weighted_share(tree, node):.0%}"
    if tree.row_counts is None:
        inside, whole = tree.counts[node, chosen], tree.counts[node].sum()
        return f"{weighted}  (weight {_number(inside)}/{_number(whole)})"
    inside, whole = tree.row_counts[node, chosen], tree.row_counts[node].sum()
    share = f"{inside / whole:4.0%}  ({inside:,}/{whole:,})"
    return f"{share}, {weighted}" if tree.is_weighted else share


def shares_text(tree: Tree, node: int) -> str:
    """Say what share of a leaf is of its class, on a line or two."""
    weighted = f"weighted share {weighted_share(tree, node):.0%}"
    if tree.row_counts is None:
        return f"{weighted} of {size_text(tree, node)}"
    inside, whole = tree.row_counts[node, tree.prediction[node]], tree.row_counts[node].sum()
    share = f"{inside / whole:.0%} of {size_text(tree, node)}"
    return f"{share}\n{weighted}" if tree.is_weighted else share


def weighted_share(tree: Tree, node: int) -> float:
    """Return the share of the predicted class in the training weight at a node."""
    return float(tree.counts[node, tree.prediction[node]] / tree.counts[node].sum())


def _number(weight: float) -> str:
    return f"{weight:,.0f}" if weight == round(weight) else f"{weight:,.4g}"
