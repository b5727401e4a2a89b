"""The limits of a fit while Python works: what binarizing may use, and how it ends early."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

BINARIZING_SHARE = 0.5  # of the time that a fit has; the rest is the search's
GRACE = 0.1  # seconds that binarizing and the search each get after Ctrl-C, to keep a tree
ANSWERS_SHARE = 0.5  # of the memory, for the answers, the search's copy and a count of all pairs
PAIRS_SHARE = 0.04  # of the time, for counting all pairs of columns once: a search does so often
WORDS_PER_SECOND = 5e9  # that a thread can count: roughly, it decides how much is tried
CENTURY = 3e9  # seconds: longer limits are none, as in the core
QUESTION_BYTES = 512  # of a question as Python holds it


@dataclass
class BinarizingLimits:
    """What binarizing may use. It ends early with fewer questions, and says so here."""

    deadline: float | None = None  # of binarizing, by time.perf_counter()
    memory_limit: int | None = None
    n_threads: int = 1
    keeps_tree: bool = False  # Ctrl-C ends it early; otherwise it is raised
    start: float = 0.0
    stopped: str | None = None  # a status, as that of a fit
    needed: int = 0  # questions that there would be without limits, if fewer were kept
    kept: int = 0
    remark: str = ""  # what else is missing

    @classmethod
    def of_fit(
        cls,
        deadline: float | None,
        memory_limit: float | None,
        *,
        n_threads: int = 1,
        keeps_tree: bool = False,
    ) -> BinarizingLimits:
        """Return the limits of binarizing for a fit that begins now."""
        now = time.perf_counter()
        ends = None
        if deadline is not None and deadline - now < CENTURY:
            ends = now + BINARIZING_SHARE * max(deadline - now, 0)
        limit = None if memory_limit is None else int(min(memory_limit, 2**62))
        return cls(ends, limit, n_threads, keeps_tree, now)

    def completes(self, work: Callable[[], object], until: float = 1.0) -> bool:
        """Do a step of the work; False: there is no time for it, or it was interrupted now.

        Steps that others follow must begin before a share of the time is over.
        """
        if self.is_over(until):
            return False
        try:
            work()
        except KeyboardInterrupt:
            self.interrupt()
            return False
        return True

    def interrupt(self) -> None:
        """End it soon because of Ctrl-C, if a tree can be kept; otherwise raise."""
        if not self.keeps_tree:
            raise KeyboardInterrupt
        now = time.perf_counter()
        ends = now + (0 if self.stopped == "interrupted" else GRACE)  # twice: at once
        self.deadline = ends if self.deadline is None else min(ends, self.deadline)
        self.start = min(now, self.deadline)
        self.stopped = "interrupted"  # goes before any limit

    def is_over(self, until: float = 1.0) -> bool:
        """Whether a share of the time is over."""
        left = self.seconds_left(until)
        if left is None or left > 0:
            return False
        self.stop("time_limit")
        return True

    def seconds_left(self, until: float = 1.0) -> float | None:
        """Return the seconds until a share of the time is over; None: there is no limit."""
        if self.deadline is None:
            return None
        ends = self.start + until * (self.deadline - self.start)
        return max(ends - time.perf_counter(), 0.0)

    def stop(self, reason: str, remark: str = "") -> None:
        """Take down what ended it early, the first time, and what that means."""
        self.stopped = self.stopped or reason
        self.remark = self.remark or remark

    def keep(self, kept: int, needed: int, reason: str) -> None:
        """Take down that not all questions are kept."""
        self.stop(reason)
        self.needed = max(needed, self.needed)
        self.kept = kept

    @property
    def note(self) -> str:
        """What is missing, in words."""
        if self.needed:
            return f"{self.kept:,} of {self.needed:,} questions were kept"
        return self.remark

    def most_in_memory(self, n_rows: int, n_classes: int) -> float:
        """Return the number of questions whose answers, and a search of them, fit the memory."""
        if self.memory_limit is None:
            return math.inf
        # Bits here and in the core; and the core's counts of all pairs, in 32 bits, or where there
        # are no classes two sums of 64.
        each, pair = n_rows / 4 + QUESTION_BYTES, 4 * n_classes if n_classes else 16
        room = ANSWERS_SHARE * self.memory_limit
        return math.floor((math.sqrt(each**2 + 4 * pair * room) - each) / (2 * pair))

    def most_in_time(self, n_rows: int) -> float:
        """Return the number of questions of which a search can count all pairs in good time."""
        if self.deadline is None:
            return math.inf
        seconds = PAIRS_SHARE * (self.deadline - self.start) / BINARIZING_SHARE
        pairs = seconds * WORDS_PER_SECOND * self.n_threads / (n_rows / 64 + 1)
        return math.floor(math.sqrt(2 * pairs))
