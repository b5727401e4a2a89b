"""The command bench, and progress bars."""

from __future__ import annotations

import io
import sys
from functools import partial
from pathlib import Path

import pytest
from cli_files import result, run

from splitsecond._cli.app import app


def test_bench_compares_with_cart() -> None:
    found = result("bench", "--data", "iris", "--data", "wine", "--repeats", 1, "--max-depth", 3)
    methods = ["lickety", "split", "optimal", "greedy", "CART (scikit-learn)"]
    assert [each["method"] for each in found["results"]] == methods * 2
    for begin in (0, 5):
        objectives = {each["method"]: each["objective"] for each in found["results"][begin:][:5]}
        assert objectives["optimal"] <= objectives["lickety"] <= objectives["greedy"] + 0.02
    assert all(0.5 < each["accuracy"] <= 1 for each in found["results"])
    assert "CART (scikit-learn)" in run("bench", "--data", "iris", "--repeats", 1).stdout


class Terminal(io.StringIO):
    """Takes what is written, and says that someone is watching."""

    def isatty(self) -> bool:
        return True


def test_bars_are_shown_on_a_terminal_only(
    people: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fit = partial(app, ["fit", str(people), "--target", "outcome", "--cv", "3"])
    fit(standalone_mode=False)
    silent = capsys.readouterr()
    monkeypatch.setattr("sys.stderr", Terminal())
    fit(standalone_mode=False)
    assert isinstance(sys.stderr, Terminal)
    assert "cross-validating" in sys.stderr.getvalue()
    assert "fitting" in sys.stderr.getvalue()
    assert silent.err == ""
    assert capsys.readouterr().out.count("\n") == silent.out.count("\n")
