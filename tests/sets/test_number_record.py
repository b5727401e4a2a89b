"""The record and the page's data of a set of regression trees."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from splitsecond import RESPLITRegressor, TreeFARMSRegressor


def rows(n_rows: int = 120, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 2, (n_rows, 4)), columns=["a", "b", "c", "d"])
    y = pd.Series(rng.poisson(1 + 3 * X["a"] + X["b"] * X["c"]), name="claims")
    return X, y


def set_of(loss: str = "squared_error", kind: Any = TreeFARMSRegressor, weights: Any = None) -> Any:
    model = kind(regularization=0.01, epsilon=0.1, max_depth=3, loss=loss)
    return model.fit(*rows(), sample_weight=weights).trees_


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_a_record_says_means_and_spreads(loss: str) -> None:
    trees = set_of(loss)
    X, y = rows(60, seed=1)
    train = dict(zip(("X_train", "y_train"), rows(), strict=True))
    record = trees.record(1, X, y, groups="d", columns="a", date="2026-01-31", **train)
    text = record.to_markdown()
    word = "rate" if loss == "poisson" else "mean"
    assert f"{word} of given rows" in text
    assert "This is proved." in text
    assert "The training rows give the histogram of numbers in every leaf." in text
    for name in trees.evaluate(X, y, groups="d").criteria:
        assert f"| {name} |" in text
    n_disputed = int(np.ptp(trees.prediction_range(X), axis=1).astype(bool).sum())
    assert f"The trees of the set disagree on {n_disputed} of 60 rows" in text
    first = trees.disputed(X)[0]
    assert f"| {first} | " in text.partition("Disputed rows")[2]
    assert "Their numbers (y): SHA-256" in text
    assert (
        text
        == trees.record(1, X, y, groups="d", columns="a", date="2026-01-31", **train).to_markdown()
    )
    assert "<svg" in record.to_html()


def test_other_training_rows_are_told_apart() -> None:
    X, y = rows()
    text = set_of().record(0, X_train=X, y_train=y + 1).to_markdown()
    assert "do not give the histograms of numbers" in text


def test_records_of_other_sets() -> None:
    weights = np.tile([0.5, 2.0], 60)
    trees = set_of("poisson", RESPLITRegressor, weights)
    X, y = rows(30, seed=2)
    text = trees.record(0, X, y, sample_weight=np.ones(30)).to_markdown()
    assert "found by lookahead" in text
    assert "exposure" in text
    assert "Disputed rows" in trees.record(0, X).to_markdown()
    assert "Disputed rows" not in trees.record(0).to_markdown()


@pytest.mark.parametrize("weighted", [False, True])
def test_the_data_of_the_page(weighted: bool) -> None:
    trees = set_of(weights=np.tile([0.5, 2.0], 60) if weighted else None)
    X, y = rows(50, seed=3)
    data = trees.to_explorer(20, X=X, y=y, groups="a")
    json.dumps(data, allow_nan=False)
    assert data["classes"] == []
    assert data["numbers"] == sorted(data["numbers"])
    nodes = data["trees"]
    place = 0
    for tree in trees[:20]:
        reached = tree.apply(X)
        for node in range(len(tree.feature)):  # trees of a set are in preorder
            fact = nodes["facts"][place + node]
            assert data["numbers"][nodes["says"][fact]] == tree.labels[node]
            assert nodes["rows"][fact] == tree.n_rows[node]
            if weighted:
                assert nodes["weights"][fact] == tree.counts[node, 0]
            if tree.feature[node] < 0:
                here = y[reached == node]
                assert nodes["held_out"][fact] == len(here)
                if len(here):
                    assert nodes["held_out_means"][fact] == pytest.approx(here.mean(), rel=1e-5)
        place += len(tree.feature)
    assert [each["name"] for each in data["criteria"]][:2] == ["squared_error", "r2"]
    assert ("Target", "claims") in data["facts"]
    assert "Classes" not in dict(data["facts"])


def test_rows_without_numbers() -> None:
    trees = set_of()
    X, _ = rows(20)
    data = trees.to_explorer(5, X=X)
    assert set(data["trees"]["held_out_means"]) == {None}
    with pytest.raises(ValueError, match="the numbers of the rows are needed: y"):
        trees.to_explorer(5, X=X, groups="a")
    assert "<iframe" in trees._repr_html_()


@pytest.mark.parametrize("size", [1e300, 1.797e308])
def test_squares_beyond_floats(size: float) -> None:
    X, y = rows(60)
    y = y / y.max() * size
    trees = TreeFARMSRegressor(regularization=0.05, max_depth=1).fit(X, y).trees_
    data = trees.to_explorer(5, X=X, y=y)
    assert data["trees"]["measured"][0] is None
    assert data["criteria"][0]["values"][0] is None
    assert data["criteria"][1]["values"][0] > 0
    places = data["trees"]["facts"]
    means = [data["trees"]["held_out_means"][place] for place in places]
    said = [data["numbers"][data["trees"]["says"][place]] for place in places]
    assert means == pytest.approx(said, rel=1e-5)
    assert "<iframe" in trees._repr_html_()


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
@pytest.mark.parametrize("unit", [1e-300, 1e-160, 1e153, 1e160, 1e305])
def test_a_record_of_numbers_whose_squares_are_beyond_floats(loss: str, unit: float) -> None:
    X, y = rows()
    y = y + 0.5 * X["d"]
    plain, scaled = (
        TreeFARMSRegressor(max_depth=2, epsilon=0.1, loss=loss).fit(X, numbers).trees_
        for numbers in (y, y * unit)
    )
    text = scaled.record(0, X, y * unit).to_markdown()
    assert "e+" in text or "e-" in text
    assert "nan" not in text
    assert ("inf: more than a float can hold" in text) == (unit > 1e155)
    assert "<svg" in scaled.record(0, X, y * unit).to_html()
    assert scaled.disputed(X).tolist() == plain.disputed(X).tolist()
    spread = "The standard deviation of what they predict for a row is "
    said = text.partition(spread)[2].partition(" ")[0]
    known = plain.record(0, X, y).to_markdown().partition(spread)[2].partition(" ")[0]
    assert float(said) / unit == pytest.approx(float(known), rel=0.02)
