"""Telling Parquet files, and count tables among them; pyarrow is loaded for these alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

PARQUET_START = b"PAR1"
COUNTS = "splitsecond counts"  # what saved count tables say they are
COUNTS_KEY = COUNTS.encode()


def is_parquet(file: Path) -> bool:
    """Whether a file begins as Parquet does."""
    with file.open("rb") as stream:
        return stream.read(len(PARQUET_START)) == PARQUET_START


def is_count_table(path: Path) -> bool:
    """Whether a file is a count table, as `CountTable.save` writes them."""
    try:
        if not path.is_file() or not is_parquet(path):
            return False
        from pyarrow import parquet

        return COUNTS_KEY in (parquet.read_schema(path).metadata or {})
    except (ValueError, OSError):  # what pyarrow raises of damaged files is one of these
        return False


def n_cells(path: Path) -> int:
    """Return how many values a Parquet file holds; 0 for other files."""
    try:
        if not path.is_file() or not is_parquet(path):
            return 0
        from pyarrow import parquet

        found = parquet.read_metadata(path)
        return int(found.num_rows) * len(found.schema.to_arrow_schema())
    except (ValueError, OSError):  # of damaged files, as above
        return 0


def refuse_count_table(schema: pa.Schema, where: object) -> None:
    """Refuse a count table where rows are expected."""
    if COUNTS_KEY in (schema.metadata or {}):
        raise ValueError(
            f"{where} is a count table, as CountTable.save writes them, and rows are needed here: "
            "load it with CountTable.load and fit that; those of the same questions add up. The "
            "commands fit, path, rashomon and importance take one count table as their only file."
        )
