"""The oracle's losses: cases done by hand, and what must hold between losses and algorithms."""

from __future__ import annotations

import dataclasses
import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import Oracle, bits
from oracle_losses import LeafLoss, leaf_loss
from rashomon_oracle import RashomonOracle
from seeds import seeds
from strategies import (
    LOSSES,
    Problem,
    problems,
    problems_with_losses,
    random_problem,
    with_loss,
)


def test_zero_one_by_hand() -> None:
    loss = leaf_loss("zero_one", [3, 5, 5])
    assert loss.whole == 13
    assert loss.units([3, 5, 5]) == 8
    assert loss.label([3, 5, 5]) == 1


def test_costs_by_hand() -> None:
    # Approve, reject, refer: a bad credit costs 5, a good one that is lost 1, a person 1/2 each.
    costs = [[0, 5], [1, 0], [0.5, Fraction(1, 2)]]
    loss = leaf_loss("costs", [8, 2], costs=costs)
    assert loss.whole == 20  # halves
    assert [loss.label(weights) for weights in ([10, 1], [8, 2], [2, 8], [0, 3])] == [0, 2, 1, 1]
    assert [loss.units(weights) for weights in ([10, 1], [8, 2], [2, 8])] == [10, 10, 4]
    # Referring and rejecting cost the same here, and rejecting comes first.
    assert loss.label([1, 1]) == 1
    # A share of 1/5 of the stakes is with the first class: 5 to 1.
    assert leaf_loss("costs", [5, 1], costs=[[0, 5], [1, 0]]).after([5, 1], [0, 1]) == (
        pytest.approx(10 / 15)
    )


def test_costs_that_are_the_same_for_all_actions() -> None:
    loss = leaf_loss("costs", [2, 2], costs=[[3, 1], [3, 1]])
    assert loss.units([2, 1]) == 7
    assert loss.after([2, 0], [0, 2]) == loss.after([1, 1], [1, 1]) == 0


def test_brier_by_hand() -> None:
    # The root loses 4 - (4 + 4) / 4 = 2, three to one 4 - (9 + 1) / 4 = 3/2.
    loss = leaf_loss("brier", [2, 2], unit_bits=3)
    assert loss.whole == 8
    assert [loss.units(weights) for weights in ([2, 2], [3, 1], [1, 2], [4, 0])] == [8, 6, 5, 0]
    assert loss.share([1, 2]) == Fraction(2, 3)  # (3 - 5/3) / 2
    assert loss.label([3, 3]) == 0
    assert not loss.doubtful
    # 3 of 16 units of 1/8 is in the middle between one and two.
    assert leaf_loss("brier", [8, 8], unit_bits=3).units([4, 0]) == 0
    middle = leaf_loss("brier", [8, 8], unit_bits=2)
    assert middle.share([1, 1]) * 4 == Fraction(1, 2)
    assert middle.units([1, 1]) == 0
    assert middle.doubtful


def test_log_loss_by_hand() -> None:
    loss = leaf_loss("log_loss", [2, 2])
    assert loss.units([2, 2]) == loss.whole == 2**40
    assert loss.units([1, 1]) == 2**39
    assert loss.units([7, 0]) == 0
    # ln 2 for each of four rows at the root; 3 ln(3/2) + ... for one to two.
    share = (math.log(3) + 2 * math.log(1.5)) / (4 * math.log(2))
    assert float(loss.share([1, 2])) == pytest.approx(share, rel=1e-14)
    assert loss.units([1, 2]) == pytest.approx(share * 2**40, abs=1)
    three = leaf_loss("log_loss", [1, 1, 1], unit_bits=16)
    assert three.share([1, 1, 0]) == pytest.approx(Fraction(2, 3) * Fraction(math.log(2, 3)))


@pytest.mark.parametrize("name", ["brier", "log_loss"])
def test_a_root_without_loss(name: str) -> None:
    X = [[0, 1], [1, 0], [1, 1]]
    known = Oracle(X, [1, 1, 1], n_classes=2, regularization=0.1, loss=name)
    for cost, tree in (
        known.greedy(known.everything, 2),
        known.optimal(known.everything, 2),
        known.lickety(known.everything, 2),
    ):
        assert tree is None
        assert known.objective(cost) == Fraction(1, 10)
    assert not known.doubtful


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("brier", Fraction(2, 3)),
        ("log_loss", (math.log(3) + 2 * math.log(1.5)) / (4 * math.log(2))),
    ],
)
def test_one_split_by_hand(name: str, after: Any) -> None:
    X = [[1], [0], [0], [0]]
    codes = [1, 1, 0, 0]
    for price, split in ((0.3, True), (0.5, False)):
        known = Oracle(X, codes, n_classes=2, regularization=price, loss=name)
        cost, tree = known.optimal(known.everything, 1)
        assert (tree is not None) == split
        expected = after + 2 * price if split else 1 + price
        assert float(known.objective(cost)) == pytest.approx(expected, abs=2**-39)
        assert known.cost(tree, known.everything) == cost


def test_a_leaf_of_too_few_rows_by_hand() -> None:
    """The first column is perfect but for its one row; weight does not make a row more."""
    X = [[1, 1], [0, 1], [0, 0], [0, 0], [0, 1]]
    codes = [1, 0, 0, 0, 0]
    weights = [9, 1, 1, 1, 0]
    trees = []
    for few in (1, 2, 3):
        known = Oracle(
            X, codes, n_classes=2, weights=weights, regularization=0.01, min_samples_leaf=few
        )
        trees.append(known.optimal(known.everything, 1)[1])
        # The last row has no weight: with it the second column would have three rows on one side.
        assert known.greedy(known.everything, 1)[1] == trees[-1]
    assert trees == [(0, None, None), (1, None, None), None]


def test_sets_by_hand() -> None:
    """A split that lowers a rounded loss by nothing is trivial, one that lowers it is not."""
    X = [[1, 1], [1, 0]] * 2 + [[0, 1], [0, 0]] * 4
    codes = [1, 1] * 5 + [0, 0]
    parameters: dict[str, Any] = {"n_classes": 2, "regularization": 0.01}
    decided = RashomonOracle(X, codes, **parameters).exact_set(1, 0.5)
    assert set(decided) == {1}  # both sides of either column say 1
    shares = RashomonOracle(X, codes, **parameters, loss="brier")
    assert set(shares.exact_set(1, 0.5)) == {1, (0, 1, 1)}
    # The second column has the same shares on both sides.
    assert set(shares.exact_set(1, 0.5, keep_trivial=True)) == {1, (0, 1, 1), (1, 1, 1)}
    large = RashomonOracle(X, codes, **parameters, loss="brier", min_samples_leaf=5)
    assert set(large.exact_set(1, 0.5, keep_trivial=True)) == {1, (1, 1, 1)}
    refer = RashomonOracle(X, codes, **parameters, loss="costs", costs=[[0, 4], [4, 0], [0.9, 0.9]])
    assert set(refer.exact_set(1, 2)) == {1, (0, 1, 2)}


def orderings(problem: Problem) -> None:
    known = Oracle(problem.X, problem.codes, **problem.definition)
    rows, depth = known.everything, problem.max_depth
    leaf, optimal = known.leaf(rows), known.optimal(rows, depth)[0]
    greedy = known.greedy(rows, depth)[0]
    values = [known.value(rows, depth, lookahead)[0] for lookahead in range(depth + 1)]
    assert leaf >= greedy == values[0]
    assert values == sorted(values, reverse=True)
    assert values[-1] == optimal
    for lookahead, value in enumerate(values):
        cost, tree = known.split(rows, depth, lookahead)
        assert optimal <= cost <= value
        assert known.cost(tree, rows) == cost
        if lookahead > 0:
            cost, tree = known.lickety(rows, depth, lookahead)
            assert optimal <= cost <= value
            assert known.cost(tree, rows) == cost
            cost, tree = known.completed_lickety(rows, depth, lookahead)
            assert optimal <= cost <= value
            assert known.cost(tree, rows) == cost


@given(problem=problems_with_losses(max_rows=16, max_columns=4, max_depth=3))
def test_orderings(problem: Problem) -> None:
    orderings(problem)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(5, 1))
def test_orderings_of_random_problems(loss: str, seed: int) -> None:
    rng = np.random.default_rng([60, seed])
    for _ in range(40):
        orderings(with_loss(rng, random_problem(rng, max_rows=20, max_columns=5), loss))


def algorithms(known: Oracle, depth: int) -> list[tuple[int, Any]]:
    rows = known.everything
    found = [known.greedy(rows, depth), known.optimal(rows, depth)]
    for lookahead in range(1, depth + 1):
        found += [known.split(rows, depth, lookahead), known.lickety(rows, depth, lookahead)]
    return found


@given(problem=problems(max_rows=16, max_columns=4, max_depth=3, max_classes=2))
def test_brier_of_two_classes_is_twice_the_squared_error(problem: Problem) -> None:
    known = Oracle(problem.X, problem.codes, **{**problem.data, "loss": "brier"})

    def squared_error(mask: int) -> Fraction:
        rows = list(bits(mask))
        target = [known._code[row] for row in rows]
        weight = [known.weight[row] for row in rows]
        mean = Fraction(sum(map(int.__mul__, weight, target)), sum(weight))
        return sum((w * (y - mean) ** 2 for w, y in zip(weight, target, strict=True)), Fraction(0))

    root = squared_error(known.everything)
    for _, yes, no in known.splits(known.everything):
        for mask in (yes, no):
            weights = known.class_weights(mask)
            squares = Fraction(sum(weight**2 for weight in weights), sum(weights))
            assert sum(weights) - squares == 2 * squared_error(mask)
            assert known.loss.share(weights) == (squared_error(mask) / root if root else 0)


@given(
    problem=problems(max_rows=16, max_columns=4, max_depth=3, max_classes=2),
    missed=st.integers(1, 9),
    alarm=st.integers(1, 9),
)
def test_costs_of_two_mistakes_are_class_weights(problem: Problem, missed: int, alarm: int) -> None:
    """The same trees from every algorithm, at the lambda that this rescales to."""
    costs = [[0, missed], [alarm, 0]]
    problem = dataclasses.replace(problem, n_classes=2, loss="costs", costs=costs)
    priced = Oracle(problem.X, problem.codes, **problem.definition)
    own = np.ones(len(problem.X), dtype=int) if problem.weights is None else problem.weights
    weights = own * np.where(problem.codes == 1, missed, alarm)
    ratio = Fraction(int(weights.sum()), int(own.sum()))
    price = priced.regularization / ratio
    weighted = Oracle(problem.X, problem.codes, n_classes=2, weights=weights, regularization=price)
    for (cost, tree), (other_cost, other) in zip(
        algorithms(priced, problem.max_depth), algorithms(weighted, problem.max_depth), strict=True
    ):
        assert tree == other
        assert priced.objective(cost) == weighted.objective(other_cost) * ratio


@given(problem=problems(max_rows=16, max_columns=4, max_depth=3))
def test_costs_of_one_for_each_mistake_are_misclassified_rows(problem: Problem) -> None:
    costs = 1 - np.eye(problem.n_classes, dtype=int)
    known = Oracle(problem.X, problem.codes, **problem.data)
    same = Oracle(problem.X, problem.codes, **{**problem.data, "loss": "costs", "costs": costs})
    # A class without rows, or a single one: nothing is at stake, but then nothing is split either.
    assert algorithms(known, problem.max_depth) == algorithms(same, problem.max_depth)


def test_greedy_by_log_loss_is_greedy_by_entropy() -> None:
    """Entropies of a node tie within a billionth of a bit, losses of one of the root's loss."""
    rng = np.random.default_rng(61)
    for _ in range(200):
        problem = random_problem(rng, max_rows=20, max_columns=5)
        known = Oracle(problem.X, problem.codes, **problem.data)
        other = Oracle(problem.X, problem.codes, **{**problem.data, "loss": "log_loss"})
        for mask in (known.everything, *(yes for _, yes, _ in known.splits(known.everything))):
            assert known.greedy_feature(mask) == other.greedy_feature(mask)


@pytest.mark.parametrize("unit_bits", [16, 40])
@pytest.mark.parametrize("name", ["brier", "log_loss"])
def test_few_leaves_are_doubtful(name: str, unit_bits: int) -> None:
    """Of unweighted leaves, in a hundred at most one is so close to the middle of two units."""
    doubtful = 0
    for a, b in itertools.product(range(1, 33), repeat=2):
        loss: LeafLoss = leaf_loss(name, [32, 32], unit_bits=unit_bits)
        loss.units([a, b])
        doubtful += loss.doubtful
    assert doubtful <= 10
