"""Scores on held-out rows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cli_files import N_ROWS, result, run, write_csv
from sklearn import metrics

import splitsecond
from splitsecond._cli import scoring


def scored(y: Any, weights: Any = None, **options: Any) -> tuple[dict[str, Any], Any, scoring.Data]:
    """Scores on the second half of some rows of a model that is fitted to the first."""
    y = np.asarray(y)
    random = np.random.default_rng(1)
    X = pa.table({f"x{j}": random.normal(size=len(y)) + (y == y[0]) for j in range(3)})
    data = scoring.Data(X, y, weights)
    train, test = (data.take(part) for part in np.array_split(np.arange(len(y)), 2))
    model = splitsecond.LicketySPLITClassifier(**options).fit(train.X, train.y)
    return scoring.scores(model, test, scoring.majority_class(train)), model, test


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_scikit_learn(n_classes: int, weighted: bool) -> None:
    random = np.random.default_rng(0)
    y = random.choice(["a", "b", "c"][:n_classes], 300)
    weights = random.integers(0, 4, 300).astype(float) if weighted else None
    found, model, test = scored(y, weights)
    proba, predicted = model.predict_proba(test.X), model.predict(test.X)
    own = {"sample_weight": test.weights}
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(test.y, predicted, **own))
    positive = proba[:, 1] if n_classes == 2 else proba
    auc = metrics.roc_auc_score(test.y, positive, multi_class="ovr", **own)
    assert found["auc"] == pytest.approx(auc)
    assert found["log_loss"] == pytest.approx(metrics.log_loss(test.y, proba, **own))
    counted = np.ones(len(test)) if test.weights is None else test.weights
    off = ((proba - (test.y[:, None] == model.classes_)) ** 2).sum(axis=1)
    brier = np.average(off, weights=counted) / (2 if n_classes == 2 else 1)
    assert found["brier_score"] == pytest.approx(brier)
    if n_classes == 2:
        by_name = metrics.brier_score_loss(test.y, positive, pos_label="b", **own)
        assert found["brier_score"] == pytest.approx(by_name)
    assert found["confusion"]["classes"] == sorted(set(y))
    matrix = metrics.confusion_matrix(test.y, predicted, **own)
    assert found["confusion"]["matrix"] == matrix.tolist()


def test_scores_where_classes_are_missing() -> None:
    y = ["a", "b"] * 50
    lone, _, _ = scored([*y, *["b"] * 100])  # of one class
    assert np.isnan(lone["auc"])
    assert lone["confusion"]["matrix"][0] == [0, 0]
    assert lone["log_loss"] >= 0
    new, model, test = scored([*y, *["a", "b", "c", "c"] * 25])  # one that training lacks
    assert new["confusion"]["classes"] == ["a", "b", "c"]
    shares = np.column_stack([model.predict_proba(test.X), np.zeros(len(test))])
    others = [
        metrics.roc_auc_score(test.y == name, share)
        for name, share in zip("abc", shares.T, strict=True)
    ]
    assert new["auc"] == pytest.approx(np.mean(others))
    assert new["log_loss"] > 0.5 * -np.log(np.finfo(float).eps)
    fewer, _, _ = scored(["a", "b", "c", "c"] * 25 + y)  # one that the scored rows lack
    assert 0 <= fewer["auc"] <= 1
    assert fewer["confusion"]["matrix"][2] == [0, 0, 0]
    nothing, _, _ = scored(y * 2, np.repeat([1.0, 0.0], 100))  # rows without weight
    for name in ("accuracy", "balanced_accuracy", "auc", "log_loss", "brier_score"):
        assert np.isnan(nothing[name])
    scoring.write_scores("on nothing", nothing)


def test_scores_are_printed(people: Path) -> None:
    args = ("fit", people, "--target", "outcome", "--test-size", 0.25, "--cv", 3)
    found = result(*args)
    text = run(*args).stdout
    for each, rows in ((found["held_out"], 60), (found["cross_validation"], N_ROWS * 3 // 4)):
        line = f"AUC {each['auc']:.3f}, log-loss {each['log_loss']:.3f}, "
        assert f"{line}Brier score {each['brier_score']:.3f}\n" in text
        (a, b), (c, d) = each["confusion"]["matrix"]
        assert a + b + c + d == rows
        assert re.search(rf"^no +{a} +{b}\nyes +{c} +{d}$", text, re.MULTILINE)
    assert "true class   predicted no   predicted yes\n" in text


def test_a_large_confusion_matrix_is_not_printed(tmp_path: Path) -> None:
    table = {"x": [i // 10 for i in range(200)], "y": [f"class {i // 10}" for i in range(200)]}
    path = write_csv(tmp_path / "table.csv", table)
    text = run("fit", path, "--target", "y", "--test-size", 0.5).stdout
    assert "the confusion matrix of 20 classes is in the result with --json" in text
