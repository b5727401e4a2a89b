"""Regression trees, ours and others', judged by one objective.

It is the squared error of the leaves' means on the training rows, divided by that of a single leaf,
plus `regularization` times the number of leaves.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib.data import Matrix
from lib.tree_packages import Method, Problem, SplitSecond

Numbers = NDArray[np.float64]
TOLERANCE = 1e-9  # of what a package says of its objective


def judge(problem: Problem, y: Numbers, predicted: Any, leaves: int, status: str) -> dict[str, Any]:
    """Return what is told of a tree."""
    lost = float(np.sum((y - np.asarray(predicted, dtype=np.float64)) ** 2))
    loss = lost / float(np.sum((y - y.mean()) ** 2))
    objective = loss + problem.regularization * leaves
    return {"objective": objective, "leaves": leaves, "status": status}


class OwnRegressor(SplitSecond):
    """One of our regressors, on 8-bit columns."""

    def summarize(self, model: Any, X: Any, y: Any) -> dict[str, Any]:
        found = judge(self.problem, y, model.predict(X), model.n_leaves_, str(model.status_))
        if abs(found["objective"] - model.objective_) > TOLERANCE:
            message = f"the objective is said to be {model.objective_}, but is {found['objective']}"
            raise ValueError(message)
        return found


class LicketysplitRegressor(Method):
    """licketysplit's regressor, on 8-bit columns; its penalty is in squares of the target."""

    def __init__(self, problem: Problem, lookahead: int = 1) -> None:
        super().__init__(problem, "licketysplit", "LicketySPLITRegressor")
        self._lookahead = lookahead

    def convert(self, X: Matrix, y: Any) -> tuple[Any, Any]:
        return X, y.astype(np.float64)

    def fit(self, X: Any, y: Any) -> Any:
        return self._class(
            lambda_leaf=self.problem.regularization * float(np.var(y)),
            depth_budget=self.problem.depth,
            lookahead_k=self._lookahead,
        ).fit(X, y)

    def summarize(self, model: Any, X: Any, y: Any) -> dict[str, Any]:
        leaves = len(model.leaf_values())
        return judge(self.problem, y, model.predict(X), leaves, "complete")


class PySTreeD(Method):
    """pystreed, optimal regression trees, on C ints.

    Its penalty is per split, as a share of the variance: one less than ours for every tree. It is
    timed with its lower bounds, as it comes; with them, its tree need not be the best.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, "pystreed", "STreeDRegressor")

    def convert(self, X: Matrix, y: Any) -> tuple[Any, Any]:
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
        status = "optimal" if model.fit_result.is_optimal() else "time_limit"
        return judge(self.problem, y, model.predict(X), leaves, status)


class OSRT(Method):
    """osrt, optimal regression trees, on a data frame; depth counts leaves' level as well.

    It prints, and reads the table as text.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, "osrt", "OSRT")

    def convert(self, X: Matrix, y: Any) -> tuple[Any, Any]:
        import pandas as pd

        frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
        return frame, pd.DataFrame({"y": y})

    def warm_up(self, X: Any, y: Any) -> None:
        """A second fit in one process keeps what the first has set."""

    def fit(self, X: Any, y: Any) -> Any:
        model = self._class(
            {
                "regularization": self.problem.regularization,
                "depth_budget": self.problem.depth + 1,
                "time_limit": int(self.problem.time_limit),
                "similar_support": False,
                "metric": "L2",
                "weights": [],
                "verbose": False,
                "diagnostics": False,
                "model_limit": 1,
            }
        )
        with contextlib.redirect_stdout(io.StringIO()):
            model.fit(X, y)
        return model

    def summarize(self, model: Any, X: Any, y: Any) -> dict[str, Any]:
        with contextlib.redirect_stdout(io.StringIO()):
            predicted = np.asarray(model.predict(X), dtype=np.float64).ravel()
        status = "time_limit" if model.timeout else "optimal"
        numbers = np.asarray(y, dtype=np.float64).ravel()
        return judge(self.problem, numbers, predicted, int(model.tree.leaves()), status)


class CART(Method):
    """scikit-learn's tree on the same columns, pruned by the same penalty."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, "sklearn.tree", "DecisionTreeRegressor")

    def convert(self, X: Matrix, y: Any) -> tuple[Any, Any]:
        return X.astype(np.float32), y

    def fit(self, X: Any, y: Any) -> Any:
        return self._class(
            max_depth=self.problem.depth,
            ccp_alpha=self.problem.regularization * float(np.var(y)),
            random_state=0,
        ).fit(X, y)

    def summarize(self, model: Any, X: Any, y: Any) -> dict[str, Any]:
        return judge(self.problem, y, model.predict(X), int(model.get_n_leaves()), "complete")


REGRESSION_METHODS: dict[str, Callable[[Problem], Method]] = {
    "splitsecond LicketySPLIT, numbers": partial(OwnRegressor, name="LicketySPLITRegressor"),
    "splitsecond greedy, numbers": partial(OwnRegressor, name="GreedyTreeRegressor"),
    "splitsecond optimal, numbers": partial(OwnRegressor, name="OptimalTreeRegressor"),
    "licketysplit, numbers": LicketysplitRegressor,
    "pystreed, numbers": PySTreeD,
    "osrt, numbers": OSRT,
    "CART, numbers": CART,
}
