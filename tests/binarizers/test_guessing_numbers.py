"""Thresholds guessed for a numeric target: by its own loss, on any scale, and the same again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from binarizer_helpers import CLERKS, every_binarizer, questions
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import examples
from sklearn.datasets import load_diabetes
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.tree import DecisionTreeRegressor

from splitsecond import MidpointBinarizer, QuantileBinarizer, TableError, ThresholdGuessBinarizer
from splitsecond._binarizers.base import Target
from splitsecond._binarizers.guessed import GuessedNumbers
from splitsecond._binarizers.limits import BinarizingLimits
from splitsecond._tables.columns import RawTable

NUMERIC = ("squared_error", "poisson")
every_loss = pytest.mark.parametrize("loss", NUMERIC)


@dataclass(frozen=True)
class NamedLoss:
    """What a binarizer knows of the loss of a fit."""

    name: str
    title: ClassVar[str] = ""


def guess(X: Any, y: Any, loss: str = "squared_error", weights: Any = None, **asked: Any) -> Any:
    return ThresholdGuessBinarizer(loss=loss, **asked).fit(X, y, sample_weight=weights)


@pytest.fixture(scope="module")
def diabetes() -> tuple[Any, Any]:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X, y


@pytest.fixture(scope="module")
def claims() -> tuple[pd.DataFrame, npt.NDArray[Any], npt.NDArray[Any]]:
    """Rates and exposures; the rate depends on age, on the region and on what is missing."""
    rng = np.random.default_rng(60)
    n = 4000
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "power": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n).round(2)),
            "region": rng.choice(["north", "south", "east", "west"], n),
            "flag": rng.integers(0, 2, n),
        }
    )
    exposure = rng.uniform(0.1, 1, n)
    rate = 0.05 * np.where(X.age < 26, 8, 1) * np.where(X.region == "south", 3, 1)
    rate = rate * np.where(X.power.isna(), 3, 1)
    return X, rng.poisson(rate * exposure) / exposure, exposure


# ---- what is found ------------------------------------------------------------------------------


def test_guesses_find_what_matters() -> None:
    rng = np.random.default_rng(61)
    X = rng.normal(size=(800, 4))
    y = 3.0 * (X[:, 0] > 0.5) - 2 * (X[:, 2] > -1) + rng.normal(0, 0.3, 800)
    found = guess(X, y, max_features=2).literals_
    assert [literal.column for literal in found] == [0, 2]
    assert [literal.value for literal in found] == pytest.approx([0.5, -1], abs=0.05)


def test_guesses_find_rates(claims: Any) -> None:
    X, rates, exposure = claims
    few = guess(X, rates, "poisson", exposure, max_features=3)
    assert [literal.name for literal in few.literals_] == ["age", "power", "region"]
    assert {"age <= 25.5", 'region == "south"'} <= set(questions(few))


def test_exposures_count() -> None:
    """A rate seen for a day says less than one seen for a year."""
    rng = np.random.default_rng(62)
    X = rng.integers(0, 2, (2000, 2))
    exposure = np.where(X[:, 0] == 1, 0.001, 1.0)
    rates = rng.poisson((0.1 + 0.3 * X[:, 1]) * exposure) / exposure
    assert questions(guess(X, rates, "poisson", exposure, max_features=1)) == ["x1"]


@every_loss
@pytest.mark.parametrize("seed", range(20))
def test_the_first_question_is_the_best_split(seed: int, loss: str) -> None:
    """scikit-learn's best split, by the same criterion; for Poisson, by variance as all gradients.

    At the start all rows are predicted the same, so that both losses explain squared gradients.
    """
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 30, (300, 4)).astype(float)
    effect = rng.normal(size=4)
    y = np.exp((X - 15) @ effect / 30 + rng.normal(0, 0.3, 300))
    weights = rng.uniform(0.5, 2, 300) if seed % 2 else None
    stump = DecisionTreeRegressor(max_depth=1).fit(X, y, sample_weight=weights)
    (first,) = guess(X, y, loss, weights, n_estimators=1, column_elimination=False).literals_
    assert first.column == stump.tree_.feature[0]
    assert first.value == stump.tree_.threshold[0]


@pytest.mark.parametrize("max_depth", [1, 2])
def test_questions_are_those_of_another_booster(max_depth: int) -> None:
    rng = np.random.default_rng(63)
    X = rng.integers(0, 12, (500, 3)).astype(float)
    y = np.sin(X[:, 0]) * 3 + X[:, 1] * (X[:, 2] > 5) + rng.normal(0, 0.1, 500)
    other = GradientBoostingRegressor(n_estimators=15, max_depth=max_depth, learning_rate=0.3).fit(
        X, y
    )
    expected = set()
    for tree in other.estimators_[:, 0]:
        asked = tree.tree_.feature >= 0
        expected |= set(zip(tree.tree_.feature[asked], tree.tree_.threshold[asked], strict=True))
    found = guess(
        X, y, n_estimators=15, max_depth=max_depth, learning_rate=0.3, column_elimination=False
    )
    assert {(literal.column, literal.value) for literal in found.literals_} == expected


@pytest.mark.parametrize(
    ("loss", "criterion"), [("squared_error", "squared_error"), ("poisson", "poisson")]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_split_by_itself_stays(
    claims: Any, loss: str, criterion: str, weighted: bool
) -> None:
    X, rates, exposure = claims
    weights = exposure if weighted else None
    midpoints = MidpointBinarizer().fit(X[["age", "flag"]])
    stump = DecisionTreeRegressor(max_depth=1, criterion=criterion)
    stump.fit(midpoints.transform(X[["age", "flag"]]), rates, sample_weight=weights)
    best = str(midpoints.literals_[stump.tree_.feature[0]])
    assert questions(guess(X[["age", "flag"]], rates, loss, weights, max_features=1)) == [best]


def test_the_losses_of_leaves() -> None:
    """Against scikit-learn's impurities, up to what depends on the rows alone."""
    rng = np.random.default_rng(64)
    for loss in NUMERIC:
        y, weights = rng.poisson(1.5, 200).astype(float), rng.uniform(0.2, 3, 200)
        answers = rng.integers(0, 2, (6, 200)).astype(bool)
        answers[5] = True  # an empty leaf
        guessed = GuessedNumbers(y, weights, loss)
        shares = weights / weights.sum()
        found = guessed.losses(
            answers @ shares,
            (answers * shares) @ guessed.outputs(slice(None), np.float64),
            shares @ guessed.outputs(slice(None), np.float64),
        )
        expected = []
        for yes in answers:
            parts = []
            for side in (yes, ~yes):
                n, s = weights[side].sum(), weights[side] @ y[side]
                if n > 0:
                    parts.append(-s * np.log(s / n) if loss == "poisson" else -(s**2) / n)
            expected.append(sum(parts))
        change = np.ptp(found) / np.ptp(expected)
        assert found - found[0] == pytest.approx(
            change * (np.array(expected) - expected[0]), abs=1e-12
        )


@every_loss
def test_deeper_guesses_see_interactions(loss: str) -> None:
    rng = np.random.default_rng(52)
    X = rng.normal(size=(800, 2))
    y = ((X[:, 0] > 0.5) ^ (X[:, 1] > -0.5)) + 0.5
    deep = guess(X, y, loss, max_depth=2)
    for column, place in ((0, 0.5), (1, -0.5)):
        thresholds = [q.value for q in deep.literals_ if q.column == column]
        assert min(abs(threshold - place) for threshold in thresholds) < 0.1


@every_loss
@pytest.mark.parametrize("elimination", [True, False])
@pytest.mark.parametrize("most", [1, 2, 7, 1000])
def test_a_budget_is_kept(diabetes: Any, most: int, elimination: bool, loss: str) -> None:
    found = guess(*diabetes, loss, max_features=most, column_elimination=elimination).literals_
    assert 1 <= len(found) <= most
    assert most > 7 or len(found) == most


@every_loss
def test_elimination_drops_columns(diabetes: Any, loss: str) -> None:
    everything = set(questions(guess(*diabetes, loss, column_elimination=False)))
    kept = set(questions(guess(*diabetes, loss, tolerance=0.001)))
    generous = set(questions(guess(*diabetes, loss, tolerance=0.2)))
    assert kept < everything
    assert len(generous) < len(kept)


# ---- what must not matter -----------------------------------------------------------------------


@every_loss
def test_guesses_are_repeatable(claims: Any, loss: str) -> None:
    X, rates, exposure = claims
    first = questions(guess(X, rates, loss, exposure))
    assert first
    for n_jobs in (1, 2, 3, -1):
        assert questions(guess(X, rates, loss, exposure, n_jobs=n_jobs)) == first


@pytest.mark.parametrize("max_depth", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_neither_an_offset_nor_a_scale_matters(
    diabetes: Any, weighted: bool, max_depth: int
) -> None:
    X, y = diabetes
    weights = np.random.default_rng(65).uniform(0.1, 3, len(y)) if weighted else None
    expected = questions(guess(X, y, weights=weights, max_depth=max_depth))
    assert expected
    for constant in (1, -300, 2.0**20, -(2.0**44)):  # sums of these with whole numbers are exact
        other = guess(X, y + constant, weights=weights, max_depth=max_depth)
        assert questions(other) == expected
    for scale in (2.0**-1060, 2.0**-1000, 0.5, 2.0**1000, -1, 1e300, 1e-300, 3.7):
        other = guess(X, y * scale, weights=weights, max_depth=max_depth)
        assert questions(other) == expected


@settings(max_examples=examples(60))
@given(
    st.lists(st.integers(-50, 50), min_size=8, max_size=40),
    st.integers(-(2**45), 2**45),
    st.integers(-1000, 1000),
    st.randoms(use_true_random=False),
)
def test_standardized_numbers_are_the_same(
    y: list[int], constant: int, exponent: int, random: Any
) -> None:
    weights = np.array([random.uniform(0.1, 5) for _ in y])
    numbers = np.array(y, dtype=np.float64)
    expected = GuessedNumbers(numbers, weights, "squared_error").values
    assert np.array_equal(
        GuessedNumbers(numbers + constant, weights, "squared_error").values, expected
    )
    scaled = GuessedNumbers(np.ldexp(numbers, exponent), weights, "squared_error").values
    assert np.array_equal(scaled, expected)
    if np.ptp(numbers) > 0:
        assert weights @ expected == pytest.approx(0, abs=1e-9)
        assert 0.49 < np.sqrt(weights @ expected**2 / weights.sum()) <= 1.01


@pytest.mark.parametrize("scale", [2.0**-1060, 1e-300, 1e-9, 7, 1e300])
def test_the_unit_of_rates_does_not_matter(claims: Any, scale: float) -> None:
    X, rates, exposure = claims
    expected = questions(guess(X, rates, "poisson", exposure, max_features=8))
    other = guess(X, rates * scale, "poisson", exposure, max_features=8)
    assert questions(other) == expected


def test_integers_beyond_floats() -> None:
    rng = np.random.default_rng(66)
    X = rng.normal(size=(200, 2))
    steps = (X[:, 0] > 0).astype(np.int64)
    huge = guess(X, steps + 2**60, max_features=1)
    assert questions(huge) == questions(guess(X, steps, max_features=1))
    assert abs(huge.literals_[0].value) < 0.05


@every_loss
def test_rows_without_weight_are_ignored(claims: Any, loss: str) -> None:
    X, rates, exposure = claims
    weights = np.where(np.arange(len(X)) % 3 == 0, 0, exposure)
    kept = weights > 0
    expected = questions(guess(X[kept], rates[kept], loss, weights[kept]))
    assert questions(guess(X, rates, loss, weights)) == expected
    assert questions(guess(X, np.where(kept, rates, 1e300), loss, weights)) == expected


@every_loss
def test_weights_are_repetitions(loss: str) -> None:
    rng = np.random.default_rng(67)
    X = rng.integers(0, 10, (300, 3))
    y = rng.poisson(1 + X[:, 0] // 4 + X[:, 1] // 7)
    times = rng.integers(1, 4, 300)
    repeated = guess(np.repeat(X, times, axis=0), np.repeat(y, times), loss, max_features=4)
    assert questions(guess(X, y, loss, times, max_features=4)) == questions(repeated)


# ---- edges --------------------------------------------------------------------------------------


@every_loss
@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, 1e300, 5e-324])
def test_a_constant_target_needs_no_questions(value: float, loss: str) -> None:
    for weights in (None, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]):
        binarizer = guess(CLERKS, [value] * 8, loss, weights)
        assert binarizer.literals_ == []
        assert binarizer.transform(CLERKS).shape == (8, 0)


@every_loss
def test_a_target_that_is_constant_where_rows_have_weight(loss: str) -> None:
    weights = [1, 1, 1, 1, 0, 0, 0, 0]
    assert guess(CLERKS, [2, 2, 2, 2, 5, 6, 7, 8], loss, weights).literals_ == []


@every_loss
def test_one_row(loss: str) -> None:
    assert guess(CLERKS[:1], [3.5], loss).literals_ == []


@every_loss
@pytest.mark.parametrize("max_depth", [1, 2, 6])
def test_extreme_numbers_do_no_harm(claims: Any, max_depth: int, loss: str) -> None:
    X, _, _ = claims
    rng = np.random.default_rng(68)
    for low, high in ((-300, 300), (-12, 6), (290, 308)):
        y = 10.0 ** rng.integers(low, high, len(X))
        weights = 10.0 ** rng.integers(-12, 6, len(X))
        for given_weights in (None, weights):
            found = guess(X, y, loss, given_weights, max_depth=max_depth, n_estimators=20)
            values = [q.value for q in found.literals_ if isinstance(q.value, float)]
            assert np.isfinite(values).all()


def test_an_infinite_range() -> None:
    largest = np.finfo(np.float64).max
    X = np.arange(6)[:, None]
    (found,) = guess(X, [-largest, -largest, -largest, largest, largest, largest]).literals_
    assert found.value == 2.5


# ---- the target ---------------------------------------------------------------------------------


@every_loss
def test_the_target_of_a_fit_decides(claims: Any, loss: str) -> None:
    """Whatever the binarizer's own loss, an estimator hands over numbers and a loss."""
    X, rates, exposure = claims
    expected = questions(guess(X, rates, loss, exposure, max_features=6))
    for own in ("log_loss", *NUMERIC):
        made = ThresholdGuessBinarizer(loss=own, max_features=6)
        named: Any = NamedLoss(loss)
        target = Target(weights=exposure, loss=named, numbers=rates)
        table = made.fit_answers(RawTable(X), target)
        assert questions(made) == expected
        assert table.n_columns == len(expected)


def test_memory_limits_are_kept(claims: Any) -> None:
    X, rates, exposure = claims
    limits = BinarizingLimits(memory_limit=60_000)
    named: Any = NamedLoss("poisson")
    target = Target(weights=exposure, limits=limits, loss=named, numbers=rates)
    made = ThresholdGuessBinarizer()
    made.fit_answers(RawTable(X), target)
    assert limits.stopped == "memory_limit"
    assert 1 <= len(made.literals_) < len(questions(guess(X, rates, "poisson", exposure)))


@pytest.mark.parametrize("binarizer", [MidpointBinarizer(), QuantileBinarizer()])
def test_other_binarizers_need_no_classes(claims: Any, binarizer: Any) -> None:
    X, rates, _ = claims
    named: Any = NamedLoss("squared_error")
    table = binarizer.fit_answers(RawTable(X), Target(loss=named, numbers=rates))
    assert table.n_columns == len(binarizer.literals_) > 4
    assert questions(binarizer) == questions(type(binarizer)().fit(X, rates))


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="y holds text"):
        guess(CLERKS, list("abababab"))
    with pytest.raises(TableError, match="in row 1"):
        guess(CLERKS, [1, np.nan, 2, 3, 4, 5, 6, 7])
    with pytest.raises(TableError, match=r"negative, -1\.0 in row 2"):
        guess(CLERKS, [1, 0, -1, 3, 4, 5, 6, 7], "poisson")
    with pytest.raises(ValueError, match="X has 8 rows, y has 2"):
        guess(CLERKS, [1, 2])
    with pytest.raises(ValueError, match=r"requires y.*numbers"):
        guess(CLERKS, None)


@pytest.mark.parametrize("bad", ["zero_one", "gini", None, 3])
def test_an_unknown_loss_is_named(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"loss=.*'squared_error'"):
        guess(CLERKS, [1, 2, 3, 4, 5, 6, 7, 8], bad)


@every_binarizer
def test_numbers_need_no_loss_where_y_is_not_used(binarizer: Any) -> None:
    if binarizer is not ThresholdGuessBinarizer:
        y = np.linspace(0, 1, 8)
        assert questions(binarizer().fit(CLERKS, y)) == questions(binarizer().fit(CLERKS))
