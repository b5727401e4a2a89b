"""A run of a benchmark: shows its progress, and resumes where an interrupted one ended.

Rows are kept in a JSON file for each measurement, beside the settings they were made with, and
used again if both these and the commit are the same (or the files that they depend on).
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from lib import report


def read(path: Path, settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the `rows` of a file and the `commit` they are of, if it has the same settings."""
    if not path.exists():
        return None
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    same = stored["settings"] == json.loads(json.dumps(settings))  # there are no tuples in JSON
    return stored if same else None


def write(path: Path, settings: Mapping[str, Any], rows: Iterable[report.Row], commit: str) -> None:
    """Keep rows; an interruption leaves the old file or the new."""
    content = {"settings": settings, "commit": commit, "rows": [dict(row) for row in rows]}
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(content), encoding="utf-8")
    partial.replace(path)


class Run:
    """Use it in a `with` block, and call `rows` for each of `total` measurements.

    `settings` are what all of them depend on, beside the commit and the packages' versions. What
    is measured with changes that are not committed is not kept.
    """

    def __init__(
        self, name: str, total: int, options: argparse.Namespace, settings: Mapping[str, Any]
    ) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeElapsedColumn as Elapsed

        self._folder: Path = options.work / name
        self._force: bool = options.force
        self._settings = {**settings, "versions": report.versions()}
        self._commit = report.commit()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            Elapsed(),
            console=Console(stderr=True),
        )
        self._task = self._progress.add_task(name, total=total)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def rows(
        self,
        name: str,
        measure: Callable[[], Iterable[report.Row]],
        *,
        depends_on: Sequence[str] = (),
        **asked: Any,
    ) -> list[dict[str, Any]]:
        """Return the rows of a measurement: kept ones, or new ones, which are kept.

        Its name is its own in the run; `asked` are settings of this measurement alone. Kept rows
        are those of the commit, or of any commit in which the files and folders that it depends on
        are the same, if these are named.
        """
        self._progress.update(self._task, description=name)
        path = self._folder / f"{re.sub('[^A-Za-z0-9.]+', '-', name)}.json"
        settings = {**self._settings, **asked}
        state = report.content(depends_on) if depends_on else self._commit
        keeps = re.fullmatch("[0-9a-f]+", state) is not None
        kept = read(path, settings) if keeps and not self._force else None
        if kept is not None and kept["commit"] == state:
            rows: list[dict[str, Any]] = kept["rows"]
            how = "kept"
        else:
            start = time.perf_counter()
            rows = [dict(row) for row in measure()]
            how = f"{time.perf_counter() - start:.0f} s"
            if keeps:
                write(path, settings, rows, state)
        self._progress.advance(self._task)
        self._progress.console.print(f"{name}: {how}", markup=False, highlight=False)
        return rows


def run_table(
    name: str,
    options: argparse.Namespace,
    settings: Mapping[str, Any],
    facts: Mapping[str, str],
    table: report.Table,
    measurements: Mapping[str, Callable[[], Iterable[report.Row]]],
) -> None:
    """Fill one table with measurements, by their names, save it after each, and print it."""
    rows: list[dict[str, Any]] = []
    table = replace(table, rows=rows)
    with Run(name, len(measurements), options, settings) as run:
        for label, measure in measurements.items():
            rows += run.rows(label, measure)
            text = report.save(options.out, name, facts, [table])
    print(text)
