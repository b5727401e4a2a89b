"""Standard streams that may be closed, or that nobody reads to the end."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

STANDARD_ERROR = 2


def prepare() -> None:
    """Make sure that streams are there, and that what is written to them stops no command."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, _nowhere(mode))
        elif mode == "w" and not stream.isatty():
            setattr(sys, name, _to_file_or_pipe(stream))


def _nowhere(mode: str) -> Any:
    """Stand for a stream that is closed: there is nothing to read, and nothing is kept.

    The lowest free descriptor is the stream's own: no file that is opened later gets its number,
    and with it what is meant for the stream.
    """
    return open(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8")


def _to_file_or_pipe(stream: Any) -> io.TextIOWrapper:
    """Write UTF-8 whatever the machine is set to, and go on when a pipe's reader has ended."""
    return io.TextIOWrapper(
        io.BufferedWriter(_Raw(stream.fileno(), "w", closefd=False)),
        encoding="utf-8",
        errors=stream.errors,
        line_buffering=stream.line_buffering,
    )


class _Raw(io.FileIO):
    """Discards everything from the first failure on.

    It is raised once, unless it is that the reader of a pipe has ended, or that messages cannot be
    written, which no message could tell.
    """

    def write(self, content: Any) -> int:
        try:
            return super().write(content)
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            if not isinstance(error, BrokenPipeError) and self.fileno() != STANDARD_ERROR:
                raise
            return super().write(content)
