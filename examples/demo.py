"""Fit a near-optimal and an optimal tree on scikit-learn's breast cancer data, and print both."""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from splitsecond import LicketySPLITClassifier, OptimalTreeClassifier

data = load_breast_cancer(as_frame=True)
diagnosis = data.target_names[data.target]
X_train, X_test, y_train, y_test = train_test_split(data.data, diagnosis, random_state=0)

for estimator in (LicketySPLITClassifier, OptimalTreeClassifier):
    model = estimator(regularization=0.01, max_depth=4).fit(X_train, y_train)
    print(model)
    print(f"accuracy on {len(y_test)} held-out rows {model.score(X_test, y_test):.3f}\n")
