"""Jobs: small measurements that are kept when done, each in a process of its own.

A job that fails, hangs or runs out of memory is a failure with a reason, and the others go on.
"""

from __future__ import annotations

import importlib
import multiprocessing
import time
import warnings
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from lib import report, resumable


@dataclass(frozen=True)
class Settings:
    """What a run was asked for; measurements made with other settings are not used."""

    quick: bool
    threads: int = 1
    time_limit: float = 120.0  # seconds for one fit
    memory_limit: int = 6_000_000_000  # bytes for one fit
    patience: float = 3600.0  # seconds for one job

    @property
    def limits(self) -> dict[str, Any]:
        """Return what every estimator is given."""
        return {
            "n_jobs": self.threads,
            "time_limit": self.time_limit,
            "memory_limit": self.memory_limit,
        }

    @property
    def splits(self) -> int:
        return 2 if self.quick else 5

    def sets(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Leave out the slower ones in a quick run."""
        return tuple(name for name in names if not self.quick or name in QUICK_SETS)


QUICK_SETS = ("compas", "netherlands", "heloc", "bike")


@dataclass(frozen=True)
class Job:
    """A call of `measure` in one of the modules here; it returns rows of plain values."""

    module: str
    data: str
    variant: int = 0  # the seed of a split, or the depth; 0 where there is none
    option: int = 0

    def __str__(self) -> str:
        parts = [self.module, self.data, *(str(n) for n in (self.variant, self.option))]
        return "-".join(parts)


@dataclass(frozen=True)
class Outcome:
    """Rows of a finished job, or the reason why there are none."""

    job: Job
    rows: list[dict[str, Any]]
    commit: str = ""
    failure: str = ""
    is_new: bool = False


def kept(job: Job, settings: Settings, folder: Path) -> Outcome | None:
    """Return what a former run has measured, if it was asked for the same."""
    stored = resumable.read(folder / f"{job}.json", asdict(settings))
    return None if stored is None else Outcome(job, stored["rows"], stored["commit"])


def run(job: Job, settings: Settings, folder: Path) -> Outcome:
    """Measure in a new process, and keep the rows."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_measure, args=(job, settings, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(settings.patience):
            return Outcome(job, [], failure=f"killed after {settings.patience:.0f} s")
        rows, failure = ours.recv()
    except EOFError:
        process.join()
        return Outcome(job, [], failure=f"ended with exit code {process.exitcode}")
    finally:
        process.kill()
        process.join()
    if failure:
        return Outcome(job, [], failure=failure)
    commit = report.commit()
    resumable.write(folder / f"{job}.json", asdict(settings), rows, commit)
    return Outcome(job, rows, commit, is_new=True)


def _measure(job: Job, settings: Settings, pipe: Connection) -> None:
    warnings.simplefilter("ignore")  # limits reached are in the rows
    try:
        rows = importlib.import_module(job.module).measure(job, settings)
    except (Exception, SystemExit) as error:  # whatever it is, the others go on
        pipe.send(([], f"{type(error).__name__}: {error}"))
    else:
        pipe.send((rows, ""))


def clock(model: Any, X: Any, y: Any) -> float:
    """Fit a model and return the seconds; the median of five for one that takes no time."""
    seconds = []
    while len(seconds) < 5 and sum(seconds) < 0.1:
        start = time.perf_counter()
        model.fit(X, y)
        seconds.append(time.perf_counter() - start)
    return sorted(seconds)[len(seconds) // 2]
