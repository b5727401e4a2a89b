"""A set walked with rows: what the core works out of it for a criterion, within limits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._sets.criteria import Criterion, Leaves
from splitsecond._sets.evaluated_rows import EvaluatedRows, leaves_in
from splitsecond._sets.limits import AT_ONCE, Clock
from splitsecond._sets.numbering import CHUNK
from splitsecond._trees.set_tree import SetTree
from splitsecond._trees.tree import Tree

if TYPE_CHECKING:
    from splitsecond._sets.tree_set import TreeSet


@dataclass(frozen=True)
class LookedAt:
    """The best trees of a set, one by one, with the rows in their leaves."""

    nodes: list[NDArray[np.int32]]
    leaves: Leaves
    objectives: list[float]  # as the set counts them


class SetWalk:
    """The trees of a set and the rows that come to them.

    What is complete is kept. What a time limit ended is gone on with by the next question, which
    has time of its own.
    """

    def __init__(self, trees: TreeSet, rows: EvaluatedRows) -> None:
        self.trees = trees
        self.rows = rows
        self._walked: _core.SetRows | None = None
        self._walked_for: Clock | None = None
        self._fronts: dict[tuple[str, bool], _core.Frontier] = {}
        self._nodes: list[NDArray[np.int32]] = []  # of the trees looked at
        self._leaves: list[Leaves] = []  # of chunks of these
        self._looked: LookedAt | None = None  # all of them

    def _walk(self, clock: Clock) -> _core.SetRows:
        if self._walked is None or self._may_go_further(clock):
            walked = self._follow(clock.run())
            if walked.is_interrupted:
                raise KeyboardInterrupt
            self._walked, self._walked_for = walked, clock
        return self._walked

    def _may_go_further(self, clock: Clock) -> bool:
        """Tell whether a new question should walk again: only time may be enough this time."""
        assert self._walked is not None
        is_new = clock is not self._walked_for and clock.ends is not None
        return is_new and not self._walked.is_complete

    def _follow(self, run: _core.RunOptions) -> _core.SetRows:
        return self.rows.walk(self.trees._graph, self.trees._source, run)

    def _prices(self, criterion: Criterion, *, negated: bool = False) -> NDArray[np.float64]:
        """Return what rows cost in leaves, by label or by node of the graph."""
        if criterion.by == "label":
            labels = np.arange(self.trees._graph.n_labels)
            prices = criterion.prices(labels, np.zeros((0, 0)))
        else:
            facts = self.trees._source.facts
            prices = criterion.prices(np.zeros(0, dtype=np.int64), facts)
        return -prices if negated else prices

    def front(self, criterion: Criterion, clock: Clock, *, negated: bool = False) -> Any:
        """Return the frontier of the sums of a criterion, which are negated for the maximum."""
        key = (criterion.name, negated)
        if key in self._fronts:
            return self._fronts[key]
        walked = self._walk(clock)
        prices = self._prices(criterion, negated=negated)
        least = criterion.metric.values.least(prices)
        front = walked.frontier(prices, criterion.by, clock.run(), least=least)
        if front is None:
            raise KeyboardInterrupt
        if front.is_exact:
            self._fronts[key] = front
        return front

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
        places = range(min(max_trees, self.trees.n_trees))
        while len(self._nodes) < len(places) and not (self._nodes and clock.is_past()):
            self._look_at(places[len(self._nodes) :][:CHUNK])
            self._looked = None
        if self._looked is None:
            objectives = _objectives(self.trees, len(self._nodes))
            self._looked = LookedAt([*self._nodes], _joined(self._leaves), objectives)
        return self._looked

    def _look_at(self, places: range) -> None:
        # To follow rows down single trees, the set need not be walked.
        rows = self._walked or self._follow(_core.RunOptions(time_limit=AT_ONCE))
        flat, ends = self.trees._graph.trees(self.trees._numbering.numbers(places))
        weights = rows.weights(flat, ends)
        self._nodes += [flat[:, a:b] for a, b in itertools.pairwise([0, *ends.tolist()])]
        self._leaves.append(leaves_in(flat, ends, weights, self.trees._source))


def _objectives(trees: TreeSet, n_trees: int) -> list[float]:
    """Return the objectives of the best trees, which are in their order."""
    found: list[float] = []
    for objective, n in trees.objective_histogram().items():
        found += [objective] * min(n, n_trees - len(found))  # whole numbers of any size
        if len(found) == n_trees:
            break
    return found


def _joined(parts: Sequence[Leaves]) -> Leaves:
    shifts = np.cumsum([0, *(len(part.labels) for part in parts[:-1])])
    begins = [part.begins + shift for part, shift in zip(parts, shifts, strict=True)]
    labels, counts, weights = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("labels", "counts", "weights")
    )
    return Leaves(labels, counts, weights, np.concatenate(begins))
