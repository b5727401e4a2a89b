"""Finds a data set: in the user's folder, in the cache, or at its public home."""

from __future__ import annotations

import gzip
import io
import json
import os
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._support.files import write_whole
from splitsecond._support.install import install_line
from splitsecond._support.messages import offered, shown
from splitsecond.datasets._content import fingerprint
from splitsecond.datasets._homes import download as _download

FOLDER = "SPLITSECOND_DATA"  # the environment variable that names the user's folder
_SUBFOLDERS = ("raw", "binary", "")
_SUFFIXES = (".parquet", ".csv.gz", ".csv")


@dataclass(frozen=True)
class Description:
    """What is known of a data set without loading it.

    Attributes
    ----------
    name, title : str
        What it is called, and what it is about.
    n_rows : int
        Rows.
    columns : list of str
        Names of the features.
    target : str
        Name of the column to predict; `meaning` says what its values stand for.
    positive : Any
        The value that counts as class 1 in two-class experiments.
    source, licence, citation : str
        Where it comes from, on what terms, and what to cite.
    sha256 : str
        Of its names and values, whatever file holds them.
    """

    name: str
    title: str
    n_rows: int
    columns: list[str]
    target: str
    meaning: str
    positive: Any
    source: str
    licence: str
    citation: str
    sha256: str


@dataclass(frozen=True, repr=False)
class Dataset:
    """A data set: its table, its labels, and where they come from.

    Attributes
    ----------
    X : pandas.DataFrame
        The features, missing values and categories included.
    y : ndarray
        The labels as they stand.
    description : Description
        Licence and citation among others.
    """

    X: Any
    y: NDArray[Any]
    description: Description

    @property
    def y_binary(self) -> NDArray[np.int64]:
        """1 where the label is the positive one, 0 elsewhere."""
        labels: NDArray[np.int64] = (self.y == self.description.positive).astype(np.int64)
        return labels

    def __repr__(self) -> str:
        return f"<Dataset {self.description.name}: {len(self.X):,} rows x {self.X.shape[1]}>"


def names() -> list[str]:
    """Return the names that `load` knows."""
    return list(_manifest())


def describe(name: str) -> Description:
    """Return what is known of a data set without loading it."""
    entry = _entry(name)
    return Description(
        name=name,
        title=entry["title"],
        n_rows=entry["rows"],
        columns=entry["columns"][:-1],
        target=entry["columns"][-1],
        meaning=entry["meaning"],
        positive=entry["positive"],
        source=entry["source"],
        licence=entry["licence"],
        citation=entry["citation"],
        sha256=entry["sha256"],
    )


def load(
    name: str, *, data_home: Any = None, download: bool = True, verify: bool = True
) -> Dataset:
    """Return a data set by name.

    It is looked for in the folder that the environment variable ``SPLITSECOND_DATA`` names (files
    such as ``raw/NAME.csv.gz``, ``binary/NAME.csv.gz``, ``NAME.parquet``; the target is the last
    column), then among those downloaded before, then at its public home. Needs pandas, and pyarrow
    for Parquet files: ``pip install ".[datasets]"``.

    Parameters
    ----------
    name : str
        One of `names()`.
    data_home : path-like, optional
        Where downloads are kept; by default scikit-learn's data folder.
    download : bool, default=True
        Whether to go to the public home at all.
    verify : bool, default=True
        Refuse a table that differs in any name or value from the one results were published for.
        With False it is taken as it is, and a download is not kept.

    Raises
    ------
    FileNotFoundError
        If it is in no folder and may not or cannot be downloaded; the message says what to do.
    ConnectionError
        If its home cannot be reached.
    ValueError
        If there is no such data set, or its content is not the expected one.
    """
    entry = _entry(name)
    _require_pandas()
    folder = os.environ.get(FOLDER)
    path = _find(Path(folder), name) if folder else None
    kept = _cached(name, data_home)
    if path is None and kept.is_file():
        path = kept
    if path is None:
        table = _from_home(name, entry, kept, download=download, verify=verify)
    else:
        table = _read(path)
        if verify:
            _check(name, entry, table, f"{path}", "Replace or remove that file")
    return Dataset(table.iloc[:, :-1], table.iloc[:, -1].to_numpy(), describe(name))


def _from_home(
    name: str, entry: dict[str, Any], kept: Path, *, download: bool, verify: bool
) -> Any:
    """Download a table, check it, keep it, and return it as it will be read from the cache."""
    home = entry["home"]
    where = f"Set {FOLDER} to a folder that holds raw/{name}.csv.gz ({_form(entry)})"
    if home["kind"] == "manual":
        raise FileNotFoundError(
            f"The data set {name!r} cannot be downloaded: {home['why']}. Get it from "
            f"{entry['source']} and put it into a folder of yours. {where}."
        )
    if not download:
        raise FileNotFoundError(
            f"The data set {name!r} is not on this machine, and download=False. {where}, or allow "
            "the download."
        )
    place = home.get("url", f"OpenML, data set {home.get('id')}")
    if home["kind"] == "covtype":
        place = "scikit-learn's fetch_covtype"
    try:
        table = _download(name, home, entry["columns"])
    except OSError as error:
        raise ConnectionError(
            f"The data set {name!r} could not be downloaded from {place} "
            f"({type(error).__name__}: {error}). Check the network and try again. Without one: "
            f"{where}."
        ) from error
    except (ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"{place} sent something else than the data set {name!r} ({error}). {where}."
        ) from error
    if not verify:
        return table
    content = table.to_csv(index=False).encode()
    table = _read(io.BytesIO(content))
    _check(name, entry, table, f"What {place} sent", where)
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept, gzip.compress(content))
    return table


def _check(name: str, entry: dict[str, Any], table: Any, what: str, remedy: str) -> None:
    if fingerprint(table) == entry["sha256"]:
        return
    if list(table.columns) != entry["columns"]:
        odd = [column for column in table.columns if column not in entry["columns"]]
        found = f"other columns or another order{f' ({odd[0]!r}, for one)' if odd else ''}"
    elif len(table) != entry["rows"]:
        found = f"{len(table)} rows in place of {entry['rows']}"
    else:
        found = "the same columns and number of rows, but other values or another order of rows"
    raise ValueError(
        f"{what} is not the data set {name!r} that results were published for: it has {found}. "
        f"{remedy}, or take it as it is with verify=False."
    )


def _form(entry: dict[str, Any]) -> str:
    return f"{entry['rows']} rows; {len(entry['columns'])} columns, {entry['columns'][-1]!r} last"


def _read(source: Path | io.BytesIO) -> Any:
    import pandas as pd

    if isinstance(source, Path) and source.suffix == ".parquet":
        return pd.read_parquet(source)
    return pd.read_csv(source)


def _find(folder: Path, name: str) -> Path | None:
    for subfolder in _SUBFOLDERS:
        for suffix in _SUFFIXES:
            path = folder / subfolder / f"{name}{suffix}"
            if path.is_file():
                return path
    return None


def _cached(name: str, data_home: Any) -> Path:
    from sklearn.datasets import get_data_home

    return Path(get_data_home(data_home)) / "splitsecond" / f"{name}.csv.gz"


def _require_pandas() -> None:
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"Data sets need pandas: {install_line('datasets')} installs it."
        ) from error


@cache
def _manifest() -> dict[str, dict[str, Any]]:
    text = (files("splitsecond.datasets") / "manifest.json").read_text(encoding="utf-8")
    manifest: dict[str, dict[str, Any]] = json.loads(text)
    return manifest


def _entry(name: str) -> dict[str, Any]:
    if name not in _manifest():
        names, hint = offered(name, list(_manifest()))
        raise ValueError(f"There is no data set {shown(name)}; there are {names}.{hint}")
    return _manifest()[name]
