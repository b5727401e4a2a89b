"""Compares two builds of splitsecond: the same fits by turns, their times and their answers.

    python benchmarks/compare.py --before old/site-packages --after src --out build/compare.md

A build is a folder with the package `splitsecond` in it, or a Python in whose environment it is
installed. Each runs in a process that stays, with one thread; they take turns (A B B A ...). A
difference in objective, leaves or trees is reported, and makes the exit status 1.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from lib import arguments, report
from lib.builds import Build, write_table
from lib.data import Frame, Source
from lib.problems import EPSILON, RASHOMON_SETS, TREE_SETS, rashomon_sets
from lib.report import Column, Table, columns
from lib.set_packages import SetProblem
from lib.timing import WorkerError
from lib.tree_packages import Problem
from numpy.typing import NDArray

TIME_LIMIT = 300.0  # seconds for one fit
MIN_TURNS = 2  # one with each build first
REGULARIZATION = 0.001
# Group, method and depth of single trees; their data sets are those of peers.py.
TREES = (
    ("licketysplit", "splitsecond LicketySPLIT", 5),
    ("split", "splitsecond SPLIT, lookahead 2", 5),
    ("optimal", "splitsecond optimal", 4),
)
SETS = {
    "treefarms": "splitsecond TreeFARMS",
    "resplit": "splitsecond RESPLIT, lookahead 3",
}
RID_METHODS = ("splitsecond RID, lookahead 3", "splitsecond RID, exact")
RID_SETS = ("compas_split", "bike_praxis", "netherlands_split_aggressive")
RAW_SETS = ("compas", "heloc", "adult", "bike", "covertype")
LONG = ("histogram", "means")  # parts of an answer that are too long to show
GROUPS = (*(group for group, _, _ in TREES), *SETS, "rid", "raw")


def _write_ratio(row: report.Row) -> str:
    if row["ratio"] is None:
        return "-"
    return f"{row['ratio']:.3f} ({row['ratio_quartile_1']:.3f} to {row['ratio_quartile_3']:.3f})"


COLUMNS = columns(
    "group | data set = data | depth | lambda = regularization | method",
    "before = before s | after = after s",
    Column("after / before", _write_ratio),
    "processor time = cpu_ratio .3f",
    "turns | objective = objective .6f | leaves | trees = trees , | answers",
)


@dataclass(frozen=True)
class Line:
    """One fit that both builds are asked for."""

    group: str
    source: Source
    method: str
    problem: Problem

    @property
    def data(self) -> str:
        return self.source.name if isinstance(self.source, Frame) else str(self.source)


def plan() -> Iterator[Line]:
    """Yield all lines."""
    for group, method, depth in TREES:
        for source in TREE_SETS:
            yield Line(group, source, method, Problem(depth, REGULARIZATION, TIME_LIMIT))
    for group, method in SETS.items():
        for each in rashomon_sets(RASHOMON_SETS, 5):
            problem = SetProblem(each.depth, each.regularization, TIME_LIMIT, epsilon=EPSILON)
            yield Line(group, each.source, method, problem)
    for method in RID_METHODS:
        for source in RID_SETS:
            yield Line("rid", source, method, SetProblem(5, 0.02, TIME_LIMIT, epsilon=EPSILON))
    for name in RAW_SETS:
        problem = Problem(5, REGULARIZATION, TIME_LIMIT)
        yield Line("raw", Frame(name), "splitsecond LicketySPLIT", problem)


def chosen(lines: Sequence[Line], only: Sequence[str]) -> list[Line]:
    """Return the lines of the named groups, on the named data sets; all where none is named."""
    groups = set(only) & {line.group for line in lines}
    data = set(only) - groups
    return [
        line
        for line in lines
        if (not groups or line.group in groups) and (not data or line.data in data)
    ]


def compare(
    line: Line, builds: Sequence[Build], table: Path, *, repeats: int, budget: float
) -> dict[str, Any]:
    """Return a row: times of both builds, and whether their answers are the same."""
    row: dict[str, Any] = {
        "group": line.group,
        "data": line.data,
        "depth": line.problem.depth,
        "regularization": line.problem.regularization,
        "method": line.method,
        **dict.fromkeys(("before", "after", "ratio", "ratio_quartile_1", "ratio_quartile_3")),
        "cpu_ratio": None,
        "turns": 0,
        **dict.fromkeys(("objective", "leaves", "trees")),
    }
    try:
        found = [build.prepare(line.method, line.problem, table) for build in builds]
        times = take_turns(builds, repeats=repeats, budget=budget)
    except WorkerError as error:
        return {**row, "answers": str(error)}
    (before, cpu_before), (after, cpu_after) = np.median(times, axis=1).tolist()
    quartiles = np.percentile(times[1, :, 0] / times[0, :, 0], (25, 75)).tolist()
    return {
        **row,
        "before": before,
        "after": after,
        "ratio": after / before,
        "ratio_quartile_1": quartiles[0],
        "ratio_quartile_3": quartiles[1],
        "cpu_ratio": cpu_after / cpu_before,
        "turns": times.shape[1],
        **{key: found[1].get(key) for key in ("objective", "leaves", "trees")},
        "answers": judge(*found),
    }


def take_turns(builds: Sequence[Build], *, repeats: int, budget: float) -> NDArray[np.float64]:
    """Return the median of each turn's fits: by build, turn, and wall or processor time."""
    turns: list[list[NDArray[np.float64]]] = []
    spent = 0.0
    while len(turns) < repeats and (len(turns) < MIN_TURNS or spent < budget):
        order = (0, 1) if len(turns) % 2 == 0 else (1, 0)
        fits = {place: builds[place].turn() for place in order}
        turns.append([np.median(fits[place], axis=0) for place in (0, 1)])
        spent += sum(float(each[:, 0].sum()) for each in fits.values())
    return np.array(turns).swapaxes(0, 1)


def judge(before: report.Row, after: report.Row) -> str:
    """Say that two answers are the same, or what differs."""
    differing = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    if not differing:
        return "same"
    return "differ: " + ", ".join(
        key if key in LONG else f"{key} {before.get(key)} and {after.get(key)}" for key in differing
    )


def summary(rows: Sequence[report.Row]) -> str:
    """Say how the times compare over all lines."""
    timed = [row for row in rows if row["ratio"] is not None]
    if not timed:
        return "No line was timed."
    told = []
    for key, what in (("ratio", "wall"), ("cpu_ratio", "processor")):
        mean = np.exp(np.mean(np.log([row[key] for row in timed])))
        worst = max(timed, key=itemgetter(key))
        told.append(
            f"{what} time, geometric mean {mean:.3f}, maximum {worst[key]:.3f} "
            f"({worst['group']} on {worst['data']}, lambda {worst['regularization']})"
        )
    return (
        f"After / before, over {len(timed)} lines: {'; '.join(told)}. The table has the medians of "
        "a fit's wall time and their ratio, in brackets quartiles over turns, and the ratio of the "
        "medians of its processor time, which a busy machine disturbs less."
    )


def read_options(words: Sequence[str] | None, lines: Sequence[Line]) -> argparse.Namespace:
    names = [*GROUPS, *dict.fromkeys(line.data for line in lines)]
    parser = arguments.parser(__doc__)
    for name in ("--before", "--after"):
        parser.add_argument(name, type=Path, required=True, help="folder or Python of a build")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=names,
        default=[],
        metavar="NAME",
        help=f"groups and data sets, of {', '.join(names)}",
    )
    parser.add_argument("--repeats", type=int, default=15, help="maximum number of turns")
    parser.add_argument(
        "--budget", type=float, default=20.0, help="seconds a line is repeated, after two turns"
    )
    parser.add_argument(
        "--out", type=Path, help="file for the table; FILE.md and FILE.csv are written"
    )
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    lines = list(plan())
    options = read_options(words, lines)
    rows: list[dict[str, Any]] = []
    table = Table("Builds compared", COLUMNS, rows)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        builds = [
            stack.enter_context(Build(place, patience=2 * TIME_LIMIT))
            for place in (options.before, options.after)
        ]
        facts = dict(zip(("before", "after"), (each.describe() for each in builds), strict=True))
        for line in chosen(lines, options.only):
            report.progress(f"{line.group}: {line.data}, {line.method}")
            limits = {"repeats": max(1, options.repeats), "budget": options.budget}
            rows.append(compare(line, builds, write_table(line.source, folder), **limits))
            if options.out:
                out = options.out
                report.save(out.parent, out.stem, facts, [table], [summary(rows)])
    print(f"{table.to_markdown()}\n{summary(rows)}")
    return 0 if all(row["answers"] == "same" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
