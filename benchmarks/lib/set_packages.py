"""How each package is asked for a Rashomon set, with its conventions brought to ours.

All get the same problem in whole numbers: an error costs 1, a leaf costs `leaf_cost` errors
(lambda * n, rounded, because tree-praxis and arborenum round it), and a tree belongs to the set if
it costs at most `slack` (epsilon * n, rounded down) more than the reference. README.md says how the
packages differ in what they count as a tree.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from lib.data import Labels, Matrix
from lib.peer_formats import frame_and_series, node_leaves, node_predictions
from lib.tree_packages import Method, Problem


@dataclass(frozen=True)
class SetProblem(Problem):
    """All trees of a depth that are at most `epsilon` worse than the best."""

    epsilon: float = 0.01
    reference: int | None = None  # the optimal cost, for packages that must be told a ratio to it

    def leaf_cost(self, n_rows: int) -> int:
        return math.floor(Fraction(str(self.regularization)) * n_rows + Fraction(1, 2))

    def slack(self, n_rows: int) -> int:
        return math.floor(Fraction(str(self.epsilon)) * n_rows)


class SetMethod(Method):
    """A way to a Rashomon set. `histogram` gives the number of trees for each cost."""

    problem: SetProblem

    def histogram(self, model: Any, n_rows: int) -> dict[int, int]:
        raise NotImplementedError

    def status(self, model: Any) -> str:
        return "complete"

    def summarize(self, model: Any, X: Any, y: Any) -> dict[str, Any]:
        histogram = self.histogram(model, len(y))
        return {
            "histogram": histogram,
            "trees": sum(histogram.values()),
            "objective": min(histogram) / len(y) if histogram else None,
            "status": self.status(model),
        }


class SplitSecondSet(SetMethod):
    """One of our estimators, on 8-bit columns; penalty and epsilon are exact fractions."""

    def __init__(self, problem: SetProblem, name: str, **options: Any) -> None:
        super().__init__(problem, "splitsecond", name)
        self._options = options

    def estimator(self, n_rows: int) -> Any:
        return self._class(
            regularization=Fraction(self.problem.leaf_cost(n_rows), n_rows),
            epsilon=Fraction(self.problem.slack(n_rows), n_rows),
            max_depth=self.problem.depth,
            time_limit=self.problem.time_limit,
            n_jobs=self.problem.n_jobs,
            **self._options,
        )

    def fit(self, X: Any, y: Any) -> Any:
        return self.estimator(len(y)).fit(X, y)

    def status(self, model: Any) -> str:
        return str(model.status_)

    def histogram(self, model: Any, n_rows: int) -> dict[int, int]:
        counted = model.trees_.objective_histogram()
        return {round(objective * n_rows): count for objective, count in counted.items()}


class PraxisSet(SetMethod):
    """tree-praxis, or arborenum on 0/1 columns, which is called the same way.

    Their bound is a multiple of their own reference, the best tree their proxy finds: the optimum
    with a lookahead of depth - 1, which makes the whole set exact, and some good tree with the
    default lookahead of 1. The multiple is chosen so that the bound is reference + slack. Leaves
    that predict the minority are left out on request; trivial extensions cannot be. They know no
    time limit, and one object can be fitted only once.
    """

    def __init__(
        self,
        problem: SetProblem,
        *,
        module: str,
        name: str,
        fit: str,
        single_tree: dict[str, bool],
        exact: bool,
    ) -> None:
        super().__init__(problem, module, name)
        self._fit = fit
        self._single_tree = single_tree  # the option that asks for the proxy's tree alone
        self._exact = exact
        self._multiplier = problem.epsilon

    def convert(self, X: Matrix, y: Labels) -> tuple[Any, Any]:
        reference = self.problem.reference if self._exact else None
        if reference is None:
            reference = self._run(X, y, **self._single_tree).get_tree_objective(0)[0]
        self._multiplier = self.problem.slack(len(y)) / reference
        return X, y

    def fit(self, X: Any, y: Any) -> Any:
        return self._run(X, y, rashomon_mult=self._multiplier, majority_leaf_only=True)

    def histogram(self, model: Any, n_rows: int) -> dict[int, int]:
        return dict(model.get_root_histogram())

    def _run(self, X: Any, y: Any, **options: Any) -> Any:
        model = self._class()
        getattr(model, self._fit)(
            X,
            y,
            lambda_reg=self.problem.leaf_cost(len(y)) / len(y),
            depth_budget=self.problem.depth,
            lookahead_k=max(1, self.problem.depth - 1) if self._exact else 1,
            **options,
        )
        return model


class TreeFarmsSet(SetMethod):
    """treefarms, on a data frame, which it writes as CSV text and reads again.

    Its depth counts the root: one more than ours. It works in 32-bit floats, so the bound is put
    half an error above the last cost that belongs to the set. Trivial extensions are kept: when it
    leaves them out, other trees go with them (README.md). Its own time limit is not used.
    """

    def __init__(self, problem: SetProblem) -> None:
        super().__init__(problem, "treefarms", "TREEFARMS")

    def convert(self, X: Matrix, y: Labels) -> tuple[Any, Any]:
        return frame_and_series(X, y)

    def fit(self, X: Any, y: Any) -> Any:
        return self._class(
            {
                "regularization": self.problem.leaf_cost(len(y)) / len(y),
                "rashomon": True,
                "rashomon_bound_adder": (self.problem.slack(len(y)) + 0.5) / len(y),
                "rashomon_ignore_trivial_extensions": False,
                "depth_budget": self.problem.depth + 1,
                "worker_limit": self.problem.n_jobs,
            }
        ).fit(X, y)

    def histogram(self, model: Any, n_rows: int) -> dict[int, int]:
        trees = model.model_set
        leaf_cost = self.problem.leaf_cost(n_rows)
        counted: Counter[int] = Counter()
        values, pointers = (
            trees.available_metrics[key] for key in ("metric_values", "metric_pointers")
        )
        for (_, errors, leaves), pointer in zip(values, pointers, strict=True):
            counted[int(errors) + leaf_cost * int(leaves)] += int(trees.storage[pointer]["count"])
        return dict(sorted(counted.items()))


class OfficialSet(SetMethod):
    """The paper's own RESPLIT, on a data frame; depth and lookahead count the root.

    Its bound is a multiple of the optimum, given as for the others. It writes files in a folder
    `tmp` where it runs, and finds its trees one by one when asked for them.
    """

    def __init__(self, problem: SetProblem, lookahead: int) -> None:
        super().__init__(problem, "resplit", "RESPLIT")
        self._lookahead = lookahead

    def convert(self, X: Matrix, y: Labels) -> tuple[Any, Any]:
        Path("tmp").mkdir(exist_ok=True)
        self._y = y
        return frame_and_series(X, y)

    def warm_up(self, X: Any, y: Any) -> None:
        """Do nothing: what a fit leaves behind shows in the next."""

    def fit(self, X: Any, y: Any) -> Any:
        assert self.problem.reference is not None
        model = self._class(
            {
                "regularization": self.problem.leaf_cost(len(y)) / len(y),
                "rashomon_bound_multiplier": self.problem.slack(len(y)) / self.problem.reference,
                "depth_budget": self.problem.depth + 1,
                "cart_lookahead_depth": self._lookahead + 1,
                "verbose": False,
            },
            fill_tree="treefarms",
        )
        model.fit(X, y)
        self._X = X.to_numpy()
        return model

    def histogram(self, model: Any, n_rows: int) -> dict[int, int]:
        counted: Counter[int] = Counter()
        for index in range(len(model)):
            tree = model[index]
            errors = int((node_predictions(tree, self._X) != self._y).sum())
            counted[errors + self.problem.leaf_cost(n_rows) * node_leaves(tree)] += 1
        return dict(sorted(counted.items()))


_praxis = partial(
    PraxisSet, module="praxis", name="PRAXIS", fit="fit", single_tree={"proxy_only": True}
)
_arborenum = partial(
    PraxisSet,
    module="arborenum",
    name="ArborEnum",
    fit="fit_binarized",
    single_tree={"rashomon_mode": False},
)

SET_METHODS: dict[str, Callable[[Any], Method]] = {
    "splitsecond TreeFARMS": partial(SplitSecondSet, name="TreeFARMS"),
    "splitsecond TreeFARMS, trivial kept": partial(
        SplitSecondSet, name="TreeFARMS", keep_trivial=True
    ),
    "splitsecond RESPLIT, lookahead 3": partial(SplitSecondSet, name="RESPLIT", lookahead_depth=3),
    "tree-praxis, exact": partial(_praxis, exact=True),
    "tree-praxis, default": partial(_praxis, exact=False),
    "arborenum, exact": partial(_arborenum, exact=True),
    "arborenum, default": partial(_arborenum, exact=False),
    "treefarms": TreeFarmsSet,
    "official RESPLIT, lookahead 3": partial(OfficialSet, lookahead=3),
}
