"""The page as a whole: shortlist and links, phones, keys, screen readers, print, hostile names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from browser_pages import AXE, HOSTILE, ROOT, SIZES, Watched, skip, watched

from splitsecond import RESPLIT, TreeFARMS, TreeSet

N_SHOWN = 120


def test_the_shortlist_is_kept_in_the_address(
    window: Watched, page_file: Path, trees: TreeSet, tmp_path: Path
) -> None:
    tab = window.go(page_file)
    tab.click("#list-it")
    tab.click("#rows [aria-label='Shortlist tree 2']")
    tab.fill("#note-2", "Simple & <b>clear</b>, 50% #1?")
    tab.click("#rows >> text=Tree 3")
    with tab.expect_download() as saving:
        tab.click("text=Save as JSON")
    saving.value.save_as(tmp_path / "shortlist.json")
    saved = json.loads((tmp_path / "shortlist.json").read_text(encoding="utf-8"))
    assert [each["number"] for each in saved["trees"]] == [0, 2]
    chosen = saved["trees"][1]
    assert chosen["note"] == "Simple & <b>clear</b>, 50% #1?"
    assert eval(chosen["call"], {"trees": trees}) == trees[2]
    assert chosen["objective"] == trees[2].objective
    assert chosen["sql"] == trees[2].to_sql()
    assert saved["set"]["facts"]["Trees in the set"] == f"{trees.n_trees:,}"
    address = tab.url
    again = window.go(page_file, "#" + address.split("#", 1)[1])
    assert again.inner_text("#tree-title").startswith("Tree 3:")
    assert again.locator("#listed li").count() == 2
    assert again.input_value("#note-2") == "Simple & <b>clear</b>, 50% #1?"
    again.click("[aria-label='Take tree 0 off the shortlist']")
    assert again.locator("#listed li").count() == 1


def test_a_link_holds_all_that_was_chosen(window: Watched, page_file: Path) -> None:
    tab = window.go(page_file)
    tab.select_option("#ask-r", index=1)
    tab.select_option("#ask-rn", index=2)
    tab.select_option("#max-leaves", index=2)
    tab.select_option("#axis-x", "depth")
    tab.click("#head-row >> text=leaves")
    tab.click("#rows [aria-label^='Compare tree']:not([disabled]) >> nth=1")
    shown = (
        "#remaining",
        "#matches",
        "#tree-title",
        "#differences",
        "#values-compared",
        "#head-row",
    )
    before = [tab.inner_text(part) for part in shown]
    fragment = tab.url.split("#", 1)[1]
    again = window.go(page_file, f"#{fragment}")
    assert [again.inner_text(part) for part in shown] == before


def test_nonsense_in_the_address_is_left_out(window: Watched, page_file: Path) -> None:
    wrong = (
        "#tree=99999&other=-1&asks=ryn.1_r.9999_x_r&leaves=x&sort=<b>&x=y&case.999=1&short.1e9=x"
    )
    tab = window.go(page_file, wrong)
    assert tab.inner_text("#tree-title").startswith("Tree 0:")
    assert tab.locator("#listed li").count() == 0


def test_names_stay_text(window: Watched, hostile_file: Path) -> None:
    tab = window.go(hostile_file)
    assert tab.title() == "Good trees for </title><script>alert(1)</script>"
    for part in ("tree", "compare", "case", "code"):
        tab.click(f"#tab-{part}")
    tab.click("#tab-tree")
    tab.click("text=Rules in words")
    rules = tab.inner_text("#rules")
    assert HOSTILE[0] in rules
    tab.click("text=Variables: with or without")
    tab.click(".icicle .cell.question >> nth=0")
    assert tab.locator("img, b, script").count() == 2  # the data and the page's own script
    names = tab.locator("#variables th").all_inner_texts()
    assert set(names) <= set(HOSTILE)
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.title().startswith("Good trees for </title>")


def test_a_tap_on_a_phone_shows_the_tree(browser: Any, page_file: Path) -> None:
    with watched(browser, "phone") as window:
        tab = window.go(page_file)
        assert tab.locator("#overview").is_visible()
        assert not tab.locator("#tree").is_visible()
        tab.tap("#to-trees")
        assert tab.locator("#rows").is_visible()
        tab.tap("#rows tr[data-tree='3'] .open")
        assert tab.locator("#tree").is_visible()
        assert not tab.locator("#trees").is_visible()
        assert tab.inner_text("#tree-title").startswith("Tree 3:")
        stage = tab.locator("#tree-pane .stage").bounding_box()
        assert stage["y"] + stage["height"] <= SIZES["phone"][1]
        tab.tap("#list-it")
        assert "(1)" in tab.inner_text("#to-shortlist")
        tab.tap("#to-shortlist")
        assert tab.locator("#listed li").is_visible()
        tab.tap("#to-overview")
        tab.select_option("#ask-r", index=1)
        assert "trees of" in tab.inner_text("#remaining")


def test_everything_is_reached_by_keys(tab: Any) -> None:
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.id") == "skip"
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "tree"
    tab.focus("#tab-tree")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("document.activeElement.id") == "tab-compare"
    assert tab.locator("#panel-compare").is_visible()
    tab.focus("#rows .open >> nth=0")
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    number = tab.evaluate("document.activeElement.closest('tr').dataset.tree")
    assert tab.inner_text("#tree-title").startswith(f"Tree {number}:")
    tab.focus("#ask-r")
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate("document.activeElement.id") == "ask-r"
    assert "%" in tab.inner_text("#remaining")
    seen: list[str] = []
    tab.evaluate("document.activeElement.blur()")
    for _ in range(60):
        tab.keyboard.press("Tab")
        outline = tab.evaluate(
            "() => { const at = document.activeElement; return at === document.body ? 'body' :"
            " getComputedStyle(at).outlineStyle; }"
        )
        seen.append(outline)
    assert set(seen) <= {"solid", "body", "auto"}


VIEWS = [
    "view=tree&other=4&tab=compare&short.2=note",
    "view=trees&asks=r.0",
    "view=overview",
    "view=tree&tab=case&case.1=30&short.2=note",
    "view=tree&tab=code",
    "view=shortlist&short.2=note&short.5=",
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Any, page_file: Path, size: str, scheme: str) -> None:
    if not AXE.exists():
        skip("axe-core is not installed (npm ci in frontend/)")
    # All parts of the page once on a large and once on a small window.
    views = VIEWS if (size, scheme) in (("desktop", "light"), ("phone", "dark")) else VIEWS[:1]
    with watched(browser, size, scheme) as window:
        for view in views:
            tab = window.go(page_file, f"#tree=0&{view}")
            tab.evaluate(
                "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
            )
            tab.evaluate(AXE.read_text(encoding="utf-8"))
            found = tab.evaluate("axe.run(document, { resultTypes: ['violations'] })")
            serious = [
                (each["id"], each["nodes"][0]["html"][:200])
                for each in found["violations"]
                if each["impact"] in ("serious", "critical")
            ]
            assert serious == []


def test_print_shows_the_tree_and_where_it_comes_from(tab: Any, trees: TreeSet) -> None:
    tab.click("#list-it")
    tab.fill("#note-0", "our choice")
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    tab.emulate_media(media="print")
    assert tab.locator("#printed svg.tree").is_visible()
    said = tab.locator("main").inner_text()
    for wanted in ("our choice", "About this set", f"{trees.n_trees:,}", "splitsecond", "repaid"):
        assert wanted in said
    for control in ("#choosers", "#rows", "#tabs", "#note-0", "#listed-tools"):
        assert not tab.locator(control).is_visible()


def test_facts_say_where_the_set_comes_from(tab: Any) -> None:
    said = dict(
        zip(
            tab.locator("#facts dt").all_inner_texts(),
            tab.locator("#facts dd").all_inner_texts(),
            strict=True,
        )
    )
    assert said["Data"] == "credit"
    assert said["Target"] == "repaid"
    assert said["Training rows"] == "500"
    assert said["Held-out rows"] == "300"
    assert said["Search"] == "TreeFARMS"
    assert said["Epsilon"] == "0.04 (additive)"
    assert said["Maximum depth"] == "4"
    assert said["Penalty per leaf (lambda)"] == "0.01"


def test_the_page_in_a_notebook(window: Watched, trees: TreeSet, tmp_path: Path) -> None:
    path = tmp_path / "notebook.html"
    path.write_text(f"<body data-ready>{trees._repr_html_()}</body>", encoding="utf-8")
    tab = window.go(path)
    frame = tab.frame_locator("iframe")
    frame.locator("body[data-ready]").wait_for()
    assert f"{trees.n_trees:,} trees in the set" in frame.locator("#remaining").inner_text()
    frame.locator("#tree-title").wait_for(state="attached")
    frame.locator("#to-trees, #rows .open >> visible=true").first.click()
    assert tab.url.endswith("notebook.html")


@pytest.mark.parametrize("kind", ["costs", "log_loss", "three classes", "weighted", "whole"])
def test_other_sets(window: Watched, tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.integers(0, 2, (160, 4)), columns=list("abcd"))
    y = (X["a"] + X["b"] * X["c"] + (rng.random(160) < 0.2)) % (3 if kind == "three classes" else 2)
    options: dict[str, Any] = {"regularization": 0.01, "epsilon": 0.05, "max_depth": 3}
    if kind == "costs":
        options["costs"] = {"lend": {0: 5, 1: 0}, "ask": {0: 1, 1: 1}, "refuse": {0: 0, 1: 2}}
        options["epsilon"] = 0.2
    if kind == "log_loss":
        options["loss"] = "log_loss"
    weights = np.where(X["d"], 2.0, 0.5) if kind == "weighted" else None
    estimator = RESPLIT if kind == "weighted" else TreeFARMS
    trees = estimator(**options).fit(X, y, sample_weight=weights).trees_
    path = tmp_path / "page.html"
    trees.to_html(path, X=X, y=y, max_trees=10_000 if kind == "whole" else 20)
    tab = window.go(path)
    said = tab.inner_text("#remaining")
    assert f"{trees.n_trees:,} trees in the set" in said
    assert ("on this page" in said) == (trees.n_trees > 20 and kind != "whole")
    for name in ("compare", "case", "code", "tree"):
        tab.click(f"#tab-{name}")
    assert tab.locator("#tree-pane .node").count() == len(trees[0].feature)
    tab.click("#tab-code")
    code = tab.locator("#code pre").all_text_contents()
    assert code == ["trees[0]", trees[0].to_sql(), trees[0].to_python()]


def test_pictures_for_the_documentation(browser: Any, page_file: Path, tmp_path: Path) -> None:
    """They are put into docs/ when SPLITSECOND_UPDATE_PICTURES is set."""
    wanted = os.environ.get("SPLITSECOND_UPDATE_PICTURES")
    folder = ROOT / "docs" if wanted else tmp_path
    for name, size, scheme, fragment in (
        ("page-overview", "desktop", "light", "#tree=0&short.0=Easy to explain"),
        ("page-compare", "desktop", "light", "#tree=0&other=9&tab=compare&asks=r.10"),
        ("page-phone", "phone", "dark", "#tree=0&view=tree"),
    ):
        with watched(browser, size, scheme) as window:
            window.go(page_file, fragment).screenshot(path=folder / f"{name}.png")
        assert 10_000 < (folder / f"{name}.png").stat().st_size < 300_000
