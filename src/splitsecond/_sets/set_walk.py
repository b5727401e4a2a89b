"""A set walked with rows: what the core works out of it for a criterion, within limits."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._sets.criteria import Criterion, Leaves
from splitsecond._sets.evaluated_rows import EvaluatedRows, leaves_in
from splitsecond._sets.numbering import CHUNK
from splitsecond._trees.set_tree import SetTree
from splitsecond._trees.tree import Tree

if TYPE_CHECKING:
    from splitsecond._sets.tree_set import TreeSet

SHARE_OF_CORE = 0.8  # of the time; the rest is for looking at trees if that was not enough
AT_ONCE = 1e-9  # seconds


@dataclass(frozen=True)
class Limits:
    """What each question may use."""

    time_limit: float | None
    memory_limit: int | None

    def start(self) -> Clock:
        """Begin a question."""
        now = time.perf_counter()
        return Clock(self, now, None if self.time_limit is None else now + self.time_limit)


@dataclass(frozen=True)
class Clock:
    """The limits of one question, from when it began."""

    limits: Limits
    started: float
    ends: float | None

    def run(self) -> _core.RunOptions:
        """Return what is left, as the core takes it."""
        left = None
        if self.ends is not None:
            until = self.started + SHARE_OF_CORE * (self.ends - self.started)
            left = max(until - time.perf_counter(), AT_ONCE)
        return _core.RunOptions(time_limit=left, memory_limit=self.limits.memory_limit)

    def is_past(self) -> bool:
        """Whether the time is up."""
        return self.ends is not None and time.perf_counter() >= self.ends


@dataclass(frozen=True)
class LookedAt:
    """The best trees of a set, one by one, with the rows in their leaves."""

    nodes: list[NDArray[np.int32]]
    leaves: Leaves


class SetWalk:
    """The trees of a set and the rows that come to them; rows are walked once, when needed."""

    def __init__(self, trees: TreeSet, rows: EvaluatedRows) -> None:
        self.trees = trees
        self.rows = rows
        self._walked: _core.SetRows | None = None
        self._fronts: dict[tuple[str, bool], _core.Frontier] = {}
        self._looked: LookedAt | None = None

    def _walk(self, clock: Clock) -> _core.SetRows:
        if self._walked is None:
            walked = self._follow(clock.run())
            if walked.is_interrupted:
                raise KeyboardInterrupt
            self._walked = walked
        return self._walked

    def _follow(self, run: _core.RunOptions) -> _core.SetRows:
        return self.rows.walk(self.trees._graph, len(self.trees._reader.literals), run)

    def _prices(self, criterion: Criterion, *, negated: bool = False) -> NDArray[np.float64]:
        """Return what rows cost in leaves, by label or by node of the graph."""
        if criterion.by == "label":
            labels = np.arange(self.trees._graph.n_labels)
            prices = criterion.prices(labels, np.zeros((0, 0)))
        else:
            counts = self.trees._source.units.astype(np.int64)
            prices = criterion.prices(np.zeros(0, dtype=np.int64), counts)
        return -prices if negated else prices

    def front(self, criterion: Criterion, clock: Clock, *, negated: bool = False) -> Any:
        """Return the frontier of the sums of a criterion, which are negated for the maximum."""
        key = (criterion.name, negated)
        if key not in self._fronts:
            walked = self._walk(clock)
            prices = self._prices(criterion, negated=negated)
            least = np.ascontiguousarray(prices.min(axis=0))
            front = walked.frontier(prices, criterion.by, clock.run(), least=least)
            if front is None:
                raise KeyboardInterrupt
            self._fronts[key] = front
        return self._fronts[key]

    def mean(self, criterion: Criterion, clock: Clock) -> float:
        """Return the mean of the sums of all trees; NaN if a limit was met."""
        found = self._walk(clock).mean(self._prices(criterion), criterion.by, clock.run())
        return math.nan if found is None else float(found)

    def at_most(
        self, criterion: Criterion, bound: float, clock: Clock, *, negated: bool = False
    ) -> TreeSet | None:
        """Return the trees whose sum is at most a bound; None if a limit was met."""
        prices = self._prices(criterion, negated=negated)
        graph = self._walk(clock).at_most(prices, criterion.by, bound, clock.run())
        return None if graph is None else self.trees._of_graph(graph)

    def trees_of(self, front: Any) -> list[Tree]:
        """Return the trees of a frontier."""
        ends = [0, *front.ends.tolist()]
        return [self.tree(front.nodes[:, a:b]) for a, b in itertools.pairwise(ends)]

    def tree(self, nodes: NDArray[np.int32]) -> Tree:
        """Return a tree by its nodes."""
        return SetTree.of(self.trees._source, nodes)

    def look(self, max_trees: int, clock: Clock) -> LookedAt:
        """Return the best trees with the rows in their leaves; at least some, whatever the time."""
        if self._looked is None:
            # To follow rows down single trees, the set need not be walked.
            rows = self._walked or self._follow(_core.RunOptions(time_limit=AT_ONCE))
            numbering, source = self.trees._numbering, self.trees._source
            nodes: list[NDArray[np.int32]] = []
            parts: list[Leaves] = []
            places = range(min(max_trees, self.trees.n_trees))
            for begin in range(0, len(places), CHUNK):
                numbers = numbering.numbers(places[begin : begin + CHUNK])
                flat, ends = self.trees._graph.trees(numbers)
                weights = rows.weights(flat[0], flat[1], flat[2], ends)
                nodes += [flat[:, a:b] for a, b in itertools.pairwise([0, *ends.tolist()])]
                parts.append(leaves_in(flat, ends, weights, source))
                if clock.is_past():
                    break
            self._looked = LookedAt(nodes, _joined(parts))
        return self._looked


def _joined(parts: Sequence[Leaves]) -> Leaves:
    shifts = np.cumsum([0, *(len(part.labels) for part in parts[:-1])])
    begins = [part.begins + shift for part, shift in zip(parts, shifts, strict=True)]
    labels, counts, weights = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("labels", "counts", "weights")
    )
    return Leaves(labels, counts, weights, np.concatenate(begins))
