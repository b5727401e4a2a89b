"""What labels may be: anything with an order, however it is held."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from splitsecond import GreedyTreeClassifier

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=np.uint8)


@pytest.mark.parametrize("labels", [[True, False], [1, 0], ["1", "0"], [1.0, 0.0]])
def test_labels_held_as_objects(labels: list[Any]) -> None:
    y = np.array(labels * 10, dtype=object)
    assert sorted(GreedyTreeClassifier().fit(X, y).classes_.tolist()) == sorted(labels)


def test_labels_that_cannot_be_ordered() -> None:
    with pytest.raises(ValueError, match="cannot be ordered"):
        GreedyTreeClassifier().fit(X, np.array([1, "a"] * 10, dtype=object))


def test_dates_are_no_labels() -> None:
    with pytest.raises(ValueError, match="Unknown label type"):
        GreedyTreeClassifier().fit(X, np.array(["2020-01-01", "NaT"] * 10, dtype="datetime64[D]"))
