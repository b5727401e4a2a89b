"""A fitted tree: flat arrays with names."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._solving.losses import ZERO_ONE, Loss
from splitsecond._solving.number_losses import OfNumbers
from splitsecond._support.names import public
from splitsecond._tables.binary import leaf_of_rows
from splitsecond._tables.columns import Variable
from splitsecond._tables.literals import Literal
from splitsecond._trees.conditions import asked_columns, asked_table
from splitsecond._trees.explaining import Explanation, explanation_of
from splitsecond._trees.forms import TreeForms
from splitsecond._trees.intervals import (
    chosen_method,
    row_counts_of,
    share_intervals,
    value_intervals,
)
from splitsecond._trees.pictures.overlay import overlay_of
from splitsecond._trees.scoring import (
    expected_cost_of,
    score_of,
    training_accuracy_of,
    training_score_of,
)

if TYPE_CHECKING:
    from splitsecond._estimators.fixed import FixedTreeClassifier, FixedTreeRegressor


NO_CLASSES: NDArray[Any] = np.array([], dtype=np.float64)  # of a tree that predicts numbers


@public
@dataclass(frozen=True, eq=False, repr=False)
class Tree(TreeForms):
    """A decision tree of yes/no questions about the user's columns.

    Attributes
    ----------
    feature : ndarray of shape (n_nodes,)
        The question at each node, a key of `literals`; -1 at a leaf. Node 0 is the root.
    left, right : ndarray of shape (n_nodes,)
        The node to go to where the answer is yes and where it is no; -1 at a leaf.
    counts : ndarray of shape (n_nodes, n_classes)
        Training weight of each class at each node. Of a tree that predicts numbers: three sums over
        the training rows, by which ``loss`` tells the mean and the loss of each node.
    n_rows : ndarray of shape (n_nodes,)
        Training rows at each node, apart from those of weight 0.
    row_counts : ndarray of shape (n_nodes, n_classes), or None
        Training rows of each class at each node, whatever their weights; None in weighted models of
        old files, which do not tell. Of numbers: training rows in each bin of a histogram.
    bins : ndarray or None
        The edges of these bins; None for classes.
    classes : ndarray of shape (n_classes,)
        The class labels.
    literals : dict of int to Literal
        The questions asked, by their column among the 0/1 columns.
    variables : dict of int to Variable
        What the questions are about, by their column in the user's table.
    n_columns : int
        Columns of the user's table.
    objective : float
        Training loss plus ``regularization`` times the number of leaves.
    with_missing : frozenset of str
        Names of the variables that had missing values in training; these answer no.
    loss : loss
        What the tree was fitted for; its ``name`` is "zero_one", "costs", "brier" or "log_loss",
        or "squared_error" or "poisson" for numbers.
    labels : ndarray
        What `prediction` numbers: the classes, or the actions of ``costs``. For numbers, the mean
        of each node, which is what it predicts.
    prediction : ndarray of shape (n_nodes,)
        What each node predicts, or would if it were a leaf: a place in `labels`.
    """

    feature: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    counts: NDArray[np.float64]
    n_rows: NDArray[np.int64]
    classes: NDArray[Any]
    literals: dict[int, Literal]
    variables: dict[int, Variable]
    n_columns: int
    objective: float
    # Defaults are made, not kept in the class: there, they would hide that a tree of a set has not
    # worked out its own yet.
    with_missing: frozenset[str] = field(default_factory=frozenset)
    row_counts: NDArray[np.int64] | None = field(default_factory=lambda: None)
    bins: NDArray[np.float64] | None = field(default_factory=lambda: None)
    loss: Loss = field(default_factory=lambda: ZERO_ONE)
    labels: NDArray[Any] = field(init=False)
    prediction: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        labels, prediction = self.loss.said(self.counts, self.classes)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "prediction", prediction)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.feature < 0))

    @property
    def depth(self) -> int:
        """Number of questions on the longest path."""
        below = np.zeros(len(self.feature), dtype=int)
        for node in reversed(range(len(self.feature))):  # children come after their parent
            if self.feature[node] >= 0:
                below[node] = 1 + max(below[self.left[node]], below[self.right[node]])
        return int(below[0])

    @property
    def training_accuracy(self) -> float:
        """Share of the training weight that is predicted right; no action but a class is."""
        if self.loss.is_of_numbers:
            raise AttributeError(_refusal("training_accuracy", "training_score or training_loss"))
        return training_accuracy_of(self)

    @property
    def training_loss(self) -> float:
        """Mean loss of a training row: the share misclassified, cost, Brier score or log-loss.

        For numbers, the mean squared error or Poisson deviance.
        """
        leaves = self.counts[self.feature < 0]
        mean = float(np.sum(self.loss.loss(leaves)) / self.loss.total(self.counts[0]))
        # Beyond floats a unit is infinite, but nothing of it is nothing.
        return mean * self.loss.loss_unit if isinstance(self.loss, OfNumbers) and mean else mean

    @property
    def training_score(self) -> float:
        """What `score` returns for the training rows: for numbers, R^2, or D^2 with "poisson"."""
        return training_score_of(self)

    @property
    def feature_importances(self) -> NDArray[np.float64]:
        """The share of each of the user's columns in what splits lower the training loss by.

        They add up to 1, or are all zero if no split lowers it.
        """
        decrease = np.zeros(self.n_columns)
        losses = np.asarray(self.loss.loss(self.counts), dtype=np.float64)
        for node in np.flatnonzero(self.feature >= 0):
            below = losses[self.left[node]] + losses[self.right[node]]
            column = self.literals[int(self.feature[node])].column
            decrease[column] += max(0.0, losses[node] - below)
        total = decrease.sum()
        return decrease / total if total > 0 else decrease

    def shares(self) -> NDArray[np.float64]:
        """Class shares at each node."""
        if self.loss.is_of_numbers:
            raise ValueError(_refusal("shares", "labels, which are the means of nodes"))
        shares: NDArray[np.float64] = self.counts / self.counts.sum(axis=1, keepdims=True)
        return shares

    def intervals(
        self,
        level: float = 0.95,
        method: str = "auto",
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> NDArray[np.float64]:
        """Confidence intervals of what nodes say: the class shares, or the mean, at each node.

        Intervals of class shares are made of numbers of rows, each class against all others;
        weights play no part, as a weighted share has no such interval.

        Intervals of means (``loss="squared_error"``) are Student's: with the weighted mean m and
        the weighted variance v of n rows, m -+ t sqrt(v / (n - 1)). Weights say how much a row
        counts beside others, and n is the number of rows, whatever they weigh; where a few rows
        have most of the weight, the intervals are too narrow. A single row has no interval: its
        limits are infinite.

        Intervals of rates (``loss="poisson"``) are Garwood's exact limits for the number of events,
        rate times exposure, divided by the exposure, which is the sum of the weights. They take
        events as independent; where these come in clusters, they are too narrow.

        The tree is taken as given. It was chosen for its training rows, so what it says of them is
        a little too good; intervals of held-out rows (``X`` and ``y``) are free of that.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level, between 0 and 1.
        method : {"auto", "jeffreys", "wilson", "student", "garwood"}, default="auto"
            For classes, "jeffreys" (the default): quantiles of a beta distribution, from Jeffreys'
            prior; or "wilson": the shares that a score test does not reject. For numbers, "student"
            with ``loss="squared_error"``, and "garwood" with ``loss="poisson"``.
        X, y : optional
            Rows and their classes, or numbers, to count in place of the training rows.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of these rows, or exposures; only for numbers.

        Returns
        -------
        ndarray of shape (n_nodes, n_classes, 2), or (n_nodes, 2) for numbers
            Lower and upper limits. The lower limit of a class without a row is 0, and the upper
            limit of one without any other is 1.

        Examples
        --------
        >>> from splitsecond import LicketySPLITClassifier
        >>> X, y = [[0], [1]] * 20, [0, 1] * 18 + [1, 0] * 2
        >>> tree = LicketySPLITClassifier().fit(X, y).tree_
        >>> tree.intervals()[tree.apply([[0], [1]]), 1].round(3)
        array([[0.021, 0.287],
               [0.713, 0.979]])
        """
        method = chosen_method(self.loss, method)
        if X is None and y is None and sample_weight is None:
            if isinstance(self.loss, OfNumbers):
                return value_intervals(self.loss, self.counts, self.n_rows, level, method)
            return share_intervals(row_counts_of(self), level, method)
        if X is not None and y is None:
            what = "numbers" if self.loss.is_of_numbers else "classes"
            raise ValueError(f"X was given without y: give the {what} of its rows.")
        new = overlay_of(self, X, y, sample_weight)
        assert new is not None
        return new.intervals(level, method)

    @cached_property
    def is_weighted(self) -> bool:
        """Whether shares of the training weight differ from shares of the rows."""
        if self.row_counts is None:
            return True
        if self.loss.is_of_numbers:
            rows = self.row_counts.sum(axis=1)
            weights = self.loss.total(self.counts)
            return not np.allclose(weights, rows * (weights[0] / rows[0]), rtol=1e-9, atol=0)
        whole = self.counts[0].sum() / self.row_counts[0].sum()
        return not np.allclose(self.counts, self.row_counts * whole, rtol=1e-9, atol=0)

    def __eq__(self, other: object) -> bool:
        """Whether two trees are the same in all that they say: questions, counts, objective."""
        if not isinstance(other, Tree):
            return NotImplemented
        return all(
            _same(getattr(self, each.name), getattr(other, each.name)) for each in fields(Tree)
        )

    def __hash__(self) -> int:
        return hash((tuple(self.feature.tolist()), self.objective))

    def __repr__(self) -> str:
        return f"<Tree: {self.n_leaves} leaves, depth {self.depth}, objective {self.objective:.4f}>"

    def __str__(self) -> str:
        return self.to_text()

    # ---- rows ------------------------------------------------------------------------------------

    @property
    def questions(self) -> list[str]:
        """The questions in words: the columns of `answers`."""
        return [str(literal) for _, literal in sorted(self.literals.items())]

    def answers(self, X: Any) -> NDArray[np.uint8]:
        """Answer the questions of the tree for each row: 1 is yes.

        Columns of a data frame are found by name, those of other tables by position.

        Returns
        -------
        ndarray of shape (n_samples, number of questions)
        """
        table = asked_table(self, X)
        out = np.zeros((table.n_rows, table.n_columns), dtype=np.uint8)
        for j in range(table.n_columns):
            out[:, j] = table.column(j)
        return out

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf (a node) that each row of a table ends in."""
        return leaf_of_rows(asked_columns(self), self.left, self.right, asked_table(self, X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict each row: the majority class in its leaf, its cheapest action, or the mean."""
        predicted: NDArray[Any] = self.labels[self.prediction[self.apply(X)]]
        return predicted

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict class probabilities: the shares of training weight in each row's leaf."""
        if self.loss.is_of_numbers:
            raise ValueError(_refusal("predict_proba", "predict"))
        probabilities: NDArray[np.float64] = self.shares()[self.apply(X)]
        return probabilities

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy; with actions that are no classes, minus the `expected_cost`.

        For numbers, R^2, the share of the squared error about their mean that is explained; D^2,
        that of the deviance, with "poisson". Parameters are those of `expected_cost`.
        """
        return score_of(self, self.apply(X), y, sample_weight, "The tree")

    def expected_cost(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return what a row costs on average, given the classes of some rows.

        Parameters
        ----------
        X, y
            Rows and their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        if self.loss.is_of_numbers:
            raise ValueError(_refusal("expected_cost", "score"))
        return expected_cost_of(self, self.apply(X), y, sample_weight, "The tree")

    def explain(self, row: Any, *, level: float | None = 0.95, method: str = "auto") -> Explanation:
        """Explain the prediction of one row: its path in words, and what would change it.

        The nearest leaf that predicts otherwise is the one for which the fewest variables would
        have to change; among equals, the fewest answers, then the first as the tree is drawn. Of
        numbers, it is any with another mean.

        Parameters
        ----------
        row : mapping, sequence, array or table of one row
            A dictionary or a pandas Series is read by its keys, and has to have those columns that
            the tree asks about; a sequence by position. None and NaN are missing values.
        level : float, optional
            Confidence level of the intervals; None: without them.
        method : str, default="auto"
            As for `intervals`.

        Returns
        -------
        Explanation
            Printed, it is a few lines of text.

        Examples
        --------
        >>> import pandas as pd
        >>> from splitsecond import LicketySPLITClassifier
        >>> X = pd.DataFrame({"income": [18, 25, 31, 58] * 5, "age": [30, 50, 30, 50] * 5})
        >>> tree = LicketySPLITClassifier().fit(X, ["reject", "reject", "refer", "grant"] * 5).tree_
        >>> print(tree.explain({"income": 25, "age": 50}))
        income <= 28 ?  yes (25)  20 rows  reject 50%
        -> reject                 10 rows  reject 100% [78%, 100%]
        The nearest leaf that predicts otherwise says refer (5 rows, refer 100% [62%, 100%]):
        - income would have to be above 28 and at most 40 (is 25)
        [low, high]: 95% interval (Jeffreys)
        """
        return explanation_of(self, row, level, method)

    def to_classifier(self) -> FixedTreeClassifier:
        """Return a fitted scikit-learn classifier that predicts with this tree.

        See `FixedTreeClassifier`: fitting it again keeps the tree.
        """
        from splitsecond._estimators.fixed import FixedTreeClassifier  # it is made of trees

        return FixedTreeClassifier.of(self)

    def to_regressor(self) -> FixedTreeRegressor:
        """Return a fitted scikit-learn regressor that predicts with this tree.

        See `FixedTreeRegressor`: fitting it again keeps the tree.
        """
        from splitsecond._estimators.fixed import FixedTreeRegressor  # it is made of trees

        return FixedTreeRegressor.of(self)


def _refusal(name: str, instead: str) -> str:
    return f"{name} is of trees that predict classes, and this one predicts numbers: use {instead}."


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        is_float = all(np.asarray(each).dtype.kind == "f" for each in (a, b))
        return np.array_equal(a, b, equal_nan=is_float)
    return bool(a == b)
