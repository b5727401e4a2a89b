"""Numbers of every type: each is understood, or refused in words of ours."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import splitsecond
from splitsecond import (
    FixedBinarizer,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    QuantileBinarizer,
    RashomonImportance,
    SPLITClassifier,
    ThresholdGuessBinarizer,
    TreeFARMS,
    regularization_path,
)
from splitsecond._solving.solve import solve
from splitsecond._support.checks import check_amount, number_of

HOSTILE: list[Any] = [
    *(2**70, -(2**70), 10**400, 10**5000, 1e9, float("inf"), -1.0, float("nan")),
    *(Decimal("3"), Decimal("NaN"), Decimal("sNaN"), Decimal("-Infinity")),
    *(Decimal("1e999999999"), Decimal("1e-999999999"), Fraction(1, 3), Fraction(5), 1j),
    *(np.int8(2), np.int64(3), np.uint64(3), np.float16(2), np.float32("nan"), np.longdouble(2)),
    *(np.bool_(True), True, np.complex128(1), np.timedelta64(3, "D"), np.datetime64("NaT", "D")),
    *("3", [], [3], {}, None, np.array(3), np.array([1, 2]), pd.NA, object()),
]
RANDOM = np.random.default_rng(0)
RAW = RANDOM.normal(size=(40, 3))
BINARY = (RAW > 0).astype(int)
CLASSES = (RAW[:, 0] + RAW[:, 1] > 0).astype(int)
OURS = str(splitsecond.__path__[0])


def attempt(what: str, use: Callable[[Any], object]) -> None:
    """Give each hostile value: what goes wrong must be said by splitsecond, and briefly."""
    for value in HOSTILE:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            refused = refusal(lambda value=value: use(value))
        if refused is not None:
            where = traceback.extract_tb(refused.__traceback__)[-1].filename
            said = f"{what} = {type(value).__name__}: {type(refused).__name__}: {refused}"
            assert where.startswith(OURS), said
            assert len(str(refused)) < 600, said


def refusal(use: Callable[[], object]) -> Exception | None:
    try:
        use()
    except (ValueError, TypeError, IndexError) as error:
        return error
    return None


CLASSIFIERS = (
    *(GreedyTreeClassifier, LicketySPLITClassifier, OptimalTreeClassifier, SPLITClassifier),
    *(TreeFARMS, splitsecond.RESPLIT),
)
NUMERIC = [
    *("regularization", "epsilon", "max_depth", "lookahead_depth"),
    *("time_limit", "memory_limit", "n_jobs", "verbose"),
]


@pytest.mark.parametrize(
    ("classifier", "name"),
    [(c, n) for c in CLASSIFIERS for n in NUMERIC if n in c._get_param_names()],
)
def test_parameters_of_classifiers(classifier: Any, name: str) -> None:
    attempt(name, lambda v: classifier(**{"max_depth": 1, name: v}).fit(BINARY, CLASSES))


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_depth": 10**30},
        {"memory_limit": 10**30},
        {"memory_limit": float("inf")},
        {"time_limit": float("inf")},
        {"n_jobs": 10**6},
        {"regularization": Decimal("0.01")},
    ],
)
def test_large_parameters(parameters: dict[str, Any]) -> None:
    assert SPLITClassifier(**parameters).fit(BINARY, BINARY[:, 0]).n_leaves_ <= 2


@pytest.mark.parametrize(
    "parameters",
    [
        {"regularization": 10**400},
        {"memory_limit": True},
        {"postprocess": "no"},
        {"n_jobs": 0},
        {"max_depth": 2.5},
    ],
)
def test_odd_parameters(parameters: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(parameters))):
        SPLITClassifier(**parameters).fit(BINARY, BINARY[:, 0])


@pytest.mark.parametrize("name", ["time_limit", "memory_limit", "n_jobs"])
def test_limits_on_a_raw_table(name: str) -> None:
    attempt(name, lambda v: LicketySPLITClassifier(**{name: v}).fit(RAW, CLASSES))


@pytest.mark.parametrize(
    ("binarizer", "name"),
    [(b, n) for b in (QuantileBinarizer, ThresholdGuessBinarizer) for n in b._get_param_names()],
)
def test_parameters_of_binarizers(binarizer: Any, name: str) -> None:
    few = {} if binarizer is QuantileBinarizer else {"n_estimators": 3}

    def fit(value: Any) -> None:
        if name == "n_estimators" and isinstance(value, int) and value > 1000:
            return  # as many rounds as were asked for
        binarizer(**{**few, name: value}).fit(RAW, CLASSES)

    attempt(name, fit)


@pytest.mark.parametrize(
    "name", ["n_bootstraps", "max_trees", "time_limit", "memory_limit", "n_jobs", "verbose"]
)
def test_parameters_of_importance(name: str) -> None:
    sets = TreeFARMS(max_depth=1)
    attempt(
        name,
        lambda v: RashomonImportance(sets, **{"n_bootstraps": 2, name: v}).fit(BINARY, CLASSES),
    )


@pytest.mark.parametrize("name", ["smallest", "largest", "tolerance", "time_limit", "cv"])
def test_parameters_of_the_path(name: str) -> None:
    attempt(name, lambda v: regularization_path(BINARY, CLASSES, **{name: v}))


def test_numbers_asked_of_a_set() -> None:
    model = TreeFARMS(max_depth=2, epsilon=0.05)
    trees = model.fit(BINARY, CLASSES, sample_weight=RANDOM.random(40)).trees_
    for name in ("max_leaves", "max_depth", "min_leaf_rows", "min_leaf_weight"):
        attempt(name, lambda v, name=name: trees.filter(**{name: v}))
    attempt("epsilon", trees.within)
    attempt("n", trees.sample)
    attempt("index", lambda v: trees[v])
    attempt("slice", lambda v: trees[:v])
    attempt("max_trees", trees.to_explorer)
    attempt("max_trees", trees.to_timbertrek)
    attempt("by", trees.feature_usage)
    attempt("indices", lambda v: trees.predict(BINARY, [v]))


def test_numbers_asked_of_importances() -> None:
    found = RashomonImportance(TreeFARMS(max_depth=1), n_bootstraps=2).fit(BINARY, CLASSES)
    attempt("q", found.quantiles)
    attempt("x", lambda v: found.cdf("x0", v))
    values = found.distribution("x0")[0]
    assert found.cdf("x0", Decimal("0.1")) == found.cdf("x0", 0.1)
    assert found.cdf("x0", values).tolist() == [found.cdf("x0", value) for value in values]
    assert np.array_equal(found.quantiles(Fraction(1, 2)), found.quantiles(0.5))


def test_weights_of_classes_and_rows() -> None:
    model = LicketySPLITClassifier
    attempt("class_weight", lambda v: model(class_weight={0: v}).fit(BINARY, CLASSES))
    attempt("class_weight", lambda v: model(class_weight=v).fit(BINARY, CLASSES))
    attempt("sample_weight", lambda v: model().fit(BINARY, CLASSES, sample_weight=[v] * 40))
    half = model(class_weight={0: Fraction(1, 2)}).fit(BINARY, CLASSES)
    assert half.tree_.to_text() == model(class_weight={0: 0.5}).fit(BINARY, CLASSES).tree_.to_text()


def test_what_exports_and_questions_take() -> None:
    tree = LicketySPLITClassifier().fit(BINARY, CLASSES).tree_
    attempt("table", lambda v: tree.to_sql(table=v))
    attempt("columns", lambda v: tree.to_sql(columns=v))
    attempt("name", tree.to_python)
    attempt("path", lambda v: tree.to_svg(path=v))
    attempt("literals", lambda v: FixedBinarizer([("x0", "<=", v)]).fit(RAW))
    with pytest.raises(TypeError, match=r"table=\[\] must be the name of a table"):
        tree.to_sql(table=[])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"path=2 must be a row"):
        tree.to_svg(path=np.int8(2))


@pytest.mark.parametrize(
    "limit", [1e9, 10**9, np.float32(1e9), Fraction(10**10, 3), Decimal("1e9"), 10**400, np.inf]
)
def test_limits_may_be_numbers_of_any_type(limit: Any) -> None:
    plain = LicketySPLITClassifier().fit(RAW, CLASSES)
    limited = LicketySPLITClassifier(memory_limit=limit, time_limit=limit).fit(RAW, CLASSES)
    assert limited.status_ == plain.status_
    assert limited.tree_.to_text() == plain.tree_.to_text()


def test_any_number_of_threads() -> None:
    plain = LicketySPLITClassifier().fit(RAW, CLASSES)
    for n_jobs in (2**70, -(2**70), np.int8(3)):
        some = LicketySPLITClassifier(n_jobs=n_jobs).fit(RAW, CLASSES)
        assert some.tree_.to_text() == plain.tree_.to_text()
    with pytest.raises(ValueError, match=r"n_jobs=2\.5 must be an integer"):
        ThresholdGuessBinarizer(n_jobs=2.5).fit(RAW, CLASSES)  # type: ignore[arg-type]


@pytest.mark.parametrize("one", [np.int64(1), np.int8(1), np.uint64(1), Decimal(1), Fraction(1)])
def test_integers_of_numpy_do_not_overflow(one: Any) -> None:
    """Weights that are no fractions of few digits make numerators beyond 64 bits."""
    weights = RANDOM.random(40)
    exact = TreeFARMS(epsilon=1, max_depth=1, regularization=0).fit(BINARY, CLASSES, weights)
    model = TreeFARMS(epsilon=one, max_depth=1, regularization=0 * one)
    trees = model.fit(BINARY, CLASSES, weights).trees_
    assert (trees.n_trees, trees.bound) == (exact.trees_.n_trees, exact.trees_.bound)
    assert trees.within(one).n_trees == trees.n_trees
    for rows in (0, 1, 5, 12):
        kept = trees.filter(min_leaf_rows=rows).n_trees
        assert trees.filter(min_leaf_rows=rows * one).n_trees == kept
        heavy = trees.filter(min_leaf_weight=rows).n_trees
        assert trees.filter(min_leaf_weight=rows * one).n_trees == heavy
    assert trees[np.uint64(0)].n_leaves == trees[0].n_leaves
    path = regularization_path(BINARY, CLASSES, smallest=0.01, largest=one)
    assert [entry.n_leaves for entry in path] == [
        entry.n_leaves for entry in regularization_path(BINARY, CLASSES, smallest=0.01, largest=1)
    ]


def test_exact_numbers() -> None:
    assert number_of(np.float32(0.1)) == Fraction(1, 10)  # the decimal it prints as
    assert number_of(np.int8(100)) == 100
    assert number_of(Decimal("0.1")) == Fraction(1, 10)
    assert number_of(True) is None
    assert number_of(np.array(1)) is None
    assert check_amount("amount", np.int64(7), "") ** 40 == 7**40
    for value in (-1, Decimal("-0.1"), float("nan"), 10**301, Decimal("1e-999999999"), "1"):
        with pytest.raises(ValueError, match="must be a number of at least 0"):
            check_amount("amount", value, "")


def test_a_float_of_any_length_is_the_decimal_it_prints_as() -> None:
    for regularization in (0.01, np.float32(0.01), np.float64(0.01), Decimal("0.01")):
        solution = solve(
            BINARY, BINARY[:, 0], n_classes=2, regularization=regularization, algorithm="greedy"
        )
        assert solution.objective == Fraction(1, 50)


@pytest.mark.parametrize("ends", [0.01, Fraction(1, 3), Decimal("0.07"), np.float32(0.01)])
def test_ends_of_a_range_belong_to_it(ends: Any) -> None:
    path = regularization_path(BINARY, CLASSES, smallest=ends, largest=ends)
    # A float of 32 bits stands for the decimal it prints as.
    assert path[0].low == float(str(ends) if isinstance(ends, np.float32) else ends)
    ThresholdGuessBinarizer(learning_rate=1e-6, tolerance=1, n_estimators=1).fit(RAW, CLASSES)
