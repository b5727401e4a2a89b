"""Pages show the committed measurements, no older and no better ones."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def summary(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return runpy.run_path(str(ROOT / "benchmarks" / "summary.py"))


def test_pages_show_the_committed_results(summary: dict[str, Any]) -> None:
    shown = []
    for page in summary["PAGES"]:
        text = page.read_text(encoding="utf-8")
        shown += [mark[2] for mark in summary["REGION"].finditer(text)]
        assert summary["filled"](text) == text, "run: python benchmarks/summary.py --write"
    assert sorted(shown) == sorted(summary["SUMMARIES"])


def test_an_older_table_would_be_found(summary: dict[str, Any]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    mark = summary["REGION"].search(readme)
    assert mark is not None
    digit = next(i for i in range(mark.end(1), mark.end()) if readme[i].isdigit())
    changed = readme[:digit] + str((int(readme[digit]) + 1) % 10) + readme[digit + 1 :]
    assert summary["filled"](changed) == readme
