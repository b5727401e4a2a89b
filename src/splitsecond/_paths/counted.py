"""Cross-validation of a path by the folds of a count table."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np

from splitsecond._counts.count_table import CountTable
from splitsecond._estimators.base import LimitWarning
from splitsecond._paths.fits import Fits
from splitsecond._paths.path import PathEntry
from splitsecond._paths.scorers import Scorer
from splitsecond._paths.targets import RowTarget
from splitsecond._paths.validation import FoldByFold
from splitsecond._solving.exact import as_fraction
from splitsecond._support.checks import check_number
from splitsecond._support.messages import shown
from splitsecond._tables.data_checks import DataWarning

FOLDS = "folds"


@dataclass(frozen=True)
class CountedValidation(FoldByFold):
    """The folds of a count table; what models are judged by is the loss that they are fitted for.

    A fold's trees ask the same questions as those of the whole table.
    """

    counts: CountTable
    target: RowTarget  # of the entries
    scorer: Scorer | None = None

    @classmethod
    def of(cls, cv: Any, scoring: Any, fits: Fits, counts: CountTable) -> Self:
        """Read what the user gave; rows are shared out to folds, if they are in none yet."""
        if scoring is not None:
            raise ValueError(
                f"scoring={shown(scoring)} needs rows, which a count table does not hold: leave it "
                "out, and the trees are compared by their loss."
            )
        if cv == FOLDS:
            if counts.n_folds < 2:
                raise ValueError(
                    f"cv={FOLDS!r}: the count table has no folds. Give a number of them, such as 5."
                )
        else:
            meaning = f"folds, such as 5, or {FOLDS!r} for those of the table"
            n_folds = check_number("cv", cv, Integral, meaning, minimum=2)
            if counts.folds is None:
                counts = counts.with_folds(n_folds)
            elif counts.n_folds != n_folds:
                raise ValueError(
                    f"cv={cv}: the count table has {counts.n_folds} folds. Give cv={FOLDS!r}."
                )
        # Entries that are in several folds now are other rows of the table.
        inside = Fits(fits.estimator, counts, None, None, fits.deadline)
        return cls(counts, RowTarget.of(inside))

    @property
    def n_folds(self) -> int:
        return self.counts.n_folds

    def _fold(self, number: int, entries: list[PathEntry], deadline: float) -> Iterator[float]:
        folds = self.counts.folds
        assert folds is not None
        train, test = np.flatnonzero(folds != number), np.flatnonzero(folds == number)
        with warnings.catch_warnings():
            for told in (DataWarning, LimitWarning):  # of the whole table
                warnings.simplefilter("ignore", told)
            inside = Fits(self.target.fits.estimator, self.counts.take(train), None, None, deadline)
        models = (inside.at(as_fraction(entry.regularization)).model for entry in entries)
        held_out = self.counts.take(test).answers()
        yield from (self.target.mean_loss(model.tree_, held_out, test) for model in models)
