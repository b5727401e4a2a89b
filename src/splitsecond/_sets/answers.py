"""Ranges and frontiers of criteria over a set: by the core, or of the trees looked at."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._sets.criteria import Criterion
from splitsecond._sets.evaluation_results import CriterionRange, FrontierPoint, warn_of_bounds
from splitsecond._sets.limits import Clock
from splitsecond._sets.nonadditive import NonAdditive
from splitsecond._sets.set_walk import LookedAt, SetWalk


class Answers:
    """What is asked about the trees of a set on given rows, within the limits of a question."""

    def __init__(self, walk: SetWalk, max_trees: int) -> None:
        self._walk = walk
        self._max_trees = max_trees

    def look(self, clock: Clock) -> LookedAt:
        """Return the best trees, one by one."""
        return self._walk.look(self._max_trees, clock)

    def range(self, criterion: Criterion | NonAdditive, clock: Clock) -> CriterionRange:
        """Return the range of a criterion."""
        if not isinstance(criterion, Criterion):
            return self._range_found(criterion, clock)
        if not criterion.is_defined:
            return CriterionRange(criterion.name, "undefined")
        low = self._walk.front(criterion, clock)
        high = self._walk.front(criterion, clock, negated=True)
        minimum, maximum = criterion.value(low.values[-1]), criterion.value(-high.values[-1])
        if not (low.is_exact and high.is_exact):
            found = self._range_found(criterion, clock)
            if self._are_all(found.n_looked_at):
                return replace(found, kind="exact", n_looked_at=0)
            warn_of_bounds(criterion.name)
            return replace(found, kind="bounds", minimum=minimum, maximum=maximum, mean=math.nan)
        mean = criterion.value(self._walk.mean(criterion, clock))
        lowest, highest = (self._walk.trees_of(front)[-1] for front in (low, high))
        ends = (minimum, maximum, mean, minimum, maximum)
        return CriterionRange(criterion.name, "exact", *ends, lowest, highest)

    def exact_ends(self, criterion: Criterion, clock: Clock) -> tuple[float, float] | None:
        """Return minimum and maximum of a criterion; None if that takes too long."""
        fronts = [self._walk.front(criterion, clock, negated=each) for each in (False, True)]
        if not all(front.is_exact for front in fronts):
            return None
        low, high = fronts
        return criterion.value(low.values[-1]), criterion.value(-high.values[-1])

    def _range_found(self, criterion: Criterion | NonAdditive, clock: Clock) -> CriterionRange:
        looked = self.look(clock)
        values: NDArray[np.float64] = criterion.of_leaves(looked.leaves)
        if np.isnan(values).all():
            return CriterionRange(criterion.name, "undefined")
        low, high = int(np.nanargmin(values)), int(np.nanargmax(values))
        ends = float(values[low]), float(values[high])
        trees = self._walk.tree(looked.nodes[low]), self._walk.tree(looked.nodes[high])
        mean = float(np.nanmean(values))
        return CriterionRange(criterion.name, "found", *ends, mean, *ends, *trees, len(values))

    def frontier(
        self, criterion: Criterion | NonAdditive, end: str, clock: Clock
    ) -> list[FrontierPoint]:
        """Return the frontier of a criterion at one of its ends."""
        if not isinstance(criterion, Criterion):
            return self._frontier_found(criterion, end, clock)
        if not criterion.is_defined:
            return []
        is_maximum = end == "maximum"
        front = self._walk.front(criterion, clock, negated=is_maximum)
        values = [criterion.value(-raw if is_maximum else raw) for raw in front.values.tolist()]
        sizes = zip(front.costs.tolist(), front.leaves.tolist(), strict=True)
        objectives = [float(self._walk.trees._scale.objective(*size)) for size in sizes]
        trees: list[Any] = [None] * len(values)
        if front.is_exact:
            trees = self._walk.trees_of(front)
        elif self._are_all(len(self.look(clock).nodes)):
            return self._frontier_found(criterion, end, clock)
        else:
            warn_of_bounds(criterion.name)
        return list(map(FrontierPoint, objectives, values, trees))

    def _frontier_found(
        self, criterion: Criterion | NonAdditive, end: str, clock: Clock
    ) -> list[FrontierPoint]:
        looked = self.look(clock)
        sign = 1 if end == "minimum" else -1
        best: dict[float, tuple[float, int]] = {}  # by objective: a value and its tree
        least = math.inf
        for place, value in enumerate(criterion.of_leaves(looked.leaves).tolist()):
            if sign * value < least:  # which NaN never is
                least = sign * value
                best[looked.objectives[place]] = value, place
        return [
            FrontierPoint(objective, value, self._walk.tree(looked.nodes[place]))
            for objective, (value, place) in best.items()
        ]

    def _are_all(self, n_looked_at: int) -> bool:
        """Tell whether every tree of the set was looked at: then nothing is left to bound."""
        return n_looked_at == self._walk.trees.n_trees
