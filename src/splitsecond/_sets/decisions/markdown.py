"""A document as Markdown, as GitHub, Jupyter and pandoc read it."""

from __future__ import annotations

import re

from splitsecond._sets.decisions.document import (
    Block,
    Code,
    Document,
    Grid,
    Heading,
    Pairs,
    Paragraph,
    Picture,
    Quote,
)
from splitsecond._trees.pictures.svg import cleaned
from splitsecond._trees.pictures.text_metrics import on_one_line

# What would be code, emphasis, a table's cell, mathematics, a tag or a link. An underscore within a
# word is none of that, nor are brackets without an address, nor a sign of comparison.
SPECIAL = re.compile(r"([\\`*|~$&]|(?<!\w)_|_(?!\w)|<(?![\s=])|\](?=[(\[:]))")
LEADING = re.compile(r"^(\d*)([-+=.)#>])")  # what would begin a list, a rule, a heading or a quote


def to_markdown(document: Document, picture: str | None = None) -> str:
    """Write a document; ``picture`` is where its drawing is, which Markdown cannot hold."""
    parts = [f"# {_line(document.title)}"]
    parts += [_block(block, picture) for block in document.blocks]
    return "\n\n".join(part for part in parts if part) + "\n"


def _block(block: Block, picture: str | None) -> str:
    match block:
        case Heading(text):
            written = f"## {_line(text)}"
        case Paragraph(text):
            written = _line(text)
        case Quote(text):
            lines = [line for line in _lines(text) if line.strip()]
            written = "\n>\n".join(f"> {_line(line)}" for line in lines)
        case Pairs(rows):
            written = "\n".join(f"- {_line(name)}: {_escaped(value)}" for name, value in rows)
        case Grid():
            written = _grid(block)
        case Code(text):
            written = _fenced(text)
        case Picture(words=words):
            inside = re.sub(r"[\[\]]", "", _escaped(words))
            written = "" if picture is None else f"![{inside}](<{_address(picture)}>)"
    return written


def _lines(text: str) -> list[str]:
    return re.split(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]", text.strip())


def _grid(grid: Grid) -> str:
    rules = ["---:" if i in grid.numbers else "---" for i in range(len(grid.header))]
    rows = [map(_escaped, grid.header), rules, *(map(_escaped, row) for row in grid.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _fenced(text: str) -> str:
    text = cleaned(text)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _line(text: str) -> str:
    return LEADING.sub(r"\1\\\2", _escaped(text))


def _escaped(text: str) -> str:
    return SPECIAL.sub(r"\\\1", on_one_line(text)) if text.strip() else ""


def _address(path: str) -> str:
    return "".join(f"%{ord(each):02X}" if each in "<>\\%\n\r" else each for each in path)
