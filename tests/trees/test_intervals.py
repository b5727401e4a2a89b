"""Intervals of class shares: their limits, what they cover, and what they are made of."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from splitsecond import LicketySPLITClassifier, TreeFARMS, load, save
from splitsecond._trees.intervals import share_intervals

METHODS = ("jeffreys", "wilson")
counted = st.integers(0, 10**6)
levels = st.floats(0.5, 0.9999)


def limits(inside: int, others: int, level: Any = 0.95, method: str = "jeffreys") -> Any:
    return share_intervals(np.array([inside, others]), level, method)[0]


@given(counted, counted, levels)
def test_jeffreys_is_a_beta_quantile(inside: int, others: int, level: float) -> None:
    low, high = limits(inside, others, level)
    quantiles = stats.beta(inside + 0.5, others + 0.5).ppf([(1 - level) / 2, (1 + level) / 2])
    assert low == (0 if inside == 0 else pytest.approx(quantiles[0], rel=1e-7))
    assert high == (1 if others == 0 else pytest.approx(quantiles[1], rel=1e-7))


@given(counted, counted, levels)
def test_wilson_is_that_of_scipy(inside: int, others: int, level: float) -> None:
    low, high = limits(inside, others, level, "wilson")
    if inside + others == 0:
        assert (low, high) == (0, 1)
        return
    ci = stats.binomtest(inside, inside + others).proportion_ci(level, "wilson")
    assert low == pytest.approx(ci.low, rel=1e-7, abs=1e-12)
    assert high == pytest.approx(ci.high, rel=1e-7, abs=1e-12)


def test_known_values() -> None:
    assert limits(0, 10) == pytest.approx([0, 0.217], abs=5e-4)
    assert limits(3, 7) == pytest.approx([0.093, 0.606], abs=5e-4)
    assert limits(5, 5) == pytest.approx([0.224, 0.776], abs=5e-4)
    # Wilson's by hand, with z = 1.95996: (5 + 1.9207) / 13.8415 -+ 1.95996 / 13.8415 * 1.8601.
    assert limits(5, 5, method="wilson") == pytest.approx([0.2366, 0.7634], abs=5e-4)


@pytest.mark.parametrize("method", METHODS)
@given(st.lists(counted, min_size=2, max_size=5), levels)
def test_any_counts(method: str, counts: list[int], level: float) -> None:
    found = share_intervals(np.array(counts), level, method)
    rows = sum(counts)
    for count, (low, high) in zip(counts, found, strict=True):
        assert 0 <= low < high <= 1
        assert rows == 0 or low <= count / rows <= high
        assert (low == 0) == (count == 0)
        assert (high == 1) == (count == rows)
    if len(counts) == 2:  # one class is what the other is not
        assert found[0] == pytest.approx(1 - found[1][::-1], abs=1e-9)
    wider = share_intervals(np.array(counts), 1 - (1 - level) / 2, method)
    assert (wider[:, 0] <= found[:, 0]).all()
    assert (wider[:, 1] >= found[:, 1]).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("n", [10, 40, 200])
def test_coverage(method: str, level: float, n: int) -> None:
    """About that share of samples has the true share in its interval: on average, exactly."""
    inside = np.arange(n + 1)
    found = share_intervals(np.stack([inside, n - inside], axis=1), level, method)[:, 0]
    truth = np.linspace(0.02, 0.98, 193)[:, None]
    is_in = (found[:, 0] <= truth) & (truth <= found[:, 1])
    coverage = (stats.binom.pmf(inside, n, truth) * is_in).sum(axis=1)
    assert coverage.mean() == pytest.approx(level, abs=0.015)
    # For a given share it goes up and down, as of all binomial intervals.
    assert (coverage > level - 0.1).mean() > 0.85


# Trees


def people(seed: int = 0, n: int = 300) -> tuple[pd.DataFrame, Any, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.integers(18, 80, n), "member": rng.random(n) < 0.5})
    y = np.where((X["age"] > 50) & X["member"] | (rng.random(n) < 0.1), "rare", "common")
    return X, y, rng.choice([0.0, 0.5, 2.0], n)


def test_every_node_of_a_tree() -> None:
    X, y, _ = people()
    tree = LicketySPLITClassifier().fit(X, y).tree_
    found = tree.intervals()
    assert found.shape == (len(tree.feature), 2, 2)
    for node, (common, rare) in enumerate(tree.row_counts):
        assert found[node, 1].tolist() == limits(rare, common).tolist()
    assert tree.intervals(0.5, "wilson")[0, 0].tolist() == pytest.approx(
        limits(*tree.row_counts[0], 0.5, "wilson").tolist()
    )


@pytest.mark.parametrize("level", [Decimal("0.9"), np.float32(0.75), np.float64(0.9)])
def test_levels_of_any_type(level: Any) -> None:
    assert limits(3, 9, level).tolist() == limits(3, 9, float(level)).tolist()


def test_weights_play_no_part() -> None:
    X, y, weights = people()
    tree = LicketySPLITClassifier(class_weight={"rare": 3}).fit(X, y, weights).tree_
    assert tree.is_weighted
    here = tree.apply(X[weights > 0])
    for leaf in np.flatnonzero(tree.feature < 0):
        of_leaf = y[weights > 0][here == leaf]
        rare = int(np.sum(of_leaf == "rare"))
        assert tree.intervals()[leaf, 1].tolist() == limits(rare, len(of_leaf) - rare).tolist()


def test_held_out_rows() -> None:
    X, y, _ = people()
    tree = LicketySPLITClassifier().fit(X, y).tree_
    assert np.array_equal(tree.intervals(X=X, y=y), tree.intervals())
    few = np.flatnonzero(tree.apply(X) == tree.apply(X.iloc[[0]])[0])[:7]
    found = tree.intervals(0.9, X=X.iloc[few], y=y[few])
    rare = int(np.sum(y[few] == "rare"))
    assert (
        found[0].tolist() == share_intervals(np.array([7 - rare, rare]), 0.9, "jeffreys").tolist()
    )
    empty = [
        leaf for leaf in np.flatnonzero(tree.feature < 0) if leaf not in tree.apply(X.iloc[few])
    ]
    assert (found[empty] == [0, 1]).all()
    with pytest.raises(ValueError, match="X was given without y"):
        tree.intervals(X=X)
    with pytest.raises(ValueError, match="y was given without X"):
        tree.intervals(y=y)


def test_trees_of_sets() -> None:
    X, y, weights = people()
    for tree in TreeFARMS(max_depth=2, regularization=0.02).fit(X, y, weights).trees_[:3]:
        expected = share_intervals(tree.row_counts, 0.95, "jeffreys")
        assert np.array_equal(tree.intervals(), expected)


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, "95%", "auto", None, True, float("nan")])
def test_what_is_no_level(level: Any) -> None:
    X, y, _ = people()
    tree = LicketySPLITClassifier().fit(X, y).tree_
    with pytest.raises(ValueError, match=r"must be a number between 0 and 1, such as 0\.95"):
        tree.intervals(level)
    if level is not None:
        for write in (tree.rules, tree.to_dict, tree.to_json):
            with pytest.raises(ValueError, match="must be a number between 0 and 1"):
                write(level=level)
    if level not in (None, "auto"):
        for write in (tree.to_text, tree.to_dot, tree.to_svg):
            with pytest.raises(ValueError, match="must be a number between 0 and 1"):
                write(level=level)


def test_what_is_no_method() -> None:
    X, y, _ = people()
    tree = LicketySPLITClassifier().fit(X, y).tree_
    expected = r"method='wald' must be one of 'auto', 'jeffreys', 'wilson'\."
    for write in (tree.intervals, tree.rules, tree.to_dict, tree.to_text, tree.to_dot, tree.to_svg):
        with pytest.raises(ValueError, match=expected):
            write(method="wald")


def test_old_files_tell_no_rows(tmp_path: Path) -> None:
    X, y, weights = people()
    model = LicketySPLITClassifier().fit(X, y, weights)
    save(model, tmp_path / "model.json")
    file = json.loads((tmp_path / "model.json").read_text())
    del file["model"]["tree"]["row_counts"]
    (tmp_path / "model.json").write_text(json.dumps(file))
    old = load(tmp_path / "model.json").tree_
    for write in (old.intervals, lambda: old.to_text(level=0.9), lambda: old.to_svg(level=0.9)):
        with pytest.raises(ValueError, match=r"from an old file, .* Fit the model again, or give"):
            write()
    assert old.rules()[0]["intervals"] is None
    assert "intervals" not in old.to_dict()["root"]
    assert np.array_equal(
        old.intervals(X=X[weights > 0], y=y[weights > 0]), model.tree_.intervals()
    )


def test_data_forms_hold_them() -> None:
    X, y, _ = people()
    tree = LicketySPLITClassifier().fit(X, y).tree_
    found = tree.intervals(0.9, "wilson")
    for rule in tree.rules(level=0.9, method="wilson"):
        expected = dict(zip(["common", "rare"], map(tuple, found[rule["leaf"]]), strict=True))
        assert rule["intervals"] == expected
    nested = tree.to_dict(level=0.9, method="wilson")
    assert nested["interval"] == {"level": 0.9, "method": "wilson"}
    assert nested["root"]["intervals"] == found[0].tolist()
    assert nested["root"]["shares"] == tree.shares()[0].tolist()
    assert json.loads(tree.to_json(level=0.9, method="wilson")) == nested
    assert tree.to_dict()["root"]["intervals"] == tree.intervals()[0].tolist()
    without = tree.to_dict(level=None)
    assert "interval" not in without
    assert "intervals" not in without["root"]
    assert all(rule["intervals"] is None for rule in tree.rules(level=None))
    leaf = nested["root"]
    while "yes" in leaf:
        leaf = leaf["yes"]
    assert tree.feature[leaf["leaf"]] < 0
    assert leaf["row_counts"] == tree.row_counts[leaf["leaf"]].tolist()
