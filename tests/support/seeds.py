"""Seeds of tests that are run many times: `make quick` takes the first, `make test` all of them."""

from __future__ import annotations

from typing import Any

import pytest


def seeds(n: int, n_quick: int = 2) -> list[Any]:
    """Return the numbers below n; those from ``n_quick`` on are marked as slow."""
    slow = (pytest.param(seed, marks=pytest.mark.slow) for seed in range(n_quick, n))
    return [*range(n_quick), *slow]
