"""One crossing into the core: a table and its target in, a tree with its proof out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._solving.encoding import encode
from splitsecond._solving.exact import as_fraction
from splitsecond._solving.losses import ZERO_ONE, Loss
from splitsecond._solving.number_losses import OfNumbers
from splitsecond._solving.units import TREE_BITS, Units
from splitsecond._support.checks import check_limit, check_number
from splitsecond._tables.binary import Table
from splitsecond._tables.bits import PackedTable
from splitsecond._tables.errors import NotBinaryError
from splitsecond._tables.merged import Merged
from splitsecond._tables.reading import read_table
from splitsecond._tables.weights import as_integers
from splitsecond._trees.row_counts import RowsOfNumbers, RowSource

ALGORITHMS = ("greedy", "lickety", "split", "optimal")
MAX_THREADS = 1024
NONE = Fraction(0)

Progress = Callable[[int, int, float], object]


@dataclass(frozen=True)
class Counted:
    """What the core counts: the rows, and their classes and weights, or sums of numbers."""

    table: Table  # for numbers, of different rows: those that are alike are one
    target: _core.Target
    n_channels: int  # counts of a node: the classes, or the sums of numbers
    weight: int
    units: Units
    integers: NDArray[np.int32] | None = None  # weights of classes; None: all 1
    weight_unit: float = 1.0  # one of the core's units in the user's weights


@dataclass
class Reused:
    """What searches of one table that differ only in lambda and limits count once."""

    rows: Counted | None = None
    source: RowsOfNumbers | None = None


@dataclass(frozen=True)
class Problem:
    """What the core counts, and prices that order trees exactly."""

    rows: Counted
    price: Fraction  # lambda
    depth: int
    max_leaves: int
    loss_price: int
    leaf_price: int

    @classmethod
    def of(
        cls,
        table: Table,
        codes: Any,
        n_classes: int,
        weights: Any,
        *,
        regularization: float | Fraction,
        max_depth: int,
        loss: Loss = ZERO_ONE,
        numbers: NDArray[np.float64] | None = None,
        unit_bits: int = TREE_BITS,
        run: _core.RunOptions | None = None,
        rows: Counted | None = None,
        merged: Merged | None = None,
    ) -> Problem:
        """Bring what the user gave into the core's units, unless its rows were counted before."""
        depth = int(min(max_depth, table.n_columns))
        # Budgets are differences of costs, so twice the leaves of the largest tree may stand in a
        # comparison. More than 2**25 leaves are beyond what 64 bits hold together with the weights.
        n_rows = table.n_rows if merged is None else merged.n_rows
        max_leaves = 2 * min(2 ** min(depth, 24), n_rows)
        weights = None if weights is None else np.asarray(weights, dtype=np.float64)
        price = as_fraction(regularization)
        scale = {"bits": unit_bits, "max_leaves": max_leaves}
        if rows is None and numbers is None:
            rows = _of_classes(table, codes, n_classes, weights, loss, merged=merged, **scale)
        elif rows is None:
            assert numbers is not None
            assert isinstance(loss, OfNumbers)
            rows = _of_numbers(
                table, numbers, weights, loss, run or _core.RunOptions(), merged=merged, **scale
            )
        loss_price, leaf_price = rows.units.prices(price, max_leaves)
        return cls(rows, price, depth, max_leaves, loss_price, leaf_price)

    @property
    def units(self) -> Units:
        """Of losses."""
        return self.rows.units

    def counted(self, loss: int, leaves: int) -> Fraction:
        """Return the objective of a tree whose loss is counted in units."""
        return self.units.objective(loss, leaves, self.price)

    def reached(self, leaves: NDArray[np.int64], whole: NDArray[np.int64]) -> Fraction:
        """Return the objective of a tree, not rounded, given the weights of its leaves and root."""
        return self.units.loss.relative(leaves, whole) + self.price * len(leaves)

    def max_rounding(self, objective: Fraction) -> Fraction:
        """Return by how much the objective of a tree that is no worse than one may be rounded."""
        if self.units.loss.is_exact:
            return NONE
        leaves = self.max_leaves // 2
        if self.price > 0:
            leaves = min(leaves, int(objective / self.price))
        return self.units.rounding(max(1, leaves))

    def core_objective(self) -> _core.Objective:
        """Return the prices as the core takes them."""
        return self.units.core_objective(self.loss_price, self.leaf_price)


def _of_classes(
    table: Table,
    codes: Any,
    n_classes: int,
    weights: NDArray[np.float64] | None,
    loss: Loss,
    *,
    merged: Merged | None,
    bits: int,
    max_leaves: int,
) -> Counted:
    # A byte a row where that is enough: with few columns classes weigh as much as the table.
    codes = np.ascontiguousarray(codes, dtype=np.uint8 if n_classes <= 256 else np.int32)
    integers = as_integers(weights) if merged is None else merged.integers.astype(np.int32)
    weight = table.n_rows if integers is None else int(integers.sum(dtype=np.int64))
    if loss is ZERO_ONE:
        units = Units.of_errors(weight)
    else:
        sums = np.bincount(codes, weights=integers, minlength=n_classes)
        totals = np.rint(sums).astype(np.int64)  # below 2**31, and exact in floats
        units = Units.of(loss, totals, bits=bits, max_leaves=max_leaves)
    rows, total = None, float(weight)
    if merged is not None:
        rows, total = merged.counted_rows, merged.weight
    elif weights is not None:
        total = float(weights.sum())
    return Counted(
        table,
        _core.Target(codes, n_classes, integers, rows),
        n_classes,
        weight,
        units,
        integers,
        total / weight,
    )


def _of_numbers(
    table: Table,
    numbers: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    loss: OfNumbers,
    run: _core.RunOptions,
    *,
    merged: Merged | None,
    bits: int,
    max_leaves: int,
) -> Counted:
    alike = _core.merge_rows(table.core(), run)
    if alike.status == "interrupted":
        raise KeyboardInterrupt
    group = None
    rows = None if merged is None else merged.counted_rows
    if alike.status == "complete" and alike.not_binary is None:  # otherwise the search tells
        group = alike.group
        present = None if weights is None else weights > 0
        counted = present if merged is None else merged.rows
        counts = np.bincount(group, weights=counted, minlength=alike.n_groups)
        # Groups without weight count for nothing, but there are no groups without rows.
        rows = np.maximum(counts, 1).astype(np.int32)
        table = PackedTable(alike.n_groups, table.n_columns, table.labels, alike.columns)
    integers = None if merged is None else merged.integers
    encoded = encode(
        loss, numbers, weights, group, integers=integers, bits=bits, max_leaves=max_leaves
    )
    return Counted(
        table,
        _core.Target.of_sums(encoded.channels, rows),
        len(encoded.channels),
        encoded.weight,
        encoded.units,
        weight_unit=encoded.weight_unit,
    )


def run_options(
    table: Table,
    *,
    time_limit: float | None,
    memory_limit: float | None,
    n_jobs: int | None,
    progress: Progress | None,
) -> _core.RunOptions:
    """Return the limits as the core takes them."""
    limit = whole_bytes(memory_limit)
    if limit is not None:  # the table is a part of what the fit may hold
        limit = max(0, limit - table.held_bytes)
    return _core.RunOptions(
        time_limit=None if time_limit is None else float(time_limit),
        memory_limit=limit,
        # No use for more threads than first splits.
        n_threads=max(1, min(n_threads(n_jobs), table.n_columns)),
        progress=progress,
    )


def refusal(table: Table, found: _core.Outcome) -> NotBinaryError | None:
    """Return the error for a value that is neither 0 nor 1, if the core met one."""
    cell = found.not_binary
    if cell is None and not found.packed:  # stopped before every value had been looked at
        cell = table.non_binary()
    return None if cell is None else table.not_binary(*cell)


def statistics_of(table: Table, found: _core.Solution | _core.FoundSet) -> dict[str, Any]:
    """Return what the search counted, and what it took."""
    counted = found.statistics
    return {
        "subproblems": counted.subproblems,
        "completions": counted.completions,
        "pair_matrices": counted.pair_matrices,
        "cache_hits": counted.cache_hits,
        "cache_entries": counted.cache_entries,
        "peak_bytes": found.peak_bytes + table.held_bytes,
        "seconds": found.seconds,
    }


def whole_bytes(memory_limit: float | None) -> int | None:
    """Return a memory limit of any type of number as the core takes it."""
    limit = check_limit("memory_limit", memory_limit, "bytes")
    return None if limit is None else max(1, int(min(limit, 2.0**62)))


@dataclass(frozen=True)
class Solution:
    """A tree, what it costs, and what is proved about it."""

    feature: NDArray[np.int32]  # -1: a leaf
    left: NDArray[np.int32]  # the child where the feature is 1
    right: NDArray[np.int32]
    # (nodes, classes): training weight, in the core's integer units; for numbers, the sums of their
    # loss and then the rows by bins of their histogram, as the data has them.
    counts: NDArray[Any]
    errors: int  # the loss in the core's whole numbers; misclassified weight for zero_one
    leaves: int
    weight: int  # total, in the same units as the counts
    units: Units
    objective: Fraction
    lower_bound: Fraction  # of every tree within the depth limit
    status: str
    statistics: dict[str, Any]
    rows: RowSource | None = field(default=None, kw_only=True)  # of a set, or of numbers

    @property
    def loss(self) -> Fraction:
        """The loss as the objective counts it, without leaves."""
        return self.units.loss.relative(self.counts[self.feature < 0], self.counts[0])

    @property
    def loss_of_leaf(self) -> Fraction:
        """That of a tree without splits."""
        return self.units.loss.relative(self.counts[:1], self.counts[0])


@dataclass(frozen=True)
class Request:
    """One tree to be found: in which table, for which classes, how, and within which limits."""

    table: Table
    codes: Any  # class numbers from 0 to n_classes - 1; None: numbers are given
    n_classes: int
    weights: Any = None
    numbers: NDArray[np.float64] | None = None
    merged: Merged | None = None
    regularization: float | Fraction = 0.01
    loss: Loss = ZERO_ONE
    algorithm: str = "lickety"
    max_depth: int = 5
    min_leaf_rows: int = 1
    lookahead_depth: int | None = None
    postprocess: bool = True
    completion: str = "greedy"
    exact_last_split: bool = False
    time_limit: float | None = None
    memory_limit: int | None = None
    n_jobs: int | None = 1
    # Called some 50 times a second with the first splits tried, their number, and the seconds since
    # the start.
    progress: Progress | None = None
    speed: Mapping[str, Any] = field(default_factory=dict)  # arguments of `_core.Speed`
    reused: Reused = field(default_factory=Reused)
    # A backend that counts, for greedy and lickety alone (src/bindings/counters.cpp).
    counter: Callable[[_core.PackedRows], Any] | None = None

    def problem(self) -> Problem:
        """Return the classes and prices in the core's units."""
        problem = Problem.of(
            self.table,
            self.codes,
            self.n_classes,
            self.weights,
            regularization=self.regularization,
            max_depth=self.max_depth,
            loss=self.loss,
            numbers=self.numbers,
            run=self.run(),
            rows=self.reused.rows,
            merged=self.merged,
        )
        # Unless a limit kept it from finding rows that are alike.
        if self.numbers is None or problem.rows.table is not self.table:
            self.reused.rows = problem.rows
        return problem

    def source(self) -> RowsOfNumbers:
        """Return what tells the sums at nodes of trees of numbers, as the data has them."""
        if self.reused.source is None:
            assert isinstance(self.loss, OfNumbers)
            assert self.numbers is not None
            self.reused.source = RowsOfNumbers.of(
                self.table, self.loss, self.numbers, self.weights, self.merged
            )
        return self.reused.source

    def run(self) -> _core.RunOptions:
        """Return the limits as the core takes them."""
        return run_options(
            self.table,
            time_limit=self.time_limit,
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
            progress=self.progress,
        )

    def core(self, problem: Problem) -> _core.TreeRequest:
        """Return the request as the core takes it."""
        depth, lookahead = problem.depth, self.lookahead_depth
        return _core.TreeRequest(
            self.algorithm,
            problem.core_objective(),
            max_depth=depth,
            lookahead=default_lookahead(depth) if lookahead is None else int(min(lookahead, depth)),
            postprocess=self.postprocess,
            completion=self.completion,
            exact_last_split=self.exact_last_split,
            min_leaf_rows=self.min_leaf_rows,
            run=self.run(),
            speed=_core.Speed(**self.speed),
            counter=self.counter,
        )


def find_tree(request: Request) -> Solution | NotBinaryError:
    """Find a tree; or the error for a value that is neither 0 nor 1, of which the core knows first.

    The core looks at every value while it packs them: to look before would take as long again.
    """
    table, problem = request.table, request.problem()
    found = _core.solve(problem.rows.table.core(), problem.rows.target, request.core(problem))
    refused = refusal(table, found)
    if refused is not None:
        return refused
    counts: NDArray[Any] = found.counts.astype(np.int64).reshape(-1, problem.rows.n_channels)
    rows: RowSource | None = None
    if request.numbers is not None:  # as the data has them, not as the core rounds them
        rows = request.source()
        counts = rows.of_tree(found.feature, found.left, found.right)
    reached = problem.counted(found.loss, found.leaves)
    if not request.loss.is_exact:
        reached = problem.reached(counts[found.feature < 0], counts[0])
    bound, rounding, exact = _proved(problem, found, reached)
    return Solution(
        feature=found.feature,
        left=found.left,
        right=found.right,
        counts=counts,
        errors=found.loss,
        leaves=found.leaves,
        weight=problem.rows.weight,
        units=problem.units,
        objective=reached,
        lower_bound=bound,
        # Only the optimal search sets out to prove; elsewhere a closed gap is good luck.
        status="optimal" if exact and request.algorithm == "optimal" else found.status,
        statistics={
            **statistics_of(table, found),
            "rounding": 2 * float(rounding),
            "on_gpu": int(request.counter is not None),
        },
        rows=rows,
    )


def _proved(
    problem: Problem, found: _core.Solution, reached: Fraction
) -> tuple[Fraction, Fraction, bool]:
    """Return what no objective is below, what of it is rounding, and whether the tree is best."""
    loss_price, per_leaf = problem.loss_price, problem.leaf_price
    exact = found.lower_bound == loss_price * found.loss + per_leaf * found.leaves
    whole, price = problem.units.whole, problem.price
    if exact:
        proved = problem.counted(found.loss, found.leaves)
    else:
        # The core's penalty per leaf orders trees exactly but is not lambda itself; where it is
        # higher, a tree of many leaves may really cost less by the difference for each of them.
        # In integers: fractions would take as long as a small search.
        own = price * whole
        too_dear = max(0, per_leaf * own.denominator - own.numerator * loss_price)
        proved = Fraction(
            (found.lower_bound * own.denominator - too_dear * problem.max_leaves)
            * whole.denominator,
            loss_price * own.denominator * whole.numerator,
        )
        if problem.units.bias:
            proved -= problem.units.bias / whole
    rounding = problem.max_rounding(reached)
    if rounding:  # the proof is about objectives as the core counts them
        proved -= rounding
    return min(reached, max(proved, price)), rounding, exact


def solve(X: Any, codes: Any, **options: Any) -> Solution:
    """Solve one problem, given the other parts of a `Request`.

    What is no part of it is an argument of `_core.Speed`: these change only the speed, never the
    answer, and are there for tests and measurements.
    """
    known = {part.name for part in fields(Request)}
    speed = {name: value for name, value in options.items() if name not in known}
    parts = {name: value for name, value in options.items() if name in known}
    table = X if isinstance(X, Table) else read_table(X)
    found = find_tree(Request(table, codes, speed=speed, **parts))
    if isinstance(found, NotBinaryError):
        raise found
    return found


def default_lookahead(max_depth: int) -> int:
    """Return the lookahead at which SPLIT does the least work, by the paper's analysis."""
    return max(1, (max_depth - 1) // 2)


def n_threads(n_jobs: int | None) -> int:
    """Read ``n_jobs`` as scikit-learn does: None is one thread, -1 all, -2 all but one."""
    if n_jobs is None:
        return 1
    n_jobs = check_number("n_jobs", n_jobs, Integral, "a number of threads, -1 for all")
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning: give 1 for one thread or -1 for all processors.")
    if n_jobs > 0:
        return min(n_jobs, MAX_THREADS)
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    )
    return max(1, (processors or 1) + 1 + max(n_jobs, -MAX_THREADS))
