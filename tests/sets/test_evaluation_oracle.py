"""Criteria over sets are what evaluating every tree of the set by brute force gives."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from evaluation_oracle import Case, frontier, rows_of, value_of
from rashomon_oracle import shape_of
from seeds import seeds
from set_questions import one_of, random_question
from strategies import LOSSES, Problem, random_costs, with_loss

from splitsecond import RESPLIT, TreeFARMS
from splitsecond._sets.evaluation_results import CriterionRange

MAX_TREES = 250  # of a set that is evaluated by brute force
NON_ADDITIVE = ("f1", "roc_auc", "demographic", "equal")
IN_FLOATS = ("brier_score", "log_loss")
N_SETS = 25  # for a seed and a loss


def random_set(rng: np.random.Generator, loss: str) -> tuple[Problem, Any]:
    """A set of some trees, exact or by RESPLIT."""
    while True:
        problem, options = random_question(rng, max_rows=30)
        problem = with_loss(rng, problem, loss)
        kind: Any = TreeFARMS
        if rng.random() < 0.5:
            kind = RESPLIT
            options["lookahead_depth"] = int(rng.integers(problem.max_depth + 2))
        if loss == "costs":
            options.update(costs=problem.costs, actions=list(range(len(problem.costs))))
        else:
            options["loss"] = loss
        options["epsilon_kind"] = "additive"
        options["epsilon"] = one_of(rng, (0.05, 0.1, 0.3, 1))
        trees = kind(
            regularization=problem.regularization,
            max_depth=problem.max_depth,
            min_samples_leaf=problem.min_samples_leaf,
            **options,
        )
        found = trees.fit(problem.X, problem.codes, sample_weight=problem.weights).trees_
        if found.n_trees <= MAX_TREES and (found.n_trees > 1 or rng.random() < 0.1):
            return problem, found


def random_case(
    rng: np.random.Generator, problem: Problem, trees: Any
) -> tuple[Case, tuple[Any, Any], dict[str, Any]]:
    """Rows that were not trained on, with weights and groups or without."""
    n_rows = int(rng.integers(1, 40))
    X = (rng.random((n_rows, problem.X.shape[1])) < rng.choice([0.2, 0.5, 0.8])).astype(np.uint8)
    codes = rng.integers(0, problem.n_classes, n_rows)
    labels, classes = trees._source.labels.tolist(), trees._source.classes.tolist()
    options: dict[str, Any] = {}
    weights = [Fraction(1)] * n_rows
    if rng.random() < 0.5:
        drawn = rng.integers(0, 9, n_rows) / rng.choice([1, 4])
        drawn[0] += 1
        options["sample_weight"] = drawn
        weights = [Fraction(weight) for weight in drawn.tolist()]
    groups = [""] * n_rows
    if rng.random() < 0.7:
        names = one_of(rng, (["a"], ["a", "b"], ["a", "b", "c"], ["a", None]))
        values = [one_of(rng, names) for _ in range(n_rows)]
        options["groups"] = {"of": values}
        groups = ["(missing)" if value is None else value for value in values]
    costs = problem.costs if problem.loss == "costs" else None
    other = random_costs(rng, len(classes))
    if rng.random() < 0.5 and len(other) == len(labels):
        costs = options["costs"] = other
    if costs is not None:
        costs = [[Fraction(str(cost)) for cost in row] for row in np.asarray(costs).tolist()]
    positive = None
    if set(labels) <= set(classes):
        positive = 1 if len(classes) == 2 else None
        if rng.random() < 0.4:
            positive = int(rng.integers(len(classes)))
            options["positive"] = classes[positive]
    case = Case(X.tolist(), codes.tolist(), weights, groups, labels, classes, positive, costs)
    return case, (X, trees._source.classes[codes]), options


def assert_agrees(rng: np.random.Generator, problem: Problem, trees: Any) -> None:
    case, data, options = random_case(rng, problem, trees)
    evaluation = trees.evaluate(*data, **options)
    listed = list(trees)
    rows = [rows_of(tree, case) for tree in listed]
    counted = [value for value, n in trees.objective_histogram().items() for _ in range(n)]
    names = rng.choice(evaluation.criteria, min(6, len(evaluation.criteria)), replace=False)
    frame = evaluation.to_frame(listed[:5])
    for name in names.tolist():
        known = [value_of(name, each, case) for each in rows]
        values = [math.nan if value is None else float(value) for value in known]
        in_floats = name.startswith((*IN_FLOATS, *NON_ADDITIVE))
        near = {"rel": 1e-9, "abs": 1e-9} if in_floats else {"rel": 0, "abs": 0}
        assert frame[name].tolist() == pytest.approx(values[:5], nan_ok=True, **near)
        found = evaluation.range(name)
        assert_range(found, values, near)
        if all(map(math.isnan, values)):
            assert found.kind == "undefined"
            assert evaluation.frontier(name) == []
            continue
        assert_frontiers(evaluation, name, counted, values, listed, near)
        assert_found(rng, evaluation, name, values, listed)
        if found.kind == "exact":
            assert_filters(rng, evaluation, name, values, listed)


def assert_range(found: CriterionRange, values: list[float], near: dict[str, float]) -> None:
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    assert found.minimum == pytest.approx(low, nan_ok=True, **near)
    assert found.maximum == pytest.approx(high, nan_ok=True, **near)
    if found.kind != "undefined":
        assert found.mean == pytest.approx(np.nanmean(values), rel=1e-9, abs=1e-9)
        assert found.is_exact is (not found.name.startswith(NON_ADDITIVE))
        assert found.n_looked_at == (0 if found.is_exact else len(values))


def assert_frontiers(
    evaluation: Any,
    name: str,
    counted: list[float],
    values: list[float],
    listed: list[Any],
    near: dict[str, float],
) -> None:
    place = {shape_of(tree): i for i, tree in enumerate(listed)}
    for end in ("minimum", "maximum"):
        points = evaluation.frontier(name, end)
        defined = [pair for pair in zip(counted, values, strict=True) if not math.isnan(pair[1])]
        expected = frontier(*zip(*defined, strict=True), maximum=end == "maximum")
        for point in points:
            i = place[shape_of(point.tree)]
            assert values[i] == pytest.approx(point.value, **near)
            assert counted[i] == point.objective
        objectives = [point.objective for point in points]
        assert objectives == sorted(set(objectives))
        if not near["rel"]:
            assert [(point.objective, point.value) for point in points] == expected
        else:
            # Rounding decides which of two equal values is worth a higher objective.
            sign = 1 if end == "minimum" else -1
            for objective in counted:
                if objective < expected[0][0]:  # of trees for which it is not defined
                    continue
                best = min(sign * p.value for p in points if p.objective <= objective)
                known = min(sign * value for at, value in expected if at <= objective)
                assert best == pytest.approx(known, **near)
        found = evaluation.range(name)
        tree = found.minimum_tree if end == "minimum" else found.maximum_tree
        ends = (found.minimum, found.maximum)
        assert values[place[shape_of(tree)]] == pytest.approx(ends[end == "maximum"], **near)


def threshold(rng: np.random.Generator, values: list[float], name: str) -> float:
    """A value that trees have; between two of them where rounding could matter."""
    known = sorted({value for value in values if not math.isnan(value)})
    if not name.startswith((*IN_FLOATS, *NON_ADDITIVE)):
        return one_of(rng, known)
    apart = [known[0]]
    apart += [b for a, b in itertools.pairwise(known) if b - a > 1e-6]
    chosen = int(rng.integers(len(apart)))
    return apart[chosen] - 5e-7


def assert_filters(
    rng: np.random.Generator, evaluation: Any, name: str, values: list[float], listed: list[Any]
) -> None:
    low, high = threshold(rng, values, name), threshold(rng, values, name)
    for condition in ({"at_most": high}, {"at_least": low}, {"at_least": low, "at_most": high}):
        kept = evaluation.filter(name, **condition)
        expected = [
            shape_of(tree)
            for tree, value in zip(listed, values, strict=True)
            if condition.get("at_least", -math.inf) <= value <= condition.get("at_most", math.inf)
        ]
        assert kept.n_trees == len(expected), (name, condition)
        assert sorted(map(str, map(shape_of, kept))) == sorted(map(str, expected))


def assert_found(
    rng: np.random.Generator, evaluation: Any, name: str, values: list[float], listed: list[Any]
) -> None:
    high = threshold(rng, values, name)
    found = evaluation.find(name, at_most=high)
    expected = [tree for tree, value in zip(listed, values, strict=True) if value <= high]
    assert list(map(shape_of, found)) == list(map(shape_of, expected))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(21, 1))
def test_criteria_over_sets(loss: str, seed: int) -> None:
    rng = np.random.default_rng([180, seed, LOSSES.index(loss)])
    for _ in range(N_SETS if seed else 8):
        assert_agrees(rng, *random_set(rng, loss))
