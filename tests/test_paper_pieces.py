"""The paper's pieces: jobs are kept and may fail, and greedy trees are what they are said to be."""

from __future__ import annotations

import importlib
import itertools
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

FOLDER = Path(__file__).parents[1] / "benchmarks" / "paper"
FAKE = """
import os

def measure(job, settings):
    if job.variant == 1:
        raise ValueError("no such thing")
    if job.variant == 2:
        os._exit(3)
    return [{"data": job.data, "quick": settings.quick}]
"""


@pytest.fixture(scope="module")
def paper() -> Any:
    """Import modules of the benchmarks, whose names are theirs alone."""
    folders = [str(FOLDER), str(FOLDER.parent)]
    sys.path[:0] = folders
    before = set(sys.modules)

    def load(name: str) -> ModuleType:
        return importlib.import_module(name)

    yield load
    sys.path[:] = [path for path in sys.path if path not in folders]
    for name in set(sys.modules) - before:  # others may have a module of that name
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(FOLDER.parent)):
            del sys.modules[name]


def test_every_piece_has_a_name_and_jobs(paper: Any) -> None:
    pieces, jobs = paper("run").PIECES, paper("jobs")
    assert len({piece.name for piece in pieces}) == len(pieces)
    for piece in pieces:
        quick, full = (piece.jobs(jobs.Settings(quick)) for quick in (True, False))
        assert 0 < len(quick) <= len(full)
        assert {job.data for job in quick} <= {job.data for job in full}


def test_a_job_is_kept_and_a_failure_is_told(
    paper: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fake.py").write_text(FAKE)
    monkeypatch.syspath_prepend(str(tmp_path))
    jobs = paper("jobs")
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


@settings(max_examples=40)
@given(tables)
def test_pruned_greedy_trees(paper: Any, table: Any) -> None:
    X, y = table
    found = paper("near_optimal").Subproblems(X, y).pruned(frozenset(), 3)
    every = prunings(greedy_tree(X, y, 3))
    for leaves, errors in enumerate(found, start=1):
        assert errors == min(e for n, e in every if n <= leaves)


@settings(max_examples=20)
@given(tables)
def test_the_greedy_tree_is_greedy_and_has_no_gap(paper: Any, table: Any) -> None:
    from splitsecond import GreedyTreeClassifier

    X, y = table
    near_optimal = paper("near_optimal")
    of = near_optimal.Subproblems(X, y)
    model = GreedyTreeClassifier(regularization=0, max_depth=3, binarizer=None).fit(X, y)
    counts = near_optimal.greedy_counts([model.tree_], of)
    assert (counts[:, 0] == counts[:, 1]).all()
    assert all(gap <= 0 for gap in near_optimal.gaps(model.tree_, of))


def test_verdicts(paper: Any) -> None:
    verdict = paper("pieces").verdict
    assert verdict([0.1, 0.1], 0.2, 0.3) == "better"
    assert verdict([0.2, 0.3], 0.2, 0.3) == "inside"
    assert verdict([0.1, 0.6], 0.2, 0.3) == "overlaps"
    assert verdict([0.4, 0.4], 0.2, 0.3) == "worse"
