"""The first steps of a fit: reading what the user gave, and binarizing it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from splitsecond._binarizers.base import Binarizer, Target
from splitsecond._binarizers.cuts import MidpointBinarizer, QuantileBinarizer
from splitsecond._binarizers.guessing import ThresholdGuessBinarizer
from splitsecond._binarizers.limits import BinarizingLimits
from splitsecond._counts.count_table import CountTable
from splitsecond._solving.solve import n_threads, whole_bytes
from splitsecond._tables.binary import Table
from splitsecond._tables.columns import RawTable
from splitsecond._tables.data_checks import findings, warn_of_columns
from splitsecond._tables.errors import NotBinaryError
from splitsecond._tables.labels import refuse_column_name
from splitsecond._tables.opening import Opened, open_table
from splitsecond._tables.reading import classify, read_table
from splitsecond._tables.weights import check_sample_weight

AUTO = "auto"  # leaves a table of 0/1 columns as it is

# What names of binarizers stand for.
SCHEMES: dict[str, Callable[[], Binarizer]] = {
    AUTO: partial(ThresholdGuessBinarizer, keep_binary=True),
    "guess": ThresholdGuessBinarizer,
    "quantile": QuantileBinarizer,
    "midpoint": MidpointBinarizer,
}


# The classes, if any, and the other parts of a `Target` that depend on what is to be predicted.
ReadTarget = tuple[NDArray[Any], dict[str, Any]]
ReadsTarget = Callable[[Any, int, NDArray[np.float64] | None], ReadTarget]


@dataclass(frozen=True)
class Training:
    """What a fit learns from: the user's table, opened and classified, and the target."""

    opened: Opened | None  # None: a count table
    source: Table | RawTable  # 0/1 columns, or any others
    is_sure: bool  # that 0/1 columns are 0/1 in all rows
    is_auto: bool  # what is not 0/1 is to be binarized
    classes: NDArray[Any]
    target: Target
    counts: CountTable | None = None  # in place of rows

    @property
    def labels(self) -> list[Any] | None:
        """Labels of the columns that the user gave."""
        if self.counts is not None:
            return self.counts.binarizer._labels_in
        return self.source.labels

    @property
    def n_columns(self) -> int:
        """The number of these columns."""
        if self.counts is not None:
            return self.counts.binarizer.n_features_in_
        return self.source.n_columns

    def not_binary(self, why: NotBinaryError) -> Training:
        """Return the same with a raw table, after a value was met that is neither 0 nor 1."""
        if not self.is_auto:
            raise why
        assert self.opened is not None
        return replace(self, source=RawTable(self.opened), is_sure=True)


@dataclass(frozen=True)
class Binarized:
    """The table of 0/1 columns, and the binarizer that made it: None if the user did."""

    binarizer: Binarizer | None
    table: Table


def read(
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    read_target: ReadsTarget,
    binarizer: Any,
    whole: bool,
    deadline: float | None,
    memory_limit: float | None,
    n_jobs: int | None,
    keeps_tree: bool,
) -> Training:
    """Read what the user gave, and set the limits of what follows.

    Unless the ``whole`` table is looked at, its first rows tell whether it is 0/1. With
    ``keeps_tree``, Ctrl-C ends binarizing with the questions that there are.
    """
    refuse_column_name(X, y)
    opened = open_table(X)
    source: Table | RawTable
    is_auto = isinstance(binarizer, str) and binarizer == AUTO
    if binarizer is None:
        source = read_table(opened)
        if whole:
            source.check_binary()
    elif is_auto:
        source = classify(opened, whole=whole)
    else:
        source = RawTable(opened)
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, source.n_rows)
    classes, parts = read_target(y, source.n_rows, sample_weight)
    limits = BinarizingLimits.of_fit(
        deadline,
        whole_bytes(memory_limit),
        n_threads=n_threads(n_jobs),
        keeps_tree=keeps_tree,
    )
    target = Target(deadline=deadline, n_jobs=n_jobs, limits=limits, **parts)
    is_sure = whole or isinstance(source, RawTable)
    return Training(opened, source, is_sure, is_auto, classes, target)


def binarize(training: Training, scheme: Any) -> Binarized:
    """Choose the questions, and answer them for the same table."""
    source = training.source
    if training.counts is not None:
        assert isinstance(source, Table)
        return Binarized(training.counts.binarizer, source)
    if scheme is None:
        assert isinstance(source, Table)
        return Binarized(None, source)
    binarizer: Binarizer = SCHEMES[scheme]() if isinstance(scheme, str) else clone(scheme)
    if isinstance(source, RawTable):
        return Binarized(binarizer, binarizer.fit_answers(source, training.target))
    return Binarized(binarizer.fit_binary(source), source)


def warn_of_mistakes(training: Training, binarized: Binarized) -> None:
    """Warn of columns that look as if they were there by mistake."""
    if training.counts is not None:  # the rows themselves are not at hand
        return
    binarizer, target = binarized.binarizer, training.target
    variables = None if binarizer is None else binarizer.variables_
    warn_of_columns(
        findings(training.source, variables, target.codes, target.n_classes, target.numbers)
    )
