"""What a table may come as: arrays, data frames and sparse matrices, by position or by name."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from input_tables import CORNERS, FIRST, LABELS, NAMES, TABLE, fitted, frame, seen, strictly_fitted
from scipy import sparse

from splitsecond import (
    DataWarning,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
)


@pytest.fixture(scope="module")
def expected() -> tuple[Any, ...]:
    return seen(fitted(TABLE), TABLE)


# numpy


@pytest.mark.parametrize(
    "dtype",
    ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">i4", ">f8", "<u2"],
)
def test_numpy_dtypes(dtype: str, expected: Any) -> None:
    X = TABLE.astype(dtype)
    assert seen(fitted(X), X) == expected


LAYOUTS: dict[str, Callable[[npt.NDArray[Any]], npt.NDArray[Any]]] = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "every third column": lambda X: np.repeat(X, 3, axis=1)[:, ::3],
    "backwards twice": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "a corner of a larger one": lambda X: np.pad(X, 5)[5:-5, 5:-5],
    "transposed": lambda X: X.T.copy().T,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int64, np.float64])
def test_numpy_layouts(layout: str, dtype: Any, expected: Any) -> None:
    X = LAYOUTS[layout](TABLE.astype(dtype))
    assert np.array_equal(X, TABLE)
    assert seen(fitted(X), X) == expected


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.float64])
def test_read_only_arrays(dtype: Any, expected: Any) -> None:
    """Memory-mapped files, and what joblib hands to its workers."""
    X, y = TABLE.astype(dtype), LABELS.copy()
    X.flags.writeable = False
    y.flags.writeable = False
    assert seen(fitted(X, y), X) == expected


def test_lists(expected: Any) -> None:
    X = TABLE.tolist()
    assert seen(fitted(X, LABELS.tolist()), X) == expected


def test_minus_zero_is_zero(expected: Any) -> None:
    X = np.where(TABLE == 0, -0.0, 1.0)
    assert seen(fitted(X), X) == expected


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_table_is_left_alone(order: Any) -> None:
    X, y = np.array(TABLE, order=order), LABELS.copy()
    fitted(X, y).predict(X)
    assert np.array_equal(X, TABLE)
    assert np.array_equal(y, LABELS)


def test_the_table_may_change_after_fitting(expected: Any) -> None:
    """The model keeps no view of the caller's memory."""
    X = TABLE.copy()
    model = fitted(X)
    X[:] = 0
    assert seen(model, TABLE) == expected


@pytest.mark.parametrize("n_columns", [1, 63, 64, 65, 130])
def test_any_number_of_columns(n_columns: int) -> None:
    rng = np.random.default_rng(31)
    X = rng.integers(0, 2, size=(200, n_columns))
    model = OptimalTreeClassifier(max_depth=1, regularization=0.01)
    with pytest.warns(DataWarning, match=f"Column {n_columns - 1} tells the classes apart"):
        model.fit(X, X[:, -1])
    assert model.score(X, X[:, -1]) == 1.0


def test_unaligned_arrays() -> None:
    rows = np.zeros(20, [("a", "u1"), ("b", "f4", (2,))])
    rows["b"] = CORNERS
    assert GreedyTreeClassifier().fit(rows["b"], FIRST).score(rows["b"], FIRST) == 1


def test_masked_arrays_are_refused() -> None:
    masked = np.ma.masked_array(CORNERS, mask=CORNERS == 1)
    for arguments in ((masked, FIRST), (CORNERS, masked[:, 0]), (CORNERS, FIRST, masked[:, 0])):
        with pytest.raises(ValueError, match="masked"):
            GreedyTreeClassifier().fit(*arguments)


@pytest.mark.parametrize("value", [1 + 2j, np.longdouble(1) + np.finfo(np.longdouble).eps, 10**400])
def test_objects_are_never_cast(value: Any) -> None:
    table = CORNERS.astype(object)
    table[3, 1] = value
    with pytest.raises(ValueError, match="row 3"):
        GreedyTreeClassifier(binarizer=None).fit(table, FIRST)


@pytest.mark.parametrize("limits", [{"memory_limit": 1}, {"time_limit": 1e-9}])
def test_values_are_refused_even_when_a_limit_strikes_first(limits: dict[str, float]) -> None:
    model = LicketySPLITClassifier(binarizer=None, **limits)
    with pytest.raises(ValueError, match=r"neither 0 nor 1|not 0 or 1"):
        model.fit(np.linspace(0, 1, 5000).reshape(-1, 1), np.ones(5000))


# pandas, polars, scipy


@pytest.mark.parametrize(
    "dtype",
    ["bool", "int64", "uint8", "float64", "float32", "boolean", "Int64", "UInt8", "Float64"],
)
def test_pandas_dtypes(dtype: str, expected: Any) -> None:
    X = frame(dtype)
    model = fitted(X)
    assert seen(model, X) == expected
    assert model.feature_names_in_.tolist() == NAMES


def test_pandas_mixed_dtypes(expected: Any) -> None:
    dtypes = ["bool", "int64", "float32", "boolean", "Int8", "uint8", "float64"]
    X = frame().astype(dict(zip(NAMES, dtypes, strict=True)))
    assert seen(fitted(X), X) == expected


def test_pandas_index_is_ignored(expected: Any) -> None:
    X = frame().set_index(np.arange(len(TABLE))[::-1] * 7)
    y = pd.Series(LABELS, index=[f"row {i}" for i in range(len(LABELS))])
    assert seen(fitted(X, y), X) == expected


def test_pandas_columns_without_names(expected: Any) -> None:
    X = pd.DataFrame(TABLE)
    assert seen(fitted(X), X) == expected


@pytest.mark.parametrize(
    "dtype", ["Boolean", "Int64", "UInt8", "Int8", "Float64", "Float32", "Int128", "UInt128"]
)
def test_polars_dtypes(dtype: str, expected: Any) -> None:
    polars = pytest.importorskip("polars")
    if not hasattr(polars, dtype):
        pytest.skip(f"this polars has no {dtype}")
    X = polars.DataFrame(TABLE, schema=NAMES, orient="row").cast(getattr(polars, dtype))
    model = fitted(X, polars.Series(LABELS))
    assert seen(model, X) == expected
    assert list(model.feature_names_in_) == NAMES


def test_polars_mixed_dtypes(expected: Any) -> None:
    polars = pytest.importorskip("polars")
    X = polars.DataFrame(TABLE, schema=NAMES, orient="row").with_columns(
        polars.col(NAMES[0]).cast(polars.Boolean), polars.col(NAMES[1]).cast(polars.Float32)
    )
    assert seen(fitted(X), X) == expected


@pytest.mark.parametrize("binarizer", ["auto", "quantile", None])
def test_a_record_batch_keeps_its_names(binarizer: Any, expected: Any) -> None:
    arrow = pytest.importorskip("pyarrow")
    X = arrow.RecordBatch.from_pandas(frame())
    model = fitted(X, binarizer=binarizer)
    assert list(model.feature_names_in_) == NAMES
    assert seen(model, X) == expected
    assert model.predict(X.select(NAMES[::-1])).tolist() == model.predict(frame()).tolist()


@pytest.mark.parametrize("binarizer", ["auto", "quantile", None])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128, object])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.coo_matrix])
def test_complex_numbers_are_refused_by_fit_and_predict(
    container: Any, dtype: Any, binarizer: Any
) -> None:
    """Also where each equals 0 or 1."""
    if dtype is object and container is not np.asarray:
        pytest.skip("sparse tables hold no objects")
    X = container(TABLE.astype(complex).astype(dtype))
    with pytest.raises((ValueError, TypeError), match=r"[Cc]omplex") as at_fit:
        fitted(X, binarizer=binarizer)
    with pytest.raises(at_fit.type, match=r"[Cc]omplex") as at_predict:
        fitted(TABLE, binarizer=binarizer).predict(X)
    assert str(at_predict.value) == str(at_fit.value)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil"])
@pytest.mark.parametrize("container", ["array", "matrix"])
@pytest.mark.parametrize("dtype", [np.bool_, np.int64, np.float64])
def test_scipy(kind: str, container: str, dtype: Any, expected: Any) -> None:
    X = getattr(sparse, f"{kind}_{container}")(TABLE.astype(dtype))
    assert seen(fitted(X), X) == expected


def test_scipy_with_stored_zeros(expected: Any) -> None:
    everything = np.ones_like(TABLE, dtype=np.int64)
    X = sparse.csr_array(everything)
    X.data[:] = TABLE.ravel()
    assert X.nnz == TABLE.size
    assert seen(fitted(X), X) == expected


def test_scipy_with_unsorted_indices(expected: Any) -> None:
    X = sparse.csr_array(TABLE.astype(np.int64))
    for start, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        X.indices[start:stop] = X.indices[start:stop][::-1]
    X.has_sorted_indices = False
    assert seen(fitted(X), X) == expected


def test_scipy_entries_stored_twice_are_their_sum() -> None:
    """1 + 1 is 2, however it is stored, and 2 is refused."""
    rows, columns = np.nonzero(TABLE)
    ones = np.ones(len(rows) + 1)
    X = sparse.coo_array(
        (ones, (np.append(rows, rows[0]), np.append(columns, columns[0]))), shape=TABLE.shape
    )
    for given in (X, _without_summing(X)):
        with pytest.raises(ValueError, match="2"):
            strictly_fitted(given)


def _without_summing(X: Any) -> Any:
    """The same matrix as CSR with the repeated entry still stored twice."""
    order = np.argsort(X.row, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(X.row, minlength=X.shape[0]))])
    return sparse.csr_array((X.data[order], X.col[order], indptr), shape=X.shape)


# Names


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply"])
def test_columns_are_matched_by_name(method: str) -> None:
    model = fitted(frame())
    expected = getattr(model, method)(frame()).tolist()
    rng = np.random.default_rng(33)
    for _ in range(5):
        assert getattr(model, method)(frame()[rng.permutation(NAMES)]).tolist() == expected


def test_names_match_across_libraries() -> None:
    polars = pytest.importorskip("polars")
    model = fitted(frame())
    X = polars.DataFrame(TABLE, schema=NAMES, orient="row").select(NAMES[::-1])
    assert model.predict(X).tolist() == model.predict(frame()).tolist()
    model = fitted(X)
    assert model.predict(frame()).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("name", [NAMES[0], NAMES[-1]])
def test_a_missing_column_is_named(name: str) -> None:
    model = fitted(frame())
    with pytest.raises(ValueError, match=name):
        model.predict(frame().drop(columns=name))


def test_a_renamed_column_is_a_missing_one() -> None:
    model = fitted(frame())
    with pytest.raises(ValueError, match="was_late"):
        model.predict(frame().rename(columns={"was_late": "was_very_late"}))


def test_integer_column_names_and_mixed_dtypes() -> None:
    frame = pd.DataFrame(CORNERS)
    frame[1] = frame[1].astype(bool)
    model = GreedyTreeClassifier().fit(frame, FIRST)
    assert not hasattr(model, "feature_names_in_")
    assert np.array_equal(model.predict(frame[[1, 0]]), FIRST)


def test_repeated_names_are_refused() -> None:
    """Two columns of one name cannot be matched at prediction."""
    X = frame()
    X.columns = pd.Index([*NAMES[:-1], NAMES[0]])
    with pytest.raises(ValueError, match=f"several columns named '{NAMES[0]}'"):
        fitted(X)


@pytest.mark.parametrize("binarizer", ["auto", "quantile", None])
@pytest.mark.parametrize(
    "labels",
    [
        lambda: [float("nan"), *np.arange(6.0)],
        lambda: [float("nan"), *NAMES[1:]],
        lambda: [("a", float("nan")), ("a", 1.0), *NAMES[2:]],
    ],
    ids=["numbers", "texts", "tuples"],
)
def test_a_column_may_be_called_nan(labels: Any, binarizer: Any) -> None:
    """No NaN equals another, but all of them are the label of the same column."""

    def named() -> pd.DataFrame:
        return pd.DataFrame(TABLE, columns=pd.Index(labels(), tupleize_cols=False))

    model = fitted(named(), binarizer=binarizer)
    expected = fitted(TABLE, binarizer=binarizer).predict(TABLE).tolist()
    assert model.predict(named()).tolist() == expected
    assert model.predict(named().iloc[:, ::-1]).tolist() == expected
    assert model.tree_.predict(named()).tolist() == expected
    assert pickle.loads(pickle.dumps(model)).predict(named()).tolist() == expected
    with pytest.raises(ValueError, match="nan"):
        model.predict(named().iloc[:, 1:])


def test_two_columns_called_nan_are_refused() -> None:
    X = frame()
    X.columns = pd.Index([float("nan"), *NAMES[1:-1], float("nan")], dtype=object)
    with pytest.raises(ValueError, match="several columns named nan"):
        fitted(X)


def test_tables_without_names_have_no_names() -> None:
    assert not hasattr(fitted(TABLE), "feature_names_in_")
