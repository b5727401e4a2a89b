"""How a set of trees was found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from splitsecond._support.names import public

if TYPE_CHECKING:
    from splitsecond._estimators.sets import RashomonEstimator

# How a search for a set can be stopped, and how the set is then shown; and why it is partial.
STOPPED = {"unproved": "partial (the best tree is not known)", "part": "partial"}
REASONS = {
    "unproved": "its search was stopped before the best tree was known, and it holds the best so "
    "far",
    "part": "its search was stopped, and trees may be missing",
}


@public
@dataclass(frozen=True)
class FitRecord:
    """What a fit that found a set says of itself, besides the trees and how tables are read."""

    estimator: type[RashomonEstimator]
    parameters: dict[str, Any]
    weighted: bool
    lower_bound: float
    status: str
    statistics: dict[str, Any]
    stopped: str | None = None  # one of STOPPED, if the set is partial
    # What the set was narrowed by since, in order, each with the number of trees before it.
    history: tuple[tuple[str, int], ...] = ()

    def then(self, step: str, n_before: int) -> Self:
        """Return the record of a set that was narrowed by one more step."""
        return replace(self, history=(*self.history, (step, n_before)))
