"""What a fitted classifier knows and does: it asks the questions of its tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from splitsecond._binarizers.base import Binarizer
from splitsecond._estimators.input_reader import InputReader
from splitsecond._tables.binary import Table
from splitsecond._tables.literals import Literal
from splitsecond._trees.tree import Tree, leaf_of_rows


class Fitted:
    """What a fit sets, and what a fitted classifier does with it."""

    classes_: NDArray[Any]
    n_features_in_: int
    binarizer_: Binarizer | None
    tree_: Tree
    objective_: float
    lower_bound_: float
    status_: str
    n_leaves_: int
    depth_: int
    statistics_: dict[str, Any]
    _labels_in: list[Any] | None
    _weighted: bool

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row: the heaviest one in its leaf."""
        leaves = self.apply(X)
        predicted: NDArray[Any] = self.classes_[self.tree_.prediction[leaves]]
        return predicted

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict class probabilities: the shares of training weight in each row's leaf."""
        leaves = self.apply(X)
        shares: NDArray[np.float64] = self.tree_.shares()[leaves]
        return shares

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the index of the leaf (a node of ``tree_``) that each row ends in."""
        check_is_fitted(self)
        tree = self.tree_
        return leaf_of_rows(tree.feature, tree.left, tree.right, self._answers(X))

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

    # ---- questions -----------------------------------------------------------------------------

    def _reader(self) -> InputReader:
        """Return what the fitted model reads tables with."""
        return InputReader(
            type(self).__name__, self.binarizer_, self._labels_in, self.n_features_in_
        )

    def _answers(self, X: Any) -> Table:
        """Open a table to be asked the questions of the tree; every value is checked."""
        return self._reader().read(X)

    def _literals(self) -> list[Literal]:
        """Return the questions that the 0/1 columns stand for."""
        return self._reader().literals
