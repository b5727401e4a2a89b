"""A tree that is given as a scikit-learn estimator, which keeps it whatever is done with it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from saved_models import REFER, amounts, claims, people, unseen
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks
from sklearn.utils.validation import check_is_fitted

from splitsecond import (
    FixedTreeClassifier,
    FixedTreeRegressor,
    LicketySPLITClassifier,
    LicketySPLITRegressor,
    TreeFARMS,
    TreeFARMSRegressor,
)

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
@pytest.mark.parametrize("kind", [FixedTreeClassifier, FixedTreeRegressor])
def test_checks_that_need_no_table(kind: Any, check: str) -> None:
    """Others fit tables of their own, which a given tree has no questions about."""
    if not hasattr(estimator_checks, check):
        pytest.skip("this version of scikit-learn has no such check")
    getattr(estimator_checks, check)(kind.__name__, kind())


# ---- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_a_regressor_does_what_its_tree_does(loss: str) -> None:
    X, y = people()[0], amounts() if loss == "squared_error" else claims()[0]
    fitted = LicketySPLITRegressor(max_depth=3, loss=loss).fit(X, y)
    tree = fitted.tree_
    model = tree.to_regressor()
    check_is_fitted(model)
    assert is_regressor(model)
    assert not is_classifier(model)
    assert model.tree_ is model.tree is tree
    for table in (X, unseen()):
        assert model.predict(table).tolist() == fitted.predict(table).tolist()
        assert model.apply(table).tolist() == fitted.apply(table).tolist()
    assert model.score(X, y) == fitted.score(X, y) == tree.score(X, y)
    for name in ("feature_importances_", "n_features_in_", "objective_", "n_leaves_", "depth_"):
        assert np.array_equal(getattr(model, name), getattr(fitted, name))
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "classes_")
    assert pickle.loads(pickle.dumps(model)).tree_ == tree
    assert str(model).startswith(f"FixedTreeRegressor: {tree.n_leaves} leaves, depth")
    assert str(model).endswith(str(tree))
    assert str(FixedTreeRegressor()) == "FixedTreeRegressor()"


def test_regressors_in_pipelines_and_searches() -> None:
    X, y = people()[0], amounts()
    trees = TreeFARMSRegressor(max_depth=2, epsilon=0.2, binarizer="quantile").fit(X, y).trees_
    model = trees[1].to_regressor()
    twin = clone(model)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        twin.predict(X)
    assert twin.fit(X[:50], y[:50]).tree_ == trees[1]
    assert clone(make_pipeline(FunctionTransformer(), model)).fit(X, y).score(X, y) == (
        trees[1].score(X, y)
    )
    assert cross_val_score(model, X, y, cv=4).mean() > 0.3
    search = GridSearchCV(FixedTreeRegressor(), {"tree": trees[:4]}, cv=3).fit(X, y)
    assert search.best_estimator_.tree_ in trees[:4]
    chosen = trees.to_regressor(1)
    assert type(chosen) is TreeFARMSRegressor
    assert chosen.tree_ == trees[1]
    assert chosen.trees_ is trees
    assert clone(chosen).fit(X, y).tree_ == trees[0]
    with pytest.raises(IndexError):
        trees.to_regressor(trees.n_trees)


def test_trees_that_predict_something_else() -> None:
    X, y = people()
    classes, numbers = TreeFARMS(max_depth=1), TreeFARMSRegressor(max_depth=1)
    of_classes, of_numbers = classes.fit(X, y).trees_, numbers.fit(X, amounts()).trees_
    for refused, instead in (
        (of_classes[0].to_regressor, r"predicts classes, and not numbers: .*to_classifier\(\)"),
        (of_numbers[0].to_classifier, r"predicts numbers, and not classes: .*to_regressor\(\)"),
        (of_classes.to_regressor, "predict classes, and not numbers: use to_classifier"),
        (of_numbers.to_classifier, "predict numbers, and not classes: use to_regressor"),
        (lambda: FixedTreeRegressor(of_classes[0]).fit(X, amounts()), "use FixedTreeClassifier"),
        (lambda: FixedTreeClassifier(of_numbers[0]).fit(X, y), "use FixedTreeRegressor"),
        (lambda: FixedTreeRegressor(of_numbers[0]).fit(X, y), "y holds text"),
        (lambda: FixedTreeRegressor(of_numbers[0]).fit(X, [1.0]), "inconsistent numbers"),
        (lambda: FixedTreeRegressor().fit(X, amounts()), "must be a Tree of splitsecond"),
    ):
        with pytest.raises(ValueError, match=instead):
            refused()
