"""How much a single tree relies on each variable."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from splitsecond import _core
from splitsecond._estimators.base import TreeClassifier
from splitsecond._solving.losses import ZERO_ONE, Costs, Loss
from splitsecond._support.checks import check_choice
from splitsecond._support.names import public
from splitsecond._tables.bits import pack_columns
from splitsecond._tables.labels import codes_of
from splitsecond._tables.weights import as_integers, check_sample_weight

KINDS = ("subtractive", "ratio")


@public
def reliance(
    model: TreeClassifier, X: Any, y: Any, sample_weight: Any = None, kind: str = "subtractive"
) -> dict[str, float]:
    """Return how much a fitted tree relies on each source variable.

    That is the loss with the variable permuted among the rows, minus the loss (or divided by it,
    with ``kind="ratio"``): the exact mean over all permutations, all questions about a variable
    together. Variables that the tree does not ask about are left out. The ratio is infinite where a
    tree without errors makes some.

    The loss is the one that the tree was fitted for, for each row: errors, costs of the actions
    that leaves say, or the Brier score or log-loss of their class shares. For log-loss, a class
    that a leaf has no training rows of counts as half a row there, or a single such row would make
    it infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from splitsecond import LicketySPLITClassifier, reliance
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> reliance(LicketySPLITClassifier().fit(X, X[:, 0]), X, X[:, 0])
    {'x0': 0.5}
    """
    check_choice("kind", kind, KINDS)
    if not isinstance(model, TreeClassifier):
        raise ValueError(f"model={model!r:.80} must be a tree classifier of splitsecond.")
    check_is_fitted(model, "tree_")
    table = model._answers(X)
    codes = codes_of(y, model.classes_, table.n_rows)
    weights = None
    if sample_weight is not None:
        weights = as_integers(check_sample_weight(sample_weight, table.n_rows))
    tree = model.tree_
    names, variable_of = source_variables(model)
    asked = {int(j) for j in tree.feature if j >= 0}
    columns = pack_columns(table, asked, len(variable_of))
    rows = _core.Reliance(columns, variable_of, codes, len(model.classes_), weights)
    labels = np.ascontiguousarray(tree.prediction, dtype=np.int32)
    row_weight = float(tree.counts[0].sum() / tree.n_rows[0])
    losses = row_losses(tree.loss, tree.counts, row_weight)
    permuted, lost, weight = rows.of_tree(tree.feature, tree.left, tree.right, labels, losses)
    values = reliances(permuted[None, :], np.array([lost]), weight, kind)[0]
    return {names[j]: float(values[j]) for j in np.flatnonzero(permuted >= 0)}


def row_losses(loss: Loss, counts: NDArray[Any], row_weight: float) -> NDArray[np.float64] | None:
    """Return what a row of each class loses at each node, in one row; None: they are errors.

    Given are the training weights of the classes at the nodes, and that of a row.
    """
    if loss == ZERO_ONE:
        return None
    losses = np.asarray(loss.row_losses(counts), dtype=np.float64)
    if isinstance(loss, Costs):
        losses = losses * float(loss.unit)
    unseen = np.isinf(losses)
    if unseen.any():
        half = row_weight / 2
        capped = -np.log(half / (counts.sum(axis=-1, keepdims=True) + half))
        losses = np.where(unseen, capped, losses)
    return np.ascontiguousarray(losses.ravel())


def reliances(
    permuted: NDArray[Any], lost: NDArray[Any], weight: int, kind: str
) -> NDArray[np.float64]:
    """Turn losses into reliances, exactly up to the last rounding where they are errors."""
    losses = lost[:, None] * weight  # below 2**62, as is what it becomes
    after = np.where(permuted < 0, losses, permuted)
    if kind == "subtractive":
        difference: NDArray[np.float64] = (after - losses) / float(weight) ** 2
        return difference
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = after / losses
    return np.where(after == losses, 1.0, ratio)


def source_variables(estimator: TreeClassifier) -> tuple[list[str], list[int]]:
    """Return the names of the source variables, and the one that each question is about."""
    literals = estimator._literals()
    binarizer = estimator.binarizer_
    known: Any = literals if binarizer is None else binarizer.variables_
    return [each.name for each in known], [literal.column for literal in literals]
