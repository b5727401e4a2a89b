"""Fits of a count table are those of its rows, for every loss, weight and estimator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counted import (
    WEIGHTS,
    check_same_sets,
    check_same_tree,
    random_table,
    random_weights,
    same_questions,
    shuffled,
)
from seeds import seeds
from sklearn.model_selection import PredefinedSplit

import splitsecond as ss

CLASSIFIERS: list[Any] = [
    ss.GreedyTreeClassifier,
    ss.LicketySPLITClassifier,
    ss.SPLITClassifier,
    ss.OptimalTreeClassifier,
]
REGRESSORS: list[Any] = [
    ss.GreedyTreeRegressor,
    ss.LicketySPLITRegressor,
    ss.SPLITRegressor,
    ss.OptimalTreeRegressor,
]


def columns(frame: Any) -> Any:
    return frame.drop(columns=["y", "w"], errors="ignore")


def compressed(frame: Any, random: np.random.RandomState, folder: Path, **options: Any) -> Any:
    weight = "w" if "w" in frame else None
    source = shuffled(random, frame, folder)
    return ss.compress(source, "y", weight=weight, **options)


def with_weights(frame: Any, random: np.random.RandomState, kind: str) -> Any:
    weights = random_weights(random, kind, len(frame))
    return frame if weights is None else frame.assign(w=weights)


def class_loss(random: np.random.RandomState, labels: Any) -> dict[str, Any]:
    """Return a loss for classes: one with a name, or costs, perhaps of a further action."""
    if random.rand() < 0.6:
        return {"loss": str(random.choice(["zero_one", "log_loss", "brier"]))}
    classes = sorted(set(labels))
    actions = [*classes, "refer"][: len(classes) + random.randint(0, 2)]
    return {
        "costs": {
            action: {
                label: 0 if action == label else int(random.randint(1, 9)) / 4 for label in classes
            }
            for action in actions
        }
    }


def fewest_rows(random: np.random.RandomState) -> int | float:
    """Return a number of rows that a leaf must have, or their share."""
    return [1, 1, 7, 10, 0.05][random.randint(0, 5)]


@pytest.mark.parametrize("seed", seeds(40))
@pytest.mark.parametrize("weights", WEIGHTS)
def test_trees_of_classes(seed: int, weights: str, tmp_path: Path) -> None:
    random = np.random.RandomState(seed)
    frame = random_table(random, random.randint(50, 400), n_classes=random.randint(2, 5))
    frame = with_weights(frame, random, weights)
    counts = compressed(frame, random, tmp_path / "table", binarizer="quantile")
    kind = CLASSIFIERS[seed % len(CLASSIFIERS)]
    parameters = {
        "regularization": float(random.choice([0.001, 0.01, 0.05])),
        "max_depth": int(random.randint(1, 5)),
        "min_samples_leaf": fewest_rows(random),
        **class_loss(random, frame["y"]),
    }
    if weights in ("none", "few"):  # others are rounded at another place if classes have weights
        parameters["class_weight"] = random.choice([None, "balanced"])
    one = kind(**parameters).fit(counts)
    rows = kind(**parameters, binarizer=same_questions(counts))
    rows.fit(columns(frame), frame["y"], frame.get("w"))
    check_same_tree(one, rows)
    assert one.objective_ == rows.objective_
    assert one.lower_bound_ == rows.lower_bound_
    assert one.status_ == rows.status_


@pytest.mark.parametrize("seed", seeds(20))
@pytest.mark.parametrize("weights", WEIGHTS)
def test_trees_of_numbers(seed: int, weights: str, tmp_path: Path) -> None:
    random = np.random.RandomState(seed)
    frame = random_table(random, random.randint(50, 400))
    digits = random.choice([0, 2, 9])
    frame["y"] = np.exp(random.rand(len(frame)) + (frame["y"] == "yes")).round(digits)
    frame = with_weights(frame, random, weights)
    counts = compressed(frame, random, tmp_path / "table", binarizer="quantile", task="regression")
    kind = REGRESSORS[seed % len(REGRESSORS)]
    parameters = {
        "max_depth": int(random.randint(1, 4)),
        "min_samples_leaf": fewest_rows(random),
        "loss": str(random.choice(["squared_error", "poisson"])),
    }
    one = kind(**parameters).fit(counts)
    rows = kind(**parameters, binarizer=same_questions(counts))
    rows.fit(columns(frame), frame["y"], frame.get("w"))
    check_same_tree(one, rows)
    assert one.objective_ == pytest.approx(rows.objective_, rel=1e-11)
    assert one.lower_bound_ == pytest.approx(rows.lower_bound_, rel=1e-9)


@pytest.mark.parametrize("seed", seeds(20))
@pytest.mark.parametrize("kind", [ss.TreeFARMS, ss.RESPLIT])
def test_sets_of_classes(seed: int, kind: Any, tmp_path: Path) -> None:
    random = np.random.RandomState(seed)
    frame = random_table(random, 200, n_classes=random.randint(2, 4))
    frame = with_weights(frame, random, WEIGHTS[seed % len(WEIGHTS)])
    counts = compressed(frame, random, tmp_path / "table", binarizer=ss.QuantileBinarizer(2))
    parameters = {
        "max_depth": 3,
        "epsilon": 0.02,
        "min_samples_leaf": fewest_rows(random),
        **class_loss(random, frame["y"]),
    }
    one = kind(**parameters).fit(counts)
    rows = kind(**parameters, binarizer=same_questions(counts))
    rows.fit(columns(frame), frame["y"], frame.get("w"))
    check_same_sets(one.trees_, rows.trees_)


@pytest.mark.parametrize("seed", seeds(20))
@pytest.mark.parametrize("kind", [ss.TreeFARMSRegressor, ss.RESPLITRegressor])
def test_sets_of_numbers(seed: int, kind: Any, tmp_path: Path) -> None:
    random = np.random.RandomState(seed)
    frame = random_table(random, 150)
    frame["y"] = (frame["count"] + 2 * frame["flag"] + random.randint(0, 3, len(frame))).astype(int)
    frame = with_weights(frame, random, WEIGHTS[seed % len(WEIGHTS)])
    options = {"binarizer": ss.QuantileBinarizer(2), "task": "regression"}
    counts = compressed(frame, random, tmp_path / "table", **options)
    parameters = {
        "max_depth": 3,
        "epsilon": 0.02,
        "min_samples_leaf": fewest_rows(random),
        "loss": ["squared_error", "poisson"][seed % 2],
    }
    one = kind(**parameters).fit(counts)
    rows = kind(**parameters, binarizer=same_questions(counts))
    rows.fit(columns(frame), frame["y"], frame.get("w"))
    check_same_sets(one.trees_, rows.trees_)


@pytest.mark.parametrize("seed", seeds(20))
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_paths(seed: int, task: str, tmp_path: Path) -> None:
    random = np.random.RandomState(seed)
    frame = random_table(random, 300, n_classes=3)
    if task == "regression":
        frame["y"] = frame["count"] + 2 * frame["flag"] + random.randint(0, 3, len(frame))
        parameters: dict[str, Any] = {"loss": ["squared_error", "poisson"][seed % 2]}
        kind = REGRESSORS[seed % len(REGRESSORS)]
    else:
        parameters = class_loss(random, frame["y"])
        kind = CLASSIFIERS[seed % len(CLASSIFIERS)]
    parameters |= {"max_depth": 3, "min_samples_leaf": fewest_rows(random)}
    frame = with_weights(frame, random, WEIGHTS[seed % len(WEIGHTS)])
    fold = random.randint(0, 3, len(frame))
    options = {"binarizer": "quantile", "folds": "fold", "task": task}
    counts = compressed(frame.assign(fold=fold), random, tmp_path / "table", **options)
    one = ss.regularization_path(counts, estimator=kind(**parameters), cv="folds")
    estimator = kind(**parameters, binarizer=same_questions(counts))
    rows = ss.regularization_path(
        columns(frame),
        frame["y"],
        sample_weight=frame.get("w"),
        estimator=estimator,
        cv=PredefinedSplit(fold),
    )
    assert [each.regularization for each in one] == [each.regularization for each in rows]
    # Sums of numbers, and of logarithms, are added up in another order.
    losses = [each.loss for each in one], [each.loss for each in rows]
    assert losses[0] == pytest.approx(losses[1], rel=1e-11)
    if parameters.get("loss") == "zero_one" or "costs" in parameters:
        assert losses[0] == losses[1]
    # A count table holds many weights of classes as they were rounded: each by 2^-31 of the total.
    weights = WEIGHTS[seed % len(WEIGHTS)]
    is_rounded = weights == "many" and task == "classification"
    near = len(frame) * 2**-31 if is_rounded else 1e-9
    for a, b in zip(one, rows, strict=True):
        check_same_tree(a.model, b.model)
        assert a.cv_loss == pytest.approx(b.cv_loss, rel=near, abs=1e-12)
        error = b.cv_standard_error
        assert a.cv_standard_error == pytest.approx(error, rel=100 * near, abs=1e-9)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_weights_of_classes_and_of_rows(weights: str, tmp_path: Path) -> None:
    random = np.random.RandomState(3)
    frame = with_weights(random_table(random, n_classes=3), random, weights)
    counts = compressed(frame, random, tmp_path / "table", binarizer="quantile")
    for class_weight in ("balanced", {"yes": 2, "no": 0.5}, {"yes": 0}):
        parameters = {"class_weight": class_weight, "max_depth": 3}
        one = ss.OptimalTreeClassifier(**parameters).fit(counts)
        rows = ss.OptimalTreeClassifier(**parameters, binarizer=same_questions(counts))
        rows.fit(columns(frame), frame["y"], frame.get("w"))
        np.testing.assert_array_equal(one.tree_.feature, rows.tree_.feature)
        np.testing.assert_allclose(one.tree_.counts, rows.tree_.counts, rtol=1e-6, atol=1e-6)
        assert one.objective_ == pytest.approx(rows.objective_, rel=1e-6)


def test_costs_and_actions(tmp_path: Path) -> None:
    random = np.random.RandomState(0)
    frame = random_table(random)
    counts = compressed(frame, random, tmp_path / "table", binarizer="quantile")
    costs = {"yes": {"no": 1, "yes": 0}, "no": {"no": 0, "yes": 4}, "ask": {"no": 0.4, "yes": 0.4}}
    one = ss.OptimalTreeClassifier(costs=costs, max_depth=3).fit(counts)
    rows = ss.OptimalTreeClassifier(costs=costs, max_depth=3, binarizer=same_questions(counts))
    check_same_tree(one, rows.fit(columns(frame), frame["y"]))
    assert one.expected_cost(counts) == pytest.approx(
        rows.expected_cost(columns(frame), frame["y"])
    )
    assert "300 rows" in str(one)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_scores_and_evaluation(weights: str, tmp_path: Path) -> None:
    random = np.random.RandomState(1)
    frame = with_weights(random_table(random), random, weights)
    held_out = with_weights(random_table(random), random, weights)
    counts = compressed(frame, random, tmp_path / "train", binarizer="quantile")
    model = ss.TreeFARMS(max_depth=2).fit(counts)
    test = compressed(held_out, random, tmp_path / "test", binarizer=model.binarizer_)
    X, y, w = columns(held_out), held_out["y"], held_out.get("w")
    assert model.score(test) == pytest.approx(model.score(X, y, w))
    one, rows = model.trees_.evaluate(test), model.trees_.evaluate(X, y, sample_weight=w)
    assert one.n_rows == rows.n_rows
    assert one.criteria == rows.criteria
    for name in one.criteria:
        a, b = one.range(name), rows.range(name)
        assert [a.minimum, a.mean, a.maximum] == pytest.approx([b.minimum, b.mean, b.maximum])
    with pytest.raises(ValueError, match="groups are columns of rows"):
        model.trees_.evaluate(test, groups="flag")


def test_scores_of_numbers(tmp_path: Path) -> None:
    random = np.random.RandomState(1)
    frame = random_table(random).assign(y=lambda each: each["count"] + 2 * each["flag"])
    counts = compressed(frame, random, tmp_path / "t", binarizer="quantile", task="regression")
    model = ss.TreeFARMSRegressor(max_depth=2).fit(counts)
    assert model.score(counts) == pytest.approx(model.score(columns(frame), frame["y"]))
    one, rows = model.trees_.evaluate(counts), model.trees_.evaluate(columns(frame), frame["y"])
    for name in one.criteria:
        assert one.range(name).minimum == pytest.approx(rows.range(name).minimum)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
@pytest.mark.parametrize("weights", ["none", "few", "many"])
def test_importance(kind: str, weights: str, tmp_path: Path) -> None:
    random = np.random.RandomState(2)
    frame = with_weights(random_table(random), random, weights)
    task, sets = "classification", ss.RESPLIT
    if kind == "numbers":
        task, sets = "regression", ss.RESPLITRegressor
        frame["y"] = frame["count"] + 2 * frame["flag"]
    counts = compressed(frame, random, tmp_path / "t", binarizer=ss.QuantileBinarizer(2), task=task)
    options = {"n_bootstraps": 20, "random_state": 0}
    one = ss.RashomonImportance(sets(max_depth=2), **options).fit(counts)
    own = sets(max_depth=2, binarizer=same_questions(counts))
    rows = ss.RashomonImportance(own, **options).fit(columns(frame), frame["y"], frame.get("w"))
    assert one.variables_ == rows.variables_
    # Different draws of the same distribution.
    np.testing.assert_allclose(one.mean_, rows.mean_, atol=0.25 * float(rows.mean_.max()) + 0.01)
