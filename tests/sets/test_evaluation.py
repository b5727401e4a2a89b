"""What an evaluation of a set says of its criteria, groups, limits and errors."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from endless_sets import ENDLESS_SETS, noise_without_end
from sklearn import metrics

from splitsecond import LimitWarning, SetEvaluation, TreeFARMS, load, save

RNG = np.random.default_rng(18)
N_ROWS = 300
X = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, N_ROWS),
        "job": RNG.choice(["clerk", "cook", "smith"], N_ROWS),
        "debt": RNG.normal(size=N_ROWS).round(2),
    }
)
SEX = pd.Series(RNG.choice(["F", "M"], N_ROWS), name="sex")
SCORE = X["age"] / 40 + X["debt"] + (X["job"] == "cook") + (SEX == "M") / 2
Y = np.where(SCORE + RNG.normal(size=N_ROWS) / 2 > 1.8, "bad", "good")
TRAIN, TEST = slice(0, 150), slice(150, 300)
COSTS = {"good": {"good": 0, "bad": 5}, "bad": {"good": 1, "bad": 0}}


def fitted(**options: Any) -> Any:
    defaults = {"regularization": 0.02, "epsilon": 0.02, "max_depth": 3}
    return TreeFARMS(**{**defaults, **options}).fit(X[TRAIN], Y[TRAIN]).trees_


@pytest.fixture(scope="module")
def trees() -> Any:
    return fitted()


@pytest.fixture(scope="module")
def evaluation(trees: Any) -> SetEvaluation:
    found: SetEvaluation = trees.evaluate(X[TEST], Y[TEST], groups=SEX[TEST], costs=COSTS)
    return found


def test_values_are_those_of_scikit_learn(trees: Any, evaluation: SetEvaluation) -> None:
    frame = evaluation.to_frame(trees[:20])
    assert frame.columns.tolist() == ["objective", "n_leaves", *evaluation.criteria]
    truth, women = Y[TEST], (SEX[TEST] == "F").to_numpy()
    for place, tree in enumerate(trees[:20]):
        row = frame.iloc[place]
        said, shares = tree.predict(X[TEST]), tree.predict_proba(X[TEST])[:, 1]
        is_good = truth == "good"
        assert row["objective"] == tree.objective
        assert row["n_leaves"] == tree.n_leaves
        assert row["accuracy"] == pytest.approx(metrics.accuracy_score(truth, said))
        assert row["error"] == pytest.approx(1 - row["accuracy"])
        expected = metrics.balanced_accuracy_score(truth[women], said[women])
        assert row["balanced_accuracy[sex=F]"] == pytest.approx(expected)
        assert row["brier_score"] == pytest.approx(metrics.brier_score_loss(is_good, shares))
        assert row["f1"] == pytest.approx(metrics.f1_score(truth, said, pos_label="good"))
        assert row["roc_auc"] == pytest.approx(metrics.roc_auc_score(is_good, shares))
        if shares.min() > 0 and shares.max() < 1:
            assert row["log_loss"] == pytest.approx(metrics.log_loss(is_good, shares))
        recall = metrics.recall_score(truth, said, pos_label="good")
        assert row["true_positive_rate"] == pytest.approx(recall)
        assert row["false_negative_rate"] == pytest.approx(1 - recall)
        rates = [np.mean(said[part] == "good") for part in (women, ~women)]
        assert row["selection_rate[sex=F - M]"] == pytest.approx(rates[0] - rates[1])
        gap = row["demographic_parity_difference[sex]"]
        assert gap == pytest.approx(abs(rates[0] - rates[1]))
        costs = [COSTS[a][b] for a, b in zip(said, truth, strict=True)]
        assert row["cost"] == pytest.approx(np.mean(costs))


def test_best_and_worst(trees: Any, evaluation: SetEvaluation) -> None:
    assert trees.n_trees > 50
    values = evaluation.to_frame(list(trees))
    for name, is_more_better in (("error", False), ("accuracy", True), ("roc_auc", True)):
        found = evaluation.range(name)
        ends = {"best": evaluation.best(name), "worst": evaluation.worst(name)}
        least, most = values[name].min(), values[name].max()
        assert (found.minimum, found.maximum) == (least, most)
        best, worst = (evaluation.to_frame(tree)[name][0] for tree in ends.values())
        assert (best, worst) == ((most, least) if is_more_better else (least, most))
        assert evaluation.frontier(name)[-1].value == best
    assert evaluation.range("error") is evaluation.range("error")


def test_what_is_not_additive_is_never_called_exact(evaluation: SetEvaluation, trees: Any) -> None:
    found = evaluation.range("roc_auc")
    assert not found.is_exact
    assert found.kind == "found"
    assert f"among the {trees.n_trees} trees looked at" in repr(found)
    assert evaluation.range("error").is_exact
    few = trees.evaluate(X[TEST], Y[TEST], max_trees=7)
    assert few.range("roc_auc").n_looked_at == 7
    one = trees.evaluate(X[TEST], Y[TEST], max_trees=1)
    assert "of the only tree looked at" in repr(one.range("roc_auc"))
    assert "among the 7 trees looked at" in str(few)
    values = few.to_frame(trees[:7])["roc_auc"]
    assert few.range("roc_auc").maximum == values.max()
    with pytest.warns(LimitWarning, match="Only the best 7 trees were looked at"):
        assert len(few.find("roc_auc", at_least=0)) == 7
    assert len(few.find("roc_auc", at_least=0, max_trees=3)) == 3
    with pytest.raises(ValueError, match=r"'roc_auc' is not additive.*evaluation\.find"):
        few.filter("roc_auc", at_least=0.5)


def test_a_frontier_has_one_point_for_an_objective() -> None:
    rng = np.random.default_rng(10)
    flags, y = rng.integers(0, 2, (12, 3)), rng.integers(0, 2, 12)
    trees = TreeFARMS(regularization=0.02, epsilon=0.3, max_depth=2).fit(flags, y).trees_
    points = trees.evaluate(flags, y).frontier("f1")
    assert [(point.objective, point.value) for point in points] == [
        (pytest.approx(0.39333333), pytest.approx(0.5))
    ]


@pytest.mark.parametrize("loss", ["brier", "log_loss"])
def test_frontiers_count_objectives_as_the_set_does(loss: str) -> None:
    trees = fitted(loss=loss, epsilon=0.01)
    found = trees.evaluate(X[TEST], Y[TEST], groups=SEX[TEST])
    for name in ("error", "roc_auc", "demographic_parity_difference[sex]"):
        for point in found.frontier(name):
            assert point.objective in trees.objective_histogram()


def test_a_gap_near_nothing(trees: Any, evaluation: SetEvaluation) -> None:
    name = "selection_rate[sex=F - M]"
    near = evaluation.filter(name, at_least=-0.03, at_most=0.03)
    gaps = evaluation.to_frame(list(trees))[name]
    assert 0 < near.n_trees < trees.n_trees
    assert near.n_trees == (gaps.abs() <= 0.03).sum()
    again = near.evaluate(X[TEST], Y[TEST], groups=SEX[TEST])
    assert again.range(name).minimum >= -0.03
    assert again.range(name).maximum <= 0.03
    assert near.filter(max_leaves=3).n_trees <= near.n_trees
    assert pickle.loads(pickle.dumps(near)).n_trees == near.n_trees
    nothing = evaluation.filter("error", at_most=0)
    assert nothing.n_trees == 0
    found = evaluation.range("error")
    assert evaluation.filter("error", at_most=found.minimum).n_trees > 0
    assert evaluation.filter("error", at_least=found.maximum).n_trees > 0
    assert evaluation.filter("error", at_most=np.inf).n_trees == trees.n_trees


# Names, and groups


def test_names_of_criteria(trees: Any, evaluation: SetEvaluation) -> None:
    assert evaluation.criteria[:6] == (
        "error",
        "accuracy",
        "balanced_accuracy",
        "cost",
        "brier_score",
        "log_loss",
    )
    assert "false_positive_rate[sex=F - M]" in evaluation.criteria
    by_job = trees.evaluate(X[TEST], Y[TEST], groups="job")
    assert "error[job=cook - rest]" in by_job.criteria
    assert "error[job=cook - smith]" not in by_job.criteria
    found = by_job.range("error[job=cook - smith]")  # any two groups may be compared
    opposite = by_job.range("error[job=smith - cook]")
    assert (found.minimum, found.maximum) == (-opposite.maximum, -opposite.minimum)
    short = by_job.range("demographic_parity_difference")
    assert short.name == "demographic_parity_difference[job]"
    with pytest.raises(ValueError, match=r"no criterion 'eror'.*Did you mean 'error'\?"):
        by_job.range("eror")
    wrong = ["[job=cook - cook]", "[job=baker]", "[", "[job=cook", "[job=cook)", "]", "job=cook]"]
    gap = "demographic_parity_difference"
    for name in (*(f"error{each}" for each in wrong), "f1[job=cook]", f"{gap}[", f"{gap}[job"):
        with pytest.raises(ValueError, match="There is no criterion"):
            by_job.range(name)
    for what in (["error"], 3, None):
        with pytest.raises(ValueError, match="A criterion is a name, such as 'error', got"):
            by_job.range(what)  # type: ignore[arg-type]


def test_a_single_name(trees: Any, evaluation: SetEvaluation) -> None:
    assert evaluation.summary("error")["criterion"].tolist() == ["error"]
    assert evaluation.to_frame(trees[:2], "error").columns[2:].tolist() == ["error"]
    pyplot = pytest.importorskip("matplotlib.pyplot")
    ticks = evaluation.plot_ranges("error").get_yticklabels()
    assert [text.get_text() for text in ticks] == ["error"]
    pyplot.close("all")


GROUPS: dict[str, tuple[Any, list[str]]] = {
    "series": (SEX[TEST], ["sex"]),
    "array": (SEX[TEST].to_numpy(), ["group"]),
    "list": (SEX[TEST].tolist(), ["group"]),
    "polars": (pl.Series("of", SEX[TEST].tolist()), ["of"]),
    "column": ("job", ["job"]),
    "columns": (["job"], ["job"]),
    "frame": (pd.DataFrame({"sex": SEX, "old": X["age"] > 50})[TEST], ["sex", "old"]),
    "arrow": (pa.table({"sex": SEX[TEST].tolist()}), ["sex"]),
    "dict": ({"a": SEX[TEST], "b": (X["age"] > 50)[TEST]}, ["a", "b"]),
    "matrix": (np.column_stack([SEX[TEST], SEX[TEST]]), ["group0", "group1"]),
    "categories": (SEX[TEST].astype("category"), ["sex"]),
}


@pytest.mark.parametrize("kind", GROUPS)
def test_groups_of_any_kind(trees: Any, kind: str) -> None:
    groups, attributes = GROUPS[kind]
    found = trees.evaluate(X[TEST], Y[TEST], groups=groups)
    named = dict.fromkeys(
        name.partition("[")[2].partition("=")[0] for name in found.criteria if "=" in name
    )
    assert list(named) == attributes
    if attributes != ["job"]:
        own = (SEX[TEST] == "F").to_numpy()
        expected = trees.evaluate(X[TEST][own], Y[TEST][own]).range("error")
        by_group = found.range(f"error[{attributes[0]}=F]")
        assert (by_group.minimum, by_group.maximum) == (expected.minimum, expected.maximum)


def test_groups_are_taken_in_their_order(trees: Any) -> None:
    """As classes are: whatever the index of a series says."""
    expected = trees.evaluate(X[TEST], Y[TEST], groups=SEX[TEST]).range("error[sex=F]")
    moved = SEX[TEST].set_axis(np.arange(150)[::-1])
    found = trees.evaluate(X[TEST], Y[TEST], groups=moved).range("error[sex=F]")
    assert (found.minimum, found.maximum) == (expected.minimum, expected.maximum)


def test_missing_groups_are_a_group(trees: Any) -> None:
    groups = SEX[TEST].where(X["age"][TEST] > 30)
    found = trees.evaluate(X[TEST], Y[TEST], groups=groups)
    missing = groups.isna().to_numpy()
    alone = trees.evaluate(X[TEST][missing], Y[TEST][missing]).range("error")
    by_group = found.range("error[sex=(missing)]")
    assert (by_group.minimum, by_group.maximum) == (alone.minimum, alone.maximum)
    assert "error[sex=F - rest]" in found.criteria
    numbers = trees.evaluate(X[TEST], Y[TEST], groups=np.where(missing, np.nan, 10.0 - missing))
    assert "error[group=10 - (missing)]" in numbers.criteria


def test_names_that_would_mean_two_things(trees: Any) -> None:
    def evaluated(*names: Any) -> Any:
        return trees.evaluate(X[TEST], Y[TEST], groups={"g": (list(names) * 150)[:150]})

    for names in (("a", "b", "rest"), ("a", "a - rest", "c"), ("a", "b", "a - b")):
        with pytest.raises(ValueError, match=r"\[g=.*\] would mean two things.*Rename a group"):
            evaluated(*names)
    for values in ((None, "(missing)"), (1, "1"), ("nan", math.nan, "(missing)")):
        with pytest.raises(ValueError, match=r"would both be called .* give one of them another"):
            evaluated(*values)
    with pytest.raises(ValueError, match=r"\[a=b=c\] would mean two things"):
        trees.evaluate(X[TEST], Y[TEST], groups={"a": ["b=c"] * 150, "a=b": ["c"] * 150})
    two = evaluated("a", "rest")  # the rest of two groups is the other one
    assert [name for name in two.criteria if name.startswith("error[")] == [
        "error[g=a]",
        "error[g=rest]",
        "error[g=a - rest]",
    ]
    assert "error[g=1 - 2]" in evaluated(1, 1.0, np.float32(2)).criteria


def test_one_group_has_nothing_to_be_compared_with(trees: Any) -> None:
    found = trees.evaluate(X[TEST], Y[TEST], groups=["all"] * 150)
    assert "error[group=all]" in found.criteria
    assert not [name for name in found.criteria if " - " in name or "difference" in name]


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "length": ({"groups": SEX}, r"groups has shape \(300,\) for 'sex', but X has 150 rows"),
    "name": ({"groups": "jobs"}, r"'jobs' is not a column of X.*Did you mean 'job'\?"),
    "many": ({"groups": np.arange(150)}, "150 different values for 'group', more than 50"),
    "empty": ({"groups": {}}, "groups is empty"),
    "positive": ({"positive": "ugly"}, "positive='ugly' is no class of the set.*'bad', 'good'"),
    "costs": ({"costs": {"good": COSTS["good"]}}, "costs has no action 'bad'"),
    "weights": ({"sample_weight": [1, 2]}, "sample_weight has shape"),
    "time": ({"time_limit": 0}, "time_limit=0 must be a positive number"),
    "memory": ({"memory_limit": -1}, "memory_limit=-1 must be a positive number"),
    "trees": ({"max_trees": 0}, "max_trees=0 must be an integer of at least 1"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_arguments(trees: Any, kind: str) -> None:
    options, text = WRONG[kind]
    with pytest.raises(ValueError, match=text):
        trees.evaluate(X[TEST], Y[TEST], **options)


def test_wrong_rows(trees: Any, evaluation: SetEvaluation) -> None:
    with pytest.raises(ValueError, match="X has no rows"):
        trees.evaluate(X[:0], Y[:0])
    with pytest.raises(ValueError, match="y has the label 'ugly'"):
        trees.evaluate(X[TEST], np.where(Y[TEST] == "bad", "ugly", "good"))
    with pytest.raises(ValueError, match="X has 150 rows, y has 300"):
        trees.evaluate(X[TEST], Y)
    with pytest.raises(ValueError, match="X lacks columns 'age', 'job'"):
        trees.evaluate(X[["debt"]], Y)
    with (
        pytest.warns(UserWarning, match="feature names"),
        pytest.raises(ValueError, match="'sex' names a column, but X has no column names"),
    ):
        trees.evaluate(X[TEST].to_numpy(), Y[TEST], groups="sex")
    with pytest.raises(ValueError, match="no tree to evaluate: the set is empty"):
        evaluation.filter("error", at_most=0).evaluate(X[TEST], Y[TEST])
    with pytest.raises(ValueError, match="Give at_most or at_least"):
        evaluation.filter("error")
    with pytest.raises(ValueError, match="at_most='low' must be a number"):
        evaluation.filter("error", at_most="low")
    with pytest.raises(ValueError, match="end='least' must be one of"):
        evaluation.frontier("error", "least")
    with pytest.raises(TypeError, match="got int: give trees of the set"):
        evaluation.to_frame([3])  # type: ignore[list-item]
    other = TreeFARMS(max_depth=1).fit(X[["debt"]], Y).trees_[0]
    with pytest.raises(ValueError, match="The tree is of another fit"):
        evaluation.to_frame(other)


# Classes, actions, weights


def test_rows_of_one_class(trees: Any) -> None:
    found = trees.evaluate(X[TEST], ["bad"] * 150)
    missing = found.range("true_positive_rate")
    assert missing.kind == "undefined"
    assert math.isnan(missing.minimum)
    assert repr(missing).endswith("no rows>")
    assert found.range("roc_auc").kind == "undefined"
    assert found.range("false_positive_rate").is_exact
    assert found.frontier("true_positive_rate") == []
    assert found.find("true_positive_rate", at_most=1) == []
    with pytest.raises(ValueError, match="'true_positive_rate' is not defined"):
        found.best("true_positive_rate")
    with pytest.raises(ValueError, match="'true_positive_rate' is not defined"):
        found.filter("true_positive_rate", at_most=0.5)
    assert found.to_frame(trees[0])["true_positive_rate"].isna().all()
    assert "no rows" in str(found)


def test_more_than_two_classes() -> None:
    y = np.array(["a", "b", "c"])[np.digitize(SCORE, [1.2, 2.2])]
    trees = TreeFARMS(regularization=0.03, max_depth=2).fit(X[TRAIN], y[TRAIN]).trees_
    found = trees.evaluate(X[TEST], y[TEST])
    assert found.criteria == ("error", "accuracy", "balanced_accuracy", "brier_score", "log_loss")
    rates = trees.evaluate(X[TEST], y[TEST], positive="b")
    values = rates.to_frame(trees[0])
    said = trees[0].predict(X[TEST])
    assert values["selection_rate"][0] == pytest.approx(np.mean(said == "b"))
    recall = metrics.recall_score(y[TEST] == "b", said == "b")
    assert values["true_positive_rate"][0] == pytest.approx(recall)


def test_actions_that_are_no_classes() -> None:
    costs = {
        "approve": {"good": 0, "bad": 5},
        "reject": {"good": 1, "bad": 0},
        "refer": {"good": Fraction(1, 3), "bad": 0.4},
    }
    trees = fitted(costs=costs)
    found = trees.evaluate(X[TEST], Y[TEST], groups=SEX[TEST])
    assert found.criteria[:3] == ("cost", "brier_score", "log_loss")
    assert "selection_rate" not in found.criteria
    by_action = trees.evaluate(X[TEST], Y[TEST], groups=SEX[TEST], positive="refer")
    assert "selection_rate[sex=F - M]" in by_action.criteria
    assert "false_positive_rate" not in by_action.criteria
    tree = by_action.range("selection_rate").maximum_tree
    share = np.mean(tree.predict(X[TEST]) == "refer")
    assert by_action.range("selection_rate").maximum == pytest.approx(share)
    model = trees.to_classifier(0)
    assert found.to_frame(trees[0])["cost"][0] == pytest.approx(
        model.expected_cost(X[TEST], Y[TEST])
    )
    with pytest.raises(ValueError, match="'good' is no action of the set: give one of 'approve'"):
        trees.evaluate(X[TEST], Y[TEST], positive="good")


def test_weights_are_repeated_rows(trees: Any) -> None:
    weights = np.arange(150) % 4
    repeated = np.repeat(np.arange(150, 300), weights)
    a = trees.evaluate(X[TEST], Y[TEST], sample_weight=weights, groups=SEX[TEST])
    b = trees.evaluate(X.loc[repeated], Y[repeated], groups=SEX[repeated])
    for name in ("error", "log_loss", "false_positive_rate[sex=F - M]", "roc_auc"):
        one, other = a.range(name), b.range(name)
        for part in ("minimum", "mean", "maximum"):
            assert getattr(one, part) == pytest.approx(getattr(other, part))
    halves = trees.evaluate(X[TEST], Y[TEST], sample_weight=weights / 2)
    assert halves.range("error").minimum == a.range("error").minimum


def test_real_weights_are_not_rounded_much(trees: Any) -> None:
    weights = np.random.default_rng(5).random(150) ** 8
    found = trees.evaluate(X[TEST], Y[TEST], sample_weight=weights)
    errors = [
        math.fsum(weights[tree.predict(X[TEST]) != Y[TEST]]) / math.fsum(weights) for tree in trees
    ]
    assert found.range("error").minimum == pytest.approx(min(errors), rel=0, abs=1e-14)
    assert found.range("error").maximum == pytest.approx(max(errors), rel=0, abs=1e-14)
    huge = trees.evaluate(X[TEST], Y[TEST], sample_weight=np.arange(150) + 2**40)
    assert huge.range("error").is_exact


def test_large_weights_are_exact_as_far_as_floats_are(trees: Any) -> None:
    weights = RNG.integers(1, 10**7, 150)
    found = trees.evaluate(X[TEST], Y[TEST], sample_weight=weights, groups=SEX[TEST])
    name = "false_positive_rate[sex=F - M]"
    values = found.to_frame(list(trees))[name]
    assert found.range(name).minimum == pytest.approx(values.min(), abs=1e-12)
    assert found.range(name).maximum == pytest.approx(values.max(), abs=1e-12)
    middle = float(np.median(values)) + 1e-7
    assert found.filter(name, at_most=middle).n_trees == (values <= middle).sum()


# Texts, pictures, files


def test_texts(trees: Any) -> None:
    found = trees.evaluate(X[TEST], Y[TEST], groups=SEX[TEST])
    assert repr(found) == f"<SetEvaluation: {trees.n_trees} trees, 150 rows, 45 criteria>"
    found.range("error")
    assert repr(found).splitlines()[1:] == [
        "criterion  minimum    mean  maximum  tree 0",
        next(line for line in repr(found).splitlines() if line.startswith("error ")),
    ]
    lines = str(found).splitlines()
    assert len(lines) == 2 + len(found.criteria)
    for name in found.criteria:
        assert [line for line in lines if line.startswith(f"{name} ")]
    frame = found.summary(["error", "f1"])
    assert frame["criterion"].tolist() == ["error", "f1"]
    assert frame["kind"].tolist() == ["exact", "found"]
    assert frame["tree_0"][0] == found.to_frame(trees[0])["error"][0]
    assert found.summary(["error"], library="polars")["mean"][0] == frame["mean"][0]


def test_pickles_and_files(trees: Any, evaluation: SetEvaluation, tmp_path: Any) -> None:
    again = pickle.loads(pickle.dumps(evaluation))
    save(trees, tmp_path / "set.json")
    loaded = load(tmp_path / "set.json").evaluate(X[TEST], Y[TEST], groups=SEX[TEST], costs=COSTS)
    for name in ("error", "cost", "log_loss[sex=F - M]", "roc_auc"):
        expected = evaluation.range(name)
        for found in (again.range(name), loaded.range(name)):
            assert found.minimum == pytest.approx(expected.minimum)
            assert found.maximum == pytest.approx(expected.maximum)
    assert again.to_frame(pickle.loads(pickle.dumps(trees[0])))["error"][0] == pytest.approx(
        evaluation.to_frame(trees[0])["error"][0]
    )


def test_pictures(evaluation: SetEvaluation, trees: Any) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    ax = evaluation.plot_frontier("error")
    assert ax.get_ylabel() == "error"
    drawn = ax.lines[1].get_xydata()
    points = [(point.objective, point.value) for point in evaluation.frontier("error", "minimum")]
    assert drawn == pytest.approx(np.array(points))
    assert "found" in evaluation.plot_frontier("roc_auc").get_legend_handles_labels()[1][0]
    ax = evaluation.plot_ranges()
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert "error[sex=F - M]" in names
    assert not [name for name in names if name.startswith(("cost", "log_loss", "roc_auc"))]
    _, own = pyplot.subplots()
    assert evaluation.plot_ranges(["error", "roc_auc"], own) is own
    assert [text.get_text() for text in own.get_yticklabels()] == ["error", "roc_auc (found)"]
    nothing = trees.evaluate(X[TEST], ["bad"] * 150)
    with pytest.raises(ValueError, match="is not defined"):
        nothing.plot_frontier("true_positive_rate")
    with pytest.raises(ValueError, match="nothing to draw"):
        nothing.plot_ranges(["true_positive_rate"])
    pyplot.close("all")


# Limits


@pytest.fixture(scope="module")
def large() -> Any:
    """A set whose rows take long to walk."""
    rng = np.random.default_rng(3)
    flags = rng.integers(0, 2, (400, 14)).astype(np.uint8)
    y = (flags[:, 0] & flags[:, 1]) ^ (rng.random(400) < 0.2)
    model = TreeFARMS(regularization=0.005, epsilon=0.05, max_depth=4).fit(flags[:200], y[:200])
    return model.trees_, flags[200:], y[200:]


@pytest.mark.parametrize("limit", [{"memory_limit": 100_000}, {"time_limit": 1e-6}])
def test_a_limit_gives_bounds(large: Any, limit: dict[str, Any]) -> None:
    trees, flags, y = large
    exact = trees.evaluate(flags, y, groups=flags[:, 5])
    bounded = trees.evaluate(flags, y, groups=flags[:, 5], max_trees=300, **limit)
    for name in ("error", "log_loss", "selection_rate[group=0 - 1]"):
        with pytest.warns(LimitWarning, match=f"Stopped at a limit.*{name[:5]}"):
            found = bounded.range(name)
        assert found.kind == "bounds"
        assert not found.is_exact
        assert math.isnan(found.mean)
        known = exact.range(name)
        assert found.minimum <= known.minimum <= found.found_minimum
        assert found.found_maximum <= known.maximum <= found.maximum
        assert 0 < found.n_looked_at <= 300
        values = bounded.to_frame(found.minimum_tree)[name]
        assert values[0] == pytest.approx(found.found_minimum)
        assert "bounds" in repr(found)
        with pytest.warns(LimitWarning, match="Stopped at a limit"):
            points = bounded.frontier(name)
        assert points
        assert all(point.tree is None for point in points)
        for point in exact.frontier(name):
            best = min(other.value for other in points if other.objective <= point.objective)
            assert best <= point.value + 1e-12
    with pytest.raises(RuntimeError, match=r"do not fit the limits.*evaluation\.find"):
        bounded.filter("error", at_most=0.3)
    with pytest.warns(LimitWarning, match="trees were looked at"):
        assert bounded.find("error", at_most=1)


@pytest.mark.parametrize("limit", [{"memory_limit": 1000}, {"time_limit": 1e-9}])
def test_when_all_trees_were_looked_at_nothing_is_a_bound(
    trees: Any, limit: dict[str, Any]
) -> None:
    trees = trees.within(0.01)
    assert 5 < trees.n_trees < 256  # which are looked at without looking at the clock
    evaluation = trees.evaluate(X[TEST], Y[TEST], groups=SEX[TEST])
    options: dict[str, Any] = {"groups": SEX[TEST], **limit}
    few = trees.evaluate(X[TEST], Y[TEST], max_trees=5, **options)
    with pytest.warns(LimitWarning, match="Stopped at a limit"):
        assert few.range("error").kind == "bounds"
    found = trees.evaluate(X[TEST], Y[TEST], **options)
    for name in ("error", "log_loss", "selection_rate[sex=F - M]"):
        known, again = evaluation.range(name), found.range(name)
        assert (again.kind, again.n_looked_at) == ("exact", 0)
        for part in ("minimum", "maximum", "mean", "tree_0", "found_minimum", "found_maximum"):
            assert getattr(again, part) == pytest.approx(getattr(known, part))
        assert again.minimum_tree == known.minimum_tree
        points = [(p.objective, pytest.approx(p.value)) for p in evaluation.frontier(name)]
        assert [(p.objective, p.value) for p in found.frontier(name)] == points


def test_each_question_has_its_own_time(large: Any) -> None:
    trees, flags, y = large
    found = trees.evaluate(flags, y, time_limit=1e-9, max_trees=1000)
    with pytest.warns(LimitWarning, match="Stopped at a limit"):
        assert found.range("error").kind == "bounds"
    before = found.range("roc_auc").n_looked_at
    found._limits = replace(found._limits, time_limit=600.0)  # enough, for the questions to come
    assert found.range("accuracy").is_exact
    assert found.frontier("error")[-1].tree is not None
    assert found.find("error", at_most=1, max_trees=1) == trees[:1]
    assert found.range("f1").n_looked_at == 1000 > before


def test_a_partial_set_says_so() -> None:
    flags, y = noise_without_end()
    with pytest.warns(LimitWarning):
        trees = ENDLESS_SETS["exact"](memory_limit=3_000_000).fit(flags, y).trees_
    assert trees.is_partial
    with pytest.warns(LimitWarning, match="The set is partial"):
        found = trees.evaluate(flags[:50], y[:50])
    assert trees.status in repr(found)
