"""Filters by columns, looking up trees and groups: what they refuse, and small cases."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from splitsecond import FixedBinarizer, OptimalTreeClassifier, Tree, TreeFARMS

RNG = np.random.default_rng(3)
N_ROWS = 160
FRAME = pd.DataFrame(
    {
        "income": RNG.integers(0, 100, N_ROWS).astype(float),
        "debts": RNG.integers(0, 6, N_ROWS),
        "town": RNG.choice(["A", "B", "C"], N_ROWS),
        "owner": RNG.integers(0, 2, N_ROWS),
    }
)
SCORE = (FRAME["income"] > 45).astype(int) + FRAME["owner"] - (FRAME["debts"] > 3)
Y = np.where(SCORE + (RNG.random(N_ROWS) < 0.2) > 0, "repaid", "default")
LITERALS = [
    "income <= 30",
    "income <= 60",
    "income is missing",
    "debts <= 2",
    "debts <= 4",
    'town == "A"',
    "owner",
]


def fitted(literals: Any = LITERALS, y: Any = Y, **options: Any) -> Any:
    defaults = {"regularization": 0.01, "epsilon": 0.08, "max_depth": 3}
    model = TreeFARMS(binarizer=FixedBinarizer(literals), **{**defaults, **options})
    return model.fit(FRAME, y).trees_


@pytest.fixture(scope="module")
def trees() -> Any:
    return fitted()


# Monotone columns


def test_monotone_trees_are_monotone(trees: Any) -> None:
    """Raising the column changes predictions in one direction only, on every row."""
    some = trees.filter(monotone={"income": 1, "debts": "decreasing"})
    assert 0 < some.n_trees < trees.n_trees
    for tree in some[:50]:
        for column, values, sign in (("income", [10, 40, 80], 1), ("debts", [1, 3, 5], -1)):
            said = [tree.predict(FRAME.assign(**{column: value})) == "repaid" for value in values]
            for low, high in pairwise(said):
                assert (low <= high).all() if sign > 0 else (low >= high).all()


def test_directions_have_several_names(trees: Any) -> None:
    for given in (1, "increasing", np.int64(1), 1.0):
        found = trees.filter(monotone={"income": given})
        assert found.n_trees == trees.filter(monotone={"income": 1}).n_trees
    assert trees.filter(monotone={"income": 0, "town": 0}).n_trees == trees.n_trees
    assert trees.filter(monotone={}).n_trees == trees.n_trees
    down = trees.filter(monotone={"income": -1}).n_trees
    assert down != trees.filter(monotone={"income": 1}).n_trees


def test_missing_values_may_be_asked_for_anywhere() -> None:
    frame = FRAME.assign(income=FRAME["income"].where(RNG.random(N_ROWS) > 0.3))
    options: dict[str, Any] = {"regularization": 0.001, "epsilon": 0.3, "max_depth": 2}
    model = TreeFARMS(binarizer=FixedBinarizer(["income is missing", "owner"]), **options)
    trees = model.fit(frame, Y).trees_
    assert trees.filter(uses="income is missing").n_trees > 0
    for direction in (1, -1):
        assert trees.filter(monotone={"income": direction}).n_trees == trees.n_trees


def test_equality_with_a_flag_has_two_sides() -> None:
    by_flag = fitted(literals=["owner", "income <= 60"], epsilon=0.5)
    for literal in ("owner == 1", "owner == 0"):
        trees = fitted(literals=[literal, "income <= 60"], epsilon=0.5)
        for direction in (1, -1):
            found = trees.filter(monotone={"owner": direction})
            assert found.n_trees == by_flag.filter(monotone={"owner": direction}).n_trees


@pytest.mark.parametrize(
    ("monotone", "message"),
    [
        ({"town": 1}, "the categories of 'town' have no order"),
        ({"incomes": 1}, "there is no column 'incomes'; .* Did you mean 'income'"),
        ({"income <= 30": 1}, "'income <= 30' is a question; give the column .* 'income'"),
        ({"income": 2}, "the direction of 'income' is 2; it must be 1 or 'increasing'"),
        ({"income": [1]}, r"the direction of 'income' is \[1\]"),
        (["income"], r"monotone=\['income'\] must be a dict"),
    ],
)
def test_refused(trees: Any, monotone: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        trees.filter(monotone=monotone)


def test_more_than_two_classes() -> None:
    y = RNG.choice(["a", "b", "c"], N_ROWS)
    three = TreeFARMS(binarizer=FixedBinarizer(LITERALS), max_depth=2).fit(FRAME, y).trees_
    with pytest.raises(ValueError, match="this set has 3: 'a', 'b', 'c'"):
        three.filter(monotone={"income": 1})


def test_actions_that_are_no_classes() -> None:
    costs = {
        "repaid": {"repaid": 0, "default": 4},
        "refer": {"repaid": 1, "default": 1},
        "default": {"repaid": 1, "default": 0},
    }
    with pytest.raises(ValueError, match="the actions of these costs are none: 'refer'"):
        fitted(costs=costs).filter(monotone={"income": 1})
    del costs["refer"]  # and not in the order of the classes
    trees = fitted(costs=costs)
    some = trees.filter(monotone={"income": 1})
    assert 0 < some.n_trees < trees.n_trees
    for tree in some[:20]:
        low, high = (tree.predict(FRAME.assign(income=value)) for value in (10, 80))
        assert not ((low == "repaid") & (high == "default")).any()


def test_numbers_that_are_compared_for_equality() -> None:
    with pytest.raises(ValueError, match="the question 'debts == 3' divides 'debts' into values"):
        fitted(literals=["debts == 3", "owner"]).filter(monotone={"debts": 1})


# The first question


def test_root(trees: Any) -> None:
    by_root = {name: trees.filter(root=name) for name in FRAME}
    leaf = sum(tree.n_leaves == 1 for tree in trees)
    assert sum(each.n_trees for each in by_root.values()) + leaf == trees.n_trees
    for name, part in by_root.items():
        assert all(tree.literals[int(tree.feature[0])].name == name for tree in part)
    both = trees.filter(root=["income", "owner"]).n_trees
    assert both == by_root["income"].n_trees + by_root["owner"].n_trees
    one = trees.filter(root="income <= 60")
    assert all(str(tree.literals[int(tree.feature[0])]) == "income <= 60" for tree in one)
    with pytest.raises(ValueError, match="'incomes'"):
        trees.filter(root="incomes")


# Looking up


def test_nothing_given_is_no_condition(trees: Any) -> None:
    for name in ("uses", "avoids", "root", "monotone", "max_leaves", "max_depth"):
        assert trees.filter(**{name: None}).n_trees == trees.n_trees
    for name in ("uses", "avoids", "root"):
        assert trees.filter(**{name: []}).n_trees == trees.n_trees


def test_rows_of_no_weight_are_not_in_leaves() -> None:
    flag = np.array([0, 0, 0, 1, 1, 1])
    weights = [1, 1, 0, 1, 1, 1]
    model = TreeFARMS(regularization=0.01, epsilon=0.01, max_depth=1)
    split = model.fit(flag[:, None], flag, sample_weight=weights).trees_
    assert split.filter(min_leaf_rows=2).n_trees == split.n_trees
    assert split.filter(min_leaf_rows=3).n_trees == 0


def test_columns_without_questions() -> None:
    """Columns that never vary are known, but no tree asks about them."""
    frame = pd.DataFrame({"a": [1] * 6, "b": ["x"] * 6})
    alone = TreeFARMS(epsilon=0.1).fit(frame, [0, 0, 0, 1, 0, 0]).trees_
    assert alone.n_trees == 1
    for name in ("a", "b", ["a", "b"]):
        assert alone.filter(uses=name).n_trees == 0
        assert alone.filter(root=name).n_trees == 0
        assert alone.filter(avoids=name).n_trees == 1
    assert [group.skeleton for group in alone.groups()] == ["."]
    assert alone.groups().about() == "1 group of the only tree"
    assert [group.n_functions for group in alone.groups(frame)] == [1]


def test_index_and_membership(trees: Any) -> None:
    assert trees.index(trees[7]) == 7
    assert trees.index(trees[7], 3, 8) == 7
    assert trees.count(trees[7]) == 1
    with pytest.raises(ValueError, match="is not in <TreeSet"):
        trees.index(trees[7], 8)
    with pytest.raises(ValueError, match="is not in <TreeSet"):
        trees.index("tree")
    assert "tree" not in trees
    assert trees.count(None) == 0
    assert trees[-1] not in trees.within(0.0)
    assert trees[0] not in trees.filter(max_leaves=0)


def test_trees_from_elsewhere(trees: Any) -> None:
    best = OptimalTreeClassifier(
        regularization=0.01, max_depth=3, binarizer=FixedBinarizer(LITERALS)
    ).fit(FRAME, Y)
    assert trees[trees.index(best.tree_)].objective == trees.min_objective
    fewer = fitted(
        literals=[LITERALS[j] for j in (1, 4, 6)]
    )  # other numbers for the same questions
    reordered = fitted(literals=LITERALS[::-1])
    found = [trees.index(tree) for tree in fewer if tree in trees]
    assert found
    assert sorted(trees.index(tree) for tree in reordered) == list(range(trees.n_trees))
    asking = next(tree for tree in trees if 'town == "A"' in map(str, tree.literals.values()))
    assert asking not in fewer


def test_the_same_questions_with_other_leaves(trees: Any) -> None:
    """A tree of other rows whose leaves say something else is another tree."""
    other = fitted(y=np.where(Y == "repaid", "default", "repaid"))
    assert other[0].n_leaves > 1
    assert other[0] not in trees


def test_nodes_in_another_order(trees: Any) -> None:
    tree = next(tree for tree in trees if tree.n_leaves == 4)
    n = len(tree.feature)
    order = np.array([0, *range(n - 1, 0, -1)])  # where each node goes
    moved = {"feature": tree.feature, "counts": tree.counts, "n_rows": tree.n_rows}
    moved = {name: np.empty_like(part) for name, part in moved.items()}
    for name, part in moved.items():
        part[order] = getattr(tree, name)
    below = {}
    for name in ("left", "right"):
        part = np.full_like(tree.left, -1)
        part[order] = [-1 if child < 0 else order[child] for child in getattr(tree, name)]
        below[name] = part
    again = Tree(
        **moved,
        **below,
        classes=tree.classes,
        literals=tree.literals,
        variables=tree.variables,
        n_columns=tree.n_columns,
        objective=tree.objective,
    )
    assert trees.index(again) == trees.index(tree)


# Groups


def test_groups_show_themselves(trees: Any) -> None:
    found = trees.groups(max_groups=1000)
    assert found.is_complete
    assert repr(found) == f"<TreeGroups: {len(found)} groups of all {trees.n_trees:,} trees>"
    first = found[0]
    assert first.n_functions is None
    assert repr(first).startswith(f"<TreeGroup: {first.skeleton}, ")
    lines = str(found).splitlines()
    assert lines[0] == f"{len(found)} groups of all {trees.n_trees:,} trees"
    assert lines[1].split() == ["trees", "objective"]
    assert lines[2].endswith(first.skeleton)
    assert lines[-1] == f"and {len(found) - 20} more groups"
    for library, kind in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        frame = found.to_frame(library)
        assert isinstance(frame, kind)
        assert list(frame["n_trees"]) == [group.n_trees for group in found]
        assert sum(frame["share"]) == pytest.approx(1)
        assert "n_functions" not in frame.columns
    assert "n_functions" in trees.groups(FRAME).to_frame().columns
    again = pickle.loads(pickle.dumps(found))
    assert [group.n_trees for group in again] == [group.n_trees for group in found]
    assert [group.skeleton for group in found[:3]] == [group.skeleton for group in again[:3]]


def test_skeleton(trees: Any) -> None:
    group = trees.filter(root="owner", max_leaves=3).groups()[0]
    texts = ("owner [., {} [., .]]", "owner [{} [., .], .]")
    assert group.skeleton in [text.format(name) for text in texts for name in FRAME]
    assert group.variables[0] == "owner"


def test_groups_end_at_limits(trees: Any) -> None:
    few = trees.groups(max_groups=3)
    assert (len(few), few.status, few.is_complete) == (3, "max_groups", False)
    assert repr(few).endswith(f" of {trees.n_trees:,} trees (max_groups)>")
    one = trees.groups(FRAME, max_trees=1)
    assert (len(one), one.status) == (1, "max_trees")
    group = one[0]
    assert group.n_functions == 1
    assert group.n_functions_exact == (group.n_trees == 1)
    many = max(trees.groups(), key=lambda each: each.n_trees)
    counted = many.trees.groups(FRAME, max_trees=many.n_trees - 1)[0]
    assert not counted.n_functions_exact
    assert ">= " in repr(counted)


def test_groups_of_nothing(trees: Any) -> None:
    none = trees.filter(max_leaves=0).groups(FRAME)
    assert len(none) == 0
    assert none.is_complete
    assert str(none).startswith("0 groups of all 0 trees")
    leaf = trees.filter(max_leaves=1)
    if leaf:
        assert [group.skeleton for group in leaf.groups(FRAME)] == ["."]


@pytest.mark.parametrize("name", ["max_groups", "max_trees", "time_limit"])
def test_limits_that_are_none(trees: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}=0"):
        trees.groups(**{name: 0})
