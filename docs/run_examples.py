"""Runs the examples of Markdown pages, and compares what they print with what the pages show.

The blocks of a page are run in order, in one namespace and in an empty folder:

- ``python`` blocks; a ``text`` block right after one is what it prints;
- lines of ``console`` blocks that begin with ``$ splitsecond``; the lines below one are what it
  prints.

``...`` in what is shown stands for any text, and times are not compared. Blocks in HTML comments
are run like others. The comment ``<!-- needs NAME -->`` before a block leaves it out where there is
no such module, ``<!-- not run: REASON -->`` everywhere. ``<!-- needs data -->``, in any place,
leaves the whole page out unless the environment variable SPLITSECOND_DATA names a folder of data
sets; ``<!-- needs data FILE -->``, unless that folder has the file.

A file that the examples write is a picture of the page if the page shows one of that name, such as
``![A tree](tree.svg)``. Of a picture, the texts are compared.

As a program, ``python docs/run_examples.py PAGE ...``, it writes what is printed into the pages,
and the pictures beside them.
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
NEEDS_DATA = re.compile(r"<!-- needs data(?: (?P<file>[\w./-]+))? -->")
PICTURE = re.compile(r"!\[[^\]]*\]\((?P<name>[\w-]+\.svg)\)")


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
    if any(not _has_data(needed["file"]) for needed in NEEDS_DATA.finditer(text)):
        return
    for block in BLOCK.finditer(text):
        if block["not_run"] or (block["needs"] and not _is_here(block["needs"])):
            continue
        is_command = block["kind"] == "console"
        for found in COMMAND.finditer(text, *block.span("code")) if is_command else [block]:
            yield Example(
                is_command,
                code=found["code"],
                line=text.count("\n", 0, found.start("code")) + 1,
                shown=None if found["shown"] is None else slice(*found.span("shown")),
            )


def _is_here(needed: str) -> bool:
    """Whether there is such a module; "data" is about the page."""
    return needed == "data" or importlib.util.find_spec(needed) is not None


def _has_data(file: str | None) -> bool:
    """Whether there is a folder of data sets, with that file."""
    folder = os.environ.get("SPLITSECOND_DATA")
    return bool(folder) and (file is None or Path(folder, file).exists())


def run(page: Path, *, write: bool = False) -> int:
    """Run the examples of a page and return how many there are."""
    page = page.resolve()  # the examples run elsewhere
    text = page.read_text(encoding="utf-8")
    found = list(examples(text))
    names: dict[str, Any] = {"__name__": "__main__"}
    corrected = text
    os.environ.setdefault("MPLBACKEND", "Agg")
    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "error")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), _plain_svg(text):
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
        for name in found and pictures(text):
            _keep_picture(Path(name), page, write=write)
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


def pictures(text: str) -> list[str]:
    """Return the names of the SVG files beside a page that it shows."""
    return sorted({found["name"] for found in PICTURE.finditer(text)})


def _plain_svg(text: str) -> contextlib.AbstractContextManager[Any]:
    """Make matplotlib write the same SVG files for the same figures, with texts as texts."""
    if not pictures(text) or not importlib.util.find_spec("matplotlib"):
        return contextlib.nullcontext()
    import matplotlib as mpl

    settings = {"svg.hashsalt": "splitsecond", "svg.fonttype": "none", "font.size": 9}
    return mpl.rc_context(settings)


def _keep_picture(made: Path, page: Path, *, write: bool) -> None:
    """Compare a picture that the examples of a page made, or write it beside the page.

    A picture that they do not make comes from elsewhere.
    """
    if not made.exists():
        return
    svg = re.sub(r"<metadata>.*?</metadata>", "", made.read_text(encoding="utf-8"), flags=re.DOTALL)
    kept = page.with_name(made.name)
    if write:
        kept.write_text("\n".join(map(str.rstrip, svg.splitlines())) + "\n", encoding="utf-8")
    elif not kept.exists() or texts(kept.read_text(encoding="utf-8")) != texts(svg):
        raise ExampleError(f"{page.name} shows another {made.name} than its examples make", 1)


def texts(svg: str) -> list[str]:
    """Return the texts of a picture, times left out."""
    return [TIME.sub("some time", found) for found in re.findall(r">\s*([^<>\s][^<>]*)<", svg)]


def is_like(shown: str, printed: str) -> bool:
    """Whether a page shows what is printed."""
    shown, printed = (TIME.sub("some time", text) for text in (shown, printed))
    return doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(f"{name}: {run(Path(name), write=True)} examples")
