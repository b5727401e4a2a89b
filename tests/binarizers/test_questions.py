"""Questions: thresholds that read well, and questions given by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from binarizer_helpers import CLERKS, PAID, questions
from hostile import FLOATS, Frame, frames
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import examples

from splitsecond import FixedBinarizer, LicketySPLITClassifier, MidpointBinarizer
from splitsecond._tables.literals import threshold_between, value_text

finite = st.floats(allow_nan=False, allow_infinity=False)


# Thresholds that read well


@settings(max_examples=examples(500))
@given(finite | st.sampled_from(FLOATS), finite | st.sampled_from(FLOATS))
def test_thresholds_divide(a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    if low < high:
        threshold = threshold_between(low, high)
        assert low <= threshold < high
        assert float(value_text(threshold)) == threshold
        assert value_text(threshold) != "-0"


@settings(max_examples=examples(500))
@given(finite | st.sampled_from(FLOATS), st.integers(1, 5), st.booleans())
def test_thresholds_divide_neighbours(value: float, steps: int, up: bool) -> None:
    """Where little or nothing lies between two floats."""
    other = value
    for _ in range(steps):
        other = math.nextafter(other, math.inf if up else -math.inf)
    low, high = min(value, other), max(value, other)
    if np.isfinite([low, high]).all() and low < high:
        assert low <= threshold_between(low, high) < high


def digits(value: float) -> int:
    """How many digits it takes to write a number, zeros at either end apart."""
    mantissa = repr(abs(value)).split("e")[0].replace(".", "")
    return max(1, len(mantissa.strip("0")))


@settings(max_examples=examples(500))
@given(
    st.floats(-1e6, 1e6).map(lambda x: round(x, 3)) | st.floats(-1e9, 1e9),
    st.floats(1e-3, 1e6),
)
def test_thresholds_have_few_digits(low: float, gap: float) -> None:
    """No shorter decimal lies in the middle half of the gap, and the threshold does."""
    high = low + gap
    threshold = threshold_between(low, high)
    exact_low, exact_high = Fraction(low), Fraction(high)
    middle, quarter = (exact_low + exact_high) / 2, (exact_high - exact_low) / 4
    slack = quarter / 10**6
    assert abs(Fraction(threshold) - middle) <= quarter + slack
    for fewer in range(1, digits(threshold)):
        shorter = Fraction(f"{float(middle):.{fewer - 1}E}")
        assert abs(shorter - middle) > quarter - slack


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (2, 3, "2.5"),
        (22, 31, "26"),
        (0, 1, "0.5"),
        (-1, 1, "0"),
        (0.1, 0.2, "0.15"),
        (1e300, 1e301, "5e+300"),
        (999, 1001, "1000"),
        (-1.7e308, 1.7e308, "0"),
        (0.0, 5e-324, "0"),
    ],
)
def test_some_thresholds(low: float, high: float, text: str) -> None:
    assert value_text(threshold_between(low, high)) == text


# Questions given by hand


def test_questions_in_words() -> None:
    given_ = ["age <= 40", 'job == "cook"', "job == nurse", "member", "age is missing"]
    binarizer = FixedBinarizer([*given_, 'size <= "M"', "member == 1", "age<=3.5e1"]).fit(CLERKS)
    assert binarizer.transform(CLERKS.iloc[:4]).tolist() == [
        [1, 0, 0, 0, 0, 1, 0, 1],
        [1, 1, 0, 1, 0, 1, 1, 1],
        [0, 0, 1, 1, 0, 0, 1, 0],
        [0, 1, 0, 0, 1, 1, 0, 0],
    ]


def test_questions_as_tuples() -> None:
    words = FixedBinarizer(["age <= 40", 'job == "cook"', "member", "age is missing"]).fit(CLERKS)
    tuples = FixedBinarizer(
        [("age", "<=", 40), ("job", "==", "cook"), ("member", "is 1"), ("age", "is missing")]
    ).fit(CLERKS)
    assert tuples.literals_ == words.literals_
    by_position = FixedBinarizer([(0, "<=", 40), ("x2", "is 1")]).fit(CLERKS.to_numpy())
    assert (
        by_position.transform(CLERKS.to_numpy()).tolist()
        == words.transform(CLERKS)[:, [0, 2]].tolist()
    )


@settings(max_examples=examples(40))
@given(frames())
def test_printed_questions_can_be_given_back(frame: Frame) -> None:
    """What one binarizer prints, another reads; names that begin alike are told apart."""
    X = frame.pandas()
    printed = MidpointBinarizer().fit(X)
    texts = questions(printed)
    names = [str(column.label) for column in frame.columns]
    if any(text in names for text in texts) or any(
        a != b and b.startswith((f"{a} <= ", f"{a} == ", f"{a} is missing"))
        for a in names
        for b in names
    ):
        return  # a column that is named like a question about another
    again = FixedBinarizer(texts).fit(X)
    assert [q[:3] for q in again.literals_] == [q[:3] for q in printed.literals_]
    assert again.transform(X).tolist() == printed.transform(X).tolist()


def test_names_that_begin_others() -> None:
    X = pd.DataFrame({"a": [1, 2, 3], "ab": [3, 2, 1], "a b": [0, 0, 1], "a <= b": [1, 0, 0]})
    binarizer = FixedBinarizer(["a <= 2", "ab <= 2", "a b", "a <= b"]).fit(X)
    assert [literal.column for literal in binarizer.literals_] == [0, 1, 2, 3]
    assert binarizer.transform(X).tolist() == [[1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 0]]


@pytest.mark.parametrize(
    ("literal", "parts"),
    [
        ("income <= 3", ["income <= 3", "'age'"]),
        ("age > 3", ["age > 3", "<= value"]),
        ("age <=", ["age <=", "number"]),
        ("age <= old", ["age <= old", "number"]),
        ("job <= 3", ["job <= 3", "number"]),
        ("age", ["'age'", "other values than 0 and 1"]),
        (("income", "<=", 3), ["no column 'income'"]),
        (("age", "<", 3), ["the operator must be", "<="]),
        (("age", "<="), ["number"]),
        (("age", "<=", "3"), ["number"]),
        (("age", "<=", True), ["number"]),
    ],
)
def test_questions_that_cannot_be_read(literal: Any, parts: list[str]) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the parts are looked for below
        FixedBinarizer([literal]).fit(CLERKS)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    "literal",
    ["age <= nan", ("age", "<=", float("nan")), ("age",), 3, 'job == "a\\"', "age == old",
     ("age", "=="), 'size <= "XXL"'],
    ids=str,
)  # fmt: skip
def test_questions_without_sense(literal: Any) -> None:
    """Nothing could ever answer yes, or the form is wrong: a slip of the pen to be named."""
    with pytest.raises((TypeError, ValueError), match=r"(?i)literal"):
        FixedBinarizer([literal]).fit(CLERKS)


def test_a_category_asked_for_but_never_seen() -> None:
    """No other category answers yes in its place, whether or not this one does."""
    binarizer = FixedBinarizer(['job == "pilot"']).fit(CLERKS)
    new = CLERKS.assign(job="astronaut")
    assert not binarizer.transform(CLERKS).any()
    assert not binarizer.transform(new).any()


@pytest.mark.parametrize(
    ("value", "literal", "yes"),
    [
        (1, "c", 1),
        (0, "c", 0),
        (1, "c <= 3", 1),
        (7, "c <= 3", 0),
        (7, "c == 7", 1),
        (7, "c is missing", 0),
        ("a", 'c == "a"', 1),
        ("a", 'c == "b"', 0),
        ("a", "c is missing", 0),
    ],
)
def test_questions_about_constant_columns(value: Any, literal: str, yes: int) -> None:
    """A fold of cross-validation may be constant where the whole table is not."""
    X = pd.DataFrame({"c": [value] * 3, "age": [1, 2, 3]})
    binarizer = FixedBinarizer([literal, "age <= 2"]).fit(X)
    assert binarizer.transform(X).tolist() == [[yes, 1], [yes, 1], [yes, 0]]


@pytest.mark.parametrize(
    ("literal", "answers"),
    [
        ("c <= 3", [1, 0, 0]),
        ("c is missing", [0, 0, 1]),
    ],
)
def test_questions_about_empty_columns(literal: str, answers: list[int]) -> None:
    X = pd.DataFrame({"c": [np.nan] * 3, "age": [1, 2, 3]})
    binarizer = FixedBinarizer([literal]).fit(X)
    assert binarizer.transform(X.assign(c=[1, 5, None]))[:, 0].tolist() == answers


def test_an_empty_list_of_questions() -> None:
    assert FixedBinarizer([]).fit_transform(CLERKS).shape == (8, 0)
    model = LicketySPLITClassifier(binarizer=FixedBinarizer([])).fit(CLERKS, PAID)
    assert model.n_leaves_ == 1
