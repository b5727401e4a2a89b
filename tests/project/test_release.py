"""What says which version this is, and what it needs, says the same."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml

import splitsecond

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT: dict[str, Any] = PYPROJECT["project"]
VERSION: str = PROJECT["version"]
NEEDED: list[str] = PROJECT["dependencies"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
RECIPE = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
RELEASES = re.findall(
    r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$",
    (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def numbers(written: str) -> tuple[int, ...]:
    return tuple(map(int, written.split(".")))


def plain(requirement: str) -> str:
    return requirement.replace(" ", "")


def test_the_package_has_the_version_of_its_sources() -> None:
    assert splitsecond.__version__ == VERSION
    assert version("splitsecond") == VERSION


def test_the_citation_agrees() -> None:
    assert CITATION["version"] == VERSION
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["title"] == PROJECT["name"]
    assert str(CITATION["date-released"]) == RELEASES[0][1]


def test_the_changelog_begins_with_this_version() -> None:
    """Above it there may be what is not released yet; all other headings are of releases."""
    headings = re.findall(r"^## (.+)$", text_of("CHANGELOG.md"), re.MULTILINE)
    unreleased = headings[0] == "[Unreleased]"
    assert len(RELEASES) == len(headings) - unreleased
    assert RELEASES[0][0] == VERSION
    written = [numbers(each) for each, _ in RELEASES]
    assert written == sorted(set(written), reverse=True)
    dates = [date.fromisoformat(each) for _, each in RELEASES]
    assert dates == sorted(dates, reverse=True)


def test_no_heading_of_the_changelog_is_empty() -> None:
    text = text_of("CHANGELOG.md")
    for section in re.split(r"^#{2,3} ", text, flags=re.MULTILINE)[1:]:
        heading, _, below = section.partition("\n")
        assert below.strip() or heading.startswith("["), heading


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_pages_name_this_version(page: Path) -> None:
    """Such as `splitsecond 1.2.3` or `splitsecond: 1.2.3`."""
    named = re.findall(
        r"\bsplitsecond(?:==|:? )v?(\d+\.\d+\.\d+)", page.read_text(encoding="utf-8")
    )
    assert set(named) <= {VERSION}


def test_a_page_names_the_version() -> None:
    """So that the test above looks at something: the record of a decision tells what made it."""
    assert f"\n- splitsecond: {VERSION}\n" in text_of("docs/record-example.md")


def test_the_recipe_agrees() -> None:
    assert RECIPE["context"]["version"] == VERSION
    assert RECIPE["package"]["name"] == PROJECT["name"]
    assert RECIPE["about"]["license"] == PROJECT["license"]
    assert RECIPE["about"]["summary"] == PROJECT["description"]
    assert [RECIPE["about"]["license_file"]] == PROJECT["license-files"]
    needs = RECIPE["requirements"]
    run = sorted(map(plain, needs["run"]))
    assert run == sorted(["python", *NEEDED, *PROJECT["optional-dependencies"]["cli"]])
    assert {*PYPROJECT["build-system"]["requires"]} <= {*map(plain, needs["host"])}
    least = PROJECT["requires-python"].removeprefix(">=")
    assert RECIPE["build"]["skip"] == f'match(python, "<{least}")'


def test_the_first_python_is_the_same_everywhere() -> None:
    least = PROJECT["requires-python"].removeprefix(">=")
    assert f"Python {least} or newer" in text_of("CONTRIBUTING.md")
    assert f"needs Python {least} or newer" in text_of("Makefile")
    tests = yaml.safe_load(text_of(".github/workflows/tests.yml"))
    assert tests["jobs"]["tests"]["strategy"]["matrix"]["python"][0] == least
    first = PYPROJECT["tool"]["cibuildwheel"]["build"][0]
    assert first == f"cp{least.replace('.', '')}-*"
