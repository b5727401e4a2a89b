"""Which criteria there are for a set and given rows, and what they are called.

``error`` is of all rows, ``error[sex=F]`` of those of a group, ``error[sex=F - M]`` the difference
of two groups and ``error[sex=F - rest]`` that of a group and all other rows. Absolute gaps between
groups, ``demographic_parity_difference[sex]``, are named as in fairlearn.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._sets.criteria import (
    ByLabel,
    ByShares,
    Criterion,
    Metric,
    RowPrices,
    difference,
    of_group,
    overall,
)
from splitsecond._sets.nonadditive import (
    Combined,
    NonAdditive,
    RocAuc,
    f1,
    larger_spread,
    spread,
)
from splitsecond._sets.row_groups import REST, Cells
from splitsecond._solving.losses import BRIER, LOG_LOSS, Costs
from splitsecond._support.messages import listed, offered, shown

# Gaps between groups as fairlearn has them, and the rates that they are made of.
GAPS = {
    "demographic_parity_difference": ("selection_rate",),
    "equal_opportunity_difference": ("true_positive_rate",),
    "equalized_odds_difference": ("true_positive_rate", "false_positive_rate"),
}


@dataclass(frozen=True)
class Subject:
    """What is evaluated: what trees predict, and the rows by cell and class."""

    labels: list[Any]  # what leaves predict: classes, or actions
    classes: list[Any]
    totals: NDArray[np.int64]  # [cells, classes] weights of the rows
    cells: Cells
    costs: Costs | None  # by label
    positive: Any  # a class or an action; None: none was given
    row_weight: float  # of a training row, on average, in the core's units

    @cached_property
    def label_class(self) -> NDArray[np.int64]:
        """The class that each label is; -1: it is none."""
        known = {label: place for place, label in enumerate(self.classes)}
        return np.array([known.get(label, -1) for label in self.labels], dtype=np.int64)

    @property
    def predicts_classes(self) -> bool:
        """Whether all labels are classes."""
        return bool((self.label_class >= 0).all())


class Catalogue:
    """The criteria by their names; each is made when it is first asked for."""

    def __init__(self, subject: Any, metrics: Iterable[Any]) -> None:
        self._subject = subject
        self._metrics = {metric.name: metric for metric in metrics}
        self._made: dict[str, Criterion | NonAdditive] = {}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The criteria that are listed; differences of any two groups exist beside them."""
        names = [*self._metrics, *self._ratios()]
        for attribute in self._subject.cells.attributes:
            pairs = _listed_pairs(attribute.groups)
            for metric in self._metrics:
                names += [f"{metric}[{attribute.name}={group}]" for group in attribute.groups]
                names += [f"{metric}[{attribute.name}={a} - {b}]" for a, b in pairs]
            if len(attribute.groups) > 1:
                names += [f"{gap}[{attribute.name}]" for gap in self._gaps()]
        return tuple(names)

    def get(self, name: Any) -> Criterion | NonAdditive:
        """Return a criterion by its name, or say which there are."""
        if not isinstance(name, str):
            raise ValueError(f"A criterion is a name, such as 'error', got {shown(name)}.")
        if name not in self._made:
            made = self._make(name)
            if made is None:
                names, hint = offered(name, self.names)
                raise ValueError(
                    f"There is no criterion {shown(name)} for these rows; criteria are {names}."
                    f"{hint}"
                )
            self._made[name] = made
        return self._made[name]

    def _make(self, name: str) -> Criterion | NonAdditive | None:
        if name in self._metrics:
            return self._average(name, self._metrics[name], None)
        if name in self._ratios():
            return self._ratio(name)
        if name in self._gaps() and len(self._subject.cells.attributes) == 1:
            return self._gap(name, 0)
        return self._by_attribute(name) if name.endswith("]") else None

    def _by_attribute(self, name: str) -> Criterion | NonAdditive | None:
        base, _, within = name[:-1].partition("[")
        for place, attribute in enumerate(self._subject.cells.attributes):
            if base in self._gaps() and within == attribute.name:
                return self._gap(base, place)
            if base in self._metrics and within.startswith(f"{attribute.name}="):
                found = self._of_groups(name, base, within, place)
                if found is not None:
                    return found
        return None

    def _of_groups(self, name: str, base: str, within: str, place: int) -> Criterion | None:
        """Return a metric of a group, or the difference of two."""
        metric, cells = self._metrics[base], self._subject.cells
        attribute = cells.attributes[place]
        marked = {group: cells.of_group(place, i) for i, group in enumerate(attribute.groups)}
        for group, inside in marked.items():
            if within == f"{attribute.name}={group}":
                return self._average(name, metric, inside)
        for a, b in itertools.permutations(attribute.groups, 2):
            if within == f"{attribute.name}={a} - {b}":
                return self._difference(name, metric, marked[a], marked[b])
        for group, inside in marked.items():
            if within == f"{attribute.name}={group} - {REST}" and len(marked) > 1:
                return self._difference(name, metric, inside, ~inside)
        return None

    def _average(self, name: str, metric: Any, cells: NDArray[np.bool_] | None) -> Criterion:
        """Return a metric of all rows, or of those of some cells."""
        raise NotImplementedError

    def _difference(
        self, name: str, metric: Any, a: NDArray[np.bool_], b: NDArray[np.bool_]
    ) -> Criterion:
        """Return a metric of the rows of some cells minus that of others."""
        raise NotImplementedError

    # ---- those that are not additive -------------------------------------------------------------

    def _ratios(self) -> tuple[str, ...]:
        return ()

    def _ratio(self, name: str) -> NonAdditive:
        raise NotImplementedError

    def _gaps(self) -> list[str]:
        return []

    def _gap(self, base: str, place: int) -> Combined:
        raise NotImplementedError


class ClassCatalogue(Catalogue):
    """The criteria of trees that predict classes, or actions."""

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject, _metrics(subject))

    def _average(self, name: str, metric: Metric, cells: NDArray[np.bool_] | None) -> Criterion:
        totals = self._subject.totals
        return overall(metric, totals) if cells is None else of_group(name, metric, totals, cells)

    def _difference(
        self, name: str, metric: Metric, a: NDArray[np.bool_], b: NDArray[np.bool_]
    ) -> Criterion:
        return difference(name, metric, self._subject.totals, a, b)

    def _ratios(self) -> tuple[str, ...]:
        return ("f1", "roc_auc") if "false_positive_rate" in self._metrics else ()

    def _ratio(self, name: str) -> NonAdditive:
        positive = _positive_class(self._subject)
        assert positive is not None
        if name == "roc_auc":
            return RocAuc(name, positive)
        said = self._subject.label_class == positive
        is_positive = np.arange(len(self._subject.classes)) == positive
        tables = {
            "true positives": np.outer(said, is_positive),
            "false positives": np.outer(said, ~is_positive),
            "false negatives": np.outer(~said, is_positive),
        }
        everything = (np.ones(len(is_positive), dtype=bool),)
        parts = [
            overall(Metric(part, _by_label(table), everything), self._subject.totals)
            for part, table in tables.items()
        ]
        return Combined(name, tuple(parts), f1, greater_is_better=True)

    def _gaps(self) -> list[str]:
        return [gap for gap, rates in GAPS.items() if set(rates) <= set(self._metrics)]

    def _gap(self, base: str, place: int) -> Combined:
        cells, totals = self._subject.cells, self._subject.totals
        attribute = cells.attributes[place]
        parts = tuple(
            of_group(rate, self._metrics[rate], totals, cells.of_group(place, group))
            for rate in GAPS[base]
            for group in range(len(attribute.groups))
        )
        combine = spread if len(GAPS[base]) == 1 else larger_spread
        return Combined(f"{base}[{attribute.name}]", parts, combine)


def _listed_pairs(groups: Sequence[str]) -> list[tuple[str, str]]:
    """Return which differences are listed: of two groups, or of each and the rest."""
    if len(groups) <= 2:
        return list(itertools.combinations(groups, 2))
    return [(group, REST) for group in groups]


# ---- metrics -------------------------------------------------------------------------------------


def _metrics(subject: Subject) -> Iterator[Metric]:
    n_classes = len(subject.classes)
    classes = np.arange(n_classes)
    all_rows = (np.ones(n_classes, dtype=bool),)
    if subject.predicts_classes:
        is_right = subject.label_class[:, None] == classes
        yield Metric("error", _by_label(~is_right), all_rows)
        yield Metric("accuracy", _by_label(is_right), all_rows, greater_is_better=True)
        each = tuple(np.eye(n_classes, dtype=bool))
        yield Metric("balanced_accuracy", _by_label(is_right), each, greater_is_better=True)
    if subject.costs is not None:
        yield Metric("cost", ByLabel(subject.costs.integers), all_rows, subject.costs.unit)
    # As in scikit-learn: of two classes, one is enough.
    half = Fraction(1, 2) if n_classes == 2 else Fraction(1)
    yield Metric("brier_score", ByShares(BRIER, subject.row_weight), all_rows, half)
    yield Metric("log_loss", ByShares(LOG_LOSS, subject.row_weight), all_rows)
    yield from _rates(subject, all_rows)


def _rates(subject: Subject, all_rows: tuple[NDArray[np.bool_], ...]) -> Iterator[Metric]:
    """Yield rates of the positive class, against all others, or of an action."""
    place = _positive_class(subject)
    if place is None and subject.positive is None:
        return
    n_classes = len(subject.classes)
    positive = subject.classes[place] if place is not None else subject.positive
    said = np.array([label == positive for label in subject.labels])
    anyone = np.ones(n_classes, dtype=bool)
    yield Metric("selection_rate", _by_label(np.outer(said, anyone)), all_rows)
    if place is None:
        return
    is_positive = np.arange(n_classes) == place
    for name, chosen, rows in (
        ("true_positive_rate", said, is_positive),
        ("false_positive_rate", said, ~is_positive),
        ("true_negative_rate", ~said, ~is_positive),
        ("false_negative_rate", ~said, is_positive),
    ):
        better = name.startswith("true")
        yield Metric(name, _by_label(np.outer(chosen, rows)), (rows,), greater_is_better=better)


def _positive_class(subject: Subject) -> int | None:
    """Return the number of the positive class, if there is one and leaves predict classes."""
    if not subject.predicts_classes:
        return None
    if subject.positive is None:
        return 1 if len(subject.classes) == 2 else None
    return subject.classes.index(subject.positive)


def check_positive(positive: Any, labels: list[Any], classes: list[Any]) -> Any:
    """Return the positive class or action as it is known, or say which there are."""
    if positive is None:
        return None
    if isinstance(positive, np.generic):
        positive = positive.item()
    known = classes if set(labels) <= set(classes) else labels
    if positive not in known:
        what = "class of the set" if known is classes else "action of the set"
        raise ValueError(
            f"positive={shown(positive)} is no {what}: give one of "
            f"{listed([shown(each) for each in known])}."
        )
    return known[known.index(positive)]


def _by_label(table: NDArray[np.bool_]) -> RowPrices:
    return ByLabel(table.astype(np.int64))
