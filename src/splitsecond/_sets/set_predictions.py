"""What the trees of a set say of given rows: one by one, together, and how well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._sets.voting import (
    NumberVotes,
    disagreement,
    number_votes,
    prediction_variance,
    vote_shares,
)
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
        of_numbers = self._source.loss.is_of_numbers
        out = np.empty((table.n_rows, len(trees)), dtype=np.float64 if of_numbers else np.int64)
        for i, tree in enumerate(trees):
            leaves = leaf_of_rows(tree.feature, tree.left, tree.right, table)
            said = tree.prediction[leaves]
            out[:, i] = tree.labels[said] if of_numbers else said
        predicted: NDArray[Any] = out if of_numbers else self._source.labels[out]
        return predicted

    def vote(self: Any, X: Any) -> NDArray[np.float64]:
        """Return what all trees together predict for each row.

        For classes, that is the share of all trees that predict each label; for numbers, the mean
        of what all trees predict. It is of all trees, whatever their number, and none is ever made.
        Shares are exact (rounded once, at the end). Means are to within what the search rounds
        numbers by, if it does: less than a millionth of their range.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            A column for each class, in the order of the estimator's ``classes_``, which is that of
            every tree's ``classes``; with costs, for each action, in the order of ``actions_``. For
            numbers, the shape is (n_samples,).
        """
        if self._source.loss.is_of_numbers:
            mean: NDArray[np.float64] = self._number_votes(X).mean
            return mean
        shares: NDArray[np.float64] = self._shares(X)
        return shares

    def prediction_range(self: Any, X: Any) -> NDArray[np.float64]:
        """Return the minimum and the maximum that any tree predicts for each row, for numbers.

        It is of all trees, and none is made.

        Returns
        -------
        ndarray of shape (n_samples, 2)
        """
        if not self._source.loss.is_of_numbers:
            raise ValueError(
                "prediction_range is for trees that predict numbers; these predict classes: "
                "vote(X) gives the share of trees that predict each."
            )
        votes = self._number_votes(X)
        return np.column_stack([votes.minimum, votes.maximum])

    def _shares(self: Any, X: Any) -> NDArray[np.float64]:
        table = self._reader.read(X)
        self._warn_if_partial()
        return vote_shares(self._graph, table, len(self._reader.literals), self.n_trees)

    def _number_votes(self: Any, X: Any) -> NumberVotes:
        table = self._reader.read(X)
        self._warn_if_partial()
        n_features = len(self._reader.literals)
        return number_votes(self._graph, table, n_features, self.n_trees, self._source)

    def multiplicity(self: Any, X: Any) -> NDArray[np.float64]:
        """Return the variance of the predictions over all trees, for each row.

        With two labels and a share p for one of them it is p (1 - p), at most 1/4; with more, half
        the probability that two trees drawn from the set disagree. For numbers, it is their
        variance, in squares of their unit.
        """
        if self._source.loss.is_of_numbers:
            variance: NDArray[np.float64] = self._number_votes(X).variance
            return variance
        return prediction_variance(self._shares(X))

    def multiplicity_summary(self: Any, X: Any) -> dict[str, float]:
        """Sum up over the rows how much the trees disagree.

        Returns
        -------
        dict
            The mean, standard deviation ("std") and maximum ("max") of `multiplicity`, and the
            share of rows on which any two trees disagree ("disputed").
        """
        if self._source.loss.is_of_numbers:
            summary: dict[str, float] = self._number_votes(X).disagreement()
            return summary
        return disagreement(self._shares(X))

    def disputed(self: Any, X: Any) -> NDArray[np.intp]:
        """Return the rows' numbers, those that the trees disagree on most first."""
        is_of_numbers = self._source.loss.is_of_numbers
        # Squares of numbers may be beyond floats.
        spread = self._number_votes(X).spread if is_of_numbers else self.multiplicity(X)
        return np.argsort(-spread, kind="stable")

    def evaluate(
        self: Any,
        X: Any,
        y: Any = None,
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

        For numbers: mean squared and absolute error, R^2 and bias, and for a Poisson loss the
        deviance and the share of it that is explained. In a leaf of rate 0, where an event would
        make the deviance infinite, rows of events lose as if half an average training row were
        there.

        Parameters
        ----------
        X, y
            Rows and their classes, or their numbers; or a `CountTable`, which holds both, and the
            weights.
        groups : str, list of str, array-like or data frame, optional
            What divides the rows into groups, such as a protected attribute: a column of X or
            several, by name; or values, one for each row, which need not be in X. Several
            attributes (a data frame, or a dict of names to values) are looked at one by one.
            Rows whose value is missing are a group of their own, "(missing)". Values are taken in
            their order, as those of `y` are: the index of a pandas series is not looked at.
        costs : dict or array, optional
            What each class costs for each label that trees predict, as for `TreeFARMS`; by
            default what the set was fitted for. For classes alone.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; those without a common factor are rounded to 2**-52 of their total.
            For a Poisson loss, exposures.
        positive : label, optional
            The class that rates are about, against all others; by default the second of two. In a
            set with actions that are no classes, an action, for its selection rate. For classes
            alone.
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
