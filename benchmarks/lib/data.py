"""The matrices the benchmarks run on: published 0/1 sets, binarized raw sets, synthetic sets.

`load` returns the same matrix for the same source on every call and in every process: published and
raw sets are built once, then kept as .npz files in a cache folder outside the repository.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lib.regression_data import Regression, load_matrix

if TYPE_CHECKING:  # imported where used: the environments of other packages do not have it
    from splitsecond import datasets

Matrix: TypeAlias = NDArray[np.uint8]
Labels: TypeAlias = NDArray[np.int64]
Float32: TypeAlias = NDArray[np.float32]

BINARY_SETS = ("compas_split", "bike_praxis", "netherlands_split_aggressive")
# Raw sets, and the number of 0/1 columns to make of each.
RAW_SETS = {"heloc": 60, "adult": 64, "spambase": 76, "covertype": 41}
NAMES = (*BINARY_SETS, *RAW_SETS)
# Sets made by our own ThresholdGuessBinarizer: the raw set, and the number of columns. For RESPLIT
# it is the paper's, less the label, which its table counts as well.
GUESSED_SETS: dict[str, tuple[str, int]] = {
    "heloc_resplit": ("heloc", 46),
    "spambase_resplit": ("spambase", 77),
    "heloc_60": ("heloc", 60),
    "adult_60": ("adult", 60),
}

# The paper's raw sets: the number of columns that the paper binarized them to, less the label,
# which its table counts as well.
PAPER_SETS = {
    "compas": 38,
    "heloc": 61,
    "adult": 64,
    "netherlands": 51,
    "bike": 98,
    "covertype": 40,
    "spambase": 77,
    "hypothyroid": 71,
    "bank": 66,
}

SEED = 0
BOOSTING_ROWS = 20_000  # thresholds are guessed on at most this many rows, drawn with SEED
STUMPS_PER_ROUND = 100
MAX_ROUNDS = 10
BINARIZATION = 1  # raise when `binarize` changes its result, so that old caches are not read


@dataclass(frozen=True)
class Synthetic:
    """Rows of 0/1 columns cut from hidden variables, and a label with additive and parity parts.

    Each hidden variable is cut at THRESHOLDS levels, as binarized real variables are, so columns
    come in nested groups; there are too many combinations of levels for rows to repeat often.
    """

    rows: int
    columns: int

    def __str__(self) -> str:
        return f"synthetic {self.rows} x {self.columns}"


THRESHOLDS = 4
CHUNK_ROWS = 1 << 18


@dataclass(frozen=True)
class Numbers:
    """The numeric columns of a raw set as they are, in the rows where none is missing."""

    name: str

    def __str__(self) -> str:
        return f"{self.name}, raw"


@dataclass(frozen=True)
class Frame:
    """A raw set as a data frame, with missing values and categories."""

    name: str

    def __str__(self) -> str:
        return f"{self.name}, frame"


Source: TypeAlias = str | Synthetic | Numbers | Frame | Regression


def load(source: Source) -> tuple[Any, Labels]:
    """Return X and y (0/1, or numbers) of a data set.

    X is a data frame or a C-contiguous array: 0/1, or 64-bit floats of raw numbers.
    """
    if isinstance(source, Frame):
        return load_raw(source.name)
    return synthesize(source) if isinstance(source, Synthetic) else _load_stored(source)


@functools.lru_cache(maxsize=2)  # every process of a comparison is given the same
def _load_stored(source: str | Numbers | Regression) -> tuple[Any, Any]:
    from splitsecond import datasets

    if isinstance(source, Regression):
        return load_matrix(source)
    if isinstance(source, Numbers):
        table, y = load_raw(source.name)
        values = table.select_dtypes("number").to_numpy(np.float64)
        complete = ~np.isnan(values).any(axis=1)
        return np.ascontiguousarray(values[complete]), y[complete]
    if source in GUESSED_SETS:
        return _guess(*GUESSED_SETS[source])
    if source not in NAMES:
        message = f"there is no data set {source!r}; the benchmarks know {', '.join(NAMES)}"
        raise SystemExit(message)
    content = datasets.describe(source)
    columns = RAW_SETS.get(source, len(content.columns))
    version = f"v{BINARIZATION}-{content.sha256[:12]}"
    path = _cache_folder() / f"{source}-{columns}-{version}.npz"
    if not path.exists():
        X, y = _build(source)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.stem}.{os.getpid()}.npz")
        np.savez(partial, X=np.packbits(X, axis=0), y=y, rows=len(y))
        partial.replace(path)
    with np.load(path) as stored:
        X = np.unpackbits(stored["X"], axis=0, count=int(stored["rows"]))
        return np.ascontiguousarray(X), stored["y"]


def load_raw(name: str) -> tuple[Any, Labels]:
    """Return a raw set as a data frame, with missing values and categories, and its 0/1 labels."""
    loaded = _load(name)
    return loaded.X, loaded.y_binary


def describe(sources: Iterable[Source]) -> dict[str, str]:
    """Return the shape and checksum of each data set, for the head of a result."""
    facts = {}
    for source in sources:
        X, y = load(source)
        facts[str(source)] = f"{X.shape[0]} x {X.shape[1]}, checksum {checksum(X, y)}"
    return facts


def checksum(X: Any, y: Labels) -> str:
    """Return a short fingerprint, to show that two runs used the same matrix and labels."""
    digest = hashlib.sha256(X if X.dtype == np.float64 else np.packbits(X, axis=0).tobytes())
    digest.update((y if y.dtype == np.float64 else y.astype(np.int64)).tobytes())
    return digest.hexdigest()[:12]


def synthesize(shape: Synthetic) -> tuple[Matrix, Labels]:
    """Generate a synthetic set in chunks, so that little more than X and y is ever in memory."""
    random = np.random.default_rng(SEED)
    X = np.empty((shape.rows, shape.columns), dtype=np.uint8)
    y = np.empty(shape.rows, dtype=np.int64)
    hidden = -(-shape.columns // THRESHOLDS)
    cuts = np.linspace(0, 256, THRESHOLDS + 2)[1:-1]
    weights = (2.0 * (-1.0) ** np.arange(hidden) / (1.0 + np.arange(hidden)) ** 0.7).astype(
        np.float32
    )
    for start in range(0, shape.rows, CHUNK_ROWS):
        rows = slice(start, min(start + CHUNK_ROWS, shape.rows))
        levels = random.integers(0, 256, size=(rows.stop - start, hidden), dtype=np.uint8)
        for column in range(shape.columns):
            variable, cut = divmod(column, THRESHOLDS)
            X[rows, column] = levels[:, variable] <= cuts[cut]
        high = levels > 128
        logit = (levels.astype(np.float32) / 128 - 1) @ weights
        logit += np.where(high[:, 0] ^ high[:, -1] ^ high[:, hidden // 2], 2.0, -2.0)
        y[rows] = random.random(len(logit)) < 1 / (1 + np.exp(-logit))
    return X, y


def binarize(table: Any, y: Labels, columns: int) -> Matrix:
    """Turn the columns of a pandas table into `columns` 0/1 columns, `x <= t` or `x == v`.

    The thresholds are those of boosted stumps, taken by the total gain of the stumps that use them;
    a column equal or complementary to one already taken is passed over. The order is that of the
    table, then of the thresholds.
    """
    names, values = _numeric_columns(table)
    kept: dict[tuple[int, float], NDArray[np.bool_]] = {}
    for _, candidates in zip(range(MAX_ROUNDS), _stump_splits(values, y), strict=False):
        kept = {}
        seen: set[bytes] = set()
        for variable, threshold in candidates:
            column = values[:, variable] <= threshold
            if "==" in names[variable]:
                column = ~column  # a one-hot column is split at 0.5: x == v is the other side
            key = np.packbits(column ^ column[0]).tobytes()  # the same for a complement
            if key in seen or column.all() or not column.any():
                continue
            seen.add(key)
            kept[variable, threshold] = column
            if len(kept) == columns:
                return np.stack([kept[pair] for pair in sorted(kept)], axis=1).astype(np.uint8)
    message = f"boosted stumps found {len(kept)} different columns, {columns} were asked for"
    raise RuntimeError(message)


def _stump_splits(values: Float32, y: Labels) -> Iterator[list[tuple[int, float]]]:
    """Yield (column, threshold) pairs, best first, after each further round of boosted stumps."""
    from sklearn.ensemble import GradientBoostingClassifier

    chosen = np.random.default_rng(SEED).permutation(len(y))[:BOOSTING_ROWS]
    model = GradientBoostingClassifier(
        max_depth=1, n_estimators=STUMPS_PER_ROUND, warm_start=True, random_state=SEED
    )
    while True:
        model.fit(values[chosen], y[chosen])
        gains: dict[tuple[int, float], float] = {}
        for stump in model.estimators_.ravel():
            tree = stump.tree_
            if tree.node_count == 1:
                continue
            spread = tree.impurity * tree.weighted_n_node_samples
            pair = int(tree.feature[0]), float(tree.threshold[0])
            gains[pair] = gains.get(pair, 0.0) + float(spread[0] - spread[1] - spread[2])
        yield sorted(gains, key=lambda pair: (-gains[pair], pair))
        model.n_estimators += STUMPS_PER_ROUND


def _numeric_columns(table: Any) -> tuple[list[str], Float32]:
    """Return names and values of the numeric columns and of one column `name == v` per category."""
    from pandas.api.types import is_numeric_dtype

    names: list[str] = []
    columns: list[Float32] = []
    for name in table.columns:
        if is_numeric_dtype(table[name]):
            names.append(str(name))
            columns.append(table[name].to_numpy(np.float32))
            continue
        for value in sorted(table[name].unique()):
            names.append(f"{name} == {value}")
            columns.append((table[name] == value).to_numpy(np.float32))
    return names, np.stack(columns, axis=1)


def _load(name: str) -> datasets.Dataset:
    from splitsecond import datasets

    try:
        return datasets.load(name)
    except (OSError, ValueError) as error:  # says what to do; nothing to trace
        raise SystemExit(str(error)) from None


def _build(name: str) -> tuple[Matrix, Labels]:
    loaded = _load(name)
    if name in BINARY_SETS:
        return np.ascontiguousarray(loaded.X.to_numpy(np.uint8)), loaded.y.astype(np.int64)
    complete = loaded.X.notna().all(axis=1).to_numpy()
    y = loaded.y_binary[complete]
    return binarize(loaded.X[complete], y, RAW_SETS[name]), y


def _guess(name: str, columns: int) -> tuple[Matrix, Labels]:
    from splitsecond import ThresholdGuessBinarizer

    table, y = load_raw(name)
    X = ThresholdGuessBinarizer(max_features=columns).fit(table, y).transform(table)
    return np.ascontiguousarray(X, dtype=np.uint8), y


def _cache_folder() -> Path:
    folder = os.environ.get("SPLITSECOND_BENCH_CACHE")
    return Path(folder) if folder else Path.home() / ".cache" / "splitsecond-bench"
