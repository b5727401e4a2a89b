"""Tables that are not the same in both passes are refused, never counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from counted import WEIGHTS, random_table, random_weights

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


def other_weights(kind: str, weights: Any) -> Any:
    """Yield weights that differ from some in a few rows."""
    values = np.unique(weights[weights > 0])
    positive = np.flatnonzero(weights > 0)
    for place, new in (
        (positive[0], 0.0),
        (np.flatnonzero(weights == 0)[0], values[0]),
        (positive[1], values[values != weights[positive[1]]][0]),
        (positive[2], 2 * values[-1]),
        (positive[2], 1e299),
        (positive[3], weights[positive[3]] / 7),
    ):
        changed = weights.copy()
        changed[place] = new
        yield changed
    if kind != "few":  # the sum is the same
        changed = weights.copy()
        one, other = positive[np.argmin(weights[positive])], positive[np.argmax(weights[positive])]
        step = 1 if kind in ("whole", "decimals") else weights[other] / 4
        changed[[one, other]] += [step, -step]
        yield changed


@pytest.mark.parametrize("kind", WEIGHTS[1:])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_weights(frame: Any, kind: str, task: str) -> None:
    weights = random_weights(np.random.RandomState(1), kind, 300)
    if task == "regression":
        frame["y"] = frame["count"]
    first = frame.assign(w=weights)
    options = {"weight": "w", "task": task, "binarizer": "quantile"}
    for then in other_weights(kind, weights):
        assert "weight" in refused(first, frame.assign(w=then), **options)
    # Rows in another order are the same table.
    assert ss.compress(Changing(first, first[::-1]), "y", **options).n_rows == 300


def test_weights_of_parts_that_were_counted_elsewhere(frame: Any) -> None:
    table = frame.assign(w=random_weights(np.random.RandomState(1), "many", 300))
    counts = ss.compress(table, "y", weight="w", n_jobs=3)
    assert counts.row_weights().sum() == pytest.approx(table["w"].sum())
