"""Where the program ``splitsecond`` starts: outside the package, which takes long to import."""

import os
import signal
from types import FrameType

from splitsecond_cli import _streams

INTERRUPTED = 130  # exit code


def main() -> None:
    """Run the program; Ctrl-C ends it quietly from the start."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    _streams.prepare()
    from splitsecond._cli import load

    load()(prog_name="splitsecond")


def _interrupt(signal_number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, or end the program at once if something is being imported.

    Packages that are being imported would turn the exception into others.
    """
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            os._exit(INTERRUPTED)
        frame = frame.f_back
    raise KeyboardInterrupt
