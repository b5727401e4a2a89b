"""What a fitted classifier knows and does: it asks the questions of its tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from splitsecond._binarizers.base import Binarizer
from splitsecond._support.warning import warn
from splitsecond._tables.binary import Table, check_width
from splitsecond._tables.columns import Kind, Variable
from splitsecond._tables.literals import Literal
from splitsecond._tables.reading import read_table
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

    _listener: Any = None  # told how far a search is, in place of what `verbose` prints

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

    def _answers(self, X: Any) -> Table:
        """Open a table to be asked the questions of the tree; every value is checked."""
        if self.binarizer_ is not None:
            table = self.binarizer_.literal_table(X)
        else:
            table = read_table(X, labels=self._labels_in)
            check_width(self, table.n_columns)
            table.check_binary()
        self._compare_names(table)
        return table

    def _questions(self, feature: list[int]) -> dict[str, Any]:
        """Return what a tree that asks of these columns must know about them."""
        used = sorted({j for j in feature if j >= 0})
        if self.binarizer_ is None:
            labels = self._labels_in
            names = {j: f"x{j}" if labels is None else str(labels[j]) for j in used}
            return {
                "literals": {j: Literal(j, name, "is 1") for j, name in names.items()},
                "variables": {
                    j: Variable(j if labels is None else labels[j], name, Kind.BINARY)
                    for j, name in names.items()
                },
                "n_columns": self.n_features_in_,
            }
        variables = self.binarizer_.variables_
        literals = {j: self.binarizer_.literals_[j] for j in used}
        return {
            "literals": literals,
            "variables": {each.column: variables[each.column] for each in literals.values()},
            "n_columns": self.n_features_in_,
            "with_blanks": frozenset(v.name for v in variables if v.has_blanks),
        }

    def _literals(self) -> list[Literal]:
        """Return the questions that the 0/1 columns stand for."""
        if self.binarizer_ is not None:
            return self.binarizer_.literals_
        return list(self._questions(list(range(self.n_features_in_)))["literals"].values())

    def _column_names(self) -> list[str]:
        """Return what the user's columns are called, also those without questions."""
        if self.binarizer_ is not None:
            return [variable.name for variable in self.binarizer_.variables_]
        return [literal.name for literal in self._literals()]

    def _compare_names(self, table: Table) -> None:
        """Warn as scikit-learn does where names are missing, or are there for the first time."""
        fitted = getattr(self, "feature_names_in_", None)
        if fitted is None and table.names is not None:
            warn(
                f"X has feature names, but {type(self).__name__} was fitted without feature names",
                UserWarning,
            )
        elif fitted is not None and table.names is None:
            warn(
                f"X does not have valid feature names, but {type(self).__name__} was fitted with "
                "feature names",
                UserWarning,
            )
