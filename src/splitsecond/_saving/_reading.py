"""From JSON to fitted estimators."""

from __future__ import annotations

from typing import Any

import numpy as np

from splitsecond._binarizers.base import Binarizer
from splitsecond._estimators.base import STATUSES, TreeEstimator
from splitsecond._estimators.classifiers import TreeClassifier
from splitsecond._estimators.fixed import FixedTree
from splitsecond._estimators.sets import RashomonEstimator
from splitsecond._saving._losses import loss_in
from splitsecond._saving._models import CLASSES, Estimator
from splitsecond._saving._reader import DamagedError, Json, Reader, is_number, value_in
from splitsecond._saving._sets import set_in
from splitsecond._saving._trees import (
    MAX_COLUMNS,
    classes_in,
    literal_in,
    nodes_in,
    tree_in,
    variable_in,
)
from splitsecond._tables.binary import keep_columns
from splitsecond._trees.tree import NO_CLASSES, Tree


def estimator_in(reader: Reader, *, needs_tree: bool = True) -> Estimator:
    """Return a fitted estimator or binarizer; that of an empty set has no tree."""
    kind = CLASSES[reader.text("class", among=CLASSES)]
    if issubclass(kind, FixedTree):
        return _fixed_in(kind, reader)
    model = _unfitted_in(reader)
    try:
        model._check_parameters()
    except (TypeError, ValueError, OverflowError) as error:
        raise DamagedError(str(error).rstrip(".")) from error
    if isinstance(model, TreeEstimator):
        _tree_estimator_in(model, reader, needs_tree)
    else:
        _binarizer_in(model, reader)
    return model


def _unfitted_in(reader: Reader) -> Estimator:
    cls = CLASSES[reader.text("class", among=CLASSES)]
    parameters = {key: _parameter_in(value) for key, value in reader.part("parameters").pairs()}
    known = set(cls._get_param_names())
    if not set(parameters) <= known:
        unknown = sorted(set(parameters) - known)[0]
        raise DamagedError(f"{cls.__name__} has no parameter {unknown!r:.40}")
    return cls(**parameters)


def _parameter_in(value: Json) -> Any:
    if isinstance(value, dict):
        reader = Reader(value, "a parameter")
        if reader.has("class"):
            return _unfitted_in(reader)
        if reader.has("list"):
            return [_parameter_in(item) for item in reader.items("list")]
        if reader.has("tuple"):
            return tuple(_parameter_in(item) for item in reader.items("tuple"))
        if reader.has("pairs"):
            pairs = reader.items("pairs")
            if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
                raise DamagedError("a parameter should hold pairs")
            return {value_in(key): _parameter_in(item) for key, item in pairs}
    return value_in(value)


def _tree_estimator_in(model: TreeEstimator, reader: Reader, needs_tree: bool) -> None:
    if isinstance(model, TreeClassifier):
        model.classes_ = classes_in(reader.part("classes"))
        model._loss = loss_in(reader, len(model.classes_))
        model.actions_ = model._loss.labels(model.classes_)
    else:
        model._loss = loss_in(reader, None)
    n_columns = reader.integer("n_features", 1, MAX_COLUMNS)
    labels = reader.values("labels") if reader.has("labels") else None
    if labels is not None and len(labels) != n_columns:
        raise DamagedError("there should be a label for each column")
    keep_columns(model, labels, n_columns)
    model.binarizer_ = None
    if reader.has("binarizer"):
        binarizer = estimator_in(reader.part("binarizer"))
        if not isinstance(binarizer, Binarizer) or (
            binarizer.n_features_in_ != model.n_features_in_
        ):
            raise DamagedError("its binarizer does not fit")
        model.binarizer_ = binarizer
    model.lower_bound_ = reader.number("lower_bound")
    model.status_ = reader.text("status", among=STATUSES)
    model._weighted = reader.flag("weighted")
    model.statistics_ = dict(reader.part("statistics").pairs())
    if not all(is_number(value) for value in model.statistics_.values()):
        raise DamagedError("'statistics' should hold numbers")
    reader.part("statistics").number("seconds")
    if needs_tree or reader.has("tree"):
        model._take(_tree_of(model, reader))
    if isinstance(model, RashomonEstimator) and reader.has("set"):
        model.trees_ = set_in(model, reader.part("set"))


def _tree_of(model: TreeEstimator, reader: Reader) -> Tree:
    asks = model._reader()
    classes = getattr(model, "classes_", NO_CLASSES)
    questions = {"n_questions": len(asks.literals), "n_classes": len(classes)}
    nodes = nodes_in(reader.part("tree"), model._loss, **questions)
    if nodes["row_counts"] is None and not model._weighted:  # without weights, they are the counts
        weights = nodes["counts"]
        are_rows = (weights % 1 == 0).all() and weights.max() < 2**62
        nodes["row_counts"] = weights.astype(np.int64) if are_rows else None
    return Tree(
        **nodes,
        classes=classes,
        objective=reader.number("objective"),
        loss=model._loss,
        **asks.parts_of_tree(nodes["feature"].tolist()),
    )


def _fixed_in(kind: type[FixedTree], reader: Reader) -> FixedTree:
    """Return an estimator whose tree is given."""
    if list(reader.part("parameters").pairs()):
        raise DamagedError(f"{kind.__name__} has no parameters but its tree")
    tree = tree_in(reader.part("tree"))
    try:
        return kind.of(tree)
    except ValueError as error:  # it predicts something else
        raise DamagedError(str(error).rstrip(".")) from error


def _binarizer_in(model: Binarizer, reader: Reader) -> None:
    variables = [variable_in(part) for part in reader.parts("variables")]
    if not variables:
        raise DamagedError("a binarizer should have variables")
    model.variables_ = variables
    by_column = dict(enumerate(variables))
    model.literals_ = [literal_in(part, by_column) for part in reader.parts("literals")]
    labels = [v.label for v in variables] if reader.flag("has_labels") else None
    keep_columns(model, labels, len(variables))
    if reader.has("stopped"):
        model._stopped = reader.text("stopped", among=STATUSES)
