"""Rows with equal features, merged by the core: the same for every form of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from splitsecond import _core
from splitsecond._tables.bits import PackedTable, pack_bits
from splitsecond._tables.reading import read_table

RUN = _core.RunOptions()


def table_of_bits(X: NDArray[Any]) -> _core.Table:
    return _core.Table.packed([pack_bits(column) for column in X.T], len(X))


def dense(X: NDArray[Any]) -> _core.Table:
    return read_table(X).core()


FORMS: dict[str, Callable[[NDArray[Any]], _core.Table]] = {
    "bytes": dense,
    "booleans": lambda X: dense(X.astype(bool)),
    "floats": lambda X: dense(X.astype(np.float64)),
    "columns": lambda X: dense(np.asfortranarray(X)),
    "every second": lambda X: dense(np.repeat(np.repeat(X, 2, 0), 2, 1)[::2, ::2]),
    "upside down": lambda X: dense(np.ascontiguousarray(X[::-1])[::-1]),
    "sparse": lambda X: read_table(sparse.csr_array(X)).core(),
    "bits": table_of_bits,
}


def distinct_rows(X: NDArray[Any]) -> tuple[list[int], list[int]]:
    """The group of each row, and the first row of each group."""
    known: dict[bytes, int] = {}
    group, first = [], []
    for i, row in enumerate(X):
        key = row.tobytes()
        if key not in known:
            known[key] = len(known)
            first.append(i)
        group.append(known[key])
    return group, first


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(1, 1), (130, 4), (500, 12), (700, 70)])
def test_groups_and_columns(form: str, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(shape[0])
    X = rng.integers(0, 2, shape, dtype=np.uint8)[rng.integers(0, shape[0], shape[0])]
    X[:, 0] = 1  # a constant column stays
    X[:, -1] = X[:, 0]  # and an equal one
    merged = _core.merge_rows(FORMS[form](X), RUN)
    group, first = distinct_rows(X)
    assert (merged.status, merged.not_binary) == ("complete", None)
    assert merged.n_groups == len(first)
    assert (merged.group.dtype, merged.first.dtype) == (np.int32, np.int32)
    assert merged.group.tolist() == group
    assert merged.first.tolist() == first
    table = PackedTable(merged.n_groups, shape[1], list(range(shape[1])), merged.columns)
    np.testing.assert_array_equal(table.in_rows().blocks[0], X[first])


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (5, 0), (200, 0)])
def test_nothing_to_tell_rows_apart_by(shape: tuple[int, int]) -> None:
    merged = _core.merge_rows(_core.Table.dense([np.zeros(shape, dtype=np.uint8)], shape[0]), RUN)
    assert merged.status == "complete"
    assert merged.n_groups == min(shape[0], 1)
    assert merged.group.tolist() == [0] * shape[0]
    assert [len(column) for column in merged.columns] == [merged.n_groups] * shape[1]


def test_arrays_outlive_the_result() -> None:
    X = np.random.default_rng(0).integers(0, 2, (300, 5), dtype=np.uint8)
    group, columns = (merged := _core.merge_rows(dense(X), RUN)).group, merged.columns
    n_groups = merged.n_groups
    del merged
    expected, first = distinct_rows(X)
    assert group.tolist() == expected
    table = PackedTable(n_groups, 5, list(range(5)), columns)
    np.testing.assert_array_equal(table.in_rows().blocks[0], X[first])


def test_a_cell_that_is_not_binary_is_named() -> None:
    X = np.zeros((400, 6))
    X[333, 4] = 0.5
    merged = _core.merge_rows(_core.Table.dense([X], 400), RUN)
    assert merged.not_binary == (333, 4)
    assert (merged.n_groups, merged.group.size, merged.columns) == (0, 0, [])


@pytest.mark.parametrize(
    ("run", "status"),
    [
        (_core.RunOptions(time_limit=0.0), "time_limit"),
        (_core.RunOptions(memory_limit=10_000), "memory_limit"),
    ],
)
def test_limits(run: _core.RunOptions, status: str) -> None:
    X = np.random.default_rng(1).integers(0, 2, (5000, 30), dtype=np.uint8)
    merged = _core.merge_rows(dense(X), run)
    assert merged.status == status
    assert (merged.n_groups, merged.group.size, merged.columns) == (0, 0, [])
