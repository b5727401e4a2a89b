"""A numeric target: any kind of numbers, read without loss, or a clear error."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from splitsecond import TableError
from splitsecond._tables.numbers import Numbers, read_numbers

LOSSES = ("squared_error", "poisson")
every_loss = pytest.mark.parametrize("loss", LOSSES)
HUGE = 2**60


def read(y: Any, n_rows: int | None = None, loss: str = "squared_error") -> Numbers:
    return read_numbers(y, len(y) if n_rows is None else n_rows, loss=loss)


KINDS: dict[str, Any] = {
    "list": [3, 0.5, 2],
    "tuple": (3.0, 0.5, 2.0),
    "floats": np.array([3, 0.5, 2]),
    "small floats": np.array([3, 0.5, 2], dtype=np.float16),
    "long floats": np.array([3, 0.5, 2], dtype=np.longdouble),
    "other byte order": np.array([3, 0.5, 2], dtype=">f8"),
    "steps": np.array([3, 9, 0.5, 9, 2])[::2],
    "objects": np.array([3, 0.5, np.float32(2)], dtype=object),
    "decimals": [Decimal(3), Decimal("0.5"), Decimal(2)],
    "fractions": [Fraction(3), Fraction(1, 2), 2],
    "pandas": pd.Series([3, 0.5, 2], index=[7, 7, 1]),
    "nullable": pd.Series([3, 0.5, 2], dtype="Float64"),
    "arrow": pd.Series([3, 0.5, 2], dtype="double[pyarrow]"),
    "arrow decimals": pd.Series(
        [Decimal(3), Decimal("0.5"), Decimal(2)], dtype=pd.ArrowDtype(pa.decimal128(9, 2))
    ),
    "categories": pd.Series([3, 0.5, 2], dtype="category"),
    "sparse": pd.Series(pd.arrays.SparseArray([3, 0.5, 2])),
    "index": pd.Index([3, 0.5, 2]),
    "extension array": pd.array([3, 0.5, 2], dtype="Float64"),
    "polars": pl.Series([3.0, 0.5, 2.0]),
    "polars decimals": pl.Series([Decimal(3), Decimal("0.5"), Decimal(2)]),
    "chunks": pa.chunked_array([[3, 0.5], [2]]),
}


@every_loss
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_any_kind(kind: str, loss: str) -> None:
    found = read(KINDS[kind], loss=loss)
    assert found.values.dtype == np.float64
    assert found.values.tolist() == [3, 0.5, 2]
    assert found.offset == 0


@every_loss
@pytest.mark.parametrize(
    "y",
    [
        [True, False, True],
        np.array([True, False, True]),
        np.array([True, 0, np.True_], dtype=object),
        pd.Series([True, False, True], dtype="boolean"),
        np.array([1, 0, 1], dtype=np.uint8),
        np.array([1, 0, 1], dtype=np.int64),
        pd.Series([1, 0, 1], dtype="Int64"),
        pd.Series([1, 0, 1], dtype="uint64[pyarrow]"),
        pl.Series([1, 0, 1], dtype=pl.Int8),
    ],
)
def test_booleans_and_integers(y: Any, loss: str) -> None:
    found = read(y, loss=loss)
    assert (found.values.tolist(), found.offset) == ([1, 0, 1], 0)


def test_the_given_array_is_not_changed_nor_shared() -> None:
    y = np.array([1.0, 2.0])
    read(y).values[0] = 9
    assert y.tolist() == [1, 2]


@pytest.mark.parametrize(
    "y",
    [
        np.array([HUGE + 3, HUGE, HUGE + 1]),
        np.array([HUGE + 3, HUGE, HUGE + 1], dtype=np.uint64),
        [HUGE + 3, HUGE, HUGE + 1],
        np.array([HUGE + 3, HUGE, HUGE + 1], dtype=object),
        [Decimal(HUGE + 3), Decimal(HUGE), Decimal(HUGE + 1)],
        pd.Series([HUGE + 3, HUGE, HUGE + 1], dtype="Int64"),
        pl.Series([HUGE + 3, HUGE, HUGE + 1]),
    ],
)
def test_differences_of_large_integers_are_exact(y: Any) -> None:
    found = read(y)
    assert found.offset == HUGE
    assert type(found.offset) is int
    assert found.values.tolist() == [3, 0, 1]


@pytest.mark.parametrize(
    ("y", "values", "offset"),
    [
        ([-(2**63), 2**63 - 1], [0, 2.0**64], -(2**63)),
        ([-1, 2**63 + 5], [0, 2.0**63], -1),  # no integer dtype holds both
        ([2**64 - 1, 2**64 - 3], [2, 0], 2**64 - 3),
        ([2**80 + 7, 2**80], [7, 0], 2**80),
        ([-(2**60), -(2**60) - 5], [5, 0], -(2**60) - 5),
        ([2**53, -(2**53)], [2.0**53, -(2.0**53)], 0),  # floats hold them
        ([2**53 + 1, 2**53], [1, 0], 2**53),
        ([Fraction(1, 2) + 2**60, 2**60], [0.5, 0], 2**60),
    ],
)
def test_integers_of_any_size(y: Any, values: list[float], offset: int) -> None:
    found = read(y)
    assert (found.values.tolist(), found.offset) == (values, offset)


def test_large_floats_have_no_offset() -> None:
    for y in ([1e300, -1e300], np.array([2.0**60, 3], dtype=object), [1e-300, 5e-324]):
        found = read(y)
        assert (found.values.tolist(), found.offset) == ([float(each) for each in y], 0)


@pytest.mark.parametrize("y", [[HUGE, HUGE + 1], np.array([HUGE, HUGE + 1], dtype=object)])
def test_rates_have_no_offset(y: Any) -> None:
    found = read(y, loss="poisson")
    assert (found.values.tolist(), found.offset) == ([2.0**60, 2.0**60], 0)


@every_loss
@pytest.mark.parametrize(
    "y",
    [
        [1, None, 2, None],
        [1, np.nan, 2, np.nan],
        np.array([1, Decimal("NaN"), 2, Decimal("sNaN")], dtype=object),
        np.array([1, pd.NA, 2, pd.NaT], dtype=object),
        pd.Series([1, None, 2, None], dtype="Int64"),
        pd.Series([1, None, 2, None], dtype="double[pyarrow]"),
        pd.array([1, None, 2, None], dtype="Float64"),
        pl.Series([1, None, 2, None]),
        pl.Series([1.0, float("nan"), 2.0, float("nan")]),
    ],
)
def test_missing_values_are_named(y: Any, loss: str) -> None:
    expected = r"y contains NaN: 2 values are missing, the first in row 1\. Leave those rows out\."
    with pytest.raises(TableError, match=expected) as caught:
        read(y, loss=loss)
    assert caught.value.row == 1
    with pytest.raises(TableError, match=r"a value is missing in row 1\. Leave the row out\."):
        read(y[:2], loss=loss)


@every_loss
@pytest.mark.parametrize(
    "y",
    [
        [1, np.inf],
        [1, -np.inf],
        pl.Series([1.0, float("inf")]),
        [1, Decimal("Infinity")],
        [1, Decimal("1e400")],
        [1, Decimal("1e1000000000")],
        [1, 10**400],
        [1, Fraction(10**400)],
        np.array([1, "1e4000"], dtype=np.longdouble),
    ],
)
def test_infinite_values_are_named(y: Any, loss: str) -> None:
    with pytest.raises(TableError, match=r"y contains infinity.*in row 1\. Leave") as caught:
        read(y, loss=loss)
    assert caught.value.row == 1


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["low", "high"], r"y holds text where numbers are expected: .*to_numeric"),
        (["1", "2"], r"y holds text"),
        (np.array([b"1", b"2"]), r"y holds text"),
        (np.array([1, "2"], dtype=object), r"y holds text, '2' in row 1, where numbers"),
        (pl.Series(["1", "2"]), r"y holds text"),
        (pd.Series(["1", "2"], dtype="category"), r"y holds text"),
        (np.array([1j, 2]), r"Complex data not supported: y holds complex numbers.*y\.real"),
        (np.array([1j, 2], dtype=object), r"Complex data not supported.* 1j in row 0"),
        (np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"), r"y holds dates.*\.dt\.days"),
        (pd.Series(pd.to_datetime(["2020-01-01", "2021-01-01"])), r"y holds dates"),
        (pl.Series([datetime.date(2020, 1, 1)] * 2), r"y holds dates"),
        ([datetime.date(2020, 1, 1)] * 2, r"y holds dates"),
        (np.array([1, 2], dtype="m8[s]"), r"y holds time differences.*total_seconds"),
        ([{"a": 1}, {"a": 2}], r"values of type dict, .* in row 0"),
        (pl.Series([[1], [2, 3]]), r"values of type ndarray"),
        (np.array([(1, 2), (3, 4)], dtype=[("a", int), ("b", int)]), r"values of dtype"),
        ([[1], [2, 3]], r"lists of different lengths"),
        ([[1, 2], [3, 4]], r"y should be a 1d array, got an array of shape \(2, 2\).*one number"),
        (pd.DataFrame({"a": [1, 2], "b": [3, 4]}), r"got an array of shape \(2, 2\)"),
        (np.ma.array([1, 2], mask=[True, False]), r"y is a masked array"),
        ("income", r"y='income' is text: pass numbers, one for each row of X"),
    ],
)
def test_what_is_no_number_is_named(y: Any, message: str) -> None:
    for loss in LOSSES:
        with pytest.raises(ValueError, match=message):
            read(y, 2, loss)


def test_a_missing_target() -> None:
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        read(None, 3)
    with pytest.raises(ValueError, match="y should be a 1d array"):
        read(3.5, 1)


def test_a_target_of_another_length() -> None:
    message = "inconsistent numbers of samples: X has 4 rows, y has 3."
    for y in ([1, 2, 3], np.ones(3), pl.Series([1, 2, 3]), [Decimal(1)] * 3):
        with pytest.raises(ValueError, match=re.escape(message)):
            read(y, 4)


@pytest.mark.parametrize(
    "y",
    [[[1], [2]], np.array([[1], [2]]), pd.DataFrame({"y": [1, 2]}), pl.DataFrame({"y": [1, 2]})],
)
def test_a_column_is_accepted_with_a_warning(y: Any) -> None:
    with pytest.warns(DataConversionWarning):
        assert read(y).values.tolist() == [1, 2]


def test_negative_rates_are_named() -> None:
    for y in ([0, 1, -0.5], [0, 1, -3], [Decimal(0), Decimal(1), Decimal("-0.5")]):
        assert read(y).values[2] < 0
        with pytest.raises(TableError, match=r"y is negative, -\S+ in row 2: .*poisson") as caught:
            read(y, loss="poisson")
        assert caught.value.row == 2


@every_loss
def test_zeros_are_a_target(loss: str) -> None:
    assert read([0.0, -0.0, 0.0], loss=loss).values.tolist() == [0, 0, 0]
