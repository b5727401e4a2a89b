"""What is measured on large tables in Parquet, each in a process of its own.

The boosting packages get a matrix of floats in parts, categories as their codes, which all files
number alike; none of them holds the whole table.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import dataset, parquet

from lib.large_data import CATEGORIES, COLUMNS, TARGET
from lib.timing import resident_peak

SCAN = "pyarrow: scan and decode"
ROUNDS = 20
LEAVES = 31
DEPTH, REGULARIZATION = 5, 0.001


def scan(files: Sequence[Path], held_out: Path, threads: int) -> list[dict[str, Any]]:
    """Read and decode all columns, and keep nothing."""
    pa.set_cpu_count(threads)
    start = time.perf_counter()
    scanner = dataset.dataset(files).scanner(batch_readahead=4, fragment_readahead=2)
    n_rows = sum(batch.num_rows for batch in scanner.to_batches())
    assert n_rows == sum(parquet.read_metadata(file).num_rows for file in files)
    return [_row(SCAN, start)]


def ours(files: Sequence[Path], held_out: Path, threads: int) -> list[dict[str, Any]]:
    """Compress, fit a tree to the count table, and score it on held-out rows."""
    import splitsecond

    pa.set_cpu_count(threads)
    start = time.perf_counter()
    counts = splitsecond.compress(list(files), TARGET, n_jobs=threads)
    compressed = _row("splitsecond: compress", start)
    compressed |= {"patterns": counts.n_patterns, "columns": len(counts.literals)}
    model = splitsecond.LicketySPLITClassifier(
        regularization=REGULARIZATION, max_depth=DEPTH, n_jobs=threads
    )
    start = time.perf_counter()
    model.fit(counts)
    fitted = _row("splitsecond: LicketySPLIT on the counts", start)
    table = parquet.read_table(held_out)
    found = model.predict_proba(table.drop_columns([TARGET]))[:, list(model.classes_).index("yes")]
    fitted |= {"leaves": model.n_leaves_, **_scores(found, labels_of(table))}
    return [compressed, fitted]


def xgboost(files: Sequence[Path], held_out: Path, threads: int) -> list[dict[str, Any]]:
    """Boost trees on a QuantileDMatrix that an iterator fills."""
    import xgboost as package

    kinds = ["c" if name in CATEGORIES else "float" for name in COLUMNS]

    class Parts(package.DataIter):
        def __init__(self) -> None:
            super().__init__()
            self.reset()

        def next(self, input_data: Callable[..., None]) -> bool:
            table = next(self._tables, None)
            if table is None:
                return False
            input_data(data=matrix_of(table), label=labels_of(table), feature_types=kinds)
            return True

        def reset(self) -> None:
            self._tables = _row_groups(files)

    start = time.perf_counter()
    data = package.QuantileDMatrix(Parts(), nthread=threads, enable_categorical=True)
    loaded = _row("XGBoost: QuantileDMatrix from an iterator", start)
    start = time.perf_counter()
    parameters = {"objective": "binary:logistic", "max_leaves": LEAVES, "grow_policy": "lossguide"}
    model = package.train({**parameters, "max_depth": 0, "nthread": threads}, data, ROUNDS)
    fitted = _row(f"XGBoost: {ROUNDS} rounds of {LEAVES} leaves", start)
    table = parquet.read_table(held_out)
    rows = package.DMatrix(matrix_of(table), feature_types=kinds, enable_categorical=True)
    return [loaded, fitted | _scores(model.predict(rows), labels_of(table))]


def lightgbm(files: Sequence[Path], held_out: Path, threads: int) -> list[dict[str, Any]]:
    """Boost trees on a data set that reads the files by row groups."""
    import lightgbm as package

    class File(package.Sequence):
        batch_size = 2**16

        def __init__(self, path: Path) -> None:
            self._file = parquet.ParquetFile(path)
            sizes = [self._file.metadata.row_group(i).num_rows for i in range(self._n_groups)]
            self._ends = np.cumsum([0, *sizes])
            self._group, self._rows = -1, np.zeros((0, 0))

        @property
        def _n_groups(self) -> int:
            return int(self._file.num_row_groups)

        def __len__(self) -> int:
            return int(self._ends[-1])

        def __getitem__(self, index: Any) -> NDArray[Any]:
            if not isinstance(index, slice):
                return self._read(int(index), int(index) + 1)[0]
            begin, end, _ = index.indices(len(self))
            inside = self._ends[(self._ends > begin) & (self._ends < end)].tolist()
            ends = [begin, *inside, end]
            return np.concatenate([self._read(a, b) for a, b in itertools.pairwise(ends)])

        def _read(self, begin: int, end: int) -> NDArray[Any]:
            """Return rows of one row group, which is kept until another one is asked for."""
            group = int(np.searchsorted(self._ends, begin, side="right")) - 1
            if group != self._group:
                self._rows = matrix_of(self._file.read_row_group(group), np.float64)
                self._group = group
            first = int(self._ends[group])
            return self._rows[begin - first : end - first]

    start = time.perf_counter()
    labels = np.concatenate(
        [labels_of(parquet.read_table(file, columns=[TARGET])) for file in files]
    )
    parameters = {
        "objective": "binary",
        "num_leaves": LEAVES,
        "num_threads": threads,
        "verbose": -1,
    }
    data = package.Dataset(
        [File(file) for file in files],
        labels,
        categorical_feature=[COLUMNS.index(name) for name in CATEGORIES],
        params=parameters,
    ).construct()
    loaded = _row("LightGBM: Dataset from a sequence", start)
    start = time.perf_counter()
    model = package.train(parameters, data, ROUNDS)
    fitted = _row(f"LightGBM: {ROUNDS} rounds of {LEAVES} leaves", start)
    table = parquet.read_table(held_out)
    found = model.predict(matrix_of(table), num_threads=threads)
    return [loaded, fitted | _scores(np.asarray(found), labels_of(table))]


METHODS: dict[str, Callable[[Sequence[Path], Path, int], list[dict[str, Any]]]] = {
    "scan": scan,
    "splitsecond": ours,
    "xgboost": xgboost,
    "lightgbm": lightgbm,
}
BOOSTING = ("xgboost", "lightgbm")


def matrix_of(table: pa.Table, dtype: type = np.float32) -> NDArray[Any]:
    """Return the columns as a matrix; a missing value is NaN."""
    matrix = np.empty((table.num_rows, len(COLUMNS)), dtype=dtype)
    for j, name in enumerate(COLUMNS):
        column = table[name].combine_chunks()
        if name in CATEGORIES:
            column = column.indices
        matrix[:, j] = column.cast(pa.from_numpy_dtype(dtype), safe=False).to_numpy(
            zero_copy_only=False
        )
    return matrix


def labels_of(table: pa.Table) -> NDArray[np.uint8]:
    """Return 1 for yes and 0 for no."""
    codes = table[TARGET].combine_chunks().indices
    return codes.to_numpy().astype(np.uint8)


def _row_groups(files: Sequence[Path]) -> Iterator[pa.Table]:
    for path in files:
        with parquet.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                yield file.read_row_group(group)


def _row(method: str, start: float) -> dict[str, Any]:
    return {"method": method, "seconds": time.perf_counter() - start, "peak": resident_peak()}


def _scores(found: NDArray[Any], labels: NDArray[np.uint8]) -> dict[str, float]:
    from sklearn.metrics import roc_auc_score

    return {
        "accuracy": float(((found > 0.5) == labels).mean()),
        "auc": float(roc_auc_score(labels, found)),
    }
