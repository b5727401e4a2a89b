"""The classifiers as scikit-learn users meet them: labels, weights, parameters and tools."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from oracle import Oracle
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer
from strategies import threshold_table

from splitsecond import (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    LimitWarning,
    OptimalTreeClassifier,
    SPLITClassifier,
)

CLASSIFIERS: tuple[Any, ...] = (
    GreedyTreeClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
    LicketySPLITClassifier,
)
every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)


@pytest.fixture(scope="module")
def table() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    return threshold_table(20, 400, 9)


@pytest.fixture(scope="module")
def three_classes() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    return threshold_table(21, 400, 9, n_classes=3)


def small(classifier: Any, **parameters: Any) -> Any:
    return classifier(**{"max_depth": 3, "regularization": 0.005, **parameters})


def arrays(model: Any) -> tuple[list[int], list[int], list[int]]:
    tree = model.tree_
    return tree.feature.tolist(), tree.left.tolist(), tree.right.tolist()


# Fitting


@every_classifier
def test_fit_returns_self_and_sets_what_is_promised(classifier: Any, table: Any) -> None:
    X, y = table
    model = small(classifier)
    assert model.fit(X, y) is model
    assert model.classes_.tolist() == [0, 1]
    assert model.n_features_in_ == X.shape[1]
    assert model.n_leaves_ == model.get_n_leaves() == model.tree_.n_leaves > 1
    assert model.depth_ == model.get_depth() == model.tree_.depth
    assert 1 <= model.depth_ <= 3
    assert model.objective_ == model.tree_.objective
    assert 0 <= model.lower_bound_ <= model.objective_
    assert dict(model.statistics_)
    errors = np.mean(model.predict(X) != y)
    assert model.objective_ == pytest.approx(errors + 0.005 * model.n_leaves_, abs=1e-12)
    assert model.score(X, y) == pytest.approx(1 - errors)


@pytest.mark.parametrize(
    ("classifier", "status"),
    [
        (GreedyTreeClassifier, "complete"),
        (OptimalTreeClassifier, "optimal"),
        (LicketySPLITClassifier, "complete"),
        (SPLITClassifier, "complete"),
    ],
)
def test_status_of_a_finished_fit(classifier: Any, status: str, table: Any) -> None:
    model = small(classifier).fit(*table)
    assert model.status_ == status
    best = small(OptimalTreeClassifier).fit(*table).objective_
    assert model.lower_bound_ <= best <= model.objective_
    if status == "optimal":
        assert model.lower_bound_ == model.objective_


@pytest.mark.parametrize(
    "classifier", [GreedyTreeClassifier, LicketySPLITClassifier, SPLITClassifier]
)
def test_a_heuristic_does_not_say_optimal_even_when_it_is(classifier: Any) -> None:
    X = np.array([[0], [1]] * 20)
    model = classifier(regularization=0.01).fit(X, X[:, 0])
    assert model.objective_ == OptimalTreeClassifier().fit(X, X[:, 0]).objective_
    assert model.status_ == "complete"


@every_classifier
def test_agrees_with_the_definition(classifier: Any, three_classes: Any) -> None:
    X, y = three_classes
    known = Oracle(X, y, n_classes=3, regularization=0.005, exact_last_split=True)
    rows = known.everything
    costs = {
        GreedyTreeClassifier: known.greedy(rows, 3)[0],
        OptimalTreeClassifier: known.optimal(rows, 3)[0],
        SPLITClassifier: known.split(rows, 3, 1)[0],
        LicketySPLITClassifier: known.lickety(rows, 3)[0],
    }
    model = small(classifier).fit(X, y)
    assert model.objective_ == pytest.approx(float(known.objective(costs[classifier])), abs=1e-12)


@pytest.mark.parametrize(("max_depth", "lookahead"), [(1, 1), (2, 1), (3, 1), (4, 1), (5, 2)])
def test_default_lookahead(max_depth: int, lookahead: int, table: Any) -> None:
    X, y = table
    default = SPLITClassifier(max_depth=max_depth, regularization=0.001, postprocess=False)
    named = SPLITClassifier(
        max_depth=max_depth,
        regularization=0.001,
        postprocess=False,
        lookahead_depth=min(lookahead, max_depth),
    )
    assert arrays(default.fit(X, y)) == arrays(named.fit(X, y))
    assert default.lookahead_depth is None


def test_the_default_lookahead_counts_usable_levels() -> None:
    table = np.random.default_rng(0).integers(0, 2, (200, 4))
    y = table[:, 0] ^ table[:, 1] ^ (np.arange(200) % 7 == 0)
    wide, narrow = (SPLITClassifier(max_depth=depth).fit(table, y) for depth in (20, 4))
    assert wide.objective_ == narrow.objective_
    assert wide.statistics_["completions"] == narrow.statistics_["completions"]


def test_postprocessing_never_hurts(table: Any) -> None:
    with_it, without = (
        SPLITClassifier(max_depth=4, regularization=0.001, postprocess=choice).fit(*table)
        for choice in (True, False)
    )
    assert with_it.objective_ <= without.objective_


@pytest.mark.parametrize("classifier", [GreedyTreeClassifier, OptimalTreeClassifier])
def test_depth_zero_is_a_leaf(classifier: Any, table: Any) -> None:
    model = classifier(max_depth=0).fit(*table)
    assert (model.get_depth(), model.get_n_leaves()) == (0, 1)


@every_classifier
def test_refitting_forgets(classifier: Any, table: Any, three_classes: Any) -> None:
    fresh = small(classifier).fit(*table)
    reused = small(classifier).fit(*three_classes).fit(*table)
    assert arrays(reused) == arrays(fresh)
    assert reused.classes_.tolist() == [0, 1]


@every_classifier
def test_threads_change_nothing(classifier: Any, table: Any) -> None:
    expected = arrays(small(classifier).fit(*table))
    for jobs in (1, 2, 4, -1):
        assert arrays(small(classifier, n_jobs=jobs).fit(*table)) == expected


@every_classifier
def test_quiet_by_default(classifier: Any, table: Any, capfd: pytest.CaptureFixture[str]) -> None:
    small(classifier).fit(*table)
    assert capfd.readouterr() == ("", "")


# Labels


def test_a_function_is_told_of_the_progress(table: Any, capfd: pytest.CaptureFixture[str]) -> None:
    told: list[Any] = []
    X, y = table
    many = np.random.default_rng(0).integers(0, 2, (2000, 40))
    model = OptimalTreeClassifier(
        regularization=0, max_depth=5, time_limit=0.3, verbose=lambda *args: told.append(args)
    )
    with pytest.warns(LimitWarning):
        model.fit(many, many[:, :3].sum(axis=1) + many[:, 5:9].sum(axis=1) % 2)
    assert told
    assert all(0 <= done <= steps and seconds >= 0 for done, steps, seconds in told)
    assert capfd.readouterr().err == ""

    def cancel(done: int, steps: int, seconds: float) -> None:
        raise KeyboardInterrupt

    with pytest.warns(LimitWarning, match="Interrupted"):
        model.set_params(verbose=cancel).fit(many, many[:, :9].sum(axis=1) % 2)
    assert model.status_ == "interrupted"
    assert clone(model).verbose is cancel
    with pytest.raises(ValueError, match="or a function to be told of it"):
        model.set_params(verbose="loud").fit(X, y)


@pytest.mark.parametrize(
    "names",
    [
        np.array(["no", "yes"]),
        np.array(["no", "yes"], dtype=object),
        np.array([False, True]),
        np.array([-7, 12]),
        np.array([0.5, 1.5]) * 2,
        np.array([2**40, 2**40 + 1]),
        np.array([3, 200], dtype=np.uint8),
    ],
    ids=["str", "object", "bool", "negative", "float", "large", "uint8"],
)
def test_labels_of_every_kind(names: npt.NDArray[Any], table: Any) -> None:
    X, codes = table
    plain = small(SPLITClassifier).fit(X, codes)
    named = small(SPLITClassifier).fit(X, names[codes])
    assert arrays(named) == arrays(plain)
    assert named.classes_.tolist() == names.tolist()
    predicted = named.predict(X)
    assert predicted.tolist() == names[plain.predict(X)].tolist()
    assert predicted.dtype.kind == names.dtype.kind
    assert named.score(X, names[codes]) == plain.score(X, codes)


@pytest.mark.parametrize(
    "wrap",
    [list, pd.Series, lambda y: pd.Series(y, index=np.arange(len(y))[::-1]), pd.Categorical],
    ids=["list", "series", "series with its own index", "categorical"],
)
def test_containers_of_labels(wrap: Any, table: Any) -> None:
    X, codes = table
    y = np.array(["bad", "good"])[codes]
    expected = small(LicketySPLITClassifier).fit(X, y)
    found = small(LicketySPLITClassifier).fit(X, wrap(y))
    assert arrays(found) == arrays(expected)
    assert found.predict(X).tolist() == expected.predict(X).tolist()


@every_classifier
@pytest.mark.parametrize("label", ["only", 3, True])
def test_one_class_gives_a_leaf(classifier: Any, label: Any, table: Any) -> None:
    X, _ = table
    model = small(classifier).fit(X, [label] * len(X))
    assert model.get_n_leaves() == 1
    assert model.classes_.tolist() == [label]
    assert set(model.predict(X).tolist()) == {label}
    assert model.predict_proba(X).tolist() == [[1.0]] * len(X)


@every_classifier
def test_one_row(classifier: Any) -> None:
    model = small(classifier).fit([[0, 1, 1]], ["a"])
    assert model.predict([[1, 0, 0]]).tolist() == ["a"]


@every_classifier
def test_many_classes(classifier: Any) -> None:
    """More classes than bits in a byte, told apart by four columns."""
    X = np.array([[value >> bit & 1 for bit in range(4)] for value in range(16)] * 3)
    y = np.array([f"class {value:02}" for value in range(16)] * 3)
    model = classifier(max_depth=4, regularization=0.001).fit(X, y)
    assert model.get_n_leaves() == 16
    assert model.score(X, y) == 1.0
    assert model.predict_proba(X).shape == (48, 16)


def test_a_tied_leaf_predicts_the_first_class() -> None:
    model = small(OptimalTreeClassifier).fit([[0], [0], [1], [1]], ["b", "a", "b", "a"])
    assert set(model.predict([[0], [1]]).tolist()) == {"a"}


# Weights


@every_classifier
def test_integer_weights_are_repetition(classifier: Any, three_classes: Any) -> None:
    X, y = three_classes
    weights = np.random.default_rng(22).integers(0, 4, size=len(X))
    weighted = small(classifier).fit(X, y, sample_weight=weights)
    repeated = small(classifier).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert arrays(weighted) == arrays(repeated)
    assert weighted.objective_ == repeated.objective_
    assert weighted.predict_proba(X) == pytest.approx(repeated.predict_proba(X))
    assert np.asarray(weighted.tree_.counts) == pytest.approx(np.asarray(repeated.tree_.counts))


@pytest.mark.parametrize("scale", [1.0, 3, 0.5, 1e6])
def test_only_the_ratio_of_weights_matters(scale: float, table: Any) -> None:
    X, y = table
    weights = np.random.default_rng(23).integers(1, 5, size=len(X))
    plain = small(SPLITClassifier).fit(X, y, sample_weight=weights)
    scaled = small(SPLITClassifier).fit(X, y, sample_weight=weights * scale)
    assert arrays(scaled) == arrays(plain)
    assert scaled.objective_ == plain.objective_


@pytest.mark.parametrize("scale", [0.1, np.pi, 1e-6, 1e-30, 1e30])
def test_weights_no_decimal_can_hold_are_close(scale: float, table: Any) -> None:
    """Rounding may decide a tie, so only the optimum itself, which is continuous, is compared."""
    X, y = table
    weights = np.random.default_rng(23).integers(1, 5, size=len(X))
    plain = small(OptimalTreeClassifier).fit(X, y, sample_weight=weights)
    scaled = small(OptimalTreeClassifier).fit(X, y, sample_weight=weights * scale)
    assert scaled.objective_ == pytest.approx(plain.objective_, abs=1e-4)


@every_classifier
def test_real_weights_are_close_to_exact(classifier: Any, table: Any) -> None:
    X, y = table
    weights = np.random.default_rng(24).gamma(1.0, size=len(X))
    model = small(classifier).fit(X, y, sample_weight=weights)
    wrong = weights[model.predict(X) != y].sum() / weights.sum()
    assert model.objective_ == pytest.approx(wrong + 0.005 * model.n_leaves_, abs=1e-4)


@every_classifier
def test_rows_without_weight_are_as_if_absent(classifier: Any, table: Any) -> None:
    X, y = table
    kept = np.random.default_rng(25).random(len(X)) < 0.6
    weighted = small(classifier).fit(X, y, sample_weight=kept.astype(float))
    absent = small(classifier).fit(X[kept], y[kept])
    assert arrays(weighted) == arrays(absent)
    assert weighted.objective_ == absent.objective_


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, -np.inf])
def test_impossible_weights_are_refused(bad: float, table: Any) -> None:
    X, y = table
    weights = np.ones(len(X))
    weights[17] = bad
    with pytest.raises(ValueError, match="weight"):
        small(SPLITClassifier).fit(X, y, sample_weight=weights)


def test_weights_of_the_wrong_shape_are_refused(table: Any) -> None:
    X, y = table
    for weights in (np.ones(len(X) - 1), np.ones((len(X), 2))):
        with pytest.raises(ValueError, match="weight"):
            small(OptimalTreeClassifier).fit(X, y, sample_weight=weights)


def test_all_weights_zero_is_refused(table: Any) -> None:
    X, y = table
    with pytest.raises(ValueError, match="weight"):
        small(OptimalTreeClassifier).fit(X, y, sample_weight=np.zeros(len(X)))


@every_classifier
def test_class_weight_by_name_is_sample_weight(classifier: Any, table: Any) -> None:
    X, codes = table
    y = np.array(["bad", "good"])[codes]
    by_class = small(classifier, class_weight={"bad": 5, "good": 1}).fit(X, y)
    by_row = small(classifier).fit(X, y, sample_weight=np.where(y == "bad", 5, 1))
    assert arrays(by_class) == arrays(by_row)
    assert by_class.objective_ == by_row.objective_


@every_classifier
def test_class_weights_and_sample_weights_multiply(classifier: Any, table: Any) -> None:
    X, y = table
    weights = np.random.default_rng(26).integers(1, 4, size=len(X))
    both = small(classifier, class_weight={0: 1, 1: 3}).fit(X, y, sample_weight=weights)
    product = small(classifier).fit(X, y, sample_weight=weights * np.where(y == 1, 3, 1))
    assert arrays(both) == arrays(product)


@every_classifier
def test_balanced_classes_count_the_same(classifier: Any, table: Any) -> None:
    X, y = table
    kept = np.concatenate([np.flatnonzero(y == 0)[:160], np.flatnonzero(y == 1)[:40]])
    X, y = X[kept], y[kept]
    balanced = small(classifier, class_weight="balanced").fit(X, y)
    # n / (classes * count): 200 / 320 and 200 / 80.
    by_row = small(classifier).fit(X, y, sample_weight=np.where(y == 0, 0.625, 2.5))
    assert arrays(balanced) == arrays(by_row)
    # A lone leaf would now be wrong for half of the weight.
    lone = classifier(max_depth=1, regularization=2.0, class_weight="balanced").fit(X, y)
    assert lone.objective_ == pytest.approx(2.5)


# Prediction


@every_classifier
def test_probabilities_are_the_shares_in_the_leaf(classifier: Any, three_classes: Any) -> None:
    X, y = three_classes
    weights = np.random.default_rng(27).integers(0, 4, size=len(X))
    model = small(classifier).fit(X, y, sample_weight=weights)
    leaves, shares = model.apply(X), model.predict_proba(X)
    assert len(np.unique(leaves)) == model.get_n_leaves()
    for leaf in np.unique(leaves):
        here = leaves == leaf
        by_class = np.bincount(y[here], weights=weights[here], minlength=3)
        assert shares[here] == pytest.approx(np.tile(by_class / by_class.sum(), (here.sum(), 1)))
        assert model.tree_.feature[leaf] == -1
        assert np.asarray(model.tree_.counts)[leaf] == pytest.approx(by_class)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert model.predict(X).tolist() == model.classes_[shares.argmax(axis=1)].tolist()


@every_classifier
def test_apply_follows_the_arrays_of_the_tree(classifier: Any, table: Any) -> None:
    X, y = table
    model = small(classifier).fit(X, y)
    feature, left, right = arrays(model)
    for row, leaf in zip(X, model.apply(X), strict=True):
        node = 0
        while feature[node] >= 0:
            node = left[node] if row[feature[node]] else right[node]
        assert node == leaf


@every_classifier
def test_unseen_rows_can_be_predicted(classifier: Any, table: Any) -> None:
    X, y = table
    model = small(classifier).fit(X[:200], y[:200])
    unseen = np.random.default_rng(28).integers(0, 2, size=(500, X.shape[1]))
    assert set(model.predict(unseen)) <= {0, 1}
    assert model.predict_proba(unseen).shape == (500, 2)


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "apply", "get_depth", "get_n_leaves"]
)
def test_not_fitted(method: str) -> None:
    arguments = () if method.startswith("get") else ([[0, 1]],)
    with pytest.raises(NotFittedError):
        getattr(SPLITClassifier(), method)(*arguments)


# Parameters


@every_classifier
def test_defaults_and_parameters(classifier: Any) -> None:
    expected = {
        "regularization": 0.01,
        "max_depth": 5,
        "class_weight": None,
        "time_limit": None,
        "memory_limit": None,
        "n_jobs": None,
        "verbose": 0,
    }
    if classifier is SPLITClassifier:
        expected |= {"lookahead_depth": None, "postprocess": True}
    parameters = classifier().get_params()
    assert expected.items() <= parameters.items()
    model = classifier().set_params(regularization=0.2, max_depth=2)
    assert (model.regularization, model.max_depth) == (0.2, 2)
    with pytest.raises(ValueError, match="nonsense"):
        classifier().set_params(nonsense=1)


@every_classifier
def test_parameters_are_keyword_only_and_left_alone(classifier: Any, table: Any) -> None:
    with pytest.raises(TypeError):
        classifier(0.01)
    model = small(classifier, class_weight={0: 1, 1: 2}, n_jobs=2)
    before = copy.deepcopy(model.get_params())
    model.fit(*table)
    assert model.get_params() == before


@every_classifier
def test_clones_are_unfitted_and_equal(classifier: Any, table: Any) -> None:
    model = small(classifier).fit(*table)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "tree_")
    assert arrays(twin.fit(*table)) == arrays(model)


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_depth": -1},
        {"max_depth": 2.5},
        {"max_depth": "deep"},
        {"regularization": -0.1},
        {"regularization": float("nan")},
        {"regularization": float("inf")},
        {"regularization": "cheap"},
        {"time_limit": -1},
        {"time_limit": float("nan")},
        {"memory_limit": -1},
        {"class_weight": "heavy"},
    ],
    ids=str,
)
def test_impossible_parameters_are_named(parameters: dict[str, Any], table: Any) -> None:
    model = SPLITClassifier(**parameters)
    with pytest.raises((ValueError, TypeError), match=next(iter(parameters))):
        model.fit(*table)


@pytest.mark.parametrize("lookahead", [-1, 4, 1.5])
def test_impossible_lookahead_is_named(lookahead: Any, table: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="lookahead_depth"):
        SPLITClassifier(max_depth=3, lookahead_depth=lookahead).fit(*table)


@every_classifier
def test_a_fraction_is_a_price_too(classifier: Any, table: Any) -> None:
    X, y = table
    exact = small(classifier, regularization=Fraction(1, 200)).fit(X, y)
    assert arrays(exact) == arrays(small(classifier).fit(X, y))


@every_classifier
def test_numpy_numbers_as_parameters(classifier: Any, table: Any) -> None:
    """What a parameter grid made with numpy hands over."""
    model = classifier(max_depth=np.int64(3), regularization=np.float64(0.005)).fit(*table)
    assert arrays(model) == arrays(small(classifier).fit(*table))


# Tools around a classifier


@every_classifier
def test_is_a_classifier(classifier: Any) -> None:
    assert is_classifier(classifier())


def test_estimators_are_not_each_other() -> None:
    assert not isinstance(OptimalTreeClassifier(), LicketySPLITClassifier)


@every_classifier
@pytest.mark.parametrize(
    "copied",
    [lambda model: pickle.loads(pickle.dumps(model)), copy.deepcopy],
    ids=["pickle", "deepcopy"],
)
def test_copies_predict_the_same(classifier: Any, copied: Any, three_classes: Any) -> None:
    X, y = three_classes
    model = small(classifier).fit(X, y)
    twin = copied(model)
    assert arrays(twin) == arrays(model)
    assert twin.predict(X).tolist() == model.predict(X).tolist()
    assert twin.predict_proba(X).tolist() == model.predict_proba(X).tolist()
    assert (twin.objective_, twin.status_) == (model.objective_, model.status_)
    assert str(twin) == str(model)


@every_classifier
def test_pickles_hold_no_training_rows(classifier: Any, table: Any) -> None:
    X, y = table
    once = pickle.dumps(small(classifier).fit(X, y))
    many = pickle.dumps(small(classifier).fit(np.tile(X, (20, 1)), np.tile(y, 20)))
    assert len(many) < len(once) + 200


@every_classifier
def test_cross_validation(classifier: Any, table: Any) -> None:
    scores = cross_val_score(small(classifier), *table, cv=4)
    assert scores.mean() > 0.6


@every_classifier
def test_grid_search(classifier: Any, table: Any) -> None:
    X, codes = table
    grid = {"max_depth": [1, 3], "regularization": [0.5, 0.005]}
    search = GridSearchCV(classifier(), grid, cv=3).fit(X, np.array(["bad", "good"])[codes])
    # At half the rows a leaf no split can pay.
    assert search.best_params_["regularization"] == 0.005
    assert set(search.predict(X)) == {"bad", "good"}


@every_classifier
def test_pipeline(classifier: Any, table: Any) -> None:
    X, y = table
    noisy = X + np.random.default_rng(29).uniform(-0.4, 0.4, size=X.shape)
    pipeline = make_pipeline(Binarizer(threshold=0.5), small(classifier)).fit(noisy, y)
    assert arrays(pipeline[-1]) == arrays(small(classifier).fit(X, y))
    assert pipeline.score(noisy, y) == small(classifier).fit(X, y).score(X, y)
