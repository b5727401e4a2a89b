"""Dask data frames give the same count table, with workers in processes of their own, too."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from counted import check_same_counts
from engine_tables import TARGET, WEIGHT, compressed, mixed_frame
from seeds import seeds

from splitsecond import compress

dask = pytest.importorskip("dask")
dask_frames = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.parametrize("seed", seeds(4))
def test_threads_count_as_memory_does(seed: int) -> None:
    frame = mixed_frame(seed)
    for n_parts in (1, 7, 40):
        parts = dask_frames.from_pandas(
            frame.sample(frac=1, random_state=seed), npartitions=n_parts
        )
        check_same_counts(compressed(frame), compressed(parts))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(4))
def test_workers_count_as_memory_does(seed: int, client: Any) -> None:
    frame = mixed_frame(seed)
    for n_parts in (1, 7, 40):
        parts = dask_frames.from_pandas(
            frame.sample(frac=1, random_state=seed), npartitions=n_parts
        )
        done: list[int] = []
        counts = compressed(parts, progress=lambda some, *_, done=done: done.append(some))
        check_same_counts(compressed(frame), counts)
        assert done == 2 * [*range(1, n_parts + 1)]
    check_same_counts(compressed(frame), compressed(parts.persist()))


def test_a_partition_may_lack_all_values_of_a_column() -> None:
    frame = mixed_frame(5).sort_values("job")  # missing ones last
    frame = frame.assign(job=frame["job"].astype(object).where(frame["job"].notna(), None))
    parts = dask_frames.from_pandas(frame, npartitions=10, sort=False)
    check_same_counts(compressed(frame), compressed(parts))
    empty = dask_frames.concat([parts, parts[parts["age"] > 200]])
    check_same_counts(compressed(frame), compressed(empty))


@pytest.mark.parametrize("column", ["age", "amount", "note"])
def test_partitions_may_have_types_that_mean_the_same(column: str) -> None:
    """Objects of Python: what Arrow makes of them depends on the partition."""
    frame = mixed_frame(10)
    frame["amount"] = [Decimal(10) ** (i // 300) / 4 for i in range(len(frame))]
    frame["note"] = [None if i < 400 else "xyz"[i % 3] for i in range(len(frame))]
    frame["note"] = frame["note"].astype(object)
    with dask.config.set({"dataframe.convert-string": False}):
        parts = dask_frames.from_pandas(frame, npartitions=8, sort=False)
    kinds = {
        "age": ["int32", "float64", "uint8", "int64"],
        "amount": ["object"],
        "note": ["object", "str", "category", "string[pyarrow]"],
    }[column]
    mixed = parts.map_partitions(_as_kinds, column, kinds, meta=parts._meta)
    for sample in (100, 10_000):
        expected = compressed(frame, sample=sample)
        check_same_counts(expected, compressed(mixed, sample=sample))
    target = {"target": column, "weight": WEIGHT, "ignore": [TARGET], "task": "classification"}
    if column == "note":
        mixed, frame = mixed[mixed["note"].notnull()], frame[frame["note"].notna()]
        check_same_counts(compress(frame, **target), compress(mixed, **target))


def test_numbers_in_one_partition_and_text_in_another_are_refused() -> None:
    parts = dask_frames.from_pandas(mixed_frame(11), npartitions=4)
    mixed = parts.map_partitions(_as_kinds, "age", ["int64", "str"], meta=parts._meta)
    message = "Column 'age' is .* in one part of the table and .* in another"
    with pytest.raises(ValueError, match=message):
        compressed(mixed)
    with pytest.raises(ValueError, match=message):
        compress(mixed, "age")


def _as_kinds(
    frame: pd.DataFrame, column: str, kinds: list[str], partition_info: Any = None
) -> pd.DataFrame:
    number = 0 if partition_info is None else partition_info["number"]
    return frame.astype({column: kinds[number % len(kinds)]})


def test_a_column_needs_a_name() -> None:
    parts = dask_frames.from_pandas(mixed_frame(6).rename(columns={"age": 7}), npartitions=2)
    with pytest.raises(ValueError, match="The column 7 of the Dask data frame"):
        compressed(parts)


@pytest.mark.slow
def test_a_worker_that_dies_is_replaced(client: Any, tmp_path: Path) -> None:
    """Once, a worker kills itself in the middle of a partition: all rows are counted."""
    frame = mixed_frame(7)
    parts = dask_frames.from_pandas(frame, npartitions=12)
    dying = parts.map_partitions(_dies_once, str(tmp_path / "died"), meta=parts._meta)
    check_same_counts(compressed(frame), compressed(dying))
    assert (tmp_path / "died").exists()


@pytest.mark.slow
def test_a_partition_that_always_kills_its_worker_is_an_error(tmp_path: Path) -> None:
    parts = dask_frames.from_pandas(mixed_frame(8), npartitions=4)
    dying = parts.map_partitions(_dies, meta=parts._meta)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster),
        pytest.raises(RuntimeError, match=r"Dask gave up: .* make the partitions smaller"),
    ):
        compressed(dying)


@pytest.mark.slow
@pytest.mark.parametrize("ends", ["interrupt", "partition"])
def test_nothing_goes_on_after_an_early_end(ends: str, client: Any) -> None:
    frame = mixed_frame(9)
    parts = dask_frames.from_pandas(frame, npartitions=30)
    kept = parts.persist()  # the user's own: not to be cancelled
    distributed.wait(kept)

    def interrupt(done: int, *_: Any) -> None:
        if ends == "interrupt" and done == 10:
            raise KeyboardInterrupt

    bad = frame["age"].iloc[0] if ends == "partition" else -1
    slow = kept.map_partitions(_slow, bad, meta=parts._meta)
    expected = KeyboardInterrupt if ends == "interrupt" else ZeroDivisionError
    with pytest.raises(expected) as ended:  # whose traceback refers to the futures
        compressed(slow, progress=interrupt)
    for _ in range(200):
        left = _tasks(client) - _keys(client, kept)
        if not left:
            break
        time.sleep(0.05)
    assert not left
    assert ended.traceback
    check_same_counts(compressed(frame), compressed(kept))


def _tasks(client: Any) -> set[Any]:
    """Return what the scheduler and the workers know of."""
    of_workers = client.run(lambda dask_worker: set(dask_worker.state.tasks))
    known = client.run_on_scheduler(lambda dask_scheduler: set(dask_scheduler.tasks))
    return set().union(known, *of_workers.values())


def _keys(client: Any, frame: Any) -> set[Any]:
    return {future.key for future in distributed.futures_of(frame, client)}


def _slow(frame: pd.DataFrame, bad: int) -> pd.DataFrame:
    time.sleep(0.1)
    if frame["age"].iloc[0] == bad:
        raise ZeroDivisionError
    return frame


def _dies_once(frame: pd.DataFrame, mark: str) -> pd.DataFrame:
    if not Path(mark).exists():
        Path(mark).touch()
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGKILL)
    return frame


def _dies(frame: pd.DataFrame) -> pd.DataFrame:
    os.kill(os.getpid(), signal.SIGKILL)
    return frame
