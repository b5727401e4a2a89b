"""What classifiers add to the estimators of trees: classes, their weights, and costs."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from splitsecond._binarizers.base import Target
from splitsecond._counts.count_table import CountTable
from splitsecond._estimators.base import TreeEstimator
from splitsecond._estimators.fitted import PredictsClasses
from splitsecond._estimators.loss_parameters import LossParameters
from splitsecond._estimators.parameters import with_parameters
from splitsecond._estimators.training import Binarized, ReadTarget, Training
from splitsecond._solving.solve import Solution
from splitsecond._support.messages import shown
from splitsecond._tables.binary import Table
from splitsecond._tables.class_checks import warn_of_classes, warn_of_leaf
from splitsecond._tables.labels import encode_labels
from splitsecond._tables.weights import row_weights
from splitsecond._trees.row_counts import row_source
from splitsecond._trees.tree import Tree


@with_parameters
class TreeClassifier(PredictsClasses, ClassifierMixin, TreeEstimator):  # type: ignore[misc]
    """What the classifiers share."""

    loss: str = "zero_one"
    costs: Any = None
    actions: Any = None
    class_weight: Any = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn a tree.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Columns of any kind: numbers, booleans, text, categories, with missing values or not
            (see `binarizer`). Or a `CountTable`, which holds the target and the weights, too.
        y : array-like of shape (n_samples,)
            Class labels of any kind and number; with a single class the tree is a single leaf. More
            than 100 different numbers with fewer than 50 rows each on average are refused as a
            quantity; as text they are classes.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative weights. Whole numbers count exactly; see the user guide for others.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    # ---- steps of fit --------------------------------------------------------------------------

    def _read_target(
        self, y: Any, n_rows: int, sample_weight: NDArray[np.float64] | None
    ) -> ReadTarget:
        classes, codes = encode_labels(y, n_rows)
        weights = row_weights(classes, codes, self.class_weight, sample_weight)
        warn_of_classes(len(classes), n_rows)
        # What is wrong with the costs is said before anything that takes long.
        loss = self._loss_parameters().of(classes)
        parts = {"codes": codes, "n_classes": len(classes), "weights": weights, "loss": loss}
        return classes, parts

    def _read_counted(self, counts: CountTable) -> ReadTarget:
        if counts.is_of_numbers:
            raise ValueError(
                f"{type(self).__name__} needs classes, and the count table holds numbers of "
                f"{shown(counts.target)}: make it with compress(..., task='classification')."
            )
        merged = counts.merged(self.class_weight)
        loss = self._loss_parameters().of(counts.classes)
        n_classes = len(counts.classes)
        warn_of_classes(n_classes, counts.n_rows)
        parts = {"codes": counts.codes, "n_classes": n_classes, "merged": merged, "loss": loss}
        return counts.classes, parts

    def _loss_parameters(self) -> LossParameters:
        return LossParameters(self.loss, self.costs, self.actions)

    def _check_loss(self) -> None:
        self._loss_parameters().check()

    def _keep_questions(self, training: Training, binarized: Binarized) -> None:
        super()._keep_questions(training, binarized)
        self.classes_ = training.classes
        self.actions_ = self._loss.labels(training.classes)

    def _tree_of(self, table: Table, target: Target, solution: Solution) -> Tree:
        counts = solution.counts.astype(np.float64)
        if target.is_weighted:
            counts *= target.total_weight / solution.weight  # back to the user's units
        shape = {part: getattr(solution, part) for part in ("feature", "left", "right")}
        rows = row_source(table, target)
        row_counts = rows.of_tree(**shape, units=solution.counts)
        return Tree(
            **shape,
            counts=counts,
            n_rows=row_counts.sum(axis=1),
            row_counts=row_counts,
            classes=self.classes_,
            objective=float(solution.objective),
            loss=target.loss,
            **self._reader().parts_of_tree(solution.feature.tolist()),
        )

    def _warn_of_leaf(self) -> None:
        # With weights for the classes, how rare they are was thought of.
        if self.class_weight is None:
            warn_of_leaf(self.tree_, self.regularization)
