"""Rashomon sets hold exactly the trees that brute force finds, in order, however they are read."""

from __future__ import annotations

import dataclasses
import gc
import pickle
import weakref
from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import pytest
from rashomon_oracle import RashomonOracle, Shape, leaves_of, shape_of
from scipy import stats
from seeds import seeds
from set_questions import one_of, random_question
from strategies import Problem

from splitsecond import RESPLIT, OptimalTreeClassifier, TreeFARMS
from splitsecond._binarizers.base import Target
from splitsecond._trees.tree import Tree


def fitted(kind: Any, problem: Problem, **options: Any) -> Any:
    model = kind(
        regularization=problem.regularization,
        max_depth=problem.max_depth,
        **{"n_jobs": 1, **options},
    )
    return model.fit(problem.X, problem.codes, sample_weight=problem.weights)


def known_trees(
    problem: Problem, *, lookahead: int | None, exact_last_split: bool = False, **set_options: Any
) -> dict[Shape, Fraction]:
    brute = RashomonOracle(
        problem.X, problem.codes, **problem.data, exact_last_split=exact_last_split
    )
    arguments = (
        set_options["epsilon"],
        set_options.get("epsilon_kind", "additive"),
        set_options.get("keep_trivial", False),
    )
    if lookahead is None:
        return brute.exact_set(problem.max_depth, *arguments)
    return brute.resplit(problem.max_depth, min(lookahead, problem.max_depth), *arguments)


def assert_same_trees(trees: Any, expected: dict[Shape, Fraction]) -> None:
    """The same trees with the same objectives, each once, best first."""
    listed = list(trees)
    shapes = [shape_of(tree) for tree in listed]
    assert trees.n_trees == len(listed) == len(expected)
    assert set(shapes) == set(expected)
    assert [tree.objective for tree in listed] == [float(expected[shape]) for shape in shapes]
    order = [(expected[shape], leaves_of(shape)) for shape in shapes]
    assert order == sorted(order)
    histogram: dict[float, int] = {}
    for objective in sorted(expected.values()):
        histogram[float(objective)] = histogram.get(float(objective), 0) + 1
    assert list(trees.objective_histogram().items()) == list(histogram.items())


def assert_agrees(problem: Problem, options: dict[str, Any], lookahead: int | None) -> None:
    expected = known_trees(problem, lookahead=lookahead, **options)
    if lookahead is None:
        kind: Any = TreeFARMS
    else:
        kind = RESPLIT
        options = {**options, "lookahead_depth": lookahead}
    if not expected:
        assert options["epsilon_kind"] == "absolute"
        with pytest.raises(ValueError, match="Raise epsilon="):
            fitted(kind, problem, **options)
        return
    model = fitted(kind, problem, **options)
    trees = model.trees_
    assert_same_trees(trees, expected)
    assert model.status_ == "complete"
    assert trees.min_objective == float(min(expected.values()))
    assert model.objective_ == model.tree_.objective == trees.min_objective
    assert shape_of(model.tree_) == shape_of(trees[0])


@pytest.mark.parametrize("seed", seeds(20))
def test_all_trees(seed: int) -> None:
    rng = np.random.default_rng([20, seed])
    for _ in range(100):
        assert_agrees(*random_question(rng), lookahead=None)


@pytest.mark.parametrize("seed", seeds(20))
def test_resplit(seed: int) -> None:
    rng = np.random.default_rng([21, seed])
    for _ in range(100):
        problem, options = random_question(rng)
        options["exact_last_split"] = bool(rng.random() < 0.2)
        lookahead = int(rng.integers(problem.max_depth + 2))
        assert_agrees(problem, options, lookahead)


def test_more_rows_and_columns() -> None:
    """Rows of several machine words, and columns enough to differ in what each level asks."""
    rng = np.random.default_rng(22)
    for _ in range(60):
        problem, options = random_question(rng, max_rows=300, max_columns=9, max_depth=2)
        assert_agrees(problem, options, lookahead=None)
        assert_agrees(problem, options, lookahead=1)


def test_parts_that_share_rows() -> None:
    """Columns that are copies and complements: many paths, the same rows, different budgets."""
    rng = np.random.default_rng(23)
    for _ in range(100):
        problem, options = random_question(rng, max_columns=2, max_depth=2)
        X = np.column_stack([problem.X, problem.X, 1 - problem.X])[:, :4]
        problem = dataclasses.replace(problem, X=X.astype(np.uint8), max_depth=3)
        assert_agrees(problem, {**options, "keep_trivial": False}, lookahead=None)
        for lookahead in (1, 2):
            assert_agrees(problem, {**options, "keep_trivial": False}, lookahead=lookahead)


def test_prices_above_one() -> None:
    """Only the number of leaves counts there, and errors must not be mistaken for another leaf."""
    X = np.array([[1], [1], [0], [0]], dtype=np.uint8)
    codes = np.array([1, 1, 0, 0])
    for price in (1, 1.25, 2.0):
        for epsilon in (0, 0.5, 1, 1.4999, 1.5, 2, 5):
            problem = Problem(X, codes, 2, None, price, 1)
            assert_agrees(problem, {"epsilon": epsilon, "epsilon_kind": "additive"}, None)


def test_objectives_that_floats_cannot_tell_apart() -> None:
    """Two trees of one float objective are two in the histogram, and ordered exactly."""
    X = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]] * 3, dtype=np.uint8)
    codes = np.array([0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1, 0])
    for price in (Fraction(1, 10**30), 1e-25):
        problem = Problem(X, codes, 2, None, price, 2)
        expected = known_trees(problem, lookahead=None, epsilon=1)
        floats = {float(objective) for objective in expected.values()}
        assert len(floats) < len(set(expected.values()))
        assert_agrees(problem, {"epsilon": 1, "epsilon_kind": "additive"}, None)


# Each tree is a real one


def test_counts_at_every_node() -> None:
    rng = np.random.default_rng(24)
    for _ in range(150):
        problem, options = random_question(rng)
        options["epsilon_kind"] = "additive"
        kind = one_of(rng, (TreeFARMS, RESPLIT))
        trees = fitted(kind, problem, **options).trees_
        for tree in trees[:: max(1, trees.n_trees // 10)]:
            counts = oracle.node_counts(
                tree.feature,
                tree.left,
                tree.right,
                problem.X,
                problem.codes,
                n_classes=problem.n_classes,
                weights=problem.weights,
            )
            assert tree.counts == pytest.approx(np.array(counts, dtype=float))
            assert tree.depth <= problem.max_depth


@pytest.mark.parametrize("weight", [None, 0.1])
def test_rows_at_every_node(weight: float | None) -> None:
    """Rows are counted as in a classifier's tree: each as one, whatever its weight."""
    rng = np.random.default_rng(25)
    X = rng.integers(0, 2, (30, 3)).astype(np.uint8)
    y = rng.integers(0, 2, 30)
    weights = None if weight is None else np.full(30, weight)
    model = TreeFARMS(epsilon=0.1, max_depth=2).fit(X, y, sample_weight=weights)
    for tree in model.trees_:
        rows = np.zeros(len(tree.feature), dtype=int)
        for row in X:
            rows[oracle.route(tree.feature, tree.left, tree.right, row)] += 1
        assert tree.n_rows.tolist() == rows.tolist()
    assert model.trees_[0].to_text() == model.tree_.to_text()
    assert model.trees_[0].to_dict() == model.tree_.to_dict()


def test_best_tree_is_the_estimators() -> None:
    rng = np.random.default_rng(26)
    for _ in range(100):
        problem, options = random_question(rng)
        options["epsilon_kind"] = "additive"
        model = fitted(TreeFARMS, problem, **options)
        best = fitted(OptimalTreeClassifier, problem)
        assert model.objective_ == best.objective_ == model.lower_bound_
        assert model.n_leaves_ == model.tree_.n_leaves
        assert model.depth_ == model.tree_.depth
        predicted = model.trees_.predict(problem.X, [0])[:, 0]
        assert model.predict(problem.X).tolist() == predicted.tolist()


def test_epsilon_zero_is_the_optimal_trees() -> None:
    rng = np.random.default_rng(27)
    for _ in range(150):
        problem, options = random_question(rng)
        for kind in ("additive", "multiplicative"):
            options.update(epsilon=0, epsilon_kind=kind)
            trees = fitted(TreeFARMS, problem, **options).trees_
            best = fitted(OptimalTreeClassifier, problem)
            assert set(trees.objective_histogram()) == {best.objective_}
            assert trees.bound == best.objective_
            assert_same_trees(trees, known_trees(problem, lookahead=None, **options))


def test_resplit_with_all_of_its_lookahead_is_part_of_the_exact_set() -> None:
    """Only a part: a leaf that greedy would improve on may stand in the exact set alone."""
    rng = np.random.default_rng(28)
    for _ in range(100):
        problem, options = random_question(rng)
        options["epsilon_kind"] = "additive"
        whole = fitted(TreeFARMS, problem, **options).trees_
        ahead = fitted(RESPLIT, problem, lookahead_depth=problem.max_depth, **options).trees_
        assert ahead.bound == whole.bound
        assert ahead.min_objective == whole.min_objective
        assert {shape_of(tree) for tree in ahead} <= {shape_of(tree) for tree in whole}


def test_bounds() -> None:
    problem = Problem(
        np.array([[1, 0], [1, 1], [0, 0], [0, 1], [0, 1]], dtype=np.uint8),
        np.array([1, 1, 0, 0, 1]),
        2,
        None,
        0.1,
        1,
    )
    best = 0.2 + 0.2  # one error, two leaves
    for kind, epsilon, bound in (
        ("additive", 0.05, best + 0.05),
        ("multiplicative", 0.5, best * 1.5),
        ("absolute", 0.75, 0.75),
    ):
        trees = fitted(TreeFARMS, problem, epsilon=epsilon, epsilon_kind=kind).trees_
        assert trees.bound == pytest.approx(bound)
        assert trees.min_objective == pytest.approx(best)
        assert repr(trees).endswith(f"objective {best:.4f} to {bound:.4f}>")


# A sequence


@pytest.fixture(scope="module")
def some_sets() -> list[Any]:
    rng = np.random.default_rng(29)
    sets = []
    for kind in (TreeFARMS, RESPLIT):
        for _ in range(8):
            problem, options = random_question(rng)
            options["epsilon_kind"] = "additive"
            sets.append(fitted(kind, problem, **options).trees_)
    # One that is fetched in several parts while iterating.
    X = rng.integers(0, 2, (40, 5)).astype(np.uint8)
    y = rng.integers(0, 3, 40)
    model = TreeFARMS(regularization=0.001, epsilon=0.2, max_depth=3)
    sets.append(model.fit(X, y).trees_)
    assert sets[-1].n_trees > 600
    return sets


def test_indices_slices_and_iteration_agree(some_sets: list[Any]) -> None:
    for trees in some_sets:
        shapes = [shape_of(tree) for tree in trees]
        n = trees.n_trees
        assert len(trees) == n == len(shapes)
        assert bool(trees)
        assert [shape_of(trees[i]) for i in range(n)] == shapes
        assert [shape_of(trees[i - n]) for i in range(n)] == shapes
        assert shape_of(trees[np.int64(n - 1)]) == shapes[-1]
        for part in (
            *(slice(None), slice(2, 5), slice(-3, None), slice(None, None, -1), slice(0, 10**30)),
            *(slice(5, 2), slice(None, None, 7), slice(n - 1, None, -3), slice(-(10**30), 1)),
        ):
            assert [shape_of(tree) for tree in trees[part]] == shapes[part]
        assert [shape_of(tree) for tree in reversed(trees)] == shapes[::-1]


def test_indices_that_are_none(some_sets: list[Any]) -> None:
    trees = some_sets[-1]
    for index in (trees.n_trees, -trees.n_trees - 1, 10**40, -(10**40)):
        with pytest.raises(IndexError, match="the set holds"):
            trees[index]
    for index in (0.0, 1.5, "0", None, (0, 1), np.float64(0)):
        with pytest.raises(TypeError, match="integers or slices"):
            trees[index]
    with pytest.raises(ValueError, match="zero"):
        trees[::0]


# Smaller epsilons


@pytest.mark.slow
def test_within_is_fitting_again() -> None:
    rng = np.random.default_rng(30)
    for _ in range(200):
        problem, options = random_question(rng)
        kind = one_of(rng, (TreeFARMS, RESPLIT))
        options.update(
            epsilon=one_of(rng, (0.2, Fraction(1, 3), 25.0)),
            epsilon_kind=one_of(rng, ("additive", "multiplicative")),
        )
        trees = fitted(kind, problem, **options).trees_
        for epsilon in (0, 0.0137, Fraction(1, 12), 0.1, options["epsilon"]):
            options["epsilon"] = epsilon
            narrowed = trees.within(epsilon)
            again = fitted(kind, problem, **options).trees_
            assert narrowed.bound == again.bound
            assert narrowed.min_objective == again.min_objective
            assert narrowed.objective_histogram() == again.objective_histogram()
            narrowed_shapes = [shape_of(tree) for tree in narrowed]
            again_shapes = [shape_of(tree) for tree in again]
            assert set(narrowed_shapes) == set(again_shapes)
            assert len(narrowed_shapes) == len(again_shapes)
            if kind is TreeFARMS:
                assert narrowed_shapes == again_shapes


def test_within_of_an_absolute_bound() -> None:
    X = np.array([[1], [1], [0], [0]], dtype=np.uint8)
    problem = Problem(X, np.array([1, 1, 0, 0]), 2, None, 0.1, 1)
    trees = fitted(TreeFARMS, problem, epsilon=0.9, epsilon_kind="absolute").trees_
    assert trees.n_trees == 2
    assert trees.within(0.2).n_trees == 1
    nothing = trees.within(0.1)
    assert nothing.n_trees == len(nothing) == 0
    assert not nothing
    assert list(nothing) == nothing[:] == []
    assert nothing.objective_histogram() == {}
    assert np.isnan(nothing.min_objective)
    assert "0 trees" in repr(nothing)
    with pytest.raises(IndexError):
        nothing[0]
    with pytest.raises(ValueError, match="empty"):
        nothing.sample(1)
    with pytest.raises(ValueError, match="empty"):
        nothing.vote(X)


def test_within_refuses_what_it_does_not_hold(some_sets: list[Any]) -> None:
    trees = some_sets[-1]
    with pytest.raises(ValueError, match="fit again with a larger epsilon"):
        trees.within(0.21)
    with pytest.raises(ValueError, match="fit again with a larger epsilon"):
        trees.within(0.1).within(0.15)
    for epsilon in (-0.1, float("nan"), "0.1", None):
        with pytest.raises(ValueError, match="epsilon="):
            trees.within(epsilon)


def test_a_set_outlives_its_estimator() -> None:
    """Fitting the estimator again, or changing it, does not change a set that it gave before."""
    rng = np.random.default_rng(31)
    X = rng.integers(0, 2, (40, 3))
    y = np.array(["no", "yes"])[(X[:, 0] & X[:, 1]) ^ (rng.random(40) < 0.1)]
    model = TreeFARMS(epsilon=0.2, max_depth=2).fit(X, y)
    trees = model.trees_
    votes, text, bound = trees.vote(X), trees[0].to_text(), trees.within(0.05).bound
    model.set_params(epsilon_kind="multiplicative", epsilon=0.01)
    assert trees.within(0.05).bound == bound
    model.fit(rng.integers(0, 2, (20, 5)), rng.integers(7, 10, 20))
    assert trees.vote(X).tolist() == votes.tolist()
    assert trees[0].to_text() == text
    assert trees.within(0.05).bound == bound


def test_a_set_knows_nothing_of_its_estimator() -> None:
    """Trees that are kept for long keep no training rows and no estimator alive."""
    rng = np.random.default_rng(31)
    X, y = rng.integers(0, 2, (40, 3)), rng.integers(0, 2, 40)
    model = TreeFARMS(epsilon=0.2, max_depth=2).fit(X, y)
    trees, gone = model.trees_, weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None
    assert trees.vote(X).shape == (40, 2)


def test_solving_changes_nothing_until_it_is_kept() -> None:
    rng = np.random.default_rng(33)
    X, y = rng.integers(0, 2, (40, 3)), rng.integers(0, 2, 40)
    model = TreeFARMS(epsilon=0.2, max_depth=2).fit(X, y)
    before = dict(vars(model))
    table = model._answers(X)
    found = model._solve(table, Target(codes=1 - y, n_classes=2))
    assert vars(model) == before
    assert found.graph.n_nodes > 0


# Threads


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(32)
    for size in ((60, 6), (400, 12)):
        X = rng.integers(0, 2, size).astype(np.uint8)
        y = (X[:, 0] & X[:, 1] | X[:, 2]) ^ (rng.random(size[0]) < 0.2)
        kinds: list[tuple[Any, dict[str, Any]]] = [
            (TreeFARMS, {}),
            (RESPLIT, {"lookahead_depth": 1}),
            (RESPLIT, {"lookahead_depth": 2}),
        ]
        for kind, options in kinds:
            made = []
            for n_jobs in (1, 2, 4):
                model = kind(
                    regularization=0.01, epsilon=0.02, max_depth=3, n_jobs=n_jobs, **options
                )
                trees = model.fit(X, y).trees_
                made.append((trees.n_trees, [shape_of(tree) for tree in trees[:300]]))
            assert made[0][0] > 1
            assert made[0] == made[1] == made[2]


# Drawing


def test_samples_are_uniform() -> None:
    rng = np.random.default_rng(33)
    X = rng.integers(0, 2, (40, 5)).astype(np.uint8)
    y = rng.integers(0, 2, 40)
    trees = TreeFARMS(regularization=0.02, epsilon=0.15, max_depth=2).fit(X, y).trees_
    numbers = {shape_of(tree): i for i, tree in enumerate(trees)}
    assert 20 < len(numbers) < 200
    drawn = [numbers[shape_of(tree)] for tree in trees.sample(20 * len(numbers), random_state=5)]
    assert stats.chisquare(np.bincount(drawn, minlength=len(numbers))).pvalue > 0.001


def test_samples_can_be_repeated(some_sets: list[Any]) -> None:
    for trees in some_sets:
        first, again, other = (
            [shape_of(tree) for tree in trees.sample(20, random_state=seed)] for seed in (1, 1, 2)
        )
        assert first == again
        assert first != other or trees.n_trees < 3
        assert trees.sample(0) == []
        for n in (-1, 2.5, "3", None, True):
            with pytest.raises(ValueError, match="n="):
                trees.sample(n)
        assert len(trees.sample(3, np.random.RandomState(0))) == 3


# What is refused


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"epsilon": -0.01}, "epsilon=-0.01"),
        ({"epsilon": float("nan")}, "epsilon=nan"),
        ({"epsilon": float("inf")}, "epsilon=inf"),
        ({"epsilon": "0.1"}, "epsilon='0.1'"),
        ({"epsilon": True}, "epsilon=True"),
        ({"epsilon_kind": "relative"}, "epsilon_kind='relative'"),
        ({"keep_trivial": 1}, "keep_trivial=1"),
        ({"max_depth": -1}, "max_depth=-1"),
        ({"epsilon": 0.05, "epsilon_kind": "absolute"}, "No tree has an objective of at most 0.05"),
        (
            {"epsilon": 0.05, "epsilon_kind": "absolute", "max_depth": 0},
            "No tree has an objective of at most 0.05",
        ),
    ],
)
@pytest.mark.parametrize("kind", [TreeFARMS, RESPLIT])
def test_bad_parameters(kind: Any, options: dict[str, Any], said: str) -> None:
    X = np.array([[0], [1], [1]])
    with pytest.raises(ValueError, match=said):
        kind(**{"regularization": 0.1, **options}).fit(X, [0, 1, 0])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"lookahead_depth": -1}, "lookahead_depth=-1"),
        ({"lookahead_depth": 1.5}, "lookahead_depth=1.5"),
        ({"exact_last_split": "no"}, "exact_last_split='no'"),
    ],
)
def test_bad_parameters_of_resplit(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        RESPLIT(**options).fit(np.array([[0], [1]]), [0, 1])


def test_a_tree_can_leave_its_set() -> None:
    X = np.random.default_rng(3).integers(0, 2, (60, 5))
    tree = TreeFARMS(regularization=0.02, epsilon=0.05).fit(X, X[:, 0] ^ X[:, 1]).trees_[3]
    alone = pickle.loads(pickle.dumps(tree))
    assert type(alone) is Tree
    assert alone.to_text() == tree.to_text()
    assert alone.to_dict() == tree.to_dict()
    assert len(pickle.dumps(tree)) < 5000  # without the set
