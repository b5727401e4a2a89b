"""The ways to write a tree down: as text, data, code and pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from splitsecond._trees.dictionary import to_dict
from splitsecond._trees.intervals import known_intervals
from splitsecond._trees.number_texts import texts_of
from splitsecond._trees.outputs import output_of
from splitsecond._trees.pictures.figures import draw
from splitsecond._trees.pictures.layout import picture_of
from splitsecond._trees.pictures.overlay import nodes_of_row, overlay_of
from splitsecond._trees.pictures.shapes import Picture
from splitsecond._trees.pictures.svg import to_svg
from splitsecond._trees.python_code import to_python
from splitsecond._trees.rules import rules_of
from splitsecond._trees.scikit_learn import to_sklearn
from splitsecond._trees.sql import to_sql
from splitsecond._trees.text import to_dot, to_text

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor


class TreeForms:
    """Methods of `Tree` that return it in another form; ``self`` is a `Tree`."""

    def rules(
        self: Any, *, level: float | None = 0.95, method: str = "auto"
    ) -> list[dict[str, Any]]:
        """List the leaves as rules, each with its conditions, prediction, rows and class shares.

        Conditions that follow from others are left out, and bounds of a column are joined, such as
        ``2.5 < age <= 40``.

        Parameters
        ----------
        level : float, optional
            Confidence level of the intervals; None: without them.
        method : str, default="auto"
            As for `intervals`.

        Returns
        -------
        list of dict
            "if" has the conditions in words; that missing values meet one is said of columns that
            had some in training or are asked for them. "conditions" has them as plain values, one
            dictionary for each column: "variable"; "above" and "at_most" (bounds), "equals" or
            "not_equals" (a list), "only_missing"; and "missing", whether a missing value meets it.
            A category that was not there in training meets "above" and "not_equals". A leaf that
            nothing reaches has "never".

            "then" is the prediction, a class, an action or a number, and "leaf" its node. "rows"
            and "counts" (by class) are training rows, and "intervals" (by class) those of their
            shares. "shares" are those of their weight, which `predict_proba` returns.

            Rules of numbers have "rows", their "weight" and "mean", the "interval" of the mean
            (with None for a limit that is infinite), "loss", the mean squared error or deviance of
            a row, and "histogram", the rows in each bin of ``bins``.

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
        return rules_of(self, known_intervals(self, level, method))

    def to_dict(self: Any, *, level: float | None = 0.95, method: str = "auto") -> dict[str, Any]:
        """Return the tree as nested dictionaries of plain Python values.

        At each node, "rows" and "row_counts" (by class) are training rows, "intervals" (by class)
        those of their shares; "counts" is their weight, and "shares" those of the classes in it,
        which `predict_proba` returns. "leaf" is what `apply` returns. Nodes of a tree of numbers
        have what its `rules` have.

        Parameters
        ----------
        level, method
            As for `rules`.
        """
        return to_dict(self, level, method)

    def to_json(
        self: Any,
        indent: int | None = None,
        *,
        level: float | None = 0.95,
        method: str = "auto",
    ) -> str:
        """Return `to_dict` as JSON; labels that JSON has no word for are written as text.

        Python's writer gives up on trees some hundreds of levels deep.
        """
        nested = self.to_dict(level=level, method=method)
        return json.dumps(nested, indent=indent, ensure_ascii=False, default=str)

    def to_text(self: Any, *, level: float | str | None = "auto", method: str = "auto") -> str:
        """Draw the tree with lines: a question a row, yes before no, leaves with their share.

        Trees of ``loss="zero_one"`` say the share of the class they predict. Others say the
        probability of a class by its name, such as ``p(ill) 0.171``: with two classes that of the
        second, with more that of the majority class.

        Shares and counts are those of training rows; where these have weights, the share of the
        class in their weight, by which it is predicted, follows.

        Trees of numbers say the mean of a leaf (a rate with "poisson"), its interval, and the rows,
        such as ``-> 187.3  [171, 204]  58 rows``. A single row has no interval. Weights follow
        where they are not all the same, and exposures where they are not all 1.

        Parameters
        ----------
        level : float, "auto" or None, default="auto"
            Confidence level of the intervals beside shares; None: without them. "auto" is None for
            ``loss="zero_one"``, otherwise 0.95.
        method : str, default="auto"
            As for `intervals`.
        """
        return to_text(texts_of(self, level, method))

    def to_dot(self: Any, *, level: float | str | None = "auto", method: str = "auto") -> str:
        """Return the tree in Graphviz's language; parameters are those of `to_text`."""
        return to_dot(texts_of(self, level, method))

    def to_sql(
        self: Any,
        *,
        table: str | None = None,
        columns: Mapping[str, str] | None = None,
        output: str = "auto",
        of: Any = None,
    ) -> str:
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
        output : {"auto", "class", "probability", "value", "leaf"}, default="auto"
            What the expression is: the class or action that `predict` returns, a probability of
            `predict_proba`, the leaf that `apply` returns, or of a tree of numbers the value that
            `predict` returns. "auto" is the class or the value.
        of : label, optional
            The class of the probability; by default the second of two.

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
        return to_sql(self, table, columns, output_of(self, output, of))

    def to_python(self: Any, name: str = "predict", *, output: str = "auto", of: Any = None) -> str:
        """Return the source of a Python function that predicts one row, and needs nothing else.

        The function takes a mapping of columns to values, such as a dictionary, or the columns as
        keywords; a row of a table without names is any sequence. None, NaN and pandas' NA are
        missing values. Labels that are no plain values are written as text.

        Parameters
        ----------
        name : str, default="predict"
            Name of the function.
        output, of
            What it returns, as for `to_sql`.

        Examples
        --------
        >>> from splitsecond import LicketySPLITClassifier
        >>> X, y = [[18], [25], [31], [58]] * 5, ["young", "young", "old", "old"] * 5
        >>> source = LicketySPLITClassifier().fit(X, y).tree_.to_python("age_group")
        >>> exec(source)
        >>> age_group([28])
        'young'
        """
        return to_python(self, name, output_of(self, output, of))

    def to_sklearn(
        self: Any, *, questions: bool | None = None
    ) -> DecisionTreeClassifier | DecisionTreeRegressor:
        """Return a fitted `sklearn.tree.DecisionTreeClassifier` that predicts the same.

        A tree of numbers is a `sklearn.tree.DecisionTreeRegressor`, of the same criterion.

        Where the tree only compares numbers, or asks whether they are missing, it reads the user's
        columns: ``X[model.feature_names_in_]`` for a data frame, which are those the tree asks
        about, or all columns of a table without names. Otherwise it reads the answers to the
        questions: ``tree.answers(X)``, whose columns are named by ``tree.questions``.

        scikit-learn rounds tables to 32-bit floats. Values just above a threshold that round to it
        are taken for it; answers are never rounded.

        They predict the majority class of a leaf. A tree of ``costs`` with a leaf that says
        anything else is refused.

        Parameters
        ----------
        questions : bool, optional
            True: read answers in any case. False: an error where it cannot read the columns.
        """
        return to_sklearn(self, questions)

    # ---- pictures --------------------------------------------------------------------------------

    def to_svg(
        self: Any,
        *,
        X: Any = None,
        y: Any = None,
        path: Any = None,
        level: float | str | None = "auto",
        method: str = "auto",
        sample_weight: Any = None,
    ) -> str:
        """Return a picture of the tree as SVG, without any other file or font.

        Each node has its question (or what it predicts), its rows, and a bar of class shares, with
        the rows of each class where there is room; the width of an edge says how many rows take it.
        A line on a bar is the interval of the share. In a tree that would be wider than a page, a
        chain of questions runs down, with its leaves beside it.

        A leaf of a tree of numbers has its mean, the interval of it, and a small histogram of the
        numbers of its rows: all on the same axis, whose outermost bins hold the 1 % at either end.
        A line marks the mean, and its colour says how high it is among the leaves.

        Parameters
        ----------
        X : table, optional
            New rows, which are counted at each node beside those of training.
        y : array-like, optional
            Their classes, whose shares are shown too, or numbers: their means, and the R^2 (D^2
            with "poisson") of all these rows.
        path : mapping, sequence or table of one row, optional
            A row whose way through the tree is marked.
        level, method
            Intervals in leaves, as for `to_text`.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the new rows, or exposures; only for numbers.
        """
        return to_svg(self._picture(X, y, path, sample_weight, level=level, method=method))

    def plot(
        self: Any,
        ax: Any = None,
        *,
        X: Any = None,
        y: Any = None,
        path: Any = None,
        level: float | str | None = "auto",
        method: str = "auto",
        sample_weight: Any = None,
    ) -> Any:
        """Draw the tree with matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure, as large as the tree needs.
        X, y, path, level, method, sample_weight
            As for `to_svg`.

        Returns
        -------
        matplotlib axes
        """
        return draw(self._picture(X, y, path, sample_weight, level=level, method=method), ax)

    def _repr_html_(self: Any) -> str:
        return f'<div style="overflow-x: auto">{self.to_svg()}</div>'

    def _picture(
        self: Any,
        X: Any,
        y: Any,
        path: Any,
        sample_weight: Any = None,
        *,
        level: Any = "auto",
        method: str = "auto",
    ) -> Picture:
        said = texts_of(self, level, method)
        return picture_of(said, overlay_of(self, X, y, sample_weight), nodes_of_row(self, path))
