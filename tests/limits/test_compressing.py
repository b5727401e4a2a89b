"""Ctrl-C ends both passes over a table at once, also one that never ends, and its threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from itertools import count

import pyarrow as pa
import pytest
from interrupting import ctrl_c

from splitsecond import compress
from splitsecond._counts.sources import LocalSource

pytestmark = pytest.mark.slow
ROWS = pa.record_batch({"x": [*range(1000)], "y": [0, 1] * 500})


def endless_in(endless_pass: int) -> LocalSource:
    """Return a table one of whose passes does not end."""
    passes = count(1)

    def batches(columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        is_endless = next(passes) == endless_pass
        yield ROWS.select(list(columns))
        while is_endless:
            time.sleep(0.001)
            yield ROWS.select(list(columns))

    return LocalSource(ROWS.schema, batches)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("endless_pass", [1, 2])
def test_ctrl_c_ends_a_pass(endless_pass: int, n_jobs: int) -> None:
    compress(pa.table(ROWS.to_pydict()), "y")  # loads what is loaded on first use
    sent: list[float] = []

    def press() -> None:
        time.sleep(0.5)
        sent.append(time.monotonic())
        ctrl_c()

    before = threading.active_count()
    presser = threading.Thread(target=press)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        compress(endless_in(endless_pass), "y", n_jobs=n_jobs)
    assert time.monotonic() - sent[0] < 1
    presser.join()
    assert threading.active_count() <= before
