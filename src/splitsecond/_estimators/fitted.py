"""What a fitted estimator knows and does: it asks the questions of its tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from splitsecond._binarizers.base import Binarizer
from splitsecond._counts.count_table import CountTable
from splitsecond._estimators.input_reader import InputReader
from splitsecond._solving.losses import Loss
from splitsecond._tables.binary import Table, leaf_of_rows
from splitsecond._tables.errors import MissingColumnsError
from splitsecond._tables.literals import Literal
from splitsecond._trees.scoring import expected_cost_of, score_of
from splitsecond._trees.tree import Tree


def scored_against(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
    """Return targets and weights of rows: those of a count table are its own."""
    if not isinstance(X, CountTable):
        return y, sample_weight
    if y is not None or sample_weight is not None:
        raise ValueError("A count table holds its target and its weights: give nothing else.")
    return X.labels_of_entries(), X.row_weights()


class PredictsByTree(ABC):
    """What every fitted estimator does, whichever way it came by its tree."""

    n_features_in_: int
    tree_: Tree
    objective_: float
    n_leaves_: int
    depth_: int

    @abstractmethod
    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the index of the leaf (a node of ``tree_``) that each row ends in."""

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each column in what splits lower the loss by: they add up to 1.

        The loss is that of the fit, on the training rows; all questions about a column count
        together. A tree without splits has no importances but zeros.
        """
        return self.tree_.feature_importances

    def get_depth(self) -> int:
        """Return the number of questions on the longest path of the tree."""
        check_is_fitted(self)
        return self.depth_

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree."""
        check_is_fitted(self)
        return self.n_leaves_

    def _take(self, tree: Tree) -> None:
        """Make a tree the one to predict with."""
        self.tree_, self.objective_ = tree, tree.objective
        self.n_leaves_, self.depth_ = tree.n_leaves, tree.depth


class PredictsClasses(PredictsByTree):
    """What fitted classifiers do."""

    classes_: NDArray[Any]
    actions_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row: the heaviest one in its leaf.

        With `costs`, the action that costs least there.
        """
        leaves = self.apply(X)
        predicted: NDArray[Any] = self.actions_[self.tree_.prediction[leaves]]
        return predicted

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict class probabilities: the shares of training weight in each row's leaf."""
        leaves = self.apply(X)
        shares: NDArray[np.float64] = self.tree_.shares()[leaves]
        return shares

    def expected_cost(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return what a row costs on average, given the classes of some rows.

        Parameters
        ----------
        X, y
            Rows and their classes; or a `CountTable`, which holds both, and the weights.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        leaves = self.apply(X)
        y, sample_weight = scored_against(X, y, sample_weight)
        return expected_cost_of(self.tree_, leaves, y, sample_weight, type(self).__name__)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy; with actions that are no classes, minus the `expected_cost`.

        Parameters are those of `expected_cost`.
        """
        leaves = self.apply(X)
        y, sample_weight = scored_against(X, y, sample_weight)
        return score_of(self.tree_, leaves, y, sample_weight, type(self).__name__)


class PredictsNumbers(PredictsByTree):
    """What fitted regressors do."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the number of each row: the mean of the training rows in its leaf."""
        leaves = self.apply(X)
        predicted: NDArray[np.float64] = self.tree_.labels[leaves]
        return predicted

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return R^2, the share of the squared error that is explained; D^2 with "poisson".

        Parameters
        ----------
        X, y
            Rows and their numbers; or a `CountTable`, which holds both, and the weights.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        leaves = self.apply(X)
        y, sample_weight = scored_against(X, y, sample_weight)
        return score_of(self.tree_, leaves, y, sample_weight, type(self).__name__)


class Fitted(PredictsByTree):
    """What a fit sets, and what a fitted estimator asks its questions with."""

    binarizer_: Binarizer | None
    lower_bound_: float
    status_: str
    statistics_: dict[str, Any]
    _labels_in: list[Any] | None
    _weighted: bool
    _loss: Loss

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the index of the leaf (a node of ``tree_``) that each row ends in."""
        check_is_fitted(self)
        tree = self.tree_
        return leaf_of_rows(tree.feature, tree.left, tree.right, self._answers(X))

    def _reader(self) -> InputReader:
        """Return what the fitted model reads tables with."""
        return InputReader(
            type(self).__name__, self.binarizer_, self._labels_in, self.n_features_in_
        )

    def _answers(self, X: Any) -> Table:
        """Open a table to be asked the questions of the tree; every value is checked."""
        if isinstance(X, CountTable):
            return X.answers_to(self._literals(), type(self).__name__)
        try:
            return self._reader().read(X)
        except MissingColumnsError as error:
            asked = {variable.name for variable in self.tree_.variables.values()}
            if asked.intersection(map(str, error.labels)):
                raise
            text = f"{error} The tree does not ask about that: missing values there will do."
            raise MissingColumnsError(text, error.labels) from None

    def _literals(self) -> list[Literal]:
        """Return the questions that the 0/1 columns stand for."""
        return self._reader().literals
