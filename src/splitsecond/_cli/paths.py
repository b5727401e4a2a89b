"""The command ``path``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from splitsecond._cli import options as o
from splitsecond._cli.output import (
    check_out,
    progress,
    to_csv,
    to_json,
    warnings_as_notes,
    write_out,
)
from splitsecond._cli.rows import Rows

if TYPE_CHECKING:
    from splitsecond import RegularizationPath


def path(
    *,
    files: o.Files,
    target: o.Target,
    smallest: Annotated[float, typer.Option(metavar="LAMBDA", help="Minimum lambda.")] = 0.001,
    largest: Annotated[
        float | None,
        typer.Option(
            metavar="LAMBDA", help="Maximum lambda; by default where a single leaf is best."
        ),
    ] = None,
    search: o.SingleTree,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Time limit of everything; partial results are kept."),
    ] = None,
    jobs: o.Jobs = 1,
    cv: Annotated[
        int,
        typer.Option(metavar="N", help="Score by cross-validation with N folds; 0 for none."),
    ] = o.FOLDS,
    scoring: o.Scoring = None,
    seed: o.Seed = 0,
    weight: o.Weight = None,
    columns: o.Columns,
    writing: o.Writing,
) -> None:
    """Print the trees for all penalties per leaf (lambda), with their cross-validated losses.

    The tree with the minimum cross-validated loss, or the maximum score with --scoring, is marked
    as best, the smallest one within one standard error of it as 1-SE: fit --regularization auto and
    1se choose them. --out writes the table as CSV, or as JSON with --json.
    """
    check_out(writing, *files)
    if scoring is not None and cv == 0:
        raise ValueError(f"--scoring {scoring} needs cross-validation: leave out --cv 0.")
    data = Rows(files, target, weight, columns, seed, jobs).read(search, {"--scoring": scoring})
    from splitsecond._cli.estimators import STOPPED, make_tree
    from splitsecond._cli.scoring import find_path

    model = make_tree(search, data, jobs, time_limit=time_limit)
    with warnings_as_notes(data), progress("searching"):
        found = find_path(
            model, data, cv, seed, smallest=smallest, largest=largest, scoring=scoring
        )
    unused = ("model", "cv_score" if scoring is None else "cv_loss")
    rows = [
        {name: value for name, value in vars(entry).items() if name not in unused}
        for entry in found
    ]
    if writing.json:
        write_out(writing.out, to_json({**_about(model, found), "path": rows}))
    elif writing.out is not None:
        write_out(writing.out, to_csv(list(rows[0]), ([*row.values()] for row in rows)))
    else:
        write_out(None, str(found))
    if found.status_ != "complete":
        raise typer.Exit(STOPPED)


def _about(model: Any, found: RegularizationPath) -> dict[str, Any]:
    from splitsecond._cli.scoring import best_of

    by = {} if found.scoring_ is None else {"scoring": found.scoring_}
    chosen = {} if found[0].cv_standard_error is None else best_of(found)
    return {"model": type(model).__name__, "status": found.status_, **by, **chosen}
