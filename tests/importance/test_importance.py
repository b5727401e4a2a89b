"""RID against brute force, and what the literature does with it.

The oracle draws the bootstraps by the documented rule, lists each set by brute force, measures each
tree (every row with every other row's answers, the mean over all permutations) and averages
Fractions.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from importance_helpers import mixed, ratio, small
from rashomon_oracle import RashomonOracle, Shape, features_of, label_for
from sklearn.base import clone
from strategies import threshold_table

from splitsecond import RESPLIT, MidpointBinarizer, RashomonImportance, TreeFARMS, reliance

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


@pytest.mark.parametrize(
    "asked",
    [
        {"loss": "brier"},
        {"costs": [[0, 3], [1, 0], [0.5, 0.5]], "actions": [0, 1, "refer"]},
        {"min_samples_leaf": 5},
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", [TreeFARMS, RESPLIT])
def test_rid_is_measured_in_the_loss_of_its_trees(kind: Any, asked: Any) -> None:
    X, y = threshold_table(3, 60, 5)
    estimator = kind(regularization=0.02, epsilon=0.05, max_depth=2, binarizer=None, **asked)
    rid = RashomonImportance(estimator, n_bootstraps=3, random_state=1).fit(X, y)
    means = []
    for counts in bootstraps(60, 3, 1):
        trees = clone(estimator).fit(X, y, counts).trees_
        models = [trees.to_classifier(i) for i in range(len(trees))]
        of_trees = [reliance(model, X, y, counts) for model in models]
        means.append([np.mean([each.get(f"x{j}", 0) for each in of_trees]) for j in range(5)])
        for tree in trees:
            assert tree.n_leaves == 1 or tree.n_rows.min() >= asked.get("min_samples_leaf", 1)
    assert rid.mean_ == pytest.approx(np.mean(means, axis=0), abs=1e-12)


def test_rid_of_log_loss_is_finite() -> None:
    """Classes that a leaf has never seen are not impossible."""
    X, y = threshold_table(3, 80, 5)
    estimator = small(loss="log_loss", binarizer=None)
    rid = RashomonImportance(estimator, n_bootstraps=3, random_state=1).fit(X, y)
    assert np.isfinite(rid.mean_).all()
    assert rid.mean_.max() > 0.01


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


def test_columns_of_one_name_are_two_variables() -> None:
    # 1 and "1" are different labels that read alike; which is which must not be mixed up.
    X = pd.DataFrame({1: [0, 0, 1, 1] * 5, "1": [0, 1, 0, 1] * 5})
    rid = RashomonImportance(RESPLIT(), n_bootstraps=2, random_state=0).fit(X, X[1])
    assert rid.variables_ == ["1", "1"]
    assert rid.mean_[0] > 0.3
    assert rid.mean_[1] == 0


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
