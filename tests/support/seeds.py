"""Seeds of tests that are run many times: `make quick` takes the first, `make test` all of them.

`make oracles` takes many times as many: SPLITSECOND_SEEDS says how many times.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

TIMES = int(os.environ.get("SPLITSECOND_SEEDS", "1"))


def seeds(n: int, n_quick: int = 2) -> list[Any]:
    """Return the numbers below n; those from ``n_quick`` on are marked as slow."""
    marks = [pytest.mark.seeded], [pytest.mark.seeded, pytest.mark.slow]
    return [pytest.param(seed, marks=marks[seed >= n_quick]) for seed in range(n * TIMES)]
