"""Models of other kinds than one tree, as `predictors` has them, and the settings of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib.predictors import Predictor, Settings, is_text, numbers

BAGS = 4  # 14 by default


class Figs(Predictor):
    """imodels' FIGS, a sum of small trees, on one-hot categories and filled gaps."""

    def __init__(self) -> None:
        from imodels import FIGSClassifier

        self._class = FIGSClassifier

    def settings(self, X: Any, y: NDArray[np.int64]) -> list[Settings]:
        return [{"max_rules": rules} for rules in (5, 12, 20, 30)]

    def fit(self, X: Any, y: NDArray[np.int64], setting: Settings) -> Any:
        read = numbers(X, fill=True)
        return _Sum(read, self._class(random_state=0, **setting)).fit(X, y)

    def leaves(self, model: Any) -> int:
        return sum(map(_node_leaves, model.trees))


class _Sum:
    """FIGS with its sums as shares, cut to 0 and 1.

    Its own `predict_proba` squeezes them once more, which ranks the same and is far off as shares.
    """

    def __init__(self, read: Any, model: Any) -> None:
        self._read = read
        self._model = model

    @property
    def trees(self) -> Any:
        return self._model.trees_

    def fit(self, X: Any, y: NDArray[np.int64]) -> Any:
        self._model.fit(self._read.fit_transform(X), y)
        return self

    def predict_proba(self, X: Any) -> Any:
        sums = self._model.predict_proba(self._read.transform(X), use_clipped_prediction=True)
        shares = np.maximum(sums, 1e-9)
        return shares / shares.sum(axis=1, keepdims=True)


def _node_leaves(node: Any) -> int:
    if node.left is None and node.right is None:
        return 1
    return _node_leaves(node.left) + _node_leaves(node.right)


class Logistic(Predictor):
    """Logistic regression on scaled numbers, one-hot categories and filled gaps."""

    def settings(self, X: Any, y: NDArray[np.int64]) -> list[Settings]:
        return [{"C": 10.0**power} for power in range(-3, 2)]

    def fit(self, X: Any, y: NDArray[np.int64], setting: Settings) -> Any:
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        model = LogisticRegression(max_iter=1000, **setting)
        return make_pipeline(numbers(X, fill=True), StandardScaler(), model).fit(X, y)


class Boosting(Predictor):
    """scikit-learn's HistGradientBoosting, which knows gaps and categories."""

    def settings(self, X: Any, y: NDArray[np.int64]) -> list[Settings]:
        return [{"max_leaf_nodes": leaves} for leaves in (8, 31)]

    def fit(self, X: Any, y: NDArray[np.int64], setting: Settings) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        model = HistGradientBoostingClassifier(
            categorical_features=is_text(X), random_state=0, **setting
        )
        return _Categories(model).fit(X, y)


class _Categories:
    """A model that reads text as numbers of categories, those of the training rows."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def fit(self, X: Any, y: NDArray[np.int64]) -> Any:
        self._known = {
            name: X[name].value_counts().index[:250]
            for name, text in zip(X, is_text(X), strict=True)
            if text
        }
        self._model.fit(self._read(X), y)
        return self

    def _read(self, X: Any) -> Any:
        codes = {name: known.get_indexer(X[name]) for name, known in self._known.items()}
        changed = {name: np.where(code < 0, np.nan, code) for name, code in codes.items()}
        return X.assign(**changed).to_numpy(np.float64)

    def predict_proba(self, X: Any) -> Any:
        return self._model.predict_proba(self._read(X))


class Ebm(Predictor):
    """interpret's explainable boosting machine with its defaults, which include early stopping.

    Only the number of models that it averages is smaller, for time.
    """

    def __init__(self) -> None:
        from interpret.glassbox import ExplainableBoostingClassifier

        self._class = ExplainableBoostingClassifier

    def settings(self, X: Any, y: NDArray[np.int64]) -> list[Settings]:
        return [{}]

    def fit(self, X: Any, y: NDArray[np.int64], setting: Settings) -> Any:
        return self._class(n_jobs=1, random_state=0, outer_bags=BAGS, **setting).fit(X, y)


# The first word of another package's is what environments.py knows it by.
PREDICTORS: dict[str, Callable[[], Predictor]] = {
    "imodels FIGS": Figs,
    "logistic regression": Logistic,
    "HistGradientBoosting": Boosting,
    "interpret EBM": Ebm,
}
