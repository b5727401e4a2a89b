"""Who reads the partitions of a table: threads here, or the workers of a cluster.

What is computed of partitions is a partial result that can be pickled, and partial results combine
in any order and grouping. So nothing depends on how a table is divided, or on who reads it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Protocol, TypeVar

import pyarrow as pa

Partial = TypeVar("Partial")

Work = Callable[[Iterable[pa.RecordBatch]], Partial]
Combine = Callable[[Sequence[Partial]], Partial]
# Called with the rows read, how many there are (0: it is not known), and the seconds so far.
Progress = Callable[[int, int, float], object]

MAX_ROWS = 1 << 16  # of a batch: temporary columns stay in the caches
POLL = 0.05  # seconds between two looks for Ctrl-C


class Engine(Protocol):
    """Reads all partitions once."""

    def reduce(
        self, columns: Sequence[str], work: Work[Partial], combine: Combine[Partial]
    ) -> Partial:
        """Return the combined results of work on all partitions, given some of their columns."""


class LocalEngine:
    """Reads batches on threads: each takes the next one, so that few are in memory at a time."""

    def __init__(
        self,
        batches: Callable[[Sequence[str]], Iterable[pa.RecordBatch]],
        *,
        n_rows: int = 0,
        n_threads: int = 1,
        progress: Progress | None = None,
    ) -> None:
        self._batches = batches
        self._n_rows = n_rows
        self._n_threads = n_threads
        self._progress = progress

    def reduce(
        self, columns: Sequence[str], work: Work[Partial], combine: Combine[Partial]
    ) -> Partial:
        """Return the combined results of all threads; Ctrl-C ends them."""
        shared = _Shared(self._batches(columns), self._n_rows, self._progress)
        if self._n_threads == 1:
            return combine([work(shared)])
        with ThreadPoolExecutor(self._n_threads) as pool:
            running = {pool.submit(work, shared) for _ in range(self._n_threads)}
            waiting, done = set(running), []
            try:
                while waiting:
                    ended, waiting = wait(waiting, timeout=POLL, return_when=FIRST_COMPLETED)
                    done += [each.result() for each in ended]  # raises what went wrong there
            except BaseException:
                shared.stop()
                raise
        return combine(done)


class _Shared(Iterator[pa.RecordBatch]):
    """One stream of batches for several threads."""

    def __init__(
        self, batches: Iterable[pa.RecordBatch], n_rows: int, progress: Progress | None
    ) -> None:
        self._batches = iter(_cut(batches))
        self._lock = threading.Lock()
        self._is_stopped = False
        self._done, self._n_rows = 0, n_rows
        self._progress, self._start = progress, time.perf_counter()

    def stop(self) -> None:
        """Give out nothing more."""
        self._is_stopped = True

    def __next__(self) -> pa.RecordBatch:
        with self._lock:
            if self._is_stopped:
                raise StopIteration
            batch = next(self._batches)
            self._done += len(batch)
            if self._progress is not None:
                self._progress(self._done, self._n_rows, time.perf_counter() - self._start)
        return batch


def _cut(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Cut batches into parts that the caches hold."""
    for batch in batches:
        for begin in range(0, len(batch), MAX_ROWS):
            yield batch.slice(begin, MAX_ROWS)
