"""Trees and sets that predict numbers to JSON, and back: their losses, sums, bins and channels."""

from __future__ import annotations

import math
from dataclasses import asdict, fields
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._saving._reader import DamagedError, Json, Reader, is_finite, is_integer
from splitsecond._sets.graph_arrays import GraphArrays
from splitsecond._solving.number_losses import N_SUMS, NUMBER_LOSSES, OfNumbers, Poisson
from splitsecond._solving.units import Channels, Units
from splitsecond._trees.row_counts import MAX_BINS, RowsOfGraph

MAX_BITS = 63  # of S in the core's channels
SLACK = 1e-6  # by which sums of floats may differ from each other, as a share of the weight


# ---- losses --------------------------------------------------------------------------------------


def number_loss_out(loss: OfNumbers) -> Json:
    """Return a loss as JSON."""
    return {"name": loss.name, **asdict(loss)}


def number_loss_in(reader: Reader) -> OfNumbers:
    """Return a loss of numbers."""
    kind = NUMBER_LOSSES[reader.text("name", among=NUMBER_LOSSES)]
    offset = reader.take("offset", is_finite, "a finite number")  # an integer of any size
    loss = kind(reader.finite("centre"), reader.finite("scale"), offset)
    if loss.scale <= 0 or math.frexp(loss.scale)[0] != 0.5:
        raise DamagedError(f"'scale' of 'loss' should be a power of two, is {loss.scale!r}")
    if isinstance(loss, Poisson) and (loss.centre < 0 or loss.offset != 0):
        raise DamagedError("'centre' of 'loss' should be a rate, and 'offset' 0, for 'poisson'")
    if not math.isfinite(loss.centre + float(loss.offset)):
        raise DamagedError("'centre' and 'offset' of 'loss' should have a finite sum")
    return loss


# ---- what is known of nodes ----------------------------------------------------------------------


def sums_in(loss: OfNumbers, sums: Json, what: str) -> NDArray[np.float64]:
    """Return N, S and Q of some nodes, a list each; refuse what no rows add up to."""
    for each in sums:
        if not isinstance(each, list) or len(each) != N_SUMS or not all(map(is_finite, each)):
            raise DamagedError(f"{what!r} should hold three sums for each node")
    found = np.array(sums, dtype=np.float64).reshape(-1, N_SUMS)
    if not _are_sums(loss, found):
        raise DamagedError(f"{what!r} should hold sums of rows")
    return found


def _are_sums(loss: OfNumbers, sums: NDArray[np.float64]) -> bool:
    """Whether rows of some weight, whose numbers are near the centre, may have such sums."""
    weight = sums[:, 0]
    if not (weight > 0).all() or not math.isfinite(sum(weight.tolist())):
        return False
    with np.errstate(all="ignore"):  # what is not finite does not fit
        mean, own = sums[:, 1] / weight, sums[:, 2] / weight
        most = 4 + SLACK  # scales; 1 unless numbers are as large as floats can be
        if isinstance(loss, Poisson):
            centre = np.full(len(own), loss.centre / loss.scale)
            # Deviances are convex: rows need no less than their mean, and no more than the ends do.
            least = loss.row_deviances(mean, centre)
            ends = [loss.row_deviances(np.full(len(own), end), centre) for end in (0.0, most)]
            highest = np.maximum(*ends)
            fits = (mean >= 0) & (mean <= most) & (centre <= most)
        else:
            least, highest = mean**2, np.full(len(own), most**2)
            fits = np.abs(mean) <= most
        return bool((fits & (own >= least - SLACK) & (own <= highest + SLACK)).all())


def bins_in(reader: Reader) -> NDArray[np.float64]:
    """Return the edges of a histogram."""
    edges = reader.items("bins")
    if not 2 <= len(edges) <= MAX_BINS + 1 or not all(map(is_finite, edges)):
        raise DamagedError(f"'bins' should hold 2 to {MAX_BINS + 1} edges of a histogram")
    bins = np.array(edges, dtype=np.float64)
    if (bins[1:] < bins[:-1]).any():
        raise DamagedError("'bins' should hold edges in increasing order")
    return bins


def number_nodes_in(reader: Reader, loss: OfNumbers) -> dict[str, Any]:
    """Return what is known of the nodes of a tree, besides its shape."""
    counts = sums_in(loss, reader.items("counts"), "counts")
    bins, rows = bins_in(reader), reader.items("rows")
    in_bins = reader.items("row_counts")
    if not len(counts) == len(rows) == len(in_bins):
        raise DamagedError("the lists of 'tree' should have one entry for each node")
    for whole, own in zip(rows, in_bins, strict=True):
        if (
            not isinstance(own, list)
            or len(own) != len(bins) - 1
            or not all(is_integer(each) and 0 <= each < 2**62 for each in own)
            or not 0 < sum(own) == whole
        ):
            raise DamagedError("'row_counts' should hold the rows of each bin")
    return {"counts": counts, "row_counts": np.array(in_bins, dtype=np.int64), "bins": bins}


# ---- sets ----------------------------------------------------------------------------------------


def number_units_out(units: Units) -> Json:
    """Return what a set's losses are rounded to, and how its numbers stand in the channels."""
    assert units.channels is not None
    return {"max_loss": units.max_loss, "channels": asdict(units.channels)}


def number_units_in(
    reader: Reader,
    loss: OfNumbers,
    counts: NDArray[np.int32],
    root: int,
    *,
    bits: int,
    scale: float,
    max_leaves: int,
) -> Units:
    """Return the units of a set, given the channels of each node, [nodes, channels]."""
    channels = _channels_in(reader.part("channels"))
    if counts.shape[1] < 3 or (counts.shape[1] - 3) * channels.limb_bits >= MAX_BITS:
        raise DamagedError("'counts' do not fit 'limb_bits' of 'channels'")
    whole = counts[root]
    if (counts > whole).any():
        raise DamagedError("'counts' of a node are more than those of the root")
    # What losses are differences of has to be within the magnitude: that keeps them in range.
    if channels.magnitude < channels.offset * int(whole[1]) or not 0 < scale < 2.0**1000:
        raise DamagedError("'channels' do not fit 'counts'")
    units = Units(
        loss,
        whole=Fraction(2**bits),
        max_loss=reader.integer("max_loss", 0, 2**60),
        bits=bits,
        scale=scale,
        channels=channels,
    )
    try:
        rounding = units.core_objective(1, 0).leaf_rounding(int(whole[0]))
    except ValueError as error:
        raise DamagedError(str(error).rstrip(".")) from error
    units = Units(**{**_parts(units), "leaf_rounding": rounding})
    counted = units.count(whole[None, :])
    # Logarithms differ between machines, if only in the last digit.
    off = min(abs(counted - channels.bias), abs(counted - channels.bias - 2**bits))
    near = 2 + 2 * rounding
    if off > near or abs(units.max_loss - 2 * max_leaves - counted) > near:
        raise DamagedError("'max_loss' and 'bias' do not fit 'counts'")
    return units


def _channels_in(reader: Reader) -> Channels:
    numbers = ("offset", "magnitude", "max_rate", "centre", "grid", "resolution")
    parts: dict[str, Any] = {name: reader.finite(name) for name in (*numbers, "shift")}
    if not all(0 <= parts[name] < 2.0**1000 for name in numbers) or abs(parts["shift"]) > 2:
        raise DamagedError("'channels' holds a number that is out of range")
    return Channels(
        limb_bits=reader.integer("limb_bits", 1, 31),
        bias=reader.integer("bias", -(2**60), 2**60),
        **parts,
    )


def _parts(units: Units) -> dict[str, Any]:
    return {each.name: getattr(units, each.name) for each in fields(units)}


def number_rows_out(rows: RowsOfGraph) -> Json:
    """Return the rows of a set as JSON: bins, rows by bin, and sums by edge."""
    assert rows.bins is not None
    counts, no_sums = rows.by_edge()
    return {
        "bins": rows.bins.tolist(),
        "sums": np.concatenate([counts[:, :N_SUMS], no_sums]).ravel().tolist(),
        "row_counts": counts[:, N_SUMS:].astype(np.int64).ravel().tolist(),
    }


def number_rows_in(reader: Reader, loss: OfNumbers, arrays: GraphArrays) -> RowsOfGraph:
    """Return the rows of a set."""
    n_edges = len(arrays.edges) // 3
    bins, flat = bins_in(reader), reader.items("sums")
    n_bins = len(bins) - 1
    if len(flat) != (1 + 2 * n_edges) * N_SUMS:
        raise DamagedError("'sums' should be three for all rows and for each side of each edge")
    sums = sums_in(loss, [flat[i : i + N_SUMS] for i in range(0, len(flat), N_SUMS)], "sums")
    in_bins = np.array(reader.integers("row_counts", 0, 2**31), dtype=np.float64)
    if len(in_bins) != (1 + n_edges) * n_bins:
        raise DamagedError("'row_counts' of 'set' should be one for each bin, and for each edge")
    counts = np.hstack([sums[: 1 + n_edges], in_bins.reshape(-1, n_bins)])
    no_sums = sums[1 + n_edges :]
    if not _rows_fit(arrays, counts, no_sums):
        raise DamagedError("'row_counts' and 'sums' do not fit each other")
    return RowsOfGraph(arrays, counts, bins, no_sums)


def _rows_fit(
    graph: GraphArrays, counts: NDArray[np.float64], no_sums: NDArray[np.float64]
) -> bool:
    """Whether rows and sums of the sides of each edge are parts of those at its node."""
    begins, edges = graph.edge_lists()
    at = {graph.root: counts[0]}
    waiting = [graph.root]
    near = SLACK * counts[0, 0]
    while waiting:
        node = waiting.pop()
        for e in range(begins[node], begins[node + 1]):
            _, yes, no = edges[e].tolist()
            on_yes = counts[1 + e]
            on_no = at[node] - on_yes
            if (np.abs(on_no[:N_SUMS] - no_sums[e]) > near).any():
                return False
            on_no[:N_SUMS] = no_sums[e]
            for below, own in ((yes, on_yes), (no, on_no)):
                if (own[N_SUMS:] < 0).any() or own[N_SUMS:].sum() <= 0:
                    return False
                if below not in at and begins[below] < begins[below + 1]:
                    at[below] = own
                    waiting.append(below)
    return bool(counts[0, N_SUMS:].sum() > 0)
