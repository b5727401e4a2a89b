"""What every model of a comparison on new rows is, and how it reads a data frame.

Every model is given the same data frame (numbers with NaN, categories of text with None) and does
what it needs to read it inside, so that nothing is learnt from rows it may not see. `settings` are
in the order of the size of the models that they give: of equal scores the first is taken.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Settings: TypeAlias = Mapping[str, Any]


class Predictor:
    """A kind of model. Making one imports its package, so a missing one shows."""

    def settings(self, X: Any, y: NDArray[np.int64]) -> list[Settings]:
        """Return what cross-validation chooses from; one setting needs none."""
        raise NotImplementedError

    def fit(self, X: Any, y: NDArray[np.int64], setting: Settings) -> Any:
        raise NotImplementedError

    def fit_all(
        self, X: Any, y: NDArray[np.int64], settings: Sequence[Settings]
    ) -> Iterator[tuple[Any, Any]]:
        """Yield a model for each setting, and the function that makes X what it reads.

        One that can share work between settings does so.
        """
        for setting in settings:
            yield self.fit(X, y, setting), same

    def leaves(self, model: Any) -> int | None:
        """Count the leaves, where the model is a tree or a sum of small ones."""
        return None


def same(X: Any) -> Any:
    """Return what a model reads that takes the frame as it is."""
    return X


def is_text(X: Any) -> list[bool]:
    return [X[name].dtype == object for name in X.columns]


def numbers(X: Any, *, fill: bool = False) -> Any:
    """Make what turns a frame into numbers: a column for each category, gaps filled if asked."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    text = [name for name, each in zip(X.columns, is_text(X), strict=True) if each]
    other = [name for name in X.columns if name not in text]
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    filling = SimpleImputer(strategy="median", add_indicator=True) if fill else "passthrough"
    return make_column_transformer((filling, other), (one_hot, text))


def quiet() -> None:
    """Silence what packages say of their own doings."""
    warnings.simplefilter("ignore")
