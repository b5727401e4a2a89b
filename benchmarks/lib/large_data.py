"""Made-up tables of any size in Parquet: 20 columns of many kinds, and a target they tell."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.random import Generator
from numpy.typing import NDArray
from pyarrow import parquet

from lib import report

TARGET = "outcome"
FILE_ROWS = 1_000_000
GROUP_ROWS = 2**17  # of a row group
HELD_OUT = 2**31  # number of the file that has the held-out rows; its seed is no other's
CATEGORIES = {"job": 12, "country": 60, "product": 400, "channel": 5, "plan": 3, "browser": 8}
COLUMNS = (
    *("age", "year", "household", "visits", "postcode", "points"),  # integers
    *("income", "score", "balance", "ratio", "temperature", "duration"),  # floats
    *("member", "online"),
    *CATEGORIES,
)


def make(folder: Path, n_rows: int, processes: int = 2) -> tuple[list[Path], Path]:
    """Write the files that are not there yet; return them, and one of held-out rows."""
    folder.mkdir(parents=True, exist_ok=True)
    sizes = [min(FILE_ROWS, n_rows - start) for start in range(0, n_rows, FILE_ROWS)]
    paths = [folder / f"part-{number:05}-{size}.parquet" for number, size in enumerate(sizes)]
    held_out = folder / "held-out" / "rows.parquet"
    held_out.parent.mkdir(exist_ok=True)
    wanted = [*zip(paths, range(len(sizes)), sizes, strict=True), (held_out, HELD_OUT, FILE_ROWS)]
    missing = [each for each in wanted if not each[0].exists()]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for done, _ in enumerate(pool.map(_write, *zip(*missing, strict=True) or [()] * 3), 1):
            if done % 10 == 0 or done == len(missing):
                report.progress(f"made {done} of {len(missing)} files")
    return paths, held_out


def _write(path: Path, number: int, n_rows: int) -> None:
    partial = path.with_suffix(f".{os.getpid()}.partial")
    parquet.write_table(rows(number, n_rows), partial, row_group_size=GROUP_ROWS)
    partial.replace(path)


def rows(number: int, n_rows: int) -> pa.Table:
    """Return rows that depend on their number alone, as a file has them."""
    random = np.random.default_rng([7, number])
    numbers = _numbers(random, n_rows)
    codes = {
        name: _codes(random, n_rows, n_categories) for name, n_categories in CATEGORIES.items()
    }
    yes = random.random(n_rows) < _probability(numbers, codes)
    columns = {name: pa.array(values) for name, values in numbers.items()}
    columns["income"] = _with_gaps(random, numbers["income"], 0.05)
    columns["ratio"] = _with_gaps(random, numbers["ratio"], 0.2)
    for name, values in codes.items():
        gaps = random.random(n_rows) < 0.03 if name == "plan" else None
        words = pa.array([f"{name} {place}" for place in range(CATEGORIES[name])])
        columns[name] = pa.DictionaryArray.from_arrays(pa.array(values, mask=gaps), words)
    columns[TARGET] = pa.DictionaryArray.from_arrays(pa.array(yes.astype(np.int8)), ["no", "yes"])
    return pa.table({name: columns[name] for name in (*COLUMNS, TARGET)})


def _numbers(random: Generator, n: int) -> dict[str, NDArray[np.generic]]:
    return {
        "age": random.integers(18, 91, n, dtype=np.int8),
        "year": random.integers(1990, 2026, n, dtype=np.int16),
        "household": random.integers(1, 8, n, dtype=np.int8),
        "visits": random.geometric(0.05, n).astype(np.int32),
        "postcode": random.integers(0, 100_000, n, dtype=np.int32),
        "points": random.integers(0, 10**9, n, dtype=np.int64),
        "income": np.round(np.exp(random.standard_normal(n) * 0.5 + 10.3), 2),
        "score": random.standard_normal(n, dtype=np.float32),
        "balance": random.standard_normal(n) * 1000,
        "ratio": random.random(n, dtype=np.float32),
        "temperature": np.round(random.standard_normal(n, dtype=np.float32) * 8 + 12, 1),
        "duration": random.standard_exponential(n),
        "member": random.random(n) < 0.3,
        "online": random.random(n) < 0.6,
    }


def _codes(random: Generator, n: int, n_categories: int) -> NDArray[np.int16]:
    """Draw categories of which the first are the most frequent."""
    return (random.random(n) ** 2 * n_categories).astype(np.int16)


def _probability(
    numbers: dict[str, NDArray[np.generic]], codes: dict[str, NDArray[np.int16]]
) -> NDArray[np.float64]:
    """Return the probability of a yes: a tree of few questions, and a little that is smooth."""
    older, rich = numbers["age"] > 45, numbers["income"] > 32_000
    busy, tried = numbers["visits"] > 20, numbers["score"] > 0.3
    tree = np.where(older, np.where(rich, 1.6, -0.8), np.where(codes["job"] < 3, 0.9, -1.7))
    tree += np.where(busy & tried, 1.2, 0) - np.where(codes["plan"] == 0, 0.8, 0)
    tree += np.where(numbers["member"], 0.7, 0) + 0.3 * numbers["score"]
    tree += 0.02 * (np.asarray(codes["product"]) % 7) + 0.1 * (numbers["temperature"] > 20)
    return np.asarray(1 / (1 + np.exp(-1.5 * tree)))


def _with_gaps(random: Generator, values: NDArray[np.generic], share: float) -> pa.Array:
    return pa.array(values, mask=random.random(len(values)) < share)
