"""A table is classified, converted and looked at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from input_tables import LABELS, NAMES, RAW, TABLE, fitted, seen, strictly_fitted
from scipy import sparse

from splitsecond import RESPLIT, DataWarning, TreeFARMS, _core, regularization_path
from splitsecond._tables import columns
from splitsecond._tables.binary import DenseTable
from splitsecond._tables.errors import TableError


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
