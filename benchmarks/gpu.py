"""Times LicketySPLIT with the rows counted on a GPU and on all processors, on synthetic data.

    python benchmarks/gpu.py --out benchmarks/results

The time is from packed columns in the host's memory to the tree. README.md in this folder says how
to read the tables.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from lib import arguments, report
from lib.report import Table, columns
from numpy.typing import NDArray

from splitsecond._gpu.compiled import WORTH_KEEPING
from splitsecond._gpu.counter import Counter, Sizes, open_counter
from splitsecond._gpu.devices import find_gpu
from splitsecond._solving.solve import Solution, solve
from splitsecond._tables.bits import PackedTable

Problem: TypeAlias = tuple[PackedTable, NDArray[np.uint8]]

REGULARIZATION = 0.0005
THRESHOLDS = (51, 102, 153, 204)  # of a byte: four columns of each hidden variable
SEED = 0
# Rows, columns and depth, the most telling first.
SHAPES = (
    (10_000_000, 1_000, 5),
    (1_000_000, 1_000, 5),
    (1_000_000, 100, 5),
    (100_000, 1_000, 5),
    (10_000_000, 100, 5),
    (100_000, 100, 5),
    (100_000, 4_000, 5),
    (1_000_000, 1_000, 3),
    (1_000_000, 1_000, 4),
    (1_000_000, 1_000, 6),
    (40_000_000, 1_000, 4),
)
WARM_FITS = 3
# What a product may be made of: the paths, and the words of a block.
PRODUCTS = (
    *((paths, 2048) for paths in (64, 1024, 4096, 8192)),
    *((4096, block) for block in (512, 1024, 4096)),
)
PRODUCT_ROWS, PRODUCT_COLUMNS = 2_000_000, 1_000

FIT_COLUMNS = columns(
    "rows | columns | depth | device | first fit = first s | compiled before = again s",
    "median of the next = median s",
    "packing = packing s | sending = sending s | counting = counting s | deciding = deciding s",
    "TOP/s while counting = rate .0f | of the peak = share .0%",
    "CPU / GPU = ratio x | leaves | same tree = same | status",
)
PRODUCT_COLUMNS_SHOWN = columns(
    "paths | words of a block = block | time = seconds s",
    "TOP/s = rate .0f | of the peak = share .0%",
)


# ---- data ----------------------------------------------------------------------------------------


def make(rows: int, n_columns: int) -> Problem:
    """Columns cut from hidden bytes, packed, and a label with additive and parity parts."""
    n_hidden = -(-n_columns // len(THRESHOLDS))

    def hidden(i: int) -> NDArray[np.uint8]:
        values = np.random.default_rng([SEED, i]).bytes(-(-rows // 64) * 64)
        return np.frombuffer(values, dtype=np.uint8)

    def cut(i: int) -> list[NDArray[np.uint64]]:
        values = hidden(i).copy()
        packed = []
        for threshold in THRESHOLDS:
            answers = values <= threshold
            answers[rows:] = False
            packed.append(np.packbits(answers, bitorder="little").view("<u8"))
        return packed

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        words = list(itertools.chain.from_iterable(threads.map(cut, range(n_hidden))))
        first = list(threads.map(hidden, range(min(8, n_hidden))))
    score = sum(
        (np.sin(i + 1) * values[:rows].astype(np.float32) for i, values in enumerate(first)),
        np.zeros(rows, dtype=np.float32),
    )
    parity = (first[0][:rows] <= THRESHOLDS[1]) ^ (first[-1][:rows] <= THRESHOLDS[2])
    noise = np.random.default_rng([SEED, n_hidden]).random(rows, dtype=np.float32) < 0.1
    codes = ((score > np.median(score[:100_000])) ^ parity ^ noise).astype(np.uint8)
    return PackedTable(rows, n_columns, None, words[:n_columns]), codes


# ---- fits ----------------------------------------------------------------------------------------


@dataclass
class Clock:
    """Where the time of a fit went, and what was computed."""

    start: float
    packing: float = 0.0
    sending: float = 0.0
    counting: float = 0.0
    operations: float = 0.0
    counters: list[Counter] = field(default_factory=list)


class TimedCounter:
    """A counter that keeps account of its time."""

    def __init__(self, counter: Counter, clock: Clock) -> None:
        self._counter, self._clock = counter, clock

    def count(self, paths: NDArray[np.int32]) -> NDArray[np.int32]:
        start = time.perf_counter()
        counts = self._counter.count(paths)
        self._clock.counting += time.perf_counter() - start
        table = self._counter.table
        block_rows = 32 * table.words.shape[1] // len(table.run)
        in_use = int(table.n_blocks) * block_rows
        self._clock.operations += 2.0 * len(paths) * counts.shape[2] * in_use
        return counts

    def below(self, path: NDArray[np.int32]) -> TimedCounter:
        return TimedCounter(self._counter.below(path), self._clock)


def fit(problem: Problem, depth: int, **options: Any) -> Solution:
    table, codes = problem
    found = solve(
        table,
        codes,
        n_classes=2,
        regularization=REGULARIZATION,
        max_depth=depth,
        lookahead_depth=1,
        exact_last_split=True,
        n_jobs=-1,
        **options,
    )
    assert isinstance(found, Solution)
    return found


def fit_on_gpu(problem: Problem, depth: int, gpu: Any) -> tuple[float, Solution, Clock]:
    clock = Clock(time.perf_counter())

    def opened(rows: Any) -> TimedCounter:
        begun = time.perf_counter()
        clock.packing = begun - clock.start
        counter = open_counter(rows, gpu)
        clock.sending = time.perf_counter() - begun
        return TimedCounter(counter, clock)

    found = fit(problem, depth, counter=opened)
    return time.perf_counter() - clock.start, found, clock


def fit_on_cpu(problem: Problem, depth: int, time_limit: float) -> tuple[float, Solution]:
    start = time.perf_counter()
    found = fit(problem, depth, time_limit=time_limit)
    return time.perf_counter() - start, found


def measure(
    shape: tuple[int, int, int], gpu: Any, peak: float, *, time_limit: float
) -> Iterator[dict[str, Any]]:
    """Time fits on the GPU, the first of which compiles, and one or more on the CPU.

    The second loads what the first compiled and JAX kept, as the first fit of a later process does.
    """
    rows, n_columns, depth = shape
    start = time.perf_counter()
    problem = make(rows, n_columns)
    report.progress(f"{rows} x {n_columns}: made in {time.perf_counter() - start:.1f} s")
    first, tree, _ = fit_on_gpu(problem, depth, gpu)
    jax.clear_caches()
    again, _, _ = fit_on_gpu(problem, depth, gpu)
    report.progress(f"GPU, first: {first:.2f} s, then compiled before: {again:.2f} s")
    warm = sorted(
        (fit_on_gpu(problem, depth, gpu) for _ in range(WARM_FITS)), key=lambda each: each[0]
    )
    median, found, clock = warm[WARM_FITS // 2]
    rate = clock.operations / clock.counting / 1e12
    row: dict[str, Any] = {"rows": rows, "columns": n_columns, "depth": depth}
    times = {
        "packing": clock.packing,
        "sending": clock.sending,
        "counting": clock.counting,
        "deciding": median - clock.packing - clock.sending - clock.counting,
    }
    report.progress(f"GPU: {median:.3f} s, {times}, {rate:.0f} TOP/s")
    on_cpu, same = [fit_on_cpu(problem, depth, time_limit)], None
    while len(on_cpu) < WARM_FITS and sum(seconds for seconds, _ in on_cpu) < 2:
        on_cpu.append(fit_on_cpu(problem, depth, time_limit))
    cpu = float(np.median([seconds for seconds, _ in on_cpu]))
    expected = on_cpu[0][1]
    if expected.status == "complete":
        same = all(
            np.array_equal(getattr(each, name), getattr(expected, name))
            for each in (tree, *(found for _, found, _ in warm))
            for name in ("feature", "left", "right", "counts")
        )
        assert same, "the trees differ"
    report.progress(f"CPU: {cpu:.3f} s, {expected.status}, same tree: {same}")
    yield {
        **row,
        "device": "GPU",
        "first": first,
        "again": again,
        "median": median,
        **times,
        "rate": rate,
        "share": rate / peak,
        "ratio": cpu / median,
        "leaves": found.leaves,
        "same": {True: "yes", None: "not known"}[same],
        "status": found.status,
    }
    yield {
        **row,
        **dict.fromkeys(("again", *times, "rate", "share", "ratio", "same")),
        "device": f"{os.cpu_count()} processors",
        "first": on_cpu[0][0],
        "median": cpu,
        "leaves": expected.leaves,
        "status": expected.status,
    }


# ---- products ------------------------------------------------------------------------------------


def seconds_of(work: Callable[[], Any], repeats: int = 3) -> float:
    work()  # compiles
    start = time.perf_counter()
    for _ in range(repeats):
        work()
    return (time.perf_counter() - start) / repeats


def peak_rate(gpu: Any) -> float:
    """10**12 operations a second of a plain product of int8 matrices."""
    size = 512 if gpu.platform == "cpu" else 8192
    bits = np.random.default_rng(SEED).integers(0, 2, (size, size), np.int8)
    numbers = jax.device_put(bits, gpu)
    product = jax.jit(
        lambda a: lax.dot_general(a, a, (((1,), (1,)), ((), ())), preferred_element_type=jnp.int32)
    )
    return 2 * size**3 / seconds_of(lambda: product(numbers).block_until_ready(), 20) / 1e12


@dataclass
class Packed:
    """Random rows of one run."""

    words: NDArray[np.uint64]
    runs: list[tuple[int, int, int, int]]
    n_channels: int
    n_columns: int


def measure_products(gpu: Any, peak: float, scale: float) -> Iterator[dict[str, Any]]:
    """Time products of several kinds: what the sizes of the counter are chosen by."""
    rng = np.random.default_rng(SEED)
    n_words = int(PRODUCT_ROWS * scale) // 64
    words = rng.integers(0, 2**63, (n_words, PRODUCT_COLUMNS + 8), dtype=np.uint64)
    rows = Packed(words, [(0, 1, 0, n_words)], 1, PRODUCT_COLUMNS + 1)
    rows.words[:, PRODUCT_COLUMNS] = ~np.uint64(0)
    for paths, block in PRODUCTS:
        counter = open_counter(rows, gpu, Sizes(block, block, paths))
        literals = rng.integers(0, 2 * PRODUCT_COLUMNS, (paths, 4), dtype=np.int32)
        seconds = seconds_of(lambda: counter.count(literals))  # noqa: B023 - called at once
        rate = 2 * paths * PRODUCT_COLUMNS * 64 * n_words / seconds / 1e12
        report.progress(f"{paths} paths, {block} words: {seconds:.4f} s, {rate:.0f}")
        yield {
            **{"paths": paths, "block": block},
            **{"seconds": seconds, "rate": rate, "share": rate / peak},
        }


def main() -> None:
    parser = arguments.parser(__doc__)
    parser.add_argument("--shapes", nargs="*", help="as 1000000x100x5; by default a grid")
    parser.add_argument("--products", action="store_true", help="time products of several kinds")
    parser.add_argument("--scale", type=float, default=1.0, help="of the rows, for a trial")
    parser.add_argument("--time-limit", type=float, default=300.0, help="seconds on the CPU")
    parser.add_argument("--budget", type=float, default=3600.0, help="begin no shape after it")
    parser.add_argument("--name", default="gpu", help="of the tables")
    arguments.add_output(parser)
    options = parser.parse_args()
    start = time.perf_counter()
    gpu = find_gpu()
    cache = TemporaryDirectory()  # an empty one, so that first fits do compile
    jax.config.update("jax_compilation_cache_dir", cache.name)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", WORTH_KEEPING)
    peak = peak_rate(gpu)
    facts = {"GPU": gpu.device_kind, "JAX": jax.__version__, "peak": f"{peak:.0f} TOP/s in int8"}
    report.progress(f"{facts}")
    products: list[dict[str, Any]] = []
    fits: list[dict[str, Any]] = []
    tables = [
        Table("Products", PRODUCT_COLUMNS_SHOWN, products),
        Table("Fits", FIT_COLUMNS, fits),
    ]
    if options.products:
        for product in measure_products(gpu, peak, options.scale):
            products.append(product)
            report.save(options.out, options.name, facts, tables)
    asked = options.shapes
    shapes = SHAPES if asked is None else [tuple(map(int, each.split("x"))) for each in asked]
    for rows, n_columns, depth in shapes:
        if time.perf_counter() - start > options.budget:
            break
        shape = (int(rows * options.scale), n_columns, depth)
        fits += measure(shape, gpu, peak, time_limit=options.time_limit)
        report.save(options.out, options.name, facts, tables)
    print(report.save(options.out, options.name, facts, tables))


if __name__ == "__main__":
    main()
