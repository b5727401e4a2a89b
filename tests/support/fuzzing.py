"""Run the property tests with fresh examples for some time: `make fuzz SECONDS=60`.

    python tests/support/fuzzing.py --seconds 60 [FOLDER OR FILE OF TESTS ...]

They draw hostile tables, damaged files, and problems whose answer brute force knows. Rounds follow
each other until the time is spent or something fails; each takes the tests in another order. The
test that runs when the time is spent is finished. As a plugin of pytest, this file ends a round.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--workers", default="auto")
    parser.add_argument("tests", nargs="*", default=["tests"])
    options = parser.parse_args()
    until = time.time() + options.seconds
    fixed = ["-m", "hypothesis", "--hypothesis-profile=fresh", "-n", options.workers, "-q"]
    rounds = 0
    while (left := until - time.time()) > 0:
        seed = random.randrange(2**32)
        chosen = [f"--hypothesis-seed={seed}", f"--fuzz-order={seed}", f"--fuzz-seconds={left}"]
        command = [sys.executable, "-m", "pytest", "-p", "fuzzing", *fixed, *chosen]
        path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
        ended = subprocess.run(
            [*command, *options.tests],
            cwd=HERE.parents[1],
            env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)},
            check=False,
        )
        if ended.returncode:
            print(f"Again: pytest --hypothesis-profile=fresh --hypothesis-seed={seed} TEST")
            return ended.returncode
        rounds += 1
    print(f"Nothing found; rounds, of which the last was cut short: {rounds}")
    return 0


class Round:
    """What one process does of a round; its time begins when the tests are collected."""

    def __init__(self, order: int, seconds: float) -> None:
        self._order, self._seconds = order, seconds

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        random.Random(self._order).shuffle(items)  # the same for all workers

    def pytest_collection_finish(self) -> None:
        self._until = time.time() + self._seconds

    def pytest_runtest_setup(self) -> None:
        if time.time() > self._until:
            pytest.skip("the time is spent")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fuzz-order", type=int)
    parser.addoption("--fuzz-seconds", type=float)


def pytest_configure(config: pytest.Config) -> None:
    order, seconds = config.getoption("--fuzz-order"), config.getoption("--fuzz-seconds")
    config.pluginmanager.register(Round(order, seconds))


if __name__ == "__main__":
    sys.exit(main())
