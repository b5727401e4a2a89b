"""The command path."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cli_files import columns, result, run

import splitsecond
from splitsecond._cli import scoring


def test_path(people: Path, tmp_path: Path) -> None:
    args = ("path", people, "--target", "outcome", "--max-depth", 3, "--algorithm", "optimal")
    X = columns()
    y = np.array(X.pop("outcome"))
    data = scoring.Data(pa.table(X), y)
    model = splitsecond.OptimalTreeClassifier(max_depth=3, n_jobs=1)
    expected = scoring.find_path(model, data, 5, 0)
    assert run(*args).stdout == f"{expected}\n"
    found = result(*args)
    assert found["status"] == "complete"
    assert found["least_cv_loss"] == expected.best_.regularization
    assert found["within_one_standard_error"] == expected.one_standard_error_.regularization
    names = ("regularization", "low", "n_leaves", "loss", "cv_loss")
    for entry, row in zip(expected, found["path"], strict=True):
        assert [row[name] for name in names] == [getattr(entry, name) for name in names]
    out = tmp_path / "path.csv"
    assert run(*args, "--out", out).stdout == ""
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    assert [float(row["cv_loss"]) for row in rows] == [entry.cv_loss for entry in expected]
    short = result(*args, "--cv", 0, "--smallest", 0.02, "--largest", 0.1)
    assert "least_cv_loss" not in short
    assert all(row["low"] >= 0.02 and row["cv_loss"] is None for row in short["path"])


def test_a_path_that_is_cut_short(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*args: Any, **options: Any) -> splitsecond.RegularizationPath:
        assert options["time_limit"] == 30
        return splitsecond.RegularizationPath(
            regularization_path(*args, **options)[:], "time_limit"
        )

    regularization_path = scoring.regularization_path
    monkeypatch.setattr(scoring, "regularization_path", stopped)
    done = run("path", people, "--target", "outcome", "--time-limit", 30)
    assert done.exit_code == 3
    assert done.stdout.endswith("incomplete: time_limit\n")
