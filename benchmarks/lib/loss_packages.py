"""Trees of least log-loss or Brier score, ours and others', judged by one objective.

It is the loss of the leaves' shares on the training rows, divided by that of a single leaf, plus
`regularization` times the number of leaves. For two classes, the Brier score is the squared error
of a tree of means on a 0/1 target.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib.data import Labels, Matrix
from lib.tree_packages import Method, Problem, SplitSecond

LOSSES = ("zero_one", "log_loss", "brier")
TOLERANCE = 1e-9  # of what a package says of its objective


def relative_loss(loss: str, y: Labels, share: NDArray[np.float64]) -> float:
    """Return the loss of what is said of class 1, as a share of that of a single leaf."""

    def total(said: Any) -> float:
        if loss == "brier":
            return float(np.mean((said - y) ** 2))
        true = np.where(y == 1, said, 1 - said)
        return float(-np.mean(np.log(np.maximum(true, 1e-300))))

    return total(share) / total(np.full(len(y), np.mean(y)))


class OwnLoss(SplitSecond):
    """One of our classifiers with a loss, on 8-bit columns."""

    def __init__(self, problem: Problem, name: str, loss: str) -> None:
        super().__init__(problem, name, loss=loss)
        self._loss = loss

    def summarize(self, model: Any, X: Any, y: Any) -> dict[str, Any]:
        if self._loss == "zero_one":
            return super().summarize(model, X, y)
        loss = relative_loss(self._loss, y, model.predict_proba(X)[:, 1])
        objective = loss + self.problem.regularization * model.n_leaves_
        if abs(objective - model.objective_) > TOLERANCE:
            message = f"the objective is said to be {model.objective_}, but is {objective}"
            raise ValueError(message)
        return {"objective": objective, "leaves": model.n_leaves_, "status": str(model.status_)}


class PySTreeDRegression(Method):
    """pystreed, optimal regression trees, on C ints and a 0/1 target: the Brier score's.

    The penalty is per split, as a share of the variance: one less than ours for every tree.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, "pystreed", "STreeDRegressor")

    def convert(self, X: Matrix, y: Labels) -> tuple[Any, Any]:
        return X.astype(np.intc), y.astype(np.float64)

    def fit(self, X: Any, y: Any) -> Any:
        return self._class(
            "cost-complex-regression",
            max_depth=self.problem.depth,
            cost_complexity=self.problem.regularization,
            time_limit=self.problem.time_limit,
        ).fit(X, y)

    def summarize(self, model: Any, X: Any, y: Any) -> dict[str, Any]:
        leaves = int(model.get_n_leaves())
        loss = relative_loss("brier", y, np.asarray(model.predict(X)))
        status = "optimal" if model.fit_result.is_optimal() else "time_limit"
        objective = loss + self.problem.regularization * leaves
        return {"objective": objective, "leaves": leaves, "status": status}


OWN = {"LicketySPLIT": "LicketySPLITClassifier", "optimal": "OptimalTreeClassifier"}
LOSS_METHODS: dict[str, Callable[[Problem], Method]] = {
    **{
        f"splitsecond {name}, {loss}": partial(OwnLoss, name=class_name, loss=loss)
        for name, class_name in OWN.items()
        for loss in LOSSES
    },
    "pystreed, squared error": PySTreeDRegression,
}
