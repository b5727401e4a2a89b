"""Count tables by themselves: added, saved, divided into folds, and without rare patterns."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from counted import WEIGHTS, check_same_counts, check_same_tree, random_table, random_weights
from model_schema import COUNTS, PATH

import splitsecond as ss
from splitsecond import CountTable


def table_of(weights: str = "none", *, seed: int = 0, numbers: bool = False, **options: Any) -> Any:
    random = np.random.RandomState(seed)
    frame = random_table(random, 300, n_classes=3)
    if numbers:
        frame["y"] = (frame["count"] + 2 * frame["flag"]).astype(int)
        options["task"] = "regression"
    w = random_weights(random, weights, 300)
    if w is not None:
        frame, options["weight"] = frame.assign(w=w), "w"
    options.setdefault("binarizer", "quantile")
    return ss.compress(frame, "y", **options), frame


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("weights", ["none", "whole", "few"])
def test_parts_add_up_to_the_whole(weights: str, numbers: bool) -> None:
    whole, frame = table_of(weights, numbers=numbers)
    options: dict[str, Any] = {"binarizer": whole.binarizer}
    options["task"] = "regression" if numbers else "auto"
    if weights != "none":
        options["weight"] = "w"
    parts = [ss.compress(frame.iloc[i::3], "y", **options) for i in range(3)]
    added = sum(parts)
    np.testing.assert_array_equal(added.rows, whole.rows)
    np.testing.assert_array_equal(added.codes, whole.codes)
    np.testing.assert_allclose(added.row_weights(), whole.row_weights())
    kind = ss.OptimalTreeRegressor if numbers else ss.OptimalTreeClassifier
    check_same_tree(kind(max_depth=3).fit(added), kind(max_depth=3).fit(whole))


def test_tables_of_other_questions_do_not_add_up() -> None:
    one, frame = table_of()
    other = ss.compress(frame, "y", binarizer="midpoint")
    with pytest.raises(ValueError, match="answer the same questions"):
        one + other
    with pytest.raises(TypeError):
        one + 1
    with pytest.raises(ValueError, match="kind of target"):
        one + ss.compress(
            frame.assign(y=frame["count"]), "y", binarizer=one.binarizer, task="regression"
        )


def test_classes_that_one_part_lacks() -> None:
    whole, frame = table_of()
    parts = [
        ss.compress(frame[frame["y"].isin(labels)], "y", binarizer=whole.binarizer)
        for labels in (["no", "perhaps"], ["yes"])
    ]
    check_same_counts(parts[0] + parts[1], whole)


def test_folds_add_up_by_their_labels() -> None:
    whole, frame = table_of()
    fold = np.array(["north", "south", "west"])[np.arange(300) % 3]
    options: dict[str, Any] = {"binarizer": whole.binarizer, "folds": "fold"}
    frame = frame.assign(fold=fold)
    together = ss.compress(frame, "y", **options)
    assert together.fold_labels == ("north", "south", "west")
    # South is the first fold of one table and the second of the other.
    is_first = np.where(fold == "south", np.arange(300) < 150, fold == "west")
    parts = [ss.compress(frame[part], "y", **options) for part in (is_first, ~is_first)]
    check_same_counts(parts[0] + parts[1], together)
    check_same_counts(parts[1] + parts[0], together)


def test_folds_whose_labels_are_of_other_kinds_do_not_add_up() -> None:
    whole, frame = table_of(folds=3)
    assert whole.fold_labels == (0, 1, 2)
    named = ss.compress(
        frame.assign(fold=np.array(["0", "1", "2"])[np.arange(300) % 3]),
        "y",
        binarizer=whole.binarizer,
        folds="fold",
    )
    with pytest.raises(ValueError, match="folds are labelled by numbers, such as 0, and by text, "):
        whole + named
    unlabelled = replace(whole, fold_labels=None)
    with pytest.raises(ValueError, match="does not say which fold is which"):
        unlabelled + whole


def test_fold_labels_are_saved_as_text_if_they_are_no_numbers(tmp_path: Path) -> None:
    whole, frame = table_of()
    days = np.array(["2026-01-01", "2026-02-01", "2026-03-01"], dtype="datetime64[D]")
    frame = frame.assign(fold=pd.array(days[np.arange(300) % 3].astype("datetime64[s]")))
    counts = ss.compress(frame, "y", binarizer=whole.binarizer, folds="fold")
    assert counts.n_folds == 3
    counts.save(tmp_path / "counts.parquet")
    loaded = CountTable.load(tmp_path / "counts.parquet")
    assert loaded.fold_labels == counts.fold_labels
    assert str(counts.fold_labels[0]).startswith("2026-01-01")
    check_same_counts(loaded + loaded, counts + counts)


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_saved_and_loaded(weights: str, numbers: bool, tmp_path: Path) -> None:
    counts, _ = table_of(weights, numbers=numbers, folds=3)
    path = tmp_path / "counts.parquet"
    counts.save(path)
    loaded = CountTable.load(path)
    check_same_counts(loaded, counts)
    kind = ss.LicketySPLITRegressor if numbers else ss.LicketySPLITClassifier
    check_same_tree(kind().fit(loaded), kind().fit(counts))
    assert repr(loaded) == repr(counts)
    assert [each.name for each in tmp_path.iterdir()] == ["counts.parquet"]


def described_columns() -> dict[str, str]:
    """The columns of a saved count table, and their types, as docs/model-format.md has them."""
    page = PATH.with_name("model-format.md").read_text(encoding="utf-8")
    section = page.partition("| column | type | content |\n")[2].partition("\n\n")[0]
    return dict(re.findall(r"^\| `(\w+)`[^|]* \| (\w+) \|", section, re.MULTILINE))


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("folds", [None, 3])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_saved_as_described(weights: str, folds: int | None, numbers: bool, tmp_path: Path) -> None:
    counts, _ = table_of(weights, numbers=numbers, folds=folds)
    counts.save(tmp_path / "counts.parquet")
    table = pq.read_table(tmp_path / "counts.parquet")
    about = json.loads(table.schema.metadata.pop(b"splitsecond counts"))
    COUNTS.validate(about)
    described = described_columns()
    answers = [f"q{i}" for i in range(len(about["binarizer"]["literals"]))]
    types = {each.name: str(each.type) for each in table.schema}
    assert types == {
        **dict.fromkeys(answers, described["q0"]),
        **{name: described[name] for name in types if name not in answers},
    }
    fold = set() if folds is None else {"fold"}
    weight = {"weight"} if weights == "few" or fold else {"units"}
    if weights == "none":
        weight = set()
    assert types.keys() - answers == {"rows", "code"} | fold | weight
    assert {*described} == {"q0", "rows", "code", "fold", "weight", "units"}
    assert about["n_rows"] >= sum(table["rows"].to_pylist())
    assert max(table["code"].to_pylist()) < len(about["labels"]["values"])
    assert about["is_of_numbers"] == numbers
    assert not any(column.null_count for column in table.columns)


def test_files_that_are_no_count_tables(tmp_path: Path) -> None:
    counts, frame = table_of()
    path = tmp_path / "counts.parquet"
    frame.drop(columns=["kind", "size"]).to_parquet(path)
    with pytest.raises(ValueError, match="no count table"):
        CountTable.load(path)
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(ValueError, match="no count table"):
        CountTable.load(path)
    with pytest.raises(FileNotFoundError):
        CountTable.load(tmp_path / "none.parquet")
    counts.save(path)
    table = pq.read_table(path)
    about = json.loads(table.schema.metadata[b"splitsecond counts"])
    for change in (
        {"n_rows": -1},
        {"labels": {"dtype": "str", "values": []}},
        {"binarizer": {"class": "os.system"}},
        {"version": 9},
    ):
        text = json.dumps({**about, **change})
        pq.write_table(table.replace_schema_metadata({"splitsecond counts": text}), path)
        with pytest.raises(ValueError, match=r"damaged|version"):
            CountTable.load(path)
    counts.with_folds(3).save(path)
    divided = pq.read_table(path)
    about_folds = json.loads(divided.schema.metadata[b"splitsecond counts"])
    for labels in ([0, 1], [0, 1, 1], [0, 1, {"tuple": [2]}]):
        text = json.dumps({**about_folds, "fold_labels": labels})
        pq.write_table(divided.replace_schema_metadata({"splitsecond counts": text}), path)
        with pytest.raises(ValueError, match="damaged: its folds"):
            CountTable.load(path)
    del about_folds["fold_labels"]  # as older files are
    text = json.dumps(about_folds)
    pq.write_table(divided.replace_schema_metadata({"splitsecond counts": text}), path)
    assert (CountTable.load(path).n_folds, CountTable.load(path).fold_labels) == (3, None)
    text = json.dumps(about)
    for name in ("q0", "rows", "code"):
        cut = table.drop_columns([name]).replace_schema_metadata({"splitsecond counts": text})
        pq.write_table(cut, path)
        with pytest.raises(ValueError, match="damaged"):
            CountTable.load(path)


def test_rare_patterns_are_dropped_and_that_is_said() -> None:
    counts, frame = table_of()
    kept = counts.drop_below(3)
    of_pattern = np.unique(
        counts.binarizer.transform(frame.drop(columns="y")), axis=0, return_counts=True
    )[1]
    n_kept = int(of_pattern[of_pattern >= 3].sum())
    assert (kept.n_rows, kept.n_dropped) == (n_kept, 300 - n_kept)
    assert kept.n_patterns == int((of_pattern >= 3).sum())
    assert f"without {300 - n_kept} rows" in repr(kept)
    again = ss.compress(frame, "y", binarizer="quantile", min_count=3)
    check_same_counts(again, kept)
    given = ss.compress(frame, "y", binarizer=counts.binarizer, min_count=3)
    check_same_counts(given, counts.drop_below(3, keep_questions=True))
    assert given.literals == counts.literals
    with pytest.raises(ValueError, match="No pattern"):
        counts.drop_below(301)


@pytest.mark.parametrize("weights", ["none", "few"])
@pytest.mark.parametrize("numbers", [False, True])
def test_folds_share_out_every_row(weights: str, numbers: bool) -> None:
    counts, _ = table_of(weights, numbers=numbers)
    divided = counts.with_folds(4, random_state=1)
    sizes = np.bincount(divided.folds, divided.rows)
    assert sizes.max() - sizes.min() <= 1
    if not numbers:
        by_class = np.zeros((4, 3))
        np.add.at(by_class, (divided.folds, divided.codes), divided.rows)
        assert (np.ptp(by_class, axis=0) <= 1).all()
    assert divided.rows.sum() == counts.rows.sum()
    assert divided.row_weights().sum() == pytest.approx(counts.row_weights().sum())
    kind = ss.LicketySPLITRegressor if numbers else ss.LicketySPLITClassifier
    check_same_tree(kind().fit(divided), kind().fit(counts))
    path = ss.regularization_path(counts, estimator=kind(), cv=4)
    assert all(each.cv_loss is not None for each in path)


def test_to_frame() -> None:
    counts, _ = table_of("few", folds=3)
    frame = counts.to_frame()
    assert frame["rows"].sum() == counts.rows.sum()
    assert list(frame.columns[-4:]) == ["y", "rows", "weight", "fold"]
    assert counts.to_frame("polars").shape == frame.shape


def test_pickles() -> None:
    counts, _ = table_of("few")
    check_same_counts(pickle.loads(pickle.dumps(counts)), counts)
