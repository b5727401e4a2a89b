"""Numeric targets of every kind: a model or a clear error, whatever their size.

A tree says the same of numbers in other units: after a constant is added to them, or after they
are multiplied by one.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import examples

from splitsecond import (
    GreedyTreeRegressor,
    LicketySPLITRegressor,
    OptimalTreeRegressor,
    RESPLITRegressor,
    SingleLeafWarning,
    SPLITRegressor,
    TreeFARMSRegressor,
)

SETS = (TreeFARMSRegressor, RESPLITRegressor)
REGRESSORS = (
    *(GreedyTreeRegressor, LicketySPLITRegressor, SPLITRegressor, OptimalTreeRegressor),
    *SETS,
)
LOSSES = ("squared_error", "poisson")
RANDOM = np.random.default_rng(0)
X = RANDOM.integers(0, 2, (40, 4))
WHOLE = X[:, 0] * 3 + X[:, 1] * X[:, 2] * 2 + RANDOM.integers(0, 3, 40)

every_regressor = pytest.mark.parametrize("kind", REGRESSORS)
every_loss = pytest.mark.parametrize("loss", LOSSES)


def fitted(kind: Any, table: Any, y: Any, weights: Any = None, **options: Any) -> Any:
    options = {"max_depth": 2, "binarizer": None, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SingleLeafWarning)
        return kind(**options).fit(table, y, weights)


def shape(model: Any) -> Any:
    """The tree without its numbers; of a set, all of them."""
    trees = list(model.trees_) if hasattr(model, "trees_") else [model.tree_]
    return [(tree.feature.tolist(), tree.left.tolist(), tree.right.tolist()) for tree in trees]


SIZES: dict[str, Any] = {
    "1e-300": WHOLE * 1e-300,
    "1e300": WHOLE * 1e300,
    "1e-12": WHOLE * 1e-12,
    "subnormal": WHOLE * 5e-324,
    "largest": WHOLE / WHOLE.max() * 1.797e308,
    "of both signs": (WHOLE - WHOLE.mean()) / 4 * 1e308,
    "ends of floats": np.where(X[:, 0] == 1, 1.79e308, -1.79e308),
    "ends of nothing": np.where(X[:, 0] == 1, 5e-324, -5e-324),
    "last bit": 1 + WHOLE * 2.0**-52,
    "1e16": 1e16 + 2 * WHOLE,
    "int64": WHOLE + 2**60,
    "uint64": WHOLE.astype(np.uint64) + np.uint64(2**63),
    "Python's": [int(value) + 2**70 for value in WHOLE],
    "below": [int(value) - 2**70 for value in WHOLE],
    "far apart": [(-1) ** i * 2**62 + i for i in range(40)],
    "same": np.full(40, 3.7),
    "zeros": np.zeros(40),
    "same largest": np.full(40, 1.797e308),
    "same smallest": np.full(40, 5e-324),
}


@every_loss
@every_regressor
@pytest.mark.parametrize("size", SIZES)
def test_numbers_of_any_size(kind: Any, loss: str, size: str) -> None:
    y = SIZES[size]
    low, high = float(min(y)), float(max(y))
    if loss == "poisson" and low < 0:
        with pytest.raises(ValueError, match="y is negative"):
            fitted(kind, X, y, loss=loss)
        return
    model = fitted(kind, X, y, loss=loss)
    predicted = model.predict(X)
    assert np.isfinite(predicted).all()
    near = 1e-9 * max(abs(low), abs(high))
    assert ((predicted >= low - near) & (predicted <= high + near)).all()
    assert 0 < model.lower_bound_ <= model.objective_ < 1.02
    assert model.score(X, y) <= 1
    if loss == "squared_error":  # rates that hardly differ are the same
        assert (model.n_leaves_ > 1) == (max(y) > min(y))
    if size not in ("subnormal", "last bit", "1e16"):  # whose means are no floats
        assert model.tree_.training_score == pytest.approx(model.score(X, y), abs=1e-6)
    assert str(model)


def test_extremes_in_one_target() -> None:
    y = np.where(X[:, 0] == 1, 1e300, 1e-300)
    assert shape(fitted(OptimalTreeRegressor, X, y)) == shape(
        fitted(OptimalTreeRegressor, X, X[:, 0])
    )
    y = np.r_[1e300, WHOLE[1:]]  # of which nothing is left besides
    model = fitted(OptimalTreeRegressor, X, y, regularization=0.0)
    assert model.score(X, y) > 0
    model = fitted(OptimalTreeRegressor, X, y, np.r_[0.0, np.ones(39)])
    alone = fitted(OptimalTreeRegressor, X[1:], WHOLE[1:])
    assert shape(model) == shape(alone)
    assert model.score(X, y, np.r_[0.0, np.ones(39)]) == alone.score(X[1:], WHOLE[1:])


@every_loss
@every_regressor
def test_what_is_no_number_is_refused(kind: Any, loss: str) -> None:
    rest = [1.0] * 39
    for y, message in (
        ([np.nan, *rest], "Input y contains NaN: a value is missing in row 0"),
        ([None, *rest], "Input y contains NaN"),
        ([np.inf, *rest], "Input y contains infinity"),
        ([-np.inf, *rest], "Input y contains infinity"),
        ([10**400, *rest], "too large for a float"),
        (["a", *rest], "y holds text"),
        ([1j, *rest], "Complex data not supported"),
        (rest, "inconsistent numbers of samples"),
        (np.ones((40, 2)), "y should be a 1d array"),
        (None, "requires y to be passed"),
    ):
        with pytest.raises(ValueError, match=message):
            fitted(kind, X, y, loss=loss)


@every_loss
@every_regressor
@pytest.mark.parametrize("binarizer", ["auto", "quantile", "midpoint"])
def test_tables_of_almost_nothing(kind: Any, loss: str, binarizer: str) -> None:
    options = {"loss": loss, "binarizer": binarizer}
    assert fitted(kind, [[1.5, 2]], [3.25], **options).predict([[0, 0]]).tolist() == [3.25]
    assert fitted(kind, [[1.5], [2.5]], [3, 4], **options).predict([[1], [3]]).tolist() == [3, 4]
    model = fitted(kind, np.full((6, 2), 4.5), np.arange(6), **options)
    assert model.predict([[0, 0]]).tolist() == [2.5]
    with pytest.raises(ValueError, match="X has no columns"):
        fitted(kind, np.zeros((5, 0)), np.arange(5), **options)
    with pytest.raises(ValueError, match="X has no rows"):
        fitted(kind, np.zeros((0, 2)), [], **options)


# ---- weights -------------------------------------------------------------------------------------


@every_loss
@every_regressor
def test_weights_of_any_size(kind: Any, loss: str) -> None:
    weights = RANDOM.random(40)
    model = fitted(kind, X, WHOLE, weights, loss=loss)
    for factor in (2.0**-300, 2.0**300, 1e-190, 1e300):
        other = fitted(kind, X, WHOLE, weights * factor, loss=loss)
        assert shape(other) == shape(model)
        assert other.predict(X) == pytest.approx(model.predict(X), rel=1e-9)
        assert other.score(X, WHOLE, weights * factor) == pytest.approx(
            model.score(X, WHOLE, weights)
        )
    for uneven in (10.0 ** RANDOM.integers(-8, 8, 40), 10.0 ** RANDOM.integers(-150, 150, 40)):
        other = fitted(kind, X, WHOLE, uneven, loss=loss)
        assert np.isfinite(other.predict(X)).all()
        assert other.lower_bound_ <= other.objective_
    for bad, message in (
        (np.full(40, 1e301), "scale the weights down"),
        (np.full(40, 1e-201), "scale the weights up"),
        (np.full(40, 5e-324), "scale the weights up"),
        (np.zeros(40), "zero for every row"),
        (-weights, "not negative"),
        (weights * np.nan, "finite"),
    ):
        with pytest.raises(ValueError, match=message):
            fitted(kind, X, WHOLE, bad, loss=loss)


# ---- the same tree -------------------------------------------------------------------------------


@st.composite
def problems(draw: st.DrawFn) -> Any:
    """A regressor with its parameters, a table, and whole numbers with many ties."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(2, 50))
    table = random.integers(0, 2, (n, draw(st.integers(1, 5))))
    kind = draw(st.sampled_from(REGRESSORS))
    options = {
        "max_depth": draw(st.integers(1, 2 if kind in SETS else 3)),
        "regularization": draw(st.sampled_from([0.0, 0.005, 0.02, 0.1])),
        "min_samples_leaf": draw(st.sampled_from([1, 1, 3])),
    }
    if kind in SETS:
        options |= {"epsilon": 0.02, "regularization": max(0.005, options["regularization"])}
    return kind, options, table, random.integers(-4, 5, n), random


@given(problem=problems(), factor=st.sampled_from([3.0, 0.1, 7e-13, np.pi, 1e300, 1e-300, -1.0]))
def test_whole_numbers_in_other_units(problem: Any, factor: float) -> None:
    """Every tie is one in other units, too; also for numbers turned upside down."""
    kind, options, table, y, _ = problem
    own = shape(fitted(kind, table, y, **options))
    for other in (
        *(y * factor, y * 2.0**-990, y * 2.0**1000),
        *(y + 7, y + 2.0**40, y - 2.0**52, y + 2**60, y * 3 - 2**62),
        [int(value) + 3**60 for value in y],
        y * 0.5 + 1e6,
    ):
        assert shape(fitted(kind, table, other, **options)) == own


@given(problem=problems(), factor=st.sampled_from([3.0, 0.1, 1e-9, np.pi, 1e100, 1e-300]))
def test_real_numbers_in_other_units(problem: Any, factor: float) -> None:
    kind, options, table, y, random = problem
    y = np.round((y + random.normal(size=len(y))) * 2**20) / 2**20  # that 1024 can be added to
    own = shape(fitted(kind, table, y, **options))
    for other in (y * 2.0**-900, y * 2.0**900, y + 1024, y - 1024, y * 2.0**-30 - 2.0**-20):
        assert shape(fitted(kind, table, other, **options)) == own
    assert shape(fitted(kind, table, y * factor, **options)) == own


@given(problem=problems(), factor=st.sampled_from([2.0, 1 / 1024, 10.0, 0.3, 1e-8]))
def test_rates_in_other_units(problem: Any, factor: float) -> None:
    """Exposures in days or years; rates for one or for a thousand."""
    kind, options, table, y, random = problem
    options["loss"] = "poisson"
    events, exposure = random.poisson(np.abs(y)), random.choice([0.5, 1, 2, 3], len(y))
    own = shape(fitted(kind, table, events / exposure, exposure, **options))
    scaled = exposure * factor
    assert shape(fitted(kind, table, events / scaled, scaled, **options)) == own
    assert shape(fitted(kind, table, events / exposure * factor, exposure, **options)) == own
    for power in (2.0**-300, 2.0**300):
        assert shape(fitted(kind, table, events / exposure * power, exposure, **options)) == own


@settings(max_examples=examples(60))
@given(problem=problems(), loss=st.sampled_from(LOSSES))
def test_weights_are_numbers_of_rows(problem: Any, loss: str) -> None:
    """A row of weight 2 is a row that is there twice; one of weight 0 is none, whatever it says."""
    kind, options, table, y, random = problem
    options |= {"loss": loss, "min_samples_leaf": 1}
    y = np.abs(y) if loss == "poisson" else y
    weights = random.integers(0, 3, len(y))
    weights[0] = 1
    model = fitted(kind, table, y, weights, **options)
    present = weights > 0
    repeated = fitted(kind, np.repeat(table, weights, 0), np.repeat(y, weights), **options)
    absent = fitted(kind, table[present], y[present], weights[present], **options)
    strange = fitted(kind, table, np.where(present, y, 1e200), weights, **options)
    for other in (repeated, absent, strange):
        assert shape(other) == shape(model)
        assert other.objective_ == pytest.approx(model.objective_, abs=1e-12)
        assert other.predict(table) == pytest.approx(model.predict(table), rel=1e-9, abs=1e-12)
    assert absent.tree_.n_rows.tolist() == model.tree_.n_rows.tolist()
