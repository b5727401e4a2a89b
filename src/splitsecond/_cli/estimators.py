"""From options to estimators, and fitting them with a bar to watch."""

from __future__ import annotations

from typing import Any

import typer

import splitsecond
from splitsecond._classifier_base import TreeClassifier
from splitsecond._cli.options import (
    Algorithm,
    Binarizer,
    Learning,
    Method,
    Sets,
    Weighting,
    Writing,
)
from splitsecond._cli.output import progress, say
from splitsecond._cli.tables import Data
from splitsecond._rashomon import RashomonClassifier
from splitsecond._tree import training_accuracy

TREES: dict[Algorithm, type[TreeClassifier]] = {
    Algorithm.LICKETY: splitsecond.LicketySPLITClassifier,
    Algorithm.SPLIT: splitsecond.SPLITClassifier,
    Algorithm.OPTIMAL: splitsecond.OptimalTreeClassifier,
    Algorithm.GREEDY: splitsecond.GreedyTreeClassifier,
}
SETS: dict[Method, type[RashomonClassifier]] = {
    Method.RESPLIT: splitsecond.RESPLIT,
    Method.TREEFARMS: splitsecond.TreeFARMS,
}
STOPPED = 3  # exit code: a limit was met, and the result is valid
LIMITS = ("time_limit", "memory_limit")  # statuses of a fit that stopped at one


def make(kind: Algorithm | Method, learning: Learning, jobs: int, **parameters: Any) -> Any:
    """Make an estimator; options that were given and have no meaning for it are refused."""
    of = TREES[kind] if isinstance(kind, Algorithm) else SETS[kind]
    options = {
        "lookahead_depth": learning.lookahead_depth,
        "exact_last_split": True if learning.exact_last_split else None,
        **parameters,
    }
    options = {name: value for name, value in options.items() if value is not None}
    known = of._get_param_names()
    for name in options:
        if name not in known:
            option = "--no-postprocess" if name == "postprocess" else f"--{name.replace('_', '-')}"
            raise ValueError(f"{option} has no meaning for {kind}: leave it out.")
    balanced = learning.class_weight is Weighting.BALANCED
    model = of(
        max_depth=learning.max_depth,
        class_weight="balanced" if balanced else None,
        binarizer=None if learning.binarizer is Binarizer.NONE else str(learning.binarizer),
        memory_limit=learning.memory_limit,
        n_jobs=jobs,
        **options,
    )
    model._check_parameters()
    return model


def make_set(sets: Sets, jobs: int = 1, time_limit: float | None = None) -> Any:
    """Make an estimator that finds a set of trees."""
    return make(
        sets.method,
        sets,
        jobs,
        regularization=sets.regularization,
        epsilon=sets.epsilon,
        epsilon_kind=str(sets.epsilon_kind),
        keep_trivial=sets.keep_trivial,
        time_limit=time_limit,
    )


def fit_on(model: Any, data: Data, what: str = "fitting") -> Any:
    """Fit a model; Ctrl-C ends the program and not only the fit."""
    with progress(what) as listener:
        return quietly(model, data, listener)


def quietly(model: Any, data: Data, listener: Any = None) -> Any:
    """Fit a model that may tell a listener how far it is."""
    if listener is not None:
        model._listener = listener
    try:
        model.fit(data.X, data.y, data.weights)
    finally:
        model._listener = None
    if model.status_ == "interrupted":
        raise KeyboardInterrupt
    return model


def finish(model: Any, writing: Writing, before: str = "complete") -> None:
    """Save a model if that was asked for, and end with the code for a limit if one was met.

    What was done before the fit has its own status.
    """
    if writing.out is not None:
        splitsecond.save(model, writing.out)
        say(f"wrote {writing.out}")
    if model.status_ in LIMITS or before != "complete":
        raise typer.Exit(STOPPED)


def summary(model: Any) -> dict[str, Any]:
    """Return what is to be said of a fitted classifier besides its tree."""
    return {
        "model": type(model).__name__,
        "parameters": model.get_params(deep=False),
        "classes": model.classes_,
        "rows": model.tree_.n_rows[0],
        "leaves": model.n_leaves_,
        "depth": model.depth_,
        "training_accuracy": training_accuracy(model.tree_),
        "objective": model.objective_,
        "lower_bound": model.lower_bound_,
        "status": model.status_,
        "seconds": model.statistics_["seconds"],
    }
