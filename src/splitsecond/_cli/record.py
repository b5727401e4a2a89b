"""The command ``record``: the choice of a tree as a document."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from splitsecond._cli import options as o
from splitsecond._cli.data import weights_of
from splitsecond._cli.evaluate import (
    Costs,
    MemoryLimit,
    Positive,
    TimeLimit,
    classes_named,
    read_rows,
)
from splitsecond._cli.filters import SetFilters, meeting
from splitsecond._cli.models import Opened, TreeNumber, numbered, open_model
from splitsecond._cli.output import check_out, say, to_json, warnings_as_notes, write, write_out
from splitsecond._cli.row_places import rows_of_file
from splitsecond._cli.sources import Source
from splitsecond._cli.targets import target_for
from splitsecond._support.files import replaces

if TYPE_CHECKING:
    from splitsecond import DecisionRecord

HTML, MARKDOWN = (".html", ".htm"), (".md", ".markdown")


def _words(metavar: str, text: str) -> Any:
    return typer.Option(metavar=metavar, help=text)


def record(
    *,
    trees: o.SetOfTrees,
    tree: TreeNumber = None,
    test: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Table to evaluate the set on, such as held-out rows."),
    ] = None,
    train: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Table of the training rows, for its fingerprint."),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column that the trees predict, in both tables."),
    ] = None,
    group: Annotated[
        list[str], o.several("COL", "Column that divides the rows into groups, such as sex")
    ],
    costs: Costs = None,
    positive: Positive = None,
    weight: o.Weight = None,
    by: Annotated[str | None, _words("TEXT", "Who chose the tree.")] = None,
    reason: Annotated[str | None, _words("TEXT", "Why it was chosen.")] = None,
    title: Annotated[str | None, _words("TEXT", "Title of the document.")] = None,
    data_name: Annotated[str | None, _words("TEXT", "What the data are called.")] = None,
    date: Annotated[str | None, _words("DATE", "Date of the choice; by default today.")] = None,
    disputed: Annotated[int, typer.Option(metavar="N", min=0, help="Disputed rows to list.")] = 10,
    show: Annotated[
        list[str], o.several("COL", "Column to show of disputed rows; by default their number only")
    ],
    time_limit: TimeLimit = None,
    memory_limit: MemoryLimit = None,
    filters: SetFilters,
    reading: o.Reading,
    writing: o.Writing,
) -> None:
    """Write the record of a choice: what was searched, how the tree compares, who chose and why.

    The set is one that the command rashomon has saved with --out. With conditions on the trees,
    such as --avoid, --tree counts those that meet them. The file of --out ends with .html or .md;
    without it, the record is printed as Markdown.
    """
    tables = [path for path in (test, train) if path is not None]
    check_out(writing, trees, *tables)
    _check(target, tables, writing, group, test)
    for path in tables:  # before the set, which takes longer
        Source.of(path, reading).check()
    opened = open_model(trees)
    good = meeting(opened.set_for("record"), filters)
    given: dict[str, Any] = {}
    if test is not None:
        used = [*group, *show, *([] if weight is None else [weight])]
        source, given["X"], given["y"] = _rows(opened, test, reading, target, used)
        given["groups"] = {name: given["X"][name].to_pylist() for name in group} or None
        if weight is not None:
            given["sample_weight"] = weights_of(source, given["X"], weight)
    if train is not None:
        _, given["X_train"], given["y_train"] = _rows(opened, train, reading, target, [])
    made = _made(
        good,
        numbered(good, tree or 0),
        None if test is None else source,
        {
            **given,
            **classes_named(good, costs, positive),
            "chosen_by": by,
            "reason": reason,
            "title": title,
            "data_name": data_name,
            "date": date,
            "max_disputed": disputed,
            "columns": show,
            "time_limit": time_limit,
            "memory_limit": memory_limit,
        },
    )
    _write(made, writing)


def _check(
    target: str | None, tables: list[Path], writing: o.Writing, group: list[str], test: Path | None
) -> None:
    if tables and target is None:
        raise ValueError("--test and --train need --target, the column that the trees predict.")
    if group and test is None:
        raise ValueError("--group needs --test, the table with the groups.")
    out = writing.out
    if out is None or writing.json:
        return
    if out.suffix.lower() not in (*HTML, *MARKDOWN):
        raise ValueError(f"--out {out} must end with .html or .md, which says what is written.")
    picture = out.with_suffix(".svg")
    if out.suffix.lower() in MARKDOWN and replaces(picture) and not writing.force:
        raise ValueError(
            f"{picture} exists already, where the picture of the tree goes: give --force to "
            "replace it."
        )


def _rows(
    opened: Opened, file: Path, reading: o.Reading, target: str | None, used: list[str]
) -> tuple[Source, Any, Any]:
    assert target is not None
    source, table = read_rows(opened, file, reading, target, [target, *used])
    best = opened.set_for("record")[0]
    return source, table, target_for(best, source, table, target)


def _made(good: Any, chosen: Any, source: Source | None, options: dict[str, Any]) -> DecisionRecord:
    with warnings_as_notes():
        if source is None:
            made: DecisionRecord = good.record(chosen, **options)
        else:
            with rows_of_file(source, len(options["X"])):
                made = good.record(chosen, **options)
    return made


def _write(made: DecisionRecord, writing: o.Writing) -> None:
    if writing.json:
        about = {"title": made.title, "date": made.date}
        numbers = {"tree_number": made.number, "n_trees": made.n_trees}
        forms = {"markdown": made.to_markdown(), "html": made.to_html()}
        write_out(writing.out, to_json({**about, **numbers, **forms}))
    elif writing.out is None:
        write(made.to_markdown().removesuffix("\n"))
    else:
        made.save(writing.out)
        say(f"wrote {writing.out}")
