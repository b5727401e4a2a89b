"""What pictures are made of."""

from __future__ import annotations

from dataclasses import dataclass, field

from splitsecond._trees.pictures.colours import INK
from splitsecond._trees.pictures.nodes import SIZE


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str | None = None
    stroke_width: float = 1.0
    radius: float = 0.0


@dataclass(frozen=True)
class Curve:
    """A line that leaves and arrives level."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float
    colour: str


@dataclass(frozen=True)
class Text:
    """A line of text; y is that of its baseline."""

    x: float
    y: float
    text: str
    size: float = SIZE
    colour: str = INK
    bold: bool = False


Shape = Box | Curve | Text


@dataclass
class Group:
    """Shapes that belong together, and what they are in words."""

    title: str | None = None
    shapes: list[Shape] = field(default_factory=list)


@dataclass(frozen=True)
class Picture:
    """Shapes, later ones above earlier ones."""

    width: float
    height: float
    title: str
    groups: list[Group]
