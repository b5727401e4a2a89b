"""A fitted tree: flat arrays with names, and the ways to write it down."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._solving.losses import ZERO_ONE, Loss
from splitsecond._support.names import public
from splitsecond._tables.binary import Table
from splitsecond._tables.columns import Variable
from splitsecond._tables.labels import codes_of
from splitsecond._tables.literals import Literal
from splitsecond._trees.conditions import asked_table, table_of_row
from splitsecond._trees.pictures.figures import draw
from splitsecond._trees.pictures.layout import Overlay, Picture, picture_of
from splitsecond._trees.pictures.svg import to_svg
from splitsecond._trees.python_code import to_python
from splitsecond._trees.rules import plain_label, rules_of
from splitsecond._trees.scikit_learn import to_sklearn
from splitsecond._trees.sql import to_sql
from splitsecond._trees.text import to_dot, to_text

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier


@public
@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """A decision tree of yes/no questions about the user's columns.

    Attributes
    ----------
    feature : ndarray of shape (n_nodes,)
        The question at each node, a key of `literals`; -1 at a leaf. Node 0 is the root.
    left, right : ndarray of shape (n_nodes,)
        The node to go to where the answer is yes and where it is no; -1 at a leaf.
    counts : ndarray of shape (n_nodes, n_classes)
        Training weight of each class at each node.
    n_rows : ndarray of shape (n_nodes,)
        Training rows at each node, apart from those of weight 0.
    row_counts : ndarray of shape (n_nodes, n_classes), or None
        Training rows of each class at each node, whatever their weights; None in weighted models of
        old files, which do not tell.
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
        What the tree was fitted for; its ``name`` is "zero_one", "costs", "brier" or "log_loss".
    labels : ndarray
        What `prediction` numbers: the classes, or the actions of ``costs``.
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
    loss: Loss = field(default_factory=lambda: ZERO_ONE)
    labels: NDArray[Any] = field(init=False)
    prediction: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", self.loss.labels(self.classes))
        object.__setattr__(self, "prediction", self.loss.prediction(self.counts))

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
        leaves = np.flatnonzero(self.feature < 0)
        known = {label: place for place, label in enumerate(self.classes.tolist())}
        of_label = np.array([known.get(label, -1) for label in self.labels.tolist()])
        said = of_label[self.prediction[leaves]]
        correct = np.where(said >= 0, self.counts[leaves, said], 0)
        return float(correct.sum() / self.counts[0].sum())

    @property
    def training_loss(self) -> float:
        """Mean loss of a training row: the share misclassified, cost, Brier score or log-loss."""
        leaves = self.counts[self.feature < 0]
        return float(np.sum(self.loss.loss(leaves)) / self.counts[0].sum())

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
        shares: NDArray[np.float64] = self.counts / self.counts.sum(axis=1, keepdims=True)
        return shares

    @cached_property
    def is_weighted(self) -> bool:
        """Whether shares of the training weight differ from shares of the rows."""
        if self.row_counts is None:
            return True
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
        place = {j: i for i, j in enumerate(sorted(self.literals))}
        feature = np.array([place.get(j, -1) for j in self.feature.tolist()], dtype=np.int32)
        return leaf_of_rows(feature, self.left, self.right, asked_table(self, X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label of each row: the majority class in its leaf, or its cheapest action."""
        predicted: NDArray[Any] = self.labels[self.prediction[self.apply(X)]]
        return predicted

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict class probabilities: the shares of training weight in each row's leaf."""
        probabilities: NDArray[np.float64] = self.shares()[self.apply(X)]
        return probabilities

    # ---- other forms -----------------------------------------------------------------------------

    def rules(self) -> list[dict[str, Any]]:
        """List the leaves as rules, each with its conditions, prediction, rows and class shares.

        Conditions that follow from others are left out, and bounds of a column are joined, such as
        ``2.5 < age <= 40``.

        Returns
        -------
        list of dict
            "if" has the conditions in words; that missing values meet one is said of columns that
            had some in training or are asked for them. "conditions" has them as plain values, one
            dictionary for each column: "variable"; "above" and "at_most" (bounds), "equals" or
            "not_equals" (a list), "only_missing"; and "missing", whether a missing value meets it.
            A category that was not there in training meets "above" and "not_equals". A leaf that
            nothing reaches has "never".

            "then" is the prediction and "leaf" its node. "rows" and "counts" (by class) are
            training rows; "shares" are those of their weight, which `predict_proba` returns.

        Examples
        --------
        >>> from splitsecond import LicketySPLITClassifier
        >>> X, y = [[18], [25], [31], [58]] * 5, ["young", "young", "middle", "old"] * 5
        >>> for rule in LicketySPLITClassifier().fit(X, y).tree_.rules():
        ...     print(rule["if"], rule["then"])
        ['x0 <= 28'] young
        ['28 < x0 <= 40'] middle
        ['x0 > 40'] old
        """
        return rules_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as nested dictionaries of plain Python values.

        At each node, "rows" and "row_counts" (by class) are training rows, "counts" their weight.
        """
        nodes: list[dict[str, Any]] = [
            {"rows": int(rows), "counts": counts.tolist()}
            for rows, counts in zip(self.n_rows, self.counts, strict=True)
        ]
        if self.row_counts is not None:
            for out, row_counts in zip(nodes, self.row_counts, strict=True):
                out["row_counts"] = row_counts.tolist()
        for node, out in enumerate(nodes):
            if self.feature[node] < 0:
                out["prediction"] = plain_label(self.classes[self.prediction[node]])
            else:
                literal = self.literals[int(self.feature[node])]
                out["question"] = str(literal)
                out["variable"] = literal.name
                out["operator"] = literal.operator
                if literal.value is not None:
                    out["value"] = literal.value
                out["yes"] = nodes[self.left[node]]
                out["no"] = nodes[self.right[node]]
        return {
            "classes": [plain_label(label) for label in self.classes],
            "objective": self.objective,
            "n_leaves": self.n_leaves,
            "depth": self.depth,
            "root": nodes[0],
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return `to_dict` as JSON; labels that JSON has no word for are written as text.

        Python's writer gives up on trees some hundreds of levels deep.
        """
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, default=str)

    def to_text(self) -> str:
        """Draw the tree with lines: a question a row, yes before no, leaves with their share.

        Shares and counts are those of training rows; where these have weights, the share of the
        class in their weight, by which it is predicted, follows.
        """
        return to_text(self)

    def to_sql(self, *, table: str | None = None, columns: Mapping[str, str] | None = None) -> str:
        """Return the prediction as an SQL expression, for ``SELECT <expression> FROM ...``.

        It is nested CASE expressions in standard SQL. NULL and NaN are missing values. Columns of
        booleans are compared with 1; text is compared by the rules of the database, some of which
        ignore case. Labels that SQL has no word for are written as text.

        Parameters
        ----------
        table : str, optional
            Name or alias of the table, put before each column.
        columns : mapping of str to str, optional
            Expressions to use for some columns, such as ``{"flag": 'CAST("flag" AS INTEGER)'}``
            where booleans do not compare with 1. Others are their names in quotes.

        Examples
        --------
        >>> from splitsecond import LicketySPLITClassifier
        >>> X, y = [[18], [25], [31], [58]] * 5, ["young", "young", "old", "old"] * 5
        >>> print(LicketySPLITClassifier().fit(X, y).tree_.to_sql())
        CASE
          WHEN "x0" <= 28 THEN 'young'
          ELSE 'old'
        END
        """
        return to_sql(self, table, columns)

    def to_python(self, name: str = "predict") -> str:
        """Return the source of a Python function that predicts one row, and needs nothing else.

        The function takes a mapping of columns to values, such as a dictionary, or the columns as
        keywords; a row of a table without names is any sequence. None, NaN and pandas' NA are
        missing values. Labels that are no plain values are written as text.

        Examples
        --------
        >>> from splitsecond import LicketySPLITClassifier
        >>> X, y = [[18], [25], [31], [58]] * 5, ["young", "young", "old", "old"] * 5
        >>> source = LicketySPLITClassifier().fit(X, y).tree_.to_python("age_group")
        >>> exec(source)
        >>> age_group([28])
        'young'
        """
        return to_python(self, name)

    def to_sklearn(self, *, questions: bool | None = None) -> DecisionTreeClassifier:
        """Return a fitted `sklearn.tree.DecisionTreeClassifier` that predicts the same.

        Where the tree only compares numbers, or asks whether they are missing, it reads the user's
        columns: ``X[model.feature_names_in_]`` for a data frame, which are those the tree asks
        about, or all columns of a table without names. Otherwise it reads the answers to the
        questions: ``tree.answers(X)``, whose columns are named by ``tree.questions``.

        scikit-learn rounds tables to 32-bit floats. Values just above a threshold that round to it
        are taken for it; answers are never rounded.

        Parameters
        ----------
        questions : bool, optional
            True: read answers in any case. False: an error where it cannot read the columns.
        """
        return to_sklearn(self, questions)

    # ---- pictures --------------------------------------------------------------------------------

    def to_svg(self, *, X: Any = None, y: Any = None, path: Any = None) -> str:
        """Return a picture of the tree as SVG, without any other file or font.

        Each node has its question (or the class it predicts), its rows, and a bar of class shares;
        the width of an edge says how many rows take it.

        Parameters
        ----------
        X : table, optional
            New rows, which are counted at each node beside those of training.
        y : array-like, optional
            Their classes, whose shares are shown too.
        path : mapping, sequence or table of one row, optional
            A row whose way through the tree is marked.
        """
        return to_svg(self._picture(X, y, path))

    def plot(self, ax: Any = None, *, X: Any = None, y: Any = None, path: Any = None) -> Any:
        """Draw the tree with matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure, as large as the tree needs.
        X, y, path
            As for `to_svg`.

        Returns
        -------
        matplotlib axes
        """
        return draw(self._picture(X, y, path), ax)

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x: auto">{self.to_svg()}</div>'

    def _picture(self, X: Any, y: Any, path: Any) -> Picture:
        overlay = None
        if X is not None:
            overlay = self._overlay(X, y)
        elif y is not None:
            raise ValueError("y was given without X: give the rows that it belongs to.")
        on_path = [] if path is None else self._above(self.apply(table_of_row(self, path))[0])
        return picture_of(self, overlay, on_path)

    def _overlay(self, X: Any, y: Any) -> Overlay:
        leaves, n_nodes, n_classes = self.apply(X), len(self.feature), len(self.classes)
        codes = np.zeros(len(leaves), dtype=int)
        if y is not None:
            codes = codes_of(y, self.classes, len(leaves))
        cells = np.bincount(leaves * n_classes + codes, minlength=n_nodes * n_classes)
        counts = cells.reshape(n_nodes, n_classes)
        for node in reversed(range(n_nodes)):
            if self.feature[node] >= 0:
                counts[node] = counts[self.left[node]] + counts[self.right[node]]
        return Overlay(counts.sum(axis=1), None if y is None else counts)

    def _above(self, leaf: int) -> list[int]:
        """Return a leaf and the nodes on the way to it."""
        path = [int(leaf)]
        for node in reversed(range(int(leaf))):
            if path[-1] in (self.left[node], self.right[node]):
                path.append(node)
        return path

    def to_dot(self) -> str:
        """Return the tree in Graphviz's language."""
        return to_dot(self)


def leaf_of_rows(
    feature: NDArray[np.int32], left: NDArray[np.int32], right: NDArray[np.int32], table: Table
) -> NDArray[np.int64]:
    """Return the leaf of a flat tree that each row of a table ends in."""
    leaf = np.zeros(table.n_rows, dtype=np.int64)
    waiting = [(0, np.arange(table.n_rows))]
    while waiting:
        node, rows = waiting.pop()
        if feature[node] < 0 or rows.size == 0:
            leaf[rows] = node
            continue
        yes = table.column(feature[node])[rows] == 1
        waiting.append((int(left[node]), rows[yes]))
        waiting.append((int(right[node]), rows[~yes]))
    return leaf


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return bool(a == b)
