"""What regressors add to the estimators of trees: a target of numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from splitsecond._binarizers.base import Target
from splitsecond._counts.count_table import CountTable
from splitsecond._estimators.base import TreeEstimator
from splitsecond._estimators.fitted import PredictsNumbers
from splitsecond._estimators.parameters import with_parameters
from splitsecond._estimators.training import ReadTarget
from splitsecond._solving.number_losses import N_SUMS, NUMBER_LOSSES, Poisson
from splitsecond._solving.solve import Solution
from splitsecond._support.checks import check_choice
from splitsecond._support.messages import shown
from splitsecond._tables.binary import Table
from splitsecond._tables.number_checks import warn_of_lone_leaf
from splitsecond._tables.numbers import Numbers, read_numbers
from splitsecond._tables.weights import check_sums
from splitsecond._trees.row_counts import RowsOfNumbers
from splitsecond._trees.tree import NO_CLASSES, Tree


@with_parameters
class TreeRegressor(PredictsNumbers, RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """What the regressors share."""

    loss: str = "squared_error"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn a tree.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Columns of any kind: numbers, booleans, text, categories, with missing values or not
            (see `binarizer`).
        y : array-like of shape (n_samples,)
            Finite numbers; at least 0 with "poisson", where they are rates: events divided by
            exposure.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative weights; with "poisson", exposures.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.loss == Poisson.name
        return tags

    # ---- steps of fit --------------------------------------------------------------------------

    def _read_target(
        self, y: Any, n_rows: int, sample_weight: NDArray[np.float64] | None
    ) -> ReadTarget:
        return NO_CLASSES, self._numbers(read_numbers(y, n_rows, loss=self.loss), sample_weight)

    def _numbers(self, read: Numbers, sample_weight: NDArray[np.float64] | None) -> dict[str, Any]:
        numbers, kind = read.values, NUMBER_LOSSES[self.loss]
        if sample_weight is None:
            loss = kind.fitted(numbers, read.offset)
        else:
            check_sums(sample_weight)
            present = sample_weight > 0
            loss = kind.fitted(numbers[present], read.offset, sample_weight[present])
            # Numbers of rows that do not count may be out of all proportion to the others.
            numbers = np.where(present, numbers, loss.centre)
        return {"numbers": numbers, "weights": sample_weight, "loss": loss}

    def _read_counted(self, counts: CountTable) -> ReadTarget:
        if counts.numbers is None:
            raise ValueError(
                f"{type(self).__name__} needs numbers, and the count table holds classes of "
                f"{shown(counts.target)}: make it with compress(..., task='regression')."
            )
        read = read_numbers(counts.numbers, len(counts.numbers), loss=self.loss)
        each = Numbers(read.values[counts.codes], read.offset)
        parts = self._numbers(each, counts.row_weights())
        return NO_CLASSES, {**parts, "merged": counts.merged()}

    def _check_loss(self) -> None:
        check_choice("loss", self.loss, list(NUMBER_LOSSES))

    def _tree_of(self, table: Table, target: Target, solution: Solution) -> Tree:
        assert isinstance(solution.rows, RowsOfNumbers)
        row_counts = solution.counts[:, N_SUMS:].astype(np.int64)
        return Tree(
            feature=solution.feature,
            left=solution.left,
            right=solution.right,
            counts=solution.counts[:, :N_SUMS],
            n_rows=row_counts.sum(axis=1),
            row_counts=row_counts,
            classes=NO_CLASSES,
            bins=solution.rows.bins,
            objective=float(solution.objective),
            loss=target.loss,
            **self._reader().parts_of_tree(solution.feature.tolist()),
        )

    def _warn_of_leaf(self) -> None:
        warn_of_lone_leaf(self.tree_, self.regularization)
