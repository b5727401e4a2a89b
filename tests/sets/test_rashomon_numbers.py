"""Sets of regression trees hold exactly the trees that brute force finds.

Losses are rounded to 2**-16 of the root's: sets are exact for that. Whatever is rounded how, they
hold every tree that is clearly within the bound of the real objective, and none clearly beyond it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from number_problems import LOSSES, NumbersProblem, random_numbers_problem
from oracle import Tree
from oracle_losses import exact
from oracle_numbers import NumbersOracle
from rashomon_numbers import NumbersSets, shape_of
from rashomon_oracle import Shape, leaves_of
from seeds import seeds
from set_questions import EPSILONS, MAX_TREES, one_of

from splitsecond import RESPLITRegressor, TreeFARMSRegressor

pytestmark = [
    pytest.mark.filterwarnings("ignore::splitsecond.SingleLeafWarning"),
    pytest.mark.filterwarnings("ignore::splitsecond.ColumnWarning"),  # of chance
]

EACH = 40  # problems of a test


def random_question(
    rng: np.random.Generator, loss: str, **sizes: Any
) -> tuple[NumbersProblem, dict[str, Any]]:
    """A problem small enough to list all trees, and the parameters of a set."""
    while True:
        problem = random_numbers_problem(rng, loss, max_rows=30, max_depth=3, **sizes)
        n_trees = 1
        for level in range(problem.max_depth):
            columns = problem.X.shape[1] - problem.max_depth + 1 + level
            n_trees = 1 + max(columns, 0) * n_trees**2
        if n_trees <= MAX_TREES:
            break
    return problem, {
        "epsilon": one_of(rng, EPSILONS),
        "epsilon_kind": one_of(rng, ("additive", "additive", "multiplicative", "absolute")),
        "keep_trivial": rng.random() < 0.25,
        "n_jobs": int(rng.integers(1, 3)),
    }


def fitted(problem: NumbersProblem, lookahead: int | None, options: dict[str, Any]) -> Any:
    kind: Any = TreeFARMSRegressor
    if lookahead is not None:
        kind, options = RESPLITRegressor, {**options, "lookahead_depth": lookahead}
    model = kind(**problem.parameters, **options)
    return model.fit(problem.X, problem.y, sample_weight=problem.weights)


def assert_agrees(problem: NumbersProblem, options: dict[str, Any], lookahead: int | None) -> bool:
    """Return whether the trees agree; where rounding may be the reason, they need not."""
    brute = NumbersSets(problem.X, problem.y, **problem.definition)
    arguments = (options["epsilon"], options["epsilon_kind"], options["keep_trivial"])
    depth = problem.max_depth
    if lookahead is None:
        expected = brute.exact_set(depth, *arguments)
    else:
        expected = brute.resplit(depth, min(lookahead, depth), *arguments)
    if not expected:
        # Where leaves cost less than a unit, a greedy tree may save one by a trivial split, and
        # neither it nor the leaf is a fill of RESPLIT.
        is_below_unit = lookahead is not None and problem.regularization < 2.0**-16
        assert options["epsilon_kind"] == "absolute" or is_below_unit
        with pytest.raises(ValueError, match="Raise epsilon="):
            fitted(problem, lookahead, options)
        return True
    model = fitted(problem, lookahead, options)
    assert model.status_ == "complete"
    shapes = [shape_of(tree) for tree in model.trees_]
    if brute.doubtful:  # a unit more or less may change the order, if not the trees
        return set(shapes) == set(expected)
    assert set(shapes) == set(expected)
    assert model.trees_.n_trees == len(shapes) == len(expected)
    order = [(expected[shape], leaves_of(shape)) for shape in shapes]
    assert order == sorted(order)
    assert shape_of(model.tree_) == shapes[0]
    assert model.trees_.min_objective == pytest.approx(float(order[0][0]), abs=1e-12)
    for tree, (rounded, leaves), shape in zip(model.trees_, order, shapes, strict=True):
        real = float(brute.real.tree_objective(without_labels(shape)))
        assert tree.objective == pytest.approx(real, abs=1e-9)
        assert real == pytest.approx(float(rounded), abs=(leaves + 1) / 2**17 + 1e-9)
    return True


def without_labels(shape: Shape) -> Tree:
    if isinstance(shape, int):
        return None
    return shape[0], without_labels(shape[1]), without_labels(shape[2])


def counted_question(rng: np.random.Generator, loss: str) -> tuple[NumbersProblem, dict[str, Any]]:
    """Numbers that are counted exactly: of few digits, or whole numbers of events."""
    while True:
        problem, options = random_question(rng, loss, few_digits=True)
        events = problem.y * (1 if problem.weights is None else problem.weights)
        if loss == "squared_error" or (events == np.rint(events)).all():
            return problem, options


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(12, 1))
def test_all_trees(loss: str, seed: int) -> None:
    rng = np.random.default_rng([95, seed])
    questions = [counted_question(rng, loss) for _ in range(EACH)]
    different = sum(not assert_agrees(*question, None) for question in questions)
    assert different <= EACH // 20


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(12, 1))
def test_resplit(loss: str, seed: int) -> None:
    rng = np.random.default_rng([96, seed])
    different = 0
    for _ in range(EACH):
        problem, options = counted_question(rng, loss)
        lookahead = int(rng.integers(problem.max_depth + 2))
        different += not assert_agrees(problem, options, lookahead)
    assert different <= EACH // 20


def test_the_best_tree_is_in_its_set_though_rounding_makes_it_better_than_perfect() -> None:
    rng = np.random.default_rng([96, 9])
    for _ in range(8):
        problem, options = counted_question(rng, "squared_error")
        lookahead = int(rng.integers(problem.max_depth + 2))
    model = fitted(problem, lookahead, {**options, "epsilon_kind": "multiplicative"})
    assert model.trees_.min_objective < 0
    assert shape_of(model.tree_) in [shape_of(tree) for tree in model.trees_]


# ---- whatever is rounded how -------------------------------------------------------------------


def all_trees(known: NumbersOracle, mask: int, depth: int, keep_trivial: bool) -> list[Any]:
    """Every tree as its features, its cost and its leaves."""
    found: list[Any] = [(0, known.leaf(mask), 1)]
    for feature, yes_rows, no_rows in known.splits(mask) if depth > 0 else []:
        same = not keep_trivial and nearly_equal(known.mean(yes_rows), known.mean(no_rows))
        for yes, yes_cost, yes_leaves in all_trees(known, yes_rows, depth - 1, keep_trivial):
            for no, no_cost, no_leaves in all_trees(known, no_rows, depth - 1, keep_trivial):
                if not (same and yes == no == 0):
                    leaves = yes_leaves + no_leaves
                    found.append(((feature, yes, no), yes_cost + no_cost, leaves))
    return found


def nearly_equal(a: Fraction, b: Fraction) -> bool:
    """Whether means are the same for all that floats tell of decimals."""
    return abs(a - b) <= Fraction(1, 10**14) * max(abs(a), abs(b))


def assert_clear_trees(problem: NumbersProblem, options: dict[str, Any]) -> None:
    known = NumbersOracle(problem.X, problem.y, **problem.definition)
    keep, depth = options["keep_trivial"], problem.max_depth
    trees = all_trees(known, known.everything, depth, keep)
    best, leaves = min((float(known.objective(cost)), leaves) for _, cost, leaves in trees)
    bound, slack = bound_of(best, options), (leaves + 1) / 2**17
    slack = 0.0 if options["epsilon_kind"] == "absolute" else slack
    if options["epsilon_kind"] == "multiplicative":
        slack *= 1 + float(options["epsilon"])
    if best > bound - 1e-9 - 2**-10:
        return
    model = fitted(problem, None, options)
    found = {shape_of(tree) for tree in model.trees_}
    for shape, cost, leaves in trees:
        beyond = float(known.objective(cost)) - bound
        doubt = slack + (leaves + 1) / 2**17 + 1e-7
        if abs(beyond) > doubt:
            assert (shape in found) == (beyond < 0), (shape, beyond, doubt)
    # On a grid, leaves of rows with the same number of many digits need not say quite the same.
    assert found <= {shape for shape, _, _ in all_trees(known, known.everything, depth, True)}


def bound_of(best: float, options: dict[str, Any]) -> float:
    amount = float(exact(options["epsilon"]))
    if options["epsilon_kind"] == "absolute":
        return amount
    return best * (1 + amount) if options["epsilon_kind"] == "multiplicative" else best + amount


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(12, 1))
def test_trees_that_are_clearly_within_or_beyond(loss: str, seed: int) -> None:
    rng = np.random.default_rng([97, seed])
    for _ in range(EACH):
        assert_clear_trees(*random_question(rng, loss))


@pytest.mark.parametrize("seed", seeds(20))
def test_rounding_saves_nothing_by_splits_of_equal_means(seed: int) -> None:
    """Rounding may favour a split into two leaves of one mean; sets have the leaf in its place."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (40, 3))
    y = 15.0 * ((X[:, 0] == 0) & (X[:, 1] == 1))
    weights = rng.exponential(size=len(y))
    free = {"regularization": 0, "max_depth": 3, "epsilon": 0}
    for model in (
        TreeFARMSRegressor(**free),
        RESPLITRegressor(**free, lookahead_depth=1),
        RESPLITRegressor(**free, lookahead_depth=2),
    ):
        found = model.fit(X, y, sample_weight=weights).trees_
        assert found.n_trees > 0
        np.testing.assert_allclose(found.predict(X), np.tile(y[:, None], found.n_trees))
