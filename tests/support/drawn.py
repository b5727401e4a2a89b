"""Tables whose trees are large, and what every picture of a tree must be: legible."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from splitsecond import Tree
from splitsecond._trees.pictures.shapes import Box, Curve
from splitsecond._trees.pictures.text_metrics import width_of

SVG = "{http://www.w3.org/2000/svg}"


def parity(n_columns: int, names: list[str] | None = None) -> tuple[pd.DataFrame, Any]:
    """All rows of 0/1 columns: a tree that tells their parity has 2**n_columns leaves."""
    rows = np.array([[i >> k & 1 for k in range(n_columns)] for i in range(2**n_columns)] * 3)
    X = pd.DataFrame(rows, columns=names or [f"question {j}" for j in range(n_columns)])
    return X, np.array(["even", "odd"])[rows.sum(axis=1) % 2]


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def overlap(one: Box, other: Box) -> bool:
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def assert_is_tidy(tree: Tree, **new: Any) -> None:
    """Boxes do not overlap, and hold their text; all is on the paper."""
    picture = tree._picture(new.get("X"), new.get("y"), new.get("path"))
    nodes = [group for group in picture.groups if group.title is not None]
    boxes = [group.shapes[0] for group in nodes]
    assert len(boxes) == len(tree.feature)
    for i, box in enumerate(boxes):
        assert isinstance(box, Box)
        assert not any(overlap(box, other) for other in boxes[:i] if isinstance(other, Box))
        for shape in nodes[i].shapes[1:]:
            assert not isinstance(shape, Curve)
            wide = (
                shape.width
                if isinstance(shape, Box)
                else width_of(shape.text, shape.size, bold=shape.bold)
            )
            assert box.x < shape.x
            assert shape.x + wide <= box.x + box.width + 1e-9
            assert box.y < shape.y < box.y + box.height
    for group in picture.groups:
        for shape in group.shapes:
            x = max(shape.x0, shape.x1) if isinstance(shape, Curve) else shape.x
            assert 0 <= x <= picture.width
            y = max(shape.y0, shape.y1) if isinstance(shape, Curve) else shape.y
            assert 0 <= y <= picture.height
