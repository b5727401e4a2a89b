"""The commands that bring their own data: ``demo`` and ``bench``."""

from __future__ import annotations

import platform
import time
from enum import StrEnum
from statistics import median
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import typer

import splitsecond
from splitsecond._cli import options as o
from splitsecond._cli.data import Data
from splitsecond._cli.options import Task
from splitsecond._cli.output import progress, warnings_as_notes, write, write_json, write_table

# What is told of held-out rows, and what it is called.
SCORES = {Task.CLASSIFICATION: "accuracy", Task.REGRESSION: "r2"}
TITLES = {"accuracy": "accuracy", "r2": "R^2"}


class BuiltIn(StrEnum):
    """Tables that ship with scikit-learn."""

    BREAST_CANCER = "breast_cancer"
    DIABETES = "diabetes"
    DIGITS = "digits"
    IRIS = "iris"
    WINE = "wine"


def built_in(name: BuiltIn) -> Data:
    """Return one of scikit-learn's tables, with names for columns and classes, or with numbers."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    X = pa.table(dict(zip(map(str, bunch.feature_names), bunch.data.T, strict=True)))
    if name is BuiltIn.DIABETES:
        return Data(X, bunch.target, task=Task.REGRESSION)
    return Data(X, np.asarray(bunch.target_names)[bunch.target])


def train_test(data: Data, seed: int = 0) -> tuple[Data, Data]:
    """Divide the rows into three quarters for training and a quarter that is held out."""
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(np.arange(len(data)), random_state=seed)
    return data.take(train), data.take(test)


def demo(json: o.Json = False) -> None:
    """Fit a tree and compare the searches, on data that ships with scikit-learn."""
    from splitsecond._cli.estimators import fit_with_bar, summary

    train, test = train_test(built_in(BuiltIn.BREAST_CANCER))
    model = fit_with_bar(
        splitsecond.LicketySPLITClassifier(regularization=0.01, max_depth=4), train
    )
    score = model.score(test.X, test.y)
    found = {**summary(model), "accuracy": score, "tree": model.tree_.to_dict(), "comparison": []}
    images = built_in(BuiltIn.DIGITS)
    if not json:
        write(f"{model}\naccuracy on {len(test)} held-out rows {score:.3f}\n")
        write(
            f"Which of {len(images):,} images show this digit? Trees of depth 5, lambda 0.005:\n"
            "digit  estimator               objective  leaves  binarization      search"
        )
    for digit in (8, 9):
        data = Data(images.X, images.y == digit)
        for estimator in (
            splitsecond.GreedyTreeClassifier,
            splitsecond.LicketySPLITClassifier,
            splitsecond.SPLITClassifier,
            splitsecond.OptimalTreeClassifier,
        ):
            model = fit_with_bar(estimator(regularization=0.005, max_depth=5), data)
            found["comparison"].append({"digit": digit, **summary(model)})
            times = model.statistics_
            if not json:
                write(
                    f"{digit}      {estimator.__name__:22}  {model.objective_:9.4f}  "
                    f"{model.n_leaves_:6}  {1000 * times['binarization_seconds']:9.1f} ms  "
                    f"{1000 * times['search_seconds']:7.1f} ms"
                )
    if json:
        write_json(found)


def bench(
    *,
    data: Annotated[
        list[BuiltIn],
        o.choice(
            "Table that ships with scikit-learn, may be repeated",
            BuiltIn,
            default_factory=lambda: [BuiltIn.BREAST_CANCER, BuiltIn.WINE],
            show_default="breast_cancer and wine",
        ),
    ],
    regularization: o.Regularization = "0.01",
    max_depth: o.MaxDepth = 4,
    time_limit: o.TimeLimit = 10,
    repeats: Annotated[
        int, typer.Option(metavar="N", min=1, help="Fits of each; the median time is reported.")
    ] = 3,
    jobs: o.Jobs = 1,
    seed: o.Seed = 0,
    json: o.Json = False,
) -> None:
    """Compare the algorithms with scikit-learn's CART, on the same rows in the same run.

    Times are of whole fits, thresholds included. CART has no penalty per leaf: its tree is pruned
    with this one after the fit, outside the timing, as far as that lowers the objective.
    """
    from splitsecond._cli.estimators import TREES

    rows = []
    with warnings_as_notes(), progress("fitting", len(data) * (len(o.Algorithm) + 1)) as listener:
        for name in data:
            train, test = train_test(built_in(name), seed)
            for method, of in TREES[train.task].items():
                model = of(
                    regularization=regularization,
                    max_depth=max_depth,
                    time_limit=time_limit,
                    n_jobs=jobs,
                )
                found = _ours(model, train, test, repeats)
                rows.append({"data": str(name), "method": str(method), **found})
                listener(len(rows))
            found = _cart(train, test, repeats, float(regularization), max_depth)
            rows.append({"data": str(name), "method": "CART (scikit-learn)", **found})
            listener(len(rows))
    about = {
        **_versions(),
        "regularization": regularization,
        "max_depth": max_depth,
        "threads": jobs,
    }
    if json:
        write_json({**about, "results": rows})
    else:
        _print(rows, about)


def _versions() -> dict[str, str]:
    import sklearn

    return {
        "splitsecond": splitsecond.__version__,
        "scikit-learn": sklearn.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }


def _print(rows: list[dict[str, Any]], about: dict[str, Any]) -> None:
    names = [name for name in TITLES if any(name in each for each in rows)]
    score = f"held-out {' or '.join(TITLES[name] for name in names)}"
    write_table(
        (
            [
                each["data"],
                each["method"],
                f"{1000 * each['seconds']:,.1f}" + (" (limit)" if each["stopped"] else ""),
                f"{each['objective']:.4f}",
                str(each["leaves"]),
                *(f"{each[name]:.3f}" for name in names if name in each),
            ]
            for each in rows
        ),
        ("data", "method", "ms", "objective", "leaves", score),
        f"ms|objective|leaves|{score}",
    )
    write("\n" + ", ".join(f"{name} {value}" for name, value in about.items()))


def _ours(model: Any, train: Data, test: Data, repeats: int) -> dict[str, Any]:
    from splitsecond._cli.estimators import LIMITS, fit_or_interrupt

    seconds = [fit_or_interrupt(model, train).statistics_["seconds"] for _ in range(repeats)]
    return {
        "seconds": median(seconds),
        "objective": model.objective_,
        "leaves": model.n_leaves_,
        SCORES[test.task]: model.score(test.X, test.y),
        "stopped": model.status_ in LIMITS,
    }


def _cart(train: Data, test: Data, repeats: int, penalty: float, max_depth: int) -> dict[str, Any]:
    from sklearn.metrics import accuracy_score, r2_score
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    X, X_test = (np.column_stack(part.X.columns) for part in (train, test))
    is_of_numbers = train.task is Task.REGRESSION
    of = DecisionTreeRegressor if is_of_numbers else DecisionTreeClassifier
    criterion = "squared_error" if is_of_numbers else "entropy"
    model = of(criterion=criterion, max_depth=max_depth or 1, random_state=0)
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        model.fit(X, train.y)
        seconds.append(time.perf_counter() - start)
    tree = model.tree_
    values = tree.value[:, 0, :]
    share = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    if is_of_numbers:
        losses, label, score = share * tree.impurity / tree.impurity[0], values[:, 0], r2_score
    else:
        losses, label = share * (1 - values.max(axis=1)), model.classes_[values.argmax(axis=1)]
        score = accuracy_score
    end, leaves, loss = _pruned(tree, losses, penalty if max_depth else np.inf)
    return {
        "seconds": median(seconds),
        "objective": loss + penalty * leaves,
        "leaves": leaves,
        SCORES[test.task]: float(score(test.y, label[end[model.apply(X_test)]])),
        "stopped": False,
    }


def _pruned(tree: Any, losses: Any, penalty: float) -> tuple[Any, int, float]:
    """Prune where that lowers the objective: return each node's new leaf, and leaves and loss."""
    losses = losses.copy()  # of nodes as leaves, then of what is below them
    leaves = np.ones(tree.node_count, dtype=int)
    end = np.arange(tree.node_count)
    for node in reversed(range(tree.node_count)):  # children come after their parent
        left, right = tree.children_left[node], tree.children_right[node]
        if left < 0:
            continue
        below, n = losses[left] + losses[right], leaves[left] + leaves[right]
        if below + penalty * n < losses[node] + penalty - 1e-12:
            losses[node], leaves[node] = below, n
        else:
            end[_descendants(tree, node)] = node
    return end, int(leaves[0]), float(losses[0])


def _descendants(tree: Any, node: int) -> list[int]:
    """Return a node and all nodes below it."""
    found, waiting = [], [node]
    while waiting:
        each = int(waiting.pop())
        found.append(each)
        if tree.children_left[each] >= 0:
            waiting += [tree.children_left[each], tree.children_right[each]]
    return found
