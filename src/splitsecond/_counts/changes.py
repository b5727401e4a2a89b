"""The error for tables that are others when they are read again."""

from __future__ import annotations


def changed(what: str) -> ValueError:
    """Return the error for a table that was not the same in both passes."""
    return ValueError(f"The table has changed while it was read: {what}. Compress it again.")
