"""Only the tests of this folder look at a clock."""

from __future__ import annotations

import re
from pathlib import Path


def test_no_other_file_looks_at_a_clock() -> None:
    """These tests run alone; others share the processors, and may take any time.

    `fuzzing.py` is a command.
    """
    clocks = re.compile(r"perf_counter|monotonic\(|process_time|(?<!date)time\.time\(")
    here = Path(__file__).parent
    files = [
        path
        for path in here.parent.rglob("*.py")
        if path.parent != here and path.name != "fuzzing.py"
    ]
    found = [path.name for path in files if clocks.search(path.read_text(encoding="utf-8"))]
    assert files
    assert found == []
