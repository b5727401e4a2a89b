"""Times the inner loops of the core against the processor's maximum.

    python benchmarks/kernels.py --out benchmarks/results
    python benchmarks/kernels.py --before OTHER_SOURCE_TREE --out build/benchmarks

Builds core/bench, which needs a C++ compiler, CMake and Ninja. README.md in this folder says how to
read the tables.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from lib import arguments, report
from lib.report import ROOT, Column, Table, column, columns

BUILD = ROOT / "build" / "bench-core"
BUILD_BEFORE = ROOT / "build" / "bench-core-before"


def _billions(unit: str) -> Any:
    return lambda rate: f"{rate / 1e9:.2f} {unit}"


def _size(size: int) -> str:
    for unit, bytes_of in (("MiB", 2**20), ("KiB", 2**10)):
        if size >= bytes_of:
            return f"{size // bytes_of} {unit}"
    return f"{size} B" if size else "registers"


def _percent(row: report.Row) -> str:
    if row["share"] is None:
        return "-"
    return f"{row['share']:.0%} ({row['share_quartile_1']:.0%} to {row['share_quartile_3']:.0%})"


SIZE = column("data", "size", _size)
RATES = (
    column("words counted", "words_per_second", _billions("G/s")),
    column("read", "bytes_per_second", _billions("GB/s")),
)
PEAK_COLUMNS = columns("what | way", SIZE, *RATES)
COMPARED_COLUMNS = columns(
    "kernel = what | instructions = way",
    SIZE,
    "before = before s | after = after s | after / before = ratio .3f",
)
KERNEL_COLUMNS = columns(
    "kernel = what | instructions = way",
    SIZE,
    "a call = median s",
    *RATES,
    "bound",
    Column("of the peak", _percent),
)


def build(source: Path, folder: Path) -> Path:
    """Build the program of a source tree and return it; the output is shown if that fails."""
    program = folder / "bench" / "bench_kernels"
    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for command in (
        ["cmake", "-S", "core", "-B", str(folder), "-G", "Ninja", "-DSPLITSECOND_BUILD_BENCH=ON"],
        ["cmake", "--build", str(folder), "--target", program.name],
    ):
        done = subprocess.run(
            command,
            cwd=source,
            env={**os.environ, "PATH": tools},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return program


def measure(program: Path, rounds: int) -> list[dict[str, Any]]:
    """Run the program and return what it timed."""
    done = subprocess.run([program, str(rounds)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{program.name} failed: {done.stderr}")
    return list(read(done.stdout.splitlines()))


def read(lines: Iterable[str]) -> Iterable[dict[str, Any]]:
    """Read the program's lines and add rates; a peak is that of the quickest quarter."""
    for text in csv.DictReader(lines):
        row: dict[str, Any] = {"what": text.pop("what"), "way": text.pop("way")}
        row |= {"size": int(text.pop("size")), **{key: float(text[key]) for key in text}}
        for rate, key in (
            ("words_per_second", "counted_words"),
            ("bytes_per_second", "read_bytes"),
        ):
            quick = "quartile_1" if row["what"].startswith("peak") else "median"
            row[rate] = row[key] / row[quick] if row[key] else None
        yield row


def judge(row: dict[str, Any], peaks: Sequence[report.Row]) -> dict[str, Any]:
    """Add how near a kernel comes to the minimum time its reading and its counting could take."""
    counting = _peak(peaks, "counted_words", 0)
    reading = _peak(peaks, "read_bytes", row["size"])
    minimum = {"counting": row["counted_words"] / counting, "reading": row["read_bytes"] / reading}
    bound = max(minimum, key=lambda part: minimum[part])
    shares = dict.fromkeys(("share", "share_quartile_1", "share_quartile_3"))
    if not minimum[bound]:
        return {**row, "bound": None, **shares}
    times = (row["median"], row["quartile_3"], row["quartile_1"])
    return {
        **row,
        "bound": bound,
        **{key: minimum[bound] / time for key, time in zip(shares, times, strict=True)},
    }


def _peak(peaks: Sequence[report.Row], key: str, size: int) -> float:
    """Return the highest rate of any way, with data of this size or the next."""
    sizes = [row["size"] for row in peaks if row[key]]
    nearest = min((each for each in sizes if each >= size), default=max(sizes))
    rate = "words_per_second" if key == "counted_words" else "bytes_per_second"
    return max(float(row[rate]) for row in peaks if row[key] and row["size"] == nearest)


def compare(before: Path, after: Path, *, rounds: int, repeats: int) -> list[dict[str, Any]]:
    """Run two programs by turns (A B B A ...); return what both know, with the median of each."""
    times: dict[tuple[Any, ...], dict[Path, list[float]]] = {}
    for turn in range(repeats):
        for program in (before, after) if turn % 2 == 0 else (after, before):
            for row in measure(program, rounds):
                by_program = times.setdefault((row["what"], row["way"], row["size"]), {})
                by_program.setdefault(program, []).append(row["median"])
    rows = []
    for (what, way, size), taken in times.items():
        if len(taken) == 2 and not what.startswith("peak"):
            medians = {"before": median(taken[before]), "after": median(taken[after])}
            ratio = medians["after"] / medians["before"]
            rows.append({"what": what, "way": way, "size": size, **medians, "ratio": ratio})
    return rows


def main() -> None:
    parser = arguments.parser(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for kernels.csv, .md")
    parser.add_argument("--rounds", type=int, default=25, help="times each is measured")
    parser.add_argument(
        "--before",
        type=Path,
        metavar="SOURCE_TREE",
        help="compare with the kernels of this tree by turns, into kernels_compared.csv, .md",
    )
    parser.add_argument("--repeats", type=int, default=6, help="turns of a comparison")
    options = parser.parse_args()
    report.progress("building core/bench")
    program = build(ROOT, BUILD)
    if options.before:
        before = build(options.before.resolve(), BUILD_BEFORE)
        report.progress("measuring by turns")
        compared = compare(before, program, rounds=options.rounds, repeats=options.repeats)
        tables = [Table("Kernels compared", COMPARED_COLUMNS, compared)]
        print(report.save(options.out, "kernels_compared", {}, tables))
        return
    report.progress("measuring")
    rows = measure(program, options.rounds)
    peaks = [row for row in rows if row["what"].startswith("peak")]
    kernels = [judge(row, peaks) for row in rows if not row["what"].startswith("peak")]
    tables = [
        Table("Peaks", PEAK_COLUMNS, peaks),
        Table("Kernels, 64 columns", KERNEL_COLUMNS, kernels),
    ]
    print(report.save(options.out, "kernels", {}, tables))


if __name__ == "__main__":
    main()
