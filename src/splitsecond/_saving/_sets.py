"""Sets of trees to JSON, and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splitsecond._estimators.classifiers import TreeClassifier
from splitsecond._estimators.sets import RashomonEstimator
from splitsecond._saving._losses import units_in, units_out
from splitsecond._saving._numbers import number_rows_in, number_rows_out
from splitsecond._saving._reader import DamagedError, Json, Reader
from splitsecond._sets.graph_arrays import GraphArrays, arrays_of, graph_of
from splitsecond._sets.record import STOPPED, FitRecord
from splitsecond._sets.scale import Scale
from splitsecond._sets.tree_set import TreeSet
from splitsecond._solving.number_losses import OfNumbers
from splitsecond._trees.row_counts import (
    RowsOfGraph,
    RowSource,
    row_counts_of_weights,
    rows_fit,
)
from splitsecond._trees.tree import NO_CLASSES

COMPLETE = "complete"  # what a file calls the search for a set that was not stopped


def set_out(trees: TreeSet) -> Json:
    """Return a set as JSON."""
    scale = trees._scale
    graph = arrays_of(trees._graph)
    return {
        "price": str(scale.price),
        "weight": scale.weight,
        "unit": scale.unit,
        **units_out(scale.units),
        "most_leaves": scale.max_leaves,
        "reference": str(scale.reference),
        "bound": str(trees._bound),
        "search": trees._record.stopped or COMPLETE,
        **_history_out(trees._record),
        "keep_trivial": graph.keep_trivial,
        "max_leaves": graph.max_leaves,
        "root": graph.root,
        "nodes": graph.nodes.tolist(),
        "edges": graph.edges.tolist(),
        "counts": graph.counts.tolist(),
        **_rows_out(trees, graph),
    }


def set_in(model: RashomonEstimator, reader: Reader) -> TreeSet:
    """Return the set of a fitted estimator."""
    price, reference, bound = (reader.fraction(key) for key in ("price", "reference", "bound"))
    weight = reader.integer("weight", 1, 2**31)
    max_leaves = reader.integer("most_leaves", 1, 2**26)
    unit = reader.number("unit")
    if price < 0 or unit <= 0:
        raise DamagedError("'set' has a negative price or weight")
    root = reader.integer("root", 0, 2**31)
    counts, classes = _counts_in(model, reader), getattr(model, "classes_", NO_CLASSES)
    if root >= len(counts) or int(model._loss.total(counts[root].astype(np.int64))) != weight:
        raise DamagedError("'weight' should be that of the root's 'counts'")
    units = units_in(reader, model._loss, counts, root, max_leaves)
    asks = model._reader()
    edges = reader.integers("edges", 0, 2**31)
    if any(feature >= len(asks.literals) for feature in edges[::3]):
        raise DamagedError("'edges' asks of a column that is not there")
    try:
        loss_price, per_leaf = units.prices(price, max_leaves)
        arrays = GraphArrays(
            loss_price=loss_price,
            leaf_price=per_leaf,
            **units.core_parts(),
            keep_trivial=reader.flag("keep_trivial"),
            max_leaves=reader.integer("max_leaves", 0, 2**62),
            n_classes=counts.shape[1],
            root=root,
            nodes=np.array(reader.integers("nodes", -1, 2**62), dtype=np.int64),
            edges=np.array(edges, dtype=np.int64),
            counts=counts.ravel(),
        )
        graph = graph_of(arrays)
    except ValueError as error:
        raise DamagedError(str(error).rstrip(".")) from error
    # Files of before it was kept do not have it; what the fit said of itself is all there is then.
    stopped = None if model.status_ == "complete" else "part"
    if reader.has("search"):
        search = reader.text("search", among=(COMPLETE, *STOPPED))
        stopped = None if search == COMPLETE else search
    return TreeSet(
        graph,
        Scale(
            price=price,
            units=units,
            weight=weight,
            unit=unit,
            loss_price=loss_price,
            leaf_price=per_leaf,
            max_leaves=max_leaves,
            reference=reference,
            epsilon_kind=model.epsilon_kind,
        ),
        bound,
        classes=classes,
        reader=asks,
        rows=_rows_in(model, arrays, reader),
        record=FitRecord(
            estimator=type(model),
            parameters=model.get_params(deep=False),
            weighted=model._weighted,
            lower_bound=model.lower_bound_,
            status=model.status_,
            statistics=model.statistics_,
            stopped=stopped,
            history=_history_in(reader),
        ),
    )


def _history_out(record: FitRecord) -> Json:
    steps = [{"step": step, "trees_before": str(n_before)} for step, n_before in record.history]
    return {"history": steps} if steps else {}


def _history_in(reader: Reader) -> tuple[tuple[str, int], ...]:
    """Return how the set was narrowed; files of before it was kept do not tell."""
    steps = reader.parts("history") if reader.has("history") else []
    return tuple((step.text("step"), step.whole("trees_before")) for step in steps)


def _counts_in(model: RashomonEstimator, reader: Reader) -> NDArray[np.int32]:
    """Return the weight of each class at each node of the graph; of numbers, their channels."""
    counts = np.array(reader.integers("counts", 0, 2**31), dtype=np.int32)
    n_nodes = len(reader.items("nodes")) // 8
    n_classes = len(counts) // max(1, n_nodes)
    if isinstance(model, TreeClassifier):
        n_classes = len(model.classes_)
    if n_classes == 0 or len(counts) != n_nodes * n_classes:
        raise DamagedError("'counts' of 'set' should be as many for each node")
    return counts.reshape(-1, n_classes)


def _rows_out(trees: TreeSet, graph: GraphArrays) -> Json:
    """Return what is known of the rows at nodes, besides their weights."""
    rows = trees._rows
    if rows is None:
        return {}
    if trees._scale.units.loss.is_of_numbers:
        by_edge = rows.without_rows(graph)
        assert isinstance(by_edge, RowsOfGraph)
        return number_rows_out(by_edge)
    row_counts = rows.of_graph(graph)
    if row_counts is None and trees._record.weighted:
        row_counts = row_counts_of_weights(graph)  # all weights are the same
    return {} if row_counts is None else {"row_counts": row_counts.ravel().tolist()}


def _rows_in(model: RashomonEstimator, arrays: GraphArrays, reader: Reader) -> RowSource | None:
    """Return what tells the rows at nodes; None if the file tells only their weight."""
    if isinstance(model._loss, OfNumbers):
        return number_rows_in(reader, model._loss, arrays)
    if not reader.has("row_counts"):
        return None if model._weighted else RowSource()
    counts = np.array(reader.integers("row_counts", 0, 2**31), dtype=np.int64)
    n_edges, n_classes = len(arrays.edges) // 3, arrays.n_classes
    if len(counts) != (1 + n_edges) * n_classes:
        raise DamagedError("'row_counts' of 'set' should be one for each class, and for each edge")
    row_counts = counts.reshape(-1, n_classes)
    if not rows_fit(arrays, row_counts):
        raise DamagedError("'row_counts' do not fit 'counts'")
    return RowsOfGraph(arrays, row_counts)
