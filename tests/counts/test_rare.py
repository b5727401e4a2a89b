"""What occurs only in rare patterns is gone from the table, and from what it saves."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from counted import check_same_counts, check_same_tree, random_table, same_questions
from seeds import seeds

import splitsecond as ss
from splitsecond import CountTable

COLUMNS = ["text", "size", "flag"]


def people() -> Any:
    """Return rows of which three are unlike all others, in every column."""
    random = np.random.RandomState(0)
    n = 3000
    frame = pd.DataFrame(
        {
            "age": random.choice([20.0, 30.0, 40.0], n),
            "town": random.choice(["ash", "elm"], n),
            "job": random.choice(["cook", "nurse"], n),
            "size": pd.Categorical(
                random.choice(["s", "m"], n), categories=["s", "m", "l", "secretsize"], ordered=True
            ),
            "flag": random.rand(n) < 0.5,
            "ill": False,
            "y": random.choice(["no", "yes"], n),
            "fold": random.choice(["one", "two"], n),
        }
    )
    rare = frame.iloc[:3].assign(
        age=[101.0, 102.0, np.nan],
        town="secrettown",
        job=["secretjob", "secretjob", None],
        size="secretsize",
        ill=True,
        y="secretclass",
        fold="secretfold",
    )
    rare["size"] = pd.Categorical(
        rare["size"], categories=frame["size"].cat.categories, ordered=True
    )
    return pd.concat([frame, rare], ignore_index=True)


def everything_in(counts: CountTable, folder: Path) -> str:
    """Return what a table holds, in memory and as a file."""
    path = folder / "counts.parquet"
    counts.save(path)
    about = pq.read_schema(path).metadata[b"splitsecond counts"].decode()
    check_same_counts(CountTable.load(path), counts)
    return about + str(pickle.dumps(counts)) + counts.to_frame().to_csv()


@pytest.mark.parametrize("binarizer", ["midpoint", "quantile", "guess"])
def test_nothing_is_left_of_rare_patterns(binarizer: str, tmp_path: Path) -> None:
    frame = people()
    counts = ss.compress(frame, "y", binarizer=binarizer, folds="fold")
    assert "secretclass" in everything_in(counts, tmp_path)
    kept = counts.drop_below(5)
    assert kept.n_dropped == 3
    text = everything_in(kept, tmp_path)
    assert "secret" not in text
    assert "missing" not in json.dumps([str(each) for each in kept.literals])
    assert kept.classes.tolist() == ["no", "yes"]
    assert kept.fold_labels == ("one", "two")
    thresholds = [each.value for each in kept.literals if each.name == "age"]
    assert all(20 <= value < 40 for value in thresholds)
    if binarizer != "guess":  # which does not ask whether values are missing
        assert not any(variable.has_missing for variable in kept.binarizer.variables_)
    check_same_counts(ss.compress(frame, "y", binarizer=binarizer, folds="fold", min_count=5), kept)
    # The table that was given keeps what it had.
    assert "secretclass" in everything_in(counts, tmp_path)


def test_numbers_of_rare_patterns_are_gone(tmp_path: Path) -> None:
    frame = people()
    frame["y"] = np.where(frame["y"] == "secretclass", 987654.5, np.arange(len(frame)) % 7)
    counts = ss.compress(frame, "y", binarizer="midpoint", task="regression")
    kept = counts.drop_below(5)
    assert kept.numbers.tolist() == list(range(7))
    assert "987654" not in everything_in(kept, tmp_path)
    model = ss.LicketySPLITRegressor().fit(kept)
    assert model.tree_.n_rows[0] == 3000


def test_columns_that_nothing_is_asked_about_any_more(tmp_path: Path) -> None:
    frame = people()
    frame["town"] = np.where(frame["town"] == "secrettown", "secrettown", "ash")
    kept = ss.compress(frame, "y", binarizer="midpoint", min_count=5)
    assert "town" not in {each.name for each in kept.literals}
    model = ss.LicketySPLITClassifier().fit(kept)
    assert model.binarizer_.dropped_["town"] == "values not asked about"
    path = tmp_path / "model.json"
    ss.save(model, path)
    assert "secret" not in path.read_text()
    new = frame.drop(columns="y")
    np.testing.assert_array_equal(ss.load(path).predict(new), model.predict(new))


def test_missing_values_alone_may_be_asked_about() -> None:
    frame = people()
    frame["town"] = np.where(np.arange(len(frame)) % 2 == 0, None, frame["town"])
    asked = ss.FixedBinarizer(["town is missing", "flag"])
    kept = ss.compress(frame, "y", binarizer=asked, min_count=5)
    assert kept.binarizer.variables_[1].categories == ()
    assert kept.binarizer.variables_[1].has_missing
    again = ss.compress(frame, "y", binarizer=kept.binarizer)
    assert again.rows[again.answers().column(0) == 1].sum() == frame["town"].isna().sum()
    answers = kept.binarizer.transform(frame.drop(columns="y"))
    np.testing.assert_array_equal(answers[:, 0], frame["town"].isna())


@pytest.mark.parametrize("seed", seeds(20))
@pytest.mark.parametrize("scheme", ["auto", "midpoint", "quantile"])
def test_questions_that_are_left_mean_the_same(seed: int, scheme: str) -> None:
    random = np.random.RandomState(seed)
    frame = random_table(random, 300, n_classes=3)
    counts = ss.compress(frame, "y", binarizer=scheme, columns=COLUMNS)
    least = int(random.randint(2, 10))
    kept = counts.drop_below(least)
    new = random_table(random, 300)[COLUMNS]
    place = {literal: j for j, literal in enumerate(counts.literals)}
    before = counts.binarizer.transform(new)[:, [place[each] for each in kept.literals]]
    np.testing.assert_array_equal(kept.binarizer.transform(new), before)
    given = counts.drop_below(least, keep_questions=True)
    assert given.literals == counts.literals
    np.testing.assert_array_equal(given.binarizer.transform(new), counts.binarizer.transform(new))
    # Questions that are gone tell no patterns apart that were kept.
    model = ss.OptimalTreeClassifier(max_depth=2)
    same = ss.OptimalTreeClassifier(max_depth=2, binarizer=same_questions(kept))
    answers = counts.binarizer.transform(frame[COLUMNS])
    _, pattern, rows = np.unique(answers, axis=0, return_inverse=True, return_counts=True)
    is_kept = rows[pattern.reshape(-1)] >= least
    assert kept.n_patterns == np.count_nonzero(rows >= least)
    check_same_tree(model.fit(kept), same.fit(frame[COLUMNS][is_kept], frame["y"][is_kept]))


def test_given_questions_stay() -> None:
    frame = people()
    asked = ["age <= 100", 'town == "elm"', 'town == "secrettown"']
    kept = ss.compress(frame, "y", binarizer=ss.FixedBinarizer(asked), min_count=5)
    assert [str(each) for each in kept.literals] == asked
    counts = ss.compress(frame, "y", binarizer="midpoint")
    half = ss.compress(frame[:300], "y", binarizer=counts.binarizer, min_count=5)
    other = ss.compress(frame[300:], "y", binarizer=counts.binarizer, min_count=5)
    assert half.literals == counts.literals
    assert (half + other).literals == counts.literals
    assert ss.LicketySPLITClassifier().fit(counts).score(half) > 0
    assert len(counts.drop_below(5).literals) < len(counts.literals)


def test_a_single_pattern_is_left() -> None:
    frame = pd.DataFrame({"x": [1.0] * 50 + [2.0] * 3, "y": ["a", "b"] * 25 + ["b"] * 3})
    kept = ss.compress(frame, "y", binarizer="midpoint", min_count=5)
    assert (kept.n_patterns, kept.literals, kept.n_rows) == (1, [], 50)
    assert "1 patterns of 0 questions" in repr(kept)


def test_sums_know_of_their_columns_what_either_table_does() -> None:
    frame = pd.DataFrame({"a": [0, 0, 1, 1] * 10, "b": [0, 1, 0, 1] * 10, "y": ["n", "y"] * 20})
    lone = frame.assign(a=0)
    one = ss.compress(lone, "y", min_count=2)
    other = ss.compress(frame, "y", min_count=2)
    assert one.binarizer.dropped_ == {"a": "constant"}
    for added in (one + other, other + one):
        assert added.n_patterns == 4
        assert added.binarizer.dropped_ == {}
    frame["c"] = np.where(frame["b"] == 1, None, 3.0)
    asked = ss.FixedBinarizer(["a", "c <= 5"])
    one, other = (ss.compress(each, "y", binarizer=asked) for each in (frame.assign(c=4.0), frame))
    for added in (one + other, other + one):
        assert added.binarizer.variables_[2].has_missing
