"""The fingerprint of a table: the same for the same values, another for any others."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from splitsecond import fingerprint

COLUMNS: dict[str, list[Any]] = {
    "age": [18, 40, 61],
    "size": [1.5, None, 3.0],
    "job": ["cook", 'a "clerk"', None],
    "member": [True, False, True],
}
TEXT = (
    '3 4\n"age"\n18\n40\n61\n"size"\n1.5\nnull\n3\n"job"\n"cook"\n"a \\"clerk\\""\nnull\n'
    '"member"\ntrue\nfalse\ntrue\n'
)


def test_it_is_the_hash_of_what_is_documented() -> None:
    assert fingerprint(pd.DataFrame(COLUMNS)) == hashlib.sha256(TEXT.encode()).hexdigest()


def test_every_library_gives_the_same() -> None:
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    expected = fingerprint(pd.DataFrame(COLUMNS))
    assert fingerprint(polars.DataFrame(COLUMNS)) == expected
    assert fingerprint(pyarrow.table(COLUMNS)) == expected
    frame = pd.DataFrame(COLUMNS)
    assert fingerprint(COLUMNS) == fingerprint(dict(frame.items())) == expected
    assert fingerprint(frame.convert_dtypes()) == expected
    assert fingerprint(frame.astype({"age": float, "job": "category"})) == expected
    assert fingerprint(frame.set_axis([7, 8, 9])) == expected


def test_arrays_and_columns() -> None:
    X = np.array([[0, 1], [1, 1]])
    expected = fingerprint(X)
    assert fingerprint(X.tolist()) == expected
    assert fingerprint(X.astype(np.float32)) == expected
    assert fingerprint(scipy.sparse.csr_matrix(X)) == expected
    assert fingerprint(pd.DataFrame(X)) == expected
    y = ["a", "b"]
    assert fingerprint(np.array(y)) == fingerprint(y) == fingerprint(np.array(y, dtype=object))
    named = fingerprint(pd.Series(y, name="y"))
    assert named == fingerprint(pd.DataFrame({"y": y}))
    assert fingerprint(pytest.importorskip("polars").Series("y", y)) == named
    assert fingerprint(pytest.importorskip("pyarrow").chunked_array([y])) == fingerprint(y)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([[1, 2], [3, 4]], [[1, 3], [2, 4]]),
        ([[1, 2, 3, 4]], [[1, 2], [3, 4]]),
        ([["1"]], [[1]]),
        ([[""]], [[None]]),
        ([["null"]], [[None]]),
        ([[0.1]], [[0.1 + 1e-17 + 2e-17]]),
        ([["a\nb"]], [["a"], ["b"]]),
    ],
)
def test_other_values_give_another(one: Any, other: Any) -> None:
    is_same = bool(np.array_equal(np.array(one, dtype=object), np.array(other, dtype=object)))
    assert (fingerprint(one) == fingerprint(other)) is is_same


def test_names_and_their_order_count() -> None:
    frame = pd.DataFrame({"a": [1], "b": [1]})
    assert fingerprint(frame) != fingerprint(frame.rename(columns={"a": "c"}))
    assert fingerprint(frame) != fingerprint(frame[["b", "a"]].rename(columns=str.upper))


def test_numbers_of_all_kinds() -> None:
    values = [2**53, 2**70, 1e300, -0.0, np.inf, np.nan, 1e-7]
    text = "7 1\n" + '"0"\n9007199254740992\n1180591620717411303424\n1e+300\n0\ninf\nnull\n1e-07\n'
    column = np.array(values, dtype=object)
    assert fingerprint(column) == hashlib.sha256(text.encode()).hexdigest()


def test_half_characters_have_a_fingerprint() -> None:
    assert len(fingerprint(["a\ud800"])) == 64
