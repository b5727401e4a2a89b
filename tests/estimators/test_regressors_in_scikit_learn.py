"""Regressors in scikit-learn's tools, and with the tables and targets that its users have."""

from __future__ import annotations

import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import BaggingRegressor
from sklearn.metrics import d2_tweedie_score, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from splitsecond import (
    GreedyTreeRegressor,
    LicketySPLITRegressor,
    LimitWarning,
    OptimalTreeRegressor,
    RESPLITRegressor,
    SPLITRegressor,
    TreeFARMSRegressor,
)

SETS = (TreeFARMSRegressor, RESPLITRegressor)
REGRESSORS = (
    *(GreedyTreeRegressor, LicketySPLITRegressor, SPLITRegressor, OptimalTreeRegressor),
    *SETS,
)
RANDOM = np.random.default_rng(5)
FRAME = pd.DataFrame(
    {
        "age": RANDOM.integers(18, 70, 120),
        "income": np.where(RANDOM.random(120) < 0.1, np.nan, RANDOM.normal(30, 9, 120)),
        "job": RANDOM.choice(["cook", "clerk", "nurse"], 120),
    }
)
PAID = 3.5 * (FRAME["age"] > 40) - 2 * (FRAME["job"] == "cook") + RANDOM.normal(size=120)
FLAGS = RANDOM.integers(0, 2, (90, 5))
SUMS = FLAGS @ np.array([4, 2, 1, 0, 0]) + RANDOM.integers(0, 2, 90)

every_regressor = pytest.mark.parametrize("kind", REGRESSORS)


def shape(model: Any) -> Any:
    tree = model.tree_
    return tree.feature.tolist(), tree.left.tolist(), tree.right.tolist()


def small(kind: Any, **options: Any) -> Any:
    return kind(**{"max_depth": 2, "regularization": 0.02, "binarizer": "quantile", **options})


@every_regressor
def test_what_kind_of_estimator_it_is(kind: Any) -> None:
    model = small(kind)
    assert is_regressor(model)
    assert not is_classifier(model)
    assert model.__sklearn_tags__().target_tags.positive_only is False
    assert small(kind, loss="poisson").__sklearn_tags__().target_tags.positive_only is True
    assert not hasattr(model.fit(FRAME, PAID), "classes_")
    assert not hasattr(model, "predict_proba")


@every_regressor
def test_parameters(kind: Any) -> None:
    model = small(kind, min_samples_leaf=5).fit(FRAME, PAID)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "tree_")
    assert shape(twin.fit(FRAME, PAID)) == shape(model)
    assert twin.set_params(max_depth=1).fit(FRAME, PAID).depth_ == 1
    for options in ({"loss": "absolute_error"}, {"loss": None}, {"max_depth": -1}):
        with pytest.raises(ValueError, match=next(iter(options))):
            small(kind, **options).fit(FRAME, PAID)
    with pytest.raises(TypeError, match=rf"^{kind.__name__}\.__init__\(\) got an unexpected"):
        kind(class_weight="balanced")


@every_regressor
def test_pipelines_and_searches(kind: Any) -> None:
    numbers = FRAME[["age", "income"]].fillna(0)
    pipe = make_pipeline(StandardScaler(), small(kind)).fit(numbers, PAID)
    assert pipe.score(numbers, PAID) == pytest.approx(r2_score(PAID, pipe.predict(numbers)))
    scores = cross_val_score(small(kind), FRAME, PAID, cv=3)
    assert len(scores) == 3
    assert (scores > 0.1).all()
    search = GridSearchCV(
        small(kind), {"max_depth": [0, 1, 2]}, cv=3, scoring="neg_mean_squared_error"
    ).fit(FRAME, PAID)
    assert search.best_params_["max_depth"] > 0
    target = TransformedTargetRegressor(small(kind), func=np.exp, inverse_func=np.log)
    assert target.fit(FRAME, PAID).predict(FRAME).shape == (120,)


def test_other_tools() -> None:
    bagged = BaggingRegressor(small(GreedyTreeRegressor), 5, random_state=0).fit(FLAGS, SUMS)
    assert bagged.score(FLAGS, SUMS) > 0.5
    pipe = make_pipeline(StandardScaler().set_output(transform="pandas"), small(SPLITRegressor))
    assert pipe.fit(FRAME[["age"]], PAID)[-1].feature_names_in_.tolist() == ["age"]


@pytest.mark.parametrize("routed", ["fit", "score"])
def test_weights_are_routed(routed: str) -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        model = small(LicketySPLITRegressor)
        model.set_fit_request(sample_weight=routed == "fit")
        model.set_score_request(sample_weight=routed == "score")
        weights = np.arange(120) % 3
        search = GridSearchCV(model, {"max_depth": [1, 2]}, cv=3)
        search.fit(FRAME, PAID, sample_weight=weights)
    assert search.best_estimator_._weighted == (routed == "fit")


@every_regressor
def test_scores(kind: Any) -> None:
    weights = np.arange(120) % 4
    model = small(kind).fit(FRAME, PAID, weights)
    predicted = model.predict(FRAME)
    assert model.score(FRAME, PAID) == pytest.approx(r2_score(PAID, predicted))
    own = model.score(FRAME, PAID, sample_weight=weights)
    assert own == pytest.approx(r2_score(PAID, predicted, sample_weight=weights))
    assert own == pytest.approx(model.tree_.training_score)
    counts, exposure = np.random.default_rng(1).poisson(2, 120), weights + 0.5
    model = small(kind, loss="poisson", regularization=0.001).fit(
        FRAME, counts / exposure, exposure
    )
    predicted = model.predict(FRAME)
    assert model.score(FRAME, counts / exposure, exposure) == pytest.approx(
        d2_tweedie_score(counts / exposure, predicted, sample_weight=exposure, power=1)
    )


TABLES: dict[str, Any] = {
    "list": FLAGS.tolist(),
    "float32": FLAGS.astype(np.float32),
    "bool": FLAGS.astype(bool),
    "fortran": np.asfortranarray(FLAGS),
    "pandas": pd.DataFrame(FLAGS),
    "polars": pl.DataFrame(FLAGS, [f"c{i}" for i in range(5)]),
    "csr": sparse.csr_matrix(FLAGS),
    "csc array": sparse.csc_array(FLAGS),
}
TARGETS: dict[str, Any] = {
    "list": SUMS.tolist(),
    "floats": SUMS.astype(float),
    "float32": SUMS.astype(np.float32),
    "int8": SUMS.astype(np.int8),
    "uint64": SUMS.astype(np.uint64),
    "pandas": pd.Series(SUMS, index=np.arange(90)[::-1]),
    "Int64": pd.Series(SUMS, dtype="Int64"),
    "polars": pl.Series(SUMS),
    "objects": SUMS.astype(object),
    "decimals": [Decimal(int(value)) for value in SUMS],
    "tuple": tuple(SUMS.tolist()),
}


@every_regressor
def test_tables_and_targets_of_every_kind(kind: Any) -> None:
    model = small(kind, binarizer="auto").fit(FLAGS, SUMS)
    expected = model.predict(FLAGS).tolist()
    for name, X in TABLES.items():
        again = small(kind, binarizer="auto").fit(X, SUMS)
        assert shape(again) == shape(model), name
        assert again.predict(X).tolist() == expected, name
    for name, y in TARGETS.items():
        again = small(kind, binarizer="auto").fit(FLAGS, y)
        assert again.tree_ == model.tree_, name
        assert again.score(FLAGS, y) == model.score(FLAGS, SUMS), name


def test_a_column_vector_and_booleans() -> None:
    with pytest.warns(sklearn.exceptions.DataConversionWarning, match="column-vector"):
        model = small(LicketySPLITRegressor).fit(FLAGS, SUMS[:, None])
    assert model.tree_ == small(LicketySPLITRegressor).fit(FLAGS, SUMS).tree_
    truth = (FLAGS[:, 0] & FLAGS[:, 1]) == 1
    assert small(LicketySPLITRegressor).fit(FLAGS, truth).predict(FLAGS).tolist() == truth.tolist()


@every_regressor
@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_threads_find_the_same(kind: Any, loss: str) -> None:
    options = {"loss": loss, "max_depth": 3, "binarizer": None, "regularization": 0.005}
    one = small(kind, **options).fit(FLAGS, SUMS)
    many = small(kind, **options, n_jobs=3).fit(FLAGS, SUMS)
    assert many.tree_ == one.tree_
    assert many.lower_bound_ == one.lower_bound_
    if kind in SETS:
        assert list(many.trees_) == list(one.trees_)


@every_regressor
def test_limits_leave_a_model(kind: Any) -> None:
    for limit in ({"time_limit": 1e-9}, {"memory_limit": 1}):
        with pytest.warns(LimitWarning, match="limit"):
            model = small(kind, **limit).fit(FRAME, PAID)
        assert model.status_ in limit
        assert np.isfinite(model.predict(FRAME)).all()
        assert model.lower_bound_ <= model.objective_


def test_progress() -> None:
    told: list[Any] = []
    model = OptimalTreeRegressor(
        regularization=0.001, max_depth=5, verbose=lambda *args: told.append(args)
    )
    model.fit(np.random.default_rng(0).integers(0, 2, (2000, 24)), np.arange(2000) % 97)
    assert all(0 <= done <= steps and seconds >= 0 for done, steps, seconds in told)
    assert told


@every_regressor
def test_pickles(kind: Any) -> None:
    model = small(kind).fit(FRAME, PAID)
    twin = pickle.loads(pickle.dumps(model))
    assert twin.tree_ == model.tree_
    assert twin.predict(FRAME).tolist() == model.predict(FRAME).tolist()
