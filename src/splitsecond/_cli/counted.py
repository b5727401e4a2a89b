"""Count tables in place of rows: what the commands learn from when there are many files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import splitsecond
from splitsecond._cli.options import Binarizer, Task
from splitsecond._cli.output import Listener, progress
from splitsecond._support.table_files import is_count_table


@dataclass(frozen=True)
class Counted:
    """A count table, as the commands learn from it."""

    counts: splitsecond.CountTable

    def __len__(self) -> int:
        return self.counts.n_rows

    @property
    def task(self) -> Task:
        """Whether classes or numbers are predicted."""
        return Task.REGRESSION if self.counts.is_of_numbers else Task.CLASSIFICATION

    @property
    def y(self) -> NDArray[Any]:
        """The class or number of each entry."""
        return self.counts.labels_of_entries()

    @property
    def source(self) -> None:
        """Errors do not name rows: there are none."""
        return None

    @property
    def given(self) -> dict[str, Any]:
        """What a fit takes."""
        return {"X": self.counts}

    def with_folds(self, n_folds: int, seed: int) -> Counted:
        """Return a table with folds: its own, if it has as many."""
        if self.counts.n_folds == n_folds:
            return self
        return replace(self, counts=self.counts.with_folds(n_folds, seed))


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
