"""Sets of more trees than any list could hold, whose number is known in advance.

The parity of d bits needs a full tree of depth d, whose questions on each path are the d bits in
any order: a node with m bits left has m choices. k copies of each column give k times as many.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from rashomon_oracle import RashomonOracle, Shape, features_of, label_for, shape_of
from scipy import stats

from splitsecond import RESPLIT, TreeFARMS
from splitsecond._solving.exact import within_bound


def parity(bits: int, copies: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    rows = np.arange(2**bits)
    X = (rows[:, None] >> np.arange(bits)) & 1
    return np.repeat(X, copies, axis=1).astype(np.uint8), X.sum(axis=1) % 2


def n_full_trees(bits: int, copies: int) -> int:
    return math.prod(((bits - level) * copies) ** (2**level) for level in range(bits))


def full_set(bits: int, copies: int, kind: Any = TreeFARMS, **options: Any) -> Any:
    """All trees everything an error; one error more is not within epsilon."""
    X, y = parity(bits, copies)
    model = kind(
        regularization=Fraction(1, 10**6),
        epsilon=0,
        max_depth=bits,
        binarizer=None,
        n_jobs=1,
        **options,
    )
    return model.fit(X, y).trees_


@pytest.fixture(scope="module")
def huge() -> Any:
    return full_set(5, 20)


def test_numbers_of_any_size() -> None:
    for bits, copies, more_than in (
        (1, 1, 0),
        (3, 1, 2**3),
        (4, 30, 2**64),
        (5, 3, 2**64),
        (5, 20, 2**128),
        (6, 9, 2**192),
    ):
        trees = full_set(bits, copies)
        assert trees.n_trees == n_full_trees(bits, copies) > more_than
        objective = float(Fraction(2**bits, 10**6))
        assert trees.objective_histogram() == {objective: n_full_trees(bits, copies)}


@pytest.mark.slow
def test_numbers_beyond_floats() -> None:
    trees = full_set(8, 20)
    assert trees.n_trees == n_full_trees(8, 20) > 10**320
    assert re.match(r"<TreeSet: about \d\.\d\de\+\d\d\d trees, objective ", repr(trees))
    with pytest.raises(OverflowError, match=r"about \d\.\d+e\+\d+ trees, more than len"):
        len(trees)
    assert trees[trees.n_trees - 1].n_leaves == 256
    assert trees.sample(2, random_state=0)[0].n_leaves == 256


def test_resplit_counts_as_many() -> None:
    """Greedy finds nothing in a parity, but at the horizon it still asks for a full tree."""
    trees = full_set(5, 20, RESPLIT, lookahead_depth=3)
    assert trees.n_trees == n_full_trees(5, 20)


def test_sequence(huge: Any) -> None:
    n_trees = huge.n_trees
    assert n_trees > 2**128
    with pytest.raises(OverflowError, match=r"about .* trees, more than len\(\) can say: use n_tr"):
        len(huge)
    assert huge
    for index in (0, 1, 10**20, 2**64 - 1, 2**64, 2**128 + 1, n_trees // 3, n_trees - 1):
        tree = huge[index]
        assert tree.n_leaves == 32
        assert tree.objective == huge.min_objective
        assert huge.index(tree) == index
        assert shape_of(huge[index - n_trees]) == shape_of(tree)
    with pytest.raises(IndexError):
        huge[n_trees]
    with pytest.raises(IndexError):
        huge[-n_trees - 1]
    assert [shape_of(tree) for tree in huge[10**20 : 10**20 + 3]] == [
        shape_of(huge[10**20 + i]) for i in range(3)
    ]
    assert [shape_of(tree) for tree in huge[-1 :: -(n_trees // 2)]] == [
        shape_of(huge[-1]),
        shape_of(huge[n_trees - 1 - n_trees // 2]),
    ]
    for part in (slice(None), slice(None, None, -1), slice(5, 10**30)):
        with pytest.raises(ValueError, match="sample"):
            huge[part]
    assert [shape_of(tree) for tree, _ in zip(huge, range(300), strict=False)] == [
        shape_of(tree) for tree in huge[:300]
    ]


def test_parts_of_a_huge_set(huge: Any) -> None:
    """Trees of filtered sets are found in the whole, and in parts with several ways to each."""
    part = huge.filter(uses=["x23", "x47"], root=["x1", "x7"])
    assert 2**128 < part.n_trees < huge.n_trees
    for tree in part.sample(5, random_state=0):
        assert shape_of(huge[huge.index(tree)]) == shape_of(tree)
        assert shape_of(part[part.index(tree)]) == shape_of(tree)
    assert not any(tree in part for tree in huge.filter(avoids="x23").sample(5, random_state=0))
    found = part.groups(max_groups=2)
    assert found.status == "max_groups"
    assert [group.n_trees for group in found] == [1, 1]  # every question is a variable of its own
    assert found.to_frame("polars")["number"].to_list() == [0, 1]


def test_numbering_is_one_to_one() -> None:
    """Neighbours at places where one word carries into the next are all different trees."""
    trees = full_set(4, 30)
    for place in (0, 2**32, 2**63, 2**64, trees.n_trees - 40):
        around = [trees[i] for i in range(max(0, place - 40), place + 40) if i < trees.n_trees]
        assert len({shape_of(tree) for tree in around}) == len(around)


def test_samples(huge: Any) -> None:
    drawn = huge.sample(400, random_state=3)
    shapes = [shape_of(tree) for tree in drawn]
    assert len(set(shapes)) == 400
    assert shapes == [shape_of(tree) for tree in huge.sample(400, random_state=3)]
    # Every bit is as likely as another to be asked first, and last on the way of all noes.
    ways = [list(_noes(shape)) for shape in shapes]
    for step in (0, -1):
        bits = np.array([way[step] for way in ways]) // 20
        assert stats.chisquare(np.bincount(bits, minlength=5)).pvalue > 0.001


def _noes(shape: Shape) -> Iterator[int]:
    """What is asked on the way of a row that answers no."""
    while not isinstance(shape, int):
        yield shape[0]
        shape = shape[2]


def test_filters(huge: Any) -> None:
    """Counts after a filter, in closed form."""
    assert huge.filter(max_depth=4).n_trees == 0
    assert huge.filter(max_depth=5, max_leaves=32, min_leaf_rows=1).n_trees == huge.n_trees
    everything = n_full_trees(5, 20)
    assert huge.filter(avoids=[f"x{j}" for j in range(19)]).n_trees == _with_copies(
        [1, 20, 20, 20, 20]
    )
    once = huge.filter(avoids="x0").n_trees
    assert once == _with_copies([19, 20, 20, 20, 20])
    assert huge.filter(uses="x0").n_trees == everything - once
    both = huge.filter(uses=["x0", "x20"]).n_trees
    neither = _with_copies([19, 19, 20, 20, 20])
    assert both == everything - 2 * once + neither
    assert huge.feature_usage()["x0"] == everything - once


def _with_copies(copies: list[int]) -> int:
    """Trees over bits with that many columns each; all bits must be asked on every path."""
    if not copies:
        return 1
    return sum(
        columns * _with_copies(copies[:i] + copies[i + 1 :]) ** 2
        for i, columns in enumerate(copies)
    )


def test_votes(huge: Any) -> None:
    X, y = parity(5, 20)
    assert huge.vote(X).tolist() == [[1 - label, label] for label in y.tolist()]
    assert huge.multiplicity(X).tolist() == [0] * len(X)
    # Where two copies disagree, so do the trees: half of them ask one, and half the other.
    X, y = parity(3, 2)
    trees = full_set(3, 2)
    X[:, 1] ^= 1
    assert trees.vote(X).tolist() == [[0.5, 0.5]] * 8
    shares = trees.filter(avoids="x1").vote(X)
    assert shares.tolist() == [[1 - label, label] for label in y.tolist()]


def test_votes_of_very_many(huge: Any) -> None:
    """One of twenty copies turned over: each path asks it with chance 1/20."""
    X, y = parity(5, 20)
    X[:, 0] ^= 1
    shares = huge.vote(X)
    assert shares[np.arange(32), y].tolist() == [0.95] * 32


def test_all_trees_of_any_cost() -> None:
    """With an epsilon beyond everything the set is all trees, and counting them is easy."""
    rng = np.random.default_rng(80)
    for n_columns, depth, keep_trivial in ((6, 4, False), (6, 4, True), (12, 4, False)):
        X = rng.integers(0, 2, (50, n_columns)).astype(np.uint8)
        y = rng.integers(0, 3, 50)
        model = TreeFARMS(
            regularization=0.01, epsilon=100, max_depth=depth, keep_trivial=keep_trivial
        )
        trees = model.fit(X, y).trees_
        known = RashomonOracle(X, y, n_classes=3, regularization=0.01)
        expected = _count(known, known.everything, depth, keep_trivial, {})
        assert trees.n_trees == expected
        assert sum(trees.objective_histogram().values()) == expected
        for label, share in enumerate(trees.vote(X[:5]).T):
            drawn = trees.sample(300, random_state=label)
            said = [[label_for(shape_of(tree), row) == label for row in X[:5]] for tree in drawn]
            assert np.mean(said, axis=0) == pytest.approx(share, abs=0.15)


def _count(
    known: RashomonOracle, mask: int, depth: int, keep_trivial: bool, seen: dict[Any, int]
) -> int:
    if depth == 0:
        return 1
    if (mask, depth) not in seen:
        total = 1
        for _, yes, no in known.splits(mask):
            product = _count(known, yes, depth - 1, keep_trivial, seen)
            product *= _count(known, no, depth - 1, keep_trivial, seen)
            total += product - (not keep_trivial and known.label(yes) == known.label(no))
        seen[mask, depth] = total
    return seen[mask, depth]


def test_reading_does_not_slow_down_with_the_number_of_trees(huge: Any) -> None:
    """A hundred trees of 2**137: if others were listed on the way, this would never end."""
    for index in range(100):
        assert features_of(shape_of(huge[index * 10**35]))


def test_len_at_its_limit() -> None:
    trees = full_set(4, 10)
    assert 10**15 < trees.n_trees < sys.maxsize
    assert len(trees) == trees.n_trees == n_full_trees(4, 10)
    assert trees.vote(parity(4, 10)[0]).max() == 1


def test_the_cost_within_a_bound_is_the_highest_over_all_numbers_of_leaves() -> None:
    rng = np.random.default_rng(73)
    for _ in range(3000):
        weight, max_leaves = int(rng.integers(1, 300)), int(rng.integers(1, 80))
        price = Fraction(int(rng.integers(0, 50)), int(rng.integers(1, 1000)))
        objective = Fraction(int(rng.integers(-3, 300)), int(rng.integers(1, 200)))
        if rng.random() < 0.5:  # one that a tree has
            objective = Fraction(int(rng.integers(0, weight + 1)), weight) + 3 * price
        error, leaf, highest = within_bound(
            objective, price, weight, max_leaves, max_loss=weight - 1
        )
        costs = [
            error * min(weight - 1, math.floor((objective - price * leaves) * weight))
            + leaf * leaves
            for leaves in range(1, max_leaves + 1)
            if price * leaves <= objective
        ]
        # Without a penalty per leaf they all cost the same.
        assert highest == max(costs[:1] if price == 0 else costs, default=-1)
