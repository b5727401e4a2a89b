"""What trees say that price or choose, in text and pictures, and that others say what they did."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from splitsecond import LicketySPLITClassifier, Tree, TreeFARMS
from splitsecond._solving.losses import BRIER, LOG_LOSS, Costs
from splitsecond._tables.columns import Kind, Variable
from splitsecond._tables.literals import Literal
from splitsecond._trees.pictures.colours import colour_of, mixed
from splitsecond._trees.pictures.shapes import Box, Text
from splitsecond._trees.pictures.text_metrics import width_of
from splitsecond._trees.sizes import probability

SVG = "{http://www.w3.org/2000/svg}"
THREE = Costs(
    ((Fraction(0), Fraction(10)), (Fraction(2), Fraction(0)), (Fraction(1), Fraction(1))),
    ("approve", "reject", "refer"),
)


def tree(loss: Any = None) -> Tree:
    """Return a tree of three leaves, made by hand so that no fit can change it."""
    counts = np.array([[700, 300], [580, 20], [120, 280], [90, 30], [30, 250]], dtype=float)
    made = Tree(
        feature=np.array([0, -1, 1, -1, -1], dtype=np.int32),
        left=np.array([1, -1, 3, -1, -1], dtype=np.int32),
        right=np.array([2, -1, 4, -1, -1], dtype=np.int32),
        counts=counts,
        n_rows=counts.sum(axis=1).astype(np.int64),
        classes=np.array(["paid", "lost"]),
        literals={0: Literal(0, "debt", "<=", 2.5), 1: Literal(1, "member", "is 1", None)},
        variables={
            0: Variable("debt", "debt", Kind.NUMBER),
            1: Variable("member", "member", Kind.BINARY),
        },
        n_columns=2,
        objective=0.11,
        row_counts=counts.astype(np.int64),
    )
    return made if loss is None else replace(made, loss=loss)


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


# Trees of zero_one


def test_what_a_tree_that_decides_prints() -> None:
    assert tree().to_text() == (
        "debt <= 2.5 ?       1,000 rows\n"
        "|- yes  -> paid      97%  (580/600)\n"
        "|- no   member ?    400 rows\n"
        "   |- yes  -> paid   75%  (90/120)\n"
        "   |- no   -> lost   89%  (250/280)"
    )
    assert str(tree()) == tree().to_text() == tree().to_text(level=None)


def test_what_a_tree_that_decides_draws() -> None:
    assert tree().to_dot() == (
        'digraph tree {\n  node [shape=box, fontname="sans-serif"];\n'
        '  0 [label="debt <= 2.5 ?\\n1,000 rows"];\n'
        '  0 -> 1 [label="yes"];\n  0 -> 2 [label="no"];\n'
        '  1 [label="paid\\n97% of 600 rows", style=rounded];\n'
        '  2 [label="member ?\\n400 rows"];\n'
        '  2 -> 3 [label="yes"];\n  2 -> 4 [label="no"];\n'
        '  3 [label="paid\\n75% of 120 rows", style=rounded];\n'
        '  4 [label="lost\\n89% of 280 rows", style=rounded];\n}'
    )
    # To the byte, so that a change of what all trees look like is deliberate.
    assert (
        hashlib.sha256(tree().to_svg().encode()).hexdigest()
        == "53f814e8bb7e18785b445d6cdc884b12e63909502ce0c82d6b2500bd96b45279"
    )


def test_what_a_tree_that_decides_exports() -> None:
    assert tree().to_sql() == (
        "CASE\n  WHEN \"debt\" <= 2.5 THEN 'paid'\n  ELSE\n    CASE\n"
        "      WHEN \"member\" = 1 THEN 'paid'\n      ELSE 'lost'\n    END\nEND"
    )
    source = tree().to_python()
    assert source.startswith(
        'def predict(row=None, /, **columns):\n    """Predict the class of a row: a tree of 3 '
        "leaves, learnt from 1,000 rows.\n\n"
    )
    assert source.endswith(
        "    if number(row['debt']) <= 2.5:\n        return 'paid'\n"
        "    if number(row['member']) == 1.0:\n        return 'paid'\n    return 'lost'\n"
    )
    assert (
        hashlib.sha256(source.encode()).hexdigest()
        == "53654f78b1820bb1b6f027eca2cc9dd047cc1be376fa132b7d45c2bbfe0f45aa"
    )


def test_intervals_of_decisions_on_request() -> None:
    assert tree().to_text(level=0.9).splitlines()[1:] == [
        "|- yes  -> paid      97% [95%, 98%]    (580/600)",
        "|- no   member ?    400 rows",
        "   |- yes  -> paid   75% [68%, 81%]    (90/120)",
        "   |- no   -> lost   89% [86%, 92%]    (250/280)",
        "[low, high]: 90% interval (Jeffreys)",
    ]
    assert "paid\\n75% [68%, 81%] of 120 rows" in tree().to_dot(level=0.9)
    said = texts(tree().to_svg(level=0.9))
    assert "75% [68%, 81%] of 120 rows" in said
    assert "[low, high], the line on a bar: 90% interval (Jeffreys)" in said


# Trees that say probabilities


@pytest.mark.parametrize("loss", [BRIER, LOG_LOSS])
def test_the_probability_of_the_second_class(loss: Any) -> None:
    assert tree(loss).to_text() == (
        "debt <= 2.5 ?       1,000 rows\n"
        "|- yes  -> paid     p(lost) 0.033 [0.021, 0.050]  (20/600)\n"
        "|- no   member ?    400 rows\n"
        "   |- yes  -> paid  p(lost) 0.250 [0.179, 0.333]  (30/120)\n"
        "   |- no   -> lost  p(lost) 0.893 [0.853, 0.925]  (250/280)\n"
        "[low, high]: 95% interval (Jeffreys)"
    )
    plain = tree(loss).to_text(level=None).splitlines()
    assert plain[3] == "   |- yes  -> paid  p(lost) 0.250  (30/120)"
    lines = tree(loss).to_text(level=0.999, method="wilson").splitlines()
    low, high = tree().intervals(0.999, "wilson")[3, 1]
    assert lines[3].endswith(f"p(lost) 0.250 [{low:.3f}, {high:.3f}]  (30/120)")
    assert lines[-1] == "[low, high]: 99.9% interval (Wilson)"
    dot = tree(loss).to_dot()
    assert 'label="paid\\np(lost) 0.250 [0.179, 0.333]\\n120 rows"' in dot
    assert 'graph [label="[low, high]: 95% interval (Jeffreys)"' in dot
    assert "graph [" not in tree(loss).to_dot(level=None)


def test_the_probability_in_a_picture() -> None:
    svg = tree(BRIER).to_svg()
    said = texts(svg)
    assert "p(lost) 0.250 [0.179, 0.333]" in said
    assert {"600 rows", "120 rows", "280 rows"} <= set(said)
    assert "400 rows · p(lost) 0.700" in said
    assert "[low, high], the line on a bar: 95% interval (Jeffreys)" in said
    titles = [each.text or "" for each in ElementTree.fromstring(svg).iter(f"{SVG}title")]
    assert any("paid: 0.750 [0.667, 0.821]\nlost: 0.250 [0.179, 0.333]" in each for each in titles)
    without = tree(BRIER).to_svg(level=None)
    assert "p(lost) 0.250" in texts(without)
    assert "interval" not in without
    assert tree(BRIER)._repr_html_().count(svg) == 1


def leaves_of(made: Tree, **parameters: Any) -> list[Any]:
    """Return the shapes of each leaf of a picture."""
    picture = made._picture(None, None, None, **parameters)
    nodes = [group.shapes for group in picture.groups if group.title is not None]
    return [nodes[leaf] for leaf in np.flatnonzero(made.feature < 0)]


def test_the_line_on_a_bar_is_the_interval() -> None:
    made = tree(BRIER)
    for leaf, shapes in zip(np.flatnonzero(made.feature < 0), leaves_of(made), strict=True):
        first, second, line = [shape for shape in shapes[1:] if isinstance(shape, Box)]
        low, high = made.intervals()[leaf, 0]
        width = second.x + second.width - first.x
        assert (second.x - first.x) / width == pytest.approx(made.shares()[leaf, 0])
        assert (line.x - first.x) / width == pytest.approx(low)
        assert (line.x + line.width - first.x) / width == pytest.approx(high)
        assert first.y < line.y < line.y + line.height < first.y + first.height
    assert len(leaves_of(made, level=None)[0]) == len(leaves_of(made)[0]) - 1


def test_held_out_rows_have_intervals_too() -> None:
    X = pd.DataFrame({"debt": [1.0] * 4 + [9.0] * 10, "member": [0] * 4 + [1] * 10})
    y = ["paid", "paid", "lost", "paid"] + ["lost", "paid"] * 5
    said = texts(tree(BRIER).to_svg(X=X, y=y))
    low, high = tree().intervals(X=X, y=y)[3, 1]
    assert f"new: 10 rows · p(lost) 0.500 [{low:.3f}, {high:.3f}]" in said
    assert "new: 14 rows · p(lost) 0.429" in said
    assert "new: no rows" in said
    low, high = tree().intervals(X=X, y=y)[3, 0]
    said = texts(tree().to_svg(X=X, y=y, level=0.95))
    assert f"new: 50% [{low:.0%}, {high:.0%}] of 10 rows" in said


@pytest.mark.parametrize("loss", [BRIER, LOG_LOSS])
def test_several_classes_say_the_majority(loss: Any) -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    made = replace(LicketySPLITClassifier(regularization=0.02).fit(X, names).tree_, loss=loss)
    text = made.to_text()
    for leaf in np.flatnonzero(made.feature < 0):
        of = int(made.prediction[leaf])
        low, high = map(probability, made.intervals()[leaf, of])
        inside, whole = made.row_counts[leaf, of], made.row_counts[leaf].sum()
        share = probability(inside / whole)
        label = made.classes[of]
        line = f"{f'p({label})':<13} {share} [{low}, {high}]  ({inside}/{whole})"
        assert line in text
        assert f"p({label}) {share} [{low}, {high}]" in texts(made.to_svg())
    assert "line on a bar" not in made.to_svg()


def test_weights_stand_beside_the_rows() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 2, 300), "b": rng.integers(0, 2, 300)})
    y = np.where(rng.random(300) < 0.2 + 0.5 * X["a"], "yes", "no")
    fitted = LicketySPLITClassifier(regularization=0.001, class_weight={"yes": 3}).fit(X, y).tree_
    made = replace(fitted, loss=LOG_LOSS)
    text = made.to_text()
    for leaf in np.flatnonzero(made.feature < 0):
        inside, whole = made.row_counts[leaf, 1], made.row_counts[leaf].sum()
        low, high = made.intervals()[leaf, 1]
        share = f"p(yes) {inside / whole:.3f} [{low:.3f}, {high:.3f}]"
        weighted = f"weighted share {made.shares()[leaf, 1]:.3f}"
        assert f"{share}  ({inside}/{whole}), {weighted}" in text
        assert f"{share}\\n{whole} rows\\n{weighted}" in made.to_dot()
        assert {share, weighted} <= set(texts(made.to_svg()))
    old = replace(made, row_counts=None)  # as in files that do not tell rows
    assert re.search(r"weighted p\(yes\) 0\.\d{3}  \(weight \d+/\d+\)", old.to_text())
    assert re.search(r"weighted p\(yes\) 0\.\d{3}\\nweight \d+", old.to_dot())
    assert "interval" not in old.to_svg()


@pytest.mark.parametrize(
    ("share", "text"),
    [
        *((0, "0.000"), (1e-9, "<0.001"), (0.0004999, "<0.001"), (0.0006, "0.001")),
        *((0.25, "0.250"), (0.9994, "0.999"), (0.9995, ">0.999"), (1 - 1e-9, ">0.999")),
        (1, "1.000"),
    ],
)
def test_only_certainty_reads_so(share: float, text: str) -> None:
    assert probability(share) == text


# Trees that choose actions


def test_actions_are_named() -> None:
    made = tree(THREE)
    assert made.labels.tolist() == ["approve", "reject", "refer"]
    lines = made.to_text().splitlines()
    assert lines[1].startswith("|- yes  -> approve    p(lost) 0.033 [")
    assert lines[3].startswith("   |- yes  -> refer   p(lost) 0.250 [")
    assert lines[4].startswith("   |- no   -> reject  p(lost) 0.893 [")
    assert 'label="refer\\np(lost) 0.250 [' in made.to_dot()
    assert {rule["then"] for rule in made.rules()} == {"approve", "reject", "refer"}
    assert made.rules()[0]["shares"].keys() == {"paid", "lost"}
    nested = made.to_dict()
    assert nested["loss"] == "costs"
    assert nested["actions"] == ["approve", "reject", "refer"]
    assert nested["root"]["yes"]["prediction"] == "approve"
    assert "actions" not in tree().to_dict()


def test_actions_have_colours_of_their_own() -> None:
    boxes = [shapes[0] for shapes in leaves_of(tree(THREE))]
    # In the order of the leaves, of which the second refers; two classes come first.
    expected = [colour_of(2 + action) for action in (0, 2, 1)]
    assert [box.stroke for box in boxes] == expected
    assert [box.fill for box in boxes] == [mixed(colour, 0.85) for colour in expected]
    said = texts(tree(THREE).to_svg())
    assert said[:5] == ["paid", "lost", "approve", "reject", "refer"]
    legend = tree(THREE)._picture(None, None, None).groups[0].shapes
    swatches = [shape for shape in legend if isinstance(shape, Box)]
    assert [box.fill for box in swatches[:2]] == [colour_of(0), colour_of(1)]
    assert [box.stroke for box in swatches[2:]] == [colour_of(i) for i in (2, 3, 4)]


def test_an_action_that_is_a_class_has_its_colour() -> None:
    table = (Fraction(2), Fraction(0)), (Fraction(1), Fraction(1)), (Fraction(0), Fraction(10))
    made = tree(Costs(table, ("lost", "refer", "paid")))
    assert [shapes[0].stroke for shapes in leaves_of(made)] == [
        *(colour_of(0), colour_of(2), colour_of(1))
    ]
    assert texts(made.to_svg())[:3] == ["paid", "lost", "refer"]
    same = tree(Costs((table[2], table[0]), ("paid", "lost")))
    assert texts(same.to_svg(level=None))[:2] == ["paid", "lost"]
    assert not any(text in ("refer", "approve") for text in texts(same.to_svg()))


@pytest.mark.parametrize("action", ["</svg><script>", "x" * 300, "日本語" * 40, 'say "no"\\'])
def test_actions_of_any_name(action: str) -> None:
    made = tree(replace(THREE, actions=("approve", "reject", action)))
    svg = made.to_svg()
    ElementTree.fromstring(svg)
    assert "<script>" not in svg
    for shapes in leaves_of(made):
        box = shapes[0]
        for shape in shapes[1:]:
            if isinstance(shape, Text):
                wide = width_of(shape.text, shape.size, bold=shape.bold)
                assert shape.x + wide <= box.x + box.width + 1e-9
            assert box.y < shape.y < box.y + box.height
    picture = made._picture(None, None, None)
    for shape in picture.groups[0].shapes:
        if isinstance(shape, Text):
            assert shape.x + width_of(shape.text, shape.size) <= picture.width


def test_many_actions() -> None:
    table = tuple((Fraction(1 + i), Fraction(1)) for i in range(40))
    made = tree(Costs(table, tuple(f"action {i}" for i in range(40))))
    said = texts(made.to_svg())
    assert "action 13" in said
    assert "action 14" not in said
    assert "and 26 more" in said


def test_matplotlib_draws_the_same() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    for made in (tree(BRIER), tree(THREE)):
        ax = made.plot(level=0.8, method="wilson")
        assert [text.get_text() for text in ax.texts] == texts(
            made.to_svg(level=0.8, method="wilson")
        )
    pyplot.close("all")


def test_costs_with_several_classes_name_the_majority() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = LicketySPLITClassifier(regularization=0.02).fit(X, y).tree_
    table = tuple((Fraction(i), Fraction(1), Fraction(2 - i)) for i in range(3))
    made = replace(fitted, loss=Costs(table, ("wait", "ask", "act")))
    majority = fitted.prediction[fitted.feature < 0]
    found = re.findall(r"-> (\w+) +p\((\d)\)", made.to_text())
    assert {int(of) for _, of in found} == set(majority.tolist())
    assert {said for said, _ in found} <= {"wait", "ask", "act"}


def test_trees_of_sets_say_it_too() -> None:
    X = pd.DataFrame({"a": [0, 1] * 50, "b": [0, 0, 1, 1] * 25})
    y = (X["a"] & X["b"]) ^ (np.arange(100) % 9 == 0)
    for each in TreeFARMS(regularization=0.02, max_depth=2).fit(X, y).trees_[:3]:
        assert "p(True) 0." in replace(each, loss=BRIER).to_text()
        assert "p(" not in each.to_text()
