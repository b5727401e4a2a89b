"""A fingerprint of what a table says, however it is stored."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np


def fingerprint(table: Any) -> str:
    """Return the SHA-256 of the names and values of a pandas table.

    File format, compression, integer width and the last digits of a decimal (beyond twelve) do not
    matter; the order of rows and columns does.
    """
    from pandas.api.types import is_numeric_dtype

    digest = hashlib.sha256()
    for name in table.columns:
        column = table[name]
        missing = column.isna().to_numpy()
        digest.update(f"{name}\0{len(column)}\0".encode())
        digest.update(np.packbits(missing).tobytes())
        if not is_numeric_dtype(column):
            digest.update("\x1f".join(column.astype(str)[~missing]).encode())
            continue
        values = column.to_numpy(np.float64, na_value=np.nan)[~missing]
        if np.array_equal(values, np.trunc(values)):
            digest.update(values.astype("<i8").tobytes())
        else:
            digest.update("\x1f".join(f"{value:.12g}" for value in values.tolist()).encode())
    return digest.hexdigest()
