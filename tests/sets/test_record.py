"""What the record of a choice says, and that it can be made again."""

from __future__ import annotations

import datetime
import hashlib
import pickle
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from splitsecond import RESPLIT, LimitWarning, Tree, TreeFARMS, TreeSet, fingerprint, load, save
from splitsecond._sets.decisions.document import Grid, Heading, Pairs, Paragraph

DATE = "2026-01-31"


def table(n_rows: int = 600, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n_rows),
            "debts": rng.poisson(1.5, n_rows),
            "sex": rng.choice(["F", "M"], n_rows),
            "owner": rng.integers(0, 2, n_rows),
        }
    )
    risk = X["debts"] - 1.5 - (X["age"] - 40) / 15 + rng.logistic(size=n_rows)
    return X, np.where(risk > 0, "bad", "good")


def fit(estimator: Any = TreeFARMS, **parameters: Any) -> TreeSet:
    weights = parameters.pop("sample_weight", None)
    options = {"regularization": 0.01, "epsilon": 0.02, "max_depth": 3, **parameters}
    found: TreeSet = estimator(**options).fit(*table(), sample_weight=weights).trees_
    return found


@pytest.fixture(scope="module")
def trees() -> TreeSet:
    return fit()


def blocks(record: Any, kind: type) -> list[Any]:
    return [block for block in record._document.blocks if isinstance(block, kind)]


def grid(record: Any, first: str) -> list[dict[str, str]]:
    """Return the rows of the table whose first column has this name."""
    found = next(each for each in blocks(record, Grid) if each.header[0] == first)
    return [dict(zip(found.header, row, strict=True)) for row in found.rows]


def pairs(record: Any) -> dict[str, str]:
    return {name: value for block in blocks(record, Pairs) for name, value in block.rows}


def test_who_chose_what_and_why(trees: TreeSet) -> None:
    record = trees.record(
        3,
        chosen_by="the model board",
        reason="Because.\nIt is short.",
        data_name="loans",
        date=datetime.date(2026, 1, 31),
    )
    assert record.title == "Decision record: loans"
    assert (record.number, record.n_trees, record.date) == (3, trees.n_trees, DATE)
    assert record.tree is not None
    assert repr(record) == f"<DecisionRecord: tree 3 of {trees.n_trees:,} trees, {DATE}>"
    for text in (str(record), record.to_html()):
        for said in ("the model board", "Because.", "It is short.", "loans", DATE):
            assert said in text
    assert str(record) == record.to_markdown()
    assert trees.record(trees[3]).number == 3
    assert trees.record(-1).number == trees.n_trees - 1
    assert trees.record(0).date == datetime.date.today().isoformat()
    assert trees.record(0, title="A title", data_name="x").title == "A title"
    assert str(trees.record(0)).count("not stated") == 3


def test_what_was_searched_and_proved(trees: TreeSet) -> None:
    record = trees.record(0, date=DATE)
    said = pairs(record)
    assert said["Estimator"] == "TreeFARMS"
    assert said["Lambda"] == "0.01"
    assert said["Maximum depth"] == "3"
    assert said["Epsilon"] == "0.02 (additive)"
    assert said["Minimum objective"] == f"{trees.min_objective:.6f}, proved"
    assert said["Bound of the set"] == f"{trees.bound:.6f}"
    n_questions = len(trees._reader.literals)
    assert said["Questions considered"] == f"{n_questions}, about 4 of 4 columns"
    y = table()[1]
    counts = f"bad: {(y == 'bad').sum()}, good: {(y == 'good').sum()}"
    assert said["Training rows"] == f"600 rows ({counts})"
    assert "time_limit=None" in said["Other parameters"]
    assert "This is proved." in str(record)


def test_what_is_not_proved_is_not_said() -> None:
    rows = fit(min_samples_leaf=20).record(0)
    assert "Leaves have at least 20 training rows" in str(rows)
    record = fit(RESPLIT, lookahead_depth=1).record(0)
    assert "other trees may have such an objective" in str(record)
    assert "not proved" in pairs(record)["Minimum objective"]
    assert "This is proved" not in str(record)
    with pytest.warns(LimitWarning):
        partial = fit(max_depth=5, regularization=0.0001, memory_limit=200_000)
    with pytest.warns(LimitWarning, match="The set is partial"):
        record = partial.record(0, *table(50))
    assert "The set is partial" in str(record)
    assert "This is proved" not in str(record)
    assert pairs(record)["Search"] == partial.status


def test_filters_are_listed(trees: TreeSet) -> None:
    small = trees.filter(max_leaves=5).filter(avoids="sex")
    steps = [(row["step"], row["trees left"]) for row in grid(small.record(0), "step")]
    assert steps == [(step, f"{n_trees:,}") for step, n_trees in small.history]
    assert len(steps) == 3
    texts = [block.text for block in blocks(small.record(2), Paragraph)]
    assert "2 trees come before the chosen tree in the order of objectives." in texts
    # After a smaller epsilon, the search is still that of the fit.
    near = trees.within(0.01).record(0)
    assert pairs(near)["Bound of the set"] == f"{trees.bound:.6f}"


def test_the_tree_and_its_rules(trees: TreeSet) -> None:
    tree = trees[4]
    record = trees.record(tree, date=DATE)
    said = pairs(record)
    assert said["Leaves"] == str(tree.n_leaves)
    assert said["Training error"] == f"{tree.training_loss:.6f}"
    above = tree.objective - trees.min_objective
    assert said["Objective"] in (
        f"{tree.objective:.6f}, {above:.6f} above the minimum",
        "error in training + lambda x leaves",
    )
    assert tree.to_text(level=0.95) in str(record)
    rules = tree.rules(level=0.95)
    rows = grid(record, "if")
    assert [row["if"] for row in rows] == [" and ".join(rule["if"]) for rule in rules]
    for row, rule in zip(rows, rules, strict=True):
        low, high = rule["intervals"][rule["then"]]
        share = f"{rule['then']} {rule['shares'][rule['then']]:.0%} [{low:.0%}, {high:.0%}]"
        assert row["share in training"].replace(">99%", "100%") == share
        assert row["training rows"].startswith(f"{rule['rows']:,} (bad ")
    assert record.to_html().count("<svg") == 1


def test_given_rows_are_counted_in_leaves(trees: TreeSet) -> None:
    X, y = table(300, seed=1)
    tree = trees[0]
    rows = grid(trees.record(0, X, y), "if")
    leaves = tree.apply(X)
    for row, rule in zip(rows, tree.rules(), strict=True):
        here = y[leaves == rule["leaf"]]
        assert row["given rows"].split(" ")[0] == f"{len(here)}"
        assert f"bad {(here == 'bad').sum()}" in row["given rows"] or len(set(here)) < 2
    alone = grid(trees.record(0, X), "if")
    assert [row["given rows"] for row in alone] == [
        f"{(leaves == rule['leaf']).sum()}" for rule in tree.rules()
    ]


def test_criteria_are_those_of_the_evaluation(trees: TreeSet) -> None:
    X, y = table(300, seed=1)
    record = trees.record(5, X, y, groups="sex", positive="bad")
    evaluation = trees.evaluate(X, y, groups="sex", positive="bad")
    rows = {row["criterion"]: row for row in grid(record, "criterion")}
    assert list(rows) == list(evaluation.criteria)
    values = evaluation.to_frame(trees[5]).iloc[0]
    for name, row in rows.items():
        found = evaluation.range(name)
        assert row["minimum"] == f"{found.minimum:.4f}"
        assert row["maximum"] == f"{found.maximum:.4f}"
        assert row["chosen"] == f"{values[name]:.4f}"
        assert row["known"] == "exact"  # also of those that were looked at, which are all
    shares = [row["place"] for row in rows.values()]
    assert all(re.fullmatch(r"[<>]?\d+%|all alike", share) for share in shares)
    assert rows["error"]["place"] == rows["accuracy"]["place"] or "%" in rows["error"]["place"]
    assert not [each for each in blocks(trees.record(5, X), Grid) if each.header[0] == "criterion"]


def test_what_is_not_exact_is_said(trees: TreeSet) -> None:
    X, y = table(300, seed=1)
    rows = {row["criterion"]: row for row in grid(trees.record(0, X, y, max_trees=3), "criterion")}
    assert rows["f1"]["known"] == "of the best 3 trees"
    assert rows["error"]["known"] == "exact"
    one_class = trees.record(0, X[y == "good"], y[y == "good"], positive="bad")
    rows = {row["criterion"]: row for row in grid(one_class, "criterion")}
    assert rows["true_positive_rate"]["known"] == "no rows"
    assert rows["true_positive_rate"]["chosen"] == rows["true_positive_rate"]["place"] == "-"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the record says it
        limited = trees.record(0, X, y, time_limit=1e-9)
    kinds = {row["criterion"]: row["known"] for row in grid(limited, "criterion")}
    assert kinds["error"] == "bounds that no tree is beyond"


def test_disputed_rows(trees: TreeSet) -> None:
    X, y = table(300, seed=1)
    record = trees.record(2, X, y, max_disputed=4)
    votes = trees.vote(X)
    n_disputed = int((votes.max(axis=1) < 1).sum())
    assert n_disputed > 4
    assert f"disagree on {n_disputed:,} of 300 rows" in str(record)
    rows = grid(record, "row")
    assert [int(row["row"]) for row in rows] == trees.disputed(X)[:4].tolist()
    predicted = trees[2].predict(X)
    assert [row["chosen tree says"] for row in rows] == [predicted[int(row["row"])] for row in rows]
    assert list(rows[0]) == ["row", "chosen tree says", "trees that agree", "votes"]
    shown = grid(trees.record(2, X, max_disputed=4, columns=["age", "sex"]), "row")
    assert [row["age"] for row in shown] == [str(X["age"][int(row["row"])]) for row in shown]
    headings = [block.text for block in blocks(trees.record(2, X, max_disputed=0), Heading)]
    assert "Disputed rows" in headings


def test_no_value_of_a_row_is_told_unless_asked_for() -> None:
    X, y = table()
    X["name"] = [f"person {i}" for i in range(len(X))]
    trees = TreeFARMS(epsilon=0.02, max_depth=2).fit(X.drop(columns="name"), y).trees_
    assert "person" not in trees.record(0, X, y).to_html()
    assert "person" in trees.record(0, X, y, columns="name").to_html()


def test_data_and_versions(trees: TreeSet, tmp_path: Path) -> None:
    X, y = table(300, seed=1)
    training = table()
    record = trees.record(0, X, y, X_train=training[0], y_train=training[1])
    said = pairs(record)
    assert said["Rows (X)"] == f"SHA-256 {fingerprint(X)}"
    assert said["Their classes (y_train)"] == f"SHA-256 {fingerprint(training[1])}"
    assert said["numpy"] == np.__version__
    assert "The training rows give the numbers of rows" in str(record)
    assert "Their groups" not in pairs(trees.record(0, X, y, groups="sex"))
    assert "Their groups" not in pairs(trees.record(0, X, y, groups=["sex", "owner"]))
    sex = {"sex": X["sex"].tolist()}
    given = pairs(trees.record(0, X, y, groups=sex, sample_weight=np.ones(300)))
    assert given["Their groups"] == f"SHA-256 {fingerprint(X[['sex']])}"
    assert given["Their weights"] == f"SHA-256 {fingerprint(np.ones(300))}"
    values = pairs(trees.record(0, X, y, groups=X["sex"].tolist()))
    assert values["Their groups"] == f"SHA-256 {fingerprint(X['sex'].tolist())}"
    other = trees.record(0, X_train=X, y_train=y)
    assert "do not give the numbers of rows" in str(other)
    save(trees[0], tmp_path / "tree.json")
    of_file = hashlib.sha256((tmp_path / "tree.json").read_bytes()).hexdigest()
    assert said["File of the tree"] == f"SHA-256 {of_file}"


def test_it_is_made_again_letter_by_letter(trees: TreeSet, tmp_path: Path) -> None:
    X, y = table(300, seed=1)
    small = trees.filter(max_leaves=6)
    options: dict[str, Any] = {"groups": "sex", "reason": "It is.", "date": DATE}
    first = small.record(1, X, y, **options)
    save(small, tmp_path / "set.json")
    again = load(tmp_path / "set.json")
    X.to_csv(tmp_path / "rows.csv", index=False)
    rows = pd.read_csv(tmp_path / "rows.csv")
    for other in (
        again.record(1, rows, y, **options),
        again.record(small[1], X, y.tolist(), **options),
        pickle.loads(pickle.dumps(small)).record(1, X, y, **options),
    ):
        assert other.to_markdown() == first.to_markdown()
        assert other.to_html() == first.to_html()


COSTS = {"lend": {"bad": 5, "good": 0}, "refuse": {"bad": 0, "good": 1}}


@pytest.mark.parametrize(
    "parameters",
    [
        {"loss": "log_loss"},
        {"loss": "brier", "regularization": 0.02},
        {"costs": COSTS, "regularization": 0.05, "epsilon": 0.05},
        {"class_weight": {"bad": 2, "good": 1}},
        {"sample_weight": np.arange(600) % 3 + 0.5},
        {"max_depth": 0},
    ],
)
def test_sets_of_all_kinds(parameters: dict[str, Any]) -> None:
    X, y = table(300, seed=1)
    found = fit(**parameters)
    training = table()
    record = found.record(
        found.n_trees - 1, X, y, groups="sex", X_train=training[0], y_train=training[1], date=DATE
    )
    text = str(record)
    assert "The training rows give the numbers of rows" in text
    assert "nan" not in text
    assert record.to_html().startswith("<!doctype html>")


def test_weights_without_rows() -> None:
    """Old files of weighted sets do not tell how many rows of each class there are."""
    found = fit(class_weight={"bad": 2, "good": 1})
    tree = found[0]
    bare = Tree(**{**{name: getattr(tree, name) for name in FIELDS}, "row_counts": None})
    assert bare.row_counts is None
    from splitsecond._sets.decisions.choice import Choice, Words
    from splitsecond._sets.decisions.record import DecisionRecord

    texts = dict.fromkeys(("chosen_by", "reason", "title", "data_name"))
    words = Words.of(DATE, **texts)
    nothing: dict[str, Any] = dict.fromkeys(
        ("X", "y", "groups", "sample_weight", "evaluation", "X_train", "y_train")
    )
    choice = Choice(found, 0, bare, words, **nothing, max_disputed=0, columns=())
    record = DecisionRecord(choice)
    assert "weighted" in grid(record, "if")[0]["share in training"]
    assert "interval" not in str(record)


FIELDS = (
    *("feature", "left", "right", "counts", "n_rows", "classes", "literals", "variables"),
    *("n_columns", "objective", "with_missing", "loss"),
)


def test_arrays_and_other_libraries(trees: TreeSet) -> None:
    X, y = table(300, seed=1)
    polars = pytest.importorskip("polars")
    expected = trees.record(0, X, y, groups="sex", date=DATE)
    other = trees.record(
        0, polars.from_pandas(X), polars.Series(y).to_list(), groups="sex", date=DATE
    )
    assert other.to_html() == expected.to_html()
    Z = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    found = TreeFARMS(regularization=0.05, epsilon=0.1).fit(Z, Z[:, 0] | Z[:, 1]).trees_
    assert "SHA-256" in str(found.record(0, Z, Z[:, 0]))


def test_what_is_refused(trees: TreeSet) -> None:
    X, y = table(50)
    with pytest.raises(ValueError, match="the set is empty"):
        trees.filter(max_leaves=0).record(0)
    with pytest.raises(IndexError, match="There is no tree"):
        trees.record(trees.n_trees)
    with pytest.raises(TypeError, match="numbered by integers"):
        trees.record("best")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be one tree"):
        trees.record(slice(2))  # type: ignore[arg-type]
    stranger = TreeFARMS(regularization=0.2).fit(X, y).trees_[0]
    with pytest.raises(ValueError, match="is not in"):
        trees.filter(uses="age").record(stranger)
    with pytest.raises(ValueError, match="y was given without X"):
        trees.record(0, y=y)
    with pytest.raises(ValueError, match="groups needs X and y"):
        trees.record(0, X, groups="sex")
    with pytest.raises(ValueError, match="X_train and y_train belong together"):
        trees.record(0, X_train=X)
    with pytest.raises(TypeError, match="reason=3 must be text"):
        trees.record(0, reason=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="date=3 must be a date"):
        trees.record(0, date=3)
    with pytest.raises(ValueError, match="columns='other' is not a column"):
        trees.record(0, X, columns="other")
    with pytest.raises(ValueError, match="which is no data frame"):
        trees.record(0, columns="age")
    with pytest.raises(ValueError, match="max_disputed=-1"):
        trees.record(0, X, max_disputed=-1)
    with pytest.raises(ValueError, match="must end with"):
        trees.record(0).save("record.pdf")
