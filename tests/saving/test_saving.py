"""Models as files: what is saved comes back, and old files stay readable."""

from __future__ import annotations

import copy
import json
import os
import pickle
from decimal import Decimal
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from saved_models import (
    FITTED,
    MODELS,
    QUESTIONS,
    every_model,
    fitted,
    people,
    saved,
    seen,
    unseen,
    zero_one,
)

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
    if isinstance(value, splitsecond._binarizers.base.Binarizer):
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


def test_a_function_told_of_the_progress_stays_behind(tmp_path: Path) -> None:
    model = LicketySPLITClassifier(verbose=print).fit(*people())
    assert saved(model, tmp_path).verbose == 0


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
    version = 3 if name in ("numbers", "rates") else 2
    assert (content["format"], content["version"]) == ("splitsecond model", version)
    assert content["model"]["class"] == type(fitted(name)).__name__


def test_paths_of_both_kinds(tmp_path: Path) -> None:
    for path in (tmp_path / "a.json", os.fspath(tmp_path / "b.json")):
        save(fitted("zero-one"), path)
        assert seen(load(path)) == seen(fitted("zero-one"))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.json", "b.json"]


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    save(fitted("zero-one"), path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert seen(load(path)) == seen(fitted("zero-one"))


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
    with pytest.raises(TypeError, match="save takes a classifier, regressor or binarizer of"):
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
    "log-loss": ["cook", "old", "old", "cook", "old"],
    "refer": ["ask", "old", "old", "cook", "old"],
    "numbers": pytest.approx([7.337605, 19.938854, 2.357520, -0.116539, 19.938854], abs=1e-6),
    "rates": pytest.approx([0.204778, 2.506912, 0.204778, 2.506912, 2.506912], abs=1e-6),
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
    """What is written today is read by the first of its version: a new shape needs a new one.

    Keys that it does not know are nothing to it.
    """
    save(fitted(name), tmp_path / "model.json")
    new = json.loads((tmp_path / "model.json").read_bytes())
    old = json.loads((MODELS / f"v{new['version']}-{name}.json").read_bytes())

    def shape(content: Any) -> Any:
        if isinstance(content, dict):
            varying = ("statistics", "row_counts")
            return {key: shape(part) for key, part in content.items() if key not in varying}
        return type(content) if isinstance(content, list) else None

    assert shape(new) == shape(old)
