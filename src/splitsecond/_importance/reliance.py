"""How much a single tree relies on each variable."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from splitsecond import _core
from splitsecond._estimators.base import TreeEstimator
from splitsecond._estimators.fixed import FixedTreeClassifier
from splitsecond._solving.losses import ZERO_ONE, Costs, Loss
from splitsecond._support.checks import check_choice
from splitsecond._support.names import public
from splitsecond._tables.binary import Table
from splitsecond._tables.bits import pack_columns
from splitsecond._tables.labels import codes_of
from splitsecond._tables.weights import as_integers, check_sample_weight
from splitsecond._trees.conditions import asked_columns, asked_table
from splitsecond._trees.tree import Tree

KINDS = ("subtractive", "ratio")


@public
def reliance(
    model: TreeEstimator | FixedTreeClassifier | Tree,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    kind: str = "subtractive",
) -> dict[str, float]:
    """Return how much a tree, or the tree of a fitted classifier, relies on each source variable.

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
    asked = _asked(model, X)
    tree = asked.tree
    codes = codes_of(y, tree.classes, asked.table.n_rows)
    weights = None
    if sample_weight is not None:
        weights = as_integers(check_sample_weight(sample_weight, asked.table.n_rows))
    used = {int(j) for j in asked.feature if j >= 0}
    columns = pack_columns(asked.table, used, len(asked.variable_of))
    rows = _core.Reliance(columns, asked.variable_of, codes, len(tree.classes), weights)
    labels = np.ascontiguousarray(tree.prediction, dtype=np.int32)
    row_weight = float(tree.counts[0].sum() / tree.n_rows[0])
    losses = row_losses(tree.loss, tree.counts, row_weight)
    permuted, lost, weight = rows.of_tree(asked.feature, tree.left, tree.right, labels, losses)
    values = reliances(permuted[None, :], np.array([lost]), weight, kind)[0]
    return {asked.names[j]: float(values[j]) for j in np.flatnonzero(permuted >= 0)}


class _Asked(NamedTuple):
    """A tree, and a table that its questions are asked of."""

    tree: Tree
    table: Table
    feature: NDArray[np.int32]  # the column of the table that each node asks; -1 at a leaf
    names: list[str]  # of source variables
    variable_of: list[int]  # that each column of the table is about


def _asked(model: Any, X: Any) -> _Asked:
    if isinstance(model, FixedTreeClassifier):
        check_is_fitted(model)
        model = model.tree_
    if isinstance(model, Tree):
        columns = sorted(model.variables)
        names = [model.variables[column].name for column in columns]
        variable_of = [columns.index(each.column) for _, each in sorted(model.literals.items())]
        return _Asked(model, asked_table(model, X), asked_columns(model), names, variable_of)
    if not isinstance(model, TreeEstimator):
        raise ValueError(
            f"model={model!r:.80} must be a tree classifier of splitsecond, or a tree."
        )
    check_is_fitted(model, "tree_")
    table, tree = model._answers(X), model.tree_
    return _Asked(tree, table, tree.feature, *source_variables(model))


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


def source_variables(estimator: TreeEstimator) -> tuple[list[str], list[int]]:
    """Return the names of the source variables, and the one that each question is about."""
    literals = estimator._literals()
    binarizer = estimator.binarizer_
    known: Any = literals if binarizer is None else binarizer.variables_
    return [each.name for each in known], [literal.column for literal in literals]
