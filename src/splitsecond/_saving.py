"""Saving models and binarizers as JSON, and loading them again.

A file holds what a model needs to predict and to print itself: parameters, questions, the tree.
No training rows, no code: loading builds objects from plain values, each checked before it is used.
"""

from __future__ import annotations

import copy
import json
import math
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from splitsecond import _binarizers, _classifiers, _guessing, _rashomon
from splitsecond._binarizer_base import Binarizer
from splitsecond._classifier_base import STATUSES, TreeClassifier
from splitsecond._columns import Kind, Variable
from splitsecond._exact import leaf_price
from splitsecond._literals import OPERATORS, Literal
from splitsecond._rashomon import RashomonClassifier
from splitsecond._tree import Tree
from splitsecond._treeset import Scale, TreeSet, graph_from_state

FORMAT = "splitsecond model"
VERSION = 1
COMPARISONS = ("<=", "==")  # the operators that have a value

Json: TypeAlias = Any
Estimator: TypeAlias = TreeClassifier | Binarizer

CLASSES: dict[str, type[Estimator]] = {
    cls.__name__: cls
    for cls in (
        _classifiers.GreedyTreeClassifier,
        _classifiers.LicketySPLITClassifier,
        _classifiers.OptimalTreeClassifier,
        _classifiers.SPLITClassifier,
        _rashomon.RESPLIT,
        _rashomon.TreeFARMS,
        _binarizers.FixedBinarizer,
        _binarizers.MidpointBinarizer,
        _binarizers.QuantileBinarizer,
        _guessing.ThresholdGuessBinarizer,
    )
}


def save(model: Estimator | TreeSet, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier, binarizer or set of trees to a JSON file.

    Parameters
    ----------
    model : fitted estimator or TreeSet
        One of splitsecond's classifiers or binarizers, or the `trees_` of one, filtered or not.
    path : str or path-like
        The file; it is replaced whole or not at all.

    Examples
    --------
    >>> import numpy as np, os, splitsecond, tempfile
    >>> model = splitsecond.LicketySPLITClassifier().fit([[1.5], [2.5]] * 9, ["a", "b"] * 9)
    >>> path = os.path.join(tempfile.mkdtemp(), "model.json")
    >>> splitsecond.save(model, path)
    >>> splitsecond.load(path).predict([[1.9], [2.1]]).tolist()
    ['a', 'b']
    """
    trees = model if isinstance(model, TreeSet) else None
    if trees is not None:
        model = trees._estimator
    if type(model).__name__ not in CLASSES or not isinstance(model, CLASSES[type(model).__name__]):
        raise TypeError(
            f"save takes a classifier or binarizer of splitsecond, got {type(model).__name__}."
        )
    check = "tree_" if isinstance(model, TreeClassifier) else "literals_"
    if not hasattr(model, check):
        raise ValueError(f"This {type(model).__name__} is not fitted yet: call fit before save.")
    text = json.dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "model": _estimator_out(model),
            **({} if trees is None else {"set": _set_out(trees)}),
        },
        ensure_ascii=False,
        allow_nan=False,
        indent=1,
    )
    target = Path(path)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        # Half a character, which UTF-8 has no bytes for, becomes JSON's escape for it.
        partial.write_bytes((text + "\n").encode("utf-8", "backslashreplace"))
        partial.replace(target)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise


def load(path: str | os.PathLike[str]) -> Any:
    """Read what `save` wrote; no code in the file is run.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    estimator or TreeSet
        As it was saved.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no model file: it is not UTF-8 text.") from error
    try:
        content = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_repetition)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no model file, or damaged: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"{path} is no model file of splitsecond: it does not say so.")
    version: Any = content.get("version")
    if not _is_integer(version) or version < 1:
        raise ValueError(f"{path} is damaged: its format version is {version!r:.40}.")
    if version > VERSION:
        raise ValueError(
            f"{path} has format version {version}; this splitsecond reads up to {VERSION}. "
            "Install a newer splitsecond to read it."
        )
    try:
        reader = _Reader(content)
        model = _estimator_in(reader.part("model"))
        if not reader.has("set"):
            if isinstance(model, RashomonClassifier) and not hasattr(model, "trees_"):
                raise _DamagedError("its set of trees is missing")
            return model
        if not isinstance(model, RashomonClassifier):
            raise _DamagedError("there is a set of trees, but not its classifier")
        return _set_in(model, reader.part("set"))
    except _DamagedError as error:
        raise ValueError(f"{path} is damaged: {error}.") from error
    except RecursionError as error:
        raise ValueError(f"{path} is damaged: it is nested too deeply.") from error


# ---- writing ------------------------------------------------------------------------------------


def _estimator_out(model: Estimator) -> Json:
    parameters = {
        name: _parameter_out(name, value) for name, value in model.get_params(deep=False).items()
    }
    out = {"class": type(model).__name__, "parameters": parameters}
    if isinstance(model, TreeClassifier):
        return {**out, **_classifier_out(model)}
    return {**out, **_binarizer_out(model)}


def _classifier_out(model: TreeClassifier) -> Json:
    tree = model.tree_
    return {
        "classes": _classes_out(model.classes_),
        "n_features": model.n_features_in_,
        "labels": None
        if model._labels_in is None
        else [_value_out(_plain(v)) for v in model._labels_in],
        "binarizer": None if model.binarizer_ is None else _estimator_out(model.binarizer_),
        "tree": {
            "feature": tree.feature.tolist(),
            "left": tree.left.tolist(),
            "right": tree.right.tolist(),
            "counts": tree.counts.tolist(),
            "rows": tree.n_rows.tolist(),
        },
        "objective": model.objective_,
        "lower_bound": model.lower_bound_,
        "status": model.status_,
        "weighted": model._weighted,
        "statistics": {name: _plain(value) for name, value in model.statistics_.items()},
        **({"set": _set_out(model.trees_)} if hasattr(model, "trees_") else {}),
    }


def _set_out(trees: TreeSet) -> Json:
    scale = trees._scale
    state = trees._graph.state()
    return {
        "price": str(scale.price),
        "weight": scale.weight,
        "unit": scale.unit,
        "most_leaves": scale.most_leaves,
        "reference": str(scale.reference),
        "bound": str(trees._bound),
        "keep_trivial": state["keep_trivial"],
        "max_leaves": state["max_leaves"],
        "root": state["root"],
        **{name: state[name].tolist() for name in ("nodes", "edges", "counts")},
    }


def _binarizer_out(model: Binarizer) -> Json:
    return {
        "has_labels": model._labels_in is not None,
        "variables": [
            {
                "label": _value_out(_plain(variable.label)),
                "name": variable.name,
                "kind": str(variable.kind),
                "categories": [_value_out(value) for value in variable.categories],
                "has_blanks": variable.has_blanks,
                "is_constant": variable.is_constant,
            }
            for variable in model.variables_
        ],
        "literals": [
            {
                "column": literal.column,
                "operator": literal.operator,
                "value": _value_out(_plain(literal.value))
                if literal.operator in COMPARISONS
                else None,
            }
            for literal in model.literals_
        ],
    }


def _classes_out(classes: Any) -> Json:
    dtype = "str" if classes.dtype.kind in "UT" else classes.dtype.name
    return {"dtype": dtype, "values": [_value_out(_plain(value)) for value in classes]}


def _parameter_out(name: str, value: Any) -> Json:
    if isinstance(value, Binarizer):  # fitted or not, only its parameters count
        parameters = value.get_params(deep=False)
        return {
            "class": type(value).__name__,
            "parameters": {key: _parameter_out(key, part) for key, part in parameters.items()},
        }
    if isinstance(value, Mapping):
        pairs = [[_value_out(_plain(k)), _value_out(_plain(v))] for k, v in value.items()]
        return {"pairs": pairs}
    if name == "random_state" and not isinstance(value, (int, np.integer)):
        return None  # a generator's state is not part of the model
    if isinstance(value, (list, np.ndarray)):
        return {"list": [_parameter_out(name, part) for part in value]}
    if isinstance(value, tuple):
        return {"tuple": [_parameter_out(name, part) for part in value]}
    if isinstance(value, np.floating):
        value = float(str(value))  # the decimal it prints as, which is what `fit` takes it for
    return _value_out(_plain(value))


def _value_out(value: Any) -> Json:
    """Return a label, a category or a number as JSON: what JSON has no word for gets a name."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, tuple):
        return {"tuple": [_value_out(_plain(part)) for part in value]}
    with suppress(TypeError, ValueError, OverflowError):
        return {"fraction": str(Fraction(value))}  # Decimal too
    raise TypeError(
        f"A value of type {type(value).__name__} cannot be saved: {value!r:.60}. Labels, column "
        "names and parameters must be strings, numbers or truth values."
    )


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


# ---- reading ------------------------------------------------------------------------------------


class _DamagedError(Exception):
    """What is in a file is not what should be there."""


class _Reader:
    """A JSON object whose parts are checked when they are taken."""

    def __init__(self, content: Json, where: str = "the file") -> None:
        if not isinstance(content, dict):
            raise _DamagedError(f"{where} should be an object, is {content!r:.40}")
        self._content = content
        self._where = where

    def take(self, key: str, is_right: Callable[[Any], bool], what: str) -> Any:
        """Return a part if it is what it should be."""
        if key not in self._content:
            raise _DamagedError(f"{self._where} has no {key!r}")
        value = self._content[key]
        if not is_right(value):
            raise _DamagedError(f"{key!r} of {self._where} should be {what}, is {value!r:.40}")
        return value

    def part(self, key: str) -> _Reader:
        return _Reader(self.take(key, lambda v: isinstance(v, dict), "an object"), repr(key))

    def has(self, key: str) -> bool:
        """Whether a part is there and not null."""
        return self._content.get(key) is not None

    def items(self, key: str) -> list[Any]:
        items: list[Any] = self.take(key, lambda v: isinstance(v, list), "a list")
        return items

    def parts(self, key: str) -> list[_Reader]:
        return [_Reader(item, f"an entry of {key!r}") for item in self.items(key)]

    def values(self, key: str) -> list[Any]:
        return [_value_in(item) for item in self.items(key)]

    def text(self, key: str, among: Any = None) -> str:
        what = "text" if among is None else f"one of {', '.join(map(repr, among))}"
        text: str = self.take(
            key, lambda v: isinstance(v, str) and (among is None or v in among), what
        )
        return text

    def flag(self, key: str, missing: bool | None = None) -> bool:
        if missing is not None and key not in self._content:
            return missing
        flag: bool = self.take(key, lambda v: isinstance(v, bool), "true or false")
        return flag

    def number(self, key: str) -> float:
        return float(self.take(key, _is_number, "a number"))

    def integer(self, key: str, least: int, below: int) -> int:
        number: int = self.take(
            key, lambda v: _is_integer(v) and least <= v < below, f"{least} to {below - 1}"
        )
        return number

    def integers(self, key: str, least: int, below: int) -> list[int]:
        for item in self.items(key):
            if not _is_integer(item) or not least <= item < below:
                raise _DamagedError(f"{key!r} holds {item!r:.40}, not {least} to {below - 1}")
        return self.items(key)

    def fraction(self, key: str) -> Fraction:
        text = self.text(key)
        # Fraction itself reads exponents too, which make numbers that fill the memory.
        if re.fullmatch(r"-?[0-9]+(/[0-9]+)?", text):
            with suppress(ValueError, ZeroDivisionError):
                return Fraction(text)
        raise _DamagedError(f"{text!r:.40} is no fraction")

    def pairs(self) -> Any:
        return self._content.items()


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _no_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("an object has the same key twice")
    return content


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e308


def _estimator_in(reader: _Reader) -> Estimator:
    model = _unfitted_in(reader)
    try:
        model._check_parameters()
    except (TypeError, ValueError, OverflowError) as error:
        raise _DamagedError(str(error).rstrip(".")) from error
    if isinstance(model, TreeClassifier):
        _classifier_in(model, reader)
    else:
        _binarizer_in(model, reader)
    return model


def _unfitted_in(reader: _Reader) -> Estimator:
    cls = CLASSES[reader.text("class", among=CLASSES)]
    parameters = {key: _parameter_in(value) for key, value in reader.part("parameters").pairs()}
    known = set(cls._get_param_names())
    if not set(parameters) <= known:
        unknown = sorted(set(parameters) - known)[0]
        raise _DamagedError(f"{cls.__name__} has no parameter {unknown!r:.40}")
    return cls(**parameters)


def _parameter_in(value: Json) -> Any:
    if isinstance(value, dict):
        reader = _Reader(value, "a parameter")
        if reader.has("class"):
            return _unfitted_in(reader)
        if reader.has("list"):
            return [_parameter_in(item) for item in reader.items("list")]
        if reader.has("tuple"):
            return tuple(_parameter_in(item) for item in reader.items("tuple"))
        if reader.has("pairs"):
            pairs = reader.items("pairs")
            if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
                raise _DamagedError("a parameter should hold pairs")
            return {_value_in(key): _value_in(item) for key, item in pairs}
    return _value_in(value)


def _value_in(value: Json) -> Any:
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    reader = _Reader(value, "a value")
    if reader.has("float"):
        return float(reader.text("float", among=("nan", "inf", "-inf")))
    if reader.has("tuple"):
        return tuple(reader.values("tuple"))
    return reader.fraction("fraction")


def _classifier_in(model: TreeClassifier, reader: _Reader) -> None:
    model.classes_ = _classes_in(reader.part("classes"))
    model.n_features_in_ = reader.integer("n_features", 1, 2**31)
    model._labels_in = reader.values("labels") if reader.has("labels") else None
    if model._labels_in is not None:
        if len(model._labels_in) != model.n_features_in_:
            raise _DamagedError("there should be a label for each column")
        _keep_names(model)
    model.binarizer_ = None
    if reader.has("binarizer"):
        binarizer = _estimator_in(reader.part("binarizer"))
        if not isinstance(binarizer, Binarizer) or (
            binarizer.n_features_in_ != model.n_features_in_
        ):
            raise _DamagedError("its binarizer does not fit")
        model.binarizer_ = binarizer
    model.objective_ = reader.number("objective")
    model.lower_bound_ = reader.number("lower_bound")
    model.status_ = reader.text("status", among=STATUSES)
    model._weighted = reader.flag("weighted")
    model.statistics_ = dict(reader.part("statistics").pairs())
    if not all(_is_number(value) for value in model.statistics_.values()):
        raise _DamagedError("'statistics' should hold numbers")
    reader.part("statistics").number("seconds")
    model.tree_ = _tree_in(model, reader.part("tree"))
    model.n_leaves_ = model.tree_.n_leaves
    model.depth_ = model.tree_.depth
    if isinstance(model, RashomonClassifier) and reader.has("set"):
        model.trees_ = _set_in(model, reader.part("set"))


def _set_in(model: RashomonClassifier, reader: _Reader) -> TreeSet:
    price, reference, bound = (reader.fraction(key) for key in ("price", "reference", "bound"))
    weight = reader.integer("weight", 1, 2**31)
    most_leaves = reader.integer("most_leaves", 1, 2**26)
    unit = reader.number("unit")
    if price < 0 or unit <= 0:
        raise _DamagedError("'set' has a negative price or weight")
    error_price, per_leaf = leaf_price(price, weight, most_leaves)
    n_columns = len(model._literals())
    edges = reader.integers("edges", 0, 2**31)
    if any(feature >= n_columns for feature in edges[::3]):
        raise _DamagedError("'edges' asks of a column that is not there")
    state = {
        "error_price": error_price,
        "leaf_price": per_leaf,
        "keep_trivial": reader.flag("keep_trivial"),
        "max_leaves": reader.integer("max_leaves", 0, 2**62),
        "n_classes": len(model.classes_),
        "root": reader.integer("root", 0, 2**31),
        "nodes": np.array(reader.integers("nodes", -1, 2**62), dtype=np.int64),
        "edges": np.array(edges, dtype=np.int64),
        "counts": np.array(reader.integers("counts", 0, 2**31), dtype=np.int32),
    }
    try:
        graph = graph_from_state(state)
    except ValueError as error:
        raise _DamagedError(str(error)) from error
    scale = Scale(price, weight, unit, error_price, per_leaf, most_leaves, reference)
    return TreeSet(copy.copy(model), graph, scale, bound)  # fitting again must not change the set


def _tree_in(model: TreeClassifier, reader: _Reader) -> Tree:
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
        raise _DamagedError("the lists of 'tree' should have one entry for each node")
    parents = [0] * n_nodes
    for node in range(n_nodes):
        children = (left[node], right[node])
        if feature[node] < 0:
            if children != (-1, -1):
                raise _DamagedError(f"node {node} of 'tree' is a leaf and has children")
        elif min(children) <= node:
            raise _DamagedError(f"node {node} of 'tree' does not come before its children")
        else:
            for child in children:
                parents[child] += 1
    if parents != [0] + [1] * (n_nodes - 1):
        raise _DamagedError("'tree' is not a tree")
    for weights in counts:
        if (
            not isinstance(weights, list)
            or len(weights) != len(model.classes_)
            or not all(_is_number(weight) and weight >= 0 for weight in weights)
            or not sum(weights) > 0
        ):
            raise _DamagedError("'counts' should hold a weight for each class")
    if not math.isfinite(sum(float(weight) for weights in counts for weight in weights)):
        raise _DamagedError("'counts' should hold weights whose sum is finite")
    return Tree(
        feature=np.array(feature, dtype=np.int32),
        left=np.array(left, dtype=np.int32),
        right=np.array(right, dtype=np.int32),
        counts=np.array(counts, dtype=np.float64),
        n_rows=np.array(rows, dtype=np.int64),
        classes=model.classes_,
        objective=model.objective_,
        **model._questions(feature),
    )


def _classes_in(reader: _Reader) -> Any:
    dtype = reader.text("dtype")
    values = reader.values("values")
    kinds: dict[str, Any] = {"b": bool, "i": int, "u": int, "f": (int, float), "s": str}
    allowed = ["bool", "str", "object", *(f"{k}int{b}" for k in ("", "u") for b in (8, 16, 32, 64))]
    if dtype not in [*allowed, "float16", "float32", "float64"]:
        raise _DamagedError(f"{dtype!r:.40} is no kind of class labels")
    if not values or len(set(map(repr, values))) != len(values):
        raise _DamagedError("class labels should be different from each other")
    if dtype == "object":
        classes = np.empty(len(values), dtype=object)
        classes[:] = values
        return classes
    if not all(isinstance(value, kinds[dtype[0]]) for value in values):
        raise _DamagedError(f"class labels should be of type {dtype}")
    if dtype[0] in "iuf":
        limits = np.finfo(dtype) if dtype[0] == "f" else np.iinfo(dtype)
        if not all(limits.min <= value <= limits.max for value in values):
            raise _DamagedError(f"class labels should be numbers of type {dtype}")
    return np.array(values, dtype=None if dtype == "str" else dtype)


def _binarizer_in(model: Binarizer, reader: _Reader) -> None:
    variables = []
    for part in reader.parts("variables"):
        kind = Kind(part.text("kind", among=[str(kind) for kind in Kind]))
        categories = tuple(part.values("categories"))
        if bool(categories) != (kind in (Kind.CATEGORY, Kind.ORDERED)):
            raise _DamagedError(f"a variable of kind {kind} has {len(categories)} categories")
        label = _value_in(part.take("label", lambda _: True, ""))
        flags = part.flag("has_blanks"), part.flag("is_constant", missing=False)
        variables.append(Variable(label, part.text("name"), kind, categories, *flags))
    if not variables:
        raise _DamagedError("a binarizer should have variables")
    model.variables_ = variables
    model.literals_ = [_literal_in(part, variables) for part in reader.parts("literals")]
    model.n_features_in_ = len(variables)
    model._labels_in = [v.label for v in variables] if reader.flag("has_labels") else None
    _keep_names(model)


def _literal_in(reader: _Reader, variables: list[Variable]) -> Literal:
    column = reader.integer("column", 0, len(variables))
    variable = variables[column]
    operator = reader.text("operator", among=OPERATORS)
    value = _value_in(reader.take("value", lambda _: True, ""))
    is_number = variable.kind in (Kind.BINARY, Kind.NUMBER)
    if operator in COMPARISONS and is_number:
        fits = _is_number(value) or (operator == "==" and isinstance(value, (bool, str)))
    elif operator in COMPARISONS:
        fits = value is not None and (operator == "==" or variable.kind is not Kind.CATEGORY)
    else:
        fits = value is None and (operator == "is missing" or is_number)
    if not fits or variable.kind is Kind.CONSTANT:
        raise _DamagedError(f"{operator!r} does not fit {variable.name!r:.40} and {value!r:.40}")
    return Literal(column, variable.name, operator, value)


def _keep_names(model: Estimator) -> None:
    labels = model._labels_in
    if labels is not None and all(isinstance(label, str) for label in labels):
        model.feature_names_in_ = np.array(labels, dtype=object)
