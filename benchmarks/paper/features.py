"""Time of SPLIT and LicketySPLIT as the number of guessed columns grows, lambda .001."""

from __future__ import annotations

from typing import Any

import numpy as np
from drawing import COLOURS, legend, line, logarithmic, panels
from fitting import classifier
from jobs import Job, Settings, clock
from lib import data
from lib.report import Table, columns
from pieces import Piece, Rows, Shown, data_sets, pick

from splitsecond import ThresholdGuessBinarizer

SETS = ("compas", "heloc", "netherlands", "bike", "spambase", "covertype")
PENALTY = 0.001
DEPTH = 5
ALGORITHMS = ("LicketySPLIT", "SPLIT")
ROUNDS = tuple(int(n) for n in np.geomspace(20, 10_000, 10))
QUICK_ROUNDS = (20, 100, 400)


def jobs(settings: Settings) -> list[Job]:
    return [Job("features", name) for name in settings.sets(SETS)]


def measure(job: Job, settings: Settings) -> list[dict[str, Any]]:
    X, y = data.load_raw(job.data)
    rows: list[dict[str, Any]] = []
    late: set[str] = set()
    for rounds in QUICK_ROUNDS if settings.quick else ROUNDS:
        B = ThresholdGuessBinarizer(n_estimators=rounds, n_jobs=settings.threads).fit_transform(
            X, y
        )
        for algorithm in ALGORITHMS:
            if algorithm in late:
                continue
            model = classifier(algorithm, PENALTY, DEPTH, settings)
            taken = clock(model, B, y)
            rows.append(
                {
                    "data": job.data,
                    "rows": len(y),
                    "rounds": rounds,
                    "columns": B.shape[1],
                    "algorithm": algorithm,
                    "seconds": taken,
                    "objective": model.objective_,
                    "status": model.status_,
                }
            )
            if model.status_ == "time_limit":  # wider ones would be stopped as well
                late.add(algorithm)
    return rows


def show(fits: Rows) -> Shown:
    names = data_sets(fits)
    figure, axes = panels(names)
    rows = []
    for axis, name in zip(axes[0], names, strict=True):
        for algorithm in ALGORITHMS:
            of = pick(fits, data=name, algorithm=algorithm)
            done = [fit for fit in of if fit["status"] != "time_limit"]
            line(axis, done, "columns", "seconds", color=COLOURS[algorithm], label=algorithm)
            rows.append(_row(of, done))
        logarithmic(axis, "x", "y")
        axis.set_xlabel("columns")
    axes[0, 0].set_ylabel("seconds")
    legend(figure, axes)
    shown = columns(
        "data set = data | rows = rows , | algorithm | columns from = least_columns",
        "time = least_seconds s | to = most_columns | time = most_seconds s",
        "log-log slope = slope .1f | stopped at = stopped",
    )
    notes = [
        "Thresholds guessed with 20 to 10,000 boosted stumps (quick: to 400), as in the paper, and "
        "the time of the fit on them. Slopes are by least squares over the widths of 30 and more.",
        "The paper has widths of 10 to 1,000 and gives no numbers. By its theory LicketySPLIT's "
        "time grows with the square of the width; SPLIT's with its fills, whose exponent is the "
        "depth left.",
    ]
    return Shown([Table("Time by number of columns", shown, rows)], notes, {"": figure}, fits)


def _row(of: Rows, done: Rows) -> dict[str, Any]:
    """Return an algorithm's narrowest and widest fit on a data set, and where it was stopped."""
    wide = [f"{fit['columns']} columns" for fit in of if fit["status"] == "time_limit"]
    return {
        **{key: of[0][key] for key in ("data", "rows", "algorithm")},
        **{f"least_{key}": done[0][key] for key in ("columns", "seconds")},
        **{f"most_{key}": done[-1][key] for key in ("columns", "seconds")},
        "slope": slope(done),
        "stopped": ", ".join(wide) or "-",
    }


def slope(of: Rows) -> float | None:
    """Return the exponent of the time in the width, from the wider ones."""
    wide = [fit for fit in of if fit["columns"] >= 30]
    if len({fit["columns"] for fit in wide}) < 2:
        return None
    logs = np.log([(fit["columns"], fit["seconds"]) for fit in wide])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


PIECES = (
    Piece(
        "fig_feature_scaling",
        "Runtime as the number of features increases (fig:feature_scaling_exp_split)",
        jobs,
        show,
    ),
)
