"""What `print(model)` shows: size, quality, why it stopped, then the tree in the user's words."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from strategies import threshold_table

from splitsecond import (
    DataWarning,
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    LimitWarning,
    OptimalTreeClassifier,
    SPLITClassifier,
    load,
    save,
)
from splitsecond._tables.columns import Kind, Variable
from splitsecond._tables.literals import Literal
from splitsecond._trees.pictures.nodes import percent as rounded
from splitsecond._trees.rules import Answer, conditions_of

NAMES = ["priors <= 2.5", "age <= 22.5", "is_tenant", "was_late", "pays_cash", "sex = female"]
CLASSIFIERS: tuple[Any, ...] = (
    GreedyTreeClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
    LicketySPLITClassifier,
)
every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)

# More than a thousand rows, so that the separator of thousands shows.
TABLE, CODES = threshold_table(40, 1500, len(NAMES))
FRAME = pd.DataFrame(TABLE, columns=NAMES)
LABELS = np.array(["stays", "reoffends"])[CODES]


def model(classifier: Any, **parameters: Any) -> Any:
    return classifier(**{"max_depth": 3, "regularization": 0.002, **parameters}).fit(FRAME, LABELS)


def number_after(words: str, text: str) -> float:
    found = re.search(rf"{words}\s+([\d.]+)", text)
    assert found, text
    return float(found.group(1))


@every_classifier
def test_first_line_is_name_and_size(classifier: Any) -> None:
    fitted = model(classifier)
    first = str(fitted).splitlines()[0]
    size = f"{fitted.get_n_leaves()} leaves, depth {fitted.get_depth()}, 1,500 rows"
    assert first == f"{classifier.__name__}: {size}"


@every_classifier
def test_quality_status_and_time_come_before_the_tree(classifier: Any) -> None:
    fitted = model(classifier)
    head = str(fitted).split(NAMES[fitted.tree_.feature[0]])[0]
    assert number_after("training accuracy", head) == pytest.approx(
        fitted.score(FRAME, LABELS), abs=6e-4
    )
    assert number_after("objective", head) == pytest.approx(fitted.objective_, abs=6e-5)
    assert fitted.status_ in head
    # How long it took, with a unit.
    assert re.search(r"\d\s?(µs|us|ms|s|min)\b", head)


@every_classifier
def test_the_tree_is_in_the_users_words(classifier: Any) -> None:
    fitted = model(classifier)
    body = "\n".join(str(fitted).splitlines()[2:])
    used = {NAMES[feature] for feature in fitted.tree_.feature if feature >= 0}
    assert all(name in body for name in used)
    assert not any(name in body for name in set(NAMES) - used)
    assert "stays" in body
    assert "reoffends" in body
    # Each of the splits has a branch for yes and one for no.
    splits = fitted.get_n_leaves() - 1
    assert len(re.findall(r"\byes\b", body)) == splits
    assert len(re.findall(r"\bno\b", body)) == splits


@every_classifier
def test_leaves_add_up(classifier: Any) -> None:
    """Each leaf shows right / all rows: together they are the table and its accuracy."""
    fitted = model(classifier)
    shares = re.findall(r"\(([\d,]+)\s?/\s?([\d,]+)\)", str(fitted))
    assert len(shares) == fitted.get_n_leaves()
    right = sum(int(part.replace(",", "")) for part, _ in shares)
    rows = sum(int(part.replace(",", "")) for _, part in shares)
    assert rows == 1500
    assert right / rows == pytest.approx(fitted.score(FRAME, LABELS))


@every_classifier
def test_percentages_are_those_of_the_leaves(classifier: Any) -> None:
    text = str(model(classifier))
    found = re.findall(r"([\d.]+)\s?%\s*\(([\d,]+)\s?/\s?([\d,]+)\)", text)
    assert found
    for percent, right, rows in found:
        share = int(right.replace(",", "")) / int(rows.replace(",", ""))
        assert float(percent) == pytest.approx(100 * share, abs=0.51)


@every_classifier
def test_a_lone_leaf(classifier: Any) -> None:
    text = str(model(classifier, regularization=2))
    assert text.splitlines()[0] == f"{classifier.__name__}: 1 leaf, depth 0, 1,500 rows"
    assert "yes" not in text


def test_columns_without_names_have_their_number() -> None:
    fitted = LicketySPLITClassifier(max_depth=2, regularization=0.002).fit(TABLE, LABELS)
    body = "\n".join(str(fitted).splitlines()[2:])
    for feature in fitted.tree_.feature:
        assert feature < 0 or re.search(rf"\D{feature}\b", body)


def test_only_what_is_proved_is_called_optimal() -> None:
    assert re.search(r"\boptimal\b", str(model(OptimalTreeClassifier)))
    fitted = model(GreedyTreeClassifier, regularization=0.0001)
    assert fitted.status_ != "optimal"
    assert not re.search(r"(?<!near-)\boptimal\b", str(fitted))


def test_a_closed_gap_reads_optimal() -> None:
    text = str(model(LicketySPLITClassifier, regularization=0.5))
    assert "proved optimal" in text


def test_labels_that_are_numbers() -> None:
    fitted = OptimalTreeClassifier(max_depth=2, regularization=0.002).fit(FRAME, CODES * 10 + 7)
    body = "\n".join(str(fitted).splitlines()[2:])
    assert re.search(r"\b7\b", body)
    assert re.search(r"\b17\b", body)


@every_classifier
def test_unfitted_models_print_as_scikit_learn_does(classifier: Any) -> None:
    assert str(classifier(max_depth=2)) == f"{classifier.__name__}(max_depth=2)"


@pytest.mark.slow
def test_a_deep_tree_can_be_printed() -> None:
    table = np.eye(2400, dtype=np.uint8)  # a split takes one row off
    model = GreedyTreeClassifier(regularization=0, max_depth=10**9).fit(table, np.arange(2400) % 2)
    assert model.depth_ > 1000
    assert len(model.tree_.rules()) == model.n_leaves_
    assert str(model).count("\n") >= 2 * model.n_leaves_
    assert model.tree_.to_dict()["n_leaves"] == model.n_leaves_


# The tree as an object


@every_classifier
def test_text_of_the_tree_is_part_of_the_print(classifier: Any) -> None:
    fitted = model(classifier)
    text = fitted.tree_.to_text()
    used = {NAMES[feature] for feature in fitted.tree_.feature if feature >= 0}
    assert all(name in text for name in used)
    assert text.strip() in str(fitted)


@every_classifier
def test_json_is_the_dictionary(classifier: Any) -> None:
    tree = model(classifier).tree_
    assert json.loads(tree.to_json()) == json.loads(json.dumps(tree.to_dict()))
    for name in {NAMES[feature] for feature in tree.feature if feature >= 0}:
        assert name in tree.to_json()


@every_classifier
def test_dot_is_a_graph_of_all_nodes(classifier: Any) -> None:
    fitted = model(classifier)
    dot = fitted.tree_.to_dot()
    assert re.match(r"\s*(strict\s+)?digraph\b", dot)
    assert dot.count("{") == dot.count("}")
    assert dot.count("->") == 2 * fitted.get_n_leaves() - 2


def test_dot_escapes_quotes() -> None:
    X = pd.DataFrame({'said "no"': TABLE[:, 0], "back\\slash": TABLE[:, 1]})
    with pytest.warns(DataWarning, match="tells the classes apart"):
        fitted = OptimalTreeClassifier(max_depth=1, regularization=0).fit(X, TABLE[:, 0])
    assert r"said \"no\"" in fitted.tree_.to_dot()


@every_classifier
def test_rules_are_one_for_each_leaf(classifier: Any) -> None:
    fitted = model(classifier)
    rules = fitted.tree_.rules()
    assert len(rules) == fitted.get_n_leaves()
    text = "\n".join(str(rule) for rule in rules)
    used = {NAMES[feature] for feature in fitted.tree_.feature if feature >= 0}
    assert all(name in text for name in used)


# Weights: rows are rows, and what is a share of the weight says so.


def weighted_tree() -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"age": rng.integers(18, 80, 200), "member": rng.random(200) < 0.5})
    y = np.where((X["age"] > 50) & X["member"] | (rng.random(200) < 0.1), "rare", "common")
    weights = rng.choice([0.0, 0.5, 2.0], 200)
    model = LicketySPLITClassifier(class_weight={"rare": 4}, regularization=0.02)
    return model.fit(X, y, sample_weight=weights), X[weights > 0], y[weights > 0], weights


def test_weighted_trees_print_rows_and_their_classes() -> None:
    model, X, y, _ = weighted_tree()
    tree = model.tree_
    leaves = tree.apply(X)
    assert tree.is_weighted
    assert tree.n_rows[0] == len(X)
    assert tree.row_counts[0].tolist() == [np.sum(y == label) for label in tree.classes]
    for rule in tree.rules():
        here = y[leaves == rule["leaf"]]
        assert rule["rows"] == len(here)
        assert rule["counts"] == {label: np.sum(here == label) for label in ("common", "rare")}
        inside, share = rule["counts"][rule["then"]], rule["shares"][rule["then"]]
        line = f"{inside / len(here):4.0%}  ({inside}/{len(here)}), weighted share {share:.0%}"
        assert line in tree.to_text()
        assert f"{inside / len(here):.0%} of {len(here)} rows\\nweighted share" in tree.to_dot()
        title = f"training: {rounded(inside / len(here))} of {len(here)} rows"
        assert title in tree.to_svg()
        assert f"weighted share {rounded(share)}" in tree.to_svg()
    assert f"{len(X)} rows" in str(model)
    root = tree.to_dict()["root"]
    assert root["rows"] == sum(root["row_counts"]) == len(X)


def test_saved_weighted_trees_print_the_same(tmp_path: Any) -> None:
    model, *_ = weighted_tree()
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert str(again) == str(model)
    assert again.tree_.to_svg() == model.tree_.to_svg()
    assert again.tree_.to_dict() == model.tree_.to_dict()
    file = json.loads((tmp_path / "model.json").read_text())
    del file["model"]["tree"]["row_counts"]  # as files were before
    (tmp_path / "model.json").write_text(json.dumps(file))
    old = load(tmp_path / "model.json").tree_
    for text in (old.to_text(), old.to_svg(), old.to_dot()):
        assert "rows" not in text
        assert "weight" in text
    assert old.rules()[0]["counts"] is None


@pytest.mark.parametrize("weight", [1, 0.1, 3, 7.5])
def test_equal_weights_are_no_weights(weight: float) -> None:
    X, y = np.repeat([[0], [1]], 15, axis=0), [0] * 12 + [1] * 18
    plain = LicketySPLITClassifier().fit(X, y).tree_
    equal = LicketySPLITClassifier().fit(X, y, sample_weight=np.full(30, weight)).tree_
    assert not equal.is_weighted
    assert equal.to_text() == plain.to_text()
    assert equal.to_svg() == plain.to_svg()


def test_weights_that_sum_to_the_rows_still_read_weighted() -> None:
    weights = np.tile([1.5, 0.5], 750)
    assert "weighted training accuracy" in str(
        GreedyTreeClassifier().fit(TABLE, CODES, sample_weight=weights)
    )


# Rules: what the answers on a path come to.


def literal(name: str, operator: str, value: Any = None) -> Literal:
    return Literal(VARIABLES_OF_RULES[name][0], name, operator, value)


VARIABLES_OF_RULES = {
    "age": (0, Variable("age", "age", Kind.NUMBER)),
    "job": (1, Variable("job", "job", Kind.CATEGORY, ("clerk", "cook", "nurse"))),
    "size": (2, Variable("size", "size", Kind.ORDERED, ("S", "M", "L", "XL"))),
    "member": (3, Variable("member", "member", Kind.BINARY)),
}
AGE = {t: literal("age", "<=", t) for t in (2.5, 10.0, 40.0)}
JOB = {job: literal("job", "==", job) for job in ("clerk", "cook", "nurse")}
SIZE = {size: literal("size", "<=", size) for size in ("S", "M", "L")}
NO_AGE, NO_JOB = literal("age", "is missing"), literal("job", "is missing")
MEMBER = literal("member", "is 1")
YES, NO = True, False


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([(AGE[40.0], YES), (AGE[2.5], NO)], ["2.5 < age <= 40"]),
        ([(AGE[2.5], NO), (JOB["cook"], YES), (AGE[10.0], NO)], ["age > 10*", 'job == "cook"']),
        ([(AGE[40.0], YES), (AGE[10.0], YES), (NO_AGE, NO)], ["age <= 10"]),
        ([(NO_AGE, NO), (AGE[10.0], NO)], ["age > 10"]),
        ([(AGE[10.0], NO), (AGE[40.0], NO), (NO_AGE, YES)], ["age is missing"]),
        ([(NO_AGE, NO)], ["age is not missing"]),
        ([(literal("age", "==", 5.0), YES), (AGE[10.0], YES), (AGE[2.5], NO)], ["age == 5"]),
        ([(literal("age", "==", 50.0), NO), (AGE[40.0], YES)], ["age <= 40"]),
        ([(literal("age", "==", 5.0), NO), (AGE[40.0], YES)], ["age != 5", "age <= 40"]),
        ([(JOB["clerk"], NO), (JOB["cook"], YES), (NO_JOB, NO)], ['job == "cook"']),
        ([(JOB["clerk"], NO), (JOB["cook"], NO)], ['job != "clerk"*', 'job != "cook"*']),
        ([(JOB["clerk"], NO), (NO_JOB, NO)], ['job != "clerk"']),
        ([(SIZE["L"], YES), (SIZE["S"], NO)], ['"S" < size <= "L"']),
        ([(SIZE["S"], NO), (SIZE["M"], NO)], ['size > "M"*']),
        ([(MEMBER, YES)], ["member"]),
        ([(MEMBER, NO), (AGE[2.5], YES), (AGE[10.0], YES)], ["not member*", "age <= 2.5"]),
        ([(AGE[10.0], NO), (AGE[2.5], YES)], ["10 < age <= 2.5"]),  # which no value is
        ([], []),
    ],
)
def test_rules_are_simplified(answers: list[tuple[Literal, bool]], said: list[str]) -> None:
    """A star is for missing values, which are mentioned where there may be some."""
    variables = dict(VARIABLES_OF_RULES.values())
    found = conditions_of([Answer(*each) for each in answers], variables)
    for mentioned in (True, False):
        end = " or missing" if mentioned else ""
        texts = [text for each in found for text in each.texts(mentioned)]
        assert texts == [text.replace("*", end) for text in said]


def test_simplified_rules_mean_what_the_path_means() -> None:
    """Values of every kind meet the parts of a rule just if they give all the answers."""
    rng = np.random.default_rng(11)
    cells: dict[str, list[Any]] = {
        "age": [np.nan, -1e300, 2.5, np.nextafter(2.5, 3), 5.0, 10.0, 10.5, 40.0, 41.0, np.inf],
        "job": [None, "clerk", "cook", "nurse", "astronaut"],
        "size": [None, "S", "M", "L", "XL", "XXL"],
        "member": [np.nan, 0.0, 1.0],
    }
    questions = [
        *(*AGE.values(), literal("age", "==", 5.0), NO_AGE, *JOB.values(), NO_JOB, MEMBER),
        *(*SIZE.values(), literal("size", "==", "M"), literal("size", "is missing")),
        literal("member", "is missing"),
    ]
    n_rules = 0
    for _ in range(3000):
        path = [
            Answer(questions[i], bool(rng.integers(2)))
            for i in rng.choice(len(questions), rng.integers(1, 7), replace=False)
        ]
        for name, (column, variable) in VARIABLES_OF_RULES.items():
            own = [each for each in path if each.literal.name == name]
            parts = [
                each.parts() for each in conditions_of(own, {column: variable}) if each.name == name
            ]
            codes = {None: -1, **{value: i for i, value in enumerate(variable.categories)}}
            for cell in cells[name]:
                value = np.array([codes.get(cell, -2) if variable.categories else cell])
                expected = all(q.answers(variable, value)[0] == is_yes for q, is_yes in own)
                assert all(meets_parts(part, cell, variable) for part in parts) == expected
                n_rules += expected
    assert n_rules > 1000


def meets_parts(part: dict[str, Any], cell: Any, variable: Variable) -> bool:
    if cell is None or cell != cell:
        return bool(part["missing"])
    if "never" in part or "only_missing" in part:
        return False

    def at_most(bound: Any) -> bool:
        if not variable.categories:
            return bool(cell <= bound)
        order = list(variable.categories)
        return cell in order and order.index(cell) <= order.index(bound)

    return (
        ("equals" not in part or cell == part["equals"])
        and cell not in part.get("not_equals", [])
        and ("at_most" not in part or at_most(part["at_most"]))
        and ("above" not in part or not at_most(part["above"]))
    )


# What is said of the bound and of the time


@pytest.mark.parametrize("classifier", [LicketySPLITClassifier, SPLITClassifier])
def test_a_bound_of_two_leaves_is_not_shown(classifier: Any) -> None:
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5), np.array([0, 0, 0, 1] * 5)
    fitted = classifier(regularization=0.01).fit(X, y)
    assert fitted.lower_bound_ == 0.02 < fitted.objective_
    assert "· near-optimal, not proved ·" in str(fitted)


def test_a_bound_that_says_more_is_shown() -> None:
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5), np.array([0, 0, 0, 1] * 5)
    y[-1] = 0  # a row that no tree tells from its equals
    fitted = SPLITClassifier(regularization=0.01).fit(X, y)
    assert 0.02 < fitted.lower_bound_ < fitted.objective_
    assert f"not proved (lower bound {fitted.lower_bound_:.4f}) ·" in str(fitted)


def test_a_limit_says_no_bound_of_two_leaves() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (200, 20)), rng.integers(0, 2, 200)
    with pytest.warns(LimitWarning, match=r"with a valid tree: objective 0\.\d{4}\. Try"):
        fitted = OptimalTreeClassifier(regularization=0.001, memory_limit=1).fit(X, y)
    assert fitted.lower_bound_ <= 0.002
    assert "lower bound" not in str(fitted)


@every_classifier
def test_the_time_of_the_search_is_told_apart(classifier: Any) -> None:
    fitted = model(classifier)
    times = fitted.statistics_
    assert 0 < times["search_seconds"] < times["seconds"]
    assert 0 < times["binarization_seconds"] <= times["seconds"] - times["search_seconds"]
    assert re.search(r" in [\d.]+ m?s \(search [\d.]+ m?s\)$", str(fitted).splitlines()[1])
