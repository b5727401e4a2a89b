"""A tree that is given, as a scikit-learn classifier or regressor."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from splitsecond._estimators.fitted import PredictsByTree, PredictsClasses, PredictsNumbers
from splitsecond._estimators.reports import fit_text, tree_size
from splitsecond._support.messages import SaysFitFirst, shown
from splitsecond._support.names import public
from splitsecond._tables.labels import codes_of
from splitsecond._tables.numbers import read_numbers
from splitsecond._trees.conditions import asked_table
from splitsecond._trees.pictures.notebook import ShowsItsTree
from splitsecond._trees.tree import Tree


class FixedTree(PredictsByTree, SaysFitFirst, ShowsItsTree, BaseEstimator):  # type: ignore[misc]
    """What both share: fitting checks the rows and keeps the tree."""

    tree: Tree | None

    @classmethod
    def of(cls, tree: Tree) -> Self:
        """Return a fitted estimator."""
        cls._check_kind(tree)
        model = cls(tree=tree)
        model._take(tree)
        return model

    @classmethod
    @abstractmethod
    def _check_kind(cls, tree: Tree) -> None:
        """Refuse a tree that predicts something else."""

    @abstractmethod
    def _check_target(self, tree: Tree, y: Any, n_rows: int) -> None:
        """Refuse a target that the tree does not predict."""

    def _keep_tree(self, X: Any, y: Any) -> Self:
        """Keep the tree, after checking that it can be asked about these rows."""
        tree = self.tree
        if not isinstance(tree, Tree):
            raise ValueError(
                f"tree={shown(tree)} must be a Tree of splitsecond, such as model.tree_ or "
                "one of trees_."
            )
        self._check_kind(tree)
        self._check_target(tree, y, asked_table(tree, X).n_rows)
        self._take(tree)
        return self

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the index of the leaf (a node of ``tree_``) that each row ends in."""
        check_is_fitted(self)
        return self.tree_.apply(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def __str__(self) -> str:
        if not hasattr(self, "tree_"):
            return repr(self)
        tree = self.tree_
        return "\n".join(
            [
                f"{type(self).__name__}: {tree_size(tree)}",
                f"{fit_text(tree, weighted=tree.is_weighted)} · objective {tree.objective:.4f}",
                tree.to_text(),
            ]
        )

    def _take(self, tree: Tree) -> None:
        super()._take(tree)
        self.n_features_in_ = tree.n_columns


@public
class FixedTreeClassifier(PredictsClasses, ClassifierMixin, FixedTree):  # type: ignore[misc]
    """A classifier whose tree is given: fitting checks the rows and keeps the tree.

    `Tree.to_classifier` makes one that is fitted already. In a pipeline, a cross-validation or a
    search over parameters it is cloned and fitted again, and remains the same tree; rows that the
    tree was learned from are no held-out rows for it, though. Searching over ``tree`` chooses one
    of some trees by their scores.

    Parameters
    ----------
    tree : Tree
        The tree to predict with.

    Attributes
    ----------
    tree_ : Tree
        That tree.
    classes_ : ndarray
        The class labels.
    actions_ : ndarray
        What ``predict`` returns: the classes, or the actions of costs.
    n_features_in_ : int
        Number of columns of the table that the tree was learned from. Of a data frame, only the
        columns that the tree asks about need to be there; other tables need all of them. There is
        no ``feature_names_in_``: a tree knows the names of the columns that it asks about,
        ``tree_.variables``, and not those of others.
    feature_importances_, objective_, n_leaves_, depth_
        Of the tree; as for `LicketySPLITClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from splitsecond import TreeFARMS
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> y = X[:, 0] | X[:, 1]
    >>> trees = TreeFARMS(regularization=0.05, epsilon=0.1, max_depth=2).fit(X, y).trees_
    >>> model = trees[1].to_classifier()
    >>> model.fit(X[:4], y[:4]).tree_ == trees[1]
    True
    """

    def __init__(self, tree: Tree | None = None) -> None:
        self.tree = tree

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the tree, after checking that it can be asked about these rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Rows with the columns that the tree asks about.
        y : array-like of shape (n_samples,)
            Their classes, which must be known to the tree.
        sample_weight : ignored
            Nothing is learned from it.

        Returns
        -------
        self
        """
        return self._keep_tree(X, y)

    @classmethod
    def _check_kind(cls, tree: Tree) -> None:
        if tree.loss.is_of_numbers:
            raise ValueError(
                "The tree predicts numbers, and not classes: use FixedTreeRegressor, or "
                "tree.to_regressor()."
            )

    def _check_target(self, tree: Tree, y: Any, n_rows: int) -> None:
        codes_of(y, tree.classes, n_rows)

    def _take(self, tree: Tree) -> None:
        super()._take(tree)
        self.classes_, self.actions_ = tree.classes, tree.labels


@public
class FixedTreeRegressor(PredictsNumbers, RegressorMixin, FixedTree):  # type: ignore[misc]
    """A regressor whose tree is given: fitting checks the rows and keeps the tree.

    `Tree.to_regressor` makes one that is fitted already. See `FixedTreeClassifier` for what it is
    good for.

    Parameters
    ----------
    tree : Tree
        The tree to predict with: one that predicts numbers.

    Attributes
    ----------
    tree_ : Tree
        That tree.
    n_features_in_, feature_importances_, objective_, n_leaves_, depth_
        As for `FixedTreeClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from splitsecond import TreeFARMSRegressor
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> y = 10 * X[:, 0] + X[:, 1]
    >>> trees = TreeFARMSRegressor(epsilon=0.1, max_depth=2).fit(X, y).trees_
    >>> model = trees[1].to_regressor()
    >>> model.fit(X[:4], y[:4]).tree_ == trees[1]
    True
    """

    def __init__(self, tree: Tree | None = None) -> None:
        self.tree = tree

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the tree, after checking that it can be asked about these rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Rows with the columns that the tree asks about.
        y : array-like of shape (n_samples,)
            Their numbers, as the fit of such a tree takes them.
        sample_weight : ignored
            Nothing is learned from it.

        Returns
        -------
        self
        """
        return self._keep_tree(X, y)

    @classmethod
    def _check_kind(cls, tree: Tree) -> None:
        if not tree.loss.is_of_numbers:
            raise ValueError(
                "The tree predicts classes, and not numbers: use FixedTreeClassifier, or "
                "tree.to_classifier()."
            )

    def _check_target(self, tree: Tree, y: Any, n_rows: int) -> None:
        read_numbers(y, n_rows, loss=tree.loss.name)
