"""Dropping questions that others make up for: a linear fit, from which they go one by one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from splitsecond._binarizers.binning import Binned
from splitsecond._binarizers.guessed import Guessed
from splitsecond._binarizers.limits import BinarizingLimits

RIDGE = 0.02  # of the variance a column can have at most 0.25
CHUNK = 1 << 16  # answers multiplied at once


@cache
def blas() -> ThreadpoolController:
    """Return the control of the libraries that multiply matrices."""
    return ThreadpoolController()  # looks for the libraries, which takes longer than a small fit


def moments_of(
    columns: list[Binned],
    questions: list[tuple[int, int]],
    guessed: Guessed,
    limits: BinarizingLimits,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]] | None:
    """Return the covariances of the answers, their means, and their mean products with the outputs.

    Outputs are the classes, so that these products are joint shares, or numbers. The last row is
    that of all rows. None: there is no time for it.
    """
    n, k, n_outputs = len(columns[0].bins), len(questions), guessed.n_outputs
    weights = guessed.weights
    products, sums = np.zeros((k, k)), np.zeros((k, n_outputs))
    means, shares = np.zeros(k), np.zeros(n_outputs)
    step = max(CHUNK // k, 512)
    for begin in range(0, n, step):
        if limits.is_over():
            return None
        rows = slice(begin, min(begin + step, n))
        # Sums of so many zeros and ones are exact in 32 bits; of weights, nearly so in 64.
        dtype: Any = np.float32 if weights is None else np.float64
        yes: NDArray[Any] = np.empty((k, rows.stop - begin), dtype=dtype)
        for i, (column, bin_) in enumerate(questions):
            yes[i] = columns[column].answers(bin_, rows)
        outputs = guessed.outputs(rows, dtype)
        weighted: NDArray[Any] = yes if weights is None else yes * weights[rows]
        products += weighted @ yes.T
        sums += weighted @ outputs
        means += weighted.sum(axis=1)
        shares += outputs.sum(axis=0) if weights is None else weights[rows] @ outputs
    total = guessed.total(shares)
    means, shares = means / total, shares / total
    return products / total - np.outer(means, means), means, np.vstack([sums / total, shares])


def eliminate(
    covariances: NDArray[np.float64],
    with_outputs: NDArray[np.float64],
    protected: NDArray[np.bool_],
    tolerance: float,
    max_features: int | None,
    *,
    is_over: Callable[[], bool] = lambda: False,
) -> NDArray[np.bool_]:
    """Drop columns from a linear fit, always the one that explains least given the others.

    Stops before the explained variance falls by more than the tolerance, or at `max_features`.
    The ridge keeps a column that is strong by itself ahead of neighbours that could replace it only
    together: trees ask one question at a time.
    """
    k = len(covariances)
    inverse = np.linalg.inv(covariances + RIDGE * np.eye(k))
    coefficients = inverse @ with_outputs
    explained = everything = float((with_outputs * coefficients).sum())
    kept = np.ones(k, dtype=bool)
    for _ in range(k - 1):
        if (max_features is not None and kept.sum() <= max_features) or is_over():
            break
        costs = (coefficients**2).sum(axis=1) / np.maximum(np.diag(inverse), 1e-12)
        costs[~kept | protected] = np.inf
        least = float(costs.min())
        if least == np.inf or (
            max_features is None and explained - least < (1 - tolerance) * everything
        ):
            break
        drop = int(np.flatnonzero(costs <= least + 1e-9 * everything)[-1])  # of equals, the last
        explained -= float(costs[drop])
        coefficients -= np.outer(inverse[:, drop], coefficients[drop] / inverse[drop, drop])
        inverse -= np.outer(inverse[:, drop], inverse[drop] / inverse[drop, drop])
        kept[drop] = False
    return kept
