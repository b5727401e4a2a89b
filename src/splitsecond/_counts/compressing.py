"""From a table of any size to a count table, in two passes over its partitions."""

from __future__ import annotations

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
from splitsecond._counts.targets import ClassCodes
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
    classes = sketch.target.classes(sketch.n_rows)
    if not is_fitted:
        binarizer = choose_questions(
            binarizer, sketch, roles, classes, memory_limit=whole_bytes(memory_limit), n_jobs=n_jobs
        )
    return _counted(engine, roles, sketch, classes, binarizer)


def _as_fitted(roles: Roles, binarizer: Binarizer) -> Roles:
    """Return the roles of the columns that a binarizer was fitted to."""
    names = binarizer._labels_in or [f"x{j}" for j in range(binarizer.n_features_in_)]
    present = set(roles.features)
    missing = [str(name) for name in names if name not in present]
    if missing:
        raise ValueError(f"The table lacks the columns {missing} that the binarizer was fitted to.")
    return Roles(tuple(names), roles.target, roles.weight, roles.fold)


def _counted(
    engine: Engine, roles: Roles, sketch: Sketch, classes: NDArray[Any], binarizer: Binarizer
) -> CountTable:
    scaling = None if sketch.weights is None else sketch.weights.scaling()
    n_kinds = 1 if scaling is None or scaling.kinds is None else len(scaling.kinds)
    labels = tuple(sorted(sketch.folds.values))
    keys = Keys(len(classes), n_kinds)
    if max(len(labels), 1) * n_kinds * len(classes) >= MAX_KEYS:
        raise ValueError("There are too many classes and folds to be counted together.")
    counting = Counting(
        roles,
        tuple(binarizer.variables_),
        tuple(binarizer.literals_),
        ClassCodes.of(classes),
        keys,
        scaling,
        labels,
    )
    counted = engine.reduce(counting.columns, counting, combine_counted)
    if counted.n_rows != sketch.n_rows:
        raise ValueError(
            f"The table has changed while it was read: it had {sketch.n_rows:,} rows, then "
            f"{counted.n_rows:,}."
        )
    return _table_of(counted, keys, scaling, sketch, classes, binarizer, roles)


def _table_of(
    counted: Counted,
    keys: Keys,
    scaling: Scaling | None,
    sketch: Sketch,
    classes: NDArray[Any],
    binarizer: Binarizer,
    roles: Roles,
) -> CountTable:
    words, numbers, sums = counted.patterns.result()
    codes, kinds, folds = keys.parts(numbers)
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
        words=list(words),
        rows=np.asarray(sums[0], dtype=np.int64),
        codes=codes,
        n_rows=sketch.n_rows,
        weights=weights,
        folds=None if roles.fold is None else folds,
    )
