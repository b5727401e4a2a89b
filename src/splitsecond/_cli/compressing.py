"""The command ``compress``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from splitsecond._cli import options as o
from splitsecond._cli.counted import binarizer_for, compressed
from splitsecond._cli.output import check_out, say, warnings_as_notes, write, write_json


def compress(
    *,
    files: o.Files,
    target: o.Target,
    task: o.TaskOption = None,
    binarizer: Annotated[
        o.Binarizer, o.choice("How columns become yes/no questions", o.Binarizer)
    ] = o.Binarizer.AUTO,
    sample: Annotated[
        int,
        typer.Option(metavar="N", help="Different rows that the questions are chosen by."),
    ] = 100_000,
    min_count: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Leave out patterns of answers that fewer rows have."
        ),
    ] = 1,
    drop: Annotated[list[str], o.several("COL", "Leave out a column")],
    weight: o.Weight = None,
    jobs: o.Jobs = -1,
    seed: o.Seed = 0,
    writing: o.Writing,
) -> None:
    """Count the rows of files of any size by their answers to yes/no questions.

    The result is written with --out as Parquet: a count table, which fit, path, rashomon and
    importance take in place of the files.
    """
    check_out(writing, *files)
    with warnings_as_notes():
        counts = compressed(
            files,
            target,
            task="auto" if task is None else str(task),
            binarizer=binarizer_for(binarizer),
            sample=sample,
            ignore=drop,
            weight=weight,
            random_state=seed,
            n_jobs=jobs,
        )
        if min_count > 1:
            counts = counts.drop_below(min_count)
    about: dict[str, Any] = {
        "rows": counts.n_rows,
        "patterns": counts.n_patterns,
        "entries": counts.n_entries,
        "questions": [str(literal) for literal in counts.literals],
        "rows_left_out": counts.n_dropped,
    }
    if writing.json:
        write_json(about)
    else:
        write(str(counts))
        write("\n".join(f"  {question}" for question in about["questions"]))
    if writing.out is not None:
        counts.save(writing.out)
        say(f"wrote {writing.out}")
