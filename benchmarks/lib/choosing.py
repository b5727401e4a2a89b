"""How a setting is chosen: by cross-validation on the training rows, alike for every model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib.predictors import Predictor, Settings


def choose(
    predictor: Predictor,
    X: Any,
    y: NDArray[np.int64],
    score: Callable[[NDArray[np.int64], Any], float],
    folds: int,
) -> tuple[Settings, float | None]:
    """Return the setting of highest mean score over folds of the rows, and that score."""
    from sklearn.model_selection import StratifiedKFold

    settings = predictor.settings(X, y)
    if len(settings) == 1:
        return settings[0], None
    scores = []
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y):
        given = X.iloc[test]
        models = predictor.fit_all(X.iloc[train], y[train], settings)
        scores.append([score(y[test], model.predict_proba(read(given))) for model, read in models])
    means = np.mean(scores, axis=0)
    best = int(np.argmax(means > means.max() - 1e-9))
    return settings[best], float(means[best])
