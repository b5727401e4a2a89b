"""How long text is on paper, without a font at hand, and how to break it into lines."""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Iterable
from functools import reduce

# Widths in units of the font's size, of a wide sans-serif font: others need less room.
NARROW = dict.fromkeys("ijlI|!.,:;' ", 0.34) | dict.fromkeys('ftr()[]{}"`-/\\', 0.43)
WIDE = dict.fromkeys("mwMWGOQ@%&", 0.98) | dict.fromkeys("<>=+~^…", 0.86)
BOLD = 1.13


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """Return about how long a line is."""
    return total(map(_letter, text)) * size * (BOLD if bold else 1)


def total(widths: Iterable[float]) -> float:
    """Add up; `sum` rounds otherwise from Python 3.12 on, and a picture is the same to the byte."""
    return reduce(operator.add, widths, 0.0)


def _fits(text: str, room: float, size: float, bold: bool) -> bool:
    """Whether a line has room; of a long one, only the beginning is measured."""
    return _n_fitting(text, room, size, bold) == len(text)


def _n_fitting(text: str, room: float, size: float, bold: bool) -> int:
    """Return how many letters from the beginning have room."""
    scale = size * (BOLD if bold else 1)
    width = 0.0
    for n, letter in enumerate(text):
        width += _letter(letter)
        if width * scale > room:
            return n
    return len(text)


def _letter(letter: str) -> float:
    if letter in NARROW:
        return NARROW[letter]
    if letter in WIDE:
        return WIDE[letter]
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.2
    return 0.77 if letter.isupper() else 0.64


def on_one_line(text: str) -> str:
    """Return text without line breaks, and without what cannot be shown."""
    shown = "".join(
        "\ufffd" if unicodedata.category(each) in ("Cc", "Cs", "Cn", "Co") else each
        for each in re.sub(r"\s+", " ", text)
    )
    return shown.strip() or "(blank)"


def shortened(text: str, room: float, size: float, *, bold: bool = False) -> str:
    """Leave out the middle of a text that is too long."""
    if _fits(text, room, size, bold):
        return text
    fits, too_long = 0, 16  # letters that are kept; a long text is never measured whole
    while too_long < len(text) and _fits(_without_middle(text, too_long), room, size, bold):
        fits, too_long = too_long, 2 * too_long
    too_long = min(too_long, len(text))
    while too_long - fits > 1:
        kept = (fits + too_long) // 2
        if _fits(_without_middle(text, kept), room, size, bold):
            fits = kept
        else:
            too_long = kept
    return _without_middle(text, fits)


def _without_middle(text: str, kept: int) -> str:
    head = -(-2 * kept // 3)
    return f"{text[:head].rstrip()}…{text[len(text) - kept + head :].lstrip()}"


def wrapped(
    text: str, room: float, size: float, *, max_lines: int = 3, bold: bool = False
) -> list[str]:
    """Break text into at most so many lines, after spaces and signs; a longer one is shortened."""
    share = 1.0
    # What is longer than all lines together needs no breaking to be found too long.
    is_long = not _fits(text, room * (max_lines + 1), size, bold)
    lines = [] if is_long else _broken(text, room, size, bold)
    while is_long or len(lines) > max_lines:
        is_long = False
        share *= 0.92
        text = shortened(text, room * (max_lines + 0.5) * share, size, bold=bold)
        lines = _broken(text, room, size, bold)
    # As many lines of about the same length; no word is torn apart for it.
    widest = max(width_of(part.rstrip(), size, bold=bold) for part in _parts(text))
    for share in (0.9, 0.8, 0.7, 0.6):
        even = _broken(text, room * share, size, bold)
        if len(lines) == 1 or len(even) > len(lines) or room * share < widest:
            break
        lines = even
    return lines


def _parts(text: str) -> list[str]:
    """Divide text where a line may end."""
    return re.findall(r"[^\s_\-/.,;:]*[\s_\-/.,;:]*", text)


def _broken(text: str, room: float, size: float, bold: bool) -> list[str]:
    lines, line = [], ""
    for part in _parts(text):
        if line and not _fits((line + part).rstrip(), room, size, bold):
            lines.append(line.rstrip())
            line = ""
        line += part
        while not _fits(line.rstrip(), room, size, bold):  # a single long word
            fits = max(1, _n_fitting(line[:-1], room, size, bold))
            lines.append(line[:fits])
            line = line[fits:]
    return [*lines, line.rstrip()] if line.strip() else lines
