"""Cross-validation of a path: fits with its lambdas, on rows that they have not seen."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv

from splitsecond._estimators.base import LimitWarning, TreeEstimator
from splitsecond._paths.fits import Fits
from splitsecond._paths.path import PathEntry
from splitsecond._paths.scorers import HeldOut, Scorer
from splitsecond._solving.exact import as_fraction
from splitsecond._solving.losses import Costs, LogLoss, Loss
from splitsecond._support.messages import shown
from splitsecond._tables.binary import leaf_of_rows
from splitsecond._tables.data_checks import DataWarning
from splitsecond._tables.opening import as_array, open_frame
from splitsecond._tables.weights import check_sample_weight
from splitsecond._trees.tree import Tree

MAX_LOG_LOSS = -math.log(np.finfo(np.float64).eps)  # of a row

Rows = NDArray[np.intp]
Fold = tuple[Rows, Rows]  # the rows to learn from, and to be scored on


@dataclass(frozen=True)
class Validation:
    """The folds of a table, and what models are judged by on held-out rows."""

    fits: Fits  # of the whole table
    X: Any
    weights: NDArray[np.float64] | None  # as the user gave them, without those of classes
    folds: list[Fold]
    scorer: Scorer | None  # None: the loss that models are fitted for

    @classmethod
    def of(cls, cv: Any, scoring: Any, fits: Fits, X: Any, sample_weight: Any) -> Validation:
        """Read what the user gave; folds that a scorer has no score for are refused at once."""
        estimator = fits.estimator
        given = sample_weight
        if given is not None:
            given = check_sample_weight(given, fits.table.n_rows)
        scorer = None
        if scoring is not None:
            weighted = given is not None
            scorer = Scorer.of(scoring, estimator, estimator.classes_, weighted=weighted)
        made = cls(fits, X, given, _folds(cv, fits), scorer)
        if scorer is not None:
            for number, (train, _) in enumerate(made.folds):
                scorer.check(made._held_out(number, with_X=False), made._labels(train))
        return made

    def values(
        self, entries: list[PathEntry], deadline: float
    ) -> tuple[list[list[float]], BaseException | None]:
        """Return the loss or score of each entry's lambda, by fold, and what stopped the rest."""
        found: list[list[float]] = []
        try:
            for number in range(len(self.folds)):
                found.append(list(self._fold(number, entries, deadline)))
        except (TimeoutError, KeyboardInterrupt) as stop:
            return found, stop
        return found, None

    def added_to(self, entries: list[PathEntry], values: list[list[float]]) -> list[PathEntry]:
        """Add to each entry its mean over the folds, if there are enough."""
        if len(values) < 2:
            return entries
        means = np.mean(values, axis=0).tolist()
        errors = (np.std(values, axis=0, ddof=1) / math.sqrt(len(values))).tolist()
        found = [
            replace(entry, cv_standard_error=error)
            for entry, error in zip(entries, errors, strict=True)
        ]
        pairs = zip(found, means, strict=True)
        if self.scorer is None:
            return [replace(entry, cv_loss=mean) for entry, mean in pairs]
        return [replace(entry, cv_score=mean) for entry, mean in pairs]

    def _fold(self, number: int, entries: list[PathEntry], deadline: float) -> Iterator[float]:
        train, test = self.folds[number]
        own = None if self.weights is None else self.weights[train]
        with warnings.catch_warnings():
            for told in (DataWarning, LimitWarning):  # of the whole table
                warnings.simplefilter("ignore", told)
            X, y = _rows(self.X, train), self._labels(train)
            inside = Fits(self._estimator(y), X, y, own, deadline)
        models = (inside.at(as_fraction(entry.regularization)).model for entry in entries)
        if self.scorer is None:
            table = inside.estimator._answers(_rows(self.X, test))
            yield from (self._mean_loss(model.tree_, table, test) for model in models)
        else:
            held_out = self._held_out(number)
            yield from (self.scorer.score(model, held_out) for model in models)

    def _estimator(self, y: NDArray[Any]) -> TreeEstimator:
        """Return the estimator for some rows; class weights and costs name no class they lack."""
        estimator = self.fits.estimator
        classes = estimator.classes_
        present = np.isin(classes, y)
        if present.all():
            return estimator
        own: TreeEstimator = clone(estimator)
        if isinstance(own.class_weight, Mapping):
            kept = set(classes[present].tolist())
            weights = own.class_weight.items()
            own.class_weight = {label: weight for label, weight in weights if label in kept}
        loss = self.fits.target.loss
        if isinstance(loss, Costs):
            own.costs = [[row[j] for j in np.flatnonzero(present)] for row in loss.table]
            own.actions = list(loss.actions)
        return own

    def _mean_loss(self, tree: Tree, table: Any, test: Rows) -> float:
        """Return the loss of a tree on held-out rows, which count as in training."""
        weights = self.fits.target.weights
        counted = np.ones(len(test)) if weights is None else weights[test]
        leaves = leaf_of_rows(tree.feature, tree.left, tree.right, table)
        loss = self.fits.target.loss  # of all classes, of which a fold may lack one
        lost = _row_losses(tree, loss, self.fits.estimator.classes_)[leaves, self._codes[test]]
        is_lost = lost > 0
        return float((counted[is_lost] * lost[is_lost]).sum() / counted.sum())

    @property
    def _codes(self) -> NDArray[Any]:
        assert self.fits.target.codes is not None
        codes: NDArray[Any] = self.fits.target.codes
        return codes

    def _labels(self, rows: Rows) -> NDArray[Any]:
        labels: NDArray[Any] = self.fits.estimator.classes_[self._codes[rows]]
        return labels

    def _held_out(self, number: int, *, with_X: bool = True) -> HeldOut:
        train, test = self.folds[number]
        return HeldOut(
            _rows(self.X, test) if with_X else np.zeros((len(test), 1)),
            self._labels(test),
            None if self.weights is None else self.weights[test],
            np.unique(self._labels(train)),
            f"fold {number + 1} of {len(self.folds)}",
        )


def _row_losses(tree: Tree, loss: Loss, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return what a row loses in each node of a tree, by its class among all classes.

    A probability of 0 counts as the smallest one that scikit-learn's log-loss uses.
    """
    counts = np.zeros((len(tree.counts), len(classes)))
    counts[:, np.isin(classes, tree.classes)] = tree.counts
    losses = loss.row_losses(counts).astype(np.float64)
    if isinstance(loss, Costs):
        losses *= float(loss.unit)
    return np.minimum(losses, MAX_LOG_LOSS) if isinstance(loss, LogLoss) else losses


def _folds(cv: Any, fits: Fits) -> list[Fold]:
    codes = fits.target.codes
    assert codes is not None
    try:
        parts = check_cv(cv, codes, classifier=True).split(np.zeros(len(codes)), codes)
        every = np.arange(len(codes))
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
