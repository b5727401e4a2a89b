"""The tables that predictions on new rows are compared on, and how their rows are split.

Tables of `splitsecond.datasets` and scikit-learn's own can be had by anyone; the others are read
from files `raw/NAME.csv.gz` of the folder that SPLITSECOND_DATA names (the target is the last
column). A table goes to another package's process as a file of plain columns.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_ROWS = 20_000  # of a larger table, so many are drawn
TEST_SHARE = 0.25


@dataclass(frozen=True)
class Origin:
    """Where a table is, and which label is class 1; none where all classes are kept."""

    home: str  # "datasets", "sklearn" or "folder"
    positive: Any = None
    file: str = ""  # its name there, if another
    without: tuple[str, ...] = ()  # columns that are known only after the class is


ORIGINS = {
    "compas": Origin("datasets", 1),
    "heloc": Origin("datasets", 1),
    "adult": Origin("datasets", ">50K"),
    "bike": Origin("datasets", 1),
    "covertype": Origin("datasets", 1),
    "netherlands": Origin("datasets", 1),
    "spambase": Origin("datasets", 1),
    "hypothyroid": Origin("datasets", "N"),
    "bank": Origin("datasets", "yes"),
    "breast_cancer": Origin("sklearn", 0),
    "coupon": Origin("folder", 1, without=("click",)),
    "wilt": Origin("folder", 0, "contree_wilt"),
    "rice": Origin("folder", 1, "contree_rice"),
    "page": Origin("folder", file="contree_page"),
    "car": Origin("folder"),
}


@dataclass(frozen=True)
class RawTable:
    """Columns of numbers (missing: nan) and of text (missing: empty), and the class of each row."""

    names: list[str]
    columns: list[NDArray[Any]]
    y: NDArray[np.int64]
    classes: list[str]

    def checksum(self) -> str:
        """Return a short fingerprint, to show that two runs used the same rows."""
        digest = hashlib.sha256(self.y.tobytes())
        for column in self.columns:
            digest.update(column.tobytes())
        return digest.hexdigest()[:12]

    def describe(self) -> str:
        """Return its size and classes, for the head of a result."""
        shares = np.bincount(self.y) / len(self.y)
        shown = f"{shares[1]:.1%} positive" if len(shares) == 2 else f"{len(shares)} classes"
        size = f"{len(self.y):,} x {len(self.columns)}, {shown}"
        return f"{size}, checksum {self.checksum()}"

    def save(self, path: Path) -> None:
        """Write it for a process of any environment: no pickles, which releases cannot share."""
        named = {f"column_{number}": column for number, column in enumerate(self.columns)}
        np.savez(
            path, names=np.array(self.names), classes=np.array(self.classes), y=self.y, **named
        )


def read(path: Path) -> RawTable:
    """Read what `RawTable.save` wrote."""
    with np.load(path) as stored:
        names = stored["names"].tolist()
        columns = [stored[f"column_{number}"] for number in range(len(names))]
        return RawTable(names, columns, stored["y"], stored["classes"].tolist())


def load(name: str) -> RawTable:
    """Return a table, or MAX_ROWS rows of it, which are the same in every run."""
    origin = ORIGINS[name]
    X, labels = _frame(origin, origin.file or name)
    X = X.drop(columns=list(origin.without))
    classes = sorted(set(labels.tolist()))
    if origin.positive is not None:
        labels = (labels == origin.positive).astype(np.int64)
        classes = ["other", str(origin.positive)]
    else:
        labels = np.searchsorted(np.array(classes), labels).astype(np.int64)
    chosen = np.arange(len(labels))
    if len(labels) > MAX_ROWS:
        chosen = np.sort(np.random.default_rng(0).permutation(len(labels))[:MAX_ROWS])
    columns = [_column(X[each].iloc[chosen]) for each in X.columns]
    return RawTable(
        [str(each) for each in X.columns], columns, labels[chosen], list(map(str, classes))
    )


def split(y: NDArray[np.int64], seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return training and test rows, with equal shares of the classes."""
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(
        np.arange(len(y)), test_size=TEST_SHARE, stratify=y, random_state=seed
    )
    return train, test


def _frame(origin: Origin, name: str) -> tuple[Any, NDArray[Any]]:
    import pandas as pd

    if origin.home == "sklearn":
        from sklearn.datasets import load_breast_cancer

        X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        return X, y.to_numpy()
    if origin.home == "datasets":
        from splitsecond import datasets

        loaded = datasets.load(name)
        return loaded.X, loaded.y
    folder = os.environ.get("SPLITSECOND_DATA", "")
    path = Path(folder) / "raw" / f"{name}.csv.gz"
    if not path.exists():
        raise SystemExit(f"There is no {path}: set SPLITSECOND_DATA, or name other --data-set.")
    table = pd.read_csv(path)
    return table.iloc[:, :-1], table.iloc[:, -1].to_numpy()


def _column(values: Any) -> NDArray[Any]:
    from pandas.api.types import is_numeric_dtype

    if is_numeric_dtype(values):
        return np.asarray(values.to_numpy(np.float64, na_value=np.nan))
    text = values.astype(object)
    return np.array(
        ["" if missing else str(each) for each, missing in zip(text, text.isna(), strict=True)]
    )
