"""The graph of a set as plain arrays: what files and pickles hold, and what rows are counted by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._support.names import public

# A file may have been made to take forever.
SECONDS_TO_COUNT = 120.0
SUMS = ("limb", "offset", "magnitude", "max_rate", "centre")  # parameters of `_core.Sums`


@public
@dataclass(frozen=True)
class GraphArrays:
    """Nodes and edges as the core lists them, eight and three numbers each."""

    loss_price: int
    leaf_price: int
    keep_trivial: bool
    max_leaves: int
    n_classes: int
    root: int
    nodes: NDArray[np.int64]
    edges: NDArray[np.int64]
    counts: NDArray[np.int32]  # weights by class of each node
    loss: str = "zero_one"
    scale: float = 1.0  # of losses that are rounded
    unit_bits: int = 0
    costs: NDArray[np.int64] | None = None  # [actions, classes]
    sums: dict[str, float] | None = None  # of numbers: what `_core.Sums` takes

    def edge_lists(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where the edges of each node begin, and the edges: feature, node on yes, on no."""
        n_edges = self.nodes.reshape(-1, 8)[:, 7]
        return np.concatenate([[0], np.cumsum(n_edges)]), self.edges.reshape(-1, 3)


def arrays_of(graph: _core.Graph) -> GraphArrays:
    """Take a graph apart."""
    objective = graph.objective
    costs, sums = objective.costs, objective.sums
    return GraphArrays(
        loss_price=objective.loss_price,
        leaf_price=objective.leaf_price,
        keep_trivial=graph.keep_trivial,
        max_leaves=graph.max_leaves,
        n_classes=graph.n_classes,
        root=graph.root,
        nodes=graph.nodes(),
        edges=graph.edges(),
        counts=graph.counts(),
        loss=objective.loss,
        scale=objective.scale,
        unit_bits=objective.unit_bits,
        costs=None if costs is None else costs.reshape(-1, graph.n_classes),
        sums=None if sums is None else {name: getattr(sums, name) for name in SUMS},
    )


def graph_of(arrays: GraphArrays) -> _core.Graph:
    """Put a graph together again; ValueError if the arrays are not those of one."""
    try:
        graph = _core.Graph.of_arrays(
            objective=_core.Objective(
                arrays.loss_price,
                arrays.leaf_price,
                arrays.loss,
                scale=arrays.scale,
                unit_bits=arrays.unit_bits,
                costs=arrays.costs,
                sums=None if arrays.sums is None else _core.Sums(**arrays.sums),
            ),
            keep_trivial=arrays.keep_trivial,
            max_leaves=arrays.max_leaves,
            n_classes=arrays.n_classes,
            root=arrays.root,
            nodes=arrays.nodes,
            edges=arrays.edges,
            counts=arrays.counts,
            run=_core.RunOptions(time_limit=SECONDS_TO_COUNT),
        )
    except (TypeError, RuntimeError) as error:
        raise ValueError(f"These are not the arrays of a set of trees: {error}") from error
    if graph is None:
        raise ValueError("The set of trees could not be counted in the time or memory there is.")
    return graph
