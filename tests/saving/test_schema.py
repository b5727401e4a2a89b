"""Model files are as their JSON Schema says, and so is the page that describes them."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from hostile import Frame, frames
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from model_schema import CLOSED, OPEN, PATH, SCHEMA
from saved_models import MODELS, every_model, fitted

import splitsecond
from splitsecond._counts.saving import VERSION as COUNTS_VERSION
from splitsecond._estimators.base import STATUSES
from splitsecond._saving import VERSION, file_of
from splitsecond._saving._models import CLASSES
from splitsecond._sets.record import STOPPED
from splitsecond._solving.losses import NAMED, Costs
from splitsecond._solving.number_losses import NUMBER_LOSSES
from splitsecond._support.parquet_files import COUNTS
from splitsecond._tables.columns import Kind
from splitsecond._tables.literals import OPERATORS
from splitsecond._trees.row_counts import MAX_BINS

DEFS = SCHEMA["$defs"]
PAGE = PATH.with_name("model-format.md").read_text(encoding="utf-8")


# Files


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "path", sorted(MODELS.rglob("*.json")), ids=lambda path: str(path.relative_to(MODELS))
)
def test_old_files_fit(path: Path) -> None:
    OPEN.validate(json.loads(path.read_bytes()))


@every_model
def test_files_fit(name: str) -> None:
    CLOSED.validate(json.loads(file_of(fitted(name))))


SETS = {"TreeFARMS": "Classifier", "RESPLIT": "Classifier"}  # whose names do not tell
ENDINGS = {
    ending: [
        name
        for name in CLASSES
        if not name.startswith("Fixed") and (name.endswith(ending) or SETS.get(name) == ending)
    ]
    for ending in ("Classifier", "Regressor")
}


@st.composite
def problems(draw: st.DrawFn) -> tuple[Any, Frame, Any]:
    """A table of any kinds of columns, a target, and an estimator for it."""
    frame = draw(frames(max_rows=10, max_columns=3))
    if draw(st.booleans()):
        y: Any = draw(
            st.lists(st.sampled_from([0, 1, 2.5, 7]), min_size=len(frame.y), max_size=len(frame.y))
        )
        names, losses = ENDINGS["Regressor"], ["squared_error", "poisson"]
    else:
        y, names, losses = frame.y, ENDINGS["Classifier"], ["zero_one", "log_loss", "brier"]
    name = draw(st.sampled_from(names))
    kind: Any = getattr(splitsecond, name)
    model = kind(
        max_depth=2,
        loss=draw(st.sampled_from(losses)),
        regularization=draw(st.sampled_from([0.01, 0.1])),
        binarizer=draw(st.sampled_from(["midpoint", "quantile", "guess"])),
    )
    return model, frame, y


@pytest.mark.slow
@given(problems())
def test_files_of_any_model_fit(problem: tuple[Any, Frame, Any]) -> None:
    model, frame, y = problem
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(frame.pandas(), y)
        except ValueError:  # a table without a row or column to learn from
            return
    things: list[Any] = [model, model.tree_]
    if hasattr(model, "trees_"):
        things += [model.trees_, model.trees_.filter(max_leaves=1)]
    for thing in things:
        CLOSED.validate(json.loads(file_of(thing)))


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.update(version=VERSION + 1),
        lambda file: file.pop("model"),
        lambda file: file["model"].update({"class": "os.system"}),
        lambda file: file["model"].pop("classes"),
        lambda file: file["model"]["classes"].update(dtype="complex64"),
        lambda file: file["model"].update(status="good"),
        lambda file: file["model"]["statistics"].pop("seconds"),
        lambda file: file["model"]["tree"].pop("left"),
        lambda file: file["model"]["tree"]["feature"].append(0.5),
        lambda file: file["model"]["tree"]["counts"][0].append(-1),
        lambda file: file["model"]["binarizer"]["literals"][0].update(operator=">"),
        lambda file: file["model"]["binarizer"]["literals"][0].update(value=None),
        lambda file: file["model"]["binarizer"]["variables"][0].update(kind="date"),
        lambda file: file["model"]["parameters"].update(max_depth={"fraction": "1/0"}),
    ],
)
def test_other_files_do_not_fit(damage: Any) -> None:
    """`test_damaged_files` has the other half: what the schema refuses, `load` refuses."""
    file = json.loads(file_of(fitted("raw-frame")))
    OPEN.validate(file)
    damage(file)
    assert not OPEN.is_valid(file)


# The schema and the code


def test_the_schema_names_what_the_code_names() -> None:
    def enum(*path: str) -> set[Any]:
        part: Any = DEFS
        for key in path:
            part = part[key]
        return set(part["enum"])

    assert SCHEMA["properties"]["version"]["exclusiveMaximum"] == VERSION + 1
    assert enum("estimator", "properties", "class") == set(CLASSES)
    assert enum("status") == set(STATUSES)
    assert enum("class_loss", "properties", "name") == {*NAMED, Costs.name}
    assert enum("number_loss", "properties", "name") == set(NUMBER_LOSSES)
    assert enum("variable", "properties", "kind") == {str(kind) for kind in Kind}
    assert enum("literal", "properties", "operator") == set(OPERATORS)
    assert enum("set", "properties", "search") == {"complete", *STOPPED}
    assert DEFS["bins"]["maxItems"] == MAX_BINS + 1
    assert DEFS["counts"]["properties"]["version"]["const"] == COUNTS_VERSION
    assert DEFS["counts"]["properties"]["format"]["const"] == COUNTS


# The schema and the page

COMMON = {"class", "parameters"}

# What the tables of the page describe, in their order: the first cell of their head, and the keys.
TABLES: list[tuple[str, set[str]]] = [
    ("key", COMMON),
    ("key", {*DEFS["tree_estimator"]["properties"]} - {*COMMON, "set"}),
    ("key", {*DEFS["nodes"]["properties"]} - {"bins"}),
    ("key of `loss`", {*DEFS["class_loss"]["properties"]}),
    ("key", {*DEFS["binarizer"]["properties"]} - COMMON),
    ("key of a variable", {*DEFS["variable"]["properties"]} - {"column"}),
    ("key of a literal", {*DEFS["literal"]["properties"]} - {"number"}),
    ("key", {*DEFS["single_tree"]["properties"]}),
    ("key", {*DEFS["set"]["properties"]} - {"max_loss", "channels", "bins", "sums"}),
    ("key of `loss`", {*DEFS["number_loss"]["properties"]}),
    ("key of `tree` (or `nodes`)", {"counts", "bins", "row_counts"}),
    (
        "key of `set`",
        {"counts", "unit_bits", "loss_scale", "max_loss", "channels", "bins", "row_counts", "sums"},
    ),
    ("key of `channels`", {*DEFS["channels"]["properties"]}),
    ("key of `splitsecond counts`", {*DEFS["counts"]["properties"]}),
]


def tables() -> list[tuple[str, set[str]]]:
    found: list[tuple[str, set[str]]] = []
    for head, rows in re.findall(
        r"^\| (key[^|]*?) \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE
    ):
        firsts = [row.split("|")[1] for row in rows.splitlines()]
        found.append((head, {name for first in firsts for name in re.findall(r"`(\w+)`", first)}))
    return found


def test_the_page_describes_every_key_of_the_schema() -> None:
    assert tables() == TABLES


def test_the_page_names_every_name_of_the_schema() -> None:
    """Classes, statuses, losses, kinds of variables and operators."""
    for part in (
        *(DEFS["status"], DEFS["set"]["properties"]["search"]),
        *(DEFS["estimator"]["properties"]["class"], DEFS["variable"]["properties"]["kind"]),
        *(DEFS[loss]["properties"]["name"] for loss in ("class_loss", "number_loss")),
        DEFS["literal"]["properties"]["operator"],
    ):
        for name in part["enum"]:
            assert f"`{name}`" in PAGE or f'"{name}"' in PAGE, name
