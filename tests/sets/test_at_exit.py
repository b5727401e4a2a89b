"""Sets that are alive when Python ends, as in a notebook's history."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import ctypes
from splitsecond import TreeFARMS
trees = TreeFARMS(regularization=0.1, max_depth=1).fit([[0], [1]] * 9, [0, 1] * 9).trees_
ctypes.pythonapi.Py_IncRef(ctypes.py_object(trees))
"""


def test_nothing_is_printed_at_exit() -> None:
    python = [sys.executable, "-W", "ignore", "-c", CODE]
    done = subprocess.run(python, capture_output=True, text=True, check=True)
    assert done.stdout + done.stderr == ""
