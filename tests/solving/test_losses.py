"""What leaves cost and predict, for one leaf and for many."""

from __future__ import annotations

import numpy as np
import pytest

from splitsecond._solving.losses import ZERO_ONE


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64])
def test_zero_one(dtype: type) -> None:
    weights = np.random.default_rng(0).integers(0, 4, (200, 3)).astype(dtype)
    for row in weights:
        wrong = [sum(row) - row[each] for each in range(3)]  # if this class is predicted
        assert ZERO_ONE.loss(row) == min(wrong)
        assert ZERO_ONE.prediction(row) == wrong.index(min(wrong))
        assert ZERO_ONE.correct(row) + ZERO_ONE.loss(row) == row.sum()
    assert ZERO_ONE.loss(weights).tolist() == [ZERO_ONE.loss(row) for row in weights]
    assert ZERO_ONE.prediction(weights).tolist() == [ZERO_ONE.prediction(row) for row in weights]
