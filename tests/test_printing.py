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
    OptimalTreeClassifier,
    SPLITClassifier,
)

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


def test_labels_that_are_numbers() -> None:
    fitted = OptimalTreeClassifier(max_depth=2, regularization=0.002).fit(FRAME, CODES * 10 + 7)
    body = "\n".join(str(fitted).splitlines()[2:])
    assert re.search(r"\b7\b", body)
    assert re.search(r"\b17\b", body)


@every_classifier
def test_unfitted_models_print_as_scikit_learn_does(classifier: Any) -> None:
    assert str(classifier(max_depth=2)) == f"{classifier.__name__}(max_depth=2)"


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
