"""Guessed thresholds: few, those that matter, and the same again."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from binarizer_helpers import CLERKS, PAID, every_binarizer, questions
from hostile import Frame, frames
from hypothesis import given, settings
from seeds import examples
from sklearn.datasets import load_iris

from splitsecond import LicketySPLITClassifier, MidpointBinarizer, ThresholdGuessBinarizer


@pytest.fixture(scope="module")
def iris() -> tuple[Any, Any]:
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y


@pytest.fixture(scope="module")
def mixed() -> tuple[pd.DataFrame, npt.NDArray[Any]]:
    """Flags, numbers, text and blanks, of which two thresholds and one word matter."""
    rng = np.random.default_rng(50)
    n = 500
    X = pd.DataFrame(
        {
            "flag": rng.integers(0, 2, n),
            "noise": rng.integers(0, 2, n),
            "number": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(2)),
            "word": rng.choice(["red", "green", "blue", "grey"], n),
        }
    )
    y = (X.number <= 0.3) | ((X.word == "red") & (X.flag == 1))
    return X, np.where(rng.random(n) < 0.05, ~y, y).astype(int)


def test_guesses_are_repeatable(mixed: Any) -> None:
    X, y = mixed
    first = questions(ThresholdGuessBinarizer().fit(X, y))
    assert first
    for n_jobs in (None, 1, 2, 3, -1):
        assert questions(ThresholdGuessBinarizer(n_jobs=n_jobs).fit(X, y)) == first
        assert questions(ThresholdGuessBinarizer(n_jobs=n_jobs, random_state=5).fit(X, y)) == first


def test_guesses_find_what_matters(mixed: Any) -> None:
    X, y = mixed
    binarizer = ThresholdGuessBinarizer().fit(X, y)
    assert 'word == "red"' in questions(binarizer)
    assert "flag" in questions(binarizer)
    thresholds = [q.value for q in binarizer.literals_ if q.name == "number" and q.operator == "<="]
    assert min(abs(threshold - 0.3) for threshold in thresholds) < 0.05


@settings(max_examples=examples(40))
@given(frames())
def test_guesses_are_midpoints(frame: Frame) -> None:
    """On few values, a guess is one of the questions that all midpoints ask."""
    X = frame.pandas()
    every = {tuple(column) for column in MidpointBinarizer().fit_transform(X).T.tolist()}
    guessed = ThresholdGuessBinarizer().fit(X, frame.y)
    for column in guessed.transform(X).T.tolist():
        assert tuple(column) in every or tuple(1 - bit for bit in column) in every
    assert len({q[:1] + q[2:] for q in guessed.literals_}) == len(guessed.literals_)


@pytest.mark.parametrize("elimination", [True, False])
@pytest.mark.parametrize("most", [1, 2, 3, 7, 1000])
def test_a_budget_is_kept(iris: Any, most: int, elimination: bool) -> None:
    binarizer = ThresholdGuessBinarizer(max_features=most, column_elimination=elimination)
    found = len(binarizer.fit(*iris).literals_)
    assert 1 <= found <= most
    if most <= 7:
        assert found == most


def test_elimination_drops_columns(iris: Any) -> None:
    kept = set(questions(ThresholdGuessBinarizer(tolerance=0.001).fit(*iris)))
    everything = set(questions(ThresholdGuessBinarizer(column_elimination=False).fit(*iris)))
    assert kept < everything
    generous = set(questions(ThresholdGuessBinarizer(tolerance=0.2).fit(*iris)))
    assert len(generous) < len(kept)


def test_flags_stay_when_told_so(mixed: Any) -> None:
    X, y = mixed
    for most in (None, 1, 2, 5):
        kept = ThresholdGuessBinarizer(keep_binary=True, max_features=most).fit(X, y)
        assert {"flag", "noise"} <= set(questions(kept))
    assert "noise" not in questions(ThresholdGuessBinarizer(max_features=3).fit(X, y))


def test_every_class_has_its_thresholds() -> None:
    """Class k is a step of its own variable: reading the trees of one class would find one."""
    rng = np.random.default_rng(51)
    X = rng.normal(size=(600, 4))
    y = np.select([X[:, 0] > 1, X[:, 1] > 1, X[:, 2] > 1, X[:, 3] > 1], [1, 2, 3, 4], 0)
    found = {literal.column for literal in ThresholdGuessBinarizer().fit(X, y).literals_}
    assert found == {0, 1, 2, 3}


def test_deeper_guesses_see_interactions() -> None:
    rng = np.random.default_rng(52)
    X = rng.normal(size=(800, 2))
    y = (X[:, 0] > 0.5) ^ (X[:, 1] > -0.5)
    deep = ThresholdGuessBinarizer(max_depth=2).fit(X, y)
    for column, place in ((0, 0.5), (1, -0.5)):
        thresholds = [q.value for q in deep.literals_ if q.column == column]
        assert min(abs(threshold - place) for threshold in thresholds) < 0.1


def test_samples_are_drawn_with_the_seed(iris: Any) -> None:
    X, y = iris
    few = [ThresholdGuessBinarizer(max_samples=40, random_state=s).fit(X, y) for s in (1, 1, 2)]
    assert questions(few[0]) == questions(few[1]) != questions(few[2])
    whole = ThresholdGuessBinarizer(max_samples=len(X)).fit(X, y)
    assert questions(whole) == questions(ThresholdGuessBinarizer().fit(X, y))
    assert few[0].transform(X).shape == (len(X), len(few[0].literals_))


@every_binarizer
def test_rows_without_weight_are_ignored(binarizer: Any, mixed: Any) -> None:
    X, y = mixed
    weights = np.arange(len(X)) % 3
    kept = weights > 0
    with_zeros = binarizer().fit(X, y, sample_weight=weights)
    without = binarizer().fit(X[kept], y[kept], sample_weight=weights[kept])
    assert questions(with_zeros) == questions(without)


def test_labels_of_weightless_rows_are_ignored(mixed: Any) -> None:
    X, y = mixed
    weights = np.ones(len(X))
    weights[:100] = 0
    expected = questions(ThresholdGuessBinarizer().fit(X, y, sample_weight=weights))
    other = np.where(weights == 0, 1 - y, y)
    assert questions(ThresholdGuessBinarizer().fit(X, other, sample_weight=weights)) == expected


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        *(("n_estimators", bad) for bad in (0, -1, 1.5, "many", True)),
        *(("max_depth", bad) for bad in (0, 7, 2.0, None)),
        *(("learning_rate", bad) for bad in (0, -0.1, 1.5, float("nan"), "fast")),
        *(("tolerance", bad) for bad in (-0.1, 1.1, float("nan"), None)),
        *(("max_features", bad) for bad in (0, -1, 2.5, "all", True)),
        *(("max_samples", bad) for bad in (0, 0.5, None)),
        *(("column_elimination", bad) for bad in (None, 1, "yes")),
        *(("keep_binary", bad) for bad in (None, 0, "no")),
    ],
)
def test_impossible_parameters_are_named(name: str, bad: Any) -> None:
    with pytest.raises(ValueError, match=name):
        ThresholdGuessBinarizer(**{name: bad}).fit(CLERKS, PAID)


def test_guesses_need_classes() -> None:
    with pytest.raises(ValueError, match=r"y.*classes"):
        ThresholdGuessBinarizer().fit(CLERKS)


def test_one_class_needs_no_questions() -> None:
    binarizer = ThresholdGuessBinarizer().fit(CLERKS, ["same"] * 8)
    assert binarizer.literals_ == []
    assert binarizer.transform(CLERKS).shape == (8, 0)


@pytest.mark.parametrize("max_depth", [1, 2, 6])
def test_extreme_weights_do_no_harm(mixed: Any, max_depth: int) -> None:
    X, y = mixed
    rng = np.random.default_rng(53)
    weights = 10.0 ** rng.integers(-12, 6, len(X))
    binarizer = ThresholdGuessBinarizer(max_depth=max_depth).fit(X, y, sample_weight=weights)
    assert all(np.isfinite(q.value) for q in binarizer.literals_ if isinstance(q.value, float))


@pytest.mark.parametrize(
    "asked", [{"loss": "log_loss"}, {"loss": "brier"}, {"costs": [[0, 9], [1, 0]]}]
)
def test_the_best_split_by_itself_stays_by_the_loss_of_the_fit(asked: Any) -> None:
    """No split of a rare class saves an error, but some tell its probability."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(2000, 3))
    y = rng.random(2000) < np.where(X[:, 2] > 1, 0.25, 0.02)
    guess = ThresholdGuessBinarizer(max_features=1)
    model = LicketySPLITClassifier(binarizer=guess, **asked).fit(X, y)
    (question,) = model.binarizer_.literals_
    assert question.column == 2
    assert 0.8 < question.value < 1.2
