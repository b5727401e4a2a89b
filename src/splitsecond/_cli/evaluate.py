"""The command ``evaluate``: all trees of a set on the rows of a table."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from splitsecond._cli import options as o
from splitsecond._cli.classes import class_named, costs_named
from splitsecond._cli.criterion_bounds import Bounds, Kept, condition_text, keep, save_kept
from splitsecond._cli.data import Data, weights_of
from splitsecond._cli.filters import SetFilters, meeting
from splitsecond._cli.models import Opened, open_model, text_columns
from splitsecond._cli.output import (
    check_file,
    check_out,
    shown_value,
    to_csv,
    to_json,
    warnings_as_notes,
    write,
    write_out,
    write_table,
)
from splitsecond._cli.row_places import rows_of_file
from splitsecond._cli.sources import Source
from splitsecond._cli.targets import refuse_for_numbers, target_for
from splitsecond._cli.values import bytes_of, costs_of

if TYPE_CHECKING:
    import pyarrow as pa

    from splitsecond import SetEvaluation, TreeSet

# What is shown of held-out rows, of classes and of numbers.
LOSSES = ("error", "cost", "brier_score", "log_loss")
OF_NUMBERS = ("poisson_deviance", "d2", "squared_error", "r2", "absolute_error")
MAX_FOUND = 20  # trees that are printed one by one
NUMBERS = ("minimum", "mean", "maximum", "tree_0", "minimum_tree", "maximum_tree")

Costs = Annotated[
    Any,  # a mapping or None
    typer.Option(
        metavar="JSON",
        help="Costs of what trees predict by class, as JSON or in a file; by default those of "
        "the set.",
        parser=costs_of,
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(metavar="CLASS", help="Class of rates; by default the second of two."),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="Time limit of each criterion; bounds are kept."),
]
MemoryLimit = Annotated[
    Any,  # a number or None
    typer.Option(
        metavar="BYTES", help="Memory limit of each criterion, such as 2GB.", parser=bytes_of
    ),
]


def evaluate(
    *,
    trees: o.SetOfTrees,
    file: o.File,
    target: o.Target,
    group: Annotated[
        list[str], o.several("COL", "Column that divides the rows into groups, such as sex")
    ],
    criterion: Annotated[
        list[str], o.several("NAME", "Criterion to show, such as error; by default all of them")
    ],
    costs: Costs = None,
    positive: Positive = None,
    weight: o.Weight = None,
    max_trees: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Maximum trees looked at for what cannot be worked out for all at once.",
        ),
    ] = 10_000,
    time_limit: TimeLimit = None,
    memory_limit: MemoryLimit = None,
    filters: SetFilters,
    bounds: Bounds,
    reading: o.Reading,
    writing: o.Writing,
) -> None:
    """Print what all trees of a set do on the rows of a table, such as held-out rows.

    For each criterion: the minimum, mean and maximum over all trees, the value of tree 0, which has
    the minimum objective, and the numbers of trees that attain minimum and maximum, for --tree (if
    a limit was met, of the trees that were looked at). With conditions on the trees, it is about
    those that meet them; numbers remain those of the set in the file. --out writes the table as
    CSV, or as JSON with --json.
    """
    check_out(writing, trees, file)
    check_file("--out-set", bounds.out_set, writing.force, trees, file)
    Source.of(file, reading).check()  # before the set, which takes longer
    opened = open_model(trees)
    whole = opened.set_for("evaluate")
    good = meeting(whole, filters)
    used = [target, *group, *([] if weight is None else [weight])]
    source, table = read_rows(opened, file, reading, target, used)
    options = {
        "groups": {name: table[name].to_pylist() for name in group} or None,
        "sample_weight": None if weight is None else weights_of(source, table, weight),
        "costs": costs,
        "positive": positive,
        "max_trees": max_trees,
        "time_limit": time_limit,
        "memory_limit": memory_limit,
    }
    with warnings_as_notes():
        kept = keep(good, lambda part: _evaluation(part, source, table, target, **options), bounds)
        rows = criteria_rows(kept.evaluation, whole, criterion or kept.evaluation.criteria)
    _write(rows, kept, whole, writing)
    save_kept(kept, bounds.out_set)
    if kept.is_stopped or any(row["kind"] == "bounds" for row in rows):
        from splitsecond._cli.estimators import STOPPED

        raise typer.Exit(STOPPED)


def _evaluation(
    trees: TreeSet,
    source: Source,
    table: pa.Table,
    target: str,
    *,
    costs: Any,
    positive: str | None,
    **options: Any,
) -> SetEvaluation:
    """Evaluate a set on the rows of a table; classes are named as text on the command line."""
    y = target_for(trees[0], source, table, target)
    named = classes_named(trees, costs, positive)
    with rows_of_file(source, len(table)):
        return trees.evaluate(table, y, **named, **options)


def read_rows(
    opened: Opened, file: Path, reading: o.Reading, target: str, used: list[str]
) -> tuple[Source, pa.Table]:
    """Read a table for a set; columns that were text in training stay text, and so do classes."""
    source = Source.of(file, reading, text_columns(opened, target))
    table = source.read()
    for name in used:
        source.check_column(table, name)
    return source, table


def classes_named(trees: TreeSet, costs: Any, positive: str | None) -> dict[str, Any]:
    """Return costs and the positive class as evaluations take them, given as text."""
    if trees[0].loss.is_of_numbers:
        refuse_for_numbers({"--costs": costs, "--positive": positive})
    labels, classes = trees[0].labels.tolist(), trees[0].classes.tolist()
    known = classes if set(labels) <= set(classes) else labels
    return {
        "costs": None if costs is None else costs_named(costs, classes),
        "positive": None if positive is None else class_named(positive, known, "--positive", "set"),
    }


def criteria_rows(evaluation: SetEvaluation, trees: TreeSet, names: Any) -> list[dict[str, Any]]:
    """Return what there is to say of criteria, by their names."""
    rows = []
    for name in names:
        found = evaluation.range(name)
        rows.append(
            {
                "criterion": found.name,
                "minimum": found.minimum,
                "mean": found.mean,
                "maximum": found.maximum,
                "tree_0": found.tree_0,
                "minimum_tree": _number(trees, found.minimum_tree),
                "maximum_tree": _number(trees, found.maximum_tree),
                "kind": found.kind,
                "note": found.note,
            }
        )
    return rows


def held_out_criteria(
    trees: TreeSet, data: Data, time_limit: float | None, memory_limit: Any
) -> list[dict[str, Any]]:
    """Return the ranges of losses on held-out rows; nothing if the set lacks one of the classes.

    They share the time among them.
    """
    is_of_numbers = data.task is o.Task.REGRESSION
    if not is_of_numbers and not set(data.y.tolist()) <= set(trees[0].classes.tolist()):
        return []
    shown = OF_NUMBERS if is_of_numbers else LOSSES
    from splitsecond import LimitWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)  # that the set is partial was said before
        evaluation = trees.evaluate(
            data.X,
            data.y,
            sample_weight=data.weights,
            time_limit=None if time_limit is None else time_limit / len(shown),
            memory_limit=memory_limit,
        )
    names = [name for name in shown if name in evaluation.criteria]
    return criteria_rows(evaluation, trees, names)


def _number(trees: TreeSet, tree: Any) -> int | None:
    return None if tree is None else trees.index(tree)


def write_criteria(rows: list[dict[str, Any]], *, of_numbers: bool) -> None:
    """Write a table of criteria."""
    header = [name.replace("_", " ") for name in rows[0] if name != "kind"]
    write_table(
        ([_cell(row[name], of_numbers) for name in row if name != "kind"] for row in rows),
        header,
        "|".join(name.replace("_", " ") for name in NUMBERS),
    )


def _cell(value: Any, of_numbers: bool) -> str:
    if isinstance(value, float):
        return "-" if np.isnan(value) else shown_value(value, of_numbers=of_numbers)
    return "-" if value is None else str(value)


def _write(rows: list[dict[str, Any]], kept: Kept, whole: TreeSet, writing: o.Writing) -> None:
    trees, n_rows = kept.trees, kept.evaluation.n_rows
    found = _found_rows(kept, whole)
    of_numbers = whole[0].loss.is_of_numbers
    if writing.json:
        about = {
            "n_trees": trees.n_trees,
            "n_trees_before_filter": whole.n_trees,
            "partial": trees.is_partial,
            "rows": n_rows,
        }
        listed = {"found": found} if kept.others else {}
        write_out(writing.out, to_json({**about, "criteria": rows, **listed}))
        return
    if writing.out is not None:
        write_out(writing.out, to_csv(list(rows[0]), ([*row.values()] for row in rows)))
    else:
        write(f"{trees!r}\non {n_rows:,} rows\n")
        write_criteria(rows, of_numbers=of_numbers)
    if kept.others:
        conditions = " and ".join(map(condition_text, kept.others.items()))
        write(f"\n{len(found):,} of the trees looked at have {conditions}")
    if found:
        write("")
        header = list(found[0])
        cells = ([_cell(value, of_numbers) for value in row.values()] for row in found[:MAX_FOUND])
        write_table(cells, header, "|".join(header))


def _found_rows(kept: Kept, whole: TreeSet) -> list[dict[str, Any]]:
    """Return the trees that were looked up, with what they were looked up by."""
    frame = kept.evaluation.to_frame(kept.found, list(kept.others))
    values = {name: frame[name].tolist() for name in ("objective", *kept.others)}
    return [
        {"tree": whole.index(tree), **{name: column[i] for name, column in values.items()}}
        for i, tree in enumerate(kept.found)
    ]
