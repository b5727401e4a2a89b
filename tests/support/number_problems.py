"""Small problems of numbers that are likely to break a tree solver."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from oracle_losses import exact

LOSSES = ("squared_error", "poisson")
PRICES = (Fraction(0), 1e-9, 0.001, 0.003, 0.01, 0.02, Fraction(1, 30), 0.05, Fraction(1, 7), 0.3)


@dataclass(frozen=True)
class NumbersProblem:
    X: npt.NDArray[np.uint8]
    y: npt.NDArray[Any]
    weights: npt.NDArray[Any] | None
    loss: str
    regularization: Fraction | float
    max_depth: int
    min_samples_leaf: int | float
    margin: float  # by how much of the root's loss a solver may misjudge a tree

    @property
    def parameters(self) -> dict[str, Any]:
        """Those of an estimator."""
        return {
            "loss": self.loss,
            "regularization": self.regularization,
            "max_depth": self.max_depth,
            "min_samples_leaf": self.min_samples_leaf,
        }

    @property
    def definition(self) -> dict[str, Any]:
        """The arguments of the oracle, besides X and y."""
        few = self.min_samples_leaf
        if isinstance(few, float):
            rows = len(self.X) if self.weights is None else np.count_nonzero(self.weights)
            few = math.ceil(exact(few) * int(rows))
        return {
            "loss": self.loss,
            "weights": self.weights,
            "regularization": self.regularization,
            "min_samples_leaf": few,
            "margin": self.margin,
        }


def random_numbers_problem(
    rng: np.random.Generator,
    loss: str,
    *,
    max_rows: int = 60,
    max_columns: int = 6,
    max_depth: int = 4,
    few_digits: bool = False,
) -> NumbersProblem:
    """Integers, decimals or real numbers; with `few_digits`, no real ones, and no real weights."""
    n_rows = int(max(rng.integers(1, max_rows + 1, size=2)))
    n_columns = int(max(rng.integers(1, max_columns + 1, size=2)))
    X = _rows(rng, n_rows, n_columns)
    weights, weights_margin = _weights(rng, n_rows, few_digits)
    y, margin = _numbers(rng, X, loss, few_digits)
    return NumbersProblem(
        X=X,
        y=y,
        weights=weights,
        loss=loss,
        regularization=PRICES[int(rng.integers(len(PRICES)))],
        max_depth=int(max(rng.integers(0, max_depth + 1, size=2))),
        min_samples_leaf=_few(rng, n_rows),
        margin=margin + weights_margin,
    )


def _few(rng: np.random.Generator, n_rows: int) -> int | float:
    if rng.random() < 0.6:
        return 1
    if rng.random() < 0.4:
        return float(rng.choice([0.01, 0.05, 0.1, 1 / 3, 0.45]))
    return int(rng.choice([2, 3, 5, max(1, n_rows // 6), max(1, n_rows // 2), n_rows]))


def _rows(rng: np.random.Generator, n_rows: int, n_columns: int) -> npt.NDArray[np.uint8]:
    density = float(rng.choice([0.15, 0.3, 0.5, 0.5, 0.5, 0.7]))
    X = (rng.random((n_rows, n_columns)) < density).astype(np.uint8)
    if rng.random() < 0.3:  # a few patterns, repeated
        X = X[rng.integers(min(n_rows, int(rng.integers(1, 12))), size=n_rows)]
    for column in range(1, n_columns):
        if rng.random() < 0.1:  # equal, or the complement
            X[:, column] = X[:, rng.integers(column)] ^ rng.integers(2, dtype=np.uint8)
    return X


def _weights(
    rng: np.random.Generator, n_rows: int, few_digits: bool
) -> tuple[npt.NDArray[Any] | None, float]:
    """Weights, and by how much their rounding may change the loss of a tree."""
    kind = str(rng.choice(["none", "none", "small", "zeros", "large", "decimal", "real", "real"]))
    if few_digits and kind == "real":
        kind = "zeros"
    if kind == "none":
        return None, 0.0
    if kind == "real":
        return rng.exponential(size=n_rows) + 0.05, 3e-8
    if kind == "decimal":
        return rng.integers(1, 200, n_rows) / 100, 0.0
    weights = rng.integers(0 if kind == "zeros" else 1, 10**5 if kind == "large" else 4, n_rows)
    weights[rng.integers(n_rows)] += 1
    return weights, 0.0


def _numbers(
    rng: np.random.Generator, X: npt.NDArray[np.uint8], loss: str, few_digits: bool
) -> tuple[npt.NDArray[Any], float]:
    """Numbers, and by how much what floats hold of them may change the loss of a tree."""
    n_rows, n_columns = X.shape
    score = X @ rng.normal(size=n_columns) + X[:, 0] * X[:, -1] * rng.normal()
    score = score + float(rng.choice([0, 0.3, 2])) * rng.normal(size=n_rows)
    kind = str(rng.choice(["integers", "integers", "few", "decimals", "reals", "heavy"]))
    if few_digits and kind in ("reals", "heavy"):
        kind = "few"
    if loss == "poisson":
        rate = np.exp(score / 2)
        if kind in ("integers", "few"):
            return rng.poisson(np.minimum(rate * (3 if kind == "integers" else 0.3), 1e4)), 0.0
        if kind == "decimals":
            return np.rint(rate * 10) / 10, 0.0
        return rate * (rng.random(n_rows) < 0.8) * 10.0 ** rng.integers(-3, 4), 0.0
    if kind == "integers":
        return np.rint(10 * score).astype(np.int64) + int(rng.choice([0, 0, 1000, -(10**6)])), 0.0
    if kind == "few":
        return rng.integers(int(rng.choice([1, 2, 3, 4])), size=n_rows), 0.0
    if kind == "decimals":
        return np.rint(100 * score + float(rng.choice([0, 25, 30_000]))) / 100, 1e-11
    if kind == "heavy":
        return np.exp(2 * score), 0.0
    # Ten digits of a number are lost to its offset: those that are left are what is fitted.
    return score * 10.0 ** rng.integers(-3, 4) + float(rng.choice([0, 0, 1e5])), 1e-9


@dataclass(frozen=True)
class HostileNumbers:
    y: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64] | None
    loss: str


def hostile_numbers(rng: np.random.Generator, loss: str) -> HostileNumbers:
    """Numbers far apart or nearly the same, tiny and huge, and rows of nearly all the weight."""
    n_rows = int(rng.integers(1, 40))
    y = rng.normal(size=n_rows) * float(rng.choice([0.1, 1, 10]))
    y = np.exp(y / 3) if loss == "poisson" else y
    kind = int(rng.integers(9))
    if kind == 0:
        y = 1e6 + np.rint(y * 100) / 100
    elif kind == 1:
        y = np.rint(y) + 1e-10 * rng.random(n_rows)
    elif kind == 2:
        y[0] = 0 if loss == "poisson" else -1e5
    elif kind == 3:
        y[0] = 1e6
        y[-1] = 1e-6 if loss == "poisson" else -1e6
    elif kind == 4:
        y = y * 10.0 ** int(rng.choice([-300, -200, -12, 12, 200, 300]))
    elif kind == 5:
        y = np.rint(y * 10)
    elif kind == 6:
        y = y * (rng.random(n_rows) < 0.2)
    y = np.abs(y) if loss == "poisson" else y
    weights, y = _hostile_weights(rng, y, loss)
    return HostileNumbers(y, weights, loss)


def _hostile_weights(
    rng: np.random.Generator, y: npt.NDArray[np.float64], loss: str
) -> tuple[npt.NDArray[np.float64] | None, npt.NDArray[np.float64]]:
    n_rows, kind = len(y), int(rng.integers(7))
    weights = np.ones(n_rows)
    if kind == 0:
        return None, y
    if kind == 1:
        weights[rng.integers(n_rows)] = 10.0 ** int(rng.integers(3, 9))
    elif kind == 2:
        weights[rng.integers(n_rows)] = 10.0 ** -int(rng.integers(3, 12))
    elif kind == 3:
        weights = 10.0 ** rng.uniform(-4, 4, n_rows)
    elif kind == 4:
        weights = (rng.random(n_rows) < 0.4).astype(float)
        weights[0] = 1
    elif kind == 5:
        weights = rng.random(n_rows) + 0.01
    elif loss == "poisson":  # events in exposures
        weights = rng.random(n_rows) + 0.001
        y = rng.poisson(5 * weights) / weights
    return weights, y
