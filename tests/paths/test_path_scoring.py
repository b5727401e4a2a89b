"""Paths whose trees are compared by scorers of scikit-learn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from strategies import threshold_table

from splitsecond import LicketySPLITClassifier, RegularizationPath, regularization_path
from splitsecond._paths.fits import Fits

FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)
NAMES = (
    *("roc_auc", "neg_log_loss", "neg_brier_score", "average_precision", "f1"),
    *("balanced_accuracy", "accuracy", "precision", "recall", "matthews_corrcoef"),
)


def table(n: int = 240, seed: int = 1) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 4)).round(2), columns=list("abcd"))
    y = (X["a"] + 0.7 * X["b"] + rng.normal(0, 0.8, n) > 0.6).to_numpy().astype(int)
    return X, y


def scores_of(path: RegularizationPath) -> list[float]:
    return [entry.cv_score for entry in path if entry.cv_score is not None]


def by_scikit_learn(path: RegularizationPath, X: Any, y: Any, scoring: Any) -> list[Any]:
    """The scores of each fold, for each lambda of a path."""
    return [
        cross_val_score(
            LicketySPLITClassifier(max_depth=3, regularization=entry.regularization),
            X,
            y,
            cv=FOLDS,
            scoring=scoring,
        )
        for entry in path
    ]


def made(X: Any, y: Any, **options: Any) -> RegularizationPath:
    return regularization_path(
        X, y, estimator=LicketySPLITClassifier(max_depth=3), smallest=0.01, cv=FOLDS, **options
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", NAMES)
def test_scores_are_those_of_scikit_learn(name: str) -> None:
    X, y = table()
    path = made(X, y, scoring=name)
    assert len(path) > 2
    expected = by_scikit_learn(path, X, y, name)
    assert scores_of(path) == pytest.approx([each.mean() for each in expected])
    errors = [each.std(ddof=1) / math.sqrt(len(each)) for each in expected]
    assert [entry.cv_standard_error for entry in path] == pytest.approx(errors)
    assert all(entry.cv_loss is None for entry in path)
    highest = max(scores_of(path))
    assert path.best_.cv_score == highest
    limit = highest - (path.best_.cv_standard_error or 0)
    good = [entry for entry in path if (entry.cv_score or 0) >= limit - 1e-12]
    assert path.one_standard_error_ is good[-1]


def test_the_trees_are_the_same_with_and_without() -> None:
    X, y = table()
    plain, scored = made(X, y), made(X, y, scoring="roc_auc")
    assert plain.scoring_ is None
    assert scored.scoring_ == "roc_auc"
    for one, other in zip(plain, scored, strict=True):
        assert one.tree.to_text() == other.tree.to_text()
        assert (one.low, one.high, one.loss) == (other.low, other.high, other.loss)
    assert None not in [entry.cv_loss for entry in plain]
    assert all(entry.cv_score is None for entry in plain)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize(
    "name", ["roc_auc", "f1", "average_precision", "neg_brier_score", "recall", "neg_log_loss"]
)
def test_the_second_of_two_classes_is_positive_if_none_is_1(name: str) -> None:
    X, y = table()
    expected = scores_of(made(X, y, scoring=name))
    for labels in (np.array(["bad", "good"]), np.array([2, 4])):
        assert scores_of(made(X, labels[y], scoring=name)) == expected


def test_functions_and_made_scorers() -> None:
    X, y = table()
    words = np.where(y == 1, "yes", "no")
    seen = []

    def accuracy(model: Any, X: Any, y: Any) -> float:
        seen.append(list(X.columns))
        assert isinstance(model, LicketySPLITClassifier)
        return float(model.score(X, y))

    assert scores_of(made(X, words, scoring=accuracy)) == pytest.approx(
        [1 - (entry.cv_loss or 0) for entry in made(X, words)]
    )
    assert set(map(tuple, seen)) == {tuple("abcd")}
    found = made(X, words, scoring=metrics.make_scorer(metrics.f1_score, pos_label="no"))
    assert found.scoring_ == "f1_score"
    assert scores_of(found) == scores_of(made(X, np.where(y == 1, "a: yes", "b: no"), scoring="f1"))
    assert made(X, y, scoring=lambda model, *_: -model.n_leaves_).scoring_ == "score"
    assert made(X, y, scoring=lambda model, *_: -model.n_leaves_).best_.n_leaves == 1


@pytest.mark.parametrize("name", ["roc_auc", "accuracy", "neg_log_loss"])
def test_held_out_rows_count_by_their_weight(name: str) -> None:
    X, y = table(160)
    times = 1 + np.arange(160) % 3
    folds = list(FOLDS.split(X, y))
    options: dict[str, Any] = {"smallest": 0.02, "scoring": name}
    rows = np.repeat(np.arange(160), times)
    repeated = [tuple(np.flatnonzero(np.isin(rows, part)) for part in fold) for fold in folds]
    estimator = LicketySPLITClassifier(binarizer="midpoint", max_depth=2)
    weighted = regularization_path(
        X, y, **options, estimator=estimator, cv=folds, sample_weight=times
    )
    expected = regularization_path(
        X.iloc[rows], y[rows], **options, estimator=estimator, cv=repeated
    )
    assert scores_of(weighted) == pytest.approx(scores_of(expected))


def test_weights_of_classes_do_not_change_the_score() -> None:
    X, y = table()
    heavy = LicketySPLITClassifier(max_depth=2, class_weight={0: 1, 1: 4})
    path = regularization_path(X, y, estimator=heavy, smallest=0.05, cv=FOLDS, scoring="accuracy")
    model = heavy.set_params(regularization=path[0].regularization)
    expected = cross_val_score(model, X, y, cv=FOLDS, scoring="accuracy").mean()
    assert path[0].cv_score == pytest.approx(expected)


@pytest.mark.slow
def test_more_than_two_classes() -> None:
    X, y = table()
    three = np.array(["a", "b", "c"])[y + (X["c"] > 0.8)]
    for name in ("roc_auc_ovr", "f1_macro", "neg_log_loss", "accuracy"):
        path = made(X, three, scoring=name)
        expected = by_scikit_learn(path, X, three, name)
        assert scores_of(path) == pytest.approx([each.mean() for each in expected])
    with pytest.raises(ValueError, match="For 3 classes there are 'roc_auc_ovr', 'roc_auc_ovo'"):
        made(X, three, scoring="roc_auc")
    with pytest.raises(ValueError, match="For 3 classes there are 'f1_macro', 'f1_weighted'"):
        made(X, three, scoring="f1")


@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "neg_log_loss", "recall", "f1"])
@pytest.mark.parametrize("words", [True, False])
def test_folds_without_a_score_are_refused_before_the_search(
    name: str, words: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def searched(*_: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(Fits, "attempt", searched)
    X, _ = table()
    y: Any = np.repeat([0, 1], [160, 80])
    y = np.array(["no", "yes"])[y] if words else y
    label = "'yes'" if words else "1"
    with pytest.raises(
        ValueError,
        match=rf"scoring='{name}' gives no score for fold 1 of 3.*held-out rows lack the class "
        rf"{label}: use stratified folds, such as cv=5",
    ):
        regularization_path(X, y, cv=KFold(3), scoring=name)


def test_a_function_without_a_score_names_the_fold() -> None:
    X, y = table(60)
    calls = []

    def fails(*_: Any) -> float:
        calls.append(0)
        return math.nan if len(calls) > 3 else 0.5

    with pytest.raises(
        ValueError, match=r"scoring=<function .* gives no score for fold [12] of 2\."
    ):
        regularization_path(X, y, smallest=0.05, cv=2, scoring=fails)

    def raises(*_: Any) -> float:
        raise ValueError("no idea.")

    with pytest.raises(ValueError, match=r"no score for fold 1 of 2: no idea\.$"):
        regularization_path(X, y, smallest=0.05, cv=2, scoring=raises)


@pytest.mark.parametrize(
    ("scoring", "expected"),
    [
        ("rocauc", "is not the name of a scorer.*Did you mean 'roc_auc'"),
        ("AUC", "is not the name of a scorer"),
        (["roc_auc", "f1"], "must be the name of one scorer"),
        (3, "must be the name of one scorer"),
        (metrics.accuracy_score, "metric function rather than a scorer"),
        (lambda *_: "high", "returned 'high': it must return one number"),
    ],
)
def test_what_is_no_scorer(scoring: Any, expected: str) -> None:
    X, y = threshold_table(2, 50, 4)
    with pytest.raises(ValueError, match=expected):
        regularization_path(X, y, smallest=0.05, cv=3, scoring=scoring)


def test_what_a_scorer_needs() -> None:
    X, y = threshold_table(2, 50, 4)
    with pytest.raises(ValueError, match="scoring='roc_auc' is for cross-validation: give cv"):
        regularization_path(X, y, scoring="roc_auc")
    for scoring in (lambda model, X, y: 0.5, metrics.make_scorer(lambda truth, said: 0.5)):
        with pytest.raises(ValueError, match="takes no sample_weight"):
            regularization_path(X, y, cv=3, scoring=scoring, sample_weight=np.ones(50))
    path = regularization_path(
        X, y, cv=3, scoring=lambda *_, sample_weight: len(sample_weight), sample_weight=np.ones(50)
    )
    assert scores_of(path) == pytest.approx([50 / 3] * len(path))


def test_texts_name_the_score() -> None:
    X, y = table()
    path = made(X, y, scoring="neg_log_loss")
    frame = path.to_frame()
    assert frame["cv_score"].tolist() == scores_of(path)
    assert "cv_standard_error" in frame
    assert "cv_loss" not in frame
    header, *lines = str(path).splitlines()[: len(path) + 1]
    assert header.endswith("loss  cv neg_log_loss (s.e.)")
    assert len(lines) == len(path)
    assert str(path).count("best") == str(path).count("1-SE") == 1
    ends = {line.index(word) for line in lines for word in ("best", "1-SE") if word in line}
    assert min(ends) == len(header) + 2


def test_the_score_has_its_own_axes() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    X, y = table()
    path = made(X, y, scoring="roc_auc")
    ax = path.plot()
    assert ax.lines[0].get_ydata().tolist() == [entry.loss for entry in path]
    _, right = ax.figure.axes
    assert right.get_ylabel() == "roc_auc"
    assert right.lines[0].get_ydata().tolist() == scores_of(path)
    shown = [text.get_text() for text in ax.get_legend().get_texts()]
    assert shown[1] == "cross-validated roc_auc, ± 1 s.e."
    assert shown[2].startswith("highest")
    ax.figure.canvas.draw()
    pyplot.close("all")
