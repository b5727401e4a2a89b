"""Count tables in place of rows: what the commands learn from when there are many files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import splitsecond
from splitsecond._cli.data import Data
from splitsecond._cli.options import Binarizer, Task
from splitsecond._cli.output import Listener, progress
from splitsecond._support.parquet_files import is_count_table


class Counted(Data):
    """A count table, as the commands learn from it: X is the table, y what its entries are."""

    @classmethod
    def of(cls, counts: splitsecond.CountTable) -> Counted:
        """Return a count table as what is learned from."""
        task = Task.REGRESSION if counts.is_of_numbers else Task.CLASSIFICATION
        return cls(counts, counts.labels_of_entries(), task=task)

    def __len__(self) -> int:
        return int(self.X.n_rows)

    @property
    def given(self) -> dict[str, Any]:
        """What a fit takes."""
        return {"X": self.X}

    def with_folds(self, n_folds: int, seed: int) -> Counted:
        """Return a table with folds: its own, if it has as many."""
        if self.X.n_folds == n_folds:
            return self
        return Counted.of(self.X.with_folds(n_folds, seed))


def is_large(paths: Sequence[Path]) -> bool:
    """Whether tables are counted, not read whole: several files, or a count table."""
    if len(paths) > 1:
        return True
    (path,) = paths
    is_pattern = not path.exists() and any(mark in str(path) for mark in "*?[")
    return is_pattern or path.is_dir() or is_count_table(path)


def binarizer_for(word: Binarizer) -> Any:
    """Return how columns become questions, as `compress` takes it."""
    if word is Binarizer.NONE:
        raise ValueError("--binarizer none is for a table of 0/1 columns in one file.")
    return str(word)


def compressed(paths: Sequence[Path], target: str, **options: Any) -> splitsecond.CountTable:
    """Compress files while a bar shows how far it is, and about how long it will take."""
    with two_passes() as listener:
        return splitsecond.compress(list(paths), target, progress=listener, **options)


@contextmanager
def two_passes() -> Iterator[Listener]:
    """Show one bar for two passes over as many rows; their number may not be known."""
    number, last = 0, np.inf
    with progress("counting", has_estimate=True) as bar:

        def listener(done: int, of: int, *_: Any) -> None:
            nonlocal number, last
            number, last = number + (done < last), done
            bar(done + (number - 1) * of, 2 * of or None)

        yield listener
