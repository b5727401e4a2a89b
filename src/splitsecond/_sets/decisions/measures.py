"""The sections of a record that are about numbers: leaves, criteria, and disputed rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._sets.decisions import number_measures
from splitsecond._sets.decisions.choice import LEVEL, Choice
from splitsecond._sets.decisions.document import Block, Grid, Heading, Paragraph, Span
from splitsecond._sets.evaluation_results import CriterionRange
from splitsecond._sets.voting import prediction_variance
from splitsecond._support.messages import counted_trees
from splitsecond._trees.intervals import METHODS
from splitsecond._trees.pictures.nodes import percent
from splitsecond._trees.sizes import NodeTexts, interval, probability, weighted_share

BEYOND = (
    "inf: more than a float can hold (1.8e308). The trees do not depend on the unit of y; with y "
    "in a larger unit, the value is a number."
)


def leaves(choice: Choice) -> list[Block]:
    """List the leaves as rules, with rows and shares, or means."""
    if choice.tree.loss.is_of_numbers:
        return number_measures.leaves(choice)
    tree = choice.tree
    header = ["if", "predicts", "training rows", "share in training"]
    with_classes = choice.held_out is not None and choice.held_out.counts is not None
    if choice.held_out is not None:
        header += ["given rows", "share in given rows"] if with_classes else ["given rows"]
    rows = []
    for rule in tree.rules():
        node = rule["leaf"]
        row = [" and ".join(rule["if"]) or "always", str(rule["then"])]
        if tree.row_counts is None:
            share = f"weighted {percent(weighted_share(tree, node, _said(choice).subject(node)))}"
            row += [f"{tree.n_rows[node]:,}", share]
        else:
            row += [_counts(choice, tree.row_counts[node]), _share(choice, node, tree.row_counts)]
        if choice.held_out is not None and choice.held_out.counts is not None:
            counts = choice.held_out.counts
            row += [_counts(choice, counts[node]), _share(choice, node, counts)]
        elif choice.held_out is not None:
            row.append(f"{choice.held_out.n_rows[node]:,}")
        rows.append(row)
    note = f"In brackets: {LEVEL:.0%} intervals ({METHODS[choice.said.method]})."
    known = tree.row_counts is not None or with_classes
    return [
        Heading("Its leaves as rules"),
        Grid(header, rows),
        *([Paragraph(note)] if known else []),
    ]


def _said(choice: Choice) -> NodeTexts:
    assert isinstance(choice.said, NodeTexts)
    return choice.said


def _counts(choice: Choice, counts: NDArray[np.int64]) -> str:
    """Write how many rows there are, and of which classes."""
    parts = [
        f"{label} {n:,}" for label, n in zip(choice.tree.classes, counts.tolist(), strict=True) if n
    ]
    whole = f"{int(counts.sum()):,}"
    return whole if len(parts) < 2 else f"{whole} ({', '.join(parts)})"


def _share(choice: Choice, node: int, counts: NDArray[np.int64]) -> str:
    """Write the share of the class that a leaf is about, with its interval."""
    said, own = _said(choice), counts[node]
    if own.sum() == 0:
        return "-"
    of = said.subject(node)
    written = percent if said.is_decision else probability
    limits = said.limits_of_counts(own)
    text = (
        f"{written(own[of] / own.sum())}{interval(None if limits is None else limits[of], written)}"
    )
    return f"{choice.tree.classes[of]} {text}"


def criteria(choice: Choice) -> list[Block]:
    """List the range of each criterion over the set, and the value of the chosen tree."""
    evaluation = choice.evaluation
    if evaluation is None:
        return []
    frame, n_trees = evaluation.to_frame(choice.tree), choice.trees.n_trees
    rows, spans = [], []
    for name in evaluation.criteria:
        found, value = evaluation.range(name), float(frame[name].iloc[0])
        numbers = (found.minimum, found.mean, found.maximum, found.tree_0, value)
        rows.append([name, *map(found.shown, numbers), _place(found, value), _kind(found, n_trees)])
        spans.append(_span(found, value))
    is_beyond = any(math.isinf(evaluation.range(name).maximum) for name in evaluation.criteria)
    header = ["criterion", "minimum", "mean", "maximum", "tree 0", "chosen", "place", "known"]
    return [
        Heading("The chosen tree among all others, on the given rows"),
        Paragraph(f"Each criterion on {evaluation.n_rows:,} rows, over {counted_trees(n_trees)}."),
        Paragraph(
            "Place: how far the chosen tree is from the minimum to the maximum; less is not always "
            "better. Tree 0 has the minimum objective. A value on rows that took part in the "
            "choice is too good: report the one on rows that did not."
        ),
        *([Paragraph(BEYOND)] if is_beyond else []),
        Grid(header, rows, frozenset(range(1, 7)), spans),
    ]


def _place(found: CriterionRange, value: float) -> str:
    if not all(map(math.isfinite, (value, found.minimum, found.maximum))):
        return "-"
    if found.minimum == found.maximum:
        return "all alike"
    return percent(_part(found, value))


def _part(found: CriterionRange, value: float) -> float:
    part = (value - found.minimum) / (found.maximum - found.minimum)
    return min(max(part, 0.0), 1.0)  # of trees looked at, it may be beyond them


def _span(found: CriterionRange, value: float) -> Span | None:
    numbers = (value, found.minimum, found.maximum, found.tree_0)
    if not all(map(math.isfinite, numbers)) or found.minimum == found.maximum:
        return None
    return Span(_part(found, value), _part(found, found.tree_0))


def _kind(found: CriterionRange, n_trees: int) -> str:
    """Say how far a range can be trusted."""
    if found.kind == "undefined":
        return "no rows"
    if found.kind == "found" and found.n_looked_at < n_trees:
        return f"of the best {found.n_looked_at:,} trees"
    return "bounds that no tree is beyond" if found.kind == "bounds" else "exact"


def disputed(choice: Choice) -> list[Block]:
    """Say on how many rows the trees disagree, and list the most disputed ones by their number."""
    if choice.X is None or choice.trees.n_trees < 2:
        return []
    if choice.tree.loss.is_of_numbers:
        return number_measures.disputed(choice)
    votes, tree = choice.votes, choice.tree
    predicted = tree.prediction[tree.apply(choice.X)]
    agree = votes[np.arange(len(votes)), predicted]
    n_rows, n_disputed = len(votes), int(((votes > 0).sum(axis=1) > 1).sum())
    minority = int((agree < 0.5).sum())
    text = (
        f"The trees of the set disagree on {n_disputed:,} of {n_rows:,} rows "
        f"({percent(n_disputed / n_rows)}). On {minority:,} rows, less than half of them predict "
        "what the chosen tree does."
    )
    blocks: list[Block] = [Heading("Disputed rows"), Paragraph(text)]
    order = np.argsort(-prediction_variance(votes), kind="stable")
    places = order[: min(choice.max_disputed, n_disputed)].tolist()
    if not places:
        return blocks
    rows = [
        [f"{row}", str(tree.labels[predicted[row]]), percent(agree[row]), _votes(tree, votes[row])]
        for row in places
    ]
    rows = [[*row, *more] for row, more in zip(rows, choice.shown_columns(places), strict=True)]
    header = ["row", "chosen tree says", "trees that agree", "votes", *choice.columns]
    listed = Paragraph("Those they disagree on most, by the number of the row, counted from 0:")
    return [*blocks, listed, Grid(header, rows, frozenset([0, 2]))]


def _votes(tree: Any, shares: NDArray[np.float64]) -> str:
    order = np.argsort(-shares, kind="stable")
    return ", ".join(f"{tree.labels[i]} {percent(shares[i])}" for i in order if shares[i] > 0)
