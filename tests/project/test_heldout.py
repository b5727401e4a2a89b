"""The benchmarks of predictions on new rows, of losses and of lookahead: what their tables say."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the benchmarks need Linux or macOS")


def splits(method: str, data: str, auc: tuple[float, ...], **values: Any) -> list[dict[str, Any]]:
    """Make a row for each seed, as heldout.py measures them."""
    common = {"data": data, "method": method, "status": "complete", "accuracy": 0.8}
    common |= {"log_loss": 0.5, "brier": 0.2, "leaves": 4, "fit_seconds": 1.0}
    common |= {"choosing_seconds": 2.0, "cv_score": 0.7}
    return [{**common, "seed": seed, "auc": each, **values} for seed, each in enumerate(auc)]


def test_the_loss_is_chosen_by_cross_validation_and_never_by_the_rows_held_out(
    benchmark_module: Any,
) -> None:
    heldout = benchmark_module("heldout")
    rows = [
        *splits("splitsecond log_loss", "a", (0.6, 0.6)),
        *splits("splitsecond brier", "a", (0.9, 0.5)),
    ]
    rows[3]["cv_score"] = 0.8
    chosen = heldout.choose_loss(rows)
    assert [row["auc"] for row in chosen] == [0.6, 0.5]
    assert {row["method"] for row in chosen} == {heldout.CHOSEN}
    assert {row["choosing_seconds"] for row in chosen} == {4.0}


def test_trees_of_carts_size_are_a_method_of_their_own(benchmark_module: Any) -> None:
    heldout = benchmark_module("heldout")
    capped = f"splitsecond brier{heldout.CAPPED}"
    rows = [
        *splits("CART", "a", (0.7, 0.7), leaves=5),
        *splits("splitsecond log_loss", "a", (0.8, 0.8)),
        *splits(capped, "a", (0.6, 0.6)),
    ]
    chosen = heldout.choose_loss(rows)
    assert [(row["method"], row["auc"]) for row in chosen[::2]] == [
        (heldout.CHOSEN, 0.8),
        (heldout.CHOSEN + heldout.CAPPED, 0.6),
    ]
    assert heldout.limits_of("splitsecond brier", [0, 1, 9], rows) == [6, 6, None]
    assert heldout.limits_of("CART", [0, 1], rows) == [None, None]
    shown = heldout.shown_methods()
    assert sorted(set(shown)) == sorted(shown)
    assert {capped, heldout.CHOSEN, *heldout.METHODS} < set(shown)


def test_few_rows_are_split_more_often_with_seeds_that_decided_nothing(
    benchmark_module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    heldout = benchmark_module("heldout")
    table = tiny_table(benchmark_module("lib.heldout_data"))
    monkeypatch.setattr(heldout.heldout_data, "load", lambda name: table)
    seeds = heldout.seeds_of("splitsecond brier", "tiny", 5)
    assert len(seeds) == 20
    assert not set(seeds) & set(range(5, 25))
    assert heldout.seeds_of("imodels FIGS", "tiny", 5) == [0, 1, 2]
    monkeypatch.setattr(heldout, "FEW_ROWS", 100)
    assert heldout.seeds_of("CART", "tiny", 5) == [0, 1, 2, 3, 4]


def test_every_method_says_what_its_result_depends_on(benchmark_module: Any) -> None:
    heldout = benchmark_module("heldout")
    root = Path(__file__).parents[2]
    for method in heldout.METHODS:
        assert all((root / path).exists() for path in heldout.depends_on(method))
    assert "src" in heldout.depends_on("splitsecond brier")
    assert "src" not in heldout.depends_on("CART")


def test_the_highest_score_is_chosen_and_of_equal_ones_the_first(benchmark_module: Any) -> None:
    best = benchmark_module("lib.choosing").best
    scores, sizes = np.array([0.7, 0.9, 0.9, 0.95]), np.array([2, 4, 3, 9])
    assert best(None) == 0  # nothing to choose
    assert best(scores) == 3
    assert best(scores, sizes, 4) == 1
    assert best(scores, sizes, 3) == 2
    assert best(scores, sizes, 1) == 0  # none is so small: the smallest there is


def test_cross_validation_of_few_rows_is_repeated(
    benchmark_module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    choosing = benchmark_module("lib.choosing")
    table = tiny_table(benchmark_module("lib.heldout_data"))
    frame = benchmark_module("lib.heldout_worker").frame_of(table)
    folds: list[int] = []

    class Constant:
        """Reads the frame as it is and says a constant."""

        def fit_all(self, X: Any, y: Any, settings: Any) -> Any:
            folds.append(len(y))
            return [(self, len) for _ in settings]

        def predict_proba(self, rows: int) -> Any:
            return np.full((rows, 2), 0.5)

    ask = (Constant(), frame, table.y, [{}, {}], lambda y, shares: float(len(shares)), 5)
    assert choosing.cross_validated(*ask).tolist() == [48, 48]
    assert len(folds) == 15
    monkeypatch.setattr(choosing, "FEW_ROWS", 100)
    choosing.cross_validated(*ask)
    assert folds == [192] * 20


def test_means_wins_and_the_largest_loss_are_those_of_tables(benchmark_module: Any) -> None:
    heldout = benchmark_module("heldout")
    failed = heldout._without_result("b", "imodels FIGS", "crashed")
    rows = [
        *splits("splitsecond zero_one", "a", (0.8, 0.6), leaves=3),
        *splits("splitsecond zero_one", "b", (0.9, 0.9), leaves=9),
        *splits("CART", "a", (0.6, 0.6)),
        *splits("CART", "b", (0.91, 0.91, 0.2)),  # the third split has nothing to compare with
        failed,
    ]
    averages = heldout.by_table(rows)
    assert averages[0]["auc"] == pytest.approx(0.7)
    found = {row["measure"]: row for row in heldout.against(rows) if "zero" in row["method"]}
    assert (found["auc"]["better"], found["auc"]["worse"]) == (1, 1)
    assert found["auc"]["mean"] == pytest.approx((0.1 - 0.01) / 2)
    assert (found["auc"]["worst_on"], found["auc"]["worst"]) == ("b", pytest.approx(-0.01))
    assert (found["leaves"]["better"], found["leaves"]["mean"]) == (1, -2)
    assert {row["method"]: row["tables"] for row in heldout.over_tables(averages)} == {
        "splitsecond zero_one": 2,
        "CART": 2,
    }
    shown = [table.to_markdown() for table in heldout.tables_of(rows)]
    assert "crashed" in shown[-1]


def tiny_table(heldout_data: Any) -> Any:
    """Make numbers with gaps and text with gaps; the class follows both, with noise."""
    rng = np.random.default_rng(0)
    number = rng.normal(size=240)
    text = rng.choice(["", "red", "blue"], 240)
    y = ((number > 0) ^ (text == "red") ^ (rng.random(240) < 0.1)).astype(np.int64)
    number[::17] = np.nan
    return heldout_data.RawTable(["size", "colour"], [number, text], y, ["no", "yes"])


def test_a_table_is_the_same_in_every_process(benchmark_module: Any, tmp_path: Path) -> None:
    heldout_data = benchmark_module("lib.heldout_data")
    table = tiny_table(heldout_data)
    table.save(tmp_path / "table.npz")
    again = heldout_data.read(tmp_path / "table.npz")
    assert again.checksum() == table.checksum()
    frame = benchmark_module("lib.heldout_worker").frame_of(again)
    assert list(frame) == ["size", "colour"]
    assert frame["colour"].isna().sum() == (table.columns[1] == "").sum()
    train, test = heldout_data.split(table.y, 0)
    assert sorted([*train, *test]) == list(range(240))
    assert len(test) == 60


@pytest.mark.slow
@pytest.mark.parametrize("method", ["splitsecond zero_one", "CART", "logistic regression"])
def test_a_model_is_chosen_and_judged(benchmark_module: Any, method: str) -> None:
    worker = benchmark_module("lib.heldout_worker")
    table = tiny_table(benchmark_module("lib.heldout_data"))
    predictor = worker.PREDICTORS[method]()
    frame = worker.frame_of(table)
    settings = predictor.settings(frame, table.y)
    (row,) = worker.judge(predictor, frame, table.y, 0, "roc_auc", 3)
    assert row["auc"] > 0.6 if method != "logistic regression" else row["auc"] > 0.3
    assert (row["leaves"] is None) == (method == "logistic regression")
    assert row["cv_score"] > 0
    if row["leaves"] is not None:
        free, capped = worker.judge(predictor, frame, table.y, 0, "roc_auc", 3, max_leaves=4)
        assert free["auc"] == row["auc"]
        assert capped["leaves"] <= 4
        assert (free["capped"], capped["capped"]) == (False, True)
    for setting, (model, read) in zip(
        settings[::7], predictor.fit_all(frame, table.y, settings[::7]), strict=True
    ):  # what settings share makes no difference
        alone = predictor.fit(frame, table.y, setting)
        np.testing.assert_allclose(model.predict_proba(read(frame)), alone.predict_proba(frame))


def test_scores_of_shares(benchmark_module: Any) -> None:
    worker = benchmark_module("lib.heldout_worker")
    y = np.array([0, 1, 1, 0])
    shares = np.array([[0.9, 0.1], [0.4, 0.6], [0.0, 1.0], [1.0, 0.0]])
    assert worker.auc(y, shares) == 1.0
    assert worker.brier(y, shares) == pytest.approx((0.01 + 0.16) / 4)
    assert worker.log_loss(y, shares) == pytest.approx(-np.log([0.9, 0.6, 1, 1]).mean())
    assert worker.log_loss(1 - y, shares, 0.25) == pytest.approx(
        -np.log([0.25, 0.4, 0.25, 0.25]).mean()
    )


def test_cells_where_ours_is_no_higher_are_counted(benchmark_module: Any) -> None:
    peers = benchmark_module("lookahead_peers")
    common = {"data": "a", "regularization": 0.001}
    rows = []
    for depth, objective in ((4, 0.3), (5, 0.31)):
        for method, seconds, value in (
            (peers.ours(1, ""), 0.5, 0.3),
            (peers.theirs(1), 5.0, objective),
            (f"{peers.theirs(1)}, search alone", 2.0, objective),
        ):
            each = {"depth": depth, "method": method, "median": seconds, "objective": value}
            rows.append({**common, **each})
    (verdict,) = peers.verdicts(rows)
    assert (verdict["cells"], verdict["no_higher"], verdict["lower"]) == (2, 2, 1)
    assert (verdict["least_ratio"], verdict["least_search"]) == (10.0, 4.0)


def test_the_exact_last_split_wins_by_tables(benchmark_module: Any) -> None:
    last_split = benchmark_module("last_split")
    common = {"method": "SPLIT", "depth": 4, "regularization": 0.01, "leaves": 3, "exact_leaves": 4}
    rows = [
        {**common, "data": data, "objective": 0.3, "exact_objective": exact, "error": 0.2}
        | {"exact_error": 0.2}
        for data, exact in (("a", 0.2), ("a", 0.3), ("b", 0.3))
    ]
    (summary,) = last_split.summarize(rows, "method")
    assert (summary["lower"], summary["higher"], summary["better"]) == (1, 0, 0)
    assert summary["exact_objective"] == pytest.approx(0.8 / 3)


def test_losses_of_shares_are_relative_to_a_single_leaf(benchmark_module: Any) -> None:
    packages = benchmark_module("lib.loss_packages")
    y = np.array([0, 0, 1, 1])
    for loss in ("log_loss", "brier"):
        assert packages.relative_loss(loss, y, np.full(4, 0.5)) == pytest.approx(1)
        assert packages.relative_loss(loss, y, y.astype(float)) == pytest.approx(0)
    half = packages.relative_loss("brier", y, np.array([0.25, 0.25, 0.75, 0.75]))
    assert half == pytest.approx(0.25)


def test_pictures_of_losses_can_be_drawn() -> None:
    pytest.importorskip("matplotlib")
    import loss_pictures
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    models = loss_pictures.fit_pair(X[::2], y[::2])
    figure = loss_pictures.draw(models, X[1::2], y[1::2].to_numpy())
    titles = [axis.get_title() for axis in figure.axes]
    assert titles == ["ROC", "Reliability", "Gains"]
    gains = figure.axes[2].lines[1].get_xydata()
    assert gains[0].tolist() == [0, 0]
    assert gains[-1] == pytest.approx([1, 1])


def test_pictures_of_criteria_can_be_drawn() -> None:
    pytest.importorskip("matplotlib")
    import criteria_pictures

    figure = criteria_pictures.draw(criteria_pictures.evaluated())
    ranges, frontier = figure.axes
    assert [text.get_text() for text in ranges.get_yticklabels()] == criteria_pictures.SHOWN
    assert frontier.get_ylabel() == "error"
