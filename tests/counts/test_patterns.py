"""What a count table holds, against counting rows one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from counted import random_table, random_weights
from seeds import seeds

import splitsecond as ss
from splitsecond._tables.bits import PackedTable, pack_bits


@pytest.mark.parametrize("seed", seeds(10))
@pytest.mark.parametrize("weights", ["none", "whole", "few", "many"])
def test_entries_are_the_rows_counted_one_by_one(seed: int, weights: str) -> None:
    random = np.random.RandomState(seed)
    frame = random_table(random, 200, n_classes=4)
    X, y, fold = frame.drop(columns="y"), frame["y"], random.randint(3, 6, 200)
    w = random_weights(random, weights, 200)
    table = frame.assign(fold=fold) if w is None else frame.assign(fold=fold, w=w)
    counts = ss.compress(
        table, "y", weight=None if w is None else "w", folds="fold", binarizer="quantile"
    )
    answers = counts.binarizer.transform(X)
    rows: Counter[Any] = Counter()
    weighed: Counter[Any] = Counter()
    for i in range(200):
        if w is None or w[i] > 0:
            key = (*answers[i].tolist(), y[i], fold[i] - 3)
            rows[key] += 1
            weighed[key] += 1 if w is None else w[i]
    found_rows: Counter[Any] = Counter()
    found_weights: Counter[Any] = Counter()
    held = [counts.answers().column(j) for j in range(len(counts.words))]
    for i, weight in enumerate(counts.row_weights()):
        key = (*(int(column[i]) for column in held), counts.classes[counts.codes[i]])
        key = (*key, int(counts.folds[i]))
        found_rows[key] += int(counts.rows[i])
        found_weights[key] += weight
    assert found_rows == rows
    for key, weight in weighed.items():
        assert found_weights[key] == pytest.approx(weight, rel=1e-6, abs=1e-6)
    assert counts.n_rows == 200
    assert counts.n_patterns == len({key[:-2] for key in rows})
    assert counts.n_folds == 3


def test_binary_columns_stay_as_they_are() -> None:
    random = np.random.RandomState(0)
    frame = random_table(random)[["flag", "y"]].assign(one=1, other=random.randint(0, 2, 300))
    counts = ss.compress(frame, "y")
    assert [str(each) for each in counts.literals] == ["flag", "one", "other"]
    model = ss.LicketySPLITClassifier().fit(counts)
    rows = ss.LicketySPLITClassifier().fit(frame.drop(columns="y"), frame["y"])
    assert model.tree_.to_json() == rows.tree_.to_json()
    assert model.binarizer_.dropped_ == rows.binarizer_.dropped_ == {"one": "constant"}


def test_a_category_of_the_last_rows_is_known() -> None:
    random = np.random.RandomState(0)
    frame = random_table(random)
    frame.loc[299, "text"] = "yew"
    counts = ss.compress(frame, "y", sample=20, binarizer="quantile")
    variable = counts.binarizer.variables_[list(frame.columns).index("text")]
    assert variable.categories == ("ash", "elm", "oak", "yew")
    assert variable.has_missing


def test_given_questions() -> None:
    frame = random_table(np.random.RandomState(0))
    asked = ["number <= 0.5", 'text == "oak"', "flag", "number is missing", 'size <= "m"']
    counts = ss.compress(frame, "y", binarizer=ss.FixedBinarizer(asked))
    assert [str(each) for each in counts.literals] == asked
    again = ss.compress(frame, "y", binarizer=counts.binarizer)
    assert again.binarizer is counts.binarizer
    np.testing.assert_array_equal(again.rows, counts.rows)


def test_columns_are_chosen_or_left_out() -> None:
    frame = random_table(np.random.RandomState(0))
    chosen = ss.compress(frame, "y", columns=["number", "flag"], binarizer="quantile")
    others = [name for name in frame.columns if name not in ("number", "flag", "y")]
    ignored = ss.compress(frame, "y", ignore=others, binarizer="quantile")
    assert chosen.literals == ignored.literals
    assert {each.name for each in chosen.literals} == {"number", "flag"}


def test_text() -> None:
    counts = ss.compress(random_table(np.random.RandomState(0)), "y", columns=["flag", "count"])
    assert repr(counts).startswith("<CountTable: 300 rows, ")
    assert "patterns of" in repr(counts)


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 127, 128, 129, 1000])
@pytest.mark.parametrize("n_questions", [0, 1, 3])
def test_patterns_are_told_apart_without_unpacking(n: int, n_questions: int) -> None:
    random = np.random.RandomState(n)
    numbers = np.sort(random.randint(0, 2**n_questions, n))
    answers = numbers[None, :] >> np.arange(n_questions)[:, None]
    answers &= 1
    small = ss.compress(random_table(random)[["flag", "y"]], "y")
    counts = replace(
        small,
        words=[pack_bits(column) for column in answers],
        rows=np.ones(n, dtype=np.int64),
        codes=np.zeros(n, dtype=np.int32),
    )
    wanted = np.unique(answers, axis=1, return_inverse=True)
    n_patterns = wanted[0].shape[1] if n_questions else 1
    with patch.object(PackedTable, "column", side_effect=AssertionError("was unpacked")):
        assert counts.n_patterns == n_patterns
        number_of = counts.numbers_of_patterns()
    assert len(number_of) == n
    if n_questions:
        same = (answers[:, 1:] == answers[:, :-1]).all(axis=0)
        np.testing.assert_array_equal(np.diff(number_of) == 0, same)
    none = counts.take(np.zeros(0, dtype=np.intp))
    assert (none.n_patterns, len(none.numbers_of_patterns())) == (0, 0)


def test_the_memory_of_a_table_is_that_of_all_its_arrays() -> None:
    frame = random_table(np.random.RandomState(0)).assign(w=np.random.RandomState(1).rand(300))
    plain = ss.compress(frame.drop(columns="w"), "y", binarizer="quantile")
    weighed = ss.compress(frame, "y", binarizer=plain.binarizer, weight="w", folds=3)
    n, words = weighed.n_entries, -(-weighed.n_entries // 64)
    assert weighed.nbytes == 8 * words * len(weighed.words) + n * (8 + 4 + 8 + 4)
