"""Criteria of single trees in plain Python, row by row, and what they are over a list of trees.

Nothing of the package is imported here. A tree is asked for its arrays alone: its questions, what
its leaves predict and the training weights in them. Where a criterion is a ratio of weights it is a
Fraction; Brier score, log-loss and AUC are floats. None: there are no rows that it is about.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Value = Fraction | float | None


@dataclass(frozen=True)
class Case:
    """Rows to evaluate on, and what is asked about them."""

    answers: Sequence[Sequence[int]]  # 0/1, by row and question
    codes: Sequence[int]  # the class of each row
    weights: Sequence[Fraction]
    groups: Sequence[str]
    labels: Sequence[Any]  # what predictions stand for
    classes: Sequence[Any]
    positive: int | None  # a class
    costs: Sequence[Sequence[Fraction]] | None  # by label and class


@dataclass(frozen=True)
class Row:
    """A row as a tree sees it."""

    code: int
    weight: Fraction
    group: str
    label: Any
    label_place: int
    shares: Sequence[float]  # of the classes in its leaf
    own_share: float  # of its class, which counts as half a row where there is none


def rows_of(tree: Any, case: Case) -> list[Row]:
    """Follow every row down a tree."""
    row_weight = float(tree.counts[0].sum()) / int(tree.n_rows[0])
    found = []
    for answers, code, weight, group in zip(
        case.answers, case.codes, case.weights, case.groups, strict=True
    ):
        node = 0
        while tree.feature[node] >= 0:
            node = int(tree.left[node] if answers[tree.feature[node]] else tree.right[node])
        counts = [float(count) for count in tree.counts[node]]
        whole = sum(counts)
        own = counts[code] / whole
        if counts[code] == 0:
            own = (row_weight / 2) / (whole + row_weight / 2)
        place = int(tree.prediction[node])
        shares = [count / whole for count in counts]
        found.append(Row(code, weight, group, case.labels[place], place, shares, own))
    return found


def mean(rows: list[Row], value: Callable[[Row], Any]) -> Value:
    whole = sum((row.weight for row in rows), Fraction(0))
    if whole == 0:
        return None
    values = [row.weight * value(row) for row in rows]
    if any(isinstance(each, float) for each in values):
        return math.fsum(map(float, values)) / float(whole)
    return sum(values, Fraction(0)) / whole


def metric(name: str, rows: list[Row], case: Case) -> Value:
    """A criterion that is no difference, of some rows."""
    positive = None if case.positive is None else case.classes[case.positive]

    def is_right(row: Row) -> int:
        return int(row.label == case.classes[row.code])

    def is_selected(row: Row) -> int:
        return int(row.label == positive)

    def brier(row: Row) -> float:
        off = [share - (place == row.code) for place, share in enumerate(row.shares)]
        return math.fsum(each * each for each in off) / (2 if len(off) == 2 else 1)

    wanted = [row for row in rows if row.code == case.positive]
    others = [row for row in rows if row.code != case.positive]
    if name == "balanced_accuracy":
        recalls = [
            mean([row for row in rows if row.code == code], is_right)
            for code in range(len(case.classes))
        ]
        known = [recall for recall in recalls if recall is not None]
        return sum(known, Fraction(0)) / len(known) if known else None
    if name == "roc_auc":
        return auc(wanted, others, case.positive)
    if name == "f1":
        true = sum(row.weight * is_selected(row) for row in wanted)
        wrong = sum(row.weight * (1 - is_selected(row)) for row in wanted)
        wrong += sum(row.weight * is_selected(row) for row in others)
        return 2 * true / (2 * true + wrong) if 2 * true + wrong else None
    costs = case.costs
    means: dict[str, tuple[list[Row], Callable[[Row], Any]]] = {
        "error": (rows, lambda row: 1 - is_right(row)),
        "accuracy": (rows, is_right),
        "cost": (rows, lambda row: costs[row.label_place][row.code] if costs else 0),
        "brier_score": (rows, brier),
        "log_loss": (rows, lambda row: -math.log(row.own_share)),
        "selection_rate": (rows, is_selected),
        "true_positive_rate": (wanted, is_selected),
        "false_positive_rate": (others, is_selected),
        "true_negative_rate": (others, lambda row: 1 - is_selected(row)),
        "false_negative_rate": (wanted, lambda row: 1 - is_selected(row)),
    }
    return mean(*means[name])


def auc(wanted: list[Row], others: list[Row], positive: int | None) -> Value:
    """Compare all pairs."""
    assert positive is not None
    pairs = sum((row.weight for row in wanted), Fraction(0)) * sum(row.weight for row in others)
    if not pairs:
        return None
    won = Fraction(0)
    for a, b in itertools.product(wanted, others):
        more = a.shares[positive] - b.shares[positive]
        if abs(more) < 1e-12:
            won += a.weight * b.weight / 2
        elif more > 0:
            won += a.weight * b.weight
    return won / pairs


def value_of(name: str, rows: list[Row], case: Case) -> Value:
    """Any criterion, by its name: as the package names them."""
    base, _, within = name.rstrip("]").partition("[")
    gaps = {
        "demographic_parity_difference": ("selection_rate",),
        "equal_opportunity_difference": ("true_positive_rate",),
        "equalized_odds_difference": ("true_positive_rate", "false_positive_rate"),
    }
    if base in gaps:
        spreads = []
        for rate in gaps[base]:
            by_group = [
                metric(rate, [row for row in rows if row.group == group], case)
                for group in sorted(set(case.groups))
            ]
            known = [each for each in by_group if each is not None]
            if not known:
                return None
            spreads.append(max(known) - min(known))
        return max(spreads)
    if not within:
        return metric(base, rows, case)
    _, _, text = within.partition("=")
    first, _, second = text.partition(" - ")
    a = metric(base, [row for row in rows if row.group == first], case)
    if not second:
        return a
    rest = [row for row in rows if row.group != first]
    some = [row for row in rows if row.group == second]
    b = metric(base, rest if second == "rest" else some, case)
    return None if a is None or b is None else a - b


def frontier(
    objectives: Sequence[float], values: Sequence[float], *, maximum: bool = False
) -> list[tuple[float, float]]:
    """The best value for each objective that is worth it, of all trees in order."""
    found: list[tuple[float, float]] = []
    for objective, group in itertools.groupby(
        sorted(zip(objectives, values, strict=True)), key=lambda pair: pair[0]
    ):
        own = [value for _, value in group]
        best = max(own) if maximum else min(own)
        if not found or (best > found[-1][1] if maximum else best < found[-1][1]):
            found.append((objective, best))
    return found
