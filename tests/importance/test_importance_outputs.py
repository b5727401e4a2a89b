"""What a user sees of RID: frames, pictures, and what is wrong."""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from importance_helpers import everything, small
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from strategies import threshold_table

from splitsecond import RESPLIT, LicketySPLITClassifier, RashomonImportance

# Frames and pictures


@pytest.fixture(scope="module")
def rid() -> RashomonImportance:
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.integers(0, 2, (300, 12)), columns=[f"variable {j}" for j in range(12)])
    v = X.to_numpy()
    y = ((v[:, 7] & v[:, 2]) | v[:, 4]) ^ (rng.random(300) < 0.2)
    return RashomonImportance(
        small(regularization=0.01, epsilon=0.03), n_bootstraps=4, random_state=0
    ).fit(X, y)


COLUMNS = [
    "variable",
    "mean",
    "standard_error",
    "low",
    "quartile_1",
    "median",
    "quartile_3",
    "high",
    "usage",
]


def test_frames(rid: RashomonImportance) -> None:
    pandas, polars = rid.to_frame(), rid.to_frame("polars")
    assert isinstance(pandas, pd.DataFrame)
    assert isinstance(polars, pl.DataFrame)
    assert list(pandas.columns) == polars.columns == COLUMNS
    assert pandas.to_dict("list") == polars.to_dict(as_series=False)
    assert len(pandas) == 12
    assert pandas["mean"].is_monotonic_decreasing
    assert set(pandas["variable"][:3]) == {"variable 2", "variable 4", "variable 7"}
    place = rid.variables_.index("variable 4")
    row = pandas.set_index("variable").loc["variable 4"]
    assert row["mean"] == rid.mean_[place]
    assert row["median"] == rid.median_[place] == rid.box()["median"][place]
    assert row["usage"] == rid.usage_[place]
    assert (pandas["low"] <= pandas["quartile_1"]).all()
    assert (pandas["quartile_3"] <= pandas["high"]).all()
    with pytest.raises(ValueError, match="library='numpy' must be 'pandas' or 'polars'"):
        rid.to_frame("numpy")


def test_a_library_that_is_not_there(
    rid: RashomonImportance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match="polars is not installed: pip install polars"):
        rid.to_frame("polars")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=re.escape('pip install ".[plot]"')):
        rid.plot()


@pytest.fixture
def pyplot() -> Iterator[Any]:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def outside(ax: Any) -> list[str]:
    """What a picture has to say and does not fit into it."""
    figure = ax.figure
    figure.canvas.draw()
    page = figure.bbox
    legend = ax.get_legend()
    texts = [ax.xaxis.label, ax.yaxis.label]
    texts += legend.get_texts() if legend else ax.get_yticklabels()
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text()]
    return [
        text
        for text, box in boxes
        if box.x0 < page.x0 - 1
        or box.x1 > page.x1 + 1
        or box.y0 < page.y0 - 1
        or box.y1 > page.y1 + 1
    ]


def test_box_plot(rid: RashomonImportance, pyplot: Any) -> None:
    ax = rid.plot()
    order = rid.to_frame()["variable"].tolist()
    assert [label.get_text() for label in ax.get_yticklabels()] == order[::-1]  # best on top
    assert len(ax.patches) == 12
    assert "loss with the variable permuted" in ax.get_xlabel()
    assert "minus the loss" in ax.get_xlabel()
    assert outside(ax) == []
    box, top = rid.box(), ax.patches[-1].get_path().get_extents()
    best = rid.variables_.index(order[0])
    assert top.x0 == pytest.approx(box["quartile_1"][best])
    assert top.x1 == pytest.approx(box["quartile_3"][best])

    few = rid.plot(max_variables=3)
    assert [label.get_text() for label in few.get_yticklabels()] == order[2::-1]
    own = pyplot.subplots()[1]
    assert rid.plot(ax=own) is own


def test_cdf_plot(rid: RashomonImportance, pyplot: Any) -> None:
    ax = rid.plot("cdf")
    order = rid.to_frame()["variable"].tolist()
    assert [line.get_label() for line in ax.get_lines()] == order[:8]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == order[:8]
    assert ax.get_ylabel() == "share of good trees"
    assert outside(ax) == []
    for line in ax.get_lines():
        x, share = line.get_data()
        assert share[0] == 0
        assert share[-1] == pytest.approx(1)
        assert share[1:-1] == pytest.approx(rid.cdf(line.get_label(), x[1:-1]))
    assert len(rid.plot("cdf", max_variables=12).get_lines()) == 12
    styles = {
        (line.get_color(), line.get_linestyle()) for line in rid.plot("cdf", max_variables=12).lines
    }
    assert len(styles) == 12
    own = pyplot.subplots()[1]
    assert rid.plot("cdf", ax=own) is own


@pytest.mark.slow
@pytest.mark.parametrize("n_variables", [3, 12, 40])
def test_long_names_fit(n_variables: int, pyplot: Any) -> None:
    rng = np.random.default_rng(n_variables)
    names = [
        f"number of satisfactory trades and months since the most recent one, item {j}"
        for j in range(n_variables)
    ]
    X = pd.DataFrame(rng.integers(0, 2, (100, n_variables)), columns=names)
    y = X[names[0]] & X[names[1]] ^ (rng.random(100) < 0.1)
    rid = RashomonImportance(small(), n_bootstraps=2, random_state=0).fit(X, y)
    for kind, shown in (("box", 20), ("cdf", 8)):
        ax = rid.plot(kind)
        assert outside(ax) == []
        texts = ax.get_yticklabels() if kind == "box" else ax.get_legend().get_texts()
        assert len({text.get_text() for text in texts}) == min(n_variables, shown)
        # Half of the picture is for what is drawn.
        assert ax.get_position().width > 0.4
        heights = sorted(text.get_window_extent().y0 for text in texts)
        assert min(np.diff(heights)) > texts[0].get_window_extent().height
    assert len(rid.plot(max_variables=40).patches) == n_variables


def test_names_are_no_formulas(pyplot: Any) -> None:
    X = pd.DataFrame({"$\\frac{1}$": [0, 1] * 10, "two\nlines": [0, 0, 1, 1] * 5})
    rid = RashomonImportance(small(), n_bootstraps=1, random_state=0).fit(X, X.iloc[:, 0])
    for kind in ("box", "cdf"):
        ax = rid.plot(kind)
        ax.figure.canvas.draw()  # which would refuse half a fraction
        texts = ax.get_yticklabels() if kind == "box" else ax.get_legend().get_texts()
        assert {text.get_text() for text in texts} == {"$\\frac{1}$", "two lines"}


def test_infinite_ratios_can_be_shown(pyplot: Any) -> None:
    X = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]] * 10)
    rid = RashomonImportance(small(epsilon=0.5), kind="ratio", random_state=0, max_trees=5)
    rid.fit(X, X[:, 0] & X[:, 1])
    assert np.isinf(rid.mean_).any()
    assert not np.isnan(rid.box()["high"]).any()
    assert len(rid.to_frame()) == 3
    assert "divided by the loss" in rid.plot().get_xlabel()
    assert "infinite values are not shown" in rid.plot("cdf").get_xlabel()
    assert outside(rid.plot()) == outside(rid.plot("cdf")) == []


# Mistakes, copies


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": LicketySPLITClassifier()}, "must be a RESPLIT or TreeFARMS"),
        ({"estimator": RESPLIT(epsilon=-1)}, "epsilon=-1"),
        ({"n_bootstraps": 0}, "n_bootstraps=0 must be an integer of at least 1"),
        ({"n_bootstraps": 2.0}, "n_bootstraps=2.0"),
        ({"n_bootstraps": True}, "n_bootstraps=True"),
        ({"max_trees": 0}, "max_trees=0"),
        ({"max_trees": None}, "max_trees=None"),
        ({"kind": "sum"}, "kind='sum' must be one of"),
        ({"kind": None}, "kind=None"),
        ({"time_limit": -1}, "time_limit=-1"),
        ({"time_limit": "1 s"}, "time_limit='1 s'"),
        ({"random_state": "x"}, "cannot be used to seed"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str) -> None:
    X, y = threshold_table(13, 30, 3)
    with pytest.raises(ValueError, match=re.escape(message)):
        RashomonImportance(**parameters).fit(X, y)


def test_bad_tables() -> None:
    X, y = threshold_table(14, 30, 3)
    rid = RashomonImportance(RESPLIT(binarizer=None), n_bootstraps=2)
    with pytest.raises(ValueError, match="neither 0 nor 1"):
        rid.fit(X * 2, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        rid.fit(X, y[1:])
    with pytest.raises(ValueError, match="zero for every row"):
        rid.fit(X, y, sample_weight=np.zeros(30))


def test_bad_questions(rid: RashomonImportance) -> None:
    with pytest.raises(
        ValueError, match=r"no variable 'age'; there are 'variable 0', .* and 4 more"
    ):
        rid.cdf("age", 0)
    for wrong in (-0.1, 1.1, np.nan, [0.5, 2]):
        with pytest.raises(ValueError, match="between 0 and 1"):
            rid.quantiles(wrong)
    with pytest.raises(ValueError, match="kind='pie' must be one of 'box', 'cdf'"):
        rid.plot("pie")
    pytest.importorskip("matplotlib")
    with pytest.raises(ValueError, match="max_variables=0"):
        rid.plot(max_variables=0)


@pytest.mark.parametrize(
    "ask",
    [
        lambda rid: rid.distribution("x0"),
        lambda rid: rid.cdf("x0", 0),
        lambda rid: rid.quantiles(0.5),
        lambda rid: rid.box(),
        lambda rid: rid.to_frame(),
        lambda rid: rid.plot(),
    ],
)
def test_nothing_is_known_before_fit(ask: Callable[[Any], Any]) -> None:
    with pytest.raises(NotFittedError):
        ask(RashomonImportance())


def test_cdf_of_one_number_is_a_number(rid: RashomonImportance) -> None:
    assert isinstance(rid.cdf("variable 4", 0.1), float)
    assert rid.cdf("variable 4", [[0.0, 0.1], [0.2, 9.0]]).shape == (2, 2)
    assert rid.quantiles(0.5).shape == (1, 12)


def test_clone_parameters_and_repr() -> None:
    rid = RashomonImportance(RESPLIT(epsilon=0.05), n_bootstraps=3, random_state=1)
    again = clone(rid)
    assert again.estimator is not rid.estimator
    assert again.get_params()["estimator__epsilon"] == 0.05
    again.set_params(estimator__epsilon=0.1, n_bootstraps=4)
    assert rid.estimator.epsilon == 0.05
    assert repr(again).startswith("RashomonImportance(estimator=RESPLIT(epsilon=0.1)")
    assert repr(RashomonImportance()) == "RashomonImportance()"


def test_fit_leaves_its_estimator_alone() -> None:
    X, y = threshold_table(15, 60, 4)
    estimator = small()
    rid = RashomonImportance(estimator, n_bootstraps=2, random_state=0)
    assert rid.fit(X, y) is rid
    assert rid.estimator is estimator
    assert not hasattr(estimator, "trees_")
    first = everything(rid)
    assert everything(rid.fit(X, y)) == first
    rid.fit(np.hstack([X, X]), y)  # another table, from the beginning
    assert len(rid.variables_) == len(rid.mean_) == 8


def test_pickle(rid: RashomonImportance) -> None:
    again = pickle.loads(pickle.dumps(rid))
    assert everything(again) == everything(rid)
    assert again.cdf("variable 4", 0.1) == rid.cdf("variable 4", 0.1)
