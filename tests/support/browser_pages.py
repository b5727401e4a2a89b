"""Sets whose pages the browser looks at, and the browser itself."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from splitsecond import FixedBinarizer, TreeFARMS, TreeSet

ROOT = Path(__file__).parents[2]
AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
SIZES = {"desktop": (1400, 900), "laptop": (1024, 768), "phone": (390, 844)}
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
HOSTILE = [
    "</script><script>document.title='broken'</script>",
    "<img src=x onerror=\"document.title='broken'\">",
    "a & b <b>bold</b> \"quotes\" 'too' ${1} `tick`",
]


def skip(reason: str) -> None:
    """Skip a test; fail where the browser must be there."""
    if os.environ.get("SPLITSECOND_REQUIRE_BROWSER"):
        pytest.fail(f"{reason}, though SPLITSECOND_REQUIRE_BROWSER is set")
    pytest.skip(reason)


def chromium() -> str:
    """Return the program; skip the test where there is none."""
    if importlib.util.find_spec("playwright") is None:
        skip("playwright is not installed (the extra test-browser)")
    found = (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    )
    if found is None:
        skip("there is no Chromium (install Debian's chromium, or name one with CHROMIUM)")
    return str(found)


def credit(n_rows: int = 500, seed: int = 0) -> pd.DataFrame:
    """Applications for credit: numbers, categories, a flag, missing values."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(19, 75, n_rows).astype(float),
            "income": (rng.gamma(4, 12, n_rows)).round(1),
            "debts": rng.integers(0, 6, n_rows),
            "housing": rng.choice(["rent", "own", "free"], n_rows, p=[0.5, 0.4, 0.1]),
            "guarantor": rng.random(n_rows) < 0.3,
            "sex": rng.choice(["F", "M"], n_rows),
        }
    )
    risk = (
        (frame["income"] < 38).astype(int)
        + (frame["debts"] > 2)
        + (frame["housing"] == "rent")
        - 2 * frame["guarantor"]
        + (frame["age"] < 28)
    )
    frame["repaid"] = np.where(risk + rng.normal(0, 0.8, n_rows) > 1.4, "no", "yes")
    frame.loc[rng.random(n_rows) < 0.06, "income"] = None
    return frame


TARGET = "repaid"


def split(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    return frame.drop(columns=TARGET), frame[TARGET]


def credit_set() -> TreeSet:
    """A set of some thousands of trees, more than its page will hold."""
    questions = [
        *(f"age <= {limit}" for limit in (27.5, 40.5)),
        *(f"income <= {limit}" for limit in (30.5, 38.5, 50.5)),
        *("income is missing", "debts <= 0.5", "debts <= 2.5"),
        *('housing == "rent"', 'housing == "own"', "guarantor"),
    ]
    binarizer = FixedBinarizer(questions)
    model = TreeFARMS(regularization=0.01, epsilon=0.04, max_depth=4, binarizer=binarizer)
    found: TreeSet = model.fit(*split(credit())).trees_
    return found


def hostile_set() -> TreeSet:
    """Names and labels that try to break out of HTML."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.integers(0, 2, (150, 3)), columns=HOSTILE)
    y = np.where((X.iloc[:, 0] & X.iloc[:, 1]) ^ (rng.random(150) < 0.2), HOSTILE[0], HOSTILE[1])
    found: TreeSet = TreeFARMS(regularization=0.01, epsilon=0.05, max_depth=3).fit(X, y).trees_
    return found


@dataclass
class Watched:
    """A tab of the browser, and all that went wrong in it."""

    tab: Any
    problems: list[str] = field(default_factory=list)

    def go(self, path: Path, fragment: str = "") -> Any:
        self.tab.goto("about:blank")
        self.tab.goto(path.as_uri() + fragment)
        self.tab.wait_for_selector("body[data-ready]")
        return self.tab


@contextmanager
def watched(browser: Any, size: str = "desktop", scheme: str = "light") -> Iterator[Watched]:
    """Open a tab; no error may be logged there, and nothing but files may be loaded."""
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        has_touch=size == "phone",
        accept_downloads=True,
    )
    tab = context.new_page()
    tab.set_default_timeout(10_000)
    found = Watched(tab)
    tab.on("console", lambda message: found.problems.append(f"console: {message.text}"))
    tab.on("pageerror", lambda error: found.problems.append(f"error: {error}"))
    tab.on("dialog", lambda dialog: found.problems.append(f"dialog: {dialog.message}"))

    def look(request: Any) -> None:
        if not request.url.startswith(("file:", "blob:", "about:")):
            found.problems.append(f"request: {request.url}")

    tab.on("request", look)
    yield found
    context.close()
    assert found.problems == []
