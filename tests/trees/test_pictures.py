"""Pictures of trees: what they must contain, and that nothing overlaps or runs over."""

from __future__ import annotations

import re
import sys
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from drawn import SVG, assert_is_tidy, parity, texts
from hostile import NAMES, frames, new_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import examples
from sklearn import config_context
from sklearn.pipeline import make_pipeline

from splitsecond import (
    RESPLIT,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    Tree,
    TreeFARMS,
)
from splitsecond._trees.pictures import text_metrics
from splitsecond._trees.pictures.figures import plot_objectives
from splitsecond._trees.pictures.layout import picture_of
from splitsecond._trees.pictures.shapes import Box, Curve, Group, Picture, Text
from splitsecond._trees.pictures.svg import to_svg
from splitsecond._trees.pictures.text_metrics import on_one_line, shortened, width_of, wrapped
from splitsecond._trees.sizes import NodeTexts

HOSTILE = [
    "</svg><script>alert(1)</script>",
    "a & b",
    '" onload="alert(1)',
    "<!--",
    "]]>",
    "control \x00\x07",
    "$\\frac{1}{2}$",
    "&amp;",
]


def tree_of(n_leaves: int) -> Tree:
    if n_leaves in (2, 32):
        X, y = parity({2: 1, 32: 5}[n_leaves])
        tree = OptimalTreeClassifier(regularization=0, max_depth=5).fit(X, y).tree_
    else:
        rng = np.random.default_rng(n_leaves)
        X = pd.DataFrame({"a number": np.arange(400.0), "other": rng.normal(size=400).round(2)})
        y = np.array(["low", "middle", "high"])[(np.arange(400) * n_leaves // 400) % 3]
        tree = LicketySPLITClassifier(regularization=0.001, binarizer="midpoint").fit(X, y).tree_
    assert tree.n_leaves == n_leaves
    return tree


@pytest.mark.parametrize("n_leaves", [2, 5, 12, 32])
def test_svg_says_all_there_is(n_leaves: int) -> None:
    tree = tree_of(n_leaves)
    svg = tree.to_svg()
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    said = texts(svg)
    assert said.count("yes") == said.count("no") == n_leaves - 1
    for j in tree.feature:
        if j >= 0:
            assert f"{tree.literals[int(j)]} ?" in said
    for node in np.flatnonzero(tree.feature < 0):
        share = tree.shares()[node, tree.prediction[node]]
        assert f"{share:.0%} of {tree.n_rows[node]:,} rows" in said
    labels = [str(tree.classes[tree.prediction[node]]) for node in np.flatnonzero(tree.feature < 0)]
    for label in tree.classes:  # once more in the legend
        assert said.count(label) == labels.count(label) + 1
    inner = [node for node in range(len(tree.feature)) if tree.feature[node] >= 0]
    for node in inner:
        start = f"{tree.n_rows[node]:,} rows · "
        assert any(line.startswith(start) for line in said)
    # Width of edges: by rows.
    widths = [float(path.get("stroke-width", "")) for path in root.iter(f"{SVG}path")]
    rows = [tree.n_rows[child] for node in inner for child in (tree.left[node], tree.right[node])]
    expected = [max(14 * row / tree.n_rows[0], 1.2) for row in rows]
    assert widths == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("n_leaves", [2, 5, 12, 32])
def test_nothing_overlaps(n_leaves: int) -> None:
    assert_is_tidy(tree_of(n_leaves))


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(frames(max_columns=3), st.data())
def test_any_tree_is_tidy_and_well_formed(frame: Any, data: Any) -> None:
    model = LicketySPLITClassifier(regularization=0, max_depth=3, binarizer="midpoint")
    tree = model.fit(frame.pandas(), frame.y).tree_
    rows = data.draw(new_rows(frame))
    y = [frame.y[0]] * len(rows.y)
    names = [column.label for column in frame.columns]
    path = dict(zip(names, rows.rows()[0], strict=True))
    assert_is_tidy(tree)
    assert_is_tidy(tree, X=rows.pandas(), y=y, path=path)
    ElementTree.fromstring(tree.to_svg(X=rows.pandas(), y=y, path=path))


@pytest.mark.parametrize("name", [*HOSTILE, *NAMES, "x" * 300, "word " * 80, "日本語" * 40])
def test_any_name_label_and_value(name: str) -> None:
    X = pd.DataFrame({"n": range(20), name: [name, "b"] * 10})
    tree = OptimalTreeClassifier(max_depth=2, regularization=0).fit(X[[name]], X[name]).tree_
    svg = tree.to_svg()
    elements = list(ElementTree.fromstring(svg).iter())
    assert {element.tag for element in elements} <= {
        f"{SVG}{tag}" for tag in ("svg", "g", "title", "rect", "path", "text")
    }
    known = {"x", "y", "width", "height", "rx", "d", "fill", "stroke", "stroke-width", "font-size"}
    known |= {"viewBox", "role", "aria-label", "font-family", "font-weight"}
    assert {attribute for element in elements for attribute in element.attrib} <= known
    assert svg.count("http") == 1  # the name space
    assert_is_tidy(tree)
    html = tree._repr_html_()
    assert "<script" not in html
    assert html.count("<svg") == html.count("</svg>") == 1


def test_characters_that_xml_cannot_hold() -> None:
    shown = Text(0, 9, "a\x00\x1b\ud800\uffff<b>")
    svg = to_svg(Picture(10, 10, 'a "title" \x00', [Group("\ud800 &", [shown])]))
    root = ElementTree.fromstring(svg)
    assert texts(svg) == ["a\ufffd\ufffd\ufffd\ufffd<b>"]
    assert root.get("aria-label") == 'a "title" \ufffd'
    svg.encode()


def test_thresholds_are_never_cut() -> None:
    X = pd.DataFrame({"a long name, for a column of numbers, " * 9: [1.2345678901234567e-5, 1] * 9})
    tree = LicketySPLITClassifier().fit(X, [0, 1] * 9).tree_
    value = str(next(iter(tree.literals.values())).value)
    assert any(line.endswith(f"<= {value} ?") for line in texts(tree.to_svg()))
    near = [1.0, 1.0000000000000002]
    tree = LicketySPLITClassifier().fit(X.assign(x=near * 9)[["x"]], [0, 1] * 9).tree_
    assert "x <= 1 ?" in texts(tree.to_svg())


def test_new_rows_are_shown_beside_those_of_training() -> None:
    X, y = parity(2)
    tree = OptimalTreeClassifier(regularization=0, max_depth=2).fit(X, y).tree_
    new, labels = X.iloc[[0, 0, 1, 3]], ["even", "odd", "odd", "even"]
    said = texts(tree.to_svg(X=new, y=labels))
    assert sum(line.startswith("new: ") for line in said) == len(tree.feature)
    assert "new: 4 rows · 50% even" in said
    assert "new: 50% of 2 rows" in said
    assert "new: no rows" in said
    assert any("width of edges: new rows" in line for line in said)
    counted = tree._picture(new, labels, None)
    widths = [s.width for group in counted.groups for s in group.shapes if isinstance(s, Curve)]
    leaves = tree.apply(new)
    assert sorted(widths)[-2] == pytest.approx(14 * max(np.bincount(leaves)) / 4)
    without = texts(tree.to_svg(X=new))
    assert "new: 4 rows" in without
    assert not any("new:" in line and "%" in line for line in without)
    with pytest.raises(ValueError, match="y was given without X"):
        tree.to_svg(y=labels)
    with pytest.raises(ValueError, match="label 'other', which the model does not know"):
        tree.to_svg(X=new, y=["other"] * 4)
    with pytest.raises(ValueError, match="X lacks column"):
        tree.to_svg(X=new[["question 0"]], y=labels)


def marked(tree: Tree, path: Any) -> set[int]:
    picture = tree._picture(None, None, path)
    nodes = [group.shapes[0] for group in picture.groups if group.title is not None]
    return {i for i, box in enumerate(nodes) if isinstance(box, Box) and box.stroke_width > 2}


def test_the_path_of_a_row_is_marked() -> None:
    X, y = parity(3)
    X = X.assign(size=pd.Categorical(["S", "M", "L"] * 8, ["S", "M", "L"], ordered=True))
    model = OptimalTreeClassifier(regularization=0, max_depth=3).fit(X, y)
    tree = model.tree_
    for i in range(8):
        leaf = int(model.apply(X.iloc[[i]])[0])
        path = marked(tree, X.iloc[[i]])
        assert leaf in path
        assert 0 in path
        assert len(path) == 4
        assert marked(tree, X.iloc[i]) == path  # a series
        assert marked(tree, X.iloc[i].to_dict()) == path
        assert marked(tree, X.iloc[i].tolist()) == path
    bold = re.findall(r'font-weight="bold">(yes|no)<', tree.to_svg(path=X.iloc[0]))
    assert len(bold) == 3
    assert not re.search(r'font-weight="bold">(yes|no)<', tree.to_svg())
    with pytest.raises(ValueError, match="lacks a value for 'question"):
        tree.to_svg(path={"size": "S"})
    with pytest.raises(ValueError, match="One row was expected, got 24"):
        tree.to_svg(path=X)


def test_a_row_of_any_library() -> None:
    X, y = parity(2)
    tree = OptimalTreeClassifier(regularization=0, max_depth=2).fit(X, y).tree_
    path = marked(tree, X.iloc[[1]])
    row = X.iloc[1].tolist()
    assert marked(tree, np.array(row)) == marked(tree, [row]) == marked(tree, tuple(row)) == path
    assert marked(tree, scipy.sparse.csr_matrix([row])) == path
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    columns = {name: [value] for name, value in zip(X.columns, row, strict=True)}
    assert marked(tree, polars.DataFrame(columns)) == path
    assert marked(tree, pyarrow.table(columns)) == path


def test_a_path_through_intervals() -> None:
    ages = pd.Series(np.arange(40.0))
    X = pd.DataFrame({"age": pd.cut(ages, [-1, 10, 20, 50])})
    tree = LicketySPLITClassifier().fit(X, ages > 20).tree_
    assert marked(tree, X.iloc[0]) == marked(tree, X.iloc[[0]])
    assert marked(tree, {"age": None}) == marked(tree, X.iloc[[30]])


def test_a_lone_leaf_and_one_class() -> None:
    for y in (["a"] * 4, ["a", "a", "b", "a"]):
        tree = LicketySPLITClassifier(max_depth=0).fit([[0], [1], [0], [1]], y).tree_
        assert "a" in texts(tree.to_svg())
        assert_is_tidy(tree)


def test_many_classes() -> None:
    X = pd.DataFrame({"x": np.arange(200.0)})
    model = LicketySPLITClassifier(regularization=0, binarizer="midpoint", max_depth=5)
    tree = model.fit(X, np.arange(200) // 10).tree_
    assert_is_tidy(tree)
    assert "and 6 more" in texts(tree.to_svg())


# matplotlib


@pytest.fixture
def pyplot() -> Any:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.mark.parametrize("n_leaves", [2, 5, 12, 32])
def test_matplotlib_draws_the_same(n_leaves: int, pyplot: Any) -> None:
    tree = tree_of(n_leaves)
    ax = tree.plot()
    assert [text.get_text() for text in ax.texts] == texts(tree.to_svg())
    ax.figure.canvas.draw()
    picture = picture_of(NodeTexts(tree), None, [])
    assert ax.figure.get_size_inches() == pytest.approx([picture.width / 72, picture.height / 72])


def test_text_fits_its_boxes_in_a_real_font(pyplot: Any) -> None:
    X, y = parity(3, ["MWQ@%", "a rather long name with Capitals, and %", "it was 1234567890 <= 3"])
    tree = OptimalTreeClassifier(regularization=0, max_depth=3).fit(X, y).tree_
    ax = tree.plot(path=X.iloc[0])
    picture = tree._picture(None, None, X.iloc[0])
    drawn = iter(ax.texts)
    for group in picture.groups:
        for shape in group.shapes:
            if isinstance(shape, Text):
                wide = next(drawn).get_window_extent().transformed(ax.transData.inverted()).width
                assert wide <= width_of(shape.text, shape.size, bold=shape.bold) + 1


def test_plot_in_axes_of_ones_own(pyplot: Any) -> None:
    tree = tree_of(5)
    figure, axes = pyplot.subplots(1, 2, figsize=(8, 3))
    assert tree.plot(axes[0]) is axes[0]
    assert tree.plot(ax=axes[1], path={"a number": 3, "other": 0}) is axes[1]
    assert axes[0].texts[0].get_size() < tree.plot().texts[0].get_size()
    figure.canvas.draw()


def test_dollars_are_dollars(pyplot: Any) -> None:
    X = pd.DataFrame({"$\\frac{1}$": [0, 1] * 10})
    tree = LicketySPLITClassifier().fit(X, X.iloc[:, 0]).tree_
    tree.plot().figure.canvas.draw()
    model = TreeFARMS(regularization=0.1).fit(X, X.iloc[:, 0])
    ax = model.trees_.plot_usage()
    ax.figure.canvas.draw()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["$\\frac{1}$"]


def test_plots_of_a_set(pyplot: Any) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (200, 6)), columns=list("abcdef"))
    y = (X["a"] & X["b"]) ^ (rng.random(200) < 0.1)
    trees = RESPLIT(regularization=0.01, epsilon=0.03, max_depth=3).fit(X, y).trees_
    ax = trees.plot_objectives()
    assert all(tick == int(tick) for tick in ax.get_yticks())  # no half trees
    bars = [bar.get_height() for bar in ax.patches]
    assert sum(bars) == trees.n_trees
    assert ax.get_xlim()[0] <= trees.min_objective <= trees.bound <= ax.get_xlim()[1]
    ax.figure.canvas.draw()
    usage = trees.feature_usage()
    ax = trees.plot_usage(max_variables=3)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(usage)[:3]
    shares = [bar.get_width() for bar in ax.patches]
    assert shares == pytest.approx([count / trees.n_trees for count in list(usage.values())[:3]])
    ax = trees.plot_usage(pyplot.subplots()[1], by="question")
    ax.figure.canvas.draw()
    empty = trees.filter(max_leaves=0)
    with pytest.raises(ValueError, match="the set is empty"):
        empty.plot_objectives()
    with pytest.raises(ValueError, match="max_variables=0"):
        trees.plot_usage(max_variables=0)
    one = trees.filter(max_leaves=2)
    if one.n_trees:
        one.plot_objectives().figure.canvas.draw()


def test_a_single_tree_among_many_is_seen(pyplot: Any) -> None:
    ax = plot_objectives([(0.1, 0.15, 1), (0.15, 0.2, 1000)], 0.2)
    assert ax.get_yscale() == "log"
    assert ax.get_ylim()[0] <= 0.5


def test_sets_beyond_all_floats(pyplot: Any) -> None:
    bins = [(0.1, 0.2, 1), (0.2, 0.3, 10**400), (0.3, 0.4, 3 * 10**400)]
    ax = plot_objectives(bins, 0.4)
    assert ax.get_ylabel() == "share of the trees"
    assert sum(bar.get_height() for bar in ax.patches) == pytest.approx(1)
    ax.figure.canvas.draw()


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    tree = tree_of(2)
    with pytest.raises(ImportError, match=r'pip install "\.\[plot\]"'):
        tree.plot()
    assert tree.to_svg()


# Notebooks


@pytest.mark.parametrize("classifier", [LicketySPLITClassifier, RESPLIT, TreeFARMS])
def test_notebooks_show_fitted_models_as_trees(classifier: Any) -> None:
    estimator = classifier()
    X, y = parity(2)
    X.columns = ["</svg><script>", "b"]
    diagram = estimator._repr_mimebundle_()["text/html"]
    assert "sk-" in diagram
    assert "Decision tree:" not in diagram
    estimator.set_params(regularization=0.01, max_depth=2).fit(X, y)
    bundle = estimator._repr_mimebundle_(include=None, exclude=None)
    assert bundle["text/plain"] == repr(estimator)
    html = bundle["text/html"]
    shown, parameters = html.split("<details>", 1)
    assert estimator._repr_html_().split("<details>")[0] == shown
    assert estimator.tree_.to_svg() in html
    assert "<script>" not in shown
    assert "4 leaves, depth 2, 12 rows" in shown
    assert "<summary>parameters</summary>" in parameters
    with config_context(display="text"):
        assert set(estimator._repr_mimebundle_()) == {"text/plain"}
        assert not hasattr(estimator, "_repr_html_")
    # A pipeline still is scikit-learn's to show.
    assert "Decision tree:" not in make_pipeline(estimator)._repr_mimebundle_()["text/html"]


# Lettering


def test_names_of_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long names are abbreviated, whole in the tooltip, and measured no farther than drawn."""
    measured = 0
    width_of_letter = text_metrics._letter

    def counted(letter: str) -> float:
        nonlocal measured
        measured += 1
        return width_of_letter(letter)

    monkeypatch.setattr(text_metrics, "_letter", counted)
    work = []
    for length in (5_000, 50_000):
        measured = 0
        X, y = parity(2, ["Q" * length, "i_" * length])
        tree = OptimalTreeClassifier(regularization=0).fit(X, np.char.multiply(y, length)).tree_
        picture = ElementTree.fromstring(tree.to_svg())
        texts = [text.text or "" for text in picture.iter(f"{SVG}text")]
        assert max(map(len, texts)) < 100
        assert any("…" in text for text in texts)
        titles = "".join(title.text or "" for title in picture.iter(f"{SVG}title"))
        assert "Q" * length in titles
        assert "i_" * length in titles
        assert "even" * length in titles
        work.append(measured)
    assert work[1] <= work[0]  # no more than what is drawn


def test_lines_are_broken_where_they_may_be() -> None:
    assert wrapped("short", 100, 12) == ["short"]
    lines = wrapped("one_two_three four-five", 60, 12, max_lines=9)
    assert "".join(lines).replace(" ", "") == "one_two_threefour-five"
    assert all(width_of(line, 12) <= 60 for line in lines)
    for most in (1, 2, 3):
        lines = wrapped("abc " * 100 + "the end", 90, 12, max_lines=most)
        assert len(lines) <= most
        assert "…" in "".join(lines)
        assert lines[-1].endswith("end")


@given(st.text(max_size=60), st.floats(30, 200), st.integers(1, 4))
def test_wrapped_text_fits(text: str, room: float, most: int) -> None:
    shown = on_one_line(text)
    assert shown
    assert width_of(shortened(shown, room, 12), 12) <= room
    lines = wrapped(shown, room, 12, max_lines=most)
    assert 1 <= len(lines) <= most
    assert all(width_of(line, 12) <= room for line in lines)


def test_widths_add_up_alike_in_every_python() -> None:
    """From 3.12 on, `sum` makes 1.0 of these."""
    assert text_metrics.total([0.1] * 10) == 0.9999999999999999
