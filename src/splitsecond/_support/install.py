"""How to install what is optional."""

from __future__ import annotations


def install_line(extra: str) -> str:
    """Return the command that installs an extra.

    No release is on the package index yet, so it works on the sources.
    """
    return f'pip install ".[{extra}]" (in the source folder of splitsecond)'
