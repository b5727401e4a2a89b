"""The command record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_files import result, run

from splitsecond import load


@pytest.fixture
def saved(people: Path, tmp_path: Path) -> Path:
    out = tmp_path / "set.json"
    options = ("--max-depth", 3, "--regularization", 0.02, "--epsilon", 0.03)
    run("rashomon", people, "--target", "outcome", *options, "--out", out)
    return out


def test_a_page_and_markdown(people: Path, saved: Path, tmp_path: Path) -> None:
    words = ("--by", "the model board", "--reason", "It is short.", "--date", "2026-01-31")
    args = ("record", saved, "--tree", 2, "--test", people, "--target", "outcome", *words)
    done = run(*args, "--group", "member", "--out", tmp_path / "record.html")
    assert done.exit_code == 0, done.stderr
    assert f"wrote {tmp_path / 'record.html'}" in done.stderr
    page = (tmp_path / "record.html").read_text(encoding="utf-8")
    assert "the model board" in page
    assert "error[member=0 - 1]" in page
    done = run(*args, "--out", tmp_path / "record.md")
    assert done.exit_code == 0, done.stderr
    text = (tmp_path / "record.md").read_text(encoding="utf-8")
    assert "> It is short." in text
    assert (tmp_path / "record.svg").exists()
    printed = run(*args).stdout
    picture = next(line for line in text.splitlines() if line.startswith("!["))
    assert text.replace(f"{picture}\n\n", "") == printed
    about = result(*args)
    assert about["tree_number"] == 2
    assert about["markdown"] == printed


def test_it_is_what_python_makes(people: Path, saved: Path) -> None:
    small = load(saved).trees_.filter(max_leaves=4)
    args = ("record", saved, "--tree", 1, "--max-leaves", 4, "--date", "2026-01-31")
    assert run(*args).stdout == small.record(1, date="2026-01-31").to_markdown()
    rows = ("--test", people, "--target", "outcome", "--show", "job", "--disputed", 3)
    shown = run(*args, *rows).stdout
    assert "| row | chosen tree says | trees that agree | votes | job |" in shown


def test_training_rows(people: Path, saved: Path) -> None:
    text = run("record", saved, "--train", people, "--target", "outcome").stdout
    assert "The training rows give the numbers of rows" in text
    assert "Rows (X)" not in text


def test_costs_classes_and_weights(people: Path, saved: Path) -> None:
    classes = [str(label) for label in load(saved).classes_.tolist()]
    costs = {label: {other: int(other != label) for other in classes} for label in classes}
    options: list[Any] = ["--costs", json.dumps(costs), "--positive", classes[0]]
    args = ["record", saved, "--test", people, "--target", "outcome", *options, "--weight", "age"]
    done = run(*args)
    assert done.exit_code == 0, done.stderr
    assert "| cost |" in done.stdout


def refused(*args: Any) -> str:
    done = run("record", *args)
    assert done.exit_code == 1
    return str(done.stderr)


def test_what_is_refused(people: Path, saved: Path, tmp_path: Path) -> None:
    assert "need --target" in refused(saved, "--test", people)
    assert "--group needs --test" in refused(saved, "--group", "job")
    assert "must end with .html or .md" in refused(saved, "--out", tmp_path / "record.txt")
    assert "There is no tree 100000000" in refused(saved, "--tree", 100_000_000)
    (tmp_path / "record.svg").write_text("mine")
    assert "exists already" in refused(saved, "--out", tmp_path / "record.md")
    assert run("record", saved, "--out", tmp_path / "record.md", "--force").exit_code == 0
    assert "exists already" in refused(saved, "--out", tmp_path / "record.md")
    args = ("--test", people, "--target", "outcome")
    assert "no column" in refused(saved, *args, "--show", "no such")
    model = tmp_path / "model.json"
    run("fit", people, "--target", "outcome", "--out", model)
    assert "needs a set of trees" in refused(model)
