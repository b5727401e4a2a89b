"""The table, the points and the tree on the page, against Python."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser_pages import SIZES, Watched, watched

from splitsecond import TreeSet

N_SHOWN = 120


def column(tab: Any, title: str) -> list[str]:
    heads = [
        text.split("\n")[0].strip(" ▲▼") for text in tab.locator("#head-row > th").all_inner_texts()
    ]
    place = heads.index(title)
    return [
        row.locator("> td, > th").nth(place).inner_text() for row in tab.locator("#rows tr").all()
    ]


def numbers(tab: Any) -> list[int]:
    return tab.eval_on_selector_all(
        "#rows tr", "all => all.map((each) => Number(each.dataset.tree))"
    )


def test_the_table_sorts_and_pages(tab: Any, trees: TreeSet, held_out: Any) -> None:
    tab.uncheck("#folded")
    assert numbers(tab) == list(range(15))
    assert column(tab, "objective") == [f"{tree.objective:.4f}" for tree in trees[:15]]
    assert column(tab, "leaves") == [str(tree.n_leaves) for tree in trees[:15]]
    tab.click("#head-row >> text=leaves")
    tab.click("#head-row >> text=leaves")
    assert tab.locator("#head-row [aria-sort]").get_attribute("aria-sort") == "descending"
    order = sorted(range(N_SHOWN), key=lambda i: (-trees[i].n_leaves, i))
    assert numbers(tab) == order[:15]
    tab.click("#pager >> text=Next")
    assert numbers(tab) == order[15:30]
    X, y = held_out
    accuracy = [float((tree.predict(X) == np.asarray(y)).mean()) for tree in trees[:N_SHOWN]]
    tab.click("#head-row >> text=held-out accuracy")
    best = sorted(range(N_SHOWN), key=lambda i: (accuracy[i], i))
    assert numbers(tab) == best[:15]
    assert column(tab, "held-out accuracy") == [f"{accuracy[i]:.4f}" for i in best[:15]]


def test_criteria_are_those_of_the_evaluation(tab: Any, trees: TreeSet, held_out: Any) -> None:
    X, y = held_out
    frame = trees.evaluate(X, y, groups="sex").to_frame(trees[:N_SHOWN])
    shown = json.loads(tab.locator("#data").text_content())["criteria"]
    assert [each["name"] for each in shown] == list(frame.columns[2:])
    for each in shown:
        values = [np.nan if value is None else value for value in each["values"]]
        assert values == pytest.approx(frame[each["name"]].tolist(), rel=1e-6, nan_ok=True)
    tab.click("text=All held-out criteria")
    said = tab.inner_text("#more-numbers")
    assert f"{frame['f1'][0]:.4f}" in said
    whole = trees.evaluate(X, y, groups="sex").range("accuracy")
    assert f"in the set {whole.minimum:.4f} to {whole.maximum:.4f}" in tab.inner_text("#numbers")


def test_the_table_filters(tab: Any, trees: TreeSet) -> None:
    shown = trees[:N_SHOWN]
    tab.uncheck("#folded")
    tab.select_option("#max-leaves", "5")
    small = [i for i, tree in enumerate(shown) if tree.n_leaves <= 5]
    assert tab.inner_text("#matches").startswith(
        f"{len(small)} of the {N_SHOWN} trees on this page"
    )
    tab.click("text=Variables: with or without")
    tab.select_option("select[aria-label='Trees that ask about housing']", "uses")
    tab.select_option("select[aria-label='Trees that ask about age']", "avoids")
    names = [{literal.name for literal in tree.literals.values()} for tree in shown]
    left = [i for i in small if "housing" in names[i] and "age" not in names[i]]
    assert 0 < len(left) < len(small)
    assert numbers(tab) == left[:15]
    tab.click("#clear button")
    assert tab.inner_text("#matches").startswith(f"All {N_SHOWN}")


def test_trees_of_one_shape_are_folded(tab: Any, trees: TreeSet) -> None:
    groups = trees.groups(max_trees=N_SHOWN)
    listed = numbers(tab)
    assert listed == [group.number for group in groups][:15]
    found = tab.locator("#rows tr", has=tab.locator(".fold")).first
    number = int(found.get_attribute("data-tree"))
    group = next(group for group in groups if group.number == number)
    members = [i for i, tree in enumerate(trees[:N_SHOWN]) if tree in list(group.trees)]
    assert found.locator(".fold").inner_text() == f"▸ {len(members) - 1} more"
    assert f"({group.n_trees:,} in the set)" in found.inner_text()
    found.locator(".fold").click()
    assert [i for i in numbers(tab) if i in members] == members
    assert (
        tab.locator(f"#rows tr[data-tree='{number}'] .fold").get_attribute("aria-expanded")
        == "true"
    )
    assert tab.evaluate("document.activeElement.className") == "fold"


def test_a_point_opens_its_tree(tab: Any, trees: TreeSet) -> None:
    tab.select_option("#axis-x", "leaves")
    tab.select_option("#axis-y", "objective")
    point = tab.locator(".scatter .in").nth(40)
    box = point.bounding_box()
    tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    selected = tab.locator(".scatter .selected")
    assert selected.get_attribute("cx") == point.get_attribute("cx")
    title = tab.inner_text("#tree-title")
    number = int(re.search(r"Tree (\d+)", title)[1])
    tree = trees[number]
    assert title == (
        f"Tree {number}: {tree.n_leaves} leaves, depth {tree.depth}, objective {tree.objective:.4f}"
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_trees_fit_the_pane(browser: Any, page_file: Path, size: str, scheme: str) -> None:
    with watched(browser, size, scheme) as window:
        for number in (0, 5, N_SHOWN - 1):
            tab = window.go(page_file, f"#tree={number}&view=tree")
            assert outside(tab) == []
        assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        paper = tab.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert (paper == "rgb(255, 255, 255)") == (scheme == "light")


def outside(tab: Any) -> list[str]:
    """Texts and boxes of the tree that are not within its pane, or texts not within their box."""
    return tab.evaluate(
        """() => {
          const stage = document.querySelector("#tree-pane .stage").getBoundingClientRect();
          const isIn = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1
            && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
          const wrong = [];
          for (const node of document.querySelectorAll("#tree-pane .node")) {
            const box = node.querySelector(".box").getBoundingClientRect();
            if (!isIn(box, stage)) wrong.push("box");
            for (const text of node.querySelectorAll("text"))
              if (!isIn(text.getBoundingClientRect(), box)) wrong.push(text.textContent);
          }
          return wrong;
        }"""
    )


def test_zooming_and_moving(tab: Any) -> None:
    stage = tab.locator("#tree-pane .stage")
    before = tab.locator("#tree-pane svg.tree").get_attribute("viewBox")
    tab.click("#tree-pane >> [aria-label='Zoom in']")
    assert stage.get_attribute("data-zoom") == "1.250"
    zoomed = tab.locator("#tree-pane svg.tree").get_attribute("viewBox")
    assert zoomed != before
    box = stage.bounding_box()
    tab.mouse.move(box["x"] + 200, box["y"] + 200)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 120, box["y"] + 160)
    tab.mouse.up()
    moved = tab.locator("#tree-pane svg.tree").get_attribute("viewBox")
    assert float(moved.split()[0]) > float(zoomed.split()[0])
    stage.focus()
    tab.keyboard.press("ArrowLeft")
    tab.keyboard.press("+")
    assert float(stage.get_attribute("data-zoom")) == pytest.approx(1.5625, abs=1e-3)
    tab.keyboard.press("0")
    assert tab.locator("#tree-pane svg.tree").get_attribute("viewBox") == before


def test_held_out_rows_are_beside_training_rows(tab: Any, trees: TreeSet, held_out: Any) -> None:
    X, y = held_out
    tree, codes = trees[0], (np.asarray(y) == "yes").astype(int)
    reached = tree.apply(X)
    titles = tab.locator("#tree-pane .node.is-leaf title").all_text_contents()
    wanted = []
    for leaf in np.flatnonzero(tree.feature < 0):
        no, yes = np.bincount(codes[reached == leaf], minlength=2)
        trained = tree.row_counts[leaf]
        wanted.append(
            f"Says {tree.labels[tree.prediction[leaf]]}\ntraining rows: no: {trained[0]}, "
            f"yes: {trained[1]}\nheld-out rows: no: {no}, yes: {yes}"
        )
    assert sorted(titles) == sorted(wanted)
    tab.click("text=Rules in words")
    rules = tab.locator("#rules li").all_inner_texts()
    assert len(rules) == tree.n_leaves
    assert all("held-out rows" in rule for rule in rules)


def test_previous_and_next(tab: Any) -> None:
    tab.click("#next")
    tab.click("#next")
    assert tab.inner_text("#tree-title").startswith("Tree 2:")
    tab.click("#previous")
    assert tab.inner_text("#tree-title").startswith("Tree 1:")


def test_two_trees_side_by_side(tab: Any, trees: TreeSet) -> None:
    a, b = trees[0], trees[9]
    tab.click("#tab-compare")
    tab.fill("#other-number", "9")
    tab.press("#other-number", "Enter")
    marked = [
        tab.locator(f"#{side}-pane .node.is-different").count() for side in ("first", "second")
    ]
    assert marked == [different(a, b), different(b, a)]
    assert min(marked) > 0
    lines = tab.locator("#differences li").all_inner_texts()
    assert lines
    assert all("tree 0 " in line and "tree 9 " in line for line in lines)
    rows = tab.locator("#values-compared tbody tr").all_inner_texts()
    assert rows[0].split("\t")[:3] == ["objective", f"{a.objective:.4f}", f"{b.objective:.4f}"]
    tab.click("text=Stop comparing")
    assert tab.locator("#tab-tree").get_attribute("aria-selected") == "true"


def different(tree: Any, other: Any) -> int:
    """How many nodes of a tree are in parts where the other one asks or says something else."""

    def size(node: int) -> int:
        if tree.feature[node] < 0:
            return 1
        return 1 + size(tree.left[node]) + size(tree.right[node])

    def count(i: int, j: int) -> int:
        if tree.feature[i] != other.feature[j]:
            return size(i)
        if tree.feature[i] < 0:
            return 0 if tree.prediction[i] == other.prediction[j] else 1
        return count(tree.left[i], other.left[j]) + count(tree.right[i], other.right[j])

    return count(0, 0)


def enter(tab: Any, row: dict[str, Any], names: list[str]) -> None:
    for name in names:
        label = tab.locator("#panel-case .field > label", has_text=re.compile(f"^{name}$"))
        field = tab.locator(f"#{label.get_attribute('for')}")
        value = row[name]
        if field.evaluate("each => each.tagName") == "SELECT":
            chosen = {True: "yes (1)", False: "no (0)"}.get(value, value)
            field.select_option(label=chosen)
        elif value is None or value != value:
            fields = tab.locator("#panel-case .field")
            fields.filter(has_text=name).locator("input[type=checkbox]").check()
        else:
            field.fill(str(value))


def test_a_case(window: Watched, page_file: Path, trees: TreeSet, held_out: Any) -> None:
    X, _ = held_out
    X = X.astype({"guarantor": object})
    missing = int(np.flatnonzero(X["income"].isna())[0])
    for place in (0, 3, missing):
        tab = window.go(page_file, "#tree=0&other=9&short.20=&short.77=&tab=case")
        row = X.iloc[place].to_dict()
        tab.click("#further summary")
        enter(tab, row, ["age", "income", "debts", "housing", "guarantor"])
        says = {
            int(each.get_attribute("data-tree")): each.get_attribute("data-says")
            for each in tab.locator(".verdict").all()
        }
        assert says == {
            number: trees[number].predict(held_out[0].iloc[[place]])[0] for number in (0, 9, 20, 77)
        }
        votes = [tree.predict(held_out[0].iloc[[place]])[0] for tree in trees[:N_SHOWN]]
        said = tab.inner_text("#vote")
        for label in set(votes):
            assert f"{label}: {votes.count(label)} " in said
        steps = tab.locator(".verdict[data-tree='0'] .way li").all_inner_texts()
        path = trees[0].apply(held_out[0].iloc[[place]])[0]
        assert tab.locator("#case-pane .node.on-path").count() == len(steps) + 1
        assert len(steps) == depth_of(trees[0], path)


def depth_of(tree: Any, leaf: int) -> int:
    depth, node = 0, leaf
    while node != 0:
        node = int(np.flatnonzero((tree.left == node) | (tree.right == node))[0])
        depth += 1
    return depth


def test_a_case_that_is_not_whole_yet(tab: Any) -> None:
    tab.click("#tab-case")
    assert "needs" in tab.locator(".verdict").first.inner_text()
    field = tab.locator("#case-fields input[type=text]").first
    field.fill("many")
    assert field.get_attribute("aria-invalid") == "true"
    tab.click("#clear-case button")
    assert field.input_value() == ""


def test_code_is_that_of_python(window: Watched, page_file: Path, trees: TreeSet) -> None:
    tab = window.go(page_file, "#tab=code")
    for number, tree in enumerate(trees[:N_SHOWN]):
        tab.evaluate("number => { location.hash = `tree=${number}&tab=code`; }", number)
        tab.wait_for_function(
            "number => document.querySelector('#code pre').textContent === `trees[${number}]`",
            arg=number,
        )
        code = tab.eval_on_selector_all(
            "#code pre",
            "all => Object.fromEntries(all.map((each) => [each.dataset.code, each.textContent]))",
        )
        assert code == {
            "Call": f"trees[{number}]",
            "SQL": tree.to_sql(),
            "Python": tree.to_python(),
        }
        if number >= 60:
            break
