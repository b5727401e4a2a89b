"""Count tables in place of rows: what a fit reads off them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from splitsecond._binarizers.base import Binarizer, Target
from splitsecond._binarizers.limits import BinarizingLimits
from splitsecond._counts.count_table import CountTable
from splitsecond._estimators.training import AUTO, ReadTarget, Training
from splitsecond._solving.solve import n_threads, whole_bytes
from splitsecond._support.messages import shown


def read_counts(
    counts: CountTable,
    y: Any,
    sample_weight: Any,
    *,
    read_target: Callable[[CountTable], ReadTarget],
    binarizer: Any,
    deadline: float | None,
    memory_limit: float | None,
    n_jobs: int | None,
    keeps_tree: bool,
) -> Training:
    """Read a count table, which holds the target, the weights and the questions."""
    if y is not None or sample_weight is not None:
        name = "sample_weight" if y is None else "y"
        raise ValueError(
            f"{name} was given with a count table, which holds its target and its weights: leave "
            f"{name} out."
        )
    is_own = isinstance(binarizer, Binarizer) and binarizer is counts.binarizer
    if not is_own and binarizer != AUTO:
        raise ValueError(
            f"binarizer={shown(binarizer)} has no effect on a count table, whose questions were "
            "chosen when it was made: pass it to compress, and leave it out here."
        )
    classes, parts = read_target(counts)
    limits = BinarizingLimits.of_fit(
        deadline, whole_bytes(memory_limit), n_threads=n_threads(n_jobs), keeps_tree=keeps_tree
    )
    target = Target(deadline=deadline, n_jobs=n_jobs, limits=limits, **parts)
    return Training(None, counts.answers(), True, False, classes, target, counts)
