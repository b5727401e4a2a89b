"""Counts from a device are those of a slow definition, in blocks of any size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytestmark = pytest.mark.slow

N_COLUMNS = 5


@dataclass
class Rows:
    """Some rows by run, and as the core packs them."""

    answers: list[NDArray[np.uint8]]  # by run; the last column is of ones
    runs: list[tuple[int, int, int, int]]
    words: NDArray[np.uint64]
    n_channels: int = 3
    n_columns: int = N_COLUMNS + 1

    def count(self, path: NDArray[np.int32]) -> NDArray[np.int64]:
        counts = np.zeros((self.n_channels, self.n_columns), dtype=np.int64)
        for (channel, weight, _, _), answers in zip(self.runs, self.answers, strict=True):
            asked = path[path >= 0]
            chosen = (answers[:, asked // 2] == asked % 2).all(axis=1)
            counts[channel] += weight * answers[chosen].sum(axis=0, dtype=np.int64)
        return counts


def draw_rows(rng: np.random.Generator) -> Rows:
    answers, runs, words, begin = [], [], [], 0
    for channel in sorted(rng.integers(0, Rows.n_channels, rng.integers(1, 5))):
        n = int(rng.integers(1, 120))
        bits = np.zeros((-(-n // 64) * 64, 8), dtype=np.uint8)  # padded to a stride of 8 columns
        bits[:n, :N_COLUMNS] = rng.random((n, N_COLUMNS)) < rng.random(N_COLUMNS)
        bits[:n, N_COLUMNS] = 1
        by_word = bits.reshape(-1, 64, 8).transpose(0, 2, 1)
        packed = np.packbits(by_word, axis=2, bitorder="little")
        words.append(np.ascontiguousarray(packed).view(np.uint64)[..., 0])
        end = begin + len(words[-1])
        runs.append((int(channel), int(rng.integers(1, 1000)), begin, end))
        answers.append(bits[:n, : N_COLUMNS + 1])
        begin = end
    return Rows(answers, runs, np.concatenate(words))


def draw_paths(rng: np.random.Generator, n: int, length: int) -> NDArray[np.int32]:
    return rng.integers(-1, 2 * N_COLUMNS, (n, length), dtype=np.int32)


def check(counter: Any, rows: Rows, before: NDArray[np.int32], paths: NDArray[np.int32]) -> None:
    counts = counter.count(paths)
    assert counts.dtype == np.int32
    assert counts.flags.c_contiguous
    for path, found in zip(paths, counts, strict=True):
        np.testing.assert_array_equal(found, rows.count(np.concatenate([before, path])))


@pytest.mark.parametrize("sizes", [(2, 1, 8), (4, 4, 16), None])
def test_counts_of_paths(device: Any, sizes: tuple[int, int, int] | None) -> None:
    from splitsecond._gpu.counter import Sizes, open_counter

    rng = np.random.default_rng(0)
    chosen = None if sizes is None else Sizes(*sizes)
    for _ in range(20):
        rows = draw_rows(rng)
        counter = open_counter(rows, device, chosen)
        nothing = np.empty(0, dtype=np.int32)
        for length in (0, 2):
            check(counter, rows, nothing, draw_paths(rng, 21, length))
        first, second = draw_paths(rng, 2, 2)
        below = counter.below(first)
        check(below, rows, first, draw_paths(rng, 3, 2))
        further = np.concatenate([first, second])
        check(below.below(second), rows, further, draw_paths(rng, 3, 2))
        check(counter, rows, nothing, draw_paths(rng, 3, 2))  # as before


def test_no_paths(device: Any) -> None:
    from splitsecond._gpu.counter import Sizes, open_counter

    counter = open_counter(draw_rows(np.random.default_rng(0)), device, Sizes(4, 4, 16))
    assert counter.count(np.empty((0, 2), dtype=np.int32)).shape == (0, 3, N_COLUMNS + 1)


def test_paths_are_divided_among_few_sizes(jax: Any) -> None:
    from splitsecond._gpu.counter import Sizes

    for n_paths in (0, 1, 63, 64, 65, 300, 512, 513, 3000, 4096, 9000):
        chunks = list(Sizes().chunks(n_paths))
        assert {size for _, _, size in chunks} <= {64, 1024, 4096}
        ends = [end for _, end, _ in chunks]
        assert [begin for begin, _, _ in chunks] == [0, *ends][: len(ends)]
        assert not chunks or ends[-1] == n_paths
        assert all(0 < end - begin <= size for begin, end, size in chunks)
        assert sum(size for _, _, size in chunks) <= n_paths + 1024


class Full:
    """A kernel on a device that has no room for more than so many paths at a time."""

    def __init__(self, jax: Any, kernel: Any, max_paths: int) -> None:
        self.jax, self.kernel, self.max_paths = jax, kernel, max_paths

    def __call__(self, table: Any, runs: Any, ones: Any, paths: Any, **options: Any) -> Any:
        if paths.ndim == 1 or len(paths) > self.max_paths:
            raise self.jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory")
        return self.kernel(table, runs, ones, paths, **options)


def test_out_of_memory_takes_smaller_blocks(
    jax: Any, device: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from splitsecond._gpu import kernels
    from splitsecond._gpu.counter import Sizes, open_counter

    rng = np.random.default_rng(1)
    rows = draw_rows(rng)
    counter = open_counter(rows, device, Sizes(4, 4, 16))
    monkeypatch.setattr(kernels, "count", Full(jax, kernels.count, max_paths=2))
    monkeypatch.setattr(kernels, "gather", Full(jax, kernels.gather, max_paths=2))
    nothing = np.empty(0, dtype=np.int32)
    check(counter, rows, nothing, draw_paths(rng, 21, 2))
    first, second = draw_paths(rng, 2, 2)  # no room for a table of their own
    below = counter.below(first)
    check(below, rows, first, draw_paths(rng, 5, 2))
    check(below.below(second), rows, np.concatenate([first, second]), draw_paths(rng, 5, 2))

    monkeypatch.setattr(kernels, "count", Full(jax, kernels.count, max_paths=0))
    with pytest.raises(MemoryError, match=r"too little free memory for this table.*device=\"cpu\""):
        counter.count(draw_paths(rng, 3, 2))


def test_other_errors_of_the_device_are_raised(
    jax: Any, device: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from splitsecond._gpu import kernels
    from splitsecond._gpu.counter import Sizes, open_counter

    def fail(*given: Any, **options: Any) -> Any:
        raise jax.errors.JaxRuntimeError("INTERNAL: of no known kind")

    rng = np.random.default_rng(2)
    counter = open_counter(draw_rows(rng), device, Sizes(4, 4, 16))
    for name, asked in (
        ("gather", counter.below(draw_paths(rng, 1, 2)[0])),
        ("count", counter),
    ):
        monkeypatch.setattr(kernels, name, fail)
        with pytest.raises(jax.errors.JaxRuntimeError, match="no known kind"):
            asked.count(draw_paths(rng, 3, 2))
