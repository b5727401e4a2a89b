"""A tree as an SQL expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from splitsecond._support.messages import shown
from splitsecond._tables.columns import Kind
from splitsecond._trees.conditions import Condition, conditions
from splitsecond._trees.outputs import Output

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree

MAX_FLOAT = "1.7976931348623157e308"  # the largest 64-bit float


def to_sql(tree: Tree, table: str | None, columns: Mapping[str, str] | None, output: Output) -> str:
    """Write nested CASE expressions: with NULL, a condition and its negation both fail."""
    if table is not None and not isinstance(table, str):
        raise TypeError(f"table={shown(table)} must be the name of a table, as text.")
    if columns is not None and not (
        isinstance(columns, Mapping) and all(isinstance(each, str) for each in columns.values())
    ):
        raise TypeError(f"columns={shown(columns)} must map columns to SQL expressions, as text.")
    prefix = "" if table is None else identifier(table) + "."
    given = {} if columns is None else columns

    def column(name: str) -> str:
        return given[name] if name in given else prefix + identifier(name)

    asked = {j: condition_text(each, column) for j, each in conditions(tree).items()}
    write = as_double if output.kind in ("probability", "value") else value
    results = [write(each) for each in output.values]
    lines: list[str] = []
    waiting: list[tuple[int, str, str, str]] = [(0, "", "", "")]  # node, indent, before, after
    while waiting:
        node, indent, before, after = waiting.pop()
        if tree.feature[node] < 0:
            lines.append(f"{indent}{before}{results[node]}{after}")
            continue
        question = asked[int(tree.feature[node])]
        yes, no = int(tree.left[node]), int(tree.right[node])
        deeper = indent + "  "
        if before:
            lines.append(f"{indent}{before.rstrip()}")
            indent, deeper = deeper, deeper + "  "
        lines.append(f"{indent}CASE")
        waiting.append((no, deeper, "ELSE ", f"\n{indent}END{after}"))
        waiting.append((yes, deeper, f"WHEN {question} THEN ", ""))
    return "\n".join(lines)


def condition_text(asked: Condition, column: Callable[[str], str]) -> str:
    """Write a question; ``column`` writes the name of a column."""
    name = column(asked.variable.name)
    if asked.missing:
        return _is_missing(asked, name)
    if asked.at_most is not None:
        return f"{_as_float(name, asked.at_most)} <= {value(asked.at_most)}"
    if asked.equals is not None:
        return f"{_as_float(name, asked.equals)} = {value(asked.equals)}"
    values = [value(each) for each in asked.among]
    if not values:
        return "1 = 0"
    return f"{name} = {values[0]}" if len(values) == 1 else f"{name} IN ({', '.join(values)})"


def _is_missing(asked: Condition, name: str) -> str:
    variable = asked.variable
    if variable.kind is Kind.BINARY:
        # Truth values compare with 0 and 1 but with no other numbers. NaN is neither.
        return f"({name} IS NULL OR NOT {name} IN (0, 1))"
    flags = [isinstance(value, bool) for value in variable.categories]
    if not asked.is_number or (flags and all(flags)):
        return f"{name} IS NULL"
    # Databases do not agree on how NaN compares: it is above all numbers, or unlike itself.
    return f"({name} IS NULL OR {name} <> {name} OR {name} > {MAX_FLOAT})"


def _as_float(name: str, limit: float) -> str:
    """Round integers that 64-bit floats cannot hold, where it may matter."""
    return name if abs(limit) < 2**53 else f"{name} + 0e0"


def value(of: Any) -> str:
    """Write a label, a category or a threshold."""
    if isinstance(of, np.generic):
        of = of.item()
    if isinstance(of, bool):
        return "TRUE" if of else "FALSE"
    if isinstance(of, int):
        return str(of)
    if isinstance(of, float):
        if of.is_integer() and abs(of) <= 2**24:
            return str(int(of))
        # With an exponent a number is a 64-bit float everywhere; without one it may be a decimal
        # that is rounded to the 32 bits of the column it is compared with.
        text = repr(of)
        with np.errstate(over="ignore"):
            is_short = float(np.float32(of)) == of
        return text if "e" in text or is_short else f"{text}e0"
    return "'" + _checked(str(of)).replace("'", "''") + "'"


def as_double(number: float) -> str:
    """Write a 64-bit float, also for 0 and 1: some databases round means of integers."""
    text = repr(number)
    return text if "e" in text else f"{text}e0"


def identifier(name: str) -> str:
    """Write the name of a table or column."""
    return '"' + _checked(name).replace('"', '""') + '"'


def _checked(text: str) -> str:
    if "\0" in text:
        raise ValueError(f"SQL has no way to write the NUL character of {text!r:.60}.")
    return text
