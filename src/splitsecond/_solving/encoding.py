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
FACTORS = (1, 10, 100, 1_000, 10_000, 2, 4, 8, 16, 100_000)
WHOLE = 1e-9  # how far numbers may be from whole ones that they stand for
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
    bits: int,
    max_leaves: int,
) -> Encoded:
    """Encode numbers and weights of rows; those of a `group` become one."""
    integers, weight_unit = _whole_weights(weights, len(numbers))
    sums = loss.sums(numbers, integers.astype(np.float64))
    root = np.array([each.sum() for each in sums])
    root_loss = float(loss.loss(root))
    if isinstance(loss, Poisson):
        rows = _of_rates(loss, sums, group, weight_unit=weight_unit, root_loss=root_loss)
    else:
        rows = _of_means(loss, numbers, integers, group, root_loss)
    return _in_channels(loss, rows, root_loss, weight_unit, bits=bits, max_leaves=max_leaves)


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
    # In ones of the grid, a loss is in squares of them, or in them.
    in_grid = root_loss / (rows.grid if is_poisson else rows.grid**2)
    unit = max(
        OFFSET_SHARE * in_grid / len(n), float(single.sum()) / (MAX_OFFSET - len(n)), 2.0**-1000
    )
    # The core takes scales below 2**50.
    bits = min(bits, COST_BITS - 2 - max_leaves.bit_length())
    if in_grid > 0:
        bits = max(1, min(bits, 48 + math.floor(math.log2(in_grid))))
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
        8 + 8 * math.log2(max(whole_n * max_rate, 2.0)) if is_poisson else 0.0
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


def _whole_weights(
    weights: NDArray[np.float64] | None, n_rows: int
) -> tuple[NDArray[np.int64], float]:
    """Return weights as whole numbers, and what one is in those given."""
    if weights is None:
        return np.ones(n_rows, dtype=np.int64), 1.0
    integers = as_large_integers(weights)
    total = int(integers.sum())
    if total > MAX_WEIGHT:
        rounded = np.rint(integers * ((MAX_WEIGHT - n_rows) / total)).astype(np.int64)
        integers = np.maximum(rounded, integers > 0)
    return integers, float(weights.sum() / integers.sum())


def _of_means(
    loss: SquaredError | OfNumbers,
    numbers: NDArray[np.float64],
    integers: NDArray[np.int64],
    group: NDArray[np.int32] | None,
    root_loss: float,
) -> _Rows:
    """Put numbers on a grid that starts at the least of them."""
    present = integers > 0
    least = float(numbers[present].min())
    whole = _on_own_grid(numbers, least, present)
    n = _whole_grouped(integers, group)
    shift = -float(loss.sums(np.array([least]), None)[1][0])
    if whole is not None:
        steps, step = whole
        return _Rows(n, _whole_grouped(steps * integers, group), step / loss.scale, shift, 0.0)
    apart = (loss.sums(numbers, None)[1] + shift) * present
    sums = _grouped(apart * integers, group)
    root = math.sqrt(root_loss)
    resolution = FINE_RESOLUTION if len(n) <= FINE_ROWS else RESOLUTION
    # Sums are off by half a one, evenly spread: so much together.
    at_one = math.sqrt(float(np.sum(1 / np.maximum(n, 1))) / 12)
    grid = 2.0 ** math.floor(math.log2(max(resolution * root / at_one / 4, 2.0**-1000)))
    # Sums of all rows are exact in doubles.
    grid = max(grid, float(sums.max()) * 2.0**-50, float(sums.sum()) * 2.0**-52, 2.0**-1000)
    rounded = np.rint(sums / grid)
    off = math.sqrt(float(np.sum((sums - rounded * grid) ** 2 / np.maximum(n, 1))))
    return _Rows(n, rounded.astype(np.int64), grid, shift, off * (2 * root + off))


def _of_rates(
    loss: Poisson,
    sums: list[NDArray[np.float64]],
    group: NDArray[np.int32] | None,
    *,
    weight_unit: float,
    root_loss: float,
) -> _Rows:
    """Put events (exposure times rate) on a grid; where they are whole numbers, on theirs."""
    n = _whole_grouped(sums[0].astype(np.int64), group)
    events = _grouped(sums[1], group)
    in_units = events * (weight_unit * loss.scale)  # as the user has them
    counts = np.rint(in_units)
    if counts.max() < MAX_EXACT and (np.abs(in_units - counts) <= WHOLE * (1 + counts)).all():
        return _Rows(n, counts.astype(np.int64), 1 / (weight_unit * loss.scale), 0.0, 0.0)
    # A leaf's loss changes with its events by the logarithm of its rate, at most.
    positive = events[events > 0]
    rate = float(events.sum() / n.sum())
    slope = 2 + 2 * max(
        abs(math.log(float((events / np.maximum(n, 1)).max()) / rate)),
        abs(math.log(float(n.sum()) * rate / float(positive.min()))),
    )
    resolution = FINE_RESOLUTION if len(n) <= FINE_ROWS else RESOLUTION
    wanted = resolution * root_loss / (slope * len(positive))
    grid = 2.0 ** math.floor(math.log2(max(wanted, float(events.max()) * 2.0**-50, 2.0**-1000)))
    steps = np.maximum(np.rint(events / grid), events > 0)
    error = slope * float(np.abs(events - steps * grid).sum())
    return _Rows(n, steps.astype(np.int64), grid, 0.0, error)


def _on_own_grid(
    numbers: NDArray[np.float64], least: float, present: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], float] | None:
    """Return numbers above the least in whole steps, and the step, if they have few digits."""
    sample = np.flatnonzero(present)[:: max(1, len(numbers) // 1000)]
    for factor in FACTORS:
        if not _is_whole(numbers[sample], least, factor):
            continue
        if not _is_whole(numbers[present], least, factor):
            continue
        with np.errstate(over="ignore"):
            steps = np.where(present, np.rint((numbers - least) * factor), 0)
        if steps.max() >= MAX_EXACT * 1024:
            return None
        whole: NDArray[np.int64] = steps.astype(np.int64)
        divisor = int(np.gcd.reduce(whole[:1000]))
        divisor = divisor if divisor == 1 else max(1, int(np.gcd.reduce(whole)))
        if whole.max() // divisor >= MAX_EXACT:
            return None
        return whole // divisor, divisor / factor
    return None


def _is_whole(numbers: NDArray[np.float64], least: float, factor: int) -> bool:
    """Whether numbers above the least are whole when multiplied."""
    with np.errstate(over="ignore", invalid="ignore"):
        steps = (numbers - least) * factor
        # What floats of this size are off by may not be much.
        size = float(np.max(np.abs(numbers))) * factor
        if not size < 2.0**53 or not np.isfinite(steps).all():
            return False
        return bool((np.abs(steps - np.rint(steps)) <= max(WHOLE, size * 2.0**-51)).all()) and (
            size * 2.0**-51 < 1e-3
        )


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
