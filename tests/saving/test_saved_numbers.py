"""What predicts numbers comes back from files bit by bit: trees, estimators, and sets."""

from __future__ import annotations

import copy
import json
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from saved_models import MODELS, amounts, claims, people, saved, unseen

from splitsecond import (
    FixedTreeRegressor,
    GreedyTreeRegressor,
    LicketySPLITRegressor,
    OptimalTreeRegressor,
    RESPLITRegressor,
    SPLITRegressor,
    Tree,
    TreeFARMSRegressor,
    load,
    save,
)

SINGLE = [GreedyTreeRegressor, LicketySPLITRegressor, SPLITRegressor, OptimalTreeRegressor]
SETS = [TreeFARMSRegressor, RESPLITRegressor]
EVERY = [*SINGLE, *SETS]
LOSSES = ["squared_error", "poisson"]
WEIGHTS: dict[str, Any] = {
    "rows": None,
    "whole": np.arange(240) % 3,
    "real": np.arange(240) % 4 / 7,
    "same": np.full(240, 2.5),
}


def fitted(kind: Any, loss: str = "squared_error", weights: str = "rows", **options: Any) -> Any:
    y = amounts() if loss == "squared_error" else claims()[0]
    options = {"max_depth": 2, "regularization": 0.02, "binarizer": "quantile", **options}
    if kind in SETS:
        options = {"epsilon": 0.3 if loss == "squared_error" else 0.1, **options}
    return kind(loss=loss, **options).fit(people()[0], y, WEIGHTS[weights])


def check_same(tree: Tree, twin: Any) -> None:
    assert type(twin) is Tree or isinstance(twin, type(tree))
    assert twin == tree
    for part in ("counts", "row_counts", "bins", "n_rows", "labels"):
        assert getattr(twin, part).tolist() == getattr(tree, part).tolist(), part
        assert getattr(twin, part).dtype == getattr(tree, part).dtype, part
    assert twin.loss == tree.loss
    assert (str(twin), twin.to_dict(), twin.to_svg()) == (str(tree), tree.to_dict(), tree.to_svg())
    assert (twin.to_sql(), twin.to_python()) == (tree.to_sql(), tree.to_python())
    assert (twin.training_loss, hash(twin)) == (tree.training_loss, hash(tree))
    assert twin.predict(unseen()).tolist() == tree.predict(unseen()).tolist()


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", EVERY)
def test_estimators(kind: Any, loss: str, weights: str, tmp_path: Path) -> None:
    model = fitted(kind, loss, weights)
    twin = saved(model, tmp_path)
    assert type(twin) is kind
    assert str(twin) == str(model)
    assert twin.get_params() == model.get_params()
    assert twin.lower_bound_ == model.lower_bound_
    assert not hasattr(twin, "classes_")
    check_same(model.tree_, twin.tree_)
    save(twin, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


@pytest.mark.parametrize("loss", LOSSES)
def test_given_trees(loss: str, tmp_path: Path) -> None:
    tree = fitted(LicketySPLITRegressor, loss, "real").tree_
    check_same(tree, saved(tree, tmp_path))
    model = saved(tree.to_regressor(), tmp_path)
    assert type(model) is FixedTreeRegressor
    check_same(tree, model.tree_)
    assert str(model) == str(tree.to_regressor())


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", SETS)
def test_sets(kind: Any, loss: str, weights: str, tmp_path: Path) -> None:
    model = fitted(kind, loss, weights)
    trees = model.trees_
    some = trees.filter(max_leaves=3)
    assert 1 <= some.n_trees < trees.n_trees
    for twin, own in (
        (saved(model, tmp_path).trees_, trees),
        (saved(trees, tmp_path), trees),
        (saved(some, tmp_path), some),
        (saved(trees, tmp_path).filter(max_leaves=3), some),
        (saved(saved(trees, tmp_path).filter(max_leaves=3), tmp_path), some),
        (pickle.loads(pickle.dumps(trees)), trees),
        (pickle.loads(pickle.dumps(some)), some),
        (pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(trees)).filter(max_leaves=3))), some),
        (copy.deepcopy(trees), trees),
    ):
        assert repr(twin) == repr(own)
        assert twin._scale == own._scale
        assert twin.objective_histogram() == own.objective_histogram()
        assert twin.within(0.01).n_trees == own.within(0.01).n_trees
        for tree, other in zip(own, twin, strict=True):
            assert other == tree
        check_same(own[-1], twin[-1])


@pytest.mark.parametrize("kind", SETS)
def test_an_empty_set(kind: Any, tmp_path: Path) -> None:
    nothing = fitted(kind).trees_.filter(max_leaves=0)
    again = saved(nothing, tmp_path)
    assert (again.n_trees, again.bound) == (0, nothing.bound)


@pytest.mark.parametrize("index", [0, 2])
def test_the_regressor_of_a_tree_of_a_set(index: int, tmp_path: Path) -> None:
    trees = fitted(TreeFARMSRegressor).trees_
    chosen = saved(trees.to_regressor(index), tmp_path)
    assert type(chosen) is TreeFARMSRegressor
    check_same(trees[index], chosen.tree_)
    assert chosen.trees_.n_trees == trees.n_trees


def test_no_training_rows_leave_with_a_set(tmp_path: Path) -> None:
    trees = fitted(TreeFARMSRegressor).trees_
    save(trees, tmp_path / "set.json")
    text, tree = (tmp_path / "set.json").read_text(), trees[0]
    known = [*tree.bins, tree.loss.centre]  # the least, the highest, and one in the middle
    assert not [y for y in amounts() if y not in known and repr(float(y)) in text]
    assert b"RowsOfNumbers" not in pickle.dumps(trees)


@pytest.mark.parametrize(
    "y",
    [
        np.full(40, 3.7),
        np.zeros(40),
        np.arange(40) * 1e-300,
        np.arange(40) * 1e300,
        np.arange(40) * 5e-324,
        np.where(np.arange(40) % 2, 1.7e308, -1.7e308),
        np.arange(40) + 2**60,
        [3**50 + i for i in range(40)],
    ],
    ids=["same", "zeros", "small", "large", "subnormal", "largest", "int64", "longer"],
)
@pytest.mark.parametrize("kind", [OptimalTreeRegressor, TreeFARMSRegressor])
def test_numbers_of_any_size(kind: Any, y: Any, tmp_path: Path) -> None:
    X = np.random.default_rng(0).integers(0, 2, (40, 3))
    model = kind(max_depth=2).fit(X, y)
    twin = saved(model, tmp_path)
    assert twin.tree_ == model.tree_
    assert twin.predict(X).tolist() == model.predict(X).tolist()
    if kind is TreeFARMSRegressor:
        assert list(twin.trees_) == list(model.trees_)


@pytest.mark.parametrize("kind", SETS)
def test_rates_that_hardly_differ(kind: Any, tmp_path: Path) -> None:
    """Losses are then far smaller than the terms that they are the difference of."""
    X = np.random.default_rng(0).integers(0, 2, (40, 3))
    y = 1999 + X @ [3, 2, 1] / 1000
    trees = kind(loss="poisson", max_depth=2, epsilon=0.1).fit(X, y).trees_
    assert trees.n_trees > 1
    for twin in (saved(trees, tmp_path), pickle.loads(pickle.dumps(trees))):
        assert list(twin) == list(trees)


def test_files_of_version_3_stay_readable() -> None:
    tree = load(MODELS / "trees" / "v3.json")
    assert tree.loss.name == "poisson"
    assert tree.labels[tree.feature < 0].round(4).tolist() == [0.1808, 0.8421, 1.3421, 1.9153]
    trees = load(MODELS / "sets" / "v3.json").trees_
    assert trees.n_trees == 6
    assert trees[1].objective == pytest.approx(0.0769769798)
    assert trees[1].predict([[0, 0], [1, 0], [1, 1]]).tolist() == pytest.approx([1.54, 10.84, 12.2])
    assert trees[1].row_counts.sum(axis=1).tolist() == [13, 6, 3, 3, 7]


# Damaged files

LOSS_DAMAGES: list[tuple[dict[str, Any], str]] = [
    ({"name": "zero_one"}, "'name' of 'loss' should be one of 'squared_error', 'poisson'"),
    ({"scale": 0}, "'scale' of 'loss' should be a power of two"),
    ({"scale": 3.0}, "'scale' of 'loss' should be a power of two"),
    ({"scale": -2.0}, "'scale' of 'loss' should be a power of two"),
    ({"scale": None}, "'scale' of 'loss' should be a finite number"),
    ({"scale": 10**400}, "'scale' of 'loss' should be a finite number"),
    ({"centre": "1"}, "'centre' of 'loss' should be a finite number"),
    ({"centre": True}, "'centre' of 'loss' should be a finite number"),
    ({"offset": []}, "'offset' of 'loss' should be a finite number"),
    ({"centre": 1.7e308, "offset": 1.7e308}, "should have a finite sum"),
    ({"name": "poisson", "centre": -1.5}, "should be a rate"),
]
NODE_DAMAGES: list[tuple[dict[str, Any], str]] = [
    ({"counts": [[1, 0, 0]] * 2}, "one entry for each node"),
    ({"counts": [[1, 0, 0], [1, 0, 0], [1, 0]]}, "three sums for each node"),
    ({"counts": [[1, 0, 0], [1, 0, 0], 1]}, "three sums for each node"),
    ({"counts": [[1, 0, 0], [1, 0, 0], [1, 0, None]]}, "three sums for each node"),
    ({"counts": [[1, 0, 0], [1, 0, 0], [0, 0, 0]]}, "sums of rows"),
    ({"counts": [[1, 0, 0], [1, 0, 0], [-1, 0, 0]]}, "sums of rows"),
    ({"counts": [[1, 0, 0], [1, 0, 0], [1, 9, 99]]}, "sums of rows"),
    ({"counts": [[1, 0, 0], [1, 0, 0], [1, 0.5, 0]]}, "sums of rows"),
    ({"counts": [[1, 0, 0], [1, 0, 0], [1, 0.5, 50]]}, "sums of rows"),
    ({"counts": [[1e308, 0, 0], [1e308, 0, 0], [1, 0, 0]]}, "sums of rows"),
    ({"bins": []}, "2 to 13 edges of a histogram"),
    ({"bins": [0]}, "2 to 13 edges of a histogram"),
    ({"bins": [0] * 14}, "2 to 13 edges of a histogram"),
    ({"bins": [0, "1"]}, "2 to 13 edges of a histogram"),
    ({"bins": [1, 0]}, "in increasing order"),
    ({"bins": [0, 1]}, "the rows of each bin"),
    ({"bins": None}, "'bins' of 'tree' should be a list"),
    ({"row_counts": [[1, 1]] * 3}, "the rows of each bin"),
    ({"row_counts": []}, "one entry for each node"),
    ({"row_counts": None}, "'row_counts' of 'tree' should be a list"),
    ({"rows": [1, 1, 1]}, "the rows of each bin"),
]


def refused(content: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=f"is damaged: .*{re.escape(message)}"):
        load(path)


@pytest.fixture
def model_file(tmp_path: Path) -> Any:
    save(fitted(OptimalTreeRegressor, max_depth=1), tmp_path / "model.json")
    return json.loads((tmp_path / "model.json").read_text())


@pytest.mark.parametrize(("changes", "message"), LOSS_DAMAGES, ids=str)
def test_damaged_losses(model_file: Any, changes: Any, message: str, tmp_path: Path) -> None:
    model_file["model"]["loss"].update(changes)
    refused(model_file, message, tmp_path)


@pytest.mark.parametrize(("changes", "message"), NODE_DAMAGES, ids=lambda part: str(part)[:60])
def test_damaged_nodes(model_file: Any, changes: Any, message: str, tmp_path: Path) -> None:
    assert len(model_file["model"]["tree"]["feature"]) == 3
    model_file["model"]["tree"].update(changes)
    refused(model_file, message, tmp_path)


def test_what_predicts_something_else(model_file: Any, tmp_path: Path) -> None:
    wrong = copy.deepcopy(model_file)
    del wrong["model"]["loss"]
    refused(wrong, "'model' has no 'loss'", tmp_path)
    wrong = copy.deepcopy(model_file)
    wrong["model"]["class"] = "OptimalTreeClassifier"
    wrong["model"]["parameters"].pop("loss")
    refused(wrong, "'model' has no 'classes'", tmp_path)
    tree = fitted(LicketySPLITRegressor).tree_
    save(tree.to_regressor(), tmp_path / "model.json")
    given = json.loads((tmp_path / "model.json").read_text())
    given["model"]["class"] = "FixedTreeClassifier"
    refused(given, "The tree predicts numbers, and not classes", tmp_path)


SET_DAMAGES: list[tuple[dict[str, Any], str]] = [
    ({"weight": 7}, "'weight' should be that of the root's 'counts'"),
    ({"unit_bits": 0}, "'unit_bits' of 'set' should be"),
    ({"unit_bits": 15}, "'max_loss' and 'bias' do not fit 'counts'"),
    ({"loss_scale": 1.0}, "'max_loss' and 'bias' do not fit 'counts'"),
    ({"loss_scale": 0}, "'channels' do not fit 'counts'"),
    ({"max_loss": 3}, "'max_loss' and 'bias' do not fit 'counts'"),
    ({"max_loss": -1}, "'max_loss' of 'set' should be"),
    ({"channels": None}, "'channels' of 'set' should be an object"),
    ({"sums": [1.0]}, "three for all rows and for each side of each edge"),
    ({"row_counts": [1]}, "one for each bin, and for each edge"),
    ({"counts": [1]}, "'counts' of 'set' should be as many for each node"),
    ({"counts": []}, "'counts' of 'set' should be as many for each node"),
    ({"bins": [0, 1]}, "one for each bin, and for each edge"),
]
CHANNEL_DAMAGES: list[tuple[dict[str, Any], str]] = [
    ({"limb_bits": 0}, "'limb_bits' of 'channels' should be 1 to 30"),
    ({"bias": 10**6}, "'max_loss' and 'bias' do not fit 'counts'"),
    ({"bias": 0.5}, "'bias' of 'channels' should be"),
    ({"offset": -1}, "out of range"),
    ({"offset": 1e300}, "'channels' do not fit 'counts'"),
    ({"magnitude": 0}, "'channels' do not fit 'counts'"),
    ({"magnitude": "x"}, "'magnitude' of 'channels' should be a finite number"),
    ({"magnitude": 1e300}, "not those of a set of trees"),
    ({"grid": -1}, "out of range"),
    ({"shift": 1e9}, "out of range"),
    ({"resolution": None}, "'resolution' of 'channels' should be a finite number"),
]


@pytest.fixture
def set_file(tmp_path: Path) -> Any:
    save(fitted(TreeFARMSRegressor).trees_, tmp_path / "set.json")
    return json.loads((tmp_path / "set.json").read_text())


@pytest.mark.parametrize(("changes", "message"), SET_DAMAGES, ids=str)
def test_damaged_sets(set_file: Any, changes: Any, message: str, tmp_path: Path) -> None:
    set_file["set"].update(changes)
    refused(set_file, message, tmp_path)


@pytest.mark.parametrize(("changes", "message"), CHANNEL_DAMAGES, ids=str)
def test_damaged_channels(set_file: Any, changes: Any, message: str, tmp_path: Path) -> None:
    set_file["set"]["channels"].update(changes)
    refused(set_file, message, tmp_path)


def test_sums_of_a_set_that_do_not_add_up(set_file: Any, tmp_path: Path) -> None:
    wrong = copy.deepcopy(set_file)
    wrong["set"]["sums"][0] *= 2
    refused(wrong, "'row_counts' and 'sums' do not fit each other", tmp_path)
    wrong = copy.deepcopy(set_file)
    place = next(i for i, rows in enumerate(wrong["set"]["row_counts"]) if rows > 0)
    wrong["set"]["row_counts"][place] = 0
    refused(wrong, "'row_counts' and 'sums' do not fit each other", tmp_path)
    wrong = copy.deepcopy(set_file)
    wrong["set"]["counts"][-1] = 2**30
    refused(wrong, "'counts' of a node are more than those of the root", tmp_path)
