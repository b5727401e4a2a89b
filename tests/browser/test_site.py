"""The site on a phone: pages scroll down only, and what is wide scrolls in a box of its own."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_pages import ROOT, SIZES, skip

# All that sticks out of the window and is in no box that scrolls. The theme's two drawers wait
# outside of it until they are opened, and what is drawn in a picture is clipped to it.
STICKS_OUT = """() => {
    const width = document.documentElement.clientWidth;
    const scrolls = (each) => /auto|scroll/.test(getComputedStyle(each).overflowX);
    const isBoxed = (each) => {
        for (let at = each.parentElement; at; at = at.parentElement) {
            if (at.matches("article, body")) return false;  // around it, all of the page scrolls
            if (scrolls(at)) return true;
        }
    };
    const found = [...document.querySelectorAll("body *")].filter((each) => {
        const box = each.getBoundingClientRect();
        return box.width > 1 && box.height > 1 && (box.right > width + 1 || box.left < -1)
            && !each.closest(".sidebar-drawer, .toc-drawer, svg") && !isBoxed(each)
            && each.checkVisibility();
    });
    const texts = found.map((each) => `${each.tagName} ${each.textContent.trim().slice(0, 60)}`);
    if (document.documentElement.scrollWidth > width) texts.push("the page scrolls");
    return texts;
}"""


@pytest.fixture(scope="module")
def site() -> Path:
    """The site of `make docs`, written anew; only pages that have changed are read again."""
    for name in ("sphinx", "furo", "myst_parser", "numpydoc"):
        if importlib.util.find_spec(name) is None:
            skip(f"{name} is not installed (the extra docs)")
    made = ROOT / "build" / "docs"
    options = ["-q", "-a", "-D", "run_examples=0", "-c", "docs", "-d", "build/doctrees"]
    command = [sys.executable, "-m", "sphinx", *options, ".", str(made)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=600)
    return made


@pytest.fixture
def phone(browser: Any) -> Iterator[Any]:
    width, height = SIZES["phone"]
    size = {"width": width, "height": height}
    context = browser.new_context(viewport=size, has_touch=True, is_mobile=True)
    yield context.new_page()
    context.close()


def test_no_page_is_wider_than_a_phone(site: Path, phone: Any) -> None:
    pages = [
        each for each in site.rglob("*.html") if each != site / "index.html"
    ]  # leads elsewhere
    assert site / "docs" / "index.html" in pages
    found = {}
    for page in sorted(pages):
        phone.goto(page.as_uri())
        if texts := phone.evaluate(STICKS_OUT):
            found[str(page.relative_to(site))] = texts[:5]
    assert found == {}


@pytest.mark.parametrize(
    ("body", "n_found"),
    [
        ('<p style="width: 500px">wide</p>', 2),
        ('<div style="overflow-x: hidden"><p style="width: 500px">cut off</p></div>', 1),
        ('<div style="overflow-x: auto"><p style="width: 500px">in a box</p></div>', 0),
        ("<p>narrow</p>", 0),
    ],
)
def test_what_sticks_out_is_found(phone: Any, body: str, n_found: int) -> None:
    viewport = '<meta name="viewport" content="width=device-width">'
    phone.set_content(f"<!doctype html>{viewport}<body>{body}</body>")
    assert len(phone.evaluate(STICKS_OUT)) == n_found
