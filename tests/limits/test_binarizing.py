"""Reading and binarizing a table are part of a fit, and keep its time limit."""

from __future__ import annotations

import time

import numpy as np
import pytest
from endless_fits import BINARIZERS, REGULARIZATION, assert_real_tree, binarizers, most, raw_table

from splitsecond import LicketySPLITClassifier, LimitWarning

pytestmark = pytest.mark.slow


@binarizers
@pytest.mark.parametrize("limit", [1e-6, 0.05, 0.5])
def test_binarizing_keeps_the_time_limit(binarizer: str, limit: float) -> None:
    X, y = raw_table(20_000, 10)
    model = LicketySPLITClassifier(
        binarizer=BINARIZERS[binarizer], regularization=REGULARIZATION, time_limit=limit
    )
    start = time.perf_counter()
    with pytest.warns(LimitWarning, match="Stopped at time_limit") as caught:
        model.fit(X, y)
    assert time.perf_counter() - start <= most(limit)
    assert len(caught) == 1
    assert model.status_ == "time_limit"
    assert_real_tree(model, X, y, max_depth=5)
    if limit == 0.5:  # the search had its share
        assert model.get_n_leaves() > 1


def test_objects_are_read_quickly_enough_for_a_deadline() -> None:
    table = np.random.default_rng(0).integers(0, 2, (50_000, 20)).astype(object)
    start = time.perf_counter()
    LicketySPLITClassifier(max_depth=1).fit(table, np.array(["a", "b"] * 25_000, dtype=object))
    assert time.perf_counter() - start < 2
