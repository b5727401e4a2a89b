"""A tree that is saved by itself comes back as it was, and so does a classifier made of it."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from exported import fitted as drawn
from hypothesis import given, settings
from saved_models import MODELS, REFER, people, saved, unseen, zero_one
from seeds import examples

from splitsecond import (
    RESPLIT,
    FixedTreeClassifier,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    Tree,
    TreeFARMS,
    load,
    save,
)

LOSSES: dict[str, dict[str, Any]] = {
    "zero_one": {},
    "brier": {"loss": "brier"},
    "log_loss": {"loss": "log_loss"},
    "costs": {"costs": REFER},
}
WEIGHTS: dict[str, Any] = {
    "rows": None,
    "whole": np.arange(240) % 3 + 1,
    "real": np.arange(240) % 4 / 7,
    "same": np.full(240, 2.5),
}


def forms(tree: Tree) -> dict[str, Any]:
    """Every form that a tree has, as plain values."""
    shown = {
        "text": str(tree),
        "repr": repr(tree),
        "levels": tree.to_text(level=0.9, method="wilson") if tree.row_counts is not None else "",
        "dict": tree.to_dict(),
        "json": tree.to_json(indent=1),
        "dot": tree.to_dot(),
        "svg": tree.to_svg(),
        "rules": tree.rules(),
        "sql": tree.to_sql(),
        "sql leaf": tree.to_sql(table="t", output="leaf"),
        "python": tree.to_python(),
        "python p": tree.to_python(output="probability", of=tree.classes.tolist()[0]),
        "importances": tree.feature_importances.tolist(),
        "accuracy": tree.training_accuracy,
        "loss": tree.training_loss,
        "questions": tree.questions,
        "hash": hash(tree),
    }
    try:
        model = tree.to_sklearn()
    except ValueError as error:  # it says actions
        return {**shown, "sklearn": str(error)}
    nodes = model.tree_.__getstate__()
    names = list(getattr(model, "feature_names_in_", []))
    return {**shown, "sklearn": [nodes["nodes"].tolist(), nodes["values"].tolist(), names]}


def check_same(tree: Tree, twin: Any, *tables: Any) -> None:
    assert type(twin) is Tree
    assert twin == tree
    assert tree == twin
    assert forms(twin) == forms(tree)
    for X in tables:
        assert twin.predict(X).tolist() == tree.predict(X).tolist()
        assert twin.predict_proba(X).tolist() == tree.predict_proba(X).tolist()
        assert twin.apply(X).tolist() == tree.apply(X).tolist()
        assert twin.answers(X).tolist() == tree.answers(X).tolist()


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("loss", LOSSES)
def test_round_trip(loss: str, weights: str, tmp_path: Path) -> None:
    X, y = people()
    options = {"max_depth": 3, "regularization": 0.01, **LOSSES[loss]}
    tree = LicketySPLITClassifier(**options).fit(X, y, WEIGHTS[weights]).tree_
    twin = saved(tree, tmp_path)
    check_same(tree, twin, X, unseen())
    save(twin, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


@pytest.mark.parametrize("weights", ["rows", "real"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("method", [TreeFARMS, RESPLIT])
def test_trees_of_a_set(method: Any, loss: str, weights: str, tmp_path: Path) -> None:
    X, y = people()
    options = {"max_depth": 2, "regularization": 0.02, "epsilon": 0.03, **LOSSES[loss]}
    trees = method(**options).fit(X, y, WEIGHTS[weights]).trees_
    for tree in trees.sample(10, 0):
        check_same(tree, saved(tree, tmp_path), X, unseen())
    # Nor does it matter whether the set itself was a file.
    again = saved(trees, tmp_path)
    assert saved(again[0], tmp_path) == trees[0]


@settings(max_examples=examples(60))
@given(drawn())
def test_any_table(tmp_path_factory: pytest.TempPathFactory, given_model: Any) -> None:
    model, frame, rows = given_model
    tree, folder = model.tree_, tmp_path_factory.mktemp("tree")
    check_same(tree, saved(tree, folder), frame.pandas(), rows.pandas())


def test_tables_without_names(tmp_path: Path) -> None:
    X, y = zero_one()
    tree = GreedyTreeClassifier(binarizer=None).fit(X, y).tree_
    check_same(tree, saved(tree, tmp_path), X)
    tree = GreedyTreeClassifier(binarizer="midpoint").fit(X / 3, y).tree_
    check_same(tree, saved(tree, tmp_path), X / 3, X.astype(float) - 0.5)


@pytest.mark.parametrize(
    "classes",
    [
        np.array([True, False]),
        np.array([-3, 2**40]),
        np.array([-1.0, 1.0]),
        np.array([1, 2], dtype=np.uint8),
        np.array(["a", 'Bäcker "Ö"\n']),
        np.array(["a", "bb"], dtype=object),
    ],
    ids=lambda each: str(each.dtype),
)
def test_classes_of_every_type(classes: Any, tmp_path: Path) -> None:
    X, y = zero_one()
    tree = LicketySPLITClassifier().fit(X, classes[y]).tree_
    twin = saved(tree, tmp_path)
    check_same(tree, twin, X)
    assert twin.classes.dtype == tree.classes.dtype
    assert saved(LicketySPLITClassifier(max_depth=0).fit(X, classes[y]).tree_, tmp_path).n_leaves


def test_a_classifier_made_of_a_tree(tmp_path: Path) -> None:
    X, y = people()
    tree = LicketySPLITClassifier().fit(X, y).tree_
    model = tree.to_classifier()
    twin = saved(model, tmp_path)
    assert type(twin) is FixedTreeClassifier
    assert twin.tree is twin.tree_
    assert str(twin) == str(model)
    assert twin.predict(unseen()).tolist() == model.predict(unseen()).tolist()
    check_same(tree, twin.tree_, X)
    with pytest.raises(ValueError, match="FixedTreeClassifier is not fitted yet: call fit before"):
        save(FixedTreeClassifier(tree=tree), tmp_path / "none.json")


def test_a_file_of_this_version_stays_readable() -> None:
    tree = load(MODELS / "trees" / "v2.json")
    assert str(tree) == str(
        TreeFARMS(costs=REFER, max_depth=2, regularization=Fraction(1, 40), epsilon=0.05)
        .fit(*people(), sample_weight=np.arange(240) % 3 + 1)
        .trees_[3]
    )
    assert tree.with_missing == {"age", "job", "empty"}
    assert tree.explain(people()[0].iloc[0]).leaf["then"] in ("old", "cook", "ask")


def test_a_set_is_not_kept_with_a_tree(tmp_path: Path) -> None:
    trees = TreeFARMS(max_depth=2, epsilon=0.05).fit(*people()).trees_
    save(trees[5], tmp_path / "tree.json")
    assert set(json.loads((tmp_path / "tree.json").read_text(encoding="utf-8"))) == {
        "format",
        "version",
        "tree",
    }


@pytest.fixture
def content(tmp_path: Path) -> Any:
    X, y = people()
    save(LicketySPLITClassifier(max_depth=3).fit(X, y).tree_, tmp_path / "tree.json")
    return json.loads((tmp_path / "tree.json").read_text(encoding="utf-8"))


DAMAGES: list[tuple[Any, str]] = [
    (lambda tree: tree.pop("classes"), "'tree' has no 'classes'"),
    (lambda tree: tree.update(n_features=1), "'column' of an entry of 'variables' should be 0"),
    (lambda tree: tree["variables"].pop(), "which is not there"),
    (lambda tree: tree["variables"].append(tree["variables"][0]), "'variables' should be those"),
    (lambda tree: tree["literals"].pop(), "'literals' should be the questions that 'nodes' ask"),
    (lambda tree: tree["literals"].append(tree["literals"][0]), "'literals' should be the"),
    (lambda tree: tree["literals"][0].update(number=99), "'literals' should be the questions"),
    (lambda tree: tree["literals"][0].update(value=None), "does not fit"),
    (lambda tree: tree["variables"][0].update(kind="tree"), "'kind' of an entry of 'variables'"),
    (lambda tree: tree.update(with_missing=[3]), "'with_missing' should hold names"),
    (lambda tree: tree.update(objective="low"), "'objective' of 'tree' should be a number"),
    (lambda tree: tree.update(loss={"name": "hinge"}), "'name' of 'loss' should be one of"),
    (lambda tree: tree.pop("nodes"), "'tree' has no 'nodes'"),
    (lambda tree: tree["nodes"]["left"].pop(), "one entry for each node"),
    (lambda tree: tree["nodes"]["left"].__setitem__(0, 0), "does not come before its children"),
    (lambda tree: tree["nodes"]["counts"][0].pop(), "a weight for each class"),
    (lambda tree: tree["nodes"]["row_counts"][0].__setitem__(0, 1), "the rows of each class"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES, ids=[each[1] for each in DAMAGES])
def test_damaged_files(content: Any, damage: Any, message: str, tmp_path: Path) -> None:
    damage(content["tree"])
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match=r"damaged.json is damaged: ") as caught:
        load(path)
    assert message in str(caught.value)


def test_a_damaged_classifier(content: Any, tmp_path: Path) -> None:
    model = {"class": "FixedTreeClassifier", "parameters": {}, "tree": content.pop("tree")}
    path = tmp_path / "model.json"
    path.write_text(json.dumps({**content, "model": model}), encoding="utf-8")
    assert isinstance(load(path), FixedTreeClassifier)
    model["parameters"] = {"max_depth": 3}
    path.write_text(json.dumps({**content, "model": model}), encoding="utf-8")
    with pytest.raises(ValueError, match="FixedTreeClassifier has no parameters but its tree"):
        load(path)


def test_an_old_weighted_tree_stays_without_rows(tmp_path: Path) -> None:
    tree = load(MODELS / "v1-greedy-weighted.json").tree_
    assert tree.row_counts is None
    X = pd.DataFrame({"age": [20.0, None, 70.0], "job": ["cook", None, "pilot"]})
    check_same(tree, saved(tree, tmp_path), X)
