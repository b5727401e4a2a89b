"""One setting for every property test: the same examples each time, and no stopwatch."""

from __future__ import annotations

import signal

from hypothesis import settings

# A failure must mean a change in the code, not in the dice; a fresh search for examples is a run
# with --hypothesis-profile=search. No deadline: only the limits are tested against a clock.
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=200)
settings.register_profile("search", derandomize=False, deadline=None, max_examples=5000)
settings.load_profile("steady")

# A shell that starts the tests in the background has them ignore Ctrl-C, which some of them send.
signal.signal(signal.SIGINT, signal.default_int_handler)
