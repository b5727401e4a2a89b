"""Numbers as the core counts them: in channels of whole numbers (core/losses/sums.hpp).

A row, or several with the same features that no tree can tell apart, stands in these channels: its
weight N; an offset, the part of the loss that does not depend on the tree, coarse and rounded so
that no leaf loses less than nothing; and S, weight times number on a grid, in limbs.

The grid is exact where the numbers have few digits. Otherwise it is chosen so that no tree's loss
changes by more than `RESOLUTION` of the root's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._solving.number_losses import OfNumbers, Poisson, SquaredError
from splitsecond._solving.units import COST_BITS, Channels, Units
from splitsecond._tables.weights import as_large_integers

# By how much of the root's loss the grid may change that of a tree: in large tables each further
# bit costs time; small ones have time for many.
RESOLUTION, FINE_RESOLUTION, FINE_ROWS = 1e-6, 1e-11, 1024
# All channels together stay below 2**31: so much for the weights, the offset, and the limbs.
MAX_WEIGHT, MAX_OFFSET, MAX_LIMBS = 2**29, 2**28, 2**30
OFFSET_SHARE = 0.01  # of the root's loss, by which offsets may be off together
WORTH_ROUNDING = 4  # units of the core: offsets that are worth less stay as they are
MAX_EXACT = 2**24  # of numbers on a grid of their own; a finer one is not worth its bits
SMALL_NOISE = 1e-3  # of the steps of a grid: with more of it, they cannot be told from others
ALIKE = 10**6  # parts of a one that weights are off by
TINIEST = 1e-300  # instead of a weight of 0
FEW, MAX_TRIES = 64, 4  # numbers that mostly tell the step of a grid, or that there is none
NOISE = 2.0**-51  # what numbers are off by for being floats, of their size
UNLIKELY = 4.0  # standard deviations of what rounded weights change
LEAST_LOSS = 2.0**-46  # of all rows on the grid: the core cannot divide less into units
MARGIN = 1e-12  # for what doubles are off by where rounding has to be up, or down


@dataclass(frozen=True)
class Encoded:
    """The channels of each row, and the units of their loss."""

    channels: NDArray[np.int32]  # [channels, rows]
    units: Units
    weight: int  # of all rows, in the core's units
    weight_unit: float  # one of them in the user's weights


@dataclass(frozen=True)
class _Rows:
    """Sums of rows on a grid."""

    n: NDArray[np.int64]  # weight
    s: NDArray[np.int64]  # weight * number, in ones of the grid
    grid: float  # one of these, in the numbers of the loss (about its centre, in its scale)
    shift: float  # what was added to make them positive, in the same
    error: float  # by which a tree's loss may be off, in the loss's own units


def encode(
    loss: OfNumbers,
    numbers: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    group: NDArray[np.int32] | None,
    *,
    integers: NDArray[np.int64] | None = None,
    bits: int,
    max_leaves: int,
) -> Encoded:
    """Encode numbers and weights of rows; those of a `group` become one.

    Given their `integers`, that is what weights count as.
    """
    given = _weights(weights, len(numbers), group, integers)
    sums = loss.sums(numbers, given.of_rows.astype(np.float64))
    root = np.array([each.sum() for each in sums])
    root_loss = float(loss.loss(root)) * given.share
    if isinstance(loss, Poisson):
        rows = _of_rates(loss, sums[1], given, root_loss)
    else:
        rows = _of_means(loss, numbers, given, root_loss)
    return _in_channels(loss, rows, root_loss, given.unit, bits=bits, max_leaves=max_leaves)


def _in_channels(
    loss: OfNumbers,
    rows: _Rows,
    root_loss: float,
    weight_unit: float,
    *,
    bits: int,
    max_leaves: int,
) -> Encoded:
    n, s = rows.n.astype(np.float64), rows.s.astype(np.float64)
    is_poisson = isinstance(loss, Poisson)
    max_rate = float((s / np.maximum(n, 1)).max()) if is_poisson else 1.0
    centre = 0.0 if is_poisson else float(round(float(s.sum()) / max(float(n.sum()), 1.0)))
    single = (
        _rate_offsets(n, s, max_rate) if is_poisson else (s - centre * n) ** 2 / np.maximum(n, 1)
    )
    n_rows = int(np.count_nonzero(n))  # those without weight are as good as absent
    # In ones of the grid, a loss is in squares of them, or in them.
    in_grid = root_loss / (rows.grid if is_poisson else rows.grid**2)
    if in_grid < LEAST_LOSS:
        in_grid = 0.0
    unit = max(
        OFFSET_SHARE * in_grid / n_rows, float(single.sum()) / (MAX_OFFSET - n_rows), 2.0**-1000
    )
    bits = min(bits, COST_BITS - 2 - max_leaves.bit_length())
    if in_grid > 0:
        # By what offsets are off, more may be counted than the root loses: in bits.
        extra = math.log2(1 + n_rows * unit / in_grid)
        bits = min(bits, math.floor(COST_BITS - 2 - max_leaves.bit_length() - extra))
        # The core takes scales below 2**50, and losses below 2**51.
        bits = max(1, min(bits, 48 + math.floor(math.log2(in_grid)), math.floor(50 - extra)))
    scale = 2.0**bits / in_grid if in_grid > 0 else 1.0
    if unit * scale > WORTH_ROUNDING:  # a whole number of the core's units costs it less
        unit = math.ceil(unit * scale) / scale
    if in_grid == 0:  # nothing is to be gained by any tree
        offsets = np.zeros(len(n))
    elif is_poisson:
        offsets = np.floor(single / unit * (1 - MARGIN))
    else:
        offsets = np.ceil(single / unit * (1 + MARGIN))
    channels, limb_bits = _channels(rows, offsets.astype(np.int64))
    whole_n, whole_s = float(n.sum()), float(s.sum())
    magnitude = 4 * float(single.sum()) + whole_s * (
        8 + 8 * math.log2(max(whole_n * max_rate / max(whole_s, 1.0), 2.0)) if is_poisson else 0.0
    )
    parameters = _core.Sums(
        limb=2.0**limb_bits, offset=unit, magnitude=magnitude, max_rate=max_rate, centre=centre
    )
    objective = _core.Objective(1, 0, loss.name, scale=scale, unit_bits=bits, sums=parameters)
    totals = channels.sum(axis=1, dtype=np.int64)
    counted = int(objective.leaf_losses(totals.astype(np.int32)[None, :])[0])
    units = Units(
        loss,
        whole=Fraction(2**bits),
        max_loss=counted + 2 * max_leaves,
        bits=bits,
        scale=scale,
        leaf_rounding=objective.leaf_rounding(int(totals[0])),
        channels=Channels(
            limb_bits=limb_bits,
            offset=unit,
            magnitude=magnitude,
            max_rate=max_rate,
            centre=centre,
            grid=rows.grid,
            shift=rows.shift,
            # What every tree loses, and is not counted.
            bias=counted - (2**bits if in_grid > 0 else 0),
            resolution=0.0 if root_loss == 0 else rows.error / root_loss,
        ),
    )
    return Encoded(channels, units, int(totals[0]), weight_unit)


@dataclass(frozen=True)
class _Weights:
    """Weights of rows, and of groups of them in whole numbers."""

    of_rows: NDArray[Any]  # whole numbers, unless they are rounded for the groups
    group: NDArray[np.int32] | None
    n: NDArray[np.int64]  # of groups, as the core counts them
    share: float  # one in a row's weight, in a group's; not 1: these are rounded
    unit: float  # what one is in the weights given

    @property
    def is_exact(self) -> bool:
        return self.share == 1

    @cached_property
    def wanted(self) -> NDArray[np.float64]:
        """The weights of groups, not rounded."""
        return _grouped(self.of_rows.astype(np.float64), self.group) * self.share

    @cached_property
    def is_small(self) -> NDArray[np.bool_]:
        """Groups that weigh less than half a one, and count as one."""
        small: NDArray[np.bool_] = self.wanted < self.n * 0.5
        return small

    @cached_property
    def least(self) -> NDArray[np.float64]:
        """The smaller of each group's two weights, above 0."""
        least: NDArray[np.float64] = np.maximum(np.minimum(self.n, self.wanted), TINIEST)
        return least

    def added_by_small(self, highest: float, budget: float) -> float:
        """Return what small groups can add to a sum, for what they weigh too much.

        A one adds no more than `highest`, and all that they should weigh no more than the budget.
        """
        too_much = np.where(self.is_small, self.n - self.wanted, 0)
        weights = np.maximum(self.wanted, TINIEST)
        return _most_lost(too_much, weights, np.full(len(weights), highest), budget)

    def counted(self, sums: NDArray[np.float64], *, about_mean: bool) -> NDArray[np.float64]:
        """Return sums of rows by group, for weights as they are counted.

        Groups keep their means. But of those that weigh less than half a one and count as one, many
        times their sums would be counted: they keep their sums, about the mean of all or as such.
        """
        grouped = _grouped(sums, self.group)
        if self.is_exact:
            return grouped
        wanted, n = np.maximum(self.wanted, TINIEST), self.n
        grouped = grouped * self.share
        mean = float(grouped.sum()) / float(wanted.sum()) if about_mean else 0.0
        small: NDArray[np.float64] = grouped + (n - wanted) * mean
        return np.where(self.is_small, small, grouped * (n / wanted))

    def error(
        self, alone: NDArray[np.float64], highest: NDArray[np.float64], small: float
    ) -> float:
        """Return by how much rounded weights may change the loss of a tree, against the root's.

        Given are what groups of weight 1 lose in the root, what they can lose in any leaf, and by
        how much a tree can be off by the groups that weigh less than half a one.

        To first order the others are off by the sum of what each weight is off by times what its
        group loses; as losses are concave in weights, that is a bound if one of the two weightings
        is taken. No tree loses more than the root: the worst case is a knapsack. That is proved,
        but takes for granted that a tree can make all that weighs too much lose most. As weights
        that differ are rounded up and down by chance, the sum is that of a random walk, with a step
        for all that are off by the same; what its steps can be is a knapsack as well. The lower of
        the two is returned.
        """
        if self.is_exact:
            return 0.0
        off = np.where(self.is_small, 0, np.abs(self.n - self.wanted))
        root_loss = float(np.sum(np.maximum(self.n, self.wanted) * alone))
        least = self.least
        proved = 2 * _most_lost(off, least, highest, root_loss)
        same = np.unique((off * ALIKE).astype(np.int64), return_inverse=True)[1].reshape(-1)
        together = np.minimum(np.bincount(same, weights=highest)[same], root_loss / least)
        squares = _most_lost(off**2 * together, least, highest, root_loss)
        return small + min(proved, UNLIKELY * math.sqrt(squares))


def _weights(
    weights: NDArray[np.float64] | None,
    n_rows: int,
    group: NDArray[np.int32] | None,
    integers: NDArray[np.int64] | None,
) -> _Weights:
    if weights is None:
        ones = np.ones(n_rows, dtype=np.int64)
        return _Weights(ones, group, _whole_grouped(ones, group), 1.0, 1.0)
    if integers is None:
        integers = as_large_integers(weights)
    if int(integers.sum()) <= MAX_WEIGHT:
        n = _whole_grouped(integers, group)
        return _Weights(integers, group, n, 1.0, float(weights.sum()) / float(n.sum()))
    # Rounded after rows are merged, so that few numbers are.
    relative = weights / weights.max()
    wanted = _grouped(relative, group)
    share = (MAX_WEIGHT - np.count_nonzero(wanted)) / float(wanted.sum())
    n = np.maximum(np.rint(wanted * share).astype(np.int64), wanted > 0)
    return _Weights(relative, group, n, share, float(weights.sum()) / float(n.sum()))


def _of_means(
    loss: SquaredError | OfNumbers,
    numbers: NDArray[np.float64],
    given: _Weights,
    root_loss: float,
) -> _Rows:
    """Put numbers on a grid that starts at the least of them."""
    present, n = given.of_rows > 0, given.n
    # Numbers of rows without weight may be out of all proportion to the others.
    numbers = np.where(present, numbers, loss.centre)
    apart = loss.sums(numbers, None)[1]
    least = float(apart[present].min())
    if root_loss == 0:
        return _Rows(n, np.zeros(len(n), dtype=np.int64), 1.0, -least, 0.0)
    above = np.where(present, apart - least, 0)
    root = math.sqrt(root_loss)
    noise = NOISE * max(1.0, float(np.max(np.abs(numbers))) / loss.scale)
    whole = _on_own_grid(above, noise) if given.is_exact else None
    if whole is not None:
        steps, step, off = whole
        off *= math.sqrt(float(n.sum()))
        sums = _whole_grouped(steps * given.of_rows, given.group)
        return _Rows(n, sums, step, -least, off * (2 * root + off))
    wanted = given.counted(above * given.of_rows, about_mean=True)
    resolution = FINE_RESOLUTION if np.count_nonzero(n) <= FINE_ROWS else RESOLUTION
    # Sums are off by half a one, evenly spread: so much together.
    at_one = math.sqrt(float(np.sum(1 / n[n > 0])) / 12)
    grid = 2.0 ** math.floor(math.log2(max(resolution * root / at_one / 4, 2.0**-1000)))
    # Sums of all rows are exact in doubles.
    finest = max(float(wanted.max()) * 2.0**-50, float(wanted.sum()) * 2.0**-52, 2.0**-1000)
    grid = max(grid, finest)
    rounded = np.rint(wanted / grid)
    off = math.sqrt(float(np.sum((wanted - rounded * grid) ** 2 / np.maximum(n, 1))))
    means, mean = wanted / np.maximum(n, 1), float(wanted.sum()) / float(n.sum())
    top = float(above.max())
    highest = np.maximum(means, top - means) ** 2
    alone = (means - mean) ** 2
    small = 0.0
    if not given.is_exact:  # a leaf's mean squared times what they weigh too much
        small = given.added_by_small(max(mean, top - mean) ** 2, root_loss)
    error = off * (2 * root + off) + given.error(alone, highest, small)
    return _Rows(n, rounded.astype(np.int64), grid, -least, error)


def _of_rates(
    loss: Poisson, each_events: NDArray[np.float64], given: _Weights, root_loss: float
) -> _Rows:
    """Put events (exposure times rate) on a grid; where they are whole numbers, on theirs."""
    n, events = given.n, given.counted(each_events, about_mean=False)
    if root_loss == 0 and not events.any():
        return _Rows(n, np.zeros(len(n), dtype=np.int64), 1.0, 0.0, 0.0)
    # A leaf's loss changes with its events by the logarithm of its rate, at most.
    positive = events[events > 0]
    rates = events / np.maximum(n, 1)
    rate = math.log(float(events.sum())) - math.log(float(n.sum()))
    slope = 2 + 2 * max(
        abs(math.log(float(rates.max())) - rate),
        abs(math.log(float(events.sum())) - math.log(float(positive.min()))),
    )
    whole = _on_own_grid(events, NOISE * float(events.max()))
    if whole is not None:
        steps, grid, _ = whole
    else:
        resolution = FINE_RESOLUTION if np.count_nonzero(n) <= FINE_ROWS else RESOLUTION
        wanted = resolution * root_loss / (slope * len(positive))
        lowest = max(wanted, float(events.max()) * 2.0**-50, 2.0**-1000)
        grid = 2.0 ** math.floor(math.log2(lowest))
        steps = np.maximum(np.rint(events / grid), events > 0).astype(np.int64)
    error = slope * float(np.abs(events - steps * grid).sum())
    if not given.is_exact:
        error += _weight_error_of_rates(loss, events, rates, given)
    return _Rows(n, steps, grid, 0.0, error)


def _weight_error_of_rates(
    loss: Poisson, events: NDArray[np.float64], rates: NDArray[np.float64], given: _Weights
) -> float:
    """Return by how much rounded weights may change the loss of a tree."""
    n, whole_n, all_events = given.n, float(given.n.sum()), float(events.sum())
    # A leaf's rate is at most the highest, and at least that of a row if it had all the exposure.
    shares = given.least / whole_n
    highest = 2 * float(rates.max()) - 2 * rates * np.log(np.minimum(shares, 1))
    alone = loss.row_deviances(rates, np.full(len(n), all_events / whole_n))
    # Of a leaf with S events and weight N that counts as N + a, 2 S ln(1 + a / N) are lost.
    weights = np.maximum(np.where(given.is_small, given.wanted, n), TINIEST)
    expected = given.added_by_small(float((events / weights).max()), all_events)
    small = 2 * all_events * math.log1p(expected / all_events) if all_events > 0 else 0.0
    return given.error(alone, highest, small)


def _on_own_grid(
    values: NDArray[np.float64], noise: float
) -> tuple[NDArray[np.int64], float, float] | None:
    """Return values of at least 0 in whole steps, the step, and what the farthest is off by.

    None: they are not all multiples of one step. What they may be off by is the noise. Any step
    will do: values that are multiplied by a constant are the same in steps.
    """
    highest = float(values.max())
    if highest == 0:
        return np.zeros(len(values), dtype=np.int64), 1.0, 0.0
    tried = [highest, *values[:: max(1, len(values) // FEW)].tolist()]
    for _ in range(MAX_TRIES):
        step = _common_step(tried, highest / MAX_EXACT)
        if step is None:
            return None
        step = highest / round(highest / step)
        steps = values / step
        whole = np.rint(steps)
        off = np.abs(steps - whole)
        if float(off.max()) == 0 or float(off.max()) <= noise / step < SMALL_NOISE:
            return whole.astype(np.int64), step, float(off.max()) * step
        tried = [step, float(values[np.argmax(off)])]
    return None


def _common_step(values: list[float], least: float) -> float | None:
    """Return what all values are nearly multiples of, by Euclid; None if it is not above a size."""
    zero = least / 4  # remainders below are what floats are off by
    step = 0.0
    for value in values:
        while value > zero:
            step, value = value, abs(math.remainder(step, value))  # noqa: PLW2901
        if step <= least:
            return None
        # What it is off by would grow from value to value: the first is a multiple of it.
        step = values[0] / round(values[0] / step)
    return step


def _most_lost(
    gains: NDArray[np.float64],
    weights: NDArray[np.float64],
    highest: NDArray[np.float64],
    budget: float,
) -> float:
    """Return the highest sum of gain times loss, if losses times weights stay within a budget."""
    losing = (gains > 0) & (highest > 0)
    gains, weights = gains[losing] * highest[losing], weights[losing] * highest[losing]
    order = np.argsort(weights / gains, kind="stable")
    spent = np.cumsum(weights[order])
    n_whole = int(np.searchsorted(spent, budget, side="right"))
    total = float(gains[order[:n_whole]].sum())
    if n_whole < len(order):
        left = budget - (float(spent[n_whole - 1]) if n_whole else 0.0)
        total += float(gains[order[n_whole]] * (left / weights[order[n_whole]]))
    return total


def _grouped(values: NDArray[np.float64], group: NDArray[np.int32] | None) -> NDArray[np.float64]:
    """Return the sums of groups."""
    if group is None:
        return values
    return np.bincount(group, weights=values).astype(np.float64, copy=False)


def _whole_grouped(values: NDArray[np.int64], group: NDArray[np.int32] | None) -> NDArray[np.int64]:
    """Return the sums of groups of whole numbers, which are below 2**53."""
    return np.rint(_grouped(values.astype(np.float64), group)).astype(np.int64)


def _rate_offsets(
    n: NDArray[np.float64], s: NDArray[np.float64], max_rate: float
) -> NDArray[np.float64]:
    """Return 2 s ln(M n / s) of single rows."""
    ratio = np.where(s > 0, max_rate * n / np.where(s > 0, s, 1), 1)
    offsets: NDArray[np.float64] = np.maximum(2 * s * np.log(np.maximum(ratio, 1)), 0)
    return offsets


def _channels(rows: _Rows, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int32], int]:
    """Return the channels, and the bits of a limb: so many that limbs add up to less than 2**30."""
    length = max(1, int(rows.s.max()).bit_length())
    for bits in range(min(length, 30), 0, -1):
        limbs = [(rows.s >> shift) & ((1 << bits) - 1) for shift in range(0, length, bits)]
        if sum(int(limb.sum()) for limb in limbs) <= MAX_LIMBS:
            stacked = np.vstack([rows.n, offsets, *limbs])
            return np.ascontiguousarray(stacked, dtype=np.int32), bits
    raise ValueError(f"{len(rows.n):,} rows are more than can be counted.")
