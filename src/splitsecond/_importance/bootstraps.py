"""Bootstrap samples, the sets of trees found for them, and the reliances of those trees."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._binarizers.base import Target
from splitsecond._estimators.base import ProgressFunction, progress_of
from splitsecond._estimators.sets import RashomonClassifier
from splitsecond._sets.tree_set import TreeSet
from splitsecond._tables.binary import Table
from splitsecond._tables.bits import pack_columns
from splitsecond._tables.weights import as_integers

CHUNK = 250  # trees between two looks at the clock


@dataclass(frozen=True)
class Sample:
    """What a bootstrap comes to: the core's counts, a row for each tree."""

    variables: NDArray[np.intp]  # those that any of its trees may ask about: the columns
    permuted: NDArray[np.int64]  # weight * expected errors; -1 where a tree does not ask
    errors: NDArray[np.int64]
    weight: int
    n_trees: int
    status: str


@dataclass
class Crew:
    """The bootstraps at work in this process. Of those in others it knows nothing."""

    at_work: set[int] = field(default_factory=set)  # their seeds
    dismissed: bool = False

    def dismiss(self) -> None:
        """End what is at work in other threads: Python must not end before them."""
        self.dismissed = True
        patience = time.perf_counter() + 1
        while self.at_work and time.perf_counter() < patience:
            time.sleep(0.002)


def bootstrap(
    estimator: RashomonClassifier,
    table: Table,
    target: Target,
    variable_of: list[int],
    *,
    seed: int,
    max_trees: int,
    deadline: float | None,
    crew: Crew,
) -> Sample | None:
    """Find the set of one bootstrap sample and the reliances of its trees; None: out of time."""
    crew.at_work.add(seed)
    try:
        one = _Bootstrap(
            estimator=copy.copy(estimator),  # threads share the original
            table=table,
            target=target,
            random=np.random.RandomState(seed),
            deadline=deadline,
            crew=crew,
            progress=progress_of(estimator.verbose),
        )
        return one.sample(variable_of, max_trees)
    finally:
        crew.at_work.discard(seed)


@dataclass(frozen=True)
class _Bootstrap:
    """One bootstrap sample, and its set."""

    estimator: RashomonClassifier
    table: Table
    target: Target
    random: np.random.RandomState
    deadline: float | None  # by the clock on the wall: it may run in another process
    crew: Crew
    progress: ProgressFunction | None

    def sample(self, variable_of: list[int], max_trees: int) -> Sample | None:
        """Return the reliances of its trees, or None if the time is up."""
        weights = self._draw()
        status = self._solve(weights)
        if status is None:
            return None
        trees: TreeSet = self.estimator.trees_
        asked = set(trees._graph.features())
        variables = sorted({variable_of[j] for j in asked})
        place = {variable: i for i, variable in enumerate(variables)}
        rows = _core.Reliance(
            pack_columns(self.table, asked, len(variable_of)),
            [place.get(variable, 0) for variable in variable_of],
            np.ascontiguousarray(self.target.codes, dtype=np.int32),
            self.target.n_classes,
            as_integers(weights),
        )
        n_trees = trees.n_trees
        whole = n_trees <= max_trees
        permuted, errors = [], []
        everything = range(min(n_trees, max_trees))
        for begin in range(0, len(everything), CHUNK):
            some = everything[begin : begin + CHUNK]
            numbers = trees._numbers(some) if whole else trees._draw(len(some), self.random)
            of_trees, errors_of, weight, stopped = rows.of_set(trees._graph, numbers)
            if stopped:
                raise KeyboardInterrupt
            self._listen()
            if self._is_late():
                return None
            permuted.append(of_trees.reshape(len(numbers), -1)[:, : len(variables)])
            errors.append(errors_of)
        return Sample(
            variables=np.array(variables, dtype=np.intp),
            permuted=np.concatenate(permuted),
            errors=np.concatenate(errors),
            weight=weight,
            n_trees=n_trees,
            status=status,
        )

    def _draw(self) -> NDArray[np.float64]:
        """Draw as many rows as there are; one of weight 0 is as good as absent."""
        weights, n_rows = self.target.weights, self.table.n_rows
        present = np.arange(n_rows) if weights is None else np.flatnonzero(weights)
        drawn = present[self.random.randint(0, len(present), len(present))]
        counts = np.bincount(drawn, minlength=n_rows).astype(np.float64)
        return counts if weights is None else counts * weights

    def _solve(self, weights: NDArray[np.float64]) -> str | None:
        """Find the set and return its status, or None if the time is up."""
        if self._is_late():
            return None
        limit = self.estimator._seconds()
        left = None if self.deadline is None else self.deadline - time.time()
        is_ours = left is not None and (limit is None or left < limit)
        seconds = left if is_ours else limit
        ends = None if seconds is None else time.perf_counter() + seconds
        own = Target(self.target.codes, self.target.n_classes, weights, ends)
        self.estimator.verbose = self._listen
        status = self.estimator._solve(self.table, own).status
        if status == "interrupted":
            raise KeyboardInterrupt
        return None if self._is_late() or (status == "time_limit" and is_ours) else status

    def _listen(self, *far: Any) -> None:
        """Hear how far the search is, and end it if need be."""
        if self.crew.dismissed:
            raise KeyboardInterrupt
        if self.progress is not None and far:
            self.progress(*far)

    def _is_late(self) -> bool:
        return self.deadline is not None and time.time() >= self.deadline
