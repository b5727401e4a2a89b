"""The binarizers, and a table for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from splitsecond import MidpointBinarizer, QuantileBinarizer, ThresholdGuessBinarizer

BINARIZERS: tuple[Any, ...] = (MidpointBinarizer, QuantileBinarizer, ThresholdGuessBinarizer)
every_binarizer = pytest.mark.parametrize("binarizer", BINARIZERS)

CLERKS = pd.DataFrame(
    {
        "age": [22.0, 31, 58, np.nan, 40, 22, 35, 47],
        "job": ["clerk", "cook", "nurse", "cook", None, "clerk", "nurse", "cook"],
        "member": [0, 1, 1, 0, 1, 0, 0, 1],
        "size": pd.Categorical(list("SMLMSLMS"), categories=list("SML"), ordered=True),
    }
)
PAID = [0, 1, 1, 0, 1, 0, 1, 1]


def questions(binarizer: Any) -> list[str]:
    return [str(literal) for literal in binarizer.literals_]
