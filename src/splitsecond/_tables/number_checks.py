"""What is to be said of a numeric target, and of a tree that does not tell its numbers apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._support.messages import A_SMALLER_ONE, share_text
from splitsecond._support.warning import warn
from splitsecond._tables.data_checks import SingleLeafWarning


def distribution(numbers: NDArray[np.float64], offset: float = 0) -> dict[str, float]:
    """Return how numbers, less an offset, are spread: range, middle, and how many are the same."""
    return {
        "minimum": float(numbers.min()) + offset,
        "median": float(np.median(numbers)) + offset,
        "maximum": float(numbers.max()) + offset,
        "n_distinct": len(np.unique(numbers)),
        "zeros": float(np.mean(numbers == -offset)),
    }


def distribution_text(found: Mapping[str, float]) -> str:
    """Say how numbers are spread."""
    middle = f"{found['minimum']:.4g} to {found['maximum']:.4g}, median {found['median']:.4g}"
    zeros = f", {found['zeros']:.1%} zeros" if found["zeros"] else ""
    return f"{found['n_distinct']:,} different numbers, {middle}{zeros}"


def warn_of_lone_leaf(tree: Any, regularization: Any) -> None:
    """Warn if a tree that predicts numbers is a single leaf, although they differ."""
    if tree.n_leaves > 1 or not tree.loss.loss(tree.counts[0]) > 0:
        return
    price = float(regularization)
    smaller = "No column tells rows apart."
    if price > 0:
        smaller = f"Try a smaller regularization ({A_SMALLER_ONE} finds one)."
    warn(
        f"The tree is a single leaf, which predicts {tree.labels[0]:.4g} for every row: no split "
        f"explains a share of the {tree.loss.title} that is worth lambda, "
        f"regularization={price:.3g} ({share_text(price)} of it for each leaf). {smaller}",
        SingleLeafWarning,
    )
