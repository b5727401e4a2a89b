"""From a table of any size to a count table, in two passes over its partitions."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._binarizers.base import Binarizer
from splitsecond._binarizers.cuts import FixedBinarizer
from splitsecond._counts.changes import changed
from splitsecond._counts.choosing import choose_questions
from splitsecond._counts.count_table import CountTable
from splitsecond._counts.counting import Counted, Counting, Keys, combine_counted
from splitsecond._counts.engine import Engine
from splitsecond._counts.entry_weights import EntryWeights
from splitsecond._counts.folds import plain_labels
from splitsecond._counts.roles import Roles
from splitsecond._counts.sketch import Sketch, Sketching, combine_sketches
from splitsecond._counts.sources import open_source
from splitsecond._counts.targets import TASKS, Codes
from splitsecond._estimators.training import SCHEMES
from splitsecond._solving.solve import n_threads, whole_bytes
from splitsecond._support.checks import check_choice, check_number
from splitsecond._support.names import public


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
    """Count the rows of a table of any size by their answers to yes/no questions.

    The table is read twice, a batch at a time. The first pass finds out what the columns and the
    classes are, and draws a sample, from which the questions are chosen; the second answers them
    for every row, and counts. The result does not depend on how the table is divided into files, on
    the order of its rows, or on the number of threads. Fits of it are those of the rows with the
    same questions: the same tree, objective, bound and set.

    Parameters
    ----------
    source : path, list of paths, pyarrow dataset, table or data frame
        Parquet or CSV files, folders of them, or patterns such as ``data/*.parquet``, with the same
        columns, to which folders such as ``year=2024`` add; or anything that exports an Arrow
        stream more than once, such as a data frame of polars.
    target : str
        Name of the column that is to be predicted.
    binarizer : "auto", "guess", "quantile", "midpoint" or a binarizer, default="auto"
        As for `LicketySPLITClassifier`: it chooses the questions from the sample. A fitted one
        keeps those that it has, as for held-out rows (``binarizer=model.binarizer_``).
    weight : str, optional
        Name of a column of weights.
    folds : int or str, optional
        The number of folds to share the rows out to (`CountTable.with_folds`), or the name of a
        column that says in which fold a row is, for `regularization_path`.
    task : "auto", "classification" or "regression", default="auto"
        What the target is: "auto" takes text, booleans and a few different whole numbers as
        classes, and other numbers as numbers.
    columns, ignore : list of str, optional
        The columns to ask about, by default all others; or some that are not to be.
    sample : int, default=100_000
        How many different rows to choose the questions from. A table of no more different rows is
        used whole.
    random_state : int, default=0
        Draws the sample and the folds.
    min_count : int, default=1
        Patterns of answers that fewer rows have are dropped, for privacy, and what occurred in
        them alone (`CountTable.drop_below` says what remains). The questions of a fitted binarizer
        are kept.
    memory_limit : int, optional
        Bytes that the patterns may take, for each thread; a MemoryError says that more are needed.
        Where the answers of the sample would not fit, fewer questions are chosen, and a
        `LimitWarning` says so.
    n_jobs : int, optional
        Threads; -1 uses all processors.
    progress : callable, optional
        Called while the table is read, with the rows done, the rows there are (0: not known) and
        the seconds of this pass so far.

    Returns
    -------
    CountTable

    Examples
    --------
    >>> import pandas as pd
    >>> from splitsecond import LicketySPLITClassifier, compress
    >>> people = pd.DataFrame({"age": [22, 31, 58] * 30, "left": ["yes", "no", "no"] * 30})
    >>> counts = compress(people, "left")
    >>> counts.n_rows
    90
    >>> LicketySPLITClassifier().fit(counts).score(counts)
    1.0
    """
    _check_parameters(binarizer, task, sample, random_state)
    fold, n_folds = _read_folds(folds)
    least = check_number("min_count", min_count, Integral, "rows of a pattern", minimum=1)
    opened = open_source(source)
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
    if sketch.weights is not None and sketch.weights.highest == 0:
        raise ValueError(
            f"Column {weight!r} is zero for every row: give at least one row a weight."
        )
    if sketch.folds.too_many:
        raise ValueError(f"Column {fold!r} has too many different values to be folds.")
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
    table = _SecondPass(
        engine, roles, sketch, labels, is_of_numbers, binarizer, whole_bytes(memory_limit)
    ).table()
    if least > 1:
        table = table.drop_below(least, keep_questions=is_fitted)
    return table if n_folds is None else table.with_folds(n_folds, random_state)


def _read_folds(folds: Any) -> tuple[str | None, int | None]:
    """Return the column that says in which fold a row is, or how many folds there are to be."""
    if folds is None or isinstance(folds, str):
        return folds, None
    meaning = "folds to share the rows out to, or the name of a column"
    return None, check_number("folds", folds, Integral, meaning, minimum=2)


def _check_parameters(binarizer: Any, task: Any, sample: Any, random_state: Any) -> None:
    check_choice("task", task, TASKS)
    check_number("sample", sample, Integral, "rows to choose the questions from", minimum=1)
    check_number("random_state", random_state, Integral, "a seed, such as 0")
    if not isinstance(binarizer, Binarizer):
        check_choice("binarizer", binarizer, SCHEMES)


def _as_fitted(roles: Roles, binarizer: Binarizer) -> Roles:
    """Return the roles of the columns that a binarizer was fitted to."""
    names = binarizer._labels_in or [f"x{j}" for j in range(binarizer.n_features_in_)]
    present = set(roles.features)
    missing = [str(name) for name in names if name not in present]
    if missing:
        raise ValueError(f"The table lacks the columns {missing} that the binarizer was fitted to.")
    return Roles(tuple(names), roles.target, roles.weight, roles.fold)


@dataclass(frozen=True)
class _SecondPass:
    """Counts the rows of a table whose questions are known."""

    engine: Engine
    roles: Roles
    sketch: Sketch
    labels: NDArray[Any]
    is_of_numbers: bool
    binarizer: Binarizer
    memory_limit: int | None

    def table(self) -> CountTable:
        """Return the count table."""
        sketch, labels = self.sketch, self.labels
        scaling = None
        if sketch.weights is not None:
            scaling = sketch.weights.scaling(large=self.is_of_numbers)
        n_kinds = 1 if scaling is None or scaling.kinds is None else len(scaling.kinds)
        folds = tuple(sorted(sketch.folds.values))
        keys = Keys(len(labels), n_kinds)
        keys.check(len(folds))
        counting = Counting(
            self.roles,
            tuple(self.binarizer.variables_),
            tuple(self.binarizer.literals_),
            Codes(labels),
            keys,
            scaling,
            folds,
            self.memory_limit,
        )
        counted = self.engine.reduce(counting.columns, counting, combine_counted)
        if counted.n_rows != sketch.n_rows:
            raise changed(f"it had {sketch.n_rows:,} rows, then {counted.n_rows:,}")
        if sketch.weights is not None and counted.checksum != sketch.weights.checksum:
            raise changed("its weights are others")
        return self._made(counted, counting)

    def _made(self, counted: Counted, counting: Counting) -> CountTable:
        found, labels, scaling = counted.result(), self.labels, counting.scaling
        codes, kinds, folds = counting.keys.parts(found.keys)
        sums = [np.array(each) for each in found.sums]
        weights = None
        if scaling is not None and scaling.kinds is not None:
            weights = EntryWeights(each=scaling.kinds[kinds])
        elif scaling is not None:
            assert self.sketch.weights is not None
            unit = float(self.sketch.weights.total / int(sums[1].sum()))
            weights = EntryWeights(units=sums[1], unit=unit, is_whole=scaling.factor > 0)
        return CountTable(
            binarizer=self.binarizer,
            target=self.roles.target,
            classes=labels[:0] if self.is_of_numbers else labels,
            numbers=labels if self.is_of_numbers else None,
            words=[np.array(column) for column in found.columns],
            rows=sums[0],
            codes=codes,
            n_rows=self.sketch.n_rows,
            weights=weights,
            folds=None if self.roles.fold is None else folds,
            fold_labels=None if self.roles.fold is None else plain_labels(counting.fold_labels),
        )
