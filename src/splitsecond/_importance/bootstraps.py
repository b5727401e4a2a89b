"""Bootstrap samples, the sets of trees found for them, and the reliances of those trees."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._binarizers.base import Target
from splitsecond._binarizers.limits import BinarizingLimits
from splitsecond._counts.count_table import CountTable
from splitsecond._estimators.base import ProgressFunction, progress_of
from splitsecond._estimators.sets import RashomonEstimator, SetSolution
from splitsecond._importance.reliance import number_rows, row_losses, unit_of
from splitsecond._sets.numbering import Numbering
from splitsecond._solving.losses import ZERO_ONE
from splitsecond._solving.number_losses import OfNumbers
from splitsecond._tables.binary import Table
from splitsecond._tables.bits import pack_bits

CHUNK = 250  # trees between two looks at the clock


@dataclass(frozen=True)
class Sample:
    """What a bootstrap comes to: the core's counts, a row for each tree."""

    variables: NDArray[np.intp]  # those that any of its trees may ask about: the columns
    permuted: NDArray[Any]  # weight * expected loss; -1 where a tree does not ask
    losses: NDArray[Any]
    weight: float
    n_trees: int
    status: str
    unit: float = 1.0  # what a loss of 1 is in the user's numbers


@dataclass(frozen=True)
class Deadline:
    """The end of a job by the wall clock, the one that other processes and machines share."""

    ends: float | None  # by time.time()

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return the deadline so many seconds from now; None: there is none."""
        return cls(None if seconds is None else time.time() + seconds)

    def seconds_left(self) -> float | None:
        """Return the seconds left, below 0 if it is past."""
        return None if self.ends is None else self.ends - time.time()

    def is_past(self) -> bool:
        """Whether the time is up."""
        return self.ends is not None and time.time() >= self.ends


def counter_after(seconds: float | None) -> float | None:
    """Return a deadline by time.perf_counter(), which a fit in one process is timed with."""
    return None if seconds is None else time.perf_counter() + seconds


@dataclass
class RunningBootstraps:
    """The bootstraps running in this process. Of those in others it knows nothing."""

    active: set[int] = field(default_factory=set)  # their seeds
    cancelled: bool = False

    def cancel(self) -> None:
        """End those in other threads: Python must not end before them."""
        self.cancelled = True
        grace_until = time.perf_counter() + 1
        while self.active and time.perf_counter() < grace_until:
            time.sleep(0.002)


class TrainingRows:
    """The table, target and weights that all bootstraps draw from, made ready for the core once.

    A column is packed when trees first ask about it, and then kept for all bootstraps.
    """

    def __init__(
        self,
        table: Table,
        target: Target,
        variable_of: list[int],
        counts: CountTable | None = None,
        class_weight: Any = None,
    ) -> None:
        self._given = table
        self.counts, self.class_weight = counts, class_weight  # in place of rows
        self._class_weights = class_weight  # balanced ones are those of all rows
        if counts is not None and class_weight is not None:
            self._class_weights = counts.class_weights(class_weight)
        self.table = table.in_rows()
        self.target = target
        self.codes = None
        if target.codes is not None:
            self.codes = np.ascontiguousarray(target.codes, dtype=np.int32)
        self.variable_of = variable_of  # the variable that each 0/1 column asks about
        self._packed: dict[int, NDArray[np.uint64]] = {}

    def __reduce__(self) -> Any:
        # Another process makes ready its own: the table as it was given may be far smaller.
        given = (self._given, self.target, self.variable_of, self.counts, self.class_weight)
        return TrainingRows, given

    @property
    def n_present(self) -> int:
        """Rows of some weight, as many as are drawn."""
        return self.target.n_present(self.table.n_rows)

    def draw(self, random: np.random.RandomState) -> Target:
        """Draw as many rows as there are, and return them with their weights.

        Rows of weight 0 are absent.
        """
        if self.counts is not None:
            return self._draw_counts(random)
        return replace(self.target, weights=self._draw_rows(random))

    def _draw_rows(self, random: np.random.RandomState) -> NDArray[np.float64]:
        weights, n_rows = self.target.weights, self.table.n_rows
        present = np.arange(n_rows) if weights is None else np.flatnonzero(weights)
        drawn = present[random.randint(0, len(present), len(present))]
        counts = np.bincount(drawn, minlength=n_rows).astype(np.float64)
        return counts if weights is None else counts * weights

    def _draw_counts(self, random: np.random.RandomState) -> Target:
        """Draw rows of a count table: so many of each entry."""
        counts, target = self.counts, self.target
        assert counts is not None
        rows = counts.rows.astype(np.float64)
        drawn = random.multinomial(self.n_present, rows / rows.sum()).astype(np.int64)
        weights = None if counts.weights is None else counts.weights.shared(counts.rows)
        merged = replace(counts, rows=drawn, weights=weights).merged(self._class_weights)
        of_rows = drawn.astype(np.float64) if weights is None else weights.of_rows(drawn)
        is_of_numbers = target.numbers is not None
        return replace(target, merged=merged, weights=of_rows if is_of_numbers else None)

    def packed(self, asked: Iterable[int]) -> list[NDArray[np.uint64]]:
        """Return the columns asked for as bits, and empty arrays for the others."""
        columns = [np.zeros(0, dtype=np.uint64)] * len(self.variable_of)
        for j in asked:
            if j not in self._packed:  # another thread may pack it too: to the same bits
                self._packed[j] = pack_bits(self.table.column(j))
            columns[j] = self._packed[j]
        return columns


def bootstrap(
    estimator: RashomonEstimator,
    rows: TrainingRows,
    *,
    seed: int,
    max_trees: int,
    deadline: Deadline,
    running: RunningBootstraps,
) -> Sample | None:
    """Find the set of one bootstrap sample and the reliances of its trees; None: out of time."""
    running.active.add(seed)
    try:
        one = _Bootstrap(
            estimator=copy.copy(estimator),  # threads share the original
            rows=rows,
            random=np.random.RandomState(seed),
            deadline=deadline,
            running=running,
            progress=progress_of(estimator.verbose),
        )
        return one.sample(max_trees)
    finally:
        running.active.discard(seed)


@dataclass(frozen=True)
class _Bootstrap:
    """One bootstrap sample, and its set."""

    estimator: RashomonEstimator
    rows: TrainingRows
    random: np.random.RandomState
    deadline: Deadline
    running: RunningBootstraps
    progress: ProgressFunction | None

    def sample(self, max_trees: int) -> Sample | None:
        """Return the reliances of its trees, or None if the time is up."""
        drawn = self.rows.draw(self.random)
        found = self._solve(drawn)
        if found is None:
            return None
        asked, variable_of = found.graph.features(), self.rows.variable_of
        variables = sorted({variable_of[j] for j in asked})
        place = {variable: i for i, variable in enumerate(variables)}
        of_set = self._measure(found, drawn, [place.get(each, 0) for each in variable_of])
        numbering = Numbering(found.graph)
        n_trees = numbering.n_trees
        whole = n_trees <= max_trees
        permuted, losses = [], []
        places = range(min(n_trees, max_trees))
        for begin in range(0, len(places), CHUNK):
            some = places[begin : begin + CHUNK]
            numbers = numbering.numbers(some) if whole else numbering.draw(len(some), self.random)
            of_trees, lost, weight, stopped = of_set(numbers)
            if stopped:
                raise KeyboardInterrupt
            self._poll()
            if self.deadline.is_past():
                return None
            permuted.append(of_trees.reshape(len(numbers), -1)[:, : len(variables)])
            losses.append(lost)
        return Sample(
            variables=np.array(variables, dtype=np.intp),
            permuted=np.concatenate(permuted),
            losses=np.concatenate(losses),
            weight=weight,
            n_trees=n_trees,
            status=found.status,
            unit=unit_of(self.rows.target.loss),
        )

    def _measure(
        self, found: SetSolution, target: Target, variable_of: list[int]
    ) -> Callable[[Any], Any]:
        """Return what measures trees, given their numbers, on the rows that were drawn."""
        rows, graph = self.rows, found.graph
        columns = rows.packed(graph.features())
        if isinstance(target.loss, OfNumbers):
            assert target.numbers is not None
            of_numbers = number_rows(
                columns,
                variable_of,
                target.loss,
                target.numbers,
                target.weights,
                n_rows=rows.n_present,
            )
            return partial(of_numbers.of_set, graph)
        assert rows.codes is not None
        of_classes = _core.Reliance(
            columns, variable_of, rows.codes, target.n_classes, found.integers
        )
        return partial(of_classes.of_set, graph, row_losses=self._row_losses(found))

    def _row_losses(self, found: SetSolution) -> NDArray[np.float64] | None:
        """Return what rows lose at the nodes of the graph; None: they are errors."""
        loss, graph = self.rows.target.loss, found.graph
        if loss == ZERO_ONE:
            return None
        counts = graph.counts().reshape(-1, graph.n_classes).astype(np.int64)
        return row_losses(loss, counts, found.weight / self.rows.n_present)

    def _solve(self, target: Target) -> SetSolution | None:
        """Find the set, or None if the time is up."""
        if self.deadline.is_past():
            return None
        limit, left = self.estimator._seconds(), self.deadline.seconds_left()
        is_ours = left is not None and (limit is None or left < limit)
        ends = counter_after(left if is_ours else limit)
        own = replace(target, deadline=ends, limits=BinarizingLimits())
        self.estimator.verbose = self._poll
        found = self.estimator._solve(self.rows.table, own)
        assert isinstance(found, SetSolution)  # the table was checked
        if found.status == "interrupted":
            raise KeyboardInterrupt
        is_cut = found.status == "time_limit" and is_ours
        return None if is_cut or self.deadline.is_past() else found

    def _poll(self, *progress: Any) -> None:
        """End the search if the job was cancelled; pass on how far it is."""
        if self.running.cancelled:
            raise KeyboardInterrupt
        if self.progress is not None and progress:
            self.progress(*progress)
