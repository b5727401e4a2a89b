"""Trees on raw tables: what is predicted is what the printed rules say, however odd the table."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hostile import Frame, answer, frames, holds, meets, new_rows, readings, spelled_out
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from seeds import examples

from splitsecond import (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
)

pytestmark = pytest.mark.slow  # hundreds of tables each

CLASSIFIERS: tuple[Any, ...] = (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
)
SCHEMES = ("auto", "guess", "quantile", "midpoint")
PRICES = (0.01, Fraction(0), Fraction(1, 50), Fraction(1, 7))

every_scheme = pytest.mark.parametrize("scheme", SCHEMES)
some_classifier = st.sampled_from(CLASSIFIERS)


@st.composite
def models(draw: st.DrawFn, scheme: str, frame: Frame, **weights: Any) -> Any:
    model = draw(some_classifier)(
        binarizer=scheme,
        max_depth=draw(st.sampled_from([3, 3, 2, 1, 0])),
        regularization=draw(st.sampled_from(PRICES)),
    )
    return model.fit(frame.pandas(), frame.y, **weights)


def walk(tree: Any, answers: npt.NDArray[Any]) -> list[str]:
    """Follow each row of answers down the tree, one question at a time."""
    out = []
    for row in answers:
        node = 0
        while tree.feature[node] >= 0:
            node = tree.left[node] if row[tree.feature[node]] else tree.right[node]
        counts = list(tree.counts[node])
        out.append(str(tree.classes[counts.index(max(counts))]))
    return out


def asked(model: Any, frame: Frame) -> list[list[int]]:
    """The answers of each row to each question, one cell at a time."""
    literals = model.binarizer_.literals_
    return [
        [int(answer(frame.columns[q.column], q.operator, q.value, row[q.column])) for q in literals]
        for row in frame.rows()
    ]


# Predictions are what the rules say


@every_scheme
@settings(max_examples=examples(80))
@given(data=st.data())
def test_predictions_follow_the_questions(scheme: str, data: Any) -> None:
    """The questions answered by hand, and the tree walked by hand."""
    frame = data.draw(frames())
    model = data.draw(models(scheme, frame))
    X = frame.pandas()
    answers = model.binarizer_.transform(X)
    assert answers.tolist() == asked(model, frame)
    assert model.predict(X).tolist() == walk(model.tree_, answers)


@every_scheme
@settings(max_examples=examples(80))
@given(data=st.data())
def test_new_rows_always_get_an_answer(scheme: str, data: Any) -> None:
    """Blanks where there were none and categories never seen are no reason to stop."""
    frame = data.draw(frames())
    model = data.draw(models(scheme, frame))
    new = data.draw(new_rows(frame))
    X = new.pandas()
    assert model.predict(X).tolist() == walk(model.tree_, np.array(asked(model, new)))
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1)


@every_scheme
@settings(max_examples=examples(50))
@given(data=st.data())
def test_rules_can_be_read(scheme: str, data: Any) -> None:
    """A person with the printed rules and a training row comes to the prediction."""
    frame = data.draw(frames())
    model = data.draw(models(scheme, frame))
    rules = []
    for rule in model.tree_.rules():
        conditions = [
            readings(part, frame.columns)
            for condition in rule["if"]
            for part in spelled_out(condition, frame.columns)
        ]
        assert all(conditions), "a condition that nobody can read"
        # A column named "x <= 3" beside one named "x" reads both ways; that is the user's doing.
        assume(all(len(each) == 1 for each in conditions))
        rules.append(([each[0] for each in conditions], rule["then"]))
    for row, predicted in zip(frame.rows(), model.predict(frame.pandas()), strict=True):
        said = [
            then
            for conditions, then in rules
            if all(holds(c, frame.columns[c[0]], row[c[0]]) for c in conditions)
        ]
        assert said == [predicted]


@every_scheme
@settings(max_examples=examples(80))
@given(data=st.data())
def test_rules_select_the_rows_of_their_leaves(scheme: str, data: Any) -> None:
    """Each rule holds for the rows of its leaf and for no others, whatever is missing or new."""
    frame = data.draw(frames())
    model = data.draw(models(scheme, frame))
    place = {str(column.label): j for j, column in enumerate(frame.columns)}
    assume(len(place) == len(frame.columns))
    rules = model.tree_.rules()
    for rule in rules:
        asked_of = [condition["variable"] for condition in rule["conditions"]]
        assert len(set(asked_of)) == len(asked_of)
    for rows in (frame, data.draw(new_rows(frame))):
        for row, leaf in zip(rows.rows(), model.tree_.apply(rows.pandas()), strict=True):
            selected = [
                rule["leaf"]
                for rule in rules
                if all(
                    meets(
                        each, frame.columns[place[each["variable"]]], row[place[each["variable"]]]
                    )
                    for each in rule["conditions"]
                )
            ]
            assert selected == [leaf]


@every_scheme
@settings(max_examples=examples(50))
@given(data=st.data())
def test_printed_thresholds_are_the_ones_used(scheme: str, data: Any) -> None:
    """Read back from the print, a threshold divides the training rows as the question does."""
    frame = data.draw(frames())
    model = data.draw(models(scheme, frame))
    answers = model.binarizer_.transform(frame.pandas())
    for j, literal in enumerate(model.binarizer_.literals_):
        column = frame.columns[literal.column]
        if literal.operator == "<=" and column.order is None:
            printed = float(str(literal).removeprefix(f"{literal.name} <= "))
            values = [np.nan if value is None else float(value) for value in column.values]
            assert (np.array(values) <= printed).tolist() == answers[:, j].tolist()
            assert 0 < sum(answers[:, j]) < len(column.known)


@every_scheme
@settings(max_examples=examples(50))
@given(data=st.data())
def test_columns_without_information_are_left_out(scheme: str, data: Any) -> None:
    frame = data.draw(frames())
    model = LicketySPLITClassifier(binarizer=scheme).fit(frame.pandas(), frame.y)
    assume(model.binarizer_.dropped_ or any(c.is_dropped() for c in frame.columns))
    if scheme == "auto" and all(c.is_flag() and None not in c.values for c in frame.columns):
        return  # a table of 0/1 columns is taken as it is
    dropped = {str(column.label) for column in frame.columns if column.is_dropped()}
    assert set(model.binarizer_.dropped_) == dropped
    assert {literal.name for literal in model.binarizer_.literals_}.isdisjoint(dropped)
    assert "left out: " in str(model)


# Whatever the table comes as


@every_scheme
@settings(max_examples=examples(50))
@given(data=st.data())
def test_order_and_library_do_not_matter(scheme: str, data: Any) -> None:
    frame = data.draw(frames())
    model = data.draw(models(scheme, frame))
    X = frame.pandas()
    expected = model.predict(X).tolist()
    shuffled = data.draw(st.permutations(list(X.columns)))
    assert model.predict(X[shuffled]).tolist() == expected
    assert model.predict(X.assign(**{"one more": "text"})).tolist() == expected
    assert model.predict(frame.polars()).tolist() == expected
    assert model.predict(frame.polars().select(shuffled)).tolist() == expected
    assert model.predict(frame.arrow()).tolist() == expected
    assert model.predict(frame.arrow().select(shuffled)).tolist() == expected
    with pytest.warns(UserWarning, match="valid feature names"):
        assert model.predict(frame.numpy()).tolist() == expected


@every_scheme
@settings(max_examples=examples(50))
@given(data=st.data())
def test_fitting_does_not_depend_on_the_library(scheme: str, data: Any) -> None:
    """Text, numbers and blanks: the same questions from pandas, polars, pyarrow and numpy."""
    frame = data.draw(frames())
    assume(not any(c.series.dtype == "category" for c in frame.columns))
    # Without a value there is no telling what a column would have been.
    assume(all(c.known for c in frame.columns))
    model = data.draw(models(scheme, frame))
    names = [str(column.label) for column in frame.columns]
    questions = model.binarizer_.get_feature_names_out().tolist()
    for X in (frame.polars(), frame.arrow()):
        other = model.__class__(**model.get_params()).fit(X, frame.y)
        assert other.binarizer_.get_feature_names_out().tolist() == questions
        assert other.predict(X).tolist() == model.predict(frame.pandas()).tolist()
    other = model.__class__(**model.get_params()).fit(frame.numpy(), frame.y)
    assert other.binarizer_.get_feature_names_out(names).tolist() == questions
    assert other.predict(frame.numpy()).tolist() == model.predict(frame.pandas()).tolist()


@every_scheme
@settings(max_examples=examples(40))
@given(data=st.data())
def test_columns_that_are_numbered(scheme: str, data: Any) -> None:
    """Labels that are no strings are matched too, though scikit-learn counts them as no names."""
    frame = data.draw(frames())
    model = data.draw(models(scheme, frame))
    X = frame.pandas()
    renamed = X.set_axis(range(10, 10 + X.shape[1]), axis=1)
    other = model.__class__(**model.get_params()).fit(renamed, frame.y)
    assert not hasattr(other, "feature_names_in_")
    assert other.predict(renamed[renamed.columns[::-1]]).tolist() == model.predict(X).tolist()


@settings(max_examples=examples(50))
@given(data=st.data())
def test_flags_need_no_binarizer(data: Any) -> None:
    """On 0/1 columns, None and "auto" are the same."""
    bits = data.draw(st.lists(st.integers(0, 15), min_size=1, max_size=12))
    X = pd.DataFrame([[bit >> j & 1 for j in range(4)] for bit in bits], columns=list("abcd"))
    y = data.draw(st.lists(st.integers(0, 2), min_size=len(X), max_size=len(X)))
    classifier = data.draw(some_classifier)
    plain, auto = (classifier(binarizer=b).fit(X, y) for b in (None, "auto"))
    assert plain.tree_.to_text() == auto.tree_.to_text()
    assert plain.binarizer_ is None
    assert plain.predict(X).tolist() == auto.predict(X[list("dcba")]).tolist()


# The objective


@every_scheme
@settings(max_examples=examples(50))
@given(data=st.data())
def test_the_objective_is_error_plus_the_price_of_leaves(scheme: str, data: Any) -> None:
    frame = data.draw(frames())
    n = len(frame.y)
    weights = data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n).filter(any))
    model = data.draw(models(scheme, frame, sample_weight=weights))
    predicted = model.predict(frame.pandas())
    wrong = sum(
        weight
        for weight, label, guess in zip(weights, frame.y, predicted, strict=True)
        if label != guess
    )
    price = Fraction(str(model.regularization))
    expected = Fraction(wrong, sum(weights)) + price * model.tree_.n_leaves
    assert model.objective_ == float(expected)
    assert model.lower_bound_ <= model.objective_


# Weights


@every_scheme
@settings(max_examples=examples(50))
@given(data=st.data())
def test_whole_weights_are_repetition(scheme: str, data: Any) -> None:
    frame = data.draw(frames())
    n = len(frame.y)
    weights = data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    X, y = frame.pandas(), np.array(frame.y)
    model = data.draw(models(scheme, frame, sample_weight=weights))
    rows = np.repeat(np.arange(n), weights)
    repeated = model.__class__(**model.get_params()).fit(X.iloc[rows], y[rows])
    assert repeated.predict(X).tolist() == model.predict(X).tolist()
    assert repeated.objective_ == model.objective_


@every_scheme
@settings(max_examples=examples(50))
@given(data=st.data())
def test_rows_without_weight_are_as_if_absent(scheme: str, data: Any) -> None:
    frame = data.draw(frames())
    n = len(frame.y)
    weights = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n).filter(any)))
    X, y = frame.pandas(), np.array(frame.y)
    model = data.draw(models(scheme, frame, sample_weight=weights))
    kept = weights > 0
    without = model.__class__(**model.get_params()).fit(X[kept], y[kept], weights[kept])
    assert without.objective_ == model.objective_
    assert without.predict(X[kept]).tolist() == model.predict(X[kept]).tolist()
