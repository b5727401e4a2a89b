"""Data frames of Dask: each partition is read where it is, and only partial results travel.

A partition whose worker dies is read again by another one. Dask gives up on one after some deaths,
which is an error here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from splitsecond._counts.cluster import FAN_IN, Packed
from splitsecond._counts.engine import MAX_ROWS, Combine, Partial, Progress, Work
from splitsecond._support.messages import shown

Listener = Callable[[int], None]  # called with the number of partitions that are done


class DaskEngine:
    """Reads by `dask.distributed` if there is a client, otherwise by Dask's own threads."""

    def __init__(self, frame: Any, progress: Progress | None = None) -> None:
        self._frame = frame
        self._progress = progress

    def reduce(
        self, columns: Sequence[str], work: Work[Partial], combine: Combine[Partial]
    ) -> Partial:
        """Return the combined results of all partitions."""
        from dask import delayed

        packed = Packed(work, combine)
        of_partition = delayed(_of_partition, pure=False)
        partitions = self._frame[list(columns)].to_delayed()
        leaves = [of_partition(partition, packed) for partition in partitions]
        start = time.perf_counter()

        def listener(done: int) -> None:
            if self._progress is not None:
                self._progress(done, len(leaves), time.perf_counter() - start)

        client = _client()
        if client is None:
            return packed.result(_on_threads(leaves, packed, listener))
        return packed.result(_on_workers(client, leaves, packed, listener))


def is_dask(source: Any) -> bool:
    """Whether this is a data frame of Dask."""
    return type(source).__module__.startswith("dask") and hasattr(source, "to_delayed")


@dataclass(frozen=True)
class DaskSource:
    """A data frame of Dask."""

    frame: Any

    @property
    def schema(self) -> pa.Schema:
        """The columns; their types are settled by the partitions."""
        for name in self.frame.columns:
            if not isinstance(name, str):
                raise ValueError(
                    f"The column {shown(name)} of the Dask data frame has a name that is no text: "
                    "rename it, for example with ddf.rename(columns=str)."
                )
        return pa.Schema.from_pandas(self.frame._meta, preserve_index=False)

    def engine(self, n_threads: int, progress: Progress | None) -> DaskEngine:
        """Return the workers; how many there are is theirs to say."""
        return DaskEngine(self.frame, progress)


def _of_partition(frame: Any, packed: Packed[Any]) -> bytes:
    return packed.of(_batches_of(frame))


def _batches_of(frame: Any) -> Iterator[pa.RecordBatch]:
    try:
        table = pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise ValueError(
            f"A partition of the Dask data frame cannot be read: {error!s:.300}"
        ) from error
    yield from table.to_batches(MAX_ROWS)


def _client() -> Any | None:
    """Return the client of `dask.distributed` that is in use, if there is one."""
    try:
        from distributed import default_client
    except ImportError:
        return None
    try:
        return default_client()
    except ValueError:
        return None


def _on_threads(leaves: list[Any], packed: Packed[Any], listener: Listener) -> list[bytes]:
    """Combine as a tree, so that Dask can free what has been combined."""
    import dask
    from dask import delayed
    from dask.callbacks import Callback

    keys = {leaf.key for leaf in leaves}
    done = 0

    def finished(key: Any, *_: Any) -> None:
        nonlocal done
        if key in keys:
            done += 1
            listener(done)

    nodes, combine = leaves, delayed(packed.combine, pure=False)
    while len(nodes) > FAN_IN:
        nodes = [combine(nodes[i : i + FAN_IN]) for i in range(0, len(nodes), FAN_IN)]
    with Callback(posttask=finished):
        return list(dask.compute(*nodes))


def _on_workers(
    client: Any, leaves: list[Any], packed: Packed[Any], listener: Listener
) -> list[bytes]:
    """Combine partial results as they come, so that few are held at a time.

    Whatever ends this early, Ctrl-C included, cancels all that is not done: futures that a
    traceback still refers to would otherwise keep the workers busy.
    """
    from distributed import CancelledError, KilledWorker, as_completed

    held = set(client.compute(leaves))
    of_leaf = {future.key for future in held}
    running = as_completed(held)
    waiting: list[Any] = []
    done = 0
    try:
        for future in running:
            if future.status != "finished":
                future.result()  # raises why
            if future.key in of_leaf:
                done += 1
                listener(done)
            waiting.append(future)
            if len(waiting) == FAN_IN and not running.is_empty():
                combined = client.submit(packed.combine, waiting, pure=False)
                running.add(combined)
                held.add(combined)
                held.difference_update(waiting)
                waiting = []
        parts: list[bytes] = client.gather(waiting)
    except (KilledWorker, CancelledError) as error:
        raise RuntimeError(
            f"Dask gave up: {error} If its workers ran out of memory, make the partitions smaller, "
            "for example with ddf.repartition(partition_size='100MB')."
        ) from error
    finally:
        client.cancel(list(held))
    return parts
