"""How often tests are repeated: `make quick` takes few seeds and examples, `make test` all.

`make oracles` takes many times as many seeds: SPLITSECOND_SEEDS says how many times.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import settings

TIMES = int(os.environ.get("SPLITSECOND_SEEDS", "1"))


def seeds(n: int, n_quick: int = 2) -> list[Any]:
    """Return the numbers below n; those from ``n_quick`` on are marked as slow."""
    marks = [pytest.mark.seeded], [pytest.mark.seeded, pytest.mark.slow]
    return [pytest.param(seed, marks=marks[seed >= n_quick]) for seed in range(n * TIMES)]


def examples(n: int) -> int:
    """Return how many examples a property gets that has n, not 200, by default: others in step."""
    return max(5, n * settings().max_examples // 200)
