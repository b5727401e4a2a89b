"""One setting for every property test: the same examples each time, and no stopwatch."""

from __future__ import annotations

import importlib
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

# A failure must mean a change in the code, not in the dice; fresh examples are for `make fuzz`, and
# thousands of one test for --hypothesis-profile=search; `make quick` takes few. No deadline: only
# the limits are tested against a clock.
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=200)
settings.register_profile("quick", derandomize=True, deadline=None, max_examples=20)
settings.register_profile("fresh", derandomize=False, deadline=None, max_examples=200)
settings.register_profile("search", derandomize=False, deadline=None, max_examples=5000)
settings.load_profile("steady")

# A shell that starts the tests in the background has them ignore Ctrl-C, which some of them send.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CSV file with columns of every kind; the target is "outcome"."""
    from cli_files import columns, write_csv

    return write_csv(tmp_path_factory.mktemp("people") / "people.csv", columns())


@pytest.fixture(scope="session")
def people_model(people: Path) -> Path:
    """The file of a model that the command line fitted to it."""
    from cli_files import run

    path = people.with_name("model.json")
    assert run("fit", people, "--target", "outcome", "--out", path).exit_code == 0
    return path


@pytest.fixture(scope="session")
def model_set(people: Path) -> Path:
    """The file of a set of trees that the command line found for it."""
    from cli_files import run

    path = people.with_name("set.json")
    args = ("--target", "outcome", "--max-depth", 3, "--epsilon", 0.03, "--regularization", 0.02)
    assert run("rashomon", people, *args, "--out", path).exit_code == 0
    return path


@pytest.fixture(scope="module")
def benchmark_module() -> Iterator[Callable[[str], ModuleType]]:
    """Import a module of benchmarks/ or benchmarks/paper/, by its name there."""
    root = Path(__file__).parents[1] / "benchmarks"
    folders = [str(root / "paper"), str(root)]
    sys.path[:0] = folders
    before = set(sys.modules)
    yield importlib.import_module
    sys.path[:] = [path for path in sys.path if path not in folders]
    for name in set(sys.modules) - before:  # others may have a module of that name
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(root)):
            del sys.modules[name]
