"""The browser and the pages that its tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_pages import (
    Watched,
    chromium,
    credit,
    credit_set,
    hostile_set,
    split,
    watched,
)

from splitsecond import TreeSet

N_SHOWN = 120


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    program = chromium()
    from browser_pages import FLAGS
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def trees() -> TreeSet:
    return credit_set()


@pytest.fixture(scope="session")
def held_out() -> tuple[Any, Any]:
    return split(credit(300, seed=7))


@pytest.fixture(scope="session")
def page_file(
    trees: TreeSet, held_out: tuple[Any, Any], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The page of a set that has more trees than it shows."""
    path = tmp_path_factory.mktemp("pages") / "credit.html"
    X, y = held_out
    trees.to_html(path, max_trees=N_SHOWN, X=X, y=y, groups="sex", name="credit")
    return path


@pytest.fixture(scope="session")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "hostile.html"
    hostile_set().to_html(path, name="</title><script>alert(1)</script>")
    return path


@pytest.fixture
def window(browser: Any) -> Iterator[Watched]:
    with watched(browser) as found:
        yield found


@pytest.fixture
def tab(window: Watched, page_file: Path) -> Any:
    return window.go(page_file)
