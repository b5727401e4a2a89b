"""Each binarizer against its definition, written down naively."""

from __future__ import annotations

import itertools
import math
import pickle
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hostile import FLOATS, Frame, frames, new_rows
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from splitsecond import (
    FixedBinarizer,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    Literal,
    MidpointBinarizer,
    OptimalTreeClassifier,
    QuantileBinarizer,
    ThresholdGuessBinarizer,
)
from splitsecond._literals import threshold_between, value_text

BINARIZERS: tuple[Any, ...] = (MidpointBinarizer, QuantileBinarizer, ThresholdGuessBinarizer)
every_binarizer = pytest.mark.parametrize("binarizer", BINARIZERS)
finite = st.floats(allow_nan=False, allow_infinity=False)

CLERKS = pd.DataFrame(
    {
        "age": [22.0, 31, 58, np.nan, 40, 22, 35, 47],
        "job": ["clerk", "cook", "nurse", "cook", None, "clerk", "nurse", "cook"],
        "member": [0, 1, 1, 0, 1, 0, 0, 1],
        "size": pd.Categorical(list("SMLMSLMS"), categories=list("SML"), ordered=True),
    }
)
PAID = [0, 1, 1, 0, 1, 0, 1, 1]


def questions(binarizer: Any) -> list[str]:
    return [str(literal) for literal in binarizer.literals_]


# Thresholds that read well


@settings(max_examples=500)
@given(finite | st.sampled_from(FLOATS), finite | st.sampled_from(FLOATS))
def test_thresholds_divide(a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    if low < high:
        threshold = threshold_between(low, high)
        assert low <= threshold < high
        assert float(value_text(threshold)) == threshold
        assert value_text(threshold) != "-0"


@settings(max_examples=500)
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


@settings(max_examples=500)
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


# Midpoints


@settings(max_examples=60)
@given(frames())
def test_midpoints_are_all_there(frame: Frame) -> None:
    """One threshold between any two neighbours, and each once."""
    X = frame.pandas()
    binarizer = MidpointBinarizer().fit(X)
    for j, column in enumerate(frame.columns):
        literals = [literal for literal in binarizer.literals_ if literal.column == j]
        if column.is_dropped():
            assert literals == []
            continue
        blank = [literal for literal in literals if literal.operator == "is missing"]
        assert len(blank) == (None in column.values)
        others = [literal for literal in literals if literal.operator != "is missing"]
        if column.order is not None:
            present = [name for name in column.order if name in column.known]
            assert [(q.operator, q.value) for q in others] == [("<=", n) for n in present[:-1]]
        elif column.is_category:
            present = sorted(set(column.known))
            if len(present) == 1 or (len(present) == 2 and not blank):
                present = present[:-1]  # the other one answers for it
            assert [(q.operator, q.value) for q in others] == [("==", value) for value in present]
        elif column.is_flag():
            expected = ["is 1"] if len({float(value) for value in column.known}) == 2 else []
            assert [q.operator for q in others] == expected
        else:
            present = sorted({float(value) for value in column.known})
            assert [q.operator for q in others] == ["<="] * (len(present) - 1)
            for low, literal, high in zip(present, others, present[1:], strict=False):
                assert low <= literal.value < high


def best_by_brute_force(rows: list[list[Any]], y: list[int], depth: int, price: Fraction) -> Any:
    """The lowest objective of all trees, tried out on the raw rows with every threshold."""
    n = len(y)

    def solve(members: tuple[int, ...], left: int) -> Fraction:
        counts = Counter(y[i] for i in members)
        best = Fraction(len(members) - max(counts.values()), n) + price
        if left == 0:
            return best
        seen = set()
        for column in zip(*rows, strict=True):
            for value in {column[i] for i in members}:
                sides = [{i for i in members if column[i] is None}]
                if isinstance(value, str):
                    sides.append({i for i in members if column[i] == value})
                elif value is not None:
                    sides.append(
                        {i for i in members if column[i] is not None and column[i] <= value}
                    )
                for side in sides:
                    yes = tuple(sorted(side))
                    if 0 < len(yes) < len(members) and yes not in seen:
                        seen.add(yes)
                        no = tuple(i for i in members if i not in side)
                        best = min(best, solve(yes, left - 1) + solve(no, left - 1))
        return best

    return solve(tuple(range(n)), depth)


@settings(max_examples=60)
@given(st.data())
def test_midpoints_lose_nothing(data: Any) -> None:
    """The optimal tree over all midpoints is the optimal tree over the raw table."""
    n = data.draw(st.integers(2, 8))
    cells: tuple[Any, ...] = (
        st.sampled_from([0.1, 0.2, 0.3, -5.0, 1e300, None]),
        st.sampled_from(["a", "b", "c", None]),
        st.sampled_from([1, 2, 3, 4, 5]),
    )
    rows = data.draw(st.lists(st.tuples(*cells).map(list), min_size=n, max_size=n))
    y = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    price = data.draw(st.sampled_from([Fraction(0), Fraction(1, 100), Fraction(1, n)]))
    depth = data.draw(st.integers(0, 2))
    X = pd.DataFrame(rows, columns=["number", "text", "count"])
    model = OptimalTreeClassifier(binarizer="midpoint", max_depth=depth, regularization=price)
    model.fit(X, y)
    assert model.objective_ == float(best_by_brute_force(rows, y, depth, price))
    assert model.lower_bound_ == model.objective_
    assert "proved optimal ·" in str(model)


# Quantiles


def cuts_by_definition(values: list[float], weights: list[int], parts: int) -> list[float]:
    """After which values to cut: the first at which the share of the weight reaches k / parts."""
    total = sum(weights)
    distinct = sorted({v for v, w in zip(values, weights, strict=True) if w > 0})
    cuts = set()
    for k in range(1, parts):
        for value in distinct:
            below = sum(w for v, w in zip(values, weights, strict=True) if v <= value)
            if Fraction(below, total) >= Fraction(k, parts):
                cuts.add(value)
                break
    return sorted(cuts - {distinct[-1]})


@settings(max_examples=200)
@given(st.data())
def test_quantiles_are_what_they_say(data: Any) -> None:
    values = data.draw(st.lists(st.integers(2, 30).map(float), min_size=1, max_size=30))
    n = len(values)
    weights = data.draw(
        st.just([1] * n) | st.lists(st.integers(0, 9), min_size=n, max_size=n).filter(any)
    )
    parts = data.draw(st.integers(2, 12))
    X = np.array(values).reshape(-1, 1)
    binarizer = QuantileBinarizer(parts).fit(X, sample_weight=weights)
    lows = cuts_by_definition(values, weights, parts)
    present = sorted({v for v, w in zip(values, weights, strict=True) if w > 0})
    assert len(binarizer.literals_) == len(lows)
    for literal, low in zip(binarizer.literals_, lows, strict=True):
        assert low <= literal.value < present[present.index(low) + 1]
    if set(weights) == {1}:
        assert questions(QuantileBinarizer(parts).fit(X)) == questions(binarizer)


def test_quantiles_of_ordered_categories() -> None:
    X = CLERKS[["size"]]
    assert questions(QuantileBinarizer(2).fit(X)) == ['size <= "M"']
    assert questions(QuantileBinarizer(9).fit(X)) == ['size <= "S"', 'size <= "M"']


@pytest.mark.parametrize("bad", [1, 0, -3, 2.5, "3", None, True])
def test_impossible_quantiles(bad: Any) -> None:
    with pytest.raises(ValueError, match="n_quantiles"):
        QuantileBinarizer(bad).fit(CLERKS)


@pytest.mark.parametrize("binarizer", [QuantileBinarizer(), ThresholdGuessBinarizer()])
def test_of_many_categories_the_frequent_ones_count(binarizer: Any) -> None:
    names = [f"c{i:03}" for i in range(300)]
    X = pd.DataFrame({"c": [*names, *names[100:] * 2]})
    binarizer.fit(X, np.arange(len(X)) % 2)
    asked = {literal.value for literal in binarizer.literals_}
    assert len(asked) <= 255
    assert len(asked - set(names[100:])) <= 55
    if isinstance(binarizer, QuantileBinarizer):
        assert asked == set(names[:55]) | set(names[100:])


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


@settings(max_examples=40)
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


# Guessing


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


@settings(max_examples=40)
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


# And back


@every_binarizer
@settings(max_examples=40)
@given(st.data())
def test_going_back_and_forth(binarizer: Any, data: Any) -> None:
    """Whatever rows gave the answers, there are values that give them again."""
    frame = data.draw(frames())
    fitted = binarizer().fit(frame.pandas(), frame.y)
    answers = fitted.transform(frame.pandas())
    assert fitted.transform(fitted.inverse_transform(answers)).tolist() == answers.tolist()


@settings(max_examples=60, phases=[Phase.generate])
@given(st.data())
def test_new_rows_going_back_and_forth(data: Any) -> None:
    frame = data.draw(frames())
    new = data.draw(new_rows(frame))
    fitted = MidpointBinarizer().fit(frame.pandas(), frame.y)
    answers = fitted.transform(new.pandas())
    assert fitted.transform(fitted.inverse_transform(answers)).tolist() == answers.tolist()


def test_huge_numbers_going_back_and_forth() -> None:
    X = np.array([[1e308], [1.7e308]])
    fitted = MidpointBinarizer().fit(X)
    back = fitted.inverse_transform(fitted.transform(X))
    assert fitted.transform(back).tolist() == [[1], [0]]


def test_values_come_back_in_their_units() -> None:
    binarizer = FixedBinarizer(["age <= 25", "age <= 40", "member"]).fit(CLERKS)
    back = binarizer.inverse_transform([[1, 1, 0], [0, 1, 1], [0, 0, 1]])
    ages, members = back[:, 0].astype(float), back[:, 2].astype(float)
    assert ages[0] <= 25 < ages[1] <= 40 < ages[2]
    assert members.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("literals", "row"),
    [
        (["age <= 25", "age <= 40"], [1, 0]),
        (["age <= 25", "age is missing"], [1, 1]),
        (['job == "cook"', 'job == "nurse"'], [1, 1]),
        (['size <= "S"', 'size <= "M"'], [1, 0]),
        (["member", "member is missing"], [1, 1]),
    ],
)
def test_contradictions_are_refused(literals: list[str], row: list[int]) -> None:
    binarizer = FixedBinarizer(literals).fit(CLERKS)
    with pytest.raises(ValueError, match=literals[0].split()[0]) as caught:
        binarizer.inverse_transform([row])
    assert literals[0] in str(caught.value)


@pytest.mark.parametrize("shape", [(2, 3), (4,), (2, 2, 2)])
def test_answers_of_the_wrong_shape_are_refused(shape: tuple[int, ...]) -> None:
    binarizer = FixedBinarizer(["age <= 25", "age <= 40"]).fit(CLERKS)
    with pytest.raises(ValueError, match="2 columns"):
        binarizer.inverse_transform(np.zeros(shape))


# As scikit-learn's transformers


@every_binarizer
def test_names_of_the_answers(binarizer: Any) -> None:
    fitted = binarizer().fit(CLERKS, PAID)
    names = fitted.get_feature_names_out()
    assert names.dtype == object
    assert names.tolist() == questions(fitted)
    assert fitted.get_feature_names_out(list(CLERKS.columns)).tolist() == questions(fitted)
    with pytest.raises(ValueError, match="feature_names_in_"):
        fitted.get_feature_names_out(["a", "b", "c", "d"])


def test_names_for_columns_without_names() -> None:
    fitted = MidpointBinarizer().fit([[1, 5], [2, 6]])
    assert fitted.get_feature_names_out().tolist() == ["x0 <= 1.5", "x1 <= 5.5"]
    assert fitted.get_feature_names_out(["a", "b"]).tolist() == ["a <= 1.5", "b <= 5.5"]
    with pytest.raises(ValueError, match="2"):
        fitted.get_feature_names_out(["a", "b", "c"])


@every_binarizer
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_output_as_a_data_frame(binarizer: Any, library: str) -> None:
    module = pytest.importorskip(library)
    fitted = binarizer().set_output(transform=library).fit(CLERKS, PAID)
    out = fitted.transform(CLERKS)
    assert isinstance(out, module.DataFrame)
    assert list(out.columns) == questions(fitted)
    assert out.to_numpy().tolist() == binarizer().fit(CLERKS, PAID).transform(CLERKS).tolist()
    if library == "pandas":
        shifted = CLERKS.set_index(CLERKS.index + 10)
        assert fitted.transform(shifted).index.equals(shifted.index)


@every_binarizer
def test_columns_are_matched_by_name(binarizer: Any) -> None:
    fitted = binarizer().fit(CLERKS, PAID)
    expected = fitted.transform(CLERKS).tolist()
    assert fitted.transform(CLERKS[CLERKS.columns[::-1]].assign(more=1)).tolist() == expected
    with pytest.raises(ValueError, match="member"):
        fitted.transform(CLERKS.drop(columns="member"))
    with pytest.raises(ValueError, match=r"3.*4"):
        fitted.transform(CLERKS.to_numpy()[:, :3])


@every_binarizer
def test_clones_and_pickles(binarizer: Any) -> None:
    fitted = binarizer().fit(CLERKS, PAID)
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        copy.transform(CLERKS)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.transform(CLERKS).tolist() == fitted.transform(CLERKS).tolist()
    assert again.literals_ == fitted.literals_


@every_binarizer
def test_fitting_again_forgets(binarizer: Any) -> None:
    fitted = binarizer().fit(CLERKS, PAID)
    fitted.fit(CLERKS[["age"]].to_numpy(), PAID)
    assert fitted.n_features_in_ == 1
    assert not hasattr(fitted, "feature_names_in_")
    assert {literal.name for literal in fitted.literals_} == {"x0"}


@every_binarizer
def test_in_a_pipeline(binarizer: Any) -> None:
    """Before a classifier or inside it: the same tree."""
    inside = GreedyTreeClassifier(binarizer=binarizer()).fit(CLERKS, PAID)
    steps = make_pipeline(binarizer(), GreedyTreeClassifier(binarizer=None)).fit(CLERKS, PAID)
    assert steps.predict(CLERKS).tolist() == inside.predict(CLERKS).tolist()
    assert steps[-1].tree_.feature.tolist() == inside.tree_.feature.tolist()


@pytest.mark.parametrize("binarizer", [FixedBinarizer(["age <= 40"]), *(b() for b in BINARIZERS)])
def test_a_binarizer_given_to_a_classifier_stays_unfitted(binarizer: Any) -> None:
    model = LicketySPLITClassifier(binarizer=binarizer).fit(CLERKS, PAID)
    assert not hasattr(binarizer, "literals_")
    assert type(model.binarizer_) is type(binarizer)


@pytest.mark.parametrize("binarizer", ["median", 3, object(), MidpointBinarizer])
def test_impossible_binarizers_are_refused(binarizer: Any) -> None:
    with pytest.raises(ValueError, match=r"binarizer=.*'midpoint'"):
        LicketySPLITClassifier(binarizer=binarizer).fit(CLERKS, PAID)


def test_literals_are_tuples_that_print() -> None:
    literal = Literal(3, "job", "==", 'the "cook"\n')
    assert literal == (3, "job", "==", 'the "cook"\n')
    assert str(literal) == 'job == "the \\"cook\\"\\n"'
    assert literal.negation() == 'job != "the \\"cook\\"\\n"'
    assert literal.negation(blanks=True).endswith(" or missing")
    assert str(Literal(0, "x", "<=", 3.0)) == "x <= 3"


def test_all_answers_are_zeros_and_ones() -> None:
    for binarizer in itertools.chain((b() for b in BINARIZERS), [FixedBinarizer(["age <= 40"])]):
        answers = binarizer.fit(CLERKS, PAID).transform(CLERKS)
        assert answers.dtype == np.uint8
        assert set(np.unique(answers)) <= {0, 1}
