"""The command ``explore``: the page of a set."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from splitsecond._cli import options as o
from splitsecond._cli.filters import SetFilters, meeting
from splitsecond._cli.models import Opened, open_model, text_columns
from splitsecond._cli.output import check_out, to_json, warnings_as_notes, write_out
from splitsecond._cli.row_places import rows_of_file
from splitsecond._cli.sources import Source
from splitsecond._cli.targets import target_for


def explore(
    *,
    trees: o.SetOfTrees,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="Table with held-out rows, to evaluate the trees on the page."
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of that table that the trees predict.")
    ] = None,
    group: Annotated[
        list[str], o.several("COL", "Column that divides these rows into groups, such as sex")
    ],
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What the data are called on the page.")
    ] = None,
    top: Annotated[
        int, typer.Option(metavar="N", min=1, help="Maximum trees on the page, the best ones.")
    ] = 1000,
    filters: SetFilters,
    reading: o.Reading,
    writing: o.Writing,
) -> None:
    """Write an HTML page for exploring a set: what all its trees ask, and the best one by one.

    The set is one that the command rashomon has saved with --out. With a table of held-out rows and
    --target, trees are also compared by what they do on these rows.
    """
    check_out(writing, trees, *([] if file is None else [file]))
    if file is None and (target is not None or group):
        raise ValueError("--target and --group are columns of held-out rows: name their FILE, too.")
    if file is not None:
        Source.of(file, reading).check()  # before the set, which takes longer
    opened = open_model(trees)
    good = meeting(opened.set_for("explore"), filters)
    with warnings_as_notes(), ExitStack() as reading_rows:
        given: dict[str, Any] = {"name": name}
        if file is not None:
            source, rows = _held_out(opened, file, reading, target, group)
            reading_rows.enter_context(rows_of_file(source, len(rows["X"])))
            given |= rows
        content = (
            to_json(good.to_explorer(top, **given))
            if writing.json
            else good.to_html(max_trees=top, **given)
        )
    write_out(writing.out, content)


def _held_out(
    opened: Opened, file: Path, reading: Any, target: str | None, group: list[str]
) -> tuple[Source, dict[str, Any]]:
    """Read a table of held-out rows, as `TreeSet.to_explorer` takes them."""
    named = [] if target is None else [target]
    source = Source.of(file, reading, text_columns(opened, target))
    table = source.read()
    for column in (*named, *group):
        source.check_column(table, column)
    groups = {column: table[column].to_pylist() for column in group}
    best = opened.set_for("explore")[0]
    y = None if target is None else target_for(best, source, table, target)
    return source, {"X": table, "y": y, "groups": groups or None, "target": target}
