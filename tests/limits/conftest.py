"""What the tests of limits share. Nothing that is loaded on first use is part of any limit."""

from __future__ import annotations

import pytest
from endless_fits import Table
from endless_sets import noise_without_end
from strategies import noise

from splitsecond import OptimalTreeClassifier


@pytest.fixture(scope="session")
def hard() -> Table:
    OptimalTreeClassifier(max_depth=1).fit(*noise(10, 2))
    return noise(20_000, 80)


@pytest.fixture(scope="session")
def hard_set() -> Table:
    return noise_without_end()
