"""Fits one kind of model to one table, split by split, and judges it on the rows held out.

    python -m lib.heldout_worker FOLDER

reads `table.npz` and `request.json` of the folder and writes `rows.json` there. It runs in the
environment of the model's package, which need not have splitsecond.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib import cart_predictors, heldout_data, other_predictors, own_predictors
from lib.choosing import best, cross_validated, leaves_of
from lib.predictors import Predictor, quiet

PREDICTORS = own_predictors.PREDICTORS | cart_predictors.PREDICTORS | other_predictors.PREDICTORS


def frame_of(table: heldout_data.RawTable) -> Any:
    """Make a data frame with NaN and None for what is missing."""
    import pandas as pd

    columns = {}
    for name, column in zip(table.names, table.columns, strict=True):
        is_text = column.dtype.kind == "U"
        values = [each or None for each in column.tolist()] if is_text else column
        columns[name] = pd.Series(values, dtype=object if is_text else np.float64)
    return pd.DataFrame(columns)


def auc(y: NDArray[np.int64], shares: Any) -> float:
    """Return the area under the ROC curve: for more than two classes, the mean of one to rest."""
    from sklearn.metrics import roc_auc_score

    if shares.shape[1] == 2:
        return float(roc_auc_score(y, shares[:, 1]))
    return float(roc_auc_score(y, shares, multi_class="ovr"))


def log_loss(y: NDArray[np.int64], shares: Any, least: float = 1e-15) -> float:
    """Return the mean of -log of what was said of the true class, or of `least` if that is more."""
    said = np.maximum(shares[np.arange(len(y)), y], least)
    return float(-np.log(said).mean())


def brier(y: NDArray[np.int64], shares: Any) -> float:
    """Return half the squared distance between shares and truth: (p - y)^2 for two classes."""
    truth = np.eye(shares.shape[1])[y]
    return float(((shares - truth) ** 2).sum(axis=1).mean() / 2)


SCORES = {
    "roc_auc": auc,
    "neg_log_loss": lambda y, shares: -log_loss(y, shares, 1e-4),
    "neg_brier_score": lambda y, shares: -brier(y, shares),
    "accuracy": lambda y, shares: float((shares.argmax(axis=1) == y).mean()),
}


def judge(
    predictor: Predictor,
    X: Any,
    y: NDArray[np.int64],
    seed: int,
    scoring: str,
    folds: int,
    max_leaves: float | None = None,
) -> list[dict[str, Any]]:
    """Choose a setting and fit it on the training rows; return how it does on the others.

    With `max_leaves` there is a second row, of the best setting that gives no more leaves.
    """
    train, test = heldout_data.split(y, seed)
    inside, labels = X.iloc[train], y[train]
    start = time.perf_counter()
    settings = predictor.settings(inside, labels)
    scores = cross_validated(predictor, inside, labels, settings, SCORES[scoring], folds)
    chosen = [(best(scores), time.perf_counter() - start)]
    if max_leaves is not None:
        sizes = leaves_of(predictor, inside, labels, settings)
        chosen.append((best(scores, sizes, max_leaves), time.perf_counter() - start))
    rows = []
    for number, seconds in chosen:
        begun = time.perf_counter()
        model = predictor.fit(inside, labels, settings[number])
        fitted = time.perf_counter()
        shares = np.asarray(model.predict_proba(X.iloc[test]))
        rows.append(
            {
                "seed": seed,
                "accuracy": SCORES["accuracy"](y[test], shares),
                "auc": auc(y[test], shares),
                "log_loss": log_loss(y[test], shares, 1 / len(train)),
                "brier": brier(y[test], shares),
                "leaves": predictor.leaves(model),
                "fit_seconds": fitted - begun,
                "choosing_seconds": seconds,
                "cv_score": None if scores is None else float(scores[number]),
                "setting": json.dumps(dict(settings[number])),
                "capped": len(rows) == 1,
            }
        )
    return rows


def main(folder: Path) -> None:
    quiet()
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    table = heldout_data.read(folder / "table.npz")
    X = frame_of(table)
    predictor = PREDICTORS[request["method"]]()
    asked = request["scoring"], request["folds"]
    rows = []
    for seed, max_leaves in zip(request["seeds"], request["max_leaves"], strict=True):
        rows += judge(predictor, X, table.y, seed, *asked, max_leaves)
    (folder / "rows.json").write_text(json.dumps(rows), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
