"""How a setting is chosen: by cross-validation on the training rows, alike for every model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib.predictors import Predictor, Settings

# One cross-validation of few rows says little: which rows are in which fold decides. Below so many
# it is repeated, with other folds.
FEW_ROWS, REPEATS = 2_000, 3


def cross_validated(
    predictor: Predictor,
    X: Any,
    y: NDArray[np.int64],
    settings: Sequence[Settings],
    score: Callable[[NDArray[np.int64], Any], float],
    folds: int,
) -> NDArray[np.float64] | None:
    """Return each setting's mean score over folds of the rows; none if there is nothing to choose.

    What a model needs to read the rows is learnt in each fold.
    """
    from sklearn.model_selection import RepeatedStratifiedKFold

    if len(settings) == 1:
        return None
    repeats = REPEATS if len(y) < FEW_ROWS else 1
    rounds = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=0)
    scores: list[list[float]] = []
    for train, test in rounds.split(X, y):
        known: dict[Any, Any] = {}  # the test rows as models read them, which many share
        scores.append([])
        for model, read in predictor.fit_all(X.iloc[train], y[train], settings):
            if read not in known:
                known[read] = read(X.iloc[test])
            scores[-1].append(score(y[test], model.predict_proba(known[read])))
    return np.asarray(np.mean(scores, axis=0))


def leaves_of(
    predictor: Predictor, X: Any, y: NDArray[np.int64], settings: Sequence[Settings]
) -> NDArray[np.int64]:
    """Count the leaves that each setting gives on the rows."""
    return np.array([predictor.leaves(model) for model, _ in predictor.fit_all(X, y, settings)])


def best(
    scores: NDArray[np.float64] | None,
    sizes: NDArray[np.int64] | None = None,
    max_leaves: float = np.inf,
) -> int:
    """Return the number of the setting of highest score; of equal ones, the first.

    With sizes, only settings of at most so many leaves count, or those of the fewest there are.
    """
    if scores is None:
        return 0
    if sizes is not None:
        scores = np.where(sizes <= max(max_leaves, sizes.min()), scores, -np.inf)
    return int(np.argmax(scores > scores.max() - 1e-9))
