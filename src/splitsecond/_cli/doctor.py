"""The command ``doctor``: what each column of a table is, and what a fit may cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
import typer

import splitsecond
from splitsecond._cli import options as o
from splitsecond._cli.counted import is_large
from splitsecond._cli.data import Data, check_column, nothing_to_ask, only_a_target
from splitsecond._cli.folders import Sampled, sampled
from splitsecond._cli.output import as_numbers, by_options, write, write_json, write_table
from splitsecond._cli.sources import Source
from splitsecond._cli.targets import Asked, ReadTarget, decoded, read_target
from splitsecond._cli.trial_fits import estimates
from splitsecond._support.messages import listed, shown

REFUSED = "refused"
LEFT_OUT = ("constant", "all missing")
MAX_VALUES = 255  # of a category that questions are asked about
NAMES = {"binary": "0/1"}
NOTED = {
    "target": "the target itself",
    "date": "dates",
    "identifier": "an identifier",
    "row_number": "a row number",
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
    files: o.Files,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="Column to predict, classes or numbers; with it, trial fits are timed.",
        ),
    ] = None,
    task: o.TaskOption = None,
    regularization: o.Regularization = "0.01",
    max_depth: o.MaxDepth = 5,
    columns: o.Columns,
    json: o.Json = False,
) -> None:
    """Check a table: what each column will become, and roughly what a fit costs.

    Of several files, folders and patterns, the columns of all are compared, and rows of some are
    looked at. Exits with 1 if a fit would be refused.
    """
    file = files[0]
    source = sampled(files, columns) if is_large(files) else Source.of(file, columns)
    found = examine(source, target, regularization, Asked(task))
    if isinstance(source, Sampled):
        found.hints.insert(0, source.about)
    costs = {}
    if not found.problems:
        read = found.target
        data = None if read is None else Data(found.X, read.values, task=read.task)
        costs = estimates(found.X, data, regularization=regularization, max_depth=max_depth)
        found.hints += _too_wide(costs["fits"])
    if json:
        write_json(
            {
                "file": str(file),
                "rows": found.X.num_rows,
                "target": None if found.target is None else _target(target, found),
                "columns": [vars(each) for each in found.columns],
                "problems": found.problems,
                "hints": found.hints,
                "estimate": costs,
            }
        )
    else:
        _print(file, found)
        if found.target is not None:
            _print_target(target, found)
        _print_costs(costs, target)
    if found.problems:
        raise typer.Exit(1)


@dataclass
class Examined:
    """A table without its target, and what is to be said of both."""

    X: pa.Table
    target: ReadTarget | None  # None: there is none, or it cannot be used
    columns: list[Column]
    problems: list[str]
    hints: list[str]
    classes: Mapping[Any, int] | None = None  # rows of each
    numbers: Mapping[str, float] | None = None  # how they are spread
    about: str = ""  # the same in words


def examine(source: Source, target: str | None, regularization: Any, asked: Asked) -> Examined:
    """Check the columns of a file, and its target if there is one."""
    table = source.read()
    read = None
    problems: list[str] = []
    if target is not None:
        source.check_column(table, target)
        try:
            read = read_target(source, table, target, asked)
        except ValueError as error:
            problems.append(str(error))
    X = table if target is None else table.drop_columns([target])
    if X.num_columns == 0:
        problems.append(str(only_a_target(source.path, target)))
        return Examined(X, None, [], problems, [])
    y = None if read is None else read.values
    task = {} if read is None else {"task": str(read.task)}
    report = splitsecond.check_table(X, y, regularization=regularization, **task)
    columns = [describe(source, X[each.label], each) for each in report.columns]
    if read is not None and report.classes is None and report.numbers is None:
        read = None
        problems.append(str(report.problems[-1]))
    hints = [by_options(each) for each in report.warnings if not each.columns]
    problems += [each.note for each in columns if each.kind == REFUSED]
    if all(each.kind in (REFUSED, *LEFT_OUT) for each in columns):
        problems.append(str(nothing_to_ask(source.path)))
    examined = Examined(X, read, columns, problems, hints, report.classes, report.numbers)
    examined.about = report.target_summary
    return examined


def describe(source: Source, values: pa.ChunkedArray, report: splitsecond.ColumnReport) -> Column:
    """Say what a column is, in the words of the command line."""
    name, kind = str(report.label), report.kind
    distinct, missing = _counts(values)
    example = _short(next((value.as_py() for value in values if value.is_valid), None))
    try:
        check_column(source, values, name)
        if report.error is not None:
            raise report.error
    except (ValueError, TypeError) as error:
        return Column(name, REFUSED, distinct, missing, example, str(error))
    if kind == "number":
        example = report.summary
    elif kind == "ordered":
        example = _short(report.summary)
    note = ""
    if report.findings:
        note = _suspicion(report.findings[0])
    elif kind in LEFT_OUT:
        note = "left out"
    elif kind == "category" and distinct > MAX_VALUES:
        note = f"questions about the {MAX_VALUES} most frequent values only"
    return Column(name, NAMES.get(kind, kind), distinct, missing, example, note)


def _counts(column: pa.ChunkedArray) -> tuple[int, int]:
    """Return how many different and how many missing values a column has, also if it is refused."""
    is_counted = not (pa.types.is_nested(column.type) or pa.types.is_null(column.type))
    distinct = pc.count_distinct(decoded(column)).as_py() if is_counted else 0
    return distinct, pc.sum(pc.is_null(column, nan_is_null=True)).as_py()


def _suspicion(found: Any) -> str:
    name = str(found.label)
    if found.words:  # among numbers
        words = ", ".join(map(shown, found.words))
        return f"numbers but for {words}: if that means missing, --missing {shown(found.words[0])}"
    if found.kind == "numbers":
        return f"numbers as text? then {as_numbers(found)}"
    if found.kind == "copy":
        return f"a copy{found.detail}? then --drop {name!r}"
    return f"{NOTED[found.kind]}? then --drop {name!r}"


def _short(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= 30 else f"{text[:29]}…"


def _target(name: str | None, found: Examined) -> dict[str, Any]:
    assert found.target is not None
    about = {"name": name, "task": found.target.task}
    if found.classes is None:
        return {**about, "rows": found.X.num_rows, **(found.numbers or {})}
    rows = [{"class": label, "rows": count} for label, count in found.classes.items()]
    return {**about, "classes": rows}


def _print(file: Path, found: Examined) -> None:
    write(f"{file}: {found.X.num_rows:,} rows, {len(found.columns)} columns\n")
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
            for each in found.columns
        ),
        ("column", "becomes", "values", "missing", "for example", "note"),
        "values|missing",
    )
    for text in found.problems:
        write(f"\nproblem: {text}")


def _print_target(name: str | None, found: Examined) -> None:
    said = found.about
    if found.classes is not None:
        some = listed([f"{label} ({rows:,})" for label, rows in found.classes.items()])
        said = f"{len(found.classes)} classes, {some}"
    write(f"\ntarget {name}: {said}")
    for hint in found.hints:
        write(hint)


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
