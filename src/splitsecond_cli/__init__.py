"""Where the program ``splitsecond`` starts: outside the package, which takes long to import."""

import os
import signal
from typing import Any


def main() -> None:
    """Run the program; Ctrl-C ends it quietly from the start."""
    end_at_ctrl_c()
    from splitsecond._cli import load

    app = load()
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    app(prog_name="splitsecond")


def end_at_ctrl_c() -> None:
    """End at once at Ctrl-C, until `main` runs a command; unless Ctrl-C is not heard at all."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def _end(*_: Any) -> None:
    os._exit(130)  # no exception: packages that are being imported would turn it into others
