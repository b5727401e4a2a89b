"""Writes results: a CSV file for programs and a Markdown file for readers."""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeAlias

from lib import environments

ROOT = Path(__file__).resolve().parents[2]  # of the repository

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """A column of a Markdown table: its heading, and how its cell is written for a row."""

    heading: str
    write: Callable[[Row], str]


@dataclass(frozen=True)
class Table:
    """Rows under a heading; the columns are for Markdown, a CSV file takes all keys of the rows."""

    heading: str
    columns: Sequence[Column]
    rows: Sequence[Row] = ()

    def to_markdown(self) -> str:
        headings = [column.heading for column in self.columns]
        cells = [[column.write(row) for column in self.columns] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
        lines = [headings, ["-" * width for width in widths], *cells]
        rendered = (
            "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            for line in lines
        )
        return f"## {self.heading}\n\n" + "\n".join(f"{line} |" for line in rendered) + "\n"


def column(heading: str, key: str, write: Callable[[Any], str] = str) -> Column:
    """Make a column that shows one value of the row, or a dash where there is none."""
    return Column(heading, lambda row: "-" if row[key] is None else write(row[key]))


def columns(*parts: str | Column) -> tuple[Column, ...]:
    """Make the columns of a table from lines such as `data set = data | lambda | time = median s`.

    Between bars stands a heading, then, where they differ, the key of the value, then how it is
    written: `s` for seconds, `x` for a ratio, `MB` for bytes, or what Python's `format` takes.
    Other columns stand between the lines.
    """
    made: list[Column] = []
    for part in parts:
        made += [part] if isinstance(part, Column) else map(_column, part.split("|"))
    return tuple(made)


def _column(text: str) -> Column:
    heading, _, value = (each.strip() for each in text.partition(" = "))
    key, _, code = value.partition(" ")
    if not code:
        return column(heading, key or heading)
    return column(heading, key, FORMATS.get(code) or f"{{:{code}}}".format)


def _spread(row: Row) -> str:
    """Write the quartiles of the time."""
    if row["quartile_1"] is None:
        return "-"
    return f"{seconds(row['quartile_1'])} to {seconds(row['quartile_3'])}"


def save(
    folder: Path,
    name: str,
    facts: Mapping[str, str],
    tables: Sequence[Table],
    notes: Sequence[str] = (),
) -> str:
    """Write NAME.csv and NAME.md, which opens with the environment and `facts`; return the latter.

    Called after every measurement, so that an interrupted run leaves what it had. `notes` are
    paragraphs between the facts and the tables.
    """
    listed = "\n".join(f"- {key}: {value}" for key, value in {**_environment(), **facts}.items())
    parts = [f"# Results: {name}\n", listed + "\n", *(f"{note}\n" for note in notes)]
    text = "\n".join([*parts, *(table.to_markdown() for table in tables)])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    rows = [{"table": table.heading, **row} for table in tables for row in table.rows]
    save_rows(folder / f"{name}.csv", rows)
    return text


def save_rows(path: Path, rows: Sequence[Row]) -> None:
    """Write rows as a CSV file with all their keys."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, keys, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def progress(text: str) -> None:
    """Tell the person waiting what is being measured."""
    print(text, file=sys.stderr, flush=True)


def seconds(value: float) -> str:
    """Write a time with three digits and the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{_three_digits(value / size)} {unit}"
    return f"{value / 1e-6:.2f} us"


def ratio(value: float) -> str:
    return f"{_three_digits(value)}x"


def megabytes(value: float) -> str:
    return f"{_three_digits(value / 1e6)} MB"


FORMATS: Mapping[str, Callable[[float], str]] = {"s": seconds, "x": ratio, "MB": megabytes}


TIMES = columns("median = median s", Column("quartiles", _spread), "fits")


def _three_digits(value: float) -> str:
    places = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{places}f}"


def _environment() -> dict[str, str]:
    """Describe where, when and with what the results were made."""
    script = Path(sys.argv[0]).resolve()
    shown = script.relative_to(ROOT) if script.is_relative_to(ROOT) else Path(script.name)
    command = ["python", shown.as_posix(), *sys.argv[1:]]
    return {
        "command": f"`{shlex.join(command)}`",
        "date": dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(),
        "CPU": f"{_cpu_name()}, {os.cpu_count()} cores",
        "load average at the end": ", ".join(f"{load:.1f}" for load in os.getloadavg()),
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "packages": ", ".join(f"{name} {number}" for name, number in versions().items()),
    }


def not_run(methods: Sequence[str]) -> dict[str, str]:
    """Name the methods whose package is not installed, for the head of a result."""
    return {"not run, since not installed": "; ".join(methods) or "none"}


def versions() -> dict[str, str]:
    """Return the versions of our package, which may be a source tree, and of the others."""
    import splitsecond

    ours = {"splitsecond": splitsecond.__version__}
    ours |= {name: _version(name) for name in ("scikit-learn", "numpy")}
    return ours | {name: environments.version_of(name) for name in environments.PACKAGES}


def commit() -> str:
    """Name the commit, and whether the tree has changes beside it."""
    try:
        changed = _git("status", "--porcelain", "--", ":/", ":(exclude,top)benchmarks/results")
        return _git("rev-parse", "--short=12", "HEAD") + (" with local changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def content(paths: Sequence[str]) -> str:
    """Name what files and folders of the repository hold, and whether they have changes beside."""
    try:
        changed = _git("status", "--porcelain", "--", *(f":(top){path}" for path in paths))
        hashes = [_git("rev-parse", f"HEAD:{path}") for path in paths]
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    name = hashlib.sha256("".join(hashes).encode()).hexdigest()[:12]
    return name + (" with local changes" if changed else "")


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def _cpu_name() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"
