"""Times the page of a set too large to list: making it, loading it, and every interaction.

    SPLITSECOND_DATA=FOLDER python benchmarks/page.py --out benchmarks/results

Needs playwright and Chromium, as tests/browser does. An interaction is timed from the event to the
second frame after it, when it is on the screen.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from lib import arguments, report
from lib.report import Table, columns
from playwright.sync_api import sync_playwright

from splitsecond import TreeFARMS, TreeSet

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
PROBLEM = ("netherlands_split_aggressive", 5, 0.005, 0.05)
REPEATS = 5
MADE = columns(
    "data set = data | depth | lambda = regularization | epsilon | trees = trees .4g",
    "on the page = shown ,.0f | made in = page_seconds s | bytes = bytes ,.0f",
    "loaded in = load_seconds s",
)
DONE = columns("interaction = interaction | median = median_ms .0f | maximum = maximum_ms .0f")

# What is done, as the page hears it: an element, and the event or the value that is chosen there.
INTERACTIONS = {
    "choose the first question": ("#ask-r", "select 1"),
    "choose the second question": ("#ask-rn", "select 1"),
    "start over": ("#start-over button", "click"),
    "choose a block of the picture": (".icicle .cell.question", "click"),
    "start over again": ("#start-over button", "click"),
    "next tree": ("#next", "click"),
    "sort the table": ("#head-row th:nth-child(5) button", "click"),
    "next page of the table": ("#pager button:last-child", "click"),
    "list trees one by one": ("#folded", "click"),
    "fold them again": ("#folded", "click"),
    "limit the leaves": ("#max-leaves", "select 2"),
    "lift the limit": ("#max-leaves", "select 0"),
    "another axis": ("#axis-y", "select 2"),
    "shortlist a tree": ("#list-it", "click"),
    "compare two trees": ("#rows tr:nth-child(4) .row-tools button:last-child", "click"),
    "code": ("#tab-code", "click"),
    "a case": ("#tab-case", "click"),
    "enter a value": ("#case-fields select", "select 1"),
    "back to the picture": ("#tab-tree", "click"),
}
ACT = """([selector, what]) => new Promise((done) => {
  const element = document.querySelector(selector);
  const start = performance.now();
  if (what === "click") {
    element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  } else {
    element.selectedIndex = Number(what.split(" ")[1]);
    element.dispatchEvent(new Event("change", { bubbles: true }));
  }
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
})"""


def fitted(folder: Path) -> TreeSet:
    name, depth, regularization, epsilon = PROBLEM
    table = pd.read_csv(folder / "binary" / f"{name}.csv.gz")
    model = TreeFARMS(max_depth=depth, regularization=regularization, epsilon=epsilon)
    found: TreeSet = model.fit(table.iloc[:, :-1], table.iloc[:, -1]).trees_
    return found


def loads(browser: Any, page: Path) -> Iterator[float]:
    for _ in range(REPEATS):
        tab = browser.new_page(viewport={"width": 1400, "height": 900})
        tab.goto(page.as_uri())
        tab.wait_for_selector("body[data-ready]")
        yield tab.evaluate("performance.now()") / 1000
        tab.close()


def interactions(browser: Any, page: Path) -> Iterator[dict[str, Any]]:
    times: dict[str, list[float]] = {name: [] for name in INTERACTIONS}
    for _ in range(REPEATS):
        tab = browser.new_page(viewport={"width": 1400, "height": 900})
        tab.goto(page.as_uri())
        tab.wait_for_selector("body[data-ready]")
        for name, act in INTERACTIONS.items():
            times[name].append(tab.evaluate(ACT, list(act)))
        tab.close()
    for name, each in times.items():
        ordered = sorted(each)
        yield {
            "interaction": name,
            "median_ms": ordered[len(ordered) // 2],
            "maximum_ms": ordered[-1],
        }


def main() -> None:
    parser = arguments.parser(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for page.csv, page.md")
    options = parser.parse_args()
    report.progress("fitting")
    trees = fitted(Path(os.environ["SPLITSECOND_DATA"]))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page = Path(folder) / "page.html"
        report.progress("making the page")
        start = time.perf_counter()
        trees.to_html(page, name=PROBLEM[0])
        page_seconds = time.perf_counter() - start
        program = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        report.progress("using it")
        made = {
            **dict(zip(("data", "depth", "regularization", "epsilon"), PROBLEM, strict=True)),
            "trees": float(trees.n_trees),
            "shown": 1000,
            "page_seconds": page_seconds,
            "bytes": page.stat().st_size,
            "load_seconds": sorted(loads(browser, page))[REPEATS // 2],
        }
        rows = list(interactions(browser, page))
        browser.close()
    tables = [Table("The page", MADE, [made]), Table("Interactions (ms)", DONE, rows)]
    print(report.save(options.out, "page", {}, tables))


if __name__ == "__main__":
    main()
