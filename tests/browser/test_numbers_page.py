"""The page of a set of regression trees: means in place of classes, and how far trees are apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from browser_pages import Watched

from splitsecond import FixedBinarizer, TreeFARMSRegressor

N_SHOWN = 40
QUESTIONS = ["age <= 30.5", "age <= 50.5", "income <= 30.5", "income <= 60.5", 'home == "own"']


def claims(n_rows: int = 300, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(19, 75, n_rows).astype(float),
            "income": rng.gamma(4, 12, n_rows).round(1),
            "home": rng.choice(["rent", "own"], n_rows),
        }
    )
    risk = 2 + (frame["age"] < 31) * 2 - (frame["home"] == "own") + (frame["income"] < 30)
    return frame.assign(claims=rng.poisson(risk))


def set_of(loss: str, weights: Any = None) -> Any:
    frame = claims()
    model = TreeFARMSRegressor(
        regularization=0.01,
        epsilon=0.05,
        max_depth=3,
        loss=loss,
        binarizer=FixedBinarizer(QUESTIONS),
    )
    return model.fit(frame.drop(columns="claims"), frame["claims"], sample_weight=weights).trees_


@pytest.fixture(scope="module", params=["squared_error", "poisson", "weighted"])
def trees(request: Any) -> Any:
    if request.param == "weighted":
        return set_of("squared_error", np.tile([0.5, 1.5], 150))
    return set_of(request.param)


@pytest.fixture
def tab(window: Watched, trees: Any, tmp_path: Path) -> Any:
    frame = claims(100, seed=1)
    path = tmp_path / "numbers.html"
    X, y = frame.drop(columns="claims"), frame["claims"]
    trees.to_html(path, max_trees=N_SHOWN, X=X, y=y, groups="home")
    return window.go(path)


def shown(value: float) -> str:
    """What the page writes for a mean: four digits."""
    return f"{float(f'{value:.4g}'):.15g}"


def test_leaves_say_means_and_rows(tab: Any, trees: Any) -> None:
    assert not tab.is_visible("#classes")
    tree = trees[0]
    frame = claims(100, seed=1)
    reached = tree.apply(frame.drop(columns="claims"))
    leaves = np.flatnonzero(tree.feature < 0)
    texts = tab.locator("#tree-pane .node.is-leaf").all()
    assert len(texts) == len(leaves)
    said = [[each.text_content() for each in text.locator("text").all()] for text in texts]
    expected = []
    for leaf in leaves:
        held = frame["claims"][reached == leaf]
        lines = [shown(tree.labels[leaf]), f"{tree.n_rows[leaf]:,} rows"]
        own = f"held out: {shown(held.mean())} ({len(held)})" if len(held) else "0 held out"
        expected.append([*lines, own])
    assert sorted(said) == sorted(expected)
    assert tab.locator("#tree-pane .bar-back").count() == 0
    rules = tab.locator("#rules li").all_text_contents()
    assert len(rules) == len(leaves)
    assert all("p(" not in rule and "%" not in rule for rule in rules)
    word = "rate" if tree.loss.name == "poisson" else "mean"
    held = frame["claims"][reached == leaves[0]]
    first = f"{shown(tree.labels[leaves[0]])} ({tree.n_rows[leaves[0]]:,} training rows; "
    assert any(f"{first}{len(held)} held-out rows, {word} " in rule for rule in rules)


def test_criteria_are_those_of_numbers(tab: Any, trees: Any) -> None:
    main = "poisson deviance" if trees[0].loss.name == "poisson" else "squared error"
    head = " ".join(tab.locator("#head-row th").all_text_contents())
    assert f"held-out {main}" in head
    assert f"training {main}".lower() in head.lower()
    assert "accuracy" not in tab.content().split('id="data"')[0]
    frame = claims(100, seed=1)
    evaluation = trees.evaluate(frame.drop(columns="claims"), frame["claims"], groups="home")
    name = evaluation.criteria[0]
    tab.evaluate("() => { location.hash = 'tree=3'; }")
    tab.wait_for_function("() => document.querySelector('#tree-title').textContent.includes('3:')")
    value = evaluation.to_frame(trees[3], name)[name].iloc[0]
    assert shown(value) in tab.locator("#numbers").inner_text()
    tab.click("#more-numbers-details summary")
    others = tab.locator("#more-numbers").inner_text()
    for part in ("bias", "absolute error", "[home=own - rent]"):
        assert part in others


def test_a_case_gets_a_number_and_its_spread(tab: Any, trees: Any) -> None:
    tab.click("#tab-case")
    if tab.is_visible("#further summary"):
        tab.click("#further summary")
    row = {"age": 25.0, "income": 20.0, "home": "own"}
    for name, value in row.items():
        label = tab.locator("#panel-case .field", has=tab.get_by_text(name, exact=True))
        if name == "home":
            label.locator("select").select_option(label=value)
        else:
            label.locator("input[type=text]").fill(str(value))
    X = pd.DataFrame([row])
    assert tab.locator(".verdict").first.get_attribute("data-says") == shown(trees[0].predict(X)[0])
    said = np.array([tree.predict(X)[0] for tree in trees[:N_SHOWN]])
    vote = tab.inner_text("#vote")
    assert f"{len(said)} trees say {shown(said.mean())} on average" in vote
    assert f"from {shown(said.min())} to {shown(said.max())}." in vote


def test_code_is_that_of_python(tab: Any, trees: Any) -> None:
    for number, tree in enumerate(trees[:12]):
        tab.evaluate("number => { location.hash = `tree=${number}&tab=code`; }", number)
        tab.wait_for_function(
            "number => document.querySelector('#code pre')?.textContent === `trees[${number}]`",
            arg=number,
        )
        code = tab.locator("#code pre").all_text_contents()
        assert code == [f"trees[{number}]", tree.to_sql(), tree.to_python()]


def test_two_trees_are_compared(tab: Any, trees: Any) -> None:
    tab.evaluate("() => { location.hash = 'tree=0&other=1&tab=compare'; }")
    tab.wait_for_selector("#differences li")
    assert tab.locator("#second-pane .node").count() == len(trees[1].feature)
