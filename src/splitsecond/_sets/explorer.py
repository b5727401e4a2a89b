"""A page on which to look through the best trees of a set."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

from splitsecond._solving.losses import ZERO_ONE
from splitsecond._trees.tree import Tree


def explorer_data(trees: Sequence[Tree], about: str) -> dict[str, Any]:
    """Return what the page has to know: of each tree its picture, size and variables."""
    asked = [_variables(tree) for tree in trees]
    # Those that most trees ask about come first.
    names = [name for each in asked for name in each]
    variables = sorted(dict.fromkeys(names), key=names.count, reverse=True)
    place = {name: j for j, name in enumerate(variables)}
    weighted = "weighted " if any(tree.is_weighted for tree in trees) else ""
    decides = all(tree.loss == ZERO_ONE for tree in trees)
    measure = "accuracy" if decides else trees[0].loss.title
    return {
        "about": about,
        "min_objective": min((tree.objective for tree in trees), default=0.0),
        "measure": f"{weighted}training {measure}",
        "variables": variables,
        "trees": [
            {
                "number": i,
                "objective": tree.objective,
                "accuracy": tree.training_accuracy,
                "measured": tree.training_accuracy if decides else tree.training_loss,
                "leaves": tree.n_leaves,
                "depth": tree.depth,
                "asks": sorted(place[name] for name in each),
                "svg": tree.to_svg(),
            }
            for i, (tree, each) in enumerate(zip(trees, asked, strict=True))
        ],
    }


def explorer_page(data: dict[str, Any]) -> str:
    """Write the page, which needs nothing else."""
    page = (
        resources.files("splitsecond._sets").joinpath("explorer.html").read_text(encoding="utf-8")
    )
    # Within a script element, nothing but its end tag has a meaning; names may hold one.
    return page.replace("DATA", json.dumps(data).replace("<", "\\u003c"), 1)


def _variables(tree: Tree) -> list[str]:
    asked = (tree.literals[int(j)].name for j in tree.feature if j >= 0)
    return list(dict.fromkeys(asked))
