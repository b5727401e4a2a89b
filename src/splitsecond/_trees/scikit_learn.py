"""A tree as one of scikit-learn's, for the tools that read those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from splitsecond._support.messages import shown
from splitsecond._tables.binary import names_of
from splitsecond._tables.columns import Kind
from splitsecond._trees.conditions import Condition, conditions, has_labels
from splitsecond._trees.number_data import node_losses

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    from splitsecond._trees.tree import Tree


class _Split(NamedTuple):
    """A question as scikit-learn asks it: whether a value is at most a threshold."""

    column: int
    threshold: float
    yes_is_left: bool  # where values up to the threshold answer yes
    missing_left: bool


def to_sklearn(
    tree: Tree, questions: bool | None
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Rebuild the tree, on the user's own columns or on columns of answers."""
    if not tree.loss.is_of_numbers:
        _refuse_actions(tree)
    splits, names = None, None
    if not questions:
        splits, n_columns, names = _on_columns(tree)
        if splits is None and questions is not None:
            worst = next(str(tree.literals[j]) for j, c in conditions(tree).items() if not _fits(c))
            raise ValueError(
                f"The question {shown(worst)} cannot be asked by comparing numbers, which is all "
                "that scikit-learn's trees do: leave out questions=False."
            )
    if splits is None:
        splits = {j: _Split(i, 0.5, False, True) for i, j in enumerate(sorted(tree.literals))}
        n_columns = max(len(splits), 1)
    return _assembled(tree, splits, n_columns, names)


def _refuse_actions(tree: Tree) -> None:
    """Refuse a tree with a leaf that says anything but its majority class."""
    labels, classes = tree.labels.tolist(), tree.classes.tolist()
    for leaf in np.flatnonzero(tree.feature < 0).tolist():
        said, majority = labels[tree.prediction[leaf]], classes[np.argmax(tree.counts[leaf])]
        if said != majority:
            raise ValueError(
                f"The tree says {shown(said)} in leaf {leaf}, where the majority class is "
                f"{shown(majority)}, which is all that scikit-learn's trees can predict. Use "
                "to_python() or to_sql(), which write actions."
            )


def _fits(asked: Condition) -> bool:
    is_flag = asked.equals == 1.0 and asked.variable.kind is Kind.BINARY
    return asked.is_number and (asked.missing or asked.at_most is not None or is_flag)


def _on_columns(tree: Tree) -> tuple[dict[int, _Split] | None, int, list[str] | None]:
    """Return splits on the user's columns, how many those are, and their names."""
    asked = conditions(tree)
    if not all(map(_fits, asked.values())):
        return None, 0, None
    columns = sorted(tree.variables)
    place = {column: column for column in columns}
    n_columns = tree.n_columns
    labels = [tree.variables[column].label for column in columns]
    names = names_of(labels) if has_labels(tree) and columns else None
    if names is not None:  # they are found by name, so the others may be left out
        place = {column: i for i, column in enumerate(columns)}
        n_columns = len(columns)
    splits = {}
    for j, condition in asked.items():
        column = place[tree.literals[j].column]
        if condition.missing:  # every number is on the left
            splits[j] = _Split(column, np.inf, False, False)
        elif condition.equals is not None:
            splits[j] = _Split(column, 0.5, False, True)
        else:
            assert condition.at_most is not None
            splits[j] = _Split(column, _in_32_bits(condition.at_most), True, False)
    return splits, n_columns, names


def _in_32_bits(threshold: float) -> float:
    """Return a threshold for values that are rounded to 32 bits, so that its own is within it."""
    with np.errstate(over="ignore"):
        return max(threshold, float(np.float32(threshold)))


def _assembled(
    tree: Tree, splits: dict[int, _Split], n_columns: int, names: list[str] | None
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    model, values, impurity = _of_numbers(tree) if tree.loss.is_of_numbers else _of_classes(tree)
    # A fitted tree tells what its nodes are made of, which differs between versions.
    template = model.tree_
    state: dict[str, Any] = template.__getstate__()
    nodes = np.zeros(len(tree.feature), dtype=state["nodes"].dtype)
    nodes["n_node_samples"] = tree.n_rows
    nodes["weighted_n_node_samples"] = tree.loss.total(tree.counts)
    nodes["impurity"] = impurity
    nodes["left_child"] = nodes["right_child"] = -1
    nodes["feature"] = nodes["threshold"] = -2
    for node, j in enumerate(tree.feature.tolist()):
        if j >= 0:
            split = splits[j]
            yes, no = int(tree.left[node]), int(tree.right[node])
            left, right = (yes, no) if split.yes_is_left else (no, yes)
            nodes[node]["left_child"], nodes[node]["right_child"] = left, right
            nodes[node]["feature"], nodes[node]["threshold"] = split.column, split.threshold
            nodes[node]["missing_go_to_left"] = split.missing_left
    model.tree_ = type(template)(n_columns, np.array([values.shape[1]], dtype=np.intp), 1)
    model.tree_.__setstate__(
        {
            **state,
            "max_depth": tree.depth,
            "node_count": len(nodes),
            "nodes": nodes,
            "values": np.ascontiguousarray(values[:, None, :]),
        }
    )
    model.n_features_in_ = model.max_features_ = n_columns
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    return model


def _of_classes(tree: Tree) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
    """Return a fitted classifier to put a tree in, with the values and impurities of nodes."""
    from sklearn.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier().fit([[0]], [0])
    model.classes_, model.n_classes_ = tree.classes, len(tree.classes)
    shares = tree.shares()
    return model, shares, 1 - (shares**2).sum(axis=1)


def _of_numbers(tree: Tree) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
    """Return the same of a regressor; scikit-learn has half of the Poisson deviance."""
    from sklearn.tree import DecisionTreeRegressor

    model = DecisionTreeRegressor(criterion=tree.loss.name).fit([[0]], [1.0])
    share = 0.5 if tree.loss.name == "poisson" else 1.0
    return model, tree.labels[:, None], share * node_losses(tree)
