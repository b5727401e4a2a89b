"""How often tests are repeated: `make quick` takes few seeds and examples, `make test` all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings


def seeds(n: int, n_quick: int = 2) -> list[Any]:
    """Return the numbers below n; those from ``n_quick`` on are marked as slow."""
    slow = (pytest.param(seed, marks=pytest.mark.slow) for seed in range(n_quick, n))
    return [*range(n_quick), *slow]


def examples(n: int) -> int:
    """Return how many examples a property gets that has n, not 200, by default: others in step."""
    return max(5, n * settings().max_examples // 200)
