"""Finding the files of a table: in folders and by patterns, each once, with the values of its path.

Writers such as Spark leave other files beside the table's: names that begin with `.` or `_` are
theirs. A folder `year=2024` is a value of the column `year`, which its files need not have.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

PARQUET = (".parquet", ".pq")
CSV = (".csv", ".csv.gz", ".tsv")
NOTHING = ("", "__HIVE_DEFAULT_PARTITION__")  # names of missing values


def find_files(paths: Sequence[Path]) -> list[Path]:
    """Return the files that paths and patterns name, in their order; none is there twice."""
    found: dict[Path, Path] = {}
    for path in paths:
        for file in _files(path):
            found.setdefault(file.resolve(), file)
    return list(found.values())


def values_of_path(file: Path) -> dict[str, str | None]:
    """Return the columns that the folders of a file tell, as in `year=2024/month=5`."""
    pairs = (part.split("=", 1) for part in file.parent.parts if "=" in part)
    named = ((unquote(name), unquote(value)) for name, value in pairs if name)
    return {name: None if value in NOTHING else value for name, value in named}


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = list(_below(path))
        if not found:
            raise ValueError(f"{path} is a folder without Parquet or CSV files.")
        return found
    if path.exists():
        return [path]
    matches = [match for match in _matches(path) if not _is_hidden_match(match, path)]
    found = [file for match in matches for file in (_below(match) if match.is_dir() else [match])]
    if not found:
        what = "No file matches" if glob.has_magic(str(path)) else "There is no file"
        raise FileNotFoundError(f"{what} {path}.")
    return found


def _below(folder: Path, above: frozenset[Path] = frozenset()) -> Iterator[Path]:
    """Yield the tables in a folder, by name; links to folders above it are not followed."""
    real = folder.resolve()
    if real in above:
        return
    for each in sorted(folder.iterdir()):
        if _is_hidden(each.name):
            continue
        if each.is_dir():
            yield from _below(each, above | {real})
        elif each.name.lower().endswith((*PARQUET, *CSV)):
            yield each


def _matches(pattern: Path) -> list[Path]:
    return sorted(Path(name) for name in glob.glob(str(pattern), recursive=True))


def _is_hidden(name: str) -> bool:
    """Whether a name is none of the table's; `_a=1` is a value."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _is_hidden_match(match: Path, pattern: Path) -> bool:
    """Whether a wildcard has matched a hidden name; `_*.csv` asks for some."""
    wild = next((i for i, part in enumerate(pattern.parts) if glob.has_magic(part)), 0)
    asked = {part[0] for part in pattern.parts[wild:]}
    return any(_is_hidden(part) and part[0] not in asked for part in match.parts[wild:])
