"""SPLIT's time and loss by lookahead depth, on the paper's second binarization, lambda .001."""

from __future__ import annotations

from typing import Any

from drawing import COLOURS, legend, line, logarithmic, panels
from fitting import aggressive
from jobs import Job, Settings, clock
from lib.report import Table, columns
from pieces import Piece, Rows, Shown, data_sets, mean, pick, stopped
from sklearn.model_selection import train_test_split

from splitsecond import SPLITClassifier

SETS = ("compas", "heloc", "adult", "bike", "netherlands", "covertype")
DEPTHS = (5, 6)
PENALTY = 0.001
LABELS = {
    "seconds": "seconds",
    "objective": "regularized\ntraining loss",
    "test_objective": "regularized\ntest loss",
}


def jobs(settings: Settings) -> list[Job]:
    splits = 1 if settings.quick else 3
    return [Job("lookahead", name, seed) for name in settings.sets(SETS) for seed in range(splits)]


def measure(job: Job, settings: Settings) -> list[dict[str, Any]]:
    X, y = aggressive(job.data)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=job.variant)
    rows = []
    for depth in DEPTHS:
        for lookahead in range(1, depth + 1):
            model = SPLITClassifier(
                regularization=PENALTY,
                max_depth=depth,
                lookahead_depth=lookahead,
                exact_last_split=False,
                **settings.limits,
            )
            taken = clock(model, X, y)
            rows.append(
                {
                    "data": job.data,
                    "split": job.variant,
                    "columns": X.shape[1],
                    "depth": depth,
                    "lookahead": lookahead,
                    "seconds": taken,
                    "objective": model.objective_,
                    "test_objective": 1 - model.score(X_test, y_test) + PENALTY * model.n_leaves_,
                    "status": model.status_,
                }
            )
    return rows


def _rows(fits: Rows) -> Rows:
    rows = []
    for depth in DEPTHS:
        for name in data_sets(fits):
            for lookahead in range(1, depth + 1):
                of = pick(fits, data=name, depth=depth, lookahead=lookahead)
                rows.append({key: of[0][key] for key in ("depth", "data", "columns", "lookahead")})
                rows[-1] |= {key: mean(of, key) for key in LABELS}
                rows[-1]["stopped"] = stopped(of)
    return rows


def _figure(rows: Rows) -> Any:
    names = data_sets(rows)
    figure, axes = panels(names, rows=3, width=2.2, height=1.9)
    for column_of_axes, name in zip(axes.T, names, strict=True):
        for axis, key in zip(column_of_axes, LABELS, strict=True):
            for depth, colour in zip(DEPTHS, ("SPLIT", "LicketySPLIT"), strict=True):
                of = pick(rows, data=name, depth=depth)
                line(axis, of, "lookahead", key, color=COLOURS[colour], label=f"depth {depth}")
        logarithmic(column_of_axes[0], "y")
        column_of_axes[-1].set_xlabel("lookahead depth")
    for axis, label in zip(axes[:, 0], LABELS.values(), strict=True):
        axis.set_ylabel(label)
    legend(figure, axes)
    return figure


def show(fits: Rows) -> Shown:
    rows = _rows(fits)
    shown = columns(
        "depth | data set = data | columns | lookahead | time = seconds s",
        "training = objective .4f | test = test_objective .4f | stopped",
    )
    table = Table("Lookahead depth", shown, rows)
    return Shown([table], _notes(rows, data_sets(fits)), {"": _figure(rows)})


def _notes(rows: Rows, names: list[str]) -> list[str]:
    fastest = []
    for depth in DEPTHS:
        best = {}
        for name in names:
            quickest = min(pick(rows, data=name, depth=depth), key=lambda row: row["seconds"])
            best.setdefault(quickest["lookahead"], []).append(name)
        told = "; ".join(f"{k} on {', '.join(v)}" for k, v in sorted(best.items()))
        fastest.append(f"Depth {depth}, fastest lookahead: {told}.")
    return [
        "Regularized losses are loss + lambda x leaves. A lookahead as deep as the tree is the "
        "optimal search, which has bounds of its own: it can be faster than a lookahead one or two "
        "levels less deep.",
        *fastest,
        "By the paper's corollary the minimum time is at a lookahead of about (depth - 1) / 2, "
        "with hardly any loss. That counts subproblems; with 22 columns and bounds the smallest "
        "lookahead may be as fast or faster.",
    ]


PIECES = (
    Piece(
        "fig_lookahead_depth",
        "Which lookahead depth should I use? (fig:lookahead_depth_runtime, _train_loss, "
        "_test_loss)",
        jobs,
        show,
    ),
)
