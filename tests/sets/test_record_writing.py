"""The record as Markdown and HTML: whatever names and texts hold, they stay text."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hostile import NAMES
from markdown_it import MarkdownIt

from splitsecond import DecisionRecord, TreeFARMS
from splitsecond._sets.decisions.document import (
    Code,
    Document,
    Grid,
    Heading,
    Pairs,
    Paragraph,
    Picture,
    Quote,
    Span,
)
from splitsecond._sets.decisions.markdown import to_markdown
from splitsecond._sets.decisions.page import to_html

HOSTILE = [
    "</style><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "[a link](http://example.org)",
    "![a picture](http://example.org)",
    "[a]: http://example.org",
    "<http://example.org>",
    "a | b",
    "`code` ``` *bold* _em_ ~~gone~~ $x^2$ &amp;",
    "\\",
    "a\r\nb\n\n# c",
    "\x00\x1b\ud800",
    "- item",
    "1. item",
    "> quote",
    "=====",
    *(name for name in NAMES if name.strip()),
]
PLAIN = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "main",
    "h1",
    "h2",
    "p",
    "dl",
    "dt",
    "dd",
}
TAGS = PLAIN | {"blockquote", "div", "table", "thead", "tbody", "tr", "th", "td", "pre", "figure"}
TAGS |= {"svg", "g", "rect", "path", "text", "circle"}


class Page(HTMLParser):
    """Collects tags and attributes, and checks that every tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert not self._open

    def check(self) -> None:
        """Nothing runs, and nothing is loaded or linked to."""
        assert self.tags <= TAGS
        assert not self.attributes & {"src", "href", "srcset", "action"}
        assert not {name for name in self.attributes if name.startswith("on")}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "meta":
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def document(text: str) -> Document:
    """A document of which every part is a given text."""
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>'
    return Document(
        text,
        [
            Heading(text),
            Paragraph(text),
            Quote(text),
            Pairs([(text, text), (text, text)]),
            Grid([text, text], [[text, text], [text, text]], frozenset([1]), [Span(0, 1), None]),
            Code(text),
            Picture(svg, text),
        ],
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_text_is_text_on_the_page(text: str) -> None:
    page = to_html(document(text))
    page.encode()
    read = Page(page)
    read.check()
    if text.isprintable():
        assert read.words.count(text) >= 10


@pytest.mark.parametrize("text", HOSTILE)
def test_text_is_text_in_markdown(text: str) -> None:
    written = to_markdown(document(text), "a picture <1>.svg")
    written.encode()
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(written)
    kinds = [token.type for token in tokens if not token.type.endswith("_close")]
    assert kinds == [
        *("heading_open", "inline"),
        *("heading_open", "inline"),
        *("paragraph_open", "inline"),
        *("blockquote_open", *["paragraph_open", "inline"] * n_lines(text)),
        *("bullet_list_open", *["list_item_open", "paragraph_open", "inline"] * 2),
        *("table_open", "thead_open", "tr_open", *["th_open", "inline"] * 2),
        *("tbody_open", *["tr_open", *["td_open", "inline"] * 2] * 2),
        "fence",
        *("paragraph_open", "inline"),
    ]
    inside = {child.type for token in tokens for child in token.children or ()}
    assert inside <= {"text", "text_special", "softbreak", "image"}
    images = [c for t in tokens for c in t.children or () if c.type == "image"]
    assert [image.attrs["src"] for image in images] == ["a%20picture%20%3C1%3E.svg"]


def n_lines(text: str) -> int:
    return len([line for line in text.splitlines() if line.strip()])


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_keeps_the_words(text: str) -> None:
    if not text.isprintable():
        return
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(to_markdown(document(text)))
    paragraph = next(tokens[i + 1] for i, t in enumerate(tokens) if t.type == "paragraph_open")
    said = "".join(child.content for child in paragraph.children or ())
    assert said == " ".join(text.split())


def record_of_names(**options: Any) -> DecisionRecord:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (120, 6)), columns=HOSTILE[:6])
    y = np.where((X[HOSTILE[0]] & X[HOSTILE[1]]) ^ (rng.random(120) < 0.2), HOSTILE[2], HOSTILE[6])
    trees = TreeFARMS(regularization=0.01, epsilon=0.05, max_depth=3).fit(X, y).trees_
    texts = dict.fromkeys(("title", "data_name", "chosen_by", "reason", "date"), HOSTILE[0])
    return trees.record(1, X, y, groups=HOSTILE[3], columns=[HOSTILE[4]], **texts, **options)


def test_a_record_of_hostile_names() -> None:
    record = record_of_names()
    read = Page(record.to_html())
    read.check()
    frame = Page(record._repr_html_())
    assert frame.tags == {"iframe"}
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(record.to_markdown())
    assert not [token for token in tokens if token.type.startswith("html")]
    inside = {child.type for token in tokens for child in token.children or ()}
    assert inside <= {"text", "text_special", "softbreak"}


def test_saving(tmp_path: Path) -> None:
    record = record_of_names()
    record.save(tmp_path / "record.html")
    assert (tmp_path / "record.html").read_text(encoding="utf-8") == record.to_html()
    assert [path.name for path in tmp_path.iterdir()] == ["record.html"]
    record.save(str(tmp_path / "record.md"))
    text = (tmp_path / "record.md").read_text(encoding="utf-8")
    assert text == record.to_markdown("record.svg")
    assert "](<record.svg>)" in text
    ElementTree.parse(tmp_path / "record.svg")
    assert (tmp_path / "record.svg").read_text(encoding="utf-8").strip() in record.to_html()


def test_the_page_needs_nothing_else_and_prints() -> None:
    page = record_of_names().to_html()
    assert "@page { size: A4" in page
    assert "prefers-color-scheme: dark" in page
    assert "url(" not in page
    assert "@import" not in page
