"""From JSON to fitted estimators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from splitsecond._binarizers.base import Binarizer
from splitsecond._estimators.base import STATUSES, TreeClassifier
from splitsecond._estimators.sets import RashomonClassifier
from splitsecond._saving._losses import loss_in
from splitsecond._saving._models import CLASSES, Estimator
from splitsecond._saving._reader import (
    DamagedError,
    Json,
    Reader,
    check_rows,
    is_integer,
    is_number,
    value_in,
)
from splitsecond._saving._sets import set_in
from splitsecond._tables.binary import keep_columns
from splitsecond._tables.columns import Kind, Variable
from splitsecond._tables.literals import COMPARISONS, OPERATORS, Literal
from splitsecond._trees.tree import Tree


def estimator_in(reader: Reader, *, needs_tree: bool = True) -> Estimator:
    """Return a fitted classifier or binarizer; that of an empty set has no tree."""
    model = _unfitted_in(reader)
    try:
        model._check_parameters()
    except (TypeError, ValueError, OverflowError) as error:
        raise DamagedError(str(error).rstrip(".")) from error
    if isinstance(model, TreeClassifier):
        _classifier_in(model, reader, needs_tree)
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


def _classifier_in(model: TreeClassifier, reader: Reader, needs_tree: bool) -> None:
    model.classes_ = _classes_in(reader.part("classes"))
    model._loss = loss_in(reader, len(model.classes_))
    model.actions_ = model._loss.labels(model.classes_)
    n_columns = reader.integer("n_features", 1, 2**31)
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
        model._take(_tree_in(model, reader.part("tree"), reader.number("objective")))
    if isinstance(model, RashomonClassifier) and reader.has("set"):
        model.trees_ = set_in(model, reader.part("set"))


def _tree_in(model: TreeClassifier, reader: Reader, objective: float) -> Tree:
    n_nodes = len(reader.items("feature"))
    n_columns = (
        model.n_features_in_ if model.binarizer_ is None else len(model.binarizer_.literals_)
    )
    feature = reader.integers("feature", -1, n_columns)
    left = reader.integers("left", -1, n_nodes)
    right = reader.integers("right", -1, n_nodes)
    rows = reader.integers("rows", 0, 2**62)
    counts = reader.items("counts")
    if n_nodes == 0 or not n_nodes == len(left) == len(right) == len(rows) == len(counts):
        raise DamagedError("the lists of 'tree' should have one entry for each node")
    parents = [0] * n_nodes
    for node in range(n_nodes):
        children = (left[node], right[node])
        if feature[node] < 0:
            if children != (-1, -1):
                raise DamagedError(f"node {node} of 'tree' is a leaf and has children")
        elif min(children) <= node:
            raise DamagedError(f"node {node} of 'tree' does not come before its children")
        else:
            for child in children:
                parents[child] += 1
    if parents != [0] + [1] * (n_nodes - 1):
        raise DamagedError("'tree' is not a tree")
    for weights in counts:
        if (
            not isinstance(weights, list)
            or len(weights) != len(model.classes_)
            or not all(is_number(weight) and weight >= 0 for weight in weights)
            or not sum(weights) > 0
        ):
            raise DamagedError("'counts' should hold a weight for each class")
    if not math.isfinite(sum(float(weight) for weights in counts for weight in weights)):
        raise DamagedError("'counts' should hold weights whose sum is finite")
    weights = np.array(counts, dtype=np.float64)
    return Tree(
        row_counts=_row_counts_in(model, reader, rows, weights),
        feature=np.array(feature, dtype=np.int32),
        left=np.array(left, dtype=np.int32),
        right=np.array(right, dtype=np.int32),
        counts=weights,
        n_rows=np.array(rows, dtype=np.int64),
        classes=model.classes_,
        objective=objective,
        loss=model._loss,
        **model._reader().parts_of_tree(feature),
    )


def _row_counts_in(model: TreeClassifier, reader: Reader, rows: list[int], weights: Any) -> Any:
    """Return the rows of each class at each node; None if the file tells only their weight."""
    if not reader.has("row_counts"):
        are_rows = not model._weighted and (weights % 1 == 0).all() and weights.max() < 2**62
        return weights.astype(np.int64) if are_rows else None
    counts = reader.items("row_counts")
    for node, own in zip(rows, counts, strict=False):
        if (
            not isinstance(own, list)
            or len(own) != len(model.classes_)
            or not all(is_integer(each) and each >= 0 for each in own)
            or sum(own) != node
        ):
            raise DamagedError("'row_counts' should hold the rows of each class")
    if len(counts) != len(rows):
        raise DamagedError("'row_counts' should have one entry for each node")
    row_counts = np.array(counts, dtype=np.int64)
    check_rows(row_counts, weights)
    return row_counts


def _classes_in(reader: Reader) -> Any:
    dtype = reader.text("dtype")
    values = reader.values("values")
    kinds: dict[str, Any] = {"b": bool, "i": int, "u": int, "f": (int, float), "s": str}
    allowed = ["bool", "str", "object", *(f"{k}int{b}" for k in ("", "u") for b in (8, 16, 32, 64))]
    if dtype not in [*allowed, "float16", "float32", "float64"]:
        raise DamagedError(f"{dtype!r:.40} is no kind of class labels")
    if not values or len(set(map(repr, values))) != len(values):
        raise DamagedError("class labels should be different from each other")
    if dtype == "object":
        classes = np.empty(len(values), dtype=object)
        classes[:] = values
        return classes
    if not all(isinstance(value, kinds[dtype[0]]) for value in values):
        raise DamagedError(f"class labels should be of type {dtype}")
    if dtype[0] in "iuf":
        limits = np.finfo(dtype) if dtype[0] == "f" else np.iinfo(dtype)
        if not all(limits.min <= value <= limits.max for value in values):
            raise DamagedError(f"class labels should be numbers of type {dtype}")
    return np.array(values, dtype=None if dtype == "str" else dtype)


def _binarizer_in(model: Binarizer, reader: Reader) -> None:
    variables = []
    for part in reader.parts("variables"):
        kind = Kind(part.text("kind", among=[str(kind) for kind in Kind]))
        categories = tuple(part.values("categories"))
        if bool(categories) != (kind in (Kind.CATEGORY, Kind.ORDERED)):
            raise DamagedError(f"a variable of kind {kind} has {len(categories)} categories")
        label = value_in(part.take("label", lambda _: True, ""))
        flags = part.flag("has_blanks"), part.flag("is_constant", missing=False)
        variables.append(Variable(label, part.text("name"), kind, categories, *flags))
    if not variables:
        raise DamagedError("a binarizer should have variables")
    model.variables_ = variables
    model.literals_ = [_literal_in(part, variables) for part in reader.parts("literals")]
    labels = [v.label for v in variables] if reader.flag("has_labels") else None
    keep_columns(model, labels, len(variables))
    if reader.has("stopped"):
        model._stopped = reader.text("stopped", among=STATUSES)


def _literal_in(reader: Reader, variables: list[Variable]) -> Literal:
    column = reader.integer("column", 0, len(variables))
    variable = variables[column]
    operator = reader.text("operator", among=OPERATORS)
    value = value_in(reader.take("value", lambda _: True, ""))
    is_numeric = variable.kind in (Kind.BINARY, Kind.NUMBER)
    if operator in COMPARISONS and is_numeric:
        fits = is_number(value) or (operator == "==" and isinstance(value, (bool, str)))
    elif operator in COMPARISONS:
        fits = value is not None and (operator == "==" or variable.kind is not Kind.CATEGORY)
    else:
        fits = value is None and (operator == "is missing" or is_numeric)
    if not fits or variable.kind in (Kind.CONSTANT, Kind.UNREAD):
        raise DamagedError(f"{operator!r} does not fit {variable.name!r:.40} and {value!r:.40}")
    return Literal(column, variable.name, operator, value)
