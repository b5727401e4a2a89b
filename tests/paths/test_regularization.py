"""The regularization path: all trees over lambda, and which lambda to choose."""

from __future__ import annotations

import itertools
import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import examples
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneOut,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from strategies import problems, threshold_table

from splitsecond import (
    RESPLIT,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    LimitWarning,
    OptimalTreeClassifier,
    PathEntry,
    QuantileBinarizer,
    RegularizationPath,
    SPLITClassifier,
    regularization_path,
)
from splitsecond._paths.envelope import Point, envelope
from splitsecond._paths.fits import Fit, Fits
from splitsecond._paths.search import _entry

CLASSIFIERS: tuple[Any, ...] = (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
)


def raw(n: int = 250, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": np.where(rng.random(n) < 0.1, np.nan, rng.lognormal(3, 1, n).round(1)),
            "job": rng.choice(["cook", "clerk", "nurse"], n),
        }
    )
    y = np.where((X["age"] > 40) ^ (X["job"] == "cook") ^ (rng.random(n) < 0.2), "yes", "no")
    return X, y


def same_tree(one: Any, other: Any) -> bool:
    return one.to_text() == other.to_text()


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_entry_is_what_the_estimator_finds(classifier: Any) -> None:
    X, y = raw()
    options = {"max_depth": 3, "binarizer": QuantileBinarizer(8)}
    estimator = classifier(**options)
    path = regularization_path(X, y, estimator=estimator, smallest=0.001)
    assert isinstance(path, RegularizationPath)
    assert len(path) > 3
    assert estimator.regularization == 0.01
    assert not hasattr(estimator, "tree_")
    for entry in path:
        assert isinstance(entry, PathEntry)
        again = classifier(**options, regularization=entry.regularization).fit(X, y)
        assert same_tree(again.tree_, entry.tree)
        assert entry.objective == again.objective_ == entry.model.objective_
        assert entry.loss == pytest.approx(1 - again.score(X, y))
        assert (entry.n_leaves, entry.depth) == (again.n_leaves_, again.depth_)
        assert entry.status == again.status_
        assert entry.low <= entry.regularization <= entry.high
        assert entry.seconds >= 0
        assert entry.model.predict(X).tolist() == again.predict(X).tolist()
        assert entry.model.regularization == entry.regularization
        assert entry.model.feature_names_in_.tolist() == list(X.columns)
        assert str(entry.model).startswith(classifier.__name__)
    assert path[0].low == 0.001
    assert path[-1].high == math.inf
    assert path[-1].n_leaves == 1
    for one, other in itertools.pairwise(path):
        assert one.high <= other.low
        assert other.low <= one.high * 1.0101
        assert not same_tree(one.tree, other.tree)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_no_tree_between_is_missed(classifier: Any) -> None:
    """Fits all over the range give trees of the path, where its intervals say so."""
    X, y = threshold_table(3, 300, 8)
    path = regularization_path(X, y, estimator=classifier(max_depth=3), smallest=0.003)
    outside = 0
    for price in np.geomspace(0.003, 0.6, 60):
        tree = classifier(max_depth=3, regularization=float(price)).fit(X, y).tree_
        inside = [entry for entry in path if entry.low <= price <= entry.high]
        if inside:
            assert any(tree.n_leaves == entry.n_leaves for entry in inside)
        outside += not inside
    assert outside <= 3


@settings(max_examples=examples(60))
@given(problems(max_rows=20, max_columns=4, max_depth=3))
def test_optimal_paths_are_exact(problem: Any) -> None:
    """Between the ends of its interval a tree is optimal, and at them the next one is as good."""
    estimator = OptimalTreeClassifier(max_depth=problem.max_depth, binarizer=None)
    options = {"estimator": estimator, "smallest": 0.01}
    path = regularization_path(problem.X, problem.codes, **options, sample_weight=problem.weights)
    for one, other in itertools.pairwise(path):
        assert one.high == other.low
        assert one.loss < other.loss
        assert one.n_leaves > other.n_leaves
        crossing = (other.loss - one.loss) / (one.n_leaves - other.n_leaves)
        assert one.high == pytest.approx(crossing)
    for entry in path:
        for price in (entry.low, (entry.low + min(entry.high, 1)) / 2, min(entry.high, 1)):
            model = OptimalTreeClassifier(
                regularization=price, max_depth=problem.max_depth, binarizer=None
            ).fit(problem.X, problem.codes, problem.weights)
            assert entry.loss + price * entry.n_leaves == pytest.approx(model.objective_)


@settings(max_examples=examples(40))
@given(st.sampled_from(CLASSIFIERS), st.integers(0, 300), st.sampled_from([2, 4]))
def test_the_best_tree_known_is_listed_for_every_lambda(
    classifier: Any, seed: int, max_depth: int
) -> None:
    X, y = threshold_table(seed, 120, 8)
    path = regularization_path(X, y, estimator=classifier(max_depth=max_depth), smallest=0.004)
    for one, other in itertools.pairwise(path):
        assert one.n_leaves > other.n_leaves
        assert one.loss < other.loss
        assert one.high == other.low
    for entry in path:
        price, model = entry.regularization, entry.model
        assert entry.low <= price <= entry.high
        assert model.objective_ == entry.tree.objective == entry.objective
        assert entry.objective == pytest.approx(entry.loss + price * entry.n_leaves)
        assert entry.loss == pytest.approx(np.mean(model.predict(X) != y))
        assert (model.n_leaves_, model.depth_) == (entry.tree.n_leaves, entry.tree.depth)
        assert entry.depth <= max_depth
        parameters = {"max_depth": max_depth, "regularization": price}
        assert entry.objective <= classifier(**parameters).fit(X, y).objective_
        best = OptimalTreeClassifier(**parameters).fit(X, y).objective_
        assert model.lower_bound_ <= best + 1e-12
        assert best <= entry.objective + 1e-12
        for limit in (entry.low, min(entry.high, 1.0)):
            cost = entry.loss + limit * entry.n_leaves
            assert all(cost <= each.loss + limit * each.n_leaves + 1e-12 for each in path)


def fit_of(errors: int, leaves: int) -> Any:
    """A fit of 100 rows, of which only the cost is looked at."""
    loss = Fraction(errors, 100)
    return Fit(
        OptimalTreeClassifier(),
        loss=loss,
        reported_loss=loss,
        loss_of_leaf=Fraction(1),
        leaves=leaves,
        seconds=0,
        is_optimal=False,
    )


def test_a_tree_that_is_best_between_two_lambdas_is_listed_there() -> None:
    many, some, one = fit_of(2, 9), fit_of(5, 4), fit_of(60, 1)
    tried = [Fraction(1, 1000), Fraction(1, 4), Fraction(1, 2)]
    # The tree of four leaves is found where the lone leaf is better.
    points = [Point.of(*each) for each in zip(tried, (many, one, some), strict=True)]
    groups = envelope(points, [])
    assert [group[0].best for group in groups] == [many, some, one]
    ends = [(group[0].price, group[-1].price) for group in groups]
    assert ends == [
        (Fraction(1, 1000), Fraction(3, 500)),
        (Fraction(3, 500), Fraction(11, 60)),
        (Fraction(11, 60), Fraction(1, 2)),
    ]
    assert all(point.own is None for point in groups[1])
    # Nothing is said of lambdas that were to be tried yet.
    listed = envelope(points, [(points[0], points[1])])
    assert [group[0].best for group in listed] == [many, one]
    assert listed[0][-1].price == tried[0]


def test_bounds_of_a_tree_for_which_no_lambda_was_tried() -> None:
    X, y = threshold_table(3, 300, 8)
    fits = Fits(OptimalTreeClassifier(max_depth=3), X, y, None, math.inf)
    found = [fits.at(Fraction(price)) for price in ("0.001", "0.02", "0.5")]
    assert len({fit.leaves for fit in found}) == 3
    # As if the second had been found with a lambda for which the lone leaf is better.
    tried = [Fraction("0.001"), Fraction("0.4"), Fraction("0.5")]
    points = [Point.of(*each) for each in zip(tried, found, strict=True)]
    group = envelope(points, [])[1]
    entry = _entry(group, points)
    assert entry.n_leaves == entry.model.n_leaves_ == found[1].leaves
    assert entry.low < entry.regularization == entry.model.regularization < entry.high
    best = OptimalTreeClassifier(max_depth=3, regularization=entry.regularization).fit(X, y)
    assert 0 < entry.model.lower_bound_ <= best.objective_ == entry.objective
    assert entry.tree.objective == entry.model.objective_ == entry.objective
    assert entry.status == entry.model.status_ == "complete"


def test_cross_validation_is_that_of_scikit_learn() -> None:
    X, y = raw()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    estimator = LicketySPLITClassifier(max_depth=3)
    path = regularization_path(X, y, estimator=estimator, smallest=0.005, cv=folds)
    for entry in path:
        scores = 1 - cross_val_score(
            LicketySPLITClassifier(max_depth=3, regularization=entry.regularization),
            X,
            y,
            cv=folds,
        )
        assert entry.cv_loss == pytest.approx(scores.mean())
        assert entry.cv_standard_error == pytest.approx(scores.std(ddof=1) / math.sqrt(5))
    best = min(entry.cv_loss for entry in path if entry.cv_loss is not None)
    assert path.best_.cv_loss == best
    simplest = path.one_standard_error_
    limit = best + (path.best_.cv_standard_error or 0)
    assert simplest.cv_loss is not None
    assert simplest.cv_loss <= limit
    larger = [entry for entry in path if entry.regularization > simplest.regularization]
    assert all(entry.cv_loss is not None and entry.cv_loss > limit for entry in larger)
    assert simplest.n_leaves <= path.best_.n_leaves
    assert simplest in list(path)


def test_cross_validation_counts_weights() -> None:
    X, y = raw(120)
    weights = np.where(y == "yes", 3, 1)
    path = regularization_path(X, y, smallest=0.02, cv=3, sample_weight=weights)
    assert path[-1].loss == pytest.approx(
        min(weights[y == "yes"].sum(), (y == "no").sum()) / sum(weights)
    )
    balanced = LicketySPLITClassifier(class_weight="balanced")
    path = regularization_path(X, y, estimator=balanced, smallest=0.02, cv=3)
    assert path[-1].loss == pytest.approx(0.5)
    assert path[-1].cv_loss == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "numpy", "list", "sparse"])
def test_tables_of_any_kind(kind: str) -> None:
    table, codes = threshold_table(1, 120, 5)
    frame = pd.DataFrame(table, columns=list("abcde"))
    X: Any = frame
    if kind == "polars":
        X = pytest.importorskip("polars").DataFrame(frame.to_dict("list"))
    elif kind == "arrow":
        X = pytest.importorskip("pyarrow").table(frame.to_dict("list"))
    elif kind == "numpy":
        X = table
    elif kind == "list":
        X = table.tolist()
    elif kind == "sparse":
        X = scipy.sparse.csc_matrix(table)
    expected = regularization_path(frame, codes, smallest=0.01, cv=3)
    found = regularization_path(X, codes.tolist(), smallest=0.01, cv=3)
    assert [entry.cv_loss for entry in found] == [entry.cv_loss for entry in expected]
    assert [entry.n_leaves for entry in found] == [entry.n_leaves for entry in expected]


def test_frame_and_text() -> None:
    X, y = raw(120)
    path = regularization_path(X, y, smallest=0.02)
    frame = path.to_frame()
    assert frame.columns.tolist() == [
        *("regularization", "low", "high", "loss", "n_leaves", "depth", "objective"),
        *("seconds", "status"),
    ]
    assert frame["n_leaves"].tolist() == [entry.n_leaves for entry in path]
    assert len(str(path).splitlines()) == len(path) + 1
    assert repr(path).startswith(f"<RegularizationPath: {len(path)} trees")
    assert path[:2] == [path[0], path[1]]
    polars = pytest.importorskip("polars")
    assert isinstance(path.to_frame("polars"), polars.DataFrame)
    with pytest.raises(ValueError, match="library='excel'"):
        path.to_frame("excel")
    for name in ("best_", "one_standard_error_"):
        with pytest.raises(AttributeError, match="cv=5"):
            getattr(path, name)
    checked = regularization_path(X, y, smallest=0.02, cv=3)
    assert "cv_loss" in checked.to_frame()
    assert str(checked).count("best") == str(checked).count("1-SE") == 1


def test_text_says_that_the_best_is_at_the_end() -> None:
    X, y = raw(120)
    note = "lambdas below 0.02 (smallest) may do better: not tried"
    checked = regularization_path(X, y, smallest=0.02, cv=3)
    assert (checked.best_ is checked[0]) == (note in str(checked))
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 30)
    y = X[:, 0] & X[:, 1]
    y[:3] = 1 - y[:3]
    noisy = regularization_path(X, y, smallest=0.02, cv=3)
    assert noisy.best_ is noisy[0]
    assert noisy[0].loss > 0
    assert str(noisy).endswith(note)
    clean = regularization_path(X, X[:, 0] & X[:, 1], smallest=0.02, cv=3)
    assert clean.best_ is clean[0]
    assert clean[0].loss == 0
    assert "may do better" not in str(clean)


def test_the_range() -> None:
    X, y = threshold_table(2, 200, 6)
    whole = regularization_path(X, y, smallest=0.005)
    part = regularization_path(X, y, smallest=0.01, largest=0.05)
    assert part[0].low == 0.01
    assert part[-1].high in (0.05, math.inf)
    assert len(part) <= len(whole)
    single = regularization_path(X, y, smallest=0.01, largest=0.01)
    assert [(entry.low, entry.regularization) for entry in single] == [(0.01, 0.01)]
    alone = regularization_path(X, np.zeros(200))
    assert [entry.n_leaves for entry in alone] == [1]
    assert alone[0].loss == 0
    exact = regularization_path(X, y, smallest=Fraction(1, 128), largest=Fraction(1, 10))  # type: ignore[arg-type]
    assert exact[0].low == 1 / 128


def test_what_is_wrong_is_said() -> None:
    X, y = threshold_table(2, 50, 4)
    with pytest.raises(ValueError, match="finds one tree, such as LicketySPLITClassifier"):
        regularization_path(X, y, estimator=RESPLIT())
    with pytest.raises(ValueError, match="finds one tree"):
        regularization_path(X, y, estimator=QuantileBinarizer())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="smallest=0 must be"):
        regularization_path(X, y, smallest=0)
    with pytest.raises(ValueError, match=r"largest=0\.001 must be"):
        regularization_path(X, y, smallest=0.01, largest=0.001)
    for huge in (math.inf, 1e200):
        with pytest.raises(ValueError, match=r"largest=.* and at most 1000000: the greatest"):
            regularization_path(X, y, largest=huge)
        with pytest.raises(ValueError, match=r"smallest=.* and at most 1000000: the least"):
            regularization_path(X, y, smallest=huge)
    assert len(regularization_path(X, y, largest=1e6)) > 1
    with pytest.raises(ValueError, match="tolerance=2 must be"):
        regularization_path(X, y, tolerance=2)
    with pytest.raises(ValueError, match="max_depth=-1 must be"):
        regularization_path(X, y, estimator=LicketySPLITClassifier(max_depth=-1))
    with pytest.raises(ValueError, match="at least 2 are needed"):
        regularization_path(X, y, cv=[(np.arange(25), np.arange(25, 50))])


@pytest.mark.parametrize("limit", [{"time_limit": 1e-9}, {"memory_limit": 150_000}], ids=str)
def test_limits_are_told_once(limit: dict[str, Any]) -> None:
    X, y = threshold_table(7, 3000, 30)
    estimator = OptimalTreeClassifier(max_depth=4, **limit)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        path = regularization_path(X, y, estimator=estimator, smallest=0.005)
    told = [warning for warning in seen if issubclass(warning.category, LimitWarning)]
    stopped = sum(entry.status in limit for entry in path)
    assert stopped
    assert len(told) == 1
    assert f"Fits of {stopped} of the {len(path)} trees" in str(told[0].message)


def test_a_class_may_be_missing_from_a_fold() -> None:
    X, y = threshold_table(2, 30, 4)
    y = np.where(np.arange(30) == 4, 7, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = regularization_path(X, y, smallest=0.05, cv=LeaveOneOut())
    assert all(entry.cv_loss is not None and entry.cv_loss <= 1 for entry in path)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_grid_search(classifier: Any) -> None:
    X, y = raw(150)
    prices = [0.005, 0.02, 0.1]
    pipeline = make_pipeline(QuantileBinarizer(), classifier(max_depth=3, binarizer=None))
    step = pipeline.steps[-1][0]
    search = GridSearchCV(pipeline, {f"{step}__regularization": prices}, cv=3).fit(X, y)
    assert search.best_params_[f"{step}__regularization"] in prices
    search = GridSearchCV(
        classifier(), {"regularization": prices, "max_depth": [2, 3]}, cv=3, refit=True
    ).fit(X, y)
    assert search.best_estimator_.max_depth in (2, 3)
    assert search.predict(X).shape == (150,)
    assert search.best_estimator_.tree_.to_svg()


def test_frontier() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    X, y = raw(150)
    path = regularization_path(X, y, smallest=0.005, cv=3)
    ax = path.plot()
    assert ax.lines[0].get_xdata().tolist() == [entry.n_leaves for entry in path]
    assert ax.lines[0].get_ydata().tolist() == [entry.loss for entry in path]
    shown = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [text.split(":")[0] for text in shown[:2]] == ["training", "cross-validated, ± 1 s.e."]
    assert any(f"λ = {path.one_standard_error_.regularization:.3g}" in text for text in shown)
    ax.figure.canvas.draw()
    for size in ((3, 2.5), (5, 3), (9, 5)):
        figure, own = pyplot.subplots(figsize=size)
        path.plot(own)
        figure.canvas.draw()
        boxes = [text.get_window_extent() for text in own.texts]
        assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    figure, own = pyplot.subplots()
    assert regularization_path(X, y, smallest=0.02).plot(own) is own
    figure.canvas.draw()
    pyplot.close("all")
