"""What the program says: results on standard output, everything else on standard error."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from splitsecond._cli.options import Writing
from splitsecond._support.files import replaces, write_whole
from splitsecond._support.messages import A_SMALLER_ONE, shown

if TYPE_CHECKING:  # which imports this module
    from splitsecond._cli.data import Data

Listener = Callable[..., None]
MAX_NOTED = 5  # columns of one kind
WIDE = 100_000  # columns of a pipe: lines are not wrapped
OPTIONS = {  # what the library tells users of Python to try, and what it is called here
    A_SMALLER_ONE: "`splitsecond path` or `fit --regularization 1se`",
    'loss="log_loss"': "--loss log_loss",
    "class_weight='balanced'": "--class-weight balanced",
}


def say(text: str) -> None:
    """Write a message to standard error."""
    typer.echo(f"splitsecond: {text}", err=True)


def write(text: str) -> None:
    """Write a result to standard output."""
    typer.echo(text)


def write_json(value: Any) -> None:
    """Write a result as JSON."""
    write(to_json(value))


def to_json(value: Any) -> str:
    """Return JSON that every reader takes: numbers that are none become null."""
    return json.dumps(_plain(value), indent=1, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy's
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return str(value)


def write_table(rows: Iterable[Sequence[str]], header: Sequence[str], numbers: str = "") -> None:
    """Write an aligned table; columns whose header is in `numbers` are set to the right."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="")
    for name in header:
        right = name in numbers.split("|")
        table.add_column(Text(name), justify="right" if right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    text = io.StringIO()
    width = Console().width if sys.stdout.isatty() else WIDE
    Console(file=text, width=width).print(table)
    write("\n".join(line.rstrip() for line in text.getvalue().rstrip().split("\n")))


def shown_value(value: float, *, of_numbers: bool) -> str:
    """Write a value in a table; of numbers, it has their unit, and may be very large or small."""
    if of_numbers and value != 0 and not 0.01 <= abs(value) < 1e6:
        return f"{value:.4g}"
    return f"{value:.4f}"


def to_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(header)
    out.writerows(rows)
    return text.getvalue()


def check_out(writing: Writing, *inputs: Path) -> None:
    """Refuse a file to write that could not or must not be written, before any work is done."""
    check_file("--out", writing.out, writing.force, *inputs)


def check_file(option: str, out: Path | None, force: bool, *inputs: Path) -> None:
    """Refuse the file of an option, if it could not or must not be written."""
    if out is None:
        return
    if out.is_dir():
        raise ValueError(f"{option} {out} is a folder: name a file.")
    if not out.parent.is_dir():
        raise ValueError(f"{option} {out}: there is no folder {out.parent}.")
    if not out.exists():
        return
    for path in inputs:
        if path.exists() and out.samefile(path):
            raise ValueError(f"{option} {out} is the file that is read: name another.")
    if replaces(out) and not force:
        raise ValueError(f"{out} exists already: give --force to replace it.")


def write_out(out: Path | None, content: str | bytes) -> None:
    """Write a result to a file, whole or not at all; without one, to standard output."""
    if out is not None:
        write_whole(out, content.encode() if isinstance(content, str) else content)
        say(f"wrote {out}")
    elif isinstance(content, str):
        write(content.removesuffix("\n"))
    else:
        raise ValueError("This is not text: name a file to write with --out.")


@contextmanager
def progress(
    what: str, steps: int | None = None, *, has_estimate: bool = False
) -> Iterator[Listener]:
    """Show a progress bar on standard error, if that is a terminal.

    The listener takes the steps done and, where that is not known before, how many there are. With
    `has_estimate`, the time that is left is shown, too.
    """
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    columns: list[ProgressColumn] = [
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
    ]
    if has_estimate:
        columns += [TextColumn("about"), TimeRemainingColumn(), TextColumn("left")]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(what, total=steps)

        def listener(done: float, of: float | None = None, *_: Any) -> None:
            bars.update(task, completed=done, total=of or steps)

        yield listener


@contextmanager
def warnings_as_notes(data: Data | None = None) -> Iterator[None]:
    """Turn the library's warnings into messages, each said once; `data` is what they are about."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    said = (text for warning in caught for text in _notes(warning.message, data))
    for text in dict.fromkeys(said):
        say(text)


@contextmanager
def columns_told_elsewhere() -> Iterator[None]:
    """Drop warnings about columns, for parts of a table that is itself warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for each in caught:
        if not getattr(each.message, "columns", ()):
            warnings.warn(each.message, stacklevel=2)


def by_options(warning: Warning | str) -> str:
    """Return what a warning says, with the options of the command line for what it advises."""
    text = str(warning)
    for said, option in OPTIONS.items():
        text = text.replace(said, option)
    return text


def as_numbers(found: Any) -> str:
    """Say how a column of text that holds numbers becomes one of numbers."""
    separator = found.numbers.separator
    return f"write them without {separator!r}" if separator else "store them as numbers"


def _notes(warning: Warning | str, data: Data | None) -> list[str]:
    """Return what a warning says; one about columns in the words of the command line."""
    columns = getattr(warning, "columns", ())
    if not columns:
        return [f"note: {by_options(warning)}"]
    notes = [
        _no_number(each, data) if each.numbers is not None else _left_out(each)
        for each in columns[:MAX_NOTED]
    ]
    more = len(columns) - MAX_NOTED
    if more > 0:
        notes.append(f"note: and {more} more columns like that; see doctor.")
    return notes


def _left_out(found: Any) -> str:
    name = shown(str(found.label))
    return f"note: column {name}{found.detail} {found.suspicion}: leave it out with --drop {name}."


def _no_number(found: Any, data: Data | None) -> str:
    """Say that a column of numbers is used as a category, which changes every question about it."""
    label = str(found.label)
    name = shown(label)
    said = f"warning: column {name} is used as a category, not as a number"
    codes = f"if it is a category, give --category {name}."
    if not found.words:
        return f"{said}: it {found.suspicion}. To use numbers, {as_numbers(found)}; {codes}"
    why = f"it holds{found.detail}" if data is None else data.not_numbers(label, found.words)
    missing = " ".join(f"--missing {shown(word)}" for word in found.words[:3])
    return (
        f"{said}: {why}. To use numbers, correct that in the file, or give {missing} if it stands "
        f"for missing values; {codes}"
    )
