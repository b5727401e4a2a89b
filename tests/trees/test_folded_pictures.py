"""Pictures of trees that would be wider than a page: their chains run down."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from drawn import assert_is_tidy, parity, texts

from splitsecond import LicketySPLITClassifier, OptimalTreeClassifier, Tree
from splitsecond._trees.pictures.layout import Box, Curve, Picture, Text, picture_of
from splitsecond._trees.pictures.placing import PAGE
from splitsecond._trees.sizes import NodeTexts


def chain(depth: int, *, down: str = "no") -> Tree:
    """A tree whose every question has a leaf on one side."""
    stays, ends = (0, 1) if down == "no" else (1, 0)
    places = np.tile(np.arange(depth + 1), 40)
    rows = np.full((len(places), depth), stays)
    for row, place in zip(rows, places, strict=True):
        row[place : place + 1] = ends
    X = pd.DataFrame(rows, columns=[f"a question of number {j}" for j in range(depth)])
    y = np.array(["granted", "refused"])[places % 2]
    tree = LicketySPLITClassifier(regularization=0, max_depth=depth).fit(X, y).tree_
    assert (tree.depth, tree.n_leaves) == (depth, depth + 1)
    return tree


def boxes(picture: Picture) -> list[Box]:
    found = [group.shapes[0] for group in picture.groups if group.title is not None]
    assert all(isinstance(box, Box) for box in found)
    return [box for box in found if isinstance(box, Box)]


@pytest.mark.parametrize("down", ["yes", "no"])
@pytest.mark.parametrize("depth", [6, 8, 12, 20])
def test_a_chain_runs_down_a_page(depth: int, down: str) -> None:
    tree = chain(depth, down=down)
    picture = tree._picture(None, None, None)
    assert picture.width <= PAGE / 2
    assert picture.height <= 110 * (depth + 1)
    assert_is_tidy(tree)
    drawn = boxes(picture)
    inner = [drawn[i] for i in range(len(drawn)) if tree.feature[i] >= 0]
    leaves = [drawn[i] for i in range(len(drawn)) if tree.feature[i] < 0]
    assert {box.x for box in inner} == {inner[0].x}
    assert {box.x for box in leaves} == {leaves[0].x}
    assert inner == sorted(inner, key=lambda box: box.y)
    said = texts(tree.to_svg())
    assert said.count("yes") == said.count("no") == depth


def test_what_fits_a_page_is_not_folded() -> None:
    tree = chain(3)
    drawn = boxes(tree._picture(None, None, None))
    assert len({box.x for box in drawn}) == 4
    narrow = picture_of(NodeTexts(tree), None, [], page=600)
    assert narrow.width <= 600
    assert len({box.x for box in boxes(narrow)}) == 2


def test_a_full_tree_keeps_its_columns() -> None:
    X, y = parity(5)
    tree = OptimalTreeClassifier(regularization=0, max_depth=5).fit(X, y).tree_
    picture = picture_of(NodeTexts(tree), None, [], page=600)
    assert picture.width > 600
    assert len({box.x for box in boxes(picture)}) == 6


def mixed_tree() -> Tree:
    """A chain with a subtree of two leaves instead of a leaf at every question."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a number with a long name": np.arange(400.0), "other": rng.random(400)})
    y = np.where(np.arange(400) // 25 % 2, "low", "high")
    y = np.where((X["other"] < 0.1) & (np.arange(400) % 3 == 0), "other", y)
    model = LicketySPLITClassifier(regularization=0.0001, max_depth=9, binarizer="midpoint")
    return model.fit(X, y).tree_


@pytest.mark.parametrize("page", [300, 700, 1100, 1500, 4000])
def test_any_page_is_tidy(page: float, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = mixed_tree()
    widths = [
        picture_of(NodeTexts(tree), None, [], page=wide).width for wide in (page, 10 * page, 1e9)
    ]
    assert widths == sorted(widths)

    def narrow(*_: Any) -> Picture:
        return picture_of(NodeTexts(tree), None, [], page=page)

    monkeypatch.setattr(Tree, "_picture", narrow)
    assert_is_tidy(tree)


def test_edges_end_at_their_boxes() -> None:
    tree = chain(8)
    path = tree.to_svg(path=[0] * 8)
    assert path.count('font-weight="bold">no<') == 8
    picture = tree._picture(None, None, None)
    drawn = boxes(picture)
    down = [
        shape
        for group in picture.groups
        for shape in group.shapes
        if isinstance(shape, Curve) and shape.x0 == shape.x1
    ]
    inner = [drawn[i] for i in range(len(drawn)) if tree.feature[i] >= 0]
    assert [(edge.y0, edge.y1) for edge in down] == [
        (pytest.approx(above.y + above.height), pytest.approx(below.y))
        for above, below in itertools.pairwise(inner)
    ]


# Numbers on bars


def bar_numbers(picture: Picture) -> list[str]:
    return [
        shape.text
        for group in picture.groups
        for shape in group.shapes
        if isinstance(shape, Text) and shape.size < 9
    ]


def test_bars_say_how_many_rows_where_there_is_room() -> None:
    X = pd.DataFrame({"x": [0] * 1000 + [1] * 500})
    y = ["no"] * 999 + ["yes"] + ["yes"] * 300 + ["no"] * 200
    tree = LicketySPLITClassifier(regularization=0.01).fit(X, y).tree_
    # One row of a thousand has no room.
    assert bar_numbers(tree._picture(None, None, None)) == ["1,199", "301", "200", "300", "999"]
    new = tree._picture(X[:1], ["no"], None)
    assert bar_numbers(new).count("1") == 2


def test_weights_are_no_rows() -> None:
    X, y = [[0], [1]] * 20, ["a", "b"] * 20
    model = LicketySPLITClassifier(regularization=0.01).fit(X, y, sample_weight=[1.5, 2.5] * 20)
    assert set(bar_numbers(model.tree_._picture(None, None, None))) == {"20"}


def test_numbers_keep_clear_of_intervals() -> None:
    X, y = [[0], [1]] * 6, (["a", "b"] * 5) + ["b", "a"]
    tree = LicketySPLITClassifier(loss="log_loss", regularization=0).fit(X, y).tree_
    for group in tree._picture(None, None, None).groups:
        lines = [shape for shape in group.shapes if isinstance(shape, Box) and shape.height < 2]
        for line in lines:
            for shape in group.shapes:
                if isinstance(shape, Text) and shape.size < 9:
                    ends = shape.x + 6 * len(shape.text)
                    assert ends <= line.x or shape.x >= line.x + line.width
