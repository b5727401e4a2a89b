"""The page on which to look through a set of trees."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli_files import run

from splitsecond import LicketySPLITClassifier, TreeFARMS, save

NAMES = ["plain", "</script><script>alert(1)</script>", "<!-- & \"quotes\" 'too' -->", "DATA"]


class Scripts(HTMLParser):
    """Collects what stands in script elements, and the addresses that a page would load."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.loaded: list[str] = []
        self._inside = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "script"
        if self._inside:
            self.scripts.append("")
        self.loaded += [str(value) for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.scripts[-1] += data


@pytest.fixture(scope="module")
def trees() -> Any:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (200, 4)), columns=NAMES)
    y = (X.iloc[:, 0] & X.iloc[:, 1]) ^ X.iloc[:, 2] ^ (rng.random(200) < 0.1)
    return TreeFARMS(regularization=0.01, epsilon=0.03, max_depth=3).fit(X, y).trees_


def test_the_page_holds_the_best_trees(trees: Any) -> None:
    found = Scripts(trees.to_html(max_trees=10))
    assert len(found.scripts) == 2
    assert found.loaded == []
    data = json.loads(found.scripts[0])
    assert data["about"].startswith(f"The best 10 of {trees.n_trees:,} trees")
    assert data["min_objective"] == trees.min_objective
    assert data == trees.to_explorer(max_trees=10)
    assert len(data["trees"]) == 10
    for i, (shown, tree) in enumerate(zip(data["trees"], trees[:10], strict=True)):
        assert shown["number"] == i
        assert shown["objective"] == tree.objective
        assert (shown["leaves"], shown["depth"]) == (tree.n_leaves, tree.depth)
        assert shown["accuracy"] == pytest.approx(1 - (tree.objective - 0.01 * tree.n_leaves))
        assert shown["svg"] == tree.to_svg()
        asked = {literal.name for literal in tree.literals.values()}
        assert {data["variables"][j] for j in shown["asks"]} == asked
    usage = [
        sum(j in tree["asks"] for tree in data["trees"]) for j in range(len(data["variables"]))
    ]
    assert usage == sorted(usage, reverse=True)


def test_a_small_set_is_shown_whole(trees: Any) -> None:
    few = trees.filter(max_leaves=int(trees[0].n_leaves), uses="plain").within(0.001)
    data = json.loads(Scripts(few.to_html()).scripts[0])
    assert len(data["trees"]) == few.n_trees
    assert data["about"].startswith(f"All {few.n_trees} tree")
    none = trees.filter(max_leaves=0)
    assert json.loads(Scripts(none.to_html()).scripts[0])["trees"] == []


def test_everything_that_the_script_looks_for_is_there(trees: Any) -> None:
    page = trees.to_html(max_trees=1)
    asked = set(re.findall(r'(?:at|getElementById|offer)\("(\w+)"', page))
    assert asked
    assert asked <= set(re.findall(r'id="(\w+)"', page))
    data = json.loads(Scripts(page).scripts[0])
    assert set(re.findall(r"\bdata\.(\w+)", page)) <= set(data)
    assert set(re.findall(r"\btree\.(\w+)", page)) <= set(data["trees"][0])


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True])
def test_a_number_of_trees(trees: Any, wrong: Any) -> None:
    with pytest.raises(ValueError, match="max_trees="):
        trees.to_html(max_trees=wrong)


def test_the_command(trees: Any, tmp_path: Path) -> None:
    model, page = tmp_path / "set.json", tmp_path / "set.html"
    save(trees, model)
    done = run("explore", model, "--top", 5, "--out", page)
    assert (done.exit_code, done.stdout) == (0, "")
    shown = json.loads(Scripts(page.read_text(encoding="utf-8")).scripts[0])
    assert len(shown["trees"]) == 5
    assert json.loads(run("explore", model, "--top", 5, "--json").stdout) == shown
    assert run("explore", model, "--top", 5).stdout.rstrip("\n") == page.read_text().rstrip("\n")
    again = run("explore", model, "--out", page)
    assert again.exit_code == 1
    assert "--force" in again.stderr


def test_a_single_tree_is_no_set(trees: Any, tmp_path: Path) -> None:
    X = np.array([[0], [1]] * 10)
    save(LicketySPLITClassifier().fit(X, X[:, 0]), tmp_path / "model.json")
    done = run("explore", tmp_path / "model.json")
    assert done.exit_code == 1
    assert "explore needs a set of trees, as rashomon --out writes it" in done.stderr
