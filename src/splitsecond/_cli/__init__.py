"""The program ``splitsecond``; needs the extra ``cli``."""

from __future__ import annotations

import sys
from typing import Any

from splitsecond._support.install import install_line

NEEDED = ("typer", "rich", "pyarrow")  # what the extra brings


def load() -> Any:
    """Return the program, or say in a line how to install what it needs, and end."""
    try:
        from splitsecond._cli.app import app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in NEEDED:
            raise
        sys.exit(f"The command line needs {error.name}: {install_line('cli')}")
    return app
