"""Losses to JSON, and back."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._saving._numbers import (
    number_loss_in,
    number_loss_out,
    number_units_in,
    number_units_out,
)
from splitsecond._saving._reader import DamagedError, Json, Reader, fraction_in
from splitsecond._solving.losses import NAMED, ZERO_ONE, Costs, Loss
from splitsecond._solving.number_losses import NUMBER_LOSSES, OfNumbers
from splitsecond._solving.units import COST_BITS, Units
from splitsecond._support.checks import LARGEST


def loss_out(loss: Loss, value_out: Any) -> Json:
    """Return a loss as part of a model; 0-1 loss is what a model without one has."""
    if isinstance(loss, OfNumbers):
        return {"loss": number_loss_out(loss)}
    if isinstance(loss, Costs):
        costs = [[str(cost) for cost in row] for row in loss.table]
        actions = [value_out(action) for action in loss.actions]
        return {"loss": {"name": loss.name, "actions": actions, "costs": costs}}
    return {} if loss == ZERO_ONE else {"loss": {"name": loss.name}}


def is_of_numbers(tree: Reader) -> bool:
    """Whether a tree that stands by itself predicts numbers."""
    if not tree.has("loss"):
        return False
    name = tree.part("loss").text("name", among=(*NAMED, Costs.name, *NUMBER_LOSSES))
    return name in NUMBER_LOSSES


def loss_in(model: Reader, n_classes: int | None) -> Loss:
    """Return the loss of a model, given how many classes it has; None: it predicts numbers."""
    if n_classes is None:
        return number_loss_in(model.part("loss"))
    if not model.has("loss"):
        return ZERO_ONE
    reader = model.part("loss")
    name = reader.text("name", among=(*NAMED, Costs.name))
    if name != Costs.name:
        return NAMED[name]
    actions, costs = reader.values("actions"), reader.items("costs")
    if not actions or len(set(map(repr, actions))) != len(actions):
        raise DamagedError("'actions' should be different from each other")
    if len(costs) != len(actions):
        raise DamagedError("'costs' should have a row for each action")
    loss = Costs(tuple(_row_in(row, n_classes) for row in costs), tuple(actions))
    if int(loss.integers.max()) >= 2**COST_BITS or loss.unit > LARGEST:
        raise DamagedError("'costs' should not be larger, or have more digits, than fits take")
    return loss


def _row_in(row: Json, n_classes: int) -> tuple[Fraction, ...]:
    if not isinstance(row, list) or len(row) != n_classes:
        raise DamagedError("'costs' should have a cost for each class")
    costs = tuple(fraction_in(cost) for cost in row)
    if min(costs) < 0:
        raise DamagedError("'costs' should not be negative")
    return costs


def units_out(units: Units) -> Json:
    """Return what a set's losses are rounded to."""
    if units.loss.is_exact:
        return {}
    rounded = {"unit_bits": units.bits, "loss_scale": units.scale}
    return {**rounded, **({} if units.channels is None else number_units_out(units))}


def units_in(reader: Reader, loss: Loss, counts: NDArray[Any], root: int, max_leaves: int) -> Units:
    """Return the units of a set, given the weight of each class at each node, [nodes, classes]."""
    totals = counts[root].astype(np.int64)
    if loss.is_exact:
        return Units.of(loss, totals, bits=0, max_leaves=max_leaves)
    bits, scale = reader.integer("unit_bits", 1, 50), reader.number("loss_scale")
    if isinstance(loss, OfNumbers):
        rounded = {"bits": bits, "max_leaves": max_leaves}
        return number_units_in(reader, loss, counts, root, scale=scale, **rounded)
    units = Units.of(loss, totals, bits=bits, max_leaves=max_leaves)
    # The number itself: logarithms differ between machines, if only in the last digit.
    if units.bits != bits or not math.isclose(scale, units.scale, rel_tol=1e-9):
        raise DamagedError("'unit_bits' and 'loss_scale' do not fit 'counts'")
    return replace(units, scale=scale)
