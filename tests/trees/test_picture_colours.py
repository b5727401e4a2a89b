"""Colours of pictures: seen on light and dark paper, and told apart by every kind of eye."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from splitsecond._trees.pictures.colours import (
    COLOURS,
    GREY,
    INK,
    PAPER,
    SCALE,
    colour_of,
    contrast,
    ink_on,
    mixed,
    on_scale,
)
from splitsecond._trees.pictures.layout import LIGHT

DARK = "#1a1a1a"
# What is seen without one kind of cone, in linear RGB (Machado, Oliveira and Fernandes, 2009).
EYES = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
# Linear RGB to the cones' answers, and these to Oklab, in which distances are as they are seen.
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def seen(colour: str, eye: str) -> NDArray[np.float64]:
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return TO_OKLAB @ np.cbrt(TO_CONES @ np.clip(EYES[eye] @ linear, 0, 1))


@pytest.mark.parametrize("eye", EYES)
def test_every_two_colours_are_told_apart(eye: str) -> None:
    places = {colour: seen(colour, eye) for colour in COLOURS}
    for one, other in itertools.combinations(COLOURS, 2):
        assert np.linalg.norm(places[one] - places[other]) > 0.06, (one, other)
    first, second = places[COLOURS[0]], places[COLOURS[1]]  # most trees have two classes
    assert np.linalg.norm(first - second) > 0.2


@pytest.mark.parametrize("colour", COLOURS)
def test_colours_stand_out_from_paper(colour: str) -> None:
    assert contrast(colour, PAPER) >= 3
    assert contrast(colour, DARK) >= 3


@pytest.mark.parametrize("i", range(16))
def test_numbers_on_a_colour_are_legible(i: int) -> None:
    assert contrast(colour_of(i), ink_on(colour_of(i))) >= 4.5


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast(INK, INK) == 1


def test_sixteen_colours_differ() -> None:
    assert len(set(COLOURS)) == 8
    assert len({colour_of(i) for i in range(16)}) == 16


@pytest.mark.parametrize("eye", EYES)
def test_steps_of_a_scale_are_told_apart(eye: str) -> None:
    """From low to high each is lighter, and farther from the first."""
    places = [seen(colour, eye) for colour in SCALE]
    apart = [np.linalg.norm(b - a) for a, b in itertools.pairwise(places)]
    assert min(apart) > 0.06
    assert all(a[0] < b[0] for a, b in itertools.pairwise(places))
    from_first = [np.linalg.norm(place - places[0]) for place in places]
    assert all(a < b for a, b in itertools.pairwise(from_first))


@pytest.mark.parametrize("share", np.linspace(0, 1, 21).tolist())
def test_colours_of_a_scale_stand_out(share: float) -> None:
    colour = on_scale(share)
    assert contrast(colour, PAPER) >= 3
    assert contrast(colour, DARK) >= 3
    filled = mixed(colour, LIGHT)  # a leaf, with text in two colours and bars on it
    assert contrast(filled, INK) >= 4.5
    assert contrast(filled, GREY) >= 4.5
    assert contrast(filled, colour) >= 2.5


def test_a_scale_goes_through_its_colours() -> None:
    assert [on_scale(i / 4) for i in range(5)] == list(SCALE)
    assert len({on_scale(i / 100) for i in range(101)}) == 101
