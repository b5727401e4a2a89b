"""Our models, as `predictors` has those of others: settings are penalties, rows, algorithms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib.cart_predictors import MAX_DEPTH, MIN_ROWS
from lib.predictors import Predictor, Settings, same

# Lookahead finds better trees; on few rows they need not predict better. So it is chosen, too.
ALGORITHMS = ("LicketySPLITClassifier", "GreedyTreeClassifier")
# Penalties per leaf, from large to small.
REGULARIZATIONS = tuple(float(f"{each:.3g}") for each in np.geomspace(0.1, 0.0002, 20))


class SplitSecond(Predictor):
    """One of our classifiers on the frame as it is: the binarizer inside learns the columns."""

    def __init__(self, **options: Any) -> None:
        import splitsecond

        self._package = splitsecond
        self._options = {"max_depth": MAX_DEPTH, "n_jobs": 1, **options}

    def settings(self, X: Any, y: NDArray[np.int64]) -> list[Settings]:
        return [
            {"algorithm": name, "regularization": penalty, "min_samples_leaf": rows}
            for penalty in REGULARIZATIONS
            for rows in MIN_ROWS
            for name in ALGORITHMS
        ]

    def _estimator(self, setting: Settings, **options: Any) -> Any:
        given = {name: value for name, value in setting.items() if name != "algorithm"}
        return getattr(self._package, setting["algorithm"])(**self._options, **given, **options)

    def fit(self, X: Any, y: NDArray[np.int64], setting: Settings) -> Any:
        return self._estimator(setting).fit(X, y)

    def fit_all(
        self, X: Any, y: NDArray[np.int64], settings: Sequence[Settings]
    ) -> Iterator[tuple[Any, Any]]:
        first = self.fit(X, y, settings[0])  # finds the columns, for all
        read = same if first.binarizer_ is None else first.binarizer_.transform
        columns = read(X)
        for setting in settings:
            yield self._estimator(setting, binarizer=None).fit(columns, y), read

    def leaves(self, model: Any) -> int:
        return int(model.n_leaves_)


PREDICTORS: dict[str, Callable[[], Predictor]] = {
    "splitsecond zero_one": partial(SplitSecond, loss="zero_one"),
    "splitsecond log_loss": partial(SplitSecond, loss="log_loss"),
    "splitsecond brier": partial(SplitSecond, loss="brier"),
}
