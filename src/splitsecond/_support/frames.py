"""Results as data frames of the library that the user has."""

from __future__ import annotations

from typing import Any

from splitsecond._support.messages import shown


def frame_of(columns: dict[str, Any], library: str) -> Any:
    """Return columns as a data frame of pandas or polars."""
    if library not in ("pandas", "polars"):
        raise ValueError(f"library={shown(library)} must be 'pandas' or 'polars'.")
    try:
        module = __import__(library)
    except ImportError as error:
        raise ImportError(f"{library} is not installed: pip install {library}.") from error
    return module.DataFrame(columns)
