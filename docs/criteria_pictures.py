"""Draws criteria.svg: what the trees of a set do on validation rows.

    python docs/criteria_pictures.py

The set and the rows are those of second-criteria.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from splitsecond import SetEvaluation, TreeFARMS

PATH = Path(__file__).with_name("criteria.svg")
SHOWN = [
    "error",
    "error[sex=1]",
    "error[sex=2]",
    "selection_rate[sex=1 - 2]",
    "true_positive_rate[sex=1 - 2]",
    "false_positive_rate[sex=1 - 2]",
]


def evaluated() -> SetEvaluation:
    """Return the evaluation of the page."""
    X, progression = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    y = np.where(progression > 140, "fast", "slow")
    sex = X.pop("sex")
    rest, _ = train_test_split(X.index, test_size=0.25, stratify=y, random_state=0)
    train, val = train_test_split(rest, test_size=1 / 3, stratify=y[rest], random_state=0)
    model = TreeFARMS(regularization=0.02, epsilon=0.02, max_depth=3).fit(X.loc[train], y[train])
    found: SetEvaluation = model.trees_.evaluate(
        X.loc[val], y[val], groups=sex[val], positive="fast"
    )
    return found


def draw(evaluation: SetEvaluation) -> Any:
    """Return a figure of ranges and a frontier."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams.update({"svg.hashsalt": "splitsecond", "svg.fonttype": "none", "font.size": 9})
    figure = Figure(figsize=(10, 3.4), layout="constrained")
    ranges, frontier = figure.subplots(1, 2)
    evaluation.plot_ranges(SHOWN, ax=ranges)
    evaluation.plot_frontier("error", ax=frontier)
    return figure


def main() -> None:
    """Evaluate, draw and write."""
    draw(evaluated()).savefig(PATH, metadata={"Date": None})
    PATH.write_text("\n".join(map(str.rstrip, PATH.read_text().splitlines())) + "\n")


if __name__ == "__main__":
    main()
