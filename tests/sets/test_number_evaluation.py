"""Criteria over sets of regression trees are what evaluating every tree by brute force gives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from number_sets import random_number_set, random_numbers
from seeds import seeds

from splitsecond import LimitWarning, TreeFARMS, TreeFARMSRegressor

LOSSES = ["squared_error", "poisson"]
N_SETS = 20  # for a seed and a loss


def losses_of(name: str, y: Any, said: Any, half: Any) -> Any:
    """What each row loses; `half` is what an event meets where the rate is 0."""
    if name == "bias":
        return said - y
    if name == "absolute_error":
        return np.abs(said - y)
    if name in ("squared_error", "r2"):
        return (said - y) ** 2
    rate = np.where(y > 0, np.where(said > 0, said, half), said)
    logs = np.log(np.where(y > 0, y / np.where(rate > 0, rate, 1), 1))
    return 2 * (y * logs - y + rate)


def value_of(name: str, y: Any, said: Any, half: Any, weights: Any) -> float:
    if weights.sum() == 0:
        return math.nan
    lost = np.average(losses_of(name, y, said, half), weights=weights)
    if name not in ("r2", "d2"):
        return float(lost)
    present = y[weights > 0]
    if present.min() == present.max():
        return math.nan
    mean = np.full(len(y), np.average(y, weights=weights))
    return 1 - float(lost / np.average(losses_of(name, y, mean, mean), weights=weights))


class Listed:
    """The value of every tree of a set, by brute force."""

    def __init__(self, trees: Any, X: Any, y: Any, weights: Any, groups: Any) -> None:
        self.y, self.weights, self.groups = y, weights, np.array(groups)
        self.said, self.half = [], []
        for tree in trees:
            leaf = tree.apply(X)
            rows = tree.counts[0, 0] / tree.n_rows[0]
            self.said.append(tree.labels[leaf])
            self.half.append(tree.labels[0] / 2 / (tree.counts[leaf, 0] / rows + 0.5))

    def values(self, name: str) -> Any:
        base, _, group = name.removesuffix("]").partition("[of=")
        if " - " not in group:
            return self._values(base, self.groups == group if group else self.groups == self.groups)
        a, b = group.split(" - ")
        inside = self.groups == a
        outside = ~inside if b == "rest" else self.groups == b
        return self._values(base, inside) - self._values(base, outside)

    def _values(self, base: str, inside: Any) -> Any:
        return np.array(
            [
                value_of(base, self.y, said, half, self.weights * inside)
                for said, half in zip(self.said, self.half, strict=True)
            ]
        )


def check_criterion(name: str, trees: Any, evaluation: Any, listed: Listed) -> None:
    values = listed.values(name)
    size = float(np.max(np.abs(values))) if np.isfinite(values).all() else 1.0
    span = float(np.ptp(listed.y)) + float(np.ptp(listed.said))
    span = {"squared_error": span**2, "r2": 1, "d2": 1}.get(name.partition("[")[0], span)
    allowed = 1e-9 * (size + span) + 1e-11 * float(np.abs(listed.y).max()) * math.sqrt(span)
    found = evaluation.range(name)
    if np.isnan(values).any():
        assert found.kind == "undefined"
        return
    assert found.is_exact
    close = {"abs": allowed, "rel": 1e-9}
    assert found.minimum == pytest.approx(values.min(), **close)
    assert found.maximum == pytest.approx(values.max(), **close)
    assert found.mean == pytest.approx(values.mean(), **close)
    assert found.tree_0 == pytest.approx(values[0], **close)
    assert evaluation.to_frame(list(trees), name)[name].to_numpy() == pytest.approx(values, **close)
    for end, sign in (("minimum", 1), ("maximum", -1)):
        tree = getattr(found, f"{end}_tree")
        assert values[trees.index(tree)] == pytest.approx(getattr(found, end), **close)
        check_frontier(evaluation.frontier(name, end), trees, sign * values, sign, allowed)
    bound = float(values[len(values) // 2])
    within = evaluation.filter(name, at_most=bound + 2 * allowed)
    assert (
        np.sum(values <= bound + allowed) <= within.n_trees <= np.sum(values <= bound + 3 * allowed)
    )
    above = evaluation.filter(name, at_least=bound - 2 * allowed)
    assert (
        np.sum(values >= bound - allowed) <= above.n_trees <= np.sum(values >= bound - 3 * allowed)
    )


def check_frontier(points: Any, trees: Any, values: Any, sign: int, allowed: float) -> None:
    objectives: list[float] = []
    for objective, n in trees.objective_histogram().items():
        objectives += [objective] * n
    assert [point.objective for point in points] == sorted(point.objective for point in points)
    for point in points:
        up_to = values[np.array(objectives) <= point.objective]
        assert sign * point.value == pytest.approx(up_to.min(), abs=allowed, rel=1e-9)
    assert sign * points[-1].value == pytest.approx(values.min(), abs=allowed, rel=1e-9)


def check_evaluation(rng: np.random.Generator, loss: str) -> None:
    X, y_train, trees, _ = random_number_set(rng, loss, max_trees=60)
    n_rows = int(rng.integers(1, 30))
    rows = (rng.random((n_rows, X.shape[1])) < 0.5).astype(np.uint8)
    y = rng.choice(y_train, n_rows) if rng.random() < 0.7 else random_numbers(rng, n_rows, loss)
    options: dict[str, Any] = {}
    weights, groups = np.ones(n_rows), [""] * n_rows
    if rng.random() < 0.5:
        weights = rng.integers(0, 9, n_rows) / 4
        weights[0] += 1
        options["sample_weight"] = weights
    if rng.random() < 0.6:
        groups = rng.choice(["a", "b", "c"][: int(rng.integers(1, 4))], n_rows).tolist()
        options["groups"] = {"of": groups}
    evaluation = trees.evaluate(rows, y, **options)
    listed = Listed(trees, rows, y, weights, groups)
    shares = ("poisson_deviance", "d2") if loss == "poisson" else ("squared_error", "r2")
    assert evaluation.criteria[:2] == shares
    for name in evaluation.criteria:
        check_criterion(name, trees, evaluation, listed)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", seeds(10))
def test_criteria_are_those_of_all_trees(loss: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(N_SETS):
        check_evaluation(rng, loss)


# ---- by hand -------------------------------------------------------------------------------------

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 4)
Y = np.array([1.0, 2.0, 5.0, 8.0] * 4)


def some_trees(loss: str = "squared_error") -> Any:
    model = TreeFARMSRegressor(regularization=0.01, epsilon=2, max_depth=1, loss=loss)
    return model.fit(X, Y).trees_


def test_by_hand() -> None:
    # x0 says 1.5 and 6.5, x1 says 3 and 5, the leaf says 4.
    trees = some_trees()
    evaluation = trees.evaluate([[0, 0], [1, 1]], [1, 8], groups={"of": ["a", "b"]})
    assert [
        evaluation.to_frame(trees, name)[name].tolist() for name in ("bias", "absolute_error")
    ] == [
        [-0.5, -0.5, -0.5],
        [1, 2.5, 3.5],
    ]
    errors = [(0.25 + 2.25) / 2, (4 + 9) / 2, (9 + 16) / 2]
    found = evaluation.range("squared_error")
    assert (found.minimum, found.maximum) == (errors[0], errors[2])
    assert found.mean == pytest.approx(np.mean(errors))
    assert evaluation.best("squared_error").n_leaves == evaluation.best("r2").n_leaves == 2
    assert evaluation.worst("squared_error").n_leaves == evaluation.worst("r2").n_leaves == 1
    assert evaluation.range("r2").maximum == pytest.approx(1 - errors[0] / 12.25)
    assert evaluation.range("r2[of=a]").kind == "undefined"  # one number explains itself
    assert evaluation.range("bias[of=a - b]").minimum == 0.5 - -1.5
    assert evaluation.range("bias[of=a - b]").maximum == 3 - -4
    assert evaluation.filter("absolute_error", at_most=2.5).n_trees == 2
    assert [tree.n_leaves for tree in evaluation.find("absolute_error", at_least=3)] == [1]
    assert "squared_error" in str(evaluation)
    assert evaluation.summary(["bias"])["mean"].tolist() == [-0.5]


def test_a_leaf_without_events_meets_one() -> None:
    X = np.array([[0], [1]] * 10)
    y = np.array([0, 2] * 10)
    trees = TreeFARMSRegressor(loss="poisson", epsilon=0, binarizer=None).fit(X, y).trees_
    assert trees[0].labels[1:].tolist() == [2, 0]
    found = trees.evaluate([[0], [1]], [0, 2]).range("poisson_deviance")
    assert (found.minimum, found.maximum) == (0, 0)  # no event is met
    # Half a row of the mean rate, 1, in a leaf of ten rows.
    rate = 0.5 / 10.5
    found = trees.evaluate([[0], [0]], [0, 3]).range("poisson_deviance")
    assert found.minimum == pytest.approx(3 * math.log(3 / rate) - 3 + rate)
    constant = TreeFARMSRegressor(loss="poisson").fit(X, 0 * y).trees_
    assert math.isfinite(constant.evaluate([[0], [0]], [0, 3]).range("poisson_deviance").minimum)


def test_limits_leave_bounds() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 10))
    y = X @ rng.random(10) - 1
    options = {"regularization": 0.01, "epsilon": 0.3, "max_depth": 3}
    trees = TreeFARMSRegressor(**options).fit(X, y).trees_
    groups = {"of": rng.choice(["a", "b"], 200)}
    exact = trees.evaluate(X, y, groups=groups)
    limited = trees.evaluate(X, y, groups=groups, memory_limit=1, max_trees=5)
    for name in exact.criteria:
        with pytest.warns(LimitWarning):
            bounds = limited.range(name)
        assert bounds.kind == "bounds"
        assert bounds.minimum <= exact.range(name).minimum + 1e-9
        assert exact.range(name).maximum <= bounds.maximum + 1e-9


@pytest.mark.parametrize("scale", [1e-5, 1e200])
def test_numbers_of_any_size(scale: float) -> None:
    options = {"regularization": 0.01, "epsilon": 2, "max_depth": 1}
    plain = TreeFARMSRegressor(**options).fit(X, Y).trees_.evaluate(X, Y)
    scaled = TreeFARMSRegressor(**options).fit(X, Y * scale).trees_.evaluate(X, Y * scale)
    for name, power in (("squared_error", 2), ("r2", 0), ("absolute_error", 1)):
        with np.errstate(over="ignore"):
            unit = float(np.float64(scale) ** power)
        assert scaled.range(name).mean == pytest.approx(plain.range(name).mean * unit)


@pytest.mark.parametrize("far", [-1e9, -999_999, -1e4, 1e4, 1e6, 1e9])
def test_one_number_far_from_all_others(far: float) -> None:
    """What others lose is no small difference of large sums: a missing value that is -999999."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (300, 3))
    table[:, 2] = np.arange(300) == 0
    y = rng.normal(size=300) + table[:, 0]
    y[0] = far
    trees = TreeFARMSRegressor(regularization=1e-3, epsilon=0.01, max_depth=2).fit(table, y).trees_
    assert trees.n_trees > 2
    groups = np.where(np.arange(300) % 2, "a", "b").tolist()
    evaluation = trees.evaluate(table, y, groups={"of": groups})
    listed = Listed(trees, table, y, np.ones(300), groups)
    for base in ("squared_error", "r2", "absolute_error", "bias"):
        name = f"{base}[of=a]"
        values = listed.values(name)
        # Means in a set are to within the grid of the search.
        close = {"rel": 1e-6, "abs": 1e-13 * abs(far)}
        frame = evaluation.to_frame(list(trees), name)
        assert frame[name].to_numpy() == pytest.approx(values, **close), name
        if abs(far) <= 1e6:
            found = evaluation.range(name)
            ends = pytest.approx([values.min(), values.max()], rel=1e-3, abs=1e-3)
            assert [found.minimum, found.maximum] == ends, name


def test_rates_that_hardly_differ() -> None:
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (200, 3))
    y = 1e6 + table[:, 0] + table[:, 1] * table[:, 2] + rng.random(200)
    options = {"loss": "poisson", "regularization": 0.01, "epsilon": 0.3, "max_depth": 2}
    evaluation = TreeFARMSRegressor(**options).fit(table, y).trees_.evaluate(table, y)
    for index, tree in enumerate(evaluation._trees[:5]):
        explained = evaluation.to_frame([tree], "d2")["d2"][0]
        assert explained == pytest.approx(tree.score(table, y), rel=1e-6), index


@pytest.mark.parametrize("above", [2**60 + 5, 3**50, -(2**62)])
def test_integers_that_floats_do_not_hold(above: int) -> None:
    """Held-out rows whose least number is another than that of the training rows."""
    options = {"regularization": 0.01, "epsilon": 2, "max_depth": 1}
    y = [int(number) for number in Y]
    small = TreeFARMSRegressor(**options).fit(X, y).trees_.evaluate(X[1:4], y[1:4])
    large = [number + above for number in y]
    found = TreeFARMSRegressor(**options).fit(X, large).trees_.evaluate(X[1:4], large[1:4])
    assert found.summary().to_dict() == small.summary().to_dict()


def test_what_is_refused() -> None:
    trees = some_trees()
    with pytest.raises(ValueError, match=r"costs=.* is for classes; the trees .* predict numbers"):
        trees.evaluate(X, Y, costs=[[0, 1], [1, 0]])
    with pytest.raises(ValueError, match=r"positive=1 is for classes"):
        trees.evaluate(X, Y, positive=1)
    with pytest.raises(ValueError, match="y holds text"):
        trees.evaluate(X, ["a"] * 16)
    with pytest.raises(ValueError, match="so far from those of the training rows"):
        trees.evaluate(X, Y * 1e200)
    with pytest.raises(ValueError, match="There is no criterion 'error'"):
        trees.evaluate(X, Y).range("error")
    with pytest.raises(ValueError, match="y is negative"):
        some_trees("poisson").evaluate(X, -Y)
    other = TreeFARMS(epsilon=1, max_depth=1).fit(X, X[:, 0]).trees_[0]
    with pytest.raises(ValueError, match="of another fit"):
        trees.evaluate(X, Y).to_frame(other)


def test_trees_of_a_filtered_set() -> None:
    trees = some_trees()
    evaluation = trees.evaluate(X, Y)
    kept = trees.filter(max_leaves=1)[0]
    assert evaluation.to_frame(kept, "squared_error")["squared_error"].tolist() == [
        pytest.approx(np.var(Y))
    ]


def test_pictures_show_one_unit() -> None:
    pytest.importorskip("matplotlib")
    evaluation = some_trees().evaluate(X, Y, groups={"of": X[:, 0]})
    shown = [text.get_text() for text in evaluation.plot_ranges().get_yticklabels()]
    assert shown
    assert all("squared_error" in text for text in shown)
    evaluation.plot_frontier("bias")
