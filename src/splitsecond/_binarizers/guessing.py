"""Threshold guessing: the questions that a boosted ensemble asks, less those it can do without."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._binarizers.base import (
    CHOOSING_SHARE,
    Binarizer,
    Target,
    read_variables,
)
from splitsecond._binarizers.binning import Binned, bin_column
from splitsecond._binarizers.elimination import blas, eliminate, moments_of
from splitsecond._binarizers.guessed import Guessed, GuessedClasses, GuessedNumbers
from splitsecond._solving.solve import n_threads
from splitsecond._support.checks import check_choice, check_flag, check_number, check_random
from splitsecond._support.names import public
from splitsecond._tables.cells import Cells
from splitsecond._tables.columns import Kind, RawTable, Variable
from splitsecond._tables.labels import encode_labels
from splitsecond._tables.literals import Literal
from splitsecond._tables.numbers import POISSON, read_numbers

# Bins of a column, between which thresholds are sought: every value its own, up to these.
MIN_BINS, MAX_BINS, ALL_BINS = 1024, 32768, 1 << 18
MAX_ELIMINATED = 1024  # columns that elimination can handle; the least used go first
MAX_ROUNDS = 2**30
LOSSES = ("log_loss", "squared_error", POISSON)  # of classes, and of numbers


@public
class ThresholdGuessBinarizer(Binarizer):
    """Thresholds guessed by boosting: few columns, nearly as good as all of them.

    Boosted stumps are grown on the raw columns, for all classes or for a numeric target. Every
    question they ask becomes a candidate. Then the columns are fitted again, linearly, and the one
    whose loss costs the least is dropped, again and again, while the explained variance falls by
    no more than `tolerance`.

    Parameters
    ----------
    n_estimators : int, default=200
        Rounds of boosting; a round grows a tree for each class (one for two classes or numbers).
    max_depth : int, default=1
        Depth of the boosted trees: 1 for stumps, at most 6.
    learning_rate : float, default=0.1
        Shrinkage of each tree.
    column_elimination : bool, default=True
        Whether to drop columns that the others make up for.
    tolerance : float, default=0.0
        The share of the explained variance that elimination may lose: by default nothing, so that
        only columns that add nothing go. With 0.001 some 20 % go, at little loss.
    max_features : int, optional
        The number of columns to aim at, such as the paper's 40 to 100, or 20 to 25. Boosting goes
        on (up to ten times `n_estimators`) until it has asked that many questions; the least
        important are dropped down to it. `tolerance` is then of no effect.
    keep_binary : bool, default=False
        Whether 0/1 columns stay as they are, without having to prove themselves.
    max_samples : int, default=100_000
        Rows to guess from; of a larger table, so many are drawn.
    random_state : int, RandomState instance or None, default=0
        Draws those rows. Smaller tables need no randomness.
    n_jobs : int, optional
        Threads; -1 uses all processors. The result does not depend on it.
    loss : {"log_loss", "squared_error", "poisson"}, default="log_loss"
        What is boosted, and so what y is: class labels for "log_loss", numbers otherwise. For
        "poisson" y is a count, or a rate whose exposure is the `sample_weight`: y is then count /
        exposure, as for scikit-learn's `PoissonRegressor`. Inside an estimator, the target and
        the loss of the fit decide.

    Attributes
    ----------
    literals_, variables_, dropped_, n_features_in_, feature_names_in_
        As for `MidpointBinarizer`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from splitsecond import ThresholdGuessBinarizer
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> guess = ThresholdGuessBinarizer(max_features=3).fit(X, y)
    >>> guess.get_feature_names_out().tolist()
    ['petal length (cm) <= 2.5', 'petal length (cm) <= 4.85', 'petal width (cm) <= 1.75']

    A numeric target needs its loss:

    >>> width = X.pop("petal width (cm)")
    >>> guess = ThresholdGuessBinarizer(max_features=2, loss="squared_error").fit(X, width)
    >>> guess.get_feature_names_out().tolist()
    ['petal length (cm) <= 2.5', 'petal length (cm) <= 4.75']
    """

    def __init__(
        self,
        *,
        n_estimators: int = 200,
        max_depth: int = 1,
        learning_rate: float = 0.1,
        column_elimination: bool = True,
        tolerance: float = 0.0,
        max_features: int | None = None,
        keep_binary: bool = False,
        max_samples: int = 100_000,
        random_state: Any = 0,
        n_jobs: int | None = None,
        loss: str = "log_loss",
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.column_elimination = column_elimination
        self.tolerance = tolerance
        self.max_features = max_features
        self.keep_binary = keep_binary
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.loss = loss

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _check_parameters(self) -> None:
        for name, kind, least, most, meaning in (
            ("n_estimators", Integral, 1, None, "rounds of boosting, such as 200"),
            ("max_depth", Integral, 1, 6, "1 for stumps"),
            ("learning_rate", Real, 1e-6, 1, "a step, such as 0.1"),
            ("tolerance", Real, 0, 1, "a share, such as 0.001"),
            ("max_features", Integral, 1, None, "columns, or None"),
            ("max_samples", Integral, 1, None, "rows to guess from"),
        ):
            value = getattr(self, name)
            if name != "max_features" or value is not None:
                check_number(name, value, kind, meaning, minimum=least, maximum=most)
        for name in ("column_elimination", "keep_binary"):
            check_flag(name, getattr(self, name))
        check_choice("loss", self.loss, LOSSES)
        n_threads(self.n_jobs)

    def _read_target(self, y: Any, n_rows: int, weights: NDArray[np.float64] | None) -> Target:
        check_choice("loss", self.loss, LOSSES)
        is_number = self.loss != "log_loss"
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: "
                f"thresholds are guessed from the {'numbers' if is_number else 'classes'}."
            )
        if is_number:
            return Target(weights=weights, numbers=read_numbers(y, n_rows, loss=self.loss).values)
        classes, codes = encode_labels(y, n_rows)
        return Target(codes, len(classes), weights)

    def _choose(self, table: RawTable, target: Target) -> tuple[list[Variable], list[Literal]]:
        limits = target.limits
        rows = self._sample(table, target)
        guessed = self._guessed(target, rows)
        weights = guessed.weights
        max_bins = min(max(ALL_BINS // table.n_columns, MIN_BINS), MAX_BINS)
        columns: list[Binned] = []

        def use(j: int, variable: Variable, cells: Cells) -> None:
            columns.append(bin_column(j, variable, variable.values(cells)[rows], weights, max_bins))

        variables = read_variables(table, limits, use)
        asked = self._boost(columns, guessed, target)
        if self.keep_binary:
            for place, column in enumerate(columns):
                if column.variable.kind is Kind.BINARY:
                    asked.setdefault((place, 1), 0.0)
        most = limits.most_in_memory(table.n_rows, target.n_classes)
        if len(asked) > most:
            limits.keep(int(most), len(asked), "memory_limit")
            asked = {each: asked[each] for each in self._ranked(columns, asked)[: int(most)]}
        chosen = self._eliminate(columns, asked, guessed, target)
        return variables, [columns[place].literal(bin_) for place, bin_ in chosen]

    def _guessed(self, target: Target, rows: Any) -> Guessed:
        """Return the target of some rows."""
        weights = None if target.weights is None else target.weights[rows]
        if target.numbers is not None:
            # Without an estimator there is no loss of a fit, only this binarizer's.
            loss = target.loss.name if target.loss.name in LOSSES[1:] else self.loss
            return GuessedNumbers(target.numbers[rows], weights, loss)
        assert target.codes is not None
        codes = np.ascontiguousarray(target.codes[rows], dtype=np.int32)
        return GuessedClasses(codes, target.n_classes, weights, target.loss)

    def _sample(self, table: RawTable, target: Target) -> Any:
        """Choose the rows to guess from: those of some weight, not too many."""
        n_rows, weights = table.n_rows, target.weights
        rows = np.arange(n_rows) if weights is None else np.flatnonzero(weights > 0)
        most, limit = int(self.max_samples), target.limits.memory_limit
        if limit is not None:  # the bins of all columns may take an eighth of it
            in_memory = max(1, limit // (16 * table.n_columns))
            if in_memory < min(most, len(rows)):
                note = f"thresholds were guessed from {in_memory:,} of {n_rows:,} rows"
                target.limits.stop("memory_limit", note)
                most = in_memory
        if len(rows) > most:
            random = check_random(self.random_state)
            rows = np.sort(random.choice(rows, most, replace=False))
        return slice(None) if len(rows) == n_rows else rows

    def _boost(
        self,
        columns: list[Binned],
        guessed: Guessed,
        target: Target,
    ) -> dict[tuple[int, int], float]:
        """Return the questions that boosted trees ask, (column, bin), with what they gained."""
        if not columns or guessed.is_constant:
            return {}
        limits = target.limits
        found = guessed.boost(
            columns,
            n_estimators=int(min(self.n_estimators, MAX_ROUNDS)),
            max_depth=int(self.max_depth),
            learning_rate=float(self.learning_rate),
            wanted=0 if self.max_features is None else int(min(self.max_features, MAX_ROUNDS)),
            run=_core.RunOptions(
                time_limit=limits.seconds_left(CHOOSING_SHARE),
                memory_limit=limits.memory_limit,
                n_threads=n_threads(target.n_jobs if self.n_jobs is None else self.n_jobs),
            ),
        )
        if found.status == "interrupted":
            target.limits.interrupt()
        elif found.status != "complete":
            target.limits.stop(found.status, "the guessing of thresholds was cut short")
        pairs = zip(found.column.tolist(), found.bin.tolist(), strict=True)
        return dict(zip(pairs, found.gain.tolist(), strict=True))

    def _eliminate(
        self,
        columns: list[Binned],
        asked: dict[tuple[int, int], float],
        guessed: Guessed,
        target: Target,
    ) -> list[tuple[int, int]]:
        """Return the questions to keep, in the order of the columns."""
        ranked = self._ranked(columns, asked)
        protected = sum(self._stays(columns, question) for question in ranked)
        most = max(self.max_features or len(asked), protected)
        if not self.column_elimination:
            return sorted(ranked[:most])
        questions = sorted(ranked[: max(MAX_ELIMINATED, protected)])
        if len(questions) < 2:
            return questions
        kept: list[tuple[int, int]] = []

        def drop() -> None:
            stay = np.array([self._stays(columns, question) for question in questions])
            # Threads would wait for each other longer than products of this size take.
            with blas().limit(limits=1, user_api="blas"):
                moments = moments_of(columns, questions, guessed, target.limits)
                if moments is None:
                    return
                covariances, means, joint = moments
                shares = joint[-1]
                # The best split by itself stays: in a small tree nothing makes up for it.
                stay[int(np.argmin(guessed.losses(means, joint[:-1], shares)))] = True
                with_outputs = joint[:-1] - np.outer(means, shares)
                keep = eliminate(
                    covariances,
                    with_outputs,
                    stay,
                    float(self.tolerance),
                    self.max_features,
                    is_over=target.limits.is_over,
                )
            kept.extend(question for question, stays in zip(questions, keep, strict=True) if stays)

        if target.limits.completes(drop) and kept:
            if not target.limits.is_over():
                return kept
            left = set(kept)
            ranked = [question for question in ranked if question in left]
        # There was no time to see which ones the others make up for: those that gained most stay.
        return sorted(ranked[:most])

    def _stays(self, columns: list[Binned], question: tuple[int, int]) -> bool:
        """Whether a question is kept whatever it gained."""
        place, bin_ = question
        return self.keep_binary and columns[place].variable.kind is Kind.BINARY and bin_ == 1

    def _ranked(
        self, columns: list[Binned], asked: dict[tuple[int, int], float]
    ) -> list[tuple[int, int]]:
        """Order questions by what they gained, after those that stay."""
        return sorted(asked, key=lambda each: (not self._stays(columns, each), -asked[each]))
