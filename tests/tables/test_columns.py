"""What a column is: decided in training, kept at prediction, and refused in words that help."""

from __future__ import annotations

import datetime
import decimal
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from splitsecond import (
    LicketySPLITClassifier,
    MidpointBinarizer,
    OptimalTreeClassifier,
    SPLITClassifier,
    ThresholdGuessBinarizer,
)

SCHEMES = ("auto", "guess", "quantile", "midpoint")
LABELS = [0, 0, 1, 1]
NAME = "the_column"  # that no message would contain by chance

every_scheme = pytest.mark.parametrize("scheme", SCHEMES)


def table(values: Any, dtype: Any = None) -> pd.DataFrame:
    """Four rows: a column of numbers that tells the classes apart, and the one in question."""
    return pd.DataFrame({"age": [20, 30, 40, 50], NAME: pd.Series(values, dtype=dtype)})


def fitted(X: Any, scheme: Any = "midpoint", y: Any = None, **parameters: Any) -> Any:
    y = LABELS if y is None else y
    return LicketySPLITClassifier(binarizer=scheme, regularization=0, **parameters).fit(X, y)


def mentions(*parts: Any) -> str:
    """Every part is in the message, in any order."""
    return "(?s)" + "".join(f"(?=.*{re.escape(str(part))})" for part in parts)


# Refused: dates and times


DATES: dict[str, Callable[[], Any]] = {
    "datetime": lambda: pd.to_datetime(["2020-01-01", "2021-05-05", None, "2022-01-01"]),
    "with a zone": lambda: pd.date_range("2020-01-01", periods=4, tz="UTC"),
    "timedelta": lambda: pd.to_timedelta([1, 2, 3, 4], unit="D"),
    "date objects": lambda: [datetime.date(2020, 1, day) for day in (1, 2, 3, 4)],
    "time objects": lambda: [datetime.time(hour) for hour in (1, 2, 3, 4)],
    "datetime objects": lambda: np.array([datetime.datetime(2020, 1, 1)] * 4, dtype=object),
    "a date among numbers": lambda: [1, 2, datetime.date(2020, 1, 1), 4],
    "a date among text": lambda: ["a", datetime.date(2020, 1, 1), "b", None],
}


@pytest.mark.parametrize("kind", DATES)
@every_scheme
def test_dates_are_refused(kind: str, scheme: str) -> None:
    """They could be numbers of nanoseconds; nobody could read such a rule."""
    values = DATES[kind]()
    X = table(pd.Series(values, dtype=object) if isinstance(values, list) else values)
    with pytest.raises(ValueError, match=mentions(NAME, "dates or times", ".dt.year", ".dt.days")):
        fitted(X, scheme)


@pytest.mark.parametrize("dtype", ["Date", "Datetime", "Duration", "Time"])
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_dates_of_other_libraries_are_refused(library: str, dtype: str) -> None:
    polars = pytest.importorskip("polars")
    days = polars.Series([1000, 2000, 3000, 4000]).cast(
        polars.Int32 if dtype == "Date" else polars.Int64
    )
    X = polars.DataFrame({"age": [1, 2, 3, 4], NAME: days.cast(getattr(polars, dtype))})
    with pytest.raises(
        ValueError, match=mentions(NAME, "dates or times", dtype.lower()).replace("(?s)", "(?si)")
    ):
        fitted(X if library == "polars" else X.to_arrow(), "auto")


def test_dates_of_numpy_are_refused() -> None:
    with pytest.raises(ValueError, match=mentions("Column 0", "dates or times")):
        fitted(np.array([["2020-01-01"]] * 4, dtype="datetime64[D]"))


def test_dates_at_prediction_are_refused() -> None:
    model = fitted(table([1, 2, 3, 4]))
    with pytest.raises(ValueError, match=mentions(NAME, "dates or times")):
        model.predict(table(DATES["datetime"]()))


# Refused: infinities


@pytest.mark.parametrize("dtype", ["float64", "float32", "Float64", "object"])
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
@every_scheme
def test_infinities_are_refused(scheme: str, infinity: float, dtype: str) -> None:
    X = table([1.5, None, infinity, infinity], dtype)
    with pytest.raises(ValueError, match=mentions(NAME, "infinity", "2 values", "row 2", "NaN")):
        fitted(X, scheme)


@every_scheme
def test_infinities_at_prediction_are_refused(scheme: str) -> None:
    """Whether or not the tree asks for that column: an answer must not depend on luck."""
    model = fitted(table([1.5, 2.5, 1.5, 3.5]), scheme)
    asked = {literal.name for literal in model.binarizer_.literals_}
    if NAME in asked:
        with pytest.raises(ValueError, match=mentions(NAME, "infinity", "row 3")):
            model.predict(table([1.5, 2.5, 1.5, np.inf]))


def test_integers_beyond_all_floats_are_refused() -> None:
    with pytest.raises(ValueError, match=mentions(NAME, "row 1")):
        fitted(table([1, 10**400, 3, 4], object))


@pytest.mark.parametrize("container", ["csr_array", "csc_matrix", "coo_array"])
def test_infinities_in_sparse_tables_are_refused(container: str) -> None:
    X = getattr(sparse, container)(np.array([[0, 1.5], [2, 0], [0, np.inf], [0, 0]]))
    with pytest.raises(ValueError, match=mentions("Column 1", "infinity", "row 2")):
        fitted(X)


# Refused: what is neither number nor text


STRANGERS: dict[str, Any] = {
    "list": [1],
    "dict": {"a": 1},
    "set": {1},
    "tuple": (1, 2),
    "bytes": b"abc",
    "complex": 1 + 2j,
    "ndarray": np.zeros(2),
    "Interval": pd.Interval(0, 1),
    "Period": pd.Period("2020-01"),
    "object": object(),
}


@pytest.mark.parametrize("kind", STRANGERS)
@every_scheme
def test_values_that_are_nothing_known(scheme: str, kind: str) -> None:
    values: Any = np.array([1, 2, None, 4], dtype=object)
    values[2] = STRANGERS[kind]
    with pytest.raises(TypeError, match=mentions(NAME, kind, "row 2", "string", "number")):
        fitted(table(values, object), scheme)


def test_long_values_are_cut_short_in_messages() -> None:
    with pytest.raises(TypeError) as caught:
        fitted(table([[0] * 10_000] * 4, object))
    assert len(str(caught.value)) < 300


@every_scheme
def test_complex_columns(scheme: str) -> None:
    with pytest.raises(ValueError, match=mentions("Complex data not supported", NAME)):
        fitted(table([1j, 2, 3, 4]), scheme)


def test_bytes_of_numpy() -> None:
    with pytest.raises(TypeError, match=mentions("Column 0", "bytes")):
        fitted(np.array([[b"a"], [b"b"], [b"c"], [b"d"]]))


@pytest.mark.parametrize("dtype", ["List", "Binary", "Object"])
def test_polars_columns_that_are_nothing_known(dtype: str) -> None:
    polars = pytest.importorskip("polars")
    values = {"List": [[1], [2], [3], [4]], "Binary": [b"a"] * 4, "Object": [{1}] * 4}[dtype]
    series = polars.Series(values, dtype=polars.Object if dtype == "Object" else None)
    with pytest.raises(TypeError, match=mentions(NAME, "row 0")):
        fitted(polars.DataFrame({NAME: series}))


@pytest.mark.parametrize("dtype", ["Struct", "Array"])
@pytest.mark.parametrize("scheme", [*SCHEMES, None])
def test_polars_columns_within_columns(scheme: Any, dtype: str) -> None:
    """A column that holds several is refused, not spread over its neighbours."""
    polars = pytest.importorskip("polars")
    if dtype == "Struct":
        series = polars.Series([{"a": 0, "b": 1}, {"a": 1, "b": 0}] * 2)
    else:
        series = polars.Series([[0, 1], [1, 0]] * 2, dtype=polars.Array(polars.Int64, 2))
    with pytest.raises((TypeError, ValueError), match=NAME):
        fitted(polars.DataFrame({NAME: series, "flag": [0, 1, 1, 0]}), scheme)


# Refused: numbers mixed with text


@every_scheme
def test_numbers_mixed_with_text(scheme: str) -> None:
    X = table([1, "12k", None, "n/a"], object)
    message = mentions(NAME, "mixes numbers and text", "2 values", "'12k'", "rows 1, 3", "Convert")
    with pytest.raises(ValueError, match=message):
        fitted(X, scheme)


@every_scheme
def test_one_number_that_is_text(scheme: str) -> None:
    message = mentions("1 value, 'thirty', is not a number (row 3)", f"pd.to_numeric(X['{NAME}']")
    with pytest.raises(ValueError, match=message):
        fitted(table([1, 2, None, "thirty"], object), scheme)


def test_only_the_first_rows_are_listed() -> None:
    X = pd.DataFrame({NAME: pd.Series([1, *["a", "b"] * 50], dtype=object)})
    with pytest.raises(ValueError, match=mentions("100 values", "rows 1, 2, 3, ...")):
        fitted(X, y=[0, *[1] * 100])


def test_truth_values_mixed_with_text() -> None:
    with pytest.raises(ValueError, match=mentions(NAME, "'yes'", "row")):
        fitted(table([True, "yes", False, None], object))


# Refused: tables


def test_lazy_frames() -> None:
    polars = pytest.importorskip("polars")
    X = polars.DataFrame({NAME: [1, 2, 3, 4]})
    model = fitted(X)
    for run in (lambda: fitted(X.lazy()), lambda: model.predict(X.lazy())):
        with pytest.raises(ValueError, match=mentions("lazy", "collect()")):
            run()


@every_scheme
def test_repeated_names(scheme: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    X = pd.DataFrame(np.arange(8).reshape(4, 2), columns=[NAME, NAME])
    with pytest.raises(ValueError, match=mentions(NAME)):
        fitted(X, scheme)
    numbers = pyarrow.array([1, 2, 3, 4])
    with pytest.raises(ValueError, match=mentions(NAME)):
        fitted(pyarrow.table([numbers, numbers], names=[NAME, NAME]), scheme)


def test_masked_arrays() -> None:
    with pytest.raises(ValueError, match="masked"):
        fitted(np.ma.array([[1], [2], [3], [4]], mask=[[0], [1], [0], [0]]))


# Kinds


KINDS: dict[str, tuple[Any, Any, str]] = {
    "int64": ([1, 2, 3, 3], "int64", "number"),
    "uint64": ([1, 2, 3, 2**64 - 1], "uint64", "number"),
    "float": ([1.5, np.nan, 2, 2], "float64", "number"),
    "float16": ([1.5, 2, 2, 2], "float16", "number"),
    "flags": ([0, 1, 1, 0], "int64", "binary"),
    "flags with blanks": ([0, 1, None, 0], "float64", "binary"),
    "ones and blanks": ([1, 1, None, 1], "Int64", "binary"),
    "twos and blanks": ([2, 2, None, 2], "Int64", "number"),
    "bool": ([True, False, True, True], "bool", "binary"),
    "boolean": ([True, None, False, True], "boolean", "binary"),
    "arrow bool": ([True, None, False, True], "bool[pyarrow]", "binary"),
    "arrow int": ([1, None, 5, 7], "int64[pyarrow]", "number"),
    "objects": ([1, 2.5, None, np.float32(3)], object, "number"),
    "decimals": ([decimal.Decimal("0.1"), decimal.Decimal("2"), None, 3], object, "number"),
    "truth objects": ([True, None, np.False_, pd.NA], object, "binary"),
    "text": (["a", "b", None, "b"], object, "category"),
    "str": (["a", "b", None, "b"], "str", "category"),
    "string": (["1", "2", None, "3"], "string", "category"),
    "one text and blanks": (["a", "a", None, "a"], object, "category"),
    "category": (["a", "b", None, "b"], "category", "category"),
    "numbers as categories": ([3, 1, 2, 1], "category", "category"),
    "truth as categories": ([True, False, True, None], "category", "category"),
    "ordered": (list("SMLM"), pd.CategoricalDtype(list("SML"), ordered=True), "ordered"),
    "nothing": ([None] * 4, "float64", "all missing"),
    "no text": ([None] * 4, "string", "all missing"),
    "no category": ([None] * 4, pd.CategoricalDtype(["a", "b"]), "all missing"),
    "constant": ([7, 7, 7, 7], "int64", "constant"),
    "constant flag": ([0, -0.0, 0, 0], "float64", "constant"),
    "constant text": (["a"] * 4, "str", "constant"),
    "constant category": (["a"] * 4, pd.CategoricalDtype(["a", "b"]), "constant"),
}


@pytest.mark.parametrize("name", KINDS)
def test_what_a_column_is(name: str) -> None:
    values, dtype, kind = KINDS[name]
    X = table(values, dtype)
    for binarizer in (MidpointBinarizer(), ThresholdGuessBinarizer()):
        variable = binarizer.fit(X, LABELS).variables_[1]
        assert variable.kind == kind
        assert variable.has_missing == X[NAME].isna().any()
        dropped = {NAME: kind} if kind in ("constant", "all missing") else {}
        assert binarizer.dropped_ == dropped


@every_scheme
def test_dropped_columns_are_printed(scheme: str) -> None:
    X = table([7] * 4).assign(nothing=np.nan, words="same")
    model = SPLITClassifier(binarizer=scheme).fit(X, LABELS)
    expected = f"left out: {NAME} (constant), nothing (all missing), words (constant)"
    assert expected in str(model).splitlines()
    # Whatever stands there later: nothing is asked.
    later = X.assign(
        **{NAME: DATES["datetime"](), "nothing": ["a", 1, None, b"b"], "words": np.inf}
    )
    assert model.predict(later).tolist() == model.predict(X).tolist() == LABELS


@pytest.mark.parametrize("make", [pd.DataFrame, np.asarray, sparse.csr_array])
def test_constant_columns_among_zeros_and_ones(make: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 7)).astype(np.uint8)
    X[:, [0, 3]], X[:, 6] = 0, 1
    y = X[:, 2] ^ (X[:, 4] & X[:, 1])
    model = OptimalTreeClassifier(regularization=0.001).fit(make(X), y)
    names = [0, 3, 6] if make is pd.DataFrame else ["x0", "x3", "x6"]
    assert model.binarizer_.dropped_ == {str(name): "constant" for name in names}
    assert f"left out: {names[0]} (constant), {names[1]} (constant)" in str(model)
    assert "proved optimal ·" in str(model)
    alone = OptimalTreeClassifier(regularization=0.001, binarizer=None).fit(make(X), y)
    assert model.objective_ == alone.objective_
    other = rng.integers(0, 2, (50, 7)).astype(np.uint8)  # not constant there
    assert model.predict(make(other)).tolist() == alone.predict(make(other)).tolist()
    assert model.binarizer_.transform(make(other)).tolist() == other.tolist()
    assert model.tree_.feature.tolist() == alone.tree_.feature.tolist()
    other[7, 4] = 2
    with pytest.raises(ValueError, match=r"Column '?4'? .*2.* in row 7"):
        model.predict(make(other))


def test_a_table_of_constants_gives_a_leaf() -> None:
    for X in (np.ones((4, 2)), sparse.csr_array((4, 2))):
        model = fitted(X, "auto")
        assert model.n_leaves_ == 1
        assert model.predict(X).tolist() == [model.predict(X)[0]] * 4


def test_many_dropped_columns_are_counted() -> None:
    X = pd.DataFrame({"age": [1, 2, 3, 4], **{f"c{i}": 5 for i in range(9)}})
    lines = [line for line in str(fitted(X)).splitlines() if line.startswith("left out")]
    assert len(lines) == 1
    assert lines[0].endswith("c4 (constant) and 4 more")


def test_numbers_as_text_stay_text() -> None:
    """What "1" and "nan" mean is the user's decision."""
    model = fitted(table(["1", "2", "nan", ""], "str"))
    questions = model.binarizer_.get_feature_names_out().tolist()
    assert [q for q in questions if q.startswith(NAME)] == [
        f'{NAME} == ""',
        f'{NAME} == "1"',
        f'{NAME} == "2"',
        f'{NAME} == "nan"',
    ]


@pytest.mark.parametrize("library", ["pandas", "pyarrow", "polars"])
def test_text_is_taken_to_the_last_character(library: str) -> None:
    module = pytest.importorskip(library)
    build = module.table if library == "pyarrow" else module.DataFrame
    X = build({NAME: ["a", "a\0", "", "\0"]})
    assert MidpointBinarizer().fit_transform(X).sum(axis=0).tolist() == [1, 1, 1, 1]


def test_rows_in_a_list_keep_their_types() -> None:
    """As in scikit-learn's encoders: [[1, "a"]] is a number and a text, and NaN is a blank."""
    rows = [[1, "a"], [2.5, "b"], [float("nan"), "a"]]
    kinds = [variable.kind for variable in MidpointBinarizer().fit(rows).variables_]
    assert kinds == ["number", "category"]


# Ordered categories


@pytest.mark.parametrize("scheme", ["auto", "guess", "quantile", "midpoint"])
def test_ordered_categories_are_cut_in_their_order(scheme: str) -> None:
    dtype = pd.CategoricalDtype(["S", "M", "L", "XL"], ordered=True)
    X = pd.DataFrame({"size": pd.Series(["L", "S", "M", "L", "S", "M"], dtype=dtype)})
    model = LicketySPLITClassifier(binarizer=scheme).fit(X, [1, 0, 0, 1, 0, 0])
    assert str(model.tree_.literals[model.tree_.feature[0]]) == 'size <= "M"'
    # Declared though unseen, XL has a place; as text it is the same.
    for values in (pd.Series(["XL", "S", None, "XS"], dtype=object), ["XL", "S", None, "XS"]):
        assert model.predict(pd.DataFrame({"size": values})).tolist() == [1, 0, 1, 1]


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_order_of_other_libraries(library: str) -> None:
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    sizes, values = ["S", "M", "L"], ["L", "S", None, "M"]
    if library == "polars":
        X: Any = polars.DataFrame({"size": polars.Series(values, dtype=polars.Enum(sizes))})
    else:
        codes = pyarrow.array([2, 0, None, 1])
        column = pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(sizes), ordered=True)
        X = pyarrow.table({"size": column})
    questions = MidpointBinarizer().fit(X).get_feature_names_out().tolist()
    assert questions == ['size <= "S"', 'size <= "M"', "size is missing"]


def test_arrow_dictionaries_may_differ_between_chunks() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    chunks = [pyarrow.array(part).dictionary_encode() for part in (["b", "a"], ["c", "b"])]
    X = pyarrow.table({NAME: pyarrow.chunked_array(chunks)})
    answers = MidpointBinarizer().fit_transform(X)
    assert answers.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize("blanks", ["neither", "training", "prediction", "both"])
@pytest.mark.parametrize(
    "edges",
    [
        pytest.param([0.0, 20.0, 40.0, 60.0], id="floats"),
        pytest.param([0, 20, 40, 60], id="whole numbers"),
    ],
)
@pytest.mark.parametrize("ordered", [True, False])
def test_intervals_are_the_same_with_and_without_blanks(
    ordered: bool, edges: list[Any], blanks: str
) -> None:
    """Blanks make pandas write the interval (0, 20] as (0.0, 20.0], which is the same interval."""
    ages = np.array([10.0, 15, 30, 35, 50, 55] * 2)
    cut = pd.Series(pd.cut(ages, edges, ordered=ordered, labels=None if ordered else False))
    if not ordered:
        names = pd.IntervalIndex.from_breaks(edges)
        cut = pd.Series(pd.Categorical.from_codes(cut, names, ordered=False))
    y = (ages > 40).astype(int)
    hole = np.arange(len(ages)) == 0
    training = cut.mask(hole) if blanks in ("training", "both") else cut
    new = cut.mask(hole) if blanks in ("prediction", "both") else cut
    model = fitted(pd.DataFrame({"age": training}), "midpoint", y)
    assert model.predict(pd.DataFrame({"age": new}))[1:].tolist() == y[1:].tolist()


def test_categories_with_equal_texts_stay_apart() -> None:
    """A category is what it is, not how it prints."""
    values = pd.Categorical([1, "1", 2, "2"])
    X = pd.DataFrame({NAME: values})
    answers = MidpointBinarizer().fit_transform(X)
    assert (answers.sum(axis=0) == 1).all()
    assert answers.shape == (4, 4)


# Prediction: the kinds of training hold


@every_scheme
def test_text_where_numbers_were(scheme: str) -> None:
    model = fitted(table([1, 5, 1, 7]).drop(columns="age"), scheme, [0, 1, 0, 1])
    new = pd.DataFrame({NAME: pd.Series([1, None, "12k", "x"], dtype=object)})
    with pytest.raises(ValueError, match=mentions(NAME, "text", "'12k'")):
        model.predict(new)
    message = mentions("although it holds numbers: '5' in row 1", f"pd.to_numeric(X['{NAME}'])")
    with pytest.raises(ValueError, match=message):
        model.predict(pd.DataFrame({NAME: [None, "5", "7"]}))
    message = mentions("text now: 'thirty' is not a number in row 3", 'errors="coerce")')
    text = [None, "7", "5", "thirty", "?"]
    for values in (text, pd.Categorical(text)):  # whose categories are in another order
        with pytest.raises(ValueError, match=message) as caught:
            model.predict(pd.DataFrame({NAME: values}))
        assert caught.value.row == 3


@every_scheme
def test_numbers_where_text_was(scheme: str) -> None:
    model = fitted(pd.DataFrame({NAME: ["cook", "nurse", "cook", "clerk"]}), scheme, [0, 1, 0, 1])
    message = mentions(NAME, "had text", "'clerk'", "has numbers now", "3.5")
    with pytest.raises(ValueError, match=message):
        model.predict(pd.DataFrame({NAME: [None, 3.5, 4.5]}))


def test_text_where_categories_were_numbers() -> None:
    X = pd.DataFrame({NAME: pd.Categorical([3, 5, 3, 7])})
    model = fitted(X, y=[0, 1, 0, 1])
    with pytest.raises(ValueError, match=mentions(NAME, "had numbers", "has text now", "'cook'")):
        model.predict(pd.DataFrame({NAME: ["cook"]}))
    plain = pd.DataFrame({NAME: [3.0, 5.0, None, 99.0]})
    assert model.predict(plain).tolist() == [0, 1, 1, 1]


@every_scheme
def test_other_numbers_where_flags_were(scheme: str) -> None:
    model = fitted(pd.DataFrame({NAME: [0, 1, 0, 1], "age": [1, 2, 3, 4]}), scheme, [0, 1, 0, 1])
    new = pd.DataFrame({NAME: [0, 1, 2, 7], "age": [1, 2, 3, 4]})
    message = mentions(NAME, "only the values 0 and 1", "2 others", "2 in row 2", "fit on rows")
    with pytest.raises(ValueError, match=message):
        model.predict(new)
    assert model.predict(new.assign(**{NAME: [True, False, None, None]})).tolist() == [1, 0, 0, 0]


def test_a_number_close_to_one_is_shown_in_full() -> None:
    """Otherwise the message says that 1 is neither 0 nor 1."""
    model = fitted(pd.DataFrame({NAME: [0, 1, None, 1]}), y=[0, 1, 0, 1])
    with pytest.raises(ValueError, match=mentions(NAME, "1.0000000000000002 in row 0")):
        model.predict(pd.DataFrame({NAME: [1.0000000000000002]}))


@every_scheme
def test_blanks_where_there_were_none(scheme: str) -> None:
    X = pd.DataFrame({"n": [1, 5, 2, 7], "t": ["a", "b", "a", "b"], "f": [0, 1, 0, 1]})
    model = fitted(X, scheme, [0, 1, 0, 1])
    blank = pd.DataFrame({name: pd.Series([None, np.nan, pd.NA], dtype=object) for name in X})
    assert len(set(model.predict(blank).tolist())) == 1
    polars = pytest.importorskip("polars")
    nothing = polars.DataFrame({name: [None] for name in X})
    assert model.predict(nothing).tolist() == model.predict(blank)[:1].tolist()


@pytest.mark.parametrize("dtype", ["float64", "float32", "Int64", "object", "category"])
def test_numbers_in_any_dtype(dtype: str) -> None:
    model = fitted(pd.DataFrame({NAME: [1, 5, 2, 7]}), y=[0, 1, 0, 1])
    assert model.predict(pd.DataFrame({NAME: [1, 2, 5, 9]}).astype(dtype)).tolist() == [0, 0, 1, 1]


def test_long_floats() -> None:
    X = np.array([[1], [5], [2], [7]], dtype=np.longdouble)
    assert fitted(X, "auto", [0, 1, 0, 1]).predict(X).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("scheme", ["auto", None])
def test_long_floats_in_a_data_frame(scheme: Any) -> None:
    X = pd.DataFrame(np.array([[1], [0], [1], [0]], dtype=np.longdouble))
    assert fitted(X, scheme, [0, 1, 0, 1]).predict(X).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("dtype", ["Int128", "UInt128"])
@every_scheme
def test_integers_wider_than_any_of_numpy(scheme: str, dtype: str) -> None:
    polars = pytest.importorskip("polars")
    if not hasattr(polars, dtype):
        pytest.skip(f"this polars has no {dtype}")
    values = [1, None, 3, 2**100] * 3
    X = polars.DataFrame({NAME: polars.Series(values, dtype=getattr(polars, dtype))})
    y = polars.Series([0, 0, 1, 1] * 3, dtype=getattr(polars, dtype))
    model = LicketySPLITClassifier(binarizer=scheme).fit(X, y)
    assert model.predict(X).tolist() == y.to_list()
    floats = X.cast(polars.Float64)
    assert model.predict(floats).tolist() == model.tree_.predict(X).tolist() == y.to_list()
