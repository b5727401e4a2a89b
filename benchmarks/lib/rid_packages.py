"""How each package is asked for the Rashomon Importance Distribution of the same problem.

Every 0/1 column is a variable of its own. The others permute a column once for each tree
(`n_scramble_evals=1`, the minimum); ours is the exact expectation over all permutations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lib.set_packages import PraxisSet, SetProblem, SplitSecondSet
from lib.tree_packages import Method

BOOTSTRAPS = 10


class SplitSecondImportance(SplitSecondSet):
    """RashomonImportance, with one of our estimators inside."""

    def fit(self, X: Any, y: Any) -> Any:
        from splitsecond import RashomonImportance

        return RashomonImportance(
            self.estimator(len(y)),
            n_bootstraps=BOOTSTRAPS,
            random_state=0,
            n_jobs=self.problem.n_jobs,
            time_limit=self.problem.time_limit,
        ).fit(X, y)

    def summarize(self, model: Any, X: Any, y: Any) -> dict[str, Any]:
        trees = int(sum(model.n_trees_))
        return {"means": model.mean_.tolist(), "trees": trees, "status": model.status_}


class PraxisImportance(PraxisSet):
    """tree-praxis's `compute_rid`, or arborenum's for 0/1 columns."""

    def fit(self, X: Any, y: Any) -> Any:
        model = self._class()
        return getattr(model, self._fit)(
            X,
            y,
            n_boot=BOOTSTRAPS,
            n_scramble_evals=1,
            lambda_reg=self.problem.leaf_cost(len(y)) / len(y),
            depth_budget=self.problem.depth,
            rashomon_mult=self._multiplier,
            lookahead_k=max(1, self.problem.depth - 1) if self._exact else 1,
            seed=0,
        )

    def convert(self, X: Any, y: Any) -> tuple[Any, Any]:
        # A ratio to the optimum of all rows; each bootstrap applies it to its own.
        assert self.problem.reference is not None
        self._multiplier = self.problem.slack(len(y)) / self.problem.reference
        return X, y

    def summarize(self, model: Any, X: Any, y: Any) -> dict[str, Any]:
        return {"means": np.asarray(model["mean_sub_mr"]).tolist(), "status": "complete"}


_praxis = partial(
    PraxisImportance, module="praxis", name="PRAXIS", fit="compute_rid", single_tree={}
)
_arborenum = partial(
    PraxisImportance,
    module="arborenum",
    name="ArborEnum",
    fit="compute_rid_binarized",
    single_tree={},
)

RID_METHODS: dict[str, Callable[[SetProblem], Method]] = {
    "splitsecond RID, lookahead 3": partial(
        SplitSecondImportance, name="RESPLIT", lookahead_depth=3
    ),
    "splitsecond RID, lookahead 1": partial(
        SplitSecondImportance, name="RESPLIT", lookahead_depth=1
    ),
    "splitsecond RID, exact": partial(SplitSecondImportance, name="TreeFARMS"),
    "tree-praxis RID, lookahead 1": partial(_praxis, exact=False),
    "tree-praxis RID, exact": partial(_praxis, exact=True),
    "arborenum RID, lookahead 1": partial(_arborenum, exact=False),
    "arborenum RID, exact": partial(_arborenum, exact=True),
}
