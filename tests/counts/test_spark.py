"""Spark data frames give the same count table; make test-spark runs this, which needs Java."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from counted import check_same_counts
from engine_tables import compressed, mixed_frame
from pyarrow import parquet

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of py4j
]
if "SPLITSECOND_REQUIRE_SPARK" not in os.environ:
    pytest.skip("make test-spark runs this", allow_module_level=True)


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    yield session
    session.stop()


def in_spark(session: Any, folder: Path, frame: pd.DataFrame) -> Any:
    """Hand over a frame as a file; what pandas has as text or categories is text."""
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), folder / "x.parquet")
    return session.read.parquet(str(folder / "x.parquet"))


@pytest.mark.parametrize("n_parts", [1, 3, 20])
def test_spark_counts_as_memory_does(n_parts: int, session: Any, tmp_path: Path) -> None:
    frame = mixed_frame(n_parts)
    parts = in_spark(session, tmp_path, frame).repartition(n_parts)
    check_same_counts(compressed(frame), compressed(parts))


def test_partitions_may_be_empty(session: Any, tmp_path: Path) -> None:
    frame = mixed_frame(2)
    parts = in_spark(session, tmp_path, frame).repartition(12, "member")
    check_same_counts(compressed(frame), compressed(parts))


def test_an_error_in_an_executor_names_the_column(session: Any, tmp_path: Path) -> None:
    frame = mixed_frame(3)
    parts = in_spark(session, tmp_path, frame.assign(age=np.inf))
    with pytest.raises(Exception, match="age"):
        compressed(parts)
