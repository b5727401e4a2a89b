"""What filling the leaves of a lookahead prefix gains over completing it greedily."""

from __future__ import annotations

from typing import Any

import numpy as np
from drawing import COLOURS, legend, logarithmic, panels
from fitting import classifier, split
from jobs import Job, Settings
from lib import data
from lib.report import Table, column, columns
from pieces import Piece, Rows, Shown, data_sets, pick, values

from splitsecond import SPLITClassifier

SETS = tuple(data.PAPER_SETS)
DEPTH = 5
PENALTIES = tuple(float(f"{penalty:.5f}") for penalty in np.geomspace(1e-3, 1e-1, 17))
LOOKAHEADS = (1, 2)
# What is drawn: algorithm, lookahead, style, label.
LINES = (
    ("SPLIT", 1, "-", "SPLIT, lookahead 1"),
    ("SPLIT", 2, "--", "SPLIT, lookahead 2"),
    ("LicketySPLIT", 1, "-", "LicketySPLIT"),
)


def jobs(settings: Settings) -> list[Job]:
    return [Job("postprocessing", name) for name in settings.sets(SETS)]


def measure(job: Job, settings: Settings) -> list[dict[str, Any]]:
    of = split(job.data, job.variant, settings.threads)
    rows = []
    for penalty in PENALTIES[:: 2 if settings.quick else 1]:
        lickety = classifier("LicketySPLIT", penalty, DEPTH, settings).fit(of.X, of.y)
        for lookahead in LOOKAHEADS:
            fitted = [
                SPLITClassifier(
                    regularization=penalty,
                    max_depth=DEPTH,
                    lookahead_depth=lookahead,
                    exact_last_split=False,
                    postprocess=postprocess,
                    n_jobs=settings.threads,
                    time_limit=settings.time_limit,
                ).fit(of.X, of.y)
                for postprocess in (False, True)
            ]
            rows.append(
                {
                    "data": job.data,
                    "lambda": penalty,
                    "lookahead": lookahead,
                    "greedy": fitted[0].objective_,
                    "SPLIT": fitted[0].objective_ - fitted[1].objective_,
                    # LicketySPLIT's own prefix has a single level.
                    "LicketySPLIT": fitted[0].objective_ - lickety.objective_
                    if lookahead == 1
                    else None,
                }
            )
    return rows


def show(fits: Rows) -> Shown:
    names = data_sets(fits)
    figure, axes = panels(names)
    rows = []
    for axis, name in zip(axes[0], names, strict=True):
        row: dict[str, Any] = {"data": name}
        for key, lookahead, style, label in LINES:
            of = pick(fits, data=name, lookahead=lookahead)
            gains = [100 * fit[key] for fit in of]
            axis.plot(values(of, "lambda"), gains, style, color=COLOURS[key], label=label, lw=1.2)
            row[f"{label}, mean"] = float(np.mean(gains))
            row[f"{label}, most"] = float(np.max(gains))
        logarithmic(axis, "x")
        axis.set_xlabel("lambda")
        rows.append(row)
    axes[0, 0].set_ylabel("gain, points of objective")
    legend(figure, axes)
    gained = [f"{label}, {what}" for *_, label in LINES for what in ("mean", "most")]
    shown = columns("data set = data", *(column(key, key, "{:.2f}".format) for key in gained))
    largest = max(row[f"{label}, most"] for row in rows for *_, label in LINES)
    notes = [
        "The training objective of the lookahead prefix with greedy completions, less that of "
        "SPLIT (leaves filled with optimal trees) or LicketySPLIT (the same again below), in "
        "percentage points; lambda from .001 to .1.",
        f"The largest gain here is {largest:.2f} points. The paper gives no numbers for its "
        "figure.",
    ]
    return Shown([Table("Gain by post-processing", shown, rows)], notes, {"": figure}, fits)


PIECES = (
    Piece(
        "fig_postprocessing_gap",
        "Gap between SPLIT / LicketySPLIT and purely greedy post-processing "
        "(fig:gap_between_lookahead_and_greedy_after_lookahead_depth_lookahead_recursive)",
        jobs,
        show,
    ),
)
