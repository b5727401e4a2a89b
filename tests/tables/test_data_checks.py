"""Tables and targets that look like a mistake: refused, or told by a warning of their own."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli_files import run, write_csv
from scipy import sparse

from splitsecond import (
    RESPLIT,
    DataWarning,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    QuantileBinarizer,
    RashomonImportance,
    SingleLeafWarning,
    SPLITClassifier,
    ThresholdGuessBinarizer,
    TreeFARMS,
    check_table,
    regularization_path,
)
from splitsecond._support.messages import share_text
from splitsecond._tables.data_checks import is_row_number
from splitsecond._tables.text_checks import numbers_in, words_among_numbers

N = 300
ESTIMATORS: tuple[Any, ...] = (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
    TreeFARMS,
    RESPLIT,
)
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS)


def table(n: int = N) -> tuple[pd.DataFrame, Any]:
    """A table with nothing odd about it."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": rng.normal(size=n),
            "job": rng.choice(["cook", "clerk", "smith"], n),
            "member": rng.integers(0, 2, n),
        }
    )
    return X, np.where((X["age"] > 45) ^ (rng.random(n) < 0.1), "yes", "no")


def said(what: Any) -> list[str]:
    """The warnings about data that something gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        what()
    return [str(each.message) for each in caught if issubclass(each.category, DataWarning)]


def fitted(X: Any, y: Any, **parameters: Any) -> list[str]:
    return said(lambda: LicketySPLITClassifier(**parameters).fit(X, y))


# The target


@pytest.mark.parametrize("dtype", ["int64", "uint16", "float64", "Int64", "object"])
@every_estimator
def test_a_quantity_is_no_class(estimator: Any, dtype: str) -> None:
    X, _ = table()
    y = pd.Series(np.random.default_rng(0).integers(50, 400, N)).astype(dtype)
    with pytest.raises(ValueError, match=r"Unknown label type: y holds \d+ different numbers"):
        estimator().fit(X, y)


def test_a_quantity_is_refused_wherever_labels_are_read() -> None:
    X, _ = table()
    y = np.arange(N) * 7
    for what in (
        lambda: ThresholdGuessBinarizer().fit(X, y),
        lambda: RashomonImportance().fit(X, y),
        lambda: regularization_path(X, y),
    ):
        with pytest.raises(ValueError, match=r"astype\(str\)"):
            what()


def test_many_classes_are_classes() -> None:
    """Up to 100 numbers; more with 50 rows each, with a warning; text always."""
    X = np.random.default_rng(2).integers(0, 2, (6060, 3))
    hundred, more = np.arange(100), np.arange(101)
    model = LicketySPLITClassifier(max_depth=1)
    (leaf,) = said(lambda: model.fit(X[:200], np.tile(hundred, 2)))
    assert "single leaf" in leaf
    assert "101 classes in 6,060 rows" in said(lambda: model.fit(X, np.tile(more, 60)))[0]
    with pytest.raises(ValueError, match="101 different numbers"):
        model.fit(X[:202], np.tile(more, 2))
    assert "101 classes" in said(lambda: model.fit(X[:202], np.tile(more, 2).astype(str)))[0]
    assert len(model.classes_) == 101


@every_estimator
def test_a_rare_class_and_a_single_leaf(estimator: Any) -> None:
    """2 % of the rows, each of which a column tells, are not worth two leaves of 1 %."""
    X, _ = table(1000)
    y = np.where(np.arange(1000) < 20, "ill", "well")
    rng = np.random.default_rng(3)
    X["marker"] = (y == "ill") & (rng.random(1000) < 0.4)
    model = estimator(max_depth=2)
    (text,) = said(lambda: model.fit(X, y))
    assert model.n_leaves_ == 1
    assert "predicts 'well' for every row" in text
    assert "2.0% of the rows are of other classes" in text
    assert "regularization=0.01 (1.0% of the rows for each leaf)" in text
    assert "a smaller regularization (regularization_path(X, y, cv=5) finds one)" in text
    assert 'loss="log_loss"' in text
    assert "class_weight='balanced'" in text
    with pytest.warns(SingleLeafWarning):
        estimator(max_depth=2).fit(X, y)
    assert said(lambda: estimator(max_depth=2, regularization=0.001).fit(X, y)) == []
    assert said(lambda: estimator(max_depth=2, class_weight="balanced").fit(X, y)) == []


def test_a_single_leaf_that_nothing_is_wrong_with() -> None:
    rng = np.random.default_rng(4)
    noise, y = rng.integers(0, 2, (400, 3)), np.tile([0, 1], 200)
    model = LicketySPLITClassifier(regularization=0.05)
    (text,) = said(lambda: model.fit(noise, y))
    assert model.n_leaves_ == 1
    assert "50.0% of the rows are of other classes" in text
    (text,) = said(lambda: model.fit(noise, y, sample_weight=np.where(y == 0, 1.0, 0.5)))
    assert "33.3% of the weight is of other classes" in text
    assert "(5.0% of the weight for each leaf)" in text
    # Another loss, weights for the classes: how rare they are was thought of.
    for asked in ({"loss": "log_loss"}, {"costs": [[0, 1], [1, 0]]}, {"class_weight": {0: 2}}):
        assert fitted(noise, y, regularization=0.9, **asked) == []
    rare = (np.arange(400) < 8).astype(int)
    assert fitted(noise, rare, max_depth=0) == []  # as was asked for
    assert fitted(noise, rare, min_samples_leaf=0.6) == []
    assert fitted(noise, np.zeros(400)) == []
    path = said(lambda: regularization_path(noise, rare, cv=2))
    assert path == []  # every path ends with a leaf


def test_small_shares_are_not_rounded_away() -> None:
    X, _ = table(2000)
    rare = np.arange(2000) == 7
    (text,) = fitted(X, rare, regularization=0.0005, max_depth=1)
    assert "0.05% of the rows are" in text
    assert "(0.05% of the rows for each leaf)" in text
    assert [share_text(x) for x in (0, 0.00012345, 0.115, 1)] == [
        "0.0%",
        "0.012%",
        "11.5%",
        "100.0%",
    ]


# Columns


@every_estimator
def test_a_column_that_is_the_target(estimator: Any) -> None:
    X, y = table()
    X["outcome"] = y
    X["code"] = np.where(y == "yes", 7, 3)
    (text,) = said(lambda: estimator(max_depth=2).fit(X, y))
    assert text.startswith("Columns 'outcome', 'code' tell the classes apart one to one")


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame])
@pytest.mark.parametrize("binarizer", ["auto", None])
def test_a_flag_that_is_the_target(make: Any, binarizer: Any) -> None:
    X = np.random.default_rng(5).integers(0, 2, (N, 4))
    for y in (X[:, 2], 1 - X[:, 2], np.where(X[:, 2], "a", "b")):
        (text,) = fitted(make(X), y, binarizer=binarizer)
        assert text.startswith("Column 2 tells the classes apart")
    y = X[:, 2].copy()
    y[-1] ^= 1  # beyond what a sample tells
    y[1] ^= 1
    assert fitted(make(X), y, binarizer=binarizer) == []
    assert fitted(sparse.csr_array(X), X[:, 0] ^ X[:, 1]) == []


def test_copies_of_columns() -> None:
    X, y = table()
    X["years"], X["work"], X["in club"] = X["age"], X["job"], X["member"]
    (text,) = fitted(X, y)
    assert "'years' (of 'age')" in text
    assert "'work' (of 'job')" in text
    assert "'in club' (of 'member')" in text
    X["years"] = X["age"] + (np.arange(N) == 7)
    assert "'years'" not in fitted(X, y)[0]


def test_copies_of_flags() -> None:
    """In a data frame; arrays are made by programs, and equal columns do no harm."""
    X = pd.DataFrame(np.random.default_rng(6).integers(0, 2, (N, 3)), columns=["a", "b", "c"])
    y = X["a"] ^ X["b"]
    X["again"] = X["b"]
    for binarizer in ("auto", None):
        (text,) = fitted(X, y, binarizer=binarizer)
        assert text.startswith("Column 'again' (of 'b') is a copy of another")
    assert fitted(X.to_numpy(), y) == []


DATES = {
    "iso": "%Y-%m-%d",
    "slashes": "%d/%m/%Y",
    "dots": "%d.%m.%y",
    "times": "%Y-%m-%d %H:%M:%S",
    "months": "%d %b %Y",
    "American": "%B %d, %Y",
}


@pytest.mark.parametrize("kind", DATES)
@pytest.mark.parametrize("n_days", [5, N])
def test_text_that_looks_like_dates(kind: str, n_days: int) -> None:
    X, y = table()
    days = pd.Timestamp("2024-02-27") + pd.to_timedelta(np.arange(N) % n_days, unit="D")
    X["when"] = days.strftime(DATES[kind])
    (text,) = fitted(X, y)
    assert text.startswith("Column 'when' looks like dates")
    assert "X['when'] = pd.to_datetime(X['when']).dt.year" in text


def test_text_that_looks_like_an_identifier() -> None:
    X, y = table()
    X["who"] = [f"person {i}" for i in range(N)]
    (text,) = fitted(X, y)
    assert text.startswith("Column 'who' looks like an identifier")
    assert text.endswith("leave out identifiers, X.drop(columns='who').")
    X["who"] = [f"person {i // 3}" for i in range(N)]
    assert fitted(X, y) == []


def test_row_numbers() -> None:
    X, y = table()
    X["id"] = np.random.default_rng(7).permutation(N) + 1000
    (text,) = fitted(X, y)
    assert text.startswith("Column 'id' (no value twice, 1000 to 1299) looks like a row number")
    assert text.endswith("leave it out, X.drop(columns='id').")
    (text,) = fitted(X.assign(no=X["id"] - 7), y)
    assert "'no' (no value twice, 993 to 1292) look like row numbers" in text
    assert "X.drop(columns=['id', ...])" in text
    train = np.random.default_rng(8).permutation(N)[:200]
    assert "row number" in fitted(X.iloc[train], y[train])[0]
    X["id"] = X["id"].astype(float)
    assert fitted(X, y) == []  # a measure, perhaps
    assert is_row_number(np.array([4.0, 2.0, 3.0]))
    assert not is_row_number(np.array([4.0, 2.0, 2.0]))
    assert not is_row_number(np.array([1.0, 2.0, 900.0]))


def test_a_word_for_missing_values() -> None:
    X, y = table()
    X["weight"] = [("?" if i % 50 == 3 else str(i % 90)) for i in range(N)]
    (text,) = fitted(X, y)
    assert text.startswith("Column 'weight' ('?') is text, but holds numbers")
    assert "X['weight'] = pd.to_numeric(X['weight'], errors=\"coerce\")" in text


def test_more_words_among_many_numbers() -> None:
    """One in ten of the different values, which are many."""
    X, y = table()
    X["pay"] = [f"unknown {i}" if i % 12 == 0 else f"{i}.5" for i in range(N)]
    (text,) = fitted(X, y)
    assert "'unknown 12' and 22 more) is text, but holds numbers" in text
    X["pay"] = [f"unknown {i}" if i % 6 == 0 else f"{i}.5" for i in range(N)]
    (text,) = fitted(X, y)
    assert "identifier" in text


def test_words_are_looked_for_until_there_are_too_many() -> None:
    numbers = tuple(map(str, range(4)))
    for words in (("?",), ("?", "none", "-")):
        found = numbers_in([*words, *numbers, *"456"])
        assert found is not None
        assert found.words == words
    assert numbers_in(["a", *numbers[1:]]) is None  # too few numbers
    assert numbers_in([*"abcd", *map(str, range(30))]) is None

    def five() -> Iterator[str]:
        yield from "abcd"
        raise AssertionError("four are enough")

    assert words_among_numbers(five(), 3) == [*"abcd"]


def test_numbers_as_text() -> None:
    X, y = table()
    X["years"] = (X["age"] // 2).astype(str)
    (text,) = fitted(X, y)
    assert text.startswith(
        "Column 'years' is text that holds numbers. Convert to numbers: X['years'] "
    )
    assert "X['years'] = pd.to_numeric(X['years'])." in text
    X["no"] = [str(i * 17) for i in range(N)]  # which is no reason to leave the column out
    (text,) = fitted(X, y)
    assert text.startswith("Columns 'years', 'no' are text that holds numbers")
    (found,) = check_table(X).columns[-1].findings
    assert (found.kind, found.words) == ("numbers", ())


@pytest.mark.parametrize("mark", [",", "'", " ", "\u00a0"])
def test_numbers_with_a_separator_of_thousands(mark: str) -> None:
    X, y = table()
    X["pay"] = [f"{i * 997:,}".replace(",", mark) for i in range(N)]
    (text,) = fitted(X, y)
    remedy = f"pd.to_numeric(X['pay'].str.replace({mark!r}, ''))"
    assert remedy in text
    made = eval(remedy, {"pd": pd, "X": X})
    assert made.tolist() == [i * 997 for i in range(N)]
    assert remedy in fitted(X.assign(age=X["age"].astype(str)), y)[0]  # said of both
    X.loc[7, "pay"] = "none"
    assert "Column 'pay' ('none') is text, but holds numbers" in fitted(X, y)[0]


CODES = {
    "few": [str(i % 10) for i in range(N)],
    "with leading zeros": [f"{i % 50:05}" for i in range(N)],
    "declared, with a word": pd.Categorical([str(i % 50 or "none") for i in range(N)]),
    "declared": pd.Categorical([str(i % 50) for i in range(N)]),
    "two separators": [f"{i % 50},000" if i % 2 else f"{i % 50} 000" for i in range(N)],
    "no thousands": [f"{i % 50},00" for i in range(N)],
}


@pytest.mark.parametrize("kind", CODES)
def test_text_that_may_be_codes(kind: str) -> None:
    X, y = table()
    assert fitted(X.assign(code=CODES[kind]), y) == []


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_other_libraries(library: str) -> None:
    module = pytest.importorskip(library)
    X, y = table()
    X["years"] = X["age"]
    columns = {name: X[name].tolist() for name in X}
    other = module.DataFrame(columns) if library == "polars" else module.table(columns)
    (text,) = fitted(other, y)
    assert "'years' (of 'age')" in text


@pytest.mark.parametrize("binarizer", ["auto", "guess", "quantile", "midpoint"])
def test_nothing_is_said_of_a_good_table(binarizer: str) -> None:
    X, y = table()
    assert fitted(X, y, binarizer=binarizer) == []
    assert said(lambda: RashomonImportance(n_bootstraps=2).fit(X, y)) == []
    assert said(lambda: regularization_path(X, y, cv=3)) == []


def test_everything_is_said_once() -> None:
    X, y = table()
    X["years"] = X["age"]
    assert len(said(lambda: regularization_path(X, y, cv=3))) == 1
    assert len(said(lambda: RashomonImportance(n_bootstraps=2).fit(X, y))) == 1


def test_a_warning_names_the_line_that_called_fit() -> None:
    X, y = table()
    X["years"] = X["age"]
    with pytest.warns(DataWarning) as caught:
        LicketySPLITClassifier().fit(X, y)
    assert caught[0].filename == __file__
    rare = np.arange(N) < 6
    with pytest.warns(DataWarning, match="single leaf") as caught:
        LicketySPLITClassifier().fit(X[["income"]], rare)
    assert caught[0].filename == __file__


# More columns than the search handles


def test_too_many_columns() -> None:
    rng = np.random.default_rng(9)
    X, y = rng.integers(0, 2, (60, 501)), np.tile([0, 1], 30)
    # A leaf, at once; with weights for the classes, that is no surprise.
    slow: dict[str, Any] = {"max_depth": 3, "regularization": 0.4, "class_weight": {0: 1}}
    for estimator in (OptimalTreeClassifier, TreeFARMS):
        (text,) = said(lambda estimator=estimator: estimator(**slow).fit(X, y))
        assert "501 0/1 columns" in text
        assert "time_limit" in text
        model = estimator(**slow, time_limit=100)
        assert said(lambda model=model: model.fit(X, y)) == []
    assert said(lambda: OptimalTreeClassifier(**(slow | {"max_depth": 2})).fit(X, y)) == []
    for estimator in (GreedyTreeClassifier, LicketySPLITClassifier, SPLITClassifier):
        assert said(lambda estimator=estimator: estimator(**slow).fit(X, y)) == []
    numbers = rng.normal(size=(600, 1))
    model = OptimalTreeClassifier(**slow, binarizer="midpoint")
    assert "599 0/1 columns" in said(lambda: model.fit(numbers, np.tile([0, 1], 300)))[0]


# doctor makes the same checks


def doctor(path: Path, *args: Any) -> Any:
    done = run("doctor", path, *args, "--json")
    return done.exit_code, json.loads(done.stdout)


def test_doctor_notes_columns(tmp_path: Path) -> None:
    X, y = table()
    days = pd.Timestamp("2024-02-27") + pd.to_timedelta(np.arange(N), unit="D")
    X["years"], X["code"] = X["age"], np.where(y == "yes", 7, 3)
    X["when"] = days.strftime("%d.%m.%Y")
    path = write_csv(tmp_path / "t.csv", {**X.to_dict("list"), "outcome": y.tolist()})
    code, found = doctor(path, "--target", "outcome")
    assert code == 0
    notes = {each["name"]: each["note"] for each in found["columns"]}
    assert notes["years"] == "a copy (of 'age')? then --drop 'years'"
    assert notes["code"] == "the target itself? then --drop 'code'"
    assert notes["when"] == "dates? then --drop 'when'"
    assert notes["age"] == notes["job"] == ""
    noted = run("fit", path, "--target", "outcome").stderr
    for name in ("years", "code", "when"):
        assert f"--drop '{name}'" in noted


def test_doctor_looks_at_the_target(tmp_path: Path) -> None:
    X, _ = table()
    columns = X.to_dict("list")
    quantity = np.random.default_rng(0).integers(50, 400, N).tolist()
    path = write_csv(tmp_path / "t.csv", {**columns, "outcome": quantity})
    code, found = doctor(path, "--target", "outcome")
    assert code == 0
    assert found["problems"] == []
    fitted = run("fit", path, "--target", "outcome", "--max-depth", "1")
    assert fitted.exit_code == 0
    assert "different numbers: regression" in fitted.stderr
    rare = ["ill" if i % 50 == 0 else "well" for i in range(N)]
    path = write_csv(tmp_path / "r.csv", {**columns, "outcome": rare})
    code, found = doctor(path, "--target", "outcome")
    assert code == 0
    assert "single leaf" in found["hints"][0]
    assert "`splitsecond path` or `fit --regularization 1se` finds one" in found["hints"][0]
    assert "single leaf" in run("doctor", path, "--target", "outcome").stdout
    assert doctor(path, "--target", "outcome", "--regularization", "0.001")[1]["hints"] == []
    noted = run("fit", path, "--target", "outcome").stderr
    assert "note: The tree is a single leaf" in noted
    assert "(`splitsecond path` or `fit --regularization 1se` finds one); --loss log_loss" in noted
    assert "or --class-weight balanced if" in noted


def test_doctor_counts_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    flags = {f"x{j}": rng.integers(0, 2, 60).tolist() for j in range(501)}
    path = write_csv(tmp_path / "wide.csv", {**flags, "outcome": ["a", "b"] * 30})
    _, found = doctor(path, "--target", "outcome", "--regularization", "0.4")
    assert [hint.split()[0] for hint in found["hints"]] == ["optimal"]
    assert "501 0/1 columns" in found["hints"][0]


def test_binarizers_alone_do_not_judge() -> None:
    X, _ = table()
    X["years"] = X["age"]
    assert said(lambda: QuantileBinarizer().fit(X)) == []


def test_warnings_point_at_the_line_that_called() -> None:
    X = pd.DataFrame({"a": np.arange(80.0) % 7, "b": np.arange(80.0) % 7, "c": np.arange(80) % 3})
    y = np.arange(80) % 2
    flags = pd.DataFrame({name: (X[name] > 1).astype(int) for name in X})
    model = LicketySPLITClassifier()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model.fit(X, y)
        model.fit(flags, y)
        model.predict(flags.to_numpy())
        TreeFARMS(max_depth=1).fit(X, y)
        regularization_path(X, y)
        RashomonImportance(TreeFARMS(max_depth=1), n_bootstraps=1).fit(X, y)
    lines = {(each.filename, each.lineno) for each in found}
    assert {name for name, _ in lines} == {__file__}
    assert len(lines) == 6
