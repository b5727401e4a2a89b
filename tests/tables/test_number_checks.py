"""What is said of a table whose target is numbers: its distribution, and columns that tell it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from splitsecond import (
    DataWarning,
    GreedyTreeRegressor,
    LicketySPLITRegressor,
    OptimalTreeRegressor,
    RESPLITRegressor,
    SingleLeafWarning,
    SPLITRegressor,
    TreeFARMSRegressor,
    check_table,
)

N = 300
ESTIMATORS: tuple[Any, ...] = (
    GreedyTreeRegressor,
    LicketySPLITRegressor,
    OptimalTreeRegressor,
    SPLITRegressor,
    TreeFARMSRegressor,
    RESPLITRegressor,
)


def table() -> tuple[pd.DataFrame, Any]:
    """A table with nothing odd about it, and a price."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, N),
            "income": rng.normal(size=N),
            "job": rng.choice(["cook", "clerk", "smith"], N),
            "member": rng.integers(0, 2, N),
        }
    )
    return X, (X["age"] * 2.5 + rng.normal(size=N)).rename("price")


def telling(X: Any, y: Any) -> list[Any]:
    """The columns that are said to tell the target, by a report."""
    columns = check_table(X, y, task="regression").columns
    return [each.label for each in columns if "target" in (found.kind for found in each.findings)]


def said(what: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        what()
    return [str(each.message) for each in caught if issubclass(each.category, DataWarning)]


COPIES = {
    "equal": lambda y: y,
    "in another unit": lambda y: 1.8 * y + 32,
    "negative": lambda y: -y,
    "its logarithm": np.log,
    "its rank": lambda y: y.rank(),
    "in cents": lambda y: (100 * y).round(4),
    "of single precision": lambda y: (3.7 * y).astype("float32"),
    "as an ordered category": lambda y: pd.Categorical(y, sorted(y), ordered=True),
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=list(COPIES))
def test_a_column_that_is_the_target(copy: Any) -> None:
    X, y = table()
    assert telling(X, y) == []
    assert telling(X.assign(leak=copy(y)), y) == ["leak"]


NO_COPIES = {
    "one row differs": lambda y: y.where(y.index != 7, y + 50),
    "two rows change places": lambda y: y.replace({y[3]: y[4], y[4]: y[3]}),
    "close": lambda y: y + np.random.default_rng(0).normal(scale=0.5, size=N),
    "in classes": lambda y: y.round(-1),
    "its square, which falls and rises": lambda y: (y - y.mean()) ** 2,
    "with a missing value": lambda y: y.where(y.index != 7),
    "a name for every row": lambda y: [f"row {i}" for i in range(N)],
    "a number for every row": lambda y: np.random.default_rng(0).permutation(N),
    # All but one row are nearly the same: a correlation of 1 says nothing about them.
    "far away in one row": lambda y: np.random.default_rng(0).normal(size=N) + 1e9 * (y.index == 7),
}


@pytest.mark.parametrize("other", NO_COPIES.values(), ids=list(NO_COPIES))
def test_a_column_that_is_not_the_target(other: Any) -> None:
    X, y = table()
    if other is NO_COPIES["far away in one row"]:
        y[7] = 1e9
    assert telling(X.assign(other=other(y)), y) == []


def test_names_of_few_numbers() -> None:
    X, _ = table()
    stars = pd.Series(np.random.default_rng(2).integers(1, 6, N))
    X["name"] = stars.map(dict(enumerate(["none", "poor", "fair", "good", "great", "best"])))
    X["code"] = stars.map({1: 40, 2: 10, 3: 30, 4: 20, 5: 50})
    assert telling(X, stars) == ["name", "code"]
    X.loc[5, "name"] = "fair" if stars[5] != 2 else "good"
    assert telling(X, stars) == ["code"]


@pytest.mark.parametrize("scale", [1e-300, 1e-3, 1e150, 1e300])
def test_scales(scale: float) -> None:
    X, y = table()
    y = y - y.mean()
    X["leak"], X["rounded"] = y * scale, (y + np.tile([0, 1e-11], N // 2)) * scale
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert telling(X, y) == telling(X, y * scale) == ["leak", "rounded"]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_fit_warns_of_it(estimator: Any) -> None:
    X, y = table()
    assert said(lambda: estimator(max_depth=2).fit(X, y)) == []
    (text,) = said(lambda: estimator(max_depth=2).fit(X.assign(cents=100 * y), y))
    assert text == (
        "Column 'cents' goes one to one with the target, as a copy of it does. Leave out what is "
        "not known before the target is."
    )


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame])
@pytest.mark.parametrize("binarizer", ["auto", None])
def test_a_flag_that_is_the_target(make: Any, binarizer: Any) -> None:
    X = np.random.default_rng(5).integers(0, 2, (N, 4))
    model = LicketySPLITRegressor(binarizer=binarizer)
    for y in (X[:, 2], 7.5 - X[:, 2]):
        (text,) = said(lambda y=y: model.fit(make(X), y))
        assert text.startswith("Column 2 goes one to one with the target")
    y = X[:, 2] + 0.0
    y[-1] = 0.5  # a third number, beyond what a sample tells
    assert said(lambda: model.fit(make(X), y)) == []


def test_other_mistakes_are_told_as_for_classes() -> None:
    X, y = table()
    X = X.assign(years=X["age"], who=[f"p{i}" for i in range(N)], day="2020-01-01")
    X["day"] = [f"2020-01-{i % 28 + 1:02}" for i in range(N)]
    report = check_table(X, y, task="regression")
    kinds = {each.label: [found.kind for found in each.findings] for each in report.columns}
    assert {name: found for name, found in kinds.items() if found} == {
        "years": ["copy"],
        "who": ["identifier"],
        "day": ["date"],
    }
    fit = said(lambda: LicketySPLITRegressor(regularization=0.001).fit(X, y))
    assert fit == [str(each) for each in report.warnings]


def test_a_single_leaf() -> None:
    rng = np.random.default_rng(4)
    noise, y = rng.integers(0, 2, (400, 3)), rng.normal(size=400)
    with pytest.warns(SingleLeafWarning, match="worth lambda, regularization=0.1"):
        LicketySPLITRegressor(regularization=0.1).fit(noise, y)
    assert said(lambda: LicketySPLITRegressor(regularization=0.1).fit(noise, np.ones(400))) == []


# The report


def test_the_distribution_of_the_target() -> None:
    X, _ = table()
    y = np.where(np.arange(N) < 75, 0, np.arange(N))
    report = check_table(X, y, task="regression")
    assert report.classes is None
    assert report.numbers == {
        "minimum": 0.0,
        "median": 149.5,
        "maximum": 299.0,
        "n_distinct": 226,
        "zeros": 0.25,
    }
    assert "\n226 different numbers, 0 to 299, median 149.5, 25.0% zeros" in str(report)
    without = check_table(X, y + 1, task="regression")
    assert "zeros" not in str(without)
    assert check_table(X, task="regression").numbers is None
    assert check_table(X, np.arange(N) % 2).numbers is None


def test_integers_beyond_floats() -> None:
    X, _ = table()
    report = check_table(X, 2**60 + np.arange(N), task="regression")
    assert report.numbers is not None
    assert report.numbers["n_distinct"] == N
    assert report.numbers["minimum"] == 2.0**60


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a"] * N, "y holds text where numbers are expected"),
        ([*[1.5] * (N - 1), None], "NaN"),
        ([*[1.5] * (N - 1), np.inf], "infinity"),
        ([1.0, 2.0], "inconsistent numbers of samples"),
        ("job", "name of a column"),
    ],
)
def test_numbers_that_cannot_be_used(y: Any, message: str) -> None:
    X, _ = table()
    report = check_table(X, y, task="regression")
    assert report.numbers is None
    (problem,) = report.problems
    with pytest.raises(ValueError, match=message) as caught:
        LicketySPLITRegressor().fit(X, y)
    assert str(caught.value) == str(problem)


def test_an_unknown_task() -> None:
    with pytest.raises(ValueError, match="task='ranking' must be one of 'classification', 'reg"):
        check_table(table()[0], task="ranking")


def test_classifiers_name_regressors() -> None:
    X, _ = table()
    (problem,) = check_table(X, np.arange(N)).problems
    assert "Fit a regressor, such as LicketySPLITRegressor" in str(problem)
