"""From fitted estimators and sets to JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from splitsecond._binarizers.base import Binarizer
from splitsecond._estimators.base import TreeClassifier
from splitsecond._saving._losses import loss_out
from splitsecond._saving._models import Estimator
from splitsecond._saving._reader import Json
from splitsecond._saving._sets import set_out
from splitsecond._sets.tree_set import TreeSet
from splitsecond._tables.literals import COMPARISONS


def set_of_trees_out(trees: TreeSet) -> Json:
    """Return a set that is saved by itself as JSON, and the classifier that found it.

    The classifier has the best tree of this set; an empty one has none.
    """
    model = trees._record.estimator._of_set(trees, trees[0] if trees else None)
    written = estimator_out(model)
    return {"model": written, "set": written.pop("set")}


def estimator_out(model: Estimator) -> Json:
    """Return a fitted classifier or binarizer as JSON."""
    parameters = {
        name: _parameter_out(name, value) for name, value in model.get_params(deep=False).items()
    }
    out = {"class": type(model).__name__, "parameters": parameters}
    if isinstance(model, TreeClassifier):
        return {**out, **_classifier_out(model)}
    return {**out, **_binarizer_out(model)}


def _classifier_out(model: TreeClassifier) -> Json:
    return {
        "classes": _classes_out(model.classes_),
        **loss_out(model._loss, value_out),
        "n_features": model.n_features_in_,
        "labels": None
        if model._labels_in is None
        else [value_out(plain(v)) for v in model._labels_in],
        "binarizer": None if model.binarizer_ is None else estimator_out(model.binarizer_),
        **(_tree_out(model) if hasattr(model, "tree_") else {}),
        "lower_bound": model.lower_bound_,
        "status": model.status_,
        "weighted": model._weighted,
        "statistics": {name: plain(value) for name, value in model.statistics_.items()},
        **({"set": set_out(model.trees_)} if hasattr(model, "trees_") else {}),
    }


def _tree_out(model: TreeClassifier) -> Json:
    tree = model.tree_
    row_counts = tree.row_counts if model._weighted else None  # without weights, as the counts
    return {
        "tree": {
            "feature": tree.feature.tolist(),
            "left": tree.left.tolist(),
            "right": tree.right.tolist(),
            "counts": tree.counts.tolist(),
            "rows": tree.n_rows.tolist(),
            **({} if row_counts is None else {"row_counts": row_counts.tolist()}),
        },
        "objective": model.objective_,
    }


def _binarizer_out(model: Binarizer) -> Json:
    return {
        "has_labels": model._labels_in is not None,
        **({} if model._stopped is None else {"stopped": model._stopped}),
        "variables": [
            {
                "label": value_out(plain(variable.label)),
                "name": variable.name,
                "kind": str(variable.kind),
                "categories": [value_out(value) for value in variable.categories],
                "has_blanks": variable.has_missing,
                "is_constant": variable.is_constant,
            }
            for variable in model.variables_
        ],
        "literals": [
            {
                "column": literal.column,
                "operator": literal.operator,
                "value": value_out(plain(literal.value))
                if literal.operator in COMPARISONS
                else None,
            }
            for literal in model.literals_
        ],
    }


def _classes_out(classes: Any) -> Json:
    dtype = "str" if classes.dtype.kind in "UT" else classes.dtype.name
    return {"dtype": dtype, "values": [value_out(plain(value)) for value in classes]}


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


def value_out(value: Any) -> Json:
    """Return a label, a category or a number as JSON: what JSON has no word for gets a name."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, tuple):
        return {"tuple": [value_out(plain(part)) for part in value]}
    with suppress(TypeError, ValueError, OverflowError):
        return {"fraction": str(Fraction(value))}  # Decimal too
    raise TypeError(
        f"A value of type {type(value).__name__} cannot be saved: {value!r:.60}. Labels, column "
        "names and parameters must be strings, numbers or booleans."
    )


def plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
