"""How much a single tree relies on each variable."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from splitsecond import _core
from splitsecond._estimators.base import TreeEstimator
from splitsecond._estimators.fitted import PredictsByTree
from splitsecond._solving.losses import ZERO_ONE, Costs, Loss
from splitsecond._solving.number_losses import OfNumbers, Poisson, power_of_two
from splitsecond._support.checks import check_choice
from splitsecond._support.names import public
from splitsecond._tables.binary import Table
from splitsecond._tables.bits import pack_columns
from splitsecond._tables.labels import codes_of
from splitsecond._tables.numbers import read_numbers
from splitsecond._tables.weights import as_integers, check_sample_weight
from splitsecond._trees.conditions import asked_columns, asked_table
from splitsecond._trees.tree import Tree

KINDS = ("subtractive", "ratio")
ROUNDING = 1e-14  # of sums, as a share of what they are made of


@public
def reliance(
    model: PredictsByTree | Tree,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    kind: str = "subtractive",
) -> dict[str, float]:
    """Return how much a tree, or the tree of a fitted model, relies on each source variable.

    That is the loss with the variable permuted among the rows, minus the loss (or divided by it,
    with ``kind="ratio"``): the exact mean over all permutations, all questions about a variable
    together. Variables that the tree does not ask about are left out. The ratio is infinite where a
    tree without errors makes some.

    The loss is the one that the tree was fitted for, for each row: errors, costs of the actions
    that leaves say, or the Brier score or log-loss of their class shares; for numbers, the squared
    error or Poisson deviance. For log-loss, a class that a leaf has no training rows of counts as
    half a row there, or a single such row would make it infinite. For the same reason, a leaf
    without events counts half a row of the mean rate as well.

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
    weights = None
    if sample_weight is not None:
        weights = check_sample_weight(sample_weight, asked.table.n_rows)
    lost_by_rows = _losses_of_numbers if tree.loss.is_of_numbers else _losses_of_classes
    permuted, lost, weight = lost_by_rows(asked, y, weights)
    unit = unit_of(tree.loss)
    values = reliances(permuted[None, :], np.array([lost]), weight, kind, unit=unit)[0]
    return {asked.names[j]: float(values[j]) for j in np.flatnonzero(permuted >= 0)}


class _Asked(NamedTuple):
    """A tree, and a table that its questions are asked of."""

    tree: Tree
    table: Table
    feature: NDArray[np.int32]  # the column of the table that each node asks; -1 at a leaf
    names: list[str]  # of source variables
    variable_of: list[int]  # that each column of the table is about

    def columns(self) -> list[NDArray[np.uint64]]:
        """Return the columns that the tree asks about, as bits."""
        used = {int(j) for j in self.feature if j >= 0}
        return pack_columns(self.table, used, len(self.variable_of))


def _asked(model: Any, X: Any) -> _Asked:
    if isinstance(model, PredictsByTree) and not isinstance(model, TreeEstimator):
        check_is_fitted(model)  # its tree was given
        model = model.tree_
    if isinstance(model, Tree):
        columns = sorted(model.variables)
        names = [model.variables[column].name for column in columns]
        variable_of = [columns.index(each.column) for _, each in sorted(model.literals.items())]
        return _Asked(model, asked_table(model, X), asked_columns(model), names, variable_of)
    if not isinstance(model, TreeEstimator):
        raise ValueError(
            f"model={model!r:.80} must be a tree classifier of splitsecond, a regressor, or a tree."
        )
    check_is_fitted(model, "tree_")
    table, tree = model._answers(X), model.tree_
    return _Asked(tree, table, tree.feature, *source_variables(model))


def _losses_of_classes(
    asked: _Asked, y: Any, weights: NDArray[np.float64] | None
) -> tuple[NDArray[Any], float, float]:
    """Return weight * loss with each variable permuted, the loss, and the weight."""
    tree = asked.tree
    codes = codes_of(y, tree.classes, asked.table.n_rows)
    rows = _core.Reliance(
        asked.columns(), asked.variable_of, codes, len(tree.classes), as_integers(weights)
    )
    labels = np.ascontiguousarray(tree.prediction, dtype=np.int32)
    losses = row_losses(tree.loss, tree.counts, _row_weight(tree))
    permuted, lost, weight = rows.of_tree(asked.feature, tree.left, tree.right, labels, losses)
    return permuted, lost, weight


def _losses_of_numbers(
    asked: _Asked, y: Any, weights: NDArray[np.float64] | None
) -> tuple[NDArray[Any], float, float]:
    """Return the same, in the loss's own units."""
    tree = asked.tree
    assert isinstance(tree.loss, OfNumbers)
    read = read_numbers(y, asked.table.n_rows, loss=tree.loss.name)
    numbers = read.values + float(read.offset - tree.loss.offset)
    rows = number_rows(asked.columns(), asked.variable_of, tree.loss, numbers, weights)
    half_row = tree.loss.half_row(tree.counts[0], _row_weight(tree))
    values = np.ascontiguousarray(tree.loss.means(tree.counts, half_row))
    permuted, lost, weight = rows.of_tree(asked.feature, tree.left, tree.right, values)
    return permuted, lost, weight


def _row_weight(tree: Tree) -> float:
    return float(tree.loss.total(tree.counts[0]) / tree.n_rows[0])


def number_rows(
    columns: list[NDArray[np.uint64]],
    variable_of: list[int],
    loss: OfNumbers,
    numbers: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    *,
    n_rows: int | None = None,
) -> _core.NumberReliance:
    """Return what measures trees on rows with numbers.

    Where trees say the means of these rows, ``n_rows`` is how many there are.
    """
    if weights is not None:  # so that squares of their sum are numbers
        weights = weights / power_of_two(float(weights.max()))
    sums = loss.sums(numbers, weights)
    whole = np.array([each.sum() for each in sums])
    rare = (0.0, 0.0) if n_rows is None else loss.half_row(whole, float(whole[0]) / n_rows)
    is_rate = isinstance(loss, Poisson)
    own = float(whole[2])
    if is_rate:  # 2 w y ln y, as rates of leaves are not taken about the centre either
        own = 2 * float(np.sum(sums[1] * np.log(np.where(numbers > 0, numbers / loss.scale, 1))))
    # What sums of so many rows may be off by.
    size = abs(own) + (2 * whole[1] if is_rate else 0)
    about = _core.NumberLoss(
        is_rate=is_rate,
        own=own,
        rounding=float(ROUNDING * max(1, math.sqrt(len(numbers)) / 10) * size),
        rare_weight=rare[0],
        rare_events=rare[1],
    )
    return _core.NumberReliance(columns, variable_of, sums[0], sums[1], about)


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


def unit_of(loss: Loss) -> float:
    """Return what a loss of 1 is in the user's numbers."""
    return loss.loss_unit if isinstance(loss, OfNumbers) else 1.0


def reliances(
    permuted: NDArray[Any], lost: NDArray[Any], weight: float, kind: str, *, unit: float = 1.0
) -> NDArray[np.float64]:
    """Turn losses into reliances, exactly up to the last rounding where they are errors.

    The unit is what a loss of 1 is in the user's numbers.
    """
    losses = lost[:, None] * weight  # below 2**62, as is what it becomes
    after = np.where(permuted < 0, losses, permuted)
    if kind == "subtractive":
        difference: NDArray[np.float64] = (after - losses) / float(weight) ** 2
        if unit == 1:
            return difference
        with np.errstate(over="ignore", invalid="ignore"):  # squares of numbers may be infinite
            return np.where(difference == 0, 0.0, difference * unit)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = after / losses
    return np.where(after == losses, 1.0, ratio)


def source_variables(estimator: TreeEstimator) -> tuple[list[str], list[int]]:
    """Return the names of the source variables, and the one that each question is about."""
    literals = estimator._literals()
    binarizer = estimator.binarizer_
    known: Any = literals if binarizer is None else binarizer.variables_
    return [each.name for each in known], [literal.column for literal in literals]
