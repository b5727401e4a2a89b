"""Colours of classes and numbers, and what can be read on them."""

from __future__ import annotations

# Every two can be told apart, also by eyes that lack one kind of cone, and each has a contrast of 3
# to 1 with white and with a dark page (tests/trees/test_picture_colours.py).
COLOURS = (
    *("#0072B2", "#D55E00", "#5F9A6B", "#BB2288", "#8A3FF0", "#A97ADB", "#776644", "#CC1122"),
)
# From low to high: each step is seen by every kind of eye, and lighter than the one before.
SCALE = ("#5e56e5", "#7d67bb", "#9d6e8f", "#c17364", "#e6730b")
INK, GREY, LINE, PAPER, BOX = "#1a1a1a", "#4d4d4d", "#b8b8b8", "#ffffff", "#f6f6f6"


def colour_of(i: int) -> str:
    """Return the colour of the i-th class; after the eighth, the same again but darker."""
    return mixed(COLOURS[i % len(COLOURS)], 0.4 * min(i // len(COLOURS), 1), grey=0)


def on_scale(share: float) -> str:
    """Return the colour of a number, given its place between the lowest and the highest."""
    step = min(int(share * (len(SCALE) - 1)), len(SCALE) - 2)
    part = share * (len(SCALE) - 1) - step
    low, high = _parts(SCALE[step]), _parts(SCALE[step + 1])
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(low, high, strict=True))


def mixed(colour: str, share: float, grey: int = 255) -> str:
    """Return a colour with a share of white in it, or of another grey."""
    return "#" + "".join(f"{round(part + (grey - part) * share):02x}" for part in _parts(colour))


def ink_on(colour: str) -> str:
    """Return what is easier to read on a colour, dark or white."""
    return max((INK, PAPER), key=lambda ink: contrast(ink, colour))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21, as WCAG defines it."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    shares = [part / 255 for part in _parts(colour)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _parts(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
