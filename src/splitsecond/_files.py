"""Writing a file whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file under another name in the same folder, then give it its own.

    Whatever happens on the way, Ctrl-C included, a file that was there stays as it was.
    """
    target = Path(path)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(target)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise
