"""Raw tables that are likely to be misread, and a slow reading of them that nobody can doubt.

A `Column` holds plain Python values (None is a blank) beside the pandas series made of them, so
what a question about a row must answer is known without pandas, and without the package: `answer`
and `holds` import nothing of ours.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

FLOATS = [
    *(0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 0.1, 0.1 + 0.2, 0.3, 123456.789, 1e16, 2.0**53),
    *(1e300, -1e300, 1.7e308, -1.7e308, 1e-300, -1e-300, 2.3e-308, 5e-324, -5e-324),
    *(1.0000000000000002, 0.9999999999999999, 1e22, 1.2345678901234567e-5),
]
INTEGERS = [0, 1, -1, 2, 3, 10, -1000, 2**31, 2**53, 2**53 + 1, 2**53 + 2, 2**63 - 1, -(2**63)]
TEXTS = [
    *("", " ", "a", "A", "b", "a b", "ä", "日本", "🙂", '"', "'", 'a"b', "\\", "\\n", "\n", "\t"),
    *("nan", "NaN", "None", "NA", "null", "1", "1.0", "True", "is missing", "<= 3", "x" * 500),
]
NAMES = [
    *("x", "x1", "x1y", "x ", " x", "x <= 3", "x is missing", "not x", "x or missing", "x == 1"),
    *("", "ä ö", "日本", '"', "'q'", "\\", "two\nlines", "nan", "0", "1", "<=", "==", "is missing"),
]
UNSEEN = "never seen before"


@dataclass(frozen=True)
class Column:
    """One column: its values, and the series a user would have."""

    label: Any
    values: list[Any]  # plain Python; None is a blank
    series: pd.Series[Any]
    order: list[Any] | None = None  # of ordered categories
    is_category: bool = False

    @property
    def known(self) -> list[Any]:
        return [value for value in self.values if value is not None]

    def is_flag(self) -> bool:
        return not self.is_category and all(value in (0, 1) for value in self.known)

    def is_dropped(self) -> bool:
        """Whether nothing can be asked: one value in every row, or none in any."""
        distinct = set(self.known if self.is_category else map(float, self.known))
        return len(distinct) == 0 or (len(distinct) == 1 and None not in self.values)


@dataclass(frozen=True)
class Frame:
    """A table and class labels."""

    columns: list[Column]
    y: list[str]

    def pandas(self) -> pd.DataFrame:
        frame = pd.concat([column.series for column in self.columns], axis=1)
        frame.columns = pd.Index([column.label for column in self.columns], dtype=object)
        return frame

    def polars(self) -> Any:
        import polars

        columns = {}
        for column in self.columns:
            values = column.values
            if column.order is not None and all(isinstance(name, str) for name in column.order):
                columns[column.label] = polars.Series(values, dtype=polars.Enum(column.order))
            elif column.is_category:
                columns[column.label] = polars.Series(values)
            else:
                floats = [None if value is None else float(value) for value in values]
                columns[column.label] = polars.Series(floats, dtype=polars.Float64)
        return polars.DataFrame(columns)

    def arrow(self) -> Any:
        import pyarrow

        return pyarrow.table(
            [pyarrow.array(column.values) for column in self.columns],
            names=[column.label for column in self.columns],
        )

    def numpy(self) -> Any:
        table = np.empty((len(self.y), len(self.columns)), dtype=object)
        for j, column in enumerate(self.columns):
            table[:, j] = column.values
        return table

    def rows(self) -> list[list[Any]]:
        return [list(row) for row in zip(*(c.values for c in self.columns), strict=True)]


# ---- what questions and rules mean ---------------------------------------------------------------


def answer(column: Column, operator: str, value: Any, cell: Any) -> bool:
    """Answer a question about one cell. A blank says no to everything but "is missing"."""
    if operator == "is missing":
        return cell is None
    if cell is None:
        return False
    if operator == "is 1":
        return bool(cell == 1)
    if operator == "==":
        return isinstance(cell, str) == isinstance(value, str) and bool(cell == value)
    assert operator == "<="
    if column.order is None:
        return float(cell) <= value
    return cell in column.order and column.order.index(cell) <= column.order.index(value)


def readings(condition: str, columns: Sequence[Column]) -> list[tuple[int, str, Any, bool, bool]]:
    """Every way to read a condition of a rule: column, operator, value, negated, blanks too."""
    found: list[tuple[int, str, Any, bool, bool]] = []
    for j, column in enumerate(columns):
        name = str(column.label)
        for text, negated, blanks in (
            (name, False, False),
            (f"not {name}", True, False),
            (f"not {name} or missing", True, True),
        ):
            if condition == text and column.is_flag():
                found.append((j, "is 1", None, negated, blanks))
        if not condition.startswith(name):
            continue
        rest = condition[len(name) :]
        if rest in (" is missing", " is not missing"):
            found.append((j, "is missing", None, "not" in rest, False))
        for sign, operator, negated in (
            (" <= ", "<=", False),
            (" == ", "==", False),
            (" > ", "<=", True),
            (" != ", "==", True),
        ):
            if rest.startswith(sign):
                text = rest[len(sign) :]
                blanks = negated and text.endswith(" or missing")
                value = _read(text.removesuffix(" or missing") if blanks else text)
                if value is not None and _suits(column, operator, value):
                    found.append((j, operator, value, negated, blanks))
    return found


def spelled_out(condition: str, columns: Sequence[Column]) -> list[str]:
    """A condition of a rule; an interval as its two bounds."""
    for column in columns:
        low, middle, high = condition.partition(f" < {column.label} <= ")
        if middle and _read(low) is not None and _read(high) is not None:
            return [f"{column.label} > {low}", f"{column.label} <= {high}"]
    return [condition]


def meets(condition: dict[str, Any], column: Column, cell: Any) -> bool:
    """Whether a cell meets a condition that a rule has as plain values."""
    if cell is None:
        return bool(condition["missing"])
    if "never" in condition or "only_missing" in condition:
        return False
    if "equals" in condition:
        return answer(column, "==", condition["equals"], cell)
    bounds = [
        answer(column, "<=", condition["at_most"], cell) if "at_most" in condition else True,
        not answer(column, "<=", condition["above"], cell) if "above" in condition else True,
    ]
    others = condition.get("not_equals", [])
    return all(bounds) and not any(answer(column, "==", value, cell) for value in others)


def holds(reading: tuple[int, str, Any, bool, bool], column: Column, cell: Any) -> bool:
    """Whether a condition, read as a person would, holds for a cell."""
    _, operator, value, negated, blanks = reading
    if negated and cell is None:
        return blanks
    return answer(column, operator, value, cell) != negated


def _read(text: str) -> Any:
    try:
        return json.loads(text) if text.startswith('"') else float(text)
    except ValueError:
        return None


def _suits(column: Column, operator: str, value: Any) -> bool:
    if column.is_category and (operator == "==") == (column.order is None):
        return value in (column.known if column.order is None else column.order)
    return not column.is_category and operator == "<=" and isinstance(value, float)


# ---- strategies ----------------------------------------------------------------------------------


def _finite(width: int = 64) -> SearchStrategy[float]:
    return st.floats(allow_nan=False, allow_infinity=False, width=width)  # type: ignore[arg-type]


@st.composite
def _pool_of_floats(draw: DrawFn) -> list[float]:
    """A few numbers, some of them neighbours: nothing lies between those."""
    pool = draw(st.lists(st.sampled_from(FLOATS) | _finite(), min_size=1, max_size=5))
    if draw(st.booleans()):
        pool.append(float(np.nextafter(pool[0], -np.inf if pool[0] > 0 else np.inf)))
    return pool


def _lists_of(draw: DrawFn, pool: Sequence[Any], n: int) -> list[Any]:
    return draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))


def _with_blanks(draw: DrawFn, values: list[Any]) -> list[Any]:
    if draw(st.booleans()):
        return values
    blank = draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    return [None if b else value for b, value in zip(blank, values, strict=True)]


# numpy's text has no NUL at its end: see test_columns.
_texts_without_nul = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)

KINDS = (
    *("int64", "uint8", "bool", "float64", "float32", "Int64", "Float64", "boolean", "flags"),
    *("str", "string", "text objects", "number objects"),
    *("category", "ordered", "numbers as categories", "cut", "nothing"),
)


@st.composite
def columns(draw: DrawFn, label: Any, n: int) -> Column:
    """A column of n rows of any kind."""
    kind = draw(st.sampled_from(KINDS))
    if kind == "nothing":
        dtype: Any = draw(st.sampled_from(["float64", "object", "Int64", "string"]))
        blank = [None] * n
        return Column(label, blank, pd.Series(blank, dtype=dtype), is_category=dtype == "string")
    if kind in ("str", "string", "text objects"):
        pool = draw(st.lists(st.sampled_from(TEXTS) | _texts_without_nul, min_size=1, max_size=5))
        values = _with_blanks(draw, _lists_of(draw, pool, n))
        return Column(label, values, _texts(draw, kind, values), is_category=True)
    if kind in ("category", "ordered"):
        pool = draw(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=6, unique=True))
        values = _with_blanks(draw, _lists_of(draw, pool[: draw(st.integers(1, len(pool)))], n))
        dtype = pd.CategoricalDtype(pool, ordered=kind == "ordered")  # some are never used
        order = pool if kind == "ordered" else None
        return Column(label, values, pd.Series(values, dtype=dtype), order, is_category=True)
    if kind == "numbers as categories":
        pool = draw(st.sampled_from([[3, 1, 2, 10], [0.5, -1.5, 2.5]]))
        values = _with_blanks(draw, _lists_of(draw, pool, n))
        return Column(label, values, pd.Series(values, dtype="category"), is_category=True)
    if kind == "cut":
        edges = draw(st.sampled_from([[0, 1, 2, 5], [0.5, 1.25, 3]]))
        bins = pd.IntervalIndex.from_breaks(edges)
        places = _with_blanks(draw, _lists_of(draw, range(len(bins)), n))
        codes = [-1 if place is None else place for place in places]
        series = pd.Series(pd.Categorical.from_codes(codes, bins, ordered=True))
        order = [str(interval) for interval in bins]
        values = [None if place is None else order[place] for place in places]
        return Column(label, values, series, order, is_category=True)
    return _numbers(draw, label, kind, n)


def _texts(draw: DrawFn, kind: str, values: list[Any]) -> pd.Series[Any]:
    if kind != "text objects":
        return pd.Series(values, dtype=kind)
    blanks = _lists_of(draw, [None, np.nan, pd.NA], len(values))
    objects = [b if v is None else v for v, b in zip(values, blanks, strict=True)]
    return pd.Series(objects, dtype=object)


def _numbers(draw: DrawFn, label: Any, kind: str, n: int) -> Column:
    pool: list[Any]
    if kind in ("int64", "Int64"):
        pool = draw(
            st.lists(
                st.sampled_from(INTEGERS) | st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5
            )
        )
    elif kind == "uint8":
        pool = draw(st.lists(st.integers(0, 255), min_size=1, max_size=5))
    elif kind in ("bool", "boolean"):
        pool = [False, True]
    elif kind == "flags":
        pool = draw(st.sampled_from([[0, 1], [0.0, -0.0, 1.0], [1]]))
    elif kind == "float32":
        pool = draw(st.lists(_finite(32), min_size=1, max_size=5))
    else:
        pool = draw(_pool_of_floats())
    values = _lists_of(draw, pool, n)
    if kind in ("Int64", "Float64", "boolean", "float64", "flags", "number objects"):
        values = _with_blanks(draw, values)
    if kind == "number objects":
        blanks = _lists_of(draw, [None, np.nan, pd.NA], n)
        objects = [b if v is None else v for v, b in zip(values, blanks, strict=True)]
        return Column(label, values, pd.Series(objects, dtype=object))
    dtype: Any = "float64" if kind == "flags" else kind
    return Column(label, values, pd.Series(values, dtype=dtype))


@st.composite
def frames(
    draw: DrawFn, *, max_rows: int = 14, max_columns: int = 5, max_classes: int = 3
) -> Frame:
    """A table of any kinds of columns, with odd names, and labels."""
    n = draw(st.integers(1, max_rows) | st.integers(max_rows // 2, max_rows))
    width = draw(st.integers(1, max_columns))
    labels = draw(st.lists(st.sampled_from(NAMES), min_size=width, max_size=width, unique=True))
    n_classes = draw(st.sampled_from([2, 1, 2, 2, *range(3, max_classes + 1)]))
    y = _lists_of(draw, ["no", "yes", "maybe"][:n_classes], n)
    return Frame([draw(columns(label, n)) for label in labels], y)


@st.composite
def new_rows(draw: DrawFn, frame: Frame, *, max_rows: int = 8) -> Frame:
    """Rows for a fitted model: values seen and unseen, and blanks where there were none."""
    n = draw(st.integers(1, max_rows))
    made = []
    for column in frame.columns:
        seen: list[Any] = list(column.known)
        if not column.is_category:
            seen += [0, 1] if column.is_flag() else FLOATS
        elif all(isinstance(value, str) for value in seen):
            seen += [UNSEEN]
        else:
            seen += [77]
        if draw(st.booleans()):  # rows of the table itself, in its own dtypes, some blanked
            places = _lists_of(draw, range(len(column.values)), n)
            blank = _lists_of(draw, [False, False, True], n)
            values = [
                None if b else column.values[place] for b, place in zip(blank, places, strict=True)
            ]
            series = column.series.iloc[places].reset_index(drop=True).mask(np.array(blank))
        else:
            values = _lists_of(draw, [*seen, None], n)
            series = pd.Series(values, dtype=object)
        made.append(Column(column.label, values, series, column.order, column.is_category))
    return Frame(made, [frame.y[0]] * n)
