"""Ctrl-C ends both passes over a table at once, also one that never ends, and its threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from test_interrupts import ctrl_c

from splitsecond import LicketySPLITClassifier, compress

pytestmark = pytest.mark.slow
ROWS = pa.record_batch({"x": [*range(1000)], "y": [0, 1] * 500})


class Endless:
    """A table whose passes end after some batches, but for the one that does not end."""

    def __init__(self, endless_pass: int) -> None:
        self._passes, self._endless = -2, endless_pass  # two streams are opened to be looked at

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        self._passes += 1
        is_endless = self._passes == self._endless
        reader = pa.RecordBatchReader.from_batches(ROWS.schema, self._batches(is_endless))
        return reader.__arrow_c_stream__(requested_schema)

    @staticmethod
    def _batches(is_endless: bool) -> Iterator[pa.RecordBatch]:
        yield ROWS
        while is_endless:
            time.sleep(0.001)
            yield ROWS


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("endless_pass", [1, 2])
def test_ctrl_c_ends_a_pass(endless_pass: int, n_jobs: int) -> None:
    compress(pa.table(ROWS.to_pydict()), "y")  # loads what is loaded on first use
    LicketySPLITClassifier()
    sent: list[float] = []

    def press() -> None:
        time.sleep(0.5)
        sent.append(time.monotonic())
        ctrl_c()

    before = threading.active_count()
    presser = threading.Thread(target=press)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        compress(Endless(endless_pass), "y", n_jobs=n_jobs)
    assert time.monotonic() - sent[0] < 1
    presser.join()
    assert threading.active_count() <= before
