"""Shows how time and memory grow with rows, columns and depth, on synthetic data.

    python benchmarks/scaling.py --out benchmarks/results

README.md in this folder says what is measured and how to read the tables.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import report
from data import Synthetic
from measure import FINISHED, Task, WorkerError, interleave, peak_memory
from packages import METHODS, Problem
from report import Column, Table, column

REGULARIZATION = 0.001
DEFAULT_METHODS = (
    "splitsecond LicketySPLIT",
    "splitsecond SPLIT, lookahead 2",
    "splitsecond optimal",
)
# The depth a method is run at where depth is not what varies.
DEFAULT_DEPTH = 5
DEPTHS = {"splitsecond optimal": 4}

ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
ROWS_COLUMNS = 40
COLUMNS = (25, 50, 100, 200, 500, 1000, 2000)
COLUMNS_ROWS = 20_000
DEPTH_RANGE = range(2, 9)
DEPTH_SHAPE = (17_379, 43)  # that of bike_praxis
MEMORY_SHAPES = ((1_000_000, 40), (10_000_000, 40), (1_000_000, 200), (20_000, 2000))

TIME_COLUMNS = (
    column("method", "method"),
    column("threads", "threads"),
    column("rows", "rows"),
    column("columns", "columns"),
    column("depth", "depth"),
    column("median", "median", report.seconds),
    Column("quartiles", report.spread),
    column("fits", "fits"),
    column("slope", "slope", report.decimals(2)),
    column("status", "status"),
)
SLOPE_COLUMNS = (
    column("method", "method"),
    column("threads", "threads"),
    column("time against", "against"),
    column("from", "from"),
    column("to", "to"),
    column("log-log slope", "slope", report.decimals(2)),
)
MEMORY_COLUMNS = (
    column("method", "method"),
    column("threads", "threads"),
    column("rows", "rows"),
    column("columns", "columns"),
    column("depth", "depth"),
    column("packed data", "packed_bytes", report.megabytes),
    column("peak of the fit", "peak_bytes", report.megabytes),
    column("peak / packed", "peak_over_packed", report.ratio),
    column("status", "status"),
)


@dataclass(frozen=True)
class Series:
    """One method on shapes or depths of which one quantity, `against`, grows."""

    against: str
    method: str
    points: Sequence[tuple[Synthetic, int]]  # data and depth
    threads: int = 1

    def __str__(self) -> str:
        return f"{self.method}, {self.threads} thread(s), against {self.against}"


def plan(methods: Sequence[str], *, max_rows: int, max_columns: int) -> Iterator[Series]:
    for method in methods:
        depth = DEPTHS.get(method, DEFAULT_DEPTH)
        by_rows = [(Synthetic(n, ROWS_COLUMNS), depth) for n in ROWS if n <= max_rows]
        by_columns = [(Synthetic(COLUMNS_ROWS, k), depth) for k in COLUMNS if k <= max_columns]
        by_depth = [(Synthetic(*DEPTH_SHAPE), deeper) for deeper in DEPTH_RANGE]
        for threads in (1, 2) if method.startswith("splitsecond") else (1,):
            yield Series("rows", method, by_rows, threads)
        yield Series("columns", method, by_columns)
        yield Series("depth", method, by_depth)


def measure_times(series: Series, *, budget: float, time_limit: float) -> Iterator[dict[str, Any]]:
    """Yield a row for each point, up to and including the first that does not finish."""
    previous: dict[str, Any] | None = None
    for shape, depth in series.points:
        problem = Problem(depth, REGULARIZATION, time_limit, series.threads)
        (measurement,) = interleave([Task(series.method, shape, problem)], budget=budget)
        row = {**measurement.to_row(), "rows": shape.rows, "columns": shape.columns}
        ends = [previous, row] if previous and measurement.finished else []
        yield {**row, "slope": slope(ends, series.against)}
        if not measurement.finished:
            return
        previous = row


def slope(rows: Sequence[report.Row], against: str) -> float | None:
    """Fit log(time) = slope * log(quantity) + constant by least squares."""
    if len(rows) < 2:
        return None
    x, t = (np.log([row[key] for row in rows]) for key in (against, "median"))
    return float(np.polyfit(x, t, 1)[0])


def summarize(series: Series, rows: Sequence[report.Row]) -> dict[str, Any]:
    finished = [row for row in rows if row["status"] in FINISHED]
    return {
        "method": series.method,
        "threads": series.threads,
        "against": series.against,
        "from": finished[0][series.against] if finished else None,
        "to": finished[-1][series.against] if finished else None,
        "slope": slope(finished, series.against),
    }


def measure_memory(method: str, shape: Synthetic, *, time_limit: float) -> dict[str, Any]:
    """Compare what a fit adds to the resident memory with the data at one bit a cell."""
    depth = DEPTHS.get(method, DEFAULT_DEPTH)
    packed = shape.rows * shape.columns / 8
    peak, status = None, "complete"
    try:
        peak = peak_memory(Task(method, shape, Problem(depth, REGULARIZATION, time_limit)))
    except WorkerError as error:
        status = str(error)
    return {
        "method": method,
        "threads": 1,
        "rows": shape.rows,
        "columns": shape.columns,
        "depth": depth,
        "packed_bytes": packed,
        "peak_bytes": peak,
        "peak_over_packed": None if peak is None else peak / packed,
        "status": status,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--method", nargs="+", choices=METHODS, default=DEFAULT_METHODS)
    parser.add_argument("--out", type=Path, required=True, help="folder for scaling.csv, .md")
    parser.add_argument("--budget", type=float, default=5.0, help="seconds a fit is repeated")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for one fit")
    parser.add_argument("--max-rows", type=int, default=max(ROWS))
    parser.add_argument("--max-columns", type=int, default=max(COLUMNS))
    arguments = parser.parse_args()

    slopes: list[dict[str, Any]] = []
    memory: list[dict[str, Any]] = []
    times: dict[str, list[dict[str, Any]]] = {"rows": [], "columns": [], "depth": []}
    tables = [
        Table("Slopes", SLOPE_COLUMNS, slopes),
        Table(f"Memory of a fit by {arguments.method[0]}", MEMORY_COLUMNS, memory),
        *(Table(f"Time against {key}", TIME_COLUMNS, rows) for key, rows in times.items()),
    ]
    for rows, columns in MEMORY_SHAPES:
        if rows <= arguments.max_rows and columns <= arguments.max_columns:
            shape = Synthetic(rows, columns)
            report.progress(f"memory: {shape}")
            limit = arguments.time_limit
            memory.append(measure_memory(arguments.method[0], shape, time_limit=limit))
    limits = {"budget": arguments.budget, "time_limit": arguments.time_limit}
    sizes = {"max_rows": arguments.max_rows, "max_columns": arguments.max_columns}
    for series in plan(arguments.method, **sizes):
        report.progress(str(series))
        measured = list(measure_times(series, **limits))
        times[series.against] += measured
        slopes.append(summarize(series, measured))
        report.save(arguments.out, "scaling", {}, tables)
    print(report.save(arguments.out, "scaling", {}, tables))


if __name__ == "__main__":
    main()
