"""A picture as SVG: one self-contained element, with all text escaped."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from splitsecond._trees.pictures.colours import PAPER
from splitsecond._trees.pictures.shapes import Box, Curve, Group, Picture, Shape

# What XML cannot hold, escaped or not.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
FONT = "DejaVu Sans, Verdana, Arial, sans-serif"


def to_svg(picture: Picture) -> str:
    """Write a picture."""
    width, height = _number(picture.width), _number(picture.height)
    title = quoteattr(cleaned(picture.title))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label={title} '
        f'font-family="{FONT}">',
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        *(line for group in picture.groups for line in _group(group)),
        "</svg>",
    ]
    return "\n".join(lines)


def _group(group: Group) -> list[str]:
    title = [] if group.title is None else [f"<title>{escape(cleaned(group.title))}</title>"]
    return ["<g>", *title, *map(_shape, group.shapes), "</g>"]


def _shape(shape: Shape) -> str:
    if isinstance(shape, Box):
        stroke = ""
        if shape.stroke is not None:
            stroke = f' stroke="{shape.stroke}" stroke-width="{_number(shape.stroke_width)}"'
        radius = f' rx="{_number(shape.radius)}"' if shape.radius else ""
        return (
            f'<rect x="{_number(shape.x)}" y="{_number(shape.y)}" width="{_number(shape.width)}" '
            f'height="{_number(shape.height)}"{radius} fill="{shape.fill}"{stroke}/>'
        )
    if isinstance(shape, Curve):
        x0, y0, x1, y1 = map(_number, (shape.x0, shape.y0, shape.x1, shape.y1))
        middle = _number((shape.x0 + shape.x1) / 2)
        return (
            f'<path d="M{x0} {y0} C{middle} {y0} {middle} {y1} {x1} {y1}" fill="none" '
            f'stroke="{shape.colour}" stroke-width="{_number(shape.width)}"/>'
        )
    weight = ' font-weight="bold"' if shape.bold else ""
    return (
        f'<text x="{_number(shape.x)}" y="{_number(shape.y)}" font-size="{_number(shape.size)}" '
        f'fill="{shape.colour}"{weight}>{escape(cleaned(shape.text))}</text>'
    )


def cleaned(text: str) -> str:
    """Return text without what XML cannot hold."""
    return FORBIDDEN.sub("\ufffd", text)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
