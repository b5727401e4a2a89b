"""Fit a near-optimal and an optimal tree on scikit-learn's breast cancer data, and print both."""

import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from splitsecond import LicketySPLITClassifier, OptimalTreeClassifier

data = load_breast_cancer(as_frame=True)
labels = data.target_names[data.target]
raw_train, raw_test, y_train, y_test = train_test_split(data.data, labels, random_state=0)

# Each measurement becomes three 0/1 columns, at the quartiles of the training rows. They are
# rounded to three digits first, so that the threshold in a column's name is the one used.
cuts = {
    f"{name} <= {float(f'{cut:.3g}'):g}": (name, float(f"{cut:.3g}"))
    for name in raw_train
    for cut in raw_train[name].quantile([0.25, 0.5, 0.75])
}


def binary(raw: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({title: raw[name] <= cut for title, (name, cut) in cuts.items()})


for estimator in (LicketySPLITClassifier, OptimalTreeClassifier):
    model = estimator(regularization=0.01, max_depth=4).fit(binary(raw_train), y_train)
    print(model)
    print(f"accuracy on {len(y_test)} held-out rows {model.score(binary(raw_test), y_test):.3f}\n")
