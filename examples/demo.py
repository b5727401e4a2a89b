"""Fit a near-optimal and an optimal tree on scikit-learn's breast cancer data, and print both."""

import re
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from splitsecond import LicketySPLITClassifier, OptimalTreeClassifier

data = load_breast_cancer()
labels = data.target_names[data.target]
raw_train, raw_test, y_train, y_test = train_test_split(data.data, labels, random_state=0)

# Each measurement becomes three 0/1 columns "name <= t", at the quartiles of the training rows.
# They are rounded to four digits, so that the threshold in a column's name is the one used.
cuts = {}
for j, name in enumerate(data.feature_names):
    for quartile in np.quantile(raw_train[:, j], [0.25, 0.5, 0.75]):
        cuts[f"{name} <= {quartile:.4g}"] = j, float(f"{quartile:.4g}")


def binary_columns(raw: np.ndarray) -> Any:
    """A 0/1 array, or a data frame if pandas or polars is there: the trees then show names."""
    columns = {name: (raw[:, j] <= t).astype(np.uint8) for name, (j, t) in cuts.items()}
    for library in ("pandas", "polars"):
        if find_spec(library):
            return import_module(library).DataFrame(columns)
    return np.column_stack(list(columns.values()))


X_train, X_test = binary_columns(raw_train), binary_columns(raw_test)
for estimator in (LicketySPLITClassifier, OptimalTreeClassifier):
    model = estimator(regularization=0.01, max_depth=4).fit(X_train, y_train)
    print(model)
    if isinstance(X_train, np.ndarray):  # an array has no names: say what x0, x1, ... stand for
        for j in sorted({int(digits) for digits in re.findall(r"\bx(\d+)\b", str(model))}):
            print(f"  x{j} is {list(cuts)[j]}")
    train, test = model.score(X_train, y_train), model.score(X_test, y_test)
    print(f"accuracy on the training rows {train:.3f}, on the test rows {test:.3f}\n")
