"""Trees to JSON, and back: by themselves, and what trees of classifiers share with them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from splitsecond._saving._losses import is_of_numbers, loss_in, loss_out
from splitsecond._saving._numbers import number_nodes_in
from splitsecond._saving._reader import (
    DamagedError,
    Json,
    Reader,
    check_rows,
    is_integer,
    is_number,
    value_in,
)
from splitsecond._saving._values import plain, value_out
from splitsecond._solving.losses import Loss
from splitsecond._solving.number_losses import OfNumbers
from splitsecond._tables.columns import Kind, Variable
from splitsecond._tables.literals import COMPARISONS, OPERATORS, Literal
from splitsecond._trees.tree import NO_CLASSES, Tree

MAX_COLUMNS = 2**31


def tree_out(tree: Tree) -> Json:
    """Return a tree that stands by itself as JSON."""
    return {
        **({} if tree.loss.is_of_numbers else {"classes": classes_out(tree.classes)}),
        **loss_out(tree.loss, value_out),
        "n_features": tree.n_columns,
        "variables": [
            {"column": column, **variable_out(variable)}
            for column, variable in sorted(tree.variables.items())
        ],
        "literals": [
            {"number": number, **literal_out(literal)}
            for number, literal in sorted(tree.literals.items())
        ],
        "with_missing": sorted(tree.with_missing),
        "objective": tree.objective,
        "nodes": nodes_out(tree, with_rows=True),
    }


def tree_in(reader: Reader) -> Tree:
    """Return a tree that stands by itself."""
    classes = NO_CLASSES if is_of_numbers(reader) else classes_in(reader.part("classes"))
    loss = loss_in(reader, None if classes is NO_CLASSES else len(classes))
    n_columns = reader.integer("n_features", 1, MAX_COLUMNS)
    variables = {
        part.integer("column", 0, n_columns): variable_in(part)
        for part in reader.parts("variables")
    }
    literals = {
        part.integer("number", 0, MAX_COLUMNS): literal_in(part, variables)
        for part in reader.parts("literals")
    }
    nodes = nodes_in(reader.part("nodes"), loss, n_questions=MAX_COLUMNS, n_classes=len(classes))
    asked = {number for number in nodes["feature"].tolist() if number >= 0}
    if asked != set(literals) or len(literals) != len(reader.items("literals")):
        raise DamagedError("'literals' should be the questions that 'nodes' ask")
    about = {literal.column for literal in literals.values()}
    if about != set(variables) or len(variables) != len(reader.items("variables")):
        raise DamagedError("'variables' should be those that 'literals' are about")
    with_missing = reader.items("with_missing")
    if not all(isinstance(name, str) for name in with_missing):
        raise DamagedError("'with_missing' should hold names")
    return Tree(
        **nodes,
        classes=classes,
        literals=literals,
        variables=variables,
        n_columns=n_columns,
        objective=reader.number("objective"),
        with_missing=frozenset(with_missing),
        loss=loss,
    )


# ---- nodes ---------------------------------------------------------------------------------------


def nodes_out(tree: Tree, *, with_rows: bool) -> Json:
    """Return the nodes of a tree, with the rows of each class if that is wanted and known."""
    row_counts = tree.row_counts if with_rows or tree.bins is not None else None
    return {
        "feature": tree.feature.tolist(),
        "left": tree.left.tolist(),
        "right": tree.right.tolist(),
        "counts": tree.counts.tolist(),
        "rows": tree.n_rows.tolist(),
        **({} if row_counts is None else {"row_counts": row_counts.tolist()}),
        **({} if tree.bins is None else {"bins": tree.bins.tolist()}),
    }


def nodes_in(reader: Reader, loss: Loss, *, n_questions: int, n_classes: int) -> dict[str, Any]:
    """Return the nodes of a tree, as its fields."""
    n_nodes = len(reader.items("feature"))
    feature = reader.integers("feature", -1, n_questions)
    left = reader.integers("left", -1, n_nodes)
    right = reader.integers("right", -1, n_nodes)
    rows = reader.integers("rows", 0, 2**62)
    n_counts = len(reader.items("counts"))
    if n_nodes == 0 or not n_nodes == len(left) == len(right) == len(rows) == n_counts:
        raise DamagedError("the lists of 'tree' should have one entry for each node")
    _check_shape(feature, left, right)
    nodes = {
        "feature": np.array(feature, dtype=np.int32),
        "left": np.array(left, dtype=np.int32),
        "right": np.array(right, dtype=np.int32),
        "n_rows": np.array(rows, dtype=np.int64),
    }
    if isinstance(loss, OfNumbers):
        return {**nodes, **number_nodes_in(reader, loss)}
    nodes["counts"] = _weights_in(reader, n_classes)
    return {**nodes, "row_counts": _row_counts_in(reader, nodes)}


def _weights_in(reader: Reader, n_classes: int) -> Any:
    """Return the weight of each class at each node."""
    counts = reader.items("counts")
    for weights in counts:
        if (
            not isinstance(weights, list)
            or len(weights) != n_classes
            or not all(is_number(weight) and weight >= 0 for weight in weights)
            or not sum(weights) > 0
        ):
            raise DamagedError("'counts' should hold a weight for each class")
    if not math.isfinite(sum(float(weight) for weights in counts for weight in weights)):
        raise DamagedError("'counts' should hold weights whose sum is finite")
    return np.array(counts, dtype=np.float64)


def _check_shape(feature: list[int], left: list[int], right: list[int]) -> None:
    """Refuse nodes that are not all of one tree, each before its children."""
    n_nodes = len(feature)
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


def _row_counts_in(reader: Reader, nodes: dict[str, Any]) -> Any:
    """Return the rows of each class at each node; None if the file does not tell them."""
    if not reader.has("row_counts"):
        return None
    counts, n_classes = reader.items("row_counts"), nodes["counts"].shape[1]
    for rows, own in zip(nodes["n_rows"].tolist(), counts, strict=False):
        if (
            not isinstance(own, list)
            or len(own) != n_classes
            or not all(is_integer(each) and each >= 0 for each in own)
            or sum(own) != rows
        ):
            raise DamagedError("'row_counts' should hold the rows of each class")
    if len(counts) != len(nodes["n_rows"]):
        raise DamagedError("'row_counts' should have one entry for each node")
    row_counts = np.array(counts, dtype=np.int64)
    check_rows(row_counts, nodes["counts"])
    return row_counts


# ---- what trees speak of -------------------------------------------------------------------------


def classes_out(classes: Any) -> Json:
    """Return class labels as JSON."""
    dtype = "str" if classes.dtype.kind in "UT" else classes.dtype.name
    return {"dtype": dtype, "values": [value_out(plain(value)) for value in classes]}


def classes_in(reader: Reader) -> Any:
    """Return class labels."""
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


def variable_out(variable: Variable) -> Json:
    """Return a variable as JSON."""
    return {
        "label": value_out(plain(variable.label)),
        "name": variable.name,
        "kind": str(variable.kind),
        "categories": [value_out(value) for value in variable.categories],
        "has_blanks": variable.has_missing,
        "is_constant": variable.is_constant,
    }


def variable_in(reader: Reader) -> Variable:
    """Return a variable."""
    kind = Kind(reader.text("kind", among=[str(kind) for kind in Kind]))
    categories = tuple(reader.values("categories"))
    if bool(categories) != (kind in (Kind.CATEGORY, Kind.ORDERED)):
        raise DamagedError(f"a variable of kind {kind} has {len(categories)} categories")
    if any(value is None or isinstance(value, tuple) for value in categories):
        raise DamagedError("'categories' should hold texts, numbers or booleans")
    label = value_in(reader.take("label", lambda _: True, ""))
    flags = reader.flag("has_blanks"), reader.flag("is_constant", missing=False)
    return Variable(label, reader.text("name"), kind, categories, *flags)


def literal_out(literal: Literal) -> Json:
    """Return a question as JSON."""
    is_compared = literal.operator in COMPARISONS
    return {
        "column": literal.column,
        "operator": literal.operator,
        "value": value_out(plain(literal.value)) if is_compared else None,
    }


def literal_in(reader: Reader, variables: Mapping[int, Variable]) -> Literal:
    """Return a question about one of some variables, which are given by their columns."""
    column = reader.integer("column", 0, 2**31)
    if column not in variables:
        raise DamagedError(f"a question is about column {column}, which is not there")
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
