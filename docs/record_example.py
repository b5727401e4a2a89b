"""Writes record-example.md and its tree as SVG: the record of what second-criteria.md chooses.

python docs/record_example.py
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from splitsecond import DecisionRecord, TreeFARMS

PATH = Path(__file__).with_name("record-example.md")


def make() -> DecisionRecord:
    """Choose the tree of the page again, and record it."""
    X, progression = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    y = np.where(progression > 140, "fast", "slow")
    sex = X.pop("sex")
    rest, test = train_test_split(X.index, test_size=0.25, stratify=y, random_state=0)
    train, val = train_test_split(rest, test_size=1 / 3, stratify=y[rest], random_state=0)
    model = TreeFARMS(regularization=0.02, epsilon=0.02, max_depth=3).fit(X.loc[train], y[train])
    rows = {"groups": sex[val], "positive": "fast"}
    evaluation = model.trees_.evaluate(X.loc[val], y[val], **rows)
    good = evaluation.filter("error", at_most=evaluation.range("error").tree_0 + 0.02)
    chosen = good.evaluate(X.loc[val], y[val], **rows).best("equal_opportunity_difference[sex]")
    return good.record(
        chosen,
        X.loc[test],
        y[test],
        groups=sex[test],
        positive="fast",
        X_train=X.loc[train],
        y_train=y[train],
        chosen_by="the model board",
        reason="It makes few errors on the validation rows, and has the smallest gap there.",
        data_name="diabetes, test rows",
        date="2026-01-31",
    )


def in_browser(record: DecisionRecord, *options: str) -> bool:
    """Open the record in Chromium, which writes what the options ask for; False: there is none."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "record.html")
        record.save(page)
        quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command = [program, *quiet, f"--user-data-dir={folder}/profile", *options, page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    return True


if __name__ == "__main__":
    make().save(PATH)
