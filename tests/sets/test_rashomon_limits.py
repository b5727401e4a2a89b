"""Limits hold for Rashomon sets too, and what comes back is a part of the set.

Those that look at a clock are in tests/limits.
"""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from endless_sets import ENDLESS_SETS, Table, assert_real_trees, noise_without_end
from rashomon_oracle import RashomonOracle, shape_of

from splitsecond import RESPLIT, LimitWarning, TreeFARMS, load, save

endless = pytest.mark.parametrize("kind", ENDLESS_SETS)
jobs = pytest.mark.parametrize("n_jobs", [1, 2])


@pytest.fixture(scope="module")
def hard() -> Table:
    return noise_without_end()


@jobs
@endless
@pytest.mark.parametrize("limit", [1, 1000, 300_000, 3_000_000])
def test_memory_limit(kind: str, limit: int, n_jobs: int, hard: Table) -> None:
    model = ENDLESS_SETS[kind](memory_limit=limit, n_jobs=n_jobs, time_limit=20)
    with pytest.warns(LimitWarning):
        model.fit(*hard)
    assert model.status_ == "memory_limit"
    assert model.statistics_["peak_bytes"] <= limit
    assert_real_trees(model, *hard)


@pytest.mark.slow
def test_every_tree_of_a_part_is_in_the_set() -> None:
    """Wherever the search is stopped, no tree is made up, and the best found is not lost."""
    rng = np.random.default_rng(91)
    stopped = 0
    for _ in range(30):
        X = rng.integers(0, 2, (30, 4)).astype(np.uint8)
        y = rng.integers(0, 2, 30)
        brute = RashomonOracle(X, y, n_classes=2, regularization=0.01)
        expected = {
            TreeFARMS: brute.exact_set(3, 0.1),
            RESPLIT: brute.resplit(3, 2, 0.1),
        }
        for kind, known in expected.items():
            options: dict[str, Any] = {"lookahead_depth": 2} if kind is RESPLIT else {}
            for limit in (8000, 12_000, 16_000, 20_000, 30_000, 45_000, 70_000):
                model = kind(
                    regularization=0.01,
                    epsilon=0.1,
                    max_depth=3,
                    memory_limit=limit,
                    n_jobs=1,
                    **options,
                )
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", LimitWarning)
                    trees = model.fit(X, y).trees_
                shapes = [shape_of(tree) for tree in trees]
                assert len(set(shapes)) == len(shapes)
                if model.status_ == "complete":
                    assert set(shapes) == set(known)
                else:
                    stopped += 1
                    # Stopped before the best tree is known, all there is is the best so far.
                    assert len(shapes) == 1 or set(shapes) <= set(known)
                    assert trees.min_objective == pytest.approx(trees.bound - 0.1)
    assert stopped > 20


def stopped_fit(how: str, hard: Table) -> Any:
    """A fit that ran out of memory before the best tree was known, or after."""
    depth, limit = (7, 300_000) if how == "unproved" else (3, 3_000_000)
    model = TreeFARMS(regularization=0.001, epsilon=100, max_depth=depth, memory_limit=limit)
    with pytest.warns(LimitWarning):
        model.fit(*hard)
    assert model.status_ == "memory_limit"
    return model


SHOWN = {"unproved": "partial (the best tree is not known)", "part": "partial"}


@pytest.mark.slow
@pytest.mark.parametrize("how", SHOWN)
def test_a_partial_set_says_so_wherever_it_is_shown(how: str, hard: Table, tmp_path: Any) -> None:
    model = stopped_fit(how, hard)
    assert (model.trees_.n_trees == 1) == (how == "unproved")
    save(model, tmp_path / "model.json")
    save(model.trees_, tmp_path / "set.json")
    loaded: Any = load(tmp_path / "model.json")
    assert f"{SHOWN[how]}>" in str(model).splitlines()[0]
    assert str(loaded).splitlines()[0] == str(model).splitlines()[0]
    for trees in (
        model.trees_,
        model.trees_.filter(max_leaves=100),
        model.trees_.within(50),
        pickle.loads(pickle.dumps(model.trees_)),
        loaded.trees_,
        load(tmp_path / "set.json"),
    ):
        assert trees.is_partial
        assert trees.status.startswith("partial")
        assert repr(trees).endswith(f", {SHOWN[how]}>")
        assert f"; {SHOWN[how]}" in trees.to_html(max_trees=1)


@pytest.mark.parametrize("how", SHOWN)
def test_what_is_asked_of_a_partial_set_warns(how: str, hard: Table) -> None:
    X, _ = hard
    trees = stopped_fit(how, hard).trees_
    for ask in (
        lambda: trees.vote(X),
        lambda: trees.multiplicity(X),
        lambda: trees.multiplicity_summary(X),
        lambda: trees.disputed(X),
        trees.feature_usage,
    ):
        with pytest.warns(LimitWarning, match="The set is partial") as caught:
            ask()
        assert [warning.filename for warning in caught] == [__file__]
        assert ("before the best tree was known" in str(caught[0].message)) == (how == "unproved")


def test_a_complete_set_is_not_partial() -> None:
    rng = np.random.default_rng(94)
    X = rng.integers(0, 2, (50, 4))
    trees = TreeFARMS(max_depth=2, time_limit=60).fit(X, X[:, 0] | X[:, 1]).trees_
    assert not trees.is_partial
    assert trees.status == "complete"
    assert "partial" not in repr(trees)
    trees.multiplicity(X)  # no warning, which would be an error


def test_limits_that_are_never_reached() -> None:
    rng = np.random.default_rng(92)
    X = rng.integers(0, 2, (100, 6))
    y = rng.integers(0, 2, 100)
    for kind in (TreeFARMS, RESPLIT):
        free = kind(max_depth=3).fit(X, y)
        limited = kind(max_depth=3, time_limit=60, memory_limit=10**9).fit(X, y)
        assert limited.status_ == free.status_ == "complete"
        assert limited.trees_.n_trees == free.trees_.n_trees


def test_no_tree_of_a_stopped_search_is_beyond_an_absolute_bound(hard: Table) -> None:
    model = TreeFARMS(epsilon=0.02, epsilon_kind="absolute", max_depth=7, memory_limit=1000)
    with pytest.raises(ValueError, match="the best found within the limits has 0"):
        model.fit(*hard)
