"""What a set remembers of how it was narrowed, through files and pickles."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from splitsecond import TreeFARMS, TreeSet, load, save


@pytest.fixture(scope="module")
def trees() -> TreeSet:
    model = TreeFARMS(regularization=0.01, epsilon=0.05, max_depth=3)
    found: TreeSet = model.fit(*table()).trees_
    return found


def table() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (200, 6)), columns=list("abcdef"))
    return X, ((X["a"] & X["b"]) ^ (rng.random(200) < 0.25)).to_numpy()


def test_steps_are_kept_in_order(trees: TreeSet) -> None:
    assert trees.history == [("TreeFARMS", trees.n_trees)]
    small = trees.filter(max_leaves=6)
    near = small.within(0.03)
    about = near.filter(uses="a", avoids=["c", "d"])
    assert about.history == [
        ("TreeFARMS", trees.n_trees),
        ("filter(max_leaves=6)", small.n_trees),
        ("within(0.03)", near.n_trees),
        ("filter(uses='a', avoids=['c', 'd'])", about.n_trees),
    ]
    assert trees.n_trees > small.n_trees > near.n_trees > about.n_trees > 0
    assert len(trees.history) == 1


@pytest.mark.parametrize(
    ("conditions", "text"),
    [
        ({"uses": ["a"]}, "uses='a'"),
        ({"uses": np.array(["a", "b"])}, "uses=['a', 'b']"),
        ({"root": "a", "max_depth": np.int64(3)}, "root='a', max_depth=3"),
        ({"monotone": {"a": 1}}, "monotone={'a': 1}"),
        ({"min_leaf_rows": 2.5, "min_leaf_weight": 0}, "min_leaf_rows=2.5, min_leaf_weight=0"),
    ],
)
def test_what_conditions_are_called(trees: TreeSet, conditions: Any, text: str) -> None:
    assert trees.filter(**conditions).history[-1][0] == f"filter({text})"


def test_no_condition_is_no_step(trees: TreeSet) -> None:
    assert trees.filter().history == trees.history
    assert trees.filter(uses=[], monotone={}).history == trees.history


def test_groups_are_a_step(trees: TreeSet) -> None:
    group = trees.groups()[0]
    assert group.trees.history[1:] == [(f"group {group.skeleton}", group.n_trees)]


def test_criteria_are_a_step(trees: TreeSet) -> None:
    X, y = table()
    evaluation = trees.evaluate(X[:150], y[:150])
    middle = evaluation.range("error").mean
    half = evaluation.filter("error", at_most=middle)
    name = f"evaluate(150 rows).filter(name='error', at_most={middle!r})"
    assert half.history == [*trees.history, (name, half.n_trees)]
    some = trees.filter(max_leaves=6).evaluate(X, y).filter("error", at_least=0, at_most=1)
    assert [n_trees for _, n_trees in some.history][1:] == [some.n_trees] * 2
    assert some.history[-1][0] == "evaluate(200 rows).filter(name='error', at_least=0, at_most=1)"


def test_history_is_saved(trees: TreeSet, tmp_path: Path) -> None:
    small = trees.filter(max_leaves=6).filter(uses="a")
    save(small, tmp_path / "set.json")
    again = load(tmp_path / "set.json")
    assert again.history == small.history
    assert again.filter(max_depth=2).history[:-1] == small.history
    model = small.to_classifier()
    save(model, tmp_path / "model.json")
    assert load(tmp_path / "model.json").trees_.history == small.history
    assert pickle.loads(pickle.dumps(small)).history == small.history


def test_an_empty_set_remembers(trees: TreeSet, tmp_path: Path) -> None:
    none = trees.filter(max_leaves=0)
    save(none, tmp_path / "set.json")
    assert load(tmp_path / "set.json").history[-1] == ("filter(max_leaves=0)", 0)


def test_files_and_pickles_without_it(trees: TreeSet, tmp_path: Path) -> None:
    save(trees, tmp_path / "set.json")
    assert "history" not in json.loads((tmp_path / "set.json").read_text())["set"]
    assert load(tmp_path / "set.json").history == trees.history
    old = pickle.loads(pickle.dumps(trees))
    del old._record.__dict__["history"]  # as those of before it was kept
    assert old.history == trees.history
    assert len(old.filter(max_leaves=6).history) == 2


@pytest.mark.parametrize(
    "history",
    [
        3,
        ["filter"],
        [{"step": "filter()"}],
        [{"step": 3, "trees_before": "3"}],
        [{"step": "filter()", "trees_before": 3}],
        [{"step": "filter()", "trees_before": "1/3"}],
        [{"step": "filter()", "trees_before": "-3"}],
    ],
)
def test_a_damaged_history_is_refused(trees: TreeSet, tmp_path: Path, history: Any) -> None:
    save(trees, tmp_path / "set.json")
    content = json.loads((tmp_path / "set.json").read_text())
    content["set"]["history"] = history
    (tmp_path / "set.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match=r"set\.json"):
        load(tmp_path / "set.json")


def test_numbers_of_any_size(trees: TreeSet, tmp_path: Path) -> None:
    save(trees.filter(max_leaves=6), tmp_path / "set.json")
    content = json.loads((tmp_path / "set.json").read_text())
    content["set"]["history"][0]["trees_before"] = "1" + "0" * 40
    (tmp_path / "set.json").write_text(json.dumps(content))
    assert load(tmp_path / "set.json").history[0] == ("TreeFARMS", 10**40)
