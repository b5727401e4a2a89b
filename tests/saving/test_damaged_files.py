"""Hostile and damaged files are refused, or do no harm."""

from __future__ import annotations

import copy
import json
import re
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_schema import check
from saved_models import QUESTIONS, amounts, claims, people, unseen, zero_one

from splitsecond import (
    FixedBinarizer,
    FixedTreeRegressor,
    LicketySPLITClassifier,
    LicketySPLITRegressor,
    OptimalTreeRegressor,
    SPLITClassifier,
    ThresholdGuessBinarizer,
    Tree,
    TreeFARMSRegressor,
    TreeSet,
    load,
)
from splitsecond._saving._writing import content_out


def deep(levels: int) -> Any:
    out: Any = 1
    for _ in range(levels):
        out = [out]
    return out


def deep_tuple(levels: int) -> Any:
    out: Any = 1
    for _ in range(levels):
        out = {"tuple": [out]}
    return out


NASTY: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    2,
    3,
    2**31,
    2**63,
    -(2**63) - 1,
    10**400,
    0.5,
    -0.0,
    1e308,
    1.7e308,
    5e-324,
    "",
    "x",
    "os.system",
    "__class__",
    "nan",
    "1e999999999",
    "\ud800\x00",
    "constant",
    "all missing",
    "binary",
    "number",
    "ordered",
    "is missing",
    "is 1",
    "==",
    "<=",
    "float16",
    "uint8",
    "object",
    "bool",
    "SPLITClassifier",
    "FixedBinarizer",
    [],
    [None],
    [-1],
    [0, 0, 0],
    [[], []],
    [{}],
    {},
    {"float": "nan"},
    {"float": "inf"},
    {"float": 1},
    {"fraction": "1/0"},
    {"fraction": "1e999999999"},
    {"fraction": "9" * 5000},
    {"fraction": "-1/3"},
    {"tuple": []},
    {"tuple": [1, {"tuple": ["a"]}]},
    {"list": [[]]},
    {"pairs": [[1, 2]]},
    {"pairs": [[1]]},
    {"class": "os.system", "parameters": {}},
    {"class": "LicketySPLITClassifier", "parameters": {}},
    {"class": "QuantileBinarizer", "parameters": {"_labels_in": 1}},
    {"class": "FixedBinarizer", "parameters": {"literals": {"list": [{"list": [1]}]}}},
    {"__class__": "os.system", "self": 1},
    deep(500),
    deep_tuple(300),
]


def places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a JSON value with each of its keys."""
    for key in list(content) if isinstance(content, dict) else range(len(content)):
        yield content, key
        if isinstance(content[key], (dict, list)):
            yield from places(content[key])


def mutants(content: Any) -> Iterator[str]:
    """Files with one thing wrong: each value replaced, left out or doubled, each key renamed."""
    for holder, key in places(content):
        old = holder[key]
        for nasty in NASTY:
            holder[key] = nasty
            yield json.dumps(content)
        for number in ("1e999", "NaN", "-Infinity", "1" * 5000):
            holder[key] = "PLACE"
            yield json.dumps(content).replace('"PLACE"', number)
        holder[key] = old
        before = copy.copy(holder)
        if isinstance(holder, list):
            holder.insert(key, old)
            yield json.dumps(content)
            holder[:] = before[:key] + before[key + 1 :]
            yield json.dumps(content)
            holder[:] = before[::-1]
            yield json.dumps(content)
            holder[:] = before
        else:
            for name in ("__class__", "_labels_in", "self", key.upper()):
                holder[name] = holder.pop(key)
                yield json.dumps(content)
                del holder[name]
                holder[key] = old
            del holder[key]
            yield json.dumps(content)
            holder.update(before)
            yield json.dumps(content).replace(f'"{key}":', f'"{key}": 1, "{key}":', 1)


def harmless(content: str | bytes) -> bool:
    """Load a file and use what comes; only ValueError may say no. Whether it was a model."""
    text = content.encode() if isinstance(content, str) else content
    with pytest.MonkeyPatch.context() as patch:  # there are many files, and disks are slow
        patch.setattr(Path, "read_bytes", lambda self: text)
        model, refusal = tried(load, "some.json")
    if model is None:
        assert refusal.startswith("some.json ")
        assert 20 < len(refusal) < 5000
        return False
    check(text)  # what the schema refuses is refused
    assert str(model)
    assert repr(model)
    if isinstance(model, (Tree, FixedTreeRegressor)):
        check_tree(model if isinstance(model, Tree) else model.tree_)
        return True
    if isinstance(model, TreeSet):
        for tree in model[:3]:
            check_tree(tree)
        return True
    binarizer = model
    X = table_for_any(model)
    if hasattr(model, "tree_"):
        tree = model.tree_
        assert tree.to_text()
        assert tree.to_dot()
        assert tree.to_json()
        assert len(tree.rules()) == model.get_n_leaves()
        binarizer = model.binarizer_
        used(model.predict if tree.loss.is_of_numbers else model.predict_proba, X)
        if binarizer is None:
            used(model.predict, X)
            used(model.apply, X)
    if binarizer is not None:
        assert len(binarizer.get_feature_names_out()) == len(binarizer.literals_)
        assert isinstance(binarizer.dropped_, dict)
        used(binarizer.transform, X)
        used(binarizer.inverse_transform, np.zeros((2, len(binarizer.literals_))))
    return True


def check_tree(tree: Tree) -> None:
    assert len(tree.rules()) == tree.n_leaves
    assert all((tree.to_dot(), tree.to_json(), tree.to_svg()))
    used(tree.predict if tree.loss.is_of_numbers else tree.predict_proba, unseen())
    tried(tree.explain, unseen().iloc[[0]])


def used(method: Any, X: Any) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X (has|does not have valid) feature names")
        found, refusal = tried(method, X)
    if found is None:  # the table is not what the file says it should be
        assert len(refusal) > 20
    else:
        assert len(found) == len(X)


def tried(function: Any, argument: Any) -> tuple[Any, str]:
    """What comes out, or the message of a ValueError; other errors are not forgiven."""
    try:
        return function(argument), ""
    except ValueError as error:
        return None, str(error)


def table_for_any(model: Any) -> Any:
    """A table with the labels that a file asks for, whatever they are."""
    X = unseen()
    labels = model._labels_in
    if labels is None:
        return np.zeros((4, min(model.n_features_in_, 100)))
    known = [label for label in labels if isinstance(label, str) and label in X.columns]
    return X[known] if len(known) == len(labels) else X


@cache
def small_file(name: str) -> str:
    """A saved model with few questions."""
    X, y = people()
    columns = ["age", "job", "size", "member", "same", "empty"]
    questions = FixedBinarizer(["age <= 50.5", 'job == "cook"', ("size", "<=", "M"), "member"])
    models: dict[str, Callable[[], Any]] = {
        "raw": lambda: LicketySPLITClassifier(max_depth=2, binarizer=questions).fit(X[columns], y),
        "zero-one": lambda: SPLITClassifier(max_depth=1, binarizer=None).fit(*zero_one()),
        "refer": lambda: LicketySPLITClassifier(
            costs={0: {0: 0, 1: 2.5}, "ask": {0: 0.3, 1: 0}}, max_depth=1, binarizer=None
        ).fit(*zero_one()),
        "binarizer": lambda: FixedBinarizer(QUESTIONS).fit(X[columns]),
        "guess": lambda: ThresholdGuessBinarizer(max_features=2).fit(X[["age", "member"]], y),
        "tree": lambda: LicketySPLITClassifier(max_depth=2).fit(X[["age", "job"]], y).tree_,
        "numbers": lambda: LicketySPLITRegressor(max_depth=2, binarizer=questions).fit(
            X[columns], amounts(), sample_weight=np.arange(240) % 4 / 7
        ),
        "rates": lambda: FixedTreeRegressor.of(
            OptimalTreeRegressor(loss="poisson", max_depth=1, binarizer="quantile")
            .fit(X[["size", "member"]], *claims())
            .tree_
        ),
        "set of numbers": lambda: (
            TreeFARMSRegressor(regularization=0.05, epsilon=0.1, max_depth=2, binarizer=questions)
            .fit(X[columns], amounts())
            .trees_
        ),
        "set of rates": lambda: (
            TreeFARMSRegressor(loss="poisson", epsilon=0.05, max_depth=1, binarizer="quantile")
            .fit(X[["size", "member"]], *claims())
            .trees_.filter(max_leaves=2)
        ),
    }
    content = content_out(models[name]())
    if "statistics" in content.get("model", {}):
        content["model"]["statistics"] = {"seconds": 0.001, "subproblems": 3}
    return json.dumps({"format": "splitsecond model", "version": 3, **content})


every_small_file = pytest.mark.parametrize(
    "name",
    [
        *("raw", "zero-one", "refer", "binarizer", "guess", "tree"),
        *("numbers", "rates", "set of numbers", "set of rates"),
    ],
)


@pytest.mark.slow
@every_small_file
def test_one_wrong_value_does_no_harm(name: str) -> None:
    """One file in five; all of them with --hypothesis-profile=search."""
    step = 5 if settings().max_examples < 1000 else 1
    content = json.loads(small_file(name))
    models = [harmless(text) for text in islice(mutants(content), 0, None, step)]
    assert json.dumps(content) == small_file(name)
    assert len(models) > 300
    assert 0 < sum(models) < len(models)


@pytest.mark.slow
@every_small_file
@given(data=st.data())
def test_several_wrong_values_do_no_harm(name: str, data: st.DataObject) -> None:
    content = json.loads(small_file(name))
    for _ in range(data.draw(st.integers(1, 4))):
        holder, key = data.draw(st.sampled_from(list(places(content))))
        others = [inside[place] for inside, place in places(content)]
        # A copy; unlike that of `copy`, it does not take several calls of Python for each level.
        chosen = data.draw(st.sampled_from(NASTY) | st.sampled_from(others))
        holder[key] = json.loads(json.dumps(chosen))
    harmless(json.dumps(content))


@every_small_file
def test_a_file_cut_short_is_refused(name: str) -> None:
    text = small_file(name).encode()
    for end in range(0, len(text), 7):
        assert not harmless(text[:end])


@every_small_file
@given(place=st.integers(0, 10**6), byte=st.integers(0, 255))
def test_a_wrong_byte_does_no_harm(name: str, place: int, byte: int) -> None:
    text = bytearray(small_file(name).encode())
    text[place % len(text)] = byte
    harmless(bytes(text))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "null",
        "[]",
        "{}",
        '"splitsecond model"',
        "[" * 100_000,
        '{"a":' * 100_000,
        "1" * 100_000,
        b"\xff\xfe{}",
        b"\x80\x04\x95",
        b"\xef\xbb\xbf{}",
        b"PK\x03\x04",
        "\x00",
    ],
    ids=lambda content: f"{content[:12]!r}",
)
def test_other_files_are_refused(content: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=r"model\.json is no model file"):
        load(path)


@pytest.mark.parametrize("end", [b"", b"\xff", b',\n"version": 1', b"}}"])
def test_a_model_that_cannot_be_parsed_is_damaged(end: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    for mark in (b"", b"\xef\xbb\xbf"):
        path.write_bytes(mark + b'{\n "format": "splitsecond model"' + end)
        with pytest.raises(ValueError, match=r"model\.json is damaged: "):
            load(path)


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (4, "has format version 4; this splitsecond reads up to 3. Install a newer"),
        (0, "is damaged: its format version is 0"),
        (True, "is damaged: its format version is True"),
        ("1", "is damaged: its format version is '1'"),
        (1.0, "is damaged: its format version is 1.0"),
    ],
)
def test_other_versions_are_refused(version: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps({**json.loads(small_file("raw")), "version": version}))
    with pytest.raises(ValueError, match=re.escape(message)):
        load(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"left": [0, -1, -1]}, "node 0 of 'tree' does not come before its children"),
        ({"left": [2, -1, -1]}, "'tree' is not a tree"),
        ({"left": [3, -1, -1]}, "'left' holds 3, not -1 to 2"),
        ({"right": [-1, -1, -1]}, "node 0 of 'tree' does not come before"),
        ({"right": [2, 1, -1]}, "node 1 of 'tree' is a leaf and has children"),
        ({"feature": [5, -1, -1]}, "'feature' holds 5, not -1 to 4"),
        ({"feature": [-2, -1, -1]}, "'feature' holds -2"),
        ({"feature": [], "left": [], "right": [], "rows": [], "counts": []}, "one entry for each"),
        ({"rows": [64, 32]}, "one entry for each node"),
        ({"rows": [64, 32, 2**63]}, "'rows' holds 9223372036854775808"),
        ({"counts": [[1, 1], [1, 0], [0, 0]]}, "a weight for each class"),
        ({"counts": [[1, 1], [1, 0], [1]]}, "a weight for each class"),
        ({"counts": [[1, 1], [1, 0], [1, -1]]}, "a weight for each class"),
        ({"counts": [[9e307, 9e307], [1, 0], [1, 0]]}, "whose sum is finite"),
        ({"row_counts": [[39, 25], [9, 25]]}, "one entry for each node"),
        ({"row_counts": [[39, 25], [9, 25], [30]]}, "the rows of each class"),
        ({"row_counts": [[39, 25], [9, 25], [30, 1]]}, "the rows of each class"),
        ({"row_counts": [[39, 25], [9, 25], [31, -1]]}, "the rows of each class"),
        ({"row_counts": [[39, 25], [9, 25], [30.0, 0]]}, "the rows of each class"),
        ({"row_counts": [[39, 25], [9, 25], [29, 1]]}, "'row_counts' do not fit 'counts'"),
    ],
    ids=str,
)
def test_trees_that_are_none_are_refused(changes: Any, message: str, tmp_path: Path) -> None:
    content = json.loads(small_file("zero-one"))
    tree = content["model"]["tree"]
    assert (tree["left"], tree["right"]) == ([1, -1, -1], [2, -1, -1])
    tree.update(changes)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=f"damaged: .*{re.escape(message)}"):
        load(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "gini"}, "'name' of 'loss' should be one of 'zero_one', 'log_loss', 'brier'"),
        ({"actions": []}, "'actions' should be different from each other"),
        ({"actions": ["a", "a"]}, "'actions' should be different from each other"),
        ({"actions": ["a"]}, "'costs' should have a row for each action"),
        ({"actions": "ab"}, "'actions' of 'loss' should be a list"),
        ({"costs": [["0", "1"]]}, "'costs' should have a row for each action"),
        ({"costs": [["0", "1"], ["1"]]}, "'costs' should have a cost for each class"),
        ({"costs": [["0", "1"], 1]}, "'costs' should have a cost for each class"),
        ({"costs": [["0", "1"], ["-1/2", "0"]]}, "'costs' should not be negative"),
        ({"costs": [["0", "1"], [0.5, "0"]]}, "0.5 is no fraction"),
        ({"costs": [["0", "1"], ["1/0", "0"]]}, "'1/0' is no fraction"),
        ({"costs": [["0", "1"], ["1" * 30, "0"]]}, "more digits, than fits take"),
        ({"costs": [["0", "1" * 400], ["0", "0"]]}, "more digits, than fits take"),
    ],
    ids=lambda part: str(part)[:40],
)
def test_losses_that_are_none_are_refused(changes: Any, message: str, tmp_path: Path) -> None:
    content = json.loads(small_file("refer"))
    content["model"]["loss"].update(changes)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=f"damaged: .*{re.escape(message)}"):
        load(path)


def test_nothing_but_the_known_classes_is_made(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    for name in ("os.system", "__class__", "Tree", "_TreeClassifier", "builtins.eval"):
        content = json.loads(small_file("raw"))
        content["model"]["parameters"]["binarizer"] = {"class": name, "parameters": {}}
        path.write_text(json.dumps(content))
        with pytest.raises(ValueError, match="should be one of 'GreedyTreeClassifier'"):
            load(path)
    for name in ("_labels_in", "__class__", "self", "tree_"):
        content = json.loads(small_file("raw"))
        content["model"]["parameters"][name] = 1
        path.write_text(json.dumps(content))
        with pytest.raises(ValueError, match=f"LicketySPLITClassifier has no parameter '{name}'"):
            load(path)


def test_large_fractions_take_no_time(tmp_path: Path) -> None:
    """Python would write out all the digits."""
    content = json.loads(small_file("zero-one"))
    content["model"]["parameters"]["regularization"] = {"fraction": "1e-9999999999"}
    path = tmp_path / "model.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="'1e-9999999999' is no fraction"):
        load(path)
