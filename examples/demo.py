"""Fit a small tree and print it, then compare what the searches find and how long they take."""

from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import train_test_split

from splitsecond import (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
)

data = load_breast_cancer(as_frame=True)
diagnosis = data.target_names[data.target]
X_train, X_test, y_train, y_test = train_test_split(data.data, diagnosis, random_state=0)
model = LicketySPLITClassifier(regularization=0.01, max_depth=4).fit(X_train, y_train)
print(model)
print(f"accuracy on {len(y_test)} held-out rows {model.score(X_test, y_test):.3f}\n")

# Why not always the optimal tree? Its search takes hundreds of times as long here; LicketySPLIT
# finds a tree that is as good (8) or nearly so (9).
images, digits = load_digits(return_X_y=True, as_frame=True)
print(f"Which of {len(images):,} images show this digit? Trees of depth 5, lambda 0.005:")
print("digit  estimator               objective  leaves  binarization      search")
for digit in (8, 9):
    for estimator in (
        GreedyTreeClassifier,
        LicketySPLITClassifier,
        SPLITClassifier,
        OptimalTreeClassifier,
    ):
        model = estimator(regularization=0.005, max_depth=5).fit(images, digits == digit)
        times = model.statistics_
        print(
            f"{digit}      {estimator.__name__:22}  {model.objective_:9.4f}  {model.n_leaves_:6}  "
            f"{1000 * times['binarization_seconds']:9.1f} ms  "
            f"{1000 * times['search_seconds']:7.1f} ms"
        )
