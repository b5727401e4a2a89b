"""The paper's pieces: jobs are kept and may fail, and greedy trees are what they are said to be."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import examples

FAKE = """
import os

def measure(job, settings):
    if job.variant == 1:
        raise ValueError("no such thing")
    if job.variant == 2:
        os._exit(3)
    return [{"data": job.data, "quick": settings.quick}]
"""


def test_every_piece_has_a_name_and_jobs(benchmark_module: Any) -> None:
    pieces, jobs = benchmark_module("run").PIECES, benchmark_module("jobs")
    assert len({piece.name for piece in pieces}) == len(pieces)
    for piece in pieces:
        quick, full = (piece.jobs(jobs.Settings(quick)) for quick in (True, False))
        assert 0 < len(quick) <= len(full)
        assert {job.data for job in quick} <= {job.data for job in full}


def test_a_job_is_kept_and_a_failure_is_told(
    benchmark_module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fake.py").write_text(FAKE)
    monkeypatch.syspath_prepend(str(tmp_path))
    jobs = benchmark_module("jobs")
    asked = jobs.Settings(quick=True)
    job = jobs.Job("fake", "none")
    assert jobs.kept(job, asked, tmp_path) is None
    done = jobs.run(job, asked, tmp_path)
    assert (done.rows, done.failure, done.is_new) == ([{"data": "none", "quick": True}], "", True)
    again = jobs.kept(job, asked, tmp_path)
    assert (again.rows, again.is_new) == (done.rows, False)
    assert jobs.kept(job, jobs.Settings(quick=False), tmp_path) is None
    wrong = jobs.run(jobs.Job("fake", "none", 1), asked, tmp_path)
    assert "no such thing" in wrong.failure
    crashed = jobs.run(jobs.Job("fake", "none", 2), asked, tmp_path)
    assert "exit code 3" in crashed.failure
    assert jobs.kept(jobs.Job("fake", "none", 1), asked, tmp_path) is None


def test_the_table_of_widths_has_all_that_it_names(benchmark_module: Any) -> None:
    fit = {"data": "few", "rows": 100, "rounds": 20, "objective": 0.1, "status": "complete"}
    fits = [
        {**fit, "algorithm": algorithm, "columns": columns, "seconds": columns / 1000}
        for algorithm in benchmark_module("features").ALGORITHMS
        for columns in (30, 60)
    ]
    (table,) = benchmark_module("features").show(fits).tables
    assert "| few      | 100  | " in table.to_markdown()
    assert "60" in table.to_markdown()


tables = (
    st.integers(0, 2**32 - 1)
    .map(np.random.default_rng)
    .map(
        lambda rng: (
            rng.integers(0, 2, (24, 4)).astype(np.uint8),
            rng.integers(0, 2, 24).astype(np.int64),
        )
    )
)


def greedy_tree(X: Any, y: Any, depth: int) -> Any:
    """Grow a tree by the gain in entropy, unpruned, as nested pairs; an int is a leaf's errors."""
    leaf = int(min(y.sum(), len(y) - y.sum()))
    best = None
    for feature in range(X.shape[1]) if depth else ():
        sides = [y[X[:, feature] == side] for side in (1, 0)]
        if all(len(side) for side in sides):
            bits = sum(
                -count * np.log2(count / len(side))
                for side in sides
                for count in (side.sum(), len(side) - side.sum())
                if count
            )
            if best is None or bits < best[0] - 1e-7:
                best = bits, feature
    if best is None:
        return (leaf,)
    below = [X[:, best[1]] == side for side in (1, 0)]
    return (leaf, *(greedy_tree(X[rows], y[rows], depth - 1) for rows in below))


def prunings(tree: Any) -> list[tuple[int, int]]:
    """List leaves and errors of every tree that pruning may leave."""
    own = [(1, tree[0])]
    if len(tree) == 1:
        return own
    pairs = itertools.product(prunings(tree[1]), prunings(tree[2]))
    return own + [(a + c, b + d) for (a, b), (c, d) in pairs]


@settings(max_examples=examples(40))
@given(tables)
def test_pruned_greedy_trees(benchmark_module: Any, table: Any) -> None:
    X, y = table
    found = benchmark_module("near_optimal").Subproblems(X, y).pruned(frozenset(), 3)
    every = prunings(greedy_tree(X, y, 3))
    for leaves, errors in enumerate(found, start=1):
        assert errors == min(e for n, e in every if n <= leaves)


@settings(max_examples=examples(20))
@given(tables)
def test_the_greedy_tree_is_greedy_and_has_no_gap(benchmark_module: Any, table: Any) -> None:
    from splitsecond import GreedyTreeClassifier

    X, y = table
    near_optimal = benchmark_module("near_optimal")
    of = near_optimal.Subproblems(X, y)
    model = GreedyTreeClassifier(regularization=0, max_depth=3, binarizer=None).fit(X, y)
    counts = near_optimal.greedy_counts([model.tree_], of)
    assert (counts[:, 0] == counts[:, 1]).all()
    assert all(gap <= 0 for gap in near_optimal.gaps(model.tree_, of))


def test_verdicts(benchmark_module: Any) -> None:
    verdict = benchmark_module("pieces").verdict
    assert verdict([0.1, 0.1], 0.2, 0.3) == "better"
    assert verdict([0.2, 0.3], 0.2, 0.3) == "inside"
    assert verdict([0.1, 0.6], 0.2, 0.3) == "overlaps"
    assert verdict([0.4, 0.4], 0.2, 0.3) == "worse"
