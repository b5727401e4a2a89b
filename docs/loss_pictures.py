"""Draws losses.svg: ROC curves, reliability and gains of trees by 0-1 loss and by log-loss.

    python docs/loss_pictures.py    # needs the data set Adult: see splitsecond.datasets

Both trees have the same depth and, as nearly as can be, as many leaves.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.model_selection import train_test_split

from splitsecond import LicketySPLITClassifier, datasets

DEPTH = 5
REGULARIZATION = 0.001  # of 0-1 loss
COLOURS = {"zero_one": "#e69f00", "log_loss": "#0072b2"}  # Okabe and Ito's
MARKS = {"zero_one": "s", "log_loss": "o"}
PATH = Path(__file__).with_name("losses.svg")


def fit_pair(X: Any, y: Any) -> dict[str, LicketySPLITClassifier]:
    """Fit a tree by 0-1 loss, and of those by log-loss the one nearest to it in leaves."""
    by_errors = LicketySPLITClassifier(regularization=REGULARIZATION, max_depth=DEPTH).fit(X, y)
    others = [
        LicketySPLITClassifier(loss="log_loss", regularization=penalty, max_depth=DEPTH).fit(X, y)
        for penalty in np.geomspace(0.0005, 0.05, 25).round(6).tolist()
    ]
    nearest = min(others, key=lambda each: abs(each.n_leaves_ - by_errors.n_leaves_))
    return {"zero_one": by_errors, "log_loss": nearest}


def draw(models: dict[str, LicketySPLITClassifier], X: Any, y: Any) -> Any:
    """Return a figure of the models on rows they have not seen."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams.update({"svg.hashsalt": "splitsecond", "svg.fonttype": "none", "font.size": 9})
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    roc, reliability, gains = figure.subplots(1, 3)
    for axis in (roc, reliability, gains):
        axis.plot([0, 1], [0, 1], color="#999999", linewidth=1, linestyle=":")
        axis.spines[["top", "right"]].set_visible(False)
    for loss, model in models.items():
        share = model.predict_proba(X)[:, 1]
        style = {"color": COLOURS[loss], "marker": MARKS[loss], "markersize": 4, "linewidth": 1.2}
        false, true, _ = roc_curve(y, share, drop_intermediate=False)
        label = f"{loss}, {model.n_leaves_} leaves, AUC {roc_auc_score(y, share):.3f}"
        roc.plot(false, true, label=label, **style)
        said, happened, rows = _by_leaf(share, y)
        reliability.scatter(
            said,
            happened,
            s=5 + 300 * rows / len(y),
            color=COLOURS[loss],
            marker=MARKS[loss],
            alpha=0.6,
        )
        looked_at, found = _gains(share, y)
        gains.plot(looked_at, found, **style)
    roc.set(title="ROC", xlabel="false positives", ylabel="true positives")
    reliability.set(title="Reliability", xlabel="probability said", ylabel="share of new rows")
    gains.set(title="Gains", xlabel="share of rows, riskiest first", ylabel="share of cases found")
    figure.legend(
        *roc.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False
    )
    return figure


def _by_leaf(share: Any, y: Any) -> tuple[Any, Any, Any]:
    """Return each probability that is said, the share of cases among its rows, and these."""
    said, groups = np.unique(share, return_inverse=True)
    rows = np.bincount(groups)
    return said, np.bincount(groups, weights=y) / rows, rows


def _gains(share: Any, y: Any) -> tuple[Any, Any]:
    """Return the share of rows looked at and of cases found, as the minimum probability falls."""
    _, happened, rows = (each[::-1] for each in _by_leaf(share, y))
    found = np.cumsum(happened * rows) / np.sum(y)
    return np.append(0, np.cumsum(rows) / len(y)), np.append(0, found)


def main() -> None:
    """Fit, draw and write."""
    warnings.simplefilter("ignore")
    data = datasets.load("adult")
    X_train, X_test, y_train, y_test = train_test_split(
        data.X, data.y_binary, test_size=0.25, stratify=data.y_binary, random_state=0
    )
    figure = draw(fit_pair(X_train, y_train), X_test, y_test)
    figure.savefig(PATH, metadata={"Date": None})
    PATH.write_text("\n".join(map(str.rstrip, PATH.read_text().splitlines())) + "\n")


if __name__ == "__main__":
    main()
