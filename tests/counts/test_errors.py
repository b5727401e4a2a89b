"""Sources and fits that cannot be: a clear error, and nothing left behind."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from counted import random_table

import splitsecond as ss
from splitsecond._counts.counting import Counted
from splitsecond._counts.entry_weights import EntryWeights


@pytest.fixture
def frame() -> Any:
    return random_table(np.random.RandomState(0)).drop(columns=["kind", "size"])


def write(frame: Any, path: Path) -> Path:
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
    return path


def test_files(frame: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.parquet"):
        ss.compress(tmp_path / "none.parquet", "y")
    with pytest.raises(FileNotFoundError, match="No file matches"):
        ss.compress(tmp_path / "*.parquet", "y")
    with pytest.raises(ValueError, match="is a folder without Parquet or CSV files"):
        ss.compress(tmp_path, "y")
    good = write(frame, tmp_path / "a.parquet")
    bad = tmp_path / "b.parquet"
    bad.write_bytes(good.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"b\.parquet is a damaged Parquet file"):
        ss.compress(tmp_path, "y")
    middle = bytearray(good.read_bytes())
    middle[30:400] = b"\xff" * 370
    bad.write_bytes(middle)
    with pytest.raises(ValueError, match=r"b\.parquet cannot be read"):
        ss.compress(tmp_path, "y")


def test_files_of_different_schemas(frame: Any, tmp_path: Path) -> None:
    write(frame, tmp_path / "a.parquet")
    other = write(frame.assign(number=frame["text"]), tmp_path / "b.parquet")
    message = r"Column 'number' is (large_)?string in .*b\.parquet and double in .*a\.parquet"
    with pytest.raises(ValueError, match=message):
        ss.compress(tmp_path, "y")
    write(frame.drop(columns="flag"), other)
    with pytest.raises(ValueError, match=r"b\.parquet has no column 'flag'"):
        ss.compress(tmp_path, "y")
    write(frame.astype({"count": "float32"}), other)  # which is as good
    assert ss.compress(tmp_path, "y").n_rows == 600


def test_csv_files(frame: Any, tmp_path: Path) -> None:
    frame.iloc[:100].to_csv(tmp_path / "a.csv", index=False)
    frame.iloc[100:].to_csv(tmp_path / "b.csv", index=False)
    counts = ss.compress(tmp_path, "y", binarizer="quantile")
    rows = ss.compress(frame, "y", binarizer="quantile")
    assert [str(each) for each in counts.literals] == [str(each) for each in rows.literals]
    np.testing.assert_array_equal(counts.rows, rows.rows)


def test_sources_that_cannot_be_read_twice(frame: Any) -> None:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    with pytest.raises(ValueError, match="only once"):
        ss.compress(table.to_reader(), "y")
    with pytest.raises(ValueError, match="cannot be read"):
        ss.compress(3, "y")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "Y"}, "no column 'Y'. Did you mean 'y'"),
        ({"weight": "y"}, "two roles"),
        ({"columns": ["number"], "ignore": ["flag"]}, "leave one of them out"),
        ({"columns": "number"}, "must be a list"),
        ({"ignore": ["number", "float", "count", "flag", "text"]}, "no column to ask about"),
        ({"task": "regression"}, "a regression needs numbers"),
        ({"task": "guess"}, "task='guess' must be one of"),
        ({"binarizer": "none"}, "binarizer='none' must be"),
        ({"sample": 0}, "sample=0"),
        ({"folds": 1}, "folds=1 must be an integer of at least 2"),
        ({"folds": 2.5}, "folds=2.5 must be an integer of at least 2"),
        ({"folds": True}, "folds=True must be an integer"),
        ({"min_count": 0}, "min_count=0 must be an integer of at least 1: rows of a pattern"),
        ({"min_count": "5"}, "min_count='5' must be an integer"),
        ({"min_count": 2.5}, "min_count=2.5 must be an integer"),
        ({"min_count": True}, "min_count=True must be an integer"),
        ({"min_count": None}, "min_count=None must be an integer"),
        ({"weight": "text"}, "it must be numbers"),
        ({"weight": "number"}, "must be finite and not negative"),
    ],
)
def test_parameters(frame: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ss.compress(frame, **{"target": "y", **options})


@pytest.mark.parametrize("given", [0, -1, "5", 2.5, True, None, [3]])
def test_patterns_are_dropped_below_a_whole_number(frame: Any, given: Any) -> None:
    with pytest.raises(ValueError, match=r"min_count=.* must be an integer of at least 1"):
        ss.compress(frame, "y").drop_below(given)
    with pytest.raises(ValueError, match="keep_questions='no' must be True or False"):
        ss.compress(frame, "y").drop_below(2, keep_questions="no")


def test_numbers_of_numpy_are_numbers(frame: Any) -> None:
    counts = ss.compress(frame, "y", min_count=np.int64(2), folds=np.int32(3))
    assert counts.n_folds == 3
    assert counts.n_dropped > 0


def test_folds(frame: Any) -> None:
    frame["fold"] = np.arange(300.0)
    assert ss.compress(frame, "y", folds="fold").n_folds == 300
    with pytest.raises(ValueError, match="fold column 'number' has missing values"):
        ss.compress(frame, "y", folds="number")


def test_targets(frame: Any) -> None:
    frame.loc[5, "y"] = None
    with pytest.raises(ValueError, match="missing values"):
        ss.compress(frame, "y")
    frame["y"] = np.where(frame["flag"], np.inf, 1.0)
    with pytest.raises(ValueError, match="infinite"):
        ss.compress(frame, "y")
    with pytest.raises(ValueError, match="no rows"):
        ss.compress(frame.iloc[:0], "y")
    frame["y"] = np.arange(300)
    with pytest.raises(ValueError, match="a quantity"):
        ss.compress(frame, "y", task="classification")
    assert ss.compress(frame, "y").is_of_numbers


def test_columns(frame: Any) -> None:
    with pytest.raises(ValueError, match="infinity"):
        ss.compress(frame.assign(number=np.inf), "y")
    dates = frame.assign(day=np.datetime64("2026-01-01"))
    with pytest.raises(ValueError, match="dates"):
        ss.compress(dates, "y")
    assert ss.compress(dates, "y", ignore=["day"]).n_rows == 300
    twice = pa.table([[1.0], [2.0], ["a"]], names=["a", "a", "y"])
    with pytest.raises(ValueError, match="several columns named 'a'"):
        ss.compress(twice, "y")


def test_fits(frame: Any) -> None:
    counts = ss.compress(frame, "y", binarizer="quantile")
    model = ss.LicketySPLITClassifier()
    with pytest.raises(ValueError, match="y was given with a count table"):
        model.fit(counts, frame["y"])
    with pytest.raises(ValueError, match="sample_weight was given with a count table"):
        model.fit(counts, sample_weight=np.ones(300))
    with pytest.raises(ValueError, match="has no effect on a count table"):
        ss.LicketySPLITClassifier(binarizer="guess").fit(counts)
    with pytest.raises(ValueError, match="needs numbers"):
        ss.LicketySPLITRegressor().fit(counts)
    numbers = ss.compress(frame.assign(y=frame["count"]), "y", task="regression")
    with pytest.raises(ValueError, match="needs classes"):
        model.fit(numbers)
    negative = ss.compress(frame.assign(y=-frame["count"]), "y", task="regression")
    with pytest.raises(ValueError, match="negative"):
        ss.LicketySPLITRegressor(loss="poisson").fit(negative)
    other = ss.compress(frame, "y", binarizer="midpoint")
    with pytest.raises(ValueError, match="does not answer what"):
        model.fit(other).score(counts)
    with pytest.raises(ValueError, match="scoring"):
        ss.regularization_path(counts, cv=3, scoring="roc_auc")
    with pytest.raises(ValueError, match="has no folds"):
        ss.regularization_path(counts, cv="folds")


def test_the_patterns_may_not_fit_the_memory() -> None:
    random = np.random.RandomState(0)
    frame = random_table(random, 3000).assign(more=random.rand(3000))
    message = (
        r"patterns of answers take more memory than memory_limit=100,000 bytes allows; [\d,]+ had "
        r"been found until then\. Ask fewer questions"
    )
    fewer = pytest.warns(ss.LimitWarning, match="questions were kept")
    with fewer, pytest.raises(MemoryError, match=message):
        ss.compress(frame, "y", binarizer=ss.QuantileBinarizer(100), memory_limit=100_000)


def test_fewer_questions_that_fit_the_memory_are_told() -> None:
    random = np.random.RandomState(0)
    frame = random_table(random, 3000).assign(more=random.rand(3000))
    binarizer = ss.QuantileBinarizer(100)
    n_questions = len(ss.compress(frame, "y", binarizer=binarizer).literals)
    message = rf"memory_limit=300000 bytes .* of {n_questions:,} questions were kept"
    with pytest.warns(ss.LimitWarning, match=message):
        counts = ss.compress(frame, "y", binarizer=binarizer, memory_limit=300_000)
    assert 0 < len(counts.literals) < n_questions
    with pytest.warns(ss.LimitWarning, match="questions were kept"):
        fewer = ss.compress(frame, "y", binarizer="midpoint", memory_limit=300_000)
    assert not fewer.binarizer.is_lossless


def test_partial_counts_keep_their_memory_limit() -> None:
    random = np.random.RandomState(0)

    def block() -> Any:
        return [random.randint(0, 2**63, 100, dtype=np.uint64) for _ in range(40)]

    keys = np.zeros(6400, dtype=np.int32)
    counted = Counted(40, 1, memory_limit=2_000_000)
    counted.add(block(), 6400, keys, [None])
    for _ in range(2):  # sent to a worker, and on to the next
        counted = pickle.loads(pickle.dumps(counted))
    other = Counted(40, 1)
    for _ in range(20):  # without a limit there is none
        other = pickle.loads(pickle.dumps(other))
        other.add(block(), 6400, keys, [None])
    with pytest.raises(MemoryError, match=r"memory_limit=2,000,000 bytes allows"):
        counted.merge(other)


def test_ctrl_c_ends_it(frame: Any) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    for n_jobs in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            ss.compress(frame, "y", progress=interrupt, n_jobs=n_jobs)


ROWS = {"x": [0, 0, 1, 1], "y": [1, 2, 1, 2]}


@pytest.mark.parametrize("kind", [ss.LicketySPLITRegressor, ss.LicketySPLITClassifier])
@pytest.mark.parametrize("rows", [2**29, 2**31 - 4, 2**31, 2**33])
def test_more_rows_than_can_be_counted(kind: Any, rows: int) -> None:
    task = "regression" if kind is ss.LicketySPLITRegressor else "classification"
    small = ss.compress(pa.table(ROWS), "y", task=task)
    for each in ([rows, 1, 1, 1], [rows // 4, rows // 4, rows // 4, rows // 4 + 3]):
        counts = replace(small, rows=np.array(each), n_rows=rows + 3)
        if rows + 3 < 2**31:
            model = kind(binarizer="auto", max_depth=1).fit(counts)
            assert model.tree_.n_rows[0] == rows + 3
            continue
        with pytest.raises(ValueError, match=rf"holds {rows + 3:,} rows: at most 2,147,483,647"):
            kind().fit(counts)


def test_more_rows_than_can_be_counted_with_weights_that_are_rounded() -> None:
    small = ss.compress(pa.table(ROWS), "y", task="classification")
    rows = np.array([2**31, 1, 1, 1])
    weights = EntryWeights(units=np.array([2**29, 1, 1, 1]), unit=np.pi)
    counts = replace(small, rows=rows, n_rows=2**31 + 3, weights=weights)
    with pytest.raises(ValueError, match="holds 2,147,483,651 rows: at most"):
        ss.LicketySPLITClassifier(class_weight={1: 1.5}).fit(counts)


def test_sums_of_too_many_classes_and_kinds() -> None:
    numbers = pa.table({"x": np.arange(70_000) % 2, "y": np.arange(70_000) / 7})
    one = ss.compress(numbers, "y", task="regression")
    n = one.n_entries
    weighted = replace(one, weights=EntryWeights(each=np.arange(1, n + 1) / 3))
    with pytest.raises(ValueError, match="too many classes and folds"):
        weighted + weighted
