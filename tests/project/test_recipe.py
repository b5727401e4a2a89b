"""The recipe for conda-forge is one that rattler-build reads, and keeps the rules of its linter.

The linter itself, `conda-smithy recipe-lint`, is not published for pip, so those rules of its list
that concern this recipe are written down here. Two are left to the feedstock, which alone can fill
them in: `about.homepage` and `extra.recipe-maintainers`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

PATH = Path(__file__).parents[2] / "packaging" / "conda" / "recipe.yaml"
TEXT = PATH.read_text(encoding="utf-8")
RECIPE: dict[str, Any] = yaml.safe_load(TEXT)
SECTIONS = [
    *("schema_version", "context", "package", "source", "build"),
    *("requirements", "tests", "about", "extra"),
]
# What conda-forge sets for each build; the versions are examples.
VARIANTS = {
    "python": ["3.11.* *_cpython", "3.14.* *_cp314"],
    "cxx_compiler": ["gxx"],
    "cxx_compiler_version": ["14"],
    "c_stdlib": ["sysroot"],
    "c_stdlib_version": ["2.17"],
}


def requirements(section: str) -> list[str]:
    """All that a section may require, of any platform."""
    listed = RECIPE["requirements"][section]
    conditional = [each for each in listed if isinstance(each, dict)]
    return [
        *(each for each in listed if isinstance(each, str)),
        *(each for condition in conditional for each in condition["then"]),
    ]


@pytest.mark.parametrize("platform", ["linux-64", "linux-aarch64", "osx-arm64", "win-64"])
def test_rattler_build_reads_it(platform: str) -> None:
    rattler_build = pytest.importorskip("rattler_build")  # of the extra dev
    config = rattler_build.RenderConfig(
        rattler_build.PlatformConfig(target_platform=platform, build_platform="linux-64")
    )
    recipe = rattler_build.Stage0Recipe.from_file(str(PATH))
    made = recipe.render(rattler_build.VariantConfig(VARIANTS), config)
    assert len(made) == len(VARIANTS["python"])
    for each in made:
        package, needs = each.recipe.package, each.recipe.requirements.to_dict()
        assert (package.name, str(package.version)) == ("splitsecond", RECIPE["context"]["version"])
        assert f"gxx_{platform} 14.*" in needs["build"]
        assert (f"cross-python_{platform}" in needs["build"]) == (platform != "linux-64")


def test_rattler_build_refuses_what_it_does_not_know() -> None:
    rattler_build = pytest.importorskip("rattler_build")
    wrong = TEXT.replace("  license_file:", "  licence_file:")
    with pytest.raises(Exception, match="licence_file"):
        rattler_build.Stage0Recipe.from_yaml(wrong)


def test_sections_are_in_order() -> None:
    assert list(RECIPE) == [each for each in SECTIONS if each in RECIPE]
    assert list(RECIPE["requirements"]) == ["build", "host", "run"]
    assert TEXT.endswith("\n")
    assert not TEXT.endswith("\n\n")


def test_what_every_recipe_must_say() -> None:
    assert RECIPE["about"].keys() >= {"license", "license_file", "summary"}
    assert isinstance(RECIPE["context"]["version"], str)
    assert isinstance(RECIPE["build"]["number"], int)
    assert RECIPE["tests"]
    assert re.fullmatch(r"[a-z0-9_.-]+", RECIPE["package"]["name"])
    assert "url" not in RECIPE["source"] or "sha256" in RECIPE["source"]


def test_requirements_are_written_as_conda_forge_wants_them() -> None:
    for section in ("build", "host", "run"):
        for each in requirements(section):
            spec = r"[a-z0-9_.-]+( [<>=!~]+[\w.*,<>=]+)?"
            assert re.fullmatch(spec, each) or each.startswith(("${{ ", "cross-python_")), each
    assert '${{ stdlib("c") }}' in requirements("build")  # a compiler needs it beside
    assert "python" in requirements("host")
    assert "python" in requirements("run")
    assert "scikit-build-core >=0.11" in requirements("host")  # pip needs the build backend


def test_expressions_have_spaces_inside_their_braces() -> None:
    assert re.findall(r"\$\{\{(?! )|(?<! )\}\}", TEXT) == []
