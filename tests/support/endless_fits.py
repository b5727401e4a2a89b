"""Fits that do not end by themselves, and what must hold for what they return at a limit.

The hard table is noise, where no bound helps: the full search would take hours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from splitsecond import (
    LicketySPLITClassifier,
    MidpointBinarizer,
    OptimalTreeClassifier,
    QuantileBinarizer,
    SPLITClassifier,
    ThresholdGuessBinarizer,
)

Table = tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]

REGULARIZATION = 1e-5
# Estimators whose full search on the hard table takes minutes at least.
ENDLESS: dict[str, Callable[..., Any]] = {
    "optimal": lambda **limits: OptimalTreeClassifier(
        max_depth=7, regularization=REGULARIZATION, **limits
    ),
    "split": lambda **limits: SPLITClassifier(
        max_depth=7, regularization=REGULARIZATION, lookahead_depth=4, **limits
    ),
    "prefix": lambda **limits: SPLITClassifier(
        max_depth=7, regularization=REGULARIZATION, lookahead_depth=4, postprocess=False, **limits
    ),
    # Lookahead 1 is quick, and then the leaves of the prefix are filled, which is not.
    "fills": lambda **limits: SPLITClassifier(
        max_depth=7, regularization=REGULARIZATION, lookahead_depth=1, **limits
    ),
}
endless = pytest.mark.parametrize("kind", ENDLESS)
jobs = pytest.mark.parametrize("n_jobs", [1, 2])


def most(limit: float) -> float:
    return limit + max(0.1 * limit, 0.2)


def assert_real_tree(model: Any, X: Any, y: Any, max_depth: int) -> None:
    """Whatever stopped the search, the tree is whole and what is said of it is true."""
    errors = np.mean(model.predict(X) != y)
    expected = errors + REGULARIZATION * model.get_n_leaves()
    assert model.objective_ == pytest.approx(expected, abs=1e-12)
    assert 0 <= model.lower_bound_ <= model.objective_
    assert model.get_depth() <= max_depth
    counts = np.asarray(model.tree_.counts)
    assert counts[0].tolist() == np.bincount(y, minlength=counts.shape[1]).tolist()
    # Noise or not, a tree so far is no worse than no tree.
    lone_leaf = 1 - np.bincount(y).max() / len(y) + REGULARIZATION
    assert model.objective_ <= lone_leaf + 1e-12


def raw_table(n_rows: int, n_columns: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(53)
    X = rng.normal(size=(n_rows, n_columns))
    LicketySPLITClassifier().fit(X[:50], X[:50, 0] > 0)
    return X, X[:, 0] + X[:, 1] > 0.3


BINARIZERS: dict[str, Any] = {
    "midpoint": MidpointBinarizer(),
    "quantile": QuantileBinarizer(n_quantiles=5000),
    "guess": ThresholdGuessBinarizer(n_estimators=1_000_000),
    # There is no end to the questions, which must then be told apart.
    "eliminate": ThresholdGuessBinarizer(n_estimators=2000, max_features=800, max_depth=6),
}
binarizers = pytest.mark.parametrize("binarizer", BINARIZERS)
