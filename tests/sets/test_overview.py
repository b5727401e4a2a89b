"""Counts of what trees ask first, second and third are those of the list of all trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from set_questions import random_question

from splitsecond import RESPLIT, TreeFARMS, TreeSet
from splitsecond._sets.overview import AT_ROOT, LEAF, OTHERS, Step, overview_of

Path = tuple[tuple[int, ...], ...]  # (question, side) pairs and at the end a question or leaf
EVERYTHING = (10**6,) * 3


def paths_of(tree: Any, levels: int = 3) -> Iterator[Path]:
    """What a tree asks at its first places, each with the way to it."""
    waiting: list[tuple[int, Path]] = [(0, ())]
    while waiting:
        node, way = waiting.pop()
        question = int(tree.feature[node])
        yield (*way, (question,))
        if question >= 0 and len(way) + 1 < levels:
            waiting.append((int(tree.left[node]), (*way, (question, 0))))
            waiting.append((int(tree.right[node]), (*way, (question, 1))))


def path_to(steps: list[Step], place: int) -> Path:
    step = steps[place]
    way: list[tuple[int, ...]] = [(step.question,)]
    while step.parent != AT_ROOT:
        side, step = int(step.is_no), steps[step.parent]
        way.insert(0, (step.question, side))
    return tuple(way)


def check(trees: TreeSet) -> None:
    steps = overview_of(trees._graph, trees._scale, EVERYTHING)
    listed = list(trees)
    units = [trees._scale.objective(*size) for size in sizes(trees)]
    counted: Counter[Path] = Counter()
    best: dict[Path, float] = {}
    for tree, objective in zip(listed, units, strict=True):
        for path in paths_of(tree):
            counted[path] += 1
            best.setdefault(path, float(objective))  # trees are best first
    assert {path_to(steps, i): step.n_trees for i, step in enumerate(steps)} == counted
    assert {path_to(steps, i): step.min_objective for i, step in enumerate(steps)} == best
    for step in steps:
        is_question = step.question >= 0
        assert step.n_questions == 1
        assert step.is_followed == (is_question and len(path_to(steps, steps.index(step))) < 3)


def sizes(trees: TreeSet) -> Iterator[tuple[int, int]]:
    """Cost and leaves of each tree as the set counts them, best first."""
    for cost, leaves, words in trees._graph.histogram():
        for _ in range(words[0]):
            yield cost, leaves


@pytest.mark.parametrize("kind", [TreeFARMS, RESPLIT])
@pytest.mark.parametrize("seed", range(40))
def test_counts_are_those_of_the_list(kind: Any, seed: int) -> None:
    rng = np.random.default_rng([seed, 19])
    problem, parameters = random_question(rng)
    model = kind(
        regularization=problem.regularization,
        max_depth=problem.max_depth,
        binarizer=None,
        **{**parameters, "epsilon_kind": "additive"},  # so that there is a tree
    )
    trees = model.fit(problem.X, problem.codes, sample_weight=problem.weights).trees_
    check(trees)
    for filtered in (
        trees.filter(uses="x0"),
        trees.filter(avoids="x0", max_leaves=4),
        trees.within(0),
    ):
        check(filtered)


@pytest.fixture(scope="module")
def trees() -> TreeSet:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (150, 7))
    y = (X[:, 0] & X[:, 1]) ^ X[:, 2] ^ (rng.random(150) < 0.2)
    model = TreeFARMS(regularization=0.01, epsilon=0.08, max_depth=3, binarizer=None)
    found: TreeSet = model.fit(X, y).trees_
    return found


def test_questions_that_are_not_listed_are_summed_up(trees: TreeSet) -> None:
    whole = overview_of(trees._graph, trees._scale, EVERYTHING)
    steps = overview_of(trees._graph, trees._scale, (2, 1, 1))
    known = {path_to(whole, i): step for i, step in enumerate(whole)}
    places: dict[tuple[int, bool], list[Step]] = {}
    for i, step in enumerate(steps):
        places.setdefault((step.parent, step.is_no), []).append(step)
        if step.question != OTHERS:
            same = known[path_to(steps, i)]
            assert (step.n_trees, step.min_objective) == (same.n_trees, same.min_objective)
    for (parent, _), found in places.items():
        n_trees = trees.n_trees if parent == AT_ROOT else steps[parent].n_trees
        assert sum(step.n_trees for step in found) == n_trees
        counts = [step.n_trees for step in found if step.question >= 0]
        assert counts == sorted(counts, reverse=True)
        assert len(counts) == (2 if parent == AT_ROOT else 1)
        best = trees.min_objective if parent == AT_ROOT else steps[parent].min_objective
        assert min(step.min_objective for step in found) == best
    first = [step for step in steps if step.parent == AT_ROOT]
    asked = [step for step in whole if step.parent == AT_ROOT and step.question != LEAF]
    assert first[-1].question == OTHERS
    assert first[-1].n_questions == len(asked) - 2


def test_numbers_of_several_words() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 12))
    y = rng.integers(0, 2, 60)
    model = RESPLIT(
        regularization=0.0, epsilon=0.5, max_depth=5, lookahead_depth=4, binarizer=None
    ).fit(X, y)
    trees = model.trees_
    assert trees.n_trees > 2**64
    steps = overview_of(trees._graph, trees._scale, (40, 40))
    assert sum(step.n_trees for step in steps if step.parent == AT_ROOT) == trees.n_trees
    for i, step in enumerate(steps):
        if step.is_followed:
            for is_no in (False, True):
                below = [each for each in steps if each.parent == i and each.is_no == is_no]
                assert sum(each.n_trees for each in below) == step.n_trees


def test_a_time_limit_leaves_out_places(trees: TreeSet) -> None:
    assert overview_of(trees._graph, trees._scale, time_limit=0.0) == []


def test_a_set_without_trees(trees: TreeSet) -> None:
    none = trees.filter(max_leaves=0)
    assert overview_of(none._graph, none._scale) == []
