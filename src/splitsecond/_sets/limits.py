"""Limits of a question about a set, and what is left of them while it is answered."""

from __future__ import annotations

import time
from dataclasses import dataclass

from splitsecond import _core

AT_ONCE = 1e-9  # seconds
JUST_OVER = 1e-3  # seconds by which the core's clock may be ahead


@dataclass(frozen=True)
class Limits:
    """What each question may use."""

    time_limit: float | None
    memory_limit: int | None = None
    share_of_core: float = 1  # of the time; the rest is for what is done without the core

    def start(self) -> Clock:
        """Begin a question."""
        now = time.perf_counter()
        return Clock(self, now, None if self.time_limit is None else now + self.time_limit)


@dataclass(frozen=True)
class Clock:
    """The limits of one question, from when it began."""

    limits: Limits
    started: float
    ends: float | None

    def run(self) -> _core.RunOptions:
        """Return what is left, as the core takes it."""
        left = None
        if self.ends is not None:
            until = self.started + self.limits.share_of_core * (self.ends - self.started)
            left = max(until - time.perf_counter(), AT_ONCE)
        return _core.RunOptions(time_limit=left, memory_limit=self.limits.memory_limit)

    def is_past(self) -> bool:
        """Whether the time is up."""
        return self.ends is not None and time.perf_counter() >= self.ends - JUST_OVER
