"""Predictions of numbers on new rows: our trees, CART, linear regression and boosting.

Settings are chosen by cross-validation on the training rows, by R^2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

FOLDS = 5
DEPTHS = (3, 4, 5, 6)
MIN_ROWS = (1, 5, 20)  # in a leaf
SEED = 0


def splits() -> Any:
    from sklearn.model_selection import KFold

    return KFold(FOLDS, shuffle=True, random_state=SEED)


def ours(X: Any, y: Any) -> tuple[Any, int]:
    """LicketySPLIT: depth and lambda by cross-validation."""
    from splitsecond import LicketySPLITRegressor, regularization_path

    found = []
    for depth in DEPTHS:
        estimator = LicketySPLITRegressor(max_depth=depth, min_samples_leaf=5)
        path = regularization_path(X, y, estimator=estimator, cv=splits(), scoring="r2")
        found.append(path.best_)
    best = max(found, key=lambda entry: entry.cv_score)
    return best.model, best.model.n_leaves_


def cart(X: Any, y: Any) -> tuple[Any, int]:
    """CART pruned by cross-validation, with the minimum rows of a leaf chosen as well."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeRegressor

    alphas = np.concatenate([[0.0], np.geomspace(1e-5, 0.05, 10)]) * float(np.var(y))
    search = GridSearchCV(
        make_pipeline(_columns(X), DecisionTreeRegressor(random_state=SEED)),
        {
            "decisiontreeregressor__ccp_alpha": alphas,
            "decisiontreeregressor__min_samples_leaf": MIN_ROWS,
        },
        scoring="r2",
        cv=splits(),
    ).fit(X, y)
    return search, int(search.best_estimator_[-1].get_n_leaves())


def small_cart(X: Any, y: Any, max_leaves: int) -> tuple[Any, int]:
    """CART of at most so many leaves, grown best first."""
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeRegressor

    tree = DecisionTreeRegressor(
        max_leaf_nodes=max(2, max_leaves), min_samples_leaf=5, random_state=SEED
    )
    model = make_pipeline(_columns(X), tree).fit(X, y)
    return model, int(tree.get_n_leaves())


def linear(X: Any, y: Any) -> tuple[Any, None]:
    """Least squares with a penalty that cross-validation chooses."""
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(_columns(X), StandardScaler(), RidgeCV(np.geomspace(1e-3, 1e3, 13)))
    return model.fit(X, y), None


def boosting(X: Any, y: Any) -> tuple[Any, None]:
    """HistGradientBoosting as it comes."""
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.pipeline import make_pipeline

    return make_pipeline(_columns(X), HistGradientBoostingRegressor(random_state=SEED)).fit(
        X, y
    ), None


def _columns(X: Any) -> Any:
    """Fill in missing numbers, and make a column of each category."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    one_hot = OneHotEncoder(
        handle_unknown="infrequent_if_exist", min_frequency=5, sparse_output=False
    )
    return make_column_transformer(
        (SimpleImputer(strategy="median"), make_column_selector(dtype_include="number")),
        (
            make_pipeline(SimpleImputer(strategy="most_frequent"), one_hot),
            make_column_selector(dtype_exclude="number"),
        ),
    )


PREDICTORS: dict[str, Callable[[Any, Any], tuple[Any, int | None]]] = {
    "splitsecond LicketySPLIT": ours,
    "CART, pruned": cart,
    "linear regression": linear,
    "HistGradientBoosting": boosting,
}
