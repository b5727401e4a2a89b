"""Telling Parquet files, and count tables among them; pyarrow is loaded for these alone."""

from __future__ import annotations

from pathlib import Path

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
