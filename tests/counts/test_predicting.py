"""Predictions in batches are those of the whole table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from engine_tables import TARGET, WEIGHT, mixed_frame
from pyarrow import parquet

from splitsecond import (
    RESPLIT,
    LicketySPLITClassifier,
    LicketySPLITRegressor,
    predict_batches,
)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return mixed_frame(11)


def rows_of(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns=[TARGET, WEIGHT])


@pytest.fixture(scope="module")
def model(frame: pd.DataFrame) -> Any:
    parameters = {"regularization": 0.002, "max_depth": 4}
    return LicketySPLITClassifier(**parameters).fit(rows_of(frame), frame[TARGET])


def sources(frame: pd.DataFrame, folder: Path) -> list[Any]:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for start in range(0, len(frame), 400):
        parquet.write_table(table.slice(start, 400), folder / f"part-{start:05}.parquet")
    return [table, frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy(), folder]


def test_predictions_are_those_of_the_table(
    frame: pd.DataFrame, model: Any, tmp_path: Path
) -> None:
    X = rows_of(frame)
    for source in sources(frame, tmp_path):
        methods = ("predict", "predict_proba", "apply")
        found = predict_batches(model, source, method=methods, keep=["age"]).read_all()
        assert found.column_names == ["age", "prediction", "leaf", "p(no)", "p(yes)"]
        assert found["age"].to_pylist() == frame["age"].tolist()
        assert found["prediction"].to_pylist() == model.predict(X).tolist()
        assert found["leaf"].to_pylist() == model.apply(X).tolist()
        shares = np.column_stack([found["p(no)"], found["p(yes)"]])
        assert shares.tolist() == model.predict_proba(X).tolist()


def test_numbers_sets_and_single_trees_predict_too(frame: pd.DataFrame) -> None:
    X = rows_of(frame)
    numbers = LicketySPLITRegressor(regularization=0.01).fit(X[["income", "job"]], X["age"])
    found = predict_batches(numbers, X).read_all()["prediction"]
    assert found.to_pylist() == numbers.predict(X[["income", "job"]]).tolist()
    trees = RESPLIT(regularization=0.05, max_depth=3).fit(X, frame[TARGET]).trees_
    found = predict_batches(trees[1], X).read_all()["prediction"]
    assert found.to_pylist() == trees[1].predict(X).tolist()
    leaf = LicketySPLITClassifier(regularization=1).fit(X, frame[TARGET])
    assert leaf.n_leaves_ == 1
    found = predict_batches(leaf, X).read_all()["prediction"]
    assert found.to_pylist() == leaf.predict(X).tolist()


def test_a_query_is_run_once_and_reads_what_is_asked(frame: pd.DataFrame, model: Any) -> None:
    with duckdb.connect() as connection:
        connection.register("rows", frame.assign(unused=[{"a": 1}] * len(frame)))
        found = predict_batches(model, connection.sql("select * from rows")).read_all()
    assert found["prediction"].to_pylist() == model.predict(rows_of(frame)).tolist()


def test_what_cannot_be_predicted_is_refused(frame: pd.DataFrame, model: Any) -> None:
    for parameters, message in (
        ({"model": 3}, "model=3 has no tree"),
        ({"method": "score"}, "method='score' must be one of"),
        ({"keep": ["agee"]}, "has no column 'agee'"),
        ({"source": frame[["income"]]}, "has no column"),
        ({"source": dd.from_pandas(frame, npartitions=2)}, "held by a cluster"),
        (
            {
                "source": frame.rename(columns={"ratio": "leaf"}),
                "keep": ["leaf"],
                "method": "apply",
            },
            "keep names 'leaf'",
        ),
    ):
        given = {"model": model, "source": frame, **parameters}
        with pytest.raises(ValueError, match=message):
            predict_batches(given.pop("model"), given.pop("source"), **given)
    unnamed = LicketySPLITClassifier().fit(frame[["age"]].to_numpy(), frame[TARGET])
    with pytest.raises(ValueError, match="without names of columns"):
        predict_batches(unnamed, frame)


def test_an_unusable_value_is_an_error_not_a_prediction(frame: pd.DataFrame, model: Any) -> None:
    bad = frame.assign(age=[*frame["age"][:-1].astype(float), np.inf])
    with pytest.raises(ValueError, match="age"):
        predict_batches(model, bad).read_all()
