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


def test_regression_is_shown_once_it_is_measured(
    summary: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(summary["regression"].__globals__, "RESULTS", tmp_path)
    assert "Not measured yet" in summary["regression"]()
    (tmp_path / "regression.csv").write_text(
        "table,against,depth,cells,objectives,least,median\n"
        f"{summary['REGRESSION_PAIRS']},pystreed,3,10,0.9995,12.5,40.0\n"
        "Times and objectives,,3,,,,0.25\n",
        encoding="utf-8",
    )
    (tmp_path / "regression_heldout.csv").write_text(
        "table,method,tables,r2,leaves\n"
        f'{summary["REGRESSION_MEANS"]},"CART, pruned",13,0.6123,31.2\n'
        f"{summary['REGRESSION_MEANS']},linear regression,13,0.5,\n"
        "By table,linear regression,,0.4,\n",
        encoding="utf-8",
    )
    text = summary["regression"]()
    assert "| pystreed | 3 | 10 | 0.9995 | 12.5x | 40.0x |" in text
    assert "| CART, pruned | 13 | 0.612 | 31.2 |" in text
    assert "| linear regression | 13 | 0.500 | - |" in text
