"""Some rows of many files, to be checked: a file is as likely to be looked at as it is long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from splitsecond._cli.options import Columns
from splitsecond._cli.rows import refuse_per_file
from splitsecond._cli.sources import Source
from splitsecond._support.parquet_files import is_count_table

MAX_ROWS = 100_000  # that are looked at
MAX_FILES = 20  # of which they are


@dataclass(frozen=True)
class Sampled(Source):
    """A table of some rows of many files."""

    table: pa.Table | None = None
    about: str = ""  # how many there are, and of how many

    def check(self) -> None:
        """Refuse nothing: the files were read."""

    def row(self, position: int, n_rows: int) -> str:
        """Return what users call a row."""
        return f"row {position + 1:,} of those looked at"

    def _table(self) -> pa.Table:
        assert self.table is not None
        return self.table


def sampled(paths: Sequence[Path], columns: Columns) -> Sampled:
    """Read some rows of files; refuse files that have not the same columns."""
    refuse_per_file(columns)
    if len(paths) == 1 and is_count_table(paths[0]):
        raise ValueError(f"{paths[0]} is a count table, which has been checked by compress.")
    from splitsecond._support.table_files import dataset_of

    dataset = dataset_of(paths)
    fragments = list(dataset.get_fragments())
    chosen = np.unique(np.linspace(0, len(fragments) - 1, MAX_FILES).round().astype(int))
    parts = [_begin(fragments[i], dataset.schema, MAX_ROWS // len(chosen)) for i in chosen]
    table = pa.concat_tables(parts).unify_dictionaries()
    name = paths[0] if len(paths) == 1 else Path(f"{len(fragments):,} files")
    return Sampled(
        name,
        drop=columns.drop,
        table=table,
        about=f"{table.num_rows:,} rows of {len(chosen):,} of {len(fragments):,} files were looked "
        "at; the columns are those of all files.",
    )


def _begin(fragment: Any, schema: pa.Schema, n_rows: int) -> pa.Table:
    """Return the first rows of a file."""
    try:
        table: pa.Table = fragment.scanner(schema=schema).head(n_rows)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{fragment.path} cannot be read: {error!s:.300}") from error
    return table
