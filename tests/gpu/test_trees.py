"""A tree whose rows a device counts is that of the CPU, bit for bit."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from number_problems import LOSSES as NUMBER_LOSSES
from number_problems import random_numbers_problem
from solver import solution_of
from strategies import LOSSES, random_problem, with_loss

from splitsecond import (
    GreedyTreeClassifier,
    GreedyTreeRegressor,
    LicketySPLITClassifier,
    LicketySPLITRegressor,
    compress,
)
from splitsecond._solving.solve import Solution

pytestmark = pytest.mark.slow

ALGORITHMS = ("greedy", "lickety")


@pytest.fixture
def tiny_blocks(device: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what opens a counter; blocks of 128 rows, and few sizes of products to compile."""
    from splitsecond._gpu import counter

    sizes = counter.Sizes(block=4, step=4, paths=64)
    monkeypatch.setattr(counter.Sizes, "of", lambda rows, free: sizes)
    return partial(counter.open_counter, device=device)


def assert_same(found: Solution, expected: Solution) -> None:
    assert found.status == expected.status == "complete"
    for name in ("feature", "left", "right", "counts"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.objective == expected.objective
    assert found.lower_bound == expected.lower_bound


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("loss", LOSSES)
def test_classes(loss: str, algorithm: str, tiny_blocks: Any) -> None:
    rng = np.random.default_rng([LOSSES.index(loss), ALGORITHMS.index(algorithm)])
    for _ in range(225):
        problem = with_loss(rng, random_problem(rng, max_rows=200), loss)
        options = {"lookahead_depth": 1, "exact_last_split": bool(rng.random() < 0.5)}
        expected = solution_of(problem, algorithm, levels="never", **options)
        found = solution_of(problem, algorithm, counter=tiny_blocks, **options)
        assert found.statistics["on_gpu"] == 1
        assert_same(found, expected)


@pytest.mark.parametrize("loss", NUMBER_LOSSES)
def test_numbers(loss: str, tiny_blocks: Any) -> None:
    rng = np.random.default_rng(NUMBER_LOSSES.index(loss))
    for i in range(120):
        problem = random_numbers_problem(rng, loss, max_rows=30)
        regressor = LicketySPLITRegressor if i % 2 else GreedyTreeRegressor
        trees = [
            regressor(**problem.parameters, device=device)
            .fit(problem.X, problem.y, sample_weight=problem.weights)
            .tree_.to_dict()
            for device in ("cpu", "gpu")
        ]
        assert trees[0] == trees[1]


@pytest.mark.parametrize(
    "options",
    [
        {"loss": "log_loss"},
        {"class_weight": "balanced", "min_samples_leaf": 20},
        {"costs": {"act": {"a": 0, "b": 1.5}, "wait": {"a": 1, "b": 0.25}}},
    ],
    ids=str,
)
@pytest.mark.usefixtures("tiny_blocks")
def test_classifiers_of_rows_and_of_count_tables(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(7)
    X = pd.DataFrame({name: rng.integers(0, 9, 600) for name in "uvw"})
    y = np.where((X["u"] < 5) ^ (X["v"] < 4) ^ (rng.random(600) < 0.1), "a", "b")
    weights = rng.integers(1, 4, 600)
    counts = compress(X.assign(y=y, weights=weights), "y", weight="weights", binarizer="quantile")
    for kind in (LicketySPLITClassifier, GreedyTreeClassifier):
        on_cpu, on_gpu = (
            kind(regularization=0.001, device=device, **options) for device in ("cpu", "gpu")
        )
        expected = on_cpu.fit(counts).tree_.to_dict()
        assert on_gpu.fit(counts).tree_.to_dict() == expected
        assert on_gpu.statistics_["on_gpu"] == 1
        on_gpu.set_params(binarizer=counts.binarizer).fit(X, y, sample_weight=weights)
        assert on_gpu.tree_.to_dict() == expected
        assert on_gpu.statistics_["on_gpu"] == 1


def test_many_blocks_of_rows(device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from splitsecond._gpu import counter
    from splitsecond._solving.solve import solve

    rng = np.random.default_rng(5)
    X = (rng.random((20_000, 30)) < rng.random(30)).astype(np.uint8)
    y = ((X[:, 0] & X[:, 1]) ^ (X[:, 2] | X[:, 3]) ^ (rng.random(20_000) < 0.1)).astype(int)
    options: dict[str, Any] = {
        "n_classes": 2,
        "regularization": 0.0005,
        "max_depth": 5,
        "lookahead_depth": 1,
    }
    expected = solve(X, y, **options)
    for sizes in (counter.Sizes(64, 32, 64), counter.Sizes(256, 256, 512)):
        monkeypatch.setattr(counter.Sizes, "of", lambda rows, free, sizes=sizes: sizes)
        opened = partial(counter.open_counter, device=device)
        assert_same(solve(X, y, counter=opened, **options), expected)
