"""Who checks the checker: the oracle's sets against naming every tree."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from enumeration import Enumeration
from oracle import Tree
from rashomon_oracle import RashomonOracle, Shape
from seeds import seeds
from set_questions import random_question
from strategies import LOSSES, Problem, with_loss


def without_labels(shape: Shape) -> Tree:
    if isinstance(shape, int):
        return None
    return shape[0], without_labels(shape[1]), without_labels(shape[2])


def compare_with_enumeration(problem: Problem, options: dict[str, Any], lookahead: int) -> None:
    known = RashomonOracle(problem.X, problem.codes, **problem.definition)
    named = Enumeration(problem, unit_bits=16)
    depth, rows = problem.max_depth, named.rows
    arguments = (options["epsilon"], options["epsilon_kind"])
    keep_trivial = options["keep_trivial"]

    bound = known.bound(known.optimal(known.everything, depth)[0], *arguments)
    expected = {
        tree: named.objective(tree, rows)
        for tree in named.all_within(depth, bound, rows)
        if keep_trivial or not named.is_trivial(tree, rows)
    }
    found = known.exact_set(depth, *arguments, keep_trivial)
    assert {without_labels(shape): value for shape, value in found.items()} == expected

    bound = known.bound(known.value(known.everything, depth, lookahead)[0], *arguments)
    expected = {
        tree: named.objective(tree, rows)
        for tree in named.resplit(depth, lookahead, bound)
        if keep_trivial or not named.is_trivial(tree, rows)
    }
    found = known.resplit(depth, lookahead, *arguments, keep_trivial)
    assert {without_labels(shape): value for shape, value in found.items()} == expected


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(6, 1))
def test_equals_the_enumeration_of_every_tree(seed: int, loss: str) -> None:
    rng = np.random.default_rng([82, seed])
    for _ in range(15):
        problem, options = random_question(rng, max_rows=14, max_columns=3, max_depth=2)
        problem = with_loss(rng, problem, loss)
        compare_with_enumeration(problem, options, int(rng.integers(problem.max_depth + 1)))


def test_labels_of_leaves() -> None:
    rng = np.random.default_rng(83)
    for loss in LOSSES:
        problem, _ = random_question(rng, max_rows=14)
        problem = dataclasses.replace(with_loss(rng, problem, loss), min_samples_leaf=1)
        known = RashomonOracle(problem.X, problem.codes, **problem.definition)
        named = Enumeration(problem)
        assert known.label(known.everything) == named.label(named.rows)
