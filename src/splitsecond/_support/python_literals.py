"""Values as Python source that needs no import."""

from __future__ import annotations

from typing import Any

import numpy as np


def literal(of: Any) -> str:
    """Write a value that needs no import; others as text."""
    if isinstance(of, np.generic):
        of = of.item()
    return repr(of) if _is_plain(of) else repr(str(of))


def _is_plain(of: Any) -> bool:
    if isinstance(of, tuple):
        return type(of) is tuple and all(map(_is_plain, of))
    return of is None or type(of) in (bool, int, float, str, bytes)
