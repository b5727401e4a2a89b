"""Problems whose trees can all be listed, with the parameters of a set of them."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
from strategies import Problem, random_problem

PRICES = (Fraction(0), Fraction(1, 3), 0.0137, 0.05, Fraction(1, 20), 1.5)
EPSILONS = (0, 0.0137, 0.03, Fraction(1, 12), 0.1, Fraction(1, 3), 25.0)
# Trees that brute force may list for one problem: more take too long.
MAX_TREES = 1500


def random_question(rng: np.random.Generator, **sizes: Any) -> tuple[Problem, dict[str, Any]]:
    """A problem small enough to list all trees, and the parameters of a set."""
    while True:
        problem = random_problem(rng, **{"max_rows": 25, "max_depth": 3, **sizes})
        # Trees of depth d over k columns, if nothing is ever left out.
        n_trees = 1
        for level in range(problem.max_depth):
            columns = problem.X.shape[1] - problem.max_depth + 1 + level
            n_trees = 1 + max(columns, 0) * n_trees**2
        if n_trees <= MAX_TREES:
            break
    if rng.random() < 0.4:
        problem = dataclasses.replace(problem, regularization=one_of(rng, PRICES))
    # The estimator knows only the classes that are there.
    classes, codes = np.unique(problem.codes, return_inverse=True)
    problem = dataclasses.replace(problem, codes=codes, n_classes=len(classes))
    n_rows = len(codes)
    return problem, {
        "epsilon": one_of(rng, (*EPSILONS, Fraction(1, n_rows), Fraction(1, 2 * n_rows))),
        "epsilon_kind": one_of(rng, ("additive", "additive", "multiplicative", "absolute")),
        "keep_trivial": rng.random() < 0.25,
    }


def one_of(rng: np.random.Generator, choices: Any) -> Any:
    return choices[int(rng.integers(len(choices)))]
