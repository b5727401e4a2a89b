"""Questions about sets of regression trees: filters, groups, places, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from number_sets import random_number_set
from seeds import seeds

from splitsecond import TreeFARMSRegressor

LOSSES = ["squared_error", "poisson"]

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 4)
Y = np.array([1.0, 2.0, 5.0, 8.0] * 4)


def leaves(tree: Any) -> Any:
    return tree.feature < 0


def check_filters(rng: np.random.Generator, loss: str) -> None:
    rows, _, trees, options = random_number_set(rng, loss)
    listed = list(trees)
    assert [trees.index(tree) for tree in listed] == list(range(len(listed)))
    least = int(rng.integers(1, 8))
    by_rows = [tree for tree in listed if tree.n_rows[leaves(tree)].min() >= least]
    assert list(trees.filter(min_leaf_rows=least)) == by_rows
    by_weight = [tree for tree in listed if tree.counts[leaves(tree), 0].min() >= least]
    assert list(trees.filter(min_leaf_weight=least)) == by_weight
    small = [tree for tree in listed if tree.n_leaves <= 3]
    assert list(trees.filter(max_leaves=3)) == small
    asked = [tree for tree in listed if any(each.name == "x0" for each in tree.literals.values())]
    kept = trees.filter(uses="x0")  # in which trees of the same objective may change places
    assert sorted(map(trees.index, kept)) == list(map(trees.index, asked))
    assert trees.feature_usage().get("x0", 0) == len(asked)
    groups = trees.groups(rows, max_groups=1000)
    assert groups.is_complete
    for group in groups:
        said = {tuple(f"{x:.13g}" for x in tree.predict(rows)) for tree in group.trees}
        assert group.n_functions == len(said)
    drawn = trees.sample(5, random_state=0)
    assert all(tree in trees for tree in drawn)
    check_objectives(trees, listed, options)


def check_objectives(trees: Any, listed: list[Any], options: dict[str, Any]) -> None:
    """Objectives as the set counts them are those of its trees, to within what is rounded."""
    objectives: list[float] = []
    for objective, n in trees.objective_histogram().items():
        objectives += [objective] * n
    own = np.array([tree.objective for tree in listed])
    size = max(tree.n_leaves for tree in listed)
    assert np.abs(np.array(objectives) - own).max() <= size * trees.unit + 1e-9
    assert trees.min_objective == objectives[0]
    assert max(objectives) <= trees.bound
    assert trees.unit == 2.0**-16
    if "lookahead_depth" in options:
        return
    epsilon = options["epsilon"] / 2
    fewer = trees.within(epsilon)
    bound = float(trees._scale.reference) + epsilon
    assert fewer.n_trees == sum(objective <= bound + 1e-12 for objective in objectives)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(6))
def test_filters_are_those_of_listed_trees(loss: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(20):
        check_filters(rng, loss)


def some_trees(**options: Any) -> Any:
    model = TreeFARMSRegressor(regularization=0.01, epsilon=2, max_depth=1, **options)
    return model.fit(X, Y).trees_


def test_trees_of_other_fits_are_not_in_a_set() -> None:
    trees = some_trees()
    other = TreeFARMSRegressor(regularization=0.01, epsilon=2, max_depth=1).fit(X, 2 * Y).trees_
    assert trees[1] in trees.filter(max_leaves=2)
    assert other[1] not in trees
    assert trees.count(trees[2]) == 1


def test_history_and_words() -> None:
    trees = some_trees().filter(max_leaves=2).within(0.1)
    assert [step for step, _ in trees.history] == [
        "TreeFARMSRegressor",
        "filter(max_leaves=2)",
        "within(0.1)",
    ]
    assert repr(trees).startswith("<TreeSet: 1 tree, objective 0.")


def test_what_is_for_classes_is_refused() -> None:
    trees = some_trees()
    with pytest.raises(ValueError, match=r"TimberTrek shows trees for two classes; these predict"):
        trees.to_timbertrek()
    with pytest.raises(ValueError, match=r"monotone is for two classes.* predict numbers"):
        trees.filter(monotone={"x0": 1})
    assert trees.filter(monotone={"x0": 0}).n_trees == trees.n_trees  # which says nothing
