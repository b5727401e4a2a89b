"""The command ``groups``: trees of a set that ask about the same variables in the same shape."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from splitsecond._cli import options as o
from splitsecond._cli.filters import SetFilters, meeting
from splitsecond._cli.models import open_model, text_columns
from splitsecond._cli.output import (
    check_out,
    to_csv,
    to_json,
    warnings_as_notes,
    write,
    write_out,
    write_table,
)
from splitsecond._cli.row_places import rows_of_file
from splitsecond._cli.sources import Source
from splitsecond._support.messages import shown_number

if TYPE_CHECKING:
    from splitsecond import TreeGroup, TreeGroups, TreeSet


def groups(
    *,
    trees: o.SetOfTrees,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="Table with rows, to count in each group the trees that differ in what they "
            "predict for them.",
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(metavar="N", min=1, help="Maximum groups, those of the best trees.")
    ] = 20,
    max_trees: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Maximum trees to look through for groups, and to compare in each group.",
        ),
    ] = 100_000,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Time limit; the groups found until then are kept."),
    ] = None,
    filters: SetFilters,
    reading: o.Reading,
    writing: o.Writing,
) -> None:
    """Put the trees of a set into groups: the same variables in the same shape.

    Thresholds make no difference. The numbers of trees are exact. The best tree of a group has its
    number in the file, for --tree, also with conditions on the trees.

    --out writes the groups as CSV, or as JSON with --json.
    """
    check_out(writing, trees, *([] if file is None else [file]))
    if file is not None:
        Source.of(file, reading).check()  # before the set, which takes longer
    opened = open_model(trees)
    whole = opened.set_for("groups")
    good = meeting(whole, filters)
    source = None if file is None else Source.of(file, reading, text_columns(opened))
    options = {"max_groups": top, "max_trees": max_trees, "time_limit": time_limit}
    with warnings_as_notes():
        found = _found(good, source, options)
    numbers = [whole.index(group.best) for group in found]
    rows = [_row(group, n, found.n_trees_of_set) for group, n in zip(found, numbers, strict=True)]
    if writing.json:
        about = {
            "status": found.status,
            "complete": found.is_complete,
            "n_trees": found.n_trees,
            "n_trees_of_set": found.n_trees_of_set,
            "groups": rows,
        }
        write_out(writing.out, to_json(about))
    elif writing.out is not None:
        for row in rows:
            row["variables"] = ", ".join(row["variables"])
        header = list(rows[0]) if rows else []
        write_out(writing.out, to_csv(header, (list(row.values()) for row in rows)))
    else:
        _print(found, numbers)
    if found.status == "time_limit":
        from splitsecond._cli.estimators import STOPPED

        raise typer.Exit(STOPPED)


def _found(trees: TreeSet, source: Source | None, options: dict[str, Any]) -> TreeGroups:
    if source is None:
        return trees.groups(**options)
    table = source.read()
    with rows_of_file(source, len(table)):
        return trees.groups(table, **options)


def _row(group: TreeGroup, number: int, n_trees_of_set: int) -> dict[str, Any]:
    """Return what JSON and CSV tell of a group, whose best tree has a number in the file."""
    row = {
        "skeleton": group.skeleton,
        "variables": list(group.variables),
        "n_leaves": group.best.n_leaves,
        "depth": group.best.depth,
        "number": number,
        "n_trees": group.n_trees,
        "share": group.n_trees / n_trees_of_set,
        "min_objective": group.min_objective,
    }
    if group.n_functions is None:
        return row
    return {
        **row,
        "n_functions": group.n_functions,
        "n_functions_exact": group.n_functions_exact,
    }


def _print(found: TreeGroups, numbers: list[int]) -> None:
    write(found.about())
    if not found:
        return
    with_functions = found[0].n_functions is not None
    header = ["trees", "share", "objective", "best tree"]
    if with_functions:
        header.append("functions")
    rows = [
        [
            shown_number(group.n_trees),
            f"{group.n_trees / found.n_trees_of_set:.1%}",
            f"{group.min_objective:.4f}",
            str(number),
            *([group.functions_text()] if with_functions else []),
            group.skeleton,
        ]
        for group, number in zip(found, numbers, strict=True)
    ]
    write("")
    write_table(rows, [*header, "variables: [on yes, on no]"], "|".join(header))
