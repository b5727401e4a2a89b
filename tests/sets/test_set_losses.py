"""Sets of trees for probabilities and costs, and conditions on the rows of leaves."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splitsecond import RESPLIT, TreeFARMS, load, save
from splitsecond._solving.units import Units

RNG = np.random.default_rng(8)
X = RNG.integers(0, 2, (120, 4))
Y = np.where(RNG.random(120) < 0.1 + 0.4 * X[:, 0] + 0.3 * X[:, 1] * X[:, 2], "ill", "well")
WEIGHTS = RNG.choice([0.0, 0.5, 1.0, 3.25], 120)
REFER = {
    "treat": {"ill": 0, "well": 1},
    "wait": {"ill": 4, "well": 0},
    "test": {"ill": Fraction(1, 3), "well": 0.4},
}
LOSSES: dict[str, dict[str, Any]] = {
    "zero_one": {},
    "brier": {"loss": "brier"},
    "log_loss": {"loss": "log_loss"},
    "costs": {"costs": REFER},
}
KINDS: tuple[Any, ...] = (TreeFARMS, RESPLIT)


def fitted(kind: Any, loss: str, weights: Any = None, **options: Any) -> Any:
    defaults = {"regularization": 0.01, "epsilon": 0.06, "max_depth": 2}
    return kind(**{**defaults, **LOSSES[loss], **options}).fit(X, Y, weights)


every_set = pytest.mark.parametrize(
    ("kind", "loss", "weights"),
    [(k, loss, w) for k in KINDS for loss in LOSSES for w in (None, WEIGHTS)],
    ids=lambda part: getattr(part, "__name__", None) or ("rows" if part is None else str(part)[:9]),
)


@every_set
def test_objectives(kind: Any, loss: str, weights: Any) -> None:
    """Order and bound are those of rounded losses; a tree's own objective is not rounded."""
    model = fitted(kind, loss, weights)
    trees = model.trees_
    assert trees.n_trees > 3
    rounded = [value for value, n in trees.objective_histogram().items() for _ in range(n)]
    assert rounded == sorted(rounded)
    assert rounded[0] == trees.min_objective
    assert rounded[-1] <= trees.bound
    assert trees.unit == (0 if loss in ("zero_one", "costs") else 2**-16)
    for tree, value in zip(trees, rounded, strict=True):
        assert tree.objective == pytest.approx(value, abs=tree.n_leaves * trees.unit / 2 + 1e-12)
        lost = tree.loss.loss(tree.counts[tree.feature < 0]).sum()
        whole = tree.counts[0].sum() if trees.unit == 0 else tree.loss.loss(tree.counts[0])
        assert tree.objective == pytest.approx(lost / whole + 0.01 * tree.n_leaves)
    assert model.objective_ == trees[0].objective
    assert model.lower_bound_ <= model.objective_
    assert model.tree_ == trees[0]


@pytest.mark.parametrize("loss", LOSSES)
def test_smaller_sets_are_the_first_trees(loss: str) -> None:
    trees = fitted(TreeFARMS, loss).trees_
    for epsilon in (0.0, 0.01, 0.03):
        near = trees.within(epsilon)
        again = fitted(TreeFARMS, loss, epsilon=epsilon).trees_
        assert near.n_trees == again.n_trees > 0
        assert near.objective_histogram() == again.objective_histogram()
        assert list(near) == trees[: near.n_trees]


@every_set
def test_votes(kind: Any, loss: str, weights: Any) -> None:
    model = fitted(kind, loss, weights)
    trees = model.trees_
    labels = model.actions_
    said = trees.predict(X)
    assert set(said.ravel().tolist()) <= set(labels.tolist())
    shares = (said[:, :, None] == labels).mean(axis=1)
    assert trees.vote(X) == pytest.approx(shares)
    assert trees.multiplicity(X) == pytest.approx((1 - (shares**2).sum(axis=1)) / 2)
    assert [tree.predict(X).tolist() for tree in trees[:3]] == said[:, :3].T.tolist()
    for tree in trees[:3]:
        assert tree.labels.tolist() == labels.tolist()


@every_set
def test_rows_and_weights_of_leaves(kind: Any, loss: str, weights: Any, tmp_path: Path) -> None:
    trees = fitted(kind, loss, weights).trees_
    save(trees, tmp_path / "set.json")
    loaded = load(tmp_path / "set.json")
    smallest = [tree.n_rows[tree.feature < 0].min() for tree in trees]
    lightest = [tree.counts[tree.feature < 0].sum(axis=1).min() for tree in trees]
    for held in (trees, loaded, pickle.loads(pickle.dumps(trees))):
        for rows in (0, 1, 7, 15, 24.5, 30, 1000):
            kept = held.filter(min_leaf_rows=rows)
            assert kept.n_trees == sum(least >= rows for least in smallest)
            some = kept.filter(max_leaves=3, min_leaf_rows=rows)
            assert all(tree.n_rows[tree.feature < 0].min() >= rows for tree in some)
        for weight in (0, 3.25, 20, 31, 1000):
            kept = held.filter(min_leaf_weight=weight)
            assert kept.n_trees == sum(least >= weight - 1e-9 for least in lightest)
        both = held.filter(min_leaf_rows=10, min_leaf_weight=20)
        pairs = zip(smallest, lightest, strict=True)
        assert both.n_trees == sum(a >= 10 and b >= 20 - 1e-9 for a, b in pairs)


@pytest.mark.parametrize("loss", LOSSES)
def test_min_samples_leaf_is_the_filter(loss: str) -> None:
    """For the exact set with an absolute bound; filtered, others were left out."""
    options = {"epsilon_kind": "absolute", "epsilon": 0.9}
    whole = fitted(TreeFARMS, loss, WEIGHTS, **options).trees_
    for rows in (10, 20, 30):
        direct = fitted(TreeFARMS, loss, WEIGHTS, min_samples_leaf=rows, **options).trees_
        kept = whole.filter(min_leaf_rows=rows)
        assert direct.n_trees == kept.n_trees
        assert direct.objective_histogram() == kept.objective_histogram()


def test_a_weighted_set_that_does_not_know_its_rows(tmp_path: Path) -> None:
    model = fitted(TreeFARMS, "zero_one", WEIGHTS)
    save(model, tmp_path / "model.json")
    file = json.loads((tmp_path / "model.json").read_text())
    del file["model"]["set"]["row_counts"]
    (tmp_path / "model.json").write_text(json.dumps(file))
    trees = load(tmp_path / "model.json").trees_
    assert (
        trees.filter(min_leaf_weight=10).n_trees == model.trees_.filter(min_leaf_weight=10).n_trees
    )
    with pytest.raises(ValueError, match="old file, which tells only the weights of rows"):
        trees.filter(min_leaf_rows=10)


@every_set
def test_files_and_pickles(kind: Any, loss: str, weights: Any, tmp_path: Path) -> None:
    model = fitted(kind, loss, weights)
    save(model, tmp_path / "model.json")
    save(model.trees_.filter(max_leaves=3), tmp_path / "set.json")
    again = load(tmp_path / "model.json")
    assert again.tree_ == model.tree_
    assert again.actions_.tolist() == model.actions_.tolist()
    few = load(tmp_path / "set.json")
    assert few.n_trees == model.trees_.filter(max_leaves=3).n_trees
    for trees in (again.trees_, pickle.loads(pickle.dumps(model.trees_))):
        assert repr(trees) == repr(model.trees_)
        assert trees.unit == model.trees_.unit
        assert trees.objective_histogram() == model.trees_.objective_histogram()
        assert list(trees) == list(model.trees_)
        assert (trees.vote(X) == model.trees_.vote(X)).all()
        assert trees.within(0.02).n_trees == model.trees_.within(0.02).n_trees
        chosen = trees.to_classifier(1)
        assert chosen.predict(X).tolist() == trees[1].predict(X).tolist()
        assert chosen.tree_.loss == model.tree_.loss


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("unit_bits", 15, "do not fit 'counts'"),
        ("unit_bits", 0, "'unit_bits' of 'set' should be 1 to 49"),
        ("loss_scale", 3.5, "do not fit 'counts'"),
        ("loss_scale", "x", "should be a number"),
        ("weight", 7, "'weight' should be that of the root"),
    ],
)
def test_damaged_units(key: str, value: Any, message: str, tmp_path: Path) -> None:
    save(fitted(TreeFARMS, "brier"), tmp_path / "model.json")
    file = json.loads((tmp_path / "model.json").read_text())
    file["model"]["set"][key] = value
    (tmp_path / "model.json").write_text(json.dumps(file))
    with pytest.raises(ValueError, match=f"is damaged: .*{message}"):
        load(tmp_path / "model.json")


def test_pages_say_what_was_fitted() -> None:
    for loss, said in (("zero_one", "accuracy"), ("costs", "mean cost"), ("brier", "Brier score")):
        shown = fitted(TreeFARMS, loss).trees_.to_explorer(3)
        assert shown["measure"] == f"training {said}"
        first = fitted(TreeFARMS, loss).trees_[0]
        value = first.training_accuracy if loss == "zero_one" else first.training_loss
        assert shown["trees"]["measured"][0] == value


def test_timbertrek_shows_classes() -> None:
    with pytest.raises(ValueError, match="actions that are none: 'treat', 'wait', 'test'"):
        fitted(TreeFARMS, "costs").trees_.to_timbertrek()
    costs = {"well": {"ill": 3, "well": 0}, "ill": {"ill": 0, "well": 1}}  # not in their order
    trees = fitted(TreeFARMS, "zero_one", costs=costs).trees_
    shown = trees.to_timbertrek()["treeMap"]
    leaves = [node for node in json.dumps(shown).split('"f": ["') if node[0] in "+-"]
    said = [str(tree.labels[p]) for tree in trees for p in tree.prediction[tree.feature < 0]]
    n_leaves = sum(tree.n_leaves for tree in trees if tree.n_leaves > 1)
    assert len(leaves) == n_leaves
    signs = sum(node[0] == "+" for node in leaves)
    single = [str(t.labels[t.prediction[0]]) for t in trees if t.n_leaves == 1]
    assert signs == said.count("well") - single.count("well")


@pytest.mark.parametrize("loss", LOSSES)
def test_bounds_are_exact_in_units(loss: str) -> None:
    """The highest cost within an objective: the next one is beyond it."""
    scale = fitted(TreeFARMS, loss).trees_._scale
    units: Units = scale.units
    for objective in (Fraction(1, 10), Fraction(1, 3), Fraction(9, 10), Fraction(2)):
        highest = scale.cost(objective)
        costs = sorted(
            {
                (scale.loss_price * lost + scale.leaf_price * leaves, lost, leaves)
                for leaves in range(1, 5)
                for lost in range(0, units.max_loss + 1, max(1, units.max_loss // 300))
            }
        )
        inside = [
            units.objective(lost, leaves, scale.price) <= objective for _, lost, leaves in costs
        ]
        assert [cost <= highest for cost, _, _ in costs] == inside
    objectives = [scale.objective(cost, leaves) for cost, _, leaves in costs]
    assert all(a <= b for a, b in pairwise(objectives))


@pytest.mark.parametrize("loss", ["brier", "log_loss"])
def test_splits_into_equal_shares_are_trivial(loss: str) -> None:
    """Rounding makes them a unit better or worse than one leaf."""
    cells = [(a, b, noise) for a in (0, 1) for b in (0, 1) for noise in (0, 1)]
    positives = {(0, 0): 1, (0, 1): 3, (1, 0): 5, (1, 1): 8}
    X = np.repeat(np.array(cells), 9, axis=0)
    y = np.concatenate([[1] * positives[a, b] + [0] * (9 - positives[a, b]) for a, b, _ in cells])
    options: dict[str, Any] = {"regularization": 1e-4, "epsilon": 1e-3, "max_depth": 3}
    trees = TreeFARMS(loss=loss, **options).fit(X, y).trees_
    assert trees.n_trees > 1
    for tree in trees:
        for node in np.flatnonzero(tree.feature >= 0):
            yes, no = tree.left[node], tree.right[node]
            if tree.feature[yes] < 0 and tree.feature[no] < 0:
                assert not np.array_equal(tree.shares()[yes], tree.shares()[no])
    kept = TreeFARMS(loss=loss, keep_trivial=True, **options).fit(X, y).trees_
    assert kept.n_trees > trees.n_trees
