"""Losses to JSON, and back."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from splitsecond._saving._reader import DamagedError, Json, Reader, fraction_in
from splitsecond._solving.losses import NAMED, ZERO_ONE, Costs, Loss
from splitsecond._solving.units import COST_BITS, Units
from splitsecond._support.checks import LARGEST


def loss_out(loss: Loss, value_out: Any) -> Json:
    """Return a loss as part of a model; 0-1 loss is what a model without one has."""
    if isinstance(loss, Costs):
        costs = [[str(cost) for cost in row] for row in loss.table]
        actions = [value_out(action) for action in loss.actions]
        return {"loss": {"name": loss.name, "actions": actions, "costs": costs}}
    return {} if loss == ZERO_ONE else {"loss": {"name": loss.name}}


def loss_in(model: Reader, n_classes: int) -> Loss:
    """Return the loss of a model."""
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
    return {} if units.loss.is_exact else {"unit_bits": units.bits, "loss_scale": units.scale}


def units_in(reader: Reader, loss: Loss, totals: NDArray[Any], max_leaves: int) -> Units:
    """Return the units of a set, given the weight of each class at its root."""
    if loss.is_exact:
        return Units.of(loss, totals, bits=0, max_leaves=max_leaves)
    bits, scale = reader.integer("unit_bits", 1, 50), reader.number("loss_scale")
    units = Units.of(loss, totals, bits=bits, max_leaves=max_leaves)
    # The number itself: logarithms differ between machines, if only in the last digit.
    if units.bits != bits or not math.isclose(scale, units.scale, rel_tol=1e-9):
        raise DamagedError("'unit_bits' and 'loss_scale' do not fit 'counts'")
    return replace(units, scale=scale)
