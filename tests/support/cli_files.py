"""Tables on disk for the tests of the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from typer.testing import CliRunner

from splitsecond._cli.app import app

N_ROWS = 240


def run(*args: Any, given: bytes | None = None) -> Any:
    """Run a command in this process; what is given comes by standard input."""
    words = [str(arg) for arg in args]
    return CliRunner().invoke(app, words, input=given, catch_exceptions=False)


def result(*args: Any) -> Any:
    """Run a command with --json and read what it prints."""
    done = run(*args, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def columns() -> dict[str, Any]:
    """A column of every kind, and a target that a small tree tells."""
    random = np.random.default_rng(0)
    age = random.integers(18, 80, N_ROWS)
    job = random.choice(["cook", "clerk", "smith"], N_ROWS)
    income = random.normal(30_000, 9_000, N_ROWS).round(2)
    member = random.integers(0, 2, N_ROWS)
    flip = random.random(N_ROWS) < 0.1
    return {
        "age": age.tolist(),
        "income": [None if i % 17 == 0 else value for i, value in enumerate(income.tolist())],
        "job": job.tolist(),
        "member": member.tolist(),
        "code": random.choice([101, 202, 303], N_ROWS).tolist(),
        "same": ["x"] * N_ROWS,
        "nothing": [None] * N_ROWS,
        "outcome": np.where(((age > 40) & (job != "cook")) ^ flip, "yes", "no").tolist(),
    }


def write_csv(path: Path, table: dict[str, Any], separator: str = ",") -> Path:
    """Write columns as CSV, blanks as empty fields."""
    lines = [separator.join(table)]
    for row in zip(*table.values(), strict=True):
        lines.append(separator.join("" if value is None else str(value) for value in row))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_parquet(path: Path, table: dict[str, Any]) -> Path:
    """Write columns as Parquet."""
    parquet.write_table(pa.table(table), path)
    return path
