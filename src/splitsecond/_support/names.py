"""The names by which classes and functions are known outside, wherever they are written."""

from __future__ import annotations

from typing import Any, TypeVar

Named = TypeVar("Named")


def public(named: Named) -> Named:
    """Let a class or function belong to `splitsecond` itself, where it is also found.

    Pickles and joblib dumps refer to it by that place, and survive all moves inside the package.
    What is no part of the public interface but ends up in pickles is found there, too.
    """
    of_package: Any = named
    of_package.__module__ = "splitsecond"
    return named
