"""Weights of rows as the integers that the core counts, from what one pass finds out about them.

The integers are those of a table in memory (`_tables/weights.py`): what they depend on there, a
pass finds out in any order. Weights without a common factor, of which there are few, stay kinds, so
that class weights multiply them as in memory.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._counts.changes import changed
from splitsecond._counts.hashing import finished, first_hashes
from splitsecond._tables.weights import (
    FACTORS,
    FEW,
    MAX_SUM,
    MAX_WEIGHT,
    ROUNDED_SUM,
    ROUNDED_TOTAL,
    are_proportional,
    best_multiples,
    common_divisor,
    exact_sum,
    is_whole,
    rounded,
    too_heavy,
)

MAX_WHOLE = 2**53  # not every whole number beyond is a float
CHECKSUMS = 2**64


def checksum_of(weights: NDArray[np.float64]) -> int:
    """Return a checksum of weights that does not depend on their order: the sum of their hashes.

    By it a table is refused whose second pass finds other weights: the integers would not be
    theirs. Two different tables have the same one by a chance of 2^-64.
    """
    hashes = first_hashes(len(weights), seed=0)
    _core.hash_numbers(hashes, weights)
    return int(finished(hashes).sum(dtype=np.uint64))  # modulo CHECKSUMS


@dataclass
class WeightFacts:
    """What integers depend on: sums, the largest weight, and which factors make all whole."""

    highest: float = 0.0
    total: Fraction = Fraction(0)
    kinds: dict[float, int] | None = field(default_factory=dict)  # rows of each; None: too many
    # By factor: the greatest common divisor of weights times it, while all of them are whole.
    divisors: dict[int, int] = field(default_factory=lambda: dict.fromkeys((1, *FACTORS), 0))
    checksum: int = 0  # of all weights; see `checksum_of`

    def add(self, weights: NDArray[np.float64]) -> None:
        """Take weights into account."""
        if not len(weights):
            return
        self.checksum = (self.checksum + checksum_of(weights)) % CHECKSUMS
        self.highest = max(self.highest, float(weights.max()))
        self.total += exact_sum(weights)
        sample = weights[:: max(1, len(weights) // 1000)]
        if self.kinds is not None and len(np.unique(sample)) <= FEW:
            values, rows = np.unique(weights, return_counts=True)
            self._add_kinds(dict(zip(values.tolist(), rows.tolist(), strict=True)))
        else:
            self.kinds = None
        if self.highest > MAX_WHOLE:
            self.divisors = {}
        is_one = 1 in self.divisors and is_whole(sample) and is_whole(weights)
        one = common_divisor(np.rint(weights).astype(np.int64)) if is_one else 0
        for factor in list(self.divisors):
            if is_one:
                found = one * factor
            elif is_whole(sample * factor) and is_whole(weights * factor):
                found = common_divisor(np.rint(weights * factor).astype(np.int64))
            else:
                del self.divisors[factor]
                continue
            self.divisors[factor] = math.gcd(self.divisors[factor], found)

    def combine(self, other: Self) -> None:
        """Take the weights of other rows into account."""
        self.checksum = (self.checksum + other.checksum) % CHECKSUMS
        self.highest = max(self.highest, other.highest)
        self.total += other.total
        if self.kinds is not None and other.kinds is not None:
            self._add_kinds(other.kinds)
        else:
            self.kinds = None
        self.divisors = {
            factor: math.gcd(divisor, other.divisors[factor])
            for factor, divisor in self.divisors.items()
            if factor in other.divisors
        }

    def _add_kinds(self, kinds: dict[float, int]) -> None:
        assert self.kinds is not None
        for value, rows in kinds.items():
            self.kinds[value] = self.kinds.get(value, 0) + rows
        if len(self.kinds) > FEW:
            self.kinds = None

    def scaling(self, *, large: bool) -> Scaling:
        """Return how weights become integers: see `as_integers`, `as_large_integers` if large."""
        whole = None if self.highest > MAX_WHOLE else self._whole(MAX_SUM if large else MAX_WEIGHT)
        if whole is not None:
            return whole
        if self.kinds is not None:
            return Scaling(kinds=np.array(sorted(self.kinds)), highest=self.highest)
        to = ROUNDED_SUM if large else ROUNDED_TOTAL
        return Scaling(
            highest=self.highest, share=float(self.total / Fraction(self.highest)), to=to
        )

    def _whole(self, most: int) -> Scaling | None:
        for factor in (1, *FACTORS):
            divisor = self.divisors.get(factor)
            if divisor is None:
                continue
            if round(self.highest * factor) > MAX_WHOLE:
                return None
            if self.total * factor / divisor <= most:
                return Scaling(factor=factor, divisor=divisor, highest=self.highest)
            if factor > 1 or most > MAX_WEIGHT:
                return None
            raise too_heavy(float(self.total))
        return None


@dataclass(frozen=True)
class Scaling:
    """How weights become integers: by a factor, by their kind, or as parts of their total."""

    factor: int = 0
    divisor: int = 1
    kinds: NDArray[np.float64] | None = None
    highest: float = 0.0  # of all weights
    share: float = 0.0  # the total, in the highest
    to: int = ROUNDED_TOTAL  # what they add up to

    def integers(self, weights: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the integers of rows; not for kinds."""
        if weights.max() > self.highest:
            raise changed("a weight is larger than all were")
        if self.factor:
            return np.rint(weights * self.factor).astype(np.int64) // self.divisor
        return rounded(weights / self.highest, self.share, self.to).astype(np.int64)

    def kind_of(self, weights: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the number of each weight among the kinds."""
        assert self.kinds is not None
        places = np.minimum(np.searchsorted(self.kinds, weights), len(self.kinds) - 1)
        if (self.kinds[places] != weights).any():
            raise changed("a weight is new")
        return places


def integers_of_kinds(
    weights: NDArray[np.float64], rows: NDArray[np.int64], *, with_zero: bool, large: bool
) -> NDArray[np.int64]:
    """Return the integer of one row of each entry, as `as_integers` does for all their rows.

    `with_zero`: besides, there are rows of weight 0.
    """
    present = rows > 0
    values, place = np.unique(weights[present], return_inverse=True)
    counts = np.bincount(place.reshape(-1), rows[present], len(values)).astype(np.int64)
    if with_zero and values[0] > 0:
        values, counts, place = np.append(0.0, values), np.append(0, counts), place + 1
    facts = WeightFacts()
    facts.add(values)
    facts.total = sum(
        (Fraction(each) * n for each, n in zip(values.tolist(), counts.tolist(), strict=True)),
        Fraction(0),
    )
    scaling = facts.scaling(large=large)
    if scaling.kinds is None:
        whole = scaling.integers(values)
    else:
        shares, group = np.unique(values / values.max(), return_inverse=True)
        of_share = np.bincount(group.reshape(-1), counts)
        nearest = best_multiples(shares, of_share)
        if large and not are_proportional(nearest, shares):
            nearest = rounded(shares, float(facts.total / Fraction(facts.highest)), ROUNDED_SUM)
        whole = nearest.astype(np.int64)[group.reshape(-1)]
    integers = np.zeros(len(weights), dtype=np.int64)
    integers[present] = (whole // common_divisor(whole))[place.reshape(-1)]
    return integers
