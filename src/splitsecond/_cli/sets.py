"""The commands about all good trees: ``rashomon`` and ``importance``."""

from __future__ import annotations

import warnings
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from splitsecond._cli import options as o
from splitsecond._cli.filters import Filters, meeting
from splitsecond._cli.output import (
    check_out,
    progress,
    shown_value,
    to_csv,
    to_json,
    warnings_as_notes,
    write,
    write_json,
    write_out,
    write_table,
)
from splitsecond._cli.row_places import rows_of_data
from splitsecond._cli.rows import Rows
from splitsecond._support.messages import listed, shown_number

if TYPE_CHECKING:
    from splitsecond import RashomonImportance, TreeSet

MAX_BAR = 40  # characters
MAX_BINS = 12  # of the histogram that is printed
MAX_VARIABLES = 20  # whose usage is printed
SHORT = {"standard_error": "error", "quartile_1": "25 %", "median": "50 %", "quartile_3": "75 %"}


class RelianceKind(StrEnum):
    """How a loss is compared with the loss after permuting a variable."""

    SUBTRACTIVE = "subtractive"
    RATIO = "ratio"


def rashomon(
    *,
    files: o.Files,
    target: o.Target,
    sets: o.Sets,
    time_limit: o.TimeLimit = None,
    jobs: o.Jobs = 1,
    top: Annotated[
        int, typer.Option(metavar="N", min=0, help="Number of best trees to print.")
    ] = 3,
    filters: Filters,
    test_size: o.TestSize = None,
    seed: o.Seed = 0,
    weight: o.Weight = None,
    columns: o.Columns,
    writing: o.Writing,
) -> None:
    """Find all good trees: how many, the best, their objectives and the variables they use.

    With conditions on the trees, such as --avoid, the output is about the trees that meet them, and
    --out saves only these.
    """
    check_out(writing, *files)
    reading = Rows(files, target, weight, columns, seed, jobs)
    data = reading.read(sets, {"--test-size": test_size})
    from splitsecond._cli.estimators import finish, fit_with_bar, make_set, summary
    from splitsecond._cli.evaluate import held_out_criteria, write_criteria
    from splitsecond._cli.scoring import (
        ONE_EACH,
        baseline_of,
        headline,
        hold_out,
        scores,
        write_scores,
    )

    held_out = None
    if test_size is not None:
        data, held_out = hold_out(data, test_size, seed)
    model = make_set(sets, data, jobs, time_limit)
    with warnings_as_notes(data):
        fit_with_bar(model, data, "searching")
    found: TreeSet = model.trees_
    trees = found if filters.is_empty else meeting(found, filters)
    best = trees[0]
    score: dict[str, Any] = {}
    by_tree: list[tuple[str, float]] = []
    if held_out is not None:
        score = scores(best, held_out, baseline_of(data))
        by_tree = [headline(tree, held_out) for tree in trees[:top]]
        plural = next(plural for name, plural in ONE_EACH.items() if name in score)
        score = {"rows": len(held_out), **score, plural: [value for _, value in by_tree]}
        with warnings_as_notes():
            score["criteria"] = held_out_criteria(trees, held_out, time_limit, sets.memory_limit)
    if writing.json:
        write_json(
            {
                **summary(model, best),
                "n_trees": trees.n_trees,
                "partial": trees.is_partial,
                "n_trees_before_filter": found.n_trees,
                "min_objective": trees.min_objective,
                "bound": trees.bound,
                "histogram": [
                    {"objective": objective, "trees": n}
                    for objective, n in trees.objective_histogram().items()
                ],
                "usage": _usage(trees),
                "best": [tree.to_dict() for tree in trees[:top]],
                **({"held_out": score} if score else {}),
            }
        )
    else:
        _print(type(model).__name__, trees, found.n_trees, top, by_tree)
        if score:
            write("")
            write_scores(f"the best tree on {score['rows']:,} held-out rows", score)
            if score["criteria"]:
                write(f"\nall trees on {score['rows']:,} held-out rows:")
                write_criteria(score["criteria"], of_numbers=data.task is o.Task.REGRESSION)
    finish(model, writing, trees=None if filters.is_empty else trees)


def _print(
    method: str, trees: TreeSet, n_found: int, top: int, scores: list[tuple[str, float]]
) -> None:
    n_trees = trees.n_trees
    plural = "tree" if n_trees == 1 else "trees"
    some = shown_number(n_trees)
    if n_trees < n_found:
        some, plural = f"{some} of {shown_number(n_found)}", "trees"
    write(f"{method}: {some} {plural}, {trees[0].n_rows[0]:,} rows")
    partial = f", {trees.status}" if trees.is_partial else ""
    write(f"objective {trees.min_objective:.4f} to {trees.bound:.4f}{partial}\n")
    bins = trees.objective_bins(MAX_BINS)
    largest = max(n for _, _, n in bins)
    objectives = {f"{begin:.4f} to {end:.4f}": (n, n / largest) for begin, end, n in bins}
    write_table(*_bars(objectives, "objective"), "trees")
    most_used = list(_usage(trees).items())[:MAX_VARIABLES]
    write("")
    if most_used:
        usage = {name: (n, n / n_trees) for name, n in most_used}
        write_table(*_bars(usage, "trees that ask about"), "trees")
    for i, tree in enumerate(trees[:top]):
        held_out = "".join(f", held-out {name} {value:.3f}" for name, value in scores[i : i + 1])
        size = f"{tree.n_leaves} leaves"
        write(f"\ntree {i}: objective {tree.objective:.4f}, {size}{held_out}\n{tree}")


def _usage(trees: TreeSet) -> dict[str, int]:
    """Return how many trees ask about each variable; that some may be missing was said before."""
    from splitsecond import LimitWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        return trees.feature_usage()


def _bars(
    parts: dict[str, tuple[int, float]], what: str
) -> tuple[list[list[str]], tuple[str, str, str]]:
    rows = [
        [name, shown_number(count), "#" * round(MAX_BAR * share)]
        for name, (count, share) in parts.items()
    ]
    return rows, (what, "trees", "")


def importance(
    *,
    files: o.Files,
    target: o.Target,
    sets: o.Sets,
    bootstraps: Annotated[int, typer.Option(metavar="N", help="Number of bootstrap samples.")] = 10,
    kind: Annotated[
        RelianceKind,
        o.choice("Loss with the variable permuted minus the loss, or divided by it", RelianceKind),
    ] = RelianceKind.SUBTRACTIVE,
    max_trees: Annotated[
        int,
        typer.Option(metavar="N", help="Maximum trees used of each set; larger sets are sampled."),
    ] = 10_000,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Time limit of everything; finished bootstraps are kept."
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option(metavar="N", help="Bootstraps in parallel; -1 for all processors.")
    ] = 1,
    seed: o.Seed = 0,
    weight: o.Weight = None,
    columns: o.Columns,
    writing: o.Writing,
) -> None:
    """Print how much all good trees rely on each variable, over bootstraps (RID).

    --out writes the table as CSV, or as JSON with --json.
    """
    check_out(writing, *files)
    data = Rows(files, target, weight, columns, seed, jobs).read(sets)
    from splitsecond import RashomonImportance
    from splitsecond._cli.estimators import STOPPED, make_set

    rid = RashomonImportance(
        make_set(sets, data),
        n_bootstraps=bootstraps,
        kind=str(kind),
        max_trees=max_trees,
        time_limit=time_limit,
        random_state=seed,
        n_jobs=jobs,
    )
    with warnings_as_notes(data), progress("bootstraps", bootstraps) as rid.verbose:
        try:
            with rows_of_data(data):
                rid.fit(**data.given)
        except RuntimeError as error:  # not one bootstrap in the time there was
            raise ValueError(str(error)) from None
    if rid.status_ == "interrupted":
        raise KeyboardInterrupt
    table = _importances(rid)
    if writing.json:
        found = {"status": rid.status_, "n_trees": rid.n_trees_, "variables": table}
        write_out(writing.out, to_json(found))
    elif writing.out is not None:
        write_out(writing.out, to_csv(list(table[0]), ([*each.values()] for each in table)))
    else:
        _print_importances(rid, table, of_numbers=data.task is o.Task.REGRESSION)
    if rid.status_ != "complete":
        raise typer.Exit(STOPPED)


def _print_importances(
    rid: RashomonImportance, table: list[dict[str, Any]], *, of_numbers: bool
) -> None:
    trees = ", ".join(shown_number(n) for n in rid.n_trees_[:10])
    more = ", ..." if len(rid.n_trees_) > 10 else ""
    bootstraps = "bootstrap" if len(rid.n_trees_) == 1 else "bootstraps"
    drawn = max(rid.n_trees_) > rid.max_trees  # some trees of a set stand for all
    is_exact = rid.status_ == "complete" and not drawn
    exact = f", exact for these {bootstraps}" if is_exact else ""
    write(f"{len(rid.n_trees_)} {bootstraps} with {trees}{more} trees; reliance, {rid.kind}{exact}")
    used = [each for each in table if each["usage"]]
    if used:
        names = [name for name in used[0] if drawn or name != "standard_error"]
        header = [SHORT.get(name, name) for name in names]
        write("")
        write_table(
            (
                [
                    each["variable"],
                    *(shown_value(each[name], of_numbers=of_numbers) for name in names[1:]),
                ]
                for each in used
            ),
            header,
            "|".join(header[1:]),
        )
    unused = [each["variable"] for each in table if not each["usage"]]
    if unused:
        write(f"\nnot used by any tree{' drawn' if drawn else ''}: {listed(unused, 20)}")


def _importances(rid: RashomonImportance) -> list[dict[str, Any]]:
    parts = {
        "mean": rid.mean_,
        "standard_error": rid.standard_error_,
        **rid.box(),
        "usage": rid.usage_,
    }
    return [
        {"variable": rid.variables_[j], **{name: float(part[j]) for name, part in parts.items()}}
        for j in np.argsort(-rid.mean_, kind="stable")
    ]
