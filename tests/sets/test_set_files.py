"""Sets of trees leave the process and come back as they were: files, pickles, TimberTrek."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from splitsecond import RESPLIT, Tree, TreeFARMS, load, save

MODELS = Path(__file__).parents[1] / "models"
RNG = np.random.default_rng(60)
FRAME = pd.DataFrame(
    {
        "age": RNG.integers(18, 70, 80),
        "income": np.where(RNG.random(80) < 0.1, np.nan, RNG.integers(1, 9, 80) * 10.0),
        "job": RNG.choice(["cook", "clerk", "nurse"], 80),
    }
)
PAID = np.where((FRAME["age"] > 40) ^ (FRAME["job"] == "cook"), "yes", "no")
PAID[:6] = "no"


def fitted(estimator: Any, **parameters: Any) -> Any:
    options = {"regularization": 0.02, "epsilon": 0.05, "max_depth": 3, "binarizer": "quantile"}
    return estimator(**{**options, **parameters}).fit(FRAME, PAID)


def same(a: Any, b: Any) -> None:
    """Two sets hold the same trees in the same order, and say the same of rows."""
    assert repr(a) == repr(b)
    assert a.n_trees == b.n_trees
    assert a.objective_histogram() == b.objective_histogram()
    assert [str(tree) for tree in a] == [str(tree) for tree in b]
    assert np.array_equal(a.vote(FRAME), b.vote(FRAME))
    assert a.feature_usage() == b.feature_usage()
    assert repr(a.within(0.01)) == repr(b.within(0.01))
    assert repr(a.filter(max_leaves=3)) == repr(b.filter(max_leaves=3))


@pytest.mark.parametrize("estimator", [TreeFARMS, RESPLIT])
def test_files(estimator: Any, tmp_path: Path) -> None:
    model = fitted(estimator)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert str(again) == str(model)
    same(again.trees_, model.trees_)


@pytest.mark.parametrize("estimator", [TreeFARMS, RESPLIT])
def test_files_of_a_filtered_set(estimator: Any, tmp_path: Path) -> None:
    trees = fitted(estimator).trees_.filter(uses="age", max_leaves=4)
    assert trees.n_trees > 1
    save(trees, tmp_path / "set.json")
    same(load(tmp_path / "set.json"), trees)


@pytest.mark.parametrize("estimator", [TreeFARMS, RESPLIT])
def test_pickles_and_copies(estimator: Any) -> None:
    model = fitted(estimator)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        same(again.trees_, model.trees_)
    same(pickle.loads(pickle.dumps(model.trees_)), model.trees_)


@pytest.mark.parametrize("first", ["", "feature", "objective", "literals"])
def test_a_tree_of_a_set_is_a_tree_like_any_other(first: str) -> None:
    """Whatever was asked of it before: its parts are worked out one by one."""
    model = fitted(TreeFARMS)
    tree, other = model.trees_[0], model.trees_[1]
    if first:
        getattr(tree, first)
    copies = [
        copy.copy(tree),
        copy.deepcopy(tree),
        pickle.loads(pickle.dumps(tree)),
        dataclasses.replace(tree),
        model.trees_[0],
        model.tree_,
    ]
    for each in copies:
        assert each == tree
        assert hash(each) == hash(tree)
        assert each != other
        assert each.to_text() == tree.to_text()
        assert each.to_dict() == tree.to_dict()
        assert each.predict(FRAME).tolist() == tree.predict(FRAME).tolist()
    assert len({tree, other, *copies}) == 2
    assert tree != "a tree"
    changed = dataclasses.replace(tree, objective=0.5)
    assert changed.objective == 0.5
    assert changed != tree
    assert changed.feature.tolist() == tree.feature.tolist()
    assert isinstance(changed, Tree)
    with pytest.raises(dataclasses.FrozenInstanceError):
        tree.objective = 0.5
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        _ = tree.colour
    assert b"splitsecond._sets" not in pickle.dumps(tree)  # it leaves the set behind


def test_equal_trees_have_equal_rows() -> None:
    """The same questions with other counts, or rows that are not known, make another tree."""
    tree = fitted(TreeFARMS).trees_[0]
    assert dataclasses.replace(tree, row_counts=None) != tree
    assert tree != dataclasses.replace(tree, row_counts=None)
    assert dataclasses.replace(tree, counts=tree.counts * 2) != tree


@pytest.mark.parametrize("estimator", [TreeFARMS, RESPLIT])
def test_a_classifier_for_a_tree_of_a_set(estimator: Any, tmp_path: Path) -> None:
    model = fitted(estimator)
    best = model.trees_.to_classifier()
    assert str(best) == str(model)
    assert best.get_params() == model.get_params()
    some = model.trees_.filter(avoids="income")
    chosen = some.to_classifier(1)
    assert type(chosen) is estimator
    assert chosen.tree_ == some[1]
    assert chosen.objective_ == some[1].objective
    assert chosen.predict(FRAME).tolist() == some[1].predict(FRAME).tolist()
    assert chosen.trees_ is some
    save(chosen, tmp_path / "chosen.json")
    again = load(tmp_path / "chosen.json")
    assert again.tree_ == chosen.tree_
    same(again.trees_, some)
    with pytest.raises(IndexError):
        some.to_classifier(some.n_trees)


def test_an_empty_set_has_a_file(tmp_path: Path) -> None:
    model = fitted(TreeFARMS)
    nothing = model.trees_.filter(max_leaves=0)
    save(nothing, tmp_path / "set.json")
    again = load(tmp_path / "set.json")
    assert again.n_trees == 0
    assert again.bound == nothing.bound
    save(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "set.json").read_bytes()


def test_a_saved_set_is_saved_again_as_it_was(tmp_path: Path) -> None:
    save(fitted(RESPLIT).trees_.filter(uses="age"), tmp_path / "set.json")
    save(load(tmp_path / "set.json"), tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "set.json").read_bytes()


@pytest.mark.parametrize("estimator", [TreeFARMS(), RESPLIT(lookahead_depth=2)], ids=repr)
@pytest.mark.filterwarnings("ignore::splitsecond.LimitWarning")
def test_files_of_a_set_that_was_cut_short(estimator: Any, tmp_path: Path) -> None:
    """Weights make many different costs, so that it is counting them that runs out of memory."""
    rng = np.random.default_rng(91)
    X, y = rng.integers(0, 2, (200, 8)), rng.integers(0, 2, 200)
    model = clone(estimator).set_params(epsilon=0.1, max_depth=4, memory_limit=300_000)
    trees = model.fit(X, y, sample_weight=rng.integers(1, 1000, 200)).trees_
    assert model.status_ == "memory_limit"
    assert trees.n_trees > 1
    save(model, tmp_path / "model.json")
    for again in (load(tmp_path / "model.json").trees_, pickle.loads(pickle.dumps(trees))):
        assert again.objective_histogram() == trees.objective_histogram()
        for a, b in zip(again[:50], trees[:50], strict=True):
            assert a.feature.tolist() == b.feature.tolist()
            assert a.counts.tolist() == b.counts.tolist()


def test_weighted_sets_hold_no_rows(tmp_path: Path) -> None:
    weights = RNG.integers(1, 4, 80)
    model = TreeFARMS(max_depth=2, binarizer="quantile").fit(FRAME, PAID, sample_weight=weights)
    assert model.trees_[0].n_rows[0] == 80
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json").trees_
    assert again.n_trees == model.trees_.n_trees
    assert again[0].counts.tolist() == model.trees_[0].counts.tolist()
    assert again[0].n_rows[0] == 80
    assert b"Table" not in pickle.dumps(model.trees_)


def row_counts_of(tree: Any, table: Any, codes: Any) -> list[list[int]]:
    """Rows of each class at each node, followed one by one."""
    counts = np.zeros((len(tree.feature), 2), dtype=int)
    for row, code in zip(table, codes, strict=True):
        node = 0
        counts[node, code] += 1
        while tree.feature[node] >= 0:
            node = (tree.left if row[tree.feature[node]] else tree.right)[node]
            counts[node, code] += 1
    return [[int(each) for each in row] for row in counts]


NARROWED: list[Callable[[Any], Any]] = [
    lambda trees: trees,
    lambda trees: trees.filter(uses=["age", "job"]),
    lambda trees: trees.filter(avoids="income", max_leaves=4),
    lambda trees: trees.within(0.02),
]


@pytest.mark.slow
@pytest.mark.parametrize("cls", [TreeFARMS, RESPLIT])
@pytest.mark.parametrize("narrow", NARROWED)
def test_rows_of_weighted_sets_are_known_without_them(
    cls: Any, narrow: Callable[[Any], Any], tmp_path: Path
) -> None:
    """A set that was saved or pickled, before or after it was filtered, still tells its rows."""
    rng = np.random.default_rng(5)
    weights = rng.random(80) * (rng.random(80) < 0.8)  # some rows count for nothing
    model = cls(max_depth=3, epsilon=0.05, regularization=0.02, binarizer="quantile")
    model.fit(FRAME, PAID, sample_weight=weights)
    counted = weights > 0
    answers = model.binarizer_.transform(FRAME)[counted]
    codes = np.searchsorted(model.classes_, np.asarray(PAID)[counted])
    save(model, tmp_path / "model.json")
    save(narrow(model.trees_), tmp_path / "set.json")
    again = load(tmp_path / "model.json")
    save(narrow(again.trees_), tmp_path / "again.json")
    expected = list(narrow(model.trees_)[:60])
    assert expected
    for trees in (
        narrow(again.trees_),
        load(tmp_path / "set.json"),
        load(tmp_path / "again.json"),
        narrow(pickle.loads(pickle.dumps(model)).trees_),
        pickle.loads(pickle.dumps(narrow(again.trees_))),
    ):
        for tree, same in zip(trees[:60], expected, strict=True):
            assert tree.row_counts.tolist() == row_counts_of(tree, answers, codes)
            assert tree.to_text() == same.to_text()
            assert tree.to_svg() == same.to_svg()


def test_weights_of_old_sets_are_not_called_rows(tmp_path: Path) -> None:
    weights = RNG.integers(1, 4, 80)
    model = TreeFARMS(max_depth=2, binarizer="quantile").fit(FRAME, PAID, sample_weight=weights)
    save(model, tmp_path / "model.json")
    old = json.loads((tmp_path / "model.json").read_text())
    del old["model"]["set"]["row_counts"]
    (tmp_path / "model.json").write_text(json.dumps(old))
    tree = load(tmp_path / "model.json").trees_[0]
    assert tree.row_counts is None
    for text in (tree.to_text(), tree.to_svg(), tree.to_dot(), tree.to_python()):
        assert "rows" not in text
        assert f"weight {weights.sum()}" in text
    assert "weighted share" in tree.to_text()
    assert pickle.loads(pickle.dumps(tree)).to_text() == tree.to_text()


@pytest.mark.parametrize(
    ("rows", "said"),
    [([1, 2], "for each edge"), ([-1], "'row_counts' holds -1"), (None, "do not fit")],
)
def test_damaged_row_counts(rows: Any, said: str, tmp_path: Path) -> None:
    weights = RNG.integers(1, 4, 80)
    model = TreeFARMS(max_depth=2, binarizer="quantile").fit(FRAME, PAID, sample_weight=weights)
    save(model, tmp_path / "model.json")
    file = json.loads((tmp_path / "model.json").read_text())
    held = file["model"]["set"]
    held["row_counts"] = [0] * len(held["row_counts"]) if rows is None else rows
    (tmp_path / "model.json").write_text(json.dumps(file))
    with pytest.raises(ValueError, match=said):
        load(tmp_path / "model.json")


def test_a_file_of_format_1_stays_readable() -> None:
    trees = load(MODELS / "sets" / "v1.json").trees_
    assert trees.n_trees == 5
    assert trees[0].objective == pytest.approx(0.15)
    assert trees.vote([[0, 0], [1, 1]]).tolist() == [[0.8, 0.2], [0, 1]]


def test_a_file_of_format_2_stays_readable() -> None:
    trees = load(MODELS / "sets" / "v2.json").trees_
    assert (trees.n_trees, trees.unit) == (4, 2**-16)
    assert trees[0].loss.name == "brier"
    assert trees[0].objective == pytest.approx(0.4520833333)
    assert trees.vote([[0, 0], [1, 1]]).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("status", ["complete", "time_limit"])
def test_a_file_that_does_not_tell_of_the_search(status: str, tmp_path: Path) -> None:
    """What the fit said of itself is all there is to tell whether the set is partial."""
    older = content(tmp_path)
    assert older["model"]["set"].pop("search") == "complete"
    older["model"]["status"] = status
    (tmp_path / "older.json").write_text(json.dumps(older))
    assert load(tmp_path / "older.json").trees_.is_partial == (status != "complete")


def content(tmp_path: Path, **parameters: Any) -> Any:
    save(fitted(TreeFARMS, **parameters), tmp_path / "model.json")
    return json.loads((tmp_path / "model.json").read_text())


@pytest.mark.slow
@pytest.mark.parametrize(
    "loss", [{}, {"loss": "brier"}, {"costs": [[0, 2], [1, 0]]}], ids=["zero_one", "brier", "costs"]
)
@pytest.mark.parametrize("key", ["nodes", "edges", "counts"])
@pytest.mark.parametrize("value", [-2, 2**40, 2**70, None, "1", 1.5, [1]])
def test_damaged_arrays(key: str, value: Any, loss: Any, tmp_path: Path) -> None:
    """Whatever stands in the file, there is an error that says so, or a set that can be used."""
    damaged = content(tmp_path, **loss)
    for place in range(0, len(damaged["model"]["set"][key]), 5):
        changed = copy.deepcopy(damaged)
        changed["model"]["set"][key][place] = value
        path = tmp_path / "damaged.json"
        path.write_text(json.dumps(changed))
        try:
            trees = load(path).trees_
        except ValueError as error:
            assert "damaged" in str(error)  # noqa: PT017 - the other outcome is as good
            continue
        assert trees.n_trees >= 0
        trees[: min(trees.n_trees, 3)]


@pytest.mark.parametrize(
    "change",
    [
        {"price": "-1/2"},
        {"price": "1e9"},
        {"weight": 0},
        {"unit": 0},
        {"root": 10**6},
        {"most_leaves": 0},
        {"bound": "x"},
        {"nodes": []},
        {"edges": [1, 2]},
        {"counts": [1]},
        {"keep_trivial": 1},
        {"search": "maybe"},
        {"search": 1},
    ],
)
def test_damaged_facts(change: dict[str, Any], tmp_path: Path) -> None:
    damaged = content(tmp_path)
    damaged["model"]["set"].update(change)
    (tmp_path / "damaged.json").write_text(json.dumps(damaged))
    with pytest.raises(ValueError, match="damaged"):
        load(tmp_path / "damaged.json")


def test_a_missing_set(tmp_path: Path) -> None:
    damaged = content(tmp_path)
    del damaged["model"]["set"]
    (tmp_path / "damaged.json").write_text(json.dumps(damaged))
    with pytest.raises(ValueError, match="set of trees is missing"):
        load(tmp_path / "damaged.json")


def test_timbertrek() -> None:
    """Every tree with its rows and accuracy, and every path of every tree under its features."""
    trees = fitted(TreeFARMS).trees_
    out = json.loads(json.dumps(trees.to_timbertrek()))
    split = [tree for tree in trees if tree.n_leaves > 1]
    assert len(out["treeMap"]) == len(split)
    paths: dict[int, set[tuple[str, ...]]] = {}

    def walk(node: Any, above: tuple[str, ...]) -> None:
        for child in node["c"]:
            if child["f"] == "_":
                paths.setdefault(child["t"], set()).add(above)
            else:
                walk(child, (*above, child["f"]))

    walk(out["trie"], ())
    for number, tree in enumerate(split, start=1):
        nested, objective, accuracy = out["treeMap"][str(number)]
        assert objective == pytest.approx(tree.objective, abs=1e-5)
        leaves: list[tuple[tuple[str, ...], list[Any]]] = []

        def leaves_of(node: Any, above: tuple[str, ...], into: list[Any] = leaves) -> None:
            if "c" not in node:
                into.append((above, node["f"]))
                return
            for child in node["c"]:
                leaves_of(child, (*above, node["f"][0]))

        leaves_of(nested, ())
        assert paths[number] == {path for path, _ in leaves}
        assert sum(rows for _, (_, rows, _) in leaves) == len(FRAME)
        right = sum(correct for _, (_, _, correct) in leaves)
        assert accuracy == pytest.approx(right / len(FRAME), abs=1e-5)
    assert set(out["featureMap"]) == {
        str(j) for tree in split for j in tree.feature.tolist() if j >= 0
    }


def test_timbertrek_knows_two_classes() -> None:
    model = TreeFARMS(max_depth=1).fit([[0], [1], [2]] * 3, [0, 1, 2] * 3)
    with pytest.raises(ValueError, match="two classes"):
        model.trees_.to_timbertrek()


@pytest.mark.parametrize("kind", [TreeFARMS, RESPLIT])
def test_rows_of_weighted_trees_are_kept(kind: Any, tmp_path: Path) -> None:
    """Leaves of the same weight may have different rows."""
    rng = np.random.default_rng(5)
    for _ in range(8):
        X = rng.integers(0, 2, (30, 4))
        y = rng.integers(0, 2, 30)
        model = kind(max_depth=3, epsilon=0.1, regularization=0.02)
        model.fit(X, y, sample_weight=rng.integers(1, 4, 30))
        save(model, tmp_path / "model.json")
        for trees in (
            load(tmp_path / "model.json").trees_,
            pickle.loads(pickle.dumps(model.trees_)),
        ):
            for before, after in zip(model.trees_, trees, strict=True):
                assert after.row_counts.tolist() == before.row_counts.tolist()
                inner = np.flatnonzero(after.feature >= 0)
                below = after.row_counts[after.left[inner]] + after.row_counts[after.right[inner]]
                assert after.row_counts[inner].tolist() == below.tolist()


def test_equal_weights_tell_rows_after_loading(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    X, y = rng.integers(0, 2, (40, 3)), rng.integers(0, 2, 40)
    model = TreeFARMS(max_depth=2, epsilon=0.1).fit(X, y, sample_weight=np.full(40, 2.0))
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.trees_[0].n_rows[0] == again.tree_.n_rows[0] == 40
