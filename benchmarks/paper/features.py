"""Time of SPLIT and LicketySPLIT as the number of guessed columns grows, lambda .001."""

from __future__ import annotations

from typing import Any

import numpy as np
from drawing import COLOURS, legend, logarithmic, panels
from fitting import classifier
from jobs import Job, Settings, clock
from lib import data
from lib.report import Table, column, seconds
from pieces import Piece, Rows, Shown, pick

from splitsecond import ThresholdGuessBinarizer

SETS = ("compas", "heloc", "netherlands", "bike", "spambase", "covertype")
PRICE = 0.001
DEPTH = 5
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
        for algorithm in ("LicketySPLIT", "SPLIT"):
            if algorithm in late:
                continue
            model = classifier(algorithm, PRICE, DEPTH, settings)
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
    names = list(dict.fromkeys(fit["data"] for fit in fits))
    figure, axes = panels(names)
    rows = []
    for axis, name in zip(axes[0], names, strict=True):
        for algorithm in ("LicketySPLIT", "SPLIT"):
            of = pick(fits, data=name, algorithm=algorithm)
            done = [fit for fit in of if fit["status"] != "time_limit"]
            axis.plot(
                [fit["columns"] for fit in done],
                [fit["seconds"] for fit in done],
                "o-",
                ms=3,
                color=COLOURS[algorithm],
                label=algorithm,
            )
            rows.append(
                {
                    "data": name,
                    "rows": of[0]["rows"],
                    "algorithm": algorithm,
                    "least_columns": done[0]["columns"],
                    "least_seconds": done[0]["seconds"],
                    "most_columns": done[-1]["columns"],
                    "most_seconds": done[-1]["seconds"],
                    "slope": slope(done),
                    "stopped": ", ".join(
                        f"{fit['columns']} columns" for fit in of if fit["status"] == "time_limit"
                    )
                    or "-",
                }
            )
        logarithmic(axis, "x", "y")
        axis.set_xlabel("columns")
    axes[0, 0].set_ylabel("seconds")
    legend(figure, axes)
    columns = [
        column("data set", "data"),
        column("rows", "rows", "{:,}".format),
        column("algorithm", "algorithm"),
        column("columns from", "least_columns"),
        column("time", "least_seconds", seconds),
        column("to", "most_columns"),
        column("time", "most_seconds", seconds),
        column("log-log slope", "slope", "{:.1f}".format),
        column("stopped at", "stopped"),
    ]
    notes = [
        "Thresholds guessed with 20 to 10,000 boosted stumps (quick: to 400), as in the paper, and "
        "the time of the fit on them. Slopes are by least squares over the widths of 30 and more.",
        "The paper has widths of 10 to 1,000 and gives no numbers. By its theory "
        "LicketySPLIT's time "
        "grows with the square of the width; SPLIT's with its fills, whose exponent is the depth "
        "left.",
    ]
    return Shown([Table("Time by number of columns", columns, rows)], notes, {"": figure}, fits)


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
