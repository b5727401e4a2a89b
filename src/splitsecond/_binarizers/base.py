"""What binarizers share: reading columns, answering questions about them, and going back."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from splitsecond._binarizers.limits import GRACE, BinarizingLimits
from splitsecond._solving.losses import ZERO_ONE, Loss
from splitsecond._support.messages import SaysFitFirst, listed, shown
from splitsecond._tables.binary import Table, check_width, keep_columns
from splitsecond._tables.bits import PackedTable, pack_bits
from splitsecond._tables.cells import MISSING, UNKNOWN, Cells
from splitsecond._tables.columns import Kind, RawTable, Variable
from splitsecond._tables.literals import Literal
from splitsecond._tables.merged import Merged
from splitsecond._tables.opening import open_table
from splitsecond._tables.reading import as_binary
from splitsecond._tables.weights import check_sample_weight

if TYPE_CHECKING:
    from splitsecond._solving.solve import Reused

# Of the time for binarizing: by then all columns are read, all questions are chosen, and answered.
# Without answers there is no tree: for them some of the search's time may be used.
READING_SHARE, CHOOSING_SHARE, ANSWERING_SHARE = 0.5, 0.8, 1.4


@dataclass(frozen=True)
class Target:
    """What a binarizer may know about what is to be predicted, and what it may use."""

    codes: NDArray[Any] | None = None
    n_classes: int = 0
    weights: NDArray[np.float64] | None = None
    deadline: float | None = None  # of the fit, by time.perf_counter()
    n_jobs: int | None = None
    limits: BinarizingLimits = field(default_factory=BinarizingLimits)
    loss: Loss = ZERO_ONE  # what the tree is fitted for
    numbers: NDArray[np.float64] | None = None  # what is to be predicted, if it is no class
    reused: Reused | None = None  # for many searches of one table and these weights
    merged: Merged | None = None  # rows that stand for several; then there are no weights

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return self.weights is not None if self.merged is None else self.merged.is_weighted

    @property
    def total_weight(self) -> float:
        """What all rows weigh, where they have weights."""
        if self.merged is not None:
            return self.merged.weight
        assert self.weights is not None
        return float(self.weights.sum())

    def weights_of(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return what some rows of the table weigh, up to a factor."""
        if self.merged is not None:
            return self.merged.integers[rows].astype(np.float64)
        return np.ones(len(rows)) if self.weights is None else self.weights[rows]

    def n_present(self, n_rows: int) -> int:
        """Return the number of rows of some weight, given the rows of the table."""
        if self.merged is not None:
            return self.merged.n_present
        return n_rows if self.weights is None else int(np.count_nonzero(self.weights))

    def time_left(self) -> float | None:
        """Return the seconds left."""
        deadline = self.deadline
        if self.limits.stopped == "interrupted":
            grace = time.perf_counter() + GRACE
            deadline = grace if deadline is None else min(deadline, grace)
        return None if deadline is None else max(deadline - time.perf_counter(), 1e-9)


@dataclass(frozen=True)
class LiteralTable(Table):
    """A raw table seen through literals: column j holds the answers to literal j."""

    raw: RawTable
    variables: list[Variable]
    literals: list[Literal]
    values_of: dict[int, NDArray[Any]] = field(default_factory=dict)  # variables read until now

    def column(self, j: int) -> NDArray[Any]:
        literal = self.literals[j]
        return literal.answers(self.variables[literal.column], self._values(literal.column))

    def check_binary(self) -> None:
        # Numbers may be refused, so they are all looked at; any category has an answer.
        for column in sorted({literal.column for literal in self.literals}):
            if self.variables[column].kind in (Kind.BINARY, Kind.NUMBER):
                self._values(column)

    def forget(self, but: int) -> None:
        """Let go of the variables read until now, but one: together they are a whole table."""
        for column in [column for column in self.values_of if column != but]:
            del self.values_of[column]

    def _values(self, column: int) -> NDArray[Any]:
        if column not in self.values_of:
            variable, cells = self.variables[column], self.raw.cells(column)
            self.values_of[column] = (
                np.where(cells.is_missing(), MISSING, UNKNOWN)
                if variable.is_unknown
                else variable.values(cells)
            )
        return self.values_of[column]


class Binarizer(SaysFitFirst, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What the binarizers share: reading, answering, and going back."""

    # Set by fit.
    variables_: list[Variable]
    literals_: list[Literal]
    n_features_in_: int
    _labels_in: list[Any] | None
    _stopped: str | None = None  # the limit that kept it from asking more, as a status

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose the questions.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Columns of any kind: numbers, booleans, text, categories, with missing values or not.
        y : array-like of shape (n_samples,), optional
            Class labels, or the numbers of a regression; only `ThresholdGuessBinarizer` needs
            them.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative weights.

        Returns
        -------
        self
        """
        table = RawTable(X)
        weights = None
        if sample_weight is not None:
            weights = check_sample_weight(sample_weight, table.n_rows)
        return self.fit_raw(table, self._read_target(y, table.n_rows, weights))

    def fit_raw(self, table: RawTable, target: Target) -> Self:
        """Choose the questions for a table that is open already."""
        self._check_parameters()
        variables, literals = self._choose(table, target)
        self._keep(table, variables, literals)
        return self

    def fit_answers(self, table: RawTable, target: Target) -> Table:
        """Choose the questions, and answer them for the same table."""
        self.fit_raw(table, target)
        seen = self._see(table)
        answers: dict[int, NDArray[np.uint64]] = {}

        def answer(j: int) -> None:
            literal = self.literals_[j]
            as_it_is = (
                literal.operator == "is 1" and not self.variables_[literal.column].has_missing
            )
            own = table.flags(literal.column) if as_it_is else None
            packed = pack_bits(seen.column(j) if own is None else own)
            seen.forget(but=literal.column)
            answers[j] = packed

        limits = target.limits
        needed = len(self.literals_)
        for j in range(needed) if limits.deadline is None else _spread(needed):
            if not limits.completes(partial(answer, j), until=ANSWERING_SHARE):
                break
        kept = sorted(answers)
        if len(kept) < needed:
            limits.keep(len(kept), needed, "time_limit")
            self.literals_ = [self.literals_[j] for j in kept]
        self._stopped = limits.stopped
        return PackedTable(table.n_rows, len(kept), table.labels, [answers[j] for j in kept])

    def fit_binary(self, table: Table) -> Self:
        """Take over a table of 0/1 columns, each as it is: a search leaves out constant ones."""
        if table.labels is None:
            unnamed = [_unnamed(j) for j in range(table.n_columns)]
            variables = [variable for variable, _ in unnamed]
            literals = [literal for _, literal in unnamed]
        else:
            names = [str(label) for label in table.labels]
            variables = [
                Variable(label, name, Kind.BINARY)
                for label, name in zip(table.labels, names, strict=True)
            ]
            literals = [Literal(j, name, "is 1") for j, name in enumerate(names)]
        for j in table.constant():
            variables[j] = replace(variables[j], is_constant=True)
        self._keep(table, variables, literals)
        return self

    def transform(self, X: Any) -> NDArray[np.uint8]:
        """Answer the questions for each row: 1 is yes.

        Returns
        -------
        ndarray of shape (n_samples, n_literals)
        """
        check_is_fitted(self)
        return self.answers(self.literal_table(X))

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Return a table of values that answer as the rows of 0/1 columns do.

        Of the many values with the same answers one is given: for numbers a threshold, or a number
        above the highest one. A row whose answers contradict each other is refused.
        """
        check_is_fitted(self)
        answers = np.asarray(X)
        if answers.ndim != 2 or answers.shape[1] != len(self.literals_):
            raise ValueError(
                f"Expected {len(self.literals_)} columns of answers, got shape {answers.shape}."
            )
        out = np.full((len(answers), self.n_features_in_), None, dtype=object)
        for column, variable in enumerate(self.variables_):
            asked = [j for j, literal in enumerate(self.literals_) if literal.column == column]
            known = {
                tuple(bool(answer) for answer in row): _example(
                    variable, [self.literals_[j] for j in asked], row
                )
                for row in np.unique(answers[:, asked], axis=0)
            }
            for i, row in enumerate(answers[:, asked]):
                out[i, column] = known[tuple(bool(answer) for answer in row)]
        has_categories = any(variable.categories for variable in self.variables_)
        return out if has_categories else out.astype(np.float64)

    @property
    def is_lossless(self) -> bool:
        """Whether trees could not be better with other questions."""
        return self._is_identity()

    @property
    def dropped_(self) -> dict[str, str]:
        """Columns that no tree can ask about, and why: constant, or all missing."""
        return {v.name: v.dropped for v in self.variables_ if v.dropped}

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the questions in words, with other names for the columns if any are given."""
        check_is_fitted(self)
        names = [variable.name for variable in self.variables_]
        if input_features is not None:
            given = [str(name) for name in input_features]
            fitted = getattr(self, "feature_names_in_", None)
            if fitted is not None and list(fitted) != given:
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(given) != len(names):
                raise ValueError(
                    f"input_features should have length equal to number of features "
                    f"({len(names)}), got {len(given)}"
                )
            names = given
        texts = [str(literal._replace(name=names[literal.column])) for literal in self.literals_]
        return np.array(texts, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []  # answers are 0/1, whatever the columns hold
        return tags

    # ---- what the estimators use ----------------------------------------------------------------

    def literal_table(self, X: Any) -> Table:
        """Open a table whose column j holds the answers to literal j; every value is checked."""
        opened = open_table(X, self._labels_in)
        check_width(type(self).__name__, self.n_features_in_, opened.n_columns)
        if self._is_identity():  # nothing to ask: 0/1 columns are their own answers
            binary = as_binary(opened)
            if isinstance(binary, Table) and binary.non_binary() is None:
                return binary
        table = self._see(RawTable(opened))
        table.check_binary()
        return table

    def _is_identity(self) -> bool:
        """Whether all columns are 0/1 and stay as they are."""
        asked = [literal.column for literal in self.literals_ if literal.operator == "is 1"]
        return asked == list(range(len(self.variables_))) and len(asked) == len(self.literals_)

    def _see(self, raw: RawTable) -> LiteralTable:
        width = len(self.literals_)
        return LiteralTable(raw.n_rows, width, raw.labels, raw, self.variables_, self.literals_)

    def answers(self, table: Table) -> NDArray[np.uint8]:
        """Return all columns of a table of literals, side by side."""
        out = np.empty((table.n_rows, table.n_columns), dtype=np.uint8, order="F")
        for j in range(table.n_columns):
            out[:, j] = table.column(j)
            if isinstance(table, LiteralTable):
                table.forget(but=self.literals_[j].column)
        return out

    # ---- what subclasses define -----------------------------------------------------------------

    def _choose(self, table: RawTable, target: Target) -> tuple[list[Variable], list[Literal]]:
        """Decide what every column is and choose the questions."""
        raise NotImplementedError

    def _read_target(self, y: Any, n_rows: int, weights: NDArray[np.float64] | None) -> Target:
        return Target(weights=weights)

    def _check_parameters(self) -> None:
        pass

    # ---- steps ----------------------------------------------------------------------------------

    def _keep(
        self, table: Table | RawTable, variables: list[Variable], literals: list[Literal]
    ) -> None:
        keep_columns(self, table.labels, table.n_columns)
        self.variables_ = variables
        self.literals_ = literals
        self._stopped = None


@lru_cache(maxsize=4096)  # every fit of an array has them, and they do not change
def _unnamed(j: int) -> tuple[Variable, Literal]:
    return Variable(j, f"x{j}", Kind.BINARY), Literal(j, f"x{j}", "is 1")


def read_variables(
    table: RawTable,
    limits: BinarizingLimits,
    use: Callable[[int, Variable, Cells], None] | None = None,
    *,
    keep_constant: bool = False,
) -> list[Variable]:
    """Decide what every column is, and use those that can be asked about, as far as time allows."""
    variables: list[Variable] = []

    def read(j: int) -> None:
        variables.append(table.variable(j, keep_constant=keep_constant))
        if use is not None and variables[j].dropped is None:
            use(j, variables[j], table.cells(j))

    for j in range(table.n_columns):
        if not limits.completes(partial(read, j), until=READING_SHARE):
            break
    read_until = len(variables)
    if read_until < table.n_columns:
        limits.stop("time_limit", f"{read_until:,} of {table.n_columns:,} columns were read")
    unread = range(read_until, table.n_columns)
    return variables + [Variable(table.label(j), table.name(j), Kind.UNREAD) for j in unread]


def _spread(n: int) -> list[int]:
    """Order numbers so that the first of them, however many, are spread over all."""
    return [j for first in (0, 4, 2, 6, 1, 5, 3, 7) for j in range(first, n, 8)]


def _example(variable: Variable, literals: list[Literal], answers: NDArray[Any]) -> Any:
    """Return a value of a variable that gives these answers."""
    if variable.kind in (Kind.BINARY, Kind.NUMBER):
        cuts = sorted(literal.value for literal in literals if literal.operator == "<=")
        above = [min(cuts[-1] + max(1.0, abs(cuts[-1])), sys.float_info.max)] if cuts else [0.0]
        equal = [literal.value for literal in literals if literal.operator == "=="]
        flags = [0.0, 1.0] if variable.kind is Kind.BINARY else []
        candidates: list[Any] = [*cuts, *above, *equal, *flags, np.nan]
        values = np.array(candidates, dtype=np.float64)
    else:
        candidates = [*variable.categories, _another(variable.categories), None]
        values = np.array([*range(len(variable.categories)), UNKNOWN, MISSING])
    fits = np.ones(len(values), dtype=bool)
    for literal, answer in zip(literals, answers, strict=True):
        fits &= literal.answers(variable, values) == bool(answer)
    if not fits.any():
        said = [
            str(literal) if answer else literal.negation()
            for literal, answer in zip(literals, answers, strict=True)
        ]
        raise ValueError(f"No value of {shown(variable.name)} gives these answers: {listed(said)}.")
    return candidates[int(np.argmax(fits))]


def _another(categories: Sequence[Any]) -> Any:
    """Return a value that is none of the categories."""
    if any(isinstance(value, str) for value in categories):
        return "other" + "+" * sum(isinstance(v, str) and v.startswith("other") for v in categories)
    return max((float(value) for value in categories), default=0.0) + 1
