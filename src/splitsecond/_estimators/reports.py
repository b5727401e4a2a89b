"""What is said of a fit: in print, and in a warning if it was stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from splitsecond._solving.losses import ZERO_ONE
from splitsecond._support.messages import listed
from splitsecond._trees.number_data import root_mean_loss

if TYPE_CHECKING:
    from splitsecond._estimators.base import TreeEstimator
    from splitsecond._trees.tree import Tree


def summary_text(model: TreeEstimator, ended: str) -> str:
    """Return the tree, what it costs, what is proved about it, and how the fit ended."""
    tree = model.tree_
    rounding = model.statistics_.get("rounding", 0.0)  # files of before it was kept have none
    if model.objective_ <= model.lower_bound_ + rounding:
        # To within 1e-11 or so for single trees, which nobody has to know.
        within = f" to within {rounding:.1g}" if rounding > 1e-6 else ""
        bound = f"proved optimal{within}{_scope(model)}"
    else:
        bound = "near-optimal, not proved"
        if _has_telling_bound(model):
            bound += f" (lower bound {model.lower_bound_:.4f})"
    return "\n".join(
        [
            f"{type(model).__name__}: {tree_size(tree)}",
            f"{fit_text(tree, weighted=model._weighted)} · objective {model.objective_:.4f} · "
            f"{bound} · {ended} in {_times(model)}",
            *_notes(model),
            tree.to_text(),
        ]
    )


def tree_size(tree: Tree) -> str:
    """Say how large a tree is, and how many rows it was learned from."""
    leaves = f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}"
    return f"{leaves}, depth {tree.depth}, {tree.n_rows[0]:,} rows"


def fit_text(tree: Tree, *, weighted: bool) -> str:
    """Say how well a tree fits the training rows: in what it was fitted for."""
    kind = "weighted training" if weighted else "training"
    if tree.loss.is_of_numbers:
        return f"{kind} {_number_fit(tree)}"
    if tree.loss == ZERO_ONE:
        return f"{kind} accuracy {tree.training_accuracy:.3f}"
    return f"{kind} {tree.loss.title} {tree.training_loss:.4g}"


def _number_fit(tree: Tree) -> str:
    if tree.loss.name == "poisson":
        return f"D^2 {tree.training_score:.3f} · mean deviance {tree.training_loss:.4g}"
    return f"R^2 {tree.training_score:.3f} · root mean squared error {root_mean_loss(tree):.4g}"


def limit_text(model: TreeEstimator, why: str, *, has_note: bool) -> str:
    """Return the warning of a fit that was stopped: what it ended with, and what to try."""
    higher = "" if model.status_ == "interrupted" else f"a higher {model.status_}, or "
    bound = ""
    if _has_telling_bound(model):
        scope = " that asks these questions" if has_note else ""
        bound = f", and no tree of depth {model.max_depth}{scope} is below {model.lower_bound_:.4f}"
    return (
        f"{why} with a valid tree: objective {model.objective_:.4f}{bound}. "
        f"Try {higher}{model._cheaper}."
    )


def _has_telling_bound(model: TreeEstimator) -> bool:
    """Whether the lower bound says more than that a tree that splits has two leaves."""
    return model.lower_bound_ > 2 * float(model.regularization) * (1 + 1e-9)


def _times(model: TreeEstimator) -> str:
    """Say how long the fit took, and how much of it was the search.

    A model of a path was only searched for: reading and binarizing are done once for the path.
    """
    search = model.statistics_.get("search_seconds")
    of_search = " of search" if search is None else f" (search {_duration(search)})"
    return _duration(model.statistics_["seconds"]) + of_search


def _scope(model: TreeEstimator) -> str:
    """Say among which trees this one was searched, unless among all."""
    binarizer = model.binarizer_
    if binarizer is None or binarizer.is_lossless:
        return ""
    asked = len(binarizer.literals_)
    return f" for {asked} {'question' if asked == 1 else 'questions'}"


def _notes(model: TreeEstimator) -> list[str]:
    dropped = {} if model.binarizer_ is None else model.binarizer_.dropped_
    if not dropped:
        return []
    return [f"left out: {listed([f'{name} ({why})' for name, why in dropped.items()], 5)}"]


def _duration(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
