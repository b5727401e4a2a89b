"""A document as one HTML file that needs nothing else, for the screen and for A4 paper."""

from __future__ import annotations

from html import escape
from importlib import resources

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
    Span,
)
from splitsecond._trees.pictures.svg import cleaned

WIDE, HIGH = 120, 14  # of the drawing of a range


def to_html(document: Document) -> str:
    """Write a document."""
    style = resources.files("splitsecond._sets.decisions").joinpath("record.css")
    title = _text(document.title)
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        f"<style>\n{style.read_text(encoding='utf-8').strip()}\n</style>",
        "</head>",
        "<body>",
        "<main>",
        f"<h1>{title}</h1>",
        *map(_block, document.blocks),
        "</main>",
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def _block(block: Block) -> str:
    match block:
        case Heading(text):
            written = f"<h2>{_text(text)}</h2>"
        case Paragraph(text):
            written = f"<p>{_text(text)}</p>"
        case Quote(text):
            lines = [f"<p>{_text(line)}</p>" for line in text.splitlines() if line.strip()]
            written = f"<blockquote>{''.join(lines)}</blockquote>"
        case Pairs(rows):
            pairs = [f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in rows]
            written = "\n".join(["<dl>", *pairs, "</dl>"])
        case Grid():
            written = _grid(block)
        case Code(text):
            written = f'<pre tabindex="0">{_text(text)}</pre>'
        case Picture(svg):
            written = f"<figure>{svg}</figure>"
    return written


def _grid(grid: Grid) -> str:
    head = [
        f'<th scope="col"{_kind(grid, i)}>{_text(name)}</th>' for i, name in enumerate(grid.header)
    ]
    if grid.spans:
        head.append('<th scope="col" aria-hidden="true"></th>')
    lines = ["<thead>", f"<tr>{''.join(head)}</tr>", "</thead>", "<tbody>"]
    for place, row in enumerate(grid.rows):
        cells = [f"<td{_kind(grid, i)}>{_text(cell)}</td>" for i, cell in enumerate(row)]
        if grid.spans:
            cells.append(f'<td class="span" aria-hidden="true">{_drawn(grid.spans[place])}</td>')
        lines.append(f"<tr>{''.join(cells)}</tr>")
    table = "\n".join(["<table>", *lines, "</tbody>", "</table>"])
    return f'<div class="scroll" tabindex="0">\n{table}\n</div>'


def _kind(grid: Grid, column: int) -> str:
    return ' class="number"' if column in grid.numbers else ""


def _drawn(span: Span | None) -> str:
    """Draw a range, with tree 0, which has the minimum objective (a ring), and the chosen one."""
    if span is None:
        return ""
    middle, room = HIGH / 2, WIDE - 12
    ring, disc = (6 + room * share for share in (span.best, span.chosen))
    return (
        f'<svg width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}">'
        f'<path d="M6 2V12M{WIDE - 6} 2V12M6 {middle:g}H{WIDE - 6}" stroke="currentColor" '
        'fill="none"/>'
        f'<circle cx="{ring:.1f}" cy="{middle:g}" r="5" fill="none" stroke="currentColor"/>'
        f'<circle cx="{disc:.1f}" cy="{middle:g}" r="3.2" style="fill: var(--mark)"/>'
        "</svg>"
    )


def _text(text: str) -> str:
    return escape(cleaned(text))
