"""Shows how time and memory grow with rows, columns, depth and threads, on synthetic data.

    python benchmarks/scaling.py --out benchmarks/results

README.md in this folder says what is measured and how to read the tables.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from lib import arguments, report, resumable
from lib.data import Synthetic
from lib.report import TIMES, Table, columns
from lib.timing import FINISHED, Task, interleave, over
from lib.tree_packages import METHODS, Problem

REGULARIZATION = 0.001
QUANTITIES = ("rows", "columns", "depth", "threads")
DEFAULT_METHODS = (
    "splitsecond LicketySPLIT",
    "splitsecond SPLIT, lookahead 2",
    "splitsecond optimal",
)
# The depth a method is run at where depth is not what varies.
DEFAULT_DEPTH = 5
DEPTHS = {"splitsecond optimal": 4}
# Exponents of the paper's bounds at these depths: n k^2 d^2 for LicketySPLIT,
# n (d - l) k^(l + 1) + n k^(d - l) for SPLIT with lookahead l, n (2k)^d for the optimum. In the
# depth the latter two are no powers; with threads, time is at best divided by their number.
THEORY = {
    ("splitsecond LicketySPLIT", "columns"): 2,
    ("splitsecond LicketySPLIT", "depth"): 2,
    ("splitsecond SPLIT, lookahead 2", "columns"): 3,
    ("splitsecond optimal", "columns"): 4,
}

ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
ROWS_COLUMNS = 40
COLUMNS = (25, 50, 100, 200, 500, 1000, 2000)
COLUMNS_ROWS = 20_000
DEPTH_RANGE = range(2, 9)
DEPTH_SHAPE = (17_379, 43)  # that of bike_praxis
# For threads, and for the lookahead of SPLIT, whose time is minimal at (d - 1) / 2 by the theory.
THREADS_SHAPES = ((1_000_000, 40), (1_000_000, 100), (10_000_000, 40))
LOOKAHEAD_SHAPE = (17_379, 43)
LOOKAHEAD_DEPTHS = (5, 6)
LOOKAHEADS = range(1, 6)
MEMORY_SHAPES = ((1_000_000, 40), (10_000_000, 40), (1_000_000, 200), (20_000, 2000))

TIME_COLUMNS = columns(
    "method | threads | rows | columns | depth",
    *TIMES,
    "slope = slope .2f | first / this = over_this x | status",
)
SLOPE_COLUMNS = columns(
    "method | threads | time against = against | from | to | log-log slope = slope .2f | theory"
)
LOOKAHEAD_COLUMNS = columns(
    "method | depth",
    *TIMES,
    "objective = objective .4f | least time by the theory = theory | status",
)
MEMORY_COLUMNS = columns(
    "method | threads | rows | columns | depth",
    "packed data = packed_bytes MB | peak of the fit = peak_bytes MB",
    "peak / packed = peak_over_packed x | status",
)


@dataclass(frozen=True)
class Series:
    """One method on shapes or depths of which one quantity, `against`, grows."""

    against: str
    method: str
    points: Sequence[tuple[Synthetic, int, int]]  # data, depth and threads

    def __str__(self) -> str:
        shape, _, threads = self.points[0]
        return f"{self.method}, {threads} thread(s), against {self.against} from {shape}"


def plan(
    methods: Sequence[str], *, max_rows: int, max_columns: int, max_threads: int
) -> Iterator[Series]:
    counts = [2**power for power in range(max_threads.bit_length()) if 2**power <= max_threads]
    for method in methods:
        depth = DEPTHS.get(method, DEFAULT_DEPTH)
        by_columns = [(Synthetic(COLUMNS_ROWS, k), depth, 1) for k in COLUMNS if k <= max_columns]
        by_depth = [(Synthetic(*DEPTH_SHAPE), deeper, 1) for deeper in DEPTH_RANGE]
        for threads in dict.fromkeys((counts[0], counts[-1])):
            shapes = [Synthetic(n, ROWS_COLUMNS) for n in ROWS if n <= max_rows]
            yield Series("rows", method, [(shape, depth, threads) for shape in shapes])
        yield Series("columns", method, by_columns)
        yield Series("depth", method, by_depth)
        for n, k in THREADS_SHAPES:
            if n <= max_rows and k <= max_columns:
                shape = Synthetic(n, k)
                yield Series("threads", method, [(shape, depth, threads) for threads in counts])


def measure_times(series: Series, *, budget: float, time_limit: float) -> Iterator[dict[str, Any]]:
    """Yield a row for each point, up to and including the first that does not finish."""
    first: float | None = None
    previous: dict[str, Any] | None = None
    for shape, depth, threads in series.points:
        problem = Problem(depth, REGULARIZATION, time_limit, threads)
        (measurement,) = interleave([Task(series.method, shape, problem)], budget=budget)
        row = {**measurement.to_row(), "rows": shape.rows, "columns": shape.columns}
        ends = [previous, row] if previous and measurement.finished else []
        first = first or measurement.median
        yield {
            **row,
            "slope": slope(ends, series.against),
            "over_this": over(first, measurement.median),
        }
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
        "threads": "all" if series.against == "threads" else series.points[0][2],
        "against": series.against,
        "from": finished[0][series.against] if finished else None,
        "to": finished[-1][series.against] if finished else None,
        "slope": slope(finished, series.against),
        "theory": {"rows": 1, "threads": -1}.get(
            series.against, THEORY.get((series.method, series.against))
        ),
    }


def measure_memory(method: str, shape: Synthetic, *, time_limit: float) -> list[dict[str, Any]]:
    """Compare what a fit adds to the resident memory with the data at one bit a cell."""
    depth = DEPTHS.get(method, DEFAULT_DEPTH)
    packed = shape.rows * shape.columns / 8
    task = Task(method, shape, Problem(depth, REGULARIZATION, time_limit))
    (measurement,) = interleave([task], budget=0, min_fits=0)
    peak = measurement.peak_bytes
    row = {
        "method": method,
        "threads": 1,
        "rows": shape.rows,
        "columns": shape.columns,
        "depth": depth,
        "packed_bytes": packed,
        "peak_bytes": peak,
        "peak_over_packed": None if peak is None else peak / packed,
        "status": measurement.status,
    }
    return [row]


def measure_lookaheads(depth: int, *, budget: float, time_limit: float) -> list[dict[str, Any]]:
    """Time SPLIT with every lookahead below the depth, by turns."""
    problem = Problem(depth, REGULARIZATION, time_limit)
    methods = [f"splitsecond SPLIT, lookahead {levels}" for levels in LOOKAHEADS if levels < depth]
    tasks = [Task(method, Synthetic(*LOOKAHEAD_SHAPE), problem) for method in methods]
    theory = f"lookahead {(depth - 1) / 2:g}"
    return [{**each.to_row(), "theory": theory} for each in interleave(tasks, budget=budget)]


def main() -> None:
    parser = arguments.parser(__doc__)
    arguments.add_choice(parser, "--method", METHODS, DEFAULT_METHODS)
    arguments.add_limits(parser, budget=5.0, time_limit=60.0)
    arguments.add_choice(parser, "--against", QUANTITIES)
    parser.add_argument("--name", default="scaling", help="of the tables")
    parser.add_argument("--max-rows", type=int, default=max(ROWS))
    parser.add_argument("--max-columns", type=int, default=max(COLUMNS))
    parser.add_argument("--max-threads", type=int, default=os.cpu_count() or 1)
    arguments.add_output(parser)
    options = parser.parse_args()

    slopes: list[dict[str, Any]] = []
    memory: list[dict[str, Any]] = []
    lookahead: list[dict[str, Any]] = []
    times: dict[str, list[dict[str, Any]]] = {key: [] for key in options.against}
    first = options.method[0]
    tables = [
        Table("Slopes", SLOPE_COLUMNS, slopes),
        Table("SPLIT against lookahead", LOOKAHEAD_COLUMNS, lookahead),
        Table(f"Memory of a fit by {first}", MEMORY_COLUMNS, memory),
        *(Table(f"Time against {key}", TIME_COLUMNS, rows) for key, rows in times.items()),
    ]
    limits = {"budget": options.budget, "time_limit": options.time_limit}
    sizes = {"max_rows": options.max_rows, "max_columns": options.max_columns}
    shapes = [
        Synthetic(rows, columns)
        for rows, columns in MEMORY_SHAPES
        if rows <= options.max_rows and columns <= options.max_columns
    ]
    everything = plan(options.method, **sizes, max_threads=options.max_threads)
    planned = [series for series in everything if series.against in options.against]
    depths = LOOKAHEAD_DEPTHS
    if len(options.against) < len(QUANTITIES):  # a part of the tables
        shapes, depths = [], ()
    total = len(shapes) + len(depths) + len(planned)
    settings = {**limits, **sizes, "max_threads": options.max_threads}
    with resumable.Run(options.name, total, options, settings) as run:
        for shape in shapes:
            measure = partial(measure_memory, first, shape, time_limit=options.time_limit)
            memory += run.rows(f"memory of {first}, {shape}", measure)
        for depth in depths:
            part = partial(measure_lookaheads, depth, **limits)
            lookahead += run.rows(f"SPLIT against lookahead, depth {depth}", part)
        for series in planned:
            measured = run.rows(str(series), partial(measure_times, series, **limits))
            times[series.against] += measured
            slopes.append(summarize(series, measured))
            report.save(options.out, options.name, {}, tables)
    print(report.save(options.out, options.name, {}, tables))


if __name__ == "__main__":
    main()
