"""Every command and option is explained by --help and in docs/cli.md, and nothing else is."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from cli_files import run

import splitsecond
from splitsecond._cli import app as program
from splitsecond._cli import exports, scoring, sources

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
COMMANDS: dict[str, Any] = typer.main.get_command(program.app).commands  # type: ignore[attr-defined]
ROW = re.compile(r"^\| `(--[\w-]+)[^|]*\| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def options(command: Any) -> dict[str, Any]:
    """The options of a command by their names, except --help, which every command has."""
    return {
        name: each
        for each in command.params
        for name in (*each.opts, *each.secondary_opts)
        if name.startswith("--") and name != "--help"
    }


def documented() -> dict[str, set[str]]:
    """The commands that the page gives each option to."""
    found: dict[str, set[str]] = {}
    for option, commands, _ in ROW.findall(PAGE):
        assert option not in found, option
        found[option] = set(re.findall(r"[a-z]+", commands))
    return found


def test_the_page_names_every_option_of_every_command() -> None:
    expected: dict[str, set[str]] = {}
    for name, command in COMMANDS.items():
        for option in options(command):
            expected.setdefault(option, set()).add(name)
    assert documented() == expected


def test_the_page_shows_how_to_call_every_command() -> None:
    shown = set(re.findall(r"^### `splitsecond (\w+)", PAGE, re.MULTILINE))
    assert shown == set(COMMANDS)
    for name, command in COMMANDS.items():
        call = re.search(rf"^### `splitsecond {name}([^`]*)`", PAGE, re.MULTILINE)
        assert call is not None
        arguments = [each.metavar for each in command.params if each.param_type_name == "argument"]
        needed = [
            each.opts[0] for each in command.params if each.required and each.opts[0][:2] == "--"
        ]
        for part in (*filter(None, arguments), *needed):
            assert part in call[1], (name, part)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_explains_every_option(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setenv("TERM", "dumb")
    text = run(name, "--help").stdout
    assert COMMANDS[name].help
    for option, each in options(COMMANDS[name]).items():
        assert each.help, option
        assert option in text
        assert not each.hidden


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("name", COMMANDS)
def test_help_breaks_lines_between_words(
    name: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def words(columns: int) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        text = run(name, "--help").stdout
        assert max(map(len, text.splitlines())) <= columns
        return sorted(re.findall(r"[^\s│─╭╮╰╯]+", text))

    assert words(width) == words(1000)


def test_help_lists_the_commands_and_exit_codes() -> None:
    text = run("--help").stdout
    for name in (*COMMANDS, "--version", "0 done", "130 interrupted"):
        assert name in text
    for code in (0, 1, 2, 3, 130):
        assert re.search(rf"^\| {code} \|", PAGE, re.MULTILINE)
    assert re.fullmatch(r"splitsecond \d+\.\d+.*\n", run("--version").stdout)


def test_the_page_names_formats_and_defaults() -> None:
    for each in exports.Format:
        assert f"`{each}`" in PAGE
    for blank in sources.MISSING:
        assert f"`{blank}`" in PAGE
    assert f"{scoring.FOLDS}-fold" in PAGE


# Where the defaults of a command's options come from; later ones go first.
DEFAULTS_OF: dict[str, list[Any]] = {
    "doctor": [splitsecond.LicketySPLITClassifier],
    "fit": [splitsecond.LicketySPLITClassifier],
    "path": [splitsecond.LicketySPLITClassifier, splitsecond.regularization_path],
    "rashomon": [splitsecond.RESPLIT],
    "importance": [splitsecond.RESPLIT, splitsecond.RashomonImportance],
    "explore": [splitsecond.TreeSet.to_html],
}
PARAMETERS = {"bootstraps": "n_bootstraps", ("explore", "top"): "max_trees"}  # of other names
# Options that have a default of the program: None stands for a rule that help cannot show, such as
# the loss of the task, and the path is cross-validated.
OWN = {
    ("path", "cv"),
    *((name, "loss") for name in DEFAULTS_OF),
    *((name, "lookahead_depth") for name in DEFAULTS_OF),
    *((name, "exact_last_split") for name in DEFAULTS_OF),
    *((name, "completion") for name in DEFAULTS_OF),
    *((name, "device") for name in DEFAULTS_OF),
}


@pytest.mark.parametrize("name", DEFAULTS_OF)
def test_defaults_are_those_of_the_library(name: str) -> None:
    expected: dict[str, Any] = {}
    for each in DEFAULTS_OF[name]:
        expected |= {
            parameter: value.default
            for parameter, value in inspect.signature(each).parameters.items()
        }
    compared = 0
    for each in COMMANDS[name].params:
        parameter = PARAMETERS.get((name, each.name), PARAMETERS.get(each.name, each.name))
        if parameter not in expected or (name, each.name) in OWN or each.multiple:
            continue
        default, own = each.default, expected[parameter]
        is_number = isinstance(own, (int, float)) and not isinstance(own, bool)
        assert (float(default) if is_number else default) == own, each.name
        compared += 1
    assert compared >= (1 if name == "explore" else 2)
