"""The published binarizations follow from the raw data and the thresholds that they name.

The data are not part of the project: SPLITSECOND_DATA names the folder that holds them.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from splitsecond import FixedBinarizer, datasets

FOLDER = os.environ.get("SPLITSECOND_DATA")


@pytest.mark.skipif(FOLDER is None, reason="SPLITSECOND_DATA names no folder of data sets")
@pytest.mark.parametrize(("raw", "binary"), [("compas", "compas_split"), ("bike", "bike_praxis")])
def test_a_published_matrix_is_reproduced(raw: str, binary: str) -> None:
    published = datasets.load(binary, download=False).X
    made = FixedBinarizer(list(published.columns)).fit_transform(datasets.load(raw).X)
    assert np.array_equal(made, published.to_numpy())
