"""The page that the package holds is built from frontend/."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from browser_pages import ROOT, skip

FRONTEND = ROOT / "frontend"
BUILT = ROOT / "src" / "splitsecond" / "_sets" / "explorer.html"


def test_the_page_is_built_from_its_source(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node.js")
    if not (FRONTEND / "node_modules" / "esbuild").exists():
        skip("esbuild is not installed (make page)")
    built = tmp_path / "explorer.html"
    subprocess.run([node, FRONTEND / "build.mjs", built], check=True, timeout=120)
    same = built.read_bytes() == BUILT.read_bytes()
    assert same, "frontend/ has changed: run make page, and commit the page that it builds"
    checked = subprocess.run(
        [
            node,
            FRONTEND / "node_modules" / "typescript" / "bin" / "tsc",
            "--noEmit",
            "-p",
            FRONTEND,
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert checked.returncode == 0, checked.stdout


def test_the_lock_file_names_no_registry() -> None:
    lock = (FRONTEND / "package-lock.json").read_text(encoding="utf-8")
    assert '"integrity"' in lock
    assert '"resolved"' not in lock
    assert "http" not in lock


def test_names_never_become_markup() -> None:
    for path in (FRONTEND / "src").glob("*.ts"):
        text = path.read_text(encoding="utf-8")
        for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"):
            assert forbidden not in text, (path.name, forbidden)


def test_the_page_loads_nothing() -> None:
    page = BUILT.read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    addresses = set(re.findall(r"https?://[^\"'`\s)]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}  # the name of SVG, which is never loaded
