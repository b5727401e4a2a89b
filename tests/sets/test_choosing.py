"""Filters by first question and monotone columns, looking up trees, and groups: as listing says."""

from __future__ import annotations

import pickle
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rashomon_oracle import Shape, depth_of, features_of, label_for, leaves_of, shape_of
from raw_sets import RawSet, answers_of, new_rows, random_raw_set
from seeds import seeds
from strategies import LOSSES

from splitsecond import load, save


def leaf_rows(shape: Shape, answers: Any, rows: Any) -> list[Any]:
    """The training rows in each leaf."""
    if isinstance(shape, int):
        return [rows]
    yes = answers[rows, shape[0]] == 1
    return [
        *leaf_rows(shape[1], answers, rows[yes]),
        *leaf_rows(shape[2], answers, rows[~yes]),
    ]


def is_monotone(shape: Shape, literals: list[Any], directions: dict[str, int]) -> bool:
    """The definition, split by split; label 1 is the positive one."""
    if isinstance(shape, int):
        return True
    feature, yes, no = shape
    literal = literals[feature]
    direction = directions.get(literal.name, 0)
    if direction and literal.operator != "is missing":
        low, high = (yes, no) if literal.operator == "<=" else (no, yes)
        if direction < 0:
            low, high = high, low
        negative = isinstance(low, int) and low == 0
        positive = isinstance(high, int) and high == 1
        if not negative and not positive:
            return False
    return is_monotone(yes, literals, directions) and is_monotone(no, literals, directions)


def meets(shape: Shape, known: RawSet, conditions: dict[str, Any]) -> bool:
    def asks(features: Any, name: str) -> bool:
        return any(name in (known.literals[j].name, str(known.literals[j])) for j in features)

    wanted = conditions.get
    used = features_of(shape)
    root = set() if isinstance(shape, int) else {shape[0]}
    present = np.flatnonzero(known.weights > 0)
    ends = leaf_rows(shape, known.answers, present)
    return (
        all(asks(used, name) for name in wanted("uses", []))
        and not any(asks(used, name) for name in wanted("avoids", []))
        and ("root" not in conditions or any(asks(root, name) for name in conditions["root"]))
        and is_monotone(shape, known.literals, wanted("monotone", {}))
        and leaves_of(shape) <= wanted("max_leaves", np.inf)
        and depth_of(shape) <= wanted("max_depth", np.inf)
        and min(map(len, ends)) >= wanted("min_leaf_rows", 0)
        and min(known.weights[end].sum() for end in ends) >= wanted("min_leaf_weight", 0) - 1e-9
    )


def random_conditions(rng: np.random.Generator, known: RawSet) -> dict[str, Any]:
    variables = list(dict.fromkeys(literal.name for literal in known.literals))
    names = [*variables, *map(str, known.literals)]

    def some(pool: list[str]) -> list[str]:
        return [str(name) for name in rng.choice(pool, size=rng.integers(1, 3))]

    conditions: dict[str, Any] = {}
    if rng.random() < 0.4:
        conditions["root"] = some(names)
    if has_two_classes(known.trees) and rng.random() < 0.7:
        conditions["monotone"] = {name: int(rng.choice([-1, 1])) for name in some(variables)}
    for key, value in (
        ("uses", some(names)),
        ("avoids", some(names)[:1]),
        ("max_leaves", int(rng.integers(1, 5))),
        ("max_depth", int(rng.integers(0, 4))),
        ("min_leaf_rows", int(rng.integers(1, 6))),
        ("min_leaf_weight", float(rng.choice([0.5, 2, 5]))),
    ):
        if rng.random() < 0.25:
            conditions[key] = value
    return conditions


def has_two_classes(trees: Any) -> bool:
    tree = trees[0]
    return len(tree.classes) == 2 and set(tree.labels.tolist()) <= set(tree.classes.tolist())


def check_filters(rng: np.random.Generator, known: RawSet, copies: list[Any]) -> None:
    places = {shape_of(tree): i for i, tree in enumerate(known.trees)}
    for trees in (known.trees, known.trees, *copies):
        conditions = random_conditions(rng, known)
        expected = [shape for shape in places if meets(shape, known, conditions)]
        found = trees.filter(**conditions)
        shapes = [shape_of(tree) for tree in found]
        assert found.n_trees == len(shapes)
        assert Counter(shapes) == Counter(expected), conditions
        again = random_conditions(rng, known)
        both = found.filter(**again)
        assert Counter(map(shape_of, both)) == Counter(
            shape for shape in expected if meets(shape, known, again)
        )
        check_looking_up(known.trees, found, places)
        check_looking_up(known.trees, both, places)
        for tree in known.trees:
            assert (tree in both) == (shape_of(tree) in set(map(shape_of, both)))


def check_looking_up(whole: Any, part: Any, places: dict[Shape, int]) -> None:
    for i, tree in enumerate(part):
        assert whole.index(tree) == places[shape_of(tree)]
        assert part.index(tree) == i
        assert tree in whole


def check_groups(rng: np.random.Generator, known: RawSet) -> None:
    columns = [literal.column for literal in known.literals]

    def folded(shape: Shape) -> Any:
        if isinstance(shape, int):
            return None
        return columns[shape[0]], folded(shape[1]), folded(shape[2])

    rows = new_rows(rng, known.frame)
    answers = answers_of(known.literals, rows)
    expected: dict[Any, list[Shape]] = defaultdict(list)
    for tree in known.trees:
        expected[folded(shape_of(tree))].append(shape_of(tree))
    groups = known.trees.groups(rows, max_groups=10**4)
    assert groups.is_complete
    assert groups.status == "complete"
    assert groups.n_trees == known.trees.n_trees
    assert len(groups) == len(expected)
    for group, (skeleton, shapes) in zip(groups, expected.items(), strict=True):
        assert [shape_of(tree) for tree in group.trees] == shapes  # best first, as in the set
        assert group.n_trees == len(shapes)
        assert group.best == known.trees[group.number]
        assert group.min_objective == pytest.approx(group.best.objective, abs=1e-3)
        functions = {tuple(label_for(shape, row) for row in answers) for shape in shapes}
        assert (group.n_functions, group.n_functions_exact) == (len(functions), True)
        used = {known.literals[j].name for j in features_of(shapes[0])}
        assert set(group.variables) == used
        assert group.skeleton.count("[") == leaves_of(shapes[0]) - 1
        assert folded(shapes[-1]) == skeleton


def run_driver(loss: str, kind: str, seed: int) -> None:
    rng = np.random.default_rng([90, seed, LOSSES.index(loss), kind == "RESPLIT"])
    wanted, found = (4, 0) if seed == 0 else (25, 0)
    while found < wanted:
        max_classes = 2 if rng.random() < 0.9 else 4
        known = random_raw_set(rng, loss, kind == "RESPLIT", max_classes=max_classes)
        if known is None:
            continue
        found += 1
        assert {shape_of(tree) for tree in known.trees} == known.expected
        copies = [pickle.loads(pickle.dumps(known.trees))] if rng.random() < 0.3 else []
        check_filters(rng, known, copies)
        check_groups(rng, known)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", ["TreeFARMS", "RESPLIT"])
@pytest.mark.parametrize("seed", seeds(13, 1))
def test_equal_to_listing_all_trees(loss: str, kind: str, seed: int) -> None:
    run_driver(loss, kind, seed)


@pytest.mark.parametrize("loss", LOSSES)
def test_saved_and_pickled(loss: str, tmp_path: Path) -> None:
    """Filtered sets have edges and nodes of their own; files and pickles keep them."""
    rng = np.random.default_rng([91, LOSSES.index(loss)])
    done = 0
    while done < 4:
        known = random_raw_set(rng, loss, bool(rng.integers(2)), max_classes=2)
        if known is None or not has_two_classes(known.trees) or known.trees.n_trees < 5:
            continue
        names = [literal.name for literal in known.literals]
        some = known.trees.filter(monotone=dict.fromkeys(names[:1], 1), uses=names[-1:])
        if not some:
            continue
        done += 1
        save(some, tmp_path / "set.json")
        for copy in (load(tmp_path / "set.json"), pickle.loads(pickle.dumps(some))):
            assert list(copy) == list(some)
            assert [known.trees.index(tree) for tree in copy] == [
                known.trees.index(tree) for tree in some
            ]
            assert [some.index(tree) for tree in copy] == list(range(some.n_trees))
            assert copy.filter(min_leaf_rows=3).n_trees == some.filter(min_leaf_rows=3).n_trees
            assert [group.n_trees for group in copy.groups()] == [
                group.n_trees for group in some.groups()
            ]
