"""What errors say: short, whatever was given, and with the line that helps."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli_files import run, write_csv
from hostile import Frame, frames, new_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import examples
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import splitsecond
from splitsecond import (
    RESPLIT,
    FixedBinarizer,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    MidpointBinarizer,
    OptimalTreeClassifier,
    QuantileBinarizer,
    RashomonImportance,
    SPLITClassifier,
    ThresholdGuessBinarizer,
    TreeFARMS,
    datasets,
    regularization_path,
    reliance,
)
from splitsecond._support.messages import listed, offered, shortened, shown

MOST = 600  # characters
ESTIMATORS: tuple[Any, ...] = (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
    TreeFARMS,
    RESPLIT,
)


def people(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    noise = {f"measure {i}": rng.normal(size=n) for i in range(12)}
    table = pd.DataFrame(
        {"age": rng.integers(18, 80, n), "average age": rng.normal(size=n), **noise}
    )
    return table.assign(outcome=np.where(table["age"] > 40, "bad", "good"))


@pytest.fixture(scope="module")
def fitted() -> Any:
    table = people()
    model = TreeFARMS(max_depth=2, binarizer="quantile")
    return model.fit(table.drop(columns="outcome"), table["outcome"])


def said_by(error: type[BaseException], what: Any) -> str:
    with pytest.raises(error) as caught:
        what()
    assert len(str(caught.value)) <= MOST
    return str(caught.value)


# Names


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("Age", "'age', 'average age'"),
        ("AVERAGE  AGE", "'average age'"),
        ("agee", "'age', 'average age'"),
        ("measure 9 ", "'measure 9'"),
        ("Measure 11", "'measure 11'"),
    ],
)
def test_a_name_that_is_nearly_right_is_suggested(fitted: Any, name: str, first: str) -> None:
    """It comes first, so it is never among those left off."""
    for option in ("uses", "avoids"):
        said = said_by(ValueError, lambda option=option: fitted.trees_.filter(**{option: name}))
        assert f"variables are {first}" in said
        assert f"Did you mean {first.split(',', maxsplit=1)[0]}?" in said


def test_names_are_matched_by_what_they_contain(fitted: Any) -> None:
    said = said_by(ValueError, lambda: fitted.trees_.filter(uses="sure 1"))
    for name in ("measure 1", "measure 10", "measure 11"):
        assert repr(name) in said


def test_the_questions_about_a_variable_are_listed(fitted: Any) -> None:
    said = said_by(ValueError, lambda: fitted.trees_.filter(uses="age <= 40"))
    for literal in fitted.binarizer_.literals_:
        assert (repr(str(literal)) in said) == (literal.name == "age")


def test_names_that_are_nothing_like_it_are_counted(fitted: Any) -> None:
    said = said_by(ValueError, lambda: fitted.trees_.filter(uses="zzz"))
    assert "variables are 'age', 'average age'," in said
    assert said.endswith("and 6 more.")


def test_other_names_are_suggested() -> None:
    table = people()
    questions = FixedBinarizer([("Age", "<=", 3)])
    assert "Did you mean 'age'?" in said_by(ValueError, lambda: questions.fit(table))
    assert "Did you mean" in said_by(ValueError, lambda: datasets.describe("Compas-Binary"))


# What is not a table, or not labels


def test_a_dict_in_place_of_a_table(fitted: Any) -> None:
    row = people().iloc[0].to_dict()
    for model in (fitted, fitted.tree_):
        assert "pd.DataFrame([X])" in said_by(ValueError, lambda model=model: model.predict(row))
    assert "pd.DataFrame(X)" in said_by(ValueError, lambda: fitted.predict([row, row]))


def test_a_series_in_place_of_a_table(fitted: Any) -> None:
    table = people()
    said = said_by(ValueError, lambda: fitted.predict(table.iloc[0]))
    assert "X.to_frame().T" in said
    assert "X.to_frame()" in said_by(ValueError, lambda: fitted.fit(table["age"], table["outcome"]))
    polars = pytest.importorskip("polars")
    assert "X.to_frame()" in said_by(ValueError, lambda: fitted.predict(polars.Series([1, 2])))


def test_a_file_name_in_place_of_a_table(fitted: Any) -> None:
    assert "pd.read_csv" in said_by(ValueError, lambda: fitted.predict("people.csv"))


@pytest.mark.parametrize("binarizer", ["auto", None])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_name_of_the_target_in_place_of_it(estimator: Any, binarizer: Any) -> None:
    model = estimator(binarizer=binarizer)
    said = said_by(ValueError, lambda: model.fit(people(), "outcome"))
    assert "y=X['outcome']" in said
    assert "X.drop(columns='outcome')" in said
    table = people().drop(columns="outcome")
    assert "one for each row" in said_by(ValueError, lambda: estimator().fit(table, "outcome"))
    assert "y=X['outcome']" in said_by(ValueError, lambda: regularization_path(people(), "outcome"))


def test_class_weight_as_a_series() -> None:
    table = people()
    model = LicketySPLITClassifier(class_weight=pd.Series({"bad": 2.0, "good": 1.0}))
    said = said_by(ValueError, lambda: model.fit(table[["age"]], table["outcome"]))
    assert "class_weight.to_dict()" in said
    model.set_params(class_weight=[2.0, 1.0])
    assert "dict" in said_by(ValueError, lambda: model.fit(table[["age"]], table["outcome"]))


# What has no file of its own


def test_what_to_save_in_place_of_a_path_or_pipeline(fitted: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    table = people()
    trees = regularization_path(table[["age"]], table["outcome"])
    for thing, hint in (
        (trees, "path.best_.model"),
        (trees[0], "entry.model"),
        (make_pipeline(fitted), "pipeline[-1]"),
    ):
        assert hint in said_by(TypeError, lambda thing=thing: splitsecond.save(thing, path))
    assert "the model comes first" in said_by(
        TypeError, lambda: splitsecond.save(str(path), fitted)
    )
    assert not path.exists()


# Before fit


@pytest.mark.parametrize(
    ("estimator", "attribute"),
    [
        *((each, name) for each in ESTIMATORS for name in ("tree_", "classes_", "objective_")),
        (TreeFARMS, "trees_"),
        *((each, "literals_") for each in (QuantileBinarizer, MidpointBinarizer, FixedBinarizer)),
        (ThresholdGuessBinarizer, "dropped_"),
        (RashomonImportance, "mean_"),
    ],
)
def test_results_before_fit_say_to_fit(estimator: Any, attribute: str) -> None:
    model = estimator()
    said = said_by(NotFittedError, lambda: getattr(model, attribute))
    assert estimator.__name__ in said
    assert repr(attribute) in said
    assert "call fit" in said
    assert not hasattr(model, attribute)


def test_attributes_that_there_never_are(fitted: Any) -> None:
    for model in (fitted, LicketySPLITClassifier()):
        with pytest.raises(AttributeError, match="no attribute 'tree'") as caught:
            _ = model.tree
        assert not isinstance(caught.value, NotFittedError)
    with pytest.raises(AttributeError, match="no attribute 'forest_'") as caught:
        _ = fitted.forest_
    assert not isinstance(caught.value, NotFittedError)


# Length


def test_the_middle_of_a_long_text_is_left_out() -> None:
    assert shortened("short") == "short"
    text = shortened("a" * 500 + "end", 50)
    assert len(text) == 50
    assert text.startswith("aaa")
    assert text.endswith("end")
    assert len(shown("x" * 10**7)) < 100
    assert len(shown(pd.DataFrame(np.zeros((100, 100))))) < 100


def test_a_value_that_cannot_be_written() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    assert shown(Broken()) == "<Broken>"


def test_a_list_ends_with_how_many_are_left() -> None:
    assert listed(["a", "b"]) == "a, b"
    assert listed(list("abcdefghij")) == "a, b, c, d, e, f, g, h and 2 more"
    assert len(listed(["x" * 1000] * 1000)) < 350
    names, hint = offered("y", ["x" * 1000] * 3)
    assert len(names) < 350
    assert hint == ""


HUGE: tuple[Any, ...] = (
    "x" * 5000,
    "\n\t\0" * 3000,
    ["x" * 500] * 500,
    {"x" * 5000: "y" * 5000},
    np.zeros((300, 300)),
    pd.DataFrame({"z" * 3000: ["w" * 3000] * 50}),
    10**400,
    b"x" * 5000,
    object(),
)


def attempt(what: Any) -> None:
    """Whatever comes of it, nothing that is said is long."""
    said = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            what()
        except Exception as error:
            said.append(str(error))
    said += [str(warning.message) for warning in caught]
    assert [text for text in said if len(text) > MOST] == []


@pytest.mark.parametrize("value", HUGE, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(
    "estimator",
    [
        SPLITClassifier,  # its parameters, and those of RESPLIT, are all that there are
        RESPLIT,
        RashomonImportance,
        QuantileBinarizer,
        MidpointBinarizer,
        FixedBinarizer,
        ThresholdGuessBinarizer,
    ],
)
def test_messages_about_parameters_are_short(estimator: Any, value: Any) -> None:
    X, y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]]), [0, 1, 1, 0]
    for name in estimator().get_params(deep=False):
        attempt(lambda name=name: estimator(**{name: value}).fit(X, y))


@pytest.mark.parametrize("value", HUGE, ids=lambda value: type(value).__name__)
def test_messages_about_arguments_are_short(fitted: Any, value: Any, tmp_path: Path) -> None:
    table = people()
    X, y = table.drop(columns="outcome"), table["outcome"]
    trees, tree = fitted.trees_, fitted.tree_
    for what in (
        lambda: fitted.fit(value, y),
        lambda: LicketySPLITClassifier().fit(X, value),
        lambda: LicketySPLITClassifier().fit(X, y, sample_weight=value),
        lambda: fitted.predict(value),
        lambda: tree.predict(value),
        lambda: tree.to_svg(path=value),
        lambda: tree.to_python(value),
        lambda: tree.to_sql(value),
        lambda: trees.filter(uses=value),
        lambda: trees.filter(avoids=[value]),
        lambda: trees.filter(min_leaf_rows=value),
        lambda: trees.within(value),
        lambda: trees[value],
        lambda: trees.sample(value),
        lambda: trees.feature_usage(value),
        lambda: regularization_path(X, y, estimator=value),
        lambda: regularization_path(X, y, cv=value),
        lambda: regularization_path(X, y, smallest=value),
        lambda: reliance(value, X, y),
        lambda: reliance(fitted, X, value),
        lambda: splitsecond.save(value, tmp_path / "x"),
        lambda: datasets.load(value),
        lambda: FixedBinarizer([value]).fit(X),
        lambda: FixedBinarizer([(value, "<=", value)]).fit(X),
        lambda: FixedBinarizer([("age", value, value)]).fit(X),
    ):
        attempt(what)


def long_named(frame: Frame, length: int) -> pd.DataFrame:
    table = frame.pandas()
    table.columns = pd.Index([f"{name}{'n' * length}" for name in table.columns], dtype=object)
    return table


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(data=st.data())
def test_messages_about_tables_are_short(data: Any) -> None:
    """Odd tables with long names, fitted in every way and shown other tables."""
    frame = data.draw(frames())
    length = data.draw(st.sampled_from([0, 50, 3000]))
    X = long_named(frame, length)
    scheme = data.draw(st.sampled_from(["auto", "guess", "quantile", "midpoint", None]))
    model = data.draw(st.sampled_from(ESTIMATORS))(binarizer=scheme, max_depth=2)
    attempt(lambda: model.fit(X, frame.y))
    attempt(lambda: LicketySPLITClassifier().fit(X, X.columns[0]))
    for column in X:
        attempt(lambda column=column: LicketySPLITClassifier().fit(X, X[column]))
    if not hasattr(model, "tree_"):
        return
    other = long_named(data.draw(new_rows(frame)), length)
    mixed = other.sample(frac=1, axis=1, random_state=0)
    mixed.columns = other.columns
    for table in (
        other,
        mixed,
        other.rename(columns=str.upper),
        other.iloc[:, 1:],
        other.iloc[0],
        other.to_dict(),
        other.astype(str) + "v" * 2000,
    ):
        for asked in (model, model.tree_):
            attempt(lambda asked=asked, table=table: asked.predict(table))


@pytest.mark.parametrize(
    "args", [("--target", "y" * 3000), ("--target", "y", "--drop", "z" * 3000)]
)
def test_messages_of_the_program_are_short(args: list[str], tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", {"x" * 4000: [1, 2, 3] * 9, "y": [0, 1, 1] * 9})
    for command in ("fit", "doctor"):
        result = run(command, path, *args)
        assert result.exit_code == 1
        assert len(result.stderr) <= MOST + 30
