"""Scorers of scikit-learn: reading a parameter `scoring`, and scoring held-out rows with it."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import check_scoring, get_scorer_names

from splitsecond._support.messages import listed, offered, shown

# How scikit-learn warns of a score that rests on rows that are not there.
NO_ROWS = "No (positive|negative) (class|samples)|.*due to no true (nor predicted )?samples"

# Scorers for numbers, of which there are more.
NUMBER_SCORERS = (
    *("r2", "neg_mean_squared_error", "neg_root_mean_squared_error", "neg_mean_absolute_error"),
    *("neg_median_absolute_error", "neg_mean_poisson_deviance", "d2_absolute_error_score"),
)
CLASS_SCORERS = ("accuracy", "balanced_accuracy", "f1", "roc_auc", "neg_log_loss")

Labels = NDArray[Any]  # or numbers
Weights = NDArray[np.float64]


@dataclass(frozen=True)
class HeldOut:
    """The held-out rows of a fold, and which fold it is."""

    X: Any
    y: Labels
    weights: Weights | None  # as the user gave them
    learned: Labels  # the classes of the training rows, each once; none for numbers
    fold: str  # such as "fold 2 of 5"


@dataclass(frozen=True)
class Scorer:
    """A scorer: the higher its score, the better."""

    name: str
    given: Any  # the parameter
    function: Callable[..., Any]
    classes: Labels  # none for numbers

    @classmethod
    def of(cls, scoring: Any, estimator: Any, classes: Labels, *, weighted: bool) -> Scorer:
        """Read the parameter `scoring`: a name or a callable, as scikit-learn takes it."""
        if isinstance(scoring, str):
            known = get_scorer_names()
            if scoring not in known:
                names, hint = offered(scoring, known)
                raise ValueError(
                    f"scoring={shown(scoring)} is not the name of a scorer of scikit-learn: "
                    f"{names}.{hint}"
                )
        elif not callable(scoring):
            example = "roc_auc" if len(classes) else "r2"
            raise ValueError(
                f"scoring={shown(scoring)} must be the name of one scorer of scikit-learn, such as "
                f"{example!r}, or a function of a model, X and y that returns a number."
            )
        function = check_scoring(estimator, scoring=scoring)
        scorer = cls(_name_of(scoring), scoring, function, classes)
        if weighted and not _takes_weight(function):
            raise ValueError(
                f"scoring={shown(scoring)} takes no sample_weight, by which held-out rows are to "
                "count: give a scorer that takes it, or leave out sample_weight."
            )
        return scorer

    def check(self, rows: HeldOut, learned_from: Labels) -> None:
        """Refuse a fold that a named scorer has no score for, before there are models to score."""
        if isinstance(self.given, str):
            nothing = np.zeros((len(learned_from), 1))
            simplest = DummyClassifier(strategy="prior") if len(self.classes) else DummyRegressor()
            self.score(simplest.fit(nothing, learned_from), rows)

    def score(self, model: Any, rows: HeldOut) -> float:
        """Return the score of a model on held-out rows; refuse where there is none.

        Minus infinity is the worst score that there is, as for an event where the rate is 0.
        """
        options = {} if rows.weights is None else {"sample_weight": rows.weights}
        y = rows.y
        if self._is_coded():
            model, y = _Coded(model, self.classes), _codes(y, self.classes)
        with warnings.catch_warnings():
            # Where nothing is predicted positive, precision is 0 by convention: a lone leaf's.
            told = Warning if isinstance(self.given, str) else UndefinedMetricWarning
            warnings.simplefilter("ignore", told)
            # But where no row is positive, none could be found.
            warnings.filterwarnings("error", NO_ROWS)
            try:
                value = self.function(model, rows.X, y, **options)
            except AttributeError as error:  # a classifier has all that scorers ask for
                if len(self.classes):
                    raise
                reason = ": it is for classes, and the model predicts numbers"
                raise self._undefined(model, rows, reason) from error
            except (ValueError, TypeError, Warning) as error:
                reason = f": {str(error).rstrip('.'):.300}"
                raise self._undefined(model, rows, reason) from error
        if not isinstance(value, (Real, np.number)):
            raise ValueError(
                f"scoring={shown(self.given)} returned {shown(value)}: it must return one number."
            )
        if math.isnan(value):
            raise self._undefined(model, rows)
        if value == math.inf:
            raise self._undefined(model, rows, ": it is infinite, and no score is higher")
        return float(value)

    def _is_coded(self) -> bool:
        """Whether classes are to be 0 and 1, for scorers that take 1 as the positive one.

        Of two classes that are text, or other numbers, f1 knows no positive one; as for AUC, it is
        the second.
        """
        labels = self.classes.tolist()
        return isinstance(self.given, str) and len(labels) == 2 and 1 not in labels

    def _undefined(self, model: Any, rows: HeldOut, reason: str = "") -> ValueError:
        text = f"scoring={shown(self.given)} gives no score for {rows.fold}{reason}."
        if not len(self.classes):
            return ValueError(text + self._remedy_for_numbers(model, rows))
        if self.given in NUMBER_SCORERS:
            return ValueError(
                f"{text} It is for numbers; for classes there are {_some(CLASS_SCORERS)}."
            )
        counted = rows.y if rows.weights is None else rows.y[rows.weights > 0]
        for what, present in (("held-out", counted), ("training", rows.learned)):
            missing = np.setdiff1d(self.classes, present).tolist()
            if missing:
                text += (
                    f" Its {what} rows lack the class {listed([shown(each) for each in missing])}: "
                    "use stratified folds, such as cv=5 or StratifiedKFold, and no more than there "
                    "are rows of each class."
                )
                break
        else:
            variants = [f"{self.given}_{kind}" for kind in ("ovr", "ovo", "macro", "weighted")]
            variants = [shown(each) for each in variants if each in get_scorer_names()]
            if len(self.classes) > 2 and variants:
                text += f" For {len(self.classes)} classes there are {listed(variants)}."
        return ValueError(text)

    def _remedy_for_numbers(self, model: Any, rows: HeldOut) -> str:
        n_rows = len(rows.y) if rows.weights is None else np.count_nonzero(rows.weights)
        if n_rows < 2:
            return " It has fewer than two held-out rows: use fewer folds, such as cv=5."
        if not isinstance(self.given, str):
            return ""
        if "deviance" in self.given and not (model.predict(rows.X) > 0).all():
            return (
                " A leaf predicts 0, as it has no events: use a larger min_samples_leaf, or leave "
                "out scoring to compare by the loss, which allows for it."
            )
        return f" For numbers there are {_some(NUMBER_SCORERS)}."


class _Coded(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted model, with numbers of classes instead of their names."""

    def __init__(self, model: Any, classes: Labels) -> None:
        self.model, self.classes = model, classes
        self.classes_ = np.arange(len(classes))

    def predict(self, X: Any) -> NDArray[np.int64]:
        return _codes(self.model.predict(X), self.classes)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        known = self.model.predict_proba(X)
        shares = np.zeros((len(known), len(self.classes)))
        shares[:, _codes(self.model.classes_, self.classes)] = known
        return shares


def _codes(labels: Labels, classes: Labels) -> NDArray[np.int64]:
    """Return the numbers of classes; -1 for what is none, such as an action."""
    number = {label: i for i, label in enumerate(classes.tolist())}
    return np.array([number.get(label, -1) for label in labels.tolist()], dtype=np.int64)


def _some(scorers: tuple[str, ...]) -> str:
    """List the scorers that scikit-learn has."""
    return listed([shown(each) for each in scorers if each in get_scorer_names()])


def _name_of(scoring: Any) -> str:
    """Return a short name for texts and tables."""
    if isinstance(scoring, str):
        return scoring
    inner = getattr(scoring, "_score_func", scoring)  # of what make_scorer returns
    name = str(getattr(inner, "__name__", type(scoring).__name__))
    return "score" if name == "<lambda>" else name


def _takes_weight(scorer: Any) -> bool:
    """Whether a scorer can be given weights of rows; one whose parameters are unknown may try."""
    try:
        parameters = inspect.signature(getattr(scorer, "_score_func", scorer)).parameters
    except (TypeError, ValueError):
        return True
    kinds = [each.kind for each in parameters.values()]
    return "sample_weight" in parameters or inspect.Parameter.VAR_KEYWORD in kinds
