"""What the page of a set is made of; tests/browser looks at the page itself."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli_files import run

from splitsecond import RESPLIT, LicketySPLITClassifier, TreeFARMS, save

NAMES = ["plain", "</script><script>alert(1)</script>", "<!-- & \"quotes\" 'too' -->", "@DATA@"]


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


def table(seed: int = 0) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 2, (200, 4)), columns=NAMES)
    y = (X.iloc[:, 0] & X.iloc[:, 1]) ^ X.iloc[:, 2] ^ (rng.random(200) < 0.1)
    return X, y


@pytest.fixture(scope="module")
def trees() -> Any:
    return TreeFARMS(regularization=0.01, epsilon=0.03, max_depth=3).fit(*table()).trees_


def nodes_of(data: dict[str, Any]) -> list[list[tuple[int, int]]]:
    """Question and facts of the nodes of each tree, in preorder."""
    shown = data["trees"]
    found: list[list[tuple[int, int]]] = []
    open_places = 0
    for node in zip(shown["questions"], shown["facts"], strict=True):
        if open_places == 0:
            found.append([])
            open_places = 1
        found[-1].append(node)
        open_places += 1 if node[0] >= 0 else -1
    return found


def preorder(tree: Any, node: int = 0) -> list[int]:
    if tree.feature[node] < 0:
        return [node]
    return [node, *preorder(tree, tree.left[node]), *preorder(tree, tree.right[node])]


def check_trees(data: dict[str, Any], trees: Any, held_out: Any = None) -> None:
    """The arrays say what the trees do."""
    shown, n_classes = data["trees"], len(data["classes"])
    found = nodes_of(data)
    assert len(found) == len(shown["objective"])
    for number, nodes in enumerate(found):
        tree = trees[number]
        assert shown["objective"][number] == tree.objective
        for (question, fact), node in zip(nodes, preorder(tree), strict=True):
            if question < 0:
                assert tree.feature[node] < 0
            else:
                literal = tree.literals[int(tree.feature[node])]
                assert data["questions"][question]["yes"] == str(literal)
                variable = data["questions"][question]["variable"]
                assert data["variables"][variable]["name"] == literal.name
            cells = slice(fact * n_classes, (fact + 1) * n_classes)
            assert shown["says"][fact] == tree.prediction[node]
            assert shown["rows"][cells] == tree.row_counts[node].tolist()
            if shown["weights"] is None:
                assert not tree.is_weighted
            else:
                assert shown["weights"][cells] == pytest.approx(tree.counts[node], rel=1e-5)
            if held_out is not None:
                X, codes = held_out
                reached = tree.apply(X)
                below = np.isin(reached, preorder(tree, node))
                counts = np.bincount(codes[below], minlength=n_classes)
                assert shown["held_out"][cells] == counts.tolist()


def test_the_page_holds_the_best_trees(trees: Any) -> None:
    found = Scripts(trees.to_html(max_trees=10))
    assert len(found.scripts) == 2
    assert found.loaded == []
    data = json.loads(found.scripts[0])
    assert data["about"].startswith(f"The best 10 of {trees.n_trees:,} trees")
    assert data["min_objective"] == trees.min_objective
    assert data == json.loads(json.dumps(trees.to_explorer(10)))
    assert data["n_trees"] == str(trees.n_trees)
    assert len(data["trees"]["objective"]) == 10
    check_trees(data, trees)


def test_usage_and_groups_are_of_all_trees(trees: Any) -> None:
    data = trees.to_explorer(20)
    names = [variable["name"] for variable in data["variables"]]
    usage = trees.feature_usage()
    assert dict(zip(names, data["usage"], strict=True)) == {
        name: str(usage.get(name, 0)) for name in names
    }
    groups = trees.groups(max_trees=20)
    assert [(group["first"], group["n_trees"]) for group in data["groups"]] == [
        (group.number, str(group.n_trees)) for group in groups
    ]
    first = [
        int(n)
        for n, after in zip(data["overview"]["n_trees"], data["overview"]["after"], strict=True)
        if after == -1
    ]
    assert sum(first) == trees.n_trees


def test_weights_and_held_out_rows() -> None:
    X, y = table()
    weights = np.where(np.arange(len(X)) % 3, 1.0, 2.5)
    model = RESPLIT(regularization=0.01, epsilon=0.02, max_depth=3, lookahead_depth=2)
    trees = model.fit(X, y, sample_weight=weights).trees_
    new, said = table(1)
    data = trees.to_explorer(15, X=new, y=said)
    assert data["trees"]["weights"] is not None
    check_trees(data, trees, (new, np.asarray(said, dtype=int)))
    facts = dict(data["facts"])
    assert facts["Held-out rows"] == "200"
    assert facts["Weighted"] == "yes"
    assert facts["Search"] == "RESPLIT"
    without = trees.to_explorer(15, X=new)
    assert not without["held_out_by_class"]
    assert without["criteria"] == []
    assert without["trees"]["held_out"][without["trees"]["facts"][0]] == 200


def test_rows_must_come_with_their_classes(trees: Any) -> None:
    X, y = table()
    with pytest.raises(ValueError, match="give these as X"):
        trees.to_html(y=y)
    with pytest.raises(ValueError, match="the classes of the rows are needed"):
        trees.to_html(X=X, groups="plain")


def test_what_a_case_answers() -> None:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, 120).round(1),
            "colour": rng.choice(["red", "green", "blue"], 120),
            "flag": rng.random(120) < 0.5,
        }
    )
    frame.loc[rng.random(120) < 0.2, "age"] = None
    y = ((frame["age"].fillna(0) > 40) ^ (frame["colour"] == "red")).map({True: "a", False: "b"})
    trees = TreeFARMS(regularization=0.02, epsilon=0.1, max_depth=2).fit(frame, y).trees_
    data = trees.to_explorer(50)
    known = {question["yes"]: question for question in data["questions"]}
    numbers = [each for each in known.values() if "at_most" in each]
    assert numbers
    assert any(each.get("missing") for each in known.values())
    for each in known.values():
        variable = data["variables"][each["variable"]]
        if "among" in each:
            chosen = [variable["categories"][i] for i in each["among"]]
            assert each["yes"] == f'colour == "{chosen[0]}"'


def test_a_small_set_is_shown_whole(trees: Any) -> None:
    few = trees.filter(max_leaves=int(trees[0].n_leaves), uses="plain").within(0.001)
    data = json.loads(Scripts(few.to_html()).scripts[0])
    assert len(data["trees"]["objective"]) == few.n_trees
    assert data["about"].startswith(f"All {few.n_trees} tree")
    none = trees.filter(max_leaves=0)
    assert json.loads(Scripts(none.to_html()).scripts[0])["trees"]["objective"] == []


def test_labels_that_are_no_text_in_utf_8() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
    y = np.where(X[:, 0] == 1, "\ud800", "b").astype(object)
    page = TreeFARMS(epsilon=0.1, max_depth=2).fit(X, y).trees_.to_html()
    page.encode("utf-8")
    assert json.loads(Scripts(page).scripts[0])["classes"] == ["b", "\ud800"]


def test_a_thousand_trees_are_small(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(400, 8)).round(2)).rename(columns=lambda j: f"column {j}")
    y = (X["column 0"] + X["column 1"] * X["column 2"] + rng.normal(size=400) > 0).astype(int)
    trees = TreeFARMS(regularization=0.01, epsilon=0.04, max_depth=4).fit(X, y).trees_
    assert trees.n_trees > 1000
    path = tmp_path / "page.html"
    page = trees.to_html(path, X=X, y=y)
    assert path.read_text(encoding="utf-8") == page
    assert path.stat().st_size < 1_000_000


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True])
def test_a_number_of_trees(trees: Any, wrong: Any) -> None:
    with pytest.raises(ValueError, match="max_trees="):
        trees.to_html(max_trees=wrong)


def test_a_path_that_is_none(trees: Any) -> None:
    with pytest.raises(TypeError, match="path=200 must be the name of a file"):
        trees.to_html(200)


def test_notebooks_show_the_page_in_a_frame(trees: Any) -> None:
    shown = trees._repr_html_()
    assert shown.startswith("<iframe ")
    assert shown.count("<") == 2  # the page is text of an attribute
    assert "allow-same-origin" not in shown


def test_the_command(trees: Any, tmp_path: Path) -> None:
    model, page = tmp_path / "set.json", tmp_path / "set.html"
    save(trees, model)
    done = run("explore", model, "--top", 5, "--out", page)
    assert (done.exit_code, done.stdout) == (0, "")
    shown = json.loads(Scripts(page.read_text(encoding="utf-8")).scripts[0])
    assert len(shown["trees"]["objective"]) == 5
    assert json.loads(run("explore", model, "--top", 5, "--json").stdout) == shown
    assert run("explore", model, "--top", 5).stdout.rstrip("\n") == page.read_text().rstrip("\n")
    again = run("explore", model, "--out", page)
    assert again.exit_code == 1
    assert "--force" in again.stderr


def test_the_command_with_held_out_rows(trees: Any, tmp_path: Path) -> None:
    model, rows = tmp_path / "set.json", tmp_path / "rows.csv"
    save(trees, model)
    X, y = table(1)
    X.assign(y=y.astype(int)).to_csv(rows, index=False)
    options = ("--top", 5, "--name", "rows", "--group", "plain")
    shown = json.loads(run("explore", model, rows, "--target", "y", *options, "--json").stdout)
    same = trees.to_explorer(5, X=X, y=y, groups="plain", name="rows", target="y")
    assert shown == json.loads(json.dumps(same))
    assert any("[plain=" in each["name"] for each in shown["criteria"])
    done = run("explore", model, "--target", "y")
    assert done.exit_code == 1
    assert "name their FILE" in done.stderr


def test_a_single_tree_is_no_set(trees: Any, tmp_path: Path) -> None:
    X = np.array([[0], [1]] * 10)
    save(LicketySPLITClassifier().fit(X, X[:, 0]), tmp_path / "model.json")
    done = run("explore", tmp_path / "model.json")
    assert done.exit_code == 1
    assert "explore needs a set of trees, as rashomon --out writes it" in done.stderr
