"""Models as files: what is saved comes back, old files stay readable, bad ones do no harm.

The files in tests/models are never written again: they stand for those that users have. A new
format version adds files, made by ``save(FITTED[name](), f"tests/models/v2-{name}.json")``.
"""

from __future__ import annotations

import copy
import json
import os
import pickle
import re
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from io import BytesIO
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import splitsecond
from splitsecond import (
    FixedBinarizer,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    LimitWarning,
    MidpointBinarizer,
    OptimalTreeClassifier,
    QuantileBinarizer,
    SPLITClassifier,
    ThresholdGuessBinarizer,
    load,
    save,
)

MODELS = Path(__file__).parent / "models"


@cache
def people() -> tuple[Any, Any]:
    """A frame with every kind of column, and three classes with names."""
    random = np.random.default_rng(7)
    n = 240
    age = random.integers(18, 80, n) + 0.25
    job = random.choice(["cook", "nurse", "clerk", 'Bäcker "Ö"\n'], n)
    size = random.choice(["S", "M", "L"], n)
    X = pd.DataFrame(
        {
            "age": np.where(random.random(n) < 0.1, np.nan, age),
            "income": random.normal(3000, 500, n),
            "job": pd.Series(job).mask(random.random(n) < 0.1).astype(object),
            "size": pd.Categorical(size, ["S", "M", "L", "XL"], ordered=True),
            "member": random.random(n) < 0.5,
            "same": 4,
            "empty": pd.Series([None] * n, dtype=object),
        }
    )
    y = np.where(age > 50, "old", np.where((job == "cook") | (size == "L"), "cook", "other"))
    return X, y


@cache
def unseen() -> Any:
    """Rows unlike those of training: blanks everywhere, categories that were not there."""
    X = people()[0].iloc[:40].copy()
    X.loc[:9, ["age", "income"]] = np.nan
    X.loc[5:14, "job"] = None
    X.loc[15:19, "job"] = "astronaut"
    X["size"] = X["size"].cat.add_categories(["XXL"])
    X.loc[20:24, "size"] = "XXL"
    X.loc[25:29, "size"] = None
    X["member"] = X["member"].astype(object)
    X.loc[30:34, "member"] = None
    X["age"] *= 3
    return X


@cache
def zero_one() -> tuple[Any, Any]:
    X = np.random.default_rng(8).integers(0, 2, (64, 5))
    return X, X[:, 1] & (X[:, 3] | X[:, 4])


QUESTIONS = [
    "age <= 50.5",
    'job == "cook"',
    "job is missing",
    "member",
    ("size", "<=", "M"),
    ["age", "==", 30.25],
]

# What the sample files hold, by name.
FITTED: dict[str, Callable[[], Any]] = {
    "raw-frame": lambda: LicketySPLITClassifier(max_depth=4, regularization=0.005).fit(*people()),
    "many-classes": lambda: OptimalTreeClassifier(
        max_depth=2,
        regularization=Fraction(1, 300),
        class_weight={"old": 2, "cook": 1.5, "other": 1},
        binarizer=QuantileBinarizer(n_quantiles=4),
    ).fit(*people()),
    "zero-one": lambda: SPLITClassifier(max_depth=3, binarizer=None).fit(*zero_one()),
    "greedy-weighted": lambda: GreedyTreeClassifier(max_depth=3, binarizer="midpoint").fit(
        people()[0][["age", "job"]], people()[1] == "old", sample_weight=np.arange(240) % 4 / 2
    ),
    "fixed": lambda: FixedBinarizer(QUESTIONS).fit(people()[0]),
    "midpoint": lambda: MidpointBinarizer().fit(people()[0][["size", "job", "member"]]),
    "quantile": lambda: QuantileBinarizer(n_quantiles=5).fit(people()[0]),
    "guess": lambda: ThresholdGuessBinarizer(max_features=6).fit(*people()),
}
# The same, fitted once: nobody changes them.
fitted = cache(lambda name: FITTED[name]())
every_model = pytest.mark.parametrize("name", list(FITTED))


def table_for(model: Any, X: Any = None) -> Any:
    """A table that a model can be asked about."""
    if not hasattr(model, "feature_names_in_"):
        return np.random.default_rng(9).integers(0, 2, (30, model.n_features_in_))
    return (unseen() if X is None else X)[model.feature_names_in_.tolist()]


def seen(model: Any) -> dict[str, Any]:
    """All that a user can see of a model."""
    out: dict[str, Any] = {"parameters": repr(model), "columns": model.n_features_in_}
    out["names"] = list(getattr(model, "feature_names_in_", []))
    tables = [table_for(model)]
    if out["names"]:
        tables += [table_for(model, people()[0])]
    if isinstance(model, splitsecond._saving.TreeClassifier):
        tree = model.tree_
        out |= {"text": str(model), "rules": tree.rules(), "json": tree.to_json(indent=1)}
        out |= {"dot": tree.to_dot(), "bound": model.lower_bound_, "status": model.status_}
        out |= {"objective": model.objective_, "statistics": model.statistics_}
        out |= {"leaves": model.get_n_leaves(), "depth": model.get_depth()}
        out |= {"classes": model.classes_.tolist(), "dtype": model.classes_.dtype}
        for i, X in enumerate(tables):
            out[f"predicted {i}"] = model.predict(X).tolist()
            out[f"shares {i}"] = model.predict_proba(X).tolist()
            out[f"leaf {i}"] = model.apply(X).tolist()
        model = model.binarizer_
        if model is None:
            return out
    out |= {"questions": model.get_feature_names_out().tolist(), "dropped": model.dropped_}
    out |= {"literals": model.literals_, "variables": model.variables_}
    for i, X in enumerate(tables):
        out[f"answers {i}"] = model.transform(X).tolist()
    return out


def saved(model: Any, folder: Path) -> Any:
    save(model, folder / "model.json")
    return load(folder / "model.json")


# What is saved comes back


@every_model
def test_round_trip(name: str, tmp_path: Path) -> None:
    model = fitted(name)
    twin = saved(model, tmp_path)
    assert type(twin) is type(model)
    assert seen(twin) == seen(model)
    save(twin, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def plain(value: Any) -> Any:
    """A parameter as a file may give it back: an equal number, a list for an array."""
    if isinstance(value, (dict, MappingProxyType)):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, splitsecond._binarizer_base.Binarizer):
        return type(value), plain(value.get_params())
    if isinstance(value, np.floating):
        return float(str(value))
    return value.tolist() if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize(
    "parameters",
    [
        {"regularization": Fraction(1, 70)},
        {"regularization": Decimal("0.015")},
        {"regularization": np.float32(0.1), "max_depth": np.int64(2)},
        {"regularization": 0},
        {"class_weight": {"old": np.float64(0.3), "cook": np.int8(2), "other": 1}},
        {"class_weight": MappingProxyType({"old": 2})},
        {"class_weight": "balanced"},
        {"binarizer": "guess"},
        {"binarizer": QuantileBinarizer(n_quantiles=np.int32(4))},
        {"binarizer": ThresholdGuessBinarizer(tolerance=0.01, random_state=np.int64(3))},
        {"binarizer": MidpointBinarizer(), "verbose": True},
        {"binarizer": FixedBinarizer(QUESTIONS)},
        {"binarizer": FixedBinarizer(tuple(QUESTIONS))},
        {"binarizer": FixedBinarizer(np.array(["age <= 50.5", "member"]))},
        {"time_limit": 1e3, "memory_limit": 10**10, "n_jobs": -1},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "classifier",
    [GreedyTreeClassifier, LicketySPLITClassifier, OptimalTreeClassifier, SPLITClassifier],
)
def test_parameters_come_back(classifier: Any, parameters: Any, tmp_path: Path) -> None:
    model = classifier(**{"max_depth": 2, **parameters}).fit(*people())
    twin = saved(model, tmp_path)
    assert plain(twin.get_params(deep=False)) == plain(model.get_params(deep=False))
    assert twin.predict(unseen()).tolist() == model.predict(unseen()).tolist()
    # It can be fitted again, too.
    assert str(twin.fit(*people()).tree_) == str(model.tree_)


@pytest.mark.parametrize("classifier", [LicketySPLITClassifier, SPLITClassifier])
def test_own_parameters_come_back(classifier: Any, tmp_path: Path) -> None:
    own: dict[str, Any] = {"exact_last_split": np.True_}
    if classifier is SPLITClassifier:
        own |= {"lookahead_depth": np.int8(1), "postprocess": False}
    twin = saved(classifier(max_depth=2, **own).fit(*zero_one()), tmp_path)
    assert own.items() <= twin.get_params().items()


def test_a_random_generator_is_not_kept(tmp_path: Path) -> None:
    binarizer = ThresholdGuessBinarizer(random_state=np.random.RandomState(3)).fit(*people())
    assert saved(binarizer, tmp_path).random_state is None


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"]),
        np.array(["no", "yes"], dtype=object),
        np.array([False, True]),
        np.array([-7, 12], dtype=np.int16),
        np.array([-7, 12], dtype=">i4"),
        np.array([3, 2**64 - 1], dtype=np.uint64),
        np.array([1.0, 2.0]),
        np.array([1, 65504], dtype=np.float16),
        np.array([Fraction(1, 3), 2**70], dtype=object),
        np.array(["\ud800", "ж\u2028\x00x"], dtype=object),
    ],
    ids=lambda labels: f"{labels.dtype} {labels.tolist()!a}",
)
def test_labels_come_back(labels: Any, tmp_path: Path) -> None:
    X, y = zero_one()
    model = LicketySPLITClassifier().fit(X, labels[y])
    twin = saved(model, tmp_path)
    assert twin.classes_.dtype == model.classes_.dtype.newbyteorder("=")
    assert twin.predict(X).tolist() == model.predict(X).tolist()
    assert str(twin) == str(model)


@pytest.mark.parametrize(
    "names",
    [
        [0, 1, 2, 3, 4],
        [np.int64(7), "a", np.True_, 2.5, ("b", 3)],
        ["", " ", '"', "\\", "a <= 3"],
    ],
    ids=str,
)
@pytest.mark.parametrize("binarizer", ["auto", None])
@pytest.mark.filterwarnings("ignore:Feature names")
def test_names_of_columns_come_back(names: list[Any], binarizer: Any, tmp_path: Path) -> None:
    X, y = zero_one()
    frame = pd.DataFrame(X)
    frame.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    model = LicketySPLITClassifier(binarizer=binarizer).fit(frame, y)
    twin = saved(model, tmp_path)
    assert twin.predict(frame[frame.columns[::-1]]).tolist() == model.predict(frame).tolist()
    assert str(twin) == str(model)


def test_other_libraries_can_be_asked(tmp_path: Path) -> None:
    X, y = people()
    X = X.drop(columns=["size", "empty"])
    model = LicketySPLITClassifier(max_depth=3).fit(X, y)
    expected = model.predict(X).tolist()
    assert saved(model, tmp_path).predict(pl.from_pandas(X)).tolist() == expected


def test_a_stopped_fit_comes_back(tmp_path: Path) -> None:
    with pytest.warns(LimitWarning):
        model = OptimalTreeClassifier(max_depth=4, time_limit=1e-9).fit(*people())
    twin = saved(model, tmp_path)
    assert (twin.status_, str(twin)) == ("time_limit", str(model))


def test_scikit_learn_takes_a_loaded_model(tmp_path: Path) -> None:
    from sklearn.base import clone
    from sklearn.utils.validation import check_is_fitted

    twin = saved(fitted("raw-frame"), tmp_path)
    check_is_fitted(twin)
    assert str(clone(twin).fit(*people()).tree_) == str(twin.tree_)
    with pytest.warns(UserWarning, match="valid feature names"):
        twin.predict(people()[0].to_numpy())


# Copies by Python's own means


def by_joblib(model: Any) -> Any:
    buffer = BytesIO()
    joblib.dump(model, buffer)
    buffer.seek(0)
    return joblib.load(buffer)


@every_model
@pytest.mark.parametrize(
    "copied",
    [
        lambda model: pickle.loads(pickle.dumps(model)),
        lambda model: pickle.loads(pickle.dumps(model, protocol=2)),
        by_joblib,
        copy.deepcopy,
        copy.copy,
    ],
    ids=["pickle", "old pickle", "joblib", "deepcopy", "copy"],
)
def test_copies_are_alike(name: str, copied: Any) -> None:
    model = fitted(name)
    assert seen(copied(model)) == seen(model)


def test_copies_share_nothing() -> None:
    model = FITTED["raw-frame"]()
    before = seen(model)
    twin = copy.deepcopy(model)
    twin.tree_.counts[:] = 1
    twin.binarizer_.literals_.clear()
    twin.statistics_.clear()
    assert seen(model) == before


# What a file is


def test_no_training_rows_are_saved(tmp_path: Path) -> None:
    """Values of one row that are no threshold and no category are nowhere in the file."""
    X, y = people()
    for name in ("raw-frame", "many-classes", "quantile", "guess"):
        model = fitted(name)
        save(model, tmp_path / "model.json")
        text = (tmp_path / "model.json").read_text(encoding="utf-8")
        binarizer = getattr(model, "binarizer_", model)
        thresholds = {literal.value for literal in binarizer.literals_}
        for value in X["income"]:
            assert value in thresholds or repr(value) not in text
    size = (tmp_path / "model.json").stat().st_size
    many = pd.concat([X] * 20, ignore_index=True)
    save(ThresholdGuessBinarizer(max_features=6).fit(many, np.tile(y, 20)), tmp_path / "many.json")
    assert (tmp_path / "many.json").stat().st_size < size + 500


@every_model
def test_files_are_strict_json(name: str, tmp_path: Path) -> None:
    save(fitted(name), tmp_path / "model.json")

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    content = json.loads((tmp_path / "model.json").read_bytes(), parse_constant=refuse)
    assert (content["format"], content["version"]) == ("splitsecond model", 1)
    assert content["model"]["class"] == type(fitted(name)).__name__


def test_paths_of_both_kinds(tmp_path: Path) -> None:
    for path in (tmp_path / "a.json", os.fspath(tmp_path / "b.json")):
        save(fitted("zero-one"), path)
        assert seen(load(path)) == seen(fitted("zero-one"))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.json", "b.json"]


@pytest.mark.parametrize("step", ["write_bytes", "replace"])
@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()], ids=repr)
def test_a_failing_write_changes_nothing(
    step: str, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.json"
    save(fitted("zero-one"), path)
    before = path.read_bytes()

    def fail(self: Path, content: Any) -> None:
        if step == "write_bytes":
            with open(self, "wb") as file:
                file.write(content[:100])
        raise error

    monkeypatch.setattr(Path, step, fail)
    with pytest.raises(type(error)):
        save(fitted("raw-frame"), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_value_that_cannot_be_saved_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text("old")
    X, y = zero_one()
    model = LicketySPLITClassifier().fit(X, np.array([b"no", b"yes"])[y])
    with pytest.raises(TypeError, match="A value of type bytes cannot be saved"):
        save(model, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("model", [LicketySPLITClassifier(), QuantileBinarizer()], ids=str)
def test_unfitted_is_refused(model: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not fitted yet: call fit"):
        save(model, tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


class QuantileBinarizerOfMine(QuantileBinarizer):
    """A subclass, whose methods a file could not bring back."""


@pytest.mark.parametrize("thing", [None, {}, QuantileBinarizer, QuantileBinarizerOfMine()], ids=str)
def test_foreign_objects_are_refused(thing: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="save takes a classifier or binarizer of splitsecond"):
        save(thing, tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.json"):
        load(tmp_path / "nothing.json")


# Files of old versions

ROWS = pd.DataFrame(
    {
        "age": [30.25, 61, None, 40, 50.5],
        "income": [2500.0, 3600, 3000, None, 2990],
        "job": ["cook", "nurse", None, "astronaut", "clerk"],
        "size": ["S", "L", "M", "L", None],
        "member": [True, False, True, None, False],
        "same": [4, 4, None, 5, 4],
        "empty": [None, None, None, None, None],
    }
)
BITS = np.array([[0, 0, 1, 1, 1], [1, 1, 0, 0, 0], [0, 1, 0, 1, 0], [0, 1, 1, 0, 1]])

# What the models in the files say about these rows.
SAID: dict[str, Any] = {
    "raw-frame": ["cook", "old", "old", "cook", "old"],
    "many-classes": ["other", "old", "old", "cook", "old"],
    "zero-one": [0, 0, 1, 1],
    "greedy-weighted": [False, True, False, False, True],
    "fixed": [
        [1, 1, 0, 1, 1, 1],
        [0, 0, 0, 0, 0, 0],
        [0, 0, 1, 1, 1, 0],
        [1, 0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0],
    ],
    "midpoint": [
        [1, 1, 0, 0, 1, 0, 0, 1],
        [0, 0, 0, 0, 0, 1, 0, 0],
        [0, 1, 0, 0, 0, 0, 1, 1],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 1, 0, 0, 0, 0],
    ],
    "quantile": [
        [1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1],
        [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0],
    ],
    "guess": [
        [1, 1, 0, 1, 1, 1],
        [0, 0, 0, 0, 0, 0],
        [0, 0, 1, 1, 0, 1],
        [1, 1, 0, 0, 0, 0],
        [0, 0, 0, 1, 0, 0],
    ],
}


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.json")), ids=lambda path: path.stem)
def test_old_files_stay_readable(path: Path) -> None:
    model = load(path)
    name = path.stem.split("-", 1)[1]
    X = BITS if name == "zero-one" else ROWS[model.feature_names_in_.tolist()]
    answer = model.predict if hasattr(model, "predict") else model.transform
    assert answer(X).tolist() == SAID[name]
    assert str(model)


@every_model
def test_the_format_has_not_changed(name: str, tmp_path: Path) -> None:
    """What is written today is read by today's version 1: a new shape needs a new version."""
    save(fitted(name), tmp_path / "model.json")
    old = json.loads((MODELS / f"v{splitsecond._saving.VERSION}-{name}.json").read_bytes())
    new = json.loads((tmp_path / "model.json").read_bytes())

    def shape(content: Any) -> Any:
        if isinstance(content, dict):
            return {key: shape(part) for key, part in content.items() if key != "statistics"}
        return type(content) if isinstance(content, list) else None

    assert shape(new) == shape(old)


# Hostile and damaged files


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
        patch.setattr(Path, "read_text", lambda self, encoding: text.decode(encoding))
        model, refusal = tried(load, "some.json")
    if model is None:
        assert refusal.startswith("some.json ")
        assert 20 < len(refusal) < 5000
        return False
    assert str(model)
    assert repr(model)
    binarizer = model
    X = table_for_any(model)
    if hasattr(model, "tree_"):
        tree = model.tree_
        assert tree.to_text()
        assert tree.to_dot()
        assert tree.to_json()
        assert len(tree.rules()) == model.get_n_leaves()
        binarizer = model.binarizer_
        used(model.predict_proba, X)
        if binarizer is None:
            used(model.predict, X)
            used(model.apply, X)
    if binarizer is not None:
        assert len(binarizer.get_feature_names_out()) == len(binarizer.literals_)
        assert isinstance(binarizer.dropped_, dict)
        used(binarizer.transform, X)
        used(binarizer.inverse_transform, np.zeros((2, len(binarizer.literals_))))
    return True


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
        "binarizer": lambda: FixedBinarizer(QUESTIONS).fit(X[columns]),
        "guess": lambda: ThresholdGuessBinarizer(max_features=2).fit(X[["age", "member"]], y),
    }
    content = splitsecond._saving.estimator_out(models[name]())
    if "statistics" in content:
        content["statistics"] = {"seconds": 0.001, "subproblems": 3}
    return json.dumps({"format": "splitsecond model", "version": 1, "model": content})


every_small_file = pytest.mark.parametrize("name", ["raw", "zero-one", "binarizer", "guess"])


@every_small_file
def test_one_wrong_value_does_no_harm(name: str) -> None:
    """One file in five; all of them with --hypothesis-profile=search."""
    step = 5 if settings().max_examples < 1000 else 1
    content = json.loads(small_file(name))
    models = [harmless(text) for text in islice(mutants(content), 0, None, step)]
    assert json.dumps(content) == small_file(name)
    assert len(models) > 300
    assert 0 < sum(models) < len(models)


@every_small_file
@given(data=st.data())
def test_several_wrong_values_do_no_harm(name: str, data: st.DataObject) -> None:
    content = json.loads(small_file(name))
    for _ in range(data.draw(st.integers(2, 4))):
        holder, key = data.draw(st.sampled_from(list(places(content))))
        others = [inside[place] for inside, place in places(content)]
        holder[key] = copy.deepcopy(data.draw(st.sampled_from(NASTY) | st.sampled_from(others)))
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


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (2, "has format version 2; this splitsecond reads up to 1. Install a newer"),
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
