"""Questions to a whole Rashomon set have the answers that its list of trees has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from rashomon_oracle import Shape, label_for, shape_of
from strategies import threshold_table

from splitsecond import RESPLIT, QuantileBinarizer, TreeFARMS

KINDS: tuple[Any, ...] = (TreeFARMS, RESPLIT)
N_ROWS = 90


def raw_frame(seed: int, n_rows: int = N_ROWS, new: bool = False) -> pd.DataFrame:
    """Numbers with several thresholds, categories and flags, with blanks; new rows hold more."""
    rng = np.random.default_rng(seed)
    colours = ["red", "green", "blue", *(["mauve"] if new else [])]
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 12, n_rows).round(1) * (3 if new else 1),
            "income": rng.exponential(30, n_rows).round(),
            "colour": rng.choice(colours, n_rows),
            "member": rng.random(n_rows) < 0.4,
        }
    )
    for column in ("age", "colour"):
        frame.loc[rng.random(n_rows) < 0.1, column] = None
    return frame


def labels(frame: pd.DataFrame, seed: int, n_classes: int) -> npt.NDArray[Any]:
    rng = np.random.default_rng(seed)
    score = (frame["age"].fillna(0) > 38).astype(int) + (frame["colour"] == "red") * frame["member"]
    noisy = np.where(rng.random(len(frame)) < 0.3, rng.integers(n_classes, size=len(frame)), score)
    named: npt.NDArray[Any] = np.array(["a", "b", "c"])[noisy.astype(int) % n_classes]
    return named


def raw_set(kind: Any, seed: int, n_classes: int = 2, **options: Any) -> tuple[Any, pd.DataFrame]:
    frame = raw_frame(seed)
    model = kind(
        binarizer=QuantileBinarizer(n_quantiles=4),
        **{"regularization": 0.01, "epsilon": 0.08, "max_depth": 2, **options},
    )
    return model.fit(frame, labels(frame, seed, n_classes)), frame


def binary_set(kind: Any, seed: int) -> tuple[Any, npt.NDArray[np.uint8]]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (60, 5)).astype(np.uint8)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + (rng.random(60) < 0.3)) % 3
    model = kind(regularization=0.01, epsilon=0.06, max_depth=3, binarizer=None)
    return model.fit(X, y), X


@pytest.fixture(scope="module", params=range(8))
def any_set(request: pytest.FixtureRequest) -> Any:
    """A set of either kind, from raw or 0/1 columns, with two or three classes."""
    kind, seed = KINDS[request.param % 2], 40 + request.param
    if request.param < 4:
        return raw_set(kind, seed, n_classes=2 + request.param // 2)[0].trees_
    return binary_set(kind, seed)[0].trees_


def asked(tree: Any) -> set[str]:
    """Variables and questions of a tree."""
    used = {int(feature) for feature in tree.feature if feature >= 0}
    literals = [tree.literals[feature] for feature in used]
    return {literal.name for literal in literals} | {str(literal) for literal in literals}


def min_rows(tree: Any) -> float:
    return float(tree.counts[tree.feature < 0].sum(axis=1).min())


def names_in(trees: Any) -> tuple[list[str], list[str]]:
    """The variables and the questions of all trees, each a list in a fixed order."""
    literals = {literal for tree in trees for literal in tree.literals.values()}
    used = set().union(*(asked(tree) for tree in trees))
    variables = sorted({literal.name for literal in literals} & used)
    return variables, sorted({str(literal) for literal in literals} & used)


def assert_filtered(filtered: Any, trees: Any, wanted: Callable[[Any], bool]) -> None:
    """The same trees as in the filtered list, each once, best first."""
    expected = [tree for tree in trees if wanted(tree)]
    found = list(filtered)
    assert filtered.n_trees == len(found) == len(expected)
    assert Counter(map(shape_of, found)) == Counter(map(shape_of, expected))
    assert [tree.objective for tree in found] == [tree.objective for tree in expected]
    assert [shape_of(filtered[i]) for i in range(len(found))] == [shape_of(tree) for tree in found]
    histogram = Counter(tree.objective for tree in expected)
    assert filtered.objective_histogram() == dict(sorted(histogram.items()))
    assert filtered.bound == trees.bound


# Filters


def test_sets_are_worth_filtering(any_set: Any) -> None:
    variables, questions = names_in(any_set)
    assert 20 < any_set.n_trees < 5000
    assert len(variables) >= 2
    assert len(questions) >= 4


def asking(uses: list[str], avoids: list[str]) -> Callable[[Any], bool]:
    return lambda tree: asked(tree) >= set(uses) and not asked(tree) & set(avoids)


def test_uses_and_avoids(any_set: Any) -> None:
    variables, questions = names_in(any_set)
    for name in {*variables, *questions}:
        assert_filtered(any_set.filter(uses=name), any_set, asking([name], []))
        assert_filtered(any_set.filter(avoids=[name]), any_set, asking([], [name]))


def test_uses_and_avoids_several(any_set: Any) -> None:
    variables, questions = names_in(any_set)
    rng = np.random.default_rng(50)
    for _ in range(12):
        pool = variables + questions
        uses = [str(name) for name in rng.choice(pool, size=rng.integers(0, 4))]
        avoids = [str(name) for name in rng.choice(pool, size=rng.integers(0, 3))]
        assert_filtered(any_set.filter(uses=uses, avoids=avoids), any_set, asking(uses, avoids))


def sized(leaves: float, depth: float, rows: float) -> Callable[[Any], bool]:
    return lambda t: t.n_leaves <= leaves and t.depth <= depth and min_rows(t) >= rows


def test_sizes(any_set: Any) -> None:
    for most in range(6):
        assert_filtered(any_set.filter(max_leaves=most), any_set, sized(most, np.inf, 0))
        assert_filtered(any_set.filter(max_depth=most), any_set, sized(np.inf, most, 0))
    for least in (0, 1, 2, 5, 10, 17, 30, 10**9):
        filtered = any_set.filter(min_leaf_rows=least)
        assert_filtered(filtered, any_set, sized(np.inf, np.inf, least))


def test_combined_and_chained(any_set: Any) -> None:
    variables, questions = names_in(any_set)
    name, other = variables[0], questions[-1]

    def wanted(tree: Any) -> bool:
        return (
            name in asked(tree)
            and other not in asked(tree)
            and tree.n_leaves <= 4
            and tree.depth <= 2
            and min_rows(tree) >= 3
        )

    at_once = any_set.filter(uses=name, avoids=other, max_leaves=4, max_depth=2, min_leaf_rows=3)
    assert_filtered(at_once, any_set, wanted)
    one_by_one = (
        any_set.filter(min_leaf_rows=3)
        .filter(uses=name)
        .filter(max_depth=2)
        .filter(avoids=other)
        .filter(max_leaves=4)
    )
    assert_filtered(one_by_one, any_set, wanted)
    assert_filtered(one_by_one.filter(), any_set, wanted)


def test_filtered_sets_within_a_smaller_epsilon(any_set: Any) -> None:
    variables, _ = names_in(any_set)
    epsilon = 0.015
    near = any_set.within(epsilon)
    for narrowed in (
        any_set.filter(uses=variables[0], max_leaves=5).within(epsilon),
        near.filter(uses=variables[0], max_leaves=5),
    ):
        assert_filtered(
            narrowed, near, lambda tree: variables[0] in asked(tree) and tree.n_leaves <= 5
        )
    with pytest.raises(ValueError, match="fit again"):
        near.filter(max_leaves=5).within(0.03)


def test_smallest_leaf_of_weighted_rows() -> None:
    """Rows of weight 0.1 are not binary fractions: three of them are still 0.3."""
    rng = np.random.default_rng(51)
    for n_rows, unit in ((30, 0.1), (49, 0.1), (49, 0.7), (33, 1 / 3)):
        X = rng.integers(0, 2, (n_rows, 4))
        y = rng.integers(0, 2, n_rows)
        model = TreeFARMS(regularization=0.01, epsilon=0.1, max_depth=2)
        trees = model.fit(X, y, sample_weight=np.full(n_rows, unit)).trees_
        for least in range(1, 12):
            expected = [tree for tree in trees if round(min_rows(tree) / unit) >= least]
            assert trees.filter(min_leaf_weight=least * unit).n_trees == len(expected)
            assert trees.filter(min_leaf_rows=least).n_trees == len(expected)


def test_nothing_left(any_set: Any) -> None:
    empty = any_set.filter(max_leaves=0)
    assert empty.n_trees == len(empty) == 0
    assert not empty
    assert empty.feature_usage() == {}
    assert empty.filter(max_depth=1).n_trees == 0
    assert np.isnan(empty.min_objective)


def test_nobody_left_to_vote() -> None:
    for model, X in (raw_set(TreeFARMS, 52), binary_set(RESPLIT, 52)):
        empty = model.trees_.filter(max_leaves=0)
        for ask in (empty.vote, empty.multiplicity, empty.disputed):
            with pytest.raises(ValueError, match="the set is empty"):
                ask(X)
        assert empty.predict(X).shape == (len(X), 0)


# How often


def test_feature_usage(any_set: Any) -> None:
    listed = list(any_set)
    variables, questions = names_in(any_set)
    for by, names in (("variable", variables), ("question", questions)):
        usage = any_set.feature_usage(by=by)
        expected = {name: sum(name in asked(tree) for tree in listed) for name in names}
        assert usage == expected
        assert list(usage.values()) == sorted(usage.values(), reverse=True)
    assert any_set.feature_usage() == any_set.feature_usage(by="variable")


# Prediction


def expected_votes(trees: Any, answers: npt.NDArray[Any]) -> list[list[Fraction]]:
    """For each row the exact share of each class, by asking every tree."""
    shapes: list[Shape] = [shape_of(tree) for tree in trees]
    n_classes = len(trees[0].classes)
    out = []
    for row in answers:
        counted = Counter(label_for(shape, row) for shape in shapes)
        out.append([Fraction(counted[label], len(shapes)) for label in range(n_classes)])
    return out


def assert_votes(trees: Any, X: Any, answers: npt.NDArray[Any]) -> None:
    expected = expected_votes(trees, answers)
    assert trees.vote(X).tolist() == [[float(share) for share in row] for row in expected]
    variance = [(1 - sum(share**2 for share in row)) / 2 for row in expected]
    assert trees.multiplicity(X) == pytest.approx([float(value) for value in variance], abs=1e-15)
    order = trees.disputed(X).tolist()
    assert sorted(order) == list(range(len(variance)))
    for row, after in pairwise(order):
        assert variance[row] > variance[after] - 1e-12
        assert row < after or sorted(expected[row]) != sorted(expected[after])
    shapes = [shape_of(tree) for tree in trees]
    single = [[trees[0].classes[label_for(shape, row)] for shape in shapes] for row in answers]
    assert trees.predict(X).tolist() == single


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_votes_on_raw_tables(kind: Any, n_classes: int) -> None:
    model, frame = raw_set(kind, 60 + n_classes, n_classes, epsilon=0.05)
    trees = model.trees_
    # Other ages, colours never seen, and blanks where there were none.
    new = raw_frame(99, 40, new=True)
    new.loc[:3, "income"] = None
    for X in (frame, new):
        answers = model.binarizer_.transform(X)
        assert_votes(trees, X, answers)
        assert_votes(trees.filter(uses="age", max_leaves=3), X, answers)
        assert_votes(trees.filter(uses=["age", "colour"]), X, answers)
        assert_votes(trees.within(0.01), X, answers)


@pytest.mark.parametrize("kind", KINDS)
def test_votes_on_binary_tables(kind: Any) -> None:
    """Every possible row, most of which no training row equals."""
    model, X = binary_set(kind, 70)
    new = np.array([[row >> bit & 1 for bit in range(5)] for row in range(32)] * 5, dtype=np.uint8)
    trees = model.trees_
    # More trees than a test wants to list for each row.
    few = trees.within(0.03)
    assert few.filter(uses=["x4"]).n_trees > 5
    for table in (X, new):
        assert_votes(few, table, table)
        assert_votes(few.filter(uses=["x4"]), table, table)


def test_two_classes_vary_by_p_times_1_minus_p() -> None:
    model, frame = raw_set(TreeFARMS, 71)
    p = model.trees_.vote(frame)[:, 1]
    assert model.trees_.multiplicity(frame) == pytest.approx(p * (1 - p), abs=1e-15)
    assert model.trees_.multiplicity(frame).max() > 0.01


def test_predict_with_chosen_trees() -> None:
    model, frame = raw_set(RESPLIT, 72)
    trees = model.trees_
    every = trees.predict(frame)
    assert every.shape == (N_ROWS, trees.n_trees)
    assert trees.predict(frame, slice(2, 9, 3)).tolist() == every[:, 2:9:3].tolist()
    assert trees.predict(frame, [5, 0, -1]).tolist() == every[:, [5, 0, -1]].tolist()
    assert trees.predict(frame, np.array([1, 1])).tolist() == every[:, [1, 1]].tolist()
    assert trees.predict(frame, []).shape == (N_ROWS, 0)
    assert trees.predict(frame, [0])[:, 0].tolist() == model.predict(frame).tolist()
    with pytest.raises(IndexError):
        trees.predict(frame, [trees.n_trees])
    with pytest.raises(TypeError):
        trees.predict(frame, [0.0])


def test_a_column_without_questions_may_be_named() -> None:
    """Guessing drops what it has no use for: then no tree uses it, and all avoid it."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"age": rng.integers(0, 9, 80), "noise": 5, "job": ["a", "b"] * 40})
    trees = TreeFARMS(epsilon=0.1).fit(X, (X["age"] > 4) ^ (rng.random(80) < 0.1)).trees_
    assert trees.filter(avoids="noise").n_trees == trees.n_trees > 0
    assert trees.filter(uses="noise").n_trees == 0
    assert trees.filter(avoids=["noise", "age"]).n_trees == trees.filter(avoids="age").n_trees


# What is refused


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"uses": "height"}, "no variable or question 'height'; variables are 'age'"),
        ({"avoids": ["age", "height"]}, "no variable or question 'height'"),
        ({"uses": ["age <= 1e9"]}, "no variable or question"),
        ({"uses": [3]}, "no variable or question 3"),
        ({"max_leaves": -1}, "max_leaves=-1"),
        ({"max_leaves": 2.5}, "max_leaves=2.5"),
        ({"max_leaves": True}, "max_leaves=True"),
        ({"max_leaves": "3"}, "max_leaves='3'"),
        ({"max_depth": -1}, "max_depth=-1"),
        ({"max_depth": 1.5}, "max_depth=1.5"),
        ({"max_depth": "1"}, "max_depth='1'"),
        ({"min_leaf_rows": -1}, "min_leaf_rows=-1"),
        ({"min_leaf_rows": float("nan")}, "min_leaf_rows=nan"),
        ({"min_leaf_rows": "5"}, "min_leaf_rows='5'"),
        ({"min_leaf_weight": -1}, "min_leaf_weight=-1"),
        ({"min_leaf_weight": "5"}, "min_leaf_weight='5'"),
    ],
)
def test_bad_conditions(options: dict[str, Any], said: str) -> None:
    model, _ = raw_set(TreeFARMS, 73)
    with pytest.raises(ValueError, match=said):
        model.trees_.filter(**options)


def test_conditions_of_any_size() -> None:
    model, _ = raw_set(TreeFARMS, 73)
    trees = model.trees_
    for name in ("max_leaves", "max_depth"):
        assert trees.filter(**{name: 10**30}).n_trees == trees.n_trees
        assert trees.filter(**{name: np.int64(1)}).n_trees == trees.filter(**{name: 1}).n_trees
    assert trees.filter(min_leaf_rows=10**30).n_trees == 0
    assert trees.filter(min_leaf_rows=float("inf")).n_trees == 0
    assert trees.filter(min_leaf_weight=10**30).n_trees == 0
    assert trees.filter(min_leaf_weight=float("inf")).n_trees == 0
    assert (
        trees.filter(min_leaf_rows=np.float64(4.5)).n_trees == trees.filter(min_leaf_rows=5).n_trees
    )


@pytest.mark.parametrize("max_bins", [1, 5, 12, 10**6])
def test_objectives_in_ranges(max_bins: int) -> None:
    trees = raw_set(TreeFARMS, 3)[0].trees_
    histogram = trees.objective_histogram()
    bins = trees.objective_bins(max_bins)
    assert len(bins) == min(max_bins, len(histogram)) > 0
    assert sum(n for _, _, n in bins) == trees.n_trees
    assert bins[0][0] == min(histogram)
    assert bins[-1][1] == pytest.approx(max(histogram))
    for (_, end, _), (begin, _, _) in pairwise(bins):
        assert begin == end
    if max_bins == 5:  # away from the edges, where rounding decides
        begin, end, n = bins[0]
        inside = [count for each, count in histogram.items() if begin <= each < end - 1e-9]
        assert n >= sum(inside)
    assert trees.filter(max_leaves=0).objective_bins(max_bins) == []
    with pytest.raises(ValueError, match="max_bins=0 must be an integer of at least 1"):
        trees.objective_bins(0)


def test_single_trees_predict_probabilities() -> None:
    model, frame = raw_set(TreeFARMS, 3)
    best = model.trees_[0]
    new = raw_frame(9, new=True)
    assert best.predict_proba(new).tolist() == model.predict_proba(new).tolist()
    assert best.training_accuracy == model.score(frame, labels(frame, 3, 2))


def test_usage_by_something_else() -> None:
    model, _ = raw_set(TreeFARMS, 73)
    with pytest.raises(ValueError, match="by='column'"):
        model.trees_.feature_usage(by="column")


def test_multiplicity_summary() -> None:
    X, y = threshold_table(17, 120, 6, n_classes=3)
    trees = TreeFARMS(max_depth=2, regularization=0.02, epsilon=0.03).fit(X, y).trees_
    assert trees.n_trees > 3
    predicted = trees.predict(X)
    shares = np.stack([(predicted == c).mean(axis=1) for c in np.unique(y)], axis=1)
    variance = (1 - (shares**2).sum(axis=1)) / 2
    summary = trees.multiplicity_summary(X)
    disagree = (predicted != predicted[:, :1]).any(axis=1)
    assert 0 < disagree.mean() < 1
    assert summary == pytest.approx(
        {
            "mean": variance.mean(),
            "std": variance.std(),
            "max": variance.max(),
            "disputed": disagree.mean(),
        }
    )
    one = trees.within(0.0).filter(max_leaves=trees[0].n_leaves)
    if one.n_trees == 1:
        assert one.multiplicity_summary(X) == {"mean": 0, "std": 0, "max": 0, "disputed": 0}
