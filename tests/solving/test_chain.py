"""What must hold between the algorithms whatever the data: more search never costs anything."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from strategies import Problem, problems

from splitsecond._solving.solve import solve


def objective(problem: Problem, algorithm: str, **options: Any) -> Fraction:
    arguments = {"max_depth": problem.max_depth, **problem.data, **options}
    solution = solve(problem.X, problem.codes, algorithm=algorithm, **arguments)
    assert solution.lower_bound <= solution.objective
    return solution.objective


def value(problem: Problem, lookahead: int) -> Fraction:
    return objective(problem, "split", lookahead_depth=lookahead, postprocess=False)


# Larger than what the oracle could follow: the chain needs no oracle.
wide = problems(max_rows=100, max_columns=9, max_depth=5)


@pytest.mark.slow
@given(problem=wide)
def test_more_lookahead_is_never_worse(problem: Problem) -> None:
    values = [value(problem, lookahead) for lookahead in range(problem.max_depth + 1)]
    assert values == sorted(values, reverse=True)
    assert values[0] == objective(problem, "greedy")
    assert values[-1] == objective(problem, "optimal")


@pytest.mark.slow
@given(problem=wide)
def test_split_lies_between_optimal_and_its_prefix(problem: Problem) -> None:
    optimal = objective(problem, "optimal")
    for lookahead in range(problem.max_depth + 1):
        split = objective(problem, "split", lookahead_depth=lookahead)
        assert optimal <= split <= value(problem, lookahead)


@pytest.mark.slow
@given(problem=wide)
def test_split_is_no_worse_than_the_best_tree_as_deep_as_its_lookahead(problem: Problem) -> None:
    for lookahead in range(problem.max_depth + 1):
        split = objective(problem, "split", lookahead_depth=lookahead)
        assert split <= objective(problem, "optimal", max_depth=lookahead)


@pytest.mark.slow
@given(problem=wide)
def test_split_is_optimal_when_it_looks_all_the_way_or_fills_everything(problem: Problem) -> None:
    optimal = objective(problem, "optimal")
    # At lookahead 0 the prefix is the bare root, and filling it is the whole problem.
    for lookahead in (0, problem.max_depth):
        assert objective(problem, "split", lookahead_depth=lookahead) == optimal


@pytest.mark.slow
@given(problem=wide)
def test_split_is_optimal_when_greedy_below_the_horizon_can_be(problem: Problem) -> None:
    optimal = objective(problem, "optimal")
    for lookahead in range(problem.max_depth + 1):
        if value(problem, lookahead) == optimal:
            assert objective(problem, "split", lookahead_depth=lookahead) == optimal


@pytest.mark.slow
@given(problem=wide)
def test_lickety_lies_between_optimal_and_one_level_of_lookahead(problem: Problem) -> None:
    lickety = objective(problem, "lickety")
    lookahead = min(1, problem.max_depth)
    assert objective(problem, "optimal") <= lickety <= value(problem, lookahead)
    assert lickety <= objective(problem, "greedy")


@pytest.mark.slow
@given(problem=wide)
def test_greedy_is_no_worse_than_a_leaf(problem: Problem) -> None:
    assert objective(problem, "greedy") <= objective(problem, "greedy", max_depth=0)


@pytest.mark.slow
@given(problem=wide)
def test_more_depth_is_never_worse(problem: Problem) -> None:
    for algorithm in ("greedy", "optimal"):
        by_depth = [objective(problem, algorithm, max_depth=depth) for depth in range(6)]
        assert by_depth == sorted(by_depth, reverse=True)


@pytest.mark.slow
@given(problem=wide)
def test_optimal_objective_ignores_the_order_of_rows_and_columns(problem: Problem) -> None:
    weights = None if problem.weights is None else problem.weights[::-1]
    turned = Problem(
        X=problem.X[::-1, ::-1],
        codes=problem.codes[::-1],
        n_classes=problem.n_classes,
        weights=weights,
        regularization=problem.regularization,
        max_depth=problem.max_depth,
    )
    assert objective(turned, "optimal") == objective(problem, "optimal")


@pytest.mark.slow
@given(problem=wide)
def test_optimal_objective_ignores_which_value_is_one(problem: Problem) -> None:
    flipped = solve(
        1 - problem.X,
        problem.codes,
        algorithm="optimal",
        max_depth=problem.max_depth,
        **problem.data,
    )
    assert flipped.objective == objective(problem, "optimal")
