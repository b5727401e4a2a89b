"""Cross-validation of a path: fits with its lambdas, on rows that they have not seen."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from splitsecond._estimators.base import LimitWarning
from splitsecond._paths.fits import Fits
from splitsecond._paths.path import PathEntry
from splitsecond._paths.scorers import HeldOut, Scorer
from splitsecond._paths.targets import ClassTarget, Rows, RowTarget
from splitsecond._solving.exact import as_fraction
from splitsecond._support.messages import shown
from splitsecond._tables.data_checks import DataWarning
from splitsecond._tables.opening import as_array, open_frame
from splitsecond._tables.weights import check_sample_weight
from splitsecond._trees.tree import NO_CLASSES

Fold = tuple[Rows, Rows]  # the rows to learn from, and to be scored on


class FoldByFold(ABC):
    """What both kinds of folds share: of rows, and of count tables."""

    scorer: Scorer | None  # None: the loss that models are fitted for

    @property
    @abstractmethod
    def n_folds(self) -> int:
        """How many there are."""

    @abstractmethod
    def _fold(self, number: int, entries: list[PathEntry], deadline: float) -> Iterator[float]:
        """Return the loss or score of each entry's lambda in a fold."""

    def values(
        self, entries: list[PathEntry], deadline: float
    ) -> tuple[list[list[float]], BaseException | None]:
        """Return the loss or score of each entry's lambda, by fold, and what stopped the rest."""
        found: list[list[float]] = []
        try:
            for number in range(self.n_folds):
                found.append(list(self._fold(number, entries, deadline)))
        except (TimeoutError, KeyboardInterrupt) as stop:
            return found, stop
        return found, None

    def added_to(self, entries: list[PathEntry], values: list[list[float]]) -> list[PathEntry]:
        """Add to each entry its mean over the folds, if there are enough."""
        if len(values) < 2:
            return entries
        means = np.mean(values, axis=0).tolist()
        folds = np.array(values)
        known = np.isfinite(folds).all(axis=0)  # a fold may be infinitely bad
        spread = np.std(np.where(known, folds, 0), axis=0, ddof=1) / math.sqrt(len(values))
        errors = np.where(known, spread, math.inf).tolist()
        found = [
            replace(entry, cv_standard_error=error)
            for entry, error in zip(entries, errors, strict=True)
        ]
        pairs = zip(found, means, strict=True)
        if self.scorer is None:
            return [replace(entry, cv_loss=mean) for entry, mean in pairs]
        return [replace(entry, cv_score=mean) for entry, mean in pairs]


@dataclass(frozen=True)
class Validation(FoldByFold):
    """The folds of a table, and what models are judged by on held-out rows."""

    target: RowTarget  # of the whole table
    X: Any
    weights: NDArray[np.float64] | None  # as the user gave them, without those of classes
    folds: list[Fold]
    scorer: Scorer | None  # None: the loss that models are fitted for

    @classmethod
    def of(cls, cv: Any, scoring: Any, fits: Fits, X: Any, sample_weight: Any) -> Validation:
        """Read what the user gave; folds that a scorer has no score for are refused at once."""
        target, given = RowTarget.of(fits), sample_weight
        if given is not None:
            given = check_sample_weight(given, fits.table.n_rows)
        scorer = None
        if scoring is not None:
            weighted = given is not None
            scorer = Scorer.of(scoring, fits.estimator, target.classes, weighted=weighted)
        made = cls(target, X, given, _folds(cv, target, fits.table.n_rows), scorer)
        if scorer is not None:
            for number, (train, _) in enumerate(made.folds):
                scorer.check(made._held_out(number, with_X=False), target.y(train))
        return made

    @property
    def n_folds(self) -> int:
        return len(self.folds)

    def _fold(self, number: int, entries: list[PathEntry], deadline: float) -> Iterator[float]:
        train, test = self.folds[number]
        own = None if self.weights is None else self.weights[train]
        with warnings.catch_warnings():
            for told in (DataWarning, LimitWarning):  # of the whole table
                warnings.simplefilter("ignore", told)
            X = _rows(self.X, train)
            y = self.target.training_y(train, as_given=self.scorer is not None)
            inside = Fits(self.target.estimator(y), X, y, own, deadline)
        models = (inside.at(as_fraction(entry.regularization)).model for entry in entries)
        if self.scorer is None:
            table = inside.estimator._answers(_rows(self.X, test))
            yield from (self.target.mean_loss(model.tree_, table, test) for model in models)
        else:
            held_out = self._held_out(number)
            yield from (self.scorer.score(model, held_out) for model in models)

    def _held_out(self, number: int, *, with_X: bool = True) -> HeldOut:
        train, test = self.folds[number]
        return HeldOut(
            _rows(self.X, test) if with_X else np.zeros((len(test), 1)),
            self.target.y(test),
            None if self.weights is None else self.weights[test],
            np.unique(self.target.y(train)) if self.target.is_of_classes else NO_CLASSES,
            f"fold {number + 1} of {len(self.folds)}",
        )


def _folds(cv: Any, target: RowTarget, n_rows: int) -> list[Fold]:
    every = np.arange(n_rows)
    y = target.codes if isinstance(target, ClassTarget) else target.y(every)
    try:
        splitter = check_cv(cv, y, classifier=target.is_of_classes)
        parts = splitter.split(np.zeros(n_rows), y)
        folds = [(every[train], every[test]) for train, test in parts]  # lists and masks will do
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(
            f"cv={shown(cv)} must be a number of folds, such as 5, a splitter of scikit-learn, or "
            f"pairs of rows to learn from and rows to score: {error!s:.300}"
        ) from error
    if len(folds) < 2:
        raise ValueError(f"cv={shown(cv)} gives {len(folds)} fold: at least 2 are needed.")
    return folds


def _rows(X: Any, rows: Rows) -> Any:
    """Return some rows of a table of any kind."""
    frame = open_frame(X)
    if frame is not None:
        return frame[rows.tolist(), :].to_native()
    return X.tocsr()[rows] if hasattr(X, "tocsr") else as_array(X)[rows]
