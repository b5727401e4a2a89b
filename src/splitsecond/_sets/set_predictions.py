"""What the trees of a set say of given rows: one by one, together, and how well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._sets.voting import disagreement, prediction_variance, vote_shares
from splitsecond._tables.binary import leaf_of_rows

if TYPE_CHECKING:
    from splitsecond._sets.evaluation import SetEvaluation


class SetPredictions:
    """Methods of `TreeSet` that take rows; ``self`` is a `TreeSet`."""

    def predict(self: Any, X: Any, indices: Any = None) -> NDArray[Any]:
        """Predict with single trees.

        Parameters
        ----------
        X : table
            As for `fit`.
        indices : sequence of int or slice, optional
            Which trees; all of them by default.

        Returns
        -------
        ndarray of shape (n_samples, number of trees)
        """
        table = self._reader.read(X)
        if indices is None:
            indices = slice(None)
        trees = self[indices] if isinstance(indices, slice) else [self[i] for i in indices]
        out = np.empty((table.n_rows, len(trees)), dtype=np.int64)
        for i, tree in enumerate(trees):
            leaves = leaf_of_rows(tree.feature, tree.left, tree.right, table)
            out[:, i] = tree.prediction[leaves]
        predicted: NDArray[Any] = self._source.labels[out]
        return predicted

    def vote(self: Any, X: Any) -> NDArray[np.float64]:
        """Return the share of all trees that predict each label, for each row.

        Shares are exact (rounded once, at the end), and no tree is ever made.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            A column for each class, in the order of the estimator's ``classes_``, which is that of
            every tree's ``classes``; with costs, for each action, in the order of ``actions_``.
        """
        shares: NDArray[np.float64] = self._shares(X)
        return shares

    def _shares(self: Any, X: Any) -> NDArray[np.float64]:
        table = self._reader.read(X)
        self._warn_if_partial()
        return vote_shares(self._graph, table, len(self._reader.literals), self.n_trees)

    def multiplicity(self: Any, X: Any) -> NDArray[np.float64]:
        """Return the variance of the predictions over all trees, for each row.

        With two labels and a share p for one of them it is p (1 - p), at most 1/4; with more, half
        the probability that two trees drawn from the set disagree.
        """
        return prediction_variance(self._shares(X))

    def multiplicity_summary(self: Any, X: Any) -> dict[str, float]:
        """Sum up over the rows how much the trees disagree.

        Returns
        -------
        dict
            The mean, standard deviation ("std") and maximum ("max") of `multiplicity`, and the
            share of rows on which any two trees disagree ("disputed").
        """
        return disagreement(self._shares(X))

    def disputed(self: Any, X: Any) -> NDArray[np.intp]:
        """Return the rows' numbers, those that the trees disagree on most first."""
        return np.argsort(-prediction_variance(self._shares(X)), kind="stable")

    def evaluate(
        self: Any,
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        costs: Any = None,
        sample_weight: Any = None,
        positive: Any = None,
        max_trees: int = 10_000,
        time_limit: float | None = None,
        memory_limit: float | None = None,
    ) -> SetEvaluation:
        """Evaluate all trees on given rows, such as held-out ones: error, costs, rates, by group.

        Parameters
        ----------
        X, y
            Rows and their classes.
        groups : str, list of str, array-like or data frame, optional
            What divides the rows into groups, such as a protected attribute: a column of X or
            several, by name; or values, one for each row, which need not be in X. Several
            attributes (a data frame, or a dict of names to values) are looked at one by one.
            Rows whose value is missing are a group of their own, "(missing)". Values are taken in
            their order, as those of `y` are: the index of a pandas series is not looked at.
        costs : dict or array, optional
            What each class costs for each label that trees predict, as for `TreeFARMS`; by
            default what the set was fitted for.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; those without a common factor are rounded to 2**-52 of their total.
        positive : label, optional
            The class that rates are about, against all others; by default the second of two. In a
            set with actions that are no classes, an action, for its selection rate.
        max_trees : int, default=10000
            Trees to look at for criteria that are not additive, the best ones.
        time_limit : float, optional
            Seconds for each question that the evaluation is asked.
        memory_limit : int, optional
            Bytes for each question.

        Returns
        -------
        SetEvaluation
        """
        from splitsecond._sets.evaluated_rows import EvaluatedRows
        from splitsecond._sets.evaluation import SetEvaluation

        rows = EvaluatedRows.read(self, X, y, groups, sample_weight)
        self._warn_if_partial()
        return SetEvaluation(
            self,
            rows,
            costs=costs,
            positive=positive,
            max_trees=max_trees,
            time_limit=time_limit,
            memory_limit=memory_limit,
        )
