"""Predictions for tables that do not fit in memory, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from splitsecond._counts.batches import cells_of
from splitsecond._counts.sources import LocalSource, open_source
from splitsecond._support.messages import listed, shown
from splitsecond._support.names import public
from splitsecond._tables.cells import Cells
from splitsecond._tables.columns import RawTable
from splitsecond._trees.conditions import has_labels
from splitsecond._trees.tree import Tree

PREDICT, PROBABILITIES, LEAF = "predict", "predict_proba", "apply"
METHODS = (PREDICT, PROBABILITIES, LEAF)
Columns = dict[str, NDArray[Any]]


@public
def predict_batches(
    model: Any, source: Any, *, method: str | Sequence[str] = PREDICT, keep: Sequence[str] = ()
) -> pa.RecordBatchReader:
    """Predict the rows of a table of any size; a few batches are in memory at a time.

    Parameters
    ----------
    model : fitted estimator or Tree
        One that was fitted to a table with names of columns.
    source : any
        What `compress` takes, but for data frames of Dask and Spark. It is read once, and of its
        columns those that the tree asks about.
    method : {"predict", "predict_proba", "apply"} or sequence of these, default="predict"
        What is computed: the column ``prediction``, a column ``p(CLASS)`` for each class, the
        column ``leaf``.
    keep : sequence of str, optional
        Columns of the table to stand before the predictions.

    Returns
    -------
    pyarrow.RecordBatchReader
        Batches in the order of the rows. It can be read once, by whatever reads Arrow streams:
        ``pyarrow.dataset.write_dataset``, DuckDB, polars, ``read_pandas()``.

    Examples
    --------
    >>> import pandas as pd
    >>> from splitsecond import LicketySPLITClassifier, predict_batches
    >>> table = pd.DataFrame({"id": range(8), "age": [20, 30, 40, 50] * 2})
    >>> model = LicketySPLITClassifier().fit(table[["age"]], table["age"] > 35)
    >>> predict_batches(model, table, keep=["id"]).read_pandas().tail(3)
       id  prediction
    5   5       False
    6   6        True
    7   7        True
    """
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        raise ValueError(
            f"model={shown(model)} has no tree: give a fitted estimator, or a tree of a set."
        )
    methods = [method] if isinstance(method, str) else list(method)
    for each in methods:
        if each not in METHODS:
            raise ValueError(f"method={shown(each)} must be one of {listed(METHODS)}.")
    if tree.loss.is_of_numbers and PROBABILITIES in methods:
        raise ValueError("The model predicts numbers, which have no predict_proba.")
    opened = open_source(source)
    if not isinstance(opened, LocalSource):
        raise ValueError(
            f"source of type {type(source).__name__} is held by a cluster: predict there, for each "
            "partition, with map_partitions(model.predict) of Dask or mapInPandas of Spark."
        )
    _check_columns(opened.schema, [*keep, *_asked(tree)])
    parts = _parts(tree, methods)
    schema = pa.schema([opened.schema.field(name) for name in keep])
    for name, values in parts(np.zeros(1, dtype=np.int64)).items():
        schema = schema.append(pa.field(name, pa.array(values).type))
    twice = next((name for name in schema.names if schema.names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"keep names {shown(twice)}, which is a column of the predictions, too.")
    # A tree without questions reads a column, too, to know how many rows there are.
    read = [*keep, *_asked(tree)] or opened.schema.names[:1]
    batches = opened.batches(list(dict.fromkeys(read)))
    return pa.RecordBatchReader.from_batches(schema, _predicted(tree, batches, keep, parts, schema))


def _asked(tree: Tree) -> list[str]:
    """Return the columns that the tree asks about."""
    if tree.variables and not has_labels(tree):
        raise ValueError(
            "The model was fitted without names of columns, which tables on disk are matched by: "
            "fit it to a data frame."
        )
    return [str(variable.label) for variable in tree.variables.values()]


def _check_columns(schema: pa.Schema, names: Sequence[str]) -> None:
    for name in names:
        if name not in schema.names:
            raise ValueError(
                f"The table has no column {shown(name)}. Its columns are {listed(schema.names)}."
            )


def _parts(tree: Tree, methods: Sequence[str]) -> Callable[[NDArray[np.int64]], Columns]:
    """Return what makes columns of the leaves that rows end in."""

    def columns(leaves: NDArray[np.int64]) -> Columns:
        found: Columns = {}
        if PREDICT in methods:
            found["prediction"] = tree.labels[tree.prediction[leaves]]
        if LEAF in methods:
            found["leaf"] = leaves
        if PROBABILITIES in methods:
            for label, shares in zip(tree.classes, tree.shares()[leaves].T, strict=True):
                found[f"p({label})"] = shares
        return found

    return columns


def _predicted(
    tree: Tree,
    batches: Iterable[pa.RecordBatch],
    keep: Sequence[str],
    parts: Callable[[NDArray[np.int64]], Columns],
    schema: pa.Schema,
) -> Iterator[pa.RecordBatch]:
    asked = _asked(tree)
    for batch in batches:
        leaves = np.zeros(len(batch), dtype=np.int64)
        if asked:
            leaves = tree.apply(_BatchTable(batch.select(asked)))
        own = [pa.array(values) for values in parts(leaves).values()]
        yield pa.RecordBatch.from_arrays([*map(batch.column, keep), *own], schema=schema)


class _BatchTable(RawTable):
    """A batch, whose text is read without making objects of it."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        super().__init__(pa.Table.from_batches([batch]))
        self._batch = batch

    def _cells(self, j: int) -> Cells:
        return cells_of(self._batch.column(j), self.label(j))
