"""Values, shapes and labels that are refused: nothing is ever cast to 0 or 1 in silence."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from input_tables import LABELS, NAMES, RAW, TABLE, fitted, frame, strictly_fitted
from scipy import sparse

from splitsecond import LicketySPLITClassifier, SPLITClassifier
from splitsecond._tables.errors import TableError

# Refusals: the column and a value are named


MISSING = r"(?is)(?=.*was_late)(?=.*(?:missing|na\b|nan|none|null))"
REFUSED_NUMBERS = [2, -1, 256, 257, -255, 2**32, 2**32 + 1]
REFUSED_FLOATS = [2.0, 0.5, -1.0, 1e-300, 1.0000000000000002, 0.9999999999999999, np.nan, np.inf]


def pattern(column: str | int, value: Any) -> str:
    """Both are in the message, in either order; 2.0 may be written as 2, and rounded a little."""
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    number = "1|0\\.9" if shown == "1" else re.escape(shown)
    return rf"(?is)(?=.*\b{column}\b)(?=.*(?<![\w.])(?:{number})(?!\d))"


@pytest.mark.parametrize("value", REFUSED_NUMBERS)
def test_integers_that_are_not_0_or_1(value: int) -> None:
    """Some of these are 0 or 1 in their lowest bits: a narrowing cast would let them pass."""
    X = TABLE.astype(np.int64)
    X[123, 5] = value
    with pytest.raises(ValueError, match=pattern(5, value)):
        SPLITClassifier(binarizer=None).fit(X, LABELS)
    with pytest.raises(ValueError, match=pattern("was_late", value)):
        SPLITClassifier(binarizer=None).fit(pd.DataFrame(X, columns=NAMES), LABELS)


@pytest.mark.parametrize("value", REFUSED_FLOATS)
def test_floats_that_are_not_0_or_1(value: float) -> None:
    X = TABLE.astype(np.float64)
    X[123, 5] = value
    with pytest.raises(ValueError, match=pattern(5, value)):
        SPLITClassifier(binarizer=None).fit(X, LABELS)
    with pytest.raises(ValueError, match=pattern("was_late", value)):
        SPLITClassifier(binarizer=None).fit(pd.DataFrame(X, columns=NAMES), LABELS)


@pytest.mark.parametrize("row", [0, 1, 150, 299])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_one_wrong_value_anywhere(row: int, dtype: Any, order: Any) -> None:
    """Wherever it is and however the array lies in memory: vector code has edges."""
    for column in range(len(NAMES)):
        X = np.array(TABLE, dtype=dtype, order=order)
        X[row, column] = 2
        with pytest.raises(ValueError, match=pattern(column, 2)):
            LicketySPLITClassifier(binarizer=None).fit(X, LABELS)


@pytest.mark.parametrize("value", ["yes", "0", "True", "maybe"])
def test_strings(value: str) -> None:
    """Not even those that look like numbers: what they mean is the user's decision."""
    X = frame().astype({"was_late": object})
    X.loc[:, "was_late"] = value
    with pytest.raises(ValueError, match=pattern("was_late", value)):
        strictly_fitted(X)
    with pytest.raises(ValueError, match=pattern(5, value)):
        strictly_fitted(X.to_numpy())
    with pytest.raises(ValueError):  # noqa: PT011 - any column may be named
        strictly_fitted(np.full(TABLE.shape, value))


def test_strings_name_a_value() -> None:
    X = frame().astype({"was_late": object})
    X["was_late"] = ["yes" if value else "no" for value in TABLE[:, 5]]
    with pytest.raises(ValueError, match=r"(?s)(?=.*was_late)(?=.*\b(?:yes|no)\b)"):
        strictly_fitted(X)


@pytest.mark.parametrize(
    ("dtype", "missing"),
    [("boolean", pd.NA), ("Int64", pd.NA), ("Float64", pd.NA), ("object", None), ("float64", None)],
)
def test_missing_values_in_pandas(dtype: str, missing: Any) -> None:
    X = frame().astype({"was_late": dtype})
    X.loc[40, "was_late"] = missing
    with pytest.raises(ValueError, match=MISSING):
        strictly_fitted(X)


@pytest.mark.parametrize("dtype", ["Boolean", "Int64", "Float64"])
def test_missing_values_in_polars(dtype: str) -> None:
    polars = pytest.importorskip("polars")
    X = polars.DataFrame(TABLE, schema=NAMES, orient="row").cast(getattr(polars, dtype))
    row = polars.Series(range(len(TABLE))) == 40
    X = X.with_columns(
        polars.when(row).then(None).otherwise(polars.col("was_late")).alias("was_late")
    )
    assert X["was_late"].null_count() == 1
    with pytest.raises(ValueError, match=MISSING):
        strictly_fitted(X)


def test_wrong_values_in_polars() -> None:
    polars = pytest.importorskip("polars")
    X = polars.DataFrame(TABLE.astype(np.int64) * [1, 1, 1, 1, 1, 3, 1], schema=NAMES, orient="row")
    with pytest.raises(ValueError, match=pattern("was_late", 3)):
        strictly_fitted(X)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("value", [2.0, 0.5, -1.0, np.nan])
def test_wrong_values_in_scipy(kind: str, value: float) -> None:
    X = TABLE.astype(np.float64)
    X[123, 5] = value
    with pytest.raises(ValueError, match=pattern(5, value)):
        strictly_fitted(getattr(sparse, f"{kind}_array")(X))


def test_all_columns_wrong_names_one_of_them() -> None:
    """The commonest mistake: a table of measurements."""
    X = pd.DataFrame(np.random.default_rng(32).normal(size=TABLE.shape), columns=NAMES)
    with pytest.raises(ValueError, match="income_high"):
        strictly_fitted(X)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply"])
@pytest.mark.parametrize("value", [2, 0.5, np.nan])
@pytest.mark.parametrize("binarizer", [None, "auto"])
def test_wrong_values_at_prediction(method: str, value: float, binarizer: Any) -> None:
    model = fitted(TABLE, binarizer=binarizer)
    X = TABLE.astype(np.float64)
    X[7, 5] = value
    if binarizer == "auto" and np.isnan(value):  # a blank answers no
        X[8] = X[7]
        X[8, 5] = 0
        assert getattr(model, method)(X)[7].tolist() == getattr(model, method)(X)[8].tolist()
        return
    with pytest.raises(ValueError, match=pattern(5, value)):
        getattr(model, method)(X)


# Shapes


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.zeros((0, 3)), np.zeros(0)),
        (np.zeros((5, 0)), np.array([0, 1, 0, 1, 0])),
        (np.array([0, 1, 0, 1]), np.array([0, 1, 0, 1])),
        (np.zeros((4, 2, 2)), np.array([0, 1, 0, 1])),
        (np.zeros((4, 2)), np.array([0, 1, 0])),
        (np.zeros((4, 2)), np.array([0, 1, 0, 1, 0])),
        (np.zeros((4, 2)), np.zeros((4, 2))),
        (np.zeros((4, 2)), np.array([0, 1, np.nan, 1])),
        (np.zeros((4, 2)), np.array(["a", None, "b", "a"], dtype=object)),
    ],
    ids=[
        "no rows",
        "no columns",
        "one dimension",
        "three dimensions",
        "too few labels",
        "too many labels",
        "a table of labels",
        "a missing label",
        "a missing name",
    ],
)
def test_impossible_shapes_and_labels(X: Any, y: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        SPLITClassifier().fit(X, y)


@pytest.mark.parametrize("n_columns", [len(NAMES) - 1, len(NAMES) + 1])
def test_a_wrong_number_of_columns_at_prediction(n_columns: int) -> None:
    model = fitted(TABLE)
    with pytest.raises(ValueError, match=rf"(?s)(?=.*\b{n_columns}\b)(?=.*\b{len(NAMES)}\b)"):
        model.predict(np.zeros((3, n_columns)))


# Errors know their cell


def changed(row: int, column: int, value: Any, dtype: Any = object) -> Any:
    X = np.array(TABLE, dtype=dtype)
    X[row, column] = value
    return X


@pytest.mark.parametrize(
    ("X", "row", "column"),
    [
        (changed(70, 2, 0.5, float), 70, 2),
        (changed(70, 2, np.nan, float), 70, 2),
        (changed(70, 2, "in row 5"), 70, 2),
        (sparse.csr_array(changed(70, 2, 7, int)), 70, 2),
        (pd.DataFrame(changed(70, 2, 7, int), columns=NAMES), 70, "is_tenant"),
        (pd.DataFrame(changed(70, 2, None), columns=NAMES), 70, "is_tenant"),
    ],
)
def test_errors_about_zero_one_columns_name_their_cell(X: Any, row: int, column: Any) -> None:
    with pytest.raises(TableError) as caught:
        strictly_fitted(X)
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert (error.row, error.column) == (row, column)
        assert f"in row {row}" in str(error)
        assert error.text("data row 71") == str(error).replace(f"in row {row}", "in data row 71")


@pytest.mark.parametrize(
    ("value", "row"), [(np.inf, 70), ("twelve", 70), ([1], 70), (pd.Timestamp("2020"), None)]
)
def test_errors_about_raw_columns_name_their_cell(value: Any, row: int | None) -> None:
    X = pd.DataFrame(RAW, columns=list("abcd")).astype(object)
    X.at[70, "c"] = value
    with pytest.raises(TableError) as caught:
        fitted(X)
    assert (caught.value.row, caught.value.column) == (row, "c")
    assert isinstance(caught.value, TypeError) == (value == [1])


def test_errors_about_labels_and_weights_name_their_row() -> None:
    y = [*LABELS[:70].tolist(), None, *LABELS[71:].tolist()]
    weights = np.where(np.arange(300) == 70, -1.0, 1.0)
    for args in ((TABLE, y), (TABLE, LABELS, weights)):
        with pytest.raises(TableError) as caught:
            SPLITClassifier().fit(*args)
        assert (caught.value.row, caught.value.column) == (70, None)
