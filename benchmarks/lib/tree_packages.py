"""How each package is called, with its conventions brought to ours.

Ours: a tree of depth d has at most d splits on a path, and its objective is the share of rows it
gets wrong plus `regularization` times the number of its leaves. Each method here takes the matrix
in the type its package asks for (`convert`, not timed), fits a new object (`fit`, timed), and says
what the tree predicts and how many leaves it has (`read`, not timed).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib.data import Labels, Matrix
from lib.peer_formats import dict_leaves, frame_and_series, node_leaves, node_predictions, prune

WARM_UP_ROWS = 256


@dataclass(frozen=True)
class Problem:
    """What is asked of a method."""

    depth: int
    regularization: float
    time_limit: float
    n_jobs: int = 1


@dataclass(frozen=True)
class Tree:
    """What a method answered: the class of every training row, the leaves, how the search ended."""

    predictions: NDArray[Any]
    leaves: int
    status: str
    claimed: float | None = None  # the objective by the package's own account, where it is ours

    def objective(self, y: Labels, regularization: float) -> float:
        """Compute the objective, the same way for every package; a false claim is an error."""
        computed = float(np.mean(self.predictions != y)) + regularization * self.leaves
        if self.claimed is not None and abs(self.claimed - computed) > 1e-9:
            message = f"the objective is said to be {self.claimed}, but is {computed}"
            raise ValueError(message)
        return computed


class Method:
    """A way to a tree for one problem. Making one imports its package, so a missing one shows."""

    def __init__(self, problem: Problem, module: str, name: str) -> None:
        self.problem = problem
        self._class = getattr(importlib.import_module(module), name)

    def convert(self, X: Matrix, y: Labels) -> tuple[Any, Any]:
        return X, y

    def fit(self, X: Any, y: Any) -> Any:
        raise NotImplementedError

    def read(self, model: Any, X: Any) -> Tree:
        raise NotImplementedError

    def warm_up(self, X: Any, y: Any) -> None:
        """Load what is loaded on first use, before time and memory are measured."""
        whole, self.problem = self.problem, replace(self.problem, regularization=0.1)
        step = max(1, len(y) // WARM_UP_ROWS)  # rows may be sorted by class
        self.fit(X[::step], y[::step])
        self.problem = whole

    def summarize(self, model: Any, X: Any, y: Any) -> dict[str, Any]:
        """Return what is told of the answer; it has a `status`."""
        tree = self.read(model, X)
        objective = tree.objective(y, self.problem.regularization)
        return {"objective": objective, "leaves": tree.leaves, "status": tree.status}


class SplitSecond(Method):
    """One of our classifiers, on 8-bit columns."""

    def __init__(self, problem: Problem, name: str, **options: Any) -> None:
        super().__init__(problem, "splitsecond", name)
        self._options = options

    def fit(self, X: Any, y: Any) -> Any:
        return self._class(
            regularization=self.problem.regularization,
            max_depth=self.problem.depth,
            time_limit=self.problem.time_limit,
            n_jobs=self.problem.n_jobs,
            **self._options,
        ).fit(X, y)

    def read(self, model: Any, X: Any) -> Tree:
        return Tree(
            model.predict(X), int(model.n_leaves_), str(model.status_), float(model.objective_)
        )


class TreePraxis(Method):
    """tree-praxis, one tree from its proxy.

    Depth as ours; the penalty is round(lambda * n) whole errors a leaf, so its tree may differ from
    the one it would choose under the exact penalty. One object can be fitted only once. The tree is
    not stored by `fit` but rebuilt from its caches on request, as tree number 0.
    """

    def __init__(self, problem: Problem, lookahead: int) -> None:
        super().__init__(problem, "praxis", "PRAXIS")
        self._lookahead = lookahead

    def fit(self, X: Any, y: Any) -> Any:
        model = self._class()
        model.fit(
            X,
            y,
            lambda_reg=self.problem.regularization,
            depth_budget=self.problem.depth,
            lookahead_k=self._lookahead,
            proxy_only=True,
        )
        return model

    def read(self, model: Any, X: Any) -> Tree:
        paths, _ = model.get_tree_paths(0)
        return Tree(model.get_predictions(0, X), len(paths), "complete")


class Licketysplit(Method):
    """licketysplit, which is tree-praxis's proxy as a classifier of its own, on 8-bit columns.

    Depth and penalty as ours. Its `fit` ends with a Python loop over the rows, for probabilities;
    without them the search inside is called alone, as `fit` calls it.
    """

    def __init__(self, problem: Problem, lookahead: int, *, probabilities: bool = True) -> None:
        module = "licketysplit" if probabilities else "licketysplit._core"
        super().__init__(
            problem, module, "LicketySPLITClassifier" if probabilities else "LicketySPLIT"
        )
        self._lookahead = lookahead
        self._probabilities = probabilities

    def convert(self, X: Matrix, y: Labels) -> tuple[Any, Any]:
        return X, y.astype(np.int32)

    def fit(self, X: Any, y: Any) -> Any:
        depth, penalty = self.problem.depth, self.problem.regularization
        if self._probabilities:
            return self._class(
                lambda_leaf=penalty, depth_budget=depth, lookahead_k=self._lookahead
            ).fit(X, y)
        model = self._class()
        no_deferral = 1000.0 * (float(len(y)) ** 2 * X.shape[1] + 1)
        model.fit(X, y, y.copy(), penalty, no_deferral, depth, self._lookahead, None)
        return model

    def read(self, model: Any, X: Any) -> Tree:
        search = model._model if self._probabilities else model
        leaves = len(search.leaf_paths_single_tree())
        return Tree(search.predict(X, np.zeros(len(X), np.int32)), leaves, "complete")


class PySTreeD(Method):
    """pystreed, optimal trees, on C ints.

    Depth as ours; the penalty is per split, one less than the leaves, which moves every objective
    by the same constant and leaves the optimum in place.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, "pystreed", "STreeDClassifier")

    def convert(self, X: Matrix, y: Labels) -> tuple[Any, Any]:
        return X.astype(np.intc), y.astype(np.int32)

    def fit(self, X: Any, y: Any) -> Any:
        return self._class(
            "cost-complex-accuracy",
            max_depth=self.problem.depth,
            cost_complexity=self.problem.regularization,
            time_limit=self.problem.time_limit,
        ).fit(X, y)

    def read(self, model: Any, X: Any) -> Tree:
        status = "optimal" if model.fit_result.is_optimal() else "time_limit"
        return Tree(model.predict(X), int(model.get_n_leaves()), status)


class GOSDT(Method):
    """gosdt, optimal trees, on booleans.

    Depth and penalty as ours (a penalty under 1/n would be raised to 1/n; none here is). Its
    time limit is in whole seconds. Its own `predict` calls scikit-learn with an argument that newer
    releases have dropped, so the tree inside is asked instead.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, "gosdt", "GOSDTClassifier")

    def convert(self, X: Matrix, y: Labels) -> tuple[Any, Any]:
        return X.astype(bool), y

    def fit(self, X: Any, y: Any) -> Any:
        return self._class(
            regularization=self.problem.regularization,
            depth_budget=self.problem.depth,
            time_limit=int(self.problem.time_limit),
        ).fit(X, y)

    def read(self, model: Any, X: Any) -> Tree:
        tree = model.trees_[0]
        status = "optimal" if model.result_.status.name == "CONVERGED" else "time_limit"
        return Tree(tree.predict(X), node_leaves(tree.tree), status)


class FastSmallTree(Method):
    """imodels' FastSmallTreeClassifier, optimal trees of any depth, compiled by numba.

    It knows no depth limit, so it is compared where ours does not bind. It makes 0/1 columns of
    what it is given, and a scikit-learn tree of its answer, in `fit`.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, "imodels", "FastSmallTreeClassifier")

    def convert(self, X: Matrix, y: Labels) -> tuple[Any, Any]:
        return X.astype(np.float64), y

    def fit(self, X: Any, y: Any) -> Any:
        return self._class(
            regularization=self.problem.regularization, time_limit=self.problem.time_limit
        ).fit(X, y)

    def read(self, model: Any, X: Any) -> Tree:
        status = "optimal" if model.optimal_ else "time_limit"
        return Tree(model.predict(X), int(model.n_leaves_), status)


class DL85(Method):
    """pydl8.5, optimal trees without a penalty, on C ints; asked where the penalty is none."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, "pydl85", "DL85Classifier")

    def convert(self, X: Matrix, y: Labels) -> tuple[Any, Any]:
        return X.astype(np.int32), y.astype(np.int32)

    def fit(self, X: Any, y: Any) -> Any:
        return self._class(
            max_depth=self.problem.depth, time_limit=int(self.problem.time_limit)
        ).fit(X, y)

    def read(self, model: Any, X: Any) -> Tree:
        status = "time_limit" if model.timeout_ else "optimal"
        return Tree(np.asarray(model.predict(X)), dict_leaves(model.tree_), status)


class ConTree(Method):
    """pycontree, optimal trees on raw numbers. Depth as ours; the penalty is per split."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, "pycontree", "ConTree")

    def convert(self, X: Any, y: Labels) -> tuple[Any, Any]:
        return X, y.astype(np.intc)

    def fit(self, X: Any, y: Any) -> Any:
        return self._class(
            max_depth=self.problem.depth,
            complexity_cost=self.problem.regularization,
            time_limit=self.problem.time_limit,
        ).fit(X, y)

    def read(self, model: Any, X: Any) -> Tree:
        status = "optimal" if model._config.is_within_time_limit() else "time_limit"
        return Tree(model.predict(X), int(model.get_num_branching_nodes()) + 1, status)


class Official(Method):
    """The paper's own SPLIT or LicketySPLIT, on a data frame.

    SPLIT's depth and lookahead count the root: one more than ours; LicketySPLIT's are splits. Each
    of their searches has the whole time limit. Trees are nodes whose left child has the feature.
    """

    def __init__(self, problem: Problem, name: str, *, extra: int, **options: Any) -> None:
        super().__init__(problem, "split", name)
        self._extra = extra
        self._options = options

    def convert(self, X: Matrix, y: Labels) -> tuple[Any, Any]:
        return frame_and_series(X, y)

    def warm_up(self, X: Any, y: Any) -> None:
        step = max(1, len(y) // WARM_UP_ROWS)  # their rows must be numbered from 0
        super().warm_up(*(part[::step].reset_index(drop=True) for part in (X, y)))

    def fit(self, X: Any, y: Any) -> Any:
        model = self._class(
            full_depth_budget=self.problem.depth + self._extra,
            reg=self.problem.regularization,
            time_limit=int(self.problem.time_limit),
            **self._options,
        )
        model.fit(X, y)
        return model

    def read(self, model: Any, X: Any) -> Tree:
        return Tree(node_predictions(model.tree, X.to_numpy()), node_leaves(model.tree), "complete")


class Cart(Method):
    """scikit-learn's CART by entropy, on 32-bit floats.

    It knows no penalty, so its tree is pruned by it, after the fit and outside the timing.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, "sklearn.tree", "DecisionTreeClassifier")

    def convert(self, X: Matrix, y: Labels) -> tuple[Any, Any]:
        return X.astype(np.float32), y

    def fit(self, X: Any, y: Any) -> Any:
        depth = self.problem.depth
        return self._class(criterion="entropy", max_depth=depth, random_state=0).fit(X, y)

    def read(self, model: Any, X: Any) -> Tree:
        end, leaves = prune(model.tree_, self.problem.regularization)
        label = model.classes_[model.tree_.value[:, 0, :].argmax(axis=1)]
        return Tree(label[end[model.apply(X)]], leaves, "complete")


METHODS: dict[str, Callable[[Problem], Method]] = {
    # Names that end here are the paper's algorithms.
    "splitsecond LicketySPLIT": partial(
        SplitSecond, name="LicketySPLITClassifier", exact_last_split=False
    ),
    "splitsecond LicketySPLIT, exact last split": partial(
        SplitSecond, name="LicketySPLITClassifier", exact_last_split=True
    ),
    **{
        f"splitsecond LicketySPLIT, lookahead {levels}{suffix}": partial(
            SplitSecond,
            name="LicketySPLITClassifier",
            lookahead_depth=levels,
            exact_last_split=bool(suffix),
        )
        for levels in (1, 2)
        for suffix in ("", ", exact last split")
    },
    "splitsecond LicketySPLIT, lookahead 2, own completions": partial(
        SplitSecond, name="LicketySPLITClassifier", lookahead_depth=2, completion="lickety"
    ),
    **{
        f"splitsecond SPLIT, lookahead {levels}": partial(
            SplitSecond, name="SPLITClassifier", lookahead_depth=levels, exact_last_split=False
        )
        for levels in range(1, 6)
    },
    "splitsecond optimal": partial(SplitSecond, name="OptimalTreeClassifier"),
    "splitsecond optimal, raw": partial(
        SplitSecond, name="OptimalTreeClassifier", binarizer="midpoint"
    ),
    "splitsecond greedy": partial(SplitSecond, name="GreedyTreeClassifier", exact_last_split=False),
    "tree-praxis, lookahead 1": partial(TreePraxis, lookahead=1),
    "tree-praxis, lookahead 2": partial(TreePraxis, lookahead=2),
    "licketysplit, lookahead 1": partial(Licketysplit, lookahead=1),
    "licketysplit, lookahead 1, search alone": partial(
        Licketysplit, lookahead=1, probabilities=False
    ),
    "licketysplit, lookahead 2": partial(Licketysplit, lookahead=2),
    "licketysplit, lookahead 2, search alone": partial(
        Licketysplit, lookahead=2, probabilities=False
    ),
    "official LicketySPLIT": partial(Official, name="LicketySPLIT", extra=0),
    "official SPLIT, lookahead 2": partial(
        Official, name="SPLIT", extra=1, lookahead_depth_budget=3
    ),
    "CART, folded": Cart,
    "pystreed": PySTreeD,
    "gosdt": GOSDT,
    "imodels FastSmallTree": FastSmallTree,
    "pydl8.5": DL85,
    "pycontree": ConTree,
}
