"""What changes only the speed must change only the speed.

Bounds, cache, subtraction of siblings, SIMD path and threads: every combination must return the
same tree, bit for bit, as the plainest one does.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import oracle
import pytest
from oracle import Oracle
from solver import PATHS, SWITCHES, asked
from strategies import (
    LOSSES,
    Problem,
    noisy_problem,
    random_costs,
    random_problem,
    threshold_table,
    with_loss,
)

from splitsecond._solving.solve import Solution, solve

THREADS = (1, 2, 4)

# Every algorithm, SPLIT at several depths of lookahead and with its prefix alone.
ALGORITHMS: tuple[dict[str, Any], ...] = (
    {"algorithm": "greedy"},
    {"algorithm": "optimal"},
    {"algorithm": "lickety"},
    {"algorithm": "split", "lookahead_depth": 1},
    {"algorithm": "split", "lookahead_depth": 2},
    {"algorithm": "split", "lookahead_depth": 2, "postprocess": False},
    {"algorithm": "split", "lookahead_depth": 3, "postprocess": False},
    {"algorithm": "lickety", "lookahead_depth": 2},
    {"algorithm": "lickety", "lookahead_depth": 2, "completion": "lickety"},
)


def name(options: dict[str, Any]) -> str:
    return "-".join(str(value) for value in options.values())


def switches() -> Iterator[dict[str, Any]]:
    for values in itertools.product([False, True], repeat=len(SWITCHES)):
        yield dict(zip(SWITCHES, values, strict=True))


def telling_switches() -> Iterator[dict[str, Any]]:
    """All off, all on, each one alone, each one missing: where every pair would take too long."""
    for base in (False, True):
        yield dict.fromkeys(SWITCHES, base)
        for switch in SWITCHES:
            yield {**dict.fromkeys(SWITCHES, base), switch: not base}


def answer(solution: Solution) -> tuple[Any, ...]:
    """All of an answer that a user can see."""
    return (
        solution.objective,
        solution.errors,
        solution.leaves,
        solution.lower_bound,
        solution.status,
        np.asarray(solution.feature).tolist(),
        np.asarray(solution.left).tolist(),
        np.asarray(solution.right).tolist(),
        np.asarray(solution.counts).tolist(),
    )


def without_bound(solution: Solution) -> tuple[Any, ...]:
    """For the algorithms that prove nothing, how good the bound is may depend on the switches."""
    everything = answer(solution)
    return everything[:3] + everything[4:]


def plainest(X: Any, codes: Any, **options: Any) -> Solution:
    off: dict[str, Any] = dict.fromkeys(SWITCHES, False)
    return solve(X, codes, simd="portable", n_jobs=1, **off, **options)


def test_the_portable_path_is_always_there() -> None:
    assert "portable" in PATHS
    assert set(PATHS) <= {"portable", "avx2", "avx512"}


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=name)
def test_every_combination_on_small_problems(algorithm: dict[str, Any]) -> None:
    rng = np.random.default_rng(10)
    for _ in range(6):
        problem = random_problem(rng, max_rows=90, max_columns=7)
        depth = max(3, problem.max_depth)
        options = {"max_depth": depth, **problem.data, **algorithm}
        expected = without_bound(plainest(problem.X, problem.codes, **options))
        for chosen, path, jobs in itertools.product(switches(), PATHS, THREADS):
            found = solve(problem.X, problem.codes, simd=path, n_jobs=jobs, **chosen, **options)
            assert without_bound(found) == expected, (chosen, path, jobs)
            assert found.lower_bound <= found.objective


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=name)
def test_bounds_and_caches_on_many_small_problems(algorithm: dict[str, Any]) -> None:
    """Unsound bounds go wrong on one problem in dozens: many problems, fewer combinations."""
    rng = np.random.default_rng(11)
    for _ in range(150):
        problem = random_problem(rng)
        depth = max(3, problem.max_depth)
        options = {"max_depth": depth, **problem.data, **algorithm}
        expected = without_bound(plainest(problem.X, problem.codes, **options))
        for chosen in telling_switches():
            found = solve(problem.X, problem.codes, **chosen, **options)
            assert without_bound(found) == expected, chosen


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=name)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_path_and_thread_count_on_a_realistic_table(
    algorithm: dict[str, Any], n_classes: int
) -> None:
    X, codes = threshold_table(12, 2000, 25, n_classes=n_classes)
    options: dict[str, Any] = {
        "max_depth": 3,
        "regularization": 0.002,
        "n_classes": n_classes,
        **algorithm,
    }
    expected = without_bound(plainest(X, codes, **options))
    assert expected[2] > 2
    for chosen, path in itertools.product(telling_switches(), PATHS):
        # Threads in turn: with the switches and paths every pair of settings still meets.
        jobs = THREADS[sum(chosen.values()) % len(THREADS)]
        found = solve(X, codes, simd=path, n_jobs=jobs, **chosen, **options)
        assert without_bound(found) == expected, (chosen, path, jobs)
    for path, jobs in itertools.product(PATHS, THREADS):
        found = solve(X, codes, simd=path, n_jobs=jobs, **options)
        assert without_bound(found) == expected, (path, jobs)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=name)
@pytest.mark.parametrize("loss", LOSSES)
def test_bounds_and_caches_of_every_loss(loss: str, algorithm: dict[str, Any]) -> None:
    """Which bounds are sound depends on the loss, and on how few rows a leaf may have."""
    rng = np.random.default_rng(18)
    for _ in range(40):
        problem = with_loss(rng, noisy_problem(rng), loss)
        options = {**asked(problem), **algorithm}
        expected = without_bound(plainest(problem.X, problem.codes, **options))
        for chosen in telling_switches():
            found = solve(problem.X, problem.codes, **chosen, **options)
            assert without_bound(found) == expected, chosen
            assert found.lower_bound <= found.objective


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=name)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", LOSSES[1:])
def test_every_path_of_every_loss(loss: str, n_classes: int, algorithm: dict[str, Any]) -> None:
    """A double must be the same on every path, too."""
    X, codes = threshold_table(19, 900, 14, n_classes=n_classes)
    rng = np.random.default_rng(20)
    costs = random_costs(rng, n_classes) if loss == "costs" else None
    for weights, few in ((None, 1), (None, 40), (rng.integers(0, 50, size=len(X)), 5)):
        problem = Problem(X, codes, n_classes, weights, 0.004, 3, loss, costs, few)
        options = {**asked(problem), **algorithm}
        expected = without_bound(plainest(X, codes, **options))
        for path, jobs in itertools.product(PATHS, (1, 2)):
            found = solve(X, codes, simd=path, n_jobs=jobs, **options)
            assert without_bound(found) == expected, (path, jobs)


@pytest.mark.parametrize("kind", ["integers", "bits", "one heavy row"])
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=name)
def test_every_path_with_weights(algorithm: dict[str, Any], kind: str) -> None:
    X, codes = threshold_table(13, 700, 12)
    rng = np.random.default_rng(14)
    weights = {
        "integers": rng.integers(0, 50, size=len(X)),
        "bits": 2 ** rng.integers(0, 20, size=len(X)),
        "one heavy row": np.where(np.arange(len(X)) == 5, 10**7, 1),
    }[kind]
    options = {
        "max_depth": 3,
        "regularization": 0.001,
        "n_classes": 2,
        "weights": weights,
        **algorithm,
    }
    expected = without_bound(plainest(X, codes, **options))
    for chosen, path in itertools.product(telling_switches(), PATHS):
        found = solve(X, codes, simd=path, **chosen, **options)
        assert without_bound(found) == expected, (chosen, path)


def test_threads_race_to_the_same_tree() -> None:
    """Deep enough for threads to overtake each other; repeated, for they seldom do it twice."""
    X, codes = threshold_table(15, 1500, 18)
    options: dict[str, Any] = {"algorithm": "optimal", "max_depth": 4, "regularization": 0.001}
    expected = answer(solve(X, codes, n_classes=2, n_jobs=1, **options))
    for jobs in (2, 4, 2, 4, 3, 8):
        assert answer(solve(X, codes, n_classes=2, n_jobs=jobs, **options)) == expected


def test_rows_are_told_apart_not_guessed() -> None:
    """Many subproblems of equal size and equal class counts: only the rows themselves differ.

    A cache that trusts a hash or a summary would mix them up; the oracle does not.
    """
    rng = np.random.default_rng(16)
    for _ in range(20):
        X = np.array([rng.permutation([0, 1] * 16) for _ in range(6)], dtype=np.uint8).T
        codes = rng.permutation([0, 1] * 16)
        known = Oracle(X, codes, n_classes=2, regularization=0.001)
        cost, tree = known.optimal(known.everything, 4)
        for cache in (False, True):
            found = solve(
                X,
                codes,
                n_classes=2,
                algorithm="optimal",
                max_depth=4,
                regularization=0.001,
                cache=cache,
            )
            assert found.objective == known.objective(cost)
            assert oracle.nested(found.feature, found.left, found.right) == tree
