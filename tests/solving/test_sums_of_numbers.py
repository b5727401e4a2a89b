"""Losses of numbers in the core: squared error and Poisson deviance, by brute force.

A row stands in all channels (core/losses/sums.hpp): its weight, an offset that keeps the loss of a
leaf at least 0, and weight times number in limbs. The encoding here is the test's own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from seeds import seeds

from splitsecond import _core
from splitsecond._solving.exact import leaf_price
from splitsecond._tables.reading import read_table

BITS = 40
OFFSET_LEVELS = 1000
MAX_OFFSETS = 1000  # times the root's loss: with more, units would not fit the core's doubles
LOSSES = ("squared_error", "poisson")
EACH = 50  # problems of a test


@dataclass(frozen=True)
class Numbers:
    """Rows with weights and whole numbers, and what a tree is to be found for."""

    X: NDArray[np.uint8]
    y: NDArray[np.int64]
    weight: NDArray[np.int64]
    loss: str
    price: Fraction
    depth: int
    min_rows: int
    limb_bits: int
    is_centred: bool  # and its offsets whole numbers of units: both for squared error alone

    def leaf(self, rows: NDArray[Any]) -> float:
        """The loss of a leaf, less that of its rows by themselves."""
        weight, y = self.weight[rows], self.y[rows]
        n, s = int(weight.sum()), int((weight * y).sum())
        if self.loss == "squared_error":
            return float(Fraction(int((weight * y * y).sum()) * n - s * s, n))
        alone = sum(w * v * math.log(v) for w, v in zip(weight, y, strict=True) if v > 0)
        return 2 * (alone - (s * math.log(s / n) if s > 0 else 0.0))

    @cached_property
    def root(self) -> float:
        return self.leaf(np.arange(len(self.y)))

    def objective(self, rows: NDArray[Any]) -> float:
        return self.leaf(rows) / self.root + float(self.price)

    def splits(self, rows: NDArray[Any]) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """Both sides of every feature that leaves enough rows on each."""
        found = []
        for j in range(self.X.shape[1]):
            sides = rows[self.X[rows, j] == 1], rows[self.X[rows, j] == 0]
            if all((self.weight[side] > 0).sum() >= self.min_rows for side in sides):
                found.append(sides)
        return found

    def greedy(self, rows: NDArray[Any], depth: int) -> float:
        leaf, best, lowest = self.objective(rows), None, math.inf
        for sides in self.splits(rows) if depth > 0 else []:
            after = sum(map(self.leaf, sides))
            if after < lowest - 1e-9 * self.root:  # ties go to the first
                best, lowest = sides, after
        if best is None:
            return leaf
        return min(leaf, sum(self.greedy(side, depth - 1) for side in best))

    def value(self, rows: NDArray[Any], depth: int, lookahead: int) -> float:
        if lookahead == 0 or depth == 0:
            return self.greedy(rows, depth)
        lowest = self.objective(rows)
        for sides in self.splits(rows):
            lowest = min(lowest, sum(self.value(s, depth - 1, lookahead - 1) for s in sides))
        return lowest

    # ---- as the core takes it ------------------------------------------------------------------

    @property
    def centre(self) -> int:
        if not self.is_centred or self.loss != "squared_error":
            return 0
        return round(int((self.weight * self.y).sum()) / int(self.weight.sum()))

    def single_rows(self) -> NDArray[np.float64]:
        """What the offset stands for, of each row."""
        sums = (self.weight * self.y).astype(float)
        if self.loss == "squared_error":
            return self.weight * (self.y - float(self.centre)) ** 2
        rate = np.maximum(self.y, 1) / self.y.max()
        return np.where(self.y > 0, -2 * sums * np.log(rate), 0.0)

    def solve(self, algorithm: str, lookahead: int) -> Any:
        single = self.single_rows()
        unit = max(single.max(), 1e-300) / OFFSET_LEVELS
        scale = 2.0**BITS / self.root
        if self.is_centred:
            unit = math.ceil(unit * scale) / scale
        levels = single / unit
        is_error = self.loss == "squared_error"
        # Up for squared error and down for Poisson, whatever doubles do.
        rounded = np.ceil(levels * (1 + 1e-12)) if is_error else np.floor(levels * (1 - 1e-12))
        left, limbs = self.weight * self.y, []
        while not limbs or left.any():
            limbs.append(left & ((1 << self.limb_bits) - 1))
            left = left >> self.limb_bits
        channels = [self.weight, np.maximum(rounded, 0) * (self.weight > 0), *limbs]
        sums = np.ascontiguousarray(np.vstack(channels), dtype=np.int32)
        parameters = _core.Sums(
            limb=float(1 << self.limb_bits),
            offset=unit,
            magnitude=float(4 * single.sum() + (self.weight * self.y).sum() * 100 + 1),
            max_rate=float(self.y.max()),
            centre=float(self.centre),
        )
        max_leaves = 2 * min(2**self.depth, len(self.y))
        max_loss = 4 * 2**BITS + max_leaves
        prices = leaf_price(self.price, Fraction(2**BITS), max_leaves, max_loss=max_loss)
        objective = _core.Objective(
            *prices, self.loss, scale=scale, unit_bits=BITS, sums=parameters
        )
        request = _core.TreeRequest(
            algorithm,
            objective,
            max_depth=self.depth,
            lookahead=lookahead,
            postprocess=False,
            exact_last_split=False,
            min_leaf_rows=self.min_rows,
            run=_core.RunOptions(n_threads=2),
            speed=_core.Speed(),
        )
        return _core.solve(read_table(self.X).core(), _core.Target.of_sums(sums), request)

    def objective_of(self, found: Any) -> float:
        """The objective of a tree, by its rows."""

        def below(node: int, rows: NDArray[Any]) -> float:
            feature = found.feature[node]
            if feature < 0:
                return self.objective(rows)
            is_yes = self.X[rows, feature] == 1
            sides = rows[is_yes], rows[~is_yes]
            assert all((self.weight[side] > 0).sum() >= self.min_rows for side in sides)
            children = found.left[node], found.right[node]
            return sum(below(child, side) for child, side in zip(children, sides, strict=True))

        return below(0, np.arange(len(self.y)))


def random_numbers(seed: int) -> Numbers | None:
    """Return a problem; None: its rows are alike, or too close for this encoding."""
    rng = np.random.default_rng(seed)
    n_rows, n_features = int(rng.integers(2, 40)), int(rng.integers(1, 5))
    weight = rng.integers(0, 4, n_rows) if rng.random() < 0.4 else np.ones(n_rows, dtype=np.int64)
    weight[0] = max(weight[0], 1)
    y = rng.integers(0, int(rng.choice([3, 50, 5000, 10**6])), n_rows) * (weight > 0)
    problem = Numbers(
        X=rng.integers(0, 2, (n_rows, n_features)).astype(np.uint8),
        y=y,
        weight=weight,
        loss=str(rng.choice(LOSSES)),
        price=Fraction(int(rng.integers(0, 20)), 100),
        depth=min(int(rng.integers(0, 4)), n_features),
        min_rows=int(rng.choice([1, 1, 2, 4])),
        limb_bits=int(rng.integers(4, 13)),
        is_centred=bool(rng.integers(0, 2)),
    )
    if y.max() == 0 or problem.root < 1e-6:
        return None
    if problem.single_rows().sum() > MAX_OFFSETS * problem.root:
        return None
    return problem


@pytest.mark.parametrize("part", seeds(20, n_quick=1))
def test_values_are_those_of_the_definitions(part: int) -> None:
    for seed in range(part * EACH, (part + 1) * EACH):
        problem = random_numbers(seed)
        if problem is not None:
            check_values(problem, seed)


def check_values(problem: Numbers, seed: int) -> None:
    rows, depth = np.arange(len(problem.y)), problem.depth
    optimum = problem.value(rows, depth, depth)
    expected = {
        ("greedy", 0): problem.greedy(rows, depth),
        ("optimal", 0): optimum,
        **{("split", k): problem.value(rows, depth, k) for k in range(depth + 1)},
    }
    for (algorithm, lookahead), value in expected.items():
        found = problem.objective_of(problem.solve(algorithm, lookahead))
        assert found == pytest.approx(value, abs=1e-9), (seed, algorithm, lookahead)
    lickety = problem.objective_of(problem.solve("lickety", 1))
    assert optimum - 1e-9 <= lickety <= problem.value(rows, depth, 1) + 1e-9, seed


def test_targets_that_are_refused() -> None:
    table = read_table(np.array([[0], [1]], dtype=np.uint8)).core()
    request = _request("squared_error")
    with pytest.raises(ValueError, match="channels"):
        _core.Target.of_sums(np.array([[1, 1], [0, 0]], dtype=np.int32))
    for limbs, reason in (([-1, 2], "negative"), ([0, 2**31 - 1], "add up")):
        target = _core.Target.of_sums(np.array([[1, 1], [0, 0], limbs], dtype=np.int32))
        with pytest.raises(ValueError, match=reason):
            _core.solve(table, target, request)
    target = _core.Target.of_sums(np.array([[0, 1], [0, 0], [1, 2]], dtype=np.int32))
    with pytest.raises(ValueError, match="without weight"):
        _core.solve(table, target, request)


def test_losses_and_targets_belong_together() -> None:
    table = read_table(np.array([[0], [1]], dtype=np.uint8))
    sums = _core.Target.of_sums(np.array([[1, 1], [0, 4], [0, 2]], dtype=np.int32))
    classes = _core.Target(np.array([0, 1], dtype=np.uint8), 3)
    with pytest.raises(ValueError, match="numbers"):
        _core.solve(table.core(), sums, _request("zero_one"))
    with pytest.raises(ValueError, match="numbers"):
        _core.solve(table.core(), classes, _request("squared_error"))
    with pytest.raises(ValueError, match="sums"):
        _core.Objective(1, 1, "squared_error")
    with pytest.raises(ValueError, match="range"):
        _core.Sums(limb=0.5, offset=1.0, magnitude=1.0)


def _request(loss: str) -> _core.TreeRequest:
    sums = _core.Sums(limb=16.0, offset=1.0, magnitude=10.0) if loss in LOSSES else None
    return _core.TreeRequest(
        "optimal",
        _core.Objective(1, 1, loss, sums=sums),
        max_depth=1,
        lookahead=1,
        postprocess=False,
        exact_last_split=False,
        run=_core.RunOptions(),
        speed=_core.Speed(),
    )
