"""What a leaf costs and what it predicts, given the training weight of each class in it.

The core has the same rules (core/losses); here they are for what it has found.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[Any]  # of each class, on the last axis


class Loss(Protocol):
    """A loss of leaves; weights may be those of many leaves at once."""

    def correct(self, weights: Weights) -> Any:
        """Return the weight that is predicted right."""

    def loss(self, weights: Weights) -> Any:
        """Return the weight that is lost."""

    def prediction(self, weights: Weights) -> NDArray[np.int64]:
        """Return the number of the class that is predicted."""


class ZeroOne:
    """Misclassified weight: a leaf predicts the majority class, of several the first."""

    def correct(self, weights: Weights) -> Any:
        """Return the weight of the majority class."""
        return weights.max(axis=-1)

    def loss(self, weights: Weights) -> Any:
        """Return the weight of all other classes."""
        return weights.sum(axis=-1) - self.correct(weights)

    def prediction(self, weights: Weights) -> NDArray[np.int64]:
        """Return the number of the majority class."""
        chosen: NDArray[np.int64] = np.argmax(weights, axis=-1)
        return chosen


ZERO_ONE: Loss = ZeroOne()
