"""The record in a real browser: on the screen, in the dark, and on paper."""

from __future__ import annotations

import os
import re
import shutil
import struct
from pathlib import Path
from typing import Any

import pytest

SIZES = [(1400, 900), (1024, 768), (500, 844)]
DARK = "--blink-settings=preferredColorScheme=0"


@pytest.fixture(scope="module")
def example() -> Any:
    if shutil.which("chromium") is None and shutil.which("chromium-browser") is None:
        pytest.skip("needs Chromium")
    import record_example

    return record_example


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_it_is_drawn_at_every_size(
    example: Any, size: tuple[int, int], mode: str, tmp_path: Path
) -> None:
    picture = tmp_path / "record.png"
    width, height = size
    options = [f"--screenshot={picture}", f"--window-size={width},{height}"]
    assert example.in_browser(example.make(), *options, *([DARK] if mode == "dark" else []))
    content = picture.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", content[16:24]) == size


@pytest.mark.slow
def test_it_prints_on_a4(example: Any, tmp_path: Path) -> None:
    paper = tmp_path / "record.pdf"
    assert example.in_browser(example.make(), f"--print-to-pdf={paper}")
    sizes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", paper.read_bytes())
    assert 2 <= len(sizes) <= 6
    for width, height in sizes:
        assert (float(width), float(height)) == pytest.approx((595.3, 841.9), abs=1)


@pytest.mark.slow
def test_the_console_stays_empty(example: Any, tmp_path: Path) -> None:
    log = tmp_path / "chromium.log"
    options = [
        "--enable-logging",
        "--v=0",
        f"--log-file={log}",
        f"--screenshot={tmp_path / 'x.png'}",
    ]
    assert example.in_browser(example.make(), *options)
    assert "CONSOLE" not in (log.read_text(errors="replace") if log.exists() else "")


@pytest.mark.slow
def test_its_screenshot_is_that_of_the_docs(example: Any, tmp_path: Path) -> None:
    """It is put into docs/ when SPLITSECOND_UPDATE_PICTURES is set, as those of the page are."""
    picture = tmp_path / "record.png"
    options = [f"--screenshot={picture}", "--window-size=1000,1900"]
    assert example.in_browser(example.make(), *options)
    kept = example.PATH.with_suffix(".png")
    if os.environ.get("SPLITSECOND_UPDATE_PICTURES"):
        shutil.copyfile(picture, kept)
    assert picture.read_bytes()[16:24] == kept.read_bytes()[16:24]  # width and height
