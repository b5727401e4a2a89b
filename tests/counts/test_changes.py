"""Tables that are not the same in both passes are refused, never counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from counted import random_table

import splitsecond as ss
from splitsecond._counts.engine import LocalEngine


class Changing:
    """A table that is another one when it is read again."""

    def __init__(self, first: Any, then: Any) -> None:
        tables = [pa.Table.from_pandas(each, preserve_index=False) for each in (first, then)]
        self.schema = tables[0].schema
        self._tables = iter(tables)

    def engine(self, n_threads: int, progress: Any) -> LocalEngine:
        return LocalEngine(lambda columns: next(self._tables).select(list(columns)).to_batches(50))


@pytest.fixture
def frame() -> Any:
    random = np.random.RandomState(0)
    frame = random_table(random).drop(columns=["kind", "size"])
    return frame.assign(fold=np.array(["a", "b", "c"])[np.arange(300) % 3])


def refused(first: Any, then: Any, **options: Any) -> str:
    with pytest.raises(ValueError, match="The table has changed while it was read") as error:
        ss.compress(Changing(first, then), "y", **options)
    assert "Compress it again" in str(error.value)
    return str(error.value)


def test_rows(frame: Any) -> None:
    assert "it had 300 rows, then 299" in refused(frame, frame[1:])


@pytest.mark.parametrize("new", ["d", None])
def test_labels_of_folds(frame: Any, new: Any) -> None:
    other = frame.copy()
    other.loc[7, "fold"] = new
    assert "a fold is new" in refused(frame, other, folds="fold")


@pytest.mark.parametrize("new", ["d", None])
def test_classes(frame: Any, new: Any) -> None:
    other = frame.copy()
    other.loc[7, "y"] = new
    assert "a label is new" in refused(frame, other)


def test_numbers(frame: Any) -> None:
    frame["y"] = frame["count"]
    for new in (2.5, 1000, -1):
        other = frame.astype({"y": float})
        other.loc[7, "y"] = new
        assert "a label is new" in refused(frame.astype({"y": float}), other, task="regression")
