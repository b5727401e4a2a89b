"""What held-out rows are: their classes or numbers, and what a tree loses on them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from splitsecond._estimators.base import TreeEstimator
from splitsecond._paths.fits import Fits
from splitsecond._solving.losses import Costs, LogLoss, Loss
from splitsecond._solving.number_losses import OfNumbers
from splitsecond._tables.binary import Table, leaf_of_rows
from splitsecond._trees.tree import NO_CLASSES, Tree

MAX_LOG_LOSS = -math.log(np.finfo(np.float64).eps)  # of a row

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class RowTarget(ABC):
    """The target of all rows of a table."""

    fits: Fits  # of the whole table

    is_of_classes: ClassVar[bool]

    @classmethod
    def of(cls, fits: Fits) -> RowTarget:
        """Return the classes or numbers of a table."""
        return ClassTarget(fits) if fits.target.numbers is None else NumberTarget(fits)

    @property
    @abstractmethod
    def classes(self) -> NDArray[Any]:
        """All classes; empty for numbers."""

    @abstractmethod
    def y(self, rows: Rows) -> NDArray[Any]:
        """Return the target of some rows, as it was given."""

    def training_y(self, rows: Rows, *, as_given: bool) -> NDArray[Any]:
        """Return what to learn from; if it need not be as it was given, what is best for that."""
        return self.y(rows)

    @abstractmethod
    def estimator(self, y: NDArray[Any]) -> TreeEstimator:
        """Return the estimator for rows with some target."""

    @abstractmethod
    def row_losses(self, tree: Tree, leaves: NDArray[np.int64], rows: Rows) -> NDArray[np.float64]:
        """Return what rows of weight 1 lose in these leaves of a tree that was learned without."""

    def mean_loss(self, tree: Tree, table: Table, rows: Rows) -> float:
        """Return the loss of a tree on held-out rows, which count as in training."""
        counted = self.fits.target.weights_of(rows)
        leaves = leaf_of_rows(tree.feature, tree.left, tree.right, table)
        lost = self.row_losses(tree, leaves, rows)
        is_lost = lost > 0
        return float((counted[is_lost] * lost[is_lost]).sum() / counted.sum())


@dataclass(frozen=True)
class ClassTarget(RowTarget):
    """Classes: what is lost is what the tree was fitted for."""

    is_of_classes = True

    @property
    def classes(self) -> NDArray[Any]:
        """All classes, of which some rows may lack one."""
        classes: NDArray[Any] = self.fits.estimator.classes_
        return classes

    @property
    def codes(self) -> NDArray[Any]:
        """The number of each row's class."""
        assert self.fits.target.codes is not None
        codes: NDArray[Any] = self.fits.target.codes
        return codes

    def y(self, rows: Rows) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes[self.codes[rows]]
        return labels

    def estimator(self, y: NDArray[Any]) -> TreeEstimator:
        """Return the estimator; class weights and costs name no class that rows lack."""
        estimator, classes = self.fits.estimator, self.classes
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

    def row_losses(self, tree: Tree, leaves: NDArray[np.int64], rows: Rows) -> NDArray[np.float64]:
        loss = self.fits.target.loss  # of all classes
        lost: NDArray[np.float64] = _class_losses(tree, loss, self.classes)[
            leaves, self.codes[rows]
        ]
        return lost


@dataclass(frozen=True)
class NumberTarget(RowTarget):
    """Numbers: what is lost is a share of what a single leaf loses, on average, on all rows."""

    is_of_classes = False

    @property
    def classes(self) -> NDArray[Any]:
        """There are none."""
        return NO_CLASSES

    def y(self, rows: Rows) -> NDArray[Any]:
        numbers = self._numbers[rows]
        return numbers + self._loss.offset if self._loss.offset else numbers

    def training_y(self, rows: Rows, *, as_given: bool) -> NDArray[Any]:
        """Return numbers that are exact also where floats do not hold them."""
        numbers = self._numbers[rows]
        if not as_given or not self._loss.offset:
            return numbers
        offset = Fraction(self._loss.offset)
        return np.array([Fraction(number) + offset for number in numbers], dtype=object)

    def estimator(self, y: NDArray[Any]) -> TreeEstimator:
        return self.fits.estimator

    def row_losses(self, tree: Tree, leaves: NDArray[np.int64], rows: Rows) -> NDArray[np.float64]:
        loss, lone = tree.loss, self._lone_loss
        assert isinstance(loss, OfNumbers)
        if lone == 0:  # all numbers are the same
            return np.zeros(len(rows))
        weight, events = self._half_row
        means = loss.means(tree.counts, (weight, events * (self._loss.scale / loss.scale)))
        numbers = loss.sums(self._numbers[rows], None)[1]
        deviances = loss.row_deviances(numbers, means[leaves])
        lost: NDArray[np.float64] = deviances * (loss.unit_in(self._loss) / lone)
        return lost

    @property
    def _numbers(self) -> NDArray[np.float64]:
        numbers: NDArray[np.float64] | None = self.fits.target.numbers
        assert numbers is not None
        return numbers

    @property
    def _loss(self) -> OfNumbers:
        loss = self.fits.target.loss
        assert isinstance(loss, OfNumbers)
        return loss

    @cached_property
    def _whole(self) -> NDArray[np.float64]:
        """The sums of all rows."""
        sums = self._loss.sums(self._numbers, self.fits.target.weights)
        return np.array([each.sum() for each in sums])

    @cached_property
    def _lone_loss(self) -> float:
        """What a row loses on average in a single leaf."""
        return float(self._loss.loss(self._whole) / self._whole[0])

    @cached_property
    def _half_row(self) -> tuple[float, float]:
        """What counts as well in a leaf without events, or a held-out one would be impossible."""
        present = self.fits.target.n_present(len(self._numbers))
        return self._loss.half_row(self._whole, float(self._whole[0]) / present)


def _class_losses(tree: Tree, loss: Loss, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return what a row loses in each node of a tree, by its class among all classes.

    A probability of 0 counts as the smallest one that scikit-learn's log-loss uses.
    """
    counts = np.zeros((len(tree.counts), len(classes)))
    counts[:, np.isin(classes, tree.classes)] = tree.counts
    losses = loss.row_losses(counts).astype(np.float64)
    if isinstance(loss, Costs):
        losses *= float(loss.unit)
    return np.minimum(losses, MAX_LOG_LOSS) if isinstance(loss, LogLoss) else losses
