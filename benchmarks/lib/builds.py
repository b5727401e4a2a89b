"""Builds of splitsecond that are compared with each other, each in a process that stays."""

from __future__ import annotations

import contextlib
import json
import pickle
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lib.data import Frame, Source, load
from lib.timing import FOLDER, WorkerError, worker_environment
from lib.tree_packages import Problem


class Build:
    """A build by its place: a folder that the package is in, or a Python that has it.

    Use it in a `with` block. The process starts with the first request, and again after a crash.
    """

    def __init__(self, place: Path, patience: float = 600.0) -> None:
        self._place = place
        self._patience = patience  # seconds that an answer may take
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def describe(self) -> str:
        """Name the versions of the build and of what it runs with; check that it is the one."""
        if self._process is None:
            self._start()
        return ", ".join(f"{name} {version}" for name, version in self._versions.items())

    def prepare(self, method: str, problem: Problem, data: Path) -> dict[str, Any]:
        """Load a table, fit once, and return what the method found."""
        found: dict[str, Any] = self._ask(
            do="prepare", method=method, problem=asdict(problem), data=str(data)
        )["found"]
        return found

    def turn(self) -> NDArray[np.float64]:
        """Return the wall and processor time of a turn's fits, in seconds."""
        return np.array(self._ask(do="turn")["fits"])

    def _start(self) -> None:
        is_python = self._place.is_file()
        # A Python is not resolved: that of an environment is a link.
        python = self._place.absolute() if is_python else sys.executable
        self._process = subprocess.Popen(
            [python, "-m", "lib.build_worker"],
            cwd=FOLDER,
            env=worker_environment(inherit=False) if is_python else worker_environment(self._place),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            answer = self._receive()
        except WorkerError as error:
            message = f"{self._place} holds no build of splitsecond that starts: {error}"
            raise SystemExit(message) from None
        self._versions: dict[str, str] = answer["versions"]
        if not is_python and not Path(answer["file"]).is_relative_to(self._place.resolve()):
            message = f"{self._place} holds no splitsecond; {answer['file']} would be measured"
            raise SystemExit(message)

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _ask(self, **request: Any) -> dict[str, Any]:
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # `_receive` will find out why
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        answer = self._receive()
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer

    def _receive(self) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        timer = threading.Timer(self._patience, self._process.kill)
        timer.start()
        line = self._process.stdout.readline()
        timer.cancel()
        if not line:
            code = self._process.wait()
            self._stop()
            message = f"crashed with exit code {code}, or took more than {self._patience:.0f} s"
            raise WorkerError(message)
        answer: dict[str, Any] = json.loads(line)
        return answer


def write_table(source: Source, folder: Path) -> Path:
    """Write a data set to a file for the processes, if it is not there, and return its path."""
    path = folder / (str(source) + (".pickle" if isinstance(source, Frame) else ".npz"))
    if not path.exists():
        X, y = load(source)
        if isinstance(source, Frame):
            path.write_bytes(pickle.dumps((X, y)))
        else:
            np.savez(path, X=X, y=y)
    return path
