"""The trees over lambda: what `regularization_path` returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

from splitsecond._support.frames import frame_of
from splitsecond._support.names import public
from splitsecond._trees.pictures.figures import plot_frontier
from splitsecond._trees.tree import Tree

# What losses are called: in training as the objective counts them, and of a row.
COLUMNS = {
    "zero_one": ("loss", "loss"),
    "costs": ("cost", "cost"),
    "log_loss": ("rel. loss", "log-loss"),
    "brier": ("rel. loss", "Brier"),
    "squared_error": ("rel. loss", "rel. loss"),
    "poisson": ("rel. loss", "rel. loss"),
}
FINISHED = ("complete", "optimal")  # how a fit that no limit stopped ends


@public
@dataclass(frozen=True)
class PathEntry:
    """A tree of a regularization path, and the lambdas it is for.

    Attributes
    ----------
    regularization : float
        A lambda it is for: if there is one, a lambda with which a fit finds it.
    low, high : float
        No tree of the path costs less from the one to the other; a single leaf is for all above.
    loss : float
        Its loss in training, as the objective counts it: the share of errors, weighted as in
        training; the mean cost; or, with "log_loss", "brier" and for numbers, the part that is left
        of the loss of a single leaf.
    n_leaves, depth, objective
        Of the tree, with this lambda.
    status : str
        How fits in the interval ended; if one was stopped by a limit, that. Fits for a shorter
        lambda, if it was not taken, do not count.
    seconds : float
        What the fit with this lambda took, without reading and binarizing, which are done once.
    model : estimator
        Fitted, as any other. Where another lambda's fit found the tree, the tree and its objective
        are new to it; status, statistics and the lower bound are of the fit with this lambda, or of
        one near it if none was made in the interval.
    cv_loss, cv_standard_error : float or None
        Mean loss of fits with this lambda on rows they have not seen, and its standard error. With
        "log_loss" it is the mean of -ln p of the true class, where p counts as at least 2.2e-16, as
        in scikit-learn; with "brier", of the squared errors summed over the classes. For numbers it
        is a part of the loss of a single leaf on all rows, as `loss` is: nearly 1 - R^2, or 1 - D^2
        with "poisson". There, a leaf without events counts half a row of the mean rate as well, so
        that no event is impossible.
    cv_score : float or None
        With `scoring`, their mean score instead; the standard error is then of it.
    """

    regularization: float
    low: float
    high: float
    loss: float
    n_leaves: int
    depth: int
    objective: float
    seconds: float
    status: str
    model: Any
    cv_loss: float | None = None
    cv_score: float | None = None
    cv_standard_error: float | None = None

    @property
    def tree(self) -> Tree:
        """The tree."""
        tree: Tree = self.model.tree_
        return tree

    def _cv_mean(self) -> float:
        """Return the mean over the folds: the score if there is one, or the loss."""
        mean = self.cv_loss if self.cv_score is None else self.cv_score
        assert mean is not None
        return mean


@public
class RegularizationPath(Sequence[PathEntry]):
    """The trees over lambda, those of small lambda first: what `regularization_path` returns.

    Attributes
    ----------
    best_ : PathEntry
        The one of least cross-validated loss, or of highest score; of several, the one of largest
        lambda.
    one_standard_error_ : PathEntry
        The one of largest lambda whose cross-validated loss, or score, is within a standard error
        of the best.
    status_ : str
        "complete"; "time_limit" or "interrupted" if lambdas or folds were left untried; "partial"
        if fits were stopped by the estimator's own limits.
    scoring_ : str or None
        The name of the score by which trees are compared; None: by loss.
    """

    def __init__(
        self, entries: Sequence[PathEntry], status: str = "complete", scoring: str | None = None
    ) -> None:
        self._entries = list(entries)
        self.scoring_ = scoring
        stopped = any(entry.status not in FINISHED for entry in self._entries)
        self.status_ = "partial" if stopped and status == "complete" else status

    @property
    def best_(self) -> PathEntry:
        """The entry of least cross-validated loss, or of highest score."""
        losses = self._cv_losses()
        return max(
            (entry for entry, loss in zip(self, losses, strict=True) if loss == min(losses)),
            key=lambda entry: entry.regularization,
        )

    @property
    def one_standard_error_(self) -> PathEntry:
        """The simplest entry that is within a standard error of the best."""
        best, losses = self.best_, self._cv_losses()
        highest = min(losses) + (best.cv_standard_error or 0.0)
        return max(
            (entry for entry, loss in zip(self, losses, strict=True) if loss <= highest),
            key=lambda entry: entry.regularization,
        )

    @property
    def _has_cv(self) -> bool:
        """Whether entries were compared on held-out rows."""
        return self[0].cv_standard_error is not None

    def _cv_losses(self) -> list[float]:
        """Return what is least for the best entry: losses, or scores with the other sign."""
        if self._has_cv:
            means = [entry._cv_mean() for entry in self]
            return means if self.scoring_ is None else [-score for score in means]
        raise AttributeError(
            "The path was made without cross-validation, which this needs: call "
            "regularization_path(X, y, cv=5)."
            if self.status_ in ("complete", "partial")
            else f"The path was stopped ({self.status_}) before cross-validation had done two "
            "folds: give it more time, or a larger smallest lambda."
        )

    @overload
    def __getitem__(self, index: int) -> PathEntry: ...
    @overload
    def __getitem__(self, index: slice) -> list[PathEntry]: ...
    def __getitem__(self, index: int | slice) -> PathEntry | list[PathEntry]:
        return self._entries[index]

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        leaves = [entry.n_leaves for entry in self]
        trees = f"{len(self)} {'tree' if len(self) == 1 else 'trees'}"
        return f"<RegularizationPath: {trees}, {max(leaves)} to {min(leaves)} leaves>"

    def __str__(self) -> str:
        chosen = {}
        column, of_row = COLUMNS[self[0].tree.loss.name]
        width = max(6, len(column))
        header = f"{'lambda':>9}  {'leaves':>6}  {column:>{width}}"
        cv_header = f"cv {self.scoring_ or of_row} (s.e.)"
        if self._has_cv:
            header += f"  {cv_header}"
            chosen[id(self.best_)] = "best"
            simplest = id(self.one_standard_error_)
            chosen[simplest] = " ".join([*chosen.get(simplest, "").split(), "1-SE"])
        lines = [header]
        for entry in self:
            line = f"{entry.regularization:>9.4g}  {entry.n_leaves:>6}  {entry.loss:>{width}.4f}"
            if self._has_cv:
                checked = f"{entry._cv_mean():.4f} ({entry.cv_standard_error:.4f})"
                line += f"  {checked:<{len(cv_header)}}"
            lines.append(f"{line}  {chosen.get(id(entry), '')}".rstrip())
        if self.status_ != "complete":
            lines.append(f"incomplete: {self.status_}")
        elif self._has_cv and self.best_ is self[0] and len(self) > 1 and self[0].loss > 0:
            lines.append(f"lambdas below {self[0].low:g} (smallest) may do better: not tried")
        return "\n".join(lines)

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame ("pandas" or "polars"), a row for each tree."""
        columns: dict[str, Any] = {
            name: [getattr(entry, name) for entry in self]
            for name in PathEntry.__dataclass_fields__
            if name != "model"
            and (not name.startswith("cv_") or getattr(self[0], name) is not None)
        }
        return frame_of(columns, library)

    def plot(self, ax: Any = None) -> Any:
        """Draw the loss against the number of leaves with matplotlib, and return the axes.

        Losses are those of a row, on average, in training and on held-out rows; for numbers, as a
        share of the loss of a single leaf.
        With `scoring`, the cross-validated score has axes of its own, on the right.
        """
        return plot_frontier(self, ax)
