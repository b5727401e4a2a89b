"""The package's solver, asked for a problem of `strategies`, with what changes only its speed."""

from __future__ import annotations

from typing import Any

import numpy as np
from oracle_losses import exact, plain
from strategies import Problem

from splitsecond import _core
from splitsecond._solving.losses import NAMED, Costs, Loss
from splitsecond._solving.solve import Request, Solution, run_options, solve
from splitsecond._tables.reading import read_table

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


def completed_lickety(
    problem: Problem, lookahead: int, *, exact_last_split: bool, n_jobs: int, **speed: Any
) -> _core.Solution:
    """LicketySPLIT that judges splits by its own trees, which only the core is asked for."""
    request = Request(read_table(problem.X), problem.codes, **asked(problem))
    inner = request.problem()
    limits = {"time_limit": None, "memory_limit": None, "progress": None, "n_jobs": n_jobs}
    wanted = _core.TreeRequest(
        "lickety",
        inner.core_objective(),
        max_depth=inner.depth,
        lookahead=lookahead,
        postprocess=True,
        exact_last_split=exact_last_split,
        min_leaf_rows=problem.min_samples_leaf,
        completion="lickety",
        run=run_options(request.table, **limits),
        speed=_core.Speed(**speed),
    )
    return _core.solve(request.table.core(), inner.core_target(), wanted)


def random_speed(rng: np.random.Generator) -> dict[str, Any]:
    """One of the many ways to find the same tree."""
    return {
        **{switch: bool(rng.random() < 0.7) for switch in SWITCHES},
        "simd": str(rng.choice(PATHS)),
        "n_jobs": int(rng.integers(1, 3)),
    }
