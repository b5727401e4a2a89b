"""Exported trees, run: in Python, SQLite and DuckDB."""

from __future__ import annotations

import importlib
import os
import sqlite3
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hostile import Column, Frame, frames, new_rows
from hypothesis import strategies as st

from splitsecond import LicketySPLITClassifier, LicketySPLITRegressor, Tree

# Names, labels and values that try to break out of quotes.
HOSTILE = [
    *("it's", 'say "no"', "a;--", "*/ DROP TABLE t; /*", "back\\slash", "two\nlines", "%s ? :x"),
    *("</svg><script>alert(1)</script>", "$x_1$", "{0}", "#", "日本 🙂", "'); import os #"),
]


def installed(name: str) -> Any:
    """Return a package of the extra test-exports; where it must be there, its lack is an error."""
    required = os.environ.get("SPLITSECOND_REQUIRE_EXPORTS")
    return importlib.import_module(name) if required else pytest.importorskip(name)


def python_of(tree: Tree, **parameters: Any) -> Any:
    """Run the source of a tree, and return its function."""
    found: dict[str, Any] = {}
    exec(tree.to_python(**parameters), found)
    assert set(found) == {"predict", "__builtins__"}
    return found["predict"]


def quoted(name: str) -> str:
    """Write the name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def sqlite_of(expression: str, names: list[str], rows: Iterable[Iterable[Any]]) -> list[Any]:
    """Evaluate an expression for each row, in SQLite."""
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE t ({', '.join(map(quoted, names))})")
    marks = ", ".join("?" * len(names))
    database.executemany(f"INSERT INTO t VALUES ({marks})", rows)
    found = [row[0] for row in database.execute(f"SELECT {expression} FROM t ORDER BY rowid")]
    database.close()
    return found


def duckdb_of(
    expression: str, types: dict[str, str], rows: Iterable[Iterable[Any]], database: Any
) -> list[Any]:
    """Evaluate an expression for each row, in DuckDB."""
    columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in types.items())
    database.execute(f"CREATE OR REPLACE TEMP TABLE t ({columns}, row_number_of_test INTEGER)")
    marks = ", ".join("?" * (len(types) + 1))
    numbered = [[*row, i] for i, row in enumerate(rows)]
    database.executemany(f"INSERT INTO t VALUES ({marks})", numbered)
    found = database.execute(f"SELECT {expression} FROM t ORDER BY row_number_of_test")
    return [row[0] for row in found.fetchall()]


def readable_in_sqlite(tree: Tree) -> bool:
    """Whether SQLite reads the thresholds as they are: it may miss the last of 17 digits."""
    database = sqlite3.connect(":memory:")
    values = [literal.value for literal in tree.literals.values()]
    numbers = [value for value in values if isinstance(value, float)]
    return all(database.execute(f"SELECT {n!r}").fetchone()[0] == n for n in numbers)


def on_thresholds(frame: Frame, rows: Frame, tree: Tree) -> Frame:
    """Add rows that lie exactly on each threshold, and next to it."""
    columns = []
    for column in rows.columns:
        cuts = [
            literal.value
            for literal in tree.literals.values()
            if literal.name == str(column.label) and isinstance(literal.value, float)
        ]
        with np.errstate(over="ignore"):
            near = [cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf)]
        values: list[Any] = [float(cut) for cut in np.concatenate(near) if np.isfinite(cut)]
        columns.append((column, values))
    n = max([len(values) for _, values in columns] + [0])
    made = []
    for column, values in columns:
        filled = column.values + values + [None] * (n - len(values))
        series = pd.Series(filled, dtype=object)
        made.append(Column(column.label, filled, series, column.order, column.is_category))
    return Frame(made, [frame.y[0]] * (len(rows.y) + n))


@st.composite
def fitted(draw: Any) -> tuple[Any, Frame, Frame]:
    """Draw a model, its training table, and rows to predict."""
    frame = draw(frames())
    model = LicketySPLITClassifier(
        regularization=0, max_depth=draw(st.integers(0, 4)), binarizer="midpoint"
    ).fit(frame.pandas(), frame.y)
    return model, frame, on_thresholds(frame, draw(new_rows(frame)), model.tree_)


@st.composite
def fitted_numbers(draw: Any) -> tuple[Any, Frame, Frame]:
    """Draw the same of a model that predicts numbers."""
    frame = draw(frames())
    loss = draw(st.sampled_from(["squared_error", "poisson"]))
    least = 0.0 if loss == "poisson" else -1e6
    numbers = st.floats(least, 1e6, allow_subnormal=False) | st.integers(0, 9).map(float)
    y = draw(st.lists(numbers, min_size=len(frame.y), max_size=len(frame.y)))
    model = LicketySPLITRegressor(
        loss=loss, regularization=1e-6, max_depth=draw(st.integers(0, 4)), binarizer="midpoint"
    ).fit(frame.pandas(), y)
    return model, frame, on_thresholds(frame, draw(new_rows(frame)), model.tree_)
