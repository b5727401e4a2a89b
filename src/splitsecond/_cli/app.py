"""The commands together, and what happens when one of them fails."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import pyarrow as pa
import typer
from typer.core import TyperGroup

import splitsecond
from splitsecond._cli import (
    bench,
    compressing,
    doctor,
    evaluate,
    explore,
    fitting,
    groups,
    models,
    paths,
    record,
    sets,
)
from splitsecond._cli.options import grouped
from splitsecond._cli.output import say
from splitsecond._support.messages import MAX_OF_MESSAGE, shortened

ERROR, INTERRUPTED = 1, 130  # exit codes; typer's own are 0 and 2 (usage)


class _Commands(TyperGroup):
    """Turns what a command refuses into one message and an exit code, without a traceback."""

    def main(self, *args: Any, **options: Any) -> Any:
        try:
            return super().main(*args, **options)
        except OSError as error:  # the help cannot be written
            say(f"error: {error.strerror or error}")
            sys.exit(ERROR)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            say("interrupted. (--time-limit ends a search with the best found so far.)")
            raise typer.Exit(INTERRUPTED) from None
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            say(f"error: {where}{error.strerror or error}")
        except MemoryError as error:
            say(f"error: out of memory. {error}".rstrip())
        except (ValueError, TypeError, ImportError, pa.ArrowException) as error:
            say(f"error: {shortened(str(error), MAX_OF_MESSAGE)}")
        raise typer.Exit(ERROR)


app = typer.Typer(
    cls=_Commands,
    help="Small decision trees that are optimal or nearly so, from tables on disk.",
    epilog="Exit codes: 0 done, 1 the data or an argument cannot be used, 2 wrong usage, "
    "3 stopped at a limit with a valid answer, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"splitsecond {splitsecond.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


for command in (
    bench.demo,
    doctor.doctor,
    compressing.compress,
    fitting.fit,
    paths.path,
    models.show,
    models.predict,
    sets.rashomon,
    evaluate.evaluate,
    sets.importance,
    models.choose,
    record.record,
    models.export,
    explore.explore,
    groups.groups,
    bench.bench,
):
    app.command()(grouped(command))
