"""What a fit would make of a table, as data: `check_table`."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hostile import Frame, frames
from hypothesis import given
from scipy import sparse

from splitsecond import (
    DataWarning,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    TableError,
    TableReport,
    check_table,
)

N = 120


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    sizes = pd.Categorical(rng.choice(["S", "L"], N), ["S", "M", "L"], ordered=True)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, N) + 0.5,
            "job": rng.choice(["smith", "clerk"], N),
            "size": sizes,
            "member": rng.integers(0, 2, N).astype(bool),
            "country": "NZ",
            "nothing": np.nan,
        }
    )


def labels() -> Any:
    return np.random.default_rng(5).choice(["no", "yes"], N)


def of(report: TableReport, label: Any) -> Any:
    return next(each for each in report.columns if each.label == label)


def test_what_columns_are() -> None:
    X = frame()
    X.loc[3:5, "age"] = np.nan
    report = check_table(X)
    assert report.n_rows == N
    assert [(each.label, each.kind) for each in report.columns] == [
        ("age", "number"),
        ("job", "category"),
        ("size", "ordered"),
        ("member", "binary"),
        ("country", "constant"),
        ("nothing", "all missing"),
    ]
    age = of(report, "age")
    assert (age.n_distinct, age.n_missing) == (X["age"].nunique(), 3)
    assert age.values == (X["age"].min(), X["age"].max())
    assert age.summary == f"{X['age'].min()} to {X['age'].max()}"
    assert of(report, "job").values == ("clerk", "smith")
    assert of(report, "size").summary == "S < M < L"
    assert of(report, "size").n_distinct == 2
    assert of(report, "member").values == (0, 1)
    assert of(report, "member").summary == "0, 1"
    assert of(report, "country").values == ("NZ",)
    assert (of(report, "nothing").n_distinct, of(report, "nothing").n_missing) == (0, N)
    assert report.classes is None
    assert report.problems == report.warnings == ()


def test_kinds_are_those_of_a_binarizer() -> None:
    X, y = frame(), labels()
    model = LicketySPLITClassifier().fit(X, y)
    kinds = [str(variable.kind) for variable in model.binarizer_.variables_]
    assert [each.kind for each in check_table(X, y).columns] == kinds


@pytest.mark.slow
@given(frames())
def test_hostile_columns(table: Frame) -> None:
    report = check_table(table.pandas())
    assert report.problems == ()
    for each, column in zip(report.columns, table.columns, strict=True):
        assert (each.kind in ("constant", "all missing")) == column.is_dropped()
        assert each.n_missing == column.values.count(None)
        distinct = set(column.known if column.is_category else map(float, column.known))
        assert each.n_distinct == len(distinct)
        assert distinct <= set(each.values) or each.kind == "number"
        if each.kind == "number":
            assert each.values == (min(distinct), max(distinct))
    assert len(str(report).splitlines()) == 3 + len(report.columns)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, lambda X: X.tolist()])
def test_tables_without_labels(make: Any) -> None:
    X = np.random.default_rng(0).integers(0, 2, (60, 3)).astype(float)
    X[7, 2] = 4
    report = check_table(make(X))
    assert [(each.label, each.kind) for each in report.columns] == [
        (0, "binary"),
        (1, "binary"),
        (2, "number"),
    ]


def test_every_problem_is_found_at_once() -> None:
    X = frame().assign(day=pd.Timestamp("2020"), far=1.0, lists=[[1]] * N)
    X.loc[7, "far"] = np.inf
    report = check_table(X, np.linspace(0, 1, N))
    refused = [each for each in report.columns if each.kind == "refused"]
    assert [each.label for each in refused] == ["day", "far", "lists"]
    assert all(each.n_distinct is None and each.n_missing is None for each in refused)
    assert [getattr(each, "column", None) for each in report.problems] == [
        "day",
        "far",
        "lists",
        None,
    ]
    error = of(report, "far").error
    assert isinstance(error, TableError)
    assert (error.row, error.__traceback__) == (7, None)
    assert of(report, "far").note == str(error)
    assert report.classes is None
    for name in ("day", "far", "lists"):
        with pytest.raises((ValueError, TypeError)) as caught:
            LicketySPLITClassifier().fit(X[["age", name]], labels())
        assert str(caught.value) == str(of(report, name).error)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.linspace(0, 1, N), "Unknown label type"),
        ([*["a"] * (N - 1), None], "NaN"),
        (["a", "b"], "inconsistent numbers of samples"),
        ("job", "name of a column"),
    ],
)
def test_classes_that_cannot_be_used(y: Any, message: str) -> None:
    report = check_table(frame(), y)
    assert report.classes is None
    (problem,) = report.problems
    assert message in str(problem)
    with pytest.raises(ValueError, match=message) as caught:
        LicketySPLITClassifier().fit(frame(), y)
    assert str(caught.value) == str(problem)


def test_warnings_are_those_of_a_fit() -> None:
    y = labels()
    X = frame().assign(who=[f"p{i}" for i in range(N)], leak=np.where(y == "yes", 7.0, 3.0))
    X["years"] = X["age"]
    report = check_table(X, y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        LicketySPLITClassifier().fit(X, y)
    assert [str(each) for each in report.warnings] == [str(each.message) for each in caught]
    assert all(isinstance(each, DataWarning) for each in report.warnings)
    kinds = {each.label: [found.kind for found in each.findings] for each in report.columns}
    assert {label: found for label, found in kinds.items() if found} == {
        "who": ["identifier"],
        "leak": ["target"],
        "years": ["copy"],
    }
    assert of(report, "years").note == "is a copy of another (of 'age')"
    assert report.classes == {"no": int((y == "no").sum()), "yes": int((y == "yes").sum())}


def test_a_refused_column_hides_no_mistake() -> None:
    X = frame().assign(day=pd.Timestamp("2020"))
    X["years"] = X["age"]
    assert [each.kind for each in of(check_table(X), "years").findings] == ["copy"]


def test_rare_and_many_classes() -> None:
    X, rare = frame(), np.where(np.arange(N) % 50 == 0, "ill", "well")
    (warning,) = check_table(X, rare).warnings
    assert "may be a single leaf" in str(warning)
    assert not warning.columns
    for penalty in (0.001, Fraction(1, 1000)):
        assert check_table(X, rare, regularization=penalty).warnings == ()
    assert check_table(X[:40], rare[:40]).warnings == ()  # too few rows to tell
    (warning,) = check_table(X, [f"class {i % 70}" for i in range(N)]).warnings
    assert "70 classes" in str(warning)


def test_the_report_as_text_and_frame() -> None:
    X = frame().assign(day=pd.Timestamp("2020"))
    X["years"] = X["age"]
    report = check_table(X, labels())
    assert repr(report) == "<TableReport: 120 rows, 8 columns, 1 problem, 1 warning>"
    text = str(report)
    lines = text.splitlines()
    assert lines[0] == "120 rows, 8 columns"
    assert lines[2].split() == ["column", "kind", "distinct", "missing", "values"]
    assert lines[4].split() == ["job", "category", "2", "0", "clerk,", "smith"]
    assert "2 classes: no (" in text
    assert "problem: Column 'day' holds dates" in text
    assert "warning: Column 'years' (of 'age') is a copy" in text
    table = report.to_frame()
    assert table["column"].tolist() == list(X.columns)
    assert table["kind"].tolist() == [each.kind for each in report.columns]
    polars = pytest.importorskip("polars")
    assert report.to_frame("polars")["note"].to_list() == table["note"].tolist()
    assert isinstance(report.to_frame("polars"), polars.DataFrame)


def test_long_values_keep_the_text_narrow() -> None:
    X = pd.DataFrame({"x" * 500: ["a" * 500, "b" * 500]})
    assert max(map(len, str(check_table(X)).splitlines())) < 120


def test_what_is_no_table_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="2D"):
        check_table([1, 2, 3])
    with pytest.raises(ValueError, match="no rows"):
        check_table(frame()[:0])
    with pytest.raises(ValueError, match="regularization=-1 must be"):
        check_table(frame(), regularization=-1)


def test_how_many_columns_a_search_handles() -> None:
    assert GreedyTreeClassifier().columns_handled is None
    deep, flat = (OptimalTreeClassifier(max_depth=depth) for depth in (5, 2))
    assert deep.columns_handled is not None
    assert flat.columns_handled is not None
    assert deep.columns_handled < flat.columns_handled
    X = np.random.default_rng(0).integers(0, 2, (30, deep.columns_handled + 1))
    with pytest.warns(DataWarning, match=f"more than {deep.columns_handled:,}"):
        deep.set_params(regularization=0.4).fit(X, np.arange(30) % 2)
