"""Splits, matrices and classifiers as the paper has them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from jobs import Settings, clock
from lib import data
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from splitsecond import (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
    ThresholdGuessBinarizer,
    datasets,
)

# The paper's second binarization, published for three sets: columns, less the label.
AGGRESSIVE = {"heloc": 22, "adult": 22, "covertype": 20, "spambase": 22, "bank": 22}
PUBLISHED = {
    "compas": "compas_split_aggressive",
    "bike": "bike_split_aggressive",
    "netherlands": "netherlands_split_aggressive",
}
SUBSAMPLE = 20_000  # rows of Covertype in the second binarization


@dataclass(frozen=True)
class Split:
    """One of the 80/20 splits of a data set, raw and in yes/no columns."""

    raw: Any
    raw_test: Any
    X: NDArray[np.uint8]
    X_test: NDArray[np.uint8]
    y: NDArray[np.int64]
    y_test: NDArray[np.int64]
    binarize_seconds: float = 0.0


def split(name: str, seed: int, threads: int) -> Split:
    """Split a raw set and guess thresholds on the training part, as many as the paper has."""
    X, y = data.load_raw(name)
    raw, raw_test, labels, test_labels = train_test_split(X, y, test_size=0.2, random_state=seed)
    binarizer = ThresholdGuessBinarizer(
        max_features=data.PAPER_SETS[name], column_elimination=False, n_jobs=threads
    )
    start = time.perf_counter()
    train = binarizer.fit(raw, labels).transform(raw)
    seconds = time.perf_counter() - start
    test = binarizer.transform(raw_test)
    return Split(raw, raw_test, train, test, labels, test_labels, seconds)


def aggressive(name: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the paper's second binarization: published, or made to have as many columns."""
    if name in PUBLISHED:
        loaded = datasets.load(PUBLISHED[name])
        return np.ascontiguousarray(loaded.X.to_numpy(np.uint8)), loaded.y_binary
    X, y = data.load_raw(name)
    if len(y) > SUBSAMPLE and name == "covertype":
        X, _, y, _ = train_test_split(X, y, train_size=SUBSAMPLE, random_state=0, stratify=y)
    binarizer = ThresholdGuessBinarizer(max_features=AGGRESSIVE[name], n_jobs=-1)
    return binarizer.fit(X, y).transform(X), y


def classifier(algorithm: str, penalty: float, depth: int, settings: Settings) -> Any:
    """Return our estimator for the paper's algorithm."""
    common: dict[str, Any] = {"regularization": penalty, "max_depth": depth, **settings.limits}
    if algorithm == "GOSDT":
        return OptimalTreeClassifier(**common)
    common["exact_last_split"] = False  # the paper's greedy
    if algorithm == "SPLIT":  # the lookahead that the paper's appendix names for its comparisons
        return SPLITClassifier(lookahead_depth=1, **common)
    if algorithm == "Greedy":
        return GreedyTreeClassifier(**common)
    return LicketySPLITClassifier(**common)


def fitted(algorithm: str, penalty: float, depth: int, of: Split, settings: Settings) -> Any:
    """Fit on the training part; return a row of what came out."""
    model = classifier(algorithm, penalty, depth, settings)
    seconds = clock(model, of.X, of.y)
    return {
        "algorithm": algorithm,
        "lambda": penalty,
        "objective": model.objective_,
        "train_loss": 1 - model.score(of.X, of.y),
        "test_loss": 1 - model.score(of.X_test, of.y_test),
        "leaves": int(model.n_leaves_),
        "seconds": seconds,
        "status": model.status_,
    }
