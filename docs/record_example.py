"""Writes record-example.md and its picture: the record of the tree that second-criteria.md chooses.

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
GAP = "true_positive_rate[sex=1 - 2]"


def make() -> DecisionRecord:
    """Choose the tree of the page again, and record it."""
    X, progression = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    y = np.where(progression > 140, "fast", "slow")
    sex = X.pop("sex")
    X, X_test, y, y_test, sex, sex_test = train_test_split(
        X, y, sex, test_size=0.25, stratify=y, random_state=4
    )
    X_train, X_val, y_train, y_val, _, sex_val = train_test_split(
        X, y, sex, test_size=1 / 3, stratify=y, random_state=4
    )
    model = TreeFARMS(regularization=0.02, epsilon=0.02, max_depth=3).fit(X_train, y_train)
    evaluation = model.trees_.evaluate(X_val, y_val, groups=sex_val, positive="fast")
    fair = evaluation.filter(GAP, at_least=-0.05, at_most=0.05)
    chosen = fair.evaluate(X_val, y_val).best("error")
    return fair.record(
        chosen,
        X_test,
        y_test,
        groups=sex_test,
        positive="fast",
        X_train=X_train,
        y_train=y_train,
        chosen_by="A. Smith",
        reason="It does not ask about sex, and finds about as many fast cases of both sexes.\n"
        "Of all trees that do, it has the fewest errors on the validation rows.",
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
    made = make()
    made.save(PATH)
    in_browser(made, f"--screenshot={PATH.with_suffix('.png')}", "--window-size=1000,1900")
