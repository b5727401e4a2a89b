"""RID of numbers against brute force.

The oracle draws the bootstraps by the documented rule, lists every tree of each, measures those
within the bound (every row with every other row's answers, the mean over all permutations), and
averages.
"""

from __future__ import annotations

import itertools
import pickle
from typing import Any, TypeAlias

import joblib
import numpy as np
import pandas as pd
import pytest
from importance_helpers import everything, mixed
from sklearn.base import clone

from splitsecond import (
    LicketySPLITRegressor,
    LimitWarning,
    MidpointBinarizer,
    RashomonImportance,
    RESPLITRegressor,
    TreeFARMSRegressor,
    reliance,
)

LOSSES = ["squared_error", "poisson"]
Shape: TypeAlias = "tuple[int, Shape, Shape] | None"  # None: a leaf


def bootstraps(n_rows: int, n_bootstraps: int, seed: int) -> list[Any]:
    """How often each bootstrap has each row, by the documented rule."""
    seeds = np.random.RandomState(seed).randint(2**31 - 1, size=n_bootstraps)
    drawn = [np.random.RandomState(own).randint(0, n_rows, n_rows) for own in seeds]
    return [np.bincount(rows, minlength=n_rows) for rows in drawn]


def table(seed: int, n_rows: int, n_columns: int, loss: str) -> tuple[Any, Any]:
    rng = np.random.default_rng([seed, n_rows])
    X = rng.integers(0, 2, (n_rows, n_columns)).astype(np.uint8)
    signal = 2 * X[:, 0] + X[:, 1] * X[:, 2] + 0.3
    if loss == "poisson":
        return X, rng.poisson(signal * 0.7).astype(float)
    return X, signal + rng.normal(0, 0.7, n_rows).round(2)


class Oracle:
    """Every tree for some rows with weights, and what it loses."""

    def __init__(self, X: Any, y: Any, weights: Any, loss: str) -> None:
        self.X, self.y, self.weights, self.loss = X, y, weights, loss
        present = np.flatnonzero(weights)
        self.rows = present
        self.total = float(weights.sum())
        self.half_row = self.total / len(y) / 2  # as many rows are drawn as there are
        self.without_events = 0  # leaves that were measured

    def mean(self, rows: Any) -> float:
        return float(np.average(self.y[rows], weights=self.weights[rows]))

    def value(self, rows: Any) -> float:
        """What a leaf says; without events, those of half a row of the mean rate count."""
        mean = self.mean(rows)
        if self.loss == "poisson" and mean == 0:
            self.without_events += 1
            weight = self.weights[rows].sum() + self.half_row
            return self.mean(self.rows) * self.half_row / weight
        return mean

    def deviances(self, numbers: Any, values: Any) -> Any:
        if self.loss == "squared_error":
            return (numbers - values) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(numbers > 0, numbers * np.log(numbers / values), 0)
        return 2 * (logs - numbers + values)

    def leaf_loss(self, rows: Any) -> float:
        return float(self.weights[rows] @ self.deviances(self.y[rows], self.mean(rows)))

    def trees(self, rows: Any, depth: int) -> list[tuple[Shape, float, int]]:
        """Every tree without a split into two leaves of the same mean: shape, loss and leaves."""
        found: list[tuple[Shape, float, int]] = [(None, self.leaf_loss(rows), 1)]
        for j in range(self.X.shape[1]) if depth > 0 else []:
            yes, no = rows[self.X[rows, j] == 1], rows[self.X[rows, j] == 0]
            if not len(yes) or not len(no):
                continue
            for one, other in itertools.product(
                self.trees(yes, depth - 1), self.trees(no, depth - 1)
            ):
                is_trivial = one[0] is None and other[0] is None
                if is_trivial and abs(self.mean(yes) - self.mean(no)) < 1e-9:
                    continue
                found.append(((j, one[0], other[0]), one[1] + other[1], one[2] + other[2]))
        return found

    def within(self, depth: int, price: float, epsilon: float) -> list[Shape]:
        whole = self.leaf_loss(self.rows)
        objectives = [
            (shape, lost / whole + price * leaves)
            for shape, lost, leaves in self.trees(self.rows, depth)
        ]
        bound = min(objective for _, objective in objectives) + epsilon
        # None so near that the rounding of sets, 2**-16 a leaf, matters.
        assert min(abs(objective - bound) for _, objective in objectives) > 2e-4
        return [shape for shape, objective in objectives if objective <= bound]

    def values_of(self, shape: Shape, rows: Any) -> dict[tuple[Any, ...], float]:
        """What each leaf says, by the answers that lead to it."""
        if shape is None:
            return {(): self.value(rows)}
        j, *children = shape
        return {
            ((j, answer), *path): value
            for answer, child in zip((1, 0), children, strict=True)
            for path, value in self.values_of(child, rows[self.X[rows, j] == answer]).items()
        }

    def reliances(self, shape: Shape, variable_of: list[int], kind: str) -> list[float]:
        leaves = self.values_of(shape, self.rows)
        n, w = len(self.rows), self.weights[self.rows]
        row, donor = np.repeat(self.rows, n), np.tile(self.rows, n)
        out = []
        for variable in range(-1, max(variable_of) + 1):  # first, nothing is permuted
            own = np.array(variable_of) == variable
            answers = np.where(own, self.X[donor], self.X[row])
            said = np.zeros(n * n)
            for path, value in leaves.items():
                said[np.all([answers[:, j] == answer for j, answer in path], axis=0)] = value
            out.append(float(np.outer(w, w).ravel() @ self.deviances(self.y[row], said)))
        lost, *permuted = np.array(out) / self.total**2
        return [each - lost if kind == "subtractive" else each / lost for each in permuted]


def features_of(shape: Shape) -> set[int]:
    return set() if shape is None else {shape[0]} | features_of(shape[1]) | features_of(shape[2])


def assert_equal_to_oracle(
    rid: RashomonImportance, sets: list[list[list[float]]], usage: Any
) -> None:
    """Given are the reliances of the trees of each bootstrap."""
    assert rid.n_trees_ == [len(each) for each in sets]
    assert rid.status_ == "complete"
    means = np.mean([np.mean(each, axis=0) for each in sets], axis=0)
    assert rid.mean_ == pytest.approx(means, rel=1e-9, abs=1e-10)
    assert rid.usage_ == pytest.approx(usage, abs=1e-12)
    assert (rid.standard_error_ == 0).all()
    shares = np.concatenate([np.full(len(each), 1 / len(each) / len(sets)) for each in sets])
    values = np.concatenate([np.array(each) for each in sets])
    for j, name in enumerate(rid.variables_):
        order = np.argsort(values[:, j])
        highest = np.cumsum(shares[order])
        for q in (0.21, 0.5, 0.83):
            expected = values[order, j][np.searchsorted(highest, q - 1e-12)]
            assert rid.quantiles(q)[0, j] == pytest.approx(expected, rel=1e-9, abs=1e-10)
        for x in np.linspace(values[:, j].min(), values[:, j].max(), 7)[1:-1]:
            if np.abs(values[:, j] - x).min() > 1e-9:
                below = shares[values[:, j] <= x].sum()
                assert rid.cdf(name, x) == pytest.approx(below, abs=1e-9)
    assert rid.median_ == pytest.approx(rid.quantiles(0.5)[0])


@pytest.mark.parametrize("kind", ["subtractive", "ratio"])
@pytest.mark.parametrize("loss", LOSSES)
def test_rid_is_what_brute_force_finds(loss: str, kind: str) -> None:
    options: dict[str, Any] = {"regularization": 0.04, "epsilon": 0.05, "max_depth": 2}
    n_trees = without_events = 0
    for seed in range(3):
        X, y = table(seed, 16, 4, loss)
        sets, usages = [], []
        for counts in bootstraps(16, 2, seed):
            oracle = Oracle(X, y, counts, loss)
            shapes = oracle.within(2, 0.04, 0.05)
            sets.append([oracle.reliances(shape, [0, 1, 2, 3], kind) for shape in shapes])
            asked = [[j in features_of(shape) for j in range(4)] for shape in shapes]
            usages.append(np.mean(asked, axis=0))
            without_events += oracle.without_events
        rid = RashomonImportance(
            TreeFARMSRegressor(**options, loss=loss, binarizer=None),
            n_bootstraps=2,
            random_state=seed,
            kind=kind,
        ).fit(X, y)
        assert_equal_to_oracle(rid, sets, np.mean(usages, axis=0))
        n_trees += sum(rid.n_trees_)
    assert n_trees > 12
    assert without_events or loss == "squared_error"


@pytest.mark.parametrize("loss", LOSSES)
def test_rid_of_raw_columns_with_weights(loss: str) -> None:
    """Questions of one variable go together, sample weights multiply the bootstrap's counts."""
    X, rng = mixed(2, 14)[["age", "flag"]], np.random.default_rng(8)
    y = rng.poisson(1 + 2 * (X["age"] <= 22)) + 0.5
    weights = rng.integers(1, 4, 14) * 0.5
    estimator = TreeFARMSRegressor(
        regularization=0.05, epsilon=0.03, max_depth=2, binarizer=MidpointBinarizer(), loss=loss
    )
    rid = RashomonImportance(estimator, n_bootstraps=2, random_state=5)
    rid.fit(X, y, sample_weight=weights)
    binarizer = MidpointBinarizer().fit(X)
    answers = binarizer.transform(X)
    variable_of = [["age", "flag"].index(literal.name) for literal in binarizer.literals_]
    sets, usages = [], []
    for counts in bootstraps(14, 2, 5):
        oracle = Oracle(answers, y, counts * weights, loss)
        shapes = oracle.within(2, 0.05, 0.03)
        sets.append([oracle.reliances(shape, variable_of, "subtractive") for shape in shapes])
        asked = [{variable_of[j] for j in features_of(shape)} for shape in shapes]
        usages.append([np.mean([j in each for each in asked]) for j in range(2)])
    assert rid.variables_ == ["age", "flag"]
    assert_equal_to_oracle(rid, sets, np.mean(usages, axis=0))


@pytest.mark.parametrize("asked", [{}, {"min_samples_leaf": 5}, {"lookahead_depth": 1}], ids=str)
@pytest.mark.parametrize("loss", LOSSES)
def test_rid_is_the_mean_reliance_of_the_trees_of_its_sets(loss: str, asked: Any) -> None:
    X, y = table(3, 60, 5, loss)
    y = y + 0.1  # no leaf is without events
    kind = RESPLITRegressor if "lookahead_depth" in asked else TreeFARMSRegressor
    options = {"regularization": 0.02, "epsilon": 0.03, "max_depth": 3, "binarizer": None}
    estimator = kind(**options, loss=loss, **asked)
    rid = RashomonImportance(estimator, n_bootstraps=3, random_state=1).fit(X, y)
    means = []
    for counts in bootstraps(60, 3, 1):
        trees = clone(estimator).fit(X, y, counts).trees_
        of_trees = [reliance(tree, X, y, counts) for tree in trees]
        means.append([np.mean([each.get(f"x{j}", 0) for each in of_trees]) for j in range(5)])
    assert rid.mean_ == pytest.approx(np.mean(means, axis=0), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_rows_of_weight_zero_are_as_good_as_absent(loss: str) -> None:
    X, y = table(7, 80, 5, loss)
    weights = np.random.default_rng(0).integers(0, 3, 80)
    kept = weights > 0
    estimator = RESPLITRegressor(max_depth=3, epsilon=0.02, regularization=0.02, loss=loss)
    make = lambda: RashomonImportance(estimator, n_bootstraps=3, random_state=1)  # noqa: E731
    whole = make().fit(X, y, sample_weight=weights)
    part = make().fit(X[kept], y[kept], sample_weight=weights[kept])
    assert whole.n_trees_ == part.n_trees_
    assert whole.mean_ == pytest.approx(part.mean_, rel=1e-9, abs=1e-12)
    scaled = make().fit(X, y, sample_weight=weights * 0.125)
    assert scaled.mean_ == pytest.approx(whole.mean_, rel=1e-9, abs=1e-12)


def test_numbers_on_any_scale() -> None:
    X, y = table(7, 80, 5, "squared_error")
    estimator = RESPLITRegressor(max_depth=3, epsilon=0.02, regularization=0.02)
    make = lambda kind="subtractive": RashomonImportance(  # noqa: E731
        estimator, n_bootstraps=3, random_state=1, kind=kind
    )
    expected, ratio = make().fit(X, y), make("ratio").fit(X, y)
    for factor, added in ((1024.0, 0.0), (-1.0, 0.0), (1.0, 4096.0)):
        again = make().fit(X, y * factor + added)
        assert again.n_trees_ == expected.n_trees_
        assert again.mean_ == pytest.approx(expected.mean_ * factor**2, rel=1e-8, abs=1e-10)
    huge = make("ratio").fit(X, y * 1e200)
    assert huge.mean_ == pytest.approx(ratio.mean_, rel=1e-8)


def drawn(**options: Any) -> RashomonImportance:
    """Sets larger than `max_trees`, so that trees are drawn as well as rows."""
    X, y = table(10, 150, 7, "squared_error")
    estimator = RESPLITRegressor(max_depth=3, regularization=0.005, epsilon=0.02)
    defaults = {"n_bootstraps": 4, "max_trees": 20, "random_state": 4}
    return RashomonImportance(estimator, **{**defaults, **options}).fit(X, y)


def test_same_seed_same_answer() -> None:
    alone = drawn()
    assert min(alone.n_trees_) > 20
    assert alone.standard_error_.max() > 0
    assert everything(drawn(n_jobs=2)) == everything(alone)
    assert everything(pickle.loads(pickle.dumps(alone))) == everything(alone)
    assert everything(drawn(random_state=5)) != everything(alone)
    whole = drawn(max_trees=10**6)
    assert (whole.standard_error_ == 0).all()
    apart = np.abs(alone.mean_ - whole.mean_)
    assert (apart <= 5 * alone.standard_error_ + 1e-12).all()


@pytest.mark.slow
def test_same_seed_same_answer_in_processes() -> None:
    alone = everything(drawn())
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert everything(drawn()) == alone


def test_limits() -> None:
    with pytest.raises(RuntimeError, match="No bootstrap was done within time_limit"):
        drawn(time_limit=1e-6)
    with pytest.warns(LimitWarning, match="partial"):
        rid = drawn(memory_limit=60_000)
    assert rid.status_ == "partial"


@pytest.mark.parametrize("kind", ["box", "cdf"])
def test_frames_and_pictures(kind: str) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    rid = drawn()
    frame = rid.to_frame()
    assert frame["variable"][0] == "x0"
    assert (np.diff(frame["mean"]) <= 0).all()
    assert rid.to_frame("polars").shape == (7, 9)
    rid.plot(kind).figure.canvas.draw()
    pyplot.close("all")


def test_thresholds_are_guessed_once_for_all_bootstraps() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.random((300, 4)), columns=list("abcd"))
    y = 10 * np.sin(np.pi * X["a"] * X["b"]) + 10 * X["c"] + rng.normal(0, 0.5, 300)
    rid = RashomonImportance(
        RESPLITRegressor(max_depth=3, epsilon=0.01), n_bootstraps=5, random_state=0
    ).fit(X, y)
    mean = dict(zip(rid.variables_, rid.mean_, strict=True))
    assert mean["d"] < 0.1 * min(mean["a"], mean["b"], mean["c"])


def test_numbers_need_an_estimator_for_them() -> None:
    X, y = table(1, 200, 4, "squared_error")
    with pytest.raises(ValueError, match=r"pass estimator=RESPLITRegressor\(\)"):
        RashomonImportance().fit(X, y)
    with pytest.raises(ValueError, match="must be a RESPLIT or TreeFARMS, or for numbers"):
        RashomonImportance(LicketySPLITRegressor()).fit(X, y)
