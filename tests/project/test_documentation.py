"""What the documentation shows is what really comes out."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import json
import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest
import run_notebooks
from run_examples import ExampleError, examples, pictures, run
from sklearn.base import BaseEstimator

import splitsecond
from splitsecond import datasets
from splitsecond._support.install import install_line

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if any(examples(page.read_text(encoding="utf-8")))
]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
REFERENCE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["splitsecond", "splitsecond.datasets"])
def test_examples_in_docstrings(name: str) -> None:
    module = importlib.import_module(name)
    for each in module.__all__:
        getattr(module, each)  # imported when it is asked for
    failed, tried = doctest.testmod(module)
    assert tried > (15 if module is splitsecond else 0)
    assert failed == 0


@pytest.mark.slow
def test_pages_show_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "demo.py"))
    tree, comparison = capsys.readouterr().out.split("\n\n")
    shown = {"README.md": tree[: tree.rindex("\n")], "docs/algorithms.md": comparison.strip()}
    for page, printed in shown.items():
        text = (ROOT / page).read_text(encoding="utf-8")
        assert _without_times(printed) in _without_times(text)


def _without_times(text: str) -> str:
    return re.sub(r" *\b[\d.]+ m?s\b", " some time", text)


@pytest.mark.slow
def test_the_picture_is_that_tree() -> None:
    names = runpy.run_path(str(ROOT / "examples" / "demo.py"))
    data = names["X_train"], names["y_train"]
    tree = splitsecond.LicketySPLITClassifier(regularization=0.01, max_depth=4).fit(*data).tree_
    shown = (ROOT / "docs" / "tree.svg").read_text(encoding="utf-8")
    assert tree.to_svg() + "\n" == shown, "write it again: tree.to_svg()"


def test_the_readme_names_every_estimator() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in splitsecond.__all__:
        public = getattr(splitsecond, name)
        assert public.__doc__, name
        if isinstance(public, type) and issubclass(public, BaseEstimator):
            helper = name.startswith("FixedTree") or name.endswith("Binarizer")
            assert helper or name in readme, name


def test_the_reference_has_every_public_name() -> None:
    main, of_datasets = REFERENCE.split(".. module:: splitsecond.datasets")
    for module, text in ((splitsecond, main), (datasets, of_datasets)):
        named = re.findall(r"^\.\. auto(?:class|function|exception):: (\w+)$", text, re.MULTILINE)
        assert sorted(named) == sorted(module.__all__)


@pytest.mark.parametrize("name", splitsecond.__all__)
def test_every_public_method_has_a_docstring(name: str) -> None:
    for attribute, member in inspect.getmembers(getattr(splitsecond, name)):
        if attribute.startswith("_") or not (callable(member) or isinstance(member, property)):
            continue
        assert inspect.getdoc(member), attribute


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_in_pages(page: Path) -> None:
    pytest.importorskip("matplotlib")
    assert run(page) > 0


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_show_what_comes_out(path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert run_notebooks.run(path) > 0, "python docs/run_notebooks.py puts it in"


@pytest.mark.parametrize(
    "change",
    [
        lambda outputs: outputs.clear(),
        lambda outputs: outputs.reverse(),
        lambda outputs: outputs[0]["text"].append("more"),
        lambda outputs: outputs[1]["data"]["text/plain"].append("more"),
        lambda outputs: outputs[1]["data"]["text/html"].append("<svg></svg>"),
        lambda outputs: outputs[2]["data"]["text/plain"].remove("a title"),
    ],
)
def test_other_outputs_of_notebooks_are_found(tmp_path: Path, change: Any) -> None:
    pytest.importorskip("matplotlib")
    code = (
        "from matplotlib import pyplot\n"
        "from splitsecond import OptimalTreeClassifier\n"
        "pyplot.figure().suptitle('a title')\n"
        "print('1.5 ms')\n"
        "OptimalTreeClassifier().fit([[1], [2]] * 9, [0, 1] * 9)"
    )
    cells = [{"cell_type": "code", "source": [code], "outputs": [], "execution_count": None}]
    path = tmp_path / "notebook.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    run_notebooks.run(path, write=True)
    assert run_notebooks.run(path) == 1
    notebook = json.loads(path.read_text(encoding="utf-8"))
    outputs = notebook["cells"][0]["outputs"]
    assert [each["output_type"] for each in outputs] == ["stream", "execute_result", "display_data"]
    outputs[0]["text"] = ["2.5 ms\n"]
    path.write_text(json.dumps(notebook))
    assert run_notebooks.run(path) == 1
    change(outputs)
    path.write_text(json.dumps(notebook))
    with pytest.raises(ExampleError, match="code cell 1 shows something else"):
        run_notebooks.run(path)


# How to install it

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
READ_BY_USERS = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    *ROOT.glob("examples/*"),
    *ROOT.glob("src/**/*.py"),
    ROOT / "benchmarks" / "README.md",
]


def install_lines(text: str) -> list[str]:
    """Find what pip is asked to install, up to the end of the line, the code or the sentence."""
    return [
        found.strip() for found in re.findall(r"pip install ([^`\n]*?)(?=`|\n|\. |\.$| \()", text)
    ]


@pytest.mark.parametrize("path", READ_BY_USERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_install_lines_work_before_a_release(path: Path) -> None:
    """The package index does not have splitsecond: only the sources can be installed."""
    text = path.read_text(encoding="utf-8").replace('\\"', '"')
    assert not re.search(r"\bsplitsecond\[", text)
    assert not re.search(r"pip install\s+['\"]?splitsecond", text)
    for line in install_lines(text):
        assert "[" not in line or re.search(r'^"\.\[[\w,{}-]+\]"( pandas)?$', line), line
    for extras in re.findall(r'"\.\[([\w,-]+)\]"', text):
        assert set(extras.split(",")) <= set(EXTRAS)


def test_messages_name_extras_that_exist() -> None:
    named = [
        (path.name, extra)
        for path in ROOT.glob("src/**/*.py")
        for extra in re.findall(
            r"install_line\(['\"](.*?)['\"]\)", path.read_text(encoding="utf-8")
        )
    ]
    assert len(named) >= 4
    assert {extra for _, extra in named} <= set(EXTRAS)
    for _, extra in named:
        assert install_lines(install_line(extra)) == [f'".[{extra}]"']


def test_one_function_says_how_to_install_an_extra() -> None:
    for path in ROOT.glob("src/**/*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documented = [
            node.body[0].value
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node)
        ]
        texts = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node not in documented
        ]
        if path.name != "install.py":
            assert not [text for text in texts if re.search(r"pip install .*\[", text)], path


def page_with(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# Page\n\n```python\nx = 1\nprint(x)\n```\n\n```text\n2\n```\n", 4),
        ("```python\n1 / 0\n```\n", 2),
        ("<!--\n```python\nfrom nowhere import nothing\n```\n-->\n", 3),
        ("```console\n$ splitsecond --version\nsplitsecond none\n```\n", 2),
        ("```console\n$ splitsecond show missing.json\n```\n", 2),
    ],
)
def test_wrong_examples_are_found(tmp_path: Path, text: str, line: int) -> None:
    with pytest.raises(ExampleError, match=r"page\.md") as caught:
        run(page_with(tmp_path, text))
    assert caught.value.line == line


def test_examples_share_names_and_a_folder(tmp_path: Path) -> None:
    page = page_with(
        tmp_path,
        "```python\nfrom pathlib import Path\n\nx = Path('file').write_text('x')\n```\n"
        "<!-- needs nowhere -->\n```python\n1 / 0\n```\n"
        "<!-- not run: it fails -->\n```python\n1 / 0\n```\n"
        "```console\nsplitsecond nothing\n$ splitsecond --version\nsplitsecond ...\n```\n"
        "```python\nprint(x, Path('file').read_text(), 'in 3.1 ms')\n```\n\n"
        "```text\n1 x in 9 s\n```\n",
    )
    assert run(page) == 3
    assert not (tmp_path / "file").exists()


def test_what_is_printed_is_written_into_pages(tmp_path: Path) -> None:
    text = "```python\nprint({})\n```\n\n```text\n{}```\nand\n"
    right = text.format("'one'", "one\n") + text.format("22", "22\n") + text.format(3, "3\n")
    wrong = text.format("'one'", "") + text.format("22", "22\n") + text.format(3, "x\ny\n")
    page = page_with(tmp_path, wrong)
    assert run(page, write=True) == 3
    assert page.read_text(encoding="utf-8") == right


def test_pages_that_need_data_are_left_out_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = page_with(tmp_path, "# Page\n\n<!-- needs data -->\n```python\nprint(1)\n```\n")
    monkeypatch.delenv("SPLITSECOND_DATA", raising=False)
    assert run(page) == 0
    monkeypatch.setenv("SPLITSECOND_DATA", str(tmp_path))
    assert run(page) == 1
    page = page_with(tmp_path, "<!-- needs data raw/x.csv -->\n\n```python\nprint(1)\n```\n")
    assert run(page) == 0
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "x.csv").touch()
    assert run(page) == 1


PICTURE = "<svg><metadata>{0}</metadata><text>{1}</text></svg>"


def test_pictures_are_kept_beside_their_page(tmp_path: Path) -> None:
    page = page_with(
        tmp_path,
        "```python\nfrom pathlib import Path\n\n"
        f"_ = Path('a.svg').write_text({PICTURE.format('now', 'a tree')!r})\n"
        "_ = Path('b.svg').write_text('not shown')\n```\n\n![A](a.svg) ![Elsewhere](c.svg)\n",
    )
    kept = tmp_path / "a.svg"
    with pytest.raises(ExampleError, match=r"another a\.svg"):
        run(page)
    run(page, write=True)
    assert kept.read_text(encoding="utf-8") == "<svg><text>a tree</text></svg>\n"
    assert not (tmp_path / "b.svg").exists()
    assert run(page) == 1
    kept.write_text(PICTURE.format("then", "another tree"))
    with pytest.raises(ExampleError, match=r"another a\.svg"):
        run(page)


def test_the_gallery_lists_its_pages() -> None:
    folder = ROOT / "docs" / "gallery"
    index = (folder / "index.md").read_text(encoding="utf-8")
    listed = index.split("```{toctree}")[1]
    for page in folder.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert page.stem == "index" or f"\n{page.stem}\n" in listed
        assert page.stem == "index" or f"]({page.name})**" in index
        for name in pictures(text):
            assert (folder / name).stat().st_size < 150_000
            assert page.stem == "index" or f'"{name}"' in text, "its examples do not make it"
    assert {each.name for each in folder.glob("*.svg")} == {*pictures(index)}


def test_the_example_record_is_made_by_its_script() -> None:
    import record_example

    record = record_example.make()
    shown = record_example.PATH.read_text(encoding="utf-8")
    assert without_versions(record.to_markdown("record-example.svg")) == without_versions(shown), (
        "write it again: python docs/record_example.py"
    )
    assert "- numpy: " in shown


def without_versions(text: str) -> str:
    return re.sub(r"^- (splitsecond|Python|numpy): .*$", r"- \1", text, flags=re.MULTILINE)
