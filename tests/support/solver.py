"""The package's solver, asked for a problem of `strategies`, with what changes only its speed."""

from __future__ import annotations

from typing import Any

import numpy as np
from oracle_losses import exact, plain
from strategies import Problem

from splitsecond import _core
from splitsecond._solving.losses import NAMED, Costs, Loss
from splitsecond._solving.solve import Solution, solve

SWITCHES = ("equivalent_points", "similar_support", "minimum_support", "cache", "subtract_siblings")
PATHS = tuple(_core.simd_paths())


def loss_of(problem: Problem) -> Loss:
    """The loss as the package knows it; actions are called by their numbers."""
    if problem.costs is None:
        return NAMED[problem.loss]
    table = tuple(tuple(exact(plain(cost)) for cost in action) for action in problem.costs)
    return Costs(table, tuple(range(len(table))))


def asked(problem: Problem) -> dict[str, Any]:
    """The arguments of `solve`, besides X, codes, the algorithm and its own."""
    return {
        **problem.data,
        "loss": loss_of(problem),
        "max_depth": problem.max_depth,
        "min_leaf_rows": problem.min_samples_leaf,
    }


def solution_of(problem: Problem, algorithm: str, **options: Any) -> Solution:
    return solve(problem.X, problem.codes, algorithm=algorithm, **{**asked(problem), **options})


def random_speed(rng: np.random.Generator) -> dict[str, Any]:
    """One of the many ways to find the same tree."""
    return {
        **{switch: bool(rng.random() < 0.7) for switch in SWITCHES},
        "simd": str(rng.choice(PATHS)),
        "merging": str(rng.choice(["never", "always"])),
        "levels": str(rng.choice(("auto", "never", "always"))),
        "n_jobs": int(rng.integers(1, 3)),
    }
