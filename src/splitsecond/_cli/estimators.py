"""From options to estimators, and fitting them while a progress bar is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

import splitsecond
from splitsecond import Tree, TreeSet
from splitsecond._cli.classes import class_weight_for, costs_for, only_present
from splitsecond._cli.data import Data
from splitsecond._cli.number_scores import training_scores, training_text
from splitsecond._cli.options import (
    Algorithm,
    Binarizer,
    Learning,
    Method,
    Sets,
    SingleTree,
    Task,
    Writing,
)
from splitsecond._cli.output import progress, say
from splitsecond._cli.row_places import rows_of_data

TREES: dict[Task, dict[Algorithm, Callable[..., Any]]] = {
    Task.CLASSIFICATION: {
        Algorithm.LICKETY: splitsecond.LicketySPLITClassifier,
        Algorithm.SPLIT: splitsecond.SPLITClassifier,
        Algorithm.OPTIMAL: splitsecond.OptimalTreeClassifier,
        Algorithm.GREEDY: splitsecond.GreedyTreeClassifier,
    },
    Task.REGRESSION: {
        Algorithm.LICKETY: splitsecond.LicketySPLITRegressor,
        Algorithm.SPLIT: splitsecond.SPLITRegressor,
        Algorithm.OPTIMAL: splitsecond.OptimalTreeRegressor,
        Algorithm.GREEDY: splitsecond.GreedyTreeRegressor,
    },
}
SETS: dict[Task, dict[Method, Callable[..., Any]]] = {
    Task.CLASSIFICATION: {
        Method.RESPLIT: splitsecond.RESPLIT,
        Method.TREEFARMS: splitsecond.TreeFARMS,
    },
    Task.REGRESSION: {
        Method.RESPLIT: splitsecond.RESPLITRegressor,
        Method.TREEFARMS: splitsecond.TreeFARMSRegressor,
    },
}
STOPPED = 3  # exit code: a limit was met, and the result is valid
LIMITS = ("time_limit", "memory_limit")  # statuses of a fit that stopped at one


def _make(
    kind: Algorithm | Method, learning: Learning, data: Data, jobs: int, **parameters: Any
) -> Any:
    """Make an estimator; options that were given and have no meaning for it are refused."""
    task = data.task
    of = TREES[task][kind] if isinstance(kind, Algorithm) else SETS[task][kind]
    options = {
        "lookahead_depth": learning.lookahead_depth,
        "exact_last_split": learning.exact_last_split,
        **parameters,
    }
    options = {name: value for name, value in options.items() if value is not None}
    known = of().get_params()
    for name in options:
        if name not in known:
            option = "--no-postprocess" if name == "postprocess" else f"--{name.replace('_', '-')}"
            raise ValueError(f"{option} has no meaning for {kind}: leave it out.")
    if learning.loss is not None:
        options["loss"] = str(learning.loss)
    if task is Task.CLASSIFICATION:
        options["costs"] = costs_for(learning.costs, data)
        options["class_weight"] = class_weight_for(learning.class_weight, data)
    return of(
        max_depth=learning.max_depth,
        min_samples_leaf=learning.min_samples_leaf,
        binarizer=None if learning.binarizer is Binarizer.NONE else str(learning.binarizer),
        memory_limit=learning.memory_limit,
        n_jobs=jobs,
        **options,
    )


def make_tree(search: SingleTree, data: Data, jobs: int, **parameters: Any) -> Any:
    """Make an estimator that finds a single tree."""
    own = {
        "postprocess": False if search.no_postprocess else None,
        "completion": None if search.completion is None else str(search.completion),
        "device": None if search.device is None else str(search.device),
    }
    return _make(search.algorithm, search, data, jobs, **own, **parameters)


def make_set(sets: Sets, data: Data, jobs: int = 1, time_limit: float | None = None) -> Any:
    """Make an estimator that finds a set of trees."""
    return _make(
        sets.method,
        sets,
        data,
        jobs,
        regularization=sets.regularization,
        epsilon=sets.epsilon,
        epsilon_kind=str(sets.epsilon_kind),
        keep_trivial=sets.keep_trivial,
        time_limit=time_limit,
    )


def fit_with_bar(model: Any, data: Data, what: str = "fitting") -> Any:
    """Fit a model while a bar shows how far it is."""
    with progress(what) as listener:
        return fit_or_interrupt(model, data, listener)


def fit_or_interrupt(model: Any, data: Data, verbose: Any = 0) -> Any:
    """Fit a model; Ctrl-C ends the program and not only the fit."""
    if data.task is Task.CLASSIFICATION:
        only_present(model, data)  # a part of the rows may lack a class
    model.verbose = verbose
    try:
        with rows_of_data(data):
            model.fit(**data.given)
    finally:
        model.verbose = 0
    if model.status_ == "interrupted":
        raise KeyboardInterrupt
    return model


def finish(
    model: Any, writing: Writing, before: str = "complete", trees: TreeSet | None = None
) -> None:
    """Save a model if that was asked for, and end with the code for a limit if one was met.

    What was done before the fit has its own status. Of a set, some trees may be all that is saved.
    """
    if writing.out is not None:
        splitsecond.save(model if trees is None else trees, writing.out)
        say(f"wrote {writing.out}")
    if model.status_ in LIMITS or before != "complete":
        raise typer.Exit(STOPPED)


def summary(model: Any, tree: Tree | None = None) -> dict[str, Any]:
    """Return what is to be said of a fitted model besides its tree, or of another tree."""
    return {
        "model": type(model).__name__,
        "parameters": model.get_params(deep=False),
        **summary_of_tree(model.tree_ if tree is None else tree),
        "lower_bound": model.lower_bound_,
        "status": model.status_,
        "seconds": model.statistics_["seconds"],
        "binarization_seconds": model.statistics_.get("binarization_seconds"),
        "search_seconds": model.statistics_.get("search_seconds"),
    }


def summary_of_tree(tree: Tree) -> dict[str, Any]:
    """Return what is to be said of a tree besides its questions."""
    is_of_numbers = tree.loss.is_of_numbers
    return {
        **({} if is_of_numbers else {"classes": tree.classes}),
        "loss": tree.loss.name,
        "rows": tree.n_rows[0],
        "leaves": tree.n_leaves,
        "depth": tree.depth,
        **(
            training_scores(tree)
            if is_of_numbers
            else {"training_accuracy": tree.training_accuracy}
        ),
        "training_loss": tree.training_loss,
        "objective": tree.objective,
    }


def fit_text(tree: Tree) -> str:
    """Say how well a tree fits the training rows, in what it was fitted for."""
    kind = "weighted training" if tree.is_weighted else "training"
    if tree.loss.name == "zero_one":
        return f"{kind} accuracy {tree.training_accuracy:.3f}"
    if tree.loss.is_of_numbers:
        return f"{kind} {training_text(tree)}"
    return f"{kind} {tree.loss.title} {tree.training_loss:.4g}"
