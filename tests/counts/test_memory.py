"""The bytes of a pattern are those that the documentation says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splitsecond._counts.counting import Counted

PAGE = Path(__file__).parents[2] / "docs/large-tables.md"
ROW = re.compile(r"^\| (\d+) \| (\d+) \| (\d+) to (\d+) \|$", re.MULTILINE)
FIGURES = [tuple(map(int, row)) for row in ROW.findall(PAGE.read_text("utf-8"))]


def counted(blocks: Any, n: int, memory_limit: int) -> Any:
    """Count n different patterns within a limit."""
    found = Counted(len(blocks), 1, memory_limit)
    found.add(blocks, n, np.zeros(n, dtype=np.int32), [None])
    return found.result()


@pytest.mark.parametrize(("n_questions", "finished", "least", "most"), FIGURES)
@pytest.mark.parametrize("n", [100_000, 130_000, 250_000, 500_000])
def test_bytes_of_a_pattern(n: int, n_questions: int, finished: int, least: int, most: int) -> None:
    random = np.random.default_rng(0)
    size = -(-n // 64)
    blocks = [random.integers(0, 2**64, size, dtype=np.uint64) for _ in range(n_questions)]
    found = counted(blocks, n, most * n)
    assert found.n_entries == n  # random answers are all different
    assert sum(np.array(each).nbytes for each in found.columns) / n + 12 == pytest.approx(
        finished, rel=0.001
    )
    with pytest.raises(MemoryError):
        counted(blocks, n, (least - 1) * n)


def test_the_page_has_figures() -> None:
    assert [row[0] for row in FIGURES] == [64, 128, 200]
