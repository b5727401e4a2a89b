"""Models that ours are compared with on new rows, and the settings that each may choose from.

Every model is given the same data frame (numbers with NaN, categories of text with None) and does
what it needs to read it inside, so that nothing is learnt from rows it may not see. `settings` are
in the order of the size of the models that they give: of equal scores the first is taken.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Settings: TypeAlias = Mapping[str, Any]

MAX_DEPTH = 5
MAX_ALPHAS = 30
MIN_ROWS = (20, 1)  # in a leaf
BAGS = 4  # 14 by default


class Predictor:
    """A kind of model. Making one imports its package, so a missing one shows."""

    def settings(self, X: Any, y: NDArray[np.int64]) -> list[Settings]:
        """Return what cross-validation chooses from; one setting needs none."""
        raise NotImplementedError

    def fit(self, X: Any, y: NDArray[np.int64], setting: Settings) -> Any:
        raise NotImplementedError

    def fit_all(
        self, X: Any, y: NDArray[np.int64], settings: Sequence[Settings]
    ) -> Iterator[tuple[Any, Any]]:
        """Yield a model for each setting, and the function that makes X what it reads.

        One that can share work between settings does so.
        """
        for setting in settings:
            yield self.fit(X, y, setting), same

    def leaves(self, model: Any) -> int | None:
        """Count the leaves, where the model is a tree or a sum of small ones."""
        return None


def same(X: Any) -> Any:
    """Return what a model reads that takes the frame as it is."""
    return X


class Cart(Predictor):
    """scikit-learn's CART on one-hot categories, pruned by cost-complexity.

    Missing numbers go where the split likes them best, as it has it.
    """

    def __init__(self, max_depth: int | None = MAX_DEPTH) -> None:
        self._depth = max_depth

    def settings(self, X: Any, y: NDArray[np.int64]) -> list[Settings]:
        found = []
        columns = _numbers(X).fit_transform(X)
        for criterion in ("gini", "entropy"):
            for rows in MIN_ROWS:
                tree = self._tree({"criterion": criterion, "min_samples_leaf": rows})
                alphas = tree.cost_complexity_pruning_path(columns, y).ccp_alphas
                found += [
                    {"criterion": criterion, "min_samples_leaf": rows, "ccp_alpha": alpha}
                    for alpha in _between(alphas)
                ]
        return found

    def _tree(self, setting: Settings) -> Any:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(max_depth=self._depth, random_state=0, **setting)

    def fit(self, X: Any, y: NDArray[np.int64], setting: Settings) -> Any:
        from sklearn.pipeline import make_pipeline

        return make_pipeline(_numbers(X), self._tree(setting)).fit(X, y)

    def fit_all(
        self, X: Any, y: NDArray[np.int64], settings: Sequence[Settings]
    ) -> Iterator[tuple[Any, Any]]:
        read = _numbers(X).fit(X)
        columns = read.transform(X)
        grown: dict[tuple[str, int], Any] = {}
        for setting in settings:
            key = setting["criterion"], setting["min_samples_leaf"]
            if key not in grown:
                grown[key] = self._tree({**setting, "ccp_alpha": 0.0}).fit(columns, y)
            tree = copy.deepcopy(grown[key]).set_params(**setting)
            tree._prune_tree()  # as `fit` does at its end
            yield tree, read.transform

    def leaves(self, model: Any) -> int:
        return int((model[-1] if hasattr(model, "steps") else model).get_n_leaves())


def _between(alphas: NDArray[np.float64]) -> list[float]:
    """Return penalties between those where the tree changes, from large to small, not too many."""
    alphas = np.unique(np.maximum(alphas, 0.0))
    middle = np.sqrt(alphas[:-1] * alphas[1:])
    if len(middle) > MAX_ALPHAS:
        middle = middle[np.linspace(0, len(middle) - 1, MAX_ALPHAS).round().astype(int)]
    return [float(each) for each in middle[::-1]] or [0.0]


class Figs(Predictor):
    """imodels' FIGS, a sum of small trees, on one-hot categories and filled gaps."""

    def __init__(self) -> None:
        from imodels import FIGSClassifier

        self._class = FIGSClassifier

    def settings(self, X: Any, y: NDArray[np.int64]) -> list[Settings]:
        return [{"max_rules": rules} for rules in (5, 12, 20, 30)]

    def fit(self, X: Any, y: NDArray[np.int64], setting: Settings) -> Any:
        read = _numbers(X, fill=True)
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
        return make_pipeline(_numbers(X, fill=True), StandardScaler(), model).fit(X, y)


class Boosting(Predictor):
    """scikit-learn's HistGradientBoosting, which knows gaps and categories."""

    def settings(self, X: Any, y: NDArray[np.int64]) -> list[Settings]:
        return [{"max_leaf_nodes": leaves} for leaves in (8, 31)]

    def fit(self, X: Any, y: NDArray[np.int64], setting: Settings) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        model = HistGradientBoostingClassifier(
            categorical_features=_is_text(X), random_state=0, **setting
        )
        return _Categories(model).fit(X, y)


class _Categories:
    """A model that reads text as numbers of categories, those of the training rows."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def fit(self, X: Any, y: NDArray[np.int64]) -> Any:
        self._known = {
            name: X[name].value_counts().index[:250]
            for name, text in zip(X, _is_text(X), strict=True)
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


def _is_text(X: Any) -> list[bool]:
    return [X[name].dtype == object for name in X.columns]


def _numbers(X: Any, *, fill: bool = False) -> Any:
    """Make what turns a frame into numbers: a column for each category, gaps filled if asked."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    text = [name for name, is_text in zip(X.columns, _is_text(X), strict=True) if is_text]
    numbers = [name for name in X.columns if name not in text]
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    filling = SimpleImputer(strategy="median", add_indicator=True) if fill else "passthrough"
    return make_column_transformer((filling, numbers), (one_hot, text))


# By name; the first word of another package's is what environments.py knows it by.
PREDICTORS: dict[str, Callable[[], Predictor]] = {
    "CART": Cart,
    "CART, any depth": partial(Cart, None),
    "imodels FIGS": Figs,
    "logistic regression": Logistic,
    "HistGradientBoosting": Boosting,
    "interpret EBM": Ebm,
}


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


def quiet() -> None:
    """Silence what packages say of their own doings."""
    warnings.simplefilter("ignore")
