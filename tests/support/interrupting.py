"""Pressing Ctrl-C from a test, in the ways that it may come."""

from __future__ import annotations

import _thread
import os
import signal
import sys


def raise_here() -> None:
    signal.raise_signal(signal.SIGINT)


def kill_process() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def simulated() -> None:
    _thread.interrupt_main()


# Sent to its own process, the signal would end it on Windows.
ctrl_c = simulated if sys.platform == "win32" else kill_process
