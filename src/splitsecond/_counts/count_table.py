"""A count table: each pattern of answers that occurs, once, with the rows that have it.

No tree can tell rows apart that give the same answers to all questions, so that their number, and
the sum of their weights, is all that a search needs of them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._binarizers.base import Binarizer
from splitsecond._counts.entry_weights import EntryWeights, merged_rows
from splitsecond._support.checks import check_flag, check_number
from splitsecond._support.frames import frame_of
from splitsecond._support.messages import listed
from splitsecond._support.names import public
from splitsecond._tables.bits import PackedTable, pack_bits
from splitsecond._tables.literals import Literal
from splitsecond._tables.merged import Merged
from splitsecond._tables.weights import class_shares


@public
@dataclass(frozen=True, eq=False, repr=False)
class CountTable:
    """Rows of a table by the pattern of their answers; `compress` makes it of tables of any size.

    An *entry* is a pattern of answers together with a class (and a fold, if there are folds). Every
    estimator, set and path takes a count table in place of ``(X, y)``.
    """

    binarizer: Binarizer  # fitted: its `literals_` are the questions
    target: str  # name of the column that is to be predicted
    classes: NDArray[Any]  # labels; empty for numbers
    words: list[NDArray[np.uint64]]  # answers to each question: bits of the entries, 64 a word
    rows: NDArray[np.int64]  # of each entry, those of some weight
    codes: NDArray[np.int32]  # of each entry, its class, or the place of its number
    n_rows: int  # in all, those without weight too
    n_dropped: int = field(default=0, kw_only=True)  # rows that `drop_below` left out
    weights: EntryWeights | None = None  # None: all rows count alike
    folds: NDArray[np.int32] | None = None  # of each entry, from 0
    numbers: NDArray[Any] | None = None  # the different ones, if they are to be predicted
    # Of the folds, in their order; None: there are none, or an older file does not say.
    fold_labels: tuple[Any, ...] | None = field(default=None, kw_only=True)

    @property
    def n_entries(self) -> int:
        """Number of entries: patterns, once for each class and fold that they occur with."""
        return len(self.rows)

    @property
    def n_patterns(self) -> int:
        """Number of different patterns of answers."""
        return int(np.count_nonzero(self.answers().differs()))  # one pattern's are neighbours

    @property
    def n_folds(self) -> int:
        """Number of folds; 0: there are none."""
        return 0 if self.folds is None else int(self.folds.max()) + 1

    @property
    def literals(self) -> list[Literal]:
        """The questions."""
        return self.binarizer.literals_

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        weights = (None, None) if self.weights is None else (self.weights.each, self.weights.units)
        arrays = (*self.words, self.rows, self.codes, self.folds, *weights)
        return sum(array.nbytes for array in arrays if array is not None)

    def answers(self) -> PackedTable:
        """Return the entries as a table of 0/1 columns."""
        labels = self.binarizer._labels_in
        return PackedTable(self.n_entries, len(self.words), labels, self.words)

    def answers_to(self, literals: list[Literal], who: str) -> PackedTable:
        """Return the entries' answers to some questions, which must be among its own."""
        place = {literal: j for j, literal in enumerate(self.literals)}
        missing = [str(literal) for literal in literals if literal not in place]
        if missing:
            raise ValueError(
                f"The count table does not answer what {who} asks: {listed(missing)}. Make it with "
                "compress(..., binarizer=model.binarizer_)."
            )
        words = [self.words[place[literal]] for literal in literals]
        return PackedTable(self.n_entries, len(words), self.binarizer._labels_in, words)

    @property
    def is_of_numbers(self) -> bool:
        """Whether numbers are to be predicted."""
        return self.numbers is not None

    def row_weights(self) -> NDArray[np.float64]:
        """Return what the rows of each entry weigh together."""
        rows = self.rows.astype(np.float64)
        return rows if self.weights is None else self.weights.of_rows(self.rows)

    def class_weights(self, class_weight: Any) -> dict[Any, float]:
        """Return the weight of each class, where "balanced" stands for those of these rows."""
        totals = np.bincount(self.codes, self.row_weights(), len(self.classes))
        shares = class_shares(self.classes, totals, class_weight)
        return dict(zip(self.classes.tolist(), shares.tolist(), strict=True))

    def merged(self, class_weight: Any = None) -> Merged:
        """Return what the entries count as in a fit, with weights of the classes if there are."""
        return merged_rows(
            self.rows,
            self.weights,
            self.n_rows,
            codes=self.codes,
            classes=None if self.is_of_numbers else self.classes,
            class_weight=class_weight,
        )

    def numbers_of_patterns(self) -> NDArray[np.int64]:
        """Return the number of each entry's pattern, from 0."""
        numbers: NDArray[np.int64] = np.cumsum(self.answers().differs(), dtype=np.int64) - 1
        return numbers

    def take(self, places: NDArray[np.intp]) -> CountTable:
        """Return some of the entries, in their order."""
        answers = self.answers()
        return replace(
            self,
            words=[pack_bits(answers.column(j)[places]) for j in range(len(self.words))],
            rows=self.rows[places],
            codes=self.codes[places],
            n_rows=int(self.rows[places].sum()),
            weights=None if self.weights is None else self.weights.take(places),
            folds=None if self.folds is None else self.folds[places],
        )

    def labels_of_entries(self) -> NDArray[Any]:
        """Return the class or number of each entry."""
        labels = self.classes if self.numbers is None else self.numbers
        of_entries: NDArray[Any] = labels[self.codes]
        return of_entries

    def drop_below(self, min_count: int, *, keep_questions: bool = False) -> CountTable:
        """Return a table without the patterns that fewer than `min_count` rows have, for privacy.

        Rows count together whatever their classes. What it costs is said in the table's text.

        What occurred in dropped rows alone is gone: classes, numbers and labels of folds,
        categories, and questions that all other rows answer alike. No tree can use these. What
        remains besides the patterns:

        - each class or number of a pattern that is kept, also where one row alone has it;
        - the names of all columns, and questions that a user wrote (`FixedBinarizer`);
        - the thresholds and categories of other questions that are left: a threshold lies between
          two values, of which a dropped row may have had one;
        - of ordered categories, all up to the highest that is asked about, which decide who
          answers yes;
        - whether a column has missing values, where that is no question;
        - how many rows were dropped, and the unit of weights that had to be rounded.

        Parameters
        ----------
        min_count : int
            How many rows a pattern must have.
        keep_questions : bool, default=False
            Keep all questions, with the values that they name. Tables add up, and a model's
            `score` takes them, only if they answer the same questions. `compress` keeps those of
            a fitted binarizer, which were chosen before.

        Returns
        -------
        CountTable
        """
        from splitsecond._counts.rare import without_rare

        least = check_number("min_count", min_count, Integral, "rows of a pattern", minimum=1)
        check_flag("keep_questions", keep_questions)
        return without_rare(self, least, keep_questions=bool(keep_questions))

    def with_folds(self, n_folds: int, random_state: int = 0) -> CountTable:
        """Return a table whose rows are shared out to folds, for `regularization_path`.

        Every class is shared out evenly, by chance. Rows of one entry are alike, so that it does
        not matter which of them are in which fold.
        """
        from splitsecond._counts.shares import with_folds

        check_number("n_folds", n_folds, Integral, "folds, such as 5", minimum=2)
        return with_folds(self, int(n_folds), int(random_state))

    def __add__(self, other: Any) -> CountTable:
        """Return a table of the rows of both; their questions must be the same."""
        from splitsecond._counts.adding import add

        return add(self, other) if isinstance(other, CountTable) else NotImplemented

    def __radd__(self, other: Any) -> CountTable:
        """Let `sum` add up tables, which begins with 0."""
        return self if other == 0 else NotImplemented

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a Parquet file, whole or not at all."""
        from splitsecond._counts.saving import save_counts

        save_counts(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> CountTable:
        """Read what `save` wrote; no code in the file is run."""
        from splitsecond._counts.saving import load_counts

        return load_counts(path)

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame ("pandas" or "polars"), a row for each entry."""
        answers = self.answers()
        columns: dict[str, Any] = {
            str(literal): answers.column(j).astype(bool) for j, literal in enumerate(self.literals)
        }
        columns[self.target] = self.labels_of_entries()
        columns["rows"] = self.rows
        if self.weights is not None:
            columns["weight"] = self.row_weights()
        if self.folds is not None:
            columns["fold"] = self.folds
        return frame_of(columns, library)

    def __repr__(self) -> str:
        size = self.nbytes / 1e6
        folds = f", {self.n_folds} folds" if self.n_folds else ""
        if self.n_dropped:
            share = self.n_dropped / (self.n_rows + self.n_dropped)
            folds += f", without {self.n_dropped:,} rows ({share:.2%}) of rare patterns"
        return (
            f"<CountTable: {self.n_rows:,} rows, {self.n_patterns:,} patterns of "
            f"{len(self.words):,} questions{folds}, {size:.1f} MB>"
        )
