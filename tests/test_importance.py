"""Reliance and RID against brute force, and all that a user does with them.

The oracle for reliance permutes: all permutations of a few rows or, which is the same on average,
every row with every other row's answers. The oracle for RID draws the bootstraps by the documented
rule, lists each set by brute force and averages Fractions.
"""

from __future__ import annotations

import _thread
import itertools
import pickle
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from rashomon_oracle import RashomonOracle, Shape, features_of, label_for
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from strategies import threshold_table

from splitsecond import (
    RESPLIT,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    LimitWarning,
    MidpointBinarizer,
    OptimalTreeClassifier,
    RashomonImportance,
    TreeFARMS,
    _importance,
    reliance,
)

GUIDE = Path(__file__).parents[1] / "docs" / "importance.md"


# One tree


def mixed(seed: int, n_rows: int) -> pd.DataFrame:
    """Several thresholds for one variable, categories, blanks, and a column of 0 and 1."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 26, n_rows).astype(float),
            "job": rng.choice(["cook", "clerk", "nurse"], n_rows),
            "flag": rng.integers(0, 2, n_rows),
            "pay": rng.integers(0, 4, n_rows).astype(float),
        }
    )
    frame.loc[rng.random(n_rows) < 0.3, "pay"] = np.nan
    frame.loc[rng.random(n_rows) < 0.2, "job"] = None
    return frame


def noisy(seed: int, n_rows: int, n_columns: int) -> tuple[Any, Any]:
    """Random 0/1 columns, classes that depend on three of them, and one label in five wrong."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, n_columns)).astype(np.uint8)
    return X, ((X[:, 0] & X[:, 1]) | X[:, 2]) ^ (rng.random(n_rows) < 0.2)


def loss_permuted(model: Any, X: pd.DataFrame, y: Any, variable: str) -> Fraction:
    """The mean loss over all permutations of a variable: each is made, and predicted."""
    n_rows = len(X)
    permutations = list(itertools.permutations(range(n_rows)))
    together = pd.concat([X] * len(permutations), ignore_index=True)
    together[variable] = X[variable].iloc[list(itertools.chain(*permutations))].to_numpy()
    wrong = model.predict(together) != np.tile(np.asarray(y), len(permutations))
    return Fraction(int(wrong.sum()), len(wrong))


def brute_force(model: Any, X: pd.DataFrame, y: Any, kind: str) -> dict[str, float]:
    loss = Fraction(int(np.sum(model.predict(X) != np.asarray(y))), len(X))
    asked = {literal.name for literal in model.tree_.literals.values()}
    out = {}
    for variable in X.columns:
        if variable in asked:
            permuted = loss_permuted(model, X, y, variable)
            out[variable] = (
                float(permuted - loss) if kind == "subtractive" else ratio(permuted, loss)
            )
    return out


def ratio(permuted: Fraction, loss: Fraction) -> float:
    if permuted == loss:
        return 1.0
    return float("inf") if loss == 0 else float(permuted / loss)


@pytest.mark.parametrize("kind", ["subtractive", "ratio"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_reliance_is_the_mean_over_all_permutations(kind: str, n_classes: int) -> None:
    asked = 0
    for seed in range(12):
        rng = np.random.default_rng([seed, 1])
        X, y = mixed(seed, 40), rng.integers(n_classes, size=40)
        model = OptimalTreeClassifier(max_depth=3, regularization=0.01, binarizer="midpoint")
        model.fit(X, np.array(["no", "yes", "?"])[y])
        rows = rng.choice(40, size=rng.integers(1, 6), replace=False)
        few, labels = X.iloc[rows].reset_index(drop=True), np.array(["no", "yes", "?"])[y[rows]]
        expected = brute_force(model, few, labels, kind)
        assert reliance(model, few, labels, kind=kind) == pytest.approx(expected, abs=1e-14)
        asked += len(expected)
    assert asked > 20


def test_all_questions_about_a_variable_are_permuted_together() -> None:
    # One variable is asked twice on the way to the middle class: apart, its thresholds would be
    # answered in ways that no value can.
    X = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6], "z": [0, 1, 0, 1, 0, 1]})
    y = [0, 0, 1, 1, 0, 0]
    model = OptimalTreeClassifier(max_depth=2, regularization=0.01, binarizer="midpoint").fit(X, y)
    assert model.n_leaves_ == 3
    # A row keeps its class by chance: 4/6 * 4/6 + 2/6 * 2/6.
    assert reliance(model, X, y) == {"x": pytest.approx(16 / 36)}
    assert brute_force(model, X, y, "subtractive") == {"x": pytest.approx(16 / 36)}


@pytest.mark.parametrize("kind", ["subtractive", "ratio"])
def test_weights_are_repeated_rows(kind: str) -> None:
    for seed in range(8):
        rng = np.random.default_rng([seed, 2])
        X, y = mixed(seed, 30), rng.integers(3, size=30)
        model = LicketySPLITClassifier(regularization=0.01, max_depth=4).fit(X, y)
        weights = rng.integers(0, 4, 30)
        repeated = np.repeat(np.arange(30), weights)
        found = reliance(model, X, y, sample_weight=weights, kind=kind)
        again = X.iloc[repeated].reset_index(drop=True), y[repeated]
        assert found == reliance(model, *again, kind=kind)
        # Weights in any unit, whole or not.
        for unit in (7, 0.5, 0.1, 1 / 3):
            scaled = reliance(model, X, y, sample_weight=weights * unit, kind=kind)
            assert scaled == pytest.approx(found, abs=1e-8)
        five = repeated[:5]
        few = X.iloc[five].reset_index(drop=True), y[five]
        expected = brute_force(model, *few, kind)
        own = np.bincount(five, minlength=30)
        assert reliance(model, X, y, own, kind) == pytest.approx(expected, abs=1e-14)


def test_reliance_of_binary_tables_of_any_library() -> None:
    X, y = noisy(3, 200, 6)
    model = GreedyTreeClassifier(max_depth=3, regularization=0.001, binarizer=None).fit(X, y)
    expected = reliance(model, X, y)
    assert 1 < len(expected) <= 6
    assert all(re.fullmatch(r"x\d", name) for name in expected)
    assert reliance(model, scipy.sparse.csr_matrix(X), y) == expected
    assert reliance(model, X.astype(bool), y.tolist()) == expected


def test_reliance_of_a_lone_leaf_is_empty() -> None:
    X = np.array([[0], [1]] * 5)
    assert reliance(LicketySPLITClassifier(max_depth=0).fit(X, X[:, 0]), X, X[:, 0]) == {}


def test_ratio_of_a_tree_without_errors_is_infinite() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    model = LicketySPLITClassifier().fit(X, X[:, 0])
    assert reliance(model, X, X[:, 0], kind="ratio") == {"x0": float("inf")}
    same = np.zeros((4, 2), dtype=int)  # permuting changes nothing
    assert reliance(model, same, same[:, 0], kind="ratio") == {"x0": 1.0}


def test_reliance_of_rows_that_lack_a_class() -> None:
    X, y = threshold_table(4, 100, 5, n_classes=3)
    model = LicketySPLITClassifier(regularization=0.001).fit(X, y)
    some = y != 1
    assert reliance(model, X[some], y[some]) == reliance(model, X, y, sample_weight=some)


def test_reliance_refuses_what_it_cannot_measure() -> None:
    X, y = threshold_table(5, 60, 4)
    model = LicketySPLITClassifier().fit(X, y)
    with pytest.raises(ValueError, match="label 7, which the model does not know"):
        reliance(model, X, np.where(y == 1, 7, 0))
    with pytest.raises(ValueError, match="label 'spam'"):
        reliance(model, X, ["spam"] * 60)
    with pytest.raises(ValueError, match="kind='both' must be one of 'subtractive', 'ratio'"):
        reliance(model, X, y, kind="both")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        reliance(model, X, y[:-1])
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        reliance(model, X, y, sample_weight=np.zeros(60))
    with pytest.raises(ValueError, match="expecting 4 features"):
        reliance(model, X[:, :2], y)
    with pytest.raises(NotFittedError):
        reliance(LicketySPLITClassifier(), X, y)
    for stranger in (DecisionTreeClassifier().fit(X, y), "tree", None):
        with pytest.raises(ValueError, match="must be a tree classifier of splitsecond"):
            reliance(stranger, X, y)  # type: ignore[arg-type]


def test_columns_of_one_name_are_two_variables() -> None:
    # 1 and "1" are different labels that read alike; which is which must not be mixed up.
    X = pd.DataFrame({1: [0, 0, 1, 1] * 5, "1": [0, 1, 0, 1] * 5})
    rid = RashomonImportance(RESPLIT(), n_bootstraps=2, random_state=0).fit(X, X[1])
    assert rid.variables_ == ["1", "1"]
    assert rid.mean_[0] > 0.3
    assert rid.mean_[1] == 0


# RID by brute force


def bootstraps(n_rows: int, n_bootstraps: int, seed: int) -> Iterator[npt.NDArray[np.int64]]:
    """How often each bootstrap has each row, by the documented rule."""
    for own in np.random.RandomState(seed).randint(2**31 - 1, size=n_bootstraps):
        drawn = np.random.RandomState(own).randint(0, n_rows, n_rows)
        yield np.bincount(drawn, minlength=n_rows)


def reliances_of(
    shape: Shape, X: Any, y: Any, weights: Any, variable_of: list[int], kind: str
) -> list[Any]:
    """A tree's reliance on each variable: every row with the answers of every row."""
    rows = [i for i in range(len(X)) if weights[i] > 0]
    total = sum(int(weights[i]) for i in rows)
    loss = Fraction(sum(int(weights[i]) for i in rows if label_for(shape, X[i]) != y[i]), total)
    out = []
    for variable in range(max(variable_of) + 1):
        own = [j for j, v in enumerate(variable_of) if v == variable]
        wrong = 0
        for row in rows:
            for donor in rows:
                answers = list(X[row])
                for j in own:
                    answers[j] = X[donor][j]
                if label_for(shape, answers) != y[row]:
                    wrong += int(weights[row]) * int(weights[donor])
        permuted = Fraction(wrong, total**2)
        out.append(permuted - loss if kind == "subtractive" else ratio(permuted, loss))
    return out


class OracleRID:
    """The distribution as a list of (value, weight) for each variable."""

    def __init__(
        self,
        X: Any,
        y: Any,
        variable_of: list[int],
        sets: list[tuple[npt.NDArray[np.int64], list[Shape]]],
        kind: str = "subtractive",
    ) -> None:
        rows = [[int(value) for value in row] for row in X]
        n_variables = max(variable_of) + 1
        self.n_trees = [len(shapes) for _, shapes in sets]
        self.parts: list[list[tuple[Any, Fraction]]] = [[] for _ in range(n_variables)]
        self.usage = [Fraction(0)] * n_variables
        for weights, shapes in sets:
            share = Fraction(1, len(shapes) * len(sets))
            for shape in shapes:
                asked = {variable_of[j] for j in features_of(shape)}
                values = reliances_of(shape, rows, y, weights, variable_of, kind)
                for j, value in enumerate(values):
                    self.parts[j].append((value, share))
                    self.usage[j] += share * (j in asked)
        for part in self.parts:
            part.sort()

    def mean(self, j: int) -> float:
        return float(sum(value * share for value, share in self.parts[j]))

    def cdf(self, j: int, x: Any) -> float:
        return float(sum(share for value, share in self.parts[j] if value <= x))

    def quantile(self, j: int, q: Fraction) -> float:
        total = Fraction(0)
        for value, share in self.parts[j]:
            total += share
            if total >= q:
                return float(value)
        raise AssertionError

    def box(self, j: int) -> list[float]:
        low, middle, high = (self.quantile(j, Fraction(i, 4)) for i in (1, 2, 3))
        reach = 1.5 * (high - low) if high > low else 0.0
        inside = [
            float(value) for value, _ in self.parts[j] if low - reach <= value <= high + reach
        ]
        return [inside[0], low, middle, high, inside[-1]]


def assert_equal_to_oracle(rid: RashomonImportance, known: OracleRID) -> None:
    assert rid.n_trees_ == known.n_trees
    assert rid.status_ == "complete"
    box = rid.box()
    assert list(box) == ["low", "quartile_1", "median", "quartile_3", "high"]
    sixths = [Fraction(i, 6) for i in range(7)]
    quantiles = rid.quantiles([float(q) for q in sixths])
    assert quantiles.shape == (7, len(rid.variables_))
    for j, name in enumerate(rid.variables_):
        assert rid.mean_[j] == pytest.approx(known.mean(j), abs=1e-12)
        assert rid.usage_[j] == pytest.approx(float(known.usage[j]), abs=1e-12)
        assert rid.median_[j] == pytest.approx(known.quantile(j, Fraction(1, 2)), abs=1e-12)
        expected = [known.quantile(j, q) for q in sixths[1:]]
        assert quantiles[1:, j] == pytest.approx(expected, abs=1e-12)
        assert quantiles[0, j] == pytest.approx(float(known.parts[j][0][0]), abs=1e-12)
        assert [part[j] for part in box.values()] == pytest.approx(known.box(j), abs=1e-12)
        values, weights = rid.distribution(name)
        assert weights.sum() == pytest.approx(1)
        assert (np.diff(values) > 0).all()
        occurring = sorted({float(value) for value, _ in known.parts[j]})
        assert values.tolist() == pytest.approx(occurring, abs=1e-12)
        # Between the values, where rounding cannot matter, and outside.
        between = [occurring[0] - 1, *np.convolve(occurring, [0.5, 0.5], "valid")]
        shares = [known.cdf(j, x) for x in between]
        assert rid.cdf(name, np.array(between)) == pytest.approx(shares, abs=1e-12)
        assert rid.cdf(name, between[0]) == 0
        assert rid.cdf(name, values[-1]) == rid.cdf(name, np.inf) == 1
    assert (rid.standard_error_ == 0).all()


@pytest.mark.parametrize("n_bootstraps", [1, 2, 3])
@pytest.mark.parametrize("exact", [True, False])
def test_rid_is_what_brute_force_finds(exact: bool, n_bootstraps: int) -> None:
    some_trees = 0
    for seed in range(4):
        rng = np.random.default_rng([seed, n_bootstraps])
        X = rng.integers(0, 2, (14, 4)).astype(np.uint8)
        y = (X[:, 0] & X[:, 1]) ^ (rng.random(14) < 0.2)
        n_classes = 2 + seed % 2
        if n_classes == 3:
            y = y + (X[:, 2] & X[:, 3])
        n_classes = len(np.unique(y))
        options: dict[str, Any] = {"regularization": 0.05, "epsilon": 0.08, "max_depth": 2}
        estimator: Any = TreeFARMS(**options) if exact else RESPLIT(**options, lookahead_depth=1)
        kind = "ratio" if seed == 3 else "subtractive"
        sets = []
        for counts in bootstraps(14, n_bootstraps, seed):
            known = RashomonOracle(X, y, n_classes=n_classes, weights=counts, regularization=0.05)
            found = known.exact_set(2, 0.08) if exact else known.resplit(2, 1, 0.08)
            # The set is the one that the estimator itself finds with these weights.
            assert clone(estimator).fit(X, y, sample_weight=counts).trees_.n_trees == len(found)
            sets.append((counts, list(found)))
        rid = RashomonImportance(
            estimator, n_bootstraps=n_bootstraps, random_state=seed, kind=kind
        ).fit(X, y)
        assert rid.variables_ == ["x0", "x1", "x2", "x3"]
        expected = OracleRID(X, y, [0, 1, 2, 3], sets, kind)
        assert_equal_to_oracle(rid, expected)
        some_trees += sum(rid.n_trees_)
    assert some_trees > 10


def test_rid_of_raw_columns_with_weights() -> None:
    """Questions of one variable go together, sample weights multiply the bootstrap's counts."""
    X, rng = mixed(2, 13)[["age", "job", "pay"]], np.random.default_rng(8)
    y = np.array(["a", "b"])[((X["age"] <= 22) ^ (rng.random(13) < 0.2)).astype(int)]
    weights = rng.integers(1, 4, 13)
    estimator = TreeFARMS(
        regularization=0.04, epsilon=0.02, max_depth=2, binarizer=MidpointBinarizer()
    )
    rid = RashomonImportance(estimator, n_bootstraps=2, random_state=5)
    rid.fit(X, y, sample_weight=weights)
    binarizer = MidpointBinarizer().fit(X)
    answers = binarizer.transform(X)
    names = ["age", "job", "pay"]
    variable_of = [names.index(literal.name) for literal in binarizer.literals_]
    assert len(variable_of) > 9
    codes = (y == "b").astype(int)
    sets = []
    for counts in bootstraps(13, 2, 5):
        own = counts * weights
        known = RashomonOracle(answers, codes, n_classes=2, weights=own, regularization=0.04)
        sets.append((own, list(known.exact_set(2, 0.02))))
    assert rid.variables_ == names
    assert sum(map(len, (shapes for _, shapes in sets))) > 5
    assert_equal_to_oracle(rid, OracleRID(answers, codes, variable_of, sets))


def test_bootstraps_count_alike_however_many_trees_they_have() -> None:
    X, y = threshold_table(6, 60, 6)
    rid = RashomonImportance(
        RESPLIT(max_depth=3, regularization=0.03, epsilon=0.03), n_bootstraps=6, random_state=3
    ).fit(X, y)
    assert len(set(rid.n_trees_)) > 1
    means = []
    for counts in bootstraps(60, 6, 3):
        model = clone(rid.estimator).fit(X, y, sample_weight=counts)
        means.append(np.zeros(6))
        for tree in model.trees_:
            single = clone(model)
            vars(single).update({**vars(model), "tree_": tree})
            for name, value in reliance(single, X, y, sample_weight=counts).items():
                means[-1][int(name[1:])] += value / model.trees_.n_trees
    assert rid.mean_ == pytest.approx(np.mean(means, axis=0), abs=1e-12)


def test_every_source_variable_is_listed() -> None:
    """Also those that no question is asked about: they have no importance, which is a finding."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "empty": [None] * 100,
            "noise": rng.normal(size=100),
            "constant": ["same"] * 100,
            "signal": rng.normal(size=100),
        }
    )
    for kind, nothing in (("subtractive", 0.0), ("ratio", 1.0)):
        rid = RashomonImportance(RESPLIT(), n_bootstraps=2, random_state=0, kind=kind)
        rid.fit(X, X["signal"] + 0.3 * X["noise"] > 0)
        assert rid.variables_ == list(X.columns)
        for j in (0, 2):
            assert rid.mean_[j] == rid.median_[j] == nothing
            assert rid.usage_[j] == rid.standard_error_[j] == 0
            values, weights = rid.distribution(X.columns[j])
            assert (values.tolist(), weights.tolist()) == ([nothing], [1.0])
        assert rid.mean_[3] > nothing
        assert len(rid.to_frame()) == 4


def test_tables_without_any_question() -> None:
    X = pd.DataFrame({"a": ["same"] * 20, "b": [None] * 20})
    rid = RashomonImportance(n_bootstraps=3, random_state=0).fit(X, [0, 1] * 10)
    assert rid.mean_.tolist() == [0, 0]
    assert rid.n_trees_ == [1, 1, 1]


def test_rows_of_weight_zero_are_as_good_as_absent() -> None:
    X, y = threshold_table(7, 80, 5)
    weights = np.random.default_rng(0).integers(0, 3, 80)
    kept = weights > 0
    make = lambda: RashomonImportance(small(), n_bootstraps=3, random_state=1)  # noqa: E731
    whole = make().fit(X, y, sample_weight=weights)
    part = make().fit(X[kept], y[kept], sample_weight=weights[kept])
    assert whole.mean_.tolist() == part.mean_.tolist()
    # A bootstrap of all rows would often miss the only one that counts.
    alone = make().fit(X, y, sample_weight=np.arange(80) == 3)
    assert alone.mean_.tolist() == [0] * 5


def test_class_weights_and_units_of_weights() -> None:
    X, y = threshold_table(8, 80, 5)
    weights = np.where(y == 1, 3, 1)
    means = [
        RashomonImportance(small(**options), n_bootstraps=3, random_state=1)
        .fit(X, y, sample_weight=given)
        .mean_.tolist()
        for options, given in [
            ({}, weights),
            ({}, 0.25 * weights),
            ({"class_weight": {1: 3}}, None),
            ({"class_weight": {1: 3}}, np.full(80, 2)),
        ]
    ]
    assert means == [means[0]] * 4


def test_tables_of_any_kind_give_the_same() -> None:
    X, y = threshold_table(9, 80, 5)
    expected = RashomonImportance(small(), n_bootstraps=3, random_state=1).fit(X, y).mean_
    names = [f"v{j}" for j in range(5)]
    for table in (scipy.sparse.csr_matrix(X), pl.DataFrame(X, schema=names), X.astype(bool)):
        again = RashomonImportance(small(), n_bootstraps=3, random_state=1).fit(table, y)
        assert again.mean_.tolist() == expected.tolist()
    assert RashomonImportance(small(binarizer=None), n_bootstraps=3, random_state=1).fit(
        X, y
    ).mean_.tolist() == (expected.tolist())


# The same for everyone


def small(**options: Any) -> RESPLIT:
    return RESPLIT(**{"max_depth": 3, "regularization": 0.02, "epsilon": 0.02, **options})


def everything(rid: RashomonImportance) -> list[Any]:
    frame = rid.to_frame()
    columns = [frame[name].tolist() for name in frame.columns]
    parts = [part.tolist() for name in rid.variables_ for part in rid.distribution(name)]
    return [rid.n_trees_, rid.status_, columns, parts]


def drawn(**options: Any) -> RashomonImportance:
    """Sets larger than `max_trees`, so that trees are drawn as well as rows."""
    X, y = threshold_table(10, 150, 7)
    estimator = small(regularization=0.01, epsilon=0.04)
    defaults = {"n_bootstraps": 5, "max_trees": 20, "random_state": 4}
    return RashomonImportance(estimator, **{**defaults, **options}).fit(X, y)


@pytest.fixture(scope="module")
def alone() -> list[Any]:
    rid = drawn()
    assert max(rid.n_trees_) > 20
    return everything(rid)


def test_same_seed_same_answer_on_threads(alone: list[Any]) -> None:
    assert everything(drawn(n_jobs=1)) == alone
    assert everything(drawn(n_jobs=2)) == alone
    assert everything(drawn(n_jobs=-1)) == alone
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert everything(drawn()) == alone


def test_same_seed_same_answer_in_processes(alone: list[Any]) -> None:
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert everything(drawn()) == alone


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_backend_that_gives_all_at_once(alone: list[Any]) -> None:
    with joblib.parallel_config(backend="multiprocessing", n_jobs=2):
        assert everything(drawn()) == alone


@pytest.mark.parametrize("processes", [False, True])
def test_same_seed_same_answer_on_dask(alone: list[Any], processes: bool) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1 + (not processes),
            threads_per_worker=1,
            processes=processes,
            dashboard_address=None,
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        assert everything(drawn()) == alone


@pytest.mark.filterwarnings("ignore:Port .* is already in use")  # of the dashboard
def test_the_guide_shows_a_cluster_that_works(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    shared: dict[str, Any] = {}
    for block in blocks:
        exec(block, shared)
    assert len(blocks) >= 2
    assert "LocalCluster" in blocks[-1] or "Client" in blocks[-1]
    assert shared["on_cluster"].mean_.tolist() == shared["rid"].mean_.tolist()
    assert "variable" in capsys.readouterr().out


def test_other_seeds_give_other_answers(alone: list[Any]) -> None:
    assert everything(drawn(random_state=5)) != alone
    assert everything(drawn(random_state=np.random.RandomState(4))) == alone
    assert everything(drawn(random_state=None)) != everything(drawn(random_state=None))


def test_more_bootstraps_begin_with_the_same() -> None:
    assert drawn(n_bootstraps=3).n_trees_ == drawn().n_trees_[:3]


# Drawing trees


def test_drawing_is_right_on_average_and_says_how_far_off() -> None:
    X, y = noisy(11, 200, 8)
    estimator = TreeFARMS(max_depth=3, regularization=0.005, epsilon=0.06)
    scores = []
    for seed in range(8):
        exact = RashomonImportance(
            estimator, n_bootstraps=2, random_state=seed, max_trees=10**6
        ).fit(X, y)
        assert min(exact.n_trees_) > 60
        assert (exact.standard_error_ == 0).all()
        some = RashomonImportance(estimator, n_bootstraps=2, random_state=seed, max_trees=60).fit(
            X, y
        )
        assert some.n_trees_ == exact.n_trees_
        difference = some.mean_ - exact.mean_
        told = some.standard_error_ > 1e-12
        assert (np.abs(difference[told]) < 4.5 * some.standard_error_[told]).all()
        scores += (difference[told] / some.standard_error_[told]).tolist()
        # Where no draw differs from another, nothing is told: the trees that do must be rare.
        assert (np.abs(difference[~told]) < 0.01).all()
    assert len(scores) > 30
    assert 0.6 < np.sqrt(np.mean(np.square(scores))) < 1.4


def test_sets_of_exactly_so_many_trees_are_used_whole() -> None:
    rid = drawn(n_bootstraps=1, max_trees=10**6)
    whole = drawn(n_bootstraps=1, max_trees=rid.n_trees_[0])
    assert everything(whole) == everything(rid)
    less = drawn(n_bootstraps=1, max_trees=rid.n_trees_[0] - 1)
    assert less.standard_error_.any()


def test_a_single_draw_has_no_known_error() -> None:
    rid = drawn(max_trees=1)
    assert np.isnan(rid.standard_error_).any()
    assert not np.isnan(rid.mean_).any()


# What the literature does with it


def monk_table() -> pd.DataFrame:
    values = [range(1, n + 1) for n in (3, 3, 2, 3, 4, 2)]
    rows = list(itertools.product(*values))
    return pd.DataFrame(rows, columns=[f"a{i}" for i in range(1, 7)])


def monk_1() -> tuple[Any, Any, set[str]]:
    a = monk_table()
    return a.astype("category"), (a.a1 == a.a2) | (a.a5 == 1), {"a1", "a2", "a5"}


def monk_3() -> tuple[Any, Any, set[str]]:
    a, rng = monk_table(), np.random.default_rng(0)
    y = ((a.a5 == 3) & (a.a4 == 1)) | ((a.a5 != 4) & (a.a2 != 3))
    return a.astype("category"), y ^ (rng.random(len(a)) < 0.05), {"a2", "a4", "a5"}


def friedman() -> tuple[Any, Any, set[str]]:
    rng = np.random.default_rng(1)
    X = rng.random((700, 6))
    score = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    score += 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=700)
    return X, score >= 15, {"x0", "x1", "x2", "x3", "x4"}


def chen() -> tuple[Any, Any, set[str]]:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(700, 10))
    score = -2 * np.sin(X[:, 0]) + np.maximum(X[:, 1], 0) + X[:, 2] + np.exp(-X[:, 3])
    return X, score + rng.normal(size=700) >= 2.048, {"x0", "x1", "x2", "x3"}


@pytest.mark.parametrize("estimator", [RESPLIT, TreeFARMS])
@pytest.mark.parametrize(("problem", "depth"), [(monk_1, 5), (monk_3, 4), (friedman, 3), (chen, 3)])
def test_relevant_variables_are_found(
    problem: Callable[[], tuple[Any, Any, set[str]]], depth: int, estimator: Any
) -> None:
    X, y, relevant = problem()
    price = 0.005 if problem is chen else 0.01
    # Questions about every variable alike: that noise is not used is for the trees to find.
    model = estimator(regularization=price, epsilon=0.01, max_depth=depth, binarizer="quantile")
    if problem in (monk_1, monk_3):
        model.set_params(binarizer="midpoint")
    rid = RashomonImportance(model, n_bootstraps=25, random_state=0, n_jobs=2).fit(X, y)
    mean = dict(zip(rid.variables_, rid.mean_, strict=True))
    noise = [mean[name] for name in mean if name not in relevant]
    assert max(noise) < 0.004
    assert min(mean[name] for name in relevant) > 2 * max(noise)
    assert sorted(mean, key=lambda name: -mean[name])[: len(relevant)] != []
    assert set(rid.to_frame()["variable"][: len(relevant)]) == relevant


def test_monk_1_has_no_noise_at_all() -> None:
    X, y, relevant = monk_1()
    model = RESPLIT(regularization=0.01, epsilon=0.01, max_depth=5, binarizer="midpoint")
    rid = RashomonImportance(model, n_bootstraps=25, random_state=0, n_jobs=2).fit(X, y)
    for name, mean, usage in zip(rid.variables_, rid.mean_, rid.usage_, strict=True):
        assert (usage == 1 and mean > 0.2) if name in relevant else mean == usage == 0


# Frames and pictures


@pytest.fixture(scope="module")
def rid() -> RashomonImportance:
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.integers(0, 2, (300, 12)), columns=[f"variable {j}" for j in range(12)])
    v = X.to_numpy()
    y = ((v[:, 7] & v[:, 2]) | v[:, 4]) ^ (rng.random(300) < 0.2)
    return RashomonImportance(
        small(regularization=0.01, epsilon=0.03), n_bootstraps=4, random_state=0
    ).fit(X, y)


COLUMNS = [
    "variable",
    "mean",
    "standard_error",
    "low",
    "quartile_1",
    "median",
    "quartile_3",
    "high",
    "usage",
]


def test_frames(rid: RashomonImportance) -> None:
    pandas, polars = rid.to_frame(), rid.to_frame("polars")
    assert isinstance(pandas, pd.DataFrame)
    assert isinstance(polars, pl.DataFrame)
    assert list(pandas.columns) == polars.columns == COLUMNS
    assert pandas.to_dict("list") == polars.to_dict(as_series=False)
    assert len(pandas) == 12
    assert pandas["mean"].is_monotonic_decreasing
    assert set(pandas["variable"][:3]) == {"variable 2", "variable 4", "variable 7"}
    place = rid.variables_.index("variable 4")
    row = pandas.set_index("variable").loc["variable 4"]
    assert row["mean"] == rid.mean_[place]
    assert row["median"] == rid.median_[place] == rid.box()["median"][place]
    assert row["usage"] == rid.usage_[place]
    assert (pandas["low"] <= pandas["quartile_1"]).all()
    assert (pandas["quartile_3"] <= pandas["high"]).all()
    with pytest.raises(ValueError, match="library='numpy' must be 'pandas' or 'polars'"):
        rid.to_frame("numpy")


def test_a_library_that_is_not_there(
    rid: RashomonImportance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match="polars is not installed: pip install polars"):
        rid.to_frame("polars")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'splitsecond[plot]'")):
        rid.plot()


@pytest.fixture
def pyplot() -> Iterator[Any]:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def outside(ax: Any) -> list[str]:
    """What a picture has to say and does not fit into it."""
    figure = ax.figure
    figure.canvas.draw()
    page = figure.bbox
    legend = ax.get_legend()
    texts = [ax.xaxis.label, ax.yaxis.label]
    texts += legend.get_texts() if legend else ax.get_yticklabels()
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text()]
    return [
        text
        for text, box in boxes
        if box.x0 < page.x0 - 1
        or box.x1 > page.x1 + 1
        or box.y0 < page.y0 - 1
        or box.y1 > page.y1 + 1
    ]


def test_box_plot(rid: RashomonImportance, pyplot: Any) -> None:
    ax = rid.plot()
    order = rid.to_frame()["variable"].tolist()
    assert [label.get_text() for label in ax.get_yticklabels()] == order[::-1]  # best on top
    assert len(ax.patches) == 12
    assert "loss with the variable permuted" in ax.get_xlabel()
    assert "minus the loss" in ax.get_xlabel()
    assert outside(ax) == []
    box, top = rid.box(), ax.patches[-1].get_path().get_extents()
    best = rid.variables_.index(order[0])
    assert top.x0 == pytest.approx(box["quartile_1"][best])
    assert top.x1 == pytest.approx(box["quartile_3"][best])

    few = rid.plot(most=3)
    assert [label.get_text() for label in few.get_yticklabels()] == order[2::-1]
    own = pyplot.subplots()[1]
    assert rid.plot(ax=own) is own


def test_cdf_plot(rid: RashomonImportance, pyplot: Any) -> None:
    ax = rid.plot("cdf")
    order = rid.to_frame()["variable"].tolist()
    assert [line.get_label() for line in ax.get_lines()] == order[:8]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == order[:8]
    assert ax.get_ylabel() == "share of good trees"
    assert outside(ax) == []
    for line in ax.get_lines():
        x, share = line.get_data()
        assert share[0] == 0
        assert share[-1] == pytest.approx(1)
        assert share[1:-1] == pytest.approx(rid.cdf(line.get_label(), x[1:-1]))
    assert len(rid.plot("cdf", most=12).get_lines()) == 12
    styles = {(line.get_color(), line.get_linestyle()) for line in rid.plot("cdf", most=12).lines}
    assert len(styles) == 12
    own = pyplot.subplots()[1]
    assert rid.plot("cdf", ax=own) is own


@pytest.mark.parametrize("n_variables", [3, 12, 40])
def test_long_names_fit(n_variables: int, pyplot: Any) -> None:
    rng = np.random.default_rng(n_variables)
    names = [
        f"number of satisfactory trades and months since the most recent one, item {j}"
        for j in range(n_variables)
    ]
    X = pd.DataFrame(rng.integers(0, 2, (100, n_variables)), columns=names)
    y = X[names[0]] & X[names[1]] ^ (rng.random(100) < 0.1)
    rid = RashomonImportance(small(), n_bootstraps=2, random_state=0).fit(X, y)
    for kind, shown in (("box", 20), ("cdf", 8)):
        ax = rid.plot(kind)
        assert outside(ax) == []
        texts = ax.get_yticklabels() if kind == "box" else ax.get_legend().get_texts()
        assert len({text.get_text() for text in texts}) == min(n_variables, shown)
        # Half of the picture is for what is drawn.
        assert ax.get_position().width > 0.4
        heights = sorted(text.get_window_extent().y0 for text in texts)
        assert min(np.diff(heights)) > texts[0].get_window_extent().height
    assert len(rid.plot(most=40).patches) == n_variables


def test_infinite_ratios_can_be_shown(pyplot: Any) -> None:
    X = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]] * 10)
    rid = RashomonImportance(small(epsilon=0.5), kind="ratio", random_state=0, max_trees=5)
    rid.fit(X, X[:, 0] & X[:, 1])
    assert np.isinf(rid.mean_).any()
    assert not np.isnan(rid.box()["high"]).any()
    assert len(rid.to_frame()) == 3
    assert "divided by the loss" in rid.plot().get_xlabel()
    assert "infinite values are not shown" in rid.plot("cdf").get_xlabel()
    assert outside(rid.plot()) == outside(rid.plot("cdf")) == []


# Limits, interrupts and mistakes

QUICK = {"max_depth": 2, "regularization": 0.05, "epsilon": 0.01}
ENDLESS = {"max_depth": 9, "regularization": 0.0001, "epsilon": 0.05}


@pytest.fixture(scope="module")
def hard() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    rng = np.random.default_rng(50)
    return rng.integers(0, 2, (2000, 60)).astype(np.uint8), rng.integers(2, size=2000)


@pytest.fixture
def endless_from(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let some bootstraps be quick and the others take forever, and say when those begin."""

    def change(first: int, then: Callable[[], object] = lambda: None) -> None:
        real, begun = _importance.bootstrap, itertools.count()

        def bootstrap(estimator: Any, *arguments: Any, **options: Any) -> Any:
            if (number := next(begun)) >= first:
                estimator = clone(estimator).set_params(**ENDLESS)
                if number == first:
                    then()
            return real(estimator, *arguments, **options)

        monkeypatch.setattr(_importance, "bootstrap", bootstrap)

    return change


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_time_limit_keeps_what_is_done(hard: Any, endless_from: Any, n_jobs: int) -> None:
    quick = RashomonImportance(TreeFARMS(**QUICK), n_bootstraps=6, random_state=0).fit(*hard)
    endless_from(4)
    rid = RashomonImportance(
        TreeFARMS(**QUICK), n_bootstraps=6, random_state=0, time_limit=1.5, n_jobs=n_jobs
    )
    start = time.perf_counter()
    with pytest.warns(LimitWarning, match=r"4 of 6 bootstraps are done.*time_limit"):
        rid.fit(*hard)
    assert time.perf_counter() - start < 2.5
    assert rid.status_ == "time_limit"
    assert rid.n_trees_ == quick.n_trees_[:4]
    assert rid.mean_.shape == (60,)


@pytest.mark.parametrize("limit", [0, 1e-9])
def test_no_time_at_all_is_an_error(hard: Any, limit: float) -> None:
    rid = RashomonImportance(TreeFARMS(**QUICK), time_limit=limit)
    with pytest.raises(RuntimeError, match="No bootstrap was done within time_limit="):
        rid.fit(*hard)
    with pytest.raises(NotFittedError):
        rid.to_frame()


def test_a_set_that_is_cut_short_by_the_job_does_not_count(hard: Any) -> None:
    rid = RashomonImportance(TreeFARMS(**ENDLESS), n_bootstraps=3, time_limit=0.4, n_jobs=2)
    with pytest.raises(RuntimeError, match="No bootstrap was done"):
        rid.fit(*hard)


def test_limits_hold_while_reliances_are_measured() -> None:
    """Sets may be found in no time, and have more trees than can be looked at."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (400, 16)).astype(np.uint8), rng.integers(0, 2, 400)
    estimator = TreeFARMS(max_depth=4, regularization=0.005, epsilon=0.05)
    rid = RashomonImportance(estimator, max_trees=10**6, time_limit=0.8, random_state=0)
    start = time.perf_counter()
    with pytest.raises(RuntimeError, match="No bootstrap was done"):
        rid.fit(X, y)
    assert time.perf_counter() - start < 1.8
    rid.set_params(time_limit=None)
    threading.Timer(0.8, _thread.interrupt_main).start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        rid.fit(X, y)
    assert time.perf_counter() - start < 1.8


def test_a_failed_fit_leaves_the_last_one(hard: Any) -> None:
    X, y = threshold_table(18, 60, 4)
    rid = RashomonImportance(TreeFARMS(**QUICK), n_bootstraps=2, random_state=0).fit(X, y)
    before = everything(rid)
    with pytest.raises(RuntimeError):
        rid.set_params(time_limit=0).fit(*hard)
    assert everything(rid) == before


def test_limits_of_the_estimator_hold_in_each_bootstrap(hard: Any) -> None:
    estimator = TreeFARMS(**ENDLESS, time_limit=0.2)
    rid = RashomonImportance(estimator, n_bootstraps=2, max_trees=100, time_limit=20)
    start = time.perf_counter()
    with pytest.warns(LimitWarning, match=r"2 of 2 bootstraps are done.*partial"):
        rid.fit(*hard)
    assert time.perf_counter() - start < 5
    assert rid.status_ == "partial"
    assert len(rid.n_trees_) == 2


def test_a_long_limit_changes_nothing(alone: list[Any]) -> None:
    assert everything(drawn(time_limit=1000)) == alone


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_keeps_what_is_done(hard: Any, endless_from: Any, n_jobs: int) -> None:
    """Ctrl-C while a set is being found ends the job at once, the other threads too."""
    endless_from(4, threading.Timer(0.5, _thread.interrupt_main).start)
    rid = RashomonImportance(TreeFARMS(**QUICK), n_bootstraps=50, random_state=0, n_jobs=n_jobs)
    start = time.perf_counter()
    with pytest.warns(LimitWarning, match=r"4 of 50 bootstraps are done.*interrupted"):
        rid.fit(*hard)
    assert time.perf_counter() - start < 5
    assert rid.status_ == "interrupted"
    assert len(rid.n_trees_) == 4
    assert len(rid.to_frame()) == 60


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_before_anything_is_done(hard: Any, endless_from: Any, n_jobs: int) -> None:
    endless_from(0, threading.Timer(0.3, _thread.interrupt_main).start)
    rid = RashomonImportance(TreeFARMS(**QUICK), n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        rid.fit(*hard)


def test_the_threads_of_an_interrupted_job_end_with_it(hard: Any, endless_from: Any) -> None:
    """Python aborts if it ends while threads are in the core."""
    crews: list[Any] = []
    make = _importance.Crew
    endless_from(2, threading.Timer(0.3, _thread.interrupt_main).start)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_importance, "Crew", lambda: crews.append(make()) or crews[-1])
        with pytest.warns(LimitWarning):
            RashomonImportance(TreeFARMS(**QUICK), n_bootstraps=9, n_jobs=2).fit(*hard)
    assert crews[0].at_work == set()


def test_an_error_in_a_bootstrap_is_raised() -> None:
    X, y = threshold_table(12, 50, 4)
    estimator = TreeFARMS(epsilon=0.0001, epsilon_kind="absolute")
    for n_jobs in (1, 2):
        with pytest.raises(ValueError, match="No tree has an objective of at most"):
            RashomonImportance(estimator, n_jobs=n_jobs).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": LicketySPLITClassifier()}, "must be a RESPLIT or TreeFARMS"),
        ({"estimator": RESPLIT(epsilon=-1)}, "epsilon=-1"),
        ({"n_bootstraps": 0}, "n_bootstraps=0 must be an integer of at least 1"),
        ({"n_bootstraps": 2.0}, "n_bootstraps=2.0"),
        ({"n_bootstraps": True}, "n_bootstraps=True"),
        ({"max_trees": 0}, "max_trees=0"),
        ({"max_trees": None}, "max_trees=None"),
        ({"kind": "sum"}, "kind='sum' must be one of"),
        ({"kind": None}, "kind=None"),
        ({"time_limit": -1}, "time_limit=-1"),
        ({"time_limit": "1 s"}, "time_limit='1 s'"),
        ({"random_state": "x"}, "cannot be used to seed"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str) -> None:
    X, y = threshold_table(13, 30, 3)
    with pytest.raises(ValueError, match=re.escape(message)):
        RashomonImportance(**parameters).fit(X, y)


def test_bad_tables() -> None:
    X, y = threshold_table(14, 30, 3)
    rid = RashomonImportance(RESPLIT(binarizer=None), n_bootstraps=2)
    with pytest.raises(ValueError, match="neither 0 nor 1"):
        rid.fit(X * 2, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        rid.fit(X, y[1:])
    with pytest.raises(ValueError, match="zero for every row"):
        rid.fit(X, y, sample_weight=np.zeros(30))


def test_bad_questions(rid: RashomonImportance) -> None:
    with pytest.raises(ValueError, match=r"no variable 'age'; there are 'variable 0', .*, \.\.\."):
        rid.cdf("age", 0)
    for wrong in (-0.1, 1.1, np.nan, [0.5, 2]):
        with pytest.raises(ValueError, match="between 0 and 1"):
            rid.quantiles(wrong)
    with pytest.raises(ValueError, match="kind='pie' must be 'box' or 'cdf'"):
        rid.plot("pie")
    pytest.importorskip("matplotlib")
    with pytest.raises(ValueError, match="most=0"):
        rid.plot(most=0)


@pytest.mark.parametrize(
    "ask",
    [
        lambda rid: rid.distribution("x0"),
        lambda rid: rid.cdf("x0", 0),
        lambda rid: rid.quantiles(0.5),
        lambda rid: rid.box(),
        lambda rid: rid.to_frame(),
        lambda rid: rid.plot(),
    ],
)
def test_nothing_is_known_before_fit(ask: Callable[[Any], Any]) -> None:
    with pytest.raises(NotFittedError):
        ask(RashomonImportance())


def test_cdf_of_one_number_is_a_number(rid: RashomonImportance) -> None:
    assert isinstance(rid.cdf("variable 4", 0.1), float)
    assert rid.cdf("variable 4", [[0.0, 0.1], [0.2, 9.0]]).shape == (2, 2)
    assert rid.quantiles(0.5).shape == (1, 12)


def test_clone_parameters_and_repr() -> None:
    rid = RashomonImportance(RESPLIT(epsilon=0.05), n_bootstraps=3, random_state=1)
    again = clone(rid)
    assert again.estimator is not rid.estimator
    assert again.get_params()["estimator__epsilon"] == 0.05
    again.set_params(estimator__epsilon=0.1, n_bootstraps=4)
    assert rid.estimator.epsilon == 0.05
    assert repr(again).startswith("RashomonImportance(estimator=RESPLIT(epsilon=0.1)")
    assert repr(RashomonImportance()) == "RashomonImportance()"


def test_fit_leaves_its_estimator_alone() -> None:
    X, y = threshold_table(15, 60, 4)
    estimator = small()
    rid = RashomonImportance(estimator, n_bootstraps=2, random_state=0)
    assert rid.fit(X, y) is rid
    assert rid.estimator is estimator
    assert not hasattr(estimator, "trees_")
    first = everything(rid)
    assert everything(rid.fit(X, y)) == first
    rid.fit(np.hstack([X, X]), y)  # another table, from the beginning
    assert len(rid.variables_) == len(rid.mean_) == 8


def test_pickle(rid: RashomonImportance) -> None:
    again = pickle.loads(pickle.dumps(rid))
    assert everything(again) == everything(rid)
    assert again.cdf("variable 4", 0.1) == rid.cdf("variable 4", 0.1)


def test_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = threshold_table(16, 60, 4)
    RashomonImportance(small(), n_bootstraps=2, verbose=10, n_jobs=2).fit(X, y)
    shown = capsys.readouterr()
    assert "2 out of   2" in shown.out + shown.err


def test_progress_of_a_long_search_is_shown(hard: Any, capsys: pytest.CaptureFixture[str]) -> None:
    estimator = TreeFARMS(**ENDLESS, time_limit=2, verbose=1)
    with pytest.warns(LimitWarning):
        RashomonImportance(estimator, n_bootstraps=1, max_trees=10).fit(*hard)
    assert "first splits" in capsys.readouterr().err


# Disagreement


def test_multiplicity_summary() -> None:
    X, y = threshold_table(17, 120, 6, n_classes=3)
    trees = TreeFARMS(max_depth=2, regularization=0.02, epsilon=0.03).fit(X, y).trees_
    assert trees.n_trees > 3
    predicted = trees.predict(X)
    shares = np.stack([(predicted == c).mean(axis=1) for c in np.unique(y)], axis=1)
    variance = (1 - (shares**2).sum(axis=1)) / 2
    summary = trees.multiplicity_summary(X)
    disagree = (predicted != predicted[:, :1]).any(axis=1)
    assert 0 < disagree.mean() < 1
    assert summary == pytest.approx(
        {
            "mean": variance.mean(),
            "std": variance.std(),
            "max": variance.max(),
            "disputed": disagree.mean(),
        }
    )
    one = trees.within(0.0).filter(max_leaves=trees[0].n_leaves)
    if one.n_trees == 1:
        assert one.multiplicity_summary(X) == {"mean": 0, "std": 0, "max": 0, "disputed": 0}


def test_warnings_point_at_the_call(hard: Any) -> None:
    rid = RashomonImportance(TreeFARMS(**ENDLESS, time_limit=0.1), n_bootstraps=1, max_trees=10)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rid.fit(*hard)
    assert [Path(warning.filename).name for warning in caught] == [Path(__file__).name]
