"""Times fits, each method in a process of its own, taking turns.

A process of its own keeps a crash, a hang, a print or a leak of one package away from the others,
and may be that of another environment (environments.py); the clock runs inside it, around `fit`
alone. Methods that are compared take turns (A, B, A, B ...),
so that a slow moment of the machine falls on all of them.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lib import environments, report
from lib.data import Source, Synthetic, load
from lib.loss_packages import LOSS_METHODS
from lib.regression_packages import REGRESSION_METHODS
from lib.rid_packages import RID_METHODS
from lib.set_packages import SET_METHODS
from lib.tree_packages import METHODS, Method, Problem

KNOWN = METHODS | LOSS_METHODS | REGRESSION_METHODS | SET_METHODS | RID_METHODS
TURN_SECONDS = 0.05  # a turn repeats a fit until this is spent, so that short fits run warm
MAX_TURNS = 30
WARM_UP_SECONDS = 1.0  # a first fit shorter than this is a warm-up and not counted
LOAD_TIMEOUT = 600.0
FINISHED = ("optimal", "complete")  # statuses of a method that was not cut short
FOLDER = Path(__file__).parents[1]  # what the package `lib` is in
# Set to 1, so that no library adds threads; a method's own come from its `n_jobs` alone.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Task:
    """One method on one data set."""

    method: str
    source: Source
    problem: Problem
    patience: float | None = None  # seconds it may be silent; by default its limit and some more
    memory_limit: int | None = None  # bytes of address space


@dataclass
class Measurement:
    """What came of a task; `status` is what the method said, or why there is no answer."""

    task: Task
    status: str = ""
    found: dict[str, Any] = field(default_factory=dict)
    peak_bytes: int | None = None  # by how much the first fit raised the resident peak
    seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        return self.status in FINISHED

    @property
    def median(self) -> float | None:
        return float(np.median(self.seconds)) if self.seconds else None

    def to_row(self) -> dict[str, Any]:
        """Return the task and what was measured, flat, times in seconds."""
        problem = self.task.problem
        quartiles = np.percentile(self.seconds, (25, 75)).tolist() if self.seconds else (None, None)
        return {
            "data": str(self.task.source),
            "depth": problem.depth,
            "regularization": problem.regularization,
            "threads": problem.n_jobs,
            "method": self.task.method,
            "median": self.median,
            "quartile_1": quartiles[0],
            "quartile_3": quartiles[1],
            "cpu_median": float(np.median(self.cpu_seconds)) if self.cpu_seconds else None,
            "fits": len(self.seconds),
            "objective": self.found.get("objective"),
            "leaves": self.found.get("leaves"),
            "peak_bytes": self.peak_bytes,
            "status": self.status,
        }


class WorkerError(Exception):
    """A worker gave no answer; the message says why."""


class Worker:
    """A process that holds one task's data and fits on request. Use it in a `with` block."""

    def __init__(self, task: Task) -> None:
        self._folder = tempfile.TemporaryDirectory()  # for what a package writes where it runs
        self._pipe, theirs = multiprocessing.Pipe()
        self._process = subprocess.Popen(
            [
                environments.python_of(environments.package_of(task.method)),
                "-c",
                "import sys; from lib import timing; timing.serve(int(sys.argv[1]))",
                str(theirs.fileno()),
            ],
            cwd=self._folder.name,
            env=worker_environment(),
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        self._task = task

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1)
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def prepare(self) -> None:
        """Hand over the task and its data, and wait until it can be timed."""
        with contextlib.suppress(ConnectionError):  # `receive` will find out why
            self._pipe.send(self._task)
            if not isinstance(self._task.source, Synthetic):  # for which our package is needed
                self._pipe.send([_plain(array) for array in load(self._task.source)])
        self.receive(LOAD_TIMEOUT)

    def receive(self, timeout: float) -> Any:
        if not self._pipe.poll(timeout):
            self._process.kill()
            message = f"killed after {timeout:.0f} s"
            raise WorkerError(message)
        try:
            answer = self._pipe.recv()
        except (EOFError, ConnectionError):
            message = f"crashed with exit code {self._process.wait()}"
            raise WorkerError(message) from None
        if isinstance(answer, WorkerError):
            raise answer
        return answer

    def ask(self, request: str, timeout: float) -> Any:
        with contextlib.suppress(ConnectionError):  # `receive` will find out why
            self._pipe.send(request)
        return self.receive(timeout)


def worker_environment(*folders: Path, inherit: bool = True) -> dict[str, str]:
    """Return the variables of a process with one thread that finds `lib`, then these folders.

    Folders that this process was given by PYTHONPATH follow, made absolute: the other may run
    elsewhere.
    """
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep) if inherit else []
    paths = [FOLDER, *folders, *filter(None, inherited)]
    return {
        **os.environ,
        **dict.fromkeys(ONE_THREAD, "1"),
        "PYTHONPATH": os.pathsep.join(str(Path(path).resolve()) for path in paths),
    }


def interleave(tasks: Sequence[Task], *, budget: float, min_fits: int = 3) -> list[Measurement]:
    """Measure tasks by turns; each stops at MAX_TURNS, or past `budget` seconds with enough fits.

    A task that fails, or that its time limit stopped, is not repeated.
    """
    measurements = [Measurement(task) for task in tasks]
    with contextlib.ExitStack() as stack:
        workers = [stack.enter_context(Worker(task)) for task in tasks]
        waiting = list(zip(workers, measurements, strict=True))
        for worker, measurement in waiting:
            _attempt(worker, measurement, "ready")
        for turn in range(MAX_TURNS + 1):
            waiting = [pair for pair in waiting if _wants_more(pair[1], turn, budget, min_fits)]
            for worker, measurement in waiting:
                _attempt(worker, measurement, "turn" if turn else "first")
    return measurements


def first_fit(task: Task) -> Measurement:
    """Fit once, or twice if that is fast."""
    (measurement,) = interleave([task], budget=0, min_fits=1)
    return measurement


def _wants_more(measurement: Measurement, turn: int, budget: float, min_fits: int) -> bool:
    if turn == 0:
        return not measurement.status
    enough = len(measurement.seconds) >= min_fits and sum(measurement.seconds) >= budget
    return measurement.finished and not enough


def _attempt(worker: Worker, measurement: Measurement, request: str) -> None:
    """Send one request and add the answer, or the reason there is none, to the measurement."""
    try:
        if request == "ready":
            worker.prepare()
            return
        answer = worker.ask(request, _patience(measurement.task))
    except WorkerError as error:
        measurement.status = str(error)
        return
    if request == "first":
        measurement.found, measurement.peak_bytes, answer = answer
        measurement.status = measurement.found["status"]
        if measurement.finished and answer[0][0] < WARM_UP_SECONDS:
            return
    for seconds, cpu_seconds in answer:
        measurement.seconds.append(seconds)
        measurement.cpu_seconds.append(cpu_seconds)


def _patience(task: Task) -> float:
    """Return how long a process may be silent: its time limit, and time to give up and answer."""
    return 1.25 * task.problem.time_limit + 30 if task.patience is None else task.patience


def over(theirs: float | None, ours: float | None) -> float | None:
    """Divide a time by ours, where there are both."""
    return None if theirs is None or ours is None else theirs / ours


def write_ratio(row: report.Row) -> str:
    """Return how many times as long as ours a method took, and its quartiles, for a table."""
    ratio = row["time_over_ours"]
    if ratio is None:
        return "-"
    if row["status"] not in FINISHED:  # the fit took at least that long
        return f"> {report.ratio(ratio)}"
    if row["fits"] < 2:
        return report.ratio(ratio)
    low, high = (
        report.ratio(ratio * row[key] / row["median"]) for key in ("quartile_1", "quartile_3")
    )
    return f"{report.ratio(ratio)} ({low} to {high})"


# What follows runs in the worker's process.


def serve(descriptor: int) -> None:
    """Answer the requests of a `Worker`, which come through the pipe of this descriptor."""
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # below Python, where native code prints
        os.dup2(silence, stream)
    pipe = Connection(descriptor)
    task: Task = pipe.recv()
    if task.memory_limit is not None:
        resource.setrlimit(resource.RLIMIT_AS, (task.memory_limit, task.memory_limit))
    try:
        synthetic = isinstance(task.source, Synthetic)
        X, y = load(task.source) if synthetic else map(_array, pipe.recv())
        method = KNOWN[task.method](task.problem)
        X, y = method.convert(X, y)
        method.warm_up(X, y)
        pipe.send("ready")
        while True:
            pipe.send(_answer(pipe.recv(), method, X, y))
    except EOFError:
        return
    except ModuleNotFoundError as error:
        pipe.send(WorkerError(f"{error.name} is not installed"))
    except (Exception, SystemExit) as error:  # whatever a package raises is its result
        pipe.send(WorkerError(f"{type(error).__name__}: {error}"))


def _plain(array: NDArray[Any]) -> tuple[bytes, str, tuple[int, ...]]:
    """Take an array apart: releases of numpy may not read each other's."""
    return array.tobytes(), array.dtype.str, array.shape


def _array(parts: tuple[bytes, str, tuple[int, ...]]) -> NDArray[Any]:
    content, dtype, shape = parts
    return np.frombuffer(bytearray(content), dtype).reshape(shape)


def _answer(request: str, method: Method, X: Any, y: Any) -> Any:
    if request == "first":
        before = _start_peak_again()
        times, model = timed_fit(method, X, y)
        peak = resident_peak() - before
        return method.summarize(model, X, y), peak, [times]
    turn: list[tuple[float, float]] = []
    while sum(seconds for seconds, _ in turn) < TURN_SECONDS:
        times, _ = timed_fit(method, X, y)
        turn.append(times)
    return turn


def timed_fit(method: Method, X: Any, y: Any) -> tuple[tuple[float, float], Any]:
    cpu_start, start = time.process_time(), time.perf_counter()
    model = method.fit(X, y)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    return (seconds, cpu_seconds), model


def _start_peak_again() -> int:
    """Forget the resident peak so far (on Linux); return what it is now, in bytes."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)  # or freed memory, still resident, would be used unseen
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return resident_peak()


def resident_peak() -> int:
    """Return the highest resident size so far, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
