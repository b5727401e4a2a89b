"""Each binarizer that cuts against its definition, and what all of them share."""

from __future__ import annotations

import itertools
import pickle
import tracemalloc
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from binarizer_helpers import BINARIZERS, CLERKS, PAID, every_binarizer, questions
from hostile import Frame, frames, new_rows
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from seeds import examples
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from splitsecond import (
    RESPLIT,
    FixedBinarizer,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    LimitWarning,
    Literal,
    MidpointBinarizer,
    OptimalTreeClassifier,
    QuantileBinarizer,
    ThresholdGuessBinarizer,
    load,
    save,
)
from splitsecond._binarizers.base import READING_SHARE, Target
from splitsecond._binarizers.limits import BinarizingLimits
from splitsecond._tables.bits import PackedTable
from splitsecond._tables.columns import RawTable

# Midpoints


@pytest.mark.slow
@settings(max_examples=examples(60))
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


@settings(max_examples=examples(60))
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


@settings(max_examples=examples(200))
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


# And back


@pytest.mark.slow
@every_binarizer
@settings(max_examples=examples(40))
@given(st.data())
def test_going_back_and_forth(binarizer: Any, data: Any) -> None:
    """Whatever rows gave the answers, there are values that give them again."""
    frame = data.draw(frames())
    fitted = binarizer().fit(frame.pandas(), frame.y)
    answers = fitted.transform(frame.pandas())
    assert fitted.transform(fitted.inverse_transform(answers)).tolist() == answers.tolist()


@pytest.mark.slow
@settings(max_examples=examples(60), phases=[Phase.generate])
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
    assert literal.negation(with_missing=True).endswith(" or missing")
    assert str(Literal(0, "x", "<=", 3.0)) == "x <= 3"


def test_all_answers_are_zeros_and_ones() -> None:
    for binarizer in itertools.chain((b() for b in BINARIZERS), [FixedBinarizer(["age <= 40"])]):
        answers = binarizer.fit(CLERKS, PAID).transform(CLERKS)
        assert answers.dtype == np.uint8
        assert set(np.unique(answers)) <= {0, 1}


# Limits: those on time are in tests/limits


def wide_frame() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(95)
    X = pd.DataFrame(rng.normal(size=(20_000, 3)), columns=list("abc"))
    X["few"] = rng.integers(0, 5, len(X))
    X["town"] = rng.choice([f"town{i}" for i in range(400)], len(X), p=np.arange(1, 401) / 80_200)
    X.loc[::7, "c"] = np.nan
    return X, (X["a"] + X["b"] > 0.3).to_numpy()


@pytest.mark.parametrize("megabytes", [1, 10])
def test_midpoints_that_do_not_fit_the_memory(megabytes: int, tmp_path: Path) -> None:
    """As many are kept as fit, the same number for each column, and the fit says so."""
    X, y = wide_frame()
    limit = megabytes * 10**6
    model = LicketySPLITClassifier(binarizer="midpoint", max_depth=2, memory_limit=limit)
    tracemalloc.start()
    try:
        with pytest.warns(LimitWarning, match="questions were kept") as caught:
            model.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= limit + 6 * X["a"].nbytes + 2 * 10**6  # a column is read and sorted at a time
    assert model.statistics_["peak_bytes"] <= limit
    assert model.status_ == "memory_limit"
    binarizer = model.binarizer_
    needed = sum(X[name].nunique() - 1 for name in ("a", "b", "c", "few"))
    needed += 1 + X["town"].nunique()
    assert f"{len(binarizer.literals_):,} of {needed:,} questions were kept" in str(
        caught[0].message
    )
    assert model.n_leaves_ > 1
    asked = Counter(literal.name for literal in binarizer.literals_)
    assert asked["few"] == 4
    assert max(asked["a"], asked["b"], asked["c"]) - asked["a"] <= 1
    assert Literal(2, "c", "is missing") in binarizer.literals_
    rows = X["town"].value_counts()
    towns = [each.value for each in binarizer.literals_ if each.name == "town"]
    assert rows[towns].sum() == rows[: asked["town"]].sum()  # the most frequent ones
    thresholds = [each.value for each in binarizer.literals_ if each.name == "a"]
    below = np.searchsorted(np.sort(X["a"]), thresholds, side="right") / len(X)
    expected = np.arange(1, asked["a"] + 1) / (asked["a"] + 1)
    np.testing.assert_allclose(below, expected, atol=1e-3)
    # Trees could be better with the others: nothing is proved of all.
    assert not binarizer.is_lossless
    save(model, tmp_path / "model.json")
    assert not load(tmp_path / "model.json").binarizer_.is_lossless


@pytest.mark.parametrize(
    "binarizer", ["guess", "quantile", "midpoint", FixedBinarizer(["a <= 0", "b <= 0"])], ids=str
)
def test_no_memory_for_any_question_gives_a_leaf(binarizer: Any) -> None:
    X, y = wide_frame()
    model = LicketySPLITClassifier(binarizer=binarizer, memory_limit=1000)
    with pytest.warns(LimitWarning):
        model.fit(X, y)
    assert model.status_ == "memory_limit"
    assert model.predict(X).shape == y.shape


@pytest.mark.parametrize("binarizer", ["auto", "guess", "quantile", "midpoint"])
def test_limits_that_are_not_met_change_no_question(binarizer: str) -> None:
    free = LicketySPLITClassifier(binarizer=binarizer).fit(CLERKS, PAID)
    limited = LicketySPLITClassifier(
        binarizer=binarizer, time_limit=600, memory_limit=10**10, n_jobs=1
    ).fit(CLERKS, PAID)
    assert limited.binarizer_.literals_ == free.binarizer_.literals_
    assert limited.tree_.feature.tolist() == free.tree_.feature.tolist()
    assert limited.status_ == "complete"


@every_binarizer
def test_columns_that_there_is_no_time_to_read(binarizer: Any, tmp_path: Path) -> None:
    """They are left out, which the model says; and it predicts without them."""
    limits = BinarizingLimits.of_fit(None, None)
    seen = iter([False, False, True])

    def is_over(until: float = 1.0) -> bool:
        over = next(seen, True) if until == READING_SHARE else False
        if over:
            limits.stop("time_limit")
        return over

    limits.is_over = is_over  # type: ignore[method-assign]
    target = Target(np.array(PAID), 2, limits=limits)
    fitted = binarizer()
    table = fitted.fit_answers(RawTable(CLERKS), target)
    assert limits.stopped == "time_limit"
    assert limits.note == "2 of 4 columns were read"
    assert fitted.dropped_ == {"member": "not read in time", "size": "not read in time"}
    assert {literal.name for literal in fitted.literals_} <= {"age", "job"}
    answers = fitted.transform(CLERKS)
    for j in range(table.n_columns):
        assert table.column(j).tolist() == answers[:, j].tolist()
    save(fitted, tmp_path / "binarizer.json")
    assert load(tmp_path / "binarizer.json").dropped_ == fitted.dropped_


def test_answers_are_held_as_bits() -> None:
    X, y = wide_frame()
    table = QuantileBinarizer(n_quantiles=40).fit_answers(RawTable(X), Target(y.astype(int), 2))
    assert isinstance(table, PackedTable)
    assert table.held_bytes <= table.n_rows * table.n_columns / 7.9
    answers = QuantileBinarizer(n_quantiles=40).fit_transform(X)
    for j in range(table.n_columns):
        assert np.array_equal(table.column(j), answers[:, j])
    assert np.array_equal(table.in_rows().blocks[0], answers)


@pytest.mark.parametrize("estimator", [LicketySPLITClassifier, RESPLIT])
def test_the_table_of_answers_is_part_of_the_memory(estimator: Any) -> None:
    """What is held of it in Python is taken off what the search may use."""
    X, y = wide_frame()
    options: Any = {"binarizer": QuantileBinarizer(n_quantiles=50), "max_depth": 2}
    held = 2500 * len(estimator(**options).fit(X, y).binarizer_.literals_)
    free = estimator(**options).fit(X, y).statistics_["peak_bytes"]
    assert free > 2 * held  # the core's copy, and its work
    model = estimator(memory_limit=free - held // 2, **options)
    with pytest.warns(LimitWarning):
        model.fit(X, y)
    assert model.status_ == "memory_limit"
    assert model.statistics_["peak_bytes"] <= model.memory_limit
