"""The sections of a record about leaves and disputed rows, of trees that predict numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splitsecond._sets.decisions.choice import LEVEL, Choice
from splitsecond._sets.decisions.document import Block, Grid, Heading, Paragraph
from splitsecond._trees.intervals import METHODS
from splitsecond._trees.number_texts import NumberTexts
from splitsecond._trees.pictures.nodes import percent


def _said(choice: Choice) -> NumberTexts:
    assert isinstance(choice.said, NumberTexts)
    return choice.said


def leaves(choice: Choice) -> list[Block]:
    """List the leaves as rules, with their means and rows, and the means of the given rows."""
    tree, said, held = choice.tree, _said(choice), choice.held_out
    header = ["if", "predicts", "interval", "training rows"]
    with_numbers = held is not None and held.sums is not None
    if held is not None:
        header += ["given rows", f"{said.word} of given rows"] if with_numbers else ["given rows"]
    rows = []
    for rule in tree.rules():
        node = rule["leaf"]
        value = float(tree.labels[node])
        limits = None if said.limits is None else said.limits[node]
        row = [
            " and ".join(rule["if"]) or "always",
            said.label(node),
            said.interval(value, limits) or "-",
            f"{tree.n_rows[node]:,}{said.weight(node)}",
        ]
        if held is not None:
            row.append(f"{held.n_rows[node]:,}")
        if with_numbers:
            row.append(_held_mean(choice, node))
        rows.append(row)
    note = f"Intervals are those of the {said.word}, {LEVEL:.0%} ({METHODS[said.method]})."
    return [
        Heading("Its leaves as rules"),
        Grid(header, rows),
        *([] if said.limits is None else [Paragraph(note)]),
    ]


def _held_mean(choice: Choice, node: int) -> str:
    """Write the mean of the given rows in a leaf, with its interval."""
    said, held = _said(choice), choice.held_out
    assert held is not None
    assert held.sums is not None
    assert held.loss is not None
    if held.n_rows[node] == 0:
        return "-"
    value = float(held.loss.value(held.sums)[node])
    limits = said.limits_of_sums(held.loss, held.sums, held.n_rows)
    interval = said.interval(value, None if limits is None else limits[node])
    return f"{said.value(value)} {interval}".rstrip()


def disputed(choice: Choice) -> list[Block]:
    """Say how far trees are apart, and list the rows on which they are most."""
    said, tree = _said(choice), choice.tree
    votes = choice.trees._number_votes(choice.X)
    predicted = tree.labels[tree.apply(choice.X)]
    n_rows, n_disputed = len(predicted), int((votes.minimum < votes.maximum).sum())
    deviation = votes.deviation
    text = (
        f"The trees of the set disagree on {n_disputed:,} of {n_rows:,} rows "
        f"({percent(n_disputed / n_rows)}). The standard deviation of what they predict for a row "
        f"is {said.value(_mean(deviation))} on average, and at most "
        f"{said.value(float(deviation.max()))}."
    )
    blocks: list[Block] = [Heading("Disputed rows"), Paragraph(text)]
    order = np.argsort(-votes.spread, kind="stable")
    places = order[: min(choice.max_disputed, n_disputed)].tolist()
    if not places:
        return blocks
    columns = (predicted, votes.mean, votes.minimum, votes.maximum, deviation)
    rows = [
        [f"{row}", *(said.value(float(column[row])) for column in columns), *more]
        for row, more in zip(places, choice.shown_columns(places), strict=True)
    ]
    header = ["row", "chosen tree says", "mean of all trees", "minimum", "maximum"]
    header += ["standard deviation", *choice.columns]
    listed = Paragraph("Those they disagree on most, by the number of the row, counted from 0:")
    return [*blocks, listed, Grid(header, rows, frozenset(range(6)))]


def _mean(deviations: NDArray[np.float64]) -> float:
    """Return their mean, also where their sum is beyond floats."""
    highest = float(deviations.max())
    return highest * float(np.mean(deviations / highest)) if highest > 0 else 0.0
