"""Counts from elsewhere give the same tree: every decision is the core's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from seeds import seeds
from slow_counter import SlowCounter, failing
from solver import random_speed, solution_of
from strategies import LOSSES, random_problem, with_loss

from splitsecond._solving.solve import Solution, solve

ALGORITHMS = ("greedy", "lickety")


def assert_same(found: Solution, expected: Solution) -> None:
    assert found.status == expected.status == "complete"
    for name in ("feature", "left", "right", "counts"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.objective == expected.objective


@pytest.mark.parametrize("seed", seeds(60))
def test_same_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    if rng.random() < 0.7:
        problem = with_loss(rng, problem, str(rng.choice(LOSSES)))
    last = {"exact_last_split": bool(rng.random() < 0.5)}
    for algorithm in ALGORITHMS:
        expected = solution_of(problem, algorithm, lookahead_depth=1, levels="never", **last)
        counted = solution_of(problem, algorithm, lookahead_depth=1, counter=SlowCounter, **last)
        assert_same(counted, expected)
        for _ in range(3):
            speed = {**random_speed(rng), "levels": "always"}
            again = solution_of(problem, algorithm, lookahead_depth=1, **speed, **last)
            assert_same(again, expected)


def noise() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(300, 12))
    return X, (X[:, 0] ^ X[:, 1] ^ (rng.random(300) < 0.2)).astype(int)


OPTIONS: dict[str, Any] = {"n_classes": 2, "regularization": 0.001, "max_depth": 4}


@pytest.mark.parametrize("after", [0, 1, 20])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_exceptions_are_raised(algorithm: str, after: int) -> None:
    X, y = noise()
    counter = failing(RuntimeError("no counts today"), after if algorithm == "lickety" else 0)
    with pytest.raises(RuntimeError, match="no counts today"):
        solve(X, y, algorithm=algorithm, lookahead_depth=1, counter=counter, **OPTIONS)


@pytest.mark.parametrize("after", [0, 1, 5, 20])
def test_interrupts_keep_a_tree(after: int) -> None:
    X, y = noise()
    counter = failing(KeyboardInterrupt(), after)
    found = solve(X, y, algorithm="lickety", lookahead_depth=1, counter=counter, **OPTIONS)
    assert found.status == "interrupted"
    assert len(found.feature) >= 1


def test_counts_of_another_shape_are_refused() -> None:
    class Wide(SlowCounter):
        def count(self, paths: Any) -> Any:
            return np.repeat(super().count(paths), 2, axis=2)

    X, y = noise()
    with pytest.raises(ValueError, match="paths, channels, columns"):
        solve(X, y, algorithm="lickety", lookahead_depth=1, counter=Wide, **OPTIONS)


@pytest.mark.parametrize(
    "search",
    [
        {"algorithm": "optimal"},
        {"algorithm": "split"},
        {"algorithm": "lickety", "lookahead_depth": 2},
        {"algorithm": "lickety", "lookahead_depth": 1, "completion": "lickety"},
    ],
    ids=str,
)
def test_other_searches_need_rows(search: dict[str, Any]) -> None:
    X, y = noise()
    with pytest.raises(ValueError, match="a counter is for"):
        solve(X, y, counter=SlowCounter, **search, **OPTIONS)
