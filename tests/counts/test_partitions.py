"""Count tables do not depend on how a table is divided, in which order, and by how many threads."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from counted import WEIGHTS, check_same_counts, random_table, random_weights, shuffled
from seeds import seeds

import splitsecond as ss
from splitsecond._counts.counting import combine_counted
from splitsecond._counts.engine import LocalEngine
from splitsecond._counts.sketch import combine_sketches


@pytest.mark.parametrize("seed", seeds(20))
@pytest.mark.parametrize("scheme", ["auto", "guess", "midpoint"])
def test_any_partitions(seed: int, scheme: str, tmp_path: Path) -> None:
    random = np.random.RandomState(seed)
    frame = random_table(random, random.randint(30, 300), n_classes=3)
    weights = random_weights(random, WEIGHTS[seed % len(WEIGHTS)], len(frame))
    options: dict[str, Any] = {"binarizer": scheme, "sample": int(random.choice([20, 1000]))}
    if weights is not None:
        frame, options["weight"] = frame.assign(w=weights), "w"
    one = ss.compress(shuffled(random, frame, tmp_path / "one"), "y", **options)
    other = ss.compress(shuffled(random, frame, tmp_path / "other"), "y", n_jobs=3, **options)
    check_same_counts(one, other)


def test_every_source_is_the_same(tmp_path: Path) -> None:
    random = np.random.RandomState(0)
    frame = random_table(random).drop(columns="size")  # whose order polars and files lose
    folder = shuffled(random, frame, tmp_path / "files")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    sources = [
        frame,
        table,
        table.to_batches()[0],
        pl.from_pandas(frame),
        folder,
        str(folder / "*.parquet"),
        sorted(folder.glob("*")),
        ds.dataset(folder),
    ]
    first, *others = [ss.compress(source, "y") for source in sources]
    for other in others:
        check_same_counts(first, other)


def test_partial_results_combine_in_any_grouping_and_can_be_pickled() -> None:
    random = np.random.RandomState(0)
    frame = random_table(random)
    table = pa.Table.from_pandas(frame, preserve_index=False)

    class Cluster:
        """Works on each batch apart, and combines the results as a tree."""

        def reduce(self, columns: Any, work: Any, combine: Any) -> Any:
            sent = pickle.loads(pickle.dumps(work))
            parts = [sent([batch]) for batch in table.select(list(columns)).to_batches(17)]
            while len(parts) > 1:
                parts = [pickle.loads(pickle.dumps(part)) for part in parts[::-1]]
                parts = [combine(parts[i : i + 3]) for i in range(0, len(parts), 3)]
            return parts[0]

    whole = ss.compress(frame, "y", sample=50)
    parts = ss.compress(ClusterSource(table.schema, Cluster()), "y", sample=50)
    check_same_counts(whole, parts)
    assert combine_counted is not combine_sketches


class ClusterSource:
    """A source that brings its own engine."""

    def __init__(self, schema: Any, engine: Any) -> None:
        self.schema = schema
        self._engine = engine

    def engine(self, n_threads: int, progress: Any) -> Any:
        return self._engine


def test_the_sample_is_the_rows_of_lowest_hash() -> None:
    frame = random_table(np.random.RandomState(0), 2000)[["number", "count", "y"]]
    twice = [*range(2000), *range(500)]
    small = ss.compress(frame.iloc[twice], "y", sample=100, binarizer="midpoint")
    again = ss.compress(frame.iloc[twice[::-1]], "y", sample=100, binarizer="midpoint")
    assert small.literals == again.literals
    other = ss.compress(frame.iloc[twice], "y", sample=100, binarizer="midpoint", random_state=1)
    assert small.literals != other.literals
    whole = ss.compress(frame.iloc[twice], "y", sample=10_000, binarizer="midpoint")
    assert whole.literals == ss.MidpointBinarizer().fit(frame[["number", "count"]]).literals_


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    frame = random_table(np.random.RandomState(0))
    ss.compress(frame, "y", progress=lambda done, rows, seconds: told.append((done, rows)))
    assert told == [(300, 300), (300, 300)]
    assert LocalEngine(lambda columns: [], n_threads=2).reduce([], lambda batches: 1, sum) == 2
