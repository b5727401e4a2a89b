"""Whichever engine reads a table, however it is divided: the same count table, fits and sets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from counted import (
    WEIGHTS,
    StreamOf,
    check_same_counts,
    check_same_sets,
    check_same_tree,
    random_table,
    random_weights,
    same_questions,
    shuffled,
)
from seeds import seeds
from sklearn.model_selection import PredefinedSplit

import splitsecond as ss

TARGETS = ("two", "many", "numbers", "rates")
Divide = Callable[[pd.DataFrame, np.random.RandomState, Path], Any]


def of_dask(frame: pd.DataFrame, random: np.random.RandomState, _: Path) -> Any:
    return dd.from_pandas(frame, npartitions=random.randint(1, 20), sort=False)


def of_duckdb(frame: pd.DataFrame, *_: Any) -> Any:
    return duckdb.from_arrow(arrow(frame))


def of_polars(frame: pd.DataFrame, *_: Any) -> Any:
    return pl.from_pandas(frame).lazy()


def of_stream(frame: pd.DataFrame, random: np.random.RandomState, _: Path) -> Any:
    batches = arrow(frame).to_batches(random.randint(1, 100))
    return StreamOf(pa.Table.from_batches(batches))


def of_files(frame: pd.DataFrame, random: np.random.RandomState, folder: Path) -> Any:
    return shuffled(random, frame, folder / "files")


def arrow(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


KEEP_ORDER = (of_dask, of_stream, of_files)  # of ordered categories
ENGINES = (*KEEP_ORDER, of_duckdb, of_polars)


def drawn(random: np.random.RandomState, target: str, weights: str) -> tuple[Any, dict[str, Any]]:
    """Return a table with folds and weights, and how it is compressed.

    A category, a number of decimals and a class occur in the last row alone.
    """
    frame = random_table(random, random.randint(40, 300), n_classes=2 if target == "two" else 4)
    last = np.arange(len(frame)) == len(frame) - 1
    frame["text"] = frame["text"].where(~last, "yew")
    frame["rare"] = np.where(last, "new", random.choice(["a", "b"], len(frame)))
    frame["fold"] = random.permutation(np.arange(len(frame)) % 4)
    if target in ("numbers", "rates"):
        of_yes = (frame["y"] == "yes") + random.randint(0, 3, len(frame))
        frame["y"] = of_yes if target == "numbers" else of_yes / 10 + 0.05 * last
    options = {"folds": "fold", "sample": int(random.choice([30, 1000]))}
    options["task"] = "regression" if target in ("numbers", "rates") else "classification"
    options["binarizer"] = str(random.choice(["auto", "quantile", "midpoint"]))
    drawn_weights = random_weights(random, weights, len(frame))
    if drawn_weights is not None:
        frame, options["weight"] = frame.assign(w=np.where(last, 0.3, drawn_weights)), "w"
    return frame, options


@pytest.mark.parametrize("seed", seeds(2))
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_counts_the_same(
    engine: Divide, target: str, weights: str, seed: int, tmp_path: Path
) -> None:
    random = np.random.RandomState(seed)
    frame, options = drawn(random, target, weights)
    if engine not in KEEP_ORDER:
        frame = frame.drop(columns=["size", "kind"])
    expected = ss.compress(frame, "y", **options)
    assert expected.n_folds == 4
    mixed = frame.sample(frac=1, random_state=random) if random.rand() < 0.5 else frame
    found = ss.compress(
        engine(mixed, random, tmp_path), "y", n_jobs=random.randint(1, 4), **options
    )
    check_same_counts(expected, found)


@pytest.mark.parametrize("seed", seeds(4))
@pytest.mark.parametrize("engine", ENGINES)
def test_trees_sets_and_paths_of_every_engine(engine: Divide, seed: int, tmp_path: Path) -> None:
    random = np.random.RandomState(seed)
    frame, options = drawn(random, "many", WEIGHTS[seed % len(WEIGHTS)])
    frame = frame.drop(columns=["size", "kind"])
    options["binarizer"] = ss.QuantileBinarizer(2)
    counts = ss.compress(engine(frame, random, tmp_path), "y", **options)
    X, rows = frame.drop(columns=["y", "w", "fold"], errors="ignore"), (frame["y"], frame.get("w"))
    questions = same_questions(counts)
    for kind in (ss.LicketySPLITClassifier, ss.OptimalTreeClassifier):
        one = kind(max_depth=3).fit(counts)
        check_same_tree(one, kind(max_depth=3, binarizer=questions).fit(X, *rows))
    parameters = {"max_depth": 3, "epsilon": 0.02}
    trees = ss.TreeFARMS(**parameters).fit(counts).trees_
    of_rows = ss.TreeFARMS(**parameters, binarizer=questions).fit(X, *rows).trees_
    check_same_sets(trees, of_rows)
    path = ss.regularization_path(counts, cv="folds")
    estimator = ss.LicketySPLITClassifier(binarizer=questions)
    of_rows = ss.regularization_path(
        X,
        rows[0],
        sample_weight=rows[1],
        estimator=estimator,
        cv=PredefinedSplit(frame["fold"].to_numpy()),
    )
    assert [each.regularization for each in path] == [each.regularization for each in of_rows]
    for a, b in zip(path, of_rows, strict=True):
        check_same_tree(a.model, b.model)
        assert a.cv_loss == pytest.approx(b.cv_loss, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", seeds(4))
@pytest.mark.parametrize("engine", ENGINES)
def test_regressions_of_every_engine(engine: Divide, seed: int, tmp_path: Path) -> None:
    random = np.random.RandomState(seed)
    frame, options = drawn(random, TARGETS[2 + seed % 2], WEIGHTS[seed % len(WEIGHTS)])
    frame = frame.drop(columns=["size", "kind"])
    counts = ss.compress(engine(frame, random, tmp_path), "y", **options)
    X = frame.drop(columns=["y", "w", "fold"], errors="ignore")
    for loss in ("squared_error", "poisson"):
        parameters = {"max_depth": 3, "loss": loss}
        one = ss.LicketySPLITRegressor(**parameters).fit(counts)
        rows = ss.LicketySPLITRegressor(**parameters, binarizer=same_questions(counts))
        check_same_tree(one, rows.fit(X, frame["y"], frame.get("w")))


def test_ordered_categories_stay_ordered(tmp_path: Path) -> None:
    random = np.random.RandomState(0)
    frame, options = drawn(random, "two", "none")
    options |= {"binarizer": "midpoint", "columns": ["size", "number"], "sample": 1000}
    for engine in KEEP_ORDER:
        counts = ss.compress(engine(frame, random, tmp_path), "y", **options)
        asked = [(each.operator, each.value) for each in counts.literals if each.name == "size"]
        assert asked
        assert {operator for operator, _ in asked} == {"<="}
