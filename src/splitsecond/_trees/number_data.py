"""What is known of the nodes of trees of numbers, as plain values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._solving.number_losses import OfNumbers
from splitsecond._trees.intervals import Limits

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree


def node_losses(tree: Tree) -> NDArray[np.float64]:
    """Return the mean loss of a row at each node, for numbers as they were given."""
    assert isinstance(tree.loss, OfNumbers)
    means = tree.loss.loss(tree.counts) / tree.loss.total(tree.counts)
    unit = tree.loss.loss_unit
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        losses: NDArray[np.float64] = np.where(means > 0, means * unit, 0.0)
    return losses


def root_mean_loss(tree: Tree) -> float:
    """Return the root of the mean squared error, also where its square is beyond floats."""
    assert isinstance(tree.loss, OfNumbers)
    lost = float(np.sum(tree.loss.loss(tree.counts[tree.feature < 0])))
    return tree.loss.scale * math.sqrt(lost / float(tree.loss.total(tree.counts[0])))


def number_parts(tree: Tree, limits: Limits | None = None) -> list[dict[str, Any]]:
    """Describe each node; what is infinite is None, since JSON has no word for it."""
    losses = node_losses(tree)
    parts: list[dict[str, Any]] = [
        {
            "rows": int(tree.n_rows[node]),
            "weight": float(tree.counts[node, 0]),
            "mean": float(tree.labels[node]),
            "loss": _finite(float(losses[node])),
            "histogram": None if tree.row_counts is None else tree.row_counts[node].tolist(),
        }
        for node in range(len(tree.feature))
    ]
    if limits is not None:
        for out, own in zip(parts, limits.tolist(), strict=True):
            out["interval"] = [_finite(limit) for limit in own]
    return parts


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
