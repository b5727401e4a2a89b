"""A tree that is given as a scikit-learn classifier, which keeps it whatever is done with it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from saved_models import REFER, people, unseen
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks
from sklearn.utils.validation import check_is_fitted

from splitsecond import FixedTreeClassifier, LicketySPLITClassifier, TreeFARMS

OPTIONS: list[dict[str, Any]] = [{}, {"loss": "brier"}, {"costs": REFER}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_it_does_what_the_tree_does(options: dict[str, Any]) -> None:
    X, y = people()
    fitted = LicketySPLITClassifier(max_depth=3, **options).fit(X, y)
    tree = fitted.tree_
    model = tree.to_classifier()
    check_is_fitted(model)
    assert is_classifier(model)
    assert model.tree_ is model.tree is tree
    for table in (X, unseen()):
        assert model.predict(table).tolist() == fitted.predict(table).tolist()
        assert model.predict_proba(table).tolist() == fitted.predict_proba(table).tolist()
        assert model.apply(table).tolist() == fitted.apply(table).tolist()
    assert model.score(X, y) == fitted.score(X, y)
    for name in ("classes_", "actions_", "feature_importances_", "n_features_in_", "objective_"):
        assert np.array_equal(getattr(model, name), getattr(fitted, name))
    assert (model.get_depth(), model.get_n_leaves()) == (tree.depth, tree.n_leaves)
    if "costs" in options:
        assert model.expected_cost(X, y) == fitted.expected_cost(X, y)
    twin = pickle.loads(pickle.dumps(model))
    assert twin.tree_ == tree
    assert twin.predict(X).tolist() == model.predict(X).tolist()


def test_only_columns_that_are_asked_about_are_needed() -> None:
    X, y = people()
    tree = LicketySPLITClassifier(max_depth=1).fit(X, y).tree_
    (asked,) = (variable.label for variable in tree.variables.values())
    model = tree.to_classifier()
    assert model.fit(X[[asked]], y).predict(X[[asked]]).tolist() == model.predict(X).tolist()
    with pytest.raises(ValueError, match=asked):
        model.predict(X.drop(columns=asked))


def test_clones_keep_the_tree() -> None:
    X, y = people()
    trees = TreeFARMS(max_depth=2, epsilon=0.05).fit(X, y).trees_
    model = trees[4].to_classifier()
    twin = clone(model)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        twin.predict(X)
    assert twin.get_params() == {"tree": trees[4]}
    # Fitted on other rows, it is still the same tree.
    assert twin.fit(X[:50], y[:50]).tree_ == trees[4]
    assert twin.predict(X).tolist() == trees[4].predict(X).tolist()
    assert twin.set_params(tree=trees[1]).fit(X, y).tree_ == trees[1]


def test_pipelines_and_searches() -> None:
    X, y = people()
    trees = TreeFARMS(max_depth=2, epsilon=0.05).fit(X, y).trees_
    model = trees[3].to_classifier()
    pipe = make_pipeline(FunctionTransformer(), model)
    assert pipe.predict(X).tolist() == trees[3].predict(X).tolist()  # without fit
    assert clone(pipe).fit(X, y).score(X, y) == trees[3].score(X, y)
    scores = cross_val_score(model, X, y, cv=4)
    assert scores.mean() == pytest.approx(trees[3].score(X, y))
    search = GridSearchCV(FixedTreeClassifier(), {"tree": trees[:6]}, cv=3).fit(X, y)
    best = max(tree.score(X, y) for tree in trees[:6])
    assert search.best_estimator_.score(X, y) == best
    # A set's classifier, fitted again, searches again: it is the best tree's.
    assert clone(trees.to_classifier(3)).fit(X, y).tree_ == trees[0]


def test_print() -> None:
    X, y = people()
    tree = LicketySPLITClassifier(max_depth=1).fit(X, y).tree_
    model = tree.to_classifier()
    size = f"{tree.n_leaves} leaves, depth 1, 240 rows"
    measures = f"training accuracy {tree.training_accuracy:.3f} · objective {tree.objective:.4f}"
    assert str(model) == f"FixedTreeClassifier: {size}\n{measures}\n{tree}"
    assert repr(model) == f"FixedTreeClassifier(tree={tree!r})"
    assert "<svg" in model._repr_html_()
    assert FixedTreeClassifier(tree).get_params() == {"tree": tree}
    assert FixedTreeClassifier(tree).fit(X, y).tree_ is tree
    assert not hasattr(model, "feature_names_in_")  # a tree does not know all of them
    assert str(FixedTreeClassifier()) == "FixedTreeClassifier()"


def test_refusals() -> None:
    X, y = people()
    for wrong in (None, "tree", LicketySPLITClassifier().fit(X, y)):
        with pytest.raises(ValueError, match=r"tree=.* must be a Tree of splitsecond"):
            FixedTreeClassifier(tree=wrong).fit(X, y)  # type: ignore[arg-type]
    tree = LicketySPLITClassifier().fit(X, y).tree_
    with pytest.raises(ValueError, match="label 'young', which the model does not know"):
        FixedTreeClassifier(tree=tree).fit(X, ["young"] * len(y))
    with pytest.raises(ValueError, match="columns"):
        FixedTreeClassifier(tree=tree).fit(pd.DataFrame({"colour": [1] * len(y)}), y)
    with pytest.raises(NotFittedError):
        FixedTreeClassifier(tree=tree).predict(X)
    with pytest.raises(NotFittedError):
        FixedTreeClassifier(tree=tree).score(X, y)


@pytest.mark.parametrize(
    "check",
    [
        "check_parameters_default_constructible",
        "check_no_attributes_set_in_init",
        "check_get_params_invariance",
        "check_set_params",
        "check_estimator_repr",
        "check_estimator_tags_renamed",
    ],
)
def test_checks_that_need_no_table(check: str) -> None:
    """Others fit tables of their own, which a given tree has no questions about."""
    if not hasattr(estimator_checks, check):
        pytest.skip("this version of scikit-learn has no such check")
    getattr(estimator_checks, check)("FixedTreeClassifier", FixedTreeClassifier())
