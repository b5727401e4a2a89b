"""A tree by itself does what a classifier does: it scores, and it can be copied and changed."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from saved_models import REFER, people, unseen

from splitsecond import RESPLIT, LicketySPLITClassifier, Tree, TreeFARMS

LOSSES: list[dict[str, Any]] = [
    {},
    {"loss": "brier"},
    {"loss": "log_loss"},
    {"costs": REFER},
    {"costs": [[0, 1, 1], [1, 0, 1], [1, 5, 0]]},
]


@pytest.mark.parametrize("options", LOSSES, ids=str)
def test_scores_are_those_of_the_classifier(options: dict[str, Any]) -> None:
    X, y = people()
    weights = np.arange(len(y)) % 4
    model = LicketySPLITClassifier(max_depth=3, **options).fit(X, y)
    tree = model.tree_
    for sample_weight in (None, weights):
        assert tree.score(X, y, sample_weight) == model.score(X, y, sample_weight)
        if "costs" in options:
            expected = model.expected_cost(X, y, sample_weight)
            assert tree.expected_cost(X, y, sample_weight) == expected
    if options.get("costs") is REFER:
        assert tree.score(X, y) == -tree.expected_cost(X, y)
    else:
        assert tree.score(X, y) == np.mean(tree.predict(X) == y)


def test_scores_that_there_are_not() -> None:
    X, y = people()
    tree = LicketySPLITClassifier(max_depth=3).fit(X, y).tree_
    with pytest.raises(ValueError, match="The tree was fitted without costs: fit it with costs="):
        tree.expected_cost(X, y)
    tree = LicketySPLITClassifier(costs=REFER).fit(X, y).tree_
    with pytest.raises(ValueError, match="y has the label 'young', which the model does not know"):
        tree.score(X, ["young"] * len(y))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        tree.score(X, y[1:])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("options", LOSSES, ids=str)
@pytest.mark.parametrize("method", [TreeFARMS, RESPLIT])
def test_copies_of_trees_of_a_set(method: Any, options: dict[str, Any], weighted: bool) -> None:
    X, y = people()
    weights = np.arange(len(y)) % 4 + 0.5 if weighted else None
    trees = method(max_depth=2, epsilon=0.03, **options).fit(X, y, weights).trees_
    for i in {0, trees.n_trees // 2, trees.n_trees - 1}:
        for copied in (
            lambda tree: pickle.loads(pickle.dumps(tree)),
            copy.copy,
            copy.deepcopy,
            dataclasses.replace,
        ):
            tree = trees[i]  # of which nothing is known yet
            twin = copied(tree)
            assert type(twin) is Tree
            assert twin == tree
            assert str(twin) == str(tree)
            assert twin.predict(unseen()).tolist() == tree.predict(unseen()).tolist()
            # They know nothing of the set.
            fields = {field.name for field in dataclasses.fields(Tree)}
            assert set(vars(twin)) - {"is_weighted"} == fields


def test_a_changed_tree_of_a_set() -> None:
    X, y = people()
    tree = TreeFARMS(max_depth=2).fit(X, y).trees_[0]
    changed = dataclasses.replace(tree, objective=3.0)
    assert changed.objective == 3
    assert changed != tree
    assert changed.to_text() == tree.to_text()
    # What leaves predict follows from their counts.
    turned = dataclasses.replace(tree, counts=tree.counts[:, ::-1].copy(), row_counts=None)
    assert turned.prediction.tolist() == (len(tree.classes) - 1 - tree.prediction).tolist()
    assert dataclasses.asdict(tree).keys() == dataclasses.asdict(changed).keys()
    with pytest.raises(TypeError, match="unexpected keyword"):
        dataclasses.replace(tree, colour="red")
    with pytest.raises(dataclasses.FrozenInstanceError):
        tree.objective = 1.0
