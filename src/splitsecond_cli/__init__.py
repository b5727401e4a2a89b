"""Where the program ``splitsecond`` starts: outside the package, which takes long to import."""

import os
import signal


def main() -> None:
    """Run the program; Ctrl-C ends it quietly from the start."""
    hears = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if hears:  # no exception: packages that are being imported would turn it into others
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from splitsecond._cli import load

    app = load()
    if hears:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    app(prog_name="splitsecond")
