"""Pictures of trees of numbers: means, intervals, rows and histograms, in order."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from drawn import SVG, assert_is_tidy, texts
from number_tables import (
    HARD,
    HARD_CASES,
    LOSSES,
    REGRESSORS,
    hard_tree,
    houses,
    new_houses,
    regressor,
    tree_of,
)

from splitsecond import Tree
from splitsecond._trees.number_texts import NumberTexts
from splitsecond._trees.pictures.colours import COLOURS, INK, on_scale
from splitsecond._trees.pictures.histograms import histogram_of, on_axis
from splitsecond._trees.pictures.shapes import Box

every_loss = pytest.mark.parametrize("loss", LOSSES)
WORDS = {"squared_error": "mean", "poisson": "rate"}
SCORES = {"squared_error": "R^2", "poisson": "D^2"}


def nodes_of(tree: Tree, **given: Any) -> list[Any]:
    """Return the group of each node."""
    picture = tree._picture(given.get("X"), given.get("y"), given.get("path"))
    return [group for group in picture.groups if group.title is not None]


def bars_of(group: Any, colour: str) -> list[Box]:
    boxes = [shape for shape in group.shapes[1:] if isinstance(shape, Box)]
    return [box for box in boxes if box.fill == colour]


@pytest.mark.parametrize("weighted", [False, True])
@every_loss
@pytest.mark.parametrize("estimator", REGRESSORS)
def test_svg_says_all_there_is(estimator: Any, loss: str, weighted: bool) -> None:
    tree = tree_of(estimator, loss=loss, weighted=weighted)
    assert_is_tidy(tree)
    svg = tree.to_svg()
    said, root = texts(svg), ElementTree.fromstring(svg)
    words, word = NumberTexts(tree), WORDS[loss]
    assert root.get("aria-label", "").startswith(f"Regression tree: {tree.n_leaves} leaves, depth")
    for node in range(len(tree.feature)):
        rows = f"{tree.n_rows[node]} rows{words.weight(node)}"
        if tree.feature[node] >= 0:
            assert f"{tree.literals[int(tree.feature[node])]} ?" in " ".join(said)
            assert f"{rows} · {word} {words.label(node)}" in said
            continue
        assert words.label(node) in said
        assert words.interval(tree.labels[node], tree.intervals()[node]) in said
        assert rows in said
    assert any(line.startswith("histogram: training rows by their number, from") for line in said)
    assert any(line.startswith("[low, high], the line below a histogram: 95%") for line in said)
    assert any(line.startswith(f"{word} of a leaf: ") for line in said)
    titles = [title.text or "" for title in root.iter(f"{SVG}title")]
    assert len(titles) == len(tree.feature)
    for title, rows in zip(titles, tree.n_rows.tolist(), strict=True):
        assert f"training: {rows} rows" in title
        assert f"{word} " in title
        assert title.count(" to ") == len(tree.row_counts[0])  # type: ignore[index]
    assert not any(colour in svg for colour in COLOURS)  # those of classes


def test_histograms_are_those_of_the_rows() -> None:
    tree = tree_of()
    leaves = np.flatnonzero(tree.feature < 0).tolist()
    means = tree.labels[leaves]
    groups = nodes_of(tree)
    starts = set()
    for leaf in leaves:
        share = (tree.labels[leaf] - means.min()) / (means.max() - means.min())
        own = on_scale(share)
        box = groups[leaf].shapes[0]
        assert box.stroke == own
        bars = bars_of(groups[leaf], own)
        counts = tree.row_counts[leaf]  # type: ignore[index]
        assert len(bars) == np.count_nonzero(counts)
        heights = np.array([bar.height for bar in bars])
        assert heights / heights.max() == pytest.approx(counts[counts > 0] / counts.max(), abs=0.05)
        left = box.x + 7
        wide = {round(bar.width, 6) for bar in bars}
        assert len(wide) == 1
        starts |= {(round((bar.x - left) / (wide.copy().pop() + 1), 3)) for bar in bars}
        mark, interval = bars_of(groups[leaf], INK)
        # The axis is as long in each leaf, and the mean is within its interval.
        assert mark.width < 2
        assert interval.x <= mark.x <= interval.x + interval.width
    assert starts <= set(map(float, range(len(tree.bins) - 1)))  # type: ignore[arg-type]
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        assert not bars_of(groups[node], INK)


def test_places_on_the_axis() -> None:
    bins = np.array([0.0, 10.0, 20.0, 100.0])
    assert [on_axis(bins, value) for value in (-5, 0, 5, 15, 60, 100, 1e9, np.inf)] == (
        pytest.approx([0, 0, 1 / 6, 1 / 2, 5 / 6, 1, 1, 1])
    )
    assert on_axis(np.array([3.0, 3.0]), 3.0) == 0.5
    widest = np.array([-1.7e308, 0.0, 1.7e308])
    assert on_axis(widest, 0.85e308) == pytest.approx(0.75)
    assert on_axis(np.array([0.0, 5e-324]), 5e-324) == 1
    rows = np.array([2, 0, 4])
    drawn = histogram_of(bins, rows, 15, np.array([5.0, 60.0]))
    assert drawn.heights.tolist() == [0.5, 0, 1]
    assert drawn.limits == pytest.approx((1 / 6, 5 / 6))
    assert histogram_of(bins, rows, 15, np.array([-np.inf, np.inf])).limits is None
    assert histogram_of(bins, 0 * rows, 15, None).heights.tolist() == [0, 0, 0]


@pytest.mark.filterwarnings("ignore::splitsecond.DataWarning")
@pytest.mark.parametrize(("name", "loss"), HARD_CASES)
def test_numbers_that_are_hard_to_draw(name: str, loss: str) -> None:
    X, y = HARD[name]
    tree = hard_tree(name, loss)
    assert_is_tidy(tree)
    assert_is_tidy(tree, X=X, y=y, path=X[0])
    svg = tree.to_svg(X=X, y=y, path=X[0])
    ElementTree.fromstring(svg)
    assert "nan" not in svg
    assert 'width="inf' not in svg


@pytest.mark.parametrize("weighted", [False, True])
@every_loss
def test_new_rows_are_shown_beside_those_of_training(loss: str, weighted: bool) -> None:
    X, y, weights = houses()
    tree = tree_of(loss=loss)
    new = new_houses()
    given: Any = {"sample_weight": weights[:60]} if weighted else {}
    said = texts(tree.to_svg(X=new, y=y[:60], **given))
    words, word = NumberTexts(tree), WORDS[loss]
    score = tree.score(new, y[:60], given.get("sample_weight"))
    assert any(line.endswith(f"new rows ({SCORES[loss]} {score:.3f})") for line in said)
    leaves = tree.apply(new)
    present = weights[:60] > 0 if weighted else np.ones(60, dtype=bool)
    intervals = tree.intervals(X=new, y=y[:60], **given)
    for leaf in np.flatnonzero(tree.feature < 0):
        own = (leaves == leaf) & present
        mean = np.average(y[:60][own], weights=weights[:60][own] if weighted else None)
        interval = words.interval(mean, intervals[leaf])
        assert f"new: {own.sum()} rows · {word} {words.value(mean)} {interval}" in said
    without = texts(tree.to_svg(X=new))
    assert sum(line.startswith("new: ") for line in without) == len(tree.feature)
    assert not any("new:" in line and word in line for line in without)
    assert_is_tidy(tree, X=new, y=y[:60], path=X.iloc[0])
    few = texts(tree.to_svg(X=new.iloc[:1], y=y[:1]))
    assert "new: no rows" in few
    assert f"new: 1 row · {word} {words.value(y[0])}" in [line.split(" [")[0] for line in few]
    with pytest.raises(ValueError, match="y was given without X"):
        tree.to_svg(y=y)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        tree.to_svg(X=new, y=[np.nan] * 60)


def test_the_path_of_a_row_is_marked() -> None:
    X, _, _ = houses()
    tree = tree_of()
    groups = nodes_of(tree, path=X.iloc[0])
    marked = [i for i, group in enumerate(groups) if group.shapes[0].stroke == INK]
    assert marked[0] == 0
    assert marked[-1] == tree.apply(X.iloc[[0]])[0]


def test_a_lone_leaf() -> None:
    tree = hard_tree("constant", "squared_error")
    said = texts(tree.to_svg())
    assert said[0] == "mean of a leaf: 2.5"
    assert "2.5" in said
    assert "20 rows" in said
    assert_is_tidy(tree)


@every_loss
def test_matplotlib_draws_the_same(loss: str) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    X, y, _ = houses()
    tree = tree_of(loss=loss)
    ax = tree.plot(X=X, y=y, path=X.iloc[0])
    assert [text.get_text() for text in ax.texts] == texts(tree.to_svg(X=X, y=y, path=X.iloc[0]))
    ax.figure.canvas.draw()
    pyplot.close("all")


def test_wide_trees_are_folded() -> None:
    X, y, _ = houses()
    tree = regressor(max_depth=8, regularization=0.001).fit(X, y).tree_
    assert tree.n_leaves > 10
    assert_is_tidy(tree)
    assert "<svg" in tree._repr_html_()
