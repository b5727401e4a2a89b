"""Counts for the core's level engine, from a device (protocol: src/bindings/counters.cpp).

The device only counts. Every decision is the core's, so the tree is that of the CPU, bit for bit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import jax
import numpy as np
from jax import numpy as jnp
from numpy.typing import NDArray

from splitsecond._gpu import kernels

Paths = NDArray[np.int32]

LITERALS = 4  # the length of paths is a multiple of it, so that few lengths are compiled
FEW_PATHS = 64  # in the smallest product
PATHS_TO_UNPACK = 400  # that are counted in the time of unpacking the columns, whatever they are
FEW_BLOCKS = 8  # that a table has room for, if it has fewer, and how many runs are told of
MIB = 1 << 20
UNKNOWN_MEMORY = 2 << 30  # where a device does not tell how much it has


class PackedRows(Protocol):
    """The packed table, as the core hands it over."""

    words: NDArray[np.uint64]  # [words, columns and padding]
    runs: list[tuple[int, int, int, int]]  # channel, weight, first word, end
    n_channels: int
    n_columns: int  # the last one marks the rows there are


@dataclass(frozen=True)
class Sizes:
    """How much is done at a time. They change the speed, never the counts."""

    block: int = 2048  # words of 32 rows
    step: int = 2048  # words unpacked at a time, a divisor of the block
    paths: int = 4096

    @classmethod
    def of(cls, rows: PackedRows, free: int) -> Sizes:
        """Return sizes that suit a table and the device's free memory."""
        n_words, n_columns = 2 * rows.words.shape[0], rows.words.shape[1]
        working = max(16 * MIB, min(4096 * MIB, (free - 2 * rows.words.nbytes) // 4))
        paths = cls.paths
        # Two chunks of counts, and each of them twice, beside the unpacked bits.
        while paths > 64 and 16 * rows.n_channels * paths * n_columns > working // 2:
            paths //= 2
        # Runs begin with a block: many short ones must not be mostly padding.
        block = min(cls.block, _power_above(n_words // (4 * max(1, len(rows.runs)))), cls.block)
        block = max(64, block)
        step = block
        while step > 64 and 64 * step * (paths + n_columns) > working // 2:
            step //= 2
        return cls(block, step, paths)

    def smaller(self) -> Sizes | None:
        """Return sizes that need about half the memory, if there are any."""
        if self.paths == 1 and self.step == 1:
            return None
        return replace(self, paths=max(1, self.paths // 2), step=max(1, self.step // 2))

    def chunks(self, n_paths: int) -> Iterator[tuple[int, int, int]]:
        """Divide paths among products of few sizes: the first path, the end, and the size."""
        sizes = {max(self.paths // part, min(self.paths, FEW_PATHS)) for part in (1, 4, 64)}
        begin = 0
        while begin < n_paths:
            left = n_paths - begin
            size = min(sizes, key=lambda size: -(-left // size) * (size + PATHS_TO_UNPACK))
            size = self.paths if left >= self.paths else size
            end = min(n_paths, begin + size)
            yield begin, end, size
            begin = end


class Plan:
    """What the counters of one fit share."""

    def __init__(self, rows: PackedRows, device: Any, sizes: Sizes) -> None:
        self.device = device
        self.sizes = sizes
        self.n_channels = rows.n_channels
        self.n_columns = rows.n_columns
        room = max(FEW_BLOCKS, _power_above(len(rows.runs)))
        channel, weight = (_padded([run[part] for run in rows.runs], room) for part in (0, 1))
        self.runs = kernels.Runs(*jax.device_put((channel, weight), device))
        self.ones = jax.device_put(np.int32(rows.n_columns - 1), device)

    def literals(self, paths: Paths, n_paths: int) -> Any:
        """Return paths on the device, filled up with ones that select all rows."""
        none = 2 * self.n_columns - 1
        length = -(-max(1, paths.shape[1]) // LITERALS) * LITERALS
        padded = np.full((n_paths, length), none, dtype=np.int32)
        padded[: len(paths), : paths.shape[1]] = np.where(paths < 0, none, paths)
        return jax.device_put(padded, self.device)


class Counter:
    """Counts rows of one table on the device: all of them, or those below a path."""

    def __init__(self, plan: Plan, table: kernels.Table, path: Paths | None = None) -> None:
        self._plan = plan
        self.table = table
        # Of the rows that are counted, until they have a table of their own; most nodes of a tree
        # are never asked.
        self._path = np.empty(0, dtype=np.int32) if path is None else path
        self._has_room = True

    def count(self, paths: Paths) -> NDArray[np.int32]:
        """Return how many rows of each path have each column, by channel."""
        self._gather()
        while True:
            try:
                return self._count(self._from_table(paths))
            except jax.errors.JaxRuntimeError as error:
                if not is_out_of_memory(error):
                    raise
                smaller = self._plan.sizes.smaller()
                if smaller is None:
                    raise _too_little_memory() from error
                self._plan.sizes = smaller

    def below(self, path: Paths) -> Counter:
        """Return a counter of the rows of a path."""
        return Counter(self._plan, self.table, self._from_table(path[None])[0])

    def _gather(self) -> None:
        """Have a table of the rows that are counted alone, if there is room for it."""
        if len(self._path) == 0 or not self._has_room:
            return
        plan = self._plan
        try:
            literals = plan.literals(self._path[None], 1)[0]
            table = kernels.gather(self.table, plan.runs, plan.ones, literals)
            table.n_blocks.block_until_ready()
        except jax.errors.JaxRuntimeError as error:
            if not is_out_of_memory(error):
                raise
            self._has_room = False
            return
        self.table = table
        self._path = self._path[:0]

    def _from_table(self, paths: Paths) -> Paths:
        before = np.broadcast_to(self._path, (len(paths), len(self._path)))
        return np.concatenate([before, paths], axis=1)

    def _count(self, paths: Paths) -> NDArray[np.int32]:
        plan, sizes = self._plan, self._plan.sizes
        counts = np.empty((len(paths), plan.n_channels, plan.n_columns), dtype=np.int32)
        waiting: deque[tuple[int, int, Any]] = deque()

        def take() -> None:
            begin, end, found = waiting.popleft()
            counts[begin:end] = np.asarray(found)[: end - begin, :, : plan.n_columns]

        for begin, end, size in sizes.chunks(len(paths)):
            found = kernels.count(
                self.table,
                plan.runs,
                plan.ones,
                plan.literals(paths[begin:end], size),
                n_channels=plan.n_channels,
                step=sizes.step,
            )
            waiting.append((begin, end, found))
            if len(waiting) > 1:  # one is fetched while the next is computed
                take()
        while waiting:
            take()
        return counts


def open_counter(rows: PackedRows, device: Any, sizes: Sizes | None = None) -> Counter:
    """Send the packed table to a device; returns a counter of all its rows."""
    sizes = sizes or Sizes.of(rows, free_memory(device))
    while True:
        try:
            return Counter(Plan(rows, device, sizes), _send(rows, device, sizes))
        except jax.errors.JaxRuntimeError as error:
            if is_out_of_memory(error):
                raise _too_little_memory(rows.words.nbytes) from error
            raise


def _send(rows: PackedRows, device: Any, sizes: Sizes) -> kernels.Table:
    """Send the words block by block; the last block of a run is filled up with zeros."""
    host = rows.words.view(np.uint32).reshape(*rows.words.shape, 2)
    size = sizes.block // 2  # words of the host
    blocks = [
        (run, begin, min(begin + size, end))
        for run, (_, _, first, end) in enumerate(rows.runs)
        for begin in range(first, end, size)
    ]
    room = _room(len(blocks))
    with jax.default_device(device):
        words = jnp.zeros((host.shape[1], room * sizes.block), jnp.uint32)
    for i, (_, begin, end) in enumerate(blocks):
        block = host[begin:end]
        if end - begin < size:
            block = np.concatenate(
                [block, np.zeros((size - len(block), *block.shape[1:]), np.uint32)]
            )
        words = kernels.place(words, jax.device_put(block, device), np.int32(i))
    run_of = _padded([run for run, _, _ in blocks], room, fill=max(0, len(rows.runs) - 1))
    table = kernels.Table(words, *jax.device_put((run_of, np.int32(len(blocks))), device))
    words.block_until_ready()
    return table


def free_memory(device: Any) -> int:
    """Return the bytes that a device has left."""
    told = device.memory_stats() or {}
    if "bytes_limit" not in told:
        return UNKNOWN_MEMORY
    return int(told["bytes_limit"]) - int(told.get("bytes_in_use", 0))


def is_out_of_memory(error: Exception) -> bool:
    """Tell whether JAX found too little memory."""
    return "RESOURCE_EXHAUSTED" in str(error)


def _too_little_memory(table_bytes: int | None = None) -> MemoryError:
    of_table = "" if table_bytes is None else f", which packed has {table_bytes / 1e9:.1f} GB"
    return MemoryError(
        f"The GPU has too little free memory for this table{of_table}. "
        'Use device="cpu", or a binarizer with fewer questions.'
    )


def _power_above(n: int) -> int:
    """Return the lowest power of two that is at least n."""
    return 1 << max(0, n - 1).bit_length()


def _room(n_blocks: int) -> int:
    """Return room for so many blocks, and some more: few shapes are compiled."""
    if n_blocks <= 4 * FEW_BLOCKS:
        return max(FEW_BLOCKS, _power_above(n_blocks))
    unit = 1 << (n_blocks.bit_length() - 4)  # an eighth at most
    return -(-n_blocks // unit) * unit


def _padded(values: list[int], size: int, fill: int = 0) -> NDArray[np.int32]:
    padded = np.full(size, fill, dtype=np.int32)
    padded[: len(values)] = values
    return padded
