"""Answers to questions, and counts of their patterns, a block of rows at a time."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._tables.bits import PackedTable, pack_bits

ANSWERED: list[Any] = [np.float64, np.float32, np.int64, np.int8, np.uint16, np.bool_]


def bits(X: NDArray[Any]) -> list[NDArray[np.uint64]]:
    return [pack_bits(column) for column in X.T]


def rows_of(patterns: _core.Patterns) -> NDArray[np.uint8]:
    n_columns = len(patterns.columns)
    table = PackedTable(patterns.n_entries, n_columns, None, patterns.columns)
    return table.in_rows().blocks[0]


@pytest.mark.parametrize("dtype", ANSWERED)
@pytest.mark.parametrize("n", [0, 1, 64, 1000])
def test_numbers_are_compared_as_numpy_compares_them(dtype: Any, n: int) -> None:
    rng = np.random.default_rng(n)
    values = rng.choice([0, 0.1, -3.5, np.inf, -np.inf, np.nan, 1e-310, 7], n)
    if not np.issubdtype(dtype, np.floating):
        values = rng.integers(0, 100, n)
    values = values.astype(dtype)
    thresholds = np.array([0.1, float(np.float32(0.1)), -np.inf, np.inf, np.nan, 0, 7, 50])
    for given in (values, values[::-1], np.repeat(values, 3)[1::3]):
        answers = _core.answer_numbers(given, thresholds)
        assert answers.shape == (8, -(-n // 64))
        for words, threshold in zip(answers, thresholds, strict=True):
            expected = given.astype(np.float64) <= threshold
            np.testing.assert_array_equal(words, pack_bits(expected))


def test_numbers_of_other_types_are_refused() -> None:
    with pytest.raises(ValueError, match="must hold"):
        _core.answer_numbers(np.zeros(3, dtype=np.float16), np.zeros(1))


@pytest.mark.parametrize("n_questions", [1, 9, 100])
def test_codes_are_looked_up(n_questions: int) -> None:
    rng = np.random.default_rng(n_questions)
    codes = rng.integers(-1, 12, 700).astype(np.int32)
    yes = rng.integers(0, 2, (n_questions, 12), dtype=np.uint8)
    answers = _core.answer_codes(codes, yes)
    for words, row in zip(answers, yes, strict=True):
        np.testing.assert_array_equal(words, pack_bits((row[codes] == 1) & (codes >= 0)))
    with pytest.raises(ValueError, match="code 11 is not below 11"):
        _core.answer_codes(codes, np.ascontiguousarray(yes[:, :11]))


def test_counts_do_not_depend_on_blocks_and_their_order() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (5000, 8), dtype=np.uint8)
    keys = rng.integers(-1, 3, 5000).astype(np.int32)
    values = rng.integers(-50, 1000, 5000)
    expected: Counter[tuple[Any, ...]] = Counter()
    totals: Counter[tuple[Any, ...]] = Counter()
    for row, key, value in zip(X.tolist(), keys.tolist(), values.tolist(), strict=True):
        if key >= 0:
            expected[*row, key] += 1
            totals[*row, key] += value
    found = []
    for starts in ([0, 5000], [0, 64, 65, 700, 5000], [0, 3000, 5000]):
        parts = [_core.PatternCounts(8, 2) for _ in range(3)]
        blocks = list(itertools.pairwise(starts))
        for i, (begin, end) in enumerate(blocks[::-1]):
            here = slice(begin, end)
            counts = parts[i % 3]
            counts.add(bits(X[here]), end - begin, keys[here], [None, values[here]])
        parts[1].merge(parts[2])
        parts[0].merge(parts[1])
        assert parts[0].n_entries == len(expected)
        assert parts[0].n_bytes > 0
        found.append(parts[0].result())
    for patterns in found:
        assert (patterns.keys.dtype, patterns.sums[0].dtype) == (np.int32, np.int64)
        np.testing.assert_array_equal(patterns.columns, found[0].columns)
        np.testing.assert_array_equal(patterns.keys, found[0].keys)
        entries = [
            (*row, key) for row, key in zip(rows_of(patterns).tolist(), patterns.keys, strict=True)
        ]
        assert dict(zip(entries, patterns.sums[0].tolist(), strict=True)) == dict(expected)
        assert dict(zip(entries, patterns.sums[1].tolist(), strict=True)) == dict(totals)


def test_overflow_is_an_error_and_the_counts_are_of_no_use_then() -> None:
    counts = _core.PatternCounts(1, 1)
    one = [np.array([0], dtype=np.uint64)]
    keys = np.zeros(1, dtype=np.int32)
    counts.add(one, 1, keys, [np.array([2**63 - 1])])
    with pytest.raises(OverflowError, match="2\\^63"):
        counts.add(one, 1, keys, [np.array([1])])
    with pytest.raises(RuntimeError, match="not completed"):
        counts.result()


def test_memory_is_limited() -> None:
    X = np.random.default_rng(0).integers(0, 2, (20000, 40), dtype=np.uint8)
    counts = _core.PatternCounts(40, 1, memory_limit=200_000)
    with pytest.raises(MemoryError, match="more memory"):
        counts.add(bits(X), len(X), np.zeros(len(X), dtype=np.int32), [None])
    with pytest.raises(RuntimeError, match="not completed"):
        counts.merge(_core.PatternCounts(40, 1))


def test_what_does_not_fit_is_refused() -> None:
    counts = _core.PatternCounts(2, 1)
    X = np.zeros((100, 2), dtype=np.uint8)
    keys = np.zeros(100, dtype=np.int32)
    for words, n_rows, own, sums in [
        (bits(X)[:1], 100, keys, [None]),
        (bits(X), 200, keys, [None]),
        (bits(X), 100, keys[:50], [None]),
        (bits(X), 100, keys, []),
        (bits(X), 100, keys, [np.zeros(5, dtype=np.int64)]),
    ]:
        with pytest.raises(ValueError, match=r"there must be|every column"):
            counts.add(words, n_rows, own, sums)
    with pytest.raises(ValueError, match="into themselves"):
        counts.merge(counts)
    with pytest.raises(ValueError, match="other columns"):
        counts.merge(_core.PatternCounts(3, 1))
    assert counts.n_entries == 0
