"""The best tree known for each lambda: the lower envelope of lines, in exact numbers.

A tree costs its loss, and lambda for each leaf: a line over lambda. Of two lines that meet, the one
with fewer leaves is below from there on, so that along the envelope leaves fall and losses rise.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from fractions import Fraction

from splitsecond._paths.fits import Fit


@dataclass(frozen=True)
class Point:
    """A lambda, and the fit whose tree is best there."""

    price: Fraction
    best: Fit
    own: Fit | None = None  # what was found with this lambda; None where two trees meet
    reads_well: bool = False  # it was tried because it is a short number

    @classmethod
    def of(cls, price: Fraction, fit: Fit, reads_well: bool = False) -> Point:
        """Return a lambda that was tried."""
        return cls(price, fit, fit, reads_well)


Gap = tuple[Point, Point]  # two between which lambdas were left untried


def envelope(points: list[Point], gaps: list[Gap]) -> list[list[Point]]:
    """Give each point the best tree of all, and part them where one tree follows another.

    Except in gaps, points are added where two trees cost the same: the one's last and the next
    one's first. A point keeps its tree if there is none better, so that optimal ones stay.
    """
    fits = sorted((point.best for point in points), key=lambda fit: fit.loss, reverse=True)
    known = list({fit.leaves: fit for fit in fits}.values())
    best = [replace(point, best=_best(known, point.price, point.best)) for point in points]
    best.sort(key=lambda point: (point.price, -point.best.leaves))
    groups = [[best[0]]]
    for below, above in itertools.pairwise(best):
        is_open = any(a.price <= below.price and above.price <= b.price for a, b in gaps)
        between = [] if is_open else _changes(known, below, above)
        for point in (*between, above):
            if point.best.value == groups[-1][-1].best.value:
                groups[-1].append(point)
            else:
                groups.append([point])
    return groups


def crossing(one: Fit, other: Fit) -> Fraction:
    """Return the lambda at which two trees, the first of more leaves, cost the same."""
    return (other.loss - one.loss) / (one.leaves - other.leaves)


def _best(known: list[Fit], price: Fraction, own: Fit) -> Fit:
    least = min(known, key=lambda fit: fit.cost(price))
    return least if least.cost(price) < own.cost(price) else own


def _changes(known: list[Fit], below: Point, above: Point) -> list[Point]:
    """Return the points between two at which one tree follows another."""
    if below.best.value == above.best.value:
        return []
    price = crossing(below.best, above.best)
    best = _best(known, price, below.best)
    if best is below.best:
        return [Point(price, below.best), Point(price, above.best)]
    middle = Point(price, best)
    return [*_changes(known, below, middle), middle, *_changes(known, middle, above)]
