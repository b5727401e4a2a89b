"""Models to be saved, and all that is seen of them.

The files in tests/models are never written again: they stand for those that users have. A new
format version adds files, made by ``save(FITTED[name](), f"tests/models/v3-{name}.json")``.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from splitsecond import (
    FixedBinarizer,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    LicketySPLITRegressor,
    MidpointBinarizer,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    QuantileBinarizer,
    SPLITClassifier,
    ThresholdGuessBinarizer,
    load,
    save,
)
from splitsecond._estimators.base import TreeEstimator

MODELS = Path(__file__).parents[1] / "models"


@cache
def people() -> tuple[Any, Any]:
    """A frame with every kind of column, and three classes with names."""
    random = np.random.default_rng(7)
    n = 240
    age = random.integers(18, 80, n) + 0.25
    job = random.choice(["cook", "nurse", "clerk", 'Bäcker "Ö"\n'], n)
    size = random.choice(["S", "M", "L"], n)
    X = pd.DataFrame(
        {
            "age": np.where(random.random(n) < 0.1, np.nan, age),
            "income": random.normal(3000, 500, n),
            "job": pd.Series(job).mask(random.random(n) < 0.1).astype(object),
            "size": pd.Categorical(size, ["S", "M", "L", "XL"], ordered=True),
            "member": random.random(n) < 0.5,
            "same": 4,
            "empty": pd.Series([None] * n, dtype=object),
        }
    )
    y = np.where(age > 50, "old", np.where((job == "cook") | (size == "L"), "cook", "other"))
    return X, y


@cache
def amounts() -> Any:
    """A number for each row of that frame."""
    X = people()[0]
    noise = np.random.default_rng(17).normal(size=len(X))
    return 20 * (X["age"].fillna(0) > 50) + 7.25 * (X["job"] == "cook") + noise


@cache
def claims() -> tuple[Any, Any]:
    """Rates and exposures of these rows."""
    X, random = people()[0], np.random.default_rng(18)
    exposure = random.choice([0.25, 0.5, 1, 2], len(X))
    rate = np.where(X["member"], 0.2, 1.5) + (X["size"] == "L")
    return random.poisson(rate * exposure) / exposure, exposure


@cache
def unseen() -> Any:
    """Rows unlike those of training: blanks everywhere, categories that were not there."""
    X = people()[0].iloc[:40].copy()
    X.loc[:9, ["age", "income"]] = np.nan
    X.loc[5:14, "job"] = None
    X.loc[15:19, "job"] = "astronaut"
    X["size"] = X["size"].cat.add_categories(["XXL"])
    X.loc[20:24, "size"] = "XXL"
    X.loc[25:29, "size"] = None
    X["member"] = X["member"].astype(object)
    X.loc[30:34, "member"] = None
    X["age"] *= 3
    return X


@cache
def zero_one() -> tuple[Any, Any]:
    X = np.random.default_rng(8).integers(0, 2, (64, 5))
    return X, X[:, 1] & (X[:, 3] | X[:, 4])


QUESTIONS = [
    "age <= 50.5",
    'job == "cook"',
    "job is missing",
    "member",
    ("size", "<=", "M"),
    ["age", "==", 30.25],
]

# Exact costs, and actions of which one is no class.
REFER = {
    "old": {"old": 0, "cook": Fraction(1, 3), "other": 1},
    "cook": {"old": 2.5, "cook": 0, "other": 1},
    "ask": {"old": 0.25, "cook": 0.25, "other": 0.25},
}

# What the sample files hold, by name.
FITTED: dict[str, Callable[[], Any]] = {
    "raw-frame": lambda: LicketySPLITClassifier(max_depth=4, regularization=0.005).fit(*people()),
    "many-classes": lambda: OptimalTreeClassifier(
        max_depth=2,
        regularization=Fraction(1, 300),
        class_weight={"old": 2, "cook": 1.5, "other": 1},
        binarizer=QuantileBinarizer(n_quantiles=4),
    ).fit(*people()),
    "zero-one": lambda: SPLITClassifier(max_depth=3, binarizer=None).fit(*zero_one()),
    "greedy-weighted": lambda: GreedyTreeClassifier(max_depth=3, binarizer="midpoint").fit(
        people()[0][["age", "job"]], people()[1] == "old", sample_weight=np.arange(240) % 4 / 2
    ),
    "log-loss": lambda: LicketySPLITClassifier(
        loss="log_loss", min_samples_leaf=0.05, lookahead_depth=2, max_depth=3
    ).fit(*people()),
    "refer": lambda: OptimalTreeClassifier(costs=REFER, max_depth=2, class_weight="balanced").fit(
        *people()
    ),
    "numbers": lambda: LicketySPLITRegressor(max_depth=3, regularization=Fraction(1, 90)).fit(
        people()[0], amounts(), sample_weight=np.arange(240) % 4 / 7
    ),
    "rates": lambda: OptimalTreeRegressor(
        loss="poisson", max_depth=2, regularization=0.02, binarizer=QuantileBinarizer(n_quantiles=4)
    ).fit(people()[0], *claims()),
    "fixed": lambda: FixedBinarizer(QUESTIONS).fit(people()[0]),
    "midpoint": lambda: MidpointBinarizer().fit(people()[0][["size", "job", "member"]]),
    "quantile": lambda: QuantileBinarizer(n_quantiles=5).fit(people()[0]),
    "guess": lambda: ThresholdGuessBinarizer(max_features=6).fit(*people()),
}

# The same, fitted once: nobody changes them.
fitted = cache(lambda name: FITTED[name]())
every_model = pytest.mark.parametrize("name", list(FITTED))


def table_for(model: Any, X: Any = None) -> Any:
    """A table that a model can be asked about."""
    if not hasattr(model, "feature_names_in_"):
        return np.random.default_rng(9).integers(0, 2, (30, model.n_features_in_))
    return (unseen() if X is None else X)[model.feature_names_in_.tolist()]


def seen(model: Any) -> dict[str, Any]:
    """All that a user can see of a model."""
    out: dict[str, Any] = {"parameters": repr(model), "columns": model.n_features_in_}
    out["names"] = list(getattr(model, "feature_names_in_", []))
    tables = [table_for(model)]
    if out["names"]:
        tables += [table_for(model, people()[0])]
    if isinstance(model, TreeEstimator):
        tree = model.tree_
        out |= {"text": str(model), "rules": tree.rules(), "json": tree.to_json(indent=1)}
        out |= {"dot": tree.to_dot(), "bound": model.lower_bound_, "status": model.status_}
        out |= {"objective": model.objective_, "statistics": model.statistics_}
        out |= {"leaves": model.get_n_leaves(), "depth": model.get_depth()}
        out |= {"tree": tree.to_dict(), "counts": tree.counts.tolist(), "loss": tree.loss}
        if not tree.loss.is_of_numbers:
            out |= {"classes": model.classes_.tolist(), "dtype": model.classes_.dtype}
            out |= {"actions": model.actions_.tolist()}
        out |= {"importances": model.feature_importances_.tolist()}
        for i, X in enumerate(tables):
            out[f"predicted {i}"] = model.predict(X).tolist()
            if not tree.loss.is_of_numbers:
                out[f"shares {i}"] = model.predict_proba(X).tolist()
            out[f"leaf {i}"] = model.apply(X).tolist()
        model = model.binarizer_
        if model is None:
            return out
    out |= {"questions": model.get_feature_names_out().tolist(), "dropped": model.dropped_}
    out |= {"literals": model.literals_, "variables": model.variables_}
    for i, X in enumerate(tables):
        out[f"answers {i}"] = model.transform(X).tolist()
    return out


def saved(model: Any, folder: Path) -> Any:
    save(model, folder / "model.json")
    return load(folder / "model.json")
