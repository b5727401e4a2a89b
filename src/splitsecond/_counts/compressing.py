"""From a table of any size to a count table, in two passes over its partitions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._binarizers.base import Binarizer
from splitsecond._binarizers.cuts import FixedBinarizer
from splitsecond._counts.choosing import choose_questions
from splitsecond._counts.count_table import CountTable
from splitsecond._counts.counting import Counted, Counting, Keys, combine_counted
from splitsecond._counts.engine import Engine
from splitsecond._counts.entry_weights import EntryWeights
from splitsecond._counts.roles import Roles
from splitsecond._counts.sketch import Sketch, Sketching, combine_sketches
from splitsecond._counts.sources import open_source
from splitsecond._counts.targets import Codes, changed
from splitsecond._counts.weighing import Scaling
from splitsecond._solving.solve import n_threads, whole_bytes
from splitsecond._support.names import public

MAX_KEYS = 2**31


@public
def compress(
    source: Any,
    target: str,
    *,
    binarizer: Any = "auto",
    weight: str | None = None,
    folds: int | str | None = None,
    task: str = "auto",
    columns: Any = None,
    ignore: Any = (),
    sample: int = 100_000,
    random_state: int = 0,
    min_count: int = 1,
    memory_limit: int | None = None,
    n_jobs: int | None = None,
    progress: Any = None,
) -> CountTable:
    """Count the rows of a table of any size by their answers to yes/no questions."""
    opened = open_source(source)
    fold = folds if isinstance(folds, str) else None
    roles = Roles.of(
        opened.schema.names, target, weight=weight, fold=fold, columns=columns, ignore=ignore
    )
    engine = opened.engine(n_threads(n_jobs), progress)
    is_fitted = isinstance(binarizer, Binarizer) and hasattr(binarizer, "literals_")
    if is_fitted:
        roles = _as_fitted(roles, binarizer)
    size = 0 if is_fitted else 1 if isinstance(binarizer, FixedBinarizer) else int(sample)
    sketching = Sketching(roles, size, int(random_state))
    sketch = engine.reduce(sketching.columns, sketching, combine_sketches)
    if sketch.n_rows == 0:
        raise ValueError("The table has no rows.")
    is_of_numbers = sketch.target.is_of_numbers(task, sketch.n_rows)
    labels = sketch.target.numbers if is_of_numbers else sketch.target.classes(sketch.n_rows)
    assert labels is not None
    if not is_fitted:
        binarizer = choose_questions(
            binarizer,
            sketch,
            roles,
            labels,
            is_of_numbers=is_of_numbers,
            memory_limit=whole_bytes(memory_limit),
            n_jobs=n_jobs,
        )
    table = _counted(engine, roles, sketch, labels, binarizer, is_of_numbers=is_of_numbers)
    if min_count > 1:
        table = table.drop_below(min_count)
    return table if folds is None or fold is not None else table.with_folds(folds, random_state)


def _as_fitted(roles: Roles, binarizer: Binarizer) -> Roles:
    """Return the roles of the columns that a binarizer was fitted to."""
    names = binarizer._labels_in or [f"x{j}" for j in range(binarizer.n_features_in_)]
    present = set(roles.features)
    missing = [str(name) for name in names if name not in present]
    if missing:
        raise ValueError(f"The table lacks the columns {missing} that the binarizer was fitted to.")
    return Roles(tuple(names), roles.target, roles.weight, roles.fold)


def _counted(
    engine: Engine,
    roles: Roles,
    sketch: Sketch,
    labels: NDArray[Any],
    binarizer: Binarizer,
    *,
    is_of_numbers: bool,
) -> CountTable:
    scaling = None if sketch.weights is None else sketch.weights.scaling(large=is_of_numbers)
    n_kinds = 1 if scaling is None or scaling.kinds is None else len(scaling.kinds)
    folds = tuple(sorted(sketch.folds.values))
    keys = Keys(len(labels), n_kinds)
    if max(len(folds), 1) * n_kinds * len(labels) >= MAX_KEYS:
        raise ValueError("There are too many classes and folds to be counted together.")
    counting = Counting(
        roles,
        tuple(binarizer.variables_),
        tuple(binarizer.literals_),
        Codes(labels),
        keys,
        scaling,
        folds,
    )
    counted = engine.reduce(counting.columns, counting, combine_counted)
    if counted.n_rows != sketch.n_rows:
        raise changed(f"it had {sketch.n_rows:,} rows, then {counted.n_rows:,}")
    table = _table_of(counted, keys, scaling, sketch, labels, binarizer, roles)
    return replace(table, classes=labels[:0], numbers=labels) if is_of_numbers else table


def _table_of(
    counted: Counted,
    keys: Keys,
    scaling: Scaling | None,
    sketch: Sketch,
    classes: NDArray[Any],
    binarizer: Binarizer,
    roles: Roles,
) -> CountTable:
    found = counted.patterns.result()
    codes, kinds, folds = keys.parts(found.keys)
    sums = [np.array(each) for each in found.sums]
    weights = None
    if scaling is not None and scaling.kinds is not None:
        weights = EntryWeights(each=scaling.kinds[kinds])
    elif scaling is not None:
        assert sketch.weights is not None
        unit = float(sketch.weights.total / int(sums[1].sum()))
        weights = EntryWeights(units=sums[1], unit=unit, is_whole=scaling.factor > 0)
    return CountTable(
        binarizer=binarizer,
        target=roles.target,
        classes=classes,
        words=[np.array(column) for column in found.columns],
        rows=sums[0],
        codes=codes,
        n_rows=sketch.n_rows,
        weights=weights,
        folds=None if roles.fold is None else folds,
    )
