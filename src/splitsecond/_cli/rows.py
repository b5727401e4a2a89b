"""What a command learns from: the rows of one file, or a count table of many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from splitsecond._cli.counted import Counted, binarizer_for, compressed, is_large
from splitsecond._cli.data import Data, read_data
from splitsecond._cli.options import Binarizer, Columns, Learning, Reading
from splitsecond._cli.sources import Source
from splitsecond._cli.targets import Asked
from splitsecond._support.parquet_files import is_count_table, n_cells

PER_FILE = {field.name for field in fields(Reading)} | {"category"}

LARGE = 2**28  # values of a Parquet file, of 8 bytes each, that are not read at once


@dataclass(frozen=True)
class Rows:
    """Files, and how they are read."""

    files: Sequence[Path]
    target: str
    weight: str | None
    columns: Columns
    seed: int
    jobs: int

    def read(self, learning: Learning, of_rows: Mapping[str, object] | None = None) -> Data:
        """Read them; options `of_rows` need the rows, which a count table has not."""
        asked = Asked.by(learning)
        if not is_large(self.files) and not self._is_streamed(learning, of_rows or {}):
            return read_data(
                Source.of(self.files[0], self.columns), self.target, self.weight, asked
            )
        for option, value in (of_rows or {}).items():
            if value is not None:
                raise ValueError(
                    f"{option} is for a table in one file: of many, compress the files to be held "
                    "out on their own, and score them in Python (docs/large-tables.md)."
                )
        task = asked.decided()
        if len(self.files) == 1 and is_count_table(self.files[0]):
            return self._loaded(None if task is None else str(task))
        refuse_per_file(self.columns)
        counts = compressed(
            self.files,
            self.target,
            weight=self.weight,
            task="auto" if task is None else str(task),
            ignore=self.columns.drop,
            binarizer=binarizer_for(learning.binarizer),
            random_state=self.seed,
            n_jobs=self.jobs,
            memory_limit=learning.memory_limit,
        )
        return Counted.of(counts)

    def _is_streamed(self, learning: Learning, of_rows: Mapping[str, object]) -> bool:
        """Whether one file is counted as many are: if it is large, and no option needs its rows."""
        needs_rows = (
            learning.binarizer is Binarizer.NONE
            or any(value is not None for value in of_rows.values())
            or _given_per_file(self.columns)
        )
        return not needs_rows and n_cells(self.files[0]) >= LARGE

    def _loaded(self, task: str | None) -> Counted:
        from splitsecond import CountTable

        (path,) = self.files
        found = Counted.of(CountTable.load(path))
        if found.X.target != self.target:
            raise ValueError(
                f"{path} is a count table for the target {found.X.target!r}, not {self.target!r}."
            )
        if task not in (None, str(found.task)):
            raise ValueError(f"{path} is a count table for {found.task}: leave out --task {task}.")
        given = {"--weight": self.weight, "--drop": self.columns.drop}
        for option, value in given.items():
            if value:
                raise ValueError(f"{option} has no meaning for a count table: give it to compress.")
        refuse_per_file(self.columns)
        return found


def refuse_per_file(options: Reading) -> None:
    """Refuse options of how one file is read."""
    for name in _given_per_file(options):
        raise ValueError(f"--{name} is for a table in one file: leave it out.")


def _given_per_file(options: Reading) -> list[str]:
    return [
        field.name
        for field in fields(options)
        if field.name in PER_FILE and getattr(options, field.name) != _default(field)
    ]


def _default(field: Any) -> Any:
    return field.default if isinstance(field.default, (str, type(None))) else []
