"""The command ``doctor``: what each column of a table is, and what a fit may cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import typer

from splitsecond._cli import options as o
from splitsecond._cli.data import (
    Data,
    check_column,
    decoded,
    labels_of,
    nothing_to_ask,
    only_a_target,
)
from splitsecond._cli.output import write, write_json, write_table
from splitsecond._cli.sources import Source
from splitsecond._cli.trial_fits import estimates
from splitsecond._support.messages import listed, shown
from splitsecond._tables.columns import Kind, RawTable, Variable
from splitsecond._tables.data_checks import (
    Finding,
    Suspicion,
    findings,
    rare_classes,
    rare_text,
    refuse_quantity,
)
from splitsecond._tables.literals import value_text

REFUSED = "refused"
MAX_VALUES = 255  # of a category that questions are asked about
NAMES = {Kind.BINARY: "0/1"}
NOTED = {
    Suspicion.TARGET: "the target itself",
    Suspicion.DATE: "dates",
    Suspicion.IDENTIFIER: "an identifier",
    Suspicion.ROW_NUMBER: "a row number",
}


@dataclass(frozen=True)
class Column:
    """What is to be said of a column."""

    name: str
    kind: str
    distinct: int
    missing: int
    example: str
    note: str = ""


def doctor(
    *,
    file: o.File,
    target: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column with the classes; with it, trial fits are timed."),
    ] = None,
    regularization: o.Regularization = "0.01",
    max_depth: o.MaxDepth = 5,
    columns: o.Columns,
    json: o.Json = False,
) -> None:
    """Check a table: what each column will become, and roughly what a fit costs.

    Exits with 1 if a fit would be refused.
    """
    source = Source.of(file, columns)
    table = source.read()
    labels, problems, hints = None, [], []
    if target is not None:
        source.check_column(table, target)
        try:
            labels = labels_of(source, table, target)
            classes, counts = np.unique(labels, return_counts=True)
            if classes.dtype.kind in "iuf":
                refuse_quantity(classes, len(labels))
            share = rare_classes(counts, regularization)
            if share is not None:
                hints.append(f"The tree may be a single leaf. {rare_text(share, regularization)}")
        except ValueError as error:
            labels = None
            problems.append(str(error))
    X = table if target is None else table.drop_columns([target])
    seen = [describe(source, X[name], name) for name in X.column_names]
    seen = _with_suspicions(X, seen, labels)
    problems += [each.note for each in seen if each.kind == REFUSED]
    if not seen:
        problems.append(str(only_a_target(file, target)))
    elif not any(each.kind not in (REFUSED, Kind.CONSTANT, Kind.EMPTY) for each in seen):
        problems.append(str(nothing_to_ask(file)))
    costs = {}
    if seen and not problems:
        data = None if labels is None else Data(X, labels)
        costs = estimates(X, data, regularization=regularization, max_depth=max_depth)
        hints += _too_wide(costs["fits"])
    if json:
        write_json(
            {
                "file": str(file),
                "rows": table.num_rows,
                "target": None if labels is None else _target(target, labels),
                "columns": [vars(each) for each in seen],
                "problems": problems,
                "hints": hints,
                "estimate": costs,
            }
        )
    else:
        _print(file, table.num_rows, seen, problems)
        if labels is not None:
            counts = _target(target, labels)["classes"]
            some = listed([f"{each['class']} ({each['rows']:,})" for each in counts])
            write(f"\ntarget {target}: {len(counts)} classes, {some}")
            for hint in hints:
                write(hint)
        _print_costs(costs, target)
    if problems:
        raise typer.Exit(1)


def describe(source: Source, column: pa.ChunkedArray, name: str) -> Column:
    """Say what a column is, as a binarizer would decide it."""
    is_counted = not (pa.types.is_nested(column.type) or pa.types.is_null(column.type))
    numbers = {
        "distinct": pc.count_distinct(decoded(column)).as_py() if is_counted else 0,
        "missing": pc.sum(pc.is_null(column, nan_is_null=True)).as_py(),
    }
    first = next((value.as_py() for value in column if value.is_valid), None)
    try:
        check_column(source, column, name)
        cells = RawTable(pa.table({name: column})).cells(0)
        variable = Variable.of(cells, name)
    except (ValueError, TypeError) as error:
        return Column(name, REFUSED, **numbers, example=_short(first), note=str(error))
    kind = variable.kind
    example = _short(first)
    if kind is Kind.NUMBER:
        assert cells.numbers is not None
        low, high = np.nanmin(cells.numbers), np.nanmax(cells.numbers)
        example = f"{value_text(float(low))} to {value_text(float(high))}"
    elif kind is Kind.ORDERED:
        example = _short(" < ".join(map(str, variable.categories)))
    note = _note(variable, column, numbers["distinct"])
    return Column(name, NAMES.get(kind, str(kind)), **numbers, example=example, note=note)


def _note(variable: Variable, column: pa.ChunkedArray, distinct: int) -> str:
    if variable.kind in (Kind.CONSTANT, Kind.EMPTY):
        return "left out"
    if variable.kind is Kind.CATEGORY and distinct > MAX_VALUES:
        return f"questions about the {MAX_VALUES} most frequent values only"
    return ""


def _with_suspicions(X: pa.Table, seen: list[Column], labels: Any) -> list[Column]:
    """Add to each column what `fit` would warn of."""
    usable = [each.name for each in seen if each.kind != REFUSED]
    if not usable:
        return seen
    raw = RawTable(X.select(usable))
    variables = [Variable.of(raw.cells(j), name) for j, name in enumerate(usable)]
    classes, codes = (None, None) if labels is None else np.unique(labels, return_inverse=True)
    found = findings(raw, variables, codes, 0 if classes is None else len(classes))
    notes = {str(each.label): _suspicion(each) for each in reversed(found)}
    return [replace(each, note=notes.get(each.name, each.note)) for each in seen]


def _suspicion(found: Finding) -> str:
    name = str(found.label)
    if found.what is Suspicion.WORDS:
        words = ", ".join(map(shown, found.words))
        return f"numbers but for {words}: if that means missing, --missing {shown(found.words[0])}"
    if found.what is Suspicion.COPY:
        return f"a copy{found.detail}? then --drop {name!r}"
    return f"{NOTED[found.what]}? then --drop {name!r}"


def _short(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= 30 else f"{text[:29]}…"


def _target(name: str | None, labels: Any) -> dict[str, Any]:
    classes, counts = np.unique(labels, return_counts=True)
    rows = [{"class": label, "rows": count} for label, count in zip(classes, counts, strict=True)]
    return {"name": name, "classes": rows}


def _print(file: Any, rows: int, columns: list[Column], problems: list[str]) -> None:
    write(f"{file}: {rows:,} rows, {len(columns)} columns\n")
    write_table(
        (
            [
                each.name,
                each.kind,
                f"{each.distinct:,}",
                f"{each.missing:,}",
                each.example,
                "see below" if each.kind == REFUSED else each.note,
            ]
            for each in columns
        ),
        ("column", "becomes", "values", "missing", "for example", "note"),
        "values|missing",
    )
    for text in problems:
        write(f"\nproblem: {text}")


def _print_costs(costs: dict[str, Any], target: str | None) -> None:
    if not costs:
        return
    write(f"\nESTIMATE, not a promise ({costs['basis']}):")
    for each in costs["fits"]:
        bound = "over " if each["at_least"] else "about "
        write(f"  {each['algorithm']}: {bound}{_seconds(each['seconds'])}")
    megabytes = max(1, round(costs["memory_bytes"] / 1e6))
    write(f"  memory: up to about {megabytes:,} MB besides the table itself")
    if target is None:
        write("  (with --target, trial fits on this machine give a better one)")


def _too_wide(fits: list[dict[str, Any]]) -> list[str]:
    """Say which searches have more 0/1 columns than they can be expected to finish with."""
    return [
        f"{each['algorithm']} has {each['columns']:,} 0/1 columns to search, and may take very "
        f"long with more than {each['columns_handled']:,}: give --time-limit, or leave out columns."
        for each in fits
        if each.get("columns_handled") is not None and each["columns"] > each["columns_handled"]
    ]


def _seconds(seconds: float) -> str:
    if seconds < 1:
        return f"{max(1, float(f'{1000 * seconds:.1g}')):.0f} ms"
    return f"{float(f'{seconds:.2g}'):,g} s"
