"""Fits on request, in a process that has one build of splitsecond (builds.py starts it).

Every request and every answer is one line of JSON, through standard input and output. Only public
names of the package are used, so that builds may differ in all others.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from lib.rid_packages import RID_METHODS
from lib.set_packages import SET_METHODS, SetProblem
from lib.timing import TURN_SECONDS, timed_fit
from lib.tree_packages import METHODS


def describe() -> dict[str, Any]:
    """Say which build this is, and what it runs with."""
    import sklearn

    import splitsecond

    return {
        "file": splitsecond.__file__,
        "versions": {
            "splitsecond": splitsecond.__version__,
            "Python": sys.version.split()[0],
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
    }


class Server:
    """Holds the table and the method that were asked for last."""

    def __init__(self) -> None:
        self._method: Any = None
        self._table: tuple[Any, Any] = (None, None)

    def prepare(self, method: str, problem: dict[str, Any], data: str) -> dict[str, Any]:
        """Load a table, fit once and return what that found."""
        methods = METHODS | SET_METHODS | RID_METHODS
        self._method = methods[method](SetProblem(**problem))
        self._table = self._method.convert(*_read(Path(data)))
        _, model = timed_fit(self._method, *self._table)
        return {"found": self._method.summarize(model, *self._table)}

    def turn(self) -> dict[str, Any]:
        """Repeat the fit for a short while; return the wall and processor time of each."""
        fits: list[tuple[float, float]] = []
        while sum(seconds for seconds, _ in fits) < TURN_SECONDS:
            times, _ = timed_fit(self._method, *self._table)
            fits.append(times)
        return {"fits": fits}


def _read(path: Path) -> tuple[Any, Any]:
    if path.suffix == ".pickle":
        X, y = pickle.loads(path.read_bytes())
        return X, y
    with np.load(path) as stored:
        return stored["X"], stored["y"]


def serve(requests: TextIO, answers: TextIO) -> None:
    """Answer every request; an error is the answer to that request alone."""
    print(json.dumps(describe()), file=answers, flush=True)
    server = Server()
    for line in requests:
        request = json.loads(line)
        try:
            answer = getattr(server, request.pop("do"))(**request)
        except Exception as error:  # whatever a build raises is its result
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


def main() -> None:
    warnings.simplefilter("ignore")  # a limit that was reached is in the status
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else is printed must not come between answers
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        serve(sys.stdin, answers)


if __name__ == "__main__":
    main()
