"""The column to predict: whether it holds classes or numbers, and its values, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from splitsecond._cli.options import Learning, Loss, Task
from splitsecond._cli.output import say
from splitsecond._cli.sources import Source
from splitsecond._support.checks import is_quantity

if TYPE_CHECKING:
    from splitsecond import Tree

OF_NUMBERS = (Loss.SQUARED_ERROR, Loss.POISSON)


@dataclass(frozen=True)
class Asked:
    """What options say about the task."""

    task: Task | None = None
    loss: Loss | None = None
    for_classes: Sequence[str] = ()  # options that have a meaning for classes alone
    for_numbers: Sequence[str] = ()  # and for numbers

    @classmethod
    def by(cls, learning: Learning) -> Asked:
        """Return what the options of a fit say."""
        loss = learning.loss
        of_loss = [] if loss is None else [f"--loss {loss}"]
        is_of_numbers = loss in OF_NUMBERS
        last_split = {None: "", True: "--exact-last-split", False: "--entropy-last-split"}
        others = [
            "" if learning.costs is None else "--costs",
            "--class-weight" if learning.class_weight else "",
            last_split[learning.exact_last_split],
        ]
        return cls(
            learning.task,
            loss,
            [*([] if is_of_numbers else of_loss), *filter(None, others)],
            of_loss if is_of_numbers else [],
        )

    def decided(self) -> Task | None:
        """Return the task that was asked for; None if it is to be guessed."""
        if self.task is Task.CLASSIFICATION and self.for_numbers:
            raise ValueError(
                f"{self.for_numbers[0]} is for numbers, and --task classification for classes: "
                "leave one of them out."
            )
        by_loss = Task.REGRESSION if self.for_numbers else None
        task = self.task or by_loss
        if task is Task.REGRESSION and self.for_classes:
            why = f"--task {task}" if self.task else self.for_numbers[0]
            raise ValueError(
                f"{self.for_classes[0]} is for classes, and {why} for numbers: leave one of them "
                "out."
            )
        return task


@dataclass(frozen=True)
class ReadTarget:
    """What is to be predicted."""

    task: Task
    values: NDArray[Any]


def read_target(source: Source, table: pa.Table, name: str, asked: Asked) -> ReadTarget:
    """Read the target of a fit; whether it is classes or numbers is guessed aloud, if need be."""
    wanted = asked.decided()
    column = _known(source, table, name)
    guess = _guess(column)
    task = wanted or guess
    if wanted is None and task is Task.REGRESSION and asked.for_classes:
        raise ValueError(
            f"{_counted(name, column)}, a quantity, and {asked.for_classes[0]} is for classes: "
            "give --task classification to treat the numbers as classes, or leave it out."
        )
    if task is Task.REGRESSION:
        values = numbers_of(source, table, name, loss=str(asked.loss))
    elif guess is Task.REGRESSION:  # though classes are wanted: each number is a name
        values = labels_of(source, source.with_text(name).read(), name)
    else:
        values = labels_of(source, table, name)
    if wanted is None:
        _say_guess(task, name, column)
    return ReadTarget(task, values)


def _say_guess(task: Task, name: str, column: pa.ChunkedArray) -> None:
    """Say what a target is taken for, unless it is plain."""
    if task is Task.REGRESSION:
        say(f"{_counted(name, column)}: {task} (--task classification to treat them as classes)")
    elif _is_number(column.type) and _n_distinct(column) > 2:
        say(f"{_counted(name, column)}: {task} (--task regression to predict them as numbers)")


def _guess(column: pa.ChunkedArray) -> Task:
    """Guess whether a target is classes or numbers."""
    if not _is_number(column.type):
        return Task.CLASSIFICATION
    is_whole = pa.types.is_integer(column.type) or not _not_whole(_floats(column)).size
    is_class = is_whole and not is_quantity(_n_distinct(column), len(column))
    return Task.CLASSIFICATION if is_class else Task.REGRESSION


def _counted(name: str, column: pa.ChunkedArray) -> str:
    n = _n_distinct(column)
    return f"{name} has {n:,} different number{'s' * (n != 1)}"


def _n_distinct(column: pa.ChunkedArray) -> int:
    n: int = pc.count_distinct(column).as_py()
    return n


def _is_number(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def _floats(column: pa.ChunkedArray) -> NDArray[np.float64]:
    floats: NDArray[np.float64] = column.cast(pa.float64()).to_numpy()
    return floats


def _not_whole(numbers: NDArray[Any]) -> NDArray[Any]:
    others: NDArray[Any] = numbers[numbers != np.rint(numbers)]
    return others


def decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values of a column, also of one that is stored as codes of categories."""
    kind = column.type
    return column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column


def _known(source: Source, table: pa.Table, name: str) -> pa.ChunkedArray:
    """Return a target; refuse one that is missing for some rows, or of a kind that none is of."""
    column = decoded(table[name])
    kind = column.type
    if pa.types.is_temporal(kind) or pa.types.is_nested(kind):
        raise ValueError(f"The target {name!r} holds {kind}: targets are text or numbers.")
    is_missing = pc.is_null(column, nan_is_null=True)
    n_missing = pc.sum(is_missing).as_py()
    if n_missing == len(column):
        raise ValueError(f"The target {name!r} is missing in every row.")
    if n_missing:
        row = source.row(pc.index(is_missing, True).as_py(), len(column))
        raise ValueError(
            f"The target {name!r} is missing in {n_missing:,} of {len(column):,} rows, the first "
            f"of them {row}: remove those rows, or fill them in."
        )
    return column


def labels_of(
    source: Source, table: pa.Table, name: str, *, may_be_one: bool = False
) -> NDArray[Any]:
    """Return class labels; refuse a column that has none for some rows, or only one to learn."""
    column = _known(source, table, name)
    labels: NDArray[Any] = column.to_numpy()
    if labels.dtype.kind == "f" and _not_whole(labels).size:
        raise ValueError(
            f"The target {name!r} holds numbers such as {_not_whole(labels)[0]}, a quantity and "
            "not classes: make classes of it first, for example by a threshold."
        )
    if not may_be_one:
        _refuse_one(column, name)
    return labels


def numbers_of(
    source: Source, table: pa.Table, name: str, *, loss: str, may_be_one: bool = False
) -> NDArray[Any]:
    """Return a numeric target; refuse one that is no number for some rows, or only one to learn."""
    column = _known(source, table, name)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    if not _is_number(column.type):
        some = column[0].as_py()
        raise ValueError(
            f"The target {name!r} holds {column.type}, such as {some!r}: regression is for "
            "numbers. Fit for classes with --task classification, or turn it into numbers."
        )
    numbers = column.to_numpy() if pa.types.is_integer(column.type) else _floats(column)
    for wrong, what in (
        (np.isinf(numbers), "targets are finite numbers"),
        (
            (numbers < 0) & (loss == Loss.POISSON),
            "with --loss poisson, targets are counts or rates of at least 0",
        ),
    ):
        if wrong.any():
            row = source.row(int(np.argmax(wrong)), len(column))
            raise ValueError(f"The target {name!r} in {row} is {numbers[wrong][0]}: {what}.")
    if not may_be_one:
        _refuse_one(column, name)
    return np.asarray(numbers)


def refuse_for_numbers(options: dict[str, Any]) -> None:
    """Refuse options that were given, though a model that predicts numbers has no classes."""
    for option, value in options.items():
        if value is not None and value is not False:
            raise ValueError(
                f"{option} is for classes, and the model predicts numbers: leave it out."
            )


def target_for(tree: Tree, source: Source, table: pa.Table, name: str) -> NDArray[Any]:
    """Return the target of rows that a tree is evaluated on: classes, or numbers."""
    if tree.loss.is_of_numbers:
        return numbers_of(source, table, name, loss=tree.loss.name, may_be_one=True)
    return labels_of(source, table, name, may_be_one=True)


def _refuse_one(column: pa.ChunkedArray, name: str) -> None:
    if _n_distinct(column) == 1:
        value = column[0].as_py()
        raise ValueError(
            f"The target {name!r} is {value!r} in every row ({len(column):,}): there is nothing to "
            "tell apart."
        )
