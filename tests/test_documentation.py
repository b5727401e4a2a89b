"""What the documentation shows is what really comes out."""

from __future__ import annotations

import doctest
import re
import runpy
from pathlib import Path
from types import ModuleType

import pytest

import splitsecond
from splitsecond import (
    _binarizers,
    _classifiers,
    _guessing,
    _rashomon,
    _regularization,
    _reliance,
    _saving,
    _tree,
    datasets,
)

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "module",
    [
        _binarizers,
        _classifiers,
        _guessing,
        _rashomon,
        _regularization,
        _reliance,
        _saving,
        _tree,
        datasets,
    ],
)
def test_examples_in_docstrings(module: ModuleType) -> None:
    failed, tried = doctest.testmod(module)
    assert tried > 0
    assert failed == 0


def test_the_readme_shows_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "demo.py"))
    shown, proved = (text.split("\n") for text in capsys.readouterr().out.split("\n\n")[:2])
    readme = re.sub(r"in [\d.]+ ms", "in some ms", (ROOT / "README.md").read_text(encoding="utf-8"))
    printed = "\n".join(f"    {line}" for line in shown[:-1])
    assert re.sub(r"in [\d.]+ ms", "in some ms", printed) in readme
    assert "proved optimal" in proved[1]


def test_the_picture_is_that_tree() -> None:
    names = runpy.run_path(str(ROOT / "examples" / "demo.py"))
    data = names["X_train"], names["y_train"]
    tree = splitsecond.LicketySPLITClassifier(regularization=0.01, max_depth=4).fit(*data).tree_
    shown = (ROOT / "docs" / "tree.svg").read_text(encoding="utf-8")
    assert tree.to_svg() + "\n" == shown, "write it again: tree.to_svg()"


def test_every_public_name_is_documented() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in splitsecond.__all__:
        public = getattr(splitsecond, name)
        assert public.__doc__, name
        assert name in readme, name
