"""What a table may come as, and what is refused: nothing is ever cast to 0 or 1 in silence."""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy import sparse
from strategies import threshold_table

from splitsecond import (
    RESPLIT,
    DataWarning,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
    TreeFARMS,
    _core,
    regularization_path,
)
from splitsecond._tables import columns
from splitsecond._tables.binary import DenseTable
from splitsecond._tables.errors import TableError

# Long names that no message would contain by chance.
NAMES = ["income_high", "age_low", "is_tenant", "has_garden", "owns_boat", "was_late", "pays_cash"]

TABLE, LABELS = threshold_table(30, 300, len(NAMES))
CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=np.uint8)
FIRST = CORNERS[:, 0]


def fitted(X: Any, y: Any = LABELS, **parameters: Any) -> Any:
    return SPLITClassifier(max_depth=3, regularization=0.002, **parameters).fit(X, y)


def strictly_fitted(X: Any) -> Any:
    """Without a binarizer, only 0 and 1 will do."""
    return fitted(X, binarizer=None)


def seen(model: Any, X: Any) -> tuple[Any, ...]:
    """Tree and predictions: what must be the same whatever the table came as."""
    tree = model.tree_
    return (
        tree.feature.tolist(),
        tree.left.tolist(),
        np.asarray(tree.counts).tolist(),
        model.predict(X).tolist(),
        model.predict_proba(X).tolist(),
        model.apply(X).tolist(),
    )


@pytest.fixture(scope="module")
def expected() -> tuple[Any, ...]:
    return seen(fitted(TABLE), TABLE)


def frame(dtype: Any = "int64") -> pd.DataFrame:
    return pd.DataFrame(TABLE, columns=NAMES).astype(dtype)


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


# ---- a table is classified once ------------------------------------------------------------------


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note each search for a tree."""
    noted: list[int] = []
    original = _core.solve

    def solve(table: Any, *others: Any) -> Any:
        noted.append(len(noted))
        return original(table, *others)

    monkeypatch.setattr(_core, "solve", solve)
    return noted


RAW = np.random.default_rng(3).normal(size=(300, 4)).round(2)
RAW_KINDS: dict[str, Callable[[Any], Any]] = {
    "array": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "objects": lambda X: X.astype(object),
    "lists": lambda X: X.tolist(),
    "sparse": sparse.csr_array,
    "frame": lambda X: pd.DataFrame(X).rename(columns=str),
    "mixed frame": lambda X: pd.DataFrame(X).rename(columns=str).assign(more=LABELS * 1),
}


@pytest.mark.parametrize("kind", RAW_KINDS)
def test_no_search_finds_out_what_a_table_is(kind: str, searches: list[int]) -> None:
    X = RAW_KINDS[kind](RAW)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        fitted(X)
    assert len(searches) == 1


def test_a_value_in_a_late_row_makes_a_raw_table(searches: list[int]) -> None:
    X = np.random.default_rng(5).integers(0, 2, (400, 5)).astype(float)
    y = (X[:, 0] == X[:, 1]).astype(int)
    X[-1, 4] = 7.5
    late = fitted(X, y)
    assert len(searches) == 2  # the first of which ends before it begins
    early = fitted(X[::-1], y[::-1])
    assert len(searches) == 3
    assert seen(late, X) == seen(early, X)
    assert [variable.kind for variable in late.binarizer_.variables_] == ["binary"] * 4 + ["number"]
    for estimator in (TreeFARMS, RESPLIT):
        trees = [estimator(max_depth=2).fit(*each).trees_ for each in ((X, y), (X[::-1], y[::-1]))]
        assert trees[0].n_trees == trees[1].n_trees
    assert regularization_path(X, y)[0].model.binarizer_.variables_[4].kind == "number"


def test_a_late_row_does_not_warn_twice() -> None:
    X = pd.DataFrame(TABLE, columns=NAMES).astype(float)
    X["copy"] = X["age_low"]
    X.loc[299, "was_late"] = 0.5
    with pytest.warns(DataWarning) as found:
        fitted(X)
    assert len(found) == 1


def test_a_late_row_is_refused_where_nothing_is_binarized() -> None:
    X = TABLE.astype(float)
    X[290, 2] = 3
    with pytest.raises(ValueError, match=r"Column 2 has a value .*: 3\.0 in row 290"):
        strictly_fitted(X)


def test_nothing_is_judged_before_it_is_known_to_be_binary() -> None:
    X = pd.DataFrame(TABLE, columns=NAMES).assign(copy=TABLE[:, 1]).astype(float)
    X.loc[299, "was_late"] = 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        with pytest.raises(TableError, match="'was_late'"):
            strictly_fitted(X)


@pytest.mark.parametrize("scheme", ["auto", "guess", "quantile", "midpoint"])
def test_columns_are_converted_once(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []
    original = columns.read_values

    def read_values(array: Any, label: Any) -> Any:
        read.append(label)
        return original(array, label)

    monkeypatch.setattr(columns, "read_values", read_values)
    X = RAW.astype(np.float32)
    model = fitted(X, binarizer=scheme)
    assert read == [0, 1, 2, 3]
    monkeypatch.setattr(columns, "KEPT_BYTES", 0)
    assert seen(fitted(X, binarizer=scheme), X) == seen(model, X)


@pytest.mark.parametrize("binarizer", ["auto", None])
def test_predict_looks_at_a_table_once(binarizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = fitted(TABLE, binarizer=binarizer)
    looked: list[int] = []
    original = DenseTable.non_binary

    def non_binary(self: DenseTable) -> Any:
        looked.append(self.n_rows)
        return original(self)

    monkeypatch.setattr(DenseTable, "non_binary", non_binary)
    model.predict(TABLE)
    assert looked == [len(TABLE)]


# ---- errors know their cell ----------------------------------------------------------------------


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
