"""From fitted estimators and sets to JSON."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from splitsecond._binarizers.base import Binarizer
from splitsecond._estimators.base import TreeEstimator
from splitsecond._estimators.classifiers import TreeClassifier
from splitsecond._estimators.fixed import FixedTree
from splitsecond._saving._losses import loss_out
from splitsecond._saving._models import CLASSES, Estimator
from splitsecond._saving._reader import Json
from splitsecond._saving._sets import set_out
from splitsecond._saving._trees import classes_out, literal_out, nodes_out, tree_out, variable_out
from splitsecond._saving._values import plain, value_out
from splitsecond._sets.tree_set import TreeSet
from splitsecond._trees.tree import Tree


def content_out(model: Any) -> Json:
    """Return what a file holds; refuse what cannot be saved."""
    if isinstance(model, Tree):
        return {"tree": tree_out(model)}
    kind = model._record.estimator if isinstance(model, TreeSet) else type(model)
    if not issubclass(kind, CLASSES.get(kind.__name__, ())):
        raise TypeError(
            "save takes a classifier, regressor or binarizer of splitsecond, a tree or a set of "
            f"trees, got {kind.__name__}{_instead(model)}."
        )
    if isinstance(model, TreeSet):
        return _set_of_trees_out(model)
    check = "literals_" if isinstance(model, Binarizer) else "tree_"
    if not hasattr(model, check):
        raise ValueError(f"This {kind.__name__} is not fitted yet: call fit before save.")
    return {"model": estimator_out(model)}


def is_of_numbers(model: Any) -> bool:
    """Whether what can be saved predicts numbers."""
    if isinstance(model, TreeSet):
        return model._scale.units.loss.is_of_numbers
    if isinstance(model, Tree):
        return model.loss.is_of_numbers
    return not isinstance(model, Binarizer) and model.tree_.loss.is_of_numbers


def _instead(given: Any) -> str:
    """Say what to save in place of something that has no file of its own."""
    kind = type(given).__name__
    hints = {
        "RegularizationPath": "save the model of one of its entries, such as path.best_.model",
        "PathEntry": "save its model, entry.model",
        "Pipeline": "save its last step, pipeline[-1], or pickle the whole",
        "RashomonImportance": "pickle it, or write out its to_frame()",
    }
    if isinstance(given, (str, os.PathLike)):
        return ": the model comes first, then the path"
    return f": {hints[kind]}" if kind in hints else ""


def _set_of_trees_out(trees: TreeSet) -> Json:
    """Return a set that is saved by itself as JSON, and the estimator that found it.

    The estimator has the best tree of this set; an empty one has none.
    """
    model = trees._record.estimator._of_set(trees, trees[0] if trees else None)
    written = estimator_out(model)
    return {"model": written, "set": written.pop("set")}


def estimator_out(model: Estimator) -> Json:
    """Return a fitted estimator or binarizer as JSON."""
    if isinstance(model, FixedTree):  # its only parameter is its tree
        return {"class": type(model).__name__, "parameters": {}, "tree": tree_out(model.tree_)}
    parameters = {
        name: _parameter_out(name, value)
        for name, value in model.get_params(deep=False).items()
        if (name, value) != ("device", "cpu")  # files of other models stay as they were
    }
    out = {"class": type(model).__name__, "parameters": parameters}
    if isinstance(model, TreeEstimator):
        return {**out, **_tree_estimator_out(model)}
    return {**out, **_binarizer_out(model)}


def _tree_estimator_out(model: TreeEstimator) -> Json:
    is_classifier = isinstance(model, TreeClassifier)
    return {
        **({"classes": classes_out(model.classes_)} if is_classifier else {}),
        **loss_out(model._loss, value_out),
        "n_features": model.n_features_in_,
        "labels": None
        if model._labels_in is None
        else [value_out(plain(v)) for v in model._labels_in],
        "binarizer": None if model.binarizer_ is None else estimator_out(model.binarizer_),
        **(_tree_of(model) if hasattr(model, "tree_") else {}),
        "lower_bound": model.lower_bound_,
        "status": model.status_,
        "weighted": model._weighted,
        "statistics": {name: plain(value) for name, value in model.statistics_.items()},
        **({"set": set_out(model.trees_)} if hasattr(model, "trees_") else {}),
    }


def _tree_of(model: TreeEstimator) -> Json:
    tree = model.tree_
    # Without weights, rows are as the counts.
    return {"tree": nodes_out(tree, with_rows=model._weighted), "objective": model.objective_}


def _binarizer_out(model: Binarizer) -> Json:
    return {
        "has_labels": model._labels_in is not None,
        **({} if model._stopped is None else {"stopped": model._stopped}),
        "variables": [variable_out(variable) for variable in model.variables_],
        "literals": [literal_out(literal) for literal in model.literals_],
    }


def _parameter_out(name: str, value: Any) -> Json:
    if isinstance(value, Binarizer):  # fitted or not, only its parameters count
        parameters = value.get_params(deep=False)
        return {
            "class": type(value).__name__,
            "parameters": {key: _parameter_out(key, part) for key, part in parameters.items()},
        }
    if isinstance(value, Mapping):
        pairs = [[value_out(plain(k)), _parameter_out(name, v)] for k, v in value.items()]
        return {"pairs": pairs}
    if name == "random_state" and not isinstance(value, (int, np.integer)):
        return None  # a generator's state is not part of the model
    if name == "verbose" and callable(value):
        value = 0  # nor is who was told of the progress
    if isinstance(value, (list, np.ndarray)):
        return {"list": [_parameter_out(name, part) for part in value]}
    if isinstance(value, tuple):
        return {"tuple": [_parameter_out(name, part) for part in value]}
    if isinstance(value, np.floating):
        value = float(str(value))  # the decimal it prints as, which is what `fit` takes it for
    return value_out(plain(value))
