"""The overview on the page counts all trees of the set, as Python does."""

from __future__ import annotations

import re
from typing import Any

import pytest

from splitsecond import TreeSet

N_SHOWN = 120


def texts(tab: Any, position: str) -> dict[str, str]:
    """What may be picked at a position: texts of the options by the question."""
    found = tab.eval_on_selector_all(
        f"#ask-{position} option", "all => all.map((each) => each.textContent)"
    )
    return {text.split(" · ")[0]: text for text in found}


def number(text: str) -> int:
    found = re.search(r"([\d,]+) trees?\b", text)
    assert found, text
    return int(found[1].replace(",", ""))


def pick(tab: Any, position: str, question: str) -> str:
    """Choose a question and return what the page then says."""
    tab.select_option(f"#ask-{position}", label=texts(tab, position)[question])
    said: str = tab.inner_text("#remaining")
    return said


def question_at(tree: Any, position: str) -> str | None:
    """What a tree asks at a position; None: it has no such place."""
    node = 0
    for answer in position[1:]:
        if tree.feature[node] < 0:
            return None
        node = int(tree.left[node] if answer == "y" else tree.right[node])
    asked = int(tree.feature[node])
    return "no question: a leaf" if asked < 0 else str(tree.literals[asked])


def asking(trees: TreeSet, **picks: str) -> list[Any]:
    return [
        tree
        for tree in trees
        if all(question_at(tree, place) == asked for place, asked in picks.items())
    ]


def test_first_questions(tab: Any, trees: TreeSet) -> None:
    said = tab.inner_text("#remaining")
    assert number(said) == trees.n_trees > N_SHOWN
    assert f"Best objective {trees.min_objective:.4f}" in said
    offered = texts(tab, "r")
    del offered[next(iter(offered))]  # anything
    for question, text in offered.items():
        part = trees.filter(root=question)
        assert number(text) == part.n_trees
        assert text.endswith(f"best {part.min_objective:.4f}")
    assert sum(map(number, offered.values())) == trees.n_trees


def test_narrowing_along_a_path_is_exact(tab: Any, trees: TreeSet) -> None:
    picks: dict[str, str] = {}
    for position, question in (
        ("r", "guarantor"),
        ("rn", "income <= 38.5"),
        ("rnn", "debts <= 2.5"),
    ):
        said = pick(tab, position, question)
        picks[position] = question
        found = asking(trees, **picks)
        assert len(found) > 0
        assert number(said) == len(found)
        assert f"Best objective {found[0].objective:.4f}" in said
        assert "at least" not in said
        on_page = len(asking(trees[:N_SHOWN], **picks))
        assert f"{on_page} of the {N_SHOWN} trees on this page" in said
        assert tab.locator("#matches").inner_text().startswith(f"{on_page} of the ")
    for text in list(texts(tab, "rny").values())[1:]:
        assert "at most" in text  # another path was picked, too
    tab.click("text=Start over")
    assert number(tab.inner_text("#remaining")) == trees.n_trees


@pytest.mark.parametrize(
    "picks",
    [
        {"r": "guarantor", "rn": "income <= 38.5", "ry": "no question: a leaf"},
        {"r": 'housing == "rent"', "ry": "guarantor", "rn": "guarantor"},
        {
            "r": "guarantor",
            "rn": "income <= 38.5",
            "rnn": "debts <= 2.5",
            "rny": "no question: a leaf",
        },
    ],
)
def test_combinations_are_never_wrong(tab: Any, trees: TreeSet, picks: dict[str, str]) -> None:
    said = ""
    for position, question in picks.items():
        said = pick(tab, position, question)
    found = asking(trees, **picks)
    low = re.search(r"at least ([\d,]+)", said)
    high = re.search(r"at most ([\d,]+)", said)
    if high is None:
        assert number(said) == len(found)
    else:
        assert "only these bounds" in said
        least = int(low[1].replace(",", "")) if low else 0
        assert least <= len(found) <= int(high[1].replace(",", ""))
    best = re.search(r"Best objective ([\d.]+\d)", said)
    if best is not None:
        assert best[1] == f"{found[0].objective:.4f}"


def test_trees_that_are_not_on_the_page_are_not_denied(tab: Any, trees: TreeSet) -> None:
    shown = {question_at(tree, "r") for tree in trees[:N_SHOWN]}
    absent = [question for question in list(texts(tab, "r"))[1:] if question not in shown]
    assert absent
    said = pick(tab, "r", absent[0])
    part = trees.filter(root=absent[0])
    assert number(said) == part.n_trees > 0
    assert f"Best objective {part.min_objective:.4f}" in said
    assert f"None of the {N_SHOWN} trees on this page" in said
    matches = tab.inner_text("#matches")
    assert "No tree on this page matches; trees that are not on it may" in matches
    call = tab.inner_text("#remaining-call code")
    assert eval(call, {"trees": trees}).n_trees == part.n_trees
    tab.click("#matches button")
    assert tab.inner_text("#matches").startswith("All ")


def test_a_block_of_the_picture_narrows(tab: Any, trees: TreeSet) -> None:
    first = tab.locator(".icicle .cell.question").first
    title = first.locator("title").text_content()
    first.click()
    question = title.split("\n")[0]
    said = tab.inner_text("#remaining")
    assert number(said) == number(title) == trees.filter(root=question).n_trees
    # Its trees now fill the picture, and the next column narrows further.
    second = tab.locator(".icicle .cell.question:not(.chosen)").first
    title = second.locator("title").text_content()
    second.click()
    assert number(tab.inner_text("#remaining")) == number(title)


def test_usage_is_of_all_trees(tab: Any, trees: TreeSet) -> None:
    tab.click("text=Variables: with or without")
    usage = trees.feature_usage()
    rows = tab.locator("#variables tr")
    for i in range(rows.count()):
        name = rows.nth(i).locator("th").inner_text()
        said = rows.nth(i).locator("td").first.get_attribute("title")
        assert said == f"{usage[name]:,} trees of the set"
