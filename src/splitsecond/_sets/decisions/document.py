"""What a record is made of, before it is written as Markdown or HTML. All text is plain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True)
class Heading:
    """The title of a section."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """Some sentences."""

    text: str


@dataclass(frozen=True)
class Quote:
    """What somebody has written, in their own lines."""

    text: str


@dataclass(frozen=True)
class Pairs:
    """Names and what they stand for."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Span:
    """Where a value is between a minimum and a maximum, as shares of the way; a drawing."""

    chosen: float
    best: float  # that of the tree with the minimum objective


@dataclass(frozen=True)
class Grid:
    """A table."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: frozenset[int] = frozenset()  # columns that are set to the right
    spans: Sequence[Span | None] = field(default=())  # of each row, where there are any


@dataclass(frozen=True)
class Code:
    """Lines that are kept as they are."""

    text: str


@dataclass(frozen=True)
class Picture:
    """A drawing as SVG, and what it is in words."""

    svg: str
    words: str


Block: TypeAlias = Heading | Paragraph | Quote | Pairs | Grid | Code | Picture


@dataclass(frozen=True)
class Document:
    """A title and what follows."""

    title: str
    blocks: Sequence[Block]
