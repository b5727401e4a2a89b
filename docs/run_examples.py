"""Runs the examples of Markdown pages, and compares what they print with what the pages show.

The blocks of a page are run in order, in one namespace and in an empty folder:

- ``python`` blocks; a ``text`` block right after one is what it prints;
- lines of ``console`` blocks that begin with ``$ splitsecond``; the lines below one are what it
  prints.

``...`` in what is shown stands for any text, and times are not compared. Blocks in HTML comments
are run like others. The comment ``<!-- needs NAME -->`` before a block leaves it out where there is
no such module, ``<!-- not run: REASON -->`` everywhere.

As a program, ``python docs/run_examples.py PAGE ...``, it writes what is printed into the pages.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BLOCK = re.compile(
    r"(?:^<!-- (?:needs (?P<needs>\w+)|(?P<not_run>not run: .*)) -->\n)?"
    r"^```(?P<kind>python|console)\n(?P<code>.*?)^```$"
    r"(?:\n\n^```text\n(?P<shown>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)
COMMAND = re.compile(r"^\$ splitsecond (?P<code>.*)\n(?P<shown>(?:(?!\$ ).*\n)*)", re.MULTILINE)
TIME = re.compile(r"\b[\d.]+ (?:us|ms|s)\b")


class ExampleError(Exception):
    """An example fails, or prints something else than its page shows."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Example:
    """Code of a page, and the part of the page that shows what it prints."""

    is_command: bool
    code: str
    line: int
    shown: slice | None


def examples(text: str) -> Iterator[Example]:
    """Find what can be run in a page."""
    for block in BLOCK.finditer(text):
        if block["not_run"] or (block["needs"] and not importlib.util.find_spec(block["needs"])):
            continue
        is_command = block["kind"] == "console"
        for found in COMMAND.finditer(text, *block.span("code")) if is_command else [block]:
            yield Example(
                is_command,
                code=found["code"],
                line=text.count("\n", 0, found.start("code")) + 1,
                shown=None if found["shown"] is None else slice(*found.span("shown")),
            )


def run(page: Path, *, write: bool = False) -> int:
    """Run the examples of a page and return how many there are."""
    text = page.read_text(encoding="utf-8")
    found = list(examples(text))
    names: dict[str, Any] = {"__name__": "__main__"}
    corrected = text
    os.environ.setdefault("MPLBACKEND", "Agg")
    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "error")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for example in found:
            printed = _printed(example, names, page)
            if example.shown is None or is_like(text[example.shown], printed):
                continue
            if not write:
                raise ExampleError(
                    f"{page.name} shows something else than\n{printed}", example.line
                )
            end = example.shown.stop + len(corrected) - len(text)
            begin = end - len(text[example.shown])
            corrected = corrected[:begin] + printed + corrected[end:]
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    if corrected != text:
        page.write_text(corrected, encoding="utf-8")
    return len(found)


def _printed(example: Example, names: dict[str, Any], page: Path) -> str:
    """Run an example and return what it prints."""
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            if example.is_command:
                _command(shlex.split(example.code))
            else:
                # Empty lines before it give tracebacks the line numbers of the page.
                code = "\n" * (example.line - 1) + example.code
                exec(compile(code, str(page), "exec"), names)
    except Exception as error:
        raise ExampleError(f"{page.name}: {type(error).__name__}: {error}", example.line) from error
    return "".join(f"{line.rstrip()}\n" for line in output.getvalue().splitlines())


def _command(arguments: list[str]) -> None:
    """Run the command line in this process."""
    from typer.testing import CliRunner

    from splitsecond._cli.app import app

    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    if result.exit_code:
        raise RuntimeError(f"exit code {result.exit_code}: {result.stderr}")
    print(result.stdout, end="")


def is_like(shown: str, printed: str) -> bool:
    """Whether a page shows what is printed."""
    shown, printed = (TIME.sub("some time", text) for text in (shown, printed))
    return doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(f"{name}: {run(Path(name), write=True)} examples")
